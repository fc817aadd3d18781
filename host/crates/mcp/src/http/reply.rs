//! Replies: what goes into the body of one, and what is said instead of an answer.
//!
//! Owns: the bodies. A long one is handed over piece by piece, as the client takes it; a stream says now and then that it
//! is there.
//! Never: makes an answer of its own to what the handlers should answer.

use std::convert::Infallible;
use std::future::Future as _;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use hyper::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use hyper::{Response, StatusCode};
use rmcp::model::{ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage};
use tokio::sync::mpsc;
use tokio::time::{Sleep, sleep};

use super::desk::{Message, Out};
use super::seats::Busy;
use super::unsent::Held;
use crate::error::BUSY;
use wardroom_base::limits::KEEP_ALIVE_TIME;

pub(super) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");
/// Handed over at once, in bytes.
const PIECE: usize = 64 * 1024;
/// What says nothing to a reader of events.
const QUIET: &[u8] = b":\n\n";

pub(super) struct Body {
    content: Content,
    /// The connection has a request until its reply was taken.
    busy: Option<Busy>,
}

enum Content {
    Empty,
    Whole(Bytes, Option<Held>),
    Events(Box<Events>),
}

impl Body {
    /// The same, for a request of that connection.
    pub(super) fn of(self, busy: Busy) -> Self {
        let this = Self { busy: Some(busy), ..self };
        this.tell();
        this
    }

    /// Says what is left.
    fn tell(&self) {
        let left = match &self.content {
            Content::Empty => 0,
            Content::Whole(bytes, _) => bytes.len(),
            Content::Events(events) => events.rest.len(),
        };
        self.busy.iter().for_each(|busy| busy.left(left));
    }
}

impl From<Content> for Body {
    fn from(content: Content) -> Self {
        Self { content, busy: None }
    }
}

/// A stream of messages.
pub(super) struct Events {
    /// What of a message was not handed over yet.
    rest: Bytes,
    held: Option<Held>,
    messages: mpsc::Receiver<Out>,
    quiet: Pin<Box<Sleep>>,
    is_over: bool,
    /// What ends with the last message.
    guard: Option<Box<dyn Send>>,
}

impl Events {
    pub(super) fn new(first: Option<Message>, messages: mpsc::Receiver<Out>, guard: Box<dyn Send>) -> Self {
        let quiet = Box::pin(sleep(KEEP_ALIVE_TIME));
        let (rest, held) = first.map_or_else(Default::default, |first| (event(&first.bytes), Some(first.held)));
        Self { rest, held, messages, quiet, is_over: false, guard: Some(guard) }
    }

    /// A stream that begins with nothing: its client hears that it is open.
    pub(super) fn quiet(messages: mpsc::Receiver<Out>, guard: Box<dyn Send>) -> Self {
        Self { rest: Bytes::from_static(QUIET), ..Self::new(None, messages, guard) }
    }

    fn piece(&mut self) -> Bytes {
        let piece = self.rest.split_to(PIECE.min(self.rest.len()));
        if let Some(held) = &mut self.held {
            held.give_back(piece.len());
        }
        if self.rest.is_empty() {
            self.held = None;
        }
        piece
    }

    fn next(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if !self.rest.is_empty() {
            return Poll::Ready(Some(self.piece()));
        }
        if self.is_over {
            return Poll::Ready(None);
        }
        match self.messages.poll_recv(context) {
            Poll::Ready(None) => {
                self.is_over = true;
                Poll::Ready(None)
            }
            Poll::Ready(Some(out)) => {
                let message = match out {
                    Out::More(message) => message,
                    // The work is done: how long the client takes over it is nobody else's time.
                    Out::Last { message, .. } => {
                        (self.is_over, self.guard) = (true, None);
                        message
                    }
                };
                self.quiet = Box::pin(sleep(KEEP_ALIVE_TIME));
                (self.rest, self.held) = (event(&message.bytes), Some(message.held));
                Poll::Ready(Some(self.piece()))
            }
            Poll::Pending => {
                if self.quiet.as_mut().poll(context).is_pending() {
                    return Poll::Pending;
                }
                self.quiet = Box::pin(sleep(KEEP_ALIVE_TIME));
                // The new one wakes this task.
                let _ = self.quiet.as_mut().poll(context);
                Poll::Ready(Some(Bytes::from_static(QUIET)))
            }
        }
    }
}

