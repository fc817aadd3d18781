//! Prompts, as they are listed and as they are rendered.

use super::{ContentItem, EntryExtras, MessageRole};
use wardroom_base::payload::Payload;

#[derive(Debug, Clone, PartialEq)]
pub struct PromptEntry {
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub arguments: Vec<PromptArgument>,
    pub extra: EntryExtras,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptArgument {
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub is_required: bool,
}

/// A rendered prompt.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RenderedPrompt {
    pub description: Option<String>,
    pub messages: Vec<PromptMessage>,
    pub meta: Option<Payload>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct PromptMessage {
    pub role: MessageRole,
    pub content: ContentItem,
}
