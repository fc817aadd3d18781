//! Backpressure on both transports: a large answer waits until clients have read most of the earlier ones.

use std::sync::Arc;

use rmcp::model::ErrorData;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::error;
use super::http::SendBudget;
use super::stdio::Outbox;
use crate::limits::{MAX_QUEUED_LARGE_RESPONSES, REQUEST_PERMIT_TIMEOUT};

/// The unsent bytes of a transport.
#[derive(Clone)]
pub(super) enum Backpressure {
    Stdio(Outbox),
    Http(Arc<SendBudget>),
}

impl Backpressure {
    /// Waits until few enough bytes are unsent to make another large answer.
    pub(super) async fn wait_for_capacity(&self) {
        match self {
            Self::Stdio(outbox) => outbox.wait_for_capacity().await,
            Self::Http(budget) => budget.wait_for_capacity().await,
        }
    }

    /// Waits for `admission`. On stdio there is no timeout, because the only client waits only for itself. Over HTTP a
    /// request waits for other clients, for at most [`REQUEST_PERMIT_TIMEOUT`].
    ///
    /// # Errors
    /// When the timeout expires.
    pub(super) async fn with_timeout<T>(&self, admission: impl Future<Output = T>) -> Result<T, ErrorData> {
        match self {
            Self::Stdio(_) => Ok(admission.await),
            Self::Http(_) => timeout(REQUEST_PERMIT_TIMEOUT, admission)
                .await
                .map_err(|_| error::busy("other clients have not taken their answers yet: try again".to_owned())),
        }
    }

    /// Returns how many requests may wait for capacity.
    pub(super) fn max_waiting(&self) -> usize {
        match self {
            Self::Stdio(_) => Semaphore::MAX_PERMITS,
            Self::Http(_) => MAX_QUEUED_LARGE_RESPONSES,
        }
    }
}
