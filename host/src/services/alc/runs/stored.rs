//! The runs of an AppDir as they lie there, whoever started them.
//!
//! Owns: what a person is told of them, and how long they are kept.
//! Never: touches a run that some process holds.

use std::time::{Duration, SystemTime};

use super::journal::{FOLDER, OVER, WAITS, file_name};
use crate::appdir::{AppDirError, Folder, Journal};
use crate::limits::{MAX_JOURNAL_BYTES, MAX_NAMES_SCANNED, RUN_EXPIRY, RUN_OVER_EXPIRY};

/// A run that waits, or is over.
#[derive(Debug, Clone)]
pub struct Stored {
    pub session: String,
    pub is_over: bool,
    pub modified: Option<SystemTime>,
    /// Of its journal, in bytes.
    pub len: u64,
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
