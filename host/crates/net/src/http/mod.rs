//! HTTP requests, made by `wardroom helper http`, a process whose only privilege is sockets.
//!
//! Owns: the types of requests and responses, and their limits on the server's side.
//! Gives: [`HttpFetcher::request`], which several threads may call at once.
//! Never: opens a socket.

mod exchange;
pub(super) mod process;

use std::io;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::helper::{HelperConfig, HelperProcess, HelperStatus};
use super::{FetchPolicy, NetError};
use crate::limits::{MAX_CONCURRENT_FETCHES, MAX_FETCH_BODY_BYTES, MAX_FETCH_TIMEOUT};
use wardroom_base::byte_size::ByteSize;
use wardroom_base::limits::CANCEL_POLL_INTERVAL;

/// A request. The response's body is kept as received: nothing is decompressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchRequest {
    /// `GET`, `HEAD`, `POST`, `PUT`, `PATCH`, `DELETE` or `OPTIONS`.
    pub method: String,
    pub url: String,
    /// Without headers of the message framing, such as `host` and `content-length`.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// For the whole request, redirects and body included.
    pub timeout: Duration,
    /// The limit of the response's body.
    pub max_bytes: usize,
    /// The hosts that it may go to, redirects included.
    pub policy: FetchPolicy,
    /// Who leaves a share of all requests to other callers; `None` for one who need not.
    pub caller: Option<String>,
}

impl FetchRequest {
    #[must_use]
    pub fn get(url: &str, policy: FetchPolicy, time: Duration, max_bytes: usize) -> Self {
        let (method, url) = ("GET".to_owned(), url.to_owned());
        Self { method, url, headers: Vec::new(), body: Vec::new(), timeout: time, max_bytes, policy, caller: None }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchResponse {
    /// Any status: a 404 is a response, too.
    pub status: u16,
    /// The URL after the last redirect.
    pub url: String,
    /// With names in lower case, and without headers that are not text.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// A request as the helper receives it, before `length` bytes of body.
#[derive(Debug, Serialize, Deserialize)]
struct FetchRequestHead {
    method: String,
    url: String,
    headers: Vec<(String, String)>,
    length: usize,
    timeout: Duration,
    max_bytes: usize,
    policy: FetchPolicy,
}

/// The helper's response, before `length` bytes of body.
#[derive(Debug, Serialize, Deserialize)]
struct FetchResponseHead {
    status: u16,
    url: String,
    headers: Vec<(String, String)>,
    length: usize,
}

/// The handle on the process that makes requests.
pub struct HttpFetcher(HelperProcess);

impl HttpFetcher {
    /// Starts the process.
    ///
    /// # Errors
    /// When the system does not start it.
    pub fn start(beginning: HelperConfig<'_>) -> io::Result<Self> {
        HelperProcess::start("http", MAX_CONCURRENT_FETCHES, beginning, None).map(Self)
    }

    #[must_use]
    pub fn status(&self) -> &HelperStatus {
        self.0.status()
    }

    /// Returns the process id.
    #[must_use]
    pub fn process_id(&self) -> u32 {
        self.0.process_id()
    }

    /// Makes a request, and polls `cancelled` meanwhile.
    ///
    /// # Errors
    /// When there is no response within the limits, or the policy does not allow the request.
    pub fn request(&self, request: &FetchRequest, cancelled: &dyn Fn() -> bool) -> Result<FetchResponse, NetError> {
        if let Some(lacks) = &self.status().unavailable_reason {
            return Err(NetError::Failed(lacks.clone()));
        }
        if request.body.len() > MAX_FETCH_BODY_BYTES {
            let limit = ByteSize(MAX_FETCH_BODY_BYTES as u64);
            return Err(NetError::Invalid(format!("the body of a request has at most {limit}")));
        }
        let started = Instant::now();
        let permit = self.0.acquire_permit(request.caller.as_deref(), request.timeout, cancelled)?;
        let head = FetchRequestHead {
            method: request.method.clone(),
            url: request.url.clone(),
            headers: request.headers.clone(),
            length: request.body.len(),
            timeout: request.timeout.saturating_sub(started.elapsed()).min(MAX_FETCH_TIMEOUT),
            max_bytes: request.max_bytes.min(MAX_FETCH_BODY_BYTES),
            policy: request.policy.clone(),
        };
        // The helper times out first, and reports the reason.
        let deadline = Instant::now() + head.timeout + 50 * CANCEL_POLL_INTERVAL;
        let mut call = self.0.start_call(permit, &head, &request.body, None)?;
        let FetchResponseHead { status, url, headers, length } =
            call.receive_message::<Result<FetchResponseHead, NetError>>(deadline, cancelled)??;
        if length > head.max_bytes {
            return Err(NetError::TooLarge(head.max_bytes as u64));
        }
        let body = call.receive_bytes(length, deadline, cancelled)?;
        Ok(FetchResponse { status, url, headers, body })
    }
}
