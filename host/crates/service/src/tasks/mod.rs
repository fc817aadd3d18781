//! Calls that outlive their requests: the table of them that all processes on an AppDir share.
//!
//! Owns: the files of `tasks/`, who may see which, and that exactly one process works on a task.
//! Never: runs anything, or knows the protocol: what is asked and what comes of it are values of its users.
//!
//! A task is one file, which is replaced as a whole under the table's lock; how far it is stands in another one beside it.
//! Whoever works on one holds a lock of its own all the while, so that the others see when that process has died: such a task
//! has failed. One that waits for its client is worked on by nobody; it goes on in whichever process gets the last answer.

mod gc;
mod record;
mod running_task;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use serde_json::{Value, json};

use crate::limits::{MAX_STORED_TASKS, MAX_TASK_FILE_BYTES, MAX_TASK_STATUS_MESSAGE_BYTES, TASK_TTL};
use wardroom_appdir::{AppDirError, Folder, Privacy};
use wardroom_base::hex::encode_hex;
use wardroom_base::random;

pub use self::record::{TaskRecord, TaskStatus};
pub use self::running_task::{RunningTask, TaskOutcome};

/// Its folder in the AppDir.
pub const FOLDER: &str = "tasks";

const STORE_LOCK_FILE: &str = ".lock";
/// Random bytes in an id.
const TASK_ID_BYTES: usize = 16;

/// The tasks on an AppDir.
#[derive(Debug, Clone)]
pub struct TaskStore {
    folder: Folder,
    /// When this process last looked for those whose time is over.
    last_sweep: Arc<Mutex<Option<Instant>>>,
}

/// A call that becomes a task.
#[derive(Debug, Clone)]
pub struct NewTask {
    /// Whoever makes it, as a digest.
    pub owner: String,
    pub tool: String,
    pub arguments: Value,
    pub client_capabilities: Vec<String>,
}

/// What a call is known by, and the answers by their names.
pub type ResumeInput = (String, BTreeMap<String, Value>);

/// What became of answers.
#[derive(Debug)]
pub enum AnswerOutcome<P> {
    /// There is no such task, for this caller.
    UnknownTask,
    /// They are noted, or nobody asked for them.
    Recorded,
    /// They were the last ones: the call goes on, here, in this place.
    Resumed(Box<RunningTask>, P),
}

#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    #[error("{MAX_STORED_TASKS} tasks are kept by now, over or not: each goes {} minutes after it was made", TASK_TTL.as_secs() / 60)]
    Full,
    #[error("a task has at most {MAX_TASK_FILE_BYTES} bytes, with its result, and this one has more")]
    TooLarge,
    #[error("there is no place for it to go on")]
    Busy,
    #[error("there is no randomness")]
    NoRandomness,
    #[error(transparent)]
    AppDir(#[from] AppDirError),
}

impl TaskStore {
    /// That of an AppDir which may be written.
    ///
    /// # Errors
    /// When its folder cannot be made.
    pub fn open(app: &Folder) -> Result<Self, AppDirError> {
        Ok(Self { folder: app.create_folder(FOLDER)?, last_sweep: Arc::default() })
    }

    /// Makes a task, which this process works on. When this returns, every process finds it.
    ///
    /// # Errors
    /// When there are too many, or the disk does not take it.
    pub fn create(&self, call: NewTask) -> Result<RunningTask, TaskError> {
        let mut random = [0; TASK_ID_BYTES];
        random::fill(&mut random).map_err(|_| TaskError::NoRandomness)?;
        let id = encode_hex(&random);
        let now = record::now_millis();
        let task = TaskRecord {
            id,
            owner: call.owner,
            tool: call.tool,
            arguments: call.arguments,
            can: call.client_capabilities,
            created: now,
            updated: now,
            status: TaskStatus::Working,
            message: None,
            asks: BTreeMap::new(),
            answers: BTreeMap::new(),
            handle: String::new(),
            outcome: None,
        };
        let _changing = self.folder.lock(STORE_LOCK_FILE)?;
        self.ensure_capacity()?;
        let lock = self.folder.lock(&lock_file_name(&task.id))?;
        self.store(&task).inspect_err(|_| self.remove_file(&lock_file_name(&task.id)))?;
        Ok(RunningTask::new(self, task, None, lock))
    }

    /// A task, as it is now, of at most `most` bytes.
    ///
    /// # Errors
    /// When it cannot be read, or what died cannot be noted; [`AppDirError::TooLarge`] for one with more.
    pub fn load(&self, id: &str, owner: &str, most: u64) -> Result<Option<TaskRecord>, TaskError> {
        match self.read(id, owner, most)? {
            Some(task) if task.status == TaskStatus::Working && !self.folder.is_locked(&lock_file_name(id)) => {
                let _changing = self.folder.lock(STORE_LOCK_FILE)?;
                self.reconcile(id, owner, most)
            }
            found => Ok(found),
        }
    }

