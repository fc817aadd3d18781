//! The connections of a server, of all its listeners together.
//!
//! Owns: their number, and which of them is evicted for another one.
//! Never: evicts a connection with a request to free a slot: an idle one is evicted, and a stalled one only to free
//! bytes.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::limits::CONTENDED_WRITE_STALL_TIMEOUT;

#[derive(Default)]
pub(super) struct ConnectionLimiter {
    slots: Mutex<SlotTable>,
    slot_freed: Notify,
}

#[derive(Default)]
struct SlotTable {
    last_sequence: u64,
    connections: BTreeMap<u64, ConnectionState>,
}

/// One connection.
struct ConnectionState {
    /// Its open requests.
    active_requests: usize,
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
    /// Those with unsent bytes for a while.
    AnyUnsent,
    /// Those that took none of them for a while.
    NoProgress,
}

/// The slot of a connection, until this is dropped.
pub(super) struct ConnectionSlot {
    limiter: Arc<ConnectionLimiter>,
    id: u64,
    /// Cancelled when the connection is to end.
    pub(super) evicted: CancellationToken,
    /// The socket does not accept what was written.
    is_write_blocked: AtomicBool,
}

/// A request of a connection, until its reply was taken.
pub(super) struct ActiveRequest(Arc<ConnectionSlot>);

impl ConnectionLimiter {
    /// Waits for a slot. If all are taken, the connection that has been idle longest is evicted.
    pub(super) async fn acquire(self: &Arc<Self>, most: usize) -> ConnectionSlot {
        loop {
            let freed = self.slot_freed.notified();
            {
                let mut taken = self.lock();
                if taken.connections.len() < most {
                    return self.insert_slot(&mut taken);
                }
                // An evicted connection is about to end, unless it got a request in the same moment.
                if !taken.connections.values().any(|place| place.evicted.is_cancelled() && place.active_requests == 0) {
                    let idle = taken.connections.values().filter(|place| place.active_requests == 0);
                    idle.min_by_key(|place| place.idle_sequence)
                        .into_iter()
                        .for_each(|longest| longest.evicted.cancel());
                }
            }
            freed.await;
        }
    }

    /// Closes stalled connections, those with most unsent bytes first, until `bytes` are free.
    pub(super) fn evict_stalled(&self, mut bytes: usize, slow: StallPolicy) {
        let taken = self.lock();
        let since = |place: &ConnectionState| match slow {
            StallPolicy::AnyUnsent => place.unsent_since,
            StallPolicy::NoProgress => place.last_progress,
        };
        let is_slow = |place: &&ConnectionState| {
            place.unsent_bytes > 0 && since(place).elapsed() >= CONTENDED_WRITE_STALL_TIMEOUT
        };
        let mut slow: Vec<_> =
            taken.connections.values().filter(is_slow).filter(|place| !place.evicted.is_cancelled()).collect();
        slow.sort_unstable_by_key(|place| Reverse(place.unsent_bytes));
        for place in slow {
            if bytes == 0 {
                return;
            }
            tracing::warn!(
                bytes = place.unsent_bytes,
                "ended a connection whose answer is not taken, since others wait for it"
            );
            place.evicted.cancel();
            bytes = bytes.saturating_sub(place.unsent_bytes);
        }
    }

    fn insert_slot(self: &Arc<Self>, taken: &mut SlotTable) -> ConnectionSlot {
        taken.last_sequence += 1;
        let (number, end) = (taken.last_sequence, CancellationToken::new());
        let now = Instant::now();
        let place = ConnectionState {
            active_requests: 0,
            idle_sequence: number,
            unsent_bytes: 0,
            unsent_since: now,
            last_progress: now,
            evicted: end.clone(),
        };
        taken.connections.insert(number, place);
        ConnectionSlot { limiter: Arc::clone(self), id: number, evicted: end, is_write_blocked: AtomicBool::new(false) }
    }

    fn lock(&self) -> MutexGuard<'_, SlotTable> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConnectionSlot {
    /// Returns the unsent bytes of its reply.
    pub(super) fn unsent_bytes(&self) -> usize {
        self.limiter.lock().connections.get(&self.id).map_or(0, |place| place.unsent_bytes)
    }

    pub(super) fn set_write_blocked(&self, waits: bool) {
        self.is_write_blocked.store(waits, Ordering::Relaxed);
    }

    /// Whether it has no request, and its client nothing to take.
    pub(super) fn is_idle(&self) -> bool {
        let is_busy = self.limiter.lock().connections.get(&self.id).is_some_and(|place| place.active_requests > 0);
        !is_busy && !self.is_write_blocked.load(Ordering::Relaxed)
    }

    /// Whether it has a request, and no unsent bytes.
    pub(super) fn has_unanswered_request(&self) -> bool {
        self.limiter
            .lock()
            .connections
            .get(&self.id)
            .is_some_and(|place| place.active_requests > 0 && place.unsent_bytes == 0)
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.limiter.lock().connections.remove(&self.id);
        self.limiter.slot_freed.notify_one();
    }
}

impl ActiveRequest {
    pub(super) fn begin(seat: &Arc<ConnectionSlot>) -> Self {
        if let Some(place) = seat.limiter.lock().connections.get_mut(&seat.id) {
            place.active_requests += 1;
            // The connection is busy again, so that another one must be evicted.
            if place.evicted.is_cancelled() {
                seat.limiter.slot_freed.notify_one();
            }
        }
        Self(Arc::clone(seat))
    }

    /// Sets the unsent bytes of the reply.
    pub(super) fn set_unsent(&self, bytes: usize) {
        if let Some(place) = self.0.limiter.lock().connections.get_mut(&self.0.id) {
            let now = Instant::now();
            if place.unsent_bytes == 0 {
                place.unsent_since = now;
            }
            (place.unsent_bytes, place.last_progress) = (bytes, now);
        }
    }
}

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        let mut taken = self.0.limiter.lock();
        taken.last_sequence += 1;
        let now = taken.last_sequence;
        if let Some(place) = taken.connections.get_mut(&self.0.id) {
            (place.active_requests, place.idle_sequence, place.unsent_bytes) =
                (place.active_requests.saturating_sub(1), now, 0);
        }
        drop(taken);
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
    fn one_that_gets_a_request_as_it_should_go_stays_and_another_one_goes() {
        let (seats, mut context) = (Arc::new(ConnectionLimiter::default()), Context::from_waker(Waker::noop()));
        let mut take = |seats: &Arc<ConnectionLimiter>| match pin!(seats.acquire(2)).poll(&mut context) {
            Poll::Ready(seat) => Arc::new(seat),
            Poll::Pending => panic!("there is room"),
        };
        let (first, second) = (take(&seats), take(&seats));
        let mut third = pin!(seats.acquire(2));
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
