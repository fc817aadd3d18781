//! What all endpoints of a server share: turns, the bytes that are held for slow clients, and the end.
//!
//! Owns: how much of that one caller takes, so that some is left for every other one.

use std::sync::Arc;

use rmcp::model::ClientRequest;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::reply::Refusal;
use super::unsent::{Tally, Unsent};
use wardroom_base::limits::{
    MAX_DECODING, MAX_HTTP_LISTENS, MAX_LISTENS_OF_ONE, MAX_RUNNING_HTTP, MAX_RUNNING_OF_ONE, MAX_SAMPLING_OF_ONE,
    MAX_WAITING_BYTES, MAX_WORKERS_OF_ONE, TURN_WAIT,
};

pub(super) struct Shared {
    running: Arc<Semaphore>,
    listens: Arc<Semaphore>,
    /// Of messages that are decoded on threads of their own.
    apart: Semaphore,
    /// What is sent to the server and did not get its turn yet.
    pub(super) reading: Arc<Tally>,
    /// Answers that clients have not taken.
    pub(super) unsent: Arc<Unsent>,
    /// Nobody is answered any more.
    pub(super) ended: CancellationToken,
    /// Subscriptions end, calls may go on.
    pub(super) ending: CancellationToken,
}

/// What one caller may have of what all share.
pub(super) struct Share {
    /// What works for it.
    pub(super) workers: Arc<Semaphore>,
    /// Its calls that wait for their clients.
    pub(super) asks: Arc<Semaphore>,
    running: Arc<Semaphore>,
    listens: Arc<Semaphore>,
}

/// What a request holds until its reply has ended: a turn of its caller's, and one of all.
pub(super) struct Turn {
    _own: OwnedSemaphorePermit,
    _all: OwnedSemaphorePermit,
}

impl Share {
    pub(super) fn new() -> Self {
        let of = |most| Arc::new(Semaphore::new(most));
        Self {
            workers: of(MAX_WORKERS_OF_ONE),
            asks: of(MAX_SAMPLING_OF_ONE),
            running: of(MAX_RUNNING_OF_ONE),
            listens: of(MAX_LISTENS_OF_ONE),
        }
    }
}

impl Shared {
    pub(super) fn new(unsent: Arc<Unsent>) -> Self {
        Self {
            running: Arc::new(Semaphore::new(MAX_RUNNING_HTTP)),
            listens: Arc::new(Semaphore::new(MAX_HTTP_LISTENS)),
            apart: Semaphore::new(MAX_DECODING),
            reading: Tally::new(MAX_WAITING_BYTES),
            unsent,
            ended: CancellationToken::new(),
            ending: CancellationToken::new(),
        }
    }

    /// The turn of a request that does something. There is none while clients have too much to take.
    pub(super) async fn turn(&self, share: &Share) -> Result<Turn, Refusal> {
        let turn = async {
            // Whoever waits for one of its own holds none of all.
            let own = Arc::clone(&share.running).acquire_owned().await.ok()?;
            let all = Arc::clone(&self.running).acquire_owned().await.ok()?;
            self.unsent.has_turn().await;
            Some(Turn { _own: own, _all: all })
        };
        let turn = timeout(TURN_WAIT, turn).await;
        turn.ok().flatten().ok_or_else(|| Refusal::busy("too many requests run at once"))
    }

    /// The turn of one that waits for changes.
    pub(super) fn listen(&self, share: &Share) -> Result<Turn, Refusal> {
        let permit = |of: &Arc<Semaphore>| Arc::clone(of).try_acquire_owned().ok();
        let turn = || Some(Turn { _own: permit(&share.listens)?, _all: permit(&self.listens)? });
        turn().ok_or_else(|| Refusal::busy("too many streams are open"))
    }

    /// Does what takes long where it holds up nobody, a few at a time. Nothing when it panicked.
    pub(super) async fn apart<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let _permit = self.apart.acquire().await.ok()?;
        spawn_blocking(work).await.ok()
    }

    /// What ends a request at the latest.
    pub(super) fn until(&self, request: &ClientRequest) -> &CancellationToken {
        match request {
            ClientRequest::SubscriptionsListenRequest(_) => &self.ending,
            _ => &self.ended,
        }
    }
}
