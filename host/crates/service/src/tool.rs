//! Tools, as they are listed and as they answer.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::{ContentItem, EntryExtras, InputRequired};
use wardroom_base::payload::Payload;

/// A JSON Schema that is an object, shared by all lists that it is on.
pub type SharedSchema = Arc<Map<String, Value>>;

#[derive(Debug, Clone, PartialEq)]
pub struct ToolEntry {
    pub name: Cow<'static, str>,
    pub title: Option<Cow<'static, str>>,
    pub description: Option<Cow<'static, str>>,
    pub input_schema: SharedSchema,
    pub output_schema: Option<SharedSchema>,
    pub annotations: ToolAnnotations,
    pub extra: EntryExtras,
}

/// What a client is told of a tool before it calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolBehavior {
    /// It changes nothing.
    pub is_read_only: bool,
    /// It may replace or remove what is there, where it is not read-only.
    pub is_destructive: bool,
    /// Calling it again with the same arguments changes nothing more.
    pub is_idempotent: bool,
    /// It reaches beyond this machine.
    pub is_open_world: bool,
}

impl ToolBehavior {
    /// It only reads.
    pub const READ_ONLY: Self =
        Self { is_read_only: true, is_destructive: false, is_idempotent: true, is_open_world: false };
    /// It adds to what is there.
    pub const ADDITIVE: Self =
        Self { is_read_only: false, is_destructive: false, is_idempotent: false, is_open_world: false };
    /// It sets something to what the arguments say.
    pub const IDEMPOTENT: Self = Self { is_idempotent: true, ..Self::ADDITIVE };
    /// It may replace or remove.
    pub const DESTRUCTIVE: Self = Self { is_destructive: true, ..Self::ADDITIVE };
}

/// The hints that are given, of those that there are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolAnnotations {
    pub title: Option<String>,
    pub is_read_only: Option<bool>,
    pub is_destructive: Option<bool>,
    pub is_idempotent: Option<bool>,
    pub is_open_world: Option<bool>,
}

impl From<ToolBehavior> for ToolAnnotations {
    /// What a reader destroys is nothing to speak of.
    fn from(hints: ToolBehavior) -> Self {
        let changes = !hints.is_read_only;
        Self {
            title: None,
            is_read_only: Some(hints.is_read_only),
            is_destructive: changes.then_some(hints.is_destructive),
            is_idempotent: changes.then_some(hints.is_idempotent),
            is_open_world: Some(hints.is_open_world),
        }
    }
}

/// That a call of a tool may go on as a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskSupport {
    /// It runs as nothing else.
    pub is_required: bool,
    /// It is an ordinary call until its handler says that it is a task.
    pub is_started_by_handler: bool,
}

/// An argument that a tool's input schema marks with `x-mcp-header`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParamHeader {
    /// The names that lead to it in the arguments.
    pub path: Vec<String>,
    /// What follows `Mcp-Param-`.
    pub header: String,
}

/// What a tool answers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolOutput {
    /// As the tool's output schema says.
    pub value: Payload,
    pub content_mode: ContentMode,
    /// Whether the model should take it for a failure, though it has the form of an answer.
    pub is_error: bool,
    /// What the client is asked for instead, where it knows how to call again.
    pub input_required: Option<InputRequired>,
    pub meta: Option<Payload>,
}

/// What of an answer a model reads.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum ContentMode {
    /// The value's text.
    #[default]
    FromValue,
    /// These, and there is no value.
    ContentOnly(Vec<ContentItem>),
    /// These, and programs read the value.
    Both(Vec<ContentItem>),
}

impl From<Payload> for ToolOutput {
    fn from(value: Payload) -> Self {
        Self { value, ..Self::default() }
    }
}
