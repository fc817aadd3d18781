//! Random bytes of the system, for secrets and unguessable names.
//!
//! Never: falls back to a weaker source.

/// Fills `bytes`.
///
/// # Errors
/// When the system provides none.
pub fn fill(bytes: &mut [u8]) -> Result<(), getrandom::Error> {
    getrandom::fill(bytes)
}
