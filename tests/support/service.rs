//! The service `alc` on a temporary AppDir, without the protocol.

use std::sync::{Arc, LazyLock};

use serde_json::Value;
use wardroom_alc::{Alc, AlcFolders, AlcOptions};
use wardroom_appdir::LineIndexCache;
use wardroom_base::payload::Payload;
use wardroom_config::AlcConfig;
use wardroom_sandbox::{GuestImage, Sandbox};
use wardroom_service::{
    Catalogue, Cost, Dependencies, ListPage, RequestInfo, ResourceContent, ResourceEntry, ServiceError, TemplateEntry,
    VariableCompletion,
};

use super::{TestDir, check_output_schema};

/// One sandbox for all tests: each document gets an instance of its own anyway.
pub static SANDBOX: LazyLock<Arc<Sandbox>> = LazyLock::new(|| Arc::new(Sandbox::new(GuestImage::embedded())));

pub struct TestAlcService(RequestInfo);

impl TestAlcService {
    /// Creates a service on an AppDir, without other folders and without a cache between processes.
    pub fn new(dir: &TestDir) -> Self {
        Self::with_folders(AlcFolders { app: dir.open_app(), logs: None, project: None, package_mounts: Vec::new() })
    }

    pub fn with_folders(folders: AlcFolders) -> Self {
        Self::with_indexes(folders, LineIndexCache::new(None))
    }

    pub fn with_indexes(folders: AlcFolders, indexes: LineIndexCache) -> Self {
        Self::from_alc(Alc::new(folders, Arc::clone(&SANDBOX), indexes))
    }

    /// Creates a service on an AppDir, with additional configuration.
    pub fn with_config(dir: &TestDir, additions: AlcConfig) -> Self {
        let folders = AlcFolders { app: dir.open_app(), logs: None, project: None, package_mounts: Vec::new() };
        let options = AlcOptions { config: additions, ..AlcOptions::default() };
        Self::from_alc(Alc::with_options(folders, Arc::clone(&SANDBOX), LineIndexCache::new(None), options))
    }

    pub fn from_alc(alc: Alc) -> Self {
        let catalogue = Arc::new(Catalogue::new(vec![Arc::new(alc)]));
        Self(RequestInfo::new(&catalogue))
    }

    /// Returns a page of all resources.
    pub fn list_page(&self, cursor: Option<&str>) -> Result<ListPage<ResourceEntry>, ServiceError> {
        self.0.catalogue.resources(None, cursor).finish(&self.0)
    }

    /// Returns a page if the protocol's thread may make it.
    pub fn list_page_inline(&self, cursor: Option<&str>) -> Option<ListPage<ResourceEntry>> {
        self.0.catalogue.resources(None, cursor).finish_within(Cost::Inline, &self.0).unwrap()
    }

    /// Returns all resources, page by page.
    #[track_caller]
    pub fn list_all(&self) -> Vec<ResourceEntry> {
        let mut page = self.list_page(None).unwrap();
        let mut all = page.items;
        while let Some(next) = page.next_cursor {
            page = self.list_page(Some(&next)).unwrap();
            all.append(&mut page.items);
        }
        all
    }

    /// Completes a variable of a template.
    pub fn complete(&self, template: &str, variable: &str, prefix: &str) -> Result<Vec<String>, ServiceError> {
        let [template, variable, prefix] = [template, variable, prefix].map(str::to_owned);
        self.0.catalogue.complete_variable_blocking(&VariableCompletion { template, variable, prefix }, &self.0)
    }

    pub fn templates(&self) -> Vec<TemplateEntry> {
        self.0.catalogue.templates().finish(&self.0).unwrap().into_iter().map(Arc::unwrap_or_clone).collect()
    }

    pub fn read(&self, uri: &str) -> Result<ResourceContent, ServiceError> {
        self.0.catalogue.read_blocking(uri, &self.0)
    }

    /// Calls a tool and returns its content.
    pub fn call(&self, tool: &str, arguments: Value) -> Result<Value, ServiceError> {
        let answer = self.0.catalogue.call_blocking(tool, Payload::from_value(arguments), &self.0)?;
        assert!(!answer.is_error, "{answer:?}");
        let answer = answer.value.into_value();
        check_output_schema(tool, &answer);
        Ok(answer)
    }

    /// Returns the code and the message with which a tool refuses.
    #[track_caller]
    pub fn tool_refusal(&self, tool: &str, arguments: Value) -> String {
        match self.call(tool, arguments) {
            Err(ServiceError::Tool { code, message, .. }) => format!("{code} {message}"),
            other => panic!("{tool}: {other:?}"),
        }
    }

    /// Returns the dependencies of a resource.
    pub fn dependencies(&self, uri: &str) -> Dependencies {
        self.0.catalogue.dependencies(uri, &self.0.caller).unwrap()
    }

    /// Reads a resource if the protocol's thread may read it.
    pub fn read_inline(&self, uri: &str) -> Option<ResourceContent> {
        self.0.catalogue.resource(uri, &self.0.caller).unwrap().finish_within(Cost::Inline, &self.0).unwrap()
    }

    /// Cancels every call, as a client does.
    pub fn cancel(&self) {
        self.0.cancellation.cancel();
    }

    /// Returns the text of a resource that must exist.
    #[track_caller]
    pub fn read_text(&self, uri: &str) -> String {
        self.read(uri).unwrap_or_else(|error| panic!("{uri}: {error}")).text
    }

    /// Returns a resource's `_meta` fields, as one object.
    #[track_caller]
    pub fn read_meta_fields(&self, uri: &str) -> Value {
        let content = self.read(uri).unwrap_or_else(|error| panic!("{uri}: {error}"));
        content.meta_fields.into_iter().map(|(name, note)| (name.to_owned(), note.into_value())).collect()
    }

    /// Returns the code and the message of the protocol error for a resource that must be refused.
    #[track_caller]
    pub fn read_refusal(&self, uri: &str) -> String {
        match self.read(uri) {
            Ok(content) => panic!("{uri} was read: {content:?}"),
            Err(error) => protocol_error_text(&error),
        }
    }
}

/// Returns the code and the message of the protocol error.
pub fn protocol_error_text(error: &ServiceError) -> String {
    let code = match error {
        ServiceError::NotFound { .. }
        | ServiceError::NotFoundSimilar { .. }
        | ServiceError::Invalid(_)
        | ServiceError::UnknownTool(_)
        | ServiceError::UnknownPrompt(_) => -32602,
        ServiceError::Tool { code, .. } => panic!("a tool's error: {code}"),
        ServiceError::TooLarge { .. } | ServiceError::Internal { .. } => -32603,
        ServiceError::InputRequired(_) | ServiceError::MissingCapability(_) => panic!("nothing here asks a client"),
        ServiceError::Protocol { code, .. } => *code,
    };
    format!("{code} {error}")
}
