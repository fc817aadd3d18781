//! The capacity of the task store, and the removal of expired tasks.
//!
//! Owns: which files of `tasks/` have expired, and how many tasks may exist.
//! Never: removes a task that a process works on.

use std::sync::PoisonError;
use std::time::Instant;

use super::{TaskError, TaskStore, lock_file_name, record_file_name, task_id_suffix};
use crate::Owner;
use crate::limits::{MAX_STORED_TASKS, MAX_STORED_TASKS_PER_OWNER, TASK_SWEEP_INTERVAL, TASK_TTL};
use wardroom_appdir::limits::{MAX_NAMES_SCANNED, STALE_TEMP_FILE_AGE};
use wardroom_appdir::{AppDirError, EntryKind};

/// The suffix of a task's record file.
const RECORD_FILE_SUFFIX: &str = ".json";

impl TaskStore {
    /// Checks that one more task fits, and from time to time removes expired ones. Called under the store's lock.
    /// One owner has a part of the room, so that some is left for others.
    pub(super) fn ensure_capacity(&self, owner: &Owner) -> Result<(), TaskError> {
        let mut swept = self.last_sweep.lock().unwrap_or_else(PoisonError::into_inner);
        let mut tasks = self.check_capacity(owner)?;
        if tasks.is_err() || swept.is_none_or(|swept| swept.elapsed() >= TASK_SWEEP_INTERVAL) {
            self.sweep_expired()?;
            *swept = Some(Instant::now());
            tasks = self.check_capacity(owner)?;
        }
        tasks
    }

    /// The inner error is the limit that is reached.
    fn check_capacity(&self, owner: &Owner) -> Result<Result<(), TaskError>, TaskError> {
        let names = self.list_file_names()?;
        let tasks = || names.iter().filter_map(|name| name.strip_suffix(RECORD_FILE_SUFFIX));
        let all = tasks().count();
        let own = match (task_id_suffix(owner), owner) {
            (Some(suffix), _) => tasks().filter(|id| id.ends_with(&suffix)).count(),
            (None, Owner::Operator) => 0,
            // Their ids say nothing of them: they leave a part to the others whatever there is.
            (None, _) => all,
        };
        Ok(match all {
            MAX_STORED_TASKS.. => Err(TaskError::Full),
            _ if own >= MAX_STORED_TASKS_PER_OWNER => Err(TaskError::FullForOwner),
            _ => Ok(()),
        })
    }

    fn list_file_names(&self) -> Result<Vec<String>, TaskError> {
        let mut names = Vec::new();
        self.folder.visit_names(&mut { MAX_NAMES_SCANNED }, |name, _, kind| {
            if kind == EntryKind::File {
                names.push(name.to_owned());
            }
        })?;
        Ok(names)
    }

    fn sweep_expired(&self) -> Result<(), TaskError> {
        for name in self.list_file_names()? {
            match name.rsplit_once('.') {
                Some((id, "json")) if self.is_expired(&name) && !self.folder.is_locked(&lock_file_name(id)) => {
                    self.remove_file(&name);
                    self.remove_sidecar_files(id);
                }
                // The task of these files is gone.
                Some((id, "work" | "said"))
                    if matches!(self.folder.stat_nofollow(&record_file_name(id)), Err(AppDirError::NotFound(_)))
                        && !self.folder.is_locked(&lock_file_name(id)) =>
                {
                    self.remove_file(&name);
                }
                _ => {}
            }
        }
        // Temporary files of writers that were killed. What cannot be removed refuses no task.
        if let Err(error) = self.folder.sweep_temp_files(STALE_TEMP_FILE_AGE) {
            tracing::debug!(%error, "cannot remove stale temporary files of tasks");
        }
        Ok(())
    }

    /// Whether a task last changed longer ago than a task is kept; the task itself is then older.
    fn is_expired(&self, name: &str) -> bool {
        let changed = self.folder.stat_nofollow(name).ok().and_then(|stat| stat.modified);
        changed.and_then(|changed| changed.elapsed().ok()).is_some_and(|age| age > TASK_TTL)
    }
}
