//! Calls that outlive their requests: the table of them that all processes on an AppDir share.
//!
//! Owns: the files of `tasks/`, who may see which, and that exactly one process works on a task.
//! Never: runs anything, or knows the protocol: what is asked and what comes of it are values of its users.
//!
//! A task is one file, which is replaced as a whole under the table's lock. Whoever works on one holds a lock of its own
//! all the while, so that the others see when that process has died: such a task has failed. One that waits for its client
//! is worked on by nobody; it goes on in whichever process gets the last answer.

mod record;

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use serde_json::{Value, json};

use crate::appdir::{AppDirError, Folder, Lock, Privacy};
use crate::entropy;
use crate::limits::{MAX_TASK_BYTES, MAX_TASKS, TASK_TIME};

pub use self::record::{Record, Status};

/// Its folder in the AppDir.
pub const FOLDER: &str = "tasks";

const LOCK: &str = ".lock";
/// Random bytes in an id.
const ID_BYTES: usize = 16;

/// The tasks on an AppDir.
#[derive(Debug, Clone)]
pub struct Table {
    folder: Folder,
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

/// A task that this process works on, until this is ended or dropped.
#[derive(Debug)]
pub struct Working {
    table: Table,
    pub task: Record,
    /// Where it goes on.
    pub brought: Option<Brought>,
    /// Until it is over.
    lock: Mutex<Option<Lock>>,
    /// The file as it was when it was last read.
    seen: Mutex<Option<Seen>>,
}

/// What tells a file from the one that replaced it: a number can be given to another one again.
type Seen = ((u64, u64), u64, Option<SystemTime>);

/// What a call is known by, and the answers by their names.
pub type Brought = (String, BTreeMap<String, Value>);

/// How the work on a task ends.
#[derive(Debug, Clone)]
pub enum End {
    Completed(Value),
    Failed(Value),
    /// With questions, and with what the call is known by when it goes on.
    Asks(BTreeMap<String, Value>, String),
}

/// What became of answers.
#[derive(Debug)]
pub enum Answered {
    /// There is no such task, for this caller.
    Unknown,
    /// They are noted, or nobody asked for them.
    Noted,
    /// They were the last ones: the call goes on, here.
    GoesOn(Box<Working>),
}

#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    #[error("there are {MAX_TASKS} tasks by now: wait until some are over")]
    Full,
    #[error("the result has more than {MAX_TASK_BYTES} bytes")]
    TooLarge,
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
        Ok(Self { folder: app.create_folder(FOLDER)? })
    }

    /// Makes a task, which this process works on. When this returns, every process finds it.
    ///
    /// # Errors
    /// When there are too many, or the disk does not take it.
    pub fn begin(&self, call: Call) -> Result<Working, TaskError> {
        let mut random = [0; ID_BYTES];
        entropy::fill(&mut random).map_err(|_| TaskError::NoRandomness)?;
        let id: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
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

    /// A task, as it is now.
    ///
    /// # Errors
    /// When it cannot be read, or what died cannot be noted.
    pub fn look(&self, id: &str, owner: &str) -> Result<Option<Record>, TaskError> {
        match self.read(id, owner)? {
            Some(task) if task.status == Status::Working && !self.folder.is_locked(&work(id)) => {
                let _changing = self.folder.lock(LOCK)?;
                self.settled(id, owner)
            }
            found => Ok(found),
        }
    }

    /// Ends a task. What is over stays as it is; nothing is said of one that is not there.
    ///
    /// # Errors
    /// When it cannot be changed.
    pub fn cancel(&self, id: &str, owner: &str) -> Result<bool, TaskError> {
        let _changing = self.folder.lock(LOCK)?;
        let Some(mut task) = self.settled(id, owner)? else { return Ok(false) };
        if !task.status.is_over() {
            task.turn(Status::Cancelled);
            task.asks.clear();
            self.store(&task)?;
        }
        Ok(true)
    }

    /// Notes what a client answers. Where nothing is left to ask, the task is this process's to go on with.
    ///
    /// # Errors
    /// When it cannot be changed; nothing was noted then.
    pub fn answer(
        &self,
        id: &str,
        owner: &str,
        answers: impl IntoIterator<Item = (String, Value)>,
    ) -> Result<Answered, TaskError> {
        let _changing = self.folder.lock(LOCK)?;
        let Some(mut task) = self.settled(id, owner)? else { return Ok(Answered::Unknown) };
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
        let lock = self.folder.lock(&work(id))?;
        task.turn(Status::Working);
        let brought = Some((std::mem::take(&mut task.handle), std::mem::take(&mut task.answers)));
        self.store(&task)?;
        Ok(Answered::GoesOn(Box::new(Working::new(self, task, brought, lock))))
    }

    /// A task as it is in truth: one that nobody works on has failed. Under the lock.
    fn settled(&self, id: &str, owner: &str) -> Result<Option<Record>, TaskError> {
        let Some(mut task) = self.read(id, owner)? else { return Ok(None) };
        if task.status == Status::Working && !self.folder.is_locked(&work(id)) {
            task.turn(Status::Failed);
            task.outcome = Some(json!({"code": -32603, "message": "the server that worked on this task has ended"}));
            self.store(&task)?;
            self.remove(&work(id));
        }
        Ok(Some(task))
    }

    fn read(&self, id: &str, owner: &str) -> Result<Option<Record>, TaskError> {
        // Nothing else is the name of a file of ours.
        if id.len() != ID_BYTES * 2 || !id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
            return Ok(None);
        }
        let document = match self.folder.read(&file(id), MAX_TASK_BYTES) {
            Err(AppDirError::NotFound(_)) => return Ok(None),
            document => document?,
        };
        let task: Option<Record> = serde_json::from_slice(&document.bytes)
            .inspect_err(|error| tracing::error!(%error, id, "the file of a task cannot be read"))
            .ok();
        Ok(task.filter(|task| task.id == id && task.owner == owner && task.is_kept()))
    }

    fn store(&self, task: &Record) -> Result<(), TaskError> {
        let text = serde_json::to_vec(task).unwrap_or_default();
        if text.is_empty() || text.len() as u64 > MAX_TASK_BYTES {
            return Err(TaskError::TooLarge);
        }
        Ok(self.folder.write(&file(&task.id), &text, Privacy::Owner)?)
    }

    /// Removes what nobody gets any more, where it takes a place that is needed.
    fn make_room(&self) -> Result<(), TaskError> {
        // A task may have three names: its own, its lock's, and that of a writer who was killed.
        const MAX_NAMES: usize = MAX_TASKS * 3;
        let entries = self.folder.entries(MAX_NAMES)?;
        let mut tasks = entries.iter().filter_map(|entry| entry.name.strip_suffix(".json")).count();
        if tasks < MAX_TASKS && entries.len() < MAX_NAMES {
            return Ok(());
        }
        let is_full = entries.len() >= MAX_NAMES;
        for entry in &entries {
            if let Some(id) = entry.name.strip_suffix(".work")
                && matches!(self.folder.stat_here(&file(id)), Err(AppDirError::NotFound(_)))
                && !self.folder.is_locked(&entry.name)
            {
                self.remove(&entry.name);
            }
            let Some(id) = entry.name.strip_suffix(".json") else { continue };
            let changed = self.folder.stat_here(&entry.name).ok().and_then(|stat| stat.modified);
            let is_old = changed.and_then(|changed| changed.elapsed().ok()).is_some_and(|age| age > TASK_TIME);
            if is_old && !self.folder.is_locked(&work(id)) {
                self.remove(&entry.name);
                self.remove(&work(id));
                tasks -= 1;
            }
        }
        if tasks < MAX_TASKS && !is_full { Ok(()) } else { Err(TaskError::Full) }
    }

    fn remove(&self, name: &str) {
        match self.folder.remove(name) {
            Ok(()) | Err(AppDirError::NotFound(_)) => {}
            Err(error) => tracing::debug!(%error, name, "what is left of a task stays"),
        }
    }
}

