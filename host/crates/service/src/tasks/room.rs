//! Room in the table: what is over long enough goes.
//!
//! Owns: which files of `tasks/` nobody gets any more, and how many tasks there may be.
//! Never: removes what somebody works on.

use std::sync::PoisonError;
use std::time::Instant;

use super::{Table, TaskError, file, work};
use wardroom_appdir::{AppDirError, EntryKind};
use wardroom_base::limits::{LEFTOVER_TIME, MAX_NAMES_SCANNED, MAX_TASKS, TASK_SWEEP_TIME, TASK_TIME};

/// The end of a task's own file.
const END: &str = ".json";

impl Table {
    /// Makes room for one more task, and from time to time removes what nobody gets any more. Under the table's lock.
    pub(super) fn make_room(&self) -> Result<(), TaskError> {
        let mut swept = self.swept.lock().unwrap_or_else(PoisonError::into_inner);
        let mut tasks = self.count()?;
        if tasks >= MAX_TASKS || swept.is_none_or(|swept| swept.elapsed() >= TASK_SWEEP_TIME) {
            self.sweep()?;
            *swept = Some(Instant::now());
            tasks = self.count()?;
        }
        if tasks < MAX_TASKS { Ok(()) } else { Err(TaskError::Full) }
    }

    fn count(&self) -> Result<usize, TaskError> {
        Ok(self.names()?.iter().filter(|name| name.ends_with(END)).count())
    }

    fn names(&self) -> Result<Vec<String>, TaskError> {
        let mut names = Vec::new();
        self.folder.each_name_within(&mut { MAX_NAMES_SCANNED }, |name, _, kind| {
            if kind == EntryKind::File {
                names.push(name.to_owned());
            }
        })?;
        Ok(names)
    }

    fn sweep(&self) -> Result<(), TaskError> {
        for name in self.names()? {
            match name.rsplit_once('.') {
                Some((id, "json")) if self.is_old(&name) && !self.folder.is_locked(&work(id)) => {
                    self.remove(&name);
                    self.remove_beside(id);
                }
                // Their task is gone.
                Some((id, "work" | "said"))
                    if matches!(self.folder.stat_here(&file(id)), Err(AppDirError::NotFound(_)))
                        && !self.folder.is_locked(&work(id)) =>
                {
                    self.remove(&name);
                }
                _ => {}
            }
        }
        // What is left of writers who were killed.
        self.folder.sweep(LEFTOVER_TIME)?;
        Ok(())
    }

    /// Whether nothing has happened to a task for as long as one is kept: then it is older.
    fn is_old(&self, name: &str) -> bool {
        let changed = self.folder.stat_here(name).ok().and_then(|stat| stat.modified);
        changed.and_then(|changed| changed.elapsed().ok()).is_some_and(|age| age > TASK_TIME)
    }
}
