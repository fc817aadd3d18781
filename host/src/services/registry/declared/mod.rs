//! What an entry declares: a tool, a prompt, a resource, and the values that complete their arguments.
//!
//! Owns: the forms of those keys, and what a client will be told of each.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::entry::Beside;
use super::meta::{Meta, check_keys};
use super::report::Report;
use super::results::{item, role};
use super::substitute::UriTemplate;
use super::yaml::{Node, Tree};
use crate::json_schema::Compiled;
use crate::limits::{MAX_DECLARED_NAME_BYTES, MAX_PROMPT_MESSAGES};
use crate::services::{
    Announced, Extra, ParamHeader, PromptArgument, PromptEntry, ResourceEntry, Role, TaskUse, TemplateEntry, ToolEntry,
    mime,
};

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
    Family(UriTemplate, TemplateEntry),
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

pub(super) fn tool(meta: &Meta, namespace: &str, name: &str, report: &mut Report) -> Option<Tool> {
    if !meta.flag("mcp.tool", report) {
        return None;
    }
    let name = offered(meta, "mcp.name", namespace, name, report);
    let mut input = match meta.object("mcp.inputSchema", report) {
        Some(Value::Object(input)) => input,
        _ => Map::new(),
    };
    let is_object = match input.get("type") {
        None => input.insert("type".to_owned(), "object".into()).is_none(),
        Some(kind) => kind == "object",
    };
    let input = Value::Object(input);
    let compiled_input = compiled(&input, meta, "mcp.inputSchema", report);
    if !is_object {
        report.error(meta.line("mcp.inputSchema"), "mcp.inputSchema must have type: object at its root");
    }
    let compiled_input = compiled_input.or_else(|| report.schemas.compile(&json!({"type": "object"})).ok())?;
    let input = match input {
        Value::Object(input) => input,
        _ => Map::new(),
    };
    let output = meta.object("mcp.outputSchema", report);
    let compiled_output = output.as_ref().map(|output| compiled(output, meta, "mcp.outputSchema", report));
    let output = match output {
        Some(Value::Object(output)) => Some(Arc::new(output)),
        _ => None,
    };
    let listed = ToolEntry {
        name: name.into(),
        title: meta.text("mcp.title", report).map(Into::into),
        description: meta.text("mcp.description", report).map(Into::into),
        input: Arc::new(input),
        output,
        hints: hints(meta, report),
        extra: meta.extra(report),
    };
    if listed.description.is_none() {
        report.warn(meta.line("mcp.tool"), "mcp.description is missing: a model does not learn what the tool is for");
    }
    let mut headers = Vec::new();
    param_headers(&listed.input, &mut Vec::new(), &mut headers);
    let (listed, output) = (Arc::new(listed), compiled_output.flatten());
    Some(Tool { listed, headers, input: compiled_input, output, task: task(meta, report) })
}

/// Whether a call may be a task. Where the entry lists the module, its handler says when.
fn task(meta: &Meta, report: &mut Report) -> Option<TaskUse> {
    let required = match meta.text("mcp.task", report)?.as_str() {
        "required" => true,
        "optional" => false,
        _ => {
            report.error(meta.line("mcp.task"), "mcp.task must be optional or required");
            return None;
        }
    };
    Some(TaskUse { required, by_handler: false })
}

/// The arguments that a schema marks with `x-mcp-header`: texts, whole numbers and truths, by way of properties alone.
fn param_headers(schema: &Map<String, Value>, way: &mut Vec<String>, headers: &mut Vec<ParamHeader>) {
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let Some(property) = property.as_object() else { continue };
        way.push(name.clone());
        let kind = property.get("type").and_then(Value::as_str);
        if let (Some("string" | "integer" | "boolean"), Some(header)) =
            (kind, property.get("x-mcp-header").and_then(Value::as_str))
        {
            headers.push(ParamHeader { path: way.clone(), header: header.to_owned() });
        }
        param_headers(property, way, headers);
        way.pop();
    }
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

fn compiled(schema: &Value, meta: &Meta, key: &str, report: &mut Report) -> Option<Compiled> {
    let compiled = report.schemas.compile(schema);
    compiled.map_err(|why| report.error(meta.line(key), format!("{key} {why}"))).ok()
}

