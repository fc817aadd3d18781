//! A task that this process works on.
//!
//! Owns: what whoever works on it notes of it, and the look whether somebody else ended it.
//! Never: changes what is over, or gives up what the work came to because of what passes.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use super::{Brought, LOCK, Record, Status, Table, TaskError, file, said};
use wardroom_appdir::{Lock, Privacy};
use wardroom_base::limits::{MAX_TASK_BYTES, MAX_TASK_MESSAGE_BYTES, TASK_END_TIME};

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

/// How the work on a task ends.
#[derive(Debug, Clone)]
pub enum End {
    Completed(Value),
    Failed(Value),
    /// With questions, and with what the call is known by when it goes on.
    Asks(BTreeMap<String, Value>, String),
}

impl Working {
    pub(super) fn new(table: &Table, task: Record, brought: Option<Brought>, lock: Lock) -> Self {
        Self { table: table.clone(), task, brought, lock: Mutex::new(Some(lock)), seen: Mutex::default() }
    }

    /// Says how far it is. That is news for a moment: it takes no lock, and does not wait for the disk.
    pub fn say(&self, message: &str) {
        let message = message.get(..message.floor_char_boundary(MAX_TASK_MESSAGE_BYTES)).unwrap_or_default();
        let said = said(&self.task.id);
        if let Err(error) = self.table.folder.write_unflushed(&said, message.as_bytes(), Privacy::Owner) {
            tracing::debug!(%error, "how far a task is cannot be noted");
        }
    }

    /// Whether somebody ended it meanwhile.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        let now = self.table.folder.stat_here(&file(&self.task.id));
        let now = now.map(|stat| (stat.identity, stat.len, stat.changed)).ok();
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if now.is_some() && now == *seen {
            return false;
        }
        match self.table.read(&self.task.id, &self.task.owner, MAX_TASK_BYTES) {
            Ok(task) => {
                *seen = now;
                task.is_none_or(|task| task.status.is_over())
            }
            // It is looked at again.
            Err(error) => {
                tracing::debug!(%error, "whether a task was ended cannot be seen");
                false
            }
        }
    }

    /// Notes how the work ended, unless somebody ended it before. What hinders that may pass: it is tried for as long as
    /// [`TASK_END_TIME`].
    pub fn end(&self, end: &End) {
        const FIRST_PAUSE: Duration = Duration::from_millis(20);
        const LONGEST_PAUSE: Duration = Duration::from_secs(5);
        let (begun, mut pause) = (Instant::now(), FIRST_PAUSE);
        while let Err(error) = self.try_to_end(end) {
            if begun.elapsed() >= TASK_END_TIME {
                // Nobody works on it any more: that it failed is what the next one who looks sees.
                tracing::error!(%error, id = self.task.id, "what came of a task cannot be noted");
                break;
            }
            tracing::warn!(%error, id = self.task.id, "what came of a task cannot be noted yet");
            thread::sleep(pause);
            pause = LONGEST_PAUSE.min(pause * 2);
        }
        *self.lock.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn try_to_end(&self, end: &End) -> Result<(), TaskError> {
        let _changing = self.table.folder.lock(LOCK)?;
        self.note(end)?;
        // Whoever goes on with it takes the lock under the table's, and must not get one whose file is about to go.
        self.table.remove_beside(&self.task.id);
        *self.lock.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(())
    }

    /// Under the table's lock.
    fn note(&self, end: &End) -> Result<(), TaskError> {
        let Some(mut task) = self.table.read(&self.task.id, &self.task.owner, MAX_TASK_BYTES)? else { return Ok(()) };
        if task.status != Status::Working {
            return Ok(());
        }
        task.answers.clear();
        match end {
            End::Completed(result) => {
                task.turn(Status::Completed);
                task.outcome = Some(result.clone());
            }
            End::Failed(error) => {
                task.turn(Status::Failed);
                task.outcome = Some(error.clone());
            }
            End::Asks(asks, handle) => {
                task.turn(Status::InputRequired);
                (task.asks, task.handle) = (asks.clone(), handle.clone());
            }
        }
        match self.table.store(&task) {
            Err(error @ TaskError::TooLarge) => {
                task.turn(Status::Failed);
                task.outcome = Some(json!({"code": -32603, "message": error.to_string()}));
                task.asks.clear();
                task.handle.clear();
                self.table.store(&task)
            }
            stored => stored,
        }
    }
}
