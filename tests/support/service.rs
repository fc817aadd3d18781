//! The service `alc` over a temporary AppDir, without the protocol.

use std::sync::{Arc, LazyLock};

use serde_json::Value;
use tokio_util::sync::CancellationToken;
use wardroom_alc::{Alc, AlcFolders};
use wardroom_appdir::LineIndexes;
use wardroom_base::payload::Payload;
use wardroom_config::AlcConfig;
use wardroom_sandbox::{Image, Sandbox};
use wardroom_service::{
    CallContext, Catalogue, Completing, Content, Effort, Listing, ResourceEntry, ServiceError, TemplateEntry, Watched,
};

use super::{TestDir, check_answer};

/// One for all tests: each document gets an instance of its own anyway.
pub static SANDBOX: LazyLock<Arc<Sandbox>> = LazyLock::new(|| Arc::new(Sandbox::new(Image::embedded())));

pub struct AlcService(CallContext);

impl AlcService {
    /// Over an AppDir, with nothing beside it and nothing kept between processes.
    pub fn new(dir: &TestDir) -> Self {
        Self::over(AlcFolders { app: dir.folder(), logs: None, project: None, linked: Vec::new() })
    }

    pub fn over(folders: AlcFolders) -> Self {
        Self::with(folders, LineIndexes::new(None))
    }

    pub fn with(folders: AlcFolders, indexes: LineIndexes) -> Self {
        Self::serving(Alc::new(folders, Arc::clone(&SANDBOX), indexes))
    }

    /// Over an AppDir, with more than the specification has.
    pub fn offering(dir: &TestDir, additions: AlcConfig) -> Self {
        let folders = AlcFolders { app: dir.folder(), logs: None, project: None, linked: Vec::new() };
        Self::serving(Alc::new(folders, Arc::clone(&SANDBOX), LineIndexes::new(None)).offering(additions))
    }

    pub fn serving(alc: Alc) -> Self {
        let catalogue = Arc::new(Catalogue::new(vec![Box::new(alc)]));
        Self(CallContext {
            cancelled: CancellationToken::new(),
            catalogue,
            effort: Effort::Large,
            client: None,
            caller: Arc::default(),
            depth: 0,
        })
    }

    /// A page of everything that is listed.
    pub fn list(&self, cursor: Option<&str>) -> Result<Listing<ResourceEntry>, ServiceError> {
        self.0.catalogue.resources(None, cursor, &self.0)
    }

    /// The same with no more effort than the protocol's own thread makes.
    pub fn list_light(&self, cursor: Option<&str>) -> Result<Listing<ResourceEntry>, ServiceError> {
        self.0.catalogue.resources(None, cursor, &CallContext { effort: Effort::Light, ..self.0.clone() })
    }

    /// Everything that is listed, page after page.
    #[track_caller]
    pub fn listed(&self) -> Vec<ResourceEntry> {
        let mut page = self.list(None).unwrap();
        let mut all = page.items;
        while let Some(next) = page.next {
            page = self.list(Some(&next)).unwrap();
            all.append(&mut page.items);
        }
        all
    }

    /// The values of a template's variable.
    pub fn complete(&self, template: &str, variable: &str, prefix: &str) -> Result<Vec<String>, ServiceError> {
        let [template, variable, prefix] = [template, variable, prefix].map(str::to_owned);
        self.0.catalogue.complete(&Completing::Variable { template, variable, prefix }, &self.0)
    }

    pub fn templates(&self) -> Vec<TemplateEntry> {
        self.0.catalogue.templates(&self.0).into_iter().map(Arc::unwrap_or_clone).collect()
    }

    pub fn read(&self, uri: &str) -> Result<Content, ServiceError> {
        self.0.catalogue.read(uri, &self.0)
    }

    /// What a tool answers.
    pub fn call(&self, tool: &str, arguments: Value) -> Result<Value, ServiceError> {
        let answer = self.0.catalogue.call(tool, Payload::from_value(arguments), &self.0)?;
        assert!(!answer.failed, "{answer:?}");
        let answer = answer.value.into_value();
        check_answer(tool, &answer);
        Ok(answer)
    }

    /// The code and the sentence with which a tool refuses.
    #[track_caller]
    pub fn tool_refusal(&self, tool: &str, arguments: Value) -> String {
        match self.call(tool, arguments) {
            Err(ServiceError::Tool { code, message, .. }) => format!("{code} {message}"),
            other => panic!("{tool}: {other:?}"),
        }
    }

    /// What a resource depends on.
    pub fn watched(&self, uri: &str) -> Watched {
        self.0.catalogue.watched(uri, &self.0).unwrap()
    }

    /// Reads with no more effort than the protocol's own thread makes.
    pub fn read_light(&self, uri: &str) -> Result<Content, ServiceError> {
        self.0.catalogue.read(uri, &CallContext { effort: Effort::Light, ..self.0.clone() })
    }

    /// The client gives up on every call.
    pub fn cancel(&self) {
        self.0.cancelled.cancel();
    }

    /// The text of a resource that must be there.
    #[track_caller]
    pub fn text(&self, uri: &str) -> String {
        self.read(uri).unwrap_or_else(|error| panic!("{uri}: {error}")).text
    }

    /// What is known beside the text, as one object.
    #[track_caller]
    pub fn notes(&self, uri: &str) -> Value {
        let content = self.read(uri).unwrap_or_else(|error| panic!("{uri}: {error}"));
        content.notes.into_iter().map(|(name, note)| (name.to_owned(), note.into_value())).collect()
    }

    /// The code and the sentence that a client is told about a resource that must be refused.
    #[track_caller]
    pub fn refusal(&self, uri: &str) -> String {
        match self.read(uri) {
            Ok(content) => panic!("{uri} was read: {content:?}"),
            Err(error) => told(&error),
        }
    }
}

/// The code and the sentence that a client is told.
pub fn told(error: &ServiceError) -> String {
    let code = match error {
        ServiceError::NotFound { .. }
        | ServiceError::Invalid(_)
        | ServiceError::UnknownTool(_)
        | ServiceError::UnknownPrompt(_) => -32602,
        ServiceError::Tool { code, .. } => panic!("a tool's error: {code}"),
        ServiceError::TooLarge { .. } | ServiceError::Internal { .. } => -32603,
        ServiceError::Asks(_) | ServiceError::Lacks(_) => panic!("nothing here asks a client"),
        ServiceError::Protocol { code, .. } => *code,
        ServiceError::Later => panic!("a full attempt is not put off"),
    };
    format!("{code} {error}")
}
