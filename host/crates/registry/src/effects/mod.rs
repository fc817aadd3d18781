//! What a handler may have the server do, one file for each kind.
//!
//! Owns: which module an operation belongs to. A worker that asks for what its entry does not list is refused here too,
//! whatever became of the Lua state that asks.
//! Never: gives a handler a path, a descriptor or a name of the machine.

mod client;
mod entries;
mod environment;
mod files;
mod http;
mod plain;
mod server;
mod store;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;

pub use self::files::Mounted;
pub(super) use self::store::STORE;
use super::calls::{Conversation, Halt, Modules};
use super::entry::{Entry, Handler};
use wardroom_appdir::Folder;
use wardroom_base::payload::Payload;
use wardroom_net::{Http, Policy};

/// What handlers may reach: nothing when nothing is said.
#[derive(Default)]
pub struct Reach {
    /// The AppDir, for what they store.
    pub app: Option<Folder>,
    /// The folders that the operator granted for files, by name.
    pub mounts: BTreeMap<String, Mounted>,
    /// The variables that the operator named.
    pub environment: BTreeMap<String, String>,
    /// What makes requests, where the operator allows any, and where they may go.
    pub http: Option<Arc<Http>>,
    pub hosts: Policy,
}

/// One handler that runs: what it may ask for.
pub(super) struct Scope {
    pub(super) id: String,
    pub(super) namespace: String,
    modules: Modules,
    /// The entries that it, or what it imported, names as imports.
    importable: BTreeSet<String>,
}

impl Scope {
    pub(super) fn new(entry: &Entry, handler: &Handler) -> Self {
        let mut scope = Self {
            id: entry.id.clone(),
            namespace: entry.namespace.clone(),
            modules: Modules::new(),
            importable: BTreeSet::new(),
        };
        scope.extend(handler);
        scope
    }

    /// What it imports brings its own modules.
    fn extend(&mut self, handler: &Handler) {
        self.modules.extend(handler.modules.iter().cloned());
        self.importable.extend(handler.imports.values().cloned());
    }

    fn lists(&self, module: &str) -> bool {
        self.modules.contains(module)
    }
}

/// The modules of which one must be listed for an operation; nothing for what every handler may ask.
fn modules_of(operation: &str) -> Option<&'static [&'static str]> {
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

impl Conversation<'_> {
    /// Answers what a handler asks, from the journal where it was asked before.
    ///
    /// # Errors
    /// What ends the whole request.
    pub(super) fn perform(
        &self,
        scope: &mut Scope,
        operation: &str,
        arguments: &Value,
    ) -> Result<Result<Value, String>, Halt> {
        if let Some(modules) = modules_of(operation)
            && !modules.iter().any(|module| scope.lists(module))
        {
            return Ok(Err(format!(
                "{operation} needs the module {}, which {} does not list",
                modules.join(" or "),
                scope.id
            )));
        }
        match operation {
            // What these ask stands in the journal itself.
            "funcs.call" => return self.call_function(arguments),
            "tools.call" if self.is_own_tool(arguments) => return self.call_own_tool(arguments),
            // The same at every time.
            "import" => return Ok(self.import(scope, arguments)),
            _ => {}
        }
        let replayed = self.journal.borrow_mut().replayed(operation, arguments).map_err(Halt::Stopped)?;
        if let Some(answer) = replayed {
            return Ok(answer);
        }
        let answer = match operation {
            "elicit" | "sample" | "roots" | "ask" | "llm" => {
                let begun = Instant::now();
                let asked = self.ask_client(operation, arguments);
                // What its client takes is not the handler's time.
                self.excuse(begun.elapsed());
                asked?
            }
            _ => self.performed(scope, operation, arguments),
        };
        self.journal.borrow_mut().note(operation, arguments, &answer);
        Ok(answer)
    }

    fn performed(&self, scope: &Scope, operation: &str, arguments: &Value) -> Result<Value, String> {
        let reach = &self.registry.reach;
        match operation {
            "time" => plain::time(),
            "random" => plain::random(arguments),
            "client" => Ok(self.features()),
            "task.start" => {
                self.context.client.as_ref().map_or(Ok(false), |client| client.begin_task()).map(Value::from)
            }
            "env.get" => environment::get(reach, arguments),
            "tools.call" => self.call_tool(arguments),
            "resources.read" => self.read_resource(arguments),
            "resources.list" => self.list_resources(arguments),
            "registry.get" => self.get_entry(arguments),
            "registry.find" => self.find_entries(arguments),
            "http.request" => http::request(reach, arguments, self.left(), &|| self.context.cancelled.is_cancelled()),
            _ if operation.starts_with("store.") => {
                let is_over = || self.left().is_zero() || self.context.cancelled.is_cancelled();
                store::perform(reach, &scope.namespace, operation, arguments, &is_over)
            }
            _ if operation.starts_with("fs.") => files::perform(reach, operation, arguments),
            _ => {
                let done =
                    self.context.catalogue.operation(operation, &Payload::from_value(arguments.clone()), self.context);
                done.map_or_else(
                    || Err(format!("unknown operation: {operation}; is the service alc offered?")),
                    |done| done.map(Payload::into_value),
                )
            }
        }
    }

    /// What a handler tells without waiting.
    ///
    /// # Errors
    /// In words, where that was to be kept and is not. The handler does not wait to hear of it.
    pub(super) fn told(&self, scope: &Scope, operation: &str, arguments: &Value) -> Result<(), String> {
        // Whoever is called again was told before.
        if !self.journal.borrow_mut().is_news() {
            return Ok(());
        }
        match operation {
            "log" => self.log(scope, arguments),
            "progress" if scope.lists("progress") || scope.lists("alc") => self.progress(arguments),
            "changed" => self.changed(scope, arguments),
            "state.set" if scope.lists("alc") => {
                let stored = self.performed(scope, operation, arguments);
                stored.map_err(|why| format!("what it set is not stored: {why}"))?;
            }
            other => tracing::debug!(entry = scope.id, operation = other, "told in vain"),
        }
        Ok(())
    }
}

