//! The tool `extract_package_meta`: metadata of source text that a client has, installed or not.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::tools::Tool;
use super::{Alc, meta};
use wardroom_base::payload::Payload;
use wardroom_sandbox::{Metadata, Refusal, Unresolved};
use wardroom_service::schema::{answer, answer_schema, parse, schema};
use wardroom_service::{Hints, ServiceError, ToolAnswer};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Extract {
    /// The text of an `init.lua`, at most 1 MiB.
    source: String,
    /// The package's name, for messages.
    #[serde(default = "unnamed")]
    name: String,
}

fn unnamed() -> String {
    String::from("package")
}

#[derive(Serialize, JsonSchema)]
struct Extracted {
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

pub(super) const TOOLS: &[Tool] = &[Tool {
    name: "extract_package_meta",
    title: "Extract package metadata",
    description: "Extracts the metadata (`M.meta`) from the source of a Lua package, in a sandbox and without running it.",
    hints: Hints::READS,
    input: schema::<Extract>,
    output: answer_schema::<Extracted>,
    call: |alc, arguments, _| alc.extract(arguments).map(ToolAnswer::from),
}];

impl Alc {
    fn extract(&self, arguments: Payload) -> Result<Payload, ServiceError> {
        let Extract { source, name } = parse(arguments)?;
        match self.sandbox.extract(&name, source.as_bytes()) {
            Ok(Ok(metadata)) => extracted(metadata),
            Ok(Err(refusal)) => Err(refused(&refusal)),
            Err(error) => Err(meta::stopped("the source", error)),
        }
    }
}

/// Metadata as the tool answers it.
///
/// # Errors
/// When it is not an object, which the guest promises.
pub fn extracted(metadata: Metadata) -> Result<Payload, ServiceError> {
    let meta = serde_json::from_str(&metadata.json);
    answer(&Extracted {
        meta: meta.map_err(|error| ServiceError::internal("the metadata is not an object", error))?,
        doc: metadata.doc,
        unresolved: fields(&metadata.unresolved),
    })
}

/// The fields that are not constants, as JSON.
pub(super) fn unresolved(found: &[Unresolved]) -> Result<Payload, ServiceError> {
    answer(&fields(found))
}

fn fields(found: &[Unresolved]) -> Vec<UnresolvedField> {
    let field = |Unresolved { path, line, column, reason }: &Unresolved| UnresolvedField {
        path: path.clone(),
        line: *line,
        column: *column,
        reason: reason.clone(),
    };
    found.iter().map(field).collect()
}

fn refused(refusal: &Refusal) -> ServiceError {
    let code = match refusal {
        Refusal::InvalidId(_) => "invalid_id",
        Refusal::TooLarge(_) => "too_large",
        Refusal::NotUtf8 { .. } => "not_utf8",
        Refusal::Syntax { .. } => "syntax",
        Refusal::TooDeep { .. } => "too_deep",
        Refusal::TooMuch(_) => "too_much",
    };
    let details = match refusal {
        Refusal::NotUtf8 { line, column }
        | Refusal::Syntax { line, column, .. }
        | Refusal::TooDeep { line, column } => Some(Payload::from_value(json!({"line": line, "column": column}))),
        Refusal::InvalidId(_) | Refusal::TooLarge(_) | Refusal::TooMuch(_) => None,
    };
    ServiceError::Tool { code, message: refusal.to_string(), details }
}
