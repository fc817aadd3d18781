//! Sessions of the legacy revisions: a client that sent `initialize`, and the id that it got.
//!
//! Owns: the ids, which cannot be guessed, how long each session lasts, and how many there are.
//! Never: keeps a service's state in a session (runs and cursors continue in another one), or lets a session be used at
//! another endpoint or with another token than it was begun with.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::principal::{CallerId, Principal};
use super::service_loop::{ServiceLoop, ServiceLoopOwner};
use wardroom_base::hex::encode_hex;
use wardroom_base::random;

pub(super) struct SessionTable {
    sessions: Mutex<HashMap<String, Arc<Session>>>,
    limits: SessionLimits,
}

/// The number of sessions, and how long they last.
#[derive(Debug, Clone, Copy)]
pub struct SessionLimits {
    pub max_sessions: usize,
    /// Time without a request.
    pub idle_timeout: Duration,
    pub max_lifetime: Duration,
}

pub(super) struct Session {
    service_loop: ServiceLoop,
    /// The principal that began it.
    principal: Principal,
    created: Instant,
    /// The time of its last use.
    last_used: Mutex<Instant>,
    /// Open requests and streams.
    active_uses: AtomicUsize,
}

/// A session in use, which does not idle.
pub(super) struct SessionGuard(Arc<Session>);

/// Why a session gets no id.
#[derive(Debug)]
pub(super) enum CreateSessionError {
    /// The table is full, and no session that could be evicted is idle.
    Full,
    /// The system has no randomness.
    NoRandomness,
}

impl ServiceLoopOwner for SessionGuard {
    fn service_loop(&self) -> &ServiceLoop {
        &self.0.service_loop
    }
}

impl SessionGuard {
    fn new(session: &Arc<Session>) -> Self {
        session.active_uses.fetch_add(1, Ordering::Relaxed);
        session.touch();
        Self(Arc::clone(session))
    }
}

impl Clone for SessionGuard {
    fn clone(&self) -> Self {
        Self::new(&self.0)
    }
}

impl Drop for SessionGuard {
    fn drop(&mut self) {
        self.0.touch();
        self.0.active_uses.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Session {
    fn touch(&self) {
        *self.last_used() = Instant::now();
    }

    fn last_used(&self) -> MutexGuard<'_, Instant> {
        self.last_used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_in_use(&self) -> bool {
        self.active_uses.load(Ordering::Relaxed) > 0
    }

    fn is_expired(&self, limits: SessionLimits) -> bool {
        self.created.elapsed() >= limits.max_lifetime
            || !self.is_in_use() && self.last_used().elapsed() >= limits.idle_timeout
    }
}

impl SessionTable {
    pub(super) fn new(limits: SessionLimits) -> Self {
        Self { sessions: Mutex::default(), limits }
    }

    /// Creates a session, which has no id before [`Self::insert`].
    pub(super) fn create(service_loop: ServiceLoop, principal: Principal) -> SessionGuard {
        let now = Instant::now();
        let (created, last_used) = (now, Mutex::new(now));
        SessionGuard::new(&Arc::new(Session {
            service_loop,
            principal,
            created,
            last_used,
            active_uses: AtomicUsize::new(0),
        }))
    }

    /// Gives a session its id. If the table is full, evicts the longest-idle session of the principal with most
    /// sessions.
    pub(super) fn insert(&self, session: &SessionGuard) -> Result<String, CreateSessionError> {
        let id = generate_session_id().ok_or(CreateSessionError::NoRandomness)?;
        self.remove_expired();
        let mut sessions = self.lock();
        if sessions.len() >= self.limits.max_sessions {
            // A principal that begins thousands of sessions evicts its own, and not those of others.
            let mut counts: HashMap<Principal, usize> = HashMap::new();
            for other in sessions.values() {
                *counts.entry(other.principal).or_default() += 1;
            }
            let most = counts.values().copied().max().unwrap_or(0);
            let of_most = |session: &Session| counts.get(&session.principal) == Some(&most);
            let idle = sessions.iter().filter(|(_, session)| !session.is_in_use() && of_most(session));
            let longest = idle.min_by_key(|(_, session)| *session.last_used()).map(|(id, _)| id.clone());
            sessions.remove(&longest.ok_or(CreateSessionError::Full)?);
        }
        sessions.insert(id.clone(), Arc::clone(&session.0));
        Ok(id)
    }

    /// Returns the session with this id, if this principal began it.
    pub(super) fn find(&self, id: &str, principal: Principal) -> Option<SessionGuard> {
        let sessions = self.lock();
        let session =
            sessions.get(id).filter(|session| session.principal == principal && !session.is_expired(self.limits))?;
        Some(SessionGuard::new(session))
    }

    /// Ends a session, with everything that runs in it.
    pub(super) fn terminate(&self, id: &str, principal: Principal) -> bool {
        let mut sessions = self.lock();
        if sessions.get(id).is_none_or(|session| session.principal != principal) {
            return false;
        }
        let session = sessions.remove(id);
        drop(sessions);
        if let Some(session) = session {
            session.service_loop.router().close();
        }
        true
    }

    /// Ends all sessions of a caller.
    pub(super) fn terminate_all_of(&self, caller: CallerId) {
        self.end_where(|session| session.principal.caller == caller);
    }

    /// Ends expired sessions.
    pub(super) fn remove_expired(&self) {
        self.end_where(|session| session.is_expired(self.limits));
    }

    fn end_where(&self, is_over: impl Fn(&Session) -> bool) {
        self.lock().retain(|_, session| {
            let is_over = is_over(session);
            if is_over {
                session.service_loop.router().close();
            }
            !is_over
        });
    }

    /// Ends the streams of all sessions that carry no answer.
    pub(super) fn close_listeners(&self) {
        self.lock().values().for_each(|session| session.service_loop.router().close_listener());
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Session>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns 256 random bits, in hexadecimal digits.
fn generate_session_id() -> Option<String> {
    let mut bytes = [0; 32];
    random::fill(&mut bytes).inspect_err(|error| tracing::error!(%error, "cannot make a session id")).ok()?;
    Some(encode_hex(&bytes))
}
