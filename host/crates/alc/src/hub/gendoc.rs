//! `alc_hub_gendoc`: documentation of the packages in a folder, from their sources alone.
//!
//! Owns: the projections, and which of the original's are available: those that do not run a package.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::describe::{PackageDescription, PackageDescriptions, describe_packages, open_source_dir};
use super::reindex::build_index_entry;
use super::{lint, narrative, outputs};
use crate::cards::CardStore;
use crate::error_code as code;
use crate::grants::{Grant, PathGrants};
use crate::limits::MAX_CONFIG_BYTES;
use crate::packages::PackageStore;
use crate::storage_error::write_error;
use crate::tool::{AlcTool, ToolCall};
use wardroom_appdir::{Folder, Privacy};
use wardroom_base::payload::Payload;
use wardroom_base::toml_text;
use wardroom_service::schema::{input_schema, output_schema, parse_arguments, serialize_output};
use wardroom_service::{RequestInfo, ServiceError, ToolBehavior, ToolOutput, escape_and_truncate};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct HubGendocArgs {
    /// The folder of packages.
    source_dir: String,
    /// The folder for the pages. When absent, `docs` in the folder of packages, or `_docs` in the AppDir's own. Only
    /// generated pages are replaced.
    out_dir: Option<String>,
    /// Any of `hub`, `narrative`, `lint` and `lint_only`; `hub` and `narrative` when absent.
    projections: Option<Vec<String>>,
    /// A TOML file with the options of projections. The available projections have no options.
    config_path: Option<String>,
    /// Whether lint errors make the call fail: false when absent.
    lint_strict: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct HubGendocOutput {
    source_dir: String,
    out_dir: String,
    /// The written files and the findings, one on each line.
    stdout: String,
    stderr: String,
    warnings: Vec<String>,
}

/// The options of a generation.
pub(super) struct GendocOptions<'w> {
    pub(super) source_dir: &'w str,
    pub(super) out_dir: Option<&'w str>,
    pub(super) projections: &'w [String],
    pub(super) config_path: Option<&'w str>,
    pub(super) lint_strict: bool,
}

pub(super) const TOOLS: &[AlcTool] = &[AlcTool {
    name: "alc_hub_gendoc",
    title: "Document packages",
    description: "Generates readable reference documentation (pages) of a collection from its package sources and \
                  comments: produce per-package docs (hub/{name}.json, narrative/{name}.md), llms.txt, lint \
                  findings.",
    behavior: ToolBehavior { is_idempotent: true, ..ToolBehavior::DESTRUCTIVE },
    is_on_demand: true,
    input: input_schema::<HubGendocArgs>,
    output: output_schema::<HubGendocOutput>,
    call: ToolCall::Large(|alc, arguments, info| {
        let HubGendocArgs { source_dir, out_dir, projections, config_path, lint_strict } = parse_arguments(arguments)?;
        let options = GendocOptions {
            source_dir: &source_dir,
            out_dir: out_dir.as_deref(),
            projections: projections.as_deref().unwrap_or_default(),
            config_path: config_path.as_deref(),
            lint_strict: lint_strict.unwrap_or(false),
        };
        serialize_output(&generate_docs(&alc.packages, &alc.cards, &options, info)?).map(ToolOutput::from)
    }),
}];

/// The original's projections, each with whether the source alone is enough for it.
const PROJECTIONS: [(&str, bool); 8] = [
    ("hub", true),
    ("context7", false),
    ("devin", false),
    ("lint", true),
    ("lint_only", true),
    ("luacats", false),
    ("narrative", true),
    ("llms", false),
];

/// Rejects unknown and unavailable projections, before anything is written.
fn validate_projections(projections: &[String]) -> Result<(), ServiceError> {
    for projection in projections {
        match PROJECTIONS.iter().find(|(name, _)| name == projection) {
            Some((_, true)) => {}
            Some((name, false)) => {
                let message = format!(
                    "gendoc: the projection '{name}' is not available: it would have to run packages (available: hub, \
                     narrative, lint, lint_only)"
                );
                return Err(ServiceError::tool(code::PROJECTION_UNAVAILABLE, message));
            }
            None => {
                let names: Vec<_> = PROJECTIONS.iter().map(|(name, _)| *name).collect();
                let (unknown, allowed) = (escape_and_truncate(projection), names.join(", "));
                let message = format!("gendoc: unknown projection '{unknown}' (allowed: {allowed})");
                return Err(ServiceError::tool(code::UNKNOWN_PROJECTION, message));
            }
        }
    }
    Ok(())
}

fn page_file_name(projection: &str, package: &PackageDescription) -> String {
    format!("{}.{}", package.name, if projection == "hub" { "json" } else { "md" })
}

