//! What must hold of the table of runs in every order of the calls' steps.
//!
//! Owns: the calls of each model.
//! Never: waits for real time.

use std::time::Duration;

use super::run::Run;
use super::run_table::{ClaimPurpose, RunTable};
use crate::models::{ALWAYS, draw};
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Arc, thread};
use crate::{Caller, Cancellation, Owner, RequestInfo};

fn of_token(name: &'static str) -> RequestInfo {
    RequestInfo { caller: Caller { owner: Owner::Token(name) }, cancellation: Cancellation }
}

/// One call at a time executes a run, owners stay within their slots, and no paused run keeps workers that are not
/// counted.
pub fn run_table_gives_run_to_one_call() {
    draw(|| {
        let table = Arc::new(RunTable::new(ALWAYS));
        let alive = Arc::new(AtomicUsize::new(0));
        let executing = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let calls = [("a.1", "a", 0), ("a.1", "a", 0), ("a.2", "a", 0), ("b.1", "b", 1)];
        let threads = calls.map(|(id, token, owner)| {
            let (table, alive, executing) = (Arc::clone(&table), Arc::clone(&alive), Arc::clone(&executing));
            thread::spawn(move || {
                let (claim, warm) = table.claim(id, ClaimPurpose::Execute, &of_token(token)).ok().unwrap();
                assert_eq!(executing[owner].fetch_add(1, Ordering::SeqCst), 0, "two calls of one owner execute");
                let run = warm.unwrap_or_else(|| Run::start(&alive));
                thread::yield_now();
                executing[owner].fetch_sub(1, Ordering::SeqCst);
                claim.park(run);
            })
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert!(alive.load(Ordering::SeqCst) <= 1, "more paused runs than may keep workers");
        table.evict_idle(0, |_| true);
        // The newest keeps its workers.
        assert!(alive.load(Ordering::SeqCst) <= 1);
        drop(Arc::into_inner(table));
        assert_eq!(alive.load(Ordering::SeqCst), 0, "workers of a run that the table does not have");
    });
}

/// A call that ends without parking its run leaves it to the next one, whatever an eviction does meanwhile.
pub fn dropped_claim_leaves_run_to_next_call() {
    draw(|| {
        let table = Arc::new(RunTable::new(Duration::ZERO));
        let alive = Arc::new(AtomicUsize::new(0));
        let evictor = {
            let table = Arc::clone(&table);
            thread::spawn(move || table.evict_idle(0, |_| true))
        };
        let threads = [true, false, false].map(|is_parked| {
            let (table, alive) = (Arc::clone(&table), Arc::clone(&alive));
            thread::spawn(move || {
                let (claim, warm) = table.claim("a.1", ClaimPurpose::Execute, &of_token("a")).ok().unwrap();
                let run = warm.unwrap_or_else(|| Run::start(&alive));
                assert_eq!(alive.load(Ordering::SeqCst), 1, "two processes execute one run");
                if is_parked { claim.park(run) } else { drop((run, claim)) }
            })
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        evictor.join().unwrap();
        let claim = table.claim("a.1", ClaimPurpose::Cancel, &of_token("a"));
        assert!(claim.is_ok(), "no call has the run, and it cannot be claimed");
    });
}
