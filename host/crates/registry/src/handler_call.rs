//! One request that a handler answers: the loop around the handler's run, and the conversion of its result.
//!
//! Owns: time and depth, and the journal that all handlers of a request share.
//! Never: lets a handler have what its entry does not list.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::declarations::{DeclaredPrompt, DeclaredResource, DeclaredTool};
use super::entry::RegistryEntry;
use super::failure_log::{HandlerFailure, RecentLines};
use super::handler_output;
use super::journal::HandlerJournal;
use super::operations::HandlerScope;
use super::snapshot::RegistrySnapshot;
use super::{RegistryService, resources};
use crate::limits::{MAX_HANDLER_CALL_DEPTH, MAX_HANDLER_TIMEOUT};
use wardroom_base::CONTENT_TARGET;
use wardroom_base::memory::MemoryLease;
use wardroom_base::payload::Payload;
use wardroom_base::random;
use wardroom_base::unix_time;
use wardroom_lua::{HandlerRequest, ScriptStartError, ScriptStep, ScriptStopError};
use wardroom_service::limits::MAX_COMPLETIONS;
use wardroom_service::{
    ClientCapability, ContentItem, ContentMode, InputMode, InputRequest, LogLevel, RenderedPrompt, RequestInfo,
    ResourceContent, ServiceError, ToolOutput,
};

/// A request, for as long as its handlers run.
pub(super) struct HandlerCall<'c> {
    pub(super) registry: &'c RegistryService,
    pub(super) snapshot: &'c Arc<RegistrySnapshot>,
    pub(super) info: &'c RequestInfo,
    pub(super) journal: RefCell<HandlerJournal>,
    /// How many handlers run, including those that wait for this request's answer.
    pub(super) handler_depth: Cell<usize>,
    started_at: Instant,
    /// The part of the time since then that does not count.
    excluded_time: Cell<Duration>,
    /// When the running handler must have ended, in time that counts.
    time_limit: Cell<Duration>,
    /// The capability that a handler requested last and the client lacks.
    pub(super) missing_capability: Cell<Option<ClientCapability>>,
    /// What the handlers of this request printed and logged last.
    lines: RefCell<RecentLines>,
    /// What the last handler returned, as text and as the value that was built of it.
    result: RefCell<Option<ReturnedMemory>>,
}

/// The memory of a handler's result.
struct ReturnedMemory {
    text_bytes: usize,
    value: MemoryLease,
}

/// Why a request ends without its handler's answer.
pub(super) enum Abort {
    /// With input requests; the client repeats the call.
    InputRequired(Vec<InputRequest>),
    /// With this message.
    Stopped(String),
}

/// A failure that a handler reports.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HandlerError {
    pub(super) message: String,
    /// As the handler gave them: kind, retryable, details.
    pub(super) fields: Map<String, Value>,
}

pub(super) type HandlerResult = Result<Value, HandlerError>;

impl<'c> HandlerCall<'c> {
    pub(super) fn new(
        registry: &'c RegistryService,
        loaded: &'c Arc<RegistrySnapshot>,
        info: &'c RequestInfo,
    ) -> Result<Self, ServiceError> {
        let mut seed = [0; 8];
        random::fill(&mut seed).map_err(|error| ServiceError::internal("the system gives no random bytes", error))?;
        // With deferred input requests, the client carries the answers of earlier operations.
        let is_deferred =
            |feature| info.client.as_ref().is_some_and(|client| client.input_mode(feature) == InputMode::Deferred);
        let defers_input = ClientCapability::NAMED.into_iter().any(|(_, capability)| is_deferred(capability));
        let journal = HandlerJournal::new(u64::from_le_bytes(seed) >> 12, defers_input);
        Ok(Self {
            registry,
            snapshot: loaded,
            info,
            journal: RefCell::new(journal),
            handler_depth: Cell::new(info.handler_depth),
            started_at: Instant::now(),
            excluded_time: Cell::new(Duration::ZERO),
            time_limit: Cell::new(MAX_HANDLER_TIMEOUT),
            missing_capability: Cell::new(None),
            lines: RefCell::default(),
            result: RefCell::default(),
        })
    }

