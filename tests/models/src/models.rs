//! What must hold in every order of the threads' steps.
//!
//! Owns: the threads of each model, and how many orders are drawn.
//! Never: waits for real time.

use std::time::Duration;

use crate::activity::Activity;
use crate::memory::{MemoryHolder, MemoryShare};
use crate::permits::{SharedPermits, ThreadPermits};
use crate::sync::Arc;
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::thread;

/// The orders of steps that are drawn for each model.
const ORDERS: usize = 20_000;

pub(crate) const ALWAYS: Duration = Duration::from_secs(3600);

/// Draws orders: half of them uniformly, half with few changes of the thread, which finds what needs a rare one.
pub(crate) fn draw(model: impl Fn() + Clone + Send + Sync + 'static) {
    shuttle::check_random(model.clone(), ORDERS / 2);
    shuttle::check_pct(model, ORDERS / 2, 3);
}

/// No sum of leases is above its limit, and all bytes come back.
pub fn memory_leases_stay_within_limits() {
    draw(|| {
        let budget = MemoryShare::budget(100);
        let caller = budget.share(MemoryHolder::Caller, 80);
        let threads = [60, 50, 40].map(|bytes| {
            let (budget, run) = (budget.clone(), caller.share(MemoryHolder::Run, 70));
            thread::spawn(move || {
                if let Ok(mut lease) = run.lease(bytes) {
                    assert!(budget.used() <= 100, "{} bytes of 100 are taken", budget.used());
                    let _ = lease.resize(bytes + 10);
                    assert!(run.used() <= 70 && budget.used() <= 100);
                    let _ = lease.resize(5);
                }
            })
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!((budget.used(), caller.used()), (0, 0), "bytes that no lease has");
        assert!(budget.peak() <= 100);
    });
}

/// A thread that waits for the ledger to change is woken by each change of some MiB.
pub fn memory_change_wakes_waiter() {
    draw(|| {
        let budget = MemoryShare::budget(usize::MAX);
        let watched = budget.clone();
        let waiter = thread::spawn(move || {
            let mut seen = 0;
            while seen < 4 {
                seen = watched.wait_for_change(seen);
            }
        });
        let threads = [2 << 20, 3 << 20].map(|bytes| {
            let share = budget.share(MemoryHolder::Run, usize::MAX);
            thread::spawn(move || drop(share.lease(bytes)))
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        waiter.join().unwrap();
    });
}

/// As many threads hold permits as there are, and every waiting thread gets one.
pub fn permits_are_never_exceeded_or_lost() {
    draw(|| {
        let (permits, held) = (Arc::new(ThreadPermits::new(2)), Arc::new(AtomicUsize::new(0)));
        let threads = [(); 4].map(|()| {
            let (permits, held) = (Arc::clone(&permits), Arc::clone(&held));
            thread::spawn(move || {
                let permit = permits.acquire(ALWAYS).unwrap();
                assert!(held.fetch_add(1, Ordering::SeqCst) < 2, "more permits than there are");
                thread::yield_now();
                held.fetch_sub(1, Ordering::SeqCst);
                drop(permit);
            })
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert!(permits.acquire(ALWAYS).is_some());
    });
}

/// No caller holds more than its share, and every waiting thread gets a permit.
pub fn shared_permits_are_left_to_others() {
    draw(|| {
        let (permits, held) = (Arc::new(SharedPermits::new(2)), Arc::new(AtomicUsize::new(0)));
        let threads = ["one", "one", "other"].map(|caller| {
            let (permits, held) = (Arc::clone(&permits), Arc::clone(&held));
            thread::spawn(move || {
                let permit = permits.acquire(Some(caller), ALWAYS).unwrap();
                if caller == "one" {
                    assert_eq!(held.fetch_add(1, Ordering::SeqCst), 0, "a caller has more than its share");
                    thread::yield_now();
                    held.fetch_sub(1, Ordering::SeqCst);
                }
                drop(permit);
            })
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert!(permits.acquire(Some("one"), Duration::ZERO).is_some());
    });
}

/// A thread that waits for a request is woken by the next one, and returns the number of all so far.
pub fn request_wakes_waiter() {
    draw(|| {
        let activity = Activity::default();
        let watched = activity.clone();
        let waiter = thread::spawn(move || {
            let mut seen = 0;
            while seen < 4 {
                seen = watched.wait_for_request(seen);
            }
        });
        let threads = [1, 3].map(|count| {
            let activity = activity.clone();
            thread::spawn(move || (0..count).for_each(|_| activity.count_request()))
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        waiter.join().unwrap();
        assert_eq!(activity.request_count(), 4);
    });
}
