//! Continuation tokens that were used: the first call with a token and responses acts, and the same call again gets the
//! kept reply.
//!
//! Owns: `server/states/`, a journal for each used token, which its call holds while it runs: first what the client
//! responded, then the reply. All servers on an AppDir share it.
//! Never: runs a call, or keeps a token itself.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::Owner;
use super::limits::{
    CONTINUATION_RECOUNT_INTERVAL, CONTINUATION_SWEEP_INTERVAL, MAX_ALL_KEPT_REPLY_BYTES, MAX_KEPT_REPLY_BYTES,
    MAX_OWN_KEPT_REPLY_BYTES, MAX_USED_CONTINUATIONS, MAX_USED_CONTINUATIONS_PER_OWNER,
};
use super::stored_usage::{StoredUsage, Usage};
use wardroom_appdir::limits::MAX_NAMES_SCANNED;
use wardroom_appdir::{AppDirError, Folder, JournalFile, Privacy};
use wardroom_base::hex::encode_hex;

const FOLDER: &str = "server/states";
const FILE_SUFFIX: &str = ".jsonl";
/// Stands before the owner's tag in a file's name.
const TAG_MARK: char = '-';

/// The used tokens of an AppDir.
#[derive(Debug, Clone)]
pub struct ContinuationStore {
    app: Folder,
    /// How long a token is valid.
    ttl: Duration,
    /// Counted at intervals, plus what this process adds meanwhile.
    usage: Arc<Mutex<Option<StoredUsage>>>,
}

/// A token and its responses, as of a call.
pub struct ContinuationUse<'u> {
    pub token: &'u str,
    pub owner: &'u Owner,
    /// A digest of what the client responded.
    pub responses: [u8; 32],
    /// Whether a call that was interrupted may run again: what it did is journaled elsewhere.
    pub may_repeat: bool,
}

/// What becomes of a call with a token.
#[derive(Debug)]
pub enum ContinuationClaim {
    /// The call acts.
    First(HeldContinuation),
    /// The call acted before, with this reply.
    Kept(String),
}

/// A token whose call runs. Dropped without [`Self::keep`] or [`Self::release`], the call counts as interrupted.
#[derive(Debug)]
pub struct HeldContinuation {
    file: JournalFile,
    store: ContinuationStore,
    owner: Owner,
}

#[derive(Debug, thiserror::Error)]
pub enum ContinuationError {
    #[error("requestState was used with other responses: call again without it")]
    OtherResponses,
    #[error("the same call runs already: wait for its answer, or try again later")]
    Running,
    /// The process of the first call ended.
    #[error("the first call with this requestState was interrupted, and may have acted: call again without it")]
    Interrupted,
    #[error("the reply to the first call with this requestState is no longer there: call again without it")]
    NotKept,
    #[error("too many calls were continued lately: try again later, or call without requestState")]
    Full,
    #[error(transparent)]
    AppDir(#[from] AppDirError),
}

/// A line of the journal.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Line {
    /// The digest of the responses.
    Responses(String),
    Reply(String),
    /// The reply was too large to keep, or there was no room for it.
    Dropped,
}

impl ContinuationStore {
    /// Creates the store of an AppDir that may be written, for tokens that are valid this long.
    #[must_use]
    pub fn new(app: &Folder, ttl: Duration) -> Self {
        Self { app: app.clone(), ttl, usage: Arc::default() }
    }

