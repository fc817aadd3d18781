//! Counting permits for threads: a fixed number, each returned when it is dropped.
//!
//! Never: waits without a timeout.

use crate::sync::{Condvar, Mutex, PoisonError};
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

    /// Takes a permit, if one is free.
    pub fn try_acquire(&self) -> Option<ThreadPermit<'_>> {
        self.acquire(Duration::ZERO)
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
