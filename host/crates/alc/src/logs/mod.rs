//! Logs: the transcripts of finished runs, as `alc://logs/{session_id}` and for tools.
//!
//! Owns: the folder of transcripts, `logs/` or the one of `ALC_LOG_DIR`.
//! Gives: a transcript cut to the requested limits, summaries, and the writing of a new transcript.
//! Never: replaces a log: notes may have been added to it.

mod entry;
mod summary;
pub mod transcript;
mod truncation;

use std::sync::Arc;

use wardroom_rules::id;

pub use self::entry::LogEntry;
pub(crate) use self::summary::read_log_summary;
pub(crate) use self::truncation::RawFieldsVisitor;
use self::truncation::{RawLog, truncate_log};
use crate::limits::MAX_LOG_BYTES;
use crate::listed_names::{document_stem, is_summary_stem, list_stems, list_stems_in, validate_id};
use crate::recent::DocumentFolders;
use wardroom_appdir::{AppDirError, Folder, Stat};
use wardroom_base::payload;
use wardroom_base::uri::{IdKind, SessionId};
use wardroom_service::limits::MAX_INLINE_READ_BYTES;
use wardroom_service::{Dependencies, DocumentLimits, ResourceContent, ServiceError, Work, mime};

/// The folder of transcripts in the AppDir.
pub(crate) const LOGS_DIR: &str = "logs";

/// The size limits of a log. Truncation takes time, and many times the memory of its text.
const LOG_LIMITS: DocumentLimits = DocumentLimits { inline: 0, worker: MAX_INLINE_READ_BYTES, large: MAX_LOG_BYTES };

/// The transcripts of runs.
pub struct LogStore {
    app: Folder,
    /// The folder of transcripts, when it is not in the AppDir.
    logs: Option<Folder>,
    keeps_transcripts: bool,
}

impl LogStore {
    /// Creates the store of the AppDir `app`, or of another folder of transcripts. Without `keeps_transcripts`, no new
    /// ones are written.
    #[must_use]
    pub fn new(app: Folder, logs: Option<Folder>, keeps_transcripts: bool) -> Self {
        Self { app, logs, keeps_transcripts }
    }

    /// Whether the transcripts of new runs are written.
    pub(crate) fn keeps_transcripts(&self) -> bool {
        self.keeps_transcripts
    }

    /// Returns the folder outside the AppDir in which the transcripts are, if they are in one.
    pub(crate) fn separate_folder(&self) -> Option<&Folder> {
        self.logs.as_ref()
    }

    /// Opens the folder of transcripts.
    pub(crate) fn open_folder(&self) -> Result<Folder, AppDirError> {
        self.logs.clone().map_or_else(|| self.app.open_folder(LOGS_DIR), Ok)
    }

    /// Opens the folder of transcripts, and creates it if it is missing.
    fn create_folder(&self) -> Result<Folder, AppDirError> {
        self.logs.clone().map_or_else(|| self.app.create_folder(LOGS_DIR), Ok)
    }

    /// Resolves the read of a log. `uri` names it in errors.
    pub(crate) fn resolve_log(
        &self,
        session: &SessionId,
        limit: usize,
        max_chars: usize,
        uri: &str,
    ) -> Result<Work<ResourceContent>, ServiceError> {
        let file = self.open_folder().and_then(|logs| logs.open(&format!("{session}.json")));
        let file = file.map_err(|error| ServiceError::from_read_error(uri, error))?;
        let (what, named) = (format!("log '{session}'"), uri.to_owned());
        Ok(LOG_LIMITS.read_text(file, uri, move |text, modified| {
            payload::check_json_text(&text, text.len())
                .map_err(|error| ServiceError::from_parse_error(&what, error))?;
            let log = RawLog::parse(&text, limit).map_err(|error| log_parse_error(&what, error))?;
            let cut = truncate_log(&log, &text, limit, max_chars).map_err(|needed| {
                ServiceError::Invalid(format!("max_chars={max_chars} is too small for {named}: use at least {needed}"))
            })?;
            Ok(ResourceContent::new(mime::JSON, cut.unwrap_or(text), modified))
        }))
    }

    /// Returns the folder of logs, for the list of what is stored.
    pub(crate) fn document_folders(&self) -> Result<DocumentFolders<'_>, AppDirError> {
        // That there is none is for the caller to know.
        self.open_folder()?;
        Ok(DocumentFolders {
            names: vec![Arc::default()],
            open: Box::new(|_| self.open_folder()),
            is_document: |file| document_stem(file).is_some_and(|id| id::check(IdKind::SessionId, id).is_ok()),
            id_of: |file| document_stem(file).unwrap_or_default().into(),
        })
    }

    /// Visits the logs, and scans at most `most` names.
    pub(crate) fn for_each_log(&self, mut most: usize, visit: impl FnMut(String, Stat)) -> Result<(), AppDirError> {
        let pick = |name: &str| validate_id(IdKind::SessionId, document_stem(name)?.to_owned());
        self.open_folder()?.visit_files(&mut most, pick, visit)
    }

    /// Returns the ids of the logs that are wanted, unordered.
    pub(crate) fn list_ids(
        &self,
        budget: &mut usize,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<String>, ServiceError> {
        let is_wanted = |stem: &str| !is_summary_stem(stem) && is_wanted(stem);
        match &self.logs {
            Some(logs) => list_stems_in(logs, ".json", budget, &is_wanted),
            None => list_stems(&self.app, LOGS_DIR, ".json", budget, &is_wanted),
        }
    }

    /// Adds the file of a log.
    pub(crate) fn add_dependencies(&self, session: &SessionId, dependencies: &mut Dependencies) {
        match &self.logs {
            Some(logs) => dependencies.add_file(logs, &format!("{session}.json")),
            None => dependencies.add_file(&self.app, &format!("{LOGS_DIR}/{session}.json")),
        }
    }

    /// Adds the names of all logs.
    pub(crate) fn add_list_dependencies(&self, dependencies: &mut Dependencies) {
        match &self.logs {
            Some(logs) => dependencies.add_dir_listing(logs, ""),
            None => dependencies.add_dir_listing(&self.app, LOGS_DIR),
        };
    }
}

/// Returns the error for fields that cannot be parsed. The text is valid JSON, so a data error means too many fields.
fn log_parse_error(what: &str, error: serde_json::Error) -> ServiceError {
    if error.is_data() {
        ServiceError::internal(format!("Failed to parse {what}: too many fields"), error)
    } else {
        ServiceError::from_parse_error(what, error.into())
    }
}