    /// Runs the handler of a tool. The handler's mistakes are for the model to read, and are no errors of the protocol.
    pub(super) fn run_tool(
        &self,
        entry: &Arc<RegistryEntry>,
        tool: &DeclaredTool,
        arguments: Payload,
    ) -> Result<ToolOutput, ServiceError> {
        let _held = self.info.memory.lease(arguments.value_bytes())?;
        let arguments = arguments.into_value();
        if let Err(why) = tool.input_schema.check(&arguments) {
            return Ok(error_output(&HandlerError::new("INVALID", format!("invalid arguments: {why}")), tool));
        }
        let value = match self.run_root(entry, arguments)? {
            Ok(value) => value,
            Err(trouble) => return Ok(error_output(&trouble, tool)),
        };
        self.hold_answer()?;
        Ok(check_tool_output(tool, value).unwrap_or_else(|why| {
            let message = format!("the answer of {} is not valid: {why}", entry.id);
            error_output(&self.log_failure(entry, HandlerError::new("INTERNAL", message), None), tool)
        }))
    }

    /// Keeps the memory of what the handler returned until the answer was sent.
    fn hold_answer(&self) -> Result<(), ServiceError> {
        let Some(ReturnedMemory { text_bytes, value }) = self.result.take() else { return Ok(()) };
        let value_bytes = value.bytes();
        drop(value);
        self.info.memory.hold_answer(text_bytes, value_bytes).map_err(ServiceError::out_of_memory)
    }

    pub(super) fn run_prompt(
        &self,
        entry: &Arc<RegistryEntry>,
        prompt: &DeclaredPrompt,
        arguments: &BTreeMap<String, String>,
    ) -> Result<RenderedPrompt, ServiceError> {
        let failed = |trouble: HandlerError| handler_failure(format!("Prompt handler error: {}", trouble.message));
        let value = self.run_root(entry, json!(arguments))?.map_err(failed)?;
        self.hold_answer()?;
        let mut answer = handler_output::parse_prompt_output(value).map_err(|why| ServiceError::Internal {
            public_message: format!("Prompt handler error: the answer of {} is not valid: {why}", entry.id),
            cause: None,
        })?;
        answer.description = answer.description.or_else(|| prompt.list_entry.description.clone());
        Ok(answer)
    }

    pub(super) fn run_resource(
        &self,
        entry: &Arc<RegistryEntry>,
        resource: &DeclaredResource,
        uri: &str,
        variables: &BTreeMap<String, String>,
    ) -> Result<ResourceContent, ServiceError> {
        let mut arguments = json!(variables);
        if let Some(fields) = arguments.as_object_mut() {
            fields.insert("params".to_owned(), json!(variables));
            fields.insert("uri".to_owned(), uri.into());
        }
        let failed =
            |why: String| ServiceError::Internal { public_message: format!("cannot read {uri}: {why}"), cause: None };
        match self.run_root(entry, arguments)? {
            Ok(Value::Null) => Err(ServiceError::NotFound { uri: uri.to_owned() }),
            Ok(value) => {
                self.hold_answer()?;
                resources::parse_resource_content(value, resource)
                    .map_err(|why| failed(format!("the answer of {} is not valid: {why}", entry.id)))
            }
            Err(trouble) if trouble.fields.get("kind").and_then(Value::as_str) == Some("NOT_FOUND") => {
                Err(ServiceError::NotFound { uri: uri.to_owned() })
            }
            Err(trouble) => Err(handler_failure(format!("cannot read {uri}: {}", trouble.message))),
        }
    }

    /// Returns the values that complete an argument, from the handler of an entry.
    pub(super) fn run_completion(&self, id: &str, arguments: Value) -> Result<Vec<String>, ServiceError> {
        let Some(entry) = self.snapshot.entries.get(id) else { return Ok(Vec::new()) };
        let values = match self.run_root(entry, arguments)? {
            Ok(Value::Array(values)) => values,
            Ok(_) => Vec::new(),
            Err(trouble) => return Err(handler_failure(format!("{id}: {}", trouble.message))),
        };
        let texts =
            values.into_iter().filter(|value| !value.is_null()).map(|value| handler_output::to_display_text(&value));
        Ok(texts.take(MAX_COMPLETIONS * 100).collect())
    }

