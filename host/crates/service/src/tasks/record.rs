//! One task as it lies on the disk.
//!
//! Owns: the format of `tasks/{id}.json`, and which states follow each other.
//! Never: opens a file.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::limits::TASK_TTL;

/// What of a call outlives the request that made it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TaskRecord {
    pub id: String,
    /// Whoever made it, as a digest: to others it is not there.
    pub(super) owner: String,
    pub tool: String,
    pub arguments: Value,
    /// What the client that made it can be asked for, by names of the caller's choosing.
    pub can: Vec<String>,
    /// In milliseconds since 1970.
    pub created: u64,
    pub updated: u64,
    pub status: TaskStatus,
    pub message: Option<String>,
    /// What is asked and was not answered, by its name.
    pub asks: BTreeMap<String, Value>,
    /// What was answered, until the call goes on.
    pub(super) answers: BTreeMap<String, Value>,
    /// What the call is known by when it goes on.
    pub(super) handle: String,
    /// The result of what is completed, the error of what failed.
    pub outcome: Option<Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    Working,
    InputRequired,
    Completed,
    Failed,
    Cancelled,
}

impl TaskStatus {
    /// Whether nothing follows.
    #[must_use]
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

impl TaskRecord {
    /// How long it is kept from its creation on.
    #[must_use]
    pub const fn ttl() -> Duration {
        TASK_TTL
    }

    /// Whether whoever asks for it gets it still.
    pub(super) fn is_retained(&self) -> bool {
        now_millis().saturating_sub(self.created) <= u64::try_from(TASK_TTL.as_millis()).unwrap_or(u64::MAX)
    }

    pub(super) fn transition_to(&mut self, status: TaskStatus) {
        self.status = status;
        // A clock that is set back does not undo what is known.
        self.updated = now_millis().max(self.updated);
    }
}

pub(super) fn now_millis() -> u64 {
    unix_millis(SystemTime::now())
}

pub(super) fn unix_millis(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
