//! The interface of services: the trait that each of them implements, and the types that it answers with.
//!
//! Owns: [`Service`], the plain types that pass between services and the protocol, and [`Catalogue`], which finds the
//! service for a URI, a tool or a prompt.
//! Gives: plain values and [`ServiceError`]; no type here depends on the protocol.
//! Never: lets one service name another; a service reaches the others through [`CallContext`].

mod caller;
mod catalogue;
mod client;
mod content;
mod dependencies;
mod error;
pub mod error_code;
pub mod limits;
mod prompt;
mod resource;
pub mod schema;
pub mod tasks;
mod tool;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use tokio_util::sync::CancellationToken;

use wardroom_base::payload::Payload;
use wardroom_base::uri::Scheme;

pub use self::caller::{Caller, Transport};
pub use self::catalogue::{Catalogue, ListPage, has_scheme};
pub use self::client::{
    ChangeNotification, Client, ClientCapability, ClientResponses, Elicitation, InputMode, InputRequest,
    InputRequestKind, InputRequired, LogLevel, SamplingPrompt, SamplingRequest, sampling_response_text,
};
pub use self::content::{
    ContentAnnotations, ContentBlock, ContentItem, EmbeddedResource, Icon, MessageRole, ResourceLink,
};
pub use self::dependencies::{Dependencies, Fingerprint, WatchedDir};
pub use self::error::{ServiceError, escape_and_truncate};
pub use self::error_code::ToolErrorCode;
pub use self::prompt::{CompletionRequest, PromptArgument, PromptEntry, PromptMessage, RenderedPrompt};
pub use self::resource::{Encoding, EntryExtras, ResourceContent, ResourceEntry, TemplateEntry};
pub use self::tool::{
    ContentMode, ParamHeader, SharedSchema, TaskSupport, ToolAnnotations, ToolBehavior, ToolEntry, ToolOutput,
};

/// A group of resources, tools and prompts that are enabled together.
pub trait Service: Send + Sync {
    /// Returns the service's name in the configuration and on the command line.
    fn name(&self) -> &'static str;

    /// Returns the service's part of the instructions for a model.
    fn instructions(&self) -> &'static str;

    /// Prepares what the first request would otherwise wait for. Called once, on a worker thread, while the client
    /// handles the first answer.
    fn warm_up(&self) {}

    /// Makes sure that the service's lists are loaded. Called before methods that cannot return
    /// [`ServiceError::Later`].
    ///
    /// # Errors
    /// [`ServiceError::Later`] where loading is too much for a light attempt; any other attempt loads.
    fn ensure_loaded(&self, context: &CallContext) -> Result<(), ServiceError> {
        let _ = context;
        Ok(())
    }

    /// Returns the folders of the AppDir that the service writes to. All of the AppDir is readable; the kernel is asked
    /// to deny writes elsewhere.
    fn writable_dirs(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the URI scheme of the service's resources, if it has its own.
    fn scheme(&self) -> Option<&'static Scheme> {
        None
    }

    /// Returns a page of the listed resources, as currently known: at most `limit` entries after the one that `mark`
    /// stands for. `limit` is never 0. If more entries follow, `next_cursor` is a mark in the service's own format; it
    /// stays valid when its resource is gone.
    ///
    /// # Errors
    /// For a mark that this service does not issue; [`ServiceError::Later`] for work that is too much for a light
    /// attempt.
    fn resources(
        &self,
        mark: Option<&str>,
        limit: usize,
        context: &CallContext,
    ) -> Result<ListPage<ResourceEntry>, ServiceError> {
        let _ = (mark, limit, context);
        Ok(ListPage { items: Vec::new(), next_cursor: None })
    }

    /// Returns the templates of the service's resources that the caller may see, in listing order.
    fn templates(&self, context: &CallContext) -> Vec<Arc<TemplateEntry>> {
        let _ = context;
        Vec::new()
    }

