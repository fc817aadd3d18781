//! The files of a learning log: the playbook and the two logs.
//!
//! Owns: the lock below which the playbook is changed, and how lines that cannot be read are skipped and counted.
//! Never: knows what a trace or an insight means, or replaces a playbook that changed since it was read.

mod place;
mod playbook_file;
mod playbook_helper;

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::ControlFlow;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error_code as code;
use crate::limits::{MAX_LEARNING_LOG_BYTES, MAX_PLAYBOOK_WRITES};
use wardroom_appdir::{AppDirError, FileLock, Folder, FollowedRow, Privacy, RowFollower, VisitedRow};
use wardroom_base::payload::Payload;
use wardroom_process::helper_channel::HelperError;
use wardroom_service::{Dependencies, ServiceError, ToolErrorCode};

pub use self::place::{FilePlace, LearningPlaces, PlaybookError, PlaybookPlace};
pub use self::playbook_helper::{PlaybookHelper, PlaybookHelperConfig, PlaybookHelperWalls, serve_playbook_helper};

pub(crate) use self::place::{LOGS_DIR, PLAYBOOK_FILE};

/// Beside the log of insights.
const LOCK_FILE: &str = ".lock";
const BULLETS_FILE: &str = "bullets.jsonl";
const PROPOSALS_DIR: &str = "proposals";

/// A log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogFile {
    Traces,
    Insights,
    /// What became of bullets: see `bullet_log`.
    Bullets,
}

impl LogFile {
    /// The usual name, by which messages call it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Traces => "logs/execution_traces.jsonl",
            Self::Insights => "logs/insights.jsonl",
            Self::Bullets => "logs/bullets.jsonl",
        }
    }
}

/// The files.
#[derive(Debug, Clone)]
pub(crate) struct LearningFiles(LearningPlaces);

/// How many lines of a log were visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct LineCounts {
    pub(crate) read: usize,
    /// Lines that are no JSON of the log's form, torn, or too long.
    pub(crate) skipped: usize,
}

impl LineCounts {
    /// Checks that a log is not empty of lines that can be read.
    ///
    /// # Errors
    /// `PARSE_ERROR` where the log has lines and none of them can be read.
    pub(crate) fn check(self, log: LogFile) -> Result<(), ServiceError> {
        if self.read > 0 || self.skipped == 0 {
            return Ok(());
        }
        let message =
            format!("none of the {} lines of {} can be read: correct it, or move it away", self.skipped, log.name());
        Err(ServiceError::tool(code::PARSE_ERROR, message))
    }
}

/// What a change of the playbook came to.
pub(crate) struct PlaybookChange<T> {
    pub(crate) result: T,
    /// The whole new text; `None` where nothing changes.
    pub(crate) text: Option<String>,
}

impl LearningFiles {
    pub(crate) const fn new(places: LearningPlaces) -> Self {
        Self(places)
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.0.insights.folder.is_read_only()
    }

    /// Logs how the process that replaces the playbook is confined, if there is one.
    pub(crate) fn log_helper(&self) {
        if let PlaybookPlace::Helper { helper, .. } = &self.0.playbook {
            helper.log_walls();
        }
    }

    fn place(&self, log: LogFile) -> FilePlace {
        match log {
            LogFile::Traces => self.0.traces.clone(),
            LogFile::Insights => self.0.insights.clone(),
            LogFile::Bullets => self.0.insights.sibling(BULLETS_FILE),
        }
    }

    /// Visits the lines of a log from the first one on.
    ///
    /// # Errors
    /// `FILE_NOT_FOUND`, and `PARSE_ERROR` where the log has lines and none of them can be read.
    pub(crate) fn visit<T: DeserializeOwned>(
        &self,
        log: LogFile,
        stop: &dyn Fn() -> bool,
        visit: impl FnMut(T) -> ControlFlow<()>,
    ) -> Result<LineCounts, ServiceError> {
        let mut reader = LineReader { visit, counts: LineCounts::default() };
        let FilePlace { folder, name } = self.place(log);
        let visited = folder.visit_rows(&name, stop, |row| reader.next(row));
        visited.map_err(|error| read_error(log.name(), error))?;
        reader.finish(log)
    }

    /// Visits the lines of a log from the last one back.
    ///
    /// # Errors
    /// As [`Self::visit`].
    pub(crate) fn visit_backwards<T: DeserializeOwned>(
        &self,
        log: LogFile,
        stop: &dyn Fn() -> bool,
        visit: impl FnMut(T) -> ControlFlow<()>,
    ) -> Result<LineCounts, ServiceError> {
        let mut reader = LineReader { visit, counts: LineCounts::default() };
        let FilePlace { folder, name } = self.place(log);
        let visited = folder.visit_rows_backwards(&name, stop, |row| reader.next(row));
        visited.map_err(|error| read_error(log.name(), error))?;
        reader.finish(log)
    }

