//! Replies, with the headers that every one of them has.
//!
//! Owns: the policies of what a browser may do with a reply, one for each kind.
//! Never: lets a browser keep a reply, run a script or apply a style that is not a file of ours, or show a page in a
//! frame.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue, LOCATION,
    REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use http::{Response, StatusCode};
use sha2::{Digest as _, Sha256};

use crate::assets::PREVIEW_STYLE;
use wardroom_service::HttpPageBody;

pub(crate) type HttpReply = Response<HttpPageBody>;

const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// What a page may load: files of this server, and pictures that are part of the page.
const PAGE_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; \
     frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);
/// A file is shown within a page, and does nothing by itself.
const FILE_POLICY: HeaderValue = HeaderValue::from_static("sandbox; default-src 'none'; frame-ancestors 'none'");
/// Of untrusted HTML nothing runs and nothing is loaded. The only style is ours, known by its hash.
static PREVIEW_POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    let hash = STANDARD.encode(Sha256::digest(PREVIEW_STYLE));
    let policy = format!(
        "sandbox; default-src 'none'; img-src data:; style-src 'sha256-{hash}'; form-action 'none'; base-uri 'none'; \
         frame-ancestors 'self'"
    );
    HeaderValue::from_str(&policy).unwrap_or_else(|_| HeaderValue::from_static("sandbox; default-src 'none'"))
});

/// The types of pictures that browsers show. Other files are only saved.
const PICTURE_TYPES: [&str; 4] = ["image/gif", "image/jpeg", "image/png", "image/webp"];

pub(crate) fn html_response(status: StatusCode, html: String) -> HttpReply {
    build(status, HeaderValue::from_static("text/html; charset=utf-8"), html.into_bytes())
}

pub(crate) fn preview_response(html: String) -> HttpReply {
    let mut reply = html_response(StatusCode::OK, html);
    reply.headers_mut().insert(CONTENT_SECURITY_POLICY, PREVIEW_POLICY.clone());
    reply
}

pub(crate) fn file_response(mime_type: &str, bytes: Vec<u8>) -> HttpReply {
    let picture_type = PICTURE_TYPES.into_iter().find(|known| *known == mime_type);
    let content_type = HeaderValue::from_static(picture_type.unwrap_or("application/octet-stream"));
    let mut reply = build(StatusCode::OK, content_type, bytes);
    reply.headers_mut().insert(CONTENT_SECURITY_POLICY, FILE_POLICY);
    if picture_type.is_none() {
        reply.headers_mut().insert(CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
    }
    reply
}

/// A file of the pages themselves.
pub(crate) fn asset_response(content_type: &'static str, content: &'static str) -> HttpReply {
    build(StatusCode::OK, HeaderValue::from_static(content_type), content.into())
}

/// Has the browser read another page of this server.
pub(crate) fn redirect_response(path: &str) -> HttpReply {
    let mut reply = html_response(StatusCode::SEE_OTHER, String::new());
    // A path that is no header value has been made of names that were not encoded.
    let location = HeaderValue::from_str(path).unwrap_or_else(|_| HeaderValue::from_static(crate::PREFIX));
    reply.headers_mut().insert(LOCATION, location);
    reply
}

/// Adds the security headers to a reply of any kind.
pub(crate) fn build(status: StatusCode, content_type: HeaderValue, bytes: Vec<u8>) -> HttpReply {
    with_security_headers(status, content_type, HttpPageBody::Bytes(bytes))
}

pub(crate) fn with_security_headers(status: StatusCode, content_type: HeaderValue, body: HttpPageBody) -> HttpReply {
    let mut reply = Response::new(body);
    *reply.status_mut() = status;
    let same_origin = HeaderValue::from_static("same-origin");
    reply.headers_mut().extend([
        (CONTENT_TYPE, content_type),
        (CONTENT_SECURITY_POLICY, PAGE_POLICY),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (OPENER_POLICY, same_origin.clone()),
        (RESOURCE_POLICY, same_origin),
    ]);
    reply
}
