//! The declared prompts of one caller: their list, one of them by name, and completions of their arguments.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::RegistryService;
use super::declarations::CompletionSource;
use super::entry::RegistryEntry;
use super::handler_call::HandlerCall;
use super::prompts;
use super::snapshot::RegistrySnapshot;
use serde_json::{Value, json};
use wardroom_service::limits::MAX_COMPLETIONS;
use wardroom_service::{
    ArgumentCompletion, Caller, Cost, Dependencies, PromptEntry, PromptProvider, RenderedPrompt, ServiceError,
    UnknownName, Work, escape_and_truncate,
};

impl PromptProvider for RegistryService {
    fn list(&self, mark: Option<&str>, limit: usize, caller: &Caller) -> Vec<Arc<PromptEntry>> {
        let snapshot = self.watcher.current();
        let shown = snapshot.visible_after(&snapshot.prompts, mark, caller);
        let prompts = shown.filter_map(|(_, entry)| entry.prompt.as_ref()).filter(|prompt| !prompt.is_template);
        prompts.map(|prompt| Arc::clone(&prompt.list_entry)).take(limit).collect()
    }

    fn resolve(
        self: Arc<Self>,
        name: &str,
        arguments: &Arc<BTreeMap<String, String>>,
        caller: &Arc<Caller>,
    ) -> Option<Result<Work<RenderedPrompt>, ServiceError>> {
        let snapshot = self.watcher.current();
        let (entry, prompt) = snapshot.prompt(name, caller)?;
        if prompt.is_template {
            let message = format!("Cannot get template directly: {}", escape_and_truncate(name));
            return Some(Err(ServiceError::Invalid(message)));
        }
        let (entry, name, arguments) = (Arc::clone(entry), name.to_owned(), Arc::clone(arguments));
        let work = Work::new(Cost::Worker, move |info| {
            let prompt = entry.prompt.as_ref().ok_or(ServiceError::UnknownPrompt(UnknownName::new(name)))?;
            let arguments = prompts::fill_defaults(prompt, (*arguments).clone())?;
            if prompt.is_dynamic() {
                return HandlerCall::new(&self, &snapshot, info)?.run_prompt(&entry, prompt, &arguments);
            }
            prompts::render_prompt(prompt, arguments, &snapshot, &info.caller)
        });
        Some(Ok(work.with_client()))
    }

    fn list_dependencies(&self, caller: &Caller) -> Dependencies {
        self.dependencies_on(|loaded| loaded.visible_digest(&[&loaded.prompts], caller))
    }

    fn complete(
        self: Arc<Self>,
        completing: &ArgumentCompletion,
        caller: &Arc<Caller>,
    ) -> Option<Result<Work<Vec<String>>, ServiceError>> {
        let snapshot = self.watcher.current();
        let (entry, _) = snapshot.prompt(&completing.prompt, caller).filter(|(_, prompt)| !prompt.is_template)?;
        let ArgumentCompletion { prompt, argument, prefix, other_arguments } = completing;
        let request = json!({"prompt": prompt, "argument": argument, "value": prefix, "context": other_arguments});
        let entry = Arc::clone(entry);
        Some(Ok(self.complete_value(snapshot, entry, argument, prefix, request)))
    }
}

impl RegistryService {
    /// Returns the work that lists the values which an entry declares for `name`. `request` is what a handler gets.
    pub(super) fn complete_value(
        self: Arc<Self>,
        snapshot: Arc<RegistrySnapshot>,
        entry: Arc<RegistryEntry>,
        name: &str,
        prefix: &str,
        request: Value,
    ) -> Work<Vec<String>> {
        let (name, prefix) = (name.to_owned(), prefix.to_owned());
        Work::new(Cost::Worker, move |info| {
            let mut values = match entry.completions.get(&name) {
                None => Vec::new(),
                Some(CompletionSource::List(values)) => values.clone(),
                Some(CompletionSource::Entry(id)) => {
                    HandlerCall::new(&self, &snapshot, info)?.run_completion(id, request)?
                }
            };
            values.retain(|value| value.starts_with(&prefix));
            values.truncate(MAX_COMPLETIONS * 100);
            Ok(values)
        })
    }
}