    /// Visits the lines that a log got since the last call with this follower.
    ///
    /// # Errors
    /// `FILE_NOT_FOUND`.
    pub(crate) fn follow(
        &self,
        log: LogFile,
        follower: &mut RowFollower,
        stop: &dyn Fn() -> bool,
        visit: impl FnMut(FollowedRow<'_>),
    ) -> Result<(), ServiceError> {
        let FilePlace { folder, name } = self.place(log);
        let followed = follower.visit_new(&folder, &name, stop, visit);
        followed.map_err(|error| read_error(log.name(), error))
    }

    /// Appends lines to a log, which is created when missing.
    ///
    /// # Errors
    /// `WRITE_ERROR`: then none of the lines is there.
    pub(crate) fn append<T: Serialize>(&self, log: LogFile, lines: &[T]) -> Result<(), ServiceError> {
        let mut bytes = Vec::new();
        for line in lines {
            // These types have string keys alone.
            bytes.extend(serde_json::to_vec(line).unwrap_or_default());
            bytes.push(b'\n');
        }
        // Traces hold what tools print, which may be secret in a way that no rule knows.
        let place = self.place(log);
        let append = || place.folder.append_rows(&place.name, &bytes, Privacy::Owner, MAX_LEARNING_LOG_BYTES);
        let appended = match append() {
            Err(AppDirError::NotFound(_)) => place.create_parent().and_then(|()| append()),
            appended => appended,
        };
        appended.map_err(|error| write_error(log.name(), error))
    }

    /// Reads the playbook.
    ///
    /// # Errors
    /// `FILE_NOT_FOUND`, and `PARSE_ERROR` where it is not text.
    pub(crate) fn playbook(&self) -> Result<String, ServiceError> {
        self.0.read_playbook().map_err(|error| match error {
            PlaybookError::File(error) => read_error(PLAYBOOK_FILE, error),
            PlaybookError::Helper(error) => {
                let (code, message) = describe_helper_error(&error);
                ServiceError::tool(code, message)
            }
        })
    }

    /// Takes the lock below which the playbook and the insights change.
    ///
    /// # Errors
    /// `WRITE_ERROR` when another process holds it for too long, or its file cannot be created.
    pub(crate) fn lock(&self) -> Result<FileLock, ServiceError> {
        let FilePlace { folder, name } = self.0.insights.sibling(LOCK_FILE);
        let locked = self.0.insights.create_parent().and_then(|()| folder.lock(&name));
        locked.map_err(|error| write_error(LOGS_DIR, error))
    }

    /// Opens the folder of proposals; `None` if there is none yet.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub(crate) fn proposals(&self) -> Result<Option<Folder>, ServiceError> {
        let FilePlace { folder, name } = self.proposals_place();
        match folder.open_folder(&name) {
            Ok(folder) => Ok(Some(folder)),
            Err(AppDirError::NotFound(_)) => Ok(None),
            Err(error) => Err(read_error(PROPOSALS_DIR, error)),
        }
    }

    /// Opens the folder of proposals, which is created when missing.
    ///
    /// # Errors
    /// `WRITE_ERROR`.
    pub(crate) fn create_proposals(&self) -> Result<Folder, ServiceError> {
        let FilePlace { folder, name } = self.proposals_place();
        let created = self.0.insights.create_parent().and_then(|()| folder.create_folder(&name));
        created.map_err(|error| write_error(PROPOSALS_DIR, error))
    }

    /// Adds what shows that proposals came or were decided.
    pub(crate) fn add_proposals(&self, dependencies: &mut Dependencies) {
        let FilePlace { folder, name } = self.proposals_place();
        drop(dependencies.add_dir_listing(&folder, &name));
    }

    fn proposals_place(&self) -> FilePlace {
        self.0.insights.sibling(PROPOSALS_DIR)
    }

    /// Returns a number that differs once a file or a proposal is another one.
    pub(crate) fn version(&self) -> u64 {
        let playbook = match &self.0.playbook {
            PlaybookPlace::Own(place) => place,
            PlaybookPlace::Helper { watched, .. } => watched,
        };
        let logs = [LogFile::Traces, LogFile::Insights, LogFile::Bullets].map(|log| self.place(log));
        let mut hasher = DefaultHasher::new();
        for FilePlace { folder, name } in [playbook].into_iter().chain(&logs) {
            folder.stat(name).ok().hash(&mut hasher);
        }
        let FilePlace { folder, name } = self.proposals_place();
        let proposals = folder.open_folder(&name).and_then(|folder| folder.stat_self()).ok();
        proposals.map(|stat| (stat.file_id, stat.changed)).hash(&mut hasher);
        hasher.finish()
    }

