//! Bearer tokens of an endpoint, known by their hashes.
//!
//! Owns: the comparison, which takes as long for a wrong token as for the right one.
//! Never: keeps or logs a token.

use hyper::header::{AUTHORIZATION, HeaderMap};
use sha2::{Digest as _, Sha256};

use super::origin_policy::single_value;
use crate::http::limits::MAX_BEARER_TOKEN_BYTES;
use wardroom_base::constant_time::is_equal_constant_time;

/// The hash of a token, its name, and the groups of its bearer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenHash {
    pub name: String,
    pub digest: [u8; 32],
    pub groups: Vec<String>,
}

/// Why a request is not authenticated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AuthError {
    /// There is no `Authorization` header.
    MissingToken,
    InvalidToken,
}

/// Returns what belongs to the token that a request carries.
pub(super) fn authenticate<'t, T>(
    headers: &HeaderMap,
    tokens: impl Iterator<Item = (T, &'t TokenHash)>,
) -> Result<T, AuthError> {
    let header =
        single_value(headers, &AUTHORIZATION).map_err(|()| AuthError::InvalidToken)?.ok_or(AuthError::MissingToken)?;
    let token = parse_bearer(header.as_bytes()).ok_or(AuthError::InvalidToken)?;
    let digest: [u8; 32] = Sha256::digest(token).into();
    let mut found = None;
    // Every hash is compared, so that the time does not show which one matches.
    for (bearer, hash) in tokens {
        if is_equal_constant_time(&digest, &hash.digest) {
            found = Some(bearer);
        }
    }
    found.ok_or(AuthError::InvalidToken)
}

fn parse_bearer(header: &[u8]) -> Option<&[u8]> {
    const SCHEME: &[u8] = b"bearer ";
    let (scheme, token) = header.split_at_checked(SCHEME.len())?;
    let token = token.trim_ascii();
    (scheme.eq_ignore_ascii_case(SCHEME) && !token.is_empty() && token.len() <= MAX_BEARER_TOKEN_BYTES).then_some(token)
}
