//! The operations that a handler may have the server perform, one file for each kind.
//!
//! Owns: which module an operation belongs to. The server also refuses an operation whose module the entry does not
//! list, whatever became of the Lua state that requests it.
//! Never: gives a handler a path, a descriptor or a name of the machine.

mod catalog;
mod client;
mod clock;
mod entries;
mod environment;
mod files;
mod http;
mod store;
mod stored_keys;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};

pub(super) use self::store::STORE_FOLDER;
pub use self::stored_keys::StoredKeyCounts;
use super::entry::{HandlerSpec, RegistryEntry};
use super::handler_call::{Abort, HandlerCall, ModuleSet};
use wardroom_appdir::Folder;
use wardroom_base::payload::Payload;
use wardroom_net::{FetchPolicy, HttpFetcher};

/// The resources that handlers may access; none by default.
#[derive(Default)]
pub struct HandlerCapabilities {
    /// The AppDir, which contains the handlers' store.
    pub app_dir: Option<Folder>,
    pub stored_keys: StoredKeyCounts,
    /// The folders that the operator granted for files, by name.
    pub mounts: BTreeMap<String, Folder>,
    /// The environment variables that the operator named.
    pub environment: BTreeMap<String, String>,
    /// The process that sends requests, if the operator allows any, and the policy on their targets.
    pub http: Option<Arc<HttpFetcher>>,
    pub network_policy: FetchPolicy,
}

/// The operations that one running handler may request.
pub(super) struct HandlerScope {
    pub(super) id: String,
    pub(super) namespace: String,
    modules: ModuleSet,
    /// The entries that the handler, or an entry that it imported, lists as imports.
    importable: BTreeSet<String>,
}

impl HandlerScope {
    pub(super) fn new(entry: &RegistryEntry, handler: &HandlerSpec) -> Self {
        let mut scope = Self {
            id: entry.id.clone(),
            namespace: entry.namespace.clone(),
            modules: ModuleSet::new(),
            importable: BTreeSet::new(),
        };
        scope.add_handler(handler);
        scope
    }

    /// Adds the modules and the imports of a handler or of an imported entry.
    fn add_handler(&mut self, handler: &HandlerSpec) {
        self.modules.extend(handler.modules.iter().cloned());
        self.importable.extend(handler.imports.values().cloned());
    }

    fn has_module(&self, module: &str) -> bool {
        self.modules.contains(module)
    }
}

/// The answer of an operation, as the handler gets it: a value, or why there is none.
pub(super) type OperationAnswer = Result<Value, String>;

/// An error with a kind (`errors.TIMEOUT` and others), which a module gives its handler instead of a value.
fn error_of_kind(kind: &str, message: impl Into<String>) -> Value {
    json!({"error": {"kind": kind, "message": message.into()}})
}

/// Returns the modules of which one must be listed for an operation; `None` for an operation that is open to every
/// handler.
fn required_modules(operation: &str) -> Option<&'static [&'static str]> {
    let (group, _) = operation.split_once('.').unwrap_or((operation, ""));
    Some(match group {
        "import" | "time" | "random" => return None,
        "store" => &["store"],
        "fs" => &["fs"],
        "env" => &["env"],
        "http" => &["http_client"],
        "resources" => &["resources"],
        "tools" => &["tools"],
        "funcs" => &["funcs"],
        "registry" => &["registry"],
        "elicit" => &["elicit"],
        "sample" => &["sample"],
        "roots" => &["roots"],
        "ask" => &["ask", "elicit", "sample", "roots"],
        "client" => return None,
        "progress" => &["progress", "alc"],
        "task" => &["task"],
        _ => &["alc"],
    })
}

