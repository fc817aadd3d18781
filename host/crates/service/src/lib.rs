//! What the server offers: each service is one folder here, and one line where the command line builds them.
//!
//! Owns: the trait that every service implements, the plain types that pass between services and the protocol, and
//! the catalogue that finds the service for a URI, a tool or a prompt.
//! Gives: plain values and [`ServiceError`]; nothing here knows the protocol.
//! Never: lets one service name another one; what it needs of others goes through [`CallContext`].

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

/// A group of resources and tools that are switched on together.
pub trait Service: Send + Sync {
    /// Its name in the configuration and on the command line.
    fn name(&self) -> &'static str;

    /// What a model is told about it.
    fn instructions(&self) -> &'static str;

    /// Gets ready what the first request would otherwise wait for. Called once, on a worker thread, when the client is
    /// busy with the first answer.
    fn warm_up(&self) {}

    /// Whether it knows what it has. What is asked without a way to say [`ServiceError::Later`] is asked after this.
    ///
    /// # Errors
    /// [`ServiceError::Later`] where finding out is too much for a light attempt; any other one finds out.
    fn ensure_loaded(&self, context: &CallContext) -> Result<(), ServiceError> {
        let _ = context;
        Ok(())
    }

    /// The folders of the AppDir that it writes to. All of the AppDir can be read; the kernel is asked to let nothing else
    /// be written.
    fn writable_dirs(&self) -> &'static [&'static str] {
        &[]
    }

    /// The scheme of its resources.
    fn scheme(&self) -> Option<&'static Scheme> {
        None
    }

    /// A page of the resources that are listed, with what is known of them now: those after the one that `mark` stands
    /// for, at most `limit`, which is never 0. With more to come, `next` is a mark of the service's own making; it
    /// still works when the resource that it stands for is gone.
    ///
    /// # Errors
    /// For a mark that this service does not make; [`ServiceError::Later`] for what is too much for a light attempt.
    fn resources(
        &self,
        mark: Option<&str>,
        limit: usize,
        context: &CallContext,
    ) -> Result<ListPage<ResourceEntry>, ServiceError> {
        let _ = (mark, limit, context);
        Ok(ListPage { items: Vec::new(), next_cursor: None })
    }

    /// The templates of its resources that the caller may see, in their order.
    fn templates(&self, context: &CallContext) -> Vec<Arc<TemplateEntry>> {
        let _ = context;
        Vec::new()
    }

    /// The tools that the caller may see. Where they come and go, they are sorted by name: a page begins after a name,
    /// whether that one is still there or not.
    ///
    /// # Errors
    /// [`ServiceError::Later`] for what is too much for a light attempt.
    fn tools(&self, context: &CallContext) -> Result<Vec<Arc<ToolEntry>>, ServiceError> {
        let _ = context;
        Ok(Vec::new())
    }

    /// Of those at most `limit`: those after the one that `mark` names.
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

    /// One of them.
    fn tool(&self, name: &str, context: &CallContext) -> Option<Arc<ToolEntry>> {
        self.tools(context).ok()?.into_iter().find(|entry| entry.name == name)
    }

    /// Whether a tool is this service's, and the caller may see it. Asked for each call, so without making schemas; in a light
    /// attempt nothing is there before the service is [ready](Self::ready).
    fn has_tool(&self, name: &str, context: &CallContext) -> bool {
        let _ = (name, context);
        false
    }

    /// Whether calls of its tools can go on as tasks, now or later.
    fn has_tasks(&self) -> bool {
        false
    }

    /// How a call of a tool can be a task, where it can. Asked for each call.
    fn task_support(&self, tool: &str, context: &CallContext) -> Option<TaskSupport> {
        let _ = (tool, context);
        None
    }

    /// Whether it can have prompts, now or later.
    fn has_prompts(&self) -> bool {
        false
    }

    /// The prompts that the caller may see, sorted by name.
    ///
    /// # Errors
    /// [`ServiceError::Later`] for what is too much for a light attempt.
    fn prompts(&self, context: &CallContext) -> Result<Vec<Arc<PromptEntry>>, ServiceError> {
        let _ = context;
        Ok(Vec::new())
    }

    /// Of those at most `limit`: those after the one that `mark` names.
    ///
    /// # Errors
    /// As [`Self::all_prompts`].
    fn prompts_after(
        &self,
        mark: Option<&str>,
        limit: usize,
        context: &CallContext,
    ) -> Result<Vec<Arc<PromptEntry>>, ServiceError> {
        Ok(catalogue::entries_after(self.prompts(context)?, mark, limit, |entry| &entry.name))
    }

    /// Fills in a prompt.
    ///
    /// # Errors
    /// [`ServiceError::UnknownPrompt`] for one that is not there or that the caller may not see.
    fn prompt(
        &self,
        name: &str,
        arguments: BTreeMap<String, String>,
        context: &CallContext,
    ) -> Result<RenderedPrompt, ServiceError> {
        let _ = (arguments, context);
        Err(ServiceError::UnknownPrompt(name.to_owned()))
    }

    /// Whether a URI is one that this service answers for, as far as its text says.
    ///
    /// # Errors
    /// [`ServiceError::Later`] for what is too much for a light attempt.
    fn matches(&self, uri: &str, context: &CallContext) -> Result<bool, ServiceError> {
        let _ = context;
        Ok(self.scheme().is_some_and(|scheme| scheme.matches(uri)))
    }

    /// Reads the resource `uri`, which has this service's scheme.
    ///
    /// # Errors
    /// The reason, sorted by who can mend it; [`ServiceError::Later`] for what is too much for a light attempt.
    fn read(&self, uri: &str, context: &CallContext) -> Result<ResourceContent, ServiceError> {
        let _ = context;
        Err(ServiceError::NotFound { uri: uri.to_owned() })
    }

    /// Whether `uri` could name a resource, there or not. Looks at its text only.
    ///
    /// # Errors
    /// As [`Self::read`] refuses it.
    fn validate(&self, uri: &str, context: &CallContext) -> Result<(), ServiceError> {
        let _ = context;
        Err(ServiceError::NotFound { uri: uri.to_owned() })
    }

    /// Looks at what it keeps of the files, unless it did so since. Asked before what something depends on.
    fn refresh(&self, since: Instant) {
        let _ = since;
    }

    /// What the resource `uri` depends on. It need not be there.
    ///
    /// # Errors
    /// As [`Self::check`].
    fn dependencies(&self, uri: &str, context: &CallContext) -> Result<Dependencies, ServiceError> {
        self.validate(uri, context).map(|()| Dependencies::default())
    }

    /// What the list of this service's resources depends on, as the caller sees it.
    fn resource_list_dependencies(&self, context: &CallContext) -> Dependencies {
        let _ = context;
        Dependencies::default()
    }

    /// What the list of this service's tools depends on, as the caller sees it, where it can change.
    fn tool_list_dependencies(&self, context: &CallContext) -> Dependencies {
        let _ = context;
        Dependencies::default()
    }

    /// What the list of its prompts depends on, as the caller sees it.
    fn prompt_list_dependencies(&self, context: &CallContext) -> Dependencies {
        let _ = context;
        Dependencies::default()
    }

    /// Does what a script may have this service do; nothing for what is not one of its operations.
    fn handle_script_call(
        &self,
        operation: &str,
        arguments: &Payload,
        context: &CallContext,
    ) -> Option<Result<Payload, String>> {
        let _ = (operation, arguments, context);
        None
    }

    /// The arguments of a tool that a request over HTTP repeats in its headers, in the newer era. Asked for each call, where
    /// nobody can wait.
    fn param_headers(&self, tool: &str) -> Vec<ParamHeader> {
        let _ = tool;
        Vec::new()
    }

    /// Calls one of this service's tools.
    ///
    /// # Errors
    /// The reason; [`ServiceError::Tool`] for what the tool's caller can mend.
    fn call(&self, tool: &str, arguments: Payload, context: &CallContext) -> Result<ToolOutput, ServiceError> {
        let _ = (arguments, context);
        Err(ServiceError::UnknownTool(tool.to_owned()))
    }

    /// The values of a template's variable or a prompt's argument that begin with what is typed, sorted. Nothing for a
    /// template or a prompt that is not this service's. Never asked for in a light attempt.
    ///
    /// # Errors
    /// When the names cannot be listed; [`ServiceError::Later`] where they may be many and the attempt is not for that.
    fn complete(
        &self,
        completing: &CompletionRequest,
        context: &CallContext,
    ) -> Result<Option<Vec<String>>, ServiceError> {
        let _ = (completing, context);
        Ok(None)
    }
}

