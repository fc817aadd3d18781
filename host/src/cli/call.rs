//! `wardroom call TOOL`: calls a tool as a client does, with handlers and workers, or lists the tools.

use std::sync::Arc;

use serde_json::{Value, json};

use super::caller_args::CallerArgs;
use super::given::{Given, read_argument_file, read_stdin};
use super::hints::{RequestSubject, to_command_error};
use super::listing;
use crate::assemble;
use crate::assemble::settings::Settings;
use crate::report::{self, CommandError};
use wardroom_base::byte_size::ByteSize;
use wardroom_base::payload::Payload;
use wardroom_service::limits::MAX_MESSAGE_BYTES;
use wardroom_service::{Catalogue, ContentBlock, ContentItem, ContentMode, EmbeddedResource, RequestInfo};

/// The services as a client has them, and a context without time limits.
pub(super) fn serving_catalogue(settings: &Settings) -> Result<(Arc<Catalogue>, RequestInfo), CommandError> {
    let catalogue = assemble::build_server(settings, None)?.catalogue;
    let context = assemble::command_line_context(&catalogue);
    Ok((catalogue, context))
}

/// Prints the tools that a client would see.
pub(super) fn list_tools(settings: &Settings, caller: &CallerArgs, as_json: bool) -> Result<(), CommandError> {
    let (catalogue, context) = caller.restrict(settings, serving_catalogue(settings)?.0)?;
    listing::print_tools(settings, &catalogue, &context, as_json)
}

pub(super) fn call_tool(
    settings: &Settings,
    tool: &str,
    arguments: &[String],
    caller: &CallerArgs,
    as_json: bool,
) -> Result<(), CommandError> {
    let (catalogue, context) = caller.restrict(settings, serving_catalogue(settings)?.0)?;
    let given = parse_arguments(arguments, || text_arguments(settings, &catalogue, &context, tool))?;
    let answered = report::name_if_slow(format!("calling {}", report::escape_name(tool)), || {
        catalogue.call_blocking(tool, given, &context)
    });
    let answer = answered.map_err(|error| to_command_error(error, settings, RequestSubject::Tool))?;
    let value = answer.value.into_value();
    let is_misused = value.pointer("/error/code").is_some_and(|code| code == "INVALID");
    let question = how_to_answer(settings, tool, &value);
    let (items, value) = match answer.content_mode {
        ContentMode::FromValue => (Vec::new(), Some(value)),
        ContentMode::ContentOnly(items) => (items, None),
        ContentMode::Both(items) => (items, Some(value)),
    };
    if as_json {
        let texts: Vec<String> = items.iter().map(display_item).collect();
        let whole = json!({"content": texts, "structuredContent": value, "isError": answer.is_error});
        report::print_json(&whole)?;
    } else if items.is_empty() {
        value.map_or_else(|| report::print_line(""), |value| report::print_json_document(&value))?;
    } else {
        items.iter().try_for_each(|item| report::print_line(&display_item(item)))?;
    }
    if !answer.is_error {
        question.iter().for_each(|how| report::print_note(how));
        return Ok(());
    }
    let command = settings.command_line();
    let hint = match catalogue.service_of_tool(tool, &context.caller) {
        Some("registry") if !is_misused => {
            format!("read its answer above; {command} registry failures shows where it failed")
        }
        _ => format!("read its answer above; {command} call lists the tools with their arguments"),
    };
    Err(CommandError::new(format!("{tool} failed"), hint))
}

/// Returns the names of a tool's arguments that are texts and nothing else.
fn text_arguments(
    settings: &Settings,
    catalogue: &Arc<Catalogue>,
    info: &RequestInfo,
    tool: &str,
) -> Result<Vec<String>, CommandError> {
    let all = listing::all_tools(settings, catalogue, info)?;
    let called = all.iter().find(|entry| entry.name == tool);
    let properties = called.and_then(|entry| entry.input_schema.get("properties")).and_then(Value::as_object);
    let texts = properties.into_iter().flatten().filter(|(_, schema)| is_text_schema(schema));
    Ok(texts.map(|(name, _)| name.clone()).collect())
}