/// A text among the arguments of an operation.
fn text<'a>(arguments: &'a Value, name: &str) -> Result<&'a str, String> {
    arguments.get(name).and_then(Value::as_str).ok_or_else(|| format!("{name} must be text"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Registry;
    use crate::loaded::Loaded;
    use wardroom_config::Watch;
    use wardroom_service::{CallContext, Catalogue};

    /// The operations of every module, as a worker asks for them whose own checks are gone.
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

    /// What the server says to a handler whose entry lists these modules.
    fn asked(operation: &str, modules: &[&str]) -> Result<Value, String> {
        let registry = Registry::new(Vec::new(), Box::new(|_| false), Watch::Off);
        let loaded = Arc::new(Loaded::default());
        let context = CallContext::patient(&Arc::new(Catalogue::new(Vec::new())));
        let conversation = Conversation::new(&registry, &loaded, &context).unwrap();
        let mut scope = Scope {
            id: "app:x".to_owned(),
            namespace: "app".to_owned(),
            modules: modules.iter().map(|module| (*module).to_owned()).collect(),
            importable: BTreeSet::new(),
        };
        let Ok(answer) = conversation.perform(&mut scope, operation, &json!({"id": "app:y", "name": "y"})) else {
            panic!("{operation} ends the request");
        };
        answer
    }

    #[test]
    fn what_an_entry_does_not_list_is_refused_whatever_its_worker_says() {
        for (operation, module) in OPERATIONS {
            let others: Vec<&str> =
                OPERATIONS.iter().map(|(_, module)| *module).filter(|other| *other != module).collect();
            let elsewhere = ["ask", "elicit", "sample", "roots", "progress", "alc"];
            let others: Vec<&str> = others
                .into_iter()
                .filter(|other| !(elsewhere.contains(&module) && elsewhere.contains(other)))
                .collect();
            for modules in [&[][..], &others] {
                let why = asked(operation, modules).unwrap_err();
                assert!(why.contains(&format!("{operation} needs the module ")) && why.contains(module), "{why}");
                assert!(why.ends_with("which app:x does not list"), "{why}");
            }
            let answer = asked(operation, &[module]);
            assert!(!answer.as_ref().is_err_and(|why| why.contains("needs the module")), "{operation}: {answer:?}");
        }
        // What nobody knows belongs to the library of strategies.
        assert!(asked("no.such", &["store"]).unwrap_err().contains("needs the module alc"));
    }
}