fn hints(meta: &Meta, report: &mut Report) -> Announced {
    let mut hints = Announced::default();
    let Some(node) = meta.get("mcp.annotations") else { return hints };
    let Some(fields) = node.map() else {
        report.error(node.line, "mcp.annotations must be a map");
        return hints;
    };
    let known = ["title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
    check_keys(fields, &known, "mcp.annotations", report);
    for (key, node) in fields {
        let flag = match &node.tree {
            Tree::Bool(flag) => Some(*flag),
            _ => None,
        };
        match key.name.as_str() {
            "title" => hints.title = node.text().map(str::to_owned),
            "readOnlyHint" => hints.read_only = flag,
            "destructiveHint" => hints.destructive = flag,
            "idempotentHint" => hints.idempotent = flag,
            "openWorldHint" => hints.open_world = flag,
            _ => continue,
        }
        if flag.is_none() && key.name != "title" {
            report.error(node.line, format!("mcp.annotations: {} must be true or false", key.name));
        }
    }
    hints
}

pub(super) fn prompt(meta: &Meta, namespace: &str, name: &str, report: &mut Report) -> Option<Prompt> {
    if !meta.flag("mcp.prompt", report) {
        for key in ["mcp.prompt.name", "mcp.prompt.messages", "mcp.prompt.extend"] {
            if meta.get(key).is_some() && meta.get("mcp.prompt").is_none() {
                report.warn(meta.line(key), format!("{key} without mcp.prompt: true: this is no prompt"));
                break;
            }
        }
        return None;
    }
    let is_template = match meta.text("mcp.prompt.type", report).as_deref() {
        None | Some("prompt") => false,
        Some("template") => true,
        Some(_) => {
            report.error(meta.line("mcp.prompt.type"), "mcp.prompt.type must be prompt or template");
            false
        }
    };
    let (arguments, defaults) = arguments(meta, report);
    let listed = PromptEntry {
        name: offered(meta, "mcp.prompt.name", namespace, name, report),
        title: meta.text("mcp.prompt.title", report).or_else(|| meta.text("mcp.title", report)),
        description: meta.text("mcp.prompt.description", report),
        arguments,
        extra: meta.extra(report),
    };
    Some(Prompt {
        listed: Arc::new(listed),
        is_template,
        defaults,
        messages: messages(meta, report),
        extends: extends(meta, report),
    })
}

fn arguments(meta: &Meta, report: &mut Report) -> (Vec<PromptArgument>, BTreeMap<String, String>) {
    let (mut arguments, mut defaults) = (Vec::<PromptArgument>::new(), BTreeMap::new());
    let Some(node) = meta.get("mcp.prompt.arguments") else { return (arguments, defaults) };
    let Some(items) = node.list() else {
        report.error(node.line, "mcp.prompt.arguments must be a list");
        return (arguments, defaults);
    };
    for item in items {
        let name = item.get("name").and_then(Node::text).filter(|name| !name.is_empty());
        let Some(name) = name else {
            report.error(item.line, "an argument of a prompt needs a name");
            continue;
        };
        check_keys(
            item.map().unwrap_or_default(),
            &["name", "title", "description", "required", "default", "type"],
            &format!("the argument {name}"),
            report,
        );
        if arguments.iter().any(|known| known.name == name) {
            report.error(item.line, format!("the argument {name} stands there twice"));
        }
        let text = |key: &str| item.get(key).and_then(Node::text).map(str::to_owned);
        // As in the original: only what is true counts.
        let required = item.get("required").is_some_and(|node| !matches!(node.tree, Tree::Null | Tree::Bool(false)));
        if let Some(default) = item.get("default").and_then(scalar) {
            defaults.insert(name.to_owned(), default);
        }
        let (title, description) = (text("title"), text("description"));
        arguments.push(PromptArgument { name: name.to_owned(), title, description, required });
    }
    (arguments, defaults)
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

fn messages(meta: &Meta, report: &mut Report) -> Option<Vec<Written>> {
    let node = meta.get("mcp.prompt.messages")?;
    let Some(items) = node.list() else {
        report.error(node.line, "mcp.prompt.messages must be a list");
        return None;
    };
    if items.len() > MAX_PROMPT_MESSAGES {
        report.error(node.line, format!("mcp.prompt.messages has more than {MAX_PROMPT_MESSAGES} messages"));
    }
    let mut messages = Vec::new();
    for message in items {
        check_keys(message.map().unwrap_or_default(), &["role", "content"], "a message", report);
        let role = match message.get("role").map(|node| node.text().and_then(role)) {
            None => Role::User,
            Some(Some(role)) => role,
            Some(None) => {
                report.error(message.line, "the role of a message must be user or assistant");
                continue;
            }
        };
        let content = match message.get("content").map(Node::json) {
            Some(Value::String(text)) => json!({"type": "text", "text": text}),
            Some(Value::Object(mut fields)) => {
                fields.entry("type").or_insert_with(|| "text".into());
                Value::Object(fields)
            }
            _ => {
                report.error(message.line, "a message needs a content: a text, or a map with one");
                continue;
            }
        };
        match item(&content) {
            Ok(_) => messages.push(Written { role, content }),
            Err(why) => report.error(message.line, format!("the content of a message: {why}")),
        }
    }
    Some(messages)
}

fn extends(meta: &Meta, report: &mut Report) -> Vec<Extended> {
    let Some(node) = meta.get("mcp.prompt.extend") else { return Vec::new() };
    let Some(items) = node.list() else {
        report.error(node.line, "mcp.prompt.extend must be a list of maps, each with the id of a prompt");
        return Vec::new();
    };
    let mut extends = Vec::new();
    for item in items {
        // A bare name is as good.
        let Some(prompt) = item.text().or_else(|| item.get("id")?.text()) else {
            report.error(item.line, "what is extended needs an id: the name of a prompt");
            continue;
        };
        check_keys(item.map().unwrap_or_default(), &["id", "arguments"], "what is extended", report);
        let mut arguments = BTreeMap::new();
        for (key, value) in item.get("arguments").and_then(Node::map).unwrap_or_default() {
            match scalar(value) {
                Some(value) => drop(arguments.insert(key.name.clone(), value)),
                None => report.error(value.line, format!("the argument {} must be text", key.name)),
            }
        }
        extends.push(Extended { prompt: prompt.to_owned(), arguments, line: item.line });
    }
    extends
}

pub(super) fn resource(
    meta: &Meta,
    namespace: &str,
    name: &str,
    report: &mut Report,
    beside: &dyn Beside,
) -> Option<Resource> {
    // Its address is mark enough.
    let marked = match meta.get("mcp.resource").map(|node| &node.tree) {
        Some(Tree::Text(_)) => true,
        _ => meta.flag("mcp.resource", report),
    };
    let (uri, template) = (meta.text("mcp.resource.uri", report), meta.text("mcp.resource.template", report));
    if !marked && template.is_none() && uri.is_none() {
        return None;
    }
    let uri = uri.or_else(|| meta.get("mcp.resource")?.text().map(str::to_owned));
    let line = [meta.line("mcp.resource"), meta.line("mcp.resource.uri"), meta.line("mcp.resource.template")];
    let line = line.into_iter().max().unwrap_or(0);
    let body = match (meta.text("mcp.resource.text", report), meta.text("mcp.resource.file", report)) {
        (Some(_), Some(_)) => {
            report.error(line, "a resource has either mcp.resource.text or mcp.resource.file");
            return None;
        }
        (Some(text), None) => Body::Text(text),
        (None, Some(file)) => {
            let file = file.strip_prefix("file://").map_or(file.as_str(), |file| file).to_owned();
            if let Err(why) = beside.is_there(&file) {
                report.error(meta.line("mcp.resource.file"), format!("{file} {why}"));
            }
            Body::File(file)
        }
        (None, None) => Body::Handler,
    };
    let mime_type = meta.text("mcp.resource.mimeType", report);
    let listed_mime = mime_type.clone().unwrap_or_else(|| match &body {
        Body::Text(_) => "text/plain".to_owned(),
        Body::File(file) => mime::of_file(file).to_owned(),
        Body::Handler => String::new(),
    });
    let extra = meta.extra(report);
    let own_name = meta.text("mcp.resource.name", report).unwrap_or_else(|| format!("{namespace}:{name}"));
    let title = meta.text("mcp.resource.title", report).or_else(|| meta.text("mcp.title", report)).map(Into::into);
    let description = meta.text("mcp.resource.description", report).or_else(|| meta.text("mcp.description", report));
    let description = description.unwrap_or_default().into();
    let place = match (uri, template) {
        (Some(uri), None) => {
            if let Err(why) = uri_problem(&uri) {
                report.error(line, format!("{uri} {why}"));
            }
            let size = match &body {
                Body::Text(text) => Some(text.len() as u64),
                Body::File(_) | Body::Handler => meta.whole("mcp.resource.size", report),
            };
            Place::Fixed(ResourceEntry {
                uri,
                name: own_name.into(),
                title,
                description,
                mime_type: listed_mime.into(),
                size,
                modified: None,
                extra: extra.clone(),
            })
        }
        (None, Some(pattern)) => {
            let template =
                UriTemplate::parse(&pattern).map_err(|why| report.error(line, format!("{pattern}: {why}"))).ok()?;
            if let Err(why) = uri_problem(&pattern.replace(['{', '}'], "_")) {
                report.error(line, format!("{pattern} {why}"));
            }
            let mime_type = listed_mime.into();
            let entry =
                TemplateEntry { pattern, name: own_name.into(), title, description, mime_type, extra: extra.clone() };
            Place::Family(template, entry)
        }
        (Some(_), Some(_)) => {
            report.error(
                line,
                "a resource has either an address (mcp.resource.uri) or a template (mcp.resource.template)",
            );
            return None;
        }
        (None, None) => {
            report.error(line, "a resource needs an address (mcp.resource.uri) or a template (mcp.resource.template)");
            return None;
        }
    };
    Some(Resource { place, body, mime_type, extra })
}

/// A URI has a scheme, and none of the characters that end one.
fn uri_problem(uri: &str) -> Result<(), &'static str> {
    let (scheme, rest) = uri.split_once(':').ok_or("has no scheme, such as notes://")?;
    let mut letters = scheme.bytes();
    let begins = letters.next().is_some_and(|byte| byte.is_ascii_lowercase());
    if !begins || !letters.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"+-.".contains(&byte)) {
        return Err("has no scheme of small letters, such as notes://");
    }
    if uri.len() > wardroom_rules::uri::MAX_URI_BYTES || rest.is_empty() {
        return Err("is too long, or nothing but a scheme");
    }
    if uri
        .chars()
        .any(|character| character.is_control() || character.is_whitespace() || "<>\"{}|\\^`".contains(character))
    {
        return Err("has characters that no URI has");
    }
    Ok(())
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
