//! Slots for the tasks that this server runs at the same time, and the share of one caller.
//!
//! Never: waits for a slot. Without a free one the call is refused.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use rmcp::model::ErrorData;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::error;
use crate::limits::{MAX_RUNNING_TASKS, MAX_RUNNING_TASKS_PER_CALLER};

pub(super) struct TaskSlots {
    permits: Arc<Semaphore>,
    /// Only of callers that hold a permit.
    caller_permits: Mutex<HashMap<String, Weak<Semaphore>>>,
}

/// A slot, until it is dropped.
pub(super) struct TaskSlot {
    _caller_permit: Option<OwnedSemaphorePermit>,
    _permit: OwnedSemaphorePermit,
}

impl Default for TaskSlots {
    fn default() -> Self {
        Self { permits: Arc::new(Semaphore::new(MAX_RUNNING_TASKS)), caller_permits: Mutex::default() }
    }
}

impl TaskSlots {
    /// Returns a slot, if one is free. `caller` is `None` where there is only one caller.
    pub(super) fn try_acquire(&self, caller: Option<&str>) -> Option<TaskSlot> {
        let share = match caller {
            Some(caller) => Some(self.caller_semaphore(caller).try_acquire_owned().ok()?),
            None => None,
        };
        let place = Arc::clone(&self.permits).try_acquire_owned().ok()?;
        Some(TaskSlot { _caller_permit: share, _permit: place })
    }

    fn caller_semaphore(&self, caller: &str) -> Arc<Semaphore> {
        let mut shares = self.caller_permits.lock().unwrap_or_else(PoisonError::into_inner);
        shares.retain(|_, share| share.strong_count() > 0);
        if let Some(share) = shares.get(caller).and_then(Weak::upgrade) {
            return share;
        }
        let share = Arc::new(Semaphore::new(MAX_RUNNING_TASKS_PER_CALLER));
        shares.insert(caller.to_owned(), Arc::downgrade(&share));
        share
    }
}

pub(super) fn too_many_tasks() -> ErrorData {
    error::busy(format!(
        "this server works on {MAX_RUNNING_TASKS} tasks by now, or on {MAX_RUNNING_TASKS_PER_CALLER} of this caller's: try \
         again later"
    ))
}
