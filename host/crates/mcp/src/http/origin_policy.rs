//! Checks `Host` and `Origin`, so that a foreign web page cannot reach a server of this machine through a browser.
//!
//! Owns: that check, for every method and path, the headers for browsers (CORS), and that a flood of refused requests is a line
//! of the log now and then.
//! Never: treats two names as one because they lead to the same address.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, HOST, HeaderMap, HeaderName,
    HeaderValue, ORIGIN, VARY,
};
use hyper::http::request::Parts;
use hyper::{Response, StatusCode};

use super::limits::REFUSAL_LOG_INTERVAL;
use super::response::{HttpError, ResponseBody, empty_response};
use wardroom_service::escape_and_truncate;

/// The hosts and origins that requests may name.
#[derive(Debug, Clone)]
pub struct OriginPolicy {
    /// Names in addition to those of this machine.
    hosts: Vec<String>,
    /// The allowed origins; `None` for the pages of this machine.
    origins: Option<Vec<Origin>>,
    log: Arc<RefusalLog>,
}

/// Writes a line for one refused request at a time, however many there are.
#[derive(Debug, Default)]
struct RefusalLog(Mutex<RefusalLogState>);

#[derive(Debug, Default)]
struct RefusalLogState {
    logged_at: Option<Instant>,
    /// The refused requests since then.
    n_left_out: u64,
}

impl RefusalLog {
    /// Returns how many refused requests had no line since the last one, if this one gets a line.
    fn admit(&self) -> Option<u64> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.logged_at.is_some_and(|at| at.elapsed() < REFUSAL_LOG_INTERVAL) {
            state.n_left_out += 1;
            return None;
        }
        state.logged_at = Some(Instant::now());
        Some(std::mem::take(&mut state.n_left_out))
    }
}

/// Stands for the port of an origin whose scheme has none.
const NO_PORT: u16 = 0;

/// The origin of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Origin {
    scheme: String,
    host: String,
    /// `None` for any port.
    port: Option<u16>,
}

/// The headers of a reply that a page may read.
const EXPOSED_HEADERS: &str = "Mcp-Session-Id, WWW-Authenticate";
const ALLOWED_METHODS: &str = "GET, POST, DELETE, OPTIONS";
const ALLOWED_HEADERS: &str = "Accept, Authorization, Content-Type, Last-Event-ID, Mcp-Method, Mcp-Name, MCP-Protocol-Version, \
                       Mcp-Session-Id";

impl OriginPolicy {
    /// Makes a policy of names, and of origins such as `https://app.example:8443`, or with `:*` for any port.
    ///
    /// # Errors
    /// Names the entry that is invalid.
    pub fn new(hosts: Vec<String>, origins: Option<&[String]>) -> Result<Self, String> {
        if let Some(wrong) = hosts.iter().find(|host| parse_host(host) != Some(host)) {
            return Err(format!("{wrong:?} is not the name of a host: write it without a port"));
        }
        let parse = |text: &String| Origin::parse_pattern(text).ok_or_else(|| format!("{text:?} is not an origin"));
        let origins = origins.map(|origins| origins.iter().map(parse).collect::<Result<_, _>>()).transpose()?;
        Ok(Self { hosts, origins, log: Arc::default() })
    }

    /// Checks a request to the address `local_ip`, and returns the origin that a browser named.
    pub(super) fn check_request(
        &self,
        head: &Parts,
        local_ip: Option<IpAddr>,
    ) -> Result<Option<HeaderValue>, HttpError> {
        let host =
            single_value(&head.headers, &HOST).map_err(|()| HttpError::bad_request("more than one Host header"))?;
        let host = host.ok_or_else(|| HttpError::bad_request("no Host header"))?;
        // The request line may name a host as well.
        let target = head.uri.authority().map(|authority| authority.as_str().as_bytes());
        if let Some(host) =
            std::iter::once(host.as_bytes()).chain(target).find(|host| !self.allows_host(host, local_ip))
        {
            if let Some(n_left_out) = self.log.admit() {
                tracing::warn!(
                    host = %escape_and_truncate(&String::from_utf8_lossy(host)),
                    refused_before = n_left_out,
                    "refused a request: its Host header is not a name of this server"
                );
            }
            return Err(HttpError::forbidden(
                "the Host header is not a name of this server; the operator can add it to `[http] hosts`",
            ));
        }
        let origin =
            single_value(&head.headers, &ORIGIN).map_err(|()| HttpError::forbidden("more than one Origin header"))?;
        if let Some(origin) = origin
            && !self.allows_origin(origin.as_bytes())
        {
            if let Some(n_left_out) = self.log.admit() {
                tracing::warn!(
                    origin = %escape_and_truncate(&String::from_utf8_lossy(origin.as_bytes())),
                    refused_before = n_left_out,
                    "refused a request: its Origin is not allowed"
                );
            }
            return Err(HttpError::forbidden("the Origin is not allowed; the operator can add it to `[http] origins`"));
        }
        Ok(origin.cloned())
    }

