//! Large documents: answered a few at a time, and only after the client has read most of what was sent to it.
//!
//! Owns: the permits, each held until its answer is encoded and its work has ended, the share that one caller has of them,
//! and the threads for that work. They are a fixed few, because the allocator keeps for each thread the memory that it once
//! needed.
//! Never: blocks the protocol's thread or a worker; only the request waits.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use rmcp::model::ErrorData;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use super::backpressure::Backpressure;
use super::error;
use crate::limits::MAX_CONCURRENT_LARGE_RESPONSES;

/// A request over HTTP that has waited is refused for one of these reasons: another request of its caller is still at work,
/// requests of other callers are, or clients do not read their answers.
const CALLER_IS_BUSY: &str = "another request of this caller still does large work: try again when it has ended";
const SERVER_IS_BUSY: &str = "requests of other callers still do large work: try again later";
const ANSWERS_ARE_UNREAD: &str = "clients have not read their answers yet: try again later";

type LargeJob = Box<dyn FnOnce() + Send>;

/// The queue of a server, as one of its callers may use it.
#[derive(Clone)]
pub(super) struct LargeResponseQueue {
    shared: Arc<SharedQueue>,
    /// `None` where the server has one caller.
    share: Option<LargeResponseShare>,
}

/// What one caller has of the permits, and of the places in the queue, at most.
#[derive(Clone)]
pub(super) struct LargeResponseShare {
    permits: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
}

/// What all callers of a server share.
struct SharedQueue {
    permits: Arc<Semaphore>,
    waiting_count: AtomicUsize,
    /// `None` until the threads are started.
    job_sender: Mutex<Option<Sender<LargeJob>>>,
}

/// The caller's permit and the server's.
type LargePermit = (Option<OwnedSemaphorePermit>, Option<OwnedSemaphorePermit>);

impl LargeResponseShare {
    pub(super) fn new(max_concurrent: usize, max_waiting: usize) -> Self {
        Self { permits: Arc::new(Semaphore::new(max_concurrent)), waiting: Arc::new(Semaphore::new(max_waiting)) }
    }
}

impl LargeResponseQueue {
    pub(super) fn new() -> Self {
        let shared = SharedQueue {
            permits: Arc::new(Semaphore::new(MAX_CONCURRENT_LARGE_RESPONSES)),
            waiting_count: AtomicUsize::new(0),
            job_sender: Mutex::default(),
        };
        Self { shared: Arc::new(shared), share: None }
    }

    /// Returns the same queue for a caller with this share.
    pub(super) fn within(&self, share: &LargeResponseShare) -> Self {
        Self { shared: Arc::clone(&self.shared), share: Some(share.clone()) }
    }

    /// Runs `work` with a permit, for the request with this token. rmcp cancels that token when it passes the
    /// answer to the transport, which encodes it in the same step. Returns `None` when the work panicked.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        token: &CancellationToken,
        backpressure: Option<&dyn Backpressure>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<Option<T>, ErrorData> {
        let admitted = token.run_until_cancelled(self.admit(backpressure)).await;
        let permit = Arc::new(admitted.ok_or_else(error::cancelled)??);
        release_on_cancel(token.clone(), Arc::clone(&permit));
        let (done, result) = oneshot::channel();
        let job = move || {
            // A cancelled request has dropped the receiver.
            drop(done.send(catch_unwind(AssertUnwindSafe(work)).ok()));
            drop(permit);
        };
        self.shared.send(Box::new(job))?;
        let result = token.run_until_cancelled(result).await.ok_or_else(error::cancelled)?;
        Ok(result.ok().flatten())
    }

    /// Waits for the permits and for buffer space.
    async fn admit(&self, backpressure: Option<&dyn Backpressure>) -> Result<LargePermit, ErrorData> {
        let Some(backpressure) = backpressure else { return self.acquire(None).await };
        let _waiting = self.enter(backpressure.max_waiting())?;
        // One deadline for all waits, because a request that waits for buffer space still holds its permits.
        let deadline = backpressure.admission_timeout().map(|limit| Instant::now() + limit);
        let permit = self.acquire(deadline).await?;
        wait_until(deadline, backpressure.wait_for_capacity(), ANSWERS_ARE_UNREAD).await?;
        Ok(permit)
    }

    /// Waits for the caller's permit first, so that a request which waits for it holds none that others need.
    async fn acquire(&self, deadline: Option<Instant>) -> Result<LargePermit, ErrorData> {
        let own = match &self.share {
            Some(share) => {
                let permit = Arc::clone(&share.permits).acquire_owned();
                wait_until(deadline, permit, CALLER_IS_BUSY).await?.ok()
            }
            None => None,
        };
        let permit = Arc::clone(&self.shared.permits).acquire_owned();
        Ok((own, wait_until(deadline, permit, SERVER_IS_BUSY).await?.ok()))
    }

    /// Takes a place in the queue.
    fn enter(&self, max: usize) -> Result<LargeQueueTicket<'_>, ErrorData> {
        let refused = || error::busy("too many requests wait to make a large answer: try again later");
        let own = match &self.share {
            Some(share) => Some(Arc::clone(&share.waiting).try_acquire_owned().map_err(|_| refused())?),
            None => None,
        };
        let ticket = LargeQueueTicket { waiting: &self.shared.waiting_count, _own: own };
        if self.shared.waiting_count.fetch_add(1, Ordering::Relaxed) < max { Ok(ticket) } else { Err(refused()) }
    }
}

