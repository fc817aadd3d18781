//! A declared prompt: its arguments, its messages, and its ancestors.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};

use super::{DeclaredPrompt, MessageTemplate, ParentPrompt, parse_offered_name, scalar_to_text};
use crate::handler_output::{parse_content_item, parse_role};
use crate::limits::MAX_PROMPT_MESSAGES;
use crate::meta::{EntryMeta, warn_unknown_keys};
use crate::report::IndexReport;
use crate::substitute::misspelt_placeholder;
use crate::yaml::{YamlNode, YamlValue};
use wardroom_service::{MessageRole, PromptArgument, PromptEntry};

pub(crate) fn parse_prompt(
    meta: &EntryMeta,
    namespace: &str,
    name: &str,
    report: &mut IndexReport,
) -> Option<DeclaredPrompt> {
    if !meta.flag("mcp.prompt", report) {
        for key in ["mcp.prompt.name", "mcp.prompt.messages", "mcp.prompt.extend"] {
            if meta.get(key).is_some() && meta.get("mcp.prompt").is_none() {
                report.warn(meta.line(key), format!("{key} is ignored without mcp.prompt: true"));
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
    let (arguments, defaults) = parse_arguments(meta, report);
    let listed = PromptEntry {
        name: parse_offered_name(meta, "mcp.prompt.name", namespace, name, report),
        title: meta.text("mcp.prompt.title", report).or_else(|| meta.text("mcp.title", report)),
        description: meta.text("mcp.prompt.description", report),
        arguments,
        extra: meta.extras(report),
    };
    Some(DeclaredPrompt {
        is_template,
        defaults,
        messages: parse_messages(meta, &listed.arguments, report),
        parents: parse_parents(meta, report),
        list_entry: Arc::new(listed),
    })
}

fn parse_arguments(meta: &EntryMeta, report: &mut IndexReport) -> (Vec<PromptArgument>, BTreeMap<String, String>) {
    let (mut arguments, mut defaults) = (Vec::<PromptArgument>::new(), BTreeMap::new());
    let Some(node) = meta.get("mcp.prompt.arguments") else { return (arguments, defaults) };
    let Some(items) = node.as_list() else {
        report.error(node.line, "mcp.prompt.arguments must be a list");
        return (arguments, defaults);
    };
    for item in items {
        let name = item.get("name").and_then(YamlNode::as_text).filter(|name| !name.is_empty());
        let Some(name) = name else {
            report.error(item.line, "an argument of a prompt needs a name");
            continue;
        };
        warn_unknown_keys(
            item.as_map().unwrap_or_default(),
            &["name", "title", "description", "required", "default", "type"],
            &format!("the argument {name}"),
            report,
        );
        if arguments.iter().any(|known| known.name == name) {
            report.error(item.line, format!("the argument {name} occurs twice"));
        }
        let text = |key: &str| item.get(key).and_then(YamlNode::as_text).map(str::to_owned);
        // As in the original, everything but null and false counts as true.
        let required =
            item.get("required").is_some_and(|node| !matches!(node.value, YamlValue::Null | YamlValue::Bool(false)));
        if let Some(default) = item.get("default").and_then(scalar_to_text) {
            defaults.insert(name.to_owned(), default);
        }
        let (title, description) = (text("title"), text("description"));
        arguments.push(PromptArgument { name: name.to_owned(), title, description, is_required: required });
    }
    (arguments, defaults)
}

fn parse_messages(
    meta: &EntryMeta,
    arguments: &[PromptArgument],
    report: &mut IndexReport,
) -> Option<Vec<MessageTemplate>> {
    let node = meta.get("mcp.prompt.messages")?;
    let names: BTreeSet<&str> = arguments.iter().map(|argument| argument.name.as_str()).collect();
    let Some(items) = node.as_list() else {
        report.error(node.line, "mcp.prompt.messages must be a list");
        return None;
    };
    if items.len() > MAX_PROMPT_MESSAGES {
        report.error(node.line, format!("mcp.prompt.messages has more than {MAX_PROMPT_MESSAGES} messages"));
    }
    let mut messages = Vec::new();
    for message in items {
        warn_unknown_keys(message.as_map().unwrap_or_default(), &["role", "content"], "a message", report);
        let role = match message.get("role").map(|node| node.as_text().and_then(parse_role)) {
            None => MessageRole::User,
            Some(Some(role)) => role,
            Some(None) => {
                report.error(message.line, "the role of a message must be user or assistant");
                continue;
            }
        };
        let content = match message.get("content").map(YamlNode::to_json) {
            Some(Value::String(text)) => json!({"type": "text", "text": text}),
            Some(Value::Object(mut fields)) => {
                fields.entry("type").or_insert_with(|| "text".into());
                Value::Object(fields)
            }
            _ => {
                report.error(message.line, "a message needs a content: text, or a map with a text");
                continue;
            }
        };
        let text = content.get("text").and_then(Value::as_str);
        if let Some(warning) = text.and_then(|text| misspelt_placeholder(text, &names, report)) {
            report.warn(message.line, warning);
        }
        match parse_content_item(&content) {
            Ok(_) => messages.push(MessageTemplate { role, content }),
            Err(why) => report.error(message.line, format!("the content of a message: {why}")),
        }
    }
    Some(messages)
}

fn parse_parents(meta: &EntryMeta, report: &mut IndexReport) -> Vec<ParentPrompt> {
    let Some(node) = meta.get("mcp.prompt.extend") else { return Vec::new() };
    let Some(items) = node.as_list() else {
        report.error(node.line, "mcp.prompt.extend must be a list of maps, each with the id of a prompt");
        return Vec::new();
    };
    let mut extends = Vec::new();
    for item in items {
        // The name alone is enough.
        let Some(prompt) = item.as_text().or_else(|| item.get("id")?.as_text()) else {
            report.error(item.line, "an extended prompt needs an id: its name");
            continue;
        };
        warn_unknown_keys(item.as_map().unwrap_or_default(), &["id", "arguments"], "an extended prompt", report);
        let mut arguments = BTreeMap::new();
        for (key, value) in item.get("arguments").and_then(YamlNode::as_map).unwrap_or_default() {
            match scalar_to_text(value) {
                Some(value) => drop(arguments.insert(key.name.clone(), value)),
                None => report.error(value.line, format!("the argument {} must be text", key.name)),
            }
        }
        extends.push(ParentPrompt { prompt: prompt.to_owned(), arguments, line: item.line });
    }
    extends
}
