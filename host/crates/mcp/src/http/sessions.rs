//! Sessions of the older eras: a client that said `initialize`, and the name that it has since.
//!
//! Owns: the names, which nobody can guess, how long each lasts, and how many there are.
//! Never: keeps anything of a service in one (runs and cursors go on under a fresh session), or lets a session be used at
//! another endpoint or with another token than it was begun with.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::calls::{Holder, Lane};
use super::endpoint::Asker;
use wardroom_base::entropy;
use wardroom_base::hex::hex;

pub(super) struct Sessions {
    open: Mutex<HashMap<String, Arc<Session>>>,
    bounds: Bounds,
}

/// How many sessions there are, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    pub most: usize,
    /// Without a request.
    pub idle: Duration,
    pub life: Duration,
}

pub(super) struct Session {
    lane: Lane,
    /// Who began it.
    asker: Asker,
    born: Instant,
    /// When it was last used.
    used: Mutex<Instant>,
    /// Requests and streams that are open.
    open: AtomicUsize,
}

/// A session in use: it does not idle.
pub(super) struct Use(Arc<Session>);

/// Why a session gets no name.
#[derive(Debug)]
pub(super) enum Nameless {
    /// There are as many as may be, and all are in use.
    Full,
    /// The system gives nothing that nobody can guess.
    NoRandomness,
}

impl Holder for Use {
    fn lane(&self) -> &Lane {
        &self.0.lane
    }
}

impl Use {
    fn new(session: &Arc<Session>) -> Self {
        session.open.fetch_add(1, Ordering::Relaxed);
        session.touch();
        Self(Arc::clone(session))
    }
}

impl Clone for Use {
    fn clone(&self) -> Self {
        Self::new(&self.0)
    }
}

impl Drop for Use {
    fn drop(&mut self) {
        self.0.touch();
        self.0.open.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Session {
    fn touch(&self) {
        *self.used() = Instant::now();
    }

    fn used(&self) -> MutexGuard<'_, Instant> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_in_use(&self) -> bool {
        self.open.load(Ordering::Relaxed) > 0
    }

    fn is_over(&self, bounds: Bounds) -> bool {
        self.born.elapsed() >= bounds.life || !self.is_in_use() && self.used().elapsed() >= bounds.idle
    }
}

impl Sessions {
    pub(super) fn new(bounds: Bounds) -> Self {
        Self { open: Mutex::default(), bounds }
    }

    /// Begins a session, which has no name that its client knows before [`Self::add`].
    pub(super) fn begin(lane: Lane, asker: Asker) -> Use {
        let now = Instant::now();
        let (born, used) = (now, Mutex::new(now));
        Use::new(&Arc::new(Session { lane, asker, born, used, open: AtomicUsize::new(0) }))
    }

    /// Gives a session its name. Where there are too many, the one that idles longest makes room, of those of
    /// whoever has most.
    pub(super) fn add(&self, session: &Use) -> Result<String, Nameless> {
        let name = name().ok_or(Nameless::NoRandomness)?;
        self.sweep();
        let mut open = self.open();
        if open.len() >= self.bounds.most {
            // Of whoever has most of them: nobody loses one to somebody who begins thousands.
            let mut counts: HashMap<Asker, usize> = HashMap::new();
            for other in open.values() {
                *counts.entry(other.asker).or_default() += 1;
            }
            let most = counts.values().copied().max().unwrap_or(0);
            let of_most = |session: &Session| counts.get(&session.asker) == Some(&most);
            let idle = open.iter().filter(|(_, session)| !session.is_in_use() && of_most(session));
            let longest = idle.min_by_key(|(_, session)| *session.used()).map(|(name, _)| name.clone());
            open.remove(&longest.ok_or(Nameless::Full)?);
        }
        open.insert(name.clone(), Arc::clone(&session.0));
        Ok(name)
    }

    /// The session of that name, for whoever began it.
    pub(super) fn find(&self, name: &str, asker: Asker) -> Option<Use> {
        let open = self.open();
        let session = open.get(name).filter(|session| session.asker == asker && !session.is_over(self.bounds))?;
        Some(Use::new(session))
    }

    /// Ends a session, with whatever runs in it.
    pub(super) fn end(&self, name: &str, asker: Asker) -> bool {
        let mut open = self.open();
        if open.get(name).is_none_or(|session| session.asker != asker) {
            return false;
        }
        let session = open.remove(name);
        drop(open);
        if let Some(session) = session {
            session.lane.desk().shut();
        }
        true
    }

    /// Ends those whose time is over.
    pub(super) fn sweep(&self) {
        self.open().retain(|_, session| {
            let is_over = session.is_over(self.bounds);
            if is_over {
                session.lane.desk().shut();
            }
            !is_over
        });
    }

    /// Ends the streams of all of them on which nothing is answered.
    pub(super) fn hush(&self) {
        self.open().values().for_each(|session| session.lane.desk().hush());
    }

    fn open(&self) -> MutexGuard<'_, HashMap<String, Arc<Session>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// 256 bits, in hexadecimal digits.
fn name() -> Option<String> {
    let mut bytes = [0; 32];
    entropy::fill(&mut bytes).inspect_err(|error| tracing::error!(%error, "no name for a session")).ok()?;
    Some(hex(&bytes))
}