    /// Whether a host is allowed. Unlike a name, an address cannot be made to lead elsewhere: the one that was
    /// connected to is allowed.
    fn allows_host(&self, host: &[u8], local_ip: Option<IpAddr>) -> bool {
        let Some(name) = std::str::from_utf8(host).ok().and_then(parse_host) else { return false };
        is_loopback_host(name)
            || parse_ip(name).is_some_and(|named| local_ip == Some(named))
            || self.hosts.iter().any(|host| host.eq_ignore_ascii_case(name))
    }

    fn allows_origin(&self, origin: &[u8]) -> bool {
        let Some(origin) = std::str::from_utf8(origin).ok().and_then(Origin::parse) else { return false };
        match &self.origins {
            None => origin.is_of_web() && is_loopback_host(&origin.host),
            Some(allowed) => allowed.iter().any(|allowed| {
                allowed.scheme == origin.scheme
                    && allowed.host == origin.host
                    && (allowed.port.is_none() || allowed.port == origin.port)
            }),
        }
    }
}

impl Origin {
    /// Parses an origin as a browser writes it: a scheme, a host and perhaps a port. `null` is not an origin. Those of extensions
    /// and apps, such as `chrome-extension://ID`, have schemes of their own.
    fn parse(text: &str) -> Option<Self> {
        let text = text.to_ascii_lowercase();
        let (scheme, authority) = text.split_once("://")?;
        let usual = match scheme {
            "http" => 80,
            "https" => 443,
            // One that begins so is misspelt.
            other if is_scheme(other) && !other.starts_with("ht") => NO_PORT,
            _ => return None,
        };
        let host = parse_host(authority)?;
        let port = authority.strip_prefix(host)?.strip_prefix(':').map_or(Some(usual), |port| port.parse().ok());
        Some(Self { scheme: scheme.to_owned(), host: host.to_owned(), port: Some(port?) })
    }

    /// Parses an origin as the configuration writes it.
    fn parse_pattern(text: &str) -> Option<Self> {
        match text.strip_suffix(":*") {
            Some(text) => Some(Self { port: None, ..Self::parse(text).filter(Self::has_default_port)? }),
            None => Self::parse(text),
        }
    }

    /// Whether it is the origin of a page that was fetched by HTTP.
    fn is_of_web(&self) -> bool {
        matches!(&*self.scheme, "http" | "https")
    }

    fn has_default_port(&self) -> bool {
        self.port == Some(if self.scheme == "https" { 443 } else { 80 })
    }
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
}

/// Returns the host of `host` or `host:port`, as it is written; `None` for text that only resembles one.
fn parse_host(text: &str) -> Option<&str> {
    let end = match text.strip_prefix('[') {
        Some(rest) => {
            let inner = rest.split_once(']')?.0;
            inner.parse::<Ipv6Addr>().ok()?;
            inner.len() + 2
        }
        None => text.find(':').unwrap_or(text.len()),
    };
    let (host, port) = text.split_at_checked(end)?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    let is_name = host.starts_with('[') || !host.is_empty() && !host.ends_with('.') && host.bytes().all(is_plain);
    let is_port = |port: &str| port.bytes().all(|digit| digit.is_ascii_digit()) && port.parse::<u16>().is_ok();
    let has_port = port.is_empty() || port.strip_prefix(':').is_some_and(is_port);
    (is_name && has_port).then_some(host)
}

fn parse_ip(host: &str) -> Option<IpAddr> {
    match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        Some(inner) => inner.parse::<Ipv6Addr>().ok().map(IpAddr::V6),
        None => host.parse::<Ipv4Addr>().ok().map(IpAddr::V4),
    }
}

fn is_loopback_host(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || parse_ip(host).is_some_and(|address| address.is_loopback())
}

/// Returns the only value of a header; an error if there are several.
pub(super) fn single_value<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Result<Option<&'h HeaderValue>, ()> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    if values.next().is_some() { Err(()) } else { Ok(first) }
}

/// Answers the preflight request of an allowed page.
pub(super) fn preflight_response(headers: &HeaderMap) -> Response<ResponseBody> {
    let mut reply = empty_response(StatusCode::NO_CONTENT);
    let requested =
        headers.get(ACCESS_CONTROL_REQUEST_HEADERS).and_then(|requested| requested.to_str().ok()).unwrap_or("");
    let is_param = |name: &&str| name.to_ascii_lowercase().starts_with("mcp-param-");
    let params =
        requested.split(',').map(str::trim).filter(is_param).fold(String::new(), |all, name| all + ", " + name);
    let allowed = HeaderValue::from_str(&format!("{ALLOWED_HEADERS}{params}"));
    let headers = reply.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, allowed.unwrap_or_else(|_| HeaderValue::from_static(ALLOWED_HEADERS)));
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(ALLOWED_METHODS));
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    reply
}

/// Adds the headers that every reply has for browsers; `origin` was allowed.
pub(super) fn add_cors_headers(reply: &mut Response<ResponseBody>, origin: Option<HeaderValue>) {
    let headers = reply.headers_mut();
    headers.insert(VARY, HeaderValue::from_static("Origin"));
    if let Some(origin) = origin {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED_HEADERS));
    }
}
