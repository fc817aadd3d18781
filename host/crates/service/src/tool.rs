//! Tools, as they are listed and as they answer.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::{Asks, Extra, Item};
use wardroom_base::payload::Payload;

/// A JSON Schema that is an object, shared by all lists that it is on.
pub type Schema = Arc<Map<String, Value>>;

#[derive(Debug, Clone, PartialEq)]
pub struct ToolEntry {
    pub name: Cow<'static, str>,
    pub title: Option<Cow<'static, str>>,
    pub description: Option<Cow<'static, str>>,
    pub input: Schema,
    pub output: Option<Schema>,
    pub hints: Announced,
    pub extra: Extra,
}

/// What a client is told of a tool before it calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hints {
    /// It changes nothing.
    pub read_only: bool,
    /// It may replace or remove what is there, where it is not read-only.
    pub destructive: bool,
    /// Calling it again with the same arguments changes nothing more.
    pub idempotent: bool,
    /// It reaches beyond this machine.
    pub open_world: bool,
}

impl Hints {
    /// It only reads.
    pub const READS: Self = Self { read_only: true, destructive: false, idempotent: true, open_world: false };
    /// It adds to what is there.
    pub const ADDS: Self = Self { read_only: false, destructive: false, idempotent: false, open_world: false };
    /// It sets something to what the arguments say.
    pub const SETS: Self = Self { idempotent: true, ..Self::ADDS };
    /// It may replace or remove.
    pub const CHANGES: Self = Self { destructive: true, ..Self::ADDS };
}

/// The hints that are given, of those that there are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Announced {
    pub title: Option<String>,
    pub read_only: Option<bool>,
    pub destructive: Option<bool>,
    pub idempotent: Option<bool>,
    pub open_world: Option<bool>,
}

impl From<Hints> for Announced {
    /// What a reader destroys is nothing to speak of.
    fn from(hints: Hints) -> Self {
        let changes = !hints.read_only;
        Self {
            title: None,
            read_only: Some(hints.read_only),
            destructive: changes.then_some(hints.destructive),
            idempotent: changes.then_some(hints.idempotent),
            open_world: Some(hints.open_world),
        }
    }
}

/// That a call of a tool may go on as a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskUse {
    /// It runs as nothing else.
    pub required: bool,
    /// It is an ordinary call until its handler says that it is a task.
    pub by_handler: bool,
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
pub struct ToolAnswer {
    /// As the tool's output schema says.
    pub value: Payload,
    pub said: Said,
    /// Whether the model should take it for a failure, though it has the form of an answer.
    pub failed: bool,
    /// What the client is asked for instead, where it knows how to call again.
    pub asks: Option<Asks>,
    pub meta: Option<Payload>,
}

/// What of an answer a model reads.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Said {
    /// The value's text.
    #[default]
    Value,
    /// These, and there is no value.
    Items(Vec<Item>),
    /// These, and programs read the value.
    Both(Vec<Item>),
}

impl From<Payload> for ToolAnswer {
    fn from(value: Payload) -> Self {
        Self { value, ..Self::default() }
    }
}
