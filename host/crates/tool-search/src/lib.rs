//! The tools that lists leave out, behind two tools: one finds them, one calls them.
//!
//! Owns: `find_tools` and `call_tool`, and which tools can be called that way: those that are not listed and destroy nothing.
//! Never: gives a caller a tool that it could not call by name: each goes through the catalogue, with the caller's rights,
//! its questions, and a line of the audit trail under the tool's own name.

mod args;
pub mod error_code;

use std::collections::VecDeque;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use self::args::{CallToolArguments, FindToolsArguments, FindToolsOutput, FoundTool};
use crate::error_code as code;
use wardroom_base::payload::Payload;
use wardroom_ranking::{RankedIndex, closest_name};
use wardroom_service::error_code::INVALID_ARGUMENTS;
use wardroom_service::schema::{
    OutputSchema, input_schema, output_schema, parse_arguments, serialize_output, share_schema,
};
use wardroom_service::{
    BuiltInTool, Caller, Cost, EntryExtras, RequestInfo, ResolvedTool, Service, ServiceError, Step, ToolBehavior,
    ToolEntry, ToolOutput, ToolProvider, Work, entries_after, escape_and_truncate,
};

const FIND_TOOL: &str = "find_tools";
const CALL_TOOL: &str = "call_tool";
const DEFAULT_LIMIT: usize = 5;
const MAX_LIMIT: usize = 20;
/// Longest query, in bytes.
const MAX_QUERY_BYTES: usize = 4096;
/// How many indexes are kept.
const MAX_INDEXES: usize = 4;
/// How much the words of a name count beside those of a description, and those of the arguments.
const NAME_WEIGHT: f32 = 1.0;
const DESCRIPTION_WEIGHT: f32 = 1.0;
const ARGUMENT_WEIGHT: f32 = 0.3;

/// The service `tools`.
#[derive(Default)]
pub struct ToolSearchService {
    /// The indexes of the tools that were searched last, the newest at the end: callers of other groups have other tools.
    searched: Mutex<VecDeque<Arc<SearchableTools>>>,
}

#[derive(Default)]
struct SearchableTools {
    entries: Vec<Arc<ToolEntry>>,
    index: RankedIndex,
}

impl SearchableTools {
    fn new(entries: Vec<Arc<ToolEntry>>) -> Self {
        let mut index = RankedIndex::default();
        for entry in &entries {
            let arguments = argument_words(entry);
            let description = entry.description.as_deref().unwrap_or_default();
            let title = entry.title.as_deref().unwrap_or_default();
            index.add(&[
                (&entry.name, NAME_WEIGHT),
                (title, DESCRIPTION_WEIGHT),
                (description, DESCRIPTION_WEIGHT),
                (&arguments, ARGUMENT_WEIGHT),
            ]);
        }
        Self { entries, index }
    }

    fn is_of(&self, entries: &[Arc<ToolEntry>]) -> bool {
        self.entries.len() == entries.len() && self.entries.iter().zip(entries).all(|(a, b)| Arc::ptr_eq(a, b))
    }
}

/// Returns the names and descriptions of a tool's arguments.
fn argument_words(entry: &ToolEntry) -> String {
    let properties = entry.input_schema.get("properties").and_then(Value::as_object);
    let mut words = String::new();
    for (name, schema) in properties.into_iter().flatten() {
        words.push_str(name);
        words.push(' ');
        words.push_str(schema.get("description").and_then(Value::as_str).unwrap_or_default());
        words.push(' ');
    }
    words
}

impl Service for ToolSearchService {
    fn name(&self) -> &'static str {
        "tools"
    }

    fn instructions(&self) -> &'static str {
        "Not every tool is listed: find_tools finds the others, and call_tool calls them."
    }

    fn tools(self: Arc<Self>) -> Option<Arc<dyn ToolProvider>> {
        Some(self)
    }

    fn searches_tools(&self) -> bool {
        true
    }
}

impl ToolSearchService {
    /// Returns the tools, as they are listed.
    #[must_use]
    pub fn tool_entries() -> Vec<Arc<ToolEntry>> {
        static ENTRIES: LazyLock<Vec<Arc<ToolEntry>>> = LazyLock::new(|| {
            let tool = |name: &'static str,
                        title: &'static str,
                        description: &'static str,
                        input,
                        output,
                        hints: ToolBehavior| {
                Arc::new(ToolEntry {
                    name: name.into(),
                    title: Some(title.into()),
                    description: Some(description.into()),
                    input_schema: share_schema(input),
                    output_schema: output,
                    annotations: hints.into(),
                    extra: EntryExtras::default(),
                    is_on_demand: false,
                })
            };
            vec![
                tool(
                    FIND_TOOL,
                    "Find tools",
                    "Finds tools that are not listed, by what they do, with their arguments. Use it before you conclude that \
                     this server cannot do something.",
                    input_schema::<FindToolsArguments>(),
                    Some(OutputSchema::new(output_schema::<FindToolsOutput>())),
                    ToolBehavior::READ_ONLY,
                ),
                tool(
                    CALL_TOOL,
                    "Call a tool",
                    "Calls a tool that find_tools found, and returns its answer. Listed tools, and tools that remove or \
                     replace something, are called by their own names instead.",
                    input_schema::<CallToolArguments>(),
                    None,
                    ToolBehavior { is_open_world: true, ..ToolBehavior::ADDITIVE },
                ),
            ]
        });
        ENTRIES.clone()
    }

