//! The grammar of resource URIs: `scheme://service/segment…?key=value&…`, applied to one scheme's table.
//!
//! Owns: splitting, the order of the checks (it decides which message a doubly wrong URI gets), parameters with caps.
//! Never: decodes percent escapes (a `%` is refused instead), and never follows `.` or `..`.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use crate::id::{self, IdError, IdKind};

/// The longest URI, in bytes. It is echoed in answers, so that its length is checked first.
pub const MAX_URI_BYTES: usize = 4096;

/// One scheme's resources.
#[derive(Debug)]
pub struct Scheme {
    pub name: &'static str,
    /// The first path segments that exist.
    pub services: &'static [&'static str],
    pub fixed: &'static [FixedResource],
    pub templates: &'static [SchemeTemplate],
}

/// A resource with a URI of its own.
#[derive(Debug, PartialEq, Eq)]
pub struct FixedResource {
    /// Everything after `scheme://`.
    pub path: &'static str,
}

/// A family of resources: `scheme://{service}/{var}` or `scheme://{service}/{var}/{tail}`.
#[derive(Debug, PartialEq, Eq)]
pub struct SchemeTemplate {
    pub service: &'static str,
    pub var: &'static str,
    pub tail: Option<&'static str>,
    pub kind: IdKind,
    pub params: &'static [QueryParam],
}

impl SchemeTemplate {
    /// Returns the level-1 template of RFC 6570 that clients see.
    #[must_use]
    pub fn pattern(&self, scheme: &Scheme) -> String {
        let tail = self.tail.map(|t| format!("/{t}")).unwrap_or_default();
        format!("{}://{}/{{{}}}{tail}", scheme.name, self.service, self.var)
    }

    /// Returns the URI of one member of the family.
    #[must_use]
    pub fn uri(&self, scheme: &Scheme, id: &str) -> String {
        let tail = self.tail.map(|t| format!("/{t}")).unwrap_or_default();
        format!("{}://{}/{id}{tail}", scheme.name, self.service)
    }
}

/// A query parameter: an integer up to and including its cap.
#[derive(Debug, PartialEq, Eq)]
pub struct QueryParam {
    pub name: &'static str,
    pub default: usize,
    pub cap: usize,
}

/// A valid URI, as indices into its scheme's table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MatchedUri<'u> {
    /// Index into [`Scheme::fixed`].
    Fixed(usize),
    Template {
        /// Index into [`Scheme::templates`].
        template: usize,
        id: &'u str,
        /// One value for each of the template's parameters, in the table's order.
        params: Vec<usize>,
    },
}

/// Why a URI is refused. `Display` is the message for the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UriError {
    TooLong {
        len: usize,
    },
    Scheme {
        expected: String,
        uri: String,
    },
    Traversal {
        segment: String,
    },
    MissingSegment {
        uri: String,
    },
    UnknownService {
        service: String,
    },
    EmptyKey {
        uri: String,
    },
    /// No resource can have this shape; answered like a missing resource.
    NotFound {
        uri: String,
    },
    Id {
        kind: IdKind,
        id: String,
        uri: String,
        error: IdError,
    },
    NoParams {
        uri: String,
    },
    BadParam {
        key: String,
        value: String,
        uri: String,
        reason: String,
    },
    OverCap {
        key: String,
        value: String,
        uri: String,
        cap: usize,
    },
    UnknownParam {
        key: String,
        uri: String,
    },
}

impl fmt::Display for UriError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { len } => write!(f, "uri is {len} bytes long, the limit is {MAX_URI_BYTES}"),
            Self::Scheme { expected, uri } => write!(f, "invalid scheme: expected {expected}, got {uri}"),
            Self::Traversal { segment } => write!(f, "path traversal segment rejected: {segment}"),
            Self::MissingSegment { uri } => write!(f, "missing path segment in {uri}"),
            Self::UnknownService { service } => write!(f, "unknown service: {service}"),
            Self::EmptyKey { uri } => write!(f, "invalid query: empty key in query of {uri}"),
            Self::NotFound { uri } => write!(f, "resource not found: {uri}"),
            Self::Id { kind: _, id, uri: _, error: IdError::NotAnEvalId } => {
                write!(f, "invalid eval_id: must be {{strategy}}_{{timestamp}}, got '{id}'")
            }
            Self::Id { kind, id, uri, error } => write!(f, "{} '{id}' on {uri} {error}", kind.label()),
            Self::NoParams { uri } => write!(f, "query params not supported on {uri}"),
            Self::BadParam { key, value, uri, reason } => {
                write!(f, "invalid query param '{key}={value}' on {uri}: {reason}")
            }
            Self::OverCap { key, value, uri, cap } => {
                write!(f, "query param '{key}={value}' on {uri} exceeds cap of {cap}")
            }
            Self::UnknownParam { key, uri } => write!(f, "unsupported query param '{key}' on {uri}"),
        }
    }
}

