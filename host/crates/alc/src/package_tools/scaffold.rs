//! `alc_pkg_scaffold`: writes the skeleton of a package.
//!
//! Owns: the text of the skeleton, which our own extractor can read. It runs at once: it uses `alc_shapes`, as the
//! original's does, only where that package is there.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error_code as code;
use crate::grants::Grant;
use crate::packages::{PACKAGES_DIR, PackageStore, SOURCE_FILE, parse_package_name};
use crate::storage_error::write_error;
use crate::tool::{AlcTool, ToolCall};
use wardroom_appdir::{AppDirError, Privacy};
use wardroom_base::payload::Payload;
use wardroom_service::schema::{input_schema, output_schema, parse_arguments, serialize_output};
use wardroom_service::{ServiceError, ToolBehavior, ToolOutput, escape_and_truncate};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PackageScaffoldArgs {
    /// `[a-z][a-z0-9_]*`, at most 64 characters.
    name: String,
    /// The folder in which the package is created; the AppDir's packages when absent.
    target_dir: Option<String>,
    category: Option<String>,
    description: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct PackageScaffoldOutput {
    status: &'static str,
    path: String,
    bytes_written: usize,
}

pub(super) const TOOLS: &[AlcTool] = &[AlcTool {
    name: "alc_pkg_scaffold",
    title: "Begin a package",
    description: "Generates boilerplate to write a new strategy or package of your own: starting files, a skeleton \
                  init.lua with the metadata block, to fill in.",
    behavior: ToolBehavior::ADDITIVE,
    is_on_demand: true,
    input: input_schema::<PackageScaffoldArgs>,
    output: output_schema::<PackageScaffoldOutput>,
    call: ToolCall::Worker(|alc, arguments, _| scaffold_package(&alc.packages, arguments).map(ToolOutput::from)),
}];

fn scaffold_package(packages: &PackageStore, arguments: Payload) -> Result<Payload, ServiceError> {
    let PackageScaffoldArgs { name, target_dir, category, description } = parse_arguments(arguments)?;
    validate_name(&name)?;
    let (folder, path) = match &target_dir {
        Some(target) => {
            let (root, below) = packages.grants().resolve_path(target, Grant::CreatePackages)?;
            packages.grants().check_below(&root, &below, &name, Grant::CreatePackages)?;
            let failed = |error| write_error(&escape_and_truncate(target), error);
            let folder = if below.is_empty() { root } else { root.create_folder(&below).map_err(failed)? };
            (folder, packages.grants().display_path(target).into())
        }
        None => (packages.create_packages_folder()?, packages.packages_path()),
    };
    let path = path.join(&name).join(SOURCE_FILE).display().to_string();
    let has_shapes = parse_package_name("alc_shapes").is_ok_and(|name| packages.has_source(&name));
    let render = if has_shapes { render_shaped_source } else { render_source };
    let text = render(&name, category.as_deref(), description.as_deref());
    let failed = |error| write_error(&name, error);
    let made = folder.create_folder(&name).map_err(failed)?;
    made.create_file(SOURCE_FILE, text.as_bytes(), Privacy::Shared).map_err(|error| match error {
        AppDirError::AlreadyExists(_) => {
            ServiceError::tool(code::EXISTS, format!("package skeleton already exists at {path}"))
        }
        error => failed(error),
    })?;
    tracing::debug!(name, PACKAGES_DIR, "scaffold");
    serialize_output(&PackageScaffoldOutput { status: "ok", path, bytes_written: text.len() })
}

/// What `require` finds before any package.
const MODULES_OF_LUA: [&str; 7] = ["coroutine", "json", "math", "os", "string", "table", "utf8"];

fn validate_name(name: &str) -> Result<(), ServiceError> {
    let invalid = |reason: &str| {
        ServiceError::tool(
            code::INVALID_NAME,
            format!("invalid package name \"{}\": {reason}", escape_and_truncate(name)),
        )
    };
    let good = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    match name.as_bytes() {
        [] => Err(invalid("it is empty")),
        bytes if bytes.len() > 64 => Err(invalid("it is longer than 64 characters")),
        [first, ..] if !first.is_ascii_lowercase() => Err(invalid("it must begin with a lower-case letter")),
        bytes if !bytes.iter().all(|byte| good(*byte)) => Err(invalid("only a-z, 0-9 and _ are allowed")),
        _ if MODULES_OF_LUA.contains(&name) => {
            Err(invalid("a module of Lua has this name, and would be loaded instead"))
        }
        _ => Ok(()),
    }
}

/// Returns the fields of the metadata that a caller gives, or comments in their places.
fn metadata_field(key: &str, value: Option<&str>) -> String {
    match value {
        Some(value) => format!("        {key} = {},\n", lua_quote(value)),
        None => format!("        -- {key} = \"…\",\n"),
    }
}

/// Returns the title of a package, on one line.
fn title_line(description: Option<&str>) -> String {
    let title = description.unwrap_or("what it does, in one line");
    title.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Returns a skeleton that needs no other package.
fn render_source(name: &str, category: Option<&str>, description: Option<&str>) -> String {
    let title = title_line(description);
    let (description, category) = (metadata_field("description", description), metadata_field("category", category));
    format!(
        r#"--- {name} — {title}

local M = {{
    ---@type AlcMeta
    meta = {{
        name = "{name}",
        version = "0.1.0",
{description}{category}        inputs = {{ task = "what to solve" }},
    }},
}}

---@param ctx AlcCtx
---@return AlcCtx
function M.run(ctx)
    ctx.result = {{ answer = alc.llm(ctx.task) }}
    return ctx
end

return M
"#
    )
}

/// Returns a skeleton whose inputs and results have shapes.
fn render_shaped_source(name: &str, category: Option<&str>, description: Option<&str>) -> String {
    let title = title_line(description);
    let (description, category) = (metadata_field("description", description), metadata_field("category", category));
    format!(
        r#"--- {name} — {title}

local S = require("alc_shapes")
local T = S.T

local M = {{
    ---@type AlcMeta
    meta = {{
        name = "{name}",
        version = "0.1.0",
        alc_shapes_compat = ">=0.25.0, <0.26",
{description}{category}    }},
    spec = {{
        entries = {{
            run = {{
                input = T.shape({{ task = T.string:describe("what to solve") }}, {{ open = true }}),
                result = T.shape({{ answer = T.string:describe("the answer") }}),
            }},
        }},
    }},
}}

---@param ctx AlcCtx
---@return AlcCtx
function M.run(ctx)
    ctx.result = {{ answer = alc.llm(ctx.task) }}
    return ctx
end

M.run = S.instrument(M, "run")

return M
"#
    )
}

/// Quotes a text as a Lua string, on one line.
fn lua_quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            control if control.is_control() => quoted.push_str(&format!("\\u{{{:x}}}", u32::from(control))),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}
