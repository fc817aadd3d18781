//! The interface of services: the traits that each of them implements, and the types that it answers with.
//!
//! Owns: [`Service`] and what it may provide, the plain types that pass between services and the protocol, and
//! [`Catalogue`], which finds the service for a URI, a tool or a prompt.
//! Gives: [`Work`], which knows its cost and runs once; plain values; [`ServiceError`]. No type here depends on the protocol.
//! Never: lets one service name another; a service reaches the others through [`RequestInfo`].

pub mod audit;
mod blocking;
mod caller;
mod catalogue;
mod client;
mod consent;
mod content;
mod continuations;
mod dependencies;
mod document_limits;
mod error;
pub mod error_code;
mod http_pages;
pub mod lenient_args;
pub mod limits;
mod list_page;
mod owner;
mod page;
mod prompt;
pub mod proposal;
mod provider;
mod request_memory;
mod resource;
pub mod schema;
mod similar;
pub mod stored_usage;
pub mod tasks;
mod tool;
mod work;

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use wardroom_base::limits::DEFAULT_MEMORY_BYTES;
use wardroom_base::memory::MemoryShare;

pub use self::caller::{Caller, Transport};
pub use self::catalogue::{Catalogue, has_scheme};
pub use self::client::{
    ChangeNotification, Client, ClientCapability, ClientResponses, Elicitation, InputMode, InputRequest,
    InputRequestKind, InputRequired, LogLevel, SamplingPrompt, SamplingRequest, sampling_response_text,
};
pub use self::consent::{ConsentError, ConsentRequest, request_consent};
pub use self::content::{
    ContentAnnotations, ContentBlock, ContentItem, EmbeddedResource, Icon, MessageRole, ResourceLink,
};
pub use self::continuations::{
    ContinuationClaim, ContinuationError, ContinuationStore, ContinuationUse, HeldContinuation,
};
pub use self::dependencies::{Dependencies, Fingerprint, WatchedDir};
pub use self::document_limits::DocumentLimits;
pub use self::error::{ServiceError, UnknownName, escape_and_truncate};
pub use self::error_code::ToolErrorCode;
pub use self::http_pages::{CheckedHead, HttpPageBody, HttpPages, VersionSource};
pub use self::list_page::{ListPage, entries_after};
pub use self::owner::{OWNER_TAG_LEN, Owner};
pub use self::page::{
    ContentPage, FORM_TOKEN_FIELD, PageFields, PageMethod, PageProvider, PageReply, PageRequest, PageSection,
    PageStatus, page_link, with_noun,
};
pub use self::prompt::{PromptArgument, PromptEntry, PromptMessage, RenderedPrompt};
pub use self::provider::{
    ArgumentCompletion, PromptProvider, ResolvedTool, ResourceProvider, ScriptApi, Service, ToolProvider,
    VariableCompletion,
};
pub use self::request_memory::RequestMemory;
pub use self::resource::{Encoding, EntryExtras, ResourceContent, ResourceEntry, TemplateEntry};
pub use self::tool::{
    BuiltInTool, ContentMode, ParamHeader, SharedSchema, TaskSupport, ToolAnnotations, ToolBehavior, ToolEntry,
    ToolOutput,
};
pub use self::work::{Cost, Step, Work};

/// What a service may know of a request besides its name and arguments.
#[derive(Clone)]
pub struct RequestInfo {
    /// Cancelled when the client gave up on this request.
    pub cancellation: CancellationToken,
    /// The services that the caller may use.
    pub catalogue: Arc<Catalogue>,
    /// The client behind the request, if one is listening and the work [uses it](Work::uses_client).
    pub client: Option<Arc<dyn Client>>,
    /// The caller, which decides what the request may see.
    pub caller: Arc<Caller>,
    /// How many handlers wait for the result of this request.
    pub handler_depth: usize,
    /// Whether the client asks for what is stored now, also where that takes longer than an answer from a cache.
    pub wants_fresh: bool,
    pub memory: RequestMemory,
}

impl RequestInfo {
    /// Creates the information of a request without a client, which is never cancelled.
    #[must_use]
    pub fn new(catalogue: &Arc<Catalogue>) -> Self {
        Self {
            cancellation: CancellationToken::new(),
            catalogue: Arc::clone(catalogue),
            client: None,
            caller: Arc::default(),
            handler_depth: 0,
            wants_fresh: false,
            memory: RequestMemory::new(&MemoryShare::budget(DEFAULT_MEMORY_BYTES)),
        }
    }
}

/// The MIME types of stored content.
pub mod mime {
    pub const LUA: &str = "text/x-lua";
    pub const JSON: &str = "application/json";
    pub const MARKDOWN: &str = "text/markdown";
    /// A page of MCP Apps.
    pub const MCP_APP: &str = "text/html;profile=mcp-app";

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
