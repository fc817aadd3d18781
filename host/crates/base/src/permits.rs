//! Counting permits for threads: a fixed number, each returned when it is dropped; also of which one caller leaves some to
//! the others.
//!
//! Never: waits without a timeout.

use crate::sync::{Condvar, Mutex, PoisonError};
use std::collections::HashMap;
use std::time::{Duration, Instant};

#[derive(Debug)]
pub struct ThreadPermits {
    free: Mutex<usize>,
    returned: Condvar,
}

/// A permit, until it is dropped.
#[derive(Debug)]
pub struct ThreadPermit<'p>(&'p ThreadPermits);

impl ThreadPermits {
    #[must_use]
    pub const fn new(count: usize) -> Self {
        Self { free: Mutex::new(count), returned: Condvar::new() }
    }

    /// Takes a permit, or gives up after `timeout`.
    pub fn acquire(&self, timeout: Duration) -> Option<ThreadPermit<'_>> {
        let deadline = Instant::now() + timeout;
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free == 0 {
            let left = deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
            free = self.returned.wait_timeout(free, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        *free -= 1;
        Some(ThreadPermit(self))
    }
}

impl Drop for ThreadPermit<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.returned.notify_one();
    }
}

/// Permits of which each caller leaves a quarter, at least one, to the others.
#[derive(Debug)]
pub struct SharedPermits {
    state: Mutex<SharedPermitState>,
    returned: Condvar,
    max_per_caller: usize,
}

#[derive(Debug)]
struct SharedPermitState {
    free: usize,
    by_caller: HashMap<String, usize>,
}

/// A permit, until it is dropped.
#[derive(Debug)]
pub struct SharedPermit<'p> {
    permits: &'p SharedPermits,
    caller: Option<String>,
}

impl SharedPermits {
    #[must_use]
    pub fn new(count: usize) -> Self {
        let state = SharedPermitState { free: count, by_caller: HashMap::new() };
        let max_per_caller = count.saturating_sub(count.div_ceil(4)).max(1);
        Self { state: Mutex::new(state), returned: Condvar::new(), max_per_caller }
    }

    /// Takes a permit, or gives up after `timeout`. Who names no caller leaves none to others.
    pub fn acquire(&self, caller: Option<&str>, timeout: Duration) -> Option<SharedPermit<'_>> {
        let deadline = Instant::now() + timeout;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.free == 0 || caller.is_some_and(|caller| state.held_by(caller) >= self.max_per_caller) {
            let left = deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
            state = self.returned.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        state.free -= 1;
        let caller = caller.map(str::to_owned);
        if let Some(caller) = &caller {
            *state.by_caller.entry(caller.clone()).or_default() += 1;
        }
        Some(SharedPermit { permits: self, caller })
    }
}

impl SharedPermitState {
    fn held_by(&self, caller: &str) -> usize {
        self.by_caller.get(caller).copied().unwrap_or_default()
    }
}

impl Drop for SharedPermit<'_> {
    fn drop(&mut self) {
        let mut state = self.permits.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.free += 1;
        if let Some(caller) = &self.caller {
            let left = state.held_by(caller).saturating_sub(1);
            match left {
                0 => drop(state.by_caller.remove(caller)),
                left => drop(state.by_caller.insert(caller.clone(), left)),
            }
        }
        drop(state);
        // Those who wait wait for different things.
        self.permits.returned.notify_all();
    }
}
