//! Prompts without a handler: rendered with arguments, after their ancestors.
//!
//! Owns: the order (ancestors first, each once), and which arguments an ancestor gets.
//! Never: substitutes again in a value that was substituted.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use super::declarations::DeclaredPrompt;
use super::handler_output::parse_content_item;
use super::snapshot::RegistrySnapshot;
use super::substitute::substitute_placeholders;
use crate::limits::{MAX_PROMPT_MESSAGES, MAX_PROMPT_TEXT_BYTES};
use wardroom_base::byte_size::ByteSize;
use wardroom_service::{Caller, PromptMessage, RenderedPrompt, ServiceError, escape_and_truncate};

type PromptArguments = BTreeMap<String, String>;
/// The arguments that all ancestors of a prompt share.
type SharedArguments = BTreeMap<Arc<str>, Arc<str>>;

/// The state of rendering a prompt.
struct PromptRenderer<'l> {
    snapshot: &'l RegistrySnapshot,
    caller: &'l Caller,
    rendered_names: BTreeSet<String>,
    messages: Vec<PromptMessage>,
    /// How many more bytes are allowed, in messages and in arguments that are made for ancestors.
    remaining_bytes: usize,
}

/// Renders a prompt without a handler.
pub(super) fn render_prompt(
    prompt: &DeclaredPrompt,
    arguments: PromptArguments,
    loaded: &RegistrySnapshot,
    caller: &Caller,
) -> Result<RenderedPrompt, ServiceError> {
    let mut rendering = PromptRenderer {
        snapshot: loaded,
        caller,
        rendered_names: BTreeSet::new(),
        messages: Vec::new(),
        remaining_bytes: MAX_PROMPT_TEXT_BYTES,
    };
    let arguments = arguments.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
    rendering.render(prompt, &arguments)?;
    Ok(RenderedPrompt {
        description: prompt.list_entry.description.clone(),
        messages: rendering.messages,
        ..RenderedPrompt::default()
    })
}

/// Adds the default values of omitted arguments.
pub(super) fn fill_defaults(
    prompt: &DeclaredPrompt,
    mut arguments: PromptArguments,
) -> Result<PromptArguments, ServiceError> {
    for (name, default) in &prompt.defaults {
        arguments.entry(name.clone()).or_insert_with(|| default.clone());
    }
    let is_missing =
        |argument: &&wardroom_service::PromptArgument| argument.is_required && !arguments.contains_key(&argument.name);
    let missing: Vec<&str> =
        prompt.list_entry.arguments.iter().filter(is_missing).map(|argument| argument.name.as_str()).collect();
    if missing.is_empty() {
        return Ok(arguments);
    }
    let (plural, names) = (if missing.len() == 1 { "" } else { "s" }, missing.join(", "));
    let prompt = escape_and_truncate(&prompt.list_entry.name);
    Err(ServiceError::Invalid(format!("Missing argument{plural} of the prompt {prompt}: {names}")))
}

impl PromptRenderer<'_> {
    /// Renders the ancestors, each once, and the prompt. Loading has checked how far they go up, and that none is its
    /// own.
    fn render(&mut self, prompt: &DeclaredPrompt, arguments: &SharedArguments) -> Result<(), ServiceError> {
        self.rendered_names.insert(prompt.list_entry.name.clone());
        for extended in &prompt.parents {
            let (loaded, caller) = (self.snapshot, self.caller);
            let Some((_, parent)) = loaded.prompt(&extended.prompt, caller) else { continue };
            if self.rendered_names.contains(&extended.prompt) {
                continue;
            }
            // The arguments that the child gives take precedence over those of its caller.
            let mut merged = SharedArguments::new();
            for (name, value) in &extended.arguments {
                let value =
                    substitute_placeholders(value, arguments, &mut self.remaining_bytes).ok_or_else(too_large_error)?;
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
            let content = substitute_value(&written.content, arguments, &mut self.remaining_bytes);
            let content = content.filter(|_| self.messages.len() < MAX_PROMPT_MESSAGES).ok_or_else(too_large_error)?;
            let content = parse_content_item(&content).map_err(|why| {
                ServiceError::Invalid(format!("with these arguments a message of the prompt is not valid: {why}"))
            })?;
            self.messages.push(PromptMessage { role: written.role, content });
        }
        Ok(())
    }
}

fn too_large_error() -> ServiceError {
    ServiceError::Invalid(format!(
        "the prompt is larger than {} or {MAX_PROMPT_MESSAGES} messages: give it shorter arguments",
        ByteSize(MAX_PROMPT_TEXT_BYTES as u64)
    ))
}

/// Substitutes placeholders in every text of a value; `None` where the result is longer than `left`.
fn substitute_value(value: &Value, arguments: &SharedArguments, left: &mut usize) -> Option<Value> {
    Some(match value {
        Value::String(text) => substitute_placeholders(text, arguments, left)?.into(),
        Value::Array(items) => {
            items.iter().map(|item| substitute_value(item, arguments, left)).collect::<Option<_>>()?
        }
        Value::Object(fields) => {
            let filled =
                fields.iter().map(|(name, value)| Some((name.clone(), substitute_value(value, arguments, left)?)));
            Value::Object(filled.collect::<Option<_>>()?)
        }
        other => other.clone(),
    })
}
