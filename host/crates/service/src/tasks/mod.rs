//! Calls that outlive their requests: the table of them that all processes on an AppDir share.
//!
//! Owns: the files of `tasks/`, who may see which, and that exactly one process works on a task.
//! Never: runs anything, or knows the protocol: what is asked and what comes of it are values of its users.
//!
//! A task is one file, which is replaced as a whole under the table's lock; how far it is stands in another one beside it.
//! Whoever works on one holds a lock of its own all the while, so that the others see when that process has died: such a task
//! has failed. One that waits for its client is worked on by nobody; it goes on in whichever process gets the last answer.

mod record;
mod room;
mod working;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use serde_json::{Value, json};

use wardroom_appdir::{AppDirError, Folder, Privacy};
use wardroom_base::entropy;
use wardroom_base::hex::hex;
use wardroom_base::limits::{MAX_TASK_BYTES, MAX_TASK_MESSAGE_BYTES, MAX_TASKS, TASK_TIME};

pub use self::record::{Record, Status};
pub use self::working::{End, Working};

/// Its folder in the AppDir.
pub const FOLDER: &str = "tasks";

const LOCK: &str = ".lock";
/// Random bytes in an id.
const ID_BYTES: usize = 16;

/// The tasks on an AppDir.
#[derive(Debug, Clone)]
pub struct Table {
    folder: Folder,
    /// When this process last looked for those whose time is over.
    swept: Arc<Mutex<Option<Instant>>>,
}

/// A call that becomes a task.
#[derive(Debug, Clone)]
pub struct Call {
    /// Whoever makes it, as a digest.
    pub owner: String,
    pub tool: String,
    pub arguments: Value,
    pub can: Vec<String>,
}

/// What a call is known by, and the answers by their names.
pub type Brought = (String, BTreeMap<String, Value>);

/// What became of answers.
#[derive(Debug)]
pub enum Answered<P> {
    /// There is no such task, for this caller.
    Unknown,
    /// They are noted, or nobody asked for them.
    Noted,
    /// They were the last ones: the call goes on, here, in this place.
    GoesOn(Box<Working>, P),
}

#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    #[error("{MAX_TASKS} tasks are kept by now, over or not: each goes {} minutes after it was made", TASK_TIME.as_secs() / 60)]
    Full,
    #[error("a task has at most {MAX_TASK_BYTES} bytes, with its result, and this one has more")]
    TooLarge,
    #[error("there is no place for it to go on")]
    Busy,
    #[error("there is no randomness")]
    NoRandomness,
    #[error(transparent)]
    AppDir(#[from] AppDirError),
}

impl Table {
    /// That of an AppDir which may be written.
    ///
    /// # Errors
    /// When its folder cannot be made.
    pub fn open(app: &Folder) -> Result<Self, AppDirError> {
        Ok(Self { folder: app.create_folder(FOLDER)?, swept: Arc::default() })
    }

    /// Makes a task, which this process works on. When this returns, every process finds it.
    ///
    /// # Errors
    /// When there are too many, or the disk does not take it.
    pub fn begin(&self, call: Call) -> Result<Working, TaskError> {
        let mut random = [0; ID_BYTES];
        entropy::fill(&mut random).map_err(|_| TaskError::NoRandomness)?;
        let id = hex(&random);
        let now = record::now();
        let task = Record {
            id,
            owner: call.owner,
            tool: call.tool,
            arguments: call.arguments,
            can: call.can,
            created: now,
            updated: now,
            status: Status::Working,
            message: None,
            asks: BTreeMap::new(),
            answers: BTreeMap::new(),
            handle: String::new(),
            outcome: None,
        };
        let _changing = self.folder.lock(LOCK)?;
        self.make_room()?;
        let lock = self.folder.lock(&work(&task.id))?;
        self.store(&task).inspect_err(|_| self.remove(&work(&task.id)))?;
        Ok(Working::new(self, task, None, lock))
    }

    /// A task, as it is now, of at most `most` bytes.
    ///
    /// # Errors
    /// When it cannot be read, or what died cannot be noted; [`AppDirError::TooLarge`] for one with more.
    pub fn look(&self, id: &str, owner: &str, most: u64) -> Result<Option<Record>, TaskError> {
        match self.read(id, owner, most)? {
            Some(task) if task.status == Status::Working && !self.folder.is_locked(&work(id)) => {
                let _changing = self.folder.lock(LOCK)?;
                self.settled(id, owner, most)
            }
            found => Ok(found),
        }
    }