pub(super) fn generate_docs(
    packages: &PackageStore,
    cards: &CardStore,
    options: &GendocOptions,
    info: &RequestInfo,
) -> Result<HubGendocOutput, ServiceError> {
    validate_projections(options.projections)?;
    if let Some(path) = options.config_path {
        validate_gendoc_config(packages.grants(), path)?;
    }
    let (folder, source) = open_source_dir(packages, Some(options.source_dir))?;
    let has = |name: &str| options.projections.iter().any(|projection| projection == name);
    let (none, only) = (options.projections.is_empty(), has("lint_only"));
    let writes = [("hub", (none || has("hub")) && !only), ("narrative", (none || has("narrative")) && !only)];
    let docs = if is_packages_folder(packages, &folder) { outputs::DOCS_DIR } else { "docs" };
    let named = format!("{}/{docs}", options.source_dir.trim_end_matches('/'));
    let out_dir = options.out_dir.unwrap_or(&named);
    let (out_root, out_below) = outputs::resolve_docs_path(packages.grants(), out_dir)?;
    let sources = describe_packages(packages, &folder, info)?;
    let mut stdout = String::new();
    let mut errors = Vec::new();
    if has("lint") || only {
        for finding in sources.packages.iter().flat_map(lint::lint_package) {
            stdout.push_str(&finding.to_line());
            stdout.push('\n');
            if finding.is_error() {
                errors.push(finding.to_line());
            }
        }
    }
    if options.lint_strict && !errors.is_empty() {
        return Err(ServiceError::Tool {
            code: code::LINT_FAILED,
            message: format!("gendoc: lint found {} errors, and nothing was written", errors.len()),
            details: Some(Payload::from_value(json!({ "errors": errors }))),
        });
    }
    for (projection, _) in writes.iter().filter(|(_, writes)| *writes) {
        packages.grants().check_below(&out_root, &out_below, projection, Grant::Write)?;
    }
    if writes.iter().any(|(_, writes)| *writes) {
        let made = if out_below.is_empty() { Ok(out_root) } else { out_root.create_folder(&out_below) };
        let target = made.map_err(|error| write_error("the documentation", error))?;
        for (projection, _) in writes.iter().filter(|(_, writes)| *writes) {
            for package in &sources.packages {
                let name = format!("{projection}/{}", page_file_name(projection, package));
                outputs::ensure_absent_or_page(&target, projection, &name)?;
            }
        }
        for (projection, _) in writes.iter().filter(|(_, writes)| *writes) {
            write_projection(cards, projection, &sources, &target, &mut stdout, info)?;
        }
    }
    let out_dir = packages.grants().display_path(out_dir);
    Ok(HubGendocOutput { source_dir: source, out_dir, stdout, stderr: String::new(), warnings: sources.warnings })
}

fn write_projection(
    cards: &CardStore,
    projection: &str,
    sources: &PackageDescriptions,
    target: &Folder,
    stdout: &mut String,
    info: &RequestInfo,
) -> Result<(), ServiceError> {
    let failed = |error| write_error(projection, error);
    let folder = target.create_folder(projection).map_err(failed)?;
    let cards = match projection {
        "hub" => cards.card_stats_by_package(&|| info.cancellation.is_cancelled())?,
        _ => HashMap::new(),
    };
    for package in &sources.packages {
        if info.cancellation.is_cancelled() {
            return Err(ServiceError::tool(code::CANCELLED, "gendoc was cancelled"));
        }
        let name = page_file_name(projection, package);
        let text = match projection {
            "hub" => format!("{:#}\n", build_index_entry(package, None, cards.get(package.name.as_str()))),
            _ => narrative::render_page(package),
        };
        folder.write(&name, text.as_bytes(), Privacy::Preserve).map_err(failed)?;
        stdout.push_str(&format!("wrote {projection}/{name}\n"));
    }
    Ok(())
}

/// Returns whether this is the folder of installed packages.
fn is_packages_folder(packages: &PackageStore, folder: &Folder) -> bool {
    let identity = |folder: &Folder| folder.stat_self().ok().map(|stat| stat.file_id);
    let own = packages.open_packages_folder().ok();
    own.as_ref().and_then(identity).is_some_and(|own| identity(folder) == Some(own))
}

/// Checks only that a file of options is TOML: no available projection has options.
fn validate_gendoc_config(grants: &PathGrants, path: &str) -> Result<(), ServiceError> {
    let (root, below) = grants.resolve_file_path(path, Grant::Read)?;
    if !below.ends_with(".toml") {
        return Err(ServiceError::tool(
            code::INVALID_CONFIG,
            format!("config_path must be a .toml file: {}", escape_and_truncate(path)),
        ));
    }
    let read = root.read_text(&below, MAX_CONFIG_BYTES).map_err(|error| {
        tracing::debug!(%error, "cannot read the options");
        ServiceError::tool(code::NOT_FOUND, format!("cannot read {}", escape_and_truncate(path)))
    })?;
    toml_text::parse(&read.0).map(drop).map_err(|error| {
        ServiceError::tool(
            code::INVALID_CONFIG,
            format!("malformed {}: {}", escape_and_truncate(path), error.public_message()),
        )
    })
}