impl core::error::Error for UriError {}

impl Scheme {
    /// Whether `uri` begins with this scheme, exactly.
    #[must_use]
    pub fn matches(&self, uri: &str) -> bool {
        self.strip_scheme(uri).is_some()
    }

    fn strip_scheme<'u>(&self, uri: &'u str) -> Option<&'u str> {
        uri.strip_prefix(self.name)?.strip_prefix("://")
    }

    /// Parses a URI of this scheme.
    ///
    /// The order of the checks is fixed: length, scheme, traversal, service, missing segment, query syntax, shape,
    /// identifier, parameters, and last the pattern of eval ids. For a service with only fixed resources, the query is
    /// checked before the shape.
    ///
    /// # Errors
    /// The first rule that the URI breaks.
    pub fn parse<'u>(&self, uri: &'u str) -> Result<MatchedUri<'u>, UriError> {
        if uri.len() > MAX_URI_BYTES {
            return Err(UriError::TooLong { len: uri.len() });
        }
        let Some(rest) = self.strip_scheme(uri) else {
            return Err(UriError::Scheme { expected: format!("{}://", self.name), uri: uri.into() });
        };
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        let segments: Vec<&str> = path.split('/').filter(|s| !s.is_empty()).collect();
        if let Some(dots) = segments.iter().find(|s| matches!(**s, "." | "..")) {
            return Err(UriError::Traversal { segment: (*dots).into() });
        }
        let missing = || UriError::MissingSegment { uri: uri.into() };
        let (service, segments) = segments.split_first().ok_or_else(missing)?;
        if !self.services.contains(service) {
            return Err(UriError::UnknownService { service: (*service).into() });
        }
        if segments.is_empty() {
            return Err(missing());
        }
        let query = Query::parse(query, uri)?;
        let of_service = || self.templates.iter().enumerate().filter(|(_, t)| t.service == *service);
        if of_service().next().is_none() {
            query.refuse_all(uri)?;
        }
        if let Some(at) = self.fixed.iter().position(|f| {
            f.path.split('/').skip(1).eq(segments.iter().copied()) && f.path.split('/').next() == Some(*service)
        }) {
            query.refuse_all(uri)?;
            return Ok(MatchedUri::Fixed(at));
        }
        let (id, tail) = match segments {
            [id] => (*id, None),
            [id, tail] => (*id, Some(*tail)),
            _ => return Err(UriError::NotFound { uri: uri.into() }),
        };
        let Some((at, template)) = of_service().find(|(_, t)| t.tail == tail) else {
            return Err(UriError::NotFound { uri: uri.into() });
        };
        let bad_id = |error| UriError::Id { kind: template.kind, id: id.into(), uri: uri.into(), error };
        id::check_alphabet(id).map_err(bad_id)?;
        let params = query.take(template.params, uri)?;
        id::check(template.kind, id).map_err(bad_id)?;
        Ok(MatchedUri::Template { template: at, id, params })
    }
}

/// The pairs of a query, in order; a repeated key keeps its position and takes its last value.
struct Query<'u>(Vec<(&'u str, &'u str)>);

impl<'u> Query<'u> {
    fn parse(query: &'u str, uri: &str) -> Result<Self, UriError> {
        let mut pairs: Vec<(&str, &str)> = Vec::new();
        for pair in query.split('&').filter(|p| !p.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            if key.is_empty() {
                return Err(UriError::EmptyKey { uri: uri.into() });
            }
            match pairs.iter_mut().find(|(k, _)| *k == key) {
                Some(known) => known.1 = value,
                None => pairs.push((key, value)),
            }
        }
        Ok(Self(pairs))
    }

    fn refuse_all(&self, uri: &str) -> Result<(), UriError> {
        if self.0.is_empty() { Ok(()) } else { Err(UriError::NoParams { uri: uri.into() }) }
    }

    fn take(&self, params: &[QueryParam], uri: &str) -> Result<Vec<usize>, UriError> {
        if params.is_empty() {
            self.refuse_all(uri)?;
        }
        let mut values = Vec::with_capacity(params.len());
        for param in params {
            let given = self.0.iter().find(|(key, _)| *key == param.name);
            let Some((key, value)) = given else {
                values.push(param.default);
                continue;
            };
            let number: usize = value.parse().map_err(|error: core::num::ParseIntError| UriError::BadParam {
                key: (*key).into(),
                value: (*value).into(),
                uri: uri.into(),
                reason: error.to_string(),
            })?;
            if number > param.cap {
                return Err(UriError::OverCap {
                    key: (*key).into(),
                    value: (*value).into(),
                    uri: uri.into(),
                    cap: param.cap,
                });
            }
            values.push(number);
        }
        match self.0.iter().find(|(key, _)| params.iter().all(|p| p.name != *key)) {
            Some((key, _)) => Err(UriError::UnknownParam { key: (*key).into(), uri: uri.into() }),
            None => Ok(values),
        }
    }
}
