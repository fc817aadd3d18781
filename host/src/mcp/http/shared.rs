//! What all endpoints of a server share: turns, the bytes that are held for slow clients, and the end.

use std::sync::Arc;

use rmcp::model::ClientRequest;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::reply::Refusal;
use super::seats::Seats;
use super::unsent::Tally;
use crate::limits::{
    HOLD_UP_TIME, MAX_HELD_BYTES, MAX_HTTP_LISTENS, MAX_RUNNING_HTTP, MAX_UNSENT_BYTES, MAX_WAITING_BYTES, TURN_WAIT,
};

pub(super) struct Shared {
    pub(super) seats: Arc<Seats>,
    running: Arc<Semaphore>,
    listens: Arc<Semaphore>,
    /// What is sent to the server and did not get its turn yet.
    pub(super) reading: Arc<Tally>,
    /// Answers that clients have not taken.
    pub(super) unsent: Arc<Tally>,
    /// Nobody is answered any more.
    pub(super) ended: CancellationToken,
    /// Subscriptions end, calls may go on.
    pub(super) ending: CancellationToken,
}

impl Shared {
    pub(super) fn new(unsent: Arc<Tally>) -> Self {
        Self {
            seats: Arc::default(),
            running: Arc::new(Semaphore::new(MAX_RUNNING_HTTP)),
            listens: Arc::new(Semaphore::new(MAX_HTTP_LISTENS)),
            reading: Tally::new(MAX_WAITING_BYTES),
            unsent,
            ended: CancellationToken::new(),
            ending: CancellationToken::new(),
        }
    }

    /// The turn of a request that does something. There is none while clients have too much to take.
    pub(super) async fn turn(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        let turn = async {
            let turn = Arc::clone(&self.running).acquire_owned().await;
            while timeout(HOLD_UP_TIME, self.unsent.at_most(MAX_HELD_BYTES)).await.is_err() {
                self.seats.shed(self.unsent.over(MAX_HELD_BYTES));
            }
            turn
        };
        let turn = timeout(TURN_WAIT, turn).await;
        turn.ok().and_then(Result::ok).ok_or_else(|| Refusal::busy("too many requests run at once"))
    }

    /// The turn of one that waits for changes.
    pub(super) fn listen(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        let turn = Arc::clone(&self.listens).try_acquire_owned();
        turn.map_err(|_| Refusal::busy("too many streams are open"))
    }

    /// What ends a request at the latest.
    pub(super) fn until(&self, request: &ClientRequest) -> &CancellationToken {
        match request {
            ClientRequest::SubscriptionsListenRequest(_) => &self.ending,
            _ => &self.ended,
        }
    }
}

pub(in crate::mcp) fn unsent() -> Arc<Tally> {
    Tally::new(MAX_UNSENT_BYTES)
}
