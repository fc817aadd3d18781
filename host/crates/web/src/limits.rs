//! The limits of the review page, with the reason for each.
//!
//! Owns: the numbers, which `docs/LIMITS.md` lists.
//! Never: computes anything.

use std::time::Duration;

/// Longest form that is read, in bytes. A post of the largest size fits, with every byte encoded.
pub const MAX_FORM_BYTES: usize = 4 * 1024 * 1024;
/// Fields of a form or a query. More than that is no form of ours.
pub const MAX_FORM_FIELDS: usize = 2_000;
/// Time in which an address that signs in works. It stands in a terminal, which others may see later.
pub const SIGN_IN_KEY_TTL: Duration = Duration::from_secs(10 * 60);
/// Addresses that sign in and were not used yet. The oldest one is forgotten for another one.
pub const MAX_SIGN_IN_KEYS: usize = 16;
/// Time after which a person signs in again, however active.
pub const REVIEW_SESSION_LIFETIME: Duration = Duration::from_secs(12 * 60 * 60);
/// How far the clock may have gone back since a session began, or an address that signs in was made.
pub const REVIEW_CLOCK_SKEW: Duration = Duration::from_secs(60);
/// Sessions that were signed out, which this process refuses for as long as it runs. Beyond that the oldest is forgotten; its
/// cookie is gone from the browser all the same.
pub const MAX_SIGNED_OUT_SESSIONS: usize = 1_000;
