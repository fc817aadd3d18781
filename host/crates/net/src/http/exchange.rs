//! One request, with its redirects.
//!
//! Owns: which redirects are followed and which parts of the request they keep, the limits of a response, and the error
//! messages.
//! Never: follows a redirect from https to http, or sends a secret or a body to another host.

use std::io::Read as _;
use std::time::{Duration, Instant};

use ureq::http::header::{self, HeaderName, HeaderValue};
use ureq::http::{Method, Request, Response, StatusCode};
use ureq::{Agent, Body};
use url::Url;

use super::{FetchRequestHead, FetchResponseHead};
use crate::NetError;
use crate::limits::{
    MAX_FETCH_BODY_BYTES, MAX_FETCH_HEADER_BYTES, MAX_FETCH_HEADERS, MAX_FETCH_REDIRECTS, MAX_FETCH_TIMEOUT,
    MAX_URL_BYTES,
};
use wardroom_base::byte_size::ByteSize;

const ALLOWED_METHODS: [Method; 7] =
    [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS];
/// Headers of the message framing, which a caller cannot set.
const RESERVED_HEADERS: [HeaderName; 11] = [
    header::HOST,
    header::CONTENT_LENGTH,
    header::TRANSFER_ENCODING,
    header::CONNECTION,
    header::UPGRADE,
    header::TE,
    header::TRAILER,
    header::EXPECT,
    header::ACCEPT_ENCODING,
    header::PROXY_AUTHORIZATION,
    header::PROXY_AUTHENTICATE,
];
/// The headers that a redirect to another origin keeps.
const CROSS_ORIGIN_HEADERS: [HeaderName; 4] =
    [header::ACCEPT, header::ACCEPT_LANGUAGE, header::CONTENT_TYPE, header::USER_AGENT];

/// How much of a malformed header's name a message shows.
const MAX_SHOWN_HEADER_CHARS: usize = 40;

/// The next request of a redirect chain.
struct FetchHop {
    method: Method,
    url: Url,
    headers: Vec<(HeaderName, HeaderValue)>,
    body: Vec<u8>,
}

pub(super) fn execute(
    agent: &Agent,
    head: &FetchRequestHead,
    body: Vec<u8>,
) -> Result<(FetchResponseHead, Vec<u8>), NetError> {
    let deadline = Instant::now() + head.timeout.min(MAX_FETCH_TIMEOUT);
    let mut hop = FetchHop {
        method: parse_method(&head.method)?,
        url: parse_url(&head.url)?,
        headers: parse_headers(head)?,
        body,
    };
    if hop.method == Method::HEAD && !hop.body.is_empty() {
        return Err(NetError::Invalid("a HEAD request has no body".to_owned()));
    }
    for n_redirects in 0..=MAX_FETCH_REDIRECTS {
        head.policy.check_url(&hop.url).map_err(|error| match error {
            NetError::Refused(why) if n_redirects > 0 => {
                NetError::Refused(format!("it redirects to {}: {why}", hop.url.host_str().unwrap_or_default()))
            }
            NetError::HostNotAllowed { host, .. } => NetError::HostNotAllowed { host, is_redirect: n_redirects > 0 },
            error => error,
        })?;
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(NetError::TimedOut);
        }
        let response = send_request(agent, &hop, left)?;
        match redirect_target(&hop.url, &response)? {
            Some(url) => hop = hop.follow_redirect(url, response.status())?,
            None => return read_response(&hop, response, head.max_bytes.min(MAX_FETCH_BODY_BYTES)),
        }
    }
    Err(NetError::TooManyRedirects)
}

fn parse_method(name: &str) -> Result<Method, NetError> {
    let known = ALLOWED_METHODS.into_iter().find(|known| known.as_str() == name);
    known.ok_or_else(|| {
        NetError::Invalid("the method must be GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS".to_owned())
    })
}

fn parse_url(text: &str) -> Result<Url, NetError> {
    if text.len() > MAX_URL_BYTES {
        return Err(NetError::Invalid(format!("the URL is longer than {}", ByteSize(MAX_URL_BYTES as u64))));
    }
    let mut url = Url::parse(text)
        .map_err(|_| NetError::Invalid("the URL is invalid: write it whole, with https://".to_owned()))?;
    url.set_fragment(None);
    Ok(url)
}

fn parse_headers(head: &FetchRequestHead) -> Result<Vec<(HeaderName, HeaderValue)>, NetError> {
    let invalid = NetError::Invalid;
    let bytes: usize = head.headers.iter().map(|(name, value)| name.len() + value.len()).sum();
    if head.headers.len() > MAX_FETCH_HEADERS || bytes > MAX_FETCH_HEADER_BYTES {
        return Err(invalid(format!(
            "a request has at most {MAX_FETCH_HEADERS} headers, of {} together",
            ByteSize(MAX_FETCH_HEADER_BYTES as u64)
        )));
    }
    let mut headers = Vec::with_capacity(head.headers.len());
    for (name, value) in &head.headers {
        let known = HeaderName::from_bytes(name.as_bytes()).ok().zip(HeaderValue::from_str(value).ok());
        let shown: String = name.chars().take(MAX_SHOWN_HEADER_CHARS).collect();
        let (name, value) =
            known.ok_or_else(|| invalid(format!("the header {} is malformed", shown.escape_debug())))?;
        if RESERVED_HEADERS.contains(&name) {
            return Err(invalid(format!("the header {name} cannot be set")));
        }
        headers.push((name, value));
    }
    Ok(headers)
}