impl HandlerCall<'_> {
    /// Performs an operation for a handler, or answers it from the journal where it was performed before.
    ///
    /// # Errors
    /// When the whole request ends.
    pub(super) fn perform_operation(
        &self,
        scope: &mut HandlerScope,
        operation: &str,
        arguments: &Value,
    ) -> Result<OperationAnswer, Abort> {
        if let Some(modules) = required_modules(operation)
            && !modules.iter().any(|module| scope.has_module(module))
        {
            return Ok(Err(format!(
                "{operation} needs the module {}, which {} does not list",
                modules.join(" or "),
                scope.id
            )));
        }
        match operation {
            // The operations of the called handlers are in the journal themselves.
            "funcs.call" => return self.call_function(arguments),
            "tools.call" if self.is_own_tool(arguments) => return self.call_own_tool(arguments),
            // An import has the same result every time.
            "import" => return Ok(self.import_source(scope, arguments)),
            _ => {}
        }
        let replayed = self.journal.borrow_mut().replay_answer(operation, arguments).map_err(Abort::Stopped)?;
        if let Some(answer) = replayed {
            return Ok(answer);
        }
        let answer = match operation {
            "elicit" | "sample" | "roots" | "ask" | "llm" => {
                let started_at = Instant::now();
                let responses = self.request_client_input(operation, arguments);
                // The time that the client takes is not the handler's.
                self.exclude_time(started_at.elapsed());
                responses?
            }
            _ => self.execute_operation(scope, operation, arguments),
        };
        self.journal.borrow_mut().record(operation, arguments, &answer);
        Ok(answer)
    }

    fn execute_operation(&self, scope: &HandlerScope, operation: &str, arguments: &Value) -> OperationAnswer {
        let capabilities = &self.registry.capabilities;
        match operation {
            "time" => clock::unix_time(),
            "random" => clock::random_bytes(arguments),
            "client" => Ok(self.client_capabilities()),
            "task.start" => self.info.client.as_ref().map_or(Ok(false), |client| client.begin_task()).map(Value::from),
            "env.get" => environment::read_variable(capabilities, arguments),
            "tools.call" => self.call_tool(arguments),
            "resources.read" => self.read_resource(arguments),
            "resources.list" => self.list_resources(arguments),
            "registry.get" => self.entry_for_handler(arguments),
            "registry.find" => self.find_entries(arguments),
            "http.request" => {
                let caller = self.info.caller.owner.sharing_name();
                let cancelled = || self.info.cancellation.is_cancelled();
                http::send_request(capabilities, arguments, caller, self.time_left(), &cancelled)
            }
            _ if operation.starts_with("store.") => {
                let is_over = || self.time_left().is_zero() || self.info.cancellation.is_cancelled();
                store::perform_operation(capabilities, &scope.namespace, operation, arguments, &is_over)
            }
            _ if operation.starts_with("fs.") => files::perform_operation(capabilities, operation, arguments),
            _ => {
                let done = self.info.catalogue.handle_script_call(
                    operation,
                    &Payload::from_value(arguments.clone()),
                    self.info,
                );
                done.map_or_else(
                    || Err(format!("unknown operation: {operation}; it may need the service alc")),
                    |done| done.map(Payload::into_value),
                )
            }
        }
    }

    /// Performs an operation for which the handler does not wait.
    ///
    /// # Errors
    /// A message, where the operation had to be stored and was not. The handler does not wait for it.
    pub(super) fn handle_notification(
        &self,
        scope: &HandlerScope,
        operation: &str,
        arguments: &Value,
    ) -> Result<(), String> {
        // A replayed handler repeats what it reported before.
        if !self.journal.borrow_mut().should_notify() {
            return Ok(());
        }
        match operation {
            "log" => self.send_log(scope, arguments),
            "progress" if scope.has_module("progress") || scope.has_module("alc") => self.send_progress(arguments),
            "changed" => self.notify_changed(scope, arguments),
            "state.set" if scope.has_module("alc") => {
                let stored = self.execute_operation(scope, operation, arguments);
                stored.map_err(|why| format!("the state that it set is not stored: {why}"))?;
            }
            other => tracing::debug!(entry = scope.id, operation = other, "unknown notification of a handler"),
        }
        Ok(())
    }
}

/// Returns a text among the arguments of an operation.
fn text_argument<'a>(arguments: &'a Value, name: &str) -> Result<&'a str, String> {
    arguments.get(name).and_then(Value::as_str).ok_or_else(|| format!("{name} must be text"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::RegistryService;
    use crate::snapshot::RegistrySnapshot;
    use wardroom_config::WatchMode;
    use wardroom_service::{Catalogue, RequestInfo};

    /// The operations of every module, as a worker requests them when its own checks are gone.
    const OPERATIONS: [(&str, &str); 22] = [
        ("store.get", "store"),
        ("store.set", "store"),
        ("store.keys", "store"),
        ("fs.read", "fs"),
        ("fs.write", "fs"),
        ("fs.remove", "fs"),
        ("env.get", "env"),
        ("http.request", "http_client"),
        ("resources.read", "resources"),
        ("resources.list", "resources"),
        ("tools.call", "tools"),
        ("funcs.call", "funcs"),
        ("registry.get", "registry"),
        ("registry.find", "registry"),
        ("elicit", "elicit"),
        ("sample", "sample"),
        ("roots", "roots"),
        ("ask", "ask"),
        ("progress", "progress"),
        ("task.start", "task"),
        ("llm", "alc"),
        ("state.get", "alc"),
    ];

    /// Returns the server's answer to a handler whose entry lists these modules.
    fn perform(operation: &str, modules: &[&str]) -> OperationAnswer {
        let registry = RegistryService::new(Vec::new(), Box::new(|_| false), WatchMode::Off);
        let loaded = Arc::new(RegistrySnapshot::default());
        let context = RequestInfo::new(&Arc::new(Catalogue::new(Vec::new())));
        let conversation = HandlerCall::new(&registry, &loaded, &context).unwrap();
        let mut scope = HandlerScope {
            id: "app:x".to_owned(),
            namespace: "app".to_owned(),
            modules: modules.iter().map(|module| (*module).to_owned()).collect(),
            importable: BTreeSet::new(),
        };
        let Ok(answer) = conversation.perform_operation(&mut scope, operation, &json!({"id": "app:y", "name": "y"}))
        else {
            panic!("{operation} ends the request");
        };
        answer
    }

    #[test]
    fn operation_of_unlisted_module_is_refused() {
        for (operation, module) in OPERATIONS {
            let others: Vec<&str> =
                OPERATIONS.iter().map(|(_, module)| *module).filter(|other| *other != module).collect();
            let elsewhere = ["ask", "elicit", "sample", "roots", "progress", "alc"];
            let others: Vec<&str> = others
                .into_iter()
                .filter(|other| !(elsewhere.contains(&module) && elsewhere.contains(other)))
                .collect();
            for modules in [&[][..], &others] {
                let why = perform(operation, modules).unwrap_err();
                assert!(why.contains(&format!("{operation} needs the module ")) && why.contains(module), "{why}");
                assert!(why.ends_with("which app:x does not list"), "{why}");
            }
            let answer = perform(operation, &[module]);
            assert!(!answer.as_ref().is_err_and(|why| why.contains("needs the module")), "{operation}: {answer:?}");
        }
        // An unknown operation belongs to the library of strategies.
        assert!(perform("no.such", &["store"]).unwrap_err().contains("needs the module alc"));
    }
}
