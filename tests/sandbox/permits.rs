//! Counting permits for threads, which bound the instances of the guest.

use std::time::Duration;

use wardroom_base::permits::ThreadPermits;

#[test]
fn acquire_times_out_when_exhausted_and_succeeds_after_release() {
    let permits = ThreadPermits::new(2);
    let (first, second) = (permits.acquire(Duration::ZERO), permits.acquire(Duration::ZERO));
    assert!(first.is_some() && second.is_some());
    assert!(permits.acquire(Duration::from_millis(10)).is_none());
    std::thread::scope(|scope| {
        scope.spawn(|| drop(first));
        assert!(permits.acquire(Duration::from_secs(30)).is_some());
    });
}
