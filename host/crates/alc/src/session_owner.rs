//! What the id of a run and of its log says: when the run began, and whose it is, if its owner has a tag.
//!
//! Owns: the form of the id.
//! Never: opens a file: a stranger's run costs nothing.

use wardroom_service::{OWNER_TAG_LEN, Owner, RequestInfo};

/// Hexadecimal digits of the random part of an id.
const RANDOM_LEN: usize = 32;

/// Builds the id of a run.
pub(crate) fn new_session_id(started_ms: u64, random: &str, owner: &Owner) -> String {
    match owner.tag() {
        Some(tag) => format!("s-{started_ms:x}-{random}-{tag}"),
        None => format!("s-{started_ms:x}-{random}"),
    }
}

/// Returns the tag in the id of a run or a log, or in the name of a file that begins with it; `None` for what belongs to no bearer of a token, such as the sessions of
/// the original.
pub(crate) fn owner_tag(session: &str) -> Option<&str> {
    let is_hex = |part: &str, len| part.len() == len && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    // Ids may contain dots, and `{id}.over` would name the same run.
    let id = session.split('.').next()?;
    let mut parts = id.strip_prefix("s-")?.split('-');
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(_), Some(random), Some(tag), None) if is_hex(random, RANDOM_LEN) && is_hex(tag, OWNER_TAG_LEN) => {
            Some(tag)
        }
        _ => None,
    }
}

/// Returns when a run began, in Unix milliseconds, as its id says.
pub(crate) fn started_ms(session: &str) -> Option<u64> {
    let (started, _) = session.strip_prefix("s-")?.split_once('-')?;
    u64::from_str_radix(started, 16).ok()
}

/// Whether the caller of a request may know of a run or a log.
pub(crate) fn is_visible(session: &str, info: &RequestInfo) -> bool {
    info.caller.sees_run(owner_tag(session))
}