    /// Claims a token for a call. Waits for a moment while another call holds it.
    ///
    /// # Errors
    /// Why the call must not act.
    pub fn claim(&self, used: &ContinuationUse) -> Result<ContinuationClaim, ContinuationError> {
        let folder = self.app.create_folder(FOLDER)?;
        let tag = used.owner.tag().unwrap_or_default();
        let name = format!("{}{TAG_MARK}{tag}{FILE_SUFFIX}", encode_hex(&Sha256::digest(used.token)));
        let responses = encode_hex(&used.responses);
        let mut file = match open_file(&folder, &name) {
            Err(ContinuationError::AppDir(AppDirError::NotFound(_))) => self.create_file(&folder, &name, used.owner)?,
            opened => opened?,
        };
        // The reply is a string in a line, where it may take twice its length.
        let bytes = file.read(2 * MAX_KEPT_REPLY_BYTES as u64 + 4096)?;
        let mut lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let first = lines.next().map(serde_json::from_slice);
        // A later version may write other lines.
        let last = lines.rev().find_map(|line| serde_json::from_slice(line).ok());
        match (first, last) {
            // The process that created the file ended before its call did anything.
            (None, _) if !file.has_torn_tail() => append_line(&mut file, &Line::Responses(responses))?,
            (Some(Ok(Line::Responses(known))), _) if known != responses => {
                return Err(ContinuationError::OtherResponses);
            }
            (Some(Ok(Line::Responses(_))), Some(Line::Reply(reply))) => return Ok(ContinuationClaim::Kept(reply)),
            (Some(Ok(Line::Responses(_))), Some(Line::Dropped)) if !used.may_repeat => {
                return Err(ContinuationError::NotKept);
            }
            (Some(Ok(Line::Responses(_))), _) if used.may_repeat => {}
            // Where the first line is damaged, what its call did is not known either.
            _ => return Err(ContinuationError::Interrupted),
        }
        Ok(ContinuationClaim::First(HeldContinuation { file, store: self.clone(), owner: used.owner.clone() }))
    }

    fn create_file(&self, folder: &Folder, name: &str, owner: &Owner) -> Result<JournalFile, ContinuationError> {
        self.count_one(folder, owner)?;
        match folder.create_journal(name, Privacy::Owner) {
            // Another call was faster.
            Err(AppDirError::AlreadyExists(_)) => open_file(folder, name),
            created => Ok(created?),
        }
    }

    fn lock_usage(&self) -> MutexGuard<'_, Option<StoredUsage>> {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts one more used token of an owner, unless a limit is reached.
    fn count_one(&self, folder: &Folder, owner: &Owner) -> Result<(), ContinuationError> {
        let mut counted = self.lock_usage();
        let is_recent = |usage: &StoredUsage| {
            let interval =
                if is_full(usage, owner) { CONTINUATION_RECOUNT_INTERVAL } else { CONTINUATION_SWEEP_INTERVAL };
            usage.age() < interval
        };
        let usage = match counted.take().filter(is_recent) {
            Some(usage) => usage,
            None => self.sweep_and_count(folder)?,
        };
        let usage = counted.insert(usage);
        if is_full(usage, owner) {
            return Err(ContinuationError::Full);
        }
        usage.add(owner.tag().as_deref(), Usage::file(0));
        Ok(())
    }

    /// Whether there is room for a reply, which counts from then on.
    fn has_room_for(&self, reply: &str, owner: &Owner) -> bool {
        let mut counted = self.lock_usage();
        // While they cannot be counted, nothing more is kept.
        let Some(usage) = counted.as_mut() else { return false };
        let more = reply.len() as u64;
        let is_own_full = *owner != Owner::Operator && usage.own(owner).bytes + more > MAX_OWN_KEPT_REPLY_BYTES;
        if is_own_full || usage.total().bytes + more > MAX_ALL_KEPT_REPLY_BYTES {
            return false;
        }
        usage.add(owner.tag().as_deref(), Usage { count: 0, bytes: more });
        true
    }

    /// Removes the files of tokens that are no longer valid, and counts the others.
    fn sweep_and_count(&self, folder: &Folder) -> Result<StoredUsage, ContinuationError> {
        let mut usage = StoredUsage::empty();
        let (mut expired, now) = (Vec::new(), SystemTime::now());
        let pick = |name: &str| name.ends_with(FILE_SUFFIX).then(|| name.to_owned());
        folder.visit_files(&mut { MAX_NAMES_SCANNED }, pick, |name, stat| {
            let age = stat.modified.and_then(|modified| now.duration_since(modified).ok()).unwrap_or_default();
            if age > self.ttl {
                return expired.push((name, stat.len));
            }
            let tag = name.strip_suffix(FILE_SUFFIX).and_then(|name| name.split_once(TAG_MARK)).map(|(_, tag)| tag);
            usage.add(tag, Usage::file(stat.len));
        })?;
        for (name, len) in expired {
            // A held one is in use, and a longer one was used since.
            drop(folder.open_journal(&name).and_then(|file| file.remove_if_unchanged(len)));
        }
        Ok(usage)
    }
}

