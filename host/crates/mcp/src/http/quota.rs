//! State that all endpoints of a server share: permits, the bytes that are held for slow clients, and the tokens that
//! end requests.
//!
//! Owns: the quota of one caller, so that some is left for every other one.

use std::sync::Arc;

use rmcp::model::ClientRequest;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::response::HttpError;
use super::send_budget::{ByteCounter, SendBudget};
use crate::http::limits::{
    MAX_CONCURRENT_DECODES, MAX_HTTP_LISTEN_STREAMS, MAX_HTTP_RUNNING_REQUESTS, MAX_LISTEN_STREAMS_PER_CALLER,
    MAX_RUNNING_REQUESTS_PER_CALLER, REQUEST_PERMIT_TIMEOUT,
};
use crate::limits::{MAX_BLOCKING_REQUESTS_PER_CALLER, MAX_QUEUED_REQUEST_BYTES, MAX_SAMPLING_REQUESTS_PER_CALLER};
use crate::permits::{PermitChain, Permits};

pub(super) struct Quotas {
    running_requests: PermitChain,
    open_streams: PermitChain,
    /// For messages that are decoded on threads of their own.
    decode_permits: Semaphore,
    /// The bytes of messages that are not running yet.
    pub(super) receive_budget: Arc<ByteCounter>,
    /// The unsent bytes of answers.
    pub(super) send_budget: Arc<SendBudget>,
    /// Cancelled at the end: all requests end.
    pub(super) terminated: CancellationToken,
    /// Cancelled first: subscriptions end, calls may finish.
    pub(super) draining: CancellationToken,
}

/// The quota of one caller.
pub(super) struct CallerQuota {
    /// Requests on worker threads.
    pub(super) workers: Arc<Semaphore>,
    /// Calls that wait for their clients.
    pub(super) input_requests: Arc<Semaphore>,
    running_requests: Arc<Semaphore>,
    open_streams: Arc<Semaphore>,
}

/// The permits of a request until its reply has ended: one of its caller, and one of all callers.
pub(super) type RequestPermit = Permits;

impl CallerQuota {
    pub(super) fn new() -> Self {
        let of = |max| Arc::new(Semaphore::new(max));
        Self {
            workers: of(MAX_BLOCKING_REQUESTS_PER_CALLER),
            input_requests: of(MAX_SAMPLING_REQUESTS_PER_CALLER),
            running_requests: of(MAX_RUNNING_REQUESTS_PER_CALLER),
            open_streams: of(MAX_LISTEN_STREAMS_PER_CALLER),
        }
    }
}

impl Quotas {
    pub(super) fn new(send_budget: Arc<SendBudget>) -> Self {
        Self {
            running_requests: PermitChain::new(MAX_HTTP_RUNNING_REQUESTS),
            open_streams: PermitChain::new(MAX_HTTP_LISTEN_STREAMS),
            decode_permits: Semaphore::new(MAX_CONCURRENT_DECODES),
            receive_budget: ByteCounter::new(MAX_QUEUED_REQUEST_BYTES),
            send_budget,
            terminated: CancellationToken::new(),
            draining: CancellationToken::new(),
        }
    }

    /// Waits for the permit of a request that does something. There is none while too many bytes are unsent.
    pub(super) async fn acquire_request(&self, quota: &CallerQuota) -> Result<RequestPermit, HttpError> {
        let permit = async {
            let permits = self.running_requests.within(&quota.running_requests).acquire().await?;
            self.send_budget.admit_request().await;
            Some(permits)
        };
        let permit = timeout(REQUEST_PERMIT_TIMEOUT, permit).await;
        permit.ok().flatten().ok_or_else(|| HttpError::service_unavailable("too many requests run: try again later"))
    }

    /// Returns the permit of a stream.
    pub(super) fn acquire_stream(&self, quota: &CallerQuota) -> Result<RequestPermit, HttpError> {
        let permits = self.open_streams.within(&quota.open_streams).try_acquire();
        permits.ok_or_else(|| HttpError::service_unavailable("too many streams are open: try again later"))
    }

    /// Runs long work on other threads, a few at a time. Returns `None` when it panicked.
    pub(super) async fn run_blocking<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let _permit = self.decode_permits.acquire().await.ok()?;
        spawn_blocking(work).await.ok()
    }

    /// Returns the token that ends a request at the latest.
    pub(super) fn shutdown_token(&self, request: &ClientRequest) -> &CancellationToken {
        match request {
            ClientRequest::SubscriptionsListenRequest(_) => &self.draining,
            _ => &self.terminated,
        }
    }
}
