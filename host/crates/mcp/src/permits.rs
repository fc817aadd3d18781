//! Permits of a request: each limit that applies to it, held until its work has ended.
//!
//! Owns: the order of acquisition, from the narrowest limit to that of the whole server, so that a request which waits
//! for its caller's permit holds none that others need.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::large_response_queue::LargeResponseShare;
use wardroom_base::memory::MemoryShare;

/// The limits that apply to a kind of request, the narrowest first.
#[derive(Debug, Clone)]
pub(super) struct PermitChain(Vec<Arc<Semaphore>>);

/// One permit of each limit, until it is dropped.
#[derive(Debug)]
pub(super) struct Permits {
    _permits: Vec<OwnedSemaphorePermit>,
}

/// What one caller has of the server at most, so that some is left for others.
pub(super) struct CallerShares {
    /// Requests on worker threads.
    pub(super) workers: Arc<Semaphore>,
    /// Calls that wait for their clients.
    pub(super) input_requests: Arc<Semaphore>,
    pub(super) large_responses: LargeResponseShare,
    pub(super) memory: MemoryShare,
}

impl PermitChain {
    /// Creates the limit of a whole server.
    pub(super) fn new(max: usize) -> Self {
        Self(vec![Arc::new(Semaphore::new(max))])
    }

    /// Returns the same limits after a narrower one.
    pub(super) fn within(&self, narrower: &Arc<Semaphore>) -> Self {
        Self([narrower].into_iter().chain(&self.0).cloned().collect())
    }

    /// Returns a permit of each limit, if all have one left.
    pub(super) fn try_acquire(&self) -> Option<Permits> {
        let permits: Option<_> = self.0.iter().map(|limit| Arc::clone(limit).try_acquire_owned().ok()).collect();
        permits.map(|permits| Permits { _permits: permits })
    }

    /// Waits for a permit of each limit.
    pub(super) async fn acquire(&self) -> Option<Permits> {
        let mut permits = Vec::with_capacity(self.0.len());
        for limit in &self.0 {
            permits.push(Arc::clone(limit).acquire_owned().await.ok()?);
        }
        Some(Permits { _permits: permits })
    }
}
