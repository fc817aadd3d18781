//! Large documents: answered a few at a time, and only after the client has read most of what was sent to it.
//!
//! Owns: the permits, each held until its answer is encoded and its work has ended, and the threads for that work. They
//! are a fixed few, because the allocator keeps for each thread the memory that it once needed.
//! Never: blocks the protocol's thread or a worker; only the request waits.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use rmcp::model::ErrorData;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::backpressure::Backpressure;
use super::error;
use crate::limits::MAX_CONCURRENT_LARGE_RESPONSES;

type LargeJob = Box<dyn FnOnce() + Send>;

pub(super) struct LargeResponseQueue {
    permits: Arc<Semaphore>,
    waiting_count: AtomicUsize,
    job_sender: OnceLock<Sender<LargeJob>>,
}

impl LargeResponseQueue {
    pub(super) fn new() -> Self {
        Self {
            permits: Arc::new(Semaphore::new(MAX_CONCURRENT_LARGE_RESPONSES)),
            waiting_count: AtomicUsize::new(0),
            job_sender: OnceLock::new(),
        }
    }

    /// Runs `work` with a permit, for the request with this token. rmcp cancels that token when it passes the
    /// answer to the transport, which encodes it in the same step. Returns `None` when the work panicked.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        token: &CancellationToken,
        backpressure: Option<&dyn Backpressure>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<Option<T>, ErrorData> {
        let permit = async { Arc::clone(&self.permits).acquire_owned().await.ok() };
        let admission = async {
            let Some(backpressure) = backpressure else { return Ok(permit.await) };
            let _waiting = LargeQueueTicket::try_enter(&self.waiting_count, backpressure.max_waiting())?;
            // One timeout covers both waits, because a request that waits for buffer space still holds a permit.
            let admission = async {
                let permit = permit.await;
                backpressure.wait_for_capacity().await;
                permit
            };
            match backpressure.admission_timeout() {
                None => Ok(admission.await),
                Some(limit) => timeout(limit, admission)
                    .await
                    .map_err(|_| error::busy("other clients have not read their answers yet: try again later")),
            }
        };
        let permit = Arc::new(token.run_until_cancelled(admission).await.ok_or_else(error::cancelled)??);
        release_on_cancel(token.clone(), Arc::clone(&permit));
        let (done, result) = oneshot::channel();
        let job = move || {
            // A cancelled request has dropped the receiver.
            drop(done.send(catch_unwind(AssertUnwindSafe(work)).ok()));
            drop(permit);
        };
        // If no thread could be started, the job is dropped, and `result` fails.
        drop(self.job_sender.get_or_init(start_threads).send(Box::new(job)));
        let result = token.run_until_cancelled(result).await.ok_or_else(error::cancelled)?;
        Ok(result.ok().flatten())
    }
}

/// Counts a waiting request until this is dropped.
struct LargeQueueTicket<'l>(&'l AtomicUsize);

impl<'l> LargeQueueTicket<'l> {
    fn try_enter(waiting: &'l AtomicUsize, max: usize) -> Result<Self, ErrorData> {
        let this = Self(waiting);
        if waiting.fetch_add(1, Ordering::Relaxed) < max {
            return Ok(this);
        }
        drop(this);
        Err(error::busy("too many requests wait to make a large answer: try again later".to_owned()))
    }
}

impl Drop for LargeQueueTicket<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[expect(clippy::disallowed_methods, reason = "the task ends with its request and is not waited for")]
fn release_on_cancel(token: CancellationToken, permit: Arc<Option<OwnedSemaphorePermit>>) {
    drop(tokio::spawn(async move {
        token.cancelled().await;
        drop(permit);
    }));
}

/// Starts the threads. They end when the sender is dropped.
fn start_threads() -> Sender<LargeJob> {
    let (jobs, waiting) = channel();
    let waiting = Arc::new(Mutex::new(waiting));
    for _ in 0..MAX_CONCURRENT_LARGE_RESPONSES {
        let waiting = Arc::clone(&waiting);
        if let Err(error) = thread::Builder::new().name("large".into()).spawn(move || run_jobs(&waiting)) {
            tracing::error!(%error, "cannot start a thread for large responses");
        }
    }
    jobs
}

fn run_jobs(waiting: &Mutex<Receiver<LargeJob>>) {
    loop {
        let job = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else { return };
        job();
    }
}