    /// Runs the handler that a request is for.
    fn run_root(&self, entry: &Arc<RegistryEntry>, arguments: Value) -> Result<HandlerResult, ServiceError> {
        if let Some(feature) = self.missing_capability_of(entry) {
            return Err(ServiceError::MissingCapability(feature));
        }
        if let Some(responses) = self.info.client.as_deref().and_then(|client| client.client_responses()) {
            let fresh = self.journal.take();
            *self.journal.borrow_mut() = fresh.resume(responses, entry).map_err(ServiceError::Invalid)?;
        }
        match self.run_handler(entry, vec![arguments]) {
            Ok(Err(trouble)) => match self.reported_missing_capability(&trouble) {
                // A handler that ends with the message about a missing capability did not catch it.
                Some(capability) => Err(ServiceError::MissingCapability(capability)),
                None => trouble.to_protocol_error().map_or(Ok(Err(trouble)), Err),
            },
            Ok(ended) => Ok(ended),
            Err(Abort::Stopped(why)) => Ok(Err(HandlerError::new("STOPPED", format!("{}: {why}", entry.id)))),
            Err(Abort::InputRequired(asks)) => match self.journal.borrow().to_input_required(asks, entry) {
                Ok(asks) => Err(ServiceError::InputRequired(Box::new(asks))),
                Err(why) => Ok(Err(HandlerError::new("TOO_LARGE", format!("{}: {why}", entry.id)))),
            },
        }
    }

    /// Returns a capability that an entry needs and the client lacks.
    pub(super) fn missing_capability_of(&self, entry: &RegistryEntry) -> Option<ClientCapability> {
        let client = self.info.client.as_deref();
        let is_lacking = |feature: &ClientCapability| {
            client.is_none_or(|client| client.input_mode(*feature) == InputMode::Unsupported)
        };
        entry.required_capabilities.iter().copied().find(is_lacking)
    }

    /// Returns the elapsed time that counts.
    fn active_time(&self) -> Duration {
        self.started_at.elapsed().saturating_sub(self.excluded_time.get())
    }

    /// Returns the time that is left for the running handler, and with it for its callers.
    pub(super) fn time_left(&self) -> Duration {
        self.time_limit.get().saturating_sub(self.active_time())
    }

    /// Excludes some time from the time that counts.
    pub(super) fn exclude_time(&self, time: Duration) {
        self.excluded_time.set(self.excluded_time.get() + time);
    }

    /// Returns the capability that the client lacks, if a handler failed because of it.
    fn reported_missing_capability(&self, trouble: &HandlerError) -> Option<ClientCapability> {
        let lacked = self.missing_capability.get();
        lacked.filter(|feature| trouble.message.contains(&ServiceError::MissingCapability(*feature).to_string()))
    }

    /// Runs a handler to its end.
    ///
    /// # Errors
    /// When the whole request ends.
    pub(super) fn run_handler(
        &self,
        entry: &Arc<RegistryEntry>,
        arguments: Vec<Value>,
    ) -> Result<HandlerResult, Abort> {
        let depth = self.handler_depth.get();
        if depth > MAX_HANDLER_CALL_DEPTH {
            let message = format!("handler calls are nested deeper than the limit of {MAX_HANDLER_CALL_DEPTH}");
            return Ok(Err(HandlerError::new("INVALID", message)));
        }
        let (until, own) = (self.time_limit.get(), self.active_time() + entry.timeout);
        self.handler_depth.set(depth + 1);
        self.time_limit.set(until.min(own));
        let ended = self.run_steps(entry, arguments, own <= until);
        self.time_limit.set(until);
        self.handler_depth.set(depth);
        ended
    }