impl Working {
    fn new(table: &Table, task: Record, brought: Option<Brought>, lock: Lock) -> Self {
        Self { table: table.clone(), task, brought, lock: Mutex::new(Some(lock)), seen: Mutex::default() }
    }

    /// Says how far it is.
    pub fn say(&self, message: &str) {
        let said = || -> Result<(), TaskError> {
            let _changing = self.table.folder.lock(LOCK)?;
            let Some(mut task) = self.table.read(&self.task.id, &self.task.owner)? else { return Ok(()) };
            if task.status == Status::Working {
                task.message = Some(message.to_owned());
                task.turn(Status::Working);
                self.table.store(&task)?;
            }
            Ok(())
        };
        if let Err(error) = said() {
            tracing::debug!(%error, "how far a task is cannot be noted");
        }
    }

    /// Whether somebody ended it meanwhile.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        let now = self.table.folder.stat_here(&file(&self.task.id));
        let now = now.map(|stat| (stat.identity, stat.len, stat.changed)).ok();
        let before = {
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *seen, now)
        };
        if now.is_some() && now == before {
            return false;
        }
        let task = self.table.read(&self.task.id, &self.task.owner);
        task.is_ok_and(|task| task.is_none_or(|task| task.status.is_over()))
    }

    /// Notes how the work ended, unless somebody ended it before.
    pub fn end(&self, end: End) {
        let noted = self.table.folder.lock(LOCK).map_err(TaskError::from).and_then(|_changing| {
            let noted = self.note(end);
            // Whoever goes on with it takes the lock under the table's, and must not get one whose file is about to go.
            self.table.remove(&work(&self.task.id));
            *self.lock.lock().unwrap_or_else(PoisonError::into_inner) = None;
            noted
        });
        if let Err(error) = noted {
            // Nobody works on it any more: that it failed is what the next one who looks sees.
            tracing::error!(%error, id = self.task.id, "what came of a task cannot be noted");
        }
    }

    /// Under the table's lock.
    fn note(&self, end: End) -> Result<(), TaskError> {
        let Some(mut task) = self.table.read(&self.task.id, &self.task.owner)? else { return Ok(()) };
        if task.status != Status::Working {
            return Ok(());
        }
        task.answers.clear();
        match end {
            End::Completed(result) => {
                task.turn(Status::Completed);
                task.outcome = Some(result);
            }
            End::Failed(error) => {
                task.turn(Status::Failed);
                task.outcome = Some(error);
            }
            End::Asks(asks, handle) => {
                task.turn(Status::InputRequired);
                (task.asks, task.handle) = (asks, handle);
            }
        }
        match self.table.store(&task) {
            Err(error @ TaskError::TooLarge) => {
                task.turn(Status::Failed);
                task.outcome = Some(json!({"code": -32603, "message": error.to_string()}));
                task.asks.clear();
                self.table.store(&task)
            }
            stored => stored,
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
