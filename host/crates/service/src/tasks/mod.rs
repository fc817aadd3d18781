//! Tasks, which are calls that outlive their requests: the store that all processes on an AppDir share.
//!
//! Owns: the files of `tasks/`, which caller may see which task, and that exactly one process works on a task.
//! Never: runs anything, or knows the protocol: requests and results are values of the store's users.
//!
//! A task is one file, which is replaced as a whole under the store's lock; its progress message is in a second file.
//! The process that works on a task holds that task's own lock, so that the others notice when the process has died:
//! such a task has failed. No process works on a task that waits for its client; the process that receives the last
//! response resumes it.

mod gc;
mod record;
mod running_task;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use serde_json::Value;

use crate::Owner;
use crate::limits::{
    MAX_STORED_TASKS, MAX_STORED_TASKS_PER_OWNER, MAX_TASK_FILE_BYTES, MAX_TASK_STATUS_MESSAGE_BYTES, TASK_TTL,
};
use wardroom_appdir::{AppDirError, Folder, Privacy};
use wardroom_base::byte_size::ByteSize;
use wardroom_base::hex::encode_hex;
use wardroom_base::memory::OutOfMemory;
use wardroom_base::payload::{self, Payload};
use wardroom_base::random;
use wardroom_base::unix_time;

pub use self::record::{TaskRecord, TaskStatus};
pub use self::running_task::{RunningTask, TaskOutcome};

/// The folder of the tasks in the AppDir.
pub const FOLDER: &str = "tasks";

const STORE_LOCK_FILE: &str = ".lock";
/// Random bytes in a task id.
const TASK_ID_BYTES: usize = 16;
/// The length of the part of an id that says whose task it is.
const TASK_ID_SUFFIX_LEN: usize = 8;

/// The tasks of an AppDir.
#[derive(Debug, Clone)]
pub struct TaskStore {
    folder: Folder,
    /// When this process last removed expired tasks.
    last_sweep: Arc<Mutex<Option<Instant>>>,
}

/// A call that becomes a task.
#[derive(Debug, Clone)]
pub struct NewTask {
    pub owner: Owner,
    pub tool: String,
    pub arguments: Payload,
    pub client_capabilities: Vec<String>,
}

/// What the call of a task is repeated with.
#[derive(Debug)]
pub struct ResumeInput {
    pub continuation_token: String,
    /// The client's responses, by key.
    pub responses: BTreeMap<String, Value>,
}

/// The effect of a client's responses.
#[derive(Debug)]
pub enum AnswerOutcome<P> {
    /// No such task exists for this caller.
    UnknownTask,
    /// The responses are stored, or were not requested.
    Recorded,
    /// They were the last responses: the call resumes in this process, in this slot.
    Resumed(Box<RunningTask>, P),
}

