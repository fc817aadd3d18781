//! What can be found out of sources before they are called: whether each compiles, and has the function that its entry names.
//!
//! Owns: what a source may do while it is loaded to be checked: require what its entry lists, and nothing else.
//! Never: calls a handler.

use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;

use super::RegistryService;
use super::entry::{HandlerSpec, RegistryEntry};
use super::handler_call::{Abort, HandlerCall};
use super::operations::HandlerScope;
use super::problems::{ProblemList, RegistryProblem, Severity};
use super::snapshot::RegistrySnapshot;
use crate::limits::SOURCE_CHECK_TIMEOUT;
use wardroom_base::payload::Payload;
use wardroom_lua::{HandlerRequest, ScriptStep, ScriptStopError};
use wardroom_service::{RequestInfo, ServiceError};

/// What loading a source shows.
enum SourceStatus {
    Loads,
    /// Why it cannot be called.
    Fails(String),
    /// What it does while it is loaded, which a check does not do.
    NotChecked(String),
}

impl RegistryService {
    /// Loads the source of every entry in a worker, and returns what is wrong with them. Without workers nothing is found.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub fn check_sources(&self, info: &RequestInfo) -> Result<Vec<RegistryProblem>, ServiceError> {
        let snapshot = self.watcher.current();
        let mut problems = ProblemList::default();
        for entry in snapshot.entries.values() {
            let Some(handler) = &entry.handler else { continue };
            match HandlerCall::new(self, &snapshot, info)?.check_source(entry, handler) {
                SourceStatus::Loads => {}
                SourceStatus::Fails(why) => match snapshot.locate(&why) {
                    Some((file, line, why)) => {
                        let message = format!("{}: {why}", entry.name);
                        problems.push(RegistryProblem { file, line, severity: Severity::Error, message });
                    }
                    None => problems.error(entry, &why),
                },
                SourceStatus::NotChecked(what) => {
                    let message = format!("its source does {what} while it is loaded, so that it was not checked");
                    problems.warn(entry, entry.line, &message);
                }
            }
        }
        Ok(problems.into_sorted())
    }
}

impl RegistrySnapshot {
    /// Splits an error of Lua, which names a source by the id of its entry, into the file, the line and the reason. `None` for an
    /// error without a place.
    fn locate<'e>(&self, error: &'e str) -> Option<(String, u64, &'e str)> {
        let (place, reason) = error.split_once(": ")?;
        let (id, line) = place.rsplit_once(':')?;
        let handler = self.entries.get(id)?.handler.as_ref()?;
        Some((handler.file.clone(), line.parse().ok()?, reason))
    }
}

impl HandlerCall<'_> {
    fn check_source(&self, entry: &Arc<RegistryEntry>, handler: &HandlerSpec) -> SourceStatus {
        let Some(handlers) = &self.registry.handlers else { return SourceStatus::Loads };
        let request = HandlerRequest {
            id: entry.id.clone(),
            source: handler.source.to_string(),
            method: handler.method.clone().unwrap_or_default(),
            arguments: Value::Array(Vec::new()).into(),
            modules: handler.modules.clone(),
            imports: handler.imports.clone(),
            seed: 0,
            is_check: true,
        };
        let mut run = match handlers.start_call(&entry.namespace, &request, self.info.memory.share()) {
            Ok(run) => run,
            Err(error) => return SourceStatus::Fails(error.to_string()),
        };
        let (mut scope, mut refused) = (HandlerScope::new(entry, handler), None);
        let time = entry.timeout.min(SOURCE_CHECK_TIMEOUT);
        let deadline = Instant::now() + time;
        let cancelled = || self.info.cancellation.is_cancelled();
        loop {
            let answered = match run.step(deadline, &cancelled) {
                Ok(ScriptStep::Request { operation, arguments }) => {
                    let answer = match operation.as_str() {
                        "import" | "time" | "random" => {
                            self.perform_operation(&mut scope, &operation, &arguments.into_value())
                        }
                        _ => {
                            refused = Some(operation.clone());
                            Ok(Err(format!("{operation} is not done while a source is checked")))
                        }
                    };
                    match answer {
                        Ok(answer) => run.answer(answer.map(Payload::from)),
                        Err(Abort::Stopped(why)) => return SourceStatus::Fails(why),
                        Err(Abort::InputRequired(_)) => return SourceStatus::NotChecked(operation),
                    }
                }
                Ok(ScriptStep::Notify { .. }) => Ok(()),
                Ok(ScriptStep::Returned(returned)) => {
                    // An error that has a kind is returned instead of raised.
                    let raised = returned.field("error").map(Payload::into_value);
                    let message = |error: Value| error.get("message").and_then(Value::as_str).map(str::to_owned);
                    return match (raised, refused) {
                        (None, _) => SourceStatus::Loads,
                        (Some(_), Some(operation)) => SourceStatus::NotChecked(operation),
                        (Some(error), None) => SourceStatus::Fails(message(error).unwrap_or_default()),
                    };
                }
                Ok(ScriptStep::Failed { message, .. }) => {
                    return refused.map_or(SourceStatus::Fails(message), SourceStatus::NotChecked);
                }
                Err(stopped) => Err(stopped),
            };
            match answered {
                Ok(()) => {}
                Err(ScriptStopError::DeadlineExceeded) => {
                    let seconds = time.as_secs_f64();
                    return SourceStatus::Fails(format!("its source takes more than {seconds} s to be loaded"));
                }
                Err(stopped) => return SourceStatus::Fails(stopped.to_string()),
            }
        }
    }
}
