//! Who sends a request, as far as sessions are concerned.

/// The identity that a session belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Principal {
    /// The index of the token.
    pub(super) token: Option<usize>,
    pub(super) is_remote: bool,
}
