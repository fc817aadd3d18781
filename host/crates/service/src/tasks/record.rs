//! The record of one task on disk.
//!
//! Owns: the format of `tasks/{id}.json`, and the statuses of a task.
//! Never: opens a file.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::limits::TASK_TTL;
use wardroom_base::payload::Payload;
use wardroom_base::unix_time;

/// The part of a call that outlives its request.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TaskRecord {
    pub id: String,
    /// The tag of the owner, empty without one; for other callers the task does not exist.
    pub(super) owner: String,
    pub tool: String,
    pub arguments: Payload,
    /// The capabilities of the client that created the task, in the names that the store's user gave.
    #[serde(rename = "can")]
    pub client_capabilities: Vec<String>,
    /// Milliseconds since 1970.
    pub created: u64,
    pub updated: u64,
    pub status: TaskStatus,
    pub message: Option<String>,
    /// The unanswered input requests, by key.
    #[serde(rename = "asks")]
    pub input_requests: BTreeMap<String, Value>,
    /// The client's responses, until the call resumes.
    #[serde(rename = "answers")]
    pub(super) responses: BTreeMap<String, Value>,
    /// The continuation token with which the call resumes.
    #[serde(rename = "handle")]
    pub(super) continuation_token: String,
    /// The result of a completed task, or the error of a failed one; `None` for a failed one whose server has ended.
    pub outcome: Option<Payload>,
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
    /// Whether no other status follows.
    #[must_use]
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

impl TaskRecord {
    /// Returns how long a task is kept after its creation.
    #[must_use]
    pub const fn ttl() -> Duration {
        TASK_TTL
    }

    /// Whether the task has not expired yet.
    pub(super) fn is_retained(&self) -> bool {
        unix_time::now_ms().saturating_sub(self.created) <= unix_time::whole_ms(TASK_TTL)
    }

    pub(super) fn transition_to(&mut self, status: TaskStatus) {
        self.status = status;
        // A clock that is set back does not move `updated` back.
        self.updated = unix_time::now_ms().max(self.updated);
    }
}
