//! A task that this process works on.
//!
//! Owns: what the working process writes about the task, and the check whether another process ended it.
//! Never: changes a finished task, or gives up a result because of a temporary failure.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use super::{
    ResumeInput, STORE_LOCK_FILE, TaskError, TaskRecord, TaskStatus, TaskStore, message_file_name, record_file_name,
};
use crate::Owner;
use crate::limits::{MAX_TASK_FILE_BYTES, MAX_TASK_STATUS_MESSAGE_BYTES, TASK_RESULT_WRITE_TIMEOUT};
use wardroom_appdir::{FileId, Privacy, UnfencedLock};

/// A task that this process works on, until it is finished or dropped.
#[derive(Debug)]
pub struct RunningTask {
    store: TaskStore,
    pub record: TaskRecord,
    /// The input with which a repeated call resumes.
    pub resume_input: Option<ResumeInput>,
    /// Held until the task is finished.
    lock: Mutex<Option<UnfencedLock>>,
    /// The record file as it was when last read.
    last_seen_stamp: Mutex<Option<TaskFileStamp>>,
}

/// Distinguishes a file from its replacement: an inode number can be reused.
type TaskFileStamp = (FileId, u64, Option<SystemTime>);

/// How the work on a task ends.
#[derive(Debug, Clone)]
pub enum TaskOutcome {
    Completed(Value),
    Failed(Value),
    /// The input requests by key, and the continuation token with which the call resumes.
    InputRequired(BTreeMap<String, Value>, String),
}

impl RunningTask {
    pub(super) fn new(
        store: &TaskStore,
        task: TaskRecord,
        resume_input: Option<ResumeInput>,
        lock: UnfencedLock,
    ) -> Self {
        Self {
            store: store.clone(),
            record: task,
            resume_input,
            lock: Mutex::new(Some(lock)),
            last_seen_stamp: Mutex::default(),
        }
    }

    /// Stores a progress message. It soon becomes obsolete, so this takes no lock and does not flush to the disk.
    pub fn report_progress(&self, message: &str) {
        let message = message.get(..message.floor_char_boundary(MAX_TASK_STATUS_MESSAGE_BYTES)).unwrap_or_default();
        let file_name = message_file_name(&self.record.id);
        if let Err(error) = self.store.folder.write_unflushed(&file_name, message.as_bytes(), Privacy::Owner) {
            tracing::debug!(%error, "cannot store the progress message of a task");
        }
    }

    /// Whether another process ended the task meanwhile.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        let now = self.store.folder.stat_nofollow(&record_file_name(&self.record.id));
        let now = now.map(|stat| (stat.file_id, stat.len, stat.changed)).ok();
        let mut seen = self.last_seen_stamp.lock().unwrap_or_else(PoisonError::into_inner);
        if now.is_some() && now == *seen {
            return false;
        }
        match self.store.read(&self.record.id, &Owner::Operator, MAX_TASK_FILE_BYTES) {
            Ok(task) => {
                *seen = now;
                task.is_none_or(|task| task.status.is_terminal())
            }
            // The next call checks again.
            Err(error) => {
                tracing::debug!(%error, "cannot check whether a task was cancelled");
                false
            }
        }
    }

    /// Stores how the work ended, unless the task was ended before. Write failures may be temporary, so this retries
    /// for [`TASK_RESULT_WRITE_TIMEOUT`].
    pub fn finish(&self, outcome: &TaskOutcome) {
        const FIRST_RETRY_DELAY: Duration = Duration::from_millis(20);
        const MAX_RETRY_DELAY: Duration = Duration::from_secs(5);
        let (started_at, mut delay) = (Instant::now(), FIRST_RETRY_DELAY);
        while let Err(error) = self.try_finish(outcome) {
            if started_at.elapsed() >= TASK_RESULT_WRITE_TIMEOUT {
                // The lock is released below, so the next reader finds that the task has failed.
                tracing::error!(%error, id = self.record.id, "cannot store the result of a task");
                break;
            }
            tracing::warn!(%error, id = self.record.id, "cannot store the result of a task yet, retrying");
            thread::sleep(delay);
            delay = MAX_RETRY_DELAY.min(delay * 2);
        }
        *self.lock.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn try_finish(&self, outcome: &TaskOutcome) -> Result<(), TaskError> {
        let _store_lock = self.store.folder.lock(STORE_LOCK_FILE)?;
        self.record_outcome(outcome)?;
        // The process that resumes the task takes the lock under the store's lock, and must not get a lock file that is
        // about to be removed.
        self.store.remove_sidecar_files(&self.record.id);
        *self.lock.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(())
    }

    /// Writes the outcome into the record. Called under the store's lock.
    fn record_outcome(&self, outcome: &TaskOutcome) -> Result<(), TaskError> {
        let Some(mut task) = self.store.read(&self.record.id, &Owner::Operator, MAX_TASK_FILE_BYTES)? else {
            return Ok(());
        };
        if task.status != TaskStatus::Working {
            return Ok(());
        }
        task.responses.clear();
        match outcome {
            TaskOutcome::Completed(result) => {
                task.transition_to(TaskStatus::Completed);
                task.outcome = Some(result.clone().into());
            }
            TaskOutcome::Failed(error) => {
                task.transition_to(TaskStatus::Failed);
                task.outcome = Some(error.clone().into());
            }
            TaskOutcome::InputRequired(asks, handle) => {
                task.transition_to(TaskStatus::InputRequired);
                (task.input_requests, task.continuation_token) = (asks.clone(), handle.clone());
            }
        }
        match self.store.store(&task) {
            Err(error @ TaskError::TooLarge) => {
                task.transition_to(TaskStatus::Failed);
                task.outcome = Some(json!({"code": -32603, "message": error.to_string()}).into());
                task.input_requests.clear();
                task.continuation_token.clear();
                self.store.store(&task)
            }
            stored => stored,
        }
    }
}
