//! Git repositories that tools install from, if the operator allows it.
//!
//! Owns: the staging folder of a fetched repository (in the cache `git`), and the messages for failed fetches.
//! Never: keeps a repository, or trusts its content: it is read below its folder like any other tree.

use crate::error_code as code;
use wardroom_appdir::limits::STALE_TEMP_FILE_AGE;
use wardroom_appdir::{AppDirError, CacheDir, Folder, StagedTree};
use wardroom_net::{GitFetcher, NetError, git_address};
use wardroom_service::{RequestInfo, ServiceError, escape_and_truncate};

/// The folder of fetched repositories, among the caches.
pub const GIT_CACHE: &str = "git";

/// A fetched repository, removed when this is dropped.
pub(super) struct Repository {
    /// The address it was fetched from.
    pub(super) url: String,
    staged: StagedTree,
}

impl Repository {
    pub(super) fn folder(&self) -> &Folder {
        self.staged.folder()
    }
}

/// Fetches the repositories that tools install from.
pub(super) struct GitSource {
    cache: CacheDir,
    /// `None` where the operator does not allow it, and where a command needs no fetcher process.
    git: Option<GitFetcher>,
    /// Whether the operator allows clients to name repositories.
    is_allowed: bool,
    /// The command that starts wardroom, for advice.
    command: String,
}

impl GitSource {
    pub(super) fn new(cache: CacheDir, git: Option<GitFetcher>, is_allowed: bool, command: String) -> Self {
        Self { cache, git, is_allowed, command }
    }

    /// Fetches a repository that a client named.
    pub(super) fn fetch(&self, url: &str, info: &RequestInfo) -> Result<Repository, ServiceError> {
        let Some(git) = &self.git else { return Err(self.unavailable_error()) };
        self.fetch_with(git, url, info)
    }

    /// Fetches a repository with another fetcher, for a person, who may name any address.
    pub(super) fn fetch_with(
        &self,
        git: &GitFetcher,
        url: &str,
        info: &RequestInfo,
    ) -> Result<Repository, ServiceError> {
        let url = git_address(url).map_err(|why| {
            let message = format!(
                "cannot fetch {}: {why}; begin a folder of this machine with / or ./",
                escape_and_truncate(url)
            );
            ServiceError::tool(code::INVALID_ADDRESS, message)
        })?;
        let failed = |error: AppDirError| ServiceError::from_write_error("the repository", error);
        let cache = self.cache.create_folder(GIT_CACHE).map_err(failed)?;
        if let Err(error) = cache.sweep_staged_trees(STALE_TEMP_FILE_AGE) {
            tracing::warn!(%error, "cannot remove leftovers of earlier fetches");
        }
        let staged = cache.stage_tree("repository").map_err(failed)?;
        let fetched = git.fetch(&url, staged.folder(), info.caller.owner.sharing_name().as_deref(), &|| {
            info.cancellation.is_cancelled()
        });
        fetched.map_err(|error| fetch_error(&url, &error))?;
        Ok(Repository { url, staged })
    }

    fn unavailable_error(&self) -> ServiceError {
        let command = &self.command;
        if self.is_allowed {
            return ServiceError::tool(
                code::GIT_UNAVAILABLE,
                format!("only a server fetches repositories; run `{command} pkg install URL` by hand"),
            );
        }
        ServiceError::tool(
            code::NETWORK_OFF,
            format!(
                "fetching from a repository is off ([network] git = false): use a folder of this machine (/x or ./x), \
                 or have the user run `{command} pkg install URL` for packages"
            ),
        )
    }
}

/// Returns the tool error for a failed fetch.
pub(super) fn fetch_error(url: &str, error: &NetError) -> ServiceError {
    let code = match error {
        NetError::HelperGone => code::HELPER_GONE,
        NetError::Busy => code::BUSY,
        NetError::Cancelled => code::CANCELLED,
        NetError::TimedOut => code::TIMED_OUT,
        NetError::TooLarge(_) => code::TOO_LARGE,
        NetError::Refused(_) | NetError::Invalid(_) | NetError::HostNotAllowed { .. } => code::NOT_ALLOWED,
        NetError::TooManyRedirects | NetError::Failed(_) => code::FETCH_FAILED,
    };
    ServiceError::tool(code, format!("cannot fetch {}: {error}", escape_and_truncate(url)))
}

/// Returns the path if the text of a source names a folder of this machine. Strips the original's prefix `file://`.
pub(super) fn local_path(source: &str) -> Option<&str> {
    let local = source.strip_prefix("file://").unwrap_or(source);
    local.starts_with(['/', '.']).then_some(local)
}
