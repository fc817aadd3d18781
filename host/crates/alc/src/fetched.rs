//! Repositories that tools install from, where the operator allows it.
//!
//! Owns: where a repository lies until what is wanted of it was taken, and the words for why there is none.
//! Never: keeps a repository, or believes what is in one: it is read below its folder as any other tree.

use super::pkg::{Installing, Source};
use super::{Alc, pkg};
use wardroom_appdir::{AppDirError, Folder, Staged};
use wardroom_base::limits::LEFTOVER_TIME;
use wardroom_base::payload::Payload;
use wardroom_net::{Git, NetError, git_address};
use wardroom_service::{CallContext, ServiceError, shown};

/// Where they lie, below the AppDir.
const CACHE: &str = "cache";

/// A repository, until it is dropped.
pub(super) struct Repository {
    /// As it was fetched.
    pub(super) url: String,
    staged: Staged,
}

impl Repository {
    pub(super) fn folder(&self) -> &Folder {
        self.staged.folder()
    }
}

impl Alc {
    /// Fetches a repository that a client named.
    pub(super) fn repository(&self, url: &str, context: &CallContext) -> Result<Repository, ServiceError> {
        let Some(git) = &self.git else { return Err(self.no_git()) };
        context.needs_full()?;
        self.fetched(git, url, context)
    }

    /// The same for a person, who may name any, with the process that fetches it.
    ///
    /// # Errors
    /// As [`Alc::install_from`], and when there is no such repository.
    pub fn install_repository(
        &self,
        git: &Git,
        url: &str,
        name: Option<&str>,
        context: &CallContext,
    ) -> Result<Payload, ServiceError> {
        let repository = self.fetched(git, url, context)?;
        self.install_fetched(&repository, name, context)
    }

    pub(super) fn install_fetched(
        &self,
        repository: &Repository,
        name: Option<&str>,
        context: &CallContext,
    ) -> Result<Payload, ServiceError> {
        let Repository { url, .. } = repository;
        let last = url.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let last = last.strip_suffix(".git").unwrap_or(last);
        pkg::check_name(repository.folder(), name)?;
        let source = Source::Git { url: url.clone(), rev: None };
        let installing = Installing { from: repository.folder(), name: name.unwrap_or(last), source };
        self.install_from(&installing, context)
    }

    fn fetched(&self, git: &Git, url: &str, context: &CallContext) -> Result<Repository, ServiceError> {
        let url = git_address(url).map_err(|why| {
            let message = format!("{} is not fetched: {why}; a folder of this machine begins with / or ./", shown(url));
            ServiceError::tool("INVALID_ADDRESS", message)
        })?;
        let failed = |error: AppDirError| ServiceError::writing("the repository", error);
        let cache = self.folders.app.create_folder(CACHE).map_err(failed)?;
        if let Err(error) = cache.sweep_staged(LEFTOVER_TIME) {
            tracing::warn!(%error, "what was fetched and left behind cannot be removed");
        }
        let staged = cache.stage("git").map_err(failed)?;
        let fetched = git.fetch(&url, staged.folder(), &|| context.cancelled.is_cancelled());
        fetched.map_err(|error| not_fetched(&url, &error))?;
        Ok(Repository { url, staged })
    }

    fn no_git(&self) -> ServiceError {
        let command = &self.operator.command;
        if self.operator.network.git {
            return pkg::refused(
                "GIT_UNAVAILABLE",
                format!("nothing is fetched here, only by a server; a person can run `{command} pkg install URL`"),
            );
        }
        pkg::refused(
            "NETWORK_OFF",
            format!(
                "fetching from a repository is off ([network] git = false); a folder of this machine (/x or ./x) works, \
                 and a person can run `{command} pkg install URL` for packages"
            ),
        )
    }
}

/// Why there is no such thing here, for the caller of a tool.
pub(super) fn not_fetched(url: &str, error: &NetError) -> ServiceError {
    let code = match error {
        NetError::Gone => "HELPER_GONE",
        NetError::Busy => "BUSY",
        NetError::Cancelled => "CANCELLED",
        NetError::TimedOut => "TIMED_OUT",
        NetError::TooLarge(_) => "TOO_LARGE",
        NetError::Refused(_) => "NOT_ALLOWED",
        NetError::Redirects | NetError::Failed(_) => "FETCH_FAILED",
    };
    ServiceError::tool(code, format!("cannot fetch {}: {error}", shown(url)))
}

/// Whether a source is a folder of this machine, by its text; with a prefix of the original's taken off.
pub(super) fn local(source: &str) -> Option<&str> {
    let local = source.strip_prefix("file://").unwrap_or(source);
    local.starts_with(['/', '.']).then_some(local)
}
