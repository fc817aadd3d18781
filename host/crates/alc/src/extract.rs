//! The tool `extract_package_meta`: extracts metadata from source text of the client, installed or not.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::tool::{AlcTool, ToolCall};
use crate::error_code as code;
use wardroom_base::payload::Payload;
use wardroom_sandbox::{ExtractRefusal, PackageMetadata, Sandbox, SandboxError, UnresolvedMetadata};
use wardroom_service::schema::{input_schema, output_schema, parse_arguments, serialize_output};
use wardroom_service::{ServiceError, ToolBehavior, ToolOutput};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ExtractArgs {
    /// The text of an `init.lua`, at most 1 MiB.
    source: String,
    /// The name of the package, for messages.
    #[serde(default = "default_package_name")]
    name: String,
}

fn default_package_name() -> String {
    String::from("package")
}

#[derive(Serialize, JsonSchema)]
struct ExtractOutput {
    /// The constant fields of `M.meta`.
    meta: Map<String, Value>,
    /// The leading comment block.
    doc: Option<String>,
    /// The fields that are not constants; `meta` has null in their place.
    unresolved: Vec<UnresolvedField>,
}

#[derive(Serialize, JsonSchema)]
struct UnresolvedField {
    path: String,
    line: u32,
    column: u32,
    reason: String,
}

pub(super) const TOOLS: &[AlcTool] = &[AlcTool {
    name: "extract_package_meta",
    title: "Extract package metadata",
    description: "Parses the metadata block (header: name, version, description, category) out of Lua source that you \
                  pass, without installing or running it. For installed packages use alc_pkg_list.",
    behavior: ToolBehavior::READ_ONLY,
    is_on_demand: true,
    input: input_schema::<ExtractArgs>,
    output: output_schema::<ExtractOutput>,
    call: ToolCall::Worker(|alc, arguments, _| extract_package_meta(&alc.sandbox, arguments).map(ToolOutput::from)),
}];

fn extract_package_meta(sandbox: &Sandbox, arguments: Payload) -> Result<Payload, ServiceError> {
    let ExtractArgs { source, name } = parse_arguments(arguments)?;
    match sandbox.extract(&name, source.as_bytes()) {
        Ok(Ok(metadata)) => render_metadata(metadata),
        Ok(Err(refusal)) => Err(refusal_error(&refusal)),
        Err(error) => Err(extraction_error("the source", error)),
    }
}

/// Returns metadata in the form of the tool's output.
///
/// # Errors
/// When the metadata is not a JSON object, although the guest guarantees one.
pub fn render_metadata(metadata: PackageMetadata) -> Result<Payload, ServiceError> {
    let meta = serde_json::from_str(&metadata.json);
    serialize_output(&ExtractOutput {
        meta: meta.map_err(|error| ServiceError::internal("the metadata is not an object", error))?,
        doc: metadata.doc,
        unresolved: unresolved_fields(&metadata.unresolved),
    })
}

/// Returns the fields that are not constants, as JSON.
pub(super) fn render_unresolved(found: &[UnresolvedMetadata]) -> Result<Payload, ServiceError> {
    serialize_output(&unresolved_fields(found))
}

fn unresolved_fields(found: &[UnresolvedMetadata]) -> Vec<UnresolvedField> {
    let field = |UnresolvedMetadata { path, line, column, reason }: &UnresolvedMetadata| UnresolvedField {
        path: path.clone(),
        line: *line,
        column: *column,
        reason: reason.clone(),
    };
    found.iter().map(field).collect()
}

pub(super) fn extraction_error(what: &str, error: SandboxError) -> ServiceError {
    ServiceError::internal(format!("cannot extract {what}: {error}"), error)
}

fn refusal_error(refusal: &ExtractRefusal) -> ServiceError {
    let code = match refusal {
        ExtractRefusal::InvalidId(_) => code::INVALID_ID,
        ExtractRefusal::TooLarge(_) => code::SOURCE_TOO_LARGE,
        ExtractRefusal::NotUtf8 { .. } => code::SOURCE_NOT_UTF8,
        ExtractRefusal::Syntax { .. } => code::SOURCE_SYNTAX,
        ExtractRefusal::TooDeep { .. } => code::SOURCE_TOO_DEEP,
        ExtractRefusal::TooMuch(_) => code::SOURCE_TOO_MUCH,
    };
    let details = match refusal {
        ExtractRefusal::NotUtf8 { line, column }
        | ExtractRefusal::Syntax { line, column, .. }
        | ExtractRefusal::TooDeep { line, column } => {
            Some(Payload::from_value(json!({"line": line, "column": column})))
        }
        ExtractRefusal::InvalidId(_) | ExtractRefusal::TooLarge(_) | ExtractRefusal::TooMuch(_) => None,
    };
    ServiceError::Tool { code, message: refusal.to_string(), details }
}
