//! State that all endpoints of a server share: permits, the bytes that are held for slow clients, the count of refused
//! tokens, and what ends requests.
//!
//! Owns: the quota of one caller, so that some is left for every other one.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::ClientRequest;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::receive_budget::ReceiveLease;
use super::refused_tokens::RefusedTokens;
use super::response::HttpError;
use super::send_budget::SendBudget;
use crate::decode::RequestKind;
use crate::http::limits::{
    MAX_CONCURRENT_DECODES, MAX_HTTP_LISTEN_STREAMS, MAX_HTTP_RUNNING_REQUESTS, MAX_INLINE_DECODE_BYTES,
    MAX_LISTEN_STREAMS_PER_CALLER, MAX_QUEUED_LARGE_RESPONSES_PER_CALLER, MAX_RUNNING_REQUESTS_PER_CALLER,
    REQUEST_PERMIT_TIMEOUT,
};
use crate::large_response_queue::LargeResponseShare;
use crate::limits::{
    MAX_BLOCKING_REQUESTS_PER_CALLER, MAX_CONCURRENT_LARGE_RESPONSES_PER_CALLER, MAX_QUEUED_REQUEST_BYTES,
    MAX_QUEUED_REQUEST_BYTES_PER_CALLER, MAX_SAMPLING_REQUESTS_PER_CALLER, UNCOUNTED_REQUEST_BYTES,
};
use crate::permits::{CallerShares, PermitChain, Permits};
use wardroom_base::memory::{MemoryHolder, MemoryLease, MemoryShare};
use wardroom_service::Owner;

pub(super) struct Quotas {
    running_requests: PermitChain,
    open_streams: PermitChain,
    /// For messages that are decoded on threads of their own.
    decode_permits: Semaphore,
    /// The bytes of messages that do not run yet, of all callers. The ledger has them in the share of their caller.
    receive_budget: MemoryShare,
    /// The unsent bytes of answers.
    pub(super) send_budget: Arc<SendBudget>,
    pub(super) refused_tokens: Arc<RefusedTokens>,
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
    /// The bytes of messages that do not run yet.
    receive_budget: MemoryShare,
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

    /// Holds the memory of the message as well.
    pub(super) fn with_memory(self, memory: Option<MemoryLease>) -> Self {
        Self { _memory: memory, ..self }
    }
}

/// The quotas of all callers. An owner has one, however many endpoints its token opens.
#[derive(Clone, Default)]
pub struct CallerQuotas(Arc<Mutex<BTreeMap<Owner, Arc<CallerQuota>>>>);

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
            large_responses: LargeResponseShare::new(
                MAX_CONCURRENT_LARGE_RESPONSES_PER_CALLER,
                MAX_QUEUED_LARGE_RESPONSES_PER_CALLER,
            ),
            // Three quarters.
            memory: memory.share(MemoryHolder::Caller, memory.limit() / 4 * 3),
        };
        let receive_budget = shares.memory.share(MemoryHolder::Caller, MAX_QUEUED_REQUEST_BYTES_PER_CALLER);
        Self {
            shares,
            running_requests: of(MAX_RUNNING_REQUESTS_PER_CALLER),
            open_streams: of(MAX_LISTEN_STREAMS_PER_CALLER),
            receive_budget,
        }
    }

    /// Takes the memory that a decoded message needs; none for a small one.
    pub(super) fn lease_message(&self, bytes: usize) -> Result<Option<MemoryLease>, HttpError> {
        let lease = (bytes > UNCOUNTED_REQUEST_BYTES).then(|| self.shares.memory.lease(bytes)).transpose();
        lease.map_err(|error| HttpError::service_unavailable(error.to_string()))
    }
}

impl Quotas {
    pub(super) fn new(send_budget: Arc<SendBudget>) -> Self {
        Self {
            running_requests: PermitChain::new(MAX_HTTP_RUNNING_REQUESTS),
            open_streams: PermitChain::new(MAX_HTTP_LISTEN_STREAMS),
            decode_permits: Semaphore::new(MAX_CONCURRENT_DECODES),
            receive_budget: MemoryShare::budget(MAX_QUEUED_REQUEST_BYTES),
            send_budget,
            refused_tokens: Arc::default(),
            terminated: CancellationToken::new(),
            draining: CancellationToken::new(),
        }
    }

    /// Returns the lease of a message that is about to arrive.
    pub(super) fn receive_lease(&self, quota: &CallerQuota) -> ReceiveLease {
        ReceiveLease::new(&quota.receive_budget, &self.receive_budget)
    }

    /// Returns the permit of a request.
    pub(super) async fn acquire(&self, kind: RequestKind, quota: &CallerQuota) -> Result<RequestPermit, HttpError> {
        match kind {
            RequestKind::Call => self.acquire_request(quota).await,
            RequestKind::Listen => self.acquire_stream(quota),
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

    /// Runs a step of decoding that reads as many bytes: on other threads if they are many, a few at a time.
    pub(super) async fn decode<T: Send + 'static>(
        &self,
        bytes: usize,
        step: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, HttpError> {
        if bytes <= MAX_INLINE_DECODE_BYTES {
            return Ok(step());
        }
        // A panic is logged where it happens.
        let failed = || HttpError::internal("the message could not be decoded");
        let _permit = self.decode_permits.acquire().await.map_err(|_| failed())?;
        spawn_blocking(step).await.map_err(|_| failed())
    }

    /// Returns the token that ends a request at the latest.
    pub(super) fn shutdown_token(&self, request: &ClientRequest) -> &CancellationToken {
        match request {
            ClientRequest::SubscriptionsListenRequest(_) => &self.draining,
            _ => &self.terminated,
        }
    }
}
