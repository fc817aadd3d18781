//! The connections of a server, of all its listeners together.
//!
//! Owns: how many there are, and which of them makes room for another one.
//! Never: ends one that has a request, as long as another one waits for nothing but its client.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use wardroom_base::limits::HOLD_UP_TIME;

#[derive(Default)]
pub(super) struct Seats {
    taken: Mutex<Taken>,
    freed: Notify,
}

#[derive(Default)]
struct Taken {
    last: u64,
    seats: BTreeMap<u64, Place>,
}

/// One connection.
struct Place {
    /// Requests that it has open.
    busy: usize,
    /// Grows with each end of a request: the least of those that idle has idled longest.
    since: u64,
    /// What is left of its reply to be taken, in bytes, since when, and when some of it was.
    left: usize,
    since_left: Instant,
    last_taken: Instant,
    end: CancellationToken,
}

/// Which clients are slow.
#[derive(Clone, Copy)]
pub(super) enum Slow {
    /// There is something left for them.
    AnyLeft,
    /// They take none of it.
    NoneTaken,
}

/// A connection's place, until this is dropped.
pub(super) struct Seat {
    seats: Arc<Seats>,
    number: u64,
    /// Set when another one needs the place more.
    pub(super) end: CancellationToken,
    /// Its client does not take what was written for it.
    waits_for_client: AtomicBool,
}

/// A request of a connection, until its reply was taken.
pub(super) struct Busy(Arc<Seat>);

impl Seats {
    /// A place, when there is one. Where all are taken, the connection that has waited longest for its client loses its own.
    pub(super) async fn take(self: &Arc<Self>, most: usize) -> Seat {
        loop {
            let freed = self.freed.notified();
            {
                let mut taken = self.taken();
                if taken.seats.len() < most {
                    return self.seat(&mut taken);
                }
                // One that was told to go is about to, unless it got a request in the same moment.
                if !taken.seats.values().any(|place| place.end.is_cancelled() && place.busy == 0) {
                    let idle = taken.seats.values().filter(|place| place.busy == 0);
                    idle.min_by_key(|place| place.since).into_iter().for_each(|longest| longest.end.cancel());
                }
            }
            freed.await;
        }
    }

    /// Ends those connections that have most to take and are so slow for long, until so many bytes are free.
    pub(super) fn shed(&self, mut bytes: usize, slow: Slow) {
        let taken = self.taken();
        let since = |place: &Place| match slow {
            Slow::AnyLeft => place.since_left,
            Slow::NoneTaken => place.last_taken,
        };
        let is_slow = |place: &&Place| place.left > 0 && since(place).elapsed() >= HOLD_UP_TIME;
        let mut slow: Vec<_> = taken.seats.values().filter(is_slow).filter(|place| !place.end.is_cancelled()).collect();
        slow.sort_unstable_by_key(|place| Reverse(place.left));
        for place in slow {
            if bytes == 0 {
                return;
            }
            tracing::warn!(
                bytes = place.left,
                "ended a connection whose answer is not taken, since others wait for it"
            );
            place.end.cancel();
            bytes = bytes.saturating_sub(place.left);
        }
    }

    fn seat(self: &Arc<Self>, taken: &mut Taken) -> Seat {
        taken.last += 1;
        let (number, end) = (taken.last, CancellationToken::new());
        let now = Instant::now();
        let place = Place { busy: 0, since: number, left: 0, since_left: now, last_taken: now, end: end.clone() };
        taken.seats.insert(number, place);
        Seat { seats: Arc::clone(self), number, end, waits_for_client: AtomicBool::new(false) }
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    /// What is left of its reply to be written.
    pub(super) fn left(&self) -> usize {
        self.seats.taken().seats.get(&self.number).map_or(0, |place| place.left)
    }

    pub(super) fn wait_for_client(&self, waits: bool) {
        self.waits_for_client.store(waits, Ordering::Relaxed);
    }

    /// Whether it has neither a request nor anything for its client to take.
    pub(super) fn is_idle(&self) -> bool {
        let is_busy = self.seats.taken().seats.get(&self.number).is_some_and(|place| place.busy > 0);
        !is_busy && !self.waits_for_client.load(Ordering::Relaxed)
    }

    /// Whether it has a request after all whose reply its client takes.
    pub(super) fn has_request(&self) -> bool {
        self.seats.taken().seats.get(&self.number).is_some_and(|place| place.busy > 0 && place.left == 0)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.seats.taken().seats.remove(&self.number);
        self.seats.freed.notify_one();
    }
}

impl Busy {
    pub(super) fn begin(seat: &Arc<Seat>) -> Self {
        if let Some(place) = seat.seats.taken().seats.get_mut(&seat.number) {
            place.busy += 1;
            // Whoever waits for this place looks for another one.
            if place.end.is_cancelled() {
                seat.seats.freed.notify_one();
            }
        }
        Self(Arc::clone(seat))
    }

    /// So much of the reply is left.
    pub(super) fn left(&self, bytes: usize) {
        if let Some(place) = self.0.seats.taken().seats.get_mut(&self.0.number) {
            let now = Instant::now();
            if place.left == 0 {
                place.since_left = now;
            }
            (place.left, place.last_taken) = (bytes, now);
        }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let mut taken = self.0.seats.taken();
        taken.last += 1;
        let now = taken.last;
        if let Some(place) = taken.seats.get_mut(&self.0.number) {
            (place.busy, place.since, place.left) = (place.busy.saturating_sub(1), now, 0);
        }
        drop(taken);
        // Whoever waits may have it now.
        self.0.seats.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    #[test]
    fn one_that_gets_a_request_as_it_should_go_stays_and_another_one_goes() {
        let (seats, mut context) = (Arc::new(Seats::default()), Context::from_waker(Waker::noop()));
        let mut take = |seats: &Arc<Seats>| match pin!(seats.take(2)).poll(&mut context) {
            Poll::Ready(seat) => Arc::new(seat),
            Poll::Pending => panic!("there is room"),
        };
        let (first, second) = (take(&seats), take(&seats));
        let mut third = pin!(seats.take(2));
        assert!(third.as_mut().poll(&mut context).is_pending());
        assert_eq!((first.end.is_cancelled(), second.end.is_cancelled()), (true, false));
        let _busy = Busy::begin(&first);
        assert!(first.has_request());
        assert!(third.as_mut().poll(&mut context).is_pending());
        assert!(second.end.is_cancelled());
        drop(second);
        assert!(third.as_mut().poll(&mut context).is_ready());
    }
}