fn send_request(agent: &Agent, hop: &FetchHop, left: Duration) -> Result<Response<Body>, NetError> {
    let mut request = Request::builder().method(hop.method.clone()).uri(hop.url.as_str());
    for (name, value) in &hop.headers {
        request = request.header(name, value);
    }
    let malformed = |_| NetError::Invalid("the URL is invalid".to_owned());
    let sent = if hop.body.is_empty() && !matches!(hop.method, Method::POST | Method::PUT | Method::PATCH) {
        let request = request.body(()).map_err(malformed)?;
        agent.run(agent.configure_request(request).timeout_global(Some(left)).build())
    } else {
        let request = request.body(hop.body.as_slice()).map_err(malformed)?;
        agent.run(agent.configure_request(request).timeout_global(Some(left)).build())
    };
    sent.map_err(|error| fetch_error(error, &hop.url))
}

/// Returns the target of a redirect, if the response is one.
fn redirect_target(from: &Url, response: &Response<Body>) -> Result<Option<Url>, NetError> {
    let leads_on = matches!(
        response.status(),
        StatusCode::MOVED_PERMANENTLY
            | StatusCode::FOUND
            | StatusCode::SEE_OTHER
            | StatusCode::TEMPORARY_REDIRECT
            | StatusCode::PERMANENT_REDIRECT
    );
    let Some(to) = response.headers().get(header::LOCATION).filter(|_| leads_on) else { return Ok(None) };
    let to = to.to_str().ok().filter(|to| to.len() <= MAX_URL_BYTES).and_then(|to| from.join(to).ok());
    let mut to = to.ok_or_else(|| NetError::Failed("it redirects to an invalid URL".to_owned()))?;
    to.set_fragment(None);
    if from.scheme() == "https" && to.scheme() != "https" {
        return Err(NetError::Refused("it redirects from https to another scheme".to_owned()));
    }
    Ok(Some(to))
}

impl FetchHop {
    fn follow_redirect(mut self, url: Url, status: StatusCode) -> Result<Self, NetError> {
        let keeps = matches!(status, StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
        if !keeps && self.method != Method::HEAD {
            self.method = Method::GET;
            self.body = Vec::new();
            self.headers.retain(|(name, _)| *name != header::CONTENT_TYPE);
        }
        if self.url.origin() != url.origin() {
            // The body may be as secret as a header, and is for the host that the caller named.
            if !self.body.is_empty() {
                return Err(NetError::Refused("it redirects the body of the request to another host".to_owned()));
            }
            self.headers.retain(|(name, _)| CROSS_ORIGIN_HEADERS.contains(name));
        }
        self.url = url;
        Ok(self)
    }
}

fn read_response(
    hop: &FetchHop,
    response: Response<Body>,
    most: usize,
) -> Result<(FetchResponseHead, Vec<u8>), NetError> {
    let too_large = || NetError::TooLarge(most as u64);
    let (parts, mut body) = response.into_parts();
    let encoded = parts.headers.get(header::CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity");
    if encoded {
        return Err(NetError::Failed(
            "the response is compressed, although the request did not accept that".to_owned(),
        ));
    }
    if hop.method != Method::HEAD && body.content_length().is_some_and(|length| length > most as u64) {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    let read = body.as_reader().take(most as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| fetch_error(ureq::Error::from(error), &hop.url))?;
    if bytes.len() > most {
        return Err(too_large());
    }
    let text = |value: &HeaderValue| value.to_str().ok().map(str::to_owned);
    let headers = parts.headers.iter().filter_map(|(name, value)| Some((name.as_str().to_owned(), text(value)?)));
    let answered = FetchResponseHead {
        status: parts.status.as_u16(),
        url: hop.url.as_str().to_owned(),
        headers: headers.collect(),
        length: bytes.len(),
    };
    Ok((answered, bytes))
}

/// Converts an error to a message that says nothing about this machine.
fn fetch_error(error: ureq::Error, url: &Url) -> NetError {
    let host = url.host_str().unwrap_or_default();
    match error {
        ureq::Error::Timeout(_) => NetError::TimedOut,
        ureq::Error::Other(other) => match other.downcast::<NetError>() {
            Ok(own) => *own,
            Err(_) => NetError::Failed(format!("the request to {host} failed")),
        },
        ureq::Error::HostNotFound => NetError::Failed(format!("there is no host {host}")),
        ureq::Error::Rustls(error) => tls_error(host, &error),
        ureq::Error::LargeResponseHeader(..) => {
            let limit = ByteSize(MAX_FETCH_HEADER_BYTES as u64);
            NetError::Failed(format!("{host} answers with more than {limit} of headers"))
        }
        ureq::Error::Io(error) => match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
            Some(error) => tls_error(host, error),
            None => NetError::Failed(format!("the connection to {host} failed: {}", error.kind())),
        },
        ureq::Error::Protocol(_) | ureq::Error::Http(_) => {
            NetError::Failed(format!("{host} answers with something other than HTTP, or with too many headers"))
        }
        _ => NetError::Failed(format!("the request to {host} failed")),
    }
}

/// Describes a TLS error in fixed words, since the remote side chooses the content of its certificate, and so the
/// library's words.
fn tls_error(host: &str, error: &rustls::Error) -> NetError {
    use rustls::CertificateError as Because;
    NetError::Failed(match error {
        rustls::Error::InvalidCertificate(because) => {
            let why = match because {
                Because::NotValidForName | Because::NotValidForNameContext { .. } => "is for other names",
                Because::UnknownIssuer => "has an unknown issuer",
                Because::Expired | Because::ExpiredContext { .. } => "has expired",
                Because::Revoked => "was revoked",
                _ => "is invalid",
            };
            format!("{host} cannot be trusted: its certificate {why}")
        }
        _ => format!("the TLS handshake with {host} failed"),
    })
}
