//! One request that handlers answer: the loop around a handler's run, and what becomes of its end.
//!
//! Owns: time and depth, and the one journal that all handlers of a request share.
//! Never: lets a handler have what its entry does not list.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::declared::{Prompt, Resource, Tool};
use super::effects::Scope;
use super::entry::Entry;
use super::journal::Journal;
use super::loaded::Loaded;
use super::results;
use super::{Registry, resources};
use wardroom_base::entropy;
use wardroom_base::limits::{MAX_CALL_DEPTH, MAX_COMPLETIONS, MAX_HANDLER_TIME};
use wardroom_base::payload::Payload;
use wardroom_lua::{Call, Step, Stopped};
use wardroom_service::{
    Ask, CallContext, Completing, Content, Feature, Item, PromptAnswer, Said, Sampling, ServiceError, ToolAnswer,
};

/// A request, for as long as its handlers run.
pub(super) struct Conversation<'c> {
    pub(super) registry: &'c Registry,
    pub(super) loaded: &'c Arc<Loaded>,
    pub(super) context: &'c CallContext,
    pub(super) journal: RefCell<Journal>,
    /// How many handlers run, those that wait for this request's answer too.
    pub(super) depth: Cell<usize>,
    begun: Instant,
    /// How much of the time since then was others'.
    excused: Cell<Duration>,
    /// When the handler that runs now must have ended, in time that was not excused.
    until: Cell<Duration>,
    /// What a handler asked for last that the client cannot do.
    pub(super) lacked: Cell<Option<Feature>>,
}

/// Why a request ends without its handler's answer.
pub(super) enum Halt {
    /// With questions; the client comes again.
    Asks(Vec<Ask>),
    /// For this reason.
    Stopped(String),
}

/// What a handler says has failed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Trouble {
    pub(super) message: String,
    /// As the handler gave it: kind, retryable, details.
    pub(super) fields: Map<String, Value>,
}

pub(super) type Ended = Result<Value, Trouble>;

impl<'c> Conversation<'c> {
    pub(super) fn new(
        registry: &'c Registry,
        loaded: &'c Arc<Loaded>,
        context: &'c CallContext,
    ) -> Result<Self, ServiceError> {
        let mut seed = [0; 8];
        entropy::fill(&mut seed).map_err(|error| ServiceError::internal("no randomness", error))?;
        // Whoever asks by ending a call has whatever it was told carried.
        let by_return = [Feature::Sampling, Feature::Form, Feature::Page, Feature::Roots];
        let can = |feature| context.client.as_ref().is_some_and(|client| client.can(feature) == Sampling::ByReturn);
        let journal = Journal::new(u64::from_le_bytes(seed) >> 12, by_return.into_iter().any(can));
        Ok(Self {
            registry,
            loaded,
            context,
            journal: RefCell::new(journal),
            depth: Cell::new(context.depth),
            begun: Instant::now(),
            excused: Cell::new(Duration::ZERO),
            until: Cell::new(MAX_HANDLER_TIME),
            lacked: Cell::new(None),
        })
    }

    /// A tool's answer. What the handler does wrong is the model's to read, and no error of the protocol.
    pub(super) fn tool(&self, entry: &Arc<Entry>, tool: &Tool, arguments: Value) -> Result<ToolAnswer, ServiceError> {
        if let Err(why) = tool.input.check(&arguments) {
            return Ok(failure(&Trouble::new("INVALID", format!("invalid arguments: {why}")), tool));
        }
        let value = match self.begun(entry, arguments)? {
            Ok(value) => value,
            Err(trouble) => return Ok(failure(&trouble, tool)),
        };
        Ok(answered(tool, value).unwrap_or_else(|why| {
            let message = format!("the answer of {} is not valid: {why}", entry.id);
            failure(&Trouble::new("INTERNAL", message), tool)
        }))
    }

    pub(super) fn prompt(
        &self,
        entry: &Arc<Entry>,
        prompt: &Prompt,
        arguments: &BTreeMap<String, String>,
    ) -> Result<PromptAnswer, ServiceError> {
        let value = self.begun(entry, json!(arguments))?.map_err(|trouble| ServiceError::Internal {
            public: format!("Prompt handler error: {}", trouble.message),
            cause: None,
        })?;
        let mut answer = results::prompt_answer(value).map_err(|why| ServiceError::Internal {
            public: format!("Prompt handler error: the answer of {} is not valid: {why}", entry.id),
            cause: None,
        })?;
        answer.description = answer.description.or_else(|| prompt.listed.description.clone());
        Ok(answer)
    }

    pub(super) fn resource(
        &self,
        entry: &Arc<Entry>,
        resource: &Resource,
        uri: &str,
        variables: &BTreeMap<String, String>,
    ) -> Result<Content, ServiceError> {
        let mut arguments = json!(variables);
        if let Some(fields) = arguments.as_object_mut() {
            fields.insert("params".to_owned(), json!(variables));
            fields.insert("uri".to_owned(), uri.into());
        }
        let failed = |why: String| ServiceError::Internal { public: format!("cannot read {uri}: {why}"), cause: None };
        match self.begun(entry, arguments)? {
            Ok(Value::Null) => Err(ServiceError::NotFound { uri: uri.to_owned() }),
            Ok(value) => resources::content(value, resource)
                .map_err(|why| failed(format!("the answer of {} is not valid: {why}", entry.id))),
            Err(trouble) if trouble.fields.get("kind").and_then(Value::as_str) == Some("NOT_FOUND") => {
                Err(ServiceError::NotFound { uri: uri.to_owned() })
            }
            Err(trouble) => Err(failed(trouble.message)),
        }
    }