/// Whether no further token of an owner may be used.
fn is_full(usage: &StoredUsage, owner: &Owner) -> bool {
    usage.total().count >= MAX_USED_CONTINUATIONS || usage.own(owner).count >= MAX_USED_CONTINUATIONS_PER_OWNER
}

impl HeldContinuation {
    /// Keeps the reply, for a client that did not receive it; `None` for one that is too large.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep(mut self, reply: Option<String>) -> Result<(), AppDirError> {
        let kept =
            reply.filter(|reply| reply.len() <= MAX_KEPT_REPLY_BYTES && self.store.has_room_for(reply, &self.owner));
        append_line(&mut self.file, &kept.map_or(Line::Dropped, Line::Reply))
    }

    /// Gives the token back, because the call did nothing.
    ///
    /// # Errors
    /// When the file cannot be removed.
    pub fn release(self) -> Result<(), AppDirError> {
        self.file.remove()
    }
}

fn open_file(folder: &Folder, name: &str) -> Result<JournalFile, ContinuationError> {
    folder.open_journal(name).map_err(|error| match error {
        AppDirError::Locked(_) => ContinuationError::Running,
        error => error.into(),
    })
}

fn append_line(file: &mut JournalFile, line: &Line) -> Result<(), AppDirError> {
    let mut bytes = serde_json::to_vec(line).unwrap_or_default();
    bytes.push(b'\n');
    file.append(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As after a loss of power, or of another version.
    #[test]
    fn token_whose_journal_is_damaged_never_acts_again() {
        let place = tempfile::tempdir().unwrap();
        let app = wardroom_appdir::ambient::open_folder(place.path(), wardroom_appdir::Access::ReadWrite).unwrap();
        let store = ContinuationStore::new(&app, Duration::from_secs(60));
        let used = ContinuationUse { token: "t", owner: &Owner::Operator, responses: [0; 32], may_repeat: false };
        let ContinuationClaim::First(held) = store.claim(&used).unwrap() else { panic!("it was not used before") };
        held.keep(Some("reply".to_owned())).unwrap();
        let folder = app.open_folder(FOLDER).unwrap();
        let journal = folder.entries(1).unwrap().remove(0).name;
        let (whole, _) = folder.read_text(&journal, u64::MAX).unwrap();
        let damage = |bytes: &str| folder.write(&journal, bytes.as_bytes(), Privacy::Owner).unwrap();
        assert!(matches!(store.claim(&used), Ok(ContinuationClaim::Kept(reply)) if reply == "reply"));
        let (first, reply) = whole.split_once('\n').unwrap();
        let later = format!("{{\"later\":1}}\n{reply}");
        for damaged in [format!("\0\0\0\0\n{reply}"), reply.to_owned(), "\0\0".to_owned(), later] {
            damage(&damaged);
            for may_repeat in [false, true] {
                let claimed = store.claim(&ContinuationUse { may_repeat, ..used });
                assert!(matches!(claimed, Err(ContinuationError::Interrupted)), "{claimed:?}");
            }
        }
        damage(&format!("{first}\n{reply}{{\"later\":1}}\n"));
        assert!(matches!(store.claim(&used), Ok(ContinuationClaim::Kept(reply)) if reply == "reply"));
        // The reply was being written.
        damage(&format!("{first}\n{{\"rep"));
        assert!(matches!(store.claim(&used), Err(ContinuationError::Interrupted)));
        assert!(matches!(store.claim(&ContinuationUse { may_repeat: true, ..used }), Ok(ContinuationClaim::First(_))));
    }

    #[test]
    fn one_owner_leaves_room_for_others() {
        let (a, b) = (Owner::Named("a".to_owned()), Owner::Named("b".to_owned()));
        for owner in [&a, &Owner::Anonymous] {
            let mut usage = StoredUsage::empty();
            let count = MAX_USED_CONTINUATIONS_PER_OWNER;
            usage.add(owner.tag().as_deref(), Usage { count, bytes: 0 });
            assert!(is_full(&usage, owner) && !is_full(&usage, &b) && !is_full(&usage, &Owner::Operator));
            usage.add(Some("c"), Usage { count: MAX_USED_CONTINUATIONS - count, bytes: 0 });
            assert!(is_full(&usage, &b) && is_full(&usage, &Owner::Operator));
        }
    }
}
