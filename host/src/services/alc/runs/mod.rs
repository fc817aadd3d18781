//! Runs: strategies that the client's model answers, over any number of calls, processes and crashes.
//!
//! Owns: the life of a run from call to call: started, carried on, waiting, restored from its journal, over, cancelled.
//! Never: carries on a run that another process holds, or forgets one that a client was told of before its time is over.

mod answers;
mod effects;
mod journal;
mod live;
mod modules;
mod payload;
mod registry;
mod session;
mod status;
mod stored;
mod strand;
mod tools;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime};

use self::journal::{FORMAT, Header, Past, Script, file_name};
use self::live::now_ms;
use self::registry::{Claim, Registry, Taken};
use self::session::{Refused, Reply, Session, Stop, World};
pub use self::stored::{Stored, drop_session, journal_text, sessions, sweep};
pub(super) use self::tools::TOOLS;
use super::Alc;
use crate::appdir::AppDirError;
use crate::entropy;
use crate::limits::{CANCEL_LOOK, CANCEL_TIME, MAX_JOURNAL_BYTES, RUN_SWEEP};
use crate::lua::{Pool, engine};
use crate::services::{CallContext, Sampling, ServiceError, ToolAnswer, shown};
use crate::uri::SessionId;

/// The runs of this process.
pub(super) struct Runs {
    pool: Arc<Pool>,
    registry: Registry,
    settings: RunSettings,
    swept: Mutex<Option<Instant>>,
}

/// What the environment says about runs.
#[derive(Debug, Clone)]
pub struct RunSettings {
    /// The variables that scripts may see, of those that packages look at.
    pub environment: BTreeMap<String, String>,
    /// How much of a prompt `alc_status` shows, in characters.
    pub preview_chars: usize,
}

impl RunSettings {
    /// The variables that packages of the collection look at.
    pub const VARIABLES: [&'static str; 1] = ["ALC_SHAPE_CHECK"];
}

/// A run that was read back.
enum Restored {
    Waiting(Session),
    /// What the client was told, or would have been.
    Over(ToolAnswer),
}

impl Runs {
    pub(super) fn new(pool: Arc<Pool>, settings: RunSettings) -> Self {
        Self { pool, registry: Registry::default(), settings, swept: Mutex::default() }
    }

    /// Has workers ready for the first run.
    pub(super) fn prepare(&self) {
        self.pool.prepare();
    }

    /// Runs a script until it waits for the client or is over.
    fn start(&self, alc: &Alc, script: Script, context: &CallContext) -> Result<ToolAnswer, ServiceError> {
        self.sweep(alc);
        let (id, seed) = new_id()?;
        let (claim, _) = self.registry.claim(&id).map_err(|taken| refuse_claim(&id, taken))?;
        let script = Script { seed, ..script };
        let header = Header { v: FORMAT, engine: engine(), session: id, started_ms: now_ms(), script };
        let cancelled = || context.cancelled.is_cancelled() || claim.is_cancelled();
        let world =
            World { alc, pool: &self.pool, environment: &self.settings.environment, context, cancelled: &cancelled };
        let carried = Session::start(&header, &world).and_then(|mut session| {
            claim.show(&session.shared.live);
            let over = session.advance(&world)?;
            Ok((session, over))
        });
        match carried {
            Ok((session, over)) => self.settle(session, over, &[], false, alc, claim),
            Err(stop) => Self::stopped(stop, claim),
        }
    }

    /// Removes runs whose time is over, from time to time.
    fn sweep(&self, alc: &Alc) {
        let now = Instant::now();
        let mut swept = self.swept.lock().unwrap_or_else(PoisonError::into_inner);
        if swept.is_some_and(|last| now.duration_since(last) < RUN_SWEEP) {
            return;
        }
        *swept = Some(now);
        drop(swept);
        if let Err(error) = sweep(&alc.folders.app, SystemTime::now()) {
            tracing::warn!(%error, "runs whose time is over are not removed");
        }
    }

