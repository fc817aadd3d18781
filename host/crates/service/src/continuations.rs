//! Continuation tokens that were used: the first call with a token and responses acts, and the same call again gets the
//! kept reply.
//!
//! Owns: `server/states/`, a journal for each used token, which its call holds while it runs: first what the client
//! responded, then the reply. All servers on an AppDir share it.
//! Never: runs a call, or keeps a token itself.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::limits::{CONTINUATION_SWEEP_INTERVAL, MAX_KEPT_REPLY_BYTES, MAX_USED_CONTINUATIONS};
use wardroom_appdir::limits::MAX_NAMES_SCANNED;
use wardroom_appdir::{AppDirError, Folder, JournalFile, Privacy};
use wardroom_base::hex::encode_hex;

const FOLDER: &str = "server/states";
const FILE_SUFFIX: &str = ".jsonl";

/// The used tokens of an AppDir.
#[derive(Debug, Clone)]
pub struct ContinuationStore {
    app: Folder,
    /// How long a token is valid.
    ttl: Duration,
    last_sweep: Arc<Mutex<Option<Instant>>>,
}

/// A token and its responses, as of a call.
pub struct ContinuationUse<'u> {
    pub token: &'u str,
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
pub struct HeldContinuation(JournalFile);

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
    #[error("{MAX_USED_CONTINUATIONS} calls were continued on this AppDir lately, which is the limit: try again later")]
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
    /// The reply was too large to keep.
    Dropped,
}

impl ContinuationStore {
    /// Creates the store of an AppDir that may be written, for tokens that are valid this long.
    #[must_use]
    pub fn new(app: &Folder, ttl: Duration) -> Self {
        Self { app: app.clone(), ttl, last_sweep: Arc::default() }
    }

    /// Claims a token for a call. Waits for a moment while another call holds it.
    ///
    /// # Errors
    /// Why the call must not act.
    pub fn claim(&self, used: &ContinuationUse) -> Result<ContinuationClaim, ContinuationError> {
        let folder = self.app.create_folder(FOLDER)?;
        self.sweep_if_due(&folder)?;
        let name = format!("{}{FILE_SUFFIX}", encode_hex(&Sha256::digest(used.token)));
        let responses = encode_hex(&used.responses);
        let mut file = match folder.create_journal(&name, Privacy::Owner) {
            Err(AppDirError::AlreadyExists(_)) => open_file(&folder, &name)?,
            created => created?,
        };
        let bytes = file.read(2 * MAX_KEPT_REPLY_BYTES as u64)?;
        let mut lines = bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok());
        match (lines.next(), lines.next_back()) {
            (Some(Line::Responses(known)), _) if known != responses => return Err(ContinuationError::OtherResponses),
            (Some(Line::Responses(_)), Some(Line::Reply(reply))) => return Ok(ContinuationClaim::Kept(reply)),
            (Some(Line::Responses(_)), Some(Line::Dropped)) if !used.may_repeat => {
                return Err(ContinuationError::NotKept);
            }
            (Some(Line::Responses(_)), _) if !used.may_repeat => return Err(ContinuationError::Interrupted),
            (Some(Line::Responses(_)), _) => {}
            // The process that created the file ended before its call did anything.
            (None | Some(Line::Reply(_) | Line::Dropped), _) => append_line(&mut file, &Line::Responses(responses))?,
        }
        Ok(ContinuationClaim::First(HeldContinuation(file)))
    }

    /// Removes the journals of tokens that are no longer valid.
    fn sweep_if_due(&self, folder: &Folder) -> Result<(), ContinuationError> {
        let mut last = self.last_sweep.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_some_and(|last| last.elapsed() < CONTINUATION_SWEEP_INTERVAL) {
            return Ok(());
        }
        let (mut count, mut expired) = (0usize, Vec::new());
        let now = SystemTime::now();
        let pick = |name: &str| name.ends_with(FILE_SUFFIX).then(|| name.to_owned());
        folder.visit_files(&mut { MAX_NAMES_SCANNED }, pick, |name, stat| {
            count += 1;
            let age = stat.modified.and_then(|modified| now.duration_since(modified).ok()).unwrap_or_default();
            if age > self.ttl {
                expired.push(name);
            }
        })?;
        if count >= MAX_USED_CONTINUATIONS && expired.is_empty() {
            return Err(ContinuationError::Full);
        }
        for name in expired {
            // A held one is in use.
            drop(folder.open_journal(&name).and_then(JournalFile::remove));
        }
        *last = Some(Instant::now());
        Ok(())
    }
}

impl HeldContinuation {
    /// Keeps the reply, for a client that did not receive it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep(mut self, reply: String) -> Result<(), AppDirError> {
        let line = if reply.len() > MAX_KEPT_REPLY_BYTES { Line::Dropped } else { Line::Reply(reply) };
        append_line(&mut self.0, &line)
    }

    /// Gives the token back, because the call did nothing.
    ///
    /// # Errors
    /// When the file cannot be removed.
    pub fn release(self) -> Result<(), AppDirError> {
        self.0.remove()
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