    /// Ends a task of at most `most` bytes. What is over stays as it is; nothing is said of one that is not there.
    ///
    /// # Errors
    /// When it cannot be changed, and as [`Self::look`].
    pub fn cancel(&self, id: &str, owner: &str, most: u64) -> Result<bool, TaskError> {
        let _changing = self.folder.lock(STORE_LOCK_FILE)?;
        let Some(mut task) = self.reconcile(id, owner, most)? else { return Ok(false) };
        if !task.status.is_terminal() {
            task.transition_to(TaskStatus::Cancelled);
            task.asks.clear();
            self.store(&task)?;
        }
        Ok(true)
    }

    /// Notes what a client answers. Where nothing is left to ask, the task is this process's to go on with, in a place that
    /// is asked for only then.
    ///
    /// # Errors
    /// When it cannot be changed, and [`TaskError::ActiveRequest`] where there is no place; nothing was noted then.
    pub fn submit_responses<P>(
        &self,
        id: &str,
        owner: &str,
        answers: impl IntoIterator<Item = (String, Value)>,
        place: impl FnOnce() -> Option<P>,
    ) -> Result<AnswerOutcome<P>, TaskError> {
        let _changing = self.folder.lock(STORE_LOCK_FILE)?;
        let Some(mut task) = self.reconcile(id, owner, MAX_TASK_FILE_BYTES)? else {
            return Ok(AnswerOutcome::UnknownTask);
        };
        let before = task.asks.len();
        for (key, answer) in answers {
            if task.asks.remove(&key).is_some() {
                task.answers.insert(key, answer);
            }
        }
        if task.status != TaskStatus::InputRequired || task.asks.len() == before {
            return Ok(AnswerOutcome::Recorded);
        }
        if !task.asks.is_empty() {
            task.transition_to(TaskStatus::InputRequired);
            self.store(&task)?;
            return Ok(AnswerOutcome::Recorded);
        }
        let place = place().ok_or(TaskError::Busy)?;
        let lock = self.folder.lock(&lock_file_name(id))?;
        task.transition_to(TaskStatus::Working);
        let brought = Some((std::mem::take(&mut task.handle), std::mem::take(&mut task.answers)));
        self.store(&task).inspect_err(|_| self.remove_file(&lock_file_name(id)))?;
        Ok(AnswerOutcome::Resumed(Box::new(RunningTask::new(self, task, brought, lock)), place))
    }

    /// A task as it is in truth: one that nobody works on has failed. Under the lock.
    fn reconcile(&self, id: &str, owner: &str, most: u64) -> Result<Option<TaskRecord>, TaskError> {
        let Some(mut task) = self.read(id, owner, most)? else { return Ok(None) };
        if task.status == TaskStatus::Working && !self.folder.is_locked(&lock_file_name(id)) {
            task.transition_to(TaskStatus::Failed);
            task.outcome = Some(json!({"code": -32603, "message": "the server that worked on this task has ended"}));
            self.store(&task)?;
            self.remove_sidecar_files(id);
        }
        Ok(Some(task))
    }

    fn read(&self, id: &str, owner: &str, most: u64) -> Result<Option<TaskRecord>, TaskError> {
        // Nothing else is the name of a file of ours.
        if id.len() != TASK_ID_BYTES * 2 || !id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
            return Ok(None);
        }
        let document = match self.folder.read(&record_file_name(id), most) {
            Err(AppDirError::NotFound(_)) => return Ok(None),
            document => document?,
        };
        let task: Option<TaskRecord> = serde_json::from_slice(&document.bytes)
            .inspect_err(|error| tracing::error!(%error, id, "the file of a task cannot be read"))
            .ok();
        let task = task.filter(|task| task.id == id && task.owner == owner && task.is_retained());
        Ok(task.map(|task| if task.status == TaskStatus::Working { self.with_progress_message(task) } else { task }))
    }

    /// The same with what whoever works on it said last.
    fn with_progress_message(&self, mut task: TaskRecord) -> TaskRecord {
        if let Ok((message, at)) =
            self.folder.read_text(&message_file_name(&task.id), MAX_TASK_STATUS_MESSAGE_BYTES as u64)
            && !message.is_empty()
        {
            task.message = Some(message);
            task.updated = task.updated.max(at.map_or(0, record::unix_millis));
        }
        task
    }

    fn store(&self, task: &TaskRecord) -> Result<(), TaskError> {
        let text = serde_json::to_vec(task).unwrap_or_default();
        if text.is_empty() || text.len() as u64 > MAX_TASK_FILE_BYTES {
            return Err(TaskError::TooLarge);
        }
        Ok(self.folder.write(&record_file_name(&task.id), &text, Privacy::Owner)?)
    }

    /// Removes what stands beside a task that nobody works on.
    fn remove_sidecar_files(&self, id: &str) {
        self.remove_file(&message_file_name(id));
        self.remove_file(&lock_file_name(id));
    }

    fn remove_file(&self, name: &str) {
        match self.folder.remove_file(name) {
            Ok(()) | Err(AppDirError::NotFound(_)) => {}
            Err(error) => tracing::debug!(%error, name, "what is left of a task stays"),
        }
    }
}

fn record_file_name(id: &str) -> String {
    format!("{id}.json")
}

/// The lock of whoever works on it.
fn lock_file_name(id: &str) -> String {
    format!("{id}.work")
}

/// How far it is, in words.
fn message_file_name(id: &str) -> String {
    format!("{id}.said")
}
