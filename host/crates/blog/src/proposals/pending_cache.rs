//! What a process remembers of pending proposals, so that it reads the file of each once.
//!
//! Owns: when each expires, whether it is withdrawn, whose it is and which file it changes, for as long as its file is the same.
//! Never: is the truth: what is shown or decided is read again.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use super::Proposal;
use super::store::StoreError;
use wardroom_appdir::Stat;

/// Time after a change in which a file may change again without another time of change: that of some file systems has
/// whole seconds.
const SETTLE_TIME: Duration = Duration::from_secs(2);

/// The pending proposals that this process has read, by id.
#[derive(Default)]
pub(crate) struct PendingCache(Mutex<HashMap<String, Remembered>>);

struct Remembered {
    stat: Stat,
    known: Option<KnownProposal>,
}

/// The part of a proposal by which it is counted, listed and ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KnownProposal {
    expires_at: i64,
    is_withdrawn: bool,
    /// A hash of the principal who proposed it.
    proposer: u64,
    /// A hash of the path of the file that it changes or makes.
    path: u64,
}

/// The file of a pending proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PendingEntry {
    pub(crate) id: String,
    /// The size of the file, in bytes.
    pub(crate) len: u64,
    /// `None` where it cannot be read.
    known: Option<KnownProposal>,
}

impl KnownProposal {
    fn new(proposal: &Proposal) -> Self {
        Self {
            expires_at: proposal.expires_at,
            is_withdrawn: proposal.withdrawn.is_some(),
            proposer: proposal.proposer.principal_hash(),
            path: path_hash(&proposal.change.path),
        }
    }
}

impl PendingEntry {
    /// Whether it waits for a decision at a time, in milliseconds since 1970.
    pub(crate) fn is_pending(&self, now: i64) -> bool {
        self.known.is_some_and(|known| known.expires_at > now && !known.is_withdrawn)
    }

    /// Whether its time is over, and no proposer took it back.
    pub(crate) fn is_expired(&self, now: i64) -> bool {
        self.known.is_some_and(|known| known.expires_at <= now && !known.is_withdrawn)
    }

    /// Whether a process that decides ends it.
    pub(crate) fn is_due(&self, now: i64) -> bool {
        self.known.is_some_and(|known| known.expires_at <= now || known.is_withdrawn)
    }

    /// Returns the hash of the path of the file that it changes or makes.
    pub(crate) fn path_hash(&self) -> Option<u64> {
        self.known.map(|known| known.path)
    }

    /// Whether a principal with this hash proposed it.
    pub(crate) fn is_of(&self, principal: u64) -> bool {
        self.known.is_some_and(|known| known.proposer == principal)
    }
}

/// Returns the hash of a path, by which this process compares it.
pub(crate) fn path_hash(path: &str) -> u64 {
    let mut hash = DefaultHasher::new();
    path.hash(&mut hash);
    hash.finish()
}

impl PendingCache {
    /// Describes files, each with its id and what the system says of it. `read` reads those that are not remembered. One
    /// thread reads at a time: the others wait for what it remembers.
    pub(super) fn entries(
        &self,
        files: Vec<(String, Stat)>,
        mut read: impl FnMut(&str) -> Result<Option<Proposal>, StoreError>,
    ) -> Vec<PendingEntry> {
        let now = SystemTime::now();
        let mut remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut kept = HashMap::with_capacity(files.len());
        let mut entries = Vec::with_capacity(files.len());
        for (id, stat) in files {
            let before = remembered.remove(&id).filter(|before| before.stat == stat);
            let known = match before {
                Some(before) => before.known,
                None => match read(&id) {
                    Ok(proposal) => proposal.as_ref().map(KnownProposal::new),
                    Err(error) => {
                        tracing::warn!(id, %error, "a proposal is left out");
                        None
                    }
                },
            };
            let is_settled =
                stat.changed.and_then(|changed| now.duration_since(changed).ok()).is_some_and(|age| age >= SETTLE_TIME);
            if is_settled {
                kept.insert(id.clone(), Remembered { stat, known });
            }
            entries.push(PendingEntry { id, len: stat.len, known });
        }
        *remembered = kept;
        entries
    }
}
