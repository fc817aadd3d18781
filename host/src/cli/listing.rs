//! Complete lists as a client sees them, and tools and prompts printed for people and programs.

use std::sync::Arc;

use serde_json::{Value, json};

use super::hints::{RequestSubject, to_command_error};
use crate::assemble::settings::Settings;
use crate::report::{self, Cell, Column, CommandError, Table, TextRole};
use wardroom_service::{Catalogue, ListPage, PromptArgument, PromptEntry, RequestInfo, ServiceError, ToolEntry};

/// Collects all pages of a list.
pub(super) fn collect_pages<T>(
    mut page: impl FnMut(Option<&str>) -> Result<ListPage<T>, ServiceError>,
    settings: &Settings,
    asked: RequestSubject,
) -> Result<Vec<T>, CommandError> {
    let (mut all, mut cursor): (Vec<T>, Option<String>) = (Vec::new(), None);
    loop {
        let next = page(cursor.as_deref()).map_err(|error| to_command_error(error, settings, asked))?;
        all.extend(next.items);
        cursor = next.next_cursor;
        if cursor.is_none() {
            return Ok(all);
        }
    }
}

pub(super) fn all_tools(
    settings: &Settings,
    catalogue: &Arc<Catalogue>,
    info: &RequestInfo,
) -> Result<Vec<Arc<ToolEntry>>, CommandError> {
    collect_pages(|cursor| catalogue.all_tools(cursor).finish(info), settings, RequestSubject::Tool)
}

pub(super) fn print_tools(
    settings: &Settings,
    catalogue: &Arc<Catalogue>,
    info: &RequestInfo,
    as_json: bool,
) -> Result<(), CommandError> {
    let all = all_tools(settings, catalogue, info)?;
    if as_json {
        let rows = all.iter().map(|tool| {
            let output = tool.output_schema.as_ref().map(|schema| Value::Object((*schema.documented).clone()));
            json!({"name": tool.name, "description": tool.description,
                "inputSchema": Value::Object((*tool.input_schema).clone()), "outputSchema": output})
        });
        return report::print_json(&rows.collect::<Value>());
    }
    let mut table = Table::new(" ", [Column::new("TOOL", 24), Column::text("ARGUMENTS", 0)]);
    for tool in &all {
        table.add([Cell::new(&tool.name, TextRole::Name), format_arguments(tool).into()]);
        if let Some(description) = &tool.description {
            table.add(["".into(), Cell::new(first_sentence(description), TextRole::Faint)]);
        }
    }
    table.print()
}

/// The names of a tool's arguments, optional ones in brackets.
fn format_arguments(tool: &ToolEntry) -> String {
    let required: Vec<&str> = tool
        .input_schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let names =
        tool.input_schema.get("properties").and_then(Value::as_object).into_iter().flatten().map(|(name, _)| name);
    let (needed, others): (Vec<&String>, Vec<&String>) = names.partition(|name| required.contains(&name.as_str()));
    let needed = needed.into_iter().map(|name| report::escape_name(name));
    let others = others.into_iter().map(|name| format!("[{}]", report::escape_name(name)));
    needed.chain(others).collect::<Vec<_>>().join(" ")
}

fn first_sentence(text: &str) -> &str {
    let end = text.find(". ").map_or(text.len(), |at| at + 1);
    let text = text.get(..end).unwrap_or(text);
    text.lines().next().unwrap_or_default()
}

pub(super) fn all_prompts(
    settings: &Settings,
    catalogue: &Arc<Catalogue>,
    info: &RequestInfo,
) -> Result<Vec<Arc<PromptEntry>>, CommandError> {
    collect_pages(|cursor| catalogue.prompts(cursor).finish(info), settings, RequestSubject::Prompt)
}

pub(super) fn print_prompts(
    settings: &Settings,
    catalogue: &Arc<Catalogue>,
    info: &RequestInfo,
    as_json: bool,
) -> Result<(), CommandError> {
    let all = all_prompts(settings, catalogue, info)?;
    if as_json {
        let rows = all.iter().map(|prompt| {
            let arguments = prompt.arguments.iter().map(|argument| {
                json!({"name": argument.name, "description": argument.description, "required": argument.is_required})
            });
            json!({
                "name": prompt.name, "description": prompt.description, "arguments": arguments.collect::<Vec<_>>(),
            })
        });
        return report::print_json(&rows.collect::<Value>());
    }
    let mut table =
        Table::new(" ", [Column::new("PROMPT", 24), Column::new("ARGUMENTS", 24), Column::text("DESCRIPTION", 0)]);
    for prompt in &all {
        let argument = |argument: &PromptArgument| {
            if argument.is_required { argument.name.clone() } else { format!("[{}]", argument.name) }
        };
        let arguments: Vec<String> = prompt.arguments.iter().map(argument).collect();
        let description = prompt.description.as_deref().unwrap_or_default();
        table.add([Cell::new(&prompt.name, TextRole::Name), arguments.join(" ").into(), description.into()]);
    }
    table.print()
}
