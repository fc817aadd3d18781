//! What clients have not taken yet, of whichever transport: what large answers wait for.

use std::sync::Arc;

use rmcp::model::ErrorData;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::error;
use super::http::Unsent;
use super::stdio::Outbox;
use wardroom_base::limits::{MAX_WAITING_LARGE, TURN_WAIT};

/// The bytes that are on their way.
#[derive(Clone)]
pub(super) enum Unread {
    Pipe(Outbox),
    Sockets(Arc<Unsent>),
}

impl Unread {
    /// Waits until so much was taken that another large answer may be made.
    pub(super) async fn has_room(&self) {
        match self {
            Self::Pipe(outbox) => outbox.has_room().await,
            Self::Sockets(unsent) => unsent.has_room().await,
        }
    }

    /// What `turn` comes to. The only client of a pipe waits for itself; over sockets it is for others that one waits, and
    /// not for ever.
    ///
    /// # Errors
    /// When they take their time.
    pub(super) async fn wait<T>(&self, turn: impl Future<Output = T>) -> Result<T, ErrorData> {
        match self {
            Self::Pipe(_) => Ok(turn.await),
            Self::Sockets(_) => timeout(TURN_WAIT, turn)
                .await
                .map_err(|_| error::busy("other clients have not taken their answers yet: try again".to_owned())),
        }
    }

    /// How many may wait for that.
    pub(super) fn bound(&self) -> usize {
        match self {
            Self::Pipe(_) => Semaphore::MAX_PERMITS,
            Self::Sockets(_) => MAX_WAITING_LARGE,
        }
    }
}
