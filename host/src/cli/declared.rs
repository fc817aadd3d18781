//! `wardroom registry`, and what clients do with declared things: `call` and `prompt`.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::advice::{Asked, alike, refused};
use super::args::{NewKind, RegistryAction};
use super::offered;
use crate::assemble;
use crate::assemble::settings::Settings;
use crate::report::{self, Failure};
use wardroom_appdir::{Access, ambient};
use wardroom_base::limits::MAX_LINE_BYTES;
use wardroom_base::payload::Payload;
use wardroom_registry::{Gravity, Scaffold, scaffold};
use wardroom_service::{Block, CallContext, Catalogue, Embedded, Item, Role, Said, ServiceError};

pub(super) fn run(settings: &Settings, action: Option<RegistryAction>) -> Result<(), Failure> {
    match action.unwrap_or(RegistryAction::List { json: false }) {
        RegistryAction::List { json } => list(settings, json),
        RegistryAction::Check { json } => check(settings, json),
        RegistryAction::New { kind, name, namespace } => new(settings, kind, &name, &namespace),
    }
}

fn list(settings: &Settings, as_json: bool) -> Result<(), Failure> {
    let overview = assemble::declared(settings)?.overview();
    if as_json {
        let rows = overview
            .rows
            .iter()
            .map(|row| json!({"id": row.id, "offers": row.offers, "file": row.file, "line": row.line}));
        return report::line(&rows.collect::<Value>().to_string());
    }
    for row in &overview.rows {
        let offers = if row.offers.is_empty() { "-".to_owned() } else { row.offers.join(", ") };
        report::line(&format!(
            "{:<32} {:<32} {}:{}",
            row.id,
            report::name(&offers),
            report::name(&row.file),
            row.line
        ))?;
    }
    if overview.rows.is_empty() {
        report::note(&format!("nothing is declared: {} registry new tool NAME begins something", settings.command()));
    }
    let errors = overview.problems.iter().filter(|problem| problem.gravity == Gravity::Error).count();
    if errors > 0 {
        report::note(&format!("{errors} problems: {} registry check says which", settings.command()));
    }
    Ok(())
}

fn check(settings: &Settings, as_json: bool) -> Result<(), Failure> {
    let overview = assemble::declared(settings)?.overview();
    let word = |gravity| match gravity {
        Gravity::Error => "error",
        Gravity::Warning => "warning",
    };
    if as_json {
        let rows = overview.problems.iter().map(|problem| {
            let gravity = word(problem.gravity);
            json!({"file": problem.file, "line": problem.line, "severity": gravity, "message": problem.message})
        });
        report::line(&rows.collect::<Value>().to_string())?;
    } else {
        for problem in &overview.problems {
            report::line(&report::name(&problem.to_string()))?;
        }
    }
    let what = match overview.problems.iter().filter(|problem| problem.gravity == Gravity::Error).count() {
        0 if as_json => return Ok(()),
        0 => return report::line(&format!("{} entries, none of them broken", overview.rows.len())),
        1 => "1 error: the entry that has it is not offered".to_owned(),
        errors => format!("{errors} errors: the entries that have them are not offered"),
    };
    Err(Failure::new(what, "mend the lines that are named above; wardroom help registry has every key"))
}

fn new(settings: &Settings, kind: NewKind, name: &str, namespace: &str) -> Result<(), Failure> {
    if settings.read_only {
        return Err(Failure::new("new writes, and --read-only forbids that", "leave out --read-only"));
    }
    let failed = |error| Failure::of("cannot open the registry", error, "name a folder with --registry DIR");
    let (root, shown) = match &settings.registry {
        Some(path) => (ambient::open(path, Access::ReadWrite).map_err(failed)?, path.display().to_string()),
        None => {
            let app = assemble::app_dir(settings)?;
            (app.create_folder(assemble::REGISTRY).map_err(failed)?, assemble::REGISTRY.to_owned())
        }
    };
    let kind = match kind {
        NewKind::Tool => Scaffold::Tool,
        NewKind::Prompt => Scaffold::Prompt,
        NewKind::Resource => Scaffold::Resource,
    };
    let unwritten = |why| {
        let hint = format!("{} registry list shows what there is; a name is like get_weather", settings.command());
        Failure::new(why, hint)
    };
    let known = assemble::declared(settings)?;
    for file in scaffold(&known, &root, namespace, kind, name).map_err(unwritten)? {
        report::line(&format!("wrote {shown}/{file}"))?;
    }
    let command = settings.command();
    report::line(&match kind {
        Scaffold::Tool => format!("next: {command} call {name} '{{\"name\": \"World\"}}'"),
        Scaffold::Prompt => format!("next: {command} prompt {name} text='to be summarised'"),
        Scaffold::Resource => format!("next: {command} read things://{name}/1"),
    })
}

/// The services as a client has them, and a person who waits.
fn waiting(settings: &Settings) -> Result<(Arc<Catalogue>, CallContext), Failure> {
    let catalogue = assemble::serving(settings, None)?.catalogue;
    let context = assemble::context(&catalogue);
    Ok((catalogue, context))
}

