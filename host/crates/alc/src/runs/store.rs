//! The journals of runs, those of all processes on the AppDir.
//!
//! Owns: `runs/`, how long a journal is kept, and the limit on paused runs.
//! Gives: what the `sessions` commands show of them, and the journal of a run to the call that executes it.
//! Never: changes a run that a process has locked.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use crate::error_code as code;
use crate::limits::{
    FINISHED_RUN_TTL, MAX_FINISHED_RUN_BYTES, MAX_FINISHED_RUNS, MAX_FINISHED_RUNS_PER_OWNER, MAX_PENDING_RUN_BYTES,
    MAX_PENDING_RUN_BYTES_PER_OWNER, MAX_PENDING_RUNS, MAX_PENDING_RUNS_PER_OWNER, PENDING_RUN_COUNT_INTERVAL,
    PENDING_RUN_RECOUNT_INTERVAL, PENDING_RUN_TTL,
};
use crate::session_owner::owner_tag;
use wardroom_appdir::limits::{MAX_JOURNAL_BYTES, MAX_NAMES_SCANNED};
use wardroom_appdir::{AppDirError, FileContent, Folder, JournalFile, PositionedFile, Privacy};
use wardroom_base::byte_size::ByteSize;
use wardroom_base::uri::SessionId;
use wardroom_service::stored_usage::{StoredUsage, Usage};
use wardroom_service::{Owner, ServiceError};

/// The folder of the journals, in the AppDir.
const JOURNAL_DIR: &str = "runs";

/// The file name suffixes of the journals of paused and of finished runs.
const PAUSED_SUFFIX: &str = ".jsonl";
pub(super) const FINISHED_SUFFIX: &str = ".over.jsonl";

/// A paused or finished run.
#[derive(Debug, Clone)]
pub struct StoredRun {
    pub run_id: String,
    pub is_finished: bool,
    pub modified: Option<SystemTime>,
    /// The size of its journal, in bytes.
    pub len: u64,
}

/// The runs that are stored in an AppDir.
#[derive(Debug)]
pub struct RunStore {
    app: Folder,
    /// The paused runs: counted at intervals, plus those that this process adds meanwhile.
    paused: Mutex<Option<StoredUsage>>,
}

impl RunStore {
    /// Creates the store of the AppDir `app`.
    #[must_use]
    pub fn new(app: Folder) -> Self {
        Self { app, paused: Mutex::default() }
    }

