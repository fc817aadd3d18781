//! The runs stored in an AppDir, of all processes.
//!
//! Owns: what `sessions` commands show of them, and how long they are kept.
//! Never: changes a run that a process has locked.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use super::journal::{FINISHED_SUFFIX, JOURNAL_DIR, PAUSED_SUFFIX, journal_file_name};
use crate::error_code as code;
use crate::limits::{
    FINISHED_RUN_TTL, MAX_PENDING_RUNS, PENDING_RUN_COUNT_INTERVAL, PENDING_RUN_RECOUNT_INTERVAL, PENDING_RUN_TTL,
};
use wardroom_appdir::limits::{MAX_JOURNAL_BYTES, MAX_NAMES_SCANNED};
use wardroom_appdir::{AppDirError, Folder, JournalFile};
use wardroom_service::ServiceError;

/// A paused or finished run.
#[derive(Debug, Clone)]
pub struct StoredRun {
    pub run_id: String,
    pub is_finished: bool,
    pub modified: Option<SystemTime>,
    /// The size of its journal, in bytes.
    pub len: u64,
}

impl StoredRun {
    /// Whether a process executes the run at this moment.
    #[must_use]
    pub fn is_running(&self, app: &Folder) -> bool {
        !self.is_finished && app.is_locked(&journal_file_name(&self.run_id, false))
    }
}

/// The approximate number of paused runs in an AppDir: counted at intervals, plus the runs that this process adds
/// meanwhile.
#[derive(Debug, Default)]
pub(super) struct PendingRunCount(Mutex<Option<(Instant, usize)>>);

impl PendingRunCount {
    /// Counts one more run, unless the limit is reached.
    ///
    /// # Errors
    /// `TOO_MANY_RUNS`, with advice.
    pub(super) fn reserve(&self, app: &Folder, command: &str) -> Result<(), ServiceError> {
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = counted.filter(|(at, count)| {
            at.elapsed()
                < if *count < MAX_PENDING_RUNS { PENDING_RUN_COUNT_INTERVAL } else { PENDING_RUN_RECOUNT_INTERVAL }
        });
        let (at, count) = match known {
            Some(known) => known,
            None => (
                Instant::now(),
                count_paused_runs(app).map_err(|error| ServiceError::from_write_error("the runs that wait", error))?,
            ),
        };
        *counted = Some((at, count + usize::from(count < MAX_PENDING_RUNS)));
        if count < MAX_PENDING_RUNS {
            return Ok(());
        }
        Err(ServiceError::tool(
            code::TOO_MANY_RUNS,
            format!(
                "{count} runs of this AppDir wait for answers, the limit is {MAX_PENDING_RUNS}: end some with \
                 alc_cancel, or with `{command} sessions list` and `{command} sessions drop`"
            ),
        ))
    }
}

/// Counts paused runs by file names alone.
fn count_paused_runs(app: &Folder) -> Result<usize, AppDirError> {
    let folder = match app.open_folder(JOURNAL_DIR) {
        Err(AppDirError::NotFound(_)) => return Ok(0),
        folder => folder?,
    };
    let mut count = 0;
    folder.visit_names(&mut { MAX_NAMES_SCANNED }, |name, _, _| {
        count +=
            usize::from(name.ends_with(PAUSED_SUFFIX) && !name.ends_with(FINISHED_SUFFIX) && !name.starts_with('.'));
    })?;
    Ok(count)
}

/// Lists the runs of an AppDir, the newest first.
///
/// # Errors
/// When the folder cannot be read.
pub fn list_runs(app: &Folder) -> Result<Vec<StoredRun>, AppDirError> {
    let folder = match app.open_folder(JOURNAL_DIR) {
        Err(AppDirError::NotFound(_)) => return Ok(Vec::new()),
        folder => folder?,
    };
    let mut found = Vec::new();
    let pick = |name: &str| {
        let over = name.strip_suffix(FINISHED_SUFFIX).map(|session| (session.to_owned(), true));
        over.or_else(|| Some((name.strip_suffix(PAUSED_SUFFIX)?.to_owned(), false)))
            .filter(|(session, _)| !session.is_empty())
    };
    folder.visit_files(&mut { MAX_NAMES_SCANNED }, pick, |(session, is_over), stat| {
        found.push(StoredRun { run_id: session, is_finished: is_over, modified: stat.modified, len: stat.len });
    })?;
    found.sort_by(|a, b| b.modified.cmp(&a.modified).then_with(|| a.run_id.cmp(&b.run_id)));
    Ok(found)
}

/// Reads the journal of a run: JSON lines with its inputs and its calls.
///
/// # Errors
/// When there is no such run, or a process has locked it.
pub fn read_run_journal(app: &Folder, session: &str) -> Result<Vec<u8>, AppDirError> {
    let opened = match app.open_journal(&journal_file_name(session, false)) {
        Err(AppDirError::NotFound(_)) => app.open_journal(&journal_file_name(session, true)),
        opened => opened,
    };
    opened?.read(MAX_JOURNAL_BYTES)
}

/// Removes a run that no process has locked.
///
/// # Errors
/// When there is no such run, or a process has locked it.
pub fn remove_run(app: &Folder, session: &str) -> Result<(), AppDirError> {
    match app.open_journal(&journal_file_name(session, false)) {
        Err(AppDirError::NotFound(_)) => app.open_journal(&journal_file_name(session, true))?.remove(),
        opened => opened?.remove(),
    }
}

/// Removes the expired runs. Returns how many were removed.
///
/// # Errors
/// When the folder cannot be read.
pub fn remove_expired_runs(app: &Folder, now: SystemTime) -> Result<usize, AppDirError> {
    let is_old = |run: &StoredRun| {
        let age = run.modified.and_then(|modified| now.duration_since(modified).ok()).unwrap_or(Duration::ZERO);
        age >= if run.is_finished { FINISHED_RUN_TTL } else { PENDING_RUN_TTL }
    };
    let old: Vec<StoredRun> = list_runs(app)?.into_iter().filter(is_old).collect();
    let removed = old
        .iter()
        .map(|run| app.open_journal(&journal_file_name(&run.run_id, run.is_finished)).and_then(JournalFile::remove));
    // A locked run is in use, and a missing one was removed by another process.
    Ok(removed.filter(Result::is_ok).count())
}
