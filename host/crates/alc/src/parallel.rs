//! Parallel work on many items, on a few scoped threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::limits::MAX_THREADS_PER_CALL;

/// Applies `work` to each item; `None` for items not started before `stop` was true.
pub(super) fn map_items<T: Sync, R: Send>(
    items: &[T],
    stop: &(impl Fn() -> bool + Sync + ?Sized),
    work: impl Fn(&T) -> R + Sync,
) -> Vec<Option<R>> {
    let next = AtomicUsize::new(0);
    let run = || {
        let mut done = Vec::new();
        while !stop() {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { break };
            done.push((at, work(item)));
        }
        done
    };
    let mut results: Vec<Option<R>> = Vec::new();
    results.resize_with(items.len(), || None);
    let done = thread::scope(|scope| {
        let more = MAX_THREADS_PER_CALL.min(items.len()).saturating_sub(1);
        // If no thread can be spawned, this thread does all the work.
        let spawned = |_| thread::Builder::new().spawn_scoped(scope, run).ok();
        let others: Vec<_> = (0..more).filter_map(spawned).collect();
        let mut done = run();
        for other in others {
            done.extend(other.join().unwrap_or_default());
        }
        done
    });
    for (at, result) in done {
        if let Some(slot) = results.get_mut(at) {
            *slot = Some(result);
        }
    }
    results
}
