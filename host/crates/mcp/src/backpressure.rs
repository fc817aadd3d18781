//! What clients have not taken yet, of whichever transport: what large answers wait for.

use std::sync::Arc;

use rmcp::model::ErrorData;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::error;
use super::http::SendBudget;
use super::stdio::Outbox;
use crate::limits::{MAX_QUEUED_LARGE_RESPONSES, REQUEST_PERMIT_TIMEOUT};

/// The bytes that are on their way.
#[derive(Clone)]
pub(super) enum Backpressure {
    Stdio(Outbox),
    Http(Arc<SendBudget>),
}

impl Backpressure {
    /// Waits until so much was taken that another large answer may be made.
    pub(super) async fn wait_for_capacity(&self) {
        match self {
            Self::Stdio(outbox) => outbox.wait_for_capacity().await,
            Self::Http(unsent) => unsent.wait_for_capacity().await,
        }
    }

    /// What `turn` comes to. The only client of a pipe waits for itself; over sockets it is for others that one waits, and
    /// not for ever.
    ///
    /// # Errors
    /// When they take their time.
    pub(super) async fn with_timeout<T>(&self, turn: impl Future<Output = T>) -> Result<T, ErrorData> {
        match self {
            Self::Stdio(_) => Ok(turn.await),
            Self::Http(_) => timeout(REQUEST_PERMIT_TIMEOUT, turn)
                .await
                .map_err(|_| error::busy("other clients have not taken their answers yet: try again".to_owned())),
        }
    }

    /// How many may wait for that.
    pub(super) fn max_waiting(&self) -> usize {
        match self {
            Self::Stdio(_) => Semaphore::MAX_PERMITS,
            Self::Http(_) => MAX_QUEUED_LARGE_RESPONSES,
        }
    }
}
