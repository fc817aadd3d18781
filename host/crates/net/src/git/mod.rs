//! Repositories, fetched by `wardroom helper git`, a process that starts git and nothing else.
//!
//! Owns: which URLs are fetched (https), and the handle of the empty folder that a repository is fetched into.
//! Gives: [`GitFetcher::fetch`].
//! Never: passes a path.

mod command;
pub(super) mod process;

use std::io;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::NetError;
use super::helper::{HelperConfig, HelperProcess, HelperStatus};
use crate::limits::{GIT_FETCH_TIMEOUT, MAX_CONCURRENT_CLONES, MAX_URL_BYTES};
use wardroom_appdir::Folder;
use wardroom_base::byte_size::ByteSize;
use wardroom_base::limits::CANCEL_POLL_INTERVAL;

/// A request; the folder's handle is sent with it.
#[derive(Debug, Serialize, Deserialize)]
struct GitFetchRequest {
    url: String,
}

/// Normalizes the URL of a repository.
///
/// # Errors
/// The reason why it is not fetched.
pub fn normalize_git_url(text: &str) -> Result<String, String> {
    let refused = |why: &str| Err(why.to_owned());
    if text.chars().any(|c| c.is_control() || c.is_whitespace()) || text.starts_with('-') {
        return refused("it is not a URL");
    }
    if text.len() > MAX_URL_BYTES {
        return refused(&format!("it is longer than {}", ByteSize(MAX_URL_BYTES as u64)));
    }
    let rest = match text.split_once("://") {
        Some(("https", rest)) => rest,
        Some(_) => return refused("only https:// URLs are fetched"),
        None if text.contains("::") => return refused("only https:// URLs are fetched"),
        None => text,
    };
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    if host.contains('@') {
        // It would be stored in the record of installed packages.
        return refused("it must not contain a user or a password, and only https:// URLs are fetched");
    }
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']');
    if host.is_empty() || !host.chars().all(is_allowed) || !host.contains(['.', ':']) && host != "localhost" {
        return refused("it names no host");
    }
    if path.is_empty() {
        return refused("it names no repository");
    }
    Ok(format!("https://{host}/{path}"))
}

/// The handle on the process that starts git.
pub struct GitFetcher(HelperProcess);

impl GitFetcher {
    /// Starts the process. It and git write only below `folder`.
    ///
    /// # Errors
    /// When the system does not start it.
    pub fn start(beginning: HelperConfig<'_>, folder: &Folder) -> io::Result<Self> {
        HelperProcess::start("git", MAX_CONCURRENT_CLONES, beginning, Some(folder)).map(Self)
    }

    #[must_use]
    pub fn status(&self) -> &HelperStatus {
        self.0.status()
    }

    /// Returns the process id.
    #[must_use]
    pub fn process_id(&self) -> u32 {
        self.0.process_id()
    }

    /// Fetches a repository into an empty folder below the one that [`Self::start`] was given, and polls `cancelled`
    /// meanwhile. The content is as untrusted as any other tree that is installed.
    ///
    /// # Errors
    /// When the repository does not exist, or exceeds a limit.
    pub fn fetch(
        &self,
        url: &str,
        folder: &Folder,
        caller: Option<&str>,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(), NetError> {
        let url = normalize_git_url(url).map_err(NetError::Refused)?;
        if let Some(lacks) = &self.status().unavailable_reason {
            return Err(NetError::Failed(lacks.clone()));
        }
        let permit = self.0.acquire_permit(caller, GIT_FETCH_TIMEOUT, cancelled)?;
        // The helper times out first, and reports the reason.
        let deadline = Instant::now() + GIT_FETCH_TIMEOUT + 50 * CANCEL_POLL_INTERVAL;
        let mut call = self.0.start_call(permit, &GitFetchRequest { url }, &[], Some(folder))?;
        call.receive_message::<Result<(), NetError>>(deadline, cancelled)?
    }
}
