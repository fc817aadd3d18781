//! Why a run is cancelled.
//!
//! Owns: the reasons, and where each is read. `run_table.rs` has the flag of a run that another call cancels.
//! Never: stops anything: the steps of a run ask between two effects.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio_util::sync::CancellationToken;

/// Why a run is cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CancelReason {
    /// The client cancelled the call that executes the run, its connection ended, or the server stops.
    CallCancelled,
    /// Another call cancelled the run.
    RunCancelled,
}

impl fmt::Display for CancelReason {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::CallCancelled => "the call was cancelled",
            Self::RunCancelled => "another call cancelled the run",
        })
    }
}

/// The sources of cancellation of one executing run.
#[derive(Clone, Copy)]
pub(super) struct RunCancellation<'a> {
    pub(super) call: &'a CancellationToken,
    /// Whether another call cancelled the run.
    pub(super) run: &'a AtomicBool,
}

impl RunCancellation<'_> {
    /// Returns why the run is cancelled, if it is.
    pub(super) fn reason(&self) -> Option<CancelReason> {
        if self.run.load(Ordering::Relaxed) {
            return Some(CancelReason::RunCancelled);
        }
        self.call.is_cancelled().then_some(CancelReason::CallCancelled)
    }
}
