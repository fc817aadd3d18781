//! The capabilities of services: what each may offer, one trait for each kind.
//!
//! Owns: the traits. A request names a resource, tool or prompt; a provider resolves it once, against one snapshot, into
//! an owned value that runs once.
//! Never: depends on the protocol.
//!
//! A lookup returns `None` for what is not this provider's, so that the catalogue tries the next one. Lookups run on the
//! protocol's thread: they parse, look up and stat, and leave everything else to the [`Work`] that they return.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use super::similar::similar_uri;
use crate::limits::MAX_COMPARED_URIS;
use wardroom_base::payload::Payload;
use wardroom_base::uri::Scheme;

use super::{
    Caller, Cost, Dependencies, ListPage, PageProvider, ParamHeader, PromptEntry, RenderedPrompt, RequestInfo,
    ResourceContent, ResourceEntry, ServiceError, TaskSupport, TemplateEntry, ToolEntry, ToolOutput, Work,
};

/// A group of resources, tools and prompts that are enabled together.
pub trait Service: Send + Sync {
    /// Returns the service's name in the configuration and on the command line.
    fn name(&self) -> &'static str;

    /// Returns the service's part of the instructions for a model.
    fn instructions(&self) -> &'static str;

    /// Returns the folders of the AppDir that the service writes to. All of the AppDir is readable; the kernel is asked
    /// to deny writes elsewhere.
    fn writable_dirs(&self) -> &'static [&'static str] {
        &[]
    }

    /// Prepares what the first request would otherwise wait for. Called once, on a worker thread, while the client
    /// handles the first answer.
    fn warm_up(&self) {}

    /// Whether the providers can look up names. Before [`Self::load`] a service may not know its entries.
    fn is_loaded(&self) -> bool {
        true
    }

    /// Loads the entries. Called on a worker thread, at the first request for a name that no earlier service has.
    fn load(&self) {}

    /// Refreshes cached state unless it was refreshed after `since`. Called before dependencies are computed.
    fn refresh(&self, since: Instant) {
        let _ = since;
    }

    fn resources(self: Arc<Self>) -> Option<Arc<dyn ResourceProvider>> {
        None
    }

    fn tools(self: Arc<Self>) -> Option<Arc<dyn ToolProvider>> {
        None
    }

    fn prompts(self: Arc<Self>) -> Option<Arc<dyn PromptProvider>> {
        None
    }

    fn script_api(self: Arc<Self>) -> Option<Arc<dyn ScriptApi>> {
        None
    }

    /// Whether this service finds tools that lists leave out.
    fn searches_tools(&self) -> bool {
        false
    }

    /// Returns the pages for people, if the service has some.
    fn pages(self: Arc<Self>) -> Option<Arc<dyn PageProvider>> {
        None
    }
}

/// Resources, as pages of a list, as templates, and by URI.
pub trait ResourceProvider: Send + Sync {
    /// Returns the URI scheme of the resources, if they have one of their own.
    fn scheme(&self) -> Option<&'static Scheme> {
        None
    }

    /// Returns the cost of [`Self::list`].
    fn list_cost(&self) -> Cost {
        Cost::Inline
    }

    /// Returns a page of the listed resources: at most `limit` entries after the one that `mark` stands for. `limit` is
    /// never 0. If more entries follow, `next_cursor` is a mark in the provider's own format; it stays valid when its
    /// resource is gone.
    ///
    /// # Errors
    /// For a mark that this provider does not issue, and when the entries cannot be read.
    fn list(
        &self,
        mark: Option<&str>,
        limit: usize,
        info: &RequestInfo,
    ) -> Result<ListPage<ResourceEntry>, ServiceError>;

    /// Returns the templates that the caller may see, in listing order.
    fn templates(&self, caller: &Caller) -> Vec<Arc<TemplateEntry>> {
        let _ = caller;
        Vec::new()
    }

    /// Resolves a URI into the read of that resource.
    ///
    /// # Errors
    /// The reason; its variant says who can fix it.
    fn resolve(self: Arc<Self>, uri: &str, caller: &Arc<Caller>)
    -> Option<Result<Work<ResourceContent>, ServiceError>>;

    /// Returns the URI of a resource that the caller may read, and that is similar to `uri`, which does not exist. It may take
    /// the time of a worker.
    fn closest_uri(&self, uri: &str, info: &RequestInfo) -> Option<String> {
        if self.list_cost() > Cost::Worker {
            return None;
        }
        let page = self.list(None, MAX_COMPARED_URIS, info).ok()?;
        similar_uri(uri, page.items.iter().map(|entry| &*entry.uri)).map(str::to_owned)
    }

    /// Checks that `uri` could name a resource, existing or not. Judges by the URI's text, and reads no resource.
    ///
    /// # Errors
    /// As [`Self::resolve`] for the same text.
    fn validate(&self, uri: &str, caller: &Caller) -> Option<Result<(), ServiceError>>;

    /// Returns what the resource `uri` depends on. The resource need not exist.
    ///
    /// # Errors
    /// As [`Self::validate`].
    fn dependencies(&self, uri: &str, caller: &Caller) -> Option<Result<Dependencies, ServiceError>> {
        Some(self.validate(uri, caller)?.map(|()| Dependencies::default()))
    }

    /// Returns what the list depends on, as the caller sees it.
    fn list_dependencies(&self, caller: &Caller) -> Dependencies {
        let _ = caller;
        Dependencies::default()
    }

    /// Resolves a request for the values of a template's variable that begin with the typed prefix, sorted.
    ///
    /// # Errors
    /// For a variable that the template does not have.
    fn complete(
        self: Arc<Self>,
        completing: &VariableCompletion,
        caller: &Arc<Caller>,
    ) -> Option<Result<Work<Vec<String>>, ServiceError>> {
        let _ = (completing, caller);
        None
    }
}

