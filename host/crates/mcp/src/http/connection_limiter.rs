//! The connections of a server, of all its listeners together.
//!
//! Owns: their number, and which of them is evicted for another one.
//! Never: evicts a connection with a whole request to free a slot: an idle one is evicted, or one whose request takes
//! long to arrive. A stalled one is evicted to free bytes only.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::Notify;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::http::limits::{CONTENDED_BODY_TIMEOUT, CONTENDED_WRITE_STALL_TIMEOUT};

#[derive(Default)]
pub(super) struct ConnectionLimiter {
    connections: Mutex<BTreeMap<u64, Arc<Mutex<ConnectionState>>>>,
    /// Numbers the connections, and the ends of requests.
    last_sequence: AtomicU64,
    slot_freed: Notify,
}

/// One connection.
struct ConnectionState {
    /// Its open requests.
    active_requests: usize,
    /// Since when the body of its request arrives, until all of it is there.
    body_since: Option<Instant>,
    /// Set from a counter at each end of a request: the least of the idle connections has idled longest.
    idle_sequence: u64,
    /// The unsent bytes of its reply, since when there are any, and when the client last took some.
    unsent_bytes: usize,
    unsent_since: Instant,
    last_progress: Instant,
    evicted: CancellationToken,
}

/// Which clients count as stalled.
#[derive(Clone, Copy)]
pub(super) enum StallPolicy {
    /// Clients that have had unsent bytes for a while.
    AnyUnsent,
    /// Clients that have taken no bytes for a while.
    NoProgress,
}

/// The slot of a connection, until this is dropped.
pub(super) struct ConnectionSlot {
    limiter: Arc<ConnectionLimiter>,
    id: u64,
    /// Locked after the limiter's table, never before it.
    state: Arc<Mutex<ConnectionState>>,
    /// Cancelled when the connection is to end.
    pub(super) evicted: CancellationToken,
    /// The socket does not accept what was written.
    is_write_blocked: AtomicBool,
}

/// The wait of a connection for the rest of a body.
pub(super) struct ReceivingBody<'a>(&'a ConnectionSlot);

/// A request of a connection, until its reply was taken.
pub(super) struct ActiveRequest(Arc<ConnectionSlot>);

impl ConnectionLimiter {
    /// Waits for a slot. If all are taken, the connection that has been idle longest is evicted.
    pub(super) async fn acquire(self: &Arc<Self>, max: usize) -> ConnectionSlot {
        loop {
            let freed = self.slot_freed.notified();
            {
                let mut table = lock(&self.connections);
                if table.len() < max {
                    return self.insert_slot(&mut table);
                }
                let connections: Vec<_> = table.values().map(|state| lock(state)).collect();
                // An evicted connection is about to end, unless it got a request in the same moment.
                if !connections.iter().any(|state| state.evicted.is_cancelled() && !state.has_whole_request()) {
                    let idle = connections.iter().filter(|state| state.active_requests == 0);
                    let slow = || connections.iter().filter(|state| state.is_slow_to_arrive());
                    let longest = idle.min_by_key(|state| state.idle_sequence);
                    let longest = longest.or_else(|| slow().min_by_key(|state| state.body_since));
                    longest.into_iter().for_each(|longest| longest.evicted.cancel());
                }
            }
            // A body may become slow meanwhile.
            let _ = timeout(CONTENDED_BODY_TIMEOUT / 4, freed).await;
        }
    }

    /// Closes stalled connections, those with most unsent bytes first, until `bytes` are free.
    pub(super) fn evict_stalled(&self, mut bytes: usize, policy: StallPolicy) {
        let table = lock(&self.connections);
        let connections: Vec<_> = table.values().map(|state| lock(state)).collect();
        let since = |state: &ConnectionState| match policy {
            StallPolicy::AnyUnsent => state.unsent_since,
            StallPolicy::NoProgress => state.last_progress,
        };
        let is_stalled = |state: &&MutexGuard<'_, ConnectionState>| {
            state.unsent_bytes > 0 && since(state).elapsed() >= CONTENDED_WRITE_STALL_TIMEOUT
        };
        let mut stalled: Vec<_> =
            connections.iter().filter(is_stalled).filter(|state| !state.evicted.is_cancelled()).collect();
        stalled.sort_unstable_by_key(|state| Reverse(state.unsent_bytes));
        for state in stalled {
            if bytes == 0 {
                return;
            }
            tracing::warn!(
                bytes = state.unsent_bytes,
                "closed a stalled connection, because other clients wait for its buffer space"
            );
            state.evicted.cancel();
            bytes = bytes.saturating_sub(state.unsent_bytes);
        }
    }

    fn insert_slot(self: &Arc<Self>, table: &mut BTreeMap<u64, Arc<Mutex<ConnectionState>>>) -> ConnectionSlot {
        let (id, evicted, now) = (self.next_sequence(), CancellationToken::new(), Instant::now());
        let state = Arc::new(Mutex::new(ConnectionState {
            active_requests: 0,
            body_since: None,
            idle_sequence: id,
            unsent_bytes: 0,
            unsent_since: now,
            last_progress: now,
            evicted: evicted.clone(),
        }));
        table.insert(id, Arc::clone(&state));
        ConnectionSlot { limiter: Arc::clone(self), id, state, evicted, is_write_blocked: AtomicBool::new(false) }
    }

    fn next_sequence(&self) -> u64 {
        self.last_sequence.fetch_add(1, Ordering::Relaxed) + 1
    }
}

