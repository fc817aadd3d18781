//! Prompts, as they are listed and as they are filled in; and what can be completed.

use std::collections::BTreeMap;

use super::{Extra, Item, Role};
use wardroom_base::payload::Payload;

#[derive(Debug, Clone, PartialEq)]
pub struct PromptEntry {
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub arguments: Vec<PromptArgument>,
    pub extra: Extra,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptArgument {
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub required: bool,
}

/// A prompt, filled in.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PromptAnswer {
    pub description: Option<String>,
    pub messages: Vec<Message>,
    pub meta: Option<Payload>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    pub role: Role,
    pub content: Item,
}

/// What somebody types, and wants to see the rest of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Completing {
    Variable { template: String, variable: String, prefix: String },
    Argument { prompt: String, argument: String, prefix: String, others: BTreeMap<String, String> },
}
