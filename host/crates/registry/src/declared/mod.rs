//! What an entry declares: a tool, a prompt, a resource, and the values that complete their arguments.
//!
//! Owns: the forms of those keys, and what a client will be told of each.

mod prompt;
mod resource;
mod tool;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

pub(super) use self::prompt::prompt;
pub(super) use self::resource::resource;
pub(super) use self::tool::tool;
use super::meta::Meta;
use super::report::Report;
use super::substitute::UriTemplate;
use super::yaml::{Node, Tree};
use wardroom_base::json_schema::Compiled;
use wardroom_base::limits::MAX_DECLARED_NAME_BYTES;
use wardroom_service::{Extra, ParamHeader, PromptEntry, ResourceEntry, Role, TaskUse, TemplateEntry, ToolEntry};

#[derive(Debug)]
pub(super) struct Tool {
    pub(super) listed: Arc<ToolEntry>,
    pub(super) input: Compiled,
    pub(super) output: Option<Compiled>,
    /// The arguments that a request over HTTP repeats in its headers.
    pub(super) headers: Vec<ParamHeader>,
    pub(super) task: Option<TaskUse>,
}

#[derive(Debug)]
pub(super) struct Prompt {
    pub(super) listed: Arc<PromptEntry>,
    pub(super) is_template: bool,
    /// Values of arguments that are left out.
    pub(super) defaults: BTreeMap<String, String>,
    pub(super) messages: Option<Vec<Written>>,
    pub(super) extends: Vec<Extended>,
}

/// A message as it is written, with its placeholders; the content in the protocol's form.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Written {
    pub(super) role: Role,
    pub(super) content: Value,
}

/// An ancestor, and what its arguments are; those may have placeholders.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Extended {
    pub(super) prompt: String,
    pub(super) arguments: BTreeMap<String, String>,
    pub(super) line: u64,
}

#[derive(Debug)]
pub(super) struct Resource {
    pub(super) place: Place,
    pub(super) body: Body,
    pub(super) mime_type: Option<String>,
    pub(super) extra: Extra,
}

#[derive(Debug)]
pub(super) enum Place {
    Fixed(ResourceEntry),
    Family(UriTemplate, Arc<TemplateEntry>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Body {
    Text(String),
    /// Beside the index.
    File(String),
    Handler,
}

/// What completes an argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Values {
    List(Vec<String>),
    /// An entry that is called.
    Of(String),
}

impl Prompt {
    /// Whether its handler makes it.
    pub(super) fn is_dynamic(&self) -> bool {
        self.messages.is_none() && self.extends.is_empty()
    }
}

impl Resource {
    pub(super) fn is_dynamic(&self) -> bool {
        self.body == Body::Handler
    }

    pub(super) fn uri(&self) -> &str {
        match &self.place {
            Place::Fixed(entry) => &entry.uri,
            Place::Family(_, entry) => &entry.pattern,
        }
    }
}

pub(super) fn completions(meta: &Meta, report: &mut Report) -> BTreeMap<String, Values> {
    let mut completions = BTreeMap::new();
    let Some(node) = meta.get("mcp.completions") else { return completions };
    let Some(fields) = node.map() else {
        report.error(node.line, "mcp.completions must be a map of arguments to lists of values, or to an entry id");
        return completions;
    };
    for (key, node) in fields {
        let values = match &node.tree {
            Tree::Text(id) if id.contains(':') => Some(Values::Of(id.clone())),
            Tree::List(items) => items.iter().map(scalar).collect::<Option<_>>().map(Values::List),
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

/// A name under which something is offered; without one it is the entry's id.
fn offered(meta: &Meta, key: &str, namespace: &str, name: &str, report: &mut Report) -> String {
    let given = meta.text(key, report).filter(|given| !given.is_empty());
    let is_told = given.is_none() && meta.get(key).is_some_and(|node| node.text().is_none());
    let name = given.unwrap_or_else(|| format!("{namespace}:{name}"));
    let line =
        if meta.get(key).is_some() { meta.line(key) } else { meta.line("mcp.tool").max(meta.line("mcp.prompt")) };
    if name.len() > MAX_DECLARED_NAME_BYTES || name.chars().any(char::is_control) {
        report
            .error(line, format!("{key} must have at most {MAX_DECLARED_NAME_BYTES} bytes, and no control characters"));
    } else if !is_told && !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte)) {
        report.warn(
            line,
            format!("some clients take only letters, digits and _-./ in a name, and not {name}: set {key}"),
        );
    }
    name
}

/// A text, a number or a truth, as a text.
fn scalar(node: &Node) -> Option<String> {
    match &node.tree {
        Tree::Text(text) => Some(text.clone()),
        Tree::Number(number) => Some(number.to_string()),
        Tree::Bool(value) => Some(value.to_string()),
        Tree::Null | Tree::List(_) | Tree::Map(_) | Tree::Wrong(_) => None,
    }
}
