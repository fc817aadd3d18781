//! Who may see a task: the caller that created it, on any server of the AppDir.
//!
//! Owns: the encoding of a caller on disk.

use sha2::{Digest as _, Sha256};

use super::record::TaskRecord;
use crate::Caller;
use wardroom_base::hex::encode_hex;

/// Bytes of a digest that are kept.
const OWNER_DIGEST_BYTES: usize = 16;

/// The owner of a task. Callers at another endpoint, with another token or in other groups have another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskOwner {
    pub(super) id: String,
    /// The id in tasks of wardroom 0.1, before its encoding was specified.
    earlier_id: String,
}

impl TaskOwner {
    #[must_use]
    pub fn new(caller: &Caller) -> Self {
        let Caller { scope, groups, identity_digest, .. } = caller;
        let earlier = Sha256::digest(format!("{scope:?} {groups:?} {identity_digest:?}"));
        Self {
            id: encode_hex(caller.digest().iter().take(OWNER_DIGEST_BYTES)),
            earlier_id: encode_hex(earlier.iter().take(OWNER_DIGEST_BYTES)),
        }
    }

    /// Returns the owner of a stored task.
    pub(super) fn of_record(record: &TaskRecord) -> Self {
        Self { id: record.owner.clone(), earlier_id: record.owner.clone() }
    }

    /// Returns the owner as a key, which is the same on every server of the AppDir.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.id
    }

    pub(super) fn owns(&self, stored: &str) -> bool {
        [&self.id, &self.earlier_id].into_iter().any(|id| id == stored)
    }
}
