//! The form of a tool's definition.
//!
//! Never: knows which tools there are.

use std::sync::Arc;

use wardroom_base::payload::Payload;
use wardroom_service::schema::{OutputSchema, share_schema};
use wardroom_service::{Cost, EntryExtras, RequestInfo, ServiceError, Step, ToolBehavior, ToolEntry, ToolOutput, Work};

use super::Alc;

/// The definition of a tool.
pub(super) struct AlcTool {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) description: &'static str,
    pub(super) behavior: ToolBehavior,
    /// Whether few tasks need the tool. Most need those that find a strategy, run and evaluate it, and read what came of it.
    pub(super) is_on_demand: bool,
    pub(super) input: fn() -> Payload,
    pub(super) output: fn() -> Payload,
    pub(super) call: ToolCall,
}

/// The function of a tool, by what it costs.
pub(super) enum ToolCall {
    /// Reads no large document.
    Worker(ToolFn),
    /// Begins or continues a run, which records itself. As `Worker`, and passes its large arguments on as text.
    Run(ToolFn),
    /// May take any amount of memory.
    Large(ToolFn),
    /// Begins on a worker, and may go on as large work: that depends on the arguments, or on what is found.
    Steps(StepsFn),
}

pub(super) type StepsFn = fn(&Alc, Payload, &RequestInfo) -> Result<Step<ToolOutput>, ServiceError>;
pub(super) type ToolFn = fn(&Alc, Payload, &RequestInfo) -> Result<ToolOutput, ServiceError>;

impl ToolCall {
    /// Returns the work of a call.
    pub(super) fn bind(&self, alc: Arc<Alc>, arguments: Payload) -> Work<ToolOutput> {
        match *self {
            Self::Run(call) => Work::new(Cost::Worker, move |info| call(&alc, arguments, info)),
            Self::Worker(call) => Work::new(Cost::Worker, move |info| {
                let _held = info.memory.lease(arguments.value_bytes())?;
                call(&alc, arguments, info)
            }),
            Self::Large(call) => Work::new(Cost::Large, move |info| {
                let _held = info.memory.lease(arguments.value_bytes())?;
                call(&alc, arguments, info)
            }),
            Self::Steps(call) => Work::in_steps(Cost::Worker, move |info| {
                let _held = info.memory.lease(arguments.value_bytes())?;
                call(&alc, arguments, info)
            }),
        }
    }
}

impl AlcTool {
    pub(super) fn to_entry(&self) -> ToolEntry {
        ToolEntry {
            name: self.name.into(),
            title: Some(self.title.into()),
            description: Some(self.description.into()),
            input_schema: share_schema((self.input)()),
            output_schema: Some(OutputSchema::new((self.output)())),
            annotations: self.behavior.into(),
            extra: EntryExtras::default(),
            is_on_demand: self.is_on_demand,
        }
    }
}

/// Returns the step after which a call goes on as large work with one store.
pub(super) fn continue_large<S: Send + Sync + 'static>(
    store: &Arc<S>,
    run: impl FnOnce(&S, &RequestInfo) -> Result<ToolOutput, ServiceError> + Send + 'static,
) -> Step<ToolOutput> {
    let store = Arc::clone(store);
    Step::Next(Work::new(Cost::Large, move |info| run(&store, info)))
}
