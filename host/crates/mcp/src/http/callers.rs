//! The callers of an endpoint: one without a token, or one for each token that opens the endpoint now.
//!
//! Owns: which requests need a token, and the end of everything that a caller began whose token was removed.
//! Never: opens an endpoint that needed a token.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use hyper::header::HeaderMap;
use tokio_util::sync::CancellationToken;

use super::auth::{self, AuthError, TokenHash};
use super::principal::CallerId;
use super::quota::{CallerQuota, CallerQuotas};
use super::response::HttpError;
use wardroom_base::memory::MemoryShare;
use wardroom_service::{Caller, Owner, Transport};

/// The callers of an endpoint, which change with the tokens.
pub(super) struct CallerTable {
    profile: CallerProfile,
    next_id: AtomicU64,
    admitted: RwLock<Arc<AdmittedCallers>>,
}

/// What all callers of an endpoint have in common.
pub(super) struct CallerProfile {
    pub(super) scope: Option<String>,
    /// The groups of every caller.
    pub(super) groups: Option<Vec<String>>,
    /// Whether its callers see the runs and logs of all.
    pub(super) shares_runs: bool,
    pub(super) memory: MemoryShare,
    pub(super) quotas: CallerQuotas,
}

/// The callers that an endpoint admits at one time.
enum AdmittedCallers {
    Anonymous(Arc<EndpointCaller>),
    /// One for each token. If there is none, every request is refused.
    Bearers(Vec<Arc<EndpointCaller>>),
}

/// A caller, through a listener of this machine and through one that other machines reach.
pub(super) struct EndpointCaller {
    pub(super) id: CallerId,
    token: Option<TokenHash>,
    local: Arc<Caller>,
    remote: Arc<Caller>,
    /// Shared by both, and by all endpoints of the owner.
    pub(super) quota: Arc<CallerQuota>,
    /// Cancelled when the endpoint admits this caller no longer.
    pub(super) revoked: CancellationToken,
}

impl EndpointCaller {
    pub(super) fn caller(&self, is_remote: bool) -> &Arc<Caller> {
        if is_remote { &self.remote } else { &self.local }
    }

    /// The error of a request of a caller that is admitted no longer.
    pub(super) fn revoked_error(&self) -> HttpError {
        if self.token.is_some() { invalid_token_error() } else { missing_token_error() }
    }
}

impl AdmittedCallers {
    fn callers(&self) -> &[Arc<EndpointCaller>] {
        match self {
            Self::Anonymous(caller) => std::slice::from_ref(caller),
            Self::Bearers(callers) => callers,
        }
    }
}

impl CallerTable {
    /// Creates the callers of these tokens; without any, one that needs no token.
    pub(super) fn new(profile: CallerProfile, tokens: Vec<TokenHash>) -> Self {
        let next_id = AtomicU64::new(0);
        let admitted = if tokens.is_empty() {
            AdmittedCallers::Anonymous(profile.caller(&next_id, None))
        } else {
            let callers = tokens.into_iter().map(|token| profile.caller(&next_id, Some(token)));
            AdmittedCallers::Bearers(callers.collect())
        };
        Self { profile, next_id, admitted: RwLock::new(Arc::new(admitted)) }
    }

    /// Whether requests need no token.
    pub(super) fn is_open(&self) -> bool {
        matches!(*self.admitted(), AdmittedCallers::Anonymous(_))
    }

    /// Returns the caller of a request by its token.
    pub(super) fn authenticate(&self, headers: &HeaderMap) -> Result<Arc<EndpointCaller>, AuthError> {
        match &*self.admitted() {
            AdmittedCallers::Anonymous(caller) => Ok(Arc::clone(caller)),
            AdmittedCallers::Bearers(callers) => {
                let hashes = callers.iter().filter_map(|caller| Some((caller, caller.token.as_ref()?)));
                auth::authenticate(headers, hashes).map(Arc::clone)
            }
        }
    }

    /// Admits the bearers of these tokens and no other caller, and returns those that are admitted no longer. Without
    /// any token, and if `may_be_open`, an endpoint that needs no token stays so.
    pub(super) fn replace(&self, tokens: Vec<TokenHash>, may_be_open: bool) -> Vec<Arc<EndpointCaller>> {
        let mut admitted = self.admitted.write().unwrap_or_else(PoisonError::into_inner);
        if matches!(**admitted, AdmittedCallers::Anonymous(_)) && may_be_open && tokens.is_empty() {
            return Vec::new();
        }
        let before = Arc::clone(&admitted);
        let kept = |token: &TokenHash| before.callers().iter().find(|caller| caller.token.as_ref() == Some(token));
        let callers: Vec<_> = tokens
            .into_iter()
            .map(|token| match kept(&token) {
                Some(caller) => Arc::clone(caller),
                None => self.profile.caller(&self.next_id, Some(token)),
            })
            .collect();
        let is_admitted = |caller: &&Arc<EndpointCaller>| callers.iter().any(|kept| kept.id == caller.id);
        let revoked = before.callers().iter().filter(|caller| !is_admitted(caller)).cloned().collect();
        *admitted = Arc::new(AdmittedCallers::Bearers(callers));
        revoked
    }

    fn admitted(&self) -> Arc<AdmittedCallers> {
        Arc::clone(&self.admitted.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl CallerProfile {
    fn caller(&self, next_id: &AtomicU64, token: Option<TokenHash>) -> Arc<EndpointCaller> {
        let owner = token.as_ref().map_or(Owner::Anonymous, |token| Owner::Named(token.name.clone()));
        let groups = match &token {
            Some(token) => Some(self.groups.iter().flatten().chain(&token.groups).cloned().collect()),
            None => self.groups.clone(),
        };
        let caller_on = |is_remote| {
            Arc::new(Caller {
                scope: self.scope.clone(),
                groups: groups.clone(),
                transport: Transport::Http { is_remote },
                owner: owner.clone(),
                shares_runs: self.shares_runs,
            })
        };
        Arc::new(EndpointCaller {
            id: CallerId(next_id.fetch_add(1, Ordering::Relaxed)),
            local: caller_on(false),
            remote: caller_on(true),
            quota: self.quotas.of(&owner, &self.memory),
            token,
            revoked: CancellationToken::new(),
        })
    }
}

pub(super) fn missing_token_error() -> HttpError {
    HttpError::unauthorized("this endpoint requires a bearer token", "Bearer realm=\"wardroom\"")
}

pub(super) fn invalid_token_error() -> HttpError {
    let challenge = "Bearer realm=\"wardroom\", error=\"invalid_token\"";
    HttpError::unauthorized("this token is not valid for this endpoint", challenge)
}
