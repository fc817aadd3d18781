//! Who sends a request, as far as sessions are concerned.

/// A caller of an endpoint for as long as its token is configured with the same secret and groups. Another one has
/// another number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct CallerId(pub(super) u64);

/// The identity that a session belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Principal {
    pub(super) caller: CallerId,
    pub(super) is_remote: bool,
}