    /// Returns the tools that the caller may see. A list that can change is sorted by name: a page begins after a name,
    /// whether or not that tool still exists.
    ///
    /// # Errors
    /// [`ServiceError::Later`] for work that is too much for a light attempt.
    fn tools(&self, context: &CallContext) -> Result<Vec<Arc<ToolEntry>>, ServiceError> {
        let _ = context;
        Ok(Vec::new())
    }

    /// Returns at most `limit` tools after the one that `mark` names.
    ///
    /// # Errors
    /// As [`Self::tools`].
    fn tools_after(
        &self,
        mark: Option<&str>,
        limit: usize,
        context: &CallContext,
    ) -> Result<Vec<Arc<ToolEntry>>, ServiceError> {
        Ok(catalogue::entries_after(self.tools(context)?, mark, limit, |entry| &entry.name))
    }

    /// Returns the tool of this name, if the caller may see it.
    fn tool(&self, name: &str, context: &CallContext) -> Option<Arc<ToolEntry>> {
        self.tools(context).ok()?.into_iter().find(|entry| entry.name == name)
    }

    /// Whether the service has this tool and the caller may see it. Called for every request, so it builds no schemas.
    /// In a light attempt no tool exists before the service is [loaded](Self::ensure_loaded).
    fn has_tool(&self, name: &str, context: &CallContext) -> bool {
        let _ = (name, context);
        false
    }

    /// Whether calls of the service's tools can continue as tasks, now or later.
    fn has_tasks(&self) -> bool {
        false
    }

    /// Returns how calls of a tool can be tasks, if they can. Called for every request.
    fn task_support(&self, tool: &str, context: &CallContext) -> Option<TaskSupport> {
        let _ = (tool, context);
        None
    }

    /// Whether the service can have prompts, now or later.
    fn has_prompts(&self) -> bool {
        false
    }

    /// Returns the prompts that the caller may see, sorted by name.
    ///
    /// # Errors
    /// [`ServiceError::Later`] for work that is too much for a light attempt.
    fn prompts(&self, context: &CallContext) -> Result<Vec<Arc<PromptEntry>>, ServiceError> {
        let _ = context;
        Ok(Vec::new())
    }

    /// Returns at most `limit` prompts after the one that `mark` names.
    ///
    /// # Errors
    /// As [`Self::prompts`].
    fn prompts_after(
        &self,
        mark: Option<&str>,
        limit: usize,
        context: &CallContext,
    ) -> Result<Vec<Arc<PromptEntry>>, ServiceError> {
        Ok(catalogue::entries_after(self.prompts(context)?, mark, limit, |entry| &entry.name))
    }

    /// Renders a prompt with its arguments.
    ///
    /// # Errors
    /// [`ServiceError::UnknownPrompt`] for a prompt that does not exist or that the caller may not see.
    fn prompt(
        &self,
        name: &str,
        arguments: BTreeMap<String, String>,
        context: &CallContext,
    ) -> Result<RenderedPrompt, ServiceError> {
        let _ = (arguments, context);
        Err(ServiceError::UnknownPrompt(name.to_owned()))
    }

    /// Whether this service answers for a URI, judging by the URI's text.
    ///
    /// # Errors
    /// [`ServiceError::Later`] for work that is too much for a light attempt.
    fn matches(&self, uri: &str, context: &CallContext) -> Result<bool, ServiceError> {
        let _ = context;
        Ok(self.scheme().is_some_and(|scheme| scheme.matches(uri)))
    }

    /// Reads the resource `uri`, which this service [matches](Self::matches).
    ///
    /// # Errors
    /// The reason; its variant says who can fix it. [`ServiceError::Later`] for work that is too much for a light
    /// attempt.
    fn read(&self, uri: &str, context: &CallContext) -> Result<ResourceContent, ServiceError> {
        let _ = context;
        Err(ServiceError::NotFound { uri: uri.to_owned() })
    }