fn lock<T>(state: &Mutex<T>) -> MutexGuard<'_, T> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ConnectionState {
    /// Whether it has a request whose body is there.
    const fn has_whole_request(&self) -> bool {
        self.active_requests > 0 && self.body_since.is_none()
    }

    fn is_slow_to_arrive(&self) -> bool {
        self.body_since.is_some_and(|since| since.elapsed() >= CONTENDED_BODY_TIMEOUT)
    }
}

impl ConnectionSlot {
    /// Notes that the body of its request is waited for, until the result is dropped.
    pub(super) fn begin_receiving(&self) -> ReceivingBody<'_> {
        lock(&self.state).body_since = Some(Instant::now());
        ReceivingBody(self)
    }

    /// Returns the unsent bytes of its reply.
    pub(super) fn unsent_bytes(&self) -> usize {
        lock(&self.state).unsent_bytes
    }

    pub(super) fn set_write_blocked(&self, is_blocked: bool) {
        self.is_write_blocked.store(is_blocked, Ordering::Relaxed);
    }

    /// Whether it has no request, and its client nothing to take.
    pub(super) fn is_idle(&self) -> bool {
        lock(&self.state).active_requests == 0 && !self.is_write_blocked.load(Ordering::Relaxed)
    }

    /// Whether it has a whole request, and no unsent bytes.
    pub(super) fn has_unanswered_request(&self) -> bool {
        let state = lock(&self.state);
        state.has_whole_request() && state.unsent_bytes == 0
    }
}

impl Drop for ReceivingBody<'_> {
    fn drop(&mut self) {
        lock(&self.0.state).body_since = None;
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        lock(&self.limiter.connections).remove(&self.id);
        self.limiter.slot_freed.notify_one();
    }
}

impl ActiveRequest {
    pub(super) fn begin(slot: &Arc<ConnectionSlot>) -> Self {
        let mut state = lock(&slot.state);
        state.active_requests += 1;
        // The connection is busy again, so that another one must be evicted.
        if state.evicted.is_cancelled() {
            slot.limiter.slot_freed.notify_one();
        }
        drop(state);
        Self(Arc::clone(slot))
    }

    /// Sets the unsent bytes of the reply.
    pub(super) fn set_unsent(&self, bytes: usize) {
        let mut state = lock(&self.0.state);
        if bytes == state.unsent_bytes {
            return;
        }
        let now = Instant::now();
        if state.unsent_bytes == 0 {
            state.unsent_since = now;
        }
        (state.unsent_bytes, state.last_progress) = (bytes, now);
    }
}

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        state.active_requests = state.active_requests.saturating_sub(1);
        (state.idle_sequence, state.unsent_bytes, state.body_since) = (self.0.limiter.next_sequence(), 0, None);
        drop(state);
        // The connection may be evicted now.
        self.0.limiter.slot_freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    #[test]
    fn evicts_next_idle_when_victim_becomes_busy() {
        // The wait for a slot has a timer.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let _runtime = runtime.enter();
        let (limiter, mut context) = (Arc::new(ConnectionLimiter::default()), Context::from_waker(Waker::noop()));
        let mut take = |limiter: &Arc<ConnectionLimiter>| match pin!(limiter.acquire(2)).poll(&mut context) {
            Poll::Ready(slot) => Arc::new(slot),
            Poll::Pending => panic!("a slot is free"),
        };
        let (first, second) = (take(&limiter), take(&limiter));
        let mut third = pin!(limiter.acquire(2));
        assert!(third.as_mut().poll(&mut context).is_pending());
        assert_eq!((first.evicted.is_cancelled(), second.evicted.is_cancelled()), (true, false));
        let _busy = ActiveRequest::begin(&first);
        assert!(first.has_unanswered_request());
        assert!(third.as_mut().poll(&mut context).is_pending());
        assert!(second.evicted.is_cancelled());
        drop(second);
        assert!(third.as_mut().poll(&mut context).is_ready());
    }
}