/// What a call is given of its surroundings.
#[derive(Clone)]
pub struct CallContext {
    /// Set when the client gave up on this call.
    pub cancellation: CancellationToken,
    /// All services that the caller may use.
    pub catalogue: Arc<Catalogue>,
    pub tier: ExecutionTier,
    /// Who asked, where somebody listens.
    pub client: Option<Arc<dyn Client>>,
    /// What the caller is allowed to see.
    pub caller: Arc<Caller>,
    /// How many handlers wait for what this call comes to.
    pub handler_depth: usize,
}

/// How large a document may be, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct SizeLimits {
    /// In a light attempt.
    pub light: u64,
    /// Beside others.
    pub full: u64,
    /// At all.
    pub large: u64,
}

/// How much a call may do where it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExecutionTier {
    /// Microseconds, on the protocol's own thread: something that is known, or one small file. What takes more is asked
    /// for again in full.
    Light,
    /// Whatever time it takes, on a worker thread, but no large document: that is asked for once more.
    Full,
    /// Whatever it takes, on one of a few threads.
    Large,
}

impl CallContext {
    /// Of somebody who waits for as long as it takes.
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

    /// What may be read of a file that is `full` bytes long at most, and `light` in a light attempt.
    #[must_use]
    pub fn read_limit(&self, light: u64, full: u64) -> u64 {
        match self.tier {
            ExecutionTier::Light => light,
            ExecutionTier::Full | ExecutionTier::Large => full,
        }
    }

