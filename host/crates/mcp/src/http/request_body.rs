//! Reads request bodies, with bounds on the bytes and the time of each, and on the bytes of all that are read at once.

use futures_util::FutureExt as _;
use http_body_util::BodyExt as _;
use hyper::StatusCode;
use hyper::body::{Body as _, Incoming};
use hyper::header::{CONTENT_LENGTH, HeaderMap};
use tokio::time::{Instant, timeout_at};

use super::connection_limiter::ConnectionSlot;
use super::receive_budget::ReceiveLease;
use super::response::HttpError;
use crate::http::limits::{ALWAYS_ACCEPTED_BODY_BYTES, REQUEST_BODY_STALL_TIMEOUT, REQUEST_BODY_TIMEOUT};
use wardroom_base::byte_size::ByteSize;
use wardroom_service::limits::MAX_MESSAGE_BYTES;

/// A body that is not read yet, and the connection that it comes from.
pub(super) struct RequestBody<'c> {
    pub(super) incoming: Incoming,
    pub(super) slot: &'c ConnectionSlot,
}

impl RequestBody<'_> {
    /// Reads a whole message. Its bytes are counted as long as the lease is held.
    pub(super) async fn read_message(
        self,
        headers: &HeaderMap,
        lease: ReceiveLease,
    ) -> Result<(Vec<u8>, ReceiveLease), HttpError> {
        self.read(headers, lease, MAX_MESSAGE_BYTES).await
    }

    /// Reads a whole body of at most `limit` bytes.
    pub(super) async fn read(
        self,
        headers: &HeaderMap,
        mut lease: ReceiveLease,
        limit: usize,
    ) -> Result<(Vec<u8>, ReceiveLease), HttpError> {
        let Self { incoming: mut body, slot } = self;
        // A body that is known to be too long is not read.
        let length = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        if length.max(body.size_hint().upper().filter(|_| length.is_none())).is_some_and(|length| length > limit as u64)
        {
            return Err(too_large_error(limit));
        }
        let mut bytes = Vec::new();
        // Most bodies are there with their head: nothing is waited for, and no time is read.
        let mut waiting = None;
        loop {
            let next = match body.frame().now_or_never() {
                Some(next) => next,
                None => {
                    let now = Instant::now();
                    let begin = || (now + REQUEST_BODY_TIMEOUT, slot.begin_receiving());
                    let deadline = waiting.get_or_insert_with(begin).0;
                    let frame_deadline = deadline.min(now + REQUEST_BODY_STALL_TIMEOUT);
                    let ended = if frame_deadline == deadline { timeout_error } else { stall_error };
                    timeout_at(frame_deadline, body.frame()).await.map_err(|_| ended())?
                }
            };
            let Some(frame) = next else { break };
            let frame = frame.map_err(|_| HttpError::bad_request("the body ended early"))?;
            let Ok(data) = frame.into_data() else { continue };
            let received = bytes.len() + data.len();
            if received > limit {
                return Err(too_large_error(limit));
            }
            // A small body is read, however much others send.
            match lease.resize(received) {
                Err(error) if received > ALWAYS_ACCEPTED_BODY_BYTES => return Err(error),
                Ok(()) | Err(_) => {}
            }
            bytes.extend_from_slice(&data);
        }
        Ok((bytes, lease))
    }
}

fn too_large_error(limit: usize) -> HttpError {
    HttpError::new(StatusCode::PAYLOAD_TOO_LARGE, format!("the message is longer than {}", ByteSize(limit as u64)))
}

fn stall_error() -> HttpError {
    HttpError::new(StatusCode::REQUEST_TIMEOUT, "the message stalled before its end")
}

fn timeout_error() -> HttpError {
    HttpError::new(StatusCode::REQUEST_TIMEOUT, "the message took too long to arrive")
}