    /// Returns the title of a task of the tracker `bd`, whose issues lie beside the playbook of a project. A tracker that
    /// cannot be read has none.
    ///
    /// # Errors
    /// When `stop` returns true.
    pub(crate) fn task_title(&self, bead: &str, stop: &dyn Fn() -> bool) -> Result<Option<String>, ServiceError> {
        #[derive(serde::Deserialize)]
        struct TrackedIssue {
            id: String,
            title: String,
        }
        let mut title = None;
        let mut reader = LineReader {
            visit: |issue: TrackedIssue| {
                if issue.id != bead {
                    return ControlFlow::Continue(());
                }
                title = Some(issue.title);
                ControlFlow::Break(())
            },
            counts: LineCounts::default(),
        };
        let Some(FilePlace { folder, name }) = &self.0.tracker else { return Ok(None) };
        match folder.visit_rows_backwards(name, stop, |row| reader.next(row)) {
            Err(error @ AppDirError::Cancelled(_)) => Err(ServiceError::from_read_error(name, error)),
            Err(_) => Ok(None),
            Ok(()) => Ok(title.filter(|title| !title.trim().is_empty())),
        }
    }

    /// Changes the playbook in one atomic write. `change` gets the text, and is called again with the new one where
    /// another program wrote in the meantime.
    ///
    /// # Errors
    /// As [`Self::playbook`] and `change`, and `WRITE_ERROR`; the text of before stays.
    pub(crate) fn change_playbook<T>(
        &self,
        mut change: impl FnMut(&str) -> Result<PlaybookChange<T>, ServiceError>,
    ) -> Result<T, ServiceError> {
        // A missing playbook is reported before anything is created beside it.
        self.playbook()?;
        let _lock = self.lock()?;
        for _ in 0..MAX_PLAYBOOK_WRITES {
            let before = self.playbook()?;
            let PlaybookChange { result, text } = change(&before)?;
            let Some(text) = text else { return Ok(result) };
            let written = match &self.0.playbook {
                PlaybookPlace::Own(place) => {
                    place.replace_playbook(&before, &text, &|| true).map_err(PlaybookError::from)
                }
                PlaybookPlace::Helper { helper, .. } => helper.replace(PLAYBOOK_FILE, &before, &text),
            };
            match written {
                Ok(true) => return Ok(result),
                Ok(false) => {}
                // The last step flushes the folder: where only that failed, the file is there.
                Err(error) if self.playbook().is_ok_and(|now| now == text) => {
                    tracing::warn!(%error, "a loss of power may take back a change of the playbook");
                    return Ok(result);
                }
                Err(PlaybookError::File(error)) => return Err(write_error(PLAYBOOK_FILE, error)),
                Err(PlaybookError::Helper(error)) => {
                    let (cause, message) = describe_helper_error(&error);
                    return Err(write_error_with(message, cause.as_str()));
                }
            }
        }
        Err(write_error(PLAYBOOK_FILE, AppDirError::ChangedDuringRead(PLAYBOOK_FILE.to_owned())))
    }

    /// Adds what shows that the playbook or a log changed.
    pub(crate) fn add_dependencies(&self, dependencies: &mut Dependencies, playbook: bool, logs: &[LogFile]) {
        if playbook {
            let (PlaybookPlace::Own(place) | PlaybookPlace::Helper { watched: place, .. }) = &self.0.playbook;
            dependencies.add_file(&place.folder, &place.name);
        }
        for place in logs.iter().map(|log| self.place(*log)) {
            dependencies.add_file(&place.folder, &place.name);
        }
    }

