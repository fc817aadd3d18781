//! Reading what a client sends, within bounds: on the bytes of one body, on its time, and on all that are read at once.

use std::sync::Arc;

use http_body_util::BodyExt as _;
use hyper::StatusCode;
use hyper::body::{Body as _, Incoming};
use hyper::header::{CONTENT_LENGTH, HeaderMap};
use tokio::time::{Instant, timeout_at};

use super::reply::Refusal;
use super::unsent::{Held, Tally};
use wardroom_base::limits::{BODY_TIME, MAX_LINE_BYTES, SMALL_BODY_BYTES, STALL_TIME};

/// The whole body. What is held of it is counted as long as the second part is there.
pub(super) async fn read(
    headers: &HeaderMap,
    mut body: Incoming,
    reading: &Arc<Tally>,
) -> Result<(Vec<u8>, Held), Refusal> {
    // What is known to be too long is not read at all.
    let length = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if length
        .max(body.size_hint().upper().filter(|_| length.is_none()))
        .is_some_and(|length| length > MAX_LINE_BYTES as u64)
    {
        return Err(too_long());
    }
    let mut held = reading.hold(0);
    let mut bytes = Vec::new();
    let deadline = Instant::now() + BODY_TIME;
    loop {
        let patience = deadline.min(Instant::now() + STALL_TIME);
        let next = timeout_at(patience, body.frame()).await;
        let Some(frame) = next.map_err(|_| if patience == deadline { slow() } else { stalled() })? else { break };
        let frame = frame.map_err(|_| Refusal::bad_request("the body ends before its time"))?;
        let Ok(data) = frame.into_data() else { continue };
        if bytes.len() + data.len() > MAX_LINE_BYTES {
            return Err(too_long());
        }
        // Whoever sends little gets through, however much others send.
        if !held.grow(data.len()) && bytes.len() + data.len() > SMALL_BODY_BYTES {
            return Err(busy());
        }
        bytes.extend_from_slice(&data);
    }
    Ok((bytes, held))
}

pub(super) fn busy() -> Refusal {
    Refusal::busy("too much is being sent to this server at once")
}

fn too_long() -> Refusal {
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, format!("the message is longer than {MAX_LINE_BYTES} bytes"))
}

fn stalled() -> Refusal {
    Refusal::new(StatusCode::REQUEST_TIMEOUT, "the message stopped before its end")
}

fn slow() -> Refusal {
    Refusal::new(StatusCode::REQUEST_TIMEOUT, "the message took too long")
}
