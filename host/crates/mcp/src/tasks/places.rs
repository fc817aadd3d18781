//! How many tasks this server works on at the same time, and how many of them one caller has.
//!
//! Never: has anybody wait: who finds no place is told so.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use rmcp::model::ErrorData;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::error;
use wardroom_base::limits::{MAX_WORKING_TASKS, MAX_WORKING_TASKS_OF_ONE};

pub(super) struct Places {
    all: Arc<Semaphore>,
    /// Of those callers alone that have one.
    shares: Mutex<HashMap<String, Weak<Semaphore>>>,
}

/// One of them, until it is dropped.
pub(super) struct Place {
    _share: Option<OwnedSemaphorePermit>,
    _place: OwnedSemaphorePermit,
}

impl Default for Places {
    fn default() -> Self {
        Self { all: Arc::new(Semaphore::new(MAX_WORKING_TASKS)), shares: Mutex::default() }
    }
}

impl Places {
    /// A place for a task of this caller, where there are others beside it.
    pub(super) fn take(&self, caller: Option<&str>) -> Option<Place> {
        let share = match caller {
            Some(caller) => Some(self.share(caller).try_acquire_owned().ok()?),
            None => None,
        };
        let place = Arc::clone(&self.all).try_acquire_owned().ok()?;
        Some(Place { _share: share, _place: place })
    }

    fn share(&self, caller: &str) -> Arc<Semaphore> {
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        shares.retain(|_, share| share.strong_count() > 0);
        if let Some(share) = shares.get(caller).and_then(Weak::upgrade) {
            return share;
        }
        let share = Arc::new(Semaphore::new(MAX_WORKING_TASKS_OF_ONE));
        shares.insert(caller.to_owned(), Arc::downgrade(&share));
        share
    }
}

pub(super) fn busy() -> ErrorData {
    error::busy(format!(
        "this server works on {MAX_WORKING_TASKS} tasks by now, or on {MAX_WORKING_TASKS_OF_ONE} of this caller's: try \
         again later"
    ))
}
