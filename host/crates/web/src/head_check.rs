//! The checks of a request before its body is read.
//!
//! Owns: their order: the host, the origin, the method, the session, the type of the form.
//! Never: waits, or reads a page of a service.

use std::thread;
use std::time::SystemTime;

use http::header::{ALLOW, CONTENT_TYPE, HOST, HeaderValue, ORIGIN};
use http::request::Parts;
use http::{HeaderMap, Method, StatusCode};

use crate::layout::{PageFrame, error_page, sign_in_page};
use crate::limits::MAX_FORM_BYTES;
use crate::response::{HttpReply, html_response};
use crate::session::ReviewSession;
use crate::{PREFIX, ReviewSite};
use wardroom_service::CheckedHead;
use wardroom_service::audit::AuditSource;

const FORM_TYPE: &str = "application/x-www-form-urlencoded";
/// What a browser says of where a request comes from.
const FETCH_SITE: &str = "sec-fetch-site";

pub(crate) fn check_head(site: &ReviewSite, head: &Parts) -> Result<CheckedHead, Box<HttpReply>> {
    let is_own = check_host(site, head).and_then(|host| check_origin(head, host));
    is_own.inspect_err(|_| audit_refusal(site, "host or origin"))?;
    let is_public = is_public(head.uri.path());
    let max_body_bytes = match head.method {
        Method::GET | Method::HEAD => 0,
        // Everyone may ask for a public path, so that no body of such a request is read.
        _ if is_public => return Err(wrong_method("This address is opened with GET.", "GET, HEAD")),
        Method::POST => MAX_FORM_BYTES,
        _ => {
            let reason = "A page is read with GET, and a form is sent with POST.";
            return Err(wrong_method(reason, "GET, HEAD, POST"));
        }
    };
    if !is_public && find_session(site, head).is_none() {
        audit_refusal(site, "no session");
        let page = sign_in_page("You are not signed in, or no longer.");
        return Err(Box::new(html_response(StatusCode::FORBIDDEN, page)));
    }
    if head.method == Method::POST {
        let given = only_header(&head.headers, CONTENT_TYPE.as_str()).ok().flatten();
        let media_type = given.unwrap_or_default().split(|byte| *byte == b';').next().unwrap_or_default();
        if !media_type.trim_ascii().eq_ignore_ascii_case(FORM_TYPE.as_bytes()) {
            return Err(boxed(415, "A form is sent as application/x-www-form-urlencoded."));
        }
    }
    Ok(CheckedHead { max_body_bytes })
}

/// Counts a request that was refused before its sender was known.
fn audit_refusal(site: &ReviewSite, reason: &str) {
    let trail = site.catalogue.audit().clone();
    if trail.count_refusal(&AuditSource::unauthenticated(false), PREFIX, reason) {
        // Counts are due once for each interval. Without a thread the next record writes them.
        drop(thread::Builder::new().spawn(move || trail.write_counts()));
    }
}

/// Whether a path is shown to everyone: the files of the pages, and the address that signs in.
fn is_public(path: &str) -> bool {
    path.strip_prefix(PREFIX).is_some_and(|rest| rest == "/open" || rest.starts_with("/assets/"))
}

/// Returns the session of a request, unless it was signed out.
pub(crate) fn find_session(site: &ReviewSite, head: &Parts) -> Option<ReviewSession> {
    let session = ReviewSession::find(&head.headers, &site.key, SystemTime::now())?;
    (!site.signed_out.contains(&session)).then_some(session)
}

/// Checks that a request names the host of the pages, and no other one. Returns it with its port.
fn check_host<'h>(site: &ReviewSite, head: &'h Parts) -> Result<&'h str, Box<HttpReply>> {
    let wrong = || {
        boxed(
            403,
            "This address shows no page. Look at the review page in the window where you are signed in, or run wardroom \
             review to sign in.",
        )
    };
    let host = only_header(&head.headers, HOST.as_str()).ok().flatten().ok_or_else(wrong)?;
    let host = std::str::from_utf8(host).map_err(|_| wrong())?;
    // The request line may name a host as well.
    let target = head.uri.authority().map(http::uri::Authority::as_str);
    let is_own = |named: &str| {
        let (name, port) = named.split_once(':').unwrap_or((named, "80"));
        name.eq_ignore_ascii_case(&site.host)
            && port.bytes().all(|byte| byte.is_ascii_digit())
            && port.parse::<u16>().is_ok()
    };
    if std::iter::once(host).chain(target).all(is_own) { Ok(host) } else { Err(wrong()) }
}

/// Checks that a request that names an origin comes from a page of this host. A browser hides the origin of a form on a
/// page that sends no referrer, and then says in another header where the form is.
fn check_origin(head: &Parts, host: &str) -> Result<(), Box<HttpReply>> {
    let foreign = || boxed(403, "This request comes from a page of another server.");
    let origin = only_header(&head.headers, ORIGIN.as_str()).map_err(|()| foreign())?;
    let site = only_header(&head.headers, FETCH_SITE).map_err(|()| foreign())?;
    let is_same_site = site == Some(b"same-origin");
    let is_own_origin = match origin {
        None => true,
        Some(b"null") => is_same_site,
        Some(origin) => origin.strip_prefix(b"http://").is_some_and(|rest| rest.eq_ignore_ascii_case(host.as_bytes())),
    };
    let is_own_form = head.method != Method::POST || site.is_none() || is_same_site;
    if is_own_origin && is_own_form { Ok(()) } else { Err(foreign()) }
}

/// Returns the only value of a header; an error if there are several.
fn only_header<'h>(headers: &'h HeaderMap, name: &str) -> Result<Option<&'h [u8]>, ()> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    if values.next().is_some() { Err(()) } else { Ok(first.map(HeaderValue::as_bytes)) }
}

fn wrong_method(reason: &str, allowed: &'static str) -> Box<HttpReply> {
    let mut reply = boxed(405, reason);
    reply.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    reply
}

fn boxed(status: u16, reason: &str) -> Box<HttpReply> {
    Box::new(refuse(status, reason))
}

/// Returns a page with a status and the reason.
pub(crate) fn refuse(status: u16, reason: &str) -> HttpReply {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::FORBIDDEN);
    html_response(status, error_page(&PageFrame::default(), title_of(status), reason))
}

/// Returns the heading of a page that shows an error.
pub(crate) const fn title_of(status: StatusCode) -> &'static str {
    match status {
        StatusCode::BAD_REQUEST => "Not understood",
        StatusCode::FORBIDDEN => "Not allowed",
        StatusCode::NOT_FOUND => "Not found",
        StatusCode::METHOD_NOT_ALLOWED | StatusCode::UNSUPPORTED_MEDIA_TYPE => "Not a request of a page",
        StatusCode::REQUEST_TIMEOUT => "Too slow",
        StatusCode::PAYLOAD_TOO_LARGE => "Too long",
        StatusCode::SERVICE_UNAVAILABLE => "Busy",
        _ => "Something went wrong",
    }
}
