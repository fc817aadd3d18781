//! Runs: strategies that the client's model answers, over any number of calls, processes and crashes.
//!
//! Owns: the life of a run from call to call: started, carried on, waiting, restored from its journal, over, cancelled.
//! Never: carries on a run that another process holds, or forgets one that a client was told of before its time is over.

mod answers;
mod effects;
mod journal;
mod live;
mod lone;
mod modules;
mod payload;
mod registry;
mod session;
mod status;
mod stop;
mod stored;
mod strand;
mod tools;
mod world;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use self::journal::{FORMAT, Header, Past, Script, file_name};
use self::live::now_ms;
use self::registry::{Claim, For, Registry, Taken};
use self::session::{Refused, Reply, Session};
use self::stop::Stop;
use self::stored::Waiting;
pub use self::stored::{Stored, drop_session, journal_text, sessions, sweep};
pub(super) use self::tools::TOOLS;
use self::world::{Deaths, World};
use super::Alc;
use wardroom_appdir::AppDirError;
use wardroom_base::entropy;
use wardroom_base::hex::hex;
use wardroom_base::limits::{CANCEL_LOOK, CANCEL_TIME, COOLING_LOOK, MAX_JOURNAL_BYTES, MAX_WARM_PROCESSES, RUN_SWEEP};
use wardroom_base::uri::SessionId;
use wardroom_lua::{LuaError, Pool, engine};
use wardroom_service::{CallContext, ServiceError, ToolAnswer, shown};

/// The runs of this process.
pub(super) struct Runs {
    pool: Arc<Pool>,
    registry: Arc<Registry>,
    keeper: Once,
    settings: RunSettings,
    swept: Mutex<Option<Instant>>,
    waiting: Waiting,
}

/// What the environment says about runs.
#[derive(Debug, Clone)]
pub struct RunSettings {
    /// The variables that scripts may see, of those that packages look at.
    pub environment: BTreeMap<String, String>,
    /// How much of a prompt `alc_status` shows, in characters.
    pub preview_chars: usize,
    /// How long a run that waits keeps its processes: [`WARM_TIME`](wardroom_base::limits::WARM_TIME), but for tests.
    pub warm: Duration,
}

impl RunSettings {
    /// The variables that packages of the collection look at.
    pub const VARIABLES: [&'static str; 1] = ["ALC_SHAPE_CHECK"];
}

/// Who answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    /// A call that says what it answers.
    Caller,
    /// The client's model, through the protocol: what still waits is always told whole.
    Sampling,
}

/// A run that was read back.
enum Restored {
    Waiting(Box<Session>),
    /// What the client was told, or would have been.
    Over(ToolAnswer),
}

impl Runs {
    pub(super) fn new(pool: Arc<Pool>, settings: RunSettings) -> Self {
        let registry = Arc::new(Registry::new(settings.warm));
        Self { pool, registry, keeper: Once::new(), settings, swept: Mutex::default(), waiting: Waiting::default() }
    }

    /// Has workers ready for the first run.
    pub(super) fn prepare(&self) {
        self.pool.prepare();
    }

    /// Runs a script until it waits for the client or is over.
    fn start(&self, alc: &Alc, script: Script, context: &CallContext) -> Result<ToolAnswer, ServiceError> {
        self.sweep(alc);
        self.keep();
        let (id, seed) = new_id()?;
        let (claim, _) = self.registry.claim(&id, For::CarryingOn).map_err(|taken| refuse_claim(&id, taken))?;
        let script = Script { seed, ..script };
        let header = Header { v: FORMAT, engine: engine(), session: id, started_ms: now_ms(), script };
        let cancelled = || context.cancelled.is_cancelled() || claim.is_cancelled();
        let world = self.world(alc, context, &cancelled, Deaths::Counted);
        let mut session = match Session::start(&header, &world) {
            Ok(session) => session,
            Err(stop) => return Self::stopped(stop, claim),
        };
        claim.show(&session.shared.live);
        match session.advance(&world) {
            Ok(over) => self.settle(session, over, false, alc, claim),
            // Nobody knows it yet, so that nobody could go on with it.
            Err(stop @ (Stop::Script(_) | Stop::Died)) => {
                self.settle(session, Some(Err(stop.to_string())), false, alc, claim)
            }
            Err(stop) => {
                drop(session);
                Self::stopped(stop, claim)
            }
        }
    }