    /// The values that complete an argument, as an entry says.
    pub(super) fn values(&self, id: &str, completing: &Completing) -> Result<Vec<String>, ServiceError> {
        let Some(entry) = self.loaded.entries.get(id) else { return Ok(Vec::new()) };
        let arguments = match completing {
            Completing::Variable { template, variable, prefix } => {
                json!({"template": template, "argument": variable, "value": prefix, "context": {}})
            }
            Completing::Argument { prompt, argument, prefix, others } => {
                json!({"prompt": prompt, "argument": argument, "value": prefix, "context": others})
            }
        };
        let values = match self.begun(entry, arguments)? {
            Ok(Value::Array(values)) => values,
            Ok(_) => Vec::new(),
            Err(trouble) => {
                return Err(ServiceError::Internal { public: format!("{id}: {}", trouble.message), cause: None });
            }
        };
        let texts = values.into_iter().filter(|value| !value.is_null()).map(|value| results::spoken(&value));
        Ok(texts.take(MAX_COMPLETIONS * 100).collect())
    }

    /// Runs the handler that a request is for.
    fn begun(&self, entry: &Arc<Entry>, arguments: Value) -> Result<Ended, ServiceError> {
        if let Some(feature) = self.lacked_of(entry) {
            return Err(ServiceError::Lacks(feature));
        }
        if let Some(brought) = self.context.client.as_deref().and_then(|client| client.brought()) {
            let fresh = self.journal.take();
            *self.journal.borrow_mut() = fresh.opened(brought, entry).map_err(ServiceError::Invalid)?;
        }
        match self.run(entry, vec![arguments]) {
            // A handler that ends with what it was told about it did not catch it.
            Ok(Err(trouble)) if self.lacks(&trouble).is_some() => Err(self
                .lacks(&trouble)
                .map_or_else(|| ServiceError::tool("UNAVAILABLE", trouble.message), ServiceError::Lacks)),
            Ok(Err(trouble)) => trouble.protocol().map_or(Ok(Err(trouble)), Err),
            Ok(ended) => Ok(ended),
            Err(Halt::Stopped(why)) => Ok(Err(Trouble::new("STOPPED", format!("{}: {why}", entry.id)))),
            Err(Halt::Asks(asks)) => match self.journal.borrow().asks(asks, entry) {
                Ok(asks) => Err(ServiceError::Asks(Box::new(asks))),
                Err(why) => Ok(Err(Trouble::new("TOO_LARGE", format!("{}: {why}", entry.id)))),
            },
        }
    }

    /// What an entry needs and the client cannot do.
    pub(super) fn lacked_of(&self, entry: &Entry) -> Option<Feature> {
        let client = self.context.client.as_deref();
        let is_lacking = |feature: &Feature| client.is_none_or(|client| client.can(*feature) == Sampling::Never);
        entry.needs.iter().copied().find(is_lacking)
    }

    /// The time that was not excused.
    fn spent(&self) -> Duration {
        self.begun.elapsed().saturating_sub(self.excused.get())
    }

    /// What the handler that runs has left, and with it whoever called it.
    pub(super) fn left(&self) -> Duration {
        self.until.get().saturating_sub(self.spent())
    }

    /// Does not count this time.
    pub(super) fn excuse(&self, time: Duration) {
        self.excused.set(self.excused.get() + time);
    }

    /// What the client cannot do, where that is what a handler failed with.
    fn lacks(&self, trouble: &Trouble) -> Option<Feature> {
        let lacked = self.lacked.get();
        lacked.filter(|feature| trouble.message.contains(&ServiceError::Lacks(*feature).to_string()))
    }

    /// Runs a handler to its end.
    ///
    /// # Errors
    /// What ends the whole request.
    pub(super) fn run(&self, entry: &Arc<Entry>, arguments: Vec<Value>) -> Result<Ended, Halt> {
        let depth = self.depth.get();
        if depth > MAX_CALL_DEPTH {
            let message = format!("handlers call each other more than {MAX_CALL_DEPTH} deep");
            return Ok(Err(Trouble::new("INVALID", message)));
        }
        let (until, own) = (self.until.get(), self.spent() + entry.timeout);
        self.depth.set(depth + 1);
        self.until.set(until.min(own));
        let ended = self.stepped(entry, arguments, own <= until);
        self.until.set(until);
        self.depth.set(depth);
        ended
    }

