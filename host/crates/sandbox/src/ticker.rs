//! The epoch clock of running instances: a thread that advances the engine's epoch while an instance runs.
//!
//! Owns: that thread. It is parked while nothing runs, so that an idle server never wakes.
//! Never: decides how long an instance may run; the store has a number of ticks.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use wasmtime::Engine;

use crate::limits::GUEST_EPOCH_INTERVAL;

/// Stops the thread when dropped.
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
    /// Starts the thread. Without it the engine's epoch would not advance and calls would have no time limit, hence the
    /// error.
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

    /// Keeps the clock running until the guard is dropped.
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

    /// Waits until an instance runs; false once the sandbox is dropped.
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