    /// Gives a run the client's answers, and carries it on as far as they go.
    fn resume(
        &self,
        alc: &Alc,
        id: &str,
        replies: &[Reply],
        context: &CallContext,
    ) -> Result<ToolAnswer, ServiceError> {
        SessionId::parse(id).map_err(|_| unknown(id))?;
        let (claim, warm) = self.registry.claim(id).map_err(|taken| refuse_claim(id, taken))?;
        let cancelled = || context.cancelled.is_cancelled() || claim.is_cancelled();
        let world =
            World { alc, pool: &self.pool, environment: &self.settings.environment, context, cancelled: &cancelled };
        let mut session = match warm {
            Some(session) => session,
            None => match self.restore(id, &world) {
                Ok(Restored::Waiting(session)) => session,
                Ok(Restored::Over(answer)) => {
                    claim.close();
                    return Ok(answer);
                }
                Err(Failed::Stop(stop)) => return Self::stopped(stop, claim),
                Err(Failed::Service(error)) => {
                    claim.close();
                    return Err(error);
                }
            },
        };
        claim.show(&session.shared.live);
        let before = session.pending();
        let told_again = replies.is_empty() || is_sampled(context);
        // A client that calls again may bring what nobody asked for.
        let known = |reply: &&Reply| reply.id.as_ref().is_none_or(|id| before.contains(id));
        let replies: Vec<Reply> =
            replies.iter().filter(|reply| !is_sampled(context) || known(reply)).cloned().collect();
        let repeated = match session.reply(&replies) {
            Ok(repeated) => repeated || told_again,
            Err(refused) => {
                claim.park(session);
                return Err(refuse(&refused));
            }
        };
        match session.advance(&world) {
            Ok(over) => self.settle(session, over, &before, repeated, alc, claim),
            Err(Stop::Script(message)) => self.settle(session, Some(Err(message)), &before, repeated, alc, claim),
            Err(stop) => Self::stopped(stop, claim),
        }
    }

    /// Ends a run for good, whoever waits for it.
    fn cancel(&self, alc: &Alc, id: &str) -> Result<ToolAnswer, ServiceError> {
        SessionId::parse(id).map_err(|_| unknown(id))?;
        let deadline = Instant::now() + CANCEL_TIME;
        let mut went_on = false;
        let (claim, warm) = loop {
            // Whoever carries it on notices soon.
            went_on |= self.registry.cancel(id);
            match self.registry.claim(id) {
                Ok(claimed) => break claimed,
                Err(Taken::Running) if Instant::now() < deadline => std::thread::sleep(CANCEL_LOOK),
                Err(taken) => return Err(refuse_claim(id, taken)),
            }
        };
        // With its worker goes the lock on its journal.
        let stats = warm.map(|session| session.shared.live().stats());
        let opened = alc.folders.app.open_journal(&file_name(id, false));
        claim.close();
        match opened {
            Ok(journal) => journal.remove().map_err(|error| stop_error(&Stop::Journal(error)))?,
            // It went on until now and never waited.
            Err(AppDirError::NotFound(_)) if went_on => {}
            Err(AppDirError::NotFound(_)) => return Err(unknown(id)),
            Err(AppDirError::Locked(_)) => return Err(busy(id)),
            Err(error) => return Err(stop_error(&Stop::Journal(error))),
        }
        Ok(payload::cancelled(stats))
    }

    /// Says what a run came to, when that is safe on disk.
    fn settle(
        &self,
        mut session: Session,
        over: Option<Result<serde_json::Value, String>>,
        before: &[String],
        repeated: bool,
        alc: &Alc,
        claim: Claim,
    ) -> Result<ToolAnswer, ServiceError> {
        if let Some(result) = over {
            let answer = payload::over(&session, alc, result);
            let ended = session.end(alc, answer.failed, &answer.value.clone().into_value());
            claim.close();
            return ended.map(|()| answer).map_err(|stop| stop_error(&stop));
        }
        let pending = session.pending();
        let is_new = pending.iter().any(|id| !before.contains(id));
        let paused = if is_new { session.pause() } else { Ok(()) };
        if let Err(stop) = paused.and_then(|()| session.settle(alc)) {
            return Self::stopped(stop, claim);
        }
        let answer = if is_new || repeated { payload::asks(&session) } else { payload::accepted(pending.len()) };
        claim.park(session);
        Ok(answer)
    }