    /// What may be read of a document.
    #[must_use]
    pub fn size_limit(&self, sizes: SizeLimits) -> u64 {
        match self.tier {
            ExecutionTier::Light => sizes.light,
            ExecutionTier::Full => sizes.full,
            ExecutionTier::Large => sizes.large,
        }
    }

    /// # Errors
    /// [`ServiceError::Later`] in any attempt that is not for large documents.
    pub fn require_large(&self) -> Result<(), ServiceError> {
        match self.tier {
            ExecutionTier::Light | ExecutionTier::Full => Err(ServiceError::Later),
            ExecutionTier::Large => Ok(()),
        }
    }

    /// # Errors
    /// [`ServiceError::Later`] in a light attempt.
    pub fn require_full(&self) -> Result<(), ServiceError> {
        match self.tier {
            ExecutionTier::Light => Err(ServiceError::Later),
            ExecutionTier::Full | ExecutionTier::Large => Ok(()),
        }
    }
}

/// The MIME types of what is stored.
pub mod mime {
    pub const LUA: &str = "text/x-lua";
    pub const JSON: &str = "application/json";
    pub const MARKDOWN: &str = "text/markdown";

    /// By the end of a file's name.
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

    /// Whether a content of this type is sent as it is, where it can be.
    #[must_use]
    pub fn is_text(mime_type: &str) -> bool {
        let of = |prefix| mime_type.starts_with(prefix);
        let kinds = ["application/json", "application/xml", "application/yaml", "application/toml", "image/svg+xml"];
        of("text/") || kinds.iter().any(|kind| of(kind)) || mime_type.ends_with("+json") || mime_type.ends_with("+xml")
    }
}