    /// Checks that `uri` could name a resource, existing or not. Judges by the URI's text, and reads no resource.
    ///
    /// # Errors
    /// As [`Self::read`] for the same text.
    fn validate(&self, uri: &str, context: &CallContext) -> Result<(), ServiceError> {
        let _ = context;
        Err(ServiceError::NotFound { uri: uri.to_owned() })
    }

    /// Refreshes cached state unless it was refreshed after `since`. Called before dependencies are computed.
    fn refresh(&self, since: Instant) {
        let _ = since;
    }

    /// Returns what the resource `uri` depends on. The resource need not exist.
    ///
    /// # Errors
    /// As [`Self::validate`].
    fn dependencies(&self, uri: &str, context: &CallContext) -> Result<Dependencies, ServiceError> {
        self.validate(uri, context).map(|()| Dependencies::default())
    }

    /// Returns what the list of the service's resources depends on, as the caller sees it.
    fn resource_list_dependencies(&self, context: &CallContext) -> Dependencies {
        let _ = context;
        Dependencies::default()
    }

    /// Returns what the list of the service's tools depends on, as the caller sees it, if that list can change.
    fn tool_list_dependencies(&self, context: &CallContext) -> Dependencies {
        let _ = context;
        Dependencies::default()
    }

    /// Returns what the list of the service's prompts depends on, as the caller sees it.
    fn prompt_list_dependencies(&self, context: &CallContext) -> Dependencies {
        let _ = context;
        Dependencies::default()
    }

    /// Performs an operation that a script requests; `None` if this service does not have the operation.
    fn handle_script_call(
        &self,
        operation: &str,
        arguments: &Payload,
        context: &CallContext,
    ) -> Option<Result<Payload, String>> {
        let _ = (operation, arguments, context);
        None
    }

    /// Returns the tool arguments that a request over HTTP repeats in its headers, in the modern revision. Called for
    /// every request, where blocking is not allowed.
    fn param_headers(&self, tool: &str) -> Vec<ParamHeader> {
        let _ = tool;
        Vec::new()
    }

    /// Calls one of this service's tools.
    ///
    /// # Errors
    /// The reason; [`ServiceError::Tool`] for what the tool's caller can fix.
    fn call(&self, tool: &str, arguments: Payload, context: &CallContext) -> Result<ToolOutput, ServiceError> {
        let _ = (arguments, context);
        Err(ServiceError::UnknownTool(tool.to_owned()))
    }

    /// Returns the values of a template's variable or a prompt's argument that begin with the typed prefix, sorted.
    /// `None` for a template or a prompt of another service. Never called in a light attempt.
    ///
    /// # Errors
    /// When the names cannot be listed; [`ServiceError::Later`] where they may be too many for this attempt.
    fn complete(
        &self,
        completing: &CompletionRequest,
        context: &CallContext,
    ) -> Result<Option<Vec<String>>, ServiceError> {
        let _ = (completing, context);
        Ok(None)
    }
}

/// The context in which a call runs.
#[derive(Clone)]
pub struct CallContext {
    /// Cancelled when the client gave up on this call.
    pub cancellation: CancellationToken,
    /// The services that the caller may use.
    pub catalogue: Arc<Catalogue>,
    pub tier: ExecutionTier,
    /// The client behind the call, if one is listening.
    pub client: Option<Arc<dyn Client>>,
    /// The caller, which decides what the call may see.
    pub caller: Arc<Caller>,
    /// How many handlers wait for the result of this call.
    pub handler_depth: usize,
}

/// The largest size of a document at each [`ExecutionTier`], in bytes.
#[derive(Debug, Clone, Copy)]
pub struct SizeLimits {
    /// In a light attempt.
    pub light: u64,
    /// In a full attempt, which runs beside others.
    pub full: u64,
    /// In any attempt.
    pub large: u64,
}

