//! What a server does at this moment: how many requests reached its services, and the calls that are at work.
//!
//! Owns: the count, and the table of calls, which `wardroom top` shows.
//! Never: keeps a call after its end, or more of it than its name. A request that is answered at once is only counted.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use crate::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use crate::truncate::truncate_text;

/// Bytes of a name that are kept: a client chooses some of them.
const MAX_NAME_BYTES: usize = 256;

/// The requests of a server, of all its callers.
#[derive(Debug, Clone, Default)]
pub struct Activity(Arc<ActivityInner>);

#[derive(Debug, Default)]
struct ActivityInner {
    request_count: AtomicU64,
    calls: Mutex<CallTable>,
    /// Whether a thread waits for the next request.
    is_awaited: AtomicBool,
    awaited: Mutex<()>,
    request_came: Condvar,
}

#[derive(Debug, Default)]
struct CallTable {
    last_number: u64,
    by_number: BTreeMap<u64, (CallName, Instant)>,
}

/// Which call it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallName {
    pub method: &'static str,
    /// The tool, the prompt or the URI.
    pub name: String,
    /// The owner of the call, as records name it.
    pub caller: String,
}

/// A call at work, and for how long it has been.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OngoingCall {
    pub call: CallName,
    pub elapsed: Duration,
}

/// A call in the table, until this is dropped.
#[derive(Debug)]
pub struct CallEntry {
    activity: Activity,
    number: u64,
}

impl CallName {
    #[must_use]
    pub fn new(method: &'static str, name: &str, caller: String) -> Self {
        Self { method, name: truncate_text(name, MAX_NAME_BYTES).into_owned(), caller }
    }
}

impl Activity {
    /// Counts a request.
    pub fn count_request(&self) {
        // Either this thread sees that one waits, or that one sees this request.
        self.0.request_count.fetch_add(1, Ordering::SeqCst);
        if self.0.is_awaited.load(Ordering::SeqCst) {
            self.0.is_awaited.store(false, Ordering::SeqCst);
            drop(self.0.awaited.lock().unwrap_or_else(PoisonError::into_inner));
            self.0.request_came.notify_all();
        }
    }

    /// Adds a call to the table.
    #[must_use]
    pub fn begin_call(&self, call: CallName) -> CallEntry {
        let mut calls = self.lock_calls();
        calls.last_number += 1;
        let number = calls.last_number;
        calls.by_number.insert(number, (call, Instant::now()));
        CallEntry { activity: self.clone(), number }
    }

    /// Returns how many requests were counted.
    #[must_use]
    pub fn request_count(&self) -> u64 {
        self.0.request_count.load(Ordering::SeqCst)
    }

    /// Returns how many calls are at work, and those of them that are the oldest.
    #[must_use]
    pub fn ongoing_calls(&self, max: usize) -> (usize, Vec<OngoingCall>) {
        let calls = self.lock_calls();
        let oldest = calls.by_number.values().take(max);
        let oldest = oldest.map(|(call, began)| OngoingCall { call: call.clone(), elapsed: began.elapsed() });
        (calls.by_number.len(), oldest.collect())
    }

    /// Waits until another number of requests was counted, and returns it. One thread waits at a time.
    #[must_use]
    pub fn wait_for_request(&self, last: u64) -> u64 {
        let mut awaited = self.0.awaited.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            self.0.is_awaited.store(true, Ordering::SeqCst);
            let count = self.request_count();
            if count != last {
                self.0.is_awaited.store(false, Ordering::SeqCst);
                return count;
            }
            awaited = self.0.request_came.wait(awaited).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock_calls(&self) -> MutexGuard<'_, CallTable> {
        self.0.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for CallEntry {
    fn drop(&mut self) {
        self.activity.lock_calls().by_number.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_has_calls_until_they_end_oldest_first() {
        let activity = Activity::default();
        let call = |name: &str| CallName::new("tools/call", name, "operator".to_owned());
        let entries = ["a", "b", "c"].map(|name| activity.begin_call(call(name)));
        let names = |max| {
            let (count, calls) = activity.ongoing_calls(max);
            (count, calls.into_iter().map(|ongoing| ongoing.call.name).collect::<Vec<_>>().concat())
        };
        assert_eq!(names(2), (3, "ab".to_owned()));
        let [_a, b, _c] = entries;
        drop(b);
        assert_eq!(names(9), (2, "ac".to_owned()));
        assert!(call(&"x".repeat(1000)).name.len() <= MAX_NAME_BYTES + "…".len());
    }
}