    /// Lists the runs, the newest first.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn list(&self) -> Result<Vec<StoredRun>, AppDirError> {
        let Some(folder) = self.open_folder()? else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        let pick = |name: &str| {
            let over = name.strip_suffix(FINISHED_SUFFIX).map(|session| (session.to_owned(), true));
            over.or_else(|| Some((name.strip_suffix(PAUSED_SUFFIX)?.to_owned(), false)))
                .filter(|(session, _)| SessionId::parse(session).is_ok())
        };
        folder.visit_files(&mut { MAX_NAMES_SCANNED }, pick, |(session, is_over), stat| {
            found.push(StoredRun { run_id: session, is_finished: is_over, modified: stat.modified, len: stat.len });
        })?;
        found.sort_by(|a, b| b.modified.cmp(&a.modified).then_with(|| b.run_id.cmp(&a.run_id)));
        Ok(found)
    }

    /// Reads the journal of a run: JSON lines with its inputs and its calls.
    ///
    /// # Errors
    /// When there is no such run, or a process has locked it.
    pub fn read_journal(&self, run_id: &str) -> Result<Vec<u8>, AppDirError> {
        self.open(run_id)?.read(MAX_JOURNAL_BYTES)
    }

    /// Removes a run that no process has locked.
    ///
    /// # Errors
    /// When there is no such run, or a process has locked it.
    pub fn remove(&self, run_id: &str) -> Result<(), AppDirError> {
        self.open(run_id)?.remove()
    }

    /// Whether a process executes the run at this moment.
    #[must_use]
    pub fn is_running(&self, run: &StoredRun) -> bool {
        !run.is_finished && self.is_locked(&run.run_id)
    }

    /// Removes the expired runs, and the finished ones beyond their number. Returns how many were removed.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn remove_expired(&self, now: SystemTime) -> Result<usize, AppDirError> {
        let is_old = |run: &StoredRun| {
            let age = run.modified.and_then(|modified| now.duration_since(modified).ok()).unwrap_or(Duration::ZERO);
            age >= if run.is_finished { FINISHED_RUN_TTL } else { PENDING_RUN_TTL }
        };
        let (mut finished, mut finished_bytes, mut by_owner) = (0usize, 0u64, HashMap::<String, usize>::new());
        // The newest come first.
        let mut is_excess = |run: &StoredRun| {
            if !run.is_finished {
                return false;
            }
            let own = owner_tag(&run.run_id).map_or(0, |tag| {
                let own = by_owner.entry(tag.to_owned()).or_default();
                *own += 1;
                *own
            });
            if own > MAX_FINISHED_RUNS_PER_OWNER {
                return true;
            }
            finished += 1;
            finished_bytes += run.len;
            finished > MAX_FINISHED_RUNS || finished_bytes > MAX_FINISHED_RUN_BYTES
        };
        let old: Vec<StoredRun> = self.list()?.into_iter().filter(|run| is_excess(run) || is_old(run)).collect();
        let removed = old.iter().map(|run| {
            let journal = self.app.open_journal(&journal_file_name(&run.run_id, run.is_finished))?;
            journal.remove_if_unchanged(run.len)
        });
        // A locked run is in use, a longer one was answered since, and a missing one was removed by another process.
        Ok(removed.filter(|removed| matches!(removed, Ok(true))).count())
    }

    /// Opens the journal of a paused or finished run, and locks it.
    pub(super) fn open(&self, run_id: &str) -> Result<JournalFile, AppDirError> {
        match self.open_paused(run_id) {
            Err(AppDirError::NotFound(_)) => self.app.open_journal(&journal_file_name(run_id, true)),
            opened => opened,
        }
    }

    /// Opens the journal of a paused run, and locks it.
    pub(super) fn open_paused(&self, run_id: &str) -> Result<JournalFile, AppDirError> {
        self.app.open_journal(&journal_file_name(run_id, false))
    }

    /// Creates the journal of a run, locked.
    pub(super) fn create(&self, run_id: &str) -> Result<JournalFile, AppDirError> {
        let name = journal_file_name(run_id, false);
        match self.app.create_journal(&name, Privacy::Owner) {
            Err(AppDirError::NotFound(_)) => {
                self.app.create_folder(JOURNAL_DIR)?;
                self.app.create_journal(&name, Privacy::Owner)
            }
            created => created,
        }
    }

    /// Reads the journal of a run, paused or finished, without its lock, so that a process may be writing the last line.
    pub(super) fn read_unlocked(&self, run_id: &str, is_finished: bool) -> Result<FileContent, AppDirError> {
        self.app.read(&journal_file_name(run_id, is_finished), MAX_JOURNAL_BYTES)
    }

    /// Opens the journal of a paused or a finished run without its lock.
    pub(super) fn open_positioned(&self, run_id: &str, is_finished: bool) -> Result<PositionedFile, AppDirError> {
        self.app.open_positioned(&journal_file_name(run_id, is_finished))
    }

    /// Whether a process has locked the journal of a run.
    pub(super) fn is_locked(&self, run_id: &str) -> bool {
        self.app.is_locked(&journal_file_name(run_id, false))
    }

    /// Whether a run has a journal and has not finished.
    pub(super) fn is_paused(&self, run_id: &str) -> bool {
        self.paused_len(run_id).is_ok_and(|len| len.is_some())
    }

    /// Returns the bytes of the journal of a run that has not finished; `None` without such a journal.
    pub(super) fn paused_len(&self, run_id: &str) -> Result<Option<u64>, AppDirError> {
        match self.app.stat(&journal_file_name(run_id, false)) {
            Err(AppDirError::NotFound(_)) => Ok(None),
            stat => stat.map(|stat| Some(stat.len)),
        }
    }

    /// Counts one more paused run of this owner, whose journal has so many bytes, unless a limit is reached. `command` is
    /// for advice.
    ///
    /// # Errors
    /// `TOO_MANY_RUNS`, with advice.
    pub(super) fn reserve_pending(&self, owner: &Owner, bytes: u64, command: &str) -> Result<(), ServiceError> {
        let mut counted = self.paused.lock().unwrap_or_else(PoisonError::into_inner);
        let is_recent = |paused: &StoredUsage| {
            let has_room = refusal(paused, owner, command).is_none();
            paused.age() < if has_room { PENDING_RUN_COUNT_INTERVAL } else { PENDING_RUN_RECOUNT_INTERVAL }
        };
        let paused = match counted.take().filter(is_recent) {
            Some(paused) => paused,
            None => self.count_paused().map_err(|error| ServiceError::from_write_error("the runs that wait", error))?,
        };
        let paused = counted.insert(paused);
        if let Some(message) = refusal(paused, owner, command) {
            return Err(ServiceError::tool(code::TOO_MANY_RUNS, message));
        }
        paused.add(owner.tag().as_deref(), Usage::file(bytes));
        Ok(())
    }

    /// Counts paused runs, without opening one.
    fn count_paused(&self) -> Result<StoredUsage, AppDirError> {
        let mut paused = StoredUsage::empty();
        let Some(folder) = self.open_folder()? else { return Ok(paused) };
        let pick = |name: &str| {
            let session = name.strip_suffix(PAUSED_SUFFIX).filter(|_| !name.ends_with(FINISHED_SUFFIX))?;
            (!name.starts_with('.')).then(|| owner_tag(session).map(str::to_owned))
        };
        folder.visit_files(&mut { MAX_NAMES_SCANNED }, pick, |tag: Option<String>, stat| {
            paused.add(tag.as_deref(), Usage::file(stat.len));
        })?;
        Ok(paused)
    }

    /// Opens the folder of journals, if it exists.
    fn open_folder(&self) -> Result<Option<Folder>, AppDirError> {
        match self.app.open_folder(JOURNAL_DIR) {
            Err(AppDirError::NotFound(_)) => Ok(None),
            folder => folder.map(Some),
        }
    }
}

