//! Slots for the tasks that this server runs at the same time, and the share of one caller.
//!
//! Never: waits long for a slot: a call without one is refused after a while.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use rmcp::model::ErrorData;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::error;
use crate::limits::{MAX_RUNNING_TASKS, MAX_RUNNING_TASKS_PER_CALLER, TASK_SLOT_TIMEOUT};
use crate::permits::{PermitChain, Permits};

pub(super) struct TaskSlots {
    permits: PermitChain,
    /// Only of callers that hold a permit.
    caller_permits: Mutex<HashMap<String, Weak<Semaphore>>>,
}

/// A slot, until it is dropped.
pub(super) type TaskSlot = Permits;

impl Default for TaskSlots {
    fn default() -> Self {
        Self { permits: PermitChain::new(MAX_RUNNING_TASKS), caller_permits: Mutex::default() }
    }
}

impl TaskSlots {
    /// Waits for a slot, for at most `TASK_SLOT_TIMEOUT`. `caller` is as in [`Self::try_acquire`].
    pub(super) async fn acquire(&self, caller: Option<&str>) -> Option<TaskSlot> {
        let permits = match caller {
            Some(caller) => self.permits.within(&self.caller_semaphore(caller)),
            None => self.permits.clone(),
        };
        timeout(TASK_SLOT_TIMEOUT, permits.acquire()).await.ok().flatten()
    }

    /// Returns a slot, if one is free. `caller` is `None` where there is only one caller.
    pub(super) fn try_acquire(&self, caller: Option<&str>) -> Option<TaskSlot> {
        match caller {
            Some(caller) => self.permits.within(&self.caller_semaphore(caller)).try_acquire(),
            None => self.permits.try_acquire(),
        }
    }

    fn caller_semaphore(&self, caller: &str) -> Arc<Semaphore> {
        let mut semaphores = self.caller_permits.lock().unwrap_or_else(PoisonError::into_inner);
        semaphores.retain(|_, semaphore| semaphore.strong_count() > 0);
        if let Some(semaphore) = semaphores.get(caller).and_then(Weak::upgrade) {
            return semaphore;
        }
        let semaphore = Arc::new(Semaphore::new(MAX_RUNNING_TASKS_PER_CALLER));
        semaphores.insert(caller.to_owned(), Arc::downgrade(&semaphore));
        semaphore
    }
}

pub(super) fn too_many_tasks() -> ErrorData {
    error::busy(format!(
        "{MAX_RUNNING_TASKS} tasks run, or {MAX_RUNNING_TASKS_PER_CALLER} of this caller, which is the limit: try \
         again later"
    ))
}
