//! The run table, and the little of a run that it touches.
//!
//! Owns: a run that only counts its processes.
//! Never: starts a process.

pub mod models;
#[path = "../../../../host/crates/alc/src/runs/run_table.rs"]
mod run_table;

pub(crate) mod context {
    pub(crate) trait IdleRuns {
        fn evict_idle(&self);
    }
}

pub(crate) mod live_status {
    #[derive(Debug, Default)]
    pub(crate) struct LiveStatus;

    impl LiveStatus {
        pub(crate) const fn trim(&self) {}
    }
}

pub(crate) mod run {
    use super::live_status::LiveStatus;
    use crate::sync::Arc;
    use crate::sync::atomic::{AtomicUsize, Ordering};

    /// A run with its worker processes, of which `alive` counts those that exist.
    pub(crate) struct Run {
        pub(crate) shared: Shared,
        alive: Arc<AtomicUsize>,
    }

    pub(crate) struct Shared {
        pub(crate) journal: Journal,
    }

    impl Shared {
        pub(crate) const fn lock_status(&self) -> LiveStatus {
            LiveStatus
        }
    }

    pub(crate) struct Journal;

    impl Journal {
        pub(crate) const fn unlock(&mut self) -> Result<(), std::fmt::Error> {
            Ok(())
        }

        pub(crate) const fn len_on_disk(&self) -> Option<u64> {
            None
        }
    }

    impl Run {
        pub(crate) fn start(alive: &Arc<AtomicUsize>) -> Self {
            alive.fetch_add(1, Ordering::SeqCst);
            Self { shared: Shared { journal: Journal }, alive: Arc::clone(alive) }
        }

        pub(crate) const fn process_count(&self) -> usize {
            1
        }

        pub(crate) const fn is_computing(&self) -> bool {
            false
        }

        pub(crate) const fn exceeds_limits(&self) -> bool {
            false
        }

        pub(crate) const fn record_spent_time(&mut self) -> Result<(), std::fmt::Error> {
            Ok(())
        }
    }

    impl Drop for Run {
        fn drop(&mut self) {
            self.alive.fetch_sub(1, Ordering::SeqCst);
        }
    }
}
