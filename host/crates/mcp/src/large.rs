//! Large documents: answered a few at a time, and not before the client took most of what it was sent.
//!
//! Owns: the permits for that, each held until its answer is encoded and its work has ended, and the threads that do
//! such work: always the same few, since the allocator keeps for each thread what that thread once needed.
//! Never: holds up the protocol's thread or a worker; who waits is the request.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use rmcp::model::ErrorData;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio_util::sync::CancellationToken;

use super::error;
use super::unread::Unread;
use wardroom_base::limits::MAX_LARGE_READS;

type Job = Box<dyn FnOnce() + Send>;

pub(super) struct Large {
    permits: Arc<Semaphore>,
    waiting: AtomicUsize,
    threads: OnceLock<Sender<Job>>,
}

impl Large {
    pub(super) fn new() -> Self {
        Self {
            permits: Arc::new(Semaphore::new(MAX_LARGE_READS)),
            waiting: AtomicUsize::new(0),
            threads: OnceLock::new(),
        }
    }

    /// Runs `work` when its turn comes, for the request whose token is `answered`: rmcp cancels it as it takes the answer
    /// to the transport, which encodes it in the same step. Nothing when the work panicked.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        answered: &CancellationToken,
        unread: Option<&Unread>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<Option<T>, ErrorData> {
        let permit = async { Arc::clone(&self.permits).acquire_owned().await.ok() };
        let turn = async {
            let Some(unread) = unread else { return Ok(permit.await) };
            let _waiting = Waiting::begin(&self.waiting, unread.bound())?;
            // Whoever waits for room holds a permit, for which others wait: one time is for both.
            let turn = async {
                let permit = permit.await;
                unread.has_room().await;
                permit
            };
            unread.wait(turn).await
        };
        let permit = Arc::new(answered.run_until_cancelled(turn).await.ok_or_else(error::cancelled)??);
        release_after(answered.clone(), Arc::clone(&permit));
        let (done, result) = oneshot::channel();
        let job = move || {
            // A request that was taken back has nobody who waits.
            drop(done.send(catch_unwind(AssertUnwindSafe(work)).ok()));
            drop(permit);
        };
        // Without a thread there is no answer.
        drop(self.threads.get_or_init(start).send(Box::new(job)));
        let result = answered.run_until_cancelled(result).await.ok_or_else(error::cancelled)?;
        Ok(result.ok().flatten())
    }
}

/// One of those that wait.
struct Waiting<'l>(&'l AtomicUsize);

impl<'l> Waiting<'l> {
    fn begin(waiting: &'l AtomicUsize, most: usize) -> Result<Self, ErrorData> {
        let this = Self(waiting);
        if waiting.fetch_add(1, Ordering::Relaxed) < most {
            return Ok(this);
        }
        drop(this);
        Err(error::busy("too many large answers are waited for: try again later".to_owned()))
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[expect(clippy::disallowed_methods, reason = "it ends with its request, and nobody waits for it")]
fn release_after(answered: CancellationToken, permit: Arc<Option<OwnedSemaphorePermit>>) {
    drop(tokio::spawn(async move {
        answered.cancelled().await;
        drop(permit);
    }));
}

/// The threads end when nobody can send them anything.
fn start() -> Sender<Job> {
    let (jobs, waiting) = channel();
    let waiting = Arc::new(Mutex::new(waiting));
    for _ in 0..MAX_LARGE_READS {
        let waiting = Arc::clone(&waiting);
        if let Err(error) = thread::Builder::new().name("large".into()).spawn(move || work_off(&waiting)) {
            tracing::error!(%error, "no thread for large documents");
        }
    }
    jobs
}

fn work_off(waiting: &Mutex<Receiver<Job>>) {
    loop {
        let job = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else { return };
        job();
    }
}
