//! `wardroom prompt NAME`: renders a prompt as a client gets it, or lists the prompts.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::call::{display_item, serving_catalogue};
use super::hints::{RequestSubject, to_command_error};
use super::listing;
use crate::assemble::settings::Settings;
use crate::report::{self, CommandError};
use wardroom_service::{Catalogue, MessageRole, RequestInfo};

pub(super) fn render_prompt(
    settings: &Settings,
    name: Option<&str>,
    arguments: &[String],
    as_json: bool,
) -> Result<(), CommandError> {
    let (catalogue, info) = serving_catalogue(settings)?;
    let Some(name) = name else { return listing::print_prompts(settings, &catalogue, &info, as_json) };
    let mut given = BTreeMap::new();
    for argument in arguments {
        let (name, value) = argument.split_once('=').ok_or_else(|| {
            CommandError::new(format!("the argument {argument} has no value"), "write each argument as NAME=VALUE")
        })?;
        given.insert(name.to_owned(), value.to_owned());
    }
    check_prompt_arguments(settings, &catalogue, &info, name, &given)?;
    let answer = catalogue.render_blocking(name, &given, &info);
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
        return report::print_json(&Value::Object(whole));
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
    info: &RequestInfo,
    name: &str,
    given: &BTreeMap<String, String>,
) -> Result<(), CommandError> {
    let prompts = listing::all_prompts(settings, catalogue, info)?;
    let Some(prompt) = prompts.iter().find(|prompt| prompt.name == name) else { return Ok(()) };
    let has = |given: &String| prompt.arguments.iter().any(|argument| argument.name == *given);
    let Some(unknown) = given.keys().find(|given| !has(given)) else { return Ok(()) };
    let names: Vec<String> = prompt.arguments.iter().map(|argument| report::escape_name(&argument.name)).collect();
    let hint = if names.is_empty() { "it takes none".to_owned() } else { format!("it takes {}", names.join(", ")) };
    Err(CommandError::new(format!("the prompt {name} has no argument {}", report::escape_name(unknown)), hint))
}
