//! Permits for the instance pool: a full pool answers with an error, so callers wait for a permit before it.
//!
//! Never: waits without a timeout.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

#[derive(Debug)]
pub(super) struct InstancePermits {
    free: Mutex<u32>,
    returned: Condvar,
}

pub(super) struct InstancePermit<'p>(&'p InstancePermits);

impl InstancePermits {
    pub(super) const fn new(count: u32) -> Self {
        Self { free: Mutex::new(count), returned: Condvar::new() }
    }

    /// Takes a permit, or gives up after `patience`.
    pub(super) fn acquire(&self, patience: Duration) -> Option<InstancePermit<'_>> {
        let deadline = Instant::now() + patience;
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free == 0 {
            let left = deadline.checked_duration_since(Instant::now())?;
            free = self.returned.wait_timeout(free, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        *free -= 1;
        Some(InstancePermit(self))
    }
}

impl Drop for InstancePermit<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.returned.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acquire_times_out_when_exhausted_and_succeeds_after_release() {
        let permits = InstancePermits::new(2);
        let (first, second) = (permits.acquire(Duration::ZERO), permits.acquire(Duration::ZERO));
        assert!(first.is_some() && second.is_some());
        assert!(permits.acquire(Duration::from_millis(10)).is_none());
        drop(first);
        assert!(permits.acquire(Duration::ZERO).is_some());
    }
}
