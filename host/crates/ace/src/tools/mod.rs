//! The tools of `ace`, assembled from the modules that define them.
//!
//! Owns: their order, what all of their answers have in common, and the checks of arguments that several take.
//! Never: knows what a tool does, or offers one that changes something where the folder is read-only.

mod analyze;
mod capture;
mod feedback;
mod get;
mod propose;
mod search;
mod update;

use std::sync::{Arc, LazyLock};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::error_code as code;
use crate::hundredths::Hundredths;
use crate::limits::{MAX_ID_CHARS, MAX_LISTED_IDS};
use crate::resources::UNTRUSTED;
use crate::{Ace, LearningLog};
use wardroom_base::payload::Payload;
use wardroom_service::schema::{OutputSchema, parse_or_explain, share_schema};
use wardroom_service::{
    Caller, Cost, EntryExtras, RequestInfo, ResolvedTool, ServiceError, ToolBehavior, ToolEntry, ToolOutput,
    ToolProvider, Work, entries_after,
};

pub(crate) use self::update::section_not_found;

/// The definition of a tool.
struct AceTool {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    input: fn() -> Payload,
    output: fn() -> Payload,
    behavior: ToolBehavior,
    call: fn(&LearningLog, &RequestInfo, Payload) -> Result<Payload, ServiceError>,
}

/// The tools in the order in which they are listed.
const TOOLS: [AceTool; 7] =
    [capture::TOOL, analyze::TOOL, update::TOOL, get::TOOL, search::TOOL, feedback::TOOL, propose::TOOL];

/// The entries, whose schemas are built once.
static ENTRIES: LazyLock<Vec<Arc<ToolEntry>>> =
    LazyLock::new(|| TOOLS.iter().map(|tool| Arc::new(tool.to_entry())).collect());

impl AceTool {
    fn to_entry(&self) -> ToolEntry {
        ToolEntry {
            name: self.name.into(),
            title: Some(self.title.into()),
            description: Some(self.description.into()),
            input_schema: share_schema((self.input)()),
            output_schema: Some(OutputSchema::new((self.output)())),
            annotations: self.behavior.into(),
            extra: EntryExtras::default(),
            is_on_demand: false,
        }
    }
}

impl Ace {
    /// Whether a tool is there: one that changes something only where the folder may be written.
    fn offers(&self, changes: bool) -> bool {
        self.0.as_ref().is_some_and(|log| !changes || !log.files.is_read_only())
    }
}

impl ToolProvider for Ace {
    fn list(&self, mark: Option<&str>, limit: usize, _caller: &Caller) -> Vec<Arc<ToolEntry>> {
        let mut entries = ENTRIES.clone();
        entries.retain(|entry| self.offers(entry.may_change()));
        entries_after(entries, mark, limit, |entry| &entry.name)
    }

    fn resolve(self: Arc<Self>, name: &str, _caller: &Arc<Caller>) -> Option<Arc<dyn ResolvedTool>> {
        let tool = TOOLS.iter().find(|tool| tool.name == name && self.offers(!tool.behavior.is_read_only))?;
        Some(Arc::new(AceToolCall { log: self.0.clone()?, tool }))
    }
}

/// What an analysis and an update after it would do.
#[derive(Debug)]
pub struct LearningPreview {
    /// The answer of `ace_analyze_patterns`.
    pub analysis: Payload,
    /// The answer of `ace_update_knowledge`.
    pub update: Payload,
}

impl Ace {
    /// Returns what both tools would do with these arguments, one after the other, and writes nothing. `None` without a
    /// learning log.
    ///
    /// # Errors
    /// As the tools.
    pub fn preview_learning(
        &self,
        analysis: Payload,
        update: Payload,
    ) -> Option<Result<LearningPreview, ServiceError>> {
        let log = self.0.as_ref()?;
        let stop = || false;
        let preview = || {
            let (analysis, insights) = log.preview_analysis(analysis, &stop)?;
            let update = log.preview_update(update, &insights, &stop)?;
            Ok(LearningPreview { analysis, update })
        };
        Some(preview())
    }
}

/// A tool whose name was resolved.
struct AceToolCall {
    log: Arc<LearningLog>,
    tool: &'static AceTool,
}

impl ResolvedTool for AceToolCall {
    fn name(&self) -> &str {
        self.tool.name
    }

    fn may_change(&self) -> bool {
        !self.tool.behavior.is_read_only
    }

    fn call(self: Arc<Self>, arguments: Payload) -> Work<ToolOutput> {
        Work::new(Cost::Worker, move |info: &RequestInfo| {
            let _held = info.memory.lease(arguments.value_bytes())?;
            let value = (self.tool.call)(&self.log, info, arguments)?;
            let meta = Some(Payload::from_value(json!({ UNTRUSTED: Value::Bool(true) })));
            Ok(ToolOutput { value, meta, ..ToolOutput::default() })
        })
    }
}

/// Parses the arguments of a tool.
///
/// # Errors
/// `INVALID_PARAMS`, which names every field that violates the schema.
fn parse_params<T: DeserializeOwned + JsonSchema>(arguments: Payload) -> Result<T, ServiceError> {
    parse_or_explain(arguments).map_err(invalid)
}

fn invalid(message: impl Into<String>) -> ServiceError {
    ServiceError::tool(code::INVALID_PARAMS, message)
}

fn invalid_value(message: &str, name: &str, value: impl Into<Value>) -> ServiceError {
    let details = Some(Payload::from_value(json!({ name: value.into() })));
    ServiceError::Tool { code: code::INVALID_PARAMS, message: message.to_owned(), details }
}

/// Checks a minimum of confidence.
fn check_confidence(given: Option<f64>) -> Result<Option<Hundredths>, ServiceError> {
    let Some(fraction) = given else { return Ok(None) };
    let checked = Hundredths::from_fraction(fraction);
    checked
        .map(Some)
        .ok_or_else(|| invalid_value("minConfidence must be between 0.0 and 1.0", "minConfidence", fraction))
}

/// Checks an id of a task, a trace or a bullet.
fn check_id(name: &str, id: &str) -> Result<(), ServiceError> {
    if id.trim().is_empty() {
        return Err(invalid(format!("{name} is required")));
    }
    if id.chars().count() > MAX_ID_CHARS || id.chars().any(char::is_control) {
        return Err(invalid(format!("{name} must be one line of at most {MAX_ID_CHARS} characters")));
    }
    Ok(())
}

fn check_ids(name: &str, ids: &[String]) -> Result<(), ServiceError> {
    if ids.len() > MAX_LISTED_IDS {
        return Err(invalid(format!("{name} has {} entries, the limit is {MAX_LISTED_IDS}", ids.len())));
    }
    ids.iter().try_for_each(|id| check_id(name, id))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names, descriptions and input schemas of all tools, which a client's model reads before it calls one, at four
    /// characters a token.
    const MAX_TOKENS: usize = 2_000;

    #[test]
    fn tools_take_few_tokens_of_a_context() {
        let chars = |entry: &Arc<ToolEntry>| {
            let schema = serde_json::to_string(&*entry.input_schema).unwrap();
            entry.name.len() + entry.description.as_deref().unwrap().len() + schema.len()
        };
        let tokens = ENTRIES.iter().map(chars).sum::<usize>() / 4;
        assert!(tokens <= MAX_TOKENS, "{tokens} tokens: {:?}", ENTRIES.iter().map(chars).collect::<Vec<_>>());
    }
}
