//! The protocol revision of a request, which decides the forms that its client knows.
//!
//! Owns: which versions have sessions.

use rmcp::RoleServer;
use rmcp::model::ProtocolVersion;
use rmcp::service::RequestContext;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Revision {
    /// 2025-11-25 and before: with sessions.
    Legacy,
    /// 2026-07-28 and later: each request describes itself.
    Modern,
}

impl Revision {
    pub(super) fn from_context(context: &RequestContext<RoleServer>) -> Self {
        if context.protocol_version().is_some_and(|version| !version.has_initialize()) {
            Self::Modern
        } else {
            Self::Legacy
        }
    }

    /// Returns the revision of a version, which need not be known: versions are dates. Anything else is of the legacy one.
    pub(super) fn from_version(version: &str) -> Self {
        let is_date = version.starts_with(|first: char| first.is_ascii_digit());
        if is_date && version >= ProtocolVersion::V_2026_07_28.as_str() { Self::Modern } else { Self::Legacy }
    }

    pub(super) fn is_modern(self) -> bool {
        self == Self::Modern
    }
}
