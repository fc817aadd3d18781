//! Content negotiation: media types that the server accepts, and those that a client accepts.
//!
//! Owns: the parsing of `Content-Type` and `Accept`. Requests are JSON; replies are JSON or a stream of it.

use hyper::StatusCode;
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderMap};

use super::origin_policy::single_value;
use super::response::HttpError;

/// Checks that a message is JSON, and that its client accepts both forms of a reply.
pub(super) fn check_media_types(headers: &HeaderMap) -> Result<(), HttpError> {
    let sent =
        single_value(headers, &CONTENT_TYPE).ok().flatten().and_then(|sent| sent.to_str().ok()).unwrap_or_default();
    if !essence(sent).eq_ignore_ascii_case("application/json") {
        return Err(HttpError::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "a message is application/json: name that type",
        ));
    }
    if !accepts_media_type(headers, "application/json") || !accepts_media_type(headers, "text/event-stream") {
        let message = "an answer is application/json or text/event-stream: name both in the Accept header";
        return Err(HttpError::new(StatusCode::NOT_ACCEPTABLE, message));
    }
    Ok(())
}

/// Whether a client accepts a type. Without an `Accept` header, it accepts every type.
pub(super) fn accepts_media_type(headers: &HeaderMap, media_type: &str) -> bool {
    let family = media_type.split('/').next().unwrap_or_default();
    let matches = |range: &str| {
        let is_none = range.split(';').skip(1).any(|part| {
            let (name, value) = part.split_once('=').unwrap_or_default();
            name.trim().eq_ignore_ascii_case("q") && value.trim().parse() == Ok(0.0)
        });
        let range = essence(range);
        let is_family = |of: &str| of == "*" || of.eq_ignore_ascii_case(family);
        !is_none && (range.eq_ignore_ascii_case(media_type) || range.strip_suffix("/*").is_some_and(is_family))
    };
    let mut accepted = headers.get_all(ACCEPT).iter().peekable();
    accepted.peek().is_none() || accepted.any(|value| value.to_str().is_ok_and(|value| value.split(',').any(matches)))
}

fn essence(value: &str) -> &str {
    value.split(';').next().unwrap_or_default().trim()
}