    /// Creates the playbook with this text and empty logs, and returns how many of the files were missing.
    ///
    /// # Errors
    /// When one cannot be created.
    pub(crate) fn create(&self, playbook: &str) -> Result<usize, AppDirError> {
        let (PlaybookPlace::Own(place) | PlaybookPlace::Helper { watched: place, .. }) = &self.0.playbook;
        let mut n_created = 0;
        for (place, text, privacy) in [
            (place, playbook, Privacy::Shared),
            (&self.0.traces, "", Privacy::Owner),
            (&self.0.insights, "", Privacy::Owner),
        ] {
            place.create_parent()?;
            match place.folder.create_file(&place.name, text.as_bytes(), privacy) {
                Ok(()) => n_created += 1,
                Err(AppDirError::AlreadyExists(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(n_created)
    }
}

impl FilePlace {
    fn create_parent(&self) -> Result<(), AppDirError> {
        self.parent().map_or(Ok(()), |parent| self.folder.create_folder(parent).map(drop))
    }
}

struct LineReader<V> {
    visit: V,
    counts: LineCounts,
}

impl<V> LineReader<V> {
    fn next<T: DeserializeOwned>(&mut self, row: VisitedRow<'_>) -> ControlFlow<()>
    where
        V: FnMut(T) -> ControlFlow<()>,
    {
        let parsed = match row {
            VisitedRow::Row(bytes) => parse_row(bytes),
            VisitedRow::TooLong => None,
        };
        match parsed {
            Some(value) => {
                self.counts.read += 1;
                (self.visit)(value)
            }
            None => {
                self.counts.skipped += 1;
                ControlFlow::Continue(())
            }
        }
    }

    fn finish(self, log: LogFile) -> Result<LineCounts, ServiceError> {
        self.counts.check(log)?;
        Ok(self.counts)
    }
}

/// Parses a row, which is an object: from an array the fields would be taken in their order. A row that is UTF-8 as a whole is
/// faster to parse, since no text in it is checked again.
pub(crate) fn parse_row<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    if !bytes.trim_ascii_start().starts_with(b"{") {
        return None;
    }
    match std::str::from_utf8(bytes) {
        Ok(row) => serde_json::from_str(row).ok(),
        Err(_) => serde_json::from_slice(bytes).ok(),
    }
}

pub(crate) fn read_error(name: &str, error: AppDirError) -> ServiceError {
    match error {
        AppDirError::NotFound(_) => {
            let advice = match name {
                PLAYBOOK_FILE => "make one with `wardroom ace init`",
                name if name == LogFile::Insights.name() => "analyze traces first (ace_analyze_patterns)",
                _ => "capture a trace first (ace_capture_trace)",
            };
            ServiceError::tool(code::FILE_NOT_FOUND, format!("{name} is missing: {advice}"))
        }
        AppDirError::NotUtf8(_) => {
            ServiceError::tool(code::PARSE_ERROR, format!("{name} is not UTF-8 text: save it as UTF-8"))
        }
        AppDirError::TooLarge { .. } => {
            ServiceError::tool(code::PARSE_ERROR, format!("{name} {}: shorten it, or move it away", error.predicate()))
        }
        other => ServiceError::from_read_error(name, other),
    }
}

/// Converts an error of a write; what other services say with a code of their own is the cause.
pub(crate) fn write_error(name: &str, error: AppDirError) -> ServiceError {
    let (message, cause) = match error {
        AppDirError::TooLarge { .. } => {
            (format!("{name} {}: move it away, or shorten it", error.predicate()), "TOO_LARGE")
        }
        AppDirError::ChangedDuringRead(_) => {
            (format!("another program keeps changing {name}: close it, and try again"), "CONFLICT")
        }
        AppDirError::OutsideRoot(_) => {
            (format!("{name} is a link out of its folder: replace the link by the file"), "OUTSIDE")
        }
        error => match ServiceError::from_write_error(name, error) {
            ServiceError::Tool { code, message, .. } => (message, code.as_str()),
            other => {
                tracing::warn!(error = ?other, "cannot write a file of the learning log");
                (other.to_string(), "IO")
            }
        },
    };
    write_error_with(message, cause)
}

fn write_error_with(message: String, cause: &str) -> ServiceError {
    let details = Some(Payload::from_value(serde_json::json!({ "cause": cause })));
    ServiceError::Tool { code: code::WRITE_ERROR, message, details }
}

/// Returns what a client is told of a helper that gave no answer, with the code of it.
fn describe_helper_error(error: &HelperError) -> (ToolErrorCode, String) {
    let process = format!("the process that reads and changes {PLAYBOOK_FILE}");
    match error {
        HelperError::Late(after) => {
            let seconds = after.as_secs();
            (code::BUSY, format!("{process} did not answer within {seconds} s: look at the file, and try again"))
        }
        HelperError::Busy => (code::BUSY, format!("{process} still works on an earlier request: try again")),
        HelperError::Refused(error) => {
            (code::WRITE_ERROR, format!("{PLAYBOOK_FILE} cannot be sent to the process that changes it: {error}"))
        }
        HelperError::Gone(_) => {
            (code::HELPER_GONE, format!("{process} has ended: restart the server to start another one"))
        }
    }
}