    fn world<'w>(
        &'w self,
        alc: &'w Alc,
        context: &'w CallContext,
        cancelled: &'w dyn Fn() -> bool,
        deaths: Deaths,
    ) -> World<'w> {
        let environment = &self.settings.environment;
        World { alc, pool: &self.pool, registry: &self.registry, environment, context, cancelled, deaths }
    }

    /// From now on, runs that wait give up their processes in time.
    fn keep(&self) {
        self.keeper.call_once(|| {
            let registry = Arc::downgrade(&self.registry);
            let keep = move || {
                while let Some(registry) = registry.upgrade() {
                    registry.cool(MAX_WARM_PROCESSES);
                    drop(registry);
                    thread::sleep(COOLING_LOOK);
                }
            };
            if let Err(error) = thread::Builder::new().name("runs".to_owned()).spawn(keep) {
                tracing::warn!(%error, "runs that wait keep their processes");
            }
        });
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
        by: By,
        context: &CallContext,
    ) -> Result<ToolAnswer, ServiceError> {
        SessionId::parse(id).map_err(|_| unknown(id))?;
        self.keep();
        let (claim, warm) = self.registry.claim(id, For::CarryingOn).map_err(|taken| refuse_claim(id, taken))?;
        let warm = match warm.map(awake).transpose() {
            Ok(warm) => warm.flatten(),
            Err(AppDirError::Locked(_)) => return Err(busy(id)),
            Err(error) => return Err(stop_error(&Stop::Journal(error))),
        };
        let is_warm = warm.is_some();
        let cancelled = || context.cancelled.is_cancelled() || claim.is_cancelled();
        let world = self.world(alc, context, &cancelled, Deaths::Retried);
        let mut session = match warm {
            Some(session) => session,
            None => match Self::restored(id, world) {
                Ok(Restored::Waiting(session)) => *session,
                Ok(Restored::Over(answer)) => {
                    claim.close();
                    return Ok(answer);
                }
                Err(failed) => return Self::failed(failed, claim),
            },
        };
        claim.show(&session.shared.live);
        let told_again = replies.is_empty() || by == By::Sampling;
        let pending = session.pending();
        // A client that calls again may bring what nobody asked for.
        let known = |reply: &&Reply| reply.id.as_ref().is_none_or(|id| pending.contains(id));
        let replies: Vec<Reply> = replies.iter().filter(|reply| by == By::Caller || known(reply)).cloned().collect();
        let repeated = match session.reply(&replies) {
            Ok(repeated) => repeated || told_again,
            Err(refused) => {
                claim.park(session);
                return Err(refuse(&refused));
            }
        };
        match session.advance(&world) {
            Ok(over) => self.settle(session, over, repeated, alc, claim),
            Err(Stop::Script(message)) => self.settle(session, Some(Err(message)), repeated, alc, claim),
            // What it was told is in its journal: the process that waited is all that is lost.
            Err(Stop::Died) if is_warm => {
                drop(session);
                match Self::restored(id, World { deaths: Deaths::Counted, ..world }) {
                    Ok(Restored::Waiting(session)) => {
                        claim.show(&session.shared.live);
                        self.settle(*session, None, true, alc, claim)
                    }
                    Ok(Restored::Over(answer)) => {
                        claim.close();
                        Ok(answer)
                    }
                    Err(failed) => Self::failed(failed, claim),
                }
            }
            Err(stop) => {
                drop(session);
                Self::stopped(stop, claim)
            }
        }
    }

    /// Reads a run back, again where what stopped it need not be the run's.
    fn restored(id: &str, mut world: World) -> Result<Restored, Failed> {
        const ATTEMPTS: usize = 3;
        for _ in 1..ATTEMPTS {
            match Self::restore(id, &world) {
                // A worker that waited for a run can have died as well.
                Err(Failed::Stop(Stop::Died)) => world.deaths = Deaths::Counted,
                restored => return restored,
            }
        }
        Self::restore(id, &world)
    }

    fn failed(failed: Failed, claim: Claim) -> Result<ToolAnswer, ServiceError> {
        match failed {
            Failed::Stop(stop) => Self::stopped(stop, claim),
            Failed::Service(error) => {
                claim.close();
                Err(error)
            }
        }
    }

    /// Ends a run for good, whoever waits for it.
    fn cancel(&self, alc: &Alc, id: &str) -> Result<ToolAnswer, ServiceError> {
        self.end_now(alc, id).map_err(|error| match error {
            ServiceError::Tool { code, message, details } => {
                let message = message.strip_prefix(CONTINUE).map_or(message.clone(), |why| format!("Cancel{why}"));
                ServiceError::Tool { code, message, details }
            }
            other => other,
        })
    }

    fn end_now(&self, alc: &Alc, id: &str) -> Result<ToolAnswer, ServiceError> {
        SessionId::parse(id).map_err(|_| unknown(id))?;
        let deadline = Instant::now() + CANCEL_TIME;
        let mut went_on = false;
        let (claim, warm) = loop {
            // Whoever carries it on notices soon.
            went_on |= self.registry.cancel(id);
            match self.registry.claim(id, For::EndingIt) {
                Ok(claimed) => break claimed,
                Err(Taken::Running) if Instant::now() < deadline => thread::sleep(CANCEL_LOOK),
                Err(taken) => return Err(refuse_claim(id, taken)),
            }
        };
        let stats = warm.map(|session| session.shared.live().stats());
        let opened = alc.folders.app.open_journal(&file_name(id, false));
        match opened {
            Ok(journal) => journal.remove().map_err(|error| stop_error(&Stop::Journal(error)))?,
            // It went on until now and never waited.
            Err(AppDirError::NotFound(_)) if went_on => {}
            Err(AppDirError::NotFound(_)) => return Err(unknown(id)),
            Err(AppDirError::Locked(_)) => return Err(busy(id)),
            Err(error) => return Err(stop_error(&Stop::Journal(error))),
        }
        claim.close();
        Ok(payload::cancelled(stats.as_ref()))
    }

    /// Says what a run came to, when that is safe on disk.
    fn settle(
        &self,
        mut session: Session,
        over: Option<Result<serde_json::Value, String>>,
        repeated: bool,
        alc: &Alc,
        claim: Claim,
    ) -> Result<ToolAnswer, ServiceError> {
        if let Some(result) = over {
            let ended = Self::end(&mut session, alc, result);
            drop(session);
            claim.close();
            return ended.map_err(|stop| stop_error(&stop));
        }
        let is_new = session.has_news();
        if !session.shared.journal.is_named()
            && let Err(error) = self.waiting.make_room(&alc.folders.app, &alc.operator.command)
        {
            drop(session);
            claim.close();
            return Err(error);
        }
        // What was posted is stored first: whoever reads of a pause may take the client for told of its questions.
        let saved = session.save(alc);
        let paused = saved.and_then(|()| if is_new { session.pause() } else { Ok(()) });
        match paused.and_then(|()| session.settle(alc)) {
            Ok(()) => {}
            Err(Stop::Script(message)) => return self.settle(session, Some(Err(message)), false, alc, claim),
            // It goes on from its journal, when what was in the way is not any more.
            Err(stop) => {
                drop(session);
                return Self::stopped(stop, claim);
            }
        }
        let left = session.pending().len();
        let answer = if is_new || repeated { payload::asks(&session) } else { payload::accepted(left) };
        claim.park(session);
        Ok(answer)
    }

    /// Stores what a run came to, and says it.
    fn end(session: &mut Session, alc: &Alc, result: Result<serde_json::Value, String>) -> Result<ToolAnswer, Stop> {
        // What can never be stored is the run's failure.
        let result = match session.save(alc) {
            Err(Stop::Script(message)) => Err(message),
            saved => saved.and(Ok(result))?,
        };
        let answer = payload::over(session, alc, result);
        session.end(answer.failed, &answer.value.clone().into_value())?;
        Ok(answer)
    }

    /// Reads a run back that this or another process wrote, and does again what it did.
    fn restore(id: &str, world: &World) -> Result<Restored, Failed> {
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
        if past.header.session != id {
            return Err(unreadable(&"it is another run's"));
        }
        if let Some((failed, payload)) = past.end {
            return Ok(Restored::Over(ToolAnswer {
                failed,
                ..wardroom_base::payload::Payload::from_value(payload).into()
            }));
        }
        let mut session = Session::restore(past, file, world).map_err(Failed::Stop)?;
        let over = match session.advance(world) {
            Err(Stop::Script(message)) => Some(Err(message)),
            advanced => advanced.map_err(Failed::Stop)?,
        };
        if !session.caught_up() {
            return Err(Failed::Stop(Stop::Diverged("the script does less than it did".to_owned())));
        }
        match over {
            Some(result) => {
                let ended = Self::end(&mut session, world.alc, result);
                ended.map(Restored::Over).map_err(Failed::Stop)
            }
            None => Ok(Restored::Waiting(Box::new(session))),
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

/// How refusals begin.
const CONTINUE: &str = "Continue";

fn stop_error(stop: &Stop) -> ServiceError {
    let code = match stop {
        Stop::Cancelled => "CANCELLED",
        Stop::Died => "DIED",
        Stop::Diverged(_) => "DIVERGED",
        Stop::Script(_) => "SCRIPT",
        Stop::Journal(AppDirError::TooLarge { .. }) => "TOO_LARGE",
        Stop::NotNow(_) | Stop::Lua(LuaError::Busy) | Stop::Unstored(ServiceError::Tool { code: "BUSY", .. }) => "BUSY",
        Stop::Lua(LuaError::Input(_)) => "INVALID",
        Stop::Journal(_) | Stop::Unstored(_) | Stop::Lua(LuaError::Unavailable(_)) => "STORE",
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
    tool_error(code, format!("{CONTINUE} failed: {refused}"))
}

fn refuse_claim(id: &str, taken: Taken) -> ServiceError {
    match taken {
        Taken::Running => busy(id),
        Taken::Full => tool_error("BUSY", "as many runs as may are going on: try again when one of them waits or ends"),
    }
}

fn busy(id: &str) -> ServiceError {
    tool_error("BUSY", format!("{CONTINUE} failed: session '{id}' is being carried on by another call or process"))
}

fn unknown(id: &str) -> ServiceError {
    tool_error("SESSION_NOT_FOUND", format!("{CONTINUE} failed: session '{}' not found", shown(id)))
}

fn tool_error(code: &'static str, message: impl Into<String>) -> ServiceError {
    ServiceError::Tool { code, message: message.into(), details: None }
}

/// A name that nobody can guess, and numbers for the run's own randomness.
fn new_id() -> Result<(String, u64), ServiceError> {
    let mut bytes = [0; 24];
    entropy::fill(&mut bytes).map_err(|error| ServiceError::internal("the system gives no randomness", error))?;
    let (id, seed) = bytes.split_at(16);
    let seed = seed.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    Ok((format!("s-{:x}-{}", now_ms(), hex(id)), seed))
}

/// A run that waited here, unless another process carried it on meanwhile.
fn awake(mut session: Session) -> Result<Option<Session>, AppDirError> {
    Ok(session.shared.journal.wake()?.then_some(session))
}
