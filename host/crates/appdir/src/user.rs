//! The user of the system as whom this process runs.
//!
//! Never: changes it.

/// Returns the number of the user; `None` on systems whose users have none.
#[must_use]
pub fn user_id() -> Option<u32> {
    #[cfg(unix)]
    return Some(rustix::process::getuid().as_raw());
    #[cfg(not(unix))]
    None
}