impl SharedQueue {
    /// Sends a job to the threads, which the first one starts.
    fn send(&self, job: LargeJob) -> Result<(), ErrorData> {
        let mut sender = self.job_sender.lock().unwrap_or_else(PoisonError::into_inner);
        if sender.is_none() {
            let started = start_threads().inspect_err(|error| tracing::error!(%error, "cannot start threads"));
            *sender = Some(started.map_err(|_| error::busy("the system starts no further thread: try again later"))?);
        }
        if let Some(sender) = &*sender {
            // The threads wait as long as the sender is there.
            drop(sender.send(job));
        }
        Ok(())
    }
}

/// Waits until the deadline at most; the error says what is busy.
async fn wait_until<T>(
    deadline: Option<Instant>,
    waiting: impl Future<Output = T>,
    busy: &'static str,
) -> Result<T, ErrorData> {
    match deadline {
        None => Ok(waiting.await),
        Some(deadline) => timeout_at(deadline, waiting).await.map_err(|_| error::busy(busy)),
    }
}

/// Counts a waiting request until this is dropped.
struct LargeQueueTicket<'l> {
    waiting: &'l AtomicUsize,
    _own: Option<OwnedSemaphorePermit>,
}

impl Drop for LargeQueueTicket<'_> {
    fn drop(&mut self) {
        self.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

#[expect(clippy::disallowed_methods, reason = "the task ends with its request and is not waited for")]
fn release_on_cancel(token: CancellationToken, permit: Arc<LargePermit>) {
    drop(tokio::spawn(async move {
        token.cancelled().await;
        drop(permit);
    }));
}

/// Starts the threads, all or none. They end when the sender is dropped.
fn start_threads() -> io::Result<Sender<LargeJob>> {
    let (jobs, waiting) = channel();
    let waiting = Arc::new(Mutex::new(waiting));
    for _ in 0..MAX_CONCURRENT_LARGE_RESPONSES {
        let waiting = Arc::clone(&waiting);
        thread::Builder::new().name("large".into()).spawn(move || run_jobs(&waiting))?;
    }
    Ok(jobs)
}

fn run_jobs(waiting: &Mutex<Receiver<LargeJob>>) {
    loop {
        let job = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else { return };
        job();
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::time::Duration;

    use tokio::runtime;
    use tokio::time::timeout;

    use super::*;

    /// A transport whose clients read their answers, or do not.
    struct Reading(bool);

    impl Backpressure for Reading {
        fn wait_for_capacity(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
            if self.0 { Box::pin(std::future::ready(())) } else { Box::pin(std::future::pending()) }
        }

        fn admission_timeout(&self) -> Option<Duration> {
            Some(Duration::from_millis(50))
        }

        fn max_waiting(&self) -> usize {
            3
        }
    }

    fn block_on<T>(test: impl Future<Output = T>) -> T {
        runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(test)
    }

    #[test]
    fn long_work_of_one_caller_leaves_a_thread_to_others() {
        block_on(async {
            let server = LargeResponseQueue::new();
            let [alice, bob, carol] = [0; 3].map(|_| server.within(&LargeResponseShare::new(1, 2)));
            let token = CancellationToken::new();
            let (_ends, ended) = channel::<()>();
            let (started, is_started) = oneshot::channel();
            let work = move || {
                started.send(()).unwrap();
                assert!(ended.recv().is_err(), "nothing is sent");
            };
            let mut endless = Box::pin(alice.run(&token, Some(&Reading(true)), work));
            tokio::select! {
                _ = &mut endless => panic!("it ends"),
                started = is_started => started.unwrap(),
            }
            // A second one of the same caller waits for the first, and does not take the other thread.
            let refused = alice.run(&token, Some(&Reading(true)), || 1).await.unwrap_err();
            assert_eq!(refused.message, CALLER_IS_BUSY);
            let answer = |token: CancellationToken| {
                let bob = bob.clone();
                async move { bob.run(&token, Some(&Reading(true)), || 2).await }
            };
            let own = CancellationToken::new();
            assert_eq!(timeout(Duration::from_secs(20), answer(own.clone())).await.unwrap().unwrap(), Some(2));
            // That answer is not encoded yet, so that both threads are taken.
            let refused = carol.run(&CancellationToken::new(), Some(&Reading(true)), || 3).await.unwrap_err();
            assert_eq!(refused.message, SERVER_IS_BUSY);
            own.cancel();
            tokio::task::yield_now().await;
            let refused = carol.run(&CancellationToken::new(), Some(&Reading(false)), || 3).await.unwrap_err();
            assert_eq!(refused.message, ANSWERS_ARE_UNREAD);
            // Its permits are free again.
            assert_eq!(answer(CancellationToken::new()).await.unwrap(), Some(2));
        });
    }

    #[test]
    fn waiting_requests_of_one_caller_leave_places_to_others() {
        let server = LargeResponseQueue::new();
        let [alice, bob] = [0; 2].map(|_| server.within(&LargeResponseShare::new(1, 2)));
        let places = [alice.enter(3), alice.enter(3)];
        assert!(places.iter().all(Result::is_ok));
        assert!(alice.enter(3).is_err());
        let last = bob.enter(3);
        assert!(last.is_ok());
        assert!(bob.enter(3).is_err());
        drop(places);
        assert!(bob.enter(3).is_ok());
    }
}
