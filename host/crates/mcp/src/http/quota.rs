//! State that all endpoints of a server share: permits, the bytes that are held for slow clients, and the tokens that
//! end requests.
//!
//! Owns: the quota of one caller, so that some is left for every other one.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

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
use crate::limits::{
    MAX_BLOCKING_REQUESTS_PER_CALLER, MAX_QUEUED_REQUEST_BYTES, MAX_SAMPLING_REQUESTS_PER_CALLER,
    UNCOUNTED_REQUEST_BYTES,
};
use crate::permits::{CallerShares, PermitChain, Permits};
use wardroom_base::memory::{MemoryHolder, MemoryLease, MemoryShare};
use wardroom_service::Owner;

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
    pub(super) shares: CallerShares,
    running_requests: Arc<Semaphore>,
    open_streams: Arc<Semaphore>,
}

/// What a request has until its reply has ended: a permit of its caller and one of all callers, and the memory of its
/// message.
pub(super) struct RequestPermit {
    _permits: Permits,
    _memory: Option<MemoryLease>,
}

impl RequestPermit {
    fn new(permits: Permits) -> Self {
        Self { _permits: permits, _memory: None }
    }

    /// Takes the memory of a message as well.
    pub(super) fn with_memory(self, memory: &MemoryShare, bytes: usize) -> Result<Self, HttpError> {
        if bytes <= UNCOUNTED_REQUEST_BYTES {
            return Ok(self);
        }
        let memory = memory.lease(bytes).map_err(|error| HttpError::service_unavailable(error.to_string()))?;
        Ok(Self { _memory: Some(memory), ..self })
    }
}

/// The quotas of all callers. An owner has one, however many endpoints its token opens.
#[derive(Default)]
pub struct CallerQuotas(Mutex<BTreeMap<Owner, Arc<CallerQuota>>>);

impl CallerQuotas {
    pub(super) fn of(&self, owner: &Owner, memory: &MemoryShare) -> Arc<CallerQuota> {
        let mut quotas = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(quotas.entry(owner.clone()).or_insert_with(|| Arc::new(CallerQuota::new(memory))))
    }
}

impl CallerQuota {
    pub(super) fn new(memory: &MemoryShare) -> Self {
        let of = |max| Arc::new(Semaphore::new(max));
        let shares = CallerShares {
            workers: of(MAX_BLOCKING_REQUESTS_PER_CALLER),
            input_requests: of(MAX_SAMPLING_REQUESTS_PER_CALLER),
            // Three quarters.
            memory: memory.share(MemoryHolder::Caller, memory.limit() / 4 * 3),
        };
        Self {
            shares,
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
            receive_budget: ByteCounter::new(MAX_QUEUED_REQUEST_BYTES, send_budget.memory()),
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
        let refused = || HttpError::service_unavailable("too many requests run: try again later");
        permit.ok().flatten().map(RequestPermit::new).ok_or_else(refused)
    }

    /// Returns the permit of a stream.
    pub(super) fn acquire_stream(&self, quota: &CallerQuota) -> Result<RequestPermit, HttpError> {
        let permits = self.open_streams.within(&quota.open_streams).try_acquire();
        let refused = || HttpError::service_unavailable("too many streams are open: try again later");
        permits.map(RequestPermit::new).ok_or_else(refused)
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
