//! Bytes that the server holds for slow clients: unsent answers.
//!
//! Owns: their count, for all clients together, and which connections are closed because others wait.
//! Never: delays an answer that is ready; only new requests and large answers wait.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::timeout;

use super::connection_limiter::{ConnectionLimiter, StallPolicy};
use crate::backpressure::Backpressure;
use crate::http::limits::{
    CONTENDED_WRITE_STALL_TIMEOUT, MAX_HTTP_UNSENT_BYTES, MAX_QUEUED_LARGE_RESPONSES, REQUEST_PERMIT_TIMEOUT,
};
use crate::limits::MAX_UNSENT_BYTES;
use wardroom_base::memory::{MemoryLease, MemoryShare};

/// A number of bytes, and its limit. The bytes are also the server's memory.
pub(super) struct ByteCounter {
    memory: MemoryShare,
    bytes: AtomicUsize,
    limit: usize,
    decreased: Notify,
}

/// A part of the number, until this is dropped.
pub(super) struct ByteLease {
    counter: Arc<ByteCounter>,
    memory: MemoryLease,
}

/// The unsent bytes of answers, and the connections that they are for.
pub(crate) struct SendBudget {
    counter: Arc<ByteCounter>,
    pub(super) connections: Arc<ConnectionLimiter>,
}

impl SendBudget {
    pub(super) fn new(memory: &MemoryShare) -> Self {
        Self { counter: ByteCounter::new(MAX_UNSENT_BYTES, memory), connections: Arc::default() }
    }

    pub(super) fn memory(&self) -> &MemoryShare {
        &self.counter.memory
    }

    pub(super) fn lease(&self, bytes: usize) -> ByteLease {
        self.counter.lease(bytes)
    }

    /// Whether a request may run now.
    pub(super) fn admits_request(&self) -> bool {
        self.counter.excess_over(MAX_HTTP_UNSENT_BYTES) == 0
    }

    /// Waits until a request may run. Closes connections whose clients take too long over an answer meanwhile.
    pub(super) async fn admit_request(&self) {
        self.evict_until_at_most(MAX_HTTP_UNSENT_BYTES, StallPolicy::AnyUnsent).await;
    }

    async fn evict_until_at_most(&self, max: usize, policy: StallPolicy) {
        while timeout(CONTENDED_WRITE_STALL_TIMEOUT, self.counter.wait_until_at_most(max)).await.is_err() {
            self.connections.evict_stalled(self.counter.excess_over(max), policy);
        }
    }
}

impl Backpressure for SendBudget {
    /// Closes connections whose clients take nothing meanwhile.
    fn wait_for_capacity(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(self.evict_until_at_most(MAX_UNSENT_BYTES, StallPolicy::NoProgress))
    }

    fn admission_timeout(&self) -> Option<Duration> {
        Some(REQUEST_PERMIT_TIMEOUT)
    }

    fn max_waiting(&self) -> usize {
        MAX_QUEUED_LARGE_RESPONSES
    }
}

impl ByteCounter {
    pub(super) fn new(max: usize, memory: &MemoryShare) -> Arc<Self> {
        let memory = memory.clone();
        Arc::new(Self { bytes: AtomicUsize::new(0), limit: max, decreased: Notify::new(), memory })
    }

    /// Counts `bytes`, even above the limit.
    pub(super) fn lease(self: &Arc<Self>, bytes: usize) -> ByteLease {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        ByteLease { counter: Arc::clone(self), memory: self.memory.lease_held(bytes) }
    }

    /// Returns how many bytes there are above `max`.
    fn excess_over(&self, max: usize) -> usize {
        self.bytes.load(Ordering::Relaxed).saturating_sub(max)
    }

    /// Waits until there are no more than `max` bytes, which is at least the limit.
    async fn wait_until_at_most(&self, max: usize) {
        loop {
            let fewer = self.decreased.notified();
            if self.bytes.load(Ordering::Relaxed) <= max {
                return;
            }
            fewer.await;
        }
    }
}

impl ByteLease {
    pub(super) fn release(&mut self, bytes: usize) {
        let bytes = bytes.min(self.memory.bytes());
        self.memory.resize_held(self.memory.bytes() - bytes);
        let before = self.counter.bytes.fetch_sub(bytes, Ordering::Relaxed);
        if before > self.counter.limit {
            self.counter.decreased.notify_waiters();
        }
    }
}

impl Drop for ByteLease {
    fn drop(&mut self) {
        self.release(self.memory.bytes());
    }
}
