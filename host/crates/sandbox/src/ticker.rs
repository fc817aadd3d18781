//! The clock of running instances: a thread that advances the engine's epoch while at least one of them runs.
//!
//! Owns: that thread. It sleeps for good when nothing runs, so an idle server wakes for nothing.
//! Never: decides how long an instance may run; its store holds a number of ticks.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use wasmtime::Engine;

use crate::limits::GUEST_EPOCH_INTERVAL;

/// Stops the thread when it is dropped.
pub(super) struct EpochTicker(Arc<TickerShared>);

struct TickerShared {
    state: Mutex<TickerState>,
    changed: Condvar,
}

struct TickerState {
    running_instances: u32,
    is_stopped: bool,
}

pub(super) struct TickerGuard<'t>(&'t TickerShared);

impl EpochTicker {
    /// Starts the thread. An engine whose epoch nobody advances has no time limit at all, hence the error.
    pub(super) fn start(engine: Engine) -> std::io::Result<Self> {
        let shared = Arc::new(TickerShared {
            state: Mutex::new(TickerState { running_instances: 0, is_stopped: false }),
            changed: Condvar::new(),
        });
        let of_thread = Arc::clone(&shared);
        thread::Builder::new().name("guest-ticker".into()).spawn(move || {
            while of_thread.wait_until_running() {
                engine.increment_epoch();
                thread::sleep(GUEST_EPOCH_INTERVAL);
            }
        })?;
        Ok(Self(shared))
    }

    /// Keeps the clock going until the guard is dropped.
    pub(super) fn keep_ticking(&self) -> TickerGuard<'_> {
        self.0.lock().running_instances += 1;
        self.0.changed.notify_one();
        TickerGuard(&self.0)
    }
}

impl TickerShared {
    fn lock(&self) -> MutexGuard<'_, TickerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// False when the sandbox is gone.
    fn wait_until_running(&self) -> bool {
        let mut state = self.lock();
        while state.running_instances == 0 && !state.is_stopped {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        !state.is_stopped
    }
}

impl Drop for TickerGuard<'_> {
    fn drop(&mut self) {
        self.0.lock().running_instances -= 1;
    }
}

impl Drop for EpochTicker {
    fn drop(&mut self) {
        self.0.lock().is_stopped = true;
        self.0.changed.notify_one();
    }
}