/// Tools, as pages of a list and by name.
pub trait ToolProvider: Send + Sync {
    /// Returns at most `limit` tools that the caller may see, after the one that `mark` names. A list that can change is
    /// sorted by name: a page begins after a name, whether or not that tool still exists.
    fn list(&self, mark: Option<&str>, limit: usize, caller: &Caller) -> Vec<Arc<ToolEntry>>;

    /// Resolves the name of a tool that the caller may see.
    fn resolve(self: Arc<Self>, name: &str, caller: &Arc<Caller>) -> Option<Arc<dyn ResolvedTool>>;

    /// Whether calls can continue as tasks, now or later.
    fn has_tasks(&self) -> bool {
        false
    }

    /// Returns what the list depends on, as the caller sees it, if the list can change.
    fn list_dependencies(&self, caller: &Caller) -> Dependencies {
        let _ = caller;
        Dependencies::default()
    }
}

/// One tool, as it was when its name was resolved. Its schema, its calls and their results belong together.
pub trait ResolvedTool: Send + Sync {
    fn name(&self) -> &str;

    /// Whether a call may change something. A tool that does not say counts as one that does.
    fn may_change(&self) -> bool;

    /// Whether a call may replace or remove something. A tool that does not say counts as one that does.
    fn may_destroy(&self) -> bool {
        self.may_change()
    }

    /// Whether lists leave the tool out where tools can be searched.
    fn is_on_demand(&self) -> bool {
        false
    }

    /// Returns how calls can be tasks, if they can.
    fn task_support(&self) -> Option<TaskSupport> {
        None
    }

    /// Returns the arguments that a request over HTTP repeats in its headers, in the modern revision.
    fn param_headers(&self) -> &[ParamHeader] {
        &[]
    }

    /// Whether what a call does is recorded in the audit trail by the tool itself. Refused calls are counted all the same.
    fn records_itself(&self) -> bool {
        false
    }

    /// Whether a call is another tool's call, which is recorded as that.
    fn stands_for_another(&self) -> bool {
        false
    }

    /// Returns a call with these arguments, which knows its cost. It fails with [`ServiceError::Tool`] for what the
    /// tool's caller can fix.
    fn call(self: Arc<Self>, arguments: Payload) -> Work<ToolOutput>;
}

/// Prompts, as pages of a list and by name.
pub trait PromptProvider: Send + Sync {
    /// Returns at most `limit` prompts that the caller may see, sorted by name, after the one that `mark` names.
    fn list(&self, mark: Option<&str>, limit: usize, caller: &Caller) -> Vec<Arc<PromptEntry>>;

    /// Resolves the name of a prompt that the caller may see into its rendering with these arguments.
    ///
    /// # Errors
    /// The reason; its variant says who can fix it.
    fn resolve(
        self: Arc<Self>,
        name: &str,
        arguments: &Arc<BTreeMap<String, String>>,
        caller: &Arc<Caller>,
    ) -> Option<Result<Work<RenderedPrompt>, ServiceError>>;

    /// Returns what the list depends on, as the caller sees it.
    fn list_dependencies(&self, caller: &Caller) -> Dependencies {
        let _ = caller;
        Dependencies::default()
    }

    /// Resolves a request for the values of a prompt's argument that begin with the typed prefix, sorted.
    ///
    /// # Errors
    /// For an argument that the prompt does not have.
    fn complete(
        self: Arc<Self>,
        completing: &ArgumentCompletion,
        caller: &Arc<Caller>,
    ) -> Option<Result<Work<Vec<String>>, ServiceError>> {
        let _ = (completing, caller);
        None
    }
}

/// The operations that scripts request.
pub trait ScriptApi: Send + Sync {
    /// Performs an operation; `None` if this service does not have it.
    fn handle(&self, operation: &str, arguments: &Payload, info: &RequestInfo) -> Option<Result<Payload, String>>;
}

/// A template's variable that a user is typing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableCompletion {
    pub template: String,
    pub variable: String,
    pub prefix: String,
}

/// A prompt's argument that a user is typing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgumentCompletion {
    pub prompt: String,
    pub argument: String,
    pub prefix: String,
    pub other_arguments: BTreeMap<String, String>,
}
