//! Random bytes of the system's, for what nobody may guess.
//!
//! Never: falls back to anything weaker.

/// Fills `bytes`.
///
/// # Errors
/// When the system gives none.
pub fn fill(bytes: &mut [u8]) -> Result<(), getrandom::Error> {
    getrandom::fill(bytes)
}