    /// Returns the tools that the caller may call, but for those of this service, with their index.
    fn searchable(&self, info: &RequestInfo) -> Result<Arc<SearchableTools>, ServiceError> {
        let entries = all_tools(info)?;
        let known = self.lock_searched().iter().find(|tools| tools.is_of(&entries)).map(Arc::clone);
        if let Some(known) = known {
            return Ok(known);
        }
        // Without the lock: others search meanwhile.
        let indexed = Arc::new(SearchableTools::new(entries));
        let mut searched = self.lock_searched();
        searched.push_back(Arc::clone(&indexed));
        if searched.len() > MAX_INDEXES {
            searched.pop_front();
        }
        Ok(indexed)
    }

    fn lock_searched(&self) -> MutexGuard<'_, VecDeque<Arc<SearchableTools>>> {
        self.searched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find_tools(&self, request: &FindToolsArguments, info: &RequestInfo) -> Result<ToolOutput, ServiceError> {
        if request.query.len() > MAX_QUERY_BYTES {
            let message = format!("query is longer than {MAX_QUERY_BYTES} bytes: describe the tool in a few words");
            return Err(ServiceError::tool(INVALID_ARGUMENTS, message));
        }
        let limit = request.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
        let searchable = self.searchable(info)?;
        let found = searchable.index.search(&request.query);
        let entries = found.iter().filter_map(|found| searchable.entries.get(found.number));
        let tools = entries.take(limit).map(|entry| describe(entry)).collect();
        serialize_output(&FindToolsOutput { tools, total_matched: found.len() }).map(ToolOutput::from)
    }
}

/// Returns the tools that the caller may call, but for those of this service.
fn all_tools(info: &RequestInfo) -> Result<Vec<Arc<ToolEntry>>, ServiceError> {
    let (mut entries, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let page = info.catalogue.all_tools(cursor.as_deref()).finish(info)?;
        entries.extend(page.items.into_iter().filter(|entry| !is_own(&entry.name)));
        cursor = page.next_cursor;
        if cursor.is_none() {
            return Ok(entries);
        }
    }
}

fn is_own(name: &str) -> bool {
    [FIND_TOOL, CALL_TOOL].contains(&name)
}

fn describe(entry: &ToolEntry) -> FoundTool {
    FoundTool {
        name: entry.name.to_string(),
        description: entry.description.clone(),
        input_schema: (*entry.input_schema).clone(),
        call_by: if entry.is_on_demand && !entry.may_destroy() { CALL_TOOL } else { "name" },
    }
}

/// Calls a tool in the caller's name. The call costs what the tool's own call costs.
fn call_tool(arguments: Payload, info: &RequestInfo) -> Result<Step<ToolOutput>, ServiceError> {
    let _held = info.memory.lease(arguments.value_bytes())?;
    let CallToolArguments { name, arguments } = parse_arguments(arguments)?;
    let tool = match info.catalogue.tool(&name, &info.caller).finish(info) {
        Err(ServiceError::UnknownTool(_)) => return Err(not_found(&name, info)),
        tool => tool?,
    };
    if is_own(&name) || !tool.is_on_demand() || tool.may_destroy() {
        let message = format!("{} is called by its own name, not by {CALL_TOOL}", escape_and_truncate(&name));
        return Err(ServiceError::tool(code::CALL_BY_NAME, message));
    }
    // As text, the arguments count as those of the tool when it reads them.
    let arguments = Payload::text_of(&arguments.unwrap_or_default())
        .map_err(|error| ServiceError::tool(INVALID_ARGUMENTS, format!("invalid arguments: {error}")))?;
    Ok(Step::Next(tool.call(arguments)))
}

fn not_found(name: &str, info: &RequestInfo) -> ServiceError {
    let entries = all_tools(info).unwrap_or_default();
    let meant = closest_name(name, entries.iter().map(|entry| &*entry.name));
    let meant = meant.map(|meant| format!("did you mean {meant}? ")).unwrap_or_default();
    let name = escape_and_truncate(name);
    ServiceError::tool(
        code::TOOL_NOT_FOUND,
        format!("no tool is called {name}: {meant}{FIND_TOOL} finds tools by what they do"),
    )
}

impl ToolProvider for ToolSearchService {
    fn list(&self, mark: Option<&str>, limit: usize, _caller: &Caller) -> Vec<Arc<ToolEntry>> {
        entries_after(Self::tool_entries(), mark, limit, |entry| &entry.name)
    }

    fn resolve(self: Arc<Self>, name: &str, _caller: &Arc<Caller>) -> Option<Arc<dyn ResolvedTool>> {
        let entry = Self::tool_entries().into_iter().find(|entry| entry.name == name)?;
        if name == CALL_TOOL {
            return Some(Arc::new(IndirectCall(entry)));
        }
        Some(BuiltInTool::new(entry, move |arguments| {
            let service = Arc::clone(&self);
            Work::new(Cost::Worker, move |info| service.find_tools(&parse_arguments(arguments)?, info))
        }))
    }
}

/// `call_tool`. The tool that it calls is the one that the audit trail names.
struct IndirectCall(Arc<ToolEntry>);

impl ResolvedTool for IndirectCall {
    fn name(&self) -> &str {
        &self.0.name
    }

    fn may_change(&self) -> bool {
        self.0.may_change()
    }

    fn stands_for_another(&self) -> bool {
        true
    }

    fn call(self: Arc<Self>, arguments: Payload) -> Work<ToolOutput> {
        Work::in_steps(Cost::Worker, move |info| call_tool(arguments, info)).with_client()
    }
}
