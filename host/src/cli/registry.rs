//! `wardroom registry`, and the client's requests for user-defined items: `call` and `prompt`.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::args::{NewEntryKind, RegistryAction};
use super::hints::{RequestSubject, closest_match, to_command_error};
use super::listing;
use crate::assemble;
use crate::assemble::settings::Settings;
use crate::report::{self, CommandError};
use wardroom_appdir::{Access, ambient};
use wardroom_base::byte_size::ByteSize;
use wardroom_base::payload::Payload;
use wardroom_registry::{ScaffoldKind, Severity, create_scaffold};
use wardroom_service::limits::MAX_MESSAGE_BYTES;
use wardroom_service::{
    Catalogue, ContentBlock, ContentItem, ContentMode, EmbeddedResource, MessageRole, RequestInfo, ServiceError,
};

pub(super) fn run(settings: &Settings, action: Option<RegistryAction>) -> Result<(), CommandError> {
    match action.unwrap_or(RegistryAction::List { json: false }) {
        RegistryAction::List { json } => list_entries(settings, json),
        RegistryAction::Check { json } => check_entries(settings, json),
        RegistryAction::New { kind, name, namespace } => scaffold_entry(settings, kind, &name, &namespace),
    }
}

fn list_entries(settings: &Settings, as_json: bool) -> Result<(), CommandError> {
    let overview = assemble::standalone_registry(settings)?.overview();
    if as_json {
        let rows = overview
            .rows
            .iter()
            .map(|row| json!({"id": row.id, "offers": row.offers, "file": row.file, "line": row.line}));
        return report::print_line(&rows.collect::<Value>().to_string());
    }
    for row in &overview.rows {
        let offers = if row.offers.is_empty() { "-".to_owned() } else { row.offers.join(", ") };
        report::print_line(&format!(
            "{:<32} {:<32} {}:{}",
            row.id,
            report::escape_name(&offers),
            report::escape_name(&row.file),
            row.line
        ))?;
    }
    if overview.rows.is_empty() {
        report::print_note(&format!(
            "nothing is declared: run {} registry new tool NAME to begin",
            settings.command_line()
        ));
    }
    let errors = overview.problems.iter().filter(|problem| problem.severity == Severity::Error).count();
    if errors > 0 {
        report::print_note(&format!("{errors} problems: run {} registry check to see them", settings.command_line()));
    }
    Ok(())
}

fn check_entries(settings: &Settings, as_json: bool) -> Result<(), CommandError> {
    let overview = assemble::standalone_registry(settings)?.overview();
    let word = |gravity| match gravity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    if as_json {
        let rows = overview.problems.iter().map(|problem| {
            let gravity = word(problem.severity);
            json!({"file": problem.file, "line": problem.line, "severity": gravity, "message": problem.message})
        });
        report::print_line(&rows.collect::<Value>().to_string())?;
    } else {
        for problem in &overview.problems {
            report::print_line(&report::escape_name(&problem.to_string()))?;
        }
    }
    let what = match overview.problems.iter().filter(|problem| problem.severity == Severity::Error).count() {
        0 if as_json => return Ok(()),
        0 => return report::print_line(&format!("{} entries, no errors", overview.rows.len())),
        1 => "1 error: its entry is not offered".to_owned(),
        errors => format!("{errors} errors: their entries are not offered"),
    };
    Err(CommandError::new(what, "fix the lines above; run wardroom help registry to see every key"))
}

fn scaffold_entry(settings: &Settings, kind: NewEntryKind, name: &str, namespace: &str) -> Result<(), CommandError> {
    if settings.read_only {
        return Err(CommandError::new("registry new writes files, which --read-only forbids", "leave out --read-only"));
    }
    let failed =
        |error| CommandError::with_cause("cannot open the registry", error, "name a folder with --registry DIR");
    let (root, shown) = match &settings.registry {
        Some(path) => (ambient::open_folder(path, Access::ReadWrite).map_err(failed)?, path.display().to_string()),
        None => {
            let app = assemble::open_app_dir(settings)?;
            (app.create_folder(assemble::REGISTRY_DIR).map_err(failed)?, assemble::REGISTRY_DIR.to_owned())
        }
    };
    let kind = match kind {
        NewEntryKind::Tool => ScaffoldKind::Tool,
        NewEntryKind::Prompt => ScaffoldKind::Prompt,
        NewEntryKind::Resource => ScaffoldKind::Resource,
    };
    let unwritten = |why| {
        let hint = format!(
            "choose a name such as get_weather; run {} registry list to see the entries",
            settings.command_line()
        );
        CommandError::new(why, hint)
    };
    let known = assemble::standalone_registry(settings)?;
    for file in create_scaffold(&known, &root, namespace, kind, name).map_err(unwritten)? {
        report::print_line(&format!("wrote {shown}/{file}"))?;
    }
    let command = settings.command_line();
    report::print_line(&match kind {
        ScaffoldKind::Tool => format!("next: {command} call {name} '{{\"name\": \"World\"}}'"),
        ScaffoldKind::Prompt => format!("next: {command} prompt {name} text='to be summarised'"),
        ScaffoldKind::Resource => format!("next: {command} read things://{name}/1"),
    })
}

/// The services as a client has them, and a context without time limits.
fn serving_catalogue(settings: &Settings) -> Result<(Arc<Catalogue>, RequestInfo), CommandError> {
    let catalogue = assemble::build_server(settings, None)?.catalogue;
    let context = assemble::command_line_context(&catalogue);
    Ok((catalogue, context))
}

