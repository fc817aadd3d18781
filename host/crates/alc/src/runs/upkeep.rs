//! What happens to runs beside the calls of clients: workers of paused runs are ended, and journals of expired runs removed.
//!
//! Owns: the threads that do it, and when they do.
//! Never: lets a run wait for them.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Instant, SystemTime};

use super::run_table::RunTable;
use super::store::RunStore;
use crate::limits::{MAX_WARM_RUN_PROCESSES, RUN_PROCESSOR_TIME_INTERVAL, RUN_SWEEP_INTERVAL, WARM_RUN_SWEEP_INTERVAL};
use wardroom_base::background_thread::BackgroundThread;

pub(super) struct RunUpkeep {
    store: Arc<RunStore>,
    table: Arc<RunTable>,
    evictor: BackgroundThread,
    last_sweep: Mutex<Option<Instant>>,
}

impl RunUpkeep {
    pub(super) fn new(store: Arc<RunStore>, table: Arc<RunTable>) -> Self {
        Self { store, table, evictor: BackgroundThread::default(), last_sweep: Mutex::default() }
    }

    /// Starts the thread that ends the worker processes of paused runs, by age and number, unless it runs.
    pub(super) fn start_evictor(&self) {
        let (table, parking) = (Arc::downgrade(&self.table), Arc::clone(self.table.park_signal()));
        let evict = move || {
            while let Some(table) = table.upgrade() {
                table.evict_idle(MAX_WARM_RUN_PROCESSES, |_| true);
                let others_compute = table.evict_excessive();
                drop(table);
                if others_compute {
                    thread::sleep(RUN_PROCESSOR_TIME_INTERVAL);
                } else {
                    parking.wait(WARM_RUN_SWEEP_INTERVAL);
                }
            }
        };
        if let Err(error) = self.evictor.start("runs", evict) {
            tracing::warn!(%error, "idle runs keep their processes until a thread can be started");
        }
    }

    /// Removes expired runs, at most once per `RUN_SWEEP_INTERVAL`. That looks at each journal, in a thread of its own.
    pub(super) fn remove_expired_if_due(&self) {
        let now = Instant::now();
        let mut last_sweep = self.last_sweep.lock().unwrap_or_else(PoisonError::into_inner);
        if last_sweep.is_some_and(|last| now.duration_since(last) < RUN_SWEEP_INTERVAL) {
            return;
        }
        *last_sweep = Some(now);
        drop(last_sweep);
        let store = Arc::clone(&self.store);
        let sweep = move || {
            if let Err(error) = store.remove_expired(SystemTime::now()) {
                tracing::warn!(%error, "cannot remove expired runs");
            }
        };
        if let Err(error) = thread::Builder::new().name("expired".to_owned()).spawn(sweep) {
            tracing::warn!(%error, "cannot remove expired runs");
        }
    }
}
