//! What a process remembers of decided proposals, so that a list reads the files of one page alone.
//!
//! Owns: the names in each folder, while nothing changes in it, and the status of each proposal, which never changes.
//! Never: is the truth: a list reads the files of what it shows.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

use super::store::{StoreError, ids_in};
use super::{Decision, MAX_DECIDED_AGE_MS};
use wardroom_appdir::Folder;
use wardroom_service::proposal::{PROPOSAL_ID_LEN, ProposalStatus};

/// Folders that are remembered. Decisions of 30 days are in 155.
const MAX_FOLDERS: usize = 512;
/// Time after a change in which a folder may change again without another time of change: that of some file systems has
/// whole seconds.
const SETTLE_TIME: Duration = Duration::from_secs(2);

/// The decided proposals that this process has seen, by folder.
#[derive(Default)]
pub(crate) struct DecidedCache(Mutex<HashMap<String, DecidedFolder>>);

struct DecidedFolder {
    /// When a name came to the folder or went last; `None` where the folder may have changed since without a trace.
    changed: Option<SystemTime>,
    /// The newest first.
    entries: Arc<[DecidedEntry]>,
}

/// The name of a decided proposal, and what is known of it.
#[derive(Clone)]
pub(crate) struct DecidedEntry {
    id: [u8; PROPOSAL_ID_LEN],
    known: OnceLock<KnownDecision>,
}

/// The part of a decision by which lists choose.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KnownDecision {
    pub(crate) status: ProposalStatus,
    pub(crate) at: i64,
}

impl KnownDecision {
    /// As [`Decision::still_answers`].
    pub(crate) const fn still_answers(self, now: i64) -> bool {
        now.saturating_sub(self.at) < MAX_DECIDED_AGE_MS
    }
}

impl DecidedEntry {
    pub(crate) fn id(&self) -> &str {
        // An id has ASCII characters alone.
        str::from_utf8(&self.id).unwrap_or_default()
    }

    pub(crate) fn known(&self) -> Option<KnownDecision> {
        self.known.get().copied()
    }

    pub(crate) fn remember(&self, decision: &Decision) {
        self.known.get_or_init(|| KnownDecision { status: decision.status, at: decision.at });
    }
}

impl DecidedCache {
    /// Returns the decided proposals in a folder, the newest first.
    pub(super) fn entries(&self, name: &str, folder: &Folder) -> Result<Arc<[DecidedEntry]>, StoreError> {
        let (changed, now) = (folder.stat_self()?.changed, SystemTime::now());
        let known = {
            let folders = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            match folders.get(name) {
                Some(known) if known.changed.is_some() && known.changed == changed => {
                    return Ok(Arc::clone(&known.entries));
                }
                Some(known) => Arc::clone(&known.entries),
                None => Arc::default(),
            }
        };
        let to_entry = |id: [u8; PROPOSAL_ID_LEN]| {
            let before = known.binary_search_by(|entry| id.cmp(&entry.id));
            before.ok().and_then(|at| known.get(at)).cloned().unwrap_or(DecidedEntry { id, known: OnceLock::new() })
        };
        let entries: Arc<[DecidedEntry]> = ids_in(folder)?.into_iter().map(to_entry).collect();
        let is_settled = |changed: &SystemTime| now.duration_since(*changed).is_ok_and(|age| age >= SETTLE_TIME);
        let seen = DecidedFolder { changed: changed.filter(is_settled), entries: Arc::clone(&entries) };
        let mut folders = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if folders.len() >= MAX_FOLDERS {
            folders.clear();
        }
        folders.insert(name.to_owned(), seen);
        Ok(entries)
    }
}