    fn run_steps(
        &self,
        entry: &Arc<RegistryEntry>,
        arguments: Vec<Value>,
        has_own_time: bool,
    ) -> Result<HandlerResult, Abort> {
        let none = |what: &str| Ok(Err(HandlerError::new("UNAVAILABLE", format!("{}: {what}", entry.id))));
        let Some(handlers) = &self.registry.handlers else { return none("a read-only server runs no handlers") };
        let handler = entry.handler.as_ref().and_then(|handler| Some((handler, handler.method.clone()?)));
        let Some((handler, method)) = handler else { return none("it is not a function that can be called") };
        let call = HandlerRequest {
            id: entry.id.clone(),
            source: handler.source.to_string(),
            method,
            arguments: Value::Array(arguments).into(),
            modules: handler.modules.clone(),
            imports: handler.imports.clone(),
            seed: self.journal.borrow().seed,
            is_check: false,
        };
        let mut run = match handlers.start_call_for(
            self.info.caller.owner.sharing_name(),
            &entry.namespace,
            &call,
            self.info.memory.share(),
        ) {
            Ok(run) => run,
            Err(ScriptStartError::OutOfMemory(error)) => {
                return Ok(Err(HandlerError::new("OUT_OF_MEMORY", format!("{}: {error}", entry.id))));
            }
            // The client's arguments are no failure of the server.
            Err(ScriptStartError::InvalidInput(error)) => {
                return Ok(Err(HandlerError::new("INVALID", format!("{}: the arguments are {error}", entry.id))));
            }
            Err(error) => {
                tracing::error!(%error, cause = ?error, entry = entry.id, "cannot start a handler");
                return none(&error.to_string());
            }
        };
        let mut scope = HandlerScope::new(entry, handler);
        let cancelled = || self.info.cancellation.is_cancelled();
        loop {
            let answered = match run.step(Instant::now() + self.time_left(), &cancelled) {
                Ok(ScriptStep::Request { operation, arguments }) => {
                    let answer = match self.info.memory.lease(arguments.value_bytes()) {
                        Ok(_held) => self.perform_operation(&mut scope, &operation, &arguments.into_value())?,
                        Err(error) => Err(format!("{operation}: {error}")),
                    };
                    let answer = answer.map(Payload::from);
                    // A handler whose time is over gets no answer, however quickly it would end.
                    if self.time_left().is_zero() { Err(ScriptStopError::DeadlineExceeded) } else { run.answer(answer) }
                }
                Ok(ScriptStep::Notify { operation, arguments }) => {
                    let held = self.info.memory.lease(arguments.value_bytes());
                    let _held = held.map_err(|error| Abort::Stopped(error.to_string()))?;
                    self.handle_notification(&scope, &operation, &arguments.into_value()).map_err(Abort::Stopped)?;
                    Ok(())
                }
                Ok(ScriptStep::Returned(value)) => return Ok(self.build_result(entry, value)),
                Ok(ScriptStep::Failed { message, traceback }) => {
                    tracing::warn!(entry = entry.id, "a handler failed");
                    // Its message may quote the arguments.
                    tracing::debug!(target: CONTENT_TARGET, entry = entry.id, reason = message, traceback, "why it failed");
                    return Ok(Err(self.log_failure(entry, HandlerError::new("INTERNAL", message), traceback)));
                }
                Err(stopped) => Err(stopped),
            };
            match answered {
                Ok(()) => {}
                Err(ScriptStopError::Cancelled) => return Err(Abort::Stopped("cancelled".to_owned())),
                Err(ScriptStopError::DeadlineExceeded) => {
                    let message = if has_own_time {
                        format!("timed out after {} s", entry.timeout.as_secs_f64())
                    } else {
                        "timed out with the call that called it".to_owned()
                    };
                    let error = HandlerError::new("TIMEOUT", format!("{}: {message}", entry.id));
                    return Ok(Err(self.log_failure(entry, error, None)));
                }
                Err(stopped) => {
                    let error = HandlerError::new("UNAVAILABLE", format!("{}: {stopped}", entry.id));
                    return Ok(Err(self.log_failure(entry, error, None)));
                }
            }
        }
    }
}

impl HandlerCall<'_> {
    /// Keeps a line of a handler for the case that it fails.
    pub(super) fn keep_line(&self, level: LogLevel, data: &Value) {
        let text = data.get("message").unwrap_or(data);
        self.lines.borrow_mut().push(level.name(), &handler_output::to_display_text(text));
    }

    /// Logs that a handler failed, for the person who declared it.
    fn log_failure(&self, entry: &RegistryEntry, error: HandlerError, traceback: Option<String>) -> HandlerError {
        if let Some(app_dir) = self.registry.capabilities.app_dir.as_ref().filter(|folder| !folder.is_read_only()) {
            let kind = error.fields.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
            let failure = HandlerFailure {
                ts: unix_time::now_ms(),
                entry: entry.id.clone(),
                kind,
                message: error.message.clone(),
                traceback,
                lines: self.lines.borrow_mut().take(),
                not_logged: 0,
            };
            self.registry.failures.record(app_dir, failure);
        }
        error
    }

    /// Builds what a handler returned, and takes the memory for it until another handler has returned.
    fn build_result(&self, entry: &RegistryEntry, value: Payload) -> HandlerResult {
        drop(self.result.take());
        let leased = self.info.memory.share().lease(value.value_bytes());
        let leased = leased.map_err(|error| HandlerError::new("OUT_OF_MEMORY", format!("{}: {error}", entry.id)))?;
        *self.result.borrow_mut() = Some(ReturnedMemory { text_bytes: value.text_bytes(), value: leased });
        parse_return_value(value.into_value())
    }
}

