//! HTTP responses: their bodies, and the errors that are sent instead of an answer.
//!
//! Owns: the bodies. A long one is handed over in chunks, as the client takes them; a silent stream sends a keep-alive
//! now and then.
//! Never: answers in place of the handlers.

use std::convert::Infallible;
use std::future::Future as _;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use hyper::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use hyper::http::response::Parts;
use hyper::{Response, StatusCode};
use rmcp::model::{ErrorData, RequestId, ServerJsonRpcMessage};
use tokio::sync::mpsc;
use tokio::time::{Sleep, sleep};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use super::connection_limiter::ActiveRequest;
use super::pages::VersionStream;
use super::reply_router::{EncodedMessage, Outgoing};
use super::send_budget::ByteLease;
use crate::error;
use crate::http::limits::SSE_KEEP_ALIVE_INTERVAL;

pub(super) const SESSION_ID_HEADER: HeaderName = HeaderName::from_static("mcp-session-id");
const ACCEL_BUFFERING_HEADER: HeaderName = HeaderName::from_static("x-accel-buffering");
/// Bytes that are handed over at once.
const CHUNK_BYTES: usize = 64 * 1024;
/// A comment, which clients ignore.
const KEEP_ALIVE_EVENT: &[u8] = b":\n\n";

pub(super) struct ResponseBody {
    content: ResponseContent,
    /// Keeps the connection busy until the reply was taken.
    active_request: Option<ActiveRequest>,
}

enum ResponseContent {
    Empty,
    Full(Bytes, Option<ByteLease>),
    Sse(Box<SseStream>),
    Versions(Box<VersionStream>),
}

impl ResponseBody {
    /// Returns the same body, for a request of a connection.
    pub(super) fn with_active_request(self, active_request: ActiveRequest) -> Self {
        let this = Self { active_request: Some(active_request), ..self };
        this.report_unsent();
        this
    }

    /// Returns the same body, which ends when its caller is admitted no longer, if it is a stream. A whole answer is sent.
    pub(super) fn until_revoked(mut self, revoked: &CancellationToken) -> Self {
        if let ResponseContent::Sse(stream) = &mut self.content {
            stream.revoked = Some(Box::pin(revoked.clone().cancelled_owned()));
        }
        self
    }

    /// Reports the unsent bytes to the connection.
    fn report_unsent(&self) {
        let unsent = match &self.content {
            // An event of a version is some bytes.
            ResponseContent::Empty | ResponseContent::Versions(_) => 0,
            ResponseContent::Full(bytes, _) => bytes.len(),
            ResponseContent::Sse(stream) => stream.unsent.len(),
        };
        self.active_request.iter().for_each(|request| request.set_unsent(unsent));
    }
}

impl From<ResponseContent> for ResponseBody {
    fn from(content: ResponseContent) -> Self {
        Self { content, active_request: None }
    }
}

/// A stream of messages as server-sent events.
pub(super) struct SseStream {
    /// The rest of the current event.
    unsent: Bytes,
    lease: Option<ByteLease>,
    messages: mpsc::Receiver<Outgoing>,
    keep_alive: Pin<Box<Sleep>>,
    is_finished: bool,
    /// Dropped with the last message.
    guard: Option<Box<dyn Send>>,
    /// Done when the caller is admitted no longer.
    revoked: Option<Pin<Box<WaitForCancellationFutureOwned>>>,
}

impl SseStream {
    pub(super) fn new(first: Option<EncodedMessage>, messages: mpsc::Receiver<Outgoing>, guard: Box<dyn Send>) -> Self {
        let keep_alive = Box::pin(sleep(SSE_KEEP_ALIVE_INTERVAL));
        let (unsent, lease) =
            first.map_or_else(Default::default, |first| (encode_event(&first.bytes), Some(first.lease)));
        Self { unsent, lease, messages, keep_alive, is_finished: false, guard: Some(guard), revoked: None }
    }

    /// Returns a stream that begins with a keep-alive, so that its client sees that it is open.
    pub(super) fn with_keep_alive(messages: mpsc::Receiver<Outgoing>, guard: Box<dyn Send>) -> Self {
        Self { unsent: Bytes::from_static(KEEP_ALIVE_EVENT), ..Self::new(None, messages, guard) }
    }

    fn next_chunk(&mut self) -> Bytes {
        let chunk = self.unsent.split_to(CHUNK_BYTES.min(self.unsent.len()));
        if let Some(lease) = &mut self.lease {
            lease.release(chunk.len());
        }
        if self.unsent.is_empty() {
            self.lease = None;
        }
        chunk
    }

    fn poll_chunk(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if !self.unsent.is_empty() {
            return Poll::Ready(Some(self.next_chunk()));
        }
        if self.is_finished {
            return Poll::Ready(None);
        }
        if self.revoked.as_mut().is_some_and(|revoked| revoked.as_mut().poll(context).is_ready()) {
            (self.is_finished, self.guard, self.revoked) = (true, None, None);
            return Poll::Ready(None);
        }
        match self.messages.poll_recv(context) {
            Poll::Ready(None) => {
                self.is_finished = true;
                Poll::Ready(None)
            }
            Poll::Ready(Some(outgoing)) => {
                let message = match outgoing {
                    Outgoing::Interim(message) => message,
                    // The work is done: its permit is released, however long the client takes to read.
                    Outgoing::Final { message, .. } => {
                        (self.is_finished, self.guard) = (true, None);
                        message
                    }
                };
                self.keep_alive = Box::pin(sleep(SSE_KEEP_ALIVE_INTERVAL));
                (self.unsent, self.lease) = (encode_event(&message.bytes), Some(message.lease));
                Poll::Ready(Some(self.next_chunk()))
            }
            Poll::Pending => {
                if self.keep_alive.as_mut().poll(context).is_pending() {
                    return Poll::Pending;
                }
                self.keep_alive = Box::pin(sleep(SSE_KEEP_ALIVE_INTERVAL));
                // Polled, so that the new timer wakes this task.
                let _ = self.keep_alive.as_mut().poll(context);
                Poll::Ready(Some(Bytes::from_static(KEEP_ALIVE_EVENT)))
            }
        }
    }
}