    /// Reads a run back that this or another process wrote, and does again what it did.
    fn restore(&self, id: &str, world: &World) -> Result<Restored, Failed> {
        let failed = |error| match error {
            AppDirError::NotFound(_) => Failed::Service(unknown(id)),
            AppDirError::Locked(_) => Failed::Service(busy(id)),
            error => Failed::Service(ServiceError::internal(format!("cannot open the journal of {id}"), error)),
        };
        let app = &world.alc.folders.app;
        let opened = match app.open_journal(&file_name(id, false)) {
            Err(AppDirError::NotFound(_)) => app.open_journal(&file_name(id, true)),
            opened => opened,
        };
        let file = opened.map_err(failed)?;
        let unreadable = |why: &dyn std::fmt::Display| {
            let message = format!("the journal of session '{id}' is of no use here: {why}");
            Failed::Service(tool_error("UNREADABLE", message))
        };
        let bytes = file.read(MAX_JOURNAL_BYTES).map_err(|error| unreadable(&error))?;
        let past = Past::parse(&bytes).map_err(|error| unreadable(&error))?;
        if past.header.engine != engine() {
            return Err(unreadable(&format!("{} wrote it, this is {}", shown(&past.header.engine), engine())));
        }
        if let Some((failed, payload)) = past.end {
            return Ok(Restored::Over(ToolAnswer { failed, ..crate::payload::Payload::from_value(payload).into() }));
        }
        let mut session = Session::restore(past, file, world).map_err(Failed::Stop)?;
        let over = session.advance(world).map_err(Failed::Stop)?;
        if !session.caught_up() {
            return Err(Failed::Stop(Stop::Diverged("the script does less than it did".to_owned())));
        }
        match over {
            Some(result) => {
                let answer = payload::over(&session, world.alc, result);
                let ended = session.end(world.alc, answer.failed, &answer.value.clone().into_value());
                ended.map_err(Failed::Stop)?;
                Ok(Restored::Over(answer))
            }
            None => Ok(Restored::Waiting(session)),
        }
    }

    /// Ends a call whose run does not go on here. The journal, if there is one, stays as it is.
    fn stopped(stop: Stop, claim: Claim) -> Result<ToolAnswer, ServiceError> {
        claim.close();
        match stop {
            Stop::Script(message) => Ok(payload::failed(&message)),
            stop => Err(stop_error(&stop)),
        }
    }
}

enum Failed {
    Stop(Stop),
    Service(ServiceError),
}

fn stop_error(stop: &Stop) -> ServiceError {
    let code = match stop {
        Stop::Cancelled => "CANCELLED",
        Stop::Diverged(_) => "DIVERGED",
        Stop::Script(_) => "SCRIPT",
        Stop::Journal(AppDirError::TooLarge { .. }) => "TOO_LARGE",
        Stop::Journal(_) | Stop::Service(_) | Stop::Lua(_) => "STORE",
    };
    tool_error(code, stop.to_string())
}

fn refuse(refused: &Refused) -> ServiceError {
    let code = match refused {
        Refused::Unknown(_) => "UNKNOWN_QUERY",
        Refused::Twice(_) => "ALREADY_ANSWERED",
        Refused::Nothing | Refused::Which(_) => "WHICH_QUERY",
        Refused::Journal(_) => "STORE",
    };
    tool_error(code, format!("Continue failed: {refused}"))
}

fn refuse_claim(id: &str, taken: Taken) -> ServiceError {
    match taken {
        Taken::Running => busy(id),
        Taken::Full => tool_error("BUSY", "as many runs as may are going on: try again when one of them waits or ends"),
    }
}

fn busy(id: &str) -> ServiceError {
    tool_error("BUSY", format!("Continue failed: session '{id}' is being carried on by another call or process"))
}

fn unknown(id: &str) -> ServiceError {
    tool_error("SESSION_NOT_FOUND", format!("Continue failed: session '{}' not found", shown(id)))
}

fn tool_error(code: &'static str, message: impl Into<String>) -> ServiceError {
    ServiceError::Tool { code, message: message.into(), details: None }
}

/// Whether the client gets the queries themselves, every time, and not what its model reads.
fn is_sampled(context: &CallContext) -> bool {
    context.client.as_ref().is_some_and(|client| client.sampling() != Sampling::Never)
}

/// A name that nobody can guess, and numbers for the run's own randomness.
fn new_id() -> Result<(String, u64), ServiceError> {
    let mut bytes = [0; 24];
    entropy::fill(&mut bytes).map_err(|error| ServiceError::internal("the system gives no randomness", error))?;
    let (id, seed) = bytes.split_at(16);
    let hex: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
    let seed = seed.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    Ok((format!("s-{:x}-{hex}", now_ms()), seed))
}