/// Converts the value that a tool's handler returned to an answer that keeps the tool's schema.
pub(super) fn check_tool_output(tool: &DeclaredTool, value: Value) -> Result<ToolOutput, String> {
    let answer = handler_output::parse_tool_output(value, tool.output_schema.is_some())?;
    let has_value = !matches!(answer.content_mode, ContentMode::ContentOnly(_));
    match &tool.output_schema {
        Some(schema) if !answer.is_error && has_value => schema
            .check(&answer.value.clone().into_value())
            .map_err(|why| format!("its value does not fit mcp.outputSchema: {why}"))?,
        Some(_) if !answer.is_error => {
            return Err("mcp.outputSchema is set, and it has no structuredContent".to_owned());
        }
        _ => {}
    }
    Ok(answer)
}

/// Converts what a handler returned to its value or its failure.
fn parse_return_value(value: Value) -> HandlerResult {
    let Value::Object(mut fields) = value else { return Ok(value) };
    match fields.remove("error") {
        Some(Value::Object(mut fields)) => {
            let message =
                fields.remove("message").map_or_else(String::new, |message| handler_output::to_display_text(&message));
            Err(HandlerError { message, fields })
        }
        Some(Value::Null) | None => Ok(fields.remove("value").unwrap_or_default()),
        Some(message) => Err(HandlerError { message: handler_output::to_display_text(&message), fields: Map::new() }),
    }
}

impl HandlerError {
    pub(super) fn new(kind: &str, message: String) -> Self {
        Self { message, fields: [("kind".to_owned(), Value::from(kind))].into_iter().collect() }
    }

    /// Returns an error of the protocol, if the failure has an integer code.
    fn to_protocol_error(&self) -> Option<ServiceError> {
        let code = self.fields.get("code").and_then(Value::as_i64).and_then(|code| i32::try_from(code).ok())?;
        let data = self.fields.get("data").filter(|data| !data.is_null()).cloned().map(Payload::from_value);
        Some(ServiceError::Protocol { code, message: self.message.clone(), data })
    }

    /// Returns the failure as another handler gets it.
    pub(super) fn to_json(&self) -> Value {
        let mut fields = self.fields.clone();
        fields.insert("message".to_owned(), self.message.clone().into());
        fields.into()
    }
}

/// Converts a failure to an answer that a model reads. A tool with an output schema gets no value, because the error
/// would not fit the schema.
fn error_output(trouble: &HandlerError, tool: &DeclaredTool) -> ToolOutput {
    let items: Vec<ContentItem> = vec![trouble.message.clone().into()];
    if tool.output_schema.is_some() {
        return ToolOutput { content_mode: ContentMode::ContentOnly(items), is_error: true, ..ToolOutput::default() };
    }
    let mut error = Map::new();
    error.insert("code".to_owned(), trouble.fields.get("kind").cloned().unwrap_or_else(|| "ERROR".into()));
    error.insert("message".to_owned(), trouble.message.clone().into());
    for name in ["retryable", "details"] {
        if let Some(value) = trouble.fields.get(name).filter(|value| !value.is_null()) {
            error.insert(name.to_owned(), value.clone());
        }
    }
    let value = Payload::from_value(json!({"error": error}));
    ToolOutput { value, content_mode: ContentMode::Both(items), is_error: true, ..ToolOutput::default() }
}

/// The modules that a handler's entry and the libraries that it imported may use.
pub(super) type ModuleSet = BTreeSet<String>;

/// Returns the error of a request whose handler failed. The client gets the handler's message, which may have what the
/// handler was given: the log has only that it failed.
fn handler_failure(message: String) -> ServiceError {
    const INTERNAL_ERROR: i32 = -32_603;
    ServiceError::Protocol { code: INTERNAL_ERROR, message, data: None }
}