/// JSON has no line ends but escaped ones.
fn event(message: &[u8]) -> Bytes {
    [b"event: message\ndata: ", message, b"\n\n"].concat().into()
}

impl hyper::body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = self.get_mut();
        let next = match &mut this.content {
            Content::Empty => Poll::Ready(None),
            Content::Whole(bytes, held) => {
                let piece = bytes.split_to(PIECE.min(bytes.len()));
                if let Some(held) = held {
                    held.give_back(piece.len());
                }
                Poll::Ready((!piece.is_empty()).then_some(piece))
            }
            Content::Events(events) => events.next(context),
        };
        this.tell();
        next.map(|piece| piece.map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        match &self.content {
            Content::Empty => true,
            Content::Whole(bytes, _) => bytes.is_empty(),
            Content::Events(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.content {
            Content::Empty => SizeHint::with_exact(0),
            Content::Whole(bytes, _) => SizeHint::with_exact(bytes.len() as u64),
            Content::Events(_) => SizeHint::default(),
        }
    }
}

pub(super) fn json(status: StatusCode, bytes: Vec<u8>, held: Option<Held>) -> Response<Body> {
    let mut reply = Response::new(Body::from(Content::Whole(bytes.into(), held)));
    *reply.status_mut() = status;
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    reply
}

pub(super) fn events(events: Events) -> Response<Body> {
    let mut reply = Response::new(Body::from(Content::Events(Box::new(events))));
    let headers = reply.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(BUFFERING, HeaderValue::from_static("no"));
    reply
}

pub(super) fn empty(status: StatusCode) -> Response<Body> {
    let mut reply = Response::new(Body::from(Content::Empty));
    *reply.status_mut() = status;
    reply
}

/// What is said instead of an answer, in the form of one: clients show it.
#[derive(Debug)]
pub(super) struct Refusal {
    status: StatusCode,
    code: ErrorCode,
    message: String,
    id: Option<RequestId>,
    header: Option<(HeaderName, &'static str)>,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, code: ErrorCode::INVALID_REQUEST, message: message.into(), id: None, header: None }
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

    pub(super) fn not_allowed(allowed: &'static str) -> Self {
        let header = Some((ALLOW, allowed));
        Self { header, ..Self::new(StatusCode::METHOD_NOT_ALLOWED, "this path has no such method") }
    }

    pub(super) fn busy(message: impl Into<String>) -> Self {
        let header = Some((RETRY_AFTER, "5"));
        Self { code: BUSY, header, ..Self::new(StatusCode::SERVICE_UNAVAILABLE, message) }
    }

    /// What is nobody's fault who asks.
    pub(super) fn failed(message: &str) -> Self {
        Self { code: ErrorCode::INTERNAL_ERROR, ..Self::new(StatusCode::INTERNAL_SERVER_ERROR, message) }
    }

    pub(super) fn unauthorized(message: &str, challenge: &'static str) -> Self {
        let header = Some((WWW_AUTHENTICATE, challenge));
        Self { header, ..Self::new(StatusCode::UNAUTHORIZED, message) }
    }

    /// An error of the protocol that is also one of HTTP's.
    pub(super) fn of(code: ErrorCode, message: impl Into<String>, id: Option<RequestId>) -> Self {
        Self { code, id, ..Self::bad_request(message) }
    }

    pub(super) fn for_request(self, id: Option<RequestId>) -> Self {
        Self { id, ..self }
    }

    pub(super) fn reply(self) -> Response<Body> {
        let error = ServerJsonRpcMessage::error(ErrorData::new(self.code, self.message, None), self.id);
        let mut reply = json(self.status, serde_json::to_vec(&error).unwrap_or_default(), None);
        if let Some((name, value)) = self.header {
            reply.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        reply
    }
}