/// How much work a call may do on the thread that runs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExecutionTier {
    /// Microseconds, on the protocol's own thread: cached data, or one small file. A call that needs more is repeated
    /// at [`Self::Full`].
    Light,
    /// Any amount of time on a worker thread, but no large document: a call for one is repeated at [`Self::Large`].
    Full,
    /// Any amount of work, on one of a few threads.
    Large,
}

impl CallContext {
    /// Creates the context of a caller that waits for as long as the call takes.
    #[must_use]
    pub fn unbounded(catalogue: &Arc<Catalogue>) -> Self {
        let cancelled = CancellationToken::new();
        let caller = Arc::default();
        Self {
            cancellation: cancelled,
            catalogue: Arc::clone(catalogue),
            tier: ExecutionTier::Large,
            client: None,
            caller,
            handler_depth: 0,
        }
    }

    /// Returns the read limit of a file that has at most `full` bytes: `light` bytes in a light attempt.
    #[must_use]
    pub fn read_limit(&self, light: u64, full: u64) -> u64 {
        match self.tier {
            ExecutionTier::Light => light,
            ExecutionTier::Full | ExecutionTier::Large => full,
        }
    }

    /// Returns the size limit of a document at this tier.
    #[must_use]
    pub fn size_limit(&self, sizes: SizeLimits) -> u64 {
        match self.tier {
            ExecutionTier::Light => sizes.light,
            ExecutionTier::Full => sizes.full,
            ExecutionTier::Large => sizes.large,
        }
    }

    /// Requires the large tier.
    ///
    /// # Errors
    /// [`ServiceError::Later`] at any smaller tier.
    pub fn require_large(&self) -> Result<(), ServiceError> {
        match self.tier {
            ExecutionTier::Light | ExecutionTier::Full => Err(ServiceError::Later),
            ExecutionTier::Large => Ok(()),
        }
    }

    /// Requires more than a light attempt.
    ///
    /// # Errors
    /// [`ServiceError::Later`] in a light attempt.
    pub fn require_full(&self) -> Result<(), ServiceError> {
        match self.tier {
            ExecutionTier::Light => Err(ServiceError::Later),
            ExecutionTier::Full | ExecutionTier::Large => Ok(()),
        }
    }
}

/// The MIME types of stored content.
pub mod mime {
    pub const LUA: &str = "text/x-lua";
    pub const JSON: &str = "application/json";
    pub const MARKDOWN: &str = "text/markdown";

    /// Returns the MIME type for the extension of a file's name.
    #[must_use]
    pub fn from_file_name(name: &str) -> &'static str {
        let end = name.rsplit_once('.').map_or("", |(_, end)| end).to_ascii_lowercase();
        match end.as_str() {
            "txt" | "log" => "text/plain",
            "md" | "markdown" => MARKDOWN,
            "json" => JSON,
            "lua" => LUA,
            "html" | "htm" => "text/html",
            "css" => "text/css",
            "csv" => "text/csv",
            "xml" => "application/xml",
            "yaml" | "yml" => "application/yaml",
            "toml" => "application/toml",
            "js" | "mjs" => "text/javascript",
            "svg" => "image/svg+xml",
            "png" => "image/png",
            "jpg" | "jpeg" => "image/jpeg",
            "gif" => "image/gif",
            "webp" => "image/webp",
            "wav" => "audio/wav",
            "mp3" => "audio/mpeg",
            "pdf" => "application/pdf",
            _ => "application/octet-stream",
        }
    }

    /// Whether content of this type is sent as text, where it is text.
    #[must_use]
    pub fn is_text(mime_type: &str) -> bool {
        let of = |prefix| mime_type.starts_with(prefix);
        let kinds = ["application/json", "application/xml", "application/yaml", "application/toml", "image/svg+xml"];
        of("text/") || kinds.iter().any(|kind| of(kind)) || mime_type.ends_with("+json") || mime_type.ends_with("+xml")
    }
}