/// Returns why no further run of an owner may wait.
fn refusal(paused: &StoredUsage, owner: &Owner, command: &str) -> Option<String> {
    let (all, own) = (paused.total(), paused.own(owner));
    let advice = if all.count >= MAX_PENDING_RUNS || all.bytes >= MAX_PENDING_RUN_BYTES {
        format!("end some with alc_cancel, or with `{command} sessions list` and `{command} sessions drop`")
    } else {
        "end some with alc_cancel".to_owned()
    };
    let parts = [
        ("this AppDir", all, MAX_PENDING_RUNS, MAX_PENDING_RUN_BYTES),
        ("this caller", own, MAX_PENDING_RUNS_PER_OWNER, MAX_PENDING_RUN_BYTES_PER_OWNER),
    ];
    parts.into_iter().find_map(|(whose, Usage { count, bytes }, max_count, max_bytes)| {
        if count >= max_count {
            return Some(format!("{count} runs of {whose} wait for answers, the limit is {max_count}: {advice}"));
        }
        let (bytes, limit) = (bytes >= max_bytes).then_some((ByteSize(bytes), ByteSize(max_bytes)))?;
        Some(format!("the runs of {whose} that wait for answers have {bytes}, the limit is {limit}: {advice}"))
    })
}

/// Returns the file name of the journal of a paused or a finished run.
fn journal_file_name(session: &str, is_over: bool) -> String {
    format!("{JOURNAL_DIR}/{session}{}", if is_over { FINISHED_SUFFIX } else { PAUSED_SUFFIX })
}