    fn stepped(&self, entry: &Arc<Entry>, arguments: Vec<Value>, has_own_time: bool) -> Result<Ended, Halt> {
        let none = |what: &str| Ok(Err(Trouble::new("UNAVAILABLE", format!("{}: {what}", entry.id))));
        let Some(handlers) = &self.registry.handlers else { return none("no handler runs here: this only reads") };
        let handler = entry.handler.as_ref().and_then(|handler| Some((handler, handler.method.clone()?)));
        let Some((handler, method)) = handler else { return none("it is nothing that can be called") };
        let call = Call {
            id: entry.id.clone(),
            source: handler.source.to_string(),
            method,
            arguments: arguments.into(),
            modules: handler.modules.clone(),
            imports: handler.imports.clone(),
            seed: self.journal.borrow().seed,
        };
        let mut run = match handlers.start(&entry.namespace, &call) {
            Ok(run) => run,
            Err(error) => {
                tracing::error!(%error, cause = ?error, entry = entry.id, "a handler cannot be started");
                return none(&error.to_string());
            }
        };
        let mut scope = Scope::new(entry, handler);
        let cancelled = || self.context.cancelled.is_cancelled();
        loop {
            let answered = match run.step(Instant::now() + self.left(), &cancelled) {
                Ok(Step::Ask { operation, arguments }) => {
                    let answer = self.perform(&mut scope, &operation, &arguments)?;
                    // However quickly it would say something to that.
                    if self.left().is_zero() { Err(Stopped::Deadline) } else { run.answer(answer) }
                }
                Ok(Step::Post { operation, arguments }) => {
                    self.told(&scope, &operation, &arguments).map_err(Halt::Stopped)?;
                    Ok(())
                }
                Ok(Step::Returned(value)) => return Ok(ended(value)),
                Ok(Step::Failed { message, traceback }) => {
                    tracing::warn!(entry = entry.id, message, traceback, "a handler failed");
                    return Ok(Err(Trouble::new("INTERNAL", message)));
                }
                Err(stopped) => Err(stopped),
            };
            match answered {
                Ok(()) => {}
                Err(Stopped::Cancelled) => return Err(Halt::Stopped("cancelled".to_owned())),
                Err(Stopped::Deadline) => {
                    let message = if has_own_time {
                        format!("timed out after {} s", entry.timeout.as_secs_f64())
                    } else {
                        "timed out with the call that it belongs to".to_owned()
                    };
                    return Ok(Err(Trouble::new("TIMEOUT", format!("{}: {message}", entry.id))));
                }
                Err(stopped) => return Ok(Err(Trouble::new("UNAVAILABLE", format!("{}: {stopped}", entry.id)))),
            }
        }
    }
}

/// What a tool's handler returned, as an answer that is as the tool promises.
pub(super) fn answered(tool: &Tool, value: Value) -> Result<ToolAnswer, String> {
    let answer = results::tool_answer(value, tool.output.is_some())?;
    let has_value = !matches!(answer.said, Said::Items(_));
    match &tool.output {
        Some(schema) if !answer.failed && has_value => schema
            .check(&answer.value.clone().into_value())
            .map_err(|why| format!("its value does not fit mcp.outputSchema: {why}"))?,
        Some(_) if !answer.failed => {
            return Err("mcp.outputSchema is set, and it has no structuredContent".to_owned());
        }
        _ => {}
    }
    Ok(answer)
}

/// How a handler ended.
fn ended(value: Value) -> Ended {
    let Value::Object(mut fields) = value else { return Ok(value) };
    match fields.remove("error") {
        Some(Value::Object(mut fields)) => {
            let message = fields.remove("message").map_or_else(String::new, |message| results::spoken(&message));
            Err(Trouble { message, fields })
        }
        Some(Value::Null) | None => Ok(fields.remove("value").unwrap_or_default()),
        Some(message) => Err(Trouble { message: results::spoken(&message), fields: Map::new() }),
    }
}

impl Trouble {
    pub(super) fn new(kind: &str, message: String) -> Self {
        Self { message, fields: [("kind".to_owned(), Value::from(kind))].into_iter().collect() }
    }

    /// With a whole number for a code it is the protocol's.
    fn protocol(&self) -> Option<ServiceError> {
        let code = self.fields.get("code").and_then(Value::as_i64).and_then(|code| i32::try_from(code).ok())?;
        let data = self.fields.get("data").filter(|data| !data.is_null()).cloned().map(Payload::from_value);
        Some(ServiceError::Protocol { code, message: self.message.clone(), data })
    }

    /// As another handler gets it.
    pub(super) fn json(&self) -> Value {
        let mut fields = self.fields.clone();
        fields.insert("message".to_owned(), self.message.clone().into());
        fields.into()
    }
}

/// A failure that a model reads. Beside a schema of the tool's own there is no value: it would not fit.
fn failure(trouble: &Trouble, tool: &Tool) -> ToolAnswer {
    let items: Vec<Item> = vec![trouble.message.clone().into()];
    if tool.output.is_some() {
        return ToolAnswer { said: Said::Items(items), failed: true, ..ToolAnswer::default() };
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
    ToolAnswer { value, said: Said::Both(items), failed: true, ..ToolAnswer::default() }
}

/// What a handler's entry and the libraries that it imported may use.
pub(super) type Modules = BTreeSet<String>;
