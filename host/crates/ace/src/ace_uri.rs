//! The URIs of `ace`.
//!
//! Owns: the grammar. The ids of traces are plain names, and no URI has a parameter.
//! Never: looks up what a URI names.

use crate::limits::MAX_ID_CHARS;
use wardroom_service::ServiceError;

pub(crate) const SCHEME: &str = "ace";

/// A resource of a learning log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AceUri {
    Bullets,
    Sections,
    RecentInsights,
    Stats,
    Proposals,
    Trace(String),
}

impl AceUri {
    /// Parses a URI.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] for a path that no resource has, and [`ServiceError::Invalid`] for an id that no
    /// trace has.
    pub(crate) fn parse(uri: &str) -> Result<Self, ServiceError> {
        match uri.get(SCHEME.len() + 3..).unwrap_or_default() {
            "knowledge/bullets" => Ok(Self::Bullets),
            "knowledge/sections" => Ok(Self::Sections),
            "knowledge/stats" => Ok(Self::Stats),
            "proposals" => Ok(Self::Proposals),
            "logs/recent-insights" => Ok(Self::RecentInsights),
            path => match path.strip_prefix("traces/") {
                Some(id) if is_trace_id(id) => Ok(Self::Trace(id.to_owned())),
                Some(id) if !id.contains('/') => {
                    let message =
                        "the id of a trace has letters, digits, `.`, `_` and `-` alone, and at most 200 of them";
                    Err(ServiceError::Invalid(message.to_owned()))
                }
                _ => Err(ServiceError::NotFound { uri: uri.to_owned() }),
            },
        }
    }

    /// Whether a URI is one of this scheme, in any case.
    pub(crate) fn is_of_scheme(uri: &str) -> bool {
        uri.get(..SCHEME.len() + 3).is_some_and(|start| start.eq_ignore_ascii_case("ace://"))
    }
}

/// Whether a URI may name a trace by this id.
pub(crate) fn is_trace_id(id: &str) -> bool {
    let is_id_byte = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    !id.is_empty() && id.len() <= MAX_ID_CHARS && id.bytes().all(is_id_byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_name_resources() {
        let parsed = |uri: &str| AceUri::parse(uri).ok();
        assert_eq!(parsed("ace://knowledge/bullets"), Some(AceUri::Bullets));
        assert_eq!(parsed("ACE://traces/a-1.b_2"), Some(AceUri::Trace("a-1.b_2".to_owned())));
        for uri in [
            "ace://",
            "ace://traces/",
            "ace://traces/a/b",
            "ace://traces/%41",
            "ace://knowledge/bullets?x=1",
            "ace://x",
        ] {
            assert_eq!(parsed(uri), None, "{uri}");
        }
        assert!(
            AceUri::is_of_scheme("Ace://x") && !AceUri::is_of_scheme("ace:/x") && !AceUri::is_of_scheme("face://x")
        );
    }
}
