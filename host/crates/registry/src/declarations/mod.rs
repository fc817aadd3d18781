//! The declarations of an entry: a tool, a prompt, a resource, and the values that complete their arguments.
//!
//! Owns: the form of those keys, and the list entries that clients get for them.

mod param_headers;
mod prompt;
mod resource;
pub(super) mod schema_keywords;
mod tool;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

pub(super) use self::prompt::parse_prompt;
pub(super) use self::resource::parse_resource;
pub(super) use self::tool::parse_tool;
use super::meta::EntryMeta;
use super::report::IndexReport;
use super::substitute::UriTemplate;
use super::yaml::{YamlNode, YamlValue};
use crate::limits::MAX_DECLARED_NAME_BYTES;
use wardroom_base::json_schema::CompiledSchema;
use wardroom_service::{
    EntryExtras, MessageRole, ParamHeader, PromptEntry, ResourceEntry, TaskSupport, TemplateEntry, ToolEntry,
};

#[derive(Debug)]
pub(super) struct DeclaredTool {
    pub(super) list_entry: Arc<ToolEntry>,
    pub(super) input_schema: CompiledSchema,
    pub(super) output_schema: Option<CompiledSchema>,
    /// The arguments that a request over HTTP repeats in its headers.
    pub(super) param_headers: Vec<ParamHeader>,
    pub(super) task_support: Option<TaskSupport>,
}

#[derive(Debug)]
pub(super) struct DeclaredPrompt {
    pub(super) list_entry: Arc<PromptEntry>,
    pub(super) is_template: bool,
    /// The default values of arguments.
    pub(super) defaults: BTreeMap<String, String>,
    pub(super) messages: Option<Vec<MessageTemplate>>,
    pub(super) parents: Vec<ParentPrompt>,
}

/// A message with its placeholders; the content has the protocol's form.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MessageTemplate {
    pub(super) role: MessageRole,
    pub(super) content: Value,
}

/// A prompt to extend, and the arguments for it, which may have placeholders.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ParentPrompt {
    pub(super) prompt: String,
    pub(super) arguments: BTreeMap<String, String>,
    pub(super) line: u64,
}

#[derive(Debug)]
pub(super) struct DeclaredResource {
    pub(super) address: ResourceAddress,
    pub(super) body: ResourceBody,
    pub(super) mime_type: Option<String>,
    pub(super) extra: EntryExtras,
}

#[derive(Debug)]
pub(super) enum ResourceAddress {
    Fixed(ResourceEntry),
    Template(UriTemplate, Arc<TemplateEntry>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ResourceBody {
    Text(String),
    /// A file beside the index.
    File(String),
    Handler,
}

/// The source of an argument's completions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CompletionSource {
    List(Vec<String>),
    /// The id of the entry that is called.
    Entry(String),
}

impl DeclaredPrompt {
    /// Whether a handler makes the prompt.
    pub(super) fn is_dynamic(&self) -> bool {
        self.messages.is_none() && self.parents.is_empty()
    }
}

impl DeclaredResource {
    pub(super) fn is_dynamic(&self) -> bool {
        self.body == ResourceBody::Handler
    }

    pub(super) fn uri(&self) -> &str {
        match &self.address {
            ResourceAddress::Fixed(entry) => &entry.uri,
            ResourceAddress::Template(_, entry) => &entry.pattern,
        }
    }
}

pub(super) fn parse_completions(meta: &EntryMeta, report: &mut IndexReport) -> BTreeMap<String, CompletionSource> {
    let mut completions = BTreeMap::new();
    let Some(node) = meta.get("mcp.completions") else { return completions };
    let Some(fields) = node.as_map() else {
        report.error(node.line, "mcp.completions must be a map of arguments to lists of values, or to an entry id");
        return completions;
    };
    for (key, node) in fields {
        let values = match &node.value {
            YamlValue::Text(id) if id.contains(':') => Some(CompletionSource::Entry(id.clone())),
            YamlValue::List(items) => {
                items.iter().map(scalar_to_text).collect::<Option<_>>().map(CompletionSource::List)
            }
            _ => None,
        };
        match values {
            Some(values) => drop(completions.insert(key.name.clone(), values)),
            None => report
                .error(node.line, format!("mcp.completions: {} must be a list of texts, or an entry id", key.name)),
        }
    }
    completions
}

/// Returns the name under which something is offered; the default is the entry's id.
fn parse_offered_name(meta: &EntryMeta, key: &str, namespace: &str, name: &str, report: &mut IndexReport) -> String {
    let given = meta.text(key, report).filter(|given| !given.is_empty());
    let is_reported = given.is_none() && meta.get(key).is_some_and(|node| node.as_text().is_none());
    let name = given.unwrap_or_else(|| format!("{namespace}:{name}"));
    let line =
        if meta.get(key).is_some() { meta.line(key) } else { meta.line("mcp.tool").max(meta.line("mcp.prompt")) };
    if name.len() > MAX_DECLARED_NAME_BYTES || name.chars().any(char::is_control) {
        report
            .error(line, format!("{key} may have {MAX_DECLARED_NAME_BYTES} bytes at most, and no control characters"));
    } else if !is_reported && !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte)) {
        report.warn(
            line,
            format!("some clients reject the name {name}, because they allow only letters, digits and _-./: set {key}"),
        );
    }
    name
}

/// Returns a text, a number or a boolean as text.
fn scalar_to_text(node: &YamlNode) -> Option<String> {
    match &node.value {
        YamlValue::Text(text) => Some(text.clone()),
        YamlValue::Number(number) => Some(number.to_string()),
        YamlValue::Bool(value) => Some(value.to_string()),
        YamlValue::Null | YamlValue::List(_) | YamlValue::Map(_) | YamlValue::Invalid(_) => None,
    }
}