/// Encodes a message as an event. JSON contains only escaped line ends.
fn encode_event(message: &[u8]) -> Bytes {
    [b"event: message\ndata: ", message, b"\n\n"].concat().into()
}

impl hyper::body::Body for ResponseBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = self.get_mut();
        let next = match &mut this.content {
            ResponseContent::Empty => Poll::Ready(None),
            ResponseContent::Full(bytes, lease) => {
                let chunk = bytes.split_to(CHUNK_BYTES.min(bytes.len()));
                if let Some(lease) = lease {
                    lease.release(chunk.len());
                }
                Poll::Ready((!chunk.is_empty()).then_some(chunk))
            }
            ResponseContent::Sse(stream) => stream.poll_chunk(context),
            ResponseContent::Versions(stream) => stream.poll_chunk(context),
        };
        this.report_unsent();
        next.map(|chunk| chunk.map(|chunk| Ok(Frame::data(chunk))))
    }

    fn is_end_stream(&self) -> bool {
        match &self.content {
            ResponseContent::Empty => true,
            ResponseContent::Full(bytes, _) => bytes.is_empty(),
            ResponseContent::Sse(_) | ResponseContent::Versions(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.content {
            ResponseContent::Empty => SizeHint::with_exact(0),
            ResponseContent::Full(bytes, _) => SizeHint::with_exact(bytes.len() as u64),
            ResponseContent::Sse(_) | ResponseContent::Versions(_) => SizeHint::default(),
        }
    }
}

pub(super) fn json_response(status: StatusCode, bytes: Vec<u8>, lease: Option<ByteLease>) -> Response<ResponseBody> {
    let mut reply = Response::new(ResponseBody::from(ResponseContent::Full(bytes.into(), lease)));
    *reply.status_mut() = status;
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    reply
}

pub(super) fn sse_response(stream: SseStream) -> Response<ResponseBody> {
    let mut reply = Response::new(ResponseBody::from(ResponseContent::Sse(Box::new(stream))));
    let headers = reply.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(ACCEL_BUFFERING_HEADER, HeaderValue::from_static("no"));
    reply
}

/// The reply of a page.
pub(super) fn page_response(head: Parts, bytes: Vec<u8>) -> Response<ResponseBody> {
    Response::from_parts(head, ResponseContent::Full(bytes.into(), None).into())
}

/// The reply with the versions of pages.
pub(super) fn version_response(head: Parts, stream: VersionStream) -> Response<ResponseBody> {
    Response::from_parts(head, ResponseContent::Versions(Box::new(stream)).into())
}

pub(super) fn empty_response(status: StatusCode) -> Response<ResponseBody> {
    let mut reply = Response::new(ResponseBody::from(ResponseContent::Empty));
    *reply.status_mut() = status;
    reply
}

/// An error instead of an answer, as a JSON-RPC error, because clients show that.
#[derive(Debug)]
pub(super) struct HttpError {
    status: StatusCode,
    error: Box<ErrorData>,
    id: Option<RequestId>,
    header: Option<(HeaderName, &'static str)>,
}

impl HttpError {
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, error: Box::new(error::invalid_request(message)), id: None, header: None }
    }

    pub(super) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    pub(super) fn forbidden(message: &str) -> Self {
        Self::new(StatusCode::FORBIDDEN, message)
    }

    pub(super) fn not_found(message: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, message)
    }

    /// Upon this a client initializes again.
    pub(super) fn session_not_found() -> Self {
        Self::not_found("unknown or expired session: start one with `initialize`")
    }

    pub(super) fn method_not_allowed(allowed: &'static str) -> Self {
        let header = Some((ALLOW, allowed));
        Self { header, ..Self::new(StatusCode::METHOD_NOT_ALLOWED, "this path does not support the method") }
    }

    pub(super) fn service_unavailable(message: impl Into<String>) -> Self {
        let header = Some((RETRY_AFTER, "5"));
        let status = StatusCode::SERVICE_UNAVAILABLE;
        Self { status, error: Box::new(error::busy(message)), id: None, header }
    }

    /// An error of the server, not of the client.
    pub(super) fn internal(message: &str) -> Self {
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        Self { status, error: Box::new(error::internal_with_message(message)), id: None, header: None }
    }

    pub(super) fn unauthorized(message: &str, challenge: &'static str) -> Self {
        let header = Some((WWW_AUTHENTICATE, challenge));
        Self { header, ..Self::new(StatusCode::UNAUTHORIZED, message) }
    }

    /// An error of the protocol that is also an error of HTTP.
    pub(super) fn protocol_error(error: ErrorData, id: Option<RequestId>) -> Self {
        Self { status: StatusCode::BAD_REQUEST, error: Box::new(error), id, header: None }
    }

    pub(super) const fn status(&self) -> StatusCode {
        self.status
    }

    pub(super) fn with_request_id(self, id: Option<RequestId>) -> Self {
        Self { id, ..self }
    }

    pub(super) fn into_response(self) -> Response<ResponseBody> {
        let error = ServerJsonRpcMessage::error(*self.error, self.id);
        let mut reply = json_response(self.status, serde_json::to_vec(&error).unwrap_or_default(), None);
        if let Some((name, value)) = self.header {
            reply.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        reply
    }
}
