//! Single files of the server, compiled against the locks, counters and threads of a scheduler that draws the order in
//! which threads run.
//!
//! Owns: which files those are, and the little of their surroundings that they need.
//! Never: changes a line of them. They take their locks from `crate::sync`, which is the standard library's elsewhere.

#![expect(dead_code, reason = "a model uses a part of each file")]

// What the files import from the crate of services.
extern crate self as wardroom_service;

#[path = "../../../host/crates/base/src/activity.rs"]
mod activity;
#[path = "../../../host/crates/base/src/byte_size.rs"]
mod byte_size;
#[path = "../../../host/crates/base/src/memory.rs"]
mod memory;
#[path = "../../../host/crates/base/src/permits.rs"]
mod permits;
#[path = "../../../host/crates/base/src/truncate.rs"]
mod truncate;

pub mod models;
pub mod runs;

mod sync {
    pub(crate) use shuttle::sync::*;

    pub(crate) mod thread {
        pub(crate) use shuttle::thread::{spawn, yield_now};

        /// Lets other threads run: a thread that only sleeps would keep its turn.
        pub(crate) fn sleep(_: std::time::Duration) {
            yield_now();
        }
    }
}

/// The bounds of the run table, smaller than the server's, so that few threads reach them.
mod limits {
    use std::time::Duration;

    pub(crate) const MAX_ACTIVE_RUNS: usize = 2;
    pub(crate) const MAX_ACTIVE_RUNS_PER_OWNER: usize = 1;
    pub(crate) const MAX_TRACKED_RUNS: usize = 2;
    pub(crate) const MAX_WARM_RUN_PROCESSES: usize = 1;
    pub(crate) const RUN_CLAIM_TIMEOUT: Duration = Duration::from_secs(60);
    pub(crate) const RUN_EVICTION_TIMEOUT: Duration = Duration::from_secs(60);
    pub(crate) const RUN_SLOT_POLL_INTERVAL: Duration = Duration::from_millis(1);
    pub(crate) const RUN_SLOT_TIMEOUT: Duration = Duration::from_secs(60);
    pub(crate) const RUN_STEP_TIMEOUT: Duration = Duration::from_secs(60);
}

mod session_owner {
    /// The part of an id before its point.
    pub(crate) fn owner_tag(id: &str) -> Option<&str> {
        id.split_once('.').map(|(tag, _)| tag)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Owner {
    Operator,
    Token(&'static str),
}

impl Owner {
    fn tag(&self) -> Option<String> {
        match self {
            Self::Operator => None,
            Self::Token(name) => Some((*name).to_owned()),
        }
    }
}

#[derive(Debug)]
pub struct RequestInfo {
    caller: Caller,
    cancellation: Cancellation,
}

#[derive(Debug)]
struct Caller {
    owner: Owner,
}

#[derive(Debug)]
struct Cancellation;

impl Cancellation {
    const fn is_cancelled(&self) -> bool {
        false
    }
}
