//! The connections of a server, of all its listeners together.
//!
//! Owns: their number, and which of them is evicted for another one.
//! Never: evicts a connection for a slot while its request is answered, or its client takes the reply: an idle one is evicted,
//! or one whose request takes long to arrive, or whose client takes nothing.

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
    /// The socket does not accept what was written.
    is_write_blocked: bool,
    evicted: CancellationToken,
    /// It had a request when it was evicted, and ends after that.
    has_declined_eviction: bool,
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
    /// As the state's, without its lock.
    is_write_blocked: AtomicBool,
}

/// The wait of a connection for the rest of a body.
pub(super) struct ReceivingBody<'a>(&'a ConnectionSlot);

/// A request of a connection, until its reply was taken.
pub(super) struct ActiveRequest(Arc<ConnectionSlot>);

impl ConnectionLimiter {
    /// Waits for a slot. If all are taken, the connection that has been idle longest is evicted, or else the one that is slowest
    /// to send its request, or else to take its reply.
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
                let is_about_to_end = |state: &MutexGuard<'_, ConnectionState>| {
                    state.evicted.is_cancelled() && !state.has_declined_eviction
                };
                if !connections.iter().any(is_about_to_end) {
                    let others = || connections.iter().filter(|state| !state.evicted.is_cancelled());
                    let slow = || others().filter(|state| state.is_slow_to_arrive());
                    let stalled = || others().filter(|state| state.is_stalled_since(state.last_progress));
                    let longest = others().filter(|state| state.is_idle()).min_by_key(|state| state.idle_sequence);
                    let longest = longest.or_else(|| slow().min_by_key(|state| state.body_since));
                    let longest = longest.or_else(|| stalled().min_by_key(|state| state.last_progress));
                    longest.into_iter().for_each(|longest| longest.evicted.cancel());
                }
            }
            // A body may become slow meanwhile, or a client stall.
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
        let is_stalled =
            |state: &&MutexGuard<'_, ConnectionState>| state.unsent_bytes > 0 && state.is_stalled_since(since(state));
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
            is_write_blocked: false,
            evicted: evicted.clone(),
            has_declined_eviction: false,
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

    /// Whether it has a whole request, and no unsent bytes.
    const fn has_unanswered_request(&self) -> bool {
        self.has_whole_request() && self.unsent_bytes == 0
    }

    /// Whether it has no request, and its client nothing to take.
    const fn is_idle(&self) -> bool {
        self.active_requests == 0 && !self.is_write_blocked
    }

    /// Whether its client has something to take, and this moment is long ago.
    fn is_stalled_since(&self, since: Instant) -> bool {
        (self.unsent_bytes > 0 || self.is_write_blocked) && since.elapsed() >= CONTENDED_WRITE_STALL_TIMEOUT
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
        if self.is_write_blocked.swap(is_blocked, Ordering::Relaxed) == is_blocked {
            return;
        }
        let mut state = lock(&self.state);
        state.is_write_blocked = is_blocked;
        if is_blocked && state.unsent_bytes == 0 {
            state.last_progress = Instant::now();
        }
    }

    /// Notes that the client took bytes.
    pub(super) fn note_progress(&self) {
        if self.is_write_blocked.load(Ordering::Relaxed) {
            lock(&self.state).last_progress = Instant::now();
        }
    }

    /// Whether it has no request, and its client nothing to take.
    pub(super) fn is_idle(&self) -> bool {
        lock(&self.state).is_idle()
    }

    /// Notes that it was evicted while it had a request, and ends after that: another one is evicted for the one that waits.
    pub(super) fn decline_eviction(&self) {
        lock(&self.state).has_declined_eviction = true;
        self.limiter.slot_freed.notify_one();
    }

    /// Whether it has a whole request, and no unsent bytes.
    pub(super) fn has_unanswered_request(&self) -> bool {
        lock(&self.state).has_unanswered_request()
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
        lock(&slot.state).active_requests += 1;
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
    use std::time::Duration;

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
        let busy = ActiveRequest::begin(&first);
        assert!(first.has_unanswered_request());
        first.decline_eviction();
        // Also while its reply is taken.
        busy.set_unsent(1);
        assert!(third.as_mut().poll(&mut context).is_pending());
        assert!(second.evicted.is_cancelled());
        drop(second);
        assert!(third.as_mut().poll(&mut context).is_ready());
    }

    #[test]
    fn evicts_stalled_connection_where_none_is_idle() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let _runtime = runtime.enter();
        let (limiter, mut context) = (Arc::new(ConnectionLimiter::default()), Context::from_waker(Waker::noop()));
        let mut take = |limiter: &Arc<ConnectionLimiter>| match pin!(limiter.acquire(4)).poll(&mut context) {
            Poll::Ready(slot) => Arc::new(slot),
            Poll::Pending => panic!("a slot is free"),
        };
        let slots = [(); 4].map(|()| take(&limiter));
        let requests = slots.each_ref().map(ActiveRequest::begin);
        // The first request is not answered yet, the client of the second one takes bytes, the others take none.
        for (request, seconds) in requests.iter().zip([0, 0, 3, 4]).skip(1) {
            request.set_unsent(1);
            lock(&request.0.state).last_progress = Instant::now().checked_sub(Duration::from_secs(seconds)).unwrap();
        }
        let mut next = pin!(limiter.acquire(4));
        // One is evicted for one that waits.
        for _ in 0..2 {
            assert!(next.as_mut().poll(&mut context).is_pending());
            assert_eq!(slots.each_ref().map(|slot| slot.evicted.is_cancelled()), [false, false, false, true]);
            limiter.slot_freed.notify_one();
        }
        slots[3].decline_eviction();
        assert!(next.as_mut().poll(&mut context).is_pending());
        assert_eq!(slots.each_ref().map(|slot| slot.evicted.is_cancelled()), [false, false, true, true]);
    }
}