/// The tools that a client would see.
pub(super) fn tools(settings: &Settings, as_json: bool) -> Result<(), Failure> {
    let (catalogue, context) = waiting(settings)?;
    offered::list_tools(settings, &catalogue, &context, as_json)
}

pub(super) fn call(settings: &Settings, tool: &str, arguments: Option<&str>, as_json: bool) -> Result<(), Failure> {
    const HINT: &str = "write them as '{\"name\": \"value\"}'";
    let given = Payload::parse(arguments.unwrap_or("{}"), MAX_LINE_BYTES);
    let given = given.map_err(|error| Failure::of("the arguments", error, HINT))?;
    if !given.clone().into_value().is_object() {
        return Err(Failure::new("the arguments must be a JSON object", HINT));
    }
    let (catalogue, context) = waiting(settings)?;
    let answer = match catalogue.call(tool, given, &context) {
        Err(error @ ServiceError::UnknownTool(_)) => {
            let tools = offered::tools(settings, &catalogue, &context)?;
            let meant = alike(tool, tools.iter().map(|tool| &*tool.name));
            let list = format!("{} call lists the tools", settings.command());
            let hint = meant.map_or_else(|| list.clone(), |meant| format!("did you mean {meant}? {list}"));
            return Err(Failure::new(error.to_string(), hint));
        }
        answered => answered.map_err(|error| refused(error, settings, Asked::Tool))?,
    };
    let value = answer.value.into_value();
    let (items, value) = match answer.said {
        Said::Value => (Vec::new(), Some(value)),
        Said::Items(items) => (items, None),
        Said::Both(items) => (items, Some(value)),
    };
    if as_json {
        let texts: Vec<String> = items.iter().map(shown).collect();
        let whole = json!({"content": texts, "structuredContent": value, "isError": answer.failed});
        report::line(&whole.to_string())?;
    } else if items.is_empty() {
        let text = value.map(|value| serde_json::to_string_pretty(&value).unwrap_or_default());
        report::line(&text.unwrap_or_default())?;
    } else {
        items.iter().try_for_each(|item| report::line(&shown(item)))?;
    }
    if !answer.failed {
        return Ok(());
    }
    let hint = format!("its answer says why; {} call lists the tools with their arguments", settings.command());
    Err(Failure::new(format!("{tool} failed"), hint))
}

pub(super) fn prompt(
    settings: &Settings,
    name: Option<&str>,
    arguments: &[String],
    as_json: bool,
) -> Result<(), Failure> {
    let (catalogue, context) = waiting(settings)?;
    let Some(name) = name else { return offered::list_prompts(settings, &catalogue, &context, as_json) };
    let mut given = BTreeMap::new();
    for argument in arguments {
        let (name, value) = argument.split_once('=').ok_or_else(|| {
            Failure::new(format!("{argument} is no argument of a prompt"), "write each as NAME=VALUE")
        })?;
        given.insert(name.to_owned(), value.to_owned());
    }
    takes(settings, &catalogue, &context, name, &given)?;
    let answer = catalogue.prompt(name, &given, &context);
    let answer = answer.map_err(|error| refused(error, settings, Asked::Prompt))?;
    let role = |role| match role {
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    if as_json {
        let messages = answer
            .messages
            .iter()
            .map(|message| json!({"role": role(message.role), "content": shown(&message.content)}));
        let mut whole = Map::new();
        whole.insert("description".to_owned(), answer.description.clone().into());
        whole.insert("messages".to_owned(), messages.collect());
        return report::line(&Value::Object(whole).to_string());
    }
    for message in &answer.messages {
        report::line(&format!("{}: {}", role(message.role), shown(&message.content)))?;
    }
    Ok(())
}

/// Refuses an argument that the prompt does not list, which is a slip where somebody types it. What a client sends goes to the
/// handler as it is.
fn takes(
    settings: &Settings,
    catalogue: &Catalogue,
    context: &CallContext,
    name: &str,
    given: &BTreeMap<String, String>,
) -> Result<(), Failure> {
    let prompts = offered::prompts(settings, catalogue, context)?;
    let Some(prompt) = prompts.iter().find(|prompt| prompt.name == name) else { return Ok(()) };
    let has = |given: &String| prompt.arguments.iter().any(|argument| argument.name == *given);
    let Some(unknown) = given.keys().find(|given| !has(given)) else { return Ok(()) };
    let names: Vec<String> = prompt.arguments.iter().map(|argument| report::name(&argument.name)).collect();
    let hint = if names.is_empty() { "it takes none".to_owned() } else { format!("it takes {}", names.join(", ")) };
    Err(Failure::new(format!("the prompt {name} has no argument {}", report::name(unknown)), hint))
}

/// A piece of an answer, on a terminal.
fn shown(item: &Item) -> String {
    match &item.block {
        Block::Text(text) => text.clone(),
        Block::Image { data, mime_type } => format!("[image {mime_type}, {} bytes of Base64]", data.len()),
        Block::Audio { data, mime_type } => format!("[audio {mime_type}, {} bytes of Base64]", data.len()),
        Block::Link(link) => format!("[{}]", link.uri),
        Block::Resource(Embedded { uri, text, is_blob, .. }) => {
            if *is_blob {
                format!("[{uri}, {} bytes of Base64]", text.len())
            } else {
                text.clone()
            }
        }
    }
}
