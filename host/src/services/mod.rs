//! What the server offers: each service is one folder here, and one line where the command line builds them.
//!
//! Owns: the trait that every service implements, the plain types that pass between services and the protocol, and
//! the catalogue that finds the service for a URI or a tool.
//! Gives: plain values and [`ServiceError`]; nothing here knows the protocol.
//! Never: lets one service name another one; what it needs of others goes through [`CallContext`].

pub mod alc;
mod caller;
mod catalogue;
mod client;
mod error;
pub mod resources;
mod schema;
mod watched;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::SystemTime;

use tokio_util::sync::CancellationToken;

use crate::payload::Payload;
use crate::uri::Scheme;

pub use self::caller::{Caller, Transport};
pub use self::catalogue::{Catalogue, Listing, has_scheme};
pub use self::client::{Asks, Brought, Client, Sample, Sampling};
pub use self::error::{ServiceError, shown};
pub use self::watched::{Mark, Watched};

/// A group of resources and tools that are switched on together.
pub trait Service: Send + Sync {
    /// Its name in the configuration and on the command line.
    fn name(&self) -> &'static str;

    /// What a model is told about it.
    fn instructions(&self) -> &'static str;

    /// Gets ready what the first request would otherwise wait for. Called once, on a worker thread, when the client is
    /// busy with the first answer.
    fn prepare(&self) {}

    /// The folders of the AppDir that it writes to. All of the AppDir can be read; the kernel is asked to let nothing else
    /// be written.
    fn writes(&self) -> &'static [&'static str] {
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
    ) -> Result<Listing<ResourceEntry>, ServiceError> {
        let _ = (mark, limit, context);
        Ok(Listing { items: Vec::new(), next: None })
    }

    fn templates(&self) -> Vec<TemplateEntry> {
        Vec::new()
    }

    fn tools(&self) -> Vec<ToolEntry> {
        Vec::new()
    }

    /// Whether a tool is this service's. Asked for each call, so without making schemas.
    fn has_tool(&self, name: &str) -> bool {
        let _ = name;
        false
    }

    /// Reads the resource `uri`, which has this service's scheme.
    ///
    /// # Errors
    /// The reason, sorted by who can mend it; [`ServiceError::Later`] for what is too much for a light attempt.
    fn read(&self, uri: &str, context: &CallContext) -> Result<Content, ServiceError> {
        let _ = context;
        Err(ServiceError::NotFound { uri: uri.to_owned() })
    }

    /// Whether `uri` could name a resource, there or not. Looks at its text only.
    ///
    /// # Errors
    /// As [`Self::read`] refuses it.
    fn check(&self, uri: &str) -> Result<(), ServiceError> {
        Err(ServiceError::NotFound { uri: uri.to_owned() })
    }

    /// What the resource `uri` depends on. It need not be there.
    ///
    /// # Errors
    /// As [`Self::check`].
    fn watched(&self, uri: &str, context: &CallContext) -> Result<Watched, ServiceError> {
        let _ = context;
        self.check(uri).map(|()| Watched::default())
    }

    /// What the list of this service's resources depends on.
    fn watched_list(&self) -> Watched {
        Watched::default()
    }

    /// The arguments of a tool that a request over HTTP repeats in its headers, in the newer era. Asked for each call.
    fn param_headers(&self, tool: &str) -> Vec<ParamHeader> {
        let _ = tool;
        Vec::new()
    }

    /// Calls one of this service's tools.
    ///
    /// # Errors
    /// The reason; [`ServiceError::Tool`] for what the tool's caller can mend.
    fn call(&self, tool: &str, arguments: Payload, context: &CallContext) -> Result<ToolAnswer, ServiceError> {
        let _ = (arguments, context);
        Err(ServiceError::UnknownTool(tool.to_owned()))
    }

    /// The values of a template's variable that begin with `prefix`, sorted.
    ///
    /// # Errors
    /// When the names cannot be listed.
    fn complete(&self, template: &str, variable: &str, prefix: &str) -> Result<Vec<String>, ServiceError> {
        let _ = (template, variable, prefix);
        Ok(Vec::new())
    }
}

/// What a call is given of its surroundings.
#[derive(Clone)]
pub struct CallContext {
    /// Set when the client gave up on this call.
    pub cancelled: CancellationToken,
    /// All services that the caller may use.
    pub catalogue: Arc<Catalogue>,
    pub effort: Effort,
    /// Who asked, where somebody listens.
    pub client: Option<Arc<dyn Client>>,
    pub caller: Arc<Caller>,
}

