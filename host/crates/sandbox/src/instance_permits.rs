//! Who may create an instance of a guest, and when.
//!
//! Owns: the permits of one pool of instances.
//! Never: waits for a processor longer than [`PROCESSOR_WAIT`]: a document that keeps its parser busy delays each other one by that.

use std::num::NonZero;
use std::thread;
use std::time::Duration;

use wardroom_base::permits::{ThreadPermit, ThreadPermits};

use crate::limits::{GUEST_QUEUE_TIMEOUT, PROCESSOR_WAIT};

/// The permits of a pool. An instance computes all the time, so more of them than processors end no sooner, and the pool keeps the
/// memory of each that it ever had at once.
pub(crate) struct InstancePermits {
    processors: ThreadPermits,
    instances: ThreadPermits,
    processor_wait: Duration,
}

/// A permit, until it is dropped.
pub(crate) struct InstancePermit<'p> {
    _instance: ThreadPermit<'p>,
    _processor: Option<ThreadPermit<'p>>,
}

impl InstancePermits {
    pub(crate) fn new(instances: usize) -> Self {
        Self::with(thread::available_parallelism().map_or(1, NonZero::get), instances, PROCESSOR_WAIT)
    }

    fn with(processors: usize, instances: usize, processor_wait: Duration) -> Self {
        Self { processors: ThreadPermits::new(processors), instances: ThreadPermits::new(instances), processor_wait }
    }

    /// Waits for a processor for a moment, and then for an instance. `None` if there is none for too long.
    pub(crate) fn acquire(&self) -> Option<InstancePermit<'_>> {
        let processor = self.processors.acquire(self.processor_wait);
        Some(InstancePermit { _instance: self.instances.acquire(GUEST_QUEUE_TIMEOUT)?, _processor: processor })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn brief_calls_share_instances_of_processors() {
        let permits = InstancePermits::with(2, 8, Duration::from_mins(1));
        let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..20 {
                        let _permit = permits.acquire().unwrap();
                        most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        thread::yield_now();
                        running.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert!(most.into_inner() <= 2);
    }

    #[test]
    fn busy_instances_leave_others_to_wait_for() {
        let permits = InstancePermits::with(2, 8, Duration::ZERO);
        let held: Vec<_> = (0..8).map(|_| permits.acquire().unwrap()).collect();
        assert_eq!(held.iter().filter(|permit| permit._processor.is_some()).count(), 2);
        assert!(permits.instances.acquire(Duration::ZERO).is_none());
    }
}