/// Whether a schema allows a text, and beside it nothing but null.
fn is_text_schema(schema: &Value) -> bool {
    let is_null = |schema: &Value| schema.get("type").is_some_and(|kind| kind == "null");
    match schema.get("type") {
        Some(Value::String(only)) => return only == "string",
        Some(Value::Array(types)) => {
            return types.iter().any(|kind| kind == "string")
                && types.iter().all(|kind| kind == "string" || kind == "null");
        }
        _ => {}
    }
    if let Some(only) = schema.get("const") {
        return only.is_string();
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return values.iter().any(Value::is_string) && values.iter().all(|value| value.is_string() || value.is_null());
    }
    let either = ["anyOf", "oneOf"].iter().find_map(|key| schema.get(*key)?.as_array());
    either.is_some_and(|either| {
        either.iter().any(is_text_schema) && either.iter().all(|schema| is_text_schema(schema) || is_null(schema))
    })
}

/// Reads the arguments of a tool: a JSON object, or fields, of which some are `texts`.
fn parse_arguments(
    arguments: &[String],
    texts: impl FnOnce() -> Result<Vec<String>, CommandError>,
) -> Result<Payload, CommandError> {
    const HINT: &str = "write them as NAME=VALUE, or as '{\"name\": \"value\"}'";
    let text = match arguments {
        [only] if only == "-" => read_stdin()?,
        [only] if only.trim_start().starts_with(['{', '[']) => only.clone(),
        [only] if only.starts_with('@') => read_argument_file(only.trim_start_matches('@').as_ref())?,
        [] => return Ok(Payload::from_value(json!({}))),
        fields => {
            let texts = texts()?;
            let given = Given::parse_with(fields, |name| texts.iter().any(|text| text == name))?;
            let fields = given.into_fields("a tool takes no other arguments")?;
            return Ok(Payload::from_value(Value::Object(fields)));
        }
    };
    let given = Payload::parse(&text, MAX_MESSAGE_BYTES);
    let given = given.map_err(|error| CommandError::with_cause("cannot read the arguments", error, HINT))?;
    if !given.clone().into_value().is_object() {
        return Err(CommandError::new("the arguments must be a JSON object", HINT));
    }
    Ok(given)
}

/// Returns how a person answers a run that waits; `None` for every other answer. The command is made of nothing that a shell
/// would obey, whoever answered.
fn how_to_answer(settings: &Settings, tool: &str, answer: &Value) -> Option<String> {
    if !tool.starts_with("alc_") || answer.get("status").and_then(Value::as_str) != Some("needs_response") {
        return None;
    }
    let id = |path: &str| {
        let id = answer.pointer(path).and_then(Value::as_str)?;
        id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')).then_some(id)
    };
    let (command, session) = (settings.command_line(), id("/session_id")?);
    let query = if answer.get("query_id").is_some() { id("/query_id") } else { id("/queries/0/id") }?;
    Some(format!(
        "the run waits: {command} call alc_continue session_id={session} query_id={query} response='…', or answer all \
         that it asks with {command} run --continue {session}"
    ))
}

/// An item of a result, for a terminal.
pub(super) fn display_item(item: &ContentItem) -> String {
    match &item.block {
        ContentBlock::Text(text) => text.clone(),
        ContentBlock::Image { data, mime_type } => {
            format!("[image {mime_type}, {} of Base64]", ByteSize(data.len() as u64))
        }
        ContentBlock::Audio { data, mime_type } => {
            format!("[audio {mime_type}, {} of Base64]", ByteSize(data.len() as u64))
        }
        ContentBlock::Link(link) => format!("[{}]", link.uri),
        ContentBlock::Resource(EmbeddedResource { uri, text, is_blob, .. }) => {
            if *is_blob {
                format!("[{uri}, {} of Base64]", ByteSize(text.len() as u64))
            } else {
                text.clone()
            }
        }
    }
}
