//! Tools, as they are listed and as they answer.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::schema::OutputSchema;
use super::{ContentItem, EntryExtras, InputRequired, ResolvedTool, Work};
use wardroom_base::payload::Payload;

/// A JSON Schema object, shared by all lists that contain it.
pub type SharedSchema = Arc<Map<String, Value>>;

#[derive(Debug, Clone, PartialEq)]
pub struct ToolEntry {
    pub name: Cow<'static, str>,
    pub title: Option<Cow<'static, str>>,
    pub description: Option<Cow<'static, str>>,
    pub input_schema: SharedSchema,
    pub output_schema: Option<OutputSchema>,
    pub annotations: ToolAnnotations,
    pub extra: EntryExtras,
    /// Whether lists leave the tool out where tools can be searched.
    pub is_on_demand: bool,
}

impl ToolEntry {
    /// Whether a call may change something. A tool that does not say counts as one that does.
    pub fn may_change(&self) -> bool {
        self.annotations.is_read_only != Some(true)
    }

    /// Whether a call may replace or remove something. A tool that does not say counts as one that does.
    pub fn may_destroy(&self) -> bool {
        self.may_change() && self.annotations.is_destructive != Some(false)
    }
}

/// The behavior of a tool, as a client learns of it before a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolBehavior {
    /// The tool changes nothing.
    pub is_read_only: bool,
    /// The tool may replace or remove existing data, unless it is read-only.
    pub is_destructive: bool,
    /// A repeated call with the same arguments changes nothing more.
    pub is_idempotent: bool,
    /// The tool reaches beyond this machine.
    pub is_open_world: bool,
}

impl ToolBehavior {
    /// Reads only.
    pub const READ_ONLY: Self =
        Self { is_read_only: true, is_destructive: false, is_idempotent: true, is_open_world: false };
    /// Adds to existing data.
    pub const ADDITIVE: Self =
        Self { is_read_only: false, is_destructive: false, is_idempotent: false, is_open_world: false };
    /// Sets something to what the arguments say.
    pub const IDEMPOTENT: Self = Self { is_idempotent: true, ..Self::ADDITIVE };
    /// May replace or remove existing data.
    pub const DESTRUCTIVE: Self = Self { is_destructive: true, ..Self::ADDITIVE };
}

/// The annotations of a tool; `None` for a hint that is not given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolAnnotations {
    pub title: Option<String>,
    pub is_read_only: Option<bool>,
    pub is_destructive: Option<bool>,
    pub is_idempotent: Option<bool>,
    pub is_open_world: Option<bool>,
}

impl From<ToolBehavior> for ToolAnnotations {
    /// Omits the destructive and idempotent hints for read-only tools.
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

/// How a call of a tool may continue as a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskSupport {
    /// Whether every call must be a task.
    pub is_required: bool,
    /// Whether a call is ordinary until its handler makes it a task.
    pub is_started_by_handler: bool,
}

/// An argument that a tool's input schema marks with `x-mcp-header`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParamHeader {
    /// The property names that lead to the argument.
    pub path: Vec<String>,
    /// The part of the header's name after `Mcp-Param-`.
    pub header: String,
}

/// The answer of a tool.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolOutput {
    /// Has the form that the tool's output schema requires.
    pub value: Payload,
    pub content_mode: ContentMode,
    /// Whether the model should treat the answer as a failure.
    pub is_error: bool,
    /// The input to request instead, from a client that can repeat the call.
    pub input_required: Option<InputRequired>,
    pub meta: Option<Payload>,
}

/// Which content of an answer a model reads.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum ContentMode {
    /// The JSON text of the value.
    #[default]
    FromValue,
    /// These items; there is no value.
    ContentOnly(Vec<ContentItem>),
    /// These items; programs read the value.
    Both(Vec<ContentItem>),
}

impl From<Payload> for ToolOutput {
    fn from(value: Payload) -> Self {
        Self { value, ..Self::default() }
    }
}

/// A tool that is part of the program: it is called the same whenever its name was resolved.
pub struct BuiltInTool<F> {
    entry: Arc<ToolEntry>,
    call: F,
}

impl<F: Fn(Payload) -> Work<ToolOutput> + Send + Sync + 'static> BuiltInTool<F> {
    #[expect(clippy::new_ret_no_self, reason = "it is used as a resolved tool only")]
    pub fn new(entry: Arc<ToolEntry>, call: F) -> Arc<dyn ResolvedTool> {
        Arc::new(Self { entry, call })
    }
}

impl<F: Fn(Payload) -> Work<ToolOutput> + Send + Sync> ResolvedTool for BuiltInTool<F> {
    fn name(&self) -> &str {
        &self.entry.name
    }

    fn may_change(&self) -> bool {
        self.entry.may_change()
    }

    fn call(self: Arc<Self>, arguments: Payload) -> Work<ToolOutput> {
        (self.call)(arguments)
    }
}
