//! `alc://`: packages of Lua strategies and the records of their runs.
//!
//! Owns: the two fixed resources and seven templates of the founding document, what the operator may switch on beside
//! them, and the tools of the original.
//! Never: runs Lua to read something, or names a file outside the folders it was given.

mod cards;
mod complete;
mod descriptors;
mod evals;
mod extract;
mod hub;
pub mod ids;
mod listing;
mod log_text;
mod logs;
mod meta;
mod packages;
mod samples;
mod tools;
mod watched;

use std::sync::Arc;

use wardroom_rules::alc::{SCHEME, SCHEME_V2};

pub use self::extract::extracted;
use self::ids::AlcUri;
use self::meta::MetaCache;
pub use self::packages::Linked;
use self::packages::VariantsCache;
use super::{
    CallContext, Content, Listing, ResourceEntry, Service, ServiceError, Sizes, TemplateEntry, ToolAnswer, ToolEntry,
    Watched, mime,
};
use crate::appdir::{Folder, LineIndexes};
use crate::config::AlcConfig;
use crate::limits::{LARGE_BYTES, LIGHT_BYTES, MAX_DOCUMENT_BYTES};
use crate::payload::Payload;
use crate::sandbox::Sandbox;
use crate::uri::Scheme;

/// The folders that this service was given, opened before the first request.
pub struct AlcFolders {
    /// The AppDir.
    pub app: Folder,
    /// Where transcripts are, when not in the AppDir.
    pub logs: Option<Folder>,
    /// The project whose `alc.local.toml` names variant packages.
    pub project: Option<Project>,
    /// Packages, and folders of packages, that the operator granted; in order of precedence.
    pub linked: Vec<Linked>,
}

/// A project's folder. Its path only serves to recognise paths that lead into it.
pub struct Project {
    pub folder: Folder,
    pub path: std::path::PathBuf,
}

pub struct Alc {
    folders: AlcFolders,
    sandbox: Arc<Sandbox>,
    indexes: LineIndexes,
    metadata: MetaCache,
    variants: VariantsCache,
    additions: AlcConfig,
}

/// What this service writes, each in its folder of the AppDir.
const WRITTEN: [&str; 10] =
    ["cache", "cards", "evals", "hub_cache", "logs", "packages", "runs", "scenarios", "state", "types"];

/// A document that is answered whole.
const DOCUMENT: Sizes = Sizes { light: LIGHT_BYTES, shared: LARGE_BYTES, most: MAX_DOCUMENT_BYTES };

/// One read: the URI that answers and refusals name, and what the call may do.
struct Ask<'a> {
    uri: &'a str,
    context: &'a CallContext,
}

impl Alc {
    /// What the founding document has, and no more.
    #[must_use]
    pub fn new(folders: AlcFolders, sandbox: Arc<Sandbox>, indexes: LineIndexes) -> Self {
        let additions = AlcConfig { v2: false, enumerate: false };
        Self {
            folders,
            sandbox,
            indexes,
            metadata: MetaCache::default(),
            variants: VariantsCache::default(),
            additions,
        }
    }

    /// The same, with what the operator switched on.
    #[must_use]
    pub fn offering(self, additions: AlcConfig) -> Self {
        Self { additions, ..self }
    }

    fn table(&self) -> &'static Scheme {
        if self.additions.v2 { &SCHEME_V2 } else { &SCHEME }
    }

    /// A text file below the AppDir, whole.
    fn text(&self, name: &str, mime_type: &'static str, ask: &Ask) -> Result<Content, ServiceError> {
        let read = self.folders.app.read_text(name, ask.context.within(DOCUMENT));
        let uri = ask.uri;
        let (text, modified) = read.map_err(|error| ServiceError::reading(uri, error))?;
        Ok(Content::new(mime_type, text, modified))
    }
}

impl Service for Alc {
    fn name(&self) -> &'static str {
        "alc"
    }

    fn instructions(&self) -> &'static str {
        "Lua strategy packages and the records of their runs, read-only. Resources: alc://packages/{name}/meta (what a \
         package is for), alc://packages/{name}/init.lua (its source), alc://cards/{card_id} and \
         alc://cards/{card_id}/samples?offset=N&limit=M (a run and its rows), alc://scenarios/{name}, \
         alc://eval/{result_id}, alc://logs/{session_id}?limit=N&max_chars=C. completion/complete lists the names that \
         exist; extract_package_meta reads the metadata of source text that is not installed."
    }

    fn prepare(&self) {
        if let Err(error) = self.sandbox.prepare() {
            tracing::error!(%error, "the sandbox does not start");
        }
    }

    fn writes(&self) -> &'static [&'static str] {
        &WRITTEN
    }

    fn scheme(&self) -> Option<&'static Scheme> {
        Some(self.table())
    }

    fn resources(
        &self,
        mark: Option<&str>,
        limit: usize,
        context: &CallContext,
    ) -> Result<Listing<ResourceEntry>, ServiceError> {
        self.listing(mark, limit, context)
    }

    fn templates(&self) -> Vec<TemplateEntry> {
        descriptors::templates(self.table())
    }

    fn tools(&self) -> Vec<ToolEntry> {
        tools::entries(self.folders.app.is_read_only())
    }

    fn has_tool(&self, name: &str) -> bool {
        tools::find(name).is_some()
    }

    fn read(&self, uri: &str, context: &CallContext) -> Result<Content, ServiceError> {
        let ask = &Ask { uri, context };
        match AlcUri::parse(self.table(), uri)? {
            AlcUri::Types(file) => self.text(&format!("types/{}", file.file_name()), mime::LUA, ask),
            AlcUri::HubIndex => self.hub_index(ask),
            AlcUri::PackageSource(name) => self.package_source(&name, ask),
            AlcUri::PackageMeta(name) => self.package_meta(&name, ask),
            AlcUri::PackageNarrative(name) => self.package_narrative(&name, ask),
            AlcUri::Card(card) => self.card(&card, ask),
            AlcUri::Samples { card, offset, limit } => self.samples(&card, offset, limit, ask),
            AlcUri::Scenario(name) => self.text(&format!("scenarios/{name}.lua"), mime::LUA, ask),
            AlcUri::Eval(eval) => self.eval(&eval, ask),
            AlcUri::Log { session, limit, max_chars } => self.log(&session, limit, max_chars, ask),
        }
    }

    fn check(&self, uri: &str) -> Result<(), ServiceError> {
        AlcUri::parse(self.table(), uri).map(drop)
    }

    fn watched(&self, uri: &str, context: &CallContext) -> Result<Watched, ServiceError> {
        Ok(self.watch(&AlcUri::parse(self.table(), uri)?, &Ask { uri, context }))
    }

    fn watched_list(&self) -> Watched {
        self.watch_list()
    }

    fn call(&self, tool: &str, arguments: Payload, context: &CallContext) -> Result<ToolAnswer, ServiceError> {
        let found = tools::find(tool).ok_or_else(|| ServiceError::UnknownTool(tool.to_owned()))?;
        if !found.hints.read_only && self.folders.app.is_read_only() {
            return Err(ServiceError::Tool {
                code: "READ_ONLY",
                message: format!("{tool} writes, and this server was started with --read-only"),
                details: None,
            });
        }
        (found.call)(self, arguments, context)
    }

    fn complete(&self, template: &str, variable: &str, prefix: &str) -> Result<Vec<String>, ServiceError> {
        self.complete_variable(template, variable, prefix)
    }
}
