//! The runs of an AppDir as they lie there, whoever started them.
//!
//! Owns: what a person is told of them, and how long they are kept.
//! Never: touches a run that some process holds.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use super::journal::{FOLDER, OVER, WAITS, file_name};
use super::tool_error;
use wardroom_appdir::{AppDirError, Folder, Journal};
use wardroom_base::limits::{
    MAX_JOURNAL_BYTES, MAX_NAMES_SCANNED, MAX_WAITING_RUNS, RUN_COUNT, RUN_EXPIRY, RUN_OVER_EXPIRY, RUN_RECOUNT,
};
use wardroom_service::ServiceError;

/// A run that waits, or is over.
#[derive(Debug, Clone)]
pub struct Stored {
    pub session: String,
    pub is_over: bool,
    pub modified: Option<SystemTime>,
    /// Of its journal, in bytes.
    pub len: u64,
}

impl Stored {
    /// Whether some process carries it on at this moment.
    #[must_use]
    pub fn goes_on(&self, app: &Folder) -> bool {
        !self.is_over && app.is_locked(&file_name(&self.session, false))
    }
}

/// How many runs wait on an AppDir, about: they are counted from time to time, and those that this process adds meanwhile.
#[derive(Debug, Default)]
pub(super) struct Waiting(Mutex<Option<(Instant, usize)>>);

impl Waiting {
    /// Counts one more, where there is room.
    ///
    /// # Errors
    /// `TOO_MANY_RUNS`, with what to do.
    pub(super) fn make_room(&self, app: &Folder, command: &str) -> Result<(), ServiceError> {
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = counted
            .filter(|(at, count)| at.elapsed() < if *count < MAX_WAITING_RUNS { RUN_COUNT } else { RUN_RECOUNT });
        let (at, count) = match known {
            Some(known) => known,
            None => (Instant::now(), count(app).map_err(|error| ServiceError::writing("the runs that wait", error))?),
        };
        *counted = Some((at, count + usize::from(count < MAX_WAITING_RUNS)));
        if count < MAX_WAITING_RUNS {
            return Ok(());
        }
        Err(tool_error(
            "TOO_MANY_RUNS",
            format!(
                "{count} runs wait for answers in this AppDir, the limit is {MAX_WAITING_RUNS}: end some with alc_cancel, or \
                 with `{command} sessions list` and `{command} sessions drop`"
            ),
        ))
    }
}

/// The runs that wait, by nothing but names.
fn count(app: &Folder) -> Result<usize, AppDirError> {
    let folder = match app.folder(FOLDER) {
        Err(AppDirError::NotFound(_)) => return Ok(0),
        folder => folder?,
    };
    let mut count = 0;
    folder.each_name_within(&mut { MAX_NAMES_SCANNED }, |name, _, _| {
        count += usize::from(name.ends_with(WAITS) && !name.ends_with(OVER) && !name.starts_with('.'));
    })?;
    Ok(count)
}

/// The runs of an AppDir, the newest first.
///
/// # Errors
/// When the folder cannot be read.
pub fn sessions(app: &Folder) -> Result<Vec<Stored>, AppDirError> {
    let folder = match app.folder(FOLDER) {
        Err(AppDirError::NotFound(_)) => return Ok(Vec::new()),
        folder => folder?,
    };
    let mut found = Vec::new();
    let pick = |name: &str| {
        let over = name.strip_suffix(OVER).map(|session| (session.to_owned(), true));
        over.or_else(|| Some((name.strip_suffix(WAITS)?.to_owned(), false))).filter(|(session, _)| !session.is_empty())
    };
    folder.each_file_within(&mut { MAX_NAMES_SCANNED }, pick, |(session, is_over), stat| {
        found.push(Stored { session, is_over, modified: stat.modified, len: stat.len });
    })?;
    found.sort_by(|a, b| b.modified.cmp(&a.modified).then_with(|| a.session.cmp(&b.session)));
    Ok(found)
}

/// What a run is and was asked, as JSON lines.
///
/// # Errors
/// When there is none, or some process holds it.
pub fn journal_text(app: &Folder, session: &str) -> Result<Vec<u8>, AppDirError> {
    let opened = match app.open_journal(&file_name(session, false)) {
        Err(AppDirError::NotFound(_)) => app.open_journal(&file_name(session, true)),
        opened => opened,
    };
    opened?.read(MAX_JOURNAL_BYTES)
}

/// Removes a run that no process holds.
///
/// # Errors
/// When there is none, or some process holds it.
pub fn drop_session(app: &Folder, session: &str) -> Result<(), AppDirError> {
    match app.open_journal(&file_name(session, false)) {
        Err(AppDirError::NotFound(_)) => app.open_journal(&file_name(session, true))?.remove(),
        opened => opened?.remove(),
    }
}

/// Removes the runs whose time is over; how many.
///
/// # Errors
/// When the folder cannot be read.
pub fn sweep(app: &Folder, now: SystemTime) -> Result<usize, AppDirError> {
    let is_old = |run: &Stored| {
        let age = run.modified.and_then(|modified| now.duration_since(modified).ok()).unwrap_or(Duration::ZERO);
        age >= if run.is_over { RUN_OVER_EXPIRY } else { RUN_EXPIRY }
    };
    let old: Vec<Stored> = sessions(app)?.into_iter().filter(is_old).collect();
    let removed =
        old.iter().map(|run| app.open_journal(&file_name(&run.session, run.is_over)).and_then(Journal::remove));
    // One that is held is in use, and one that is gone was swept by somebody else.
    Ok(removed.filter(Result::is_ok).count())
}
