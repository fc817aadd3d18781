//! Small documents, kept in memory for whoever reads the same one again and again.
//!
//! Owns: when what was read may be given again: for a moment, while a look at the file finds it exactly as it was, and only
//! if it had held still for long enough when it was read that any later change shows in that look.
//! Never: gives a document that was not reached by its name this time, or knows names: a file is known by what it is.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Stat;
use wardroom_base::limits::{MAX_KEPT_BYTES, MAX_KEPT_DOCUMENT_BYTES};

/// What the system does not show (a writer that has the file mapped, a change on another machine) is not missed for longer.
/// Whoever reads less often gains nothing by this.
const MOMENT: Duration = Duration::from_millis(250);

/// Those of the whole process: a file is the same file through every handle.
static KEPT: LazyLock<Mutex<Documents>> = LazyLock::new(Mutex::default);

#[derive(Default)]
struct Documents {
    by_file: HashMap<(u64, u64), Kept>,
    /// What they hold together.
    bytes: usize,
}

/// What an entry takes beside the document, at least.
const ENTRY_BYTES: usize = 256;

struct Kept {
    stat: Stat,
    bytes: Arc<[u8]>,
    read: Instant,
}

impl Kept {
    fn weight(&self) -> usize {
        ENTRY_BYTES + self.bytes.len()
    }
}

/// Whether there is anything to be found: else nobody need look.
pub(super) fn is_empty() -> bool {
    lock().by_file.is_empty()
}

/// The content of a file that looks like this now.
pub(super) fn find(now: &Stat) -> Option<Arc<[u8]>> {
    let documents = lock();
    let kept = documents.by_file.get(&now.identity)?;
    (kept.stat == *now && kept.read.elapsed() < MOMENT).then(|| Arc::clone(&kept.bytes))
}

/// Keeps what was read from a file after it had looked like this, `since` then.
pub(super) fn keep(stat: Stat, bytes: &[u8], since: Instant) {
    if bytes.len() > MAX_KEPT_DOCUMENT_BYTES || !stat.holds_still() {
        return;
    }
    let kept = Kept { stat, bytes: bytes.into(), read: since };
    let mut documents = lock();
    // Full is empty: what is read again is soon kept again.
    if documents.bytes + kept.weight() > MAX_KEPT_BYTES {
        *documents = Documents::default();
    }
    documents.bytes += kept.weight();
    if let Some(replaced) = documents.by_file.insert(stat.identity, kept) {
        documents.bytes = documents.bytes.saturating_sub(replaced.weight());
    }
}

fn lock() -> MutexGuard<'static, Documents> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}
