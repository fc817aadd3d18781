//! Prompts that are written down: filled in with arguments, after their ancestors.
//!
//! Owns: the order (ancestors first, each once), and which argument an ancestor gets.
//! Never: looks at a value again that was filled in.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use super::declared::Prompt;
use super::loaded::Loaded;
use super::results::item;
use super::substitute::substituted;
use wardroom_base::limits::{MAX_PROMPT_BYTES, MAX_PROMPT_MESSAGES};
use wardroom_service::{Caller, Message, PromptAnswer, ServiceError, shown};

type Given = BTreeMap<String, String>;
/// What is shared by all that a prompt extends.
type Arguments = BTreeMap<Arc<str>, Arc<str>>;

/// What is rendered so far.
struct Rendering<'l> {
    loaded: &'l Loaded,
    caller: &'l Caller,
    seen: BTreeSet<String>,
    messages: Vec<Message>,
    /// How many bytes there may be yet, in messages and in arguments that are made for ancestors.
    left: usize,
}

/// Fills in a prompt that no handler makes.
pub(super) fn filled(
    prompt: &Prompt,
    arguments: Given,
    loaded: &Loaded,
    caller: &Caller,
) -> Result<PromptAnswer, ServiceError> {
    let mut rendering =
        Rendering { loaded, caller, seen: BTreeSet::new(), messages: Vec::new(), left: MAX_PROMPT_BYTES };
    let arguments = arguments.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
    rendering.render(prompt, &arguments)?;
    Ok(PromptAnswer {
        description: prompt.listed.description.clone(),
        messages: rendering.messages,
        ..PromptAnswer::default()
    })
}

/// The arguments with what is left out and has a value of its own.
pub(super) fn completed(prompt: &Prompt, mut arguments: Given) -> Result<Given, ServiceError> {
    for (name, default) in &prompt.defaults {
        arguments.entry(name.clone()).or_insert_with(|| default.clone());
    }
    let is_missing =
        |argument: &&wardroom_service::PromptArgument| argument.required && !arguments.contains_key(&argument.name);
    let missing: Vec<&str> =
        prompt.listed.arguments.iter().filter(is_missing).map(|argument| argument.name.as_str()).collect();
    if missing.is_empty() {
        return Ok(arguments);
    }
    let (plural, names) = (if missing.len() == 1 { "" } else { "s" }, missing.join(", "));
    let prompt = shown(&prompt.listed.name);
    Err(ServiceError::Invalid(format!("Missing argument{plural} of the prompt {prompt}: {names}")))
}

impl Rendering<'_> {
    /// The ancestors go no further up than was checked when they were loaded: each is rendered once, and none is its own.
    fn render(&mut self, prompt: &Prompt, arguments: &Arguments) -> Result<(), ServiceError> {
        self.seen.insert(prompt.listed.name.clone());
        for extended in &prompt.extends {
            let (loaded, caller) = (self.loaded, self.caller);
            let Some((_, parent)) = loaded.prompt(&extended.prompt, caller) else { continue };
            if self.seen.contains(&extended.prompt) {
                continue;
            }
            // What the child says goes before what its caller says.
            let mut merged = Arguments::new();
            for (name, value) in &extended.arguments {
                let value = substituted(value, arguments, &mut self.left).ok_or_else(too_large)?;
                merged.insert(name.as_str().into(), value.into());
            }
            for (name, value) in arguments {
                merged.entry(Arc::clone(name)).or_insert_with(|| Arc::clone(value));
            }
            for (name, default) in &parent.defaults {
                merged.entry(name.as_str().into()).or_insert_with(|| default.as_str().into());
            }
            self.render(parent, &merged)?;
        }
        for written in prompt.messages.iter().flatten() {
            let content = filled_in(&written.content, arguments, &mut self.left);
            let content = content.filter(|_| self.messages.len() < MAX_PROMPT_MESSAGES).ok_or_else(too_large)?;
            let content = item(&content).map_err(|why| {
                ServiceError::Invalid(format!("with these arguments a message of the prompt is not valid: {why}"))
            })?;
            self.messages.push(Message { role: written.role, content });
        }
        Ok(())
    }
}

fn too_large() -> ServiceError {
    ServiceError::Invalid(format!(
        "the prompt is larger than {MAX_PROMPT_BYTES} bytes or {MAX_PROMPT_MESSAGES} messages: give it shorter arguments"
    ))
}

/// Every text in a value, filled in; nothing where that is more than is `left`.
fn filled_in(value: &Value, arguments: &Arguments, left: &mut usize) -> Option<Value> {
    Some(match value {
        Value::String(text) => substituted(text, arguments, left)?.into(),
        Value::Array(items) => items.iter().map(|item| filled_in(item, arguments, left)).collect::<Option<_>>()?,
        Value::Object(fields) => {
            let filled = fields.iter().map(|(name, value)| Some((name.clone(), filled_in(value, arguments, left)?)));
            Value::Object(filled.collect::<Option<_>>()?)
        }
        other => other.clone(),
    })
}
