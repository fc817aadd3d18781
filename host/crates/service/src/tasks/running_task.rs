//! A task that this process works on.
//!
//! Owns: what whoever works on it notes of it, and the look whether somebody else ended it.
//! Never: changes what is over, or gives up what the work came to because of what passes.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use super::{
    ResumeInput, STORE_LOCK_FILE, TaskError, TaskRecord, TaskStatus, TaskStore, message_file_name, record_file_name,
};
use crate::limits::{MAX_TASK_FILE_BYTES, MAX_TASK_STATUS_MESSAGE_BYTES, TASK_RESULT_WRITE_TIMEOUT};
use wardroom_appdir::{FileLock, Privacy};

/// A task that this process works on, until this is ended or dropped.
#[derive(Debug)]
pub struct RunningTask {
    store: TaskStore,
    pub record: TaskRecord,
    /// Where it goes on.
    pub resume_input: Option<ResumeInput>,
    /// Until it is over.
    lock: Mutex<Option<FileLock>>,
    /// The file as it was when it was last read.
    last_seen_stamp: Mutex<Option<TaskFileStamp>>,
}

/// What tells a file from the one that replaced it: a number can be given to another one again.
type TaskFileStamp = ((u64, u64), u64, Option<SystemTime>);

/// How the work on a task ends.
#[derive(Debug, Clone)]
pub enum TaskOutcome {
    Completed(Value),
    Failed(Value),
    /// With questions, and with what the call is known by when it goes on.
    InputRequired(BTreeMap<String, Value>, String),
}

impl RunningTask {
    pub(super) fn new(table: &TaskStore, task: TaskRecord, brought: Option<ResumeInput>, lock: FileLock) -> Self {
        Self {
            store: table.clone(),
            record: task,
            resume_input: brought,
            lock: Mutex::new(Some(lock)),
            last_seen_stamp: Mutex::default(),
        }
    }

    /// Says how far it is. That is news for a moment: it takes no lock, and does not wait for the disk.
    pub fn report_progress(&self, message: &str) {
        let message = message.get(..message.floor_char_boundary(MAX_TASK_STATUS_MESSAGE_BYTES)).unwrap_or_default();
        let said = message_file_name(&self.record.id);
        if let Err(error) = self.store.folder.write_unflushed(&said, message.as_bytes(), Privacy::Owner) {
            tracing::debug!(%error, "how far a task is cannot be noted");
        }
    }

    /// Whether somebody ended it meanwhile.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        let now = self.store.folder.stat_nofollow(&record_file_name(&self.record.id));
        let now = now.map(|stat| (stat.file_id, stat.len, stat.changed)).ok();
        let mut seen = self.last_seen_stamp.lock().unwrap_or_else(PoisonError::into_inner);
        if now.is_some() && now == *seen {
            return false;
        }
        match self.store.read(&self.record.id, &self.record.owner, MAX_TASK_FILE_BYTES) {
            Ok(task) => {
                *seen = now;
                task.is_none_or(|task| task.status.is_terminal())
            }
            // It is looked at again.
            Err(error) => {
                tracing::debug!(%error, "whether a task was ended cannot be seen");
                false
            }
        }
    }

    /// Notes how the work ended, unless somebody ended it before. What hinders that may pass: it is tried for as long as
    /// [`TASK_RESULT_WRITE_TIMEOUT`].
    pub fn finish(&self, end: &TaskOutcome) {
        const FIRST_RETRY_DELAY: Duration = Duration::from_millis(20);
        const MAX_RETRY_DELAY: Duration = Duration::from_secs(5);
        let (begun, mut pause) = (Instant::now(), FIRST_RETRY_DELAY);
        while let Err(error) = self.try_finish(end) {
            if begun.elapsed() >= TASK_RESULT_WRITE_TIMEOUT {
                // Nobody works on it any more: that it failed is what the next one who looks sees.
                tracing::error!(%error, id = self.record.id, "what came of a task cannot be noted");
                break;
            }
            tracing::warn!(%error, id = self.record.id, "what came of a task cannot be noted yet");
            thread::sleep(pause);
            pause = MAX_RETRY_DELAY.min(pause * 2);
        }
        *self.lock.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn try_finish(&self, end: &TaskOutcome) -> Result<(), TaskError> {
        let _changing = self.store.folder.lock(STORE_LOCK_FILE)?;
        self.record_outcome(end)?;
        // Whoever goes on with it takes the lock under the table's, and must not get one whose file is about to go.
        self.store.remove_sidecar_files(&self.record.id);
        *self.lock.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(())
    }

    /// Under the table's lock.
    fn record_outcome(&self, end: &TaskOutcome) -> Result<(), TaskError> {
        let Some(mut task) = self.store.read(&self.record.id, &self.record.owner, MAX_TASK_FILE_BYTES)? else {
            return Ok(());
        };
        if task.status != TaskStatus::Working {
            return Ok(());
        }
        task.answers.clear();
        match end {
            TaskOutcome::Completed(result) => {
                task.transition_to(TaskStatus::Completed);
                task.outcome = Some(result.clone());
            }
            TaskOutcome::Failed(error) => {
                task.transition_to(TaskStatus::Failed);
                task.outcome = Some(error.clone());
            }
            TaskOutcome::InputRequired(asks, handle) => {
                task.transition_to(TaskStatus::InputRequired);
                (task.asks, task.handle) = (asks.clone(), handle.clone());
            }
        }
        match self.store.store(&task) {
            Err(error @ TaskError::TooLarge) => {
                task.transition_to(TaskStatus::Failed);
                task.outcome = Some(json!({"code": -32603, "message": error.to_string()}));
                task.asks.clear();
                task.handle.clear();
                self.store.store(&task)
            }
            stored => stored,
        }
    }
}