#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    #[error("the limit of {MAX_STORED_TASKS} stored tasks is reached: each is removed {} minutes after its creation", TASK_TTL.as_secs() / 60)]
    Full,
    #[error("the limit of {MAX_STORED_TASKS_PER_OWNER} stored tasks of one caller is reached: each is removed {} minutes after its creation", TASK_TTL.as_secs() / 60)]
    FullForOwner,
    #[error("the task and its result are over the limit of {}", ByteSize(MAX_TASK_FILE_BYTES))]
    TooLarge,
    #[error("all slots for running tasks are in use: try again later")]
    Busy,
    #[error("{0}")]
    OutOfMemory(#[from] OutOfMemory),
    #[error("the system gives no random bytes")]
    NoRandomness,
    #[error(transparent)]
    AppDir(#[from] AppDirError),
}

impl TaskStore {
    /// Opens the store of an AppDir that may be written.
    ///
    /// # Errors
    /// When the folder cannot be created.
    pub fn open(app: &Folder) -> Result<Self, AppDirError> {
        Ok(Self { folder: app.create_folder(FOLDER)?, last_sweep: Arc::default() })
    }

    /// Creates a task, which this process works on. Every process finds the task once this returns.
    ///
    /// # Errors
    /// When there are too many tasks, or the record cannot be written.
    pub fn create(&self, call: NewTask) -> Result<RunningTask, TaskError> {
        let id = new_task_id(&call.owner)?;
        let now = unix_time::now_ms();
        let task = TaskRecord {
            id,
            owner: call.owner.tag().unwrap_or_default(),
            tool: call.tool,
            arguments: call.arguments,
            client_capabilities: call.client_capabilities,
            created: now,
            updated: now,
            status: TaskStatus::Working,
            message: None,
            input_requests: BTreeMap::new(),
            responses: BTreeMap::new(),
            continuation_token: String::new(),
            outcome: None,
        };
        let _store_lock = self.folder.lock(STORE_LOCK_FILE)?;
        self.ensure_capacity(&call.owner)?;
        let lock = self.folder.lock_unfenced(&lock_file_name(&task.id))?;
        self.store(&task).inspect_err(|_| self.remove_file(&lock_file_name(&task.id)))?;
        Ok(RunningTask::new(self, task, None, lock))
    }

    /// Returns the current state of a task whose record has at most `max_bytes` bytes.
    ///
    /// # Errors
    /// When the record cannot be read, or the failure of a dead task cannot be stored; [`AppDirError::TooLarge`] for a
    /// larger record.
    pub fn load(&self, id: &str, owner: &Owner, max_bytes: u64) -> Result<Option<TaskRecord>, TaskError> {
        match self.read(id, owner, max_bytes)? {
            Some(task) if task.status == TaskStatus::Working && !self.folder.is_locked(&lock_file_name(id)) => {
                let _store_lock = self.folder.lock(STORE_LOCK_FILE)?;
                self.reconcile(id, owner, max_bytes)
            }
            found => Ok(found),
        }
    }

    /// Cancels a task whose record has at most `max_bytes` bytes. A finished task stays as it is. Returns whether the
    /// task exists.
    ///
    /// # Errors
    /// When the record cannot be changed, and as [`Self::load`].
    pub fn cancel(&self, id: &str, owner: &Owner, max_bytes: u64) -> Result<bool, TaskError> {
        let _store_lock = self.folder.lock(STORE_LOCK_FILE)?;
        let Some(mut task) = self.reconcile(id, owner, max_bytes)? else { return Ok(false) };
        if !task.status.is_terminal() {
            task.transition_to(TaskStatus::Cancelled);
            task.input_requests.clear();
            self.store(&task)?;
        }
        Ok(true)
    }

    /// Stores a client's responses. If no request remains, this process resumes the task, in a slot that is acquired
    /// only then.
    ///
    /// # Errors
    /// When the record cannot be changed, and [`TaskError::Busy`] where no slot is free; the responses are not stored
    /// then.
    pub fn submit_responses<P>(
        &self,
        id: &str,
        owner: &Owner,
        answers: impl IntoIterator<Item = (String, Value)>,
        acquire_slot: impl FnOnce() -> Option<P>,
    ) -> Result<AnswerOutcome<P>, TaskError> {
        let _store_lock = self.folder.lock(STORE_LOCK_FILE)?;
        let Some(mut task) = self.reconcile(id, owner, MAX_TASK_FILE_BYTES)? else {
            return Ok(AnswerOutcome::UnknownTask);
        };
        let before = task.input_requests.len();
        for (key, answer) in answers {
            if task.input_requests.remove(&key).is_some() {
                task.responses.insert(key, answer);
            }
        }
        if task.status != TaskStatus::InputRequired || task.input_requests.len() == before {
            return Ok(AnswerOutcome::Recorded);
        }
        if !task.input_requests.is_empty() {
            task.transition_to(TaskStatus::InputRequired);
            self.store(&task)?;
            return Ok(AnswerOutcome::Recorded);
        }
        let slot = acquire_slot().ok_or(TaskError::Busy)?;
        let lock = self.folder.lock_unfenced(&lock_file_name(id))?;
        task.transition_to(TaskStatus::Working);
        let resume_input = Some(ResumeInput {
            continuation_token: std::mem::take(&mut task.continuation_token),
            responses: std::mem::take(&mut task.responses),
        });
        self.store(&task).inspect_err(|_| self.remove_file(&lock_file_name(id)))?;
        Ok(AnswerOutcome::Resumed(Box::new(RunningTask::new(self, task, resume_input, lock)), slot))
    }

    /// Returns the actual state of a task: a working task that no process works on has failed. Called under the store's
    /// lock.
    fn reconcile(&self, id: &str, owner: &Owner, max_bytes: u64) -> Result<Option<TaskRecord>, TaskError> {
        let Some(mut task) = self.read(id, owner, max_bytes)? else { return Ok(None) };
        if task.status == TaskStatus::Working && !self.folder.is_locked(&lock_file_name(id)) {
            task.transition_to(TaskStatus::Failed);
            task.outcome = None;
            self.store(&task)?;
            self.remove_sidecar_files(id);
        }
        Ok(Some(task))
    }

    fn read(&self, id: &str, owner: &Owner, max_bytes: u64) -> Result<Option<TaskRecord>, TaskError> {
        // No other name is that of a file of ours.
        if id.len() != TASK_ID_BYTES * 2 || !id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
            return Ok(None);
        }
        let document = match self.folder.read(&record_file_name(id), max_bytes) {
            Err(AppDirError::NotFound(_)) => return Ok(None),
            document => document?,
        };
        let task: Option<TaskRecord> = payload::parse_stored(&document.bytes)
            .inspect_err(|error| tracing::error!(%error, id, "cannot parse the file of a task"))
            .ok();
        let sees = |stored: &str| owner.sees(Some(stored).filter(|tag| !tag.is_empty()));
        let task = task.filter(|task| task.id == id && sees(&task.owner) && task.is_retained());
        Ok(task.map(|task| if task.status == TaskStatus::Working { self.with_progress_message(task) } else { task }))
    }

    /// Adds the latest progress message to a record.
    fn with_progress_message(&self, mut task: TaskRecord) -> TaskRecord {
        if let Ok((message, at)) =
            self.folder.read_text(&message_file_name(&task.id), MAX_TASK_STATUS_MESSAGE_BYTES as u64)
            && !message.is_empty()
        {
            task.message = Some(message);
            task.updated = task.updated.max(at.map_or(0, unix_time::to_ms));
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

    /// Removes the other files of a task that no process works on.
    fn remove_sidecar_files(&self, id: &str) {
        self.remove_file(&message_file_name(id));
        self.remove_file(&lock_file_name(id));
    }

    fn remove_file(&self, name: &str) {
        match self.folder.remove_file(name) {
            Ok(()) | Err(AppDirError::NotFound(_)) => {}
            Err(error) => tracing::debug!(%error, name, "cannot remove a file of a task"),
        }
    }
}

/// Generates an id that cannot be guessed, and ends with the beginning of its owner's tag.
fn new_task_id(owner: &Owner) -> Result<String, TaskError> {
    let mut random = [0; TASK_ID_BYTES];
    random::fill(&mut random).map_err(|_| TaskError::NoRandomness)?;
    let mut id = encode_hex(&random);
    if let Some(suffix) = task_id_suffix(owner) {
        id.replace_range(id.len() - suffix.len().., &suffix);
    }
    Ok(id)
}

/// Returns the end of the ids of an owner's tasks.
fn task_id_suffix(owner: &Owner) -> Option<String> {
    let mut tag = owner.tag()?;
    tag.truncate(TASK_ID_SUFFIX_LEN);
    Some(tag)
}

fn record_file_name(id: &str) -> String {
    format!("{id}.json")
}

/// Returns the name of the lock file of the process that works on a task.
fn lock_file_name(id: &str) -> String {
    format!("{id}.work")
}

/// Returns the name of the file with a task's progress message.
fn message_file_name(id: &str) -> String {
    format!("{id}.said")
}