/// Prints the tools that a client would see.
pub(super) fn list_tools(settings: &Settings, as_json: bool) -> Result<(), CommandError> {
    let (catalogue, context) = serving_catalogue(settings)?;
    listing::print_tools(settings, &catalogue, &context, as_json)
}

pub(super) fn call_tool(
    settings: &Settings,
    tool: &str,
    arguments: Option<&str>,
    as_json: bool,
) -> Result<(), CommandError> {
    const HINT: &str = "write them as '{\"name\": \"value\"}'";
    let given = Payload::parse(arguments.unwrap_or("{}"), MAX_MESSAGE_BYTES);
    let given = given.map_err(|error| CommandError::with_cause("cannot read the arguments", error, HINT))?;
    if !given.clone().into_value().is_object() {
        return Err(CommandError::new("the arguments must be a JSON object", HINT));
    }
    let (catalogue, context) = serving_catalogue(settings)?;
    let answer = match catalogue.call_blocking(tool, given, &context) {
        Err(error @ ServiceError::UnknownTool(_)) => {
            let tools = listing::all_tools(settings, &catalogue, &context)?;
            let meant = closest_match(tool, tools.iter().map(|tool| &*tool.name));
            let list = format!("run {} call to list the tools", settings.command_line());
            let hint = meant.map_or_else(|| list.clone(), |meant| format!("did you mean {meant}? {list}"));
            return Err(CommandError::new(error.to_string(), hint));
        }
        answered => answered.map_err(|error| to_command_error(error, settings, RequestSubject::Tool))?,
    };
    let value = answer.value.into_value();
    let (items, value) = match answer.content_mode {
        ContentMode::FromValue => (Vec::new(), Some(value)),
        ContentMode::ContentOnly(items) => (items, None),
        ContentMode::Both(items) => (items, Some(value)),
    };
    if as_json {
        let texts: Vec<String> = items.iter().map(display_item).collect();
        let whole = json!({"content": texts, "structuredContent": value, "isError": answer.is_error});
        report::print_line(&whole.to_string())?;
    } else if items.is_empty() {
        let text = value.map(|value| serde_json::to_string_pretty(&value).unwrap_or_default());
        report::print_line(&text.unwrap_or_default())?;
    } else {
        items.iter().try_for_each(|item| report::print_line(&display_item(item)))?;
    }
    if !answer.is_error {
        return Ok(());
    }
    let hint =
        format!("read its answer above; run {} call to list the tools with their arguments", settings.command_line());
    Err(CommandError::new(format!("{tool} failed"), hint))
}

pub(super) fn render_prompt(
    settings: &Settings,
    name: Option<&str>,
    arguments: &[String],
    as_json: bool,
) -> Result<(), CommandError> {
    let (catalogue, context) = serving_catalogue(settings)?;
    let Some(name) = name else { return listing::print_prompts(settings, &catalogue, &context, as_json) };
    let mut given = BTreeMap::new();
    for argument in arguments {
        let (name, value) = argument.split_once('=').ok_or_else(|| {
            CommandError::new(format!("the argument {argument} has no value"), "write each argument as NAME=VALUE")
        })?;
        given.insert(name.to_owned(), value.to_owned());
    }
    check_prompt_arguments(settings, &catalogue, &context, name, &given)?;
    let answer = catalogue.render_blocking(name, &given, &context);
    let answer = answer.map_err(|error| to_command_error(error, settings, RequestSubject::Prompt))?;
    let role = |role| match role {
        MessageRole::User => "user",
        MessageRole::Assistant => "assistant",
    };
    if as_json {
        let messages = answer
            .messages
            .iter()
            .map(|message| json!({"role": role(message.role), "content": display_item(&message.content)}));
        let mut whole = Map::new();
        whole.insert("description".to_owned(), answer.description.clone().into());
        whole.insert("messages".to_owned(), messages.collect());
        return report::print_line(&Value::Object(whole).to_string());
    }
    for message in &answer.messages {
        report::print_line(&format!("{}: {}", role(message.role), display_item(&message.content)))?;
    }
    Ok(())
}

/// Refuses an argument that the prompt does not list, which is a typing error on a command line. A client's arguments
/// reach the handler unchecked.
fn check_prompt_arguments(
    settings: &Settings,
    catalogue: &Arc<Catalogue>,
    context: &RequestInfo,
    name: &str,
    given: &BTreeMap<String, String>,
) -> Result<(), CommandError> {
    let prompts = listing::all_prompts(settings, catalogue, context)?;
    let Some(prompt) = prompts.iter().find(|prompt| prompt.name == name) else { return Ok(()) };
    let has = |given: &String| prompt.arguments.iter().any(|argument| argument.name == *given);
    let Some(unknown) = given.keys().find(|given| !has(given)) else { return Ok(()) };
    let names: Vec<String> = prompt.arguments.iter().map(|argument| report::escape_name(&argument.name)).collect();
    let hint = if names.is_empty() { "it takes none".to_owned() } else { format!("it takes {}", names.join(", ")) };
    Err(CommandError::new(format!("the prompt {name} has no argument {}", report::escape_name(unknown)), hint))
}

/// An item of a result, for a terminal.
fn display_item(item: &ContentItem) -> String {
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