    /// Ends a task of at most `most` bytes. What is over stays as it is; nothing is said of one that is not there.
    ///
    /// # Errors
    /// When it cannot be changed, and as [`Self::look`].
    pub fn cancel(&self, id: &str, owner: &str, most: u64) -> Result<bool, TaskError> {
        let _changing = self.folder.lock(LOCK)?;
        let Some(mut task) = self.settled(id, owner, most)? else { return Ok(false) };
        if !task.status.is_over() {
            task.turn(Status::Cancelled);
            task.asks.clear();
            self.store(&task)?;
        }
        Ok(true)
    }

    /// Notes what a client answers. Where nothing is left to ask, the task is this process's to go on with, in a place that
    /// is asked for only then.
    ///
    /// # Errors
    /// When it cannot be changed, and [`TaskError::Busy`] where there is no place; nothing was noted then.
    pub fn answer<P>(
        &self,
        id: &str,
        owner: &str,
        answers: impl IntoIterator<Item = (String, Value)>,
        place: impl FnOnce() -> Option<P>,
    ) -> Result<Answered<P>, TaskError> {
        let _changing = self.folder.lock(LOCK)?;
        let Some(mut task) = self.settled(id, owner, MAX_TASK_BYTES)? else { return Ok(Answered::Unknown) };
        let before = task.asks.len();
        for (key, answer) in answers {
            if task.asks.remove(&key).is_some() {
                task.answers.insert(key, answer);
            }
        }
        if task.status != Status::InputRequired || task.asks.len() == before {
            return Ok(Answered::Noted);
        }
        if !task.asks.is_empty() {
            task.turn(Status::InputRequired);
            self.store(&task)?;
            return Ok(Answered::Noted);
        }
        let place = place().ok_or(TaskError::Busy)?;
        let lock = self.folder.lock(&work(id))?;
        task.turn(Status::Working);
        let brought = Some((std::mem::take(&mut task.handle), std::mem::take(&mut task.answers)));
        self.store(&task).inspect_err(|_| self.remove(&work(id)))?;
        Ok(Answered::GoesOn(Box::new(Working::new(self, task, brought, lock)), place))
    }

    /// A task as it is in truth: one that nobody works on has failed. Under the lock.
    fn settled(&self, id: &str, owner: &str, most: u64) -> Result<Option<Record>, TaskError> {
        let Some(mut task) = self.read(id, owner, most)? else { return Ok(None) };
        if task.status == Status::Working && !self.folder.is_locked(&work(id)) {
            task.turn(Status::Failed);
            task.outcome = Some(json!({"code": -32603, "message": "the server that worked on this task has ended"}));
            self.store(&task)?;
            self.remove_beside(id);
        }
        Ok(Some(task))
    }

    fn read(&self, id: &str, owner: &str, most: u64) -> Result<Option<Record>, TaskError> {
        // Nothing else is the name of a file of ours.
        if id.len() != ID_BYTES * 2 || !id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
            return Ok(None);
        }
        let document = match self.folder.read(&file(id), most) {
            Err(AppDirError::NotFound(_)) => return Ok(None),
            document => document?,
        };
        let task: Option<Record> = serde_json::from_slice(&document.bytes)
            .inspect_err(|error| tracing::error!(%error, id, "the file of a task cannot be read"))
            .ok();
        let task = task.filter(|task| task.id == id && task.owner == owner && task.is_kept());
        Ok(task.map(|task| if task.status == Status::Working { self.with_said(task) } else { task }))
    }

    /// The same with what whoever works on it said last.
    fn with_said(&self, mut task: Record) -> Record {
        if let Ok((message, at)) = self.folder.read_text(&said(&task.id), MAX_TASK_MESSAGE_BYTES as u64)
            && !message.is_empty()
        {
            task.message = Some(message);
            task.updated = task.updated.max(at.map_or(0, record::millis));
        }
        task
    }

    fn store(&self, task: &Record) -> Result<(), TaskError> {
        let text = serde_json::to_vec(task).unwrap_or_default();
        if text.is_empty() || text.len() as u64 > MAX_TASK_BYTES {
            return Err(TaskError::TooLarge);
        }
        Ok(self.folder.write(&file(&task.id), &text, Privacy::Owner)?)
    }

    /// Removes what stands beside a task that nobody works on.
    fn remove_beside(&self, id: &str) {
        self.remove(&said(id));
        self.remove(&work(id));
    }

    fn remove(&self, name: &str) {
        match self.folder.remove(name) {
            Ok(()) | Err(AppDirError::NotFound(_)) => {}
            Err(error) => tracing::debug!(%error, name, "what is left of a task stays"),
        }
    }
}

fn file(id: &str) -> String {
    format!("{id}.json")
}

/// The lock of whoever works on it.
fn work(id: &str) -> String {
    format!("{id}.work")
}

/// How far it is, in words.
fn said(id: &str) -> String {
    format!("{id}.said")
}
