//! The clock of running instances: a thread that advances the engine's epoch while at least one of them runs.
//!
//! Owns: that thread. It sleeps for good when nothing runs, so an idle server wakes for nothing.
//! Never: decides how long an instance may run; its store holds a number of ticks.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use wasmtime::Engine;

use wardroom_base::limits::GUEST_TICK;

/// Stops the thread when it is dropped.
pub(super) struct Ticker(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    running: u32,
    stopped: bool,
}

pub(super) struct Running<'t>(&'t Shared);

impl Ticker {
    /// Starts the thread. An engine whose epoch nobody advances has no time limit at all, hence the error.
    pub(super) fn start(engine: Engine) -> std::io::Result<Self> {
        let shared =
            Arc::new(Shared { state: Mutex::new(State { running: 0, stopped: false }), changed: Condvar::new() });
        let of_thread = Arc::clone(&shared);
        thread::Builder::new().name("guest-ticker".into()).spawn(move || {
            while of_thread.wait_until_running() {
                engine.increment_epoch();
                thread::sleep(GUEST_TICK);
            }
        })?;
        Ok(Self(shared))
    }

    /// Keeps the clock going until the guard is dropped.
    pub(super) fn run(&self) -> Running<'_> {
        self.0.lock().running += 1;
        self.0.changed.notify_one();
        Running(&self.0)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// False when the sandbox is gone.
    fn wait_until_running(&self) -> bool {
        let mut state = self.lock();
        while state.running == 0 && !state.stopped {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        !state.stopped
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.lock().running -= 1;
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.0.lock().stopped = true;
        self.0.changed.notify_one();
    }
}