/// How large a document may be, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    /// In a light attempt.
    pub light: u64,
    /// Beside others.
    pub shared: u64,
    /// At all.
    pub most: u64,
}

/// How much a call may do where it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
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
    pub fn patient(catalogue: &Arc<Catalogue>) -> Self {
        let cancelled = CancellationToken::new();
        let caller = Arc::default();
        Self { cancelled, catalogue: Arc::clone(catalogue), effort: Effort::Large, client: None, caller }
    }

    /// What may be read of a file that is `full` bytes long at most, and `light` in a light attempt.
    #[must_use]
    pub fn at_most(&self, light: u64, full: u64) -> u64 {
        match self.effort {
            Effort::Light => light,
            Effort::Full | Effort::Large => full,
        }
    }

    /// What may be read of a document.
    #[must_use]
    pub fn within(&self, sizes: Sizes) -> u64 {
        match self.effort {
            Effort::Light => sizes.light,
            Effort::Full => sizes.shared,
            Effort::Large => sizes.most,
        }
    }

    /// # Errors
    /// [`ServiceError::Later`] in any attempt that is not for large documents.
    pub fn needs_large(&self) -> Result<(), ServiceError> {
        match self.effort {
            Effort::Light | Effort::Full => Err(ServiceError::Later),
            Effort::Large => Ok(()),
        }
    }

    /// # Errors
    /// [`ServiceError::Later`] in a light attempt.
    pub fn needs_full(&self) -> Result<(), ServiceError> {
        match self.effort {
            Effort::Light => Err(ServiceError::Later),
            Effort::Full | Effort::Large => Ok(()),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceEntry {
    pub uri: String,
    pub name: Cow<'static, str>,
    pub title: Cow<'static, str>,
    pub description: &'static str,
    pub mime_type: &'static str,
    /// In bytes.
    pub size: Option<u64>,
    pub modified: Option<SystemTime>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateEntry {
    pub pattern: String,
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    pub mime_type: &'static str,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ToolEntry {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    /// JSON Schemas, objects both.
    pub input: Payload,
    pub output: Payload,
    pub hints: Hints,
}

/// What a client is told of a tool before it calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hints {
    /// It changes nothing.
    pub read_only: bool,
    /// It may replace or remove what is there, where it is not read-only.
    pub destructive: bool,
    /// Calling it again with the same arguments changes nothing more.
    pub idempotent: bool,
    /// It reaches beyond this machine.
    pub open_world: bool,
}

impl Hints {
    /// It only reads.
    pub const READS: Self = Self { read_only: true, destructive: false, idempotent: true, open_world: false };
    /// It adds to what is there.
    pub const ADDS: Self = Self { read_only: false, destructive: false, idempotent: false, open_world: false };
    /// It sets something to what the arguments say.
    pub const SETS: Self = Self { idempotent: true, ..Self::ADDS };
    /// It may replace or remove.
    pub const CHANGES: Self = Self { destructive: true, ..Self::ADDS };
}

/// An argument that a tool's input schema marks with `x-mcp-header`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParamHeader {
    /// The names that lead to it in the arguments.
    pub path: Vec<String>,
    /// What follows `Mcp-Param-`.
    pub header: String,
}

/// What a tool answers.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolAnswer {
    /// An object, as the tool's output schema says.
    pub value: Payload,
    /// Whether the model should take it for a failure, though it has the form of an answer.
    pub failed: bool,
    /// What the client is asked for instead, where it knows how to call again.
    pub asks: Option<Asks>,
}

impl From<Payload> for ToolAnswer {
    fn from(value: Payload) -> Self {
        Self { value, failed: false, asks: None }
    }
}

/// What a read resource holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Content {
    pub mime_type: &'static str,
    pub text: String,
    pub modified: Option<SystemTime>,
    /// What is known beside the text, by name.
    pub notes: Vec<(&'static str, Payload)>,
}

impl Content {
    #[must_use]
    pub fn new(mime_type: &'static str, text: String, modified: Option<SystemTime>) -> Self {
        Self { mime_type, text, modified, notes: Vec::new() }
    }
}

/// The MIME types of what is stored.
pub mod mime {
    pub const LUA: &str = "text/x-lua";
    pub const JSON: &str = "application/json";
    pub const MARKDOWN: &str = "text/markdown";
}
