//! Runs: strategies whose queries the client's model answers, over any number of calls, processes and crashes.
//!
//! Owns: the states of a run: started, resumed, paused, restored from its journal, finished, cancelled.
//! Never: executes a run that another process has locked, or removes a paused run that nobody cancelled before its TTL
//! has passed. Of finished runs it keeps the newest.

mod args;
mod branch;
mod cancel_reason;
mod context;
mod error;
mod inputs;
mod journal;
mod journal_line;
mod live_status;
mod log_tail;
mod modules;
mod operations;
mod processor_time;
mod queries;
mod replay_log;
mod restore;
mod run;
mod run_log;
mod run_record;
mod run_state;
mod run_table;
mod sampling;
mod script_stores;
mod standalone;
mod status;
mod store;
mod summary;
mod tool_answer;
mod tool_error;
mod tools;
mod upkeep;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};

use self::cancel_reason::RunCancellation;
use self::context::{RunContext, WorkerCrashPolicy};
use self::error::RunError;
use self::journal::{JOURNAL_FORMAT_VERSION, JournalHeader, RunSpec, ScriptSource};
use self::live_status::RunBudget;
pub use self::log_tail::{LogNews, LogPosition};
use self::queries::LlmQuery;
use self::restore::{RestoreError, RestoredRun, restore_with_retries};
use self::run::{QueryReply, Run};
pub(crate) use self::run_record::{PageText, RecordStep, RunBranch, RunQuestion, RunRecord};
use self::run_table::{ClaimError, ClaimPurpose, RunClaim, RunTable};
pub(crate) use self::script_stores::ScriptStores;
pub(crate) use self::standalone::execute_standalone_call;
pub use self::store::{RunStore, StoredRun};
pub use self::summary::RunSummary;
pub(crate) use self::tool_error::continue_failure;
use self::tool_error::{
    CONTINUE_PREFIX, busy_error, claim_tool_error, not_found_error, reply_tool_error, run_tool_error,
};
pub(super) use self::tools::TOOLS;
use self::upkeep::RunUpkeep;
use crate::limits::{RUN_CANCEL_POLL_INTERVAL, RUN_CANCEL_TIMEOUT};
use crate::session_owner::{is_visible, new_session_id, owner_tag};
use wardroom_appdir::AppDirError;
use wardroom_base::hex::encode_hex;
use wardroom_base::payload::Payload;
use wardroom_base::random;
use wardroom_base::unix_time;
use wardroom_base::uri::SessionId;
use wardroom_lua::{WorkerPool, engine_version};
use wardroom_service::audit::{AuditAction, AuditEvent, AuditSource};
use wardroom_service::{Owner, RequestInfo, ServiceError, ToolOutput};

/// The runs of this process.
pub(super) struct Runs {
    store: Arc<RunStore>,
    stores: Arc<ScriptStores>,
    pool: Arc<WorkerPool>,
    table: Arc<RunTable>,
    upkeep: RunUpkeep,
    settings: RunSettings,
    /// Whether the server may request sampling while a call waits.
    may_sample: bool,
}

/// The settings of runs that come from the environment.
#[derive(Debug, Clone)]
pub struct RunSettings {
    /// The environment variables that scripts may read, of those that packages use.
    pub environment: BTreeMap<String, String>,
    /// The length of a prompt's preview in `alc_status`, in characters.
    pub preview_chars: usize,
    /// How long a paused run keeps its worker processes: `WARM_RUN_IDLE_TIMEOUT`, except in tests.
    pub warm_time: Duration,
    /// The processor time that a run may take in all: `DEFAULT_RUN_PROCESSOR_TIME`, unless the operator sets another.
    pub processor_time: Duration,
}

impl RunSettings {
    /// The environment variables that packages of the collection read.
    pub const ENVIRONMENT_VARIABLES: [&'static str; 1] = ["ALC_SHAPE_CHECK"];
}

/// The source of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReplySource {
    /// A tool call that names the queries it answers.
    Caller,
    /// The client's model, through the protocol. The answer then always lists every pending query.
    Sampling,
}

impl Runs {
    pub(super) fn new(
        store: Arc<RunStore>,
        stores: Arc<ScriptStores>,
        pool: Arc<WorkerPool>,
        settings: RunSettings,
        may_sample: bool,
    ) -> Self {
        let table = Arc::new(RunTable::new(settings.warm_time));
        let upkeep = RunUpkeep::new(Arc::clone(&store), Arc::clone(&table));
        Self { store, stores, pool, table, upkeep, settings, may_sample }
    }

    /// Executes a script until it waits for the client or has finished.
    fn start(&self, script: RunSpec, info: &RequestInfo) -> Result<ToolOutput, ServiceError> {
        RunBudget::check(&script.context)?;
        self.upkeep.remove_expired_if_due();
        self.upkeep.start_evictor();
        let started_ms = unix_time::now_ms();
        let (id, seed) = generate_id_and_seed(started_ms, &info.caller.owner)?;
        let claimed = self.table.claim(&id, ClaimPurpose::Execute, info);
        let (claim, _) = claimed.map_err(|taken| claim_tool_error(&id, taken))?;
        let script = RunSpec { seed, ..script };
        let header =
            JournalHeader { v: JOURNAL_FORMAT_VERSION, engine: engine_version(), session: id, started_ms, script };
        let cancel_flag = claim.share_cancel_flag();
        let answered = self.start_claimed(&header, claim, info);
        if answered.is_err() {
            let outcome = if cancel_flag.load(Ordering::Relaxed) { "cancelled" } else { "stopped" };
            record_end(&header.session, outcome, info);
        }
        answered
    }

    fn start_claimed(
        &self,
        header: &JournalHeader,
        claim: RunClaim,
        info: &RequestInfo,
    ) -> Result<ToolOutput, ServiceError> {
        let run_context = self.run_context(info, &claim, WorkerCrashPolicy::FailChild);
        let started = Run::start(header, &run_context);
        // The worker starts meanwhile. Its requests are served after the record.
        record_begin(header, info);
        let mut run = match started {
            Ok(run) => run,
            Err(stop) => {
                let answered = Self::answer_run_error(stop, claim);
                return answered.inspect(|answer| record_final_answer(&header.session, answer, info));
            }
        };
        claim.publish_status(&run.shared.status);
        match run.advance(&run_context) {
            Ok(over) => self.persist_and_answer(run, over, false, claim, info),
            // No client knows the run's id yet, so that none could resume the run.
            Err(stop @ (RunError::Script(_) | RunError::WorkerDied)) => {
                self.persist_and_answer(run, Some(Err(stop.to_string())), false, claim, info)
            }
            Err(stop) => {
                drop(run);
                Self::answer_run_error(stop, claim)
            }
        }
    }

    fn run_context<'w>(
        &'w self,
        info: &'w RequestInfo,
        claim: &'w RunClaim<'_>,
        crash_policy: WorkerCrashPolicy,
    ) -> RunContext<'w> {
        // Paused runs give up their memory to those that run: their journals are on disk. Where only this caller has much,
        // its own do.
        if info.memory.share().is_budget_scarce() || self.pool.memory().is_scarce() {
            self.table.evict_idle(0, |_| true);
        } else if info.memory.share().is_scarce() {
            let tag = info.caller.owner.tag();
            self.table.evict_idle(0, |id| owner_tag(id) == tag.as_deref());
        }
        let environment = &self.settings.environment;
        RunContext {
            stores: &self.stores,
            pool: &self.pool,
            idle_runs: &*self.table,
            run_store: &self.store,
            environment,
            processor_time: self.settings.processor_time,
            info,
            cancellation: RunCancellation { call: &info.cancellation, run: claim.cancel_flag() },
            crash_policy,
        }
    }

    /// Applies the client's replies to a run and executes it until it waits again or has finished.
    fn resume(
        &self,
        id: &str,
        replies: &[QueryReply],
        by: ReplySource,
        info: &RequestInfo,
    ) -> Result<ToolOutput, ServiceError> {
        check_session(id, info)?;
        self.upkeep.start_evictor();
        let claimed = self.table.claim(id, ClaimPurpose::Execute, info);
        let (claim, warm) = claimed.map_err(|taken| claim_tool_error(id, taken))?;
        let warm = match warm.map(relock_journal).transpose() {
            Ok(warm) => warm.flatten(),
            Err(AppDirError::Locked(_)) => return Err(busy_error(id)),
            Err(error) => return Err(run_tool_error(&RunError::Journal(error))),
        };
        let is_warm = warm.is_some();
        let run_context = self.run_context(info, &claim, WorkerCrashPolicy::RetryRun);
        let mut run = match warm {
            Some(run) => run,
            None => match restore_with_retries(id, run_context) {
                Ok(RestoredRun::Paused(run)) => *run,
                Ok(RestoredRun::Finished(answer)) => {
                    claim.close();
                    return Ok(answer);
                }
                Err(failed) => return Self::answer_restore_error(failed, claim),
            },
        };
        claim.publish_status(&run.shared.status);
        let lists_all = replies.is_empty() || by == ReplySource::Sampling;
        let mut replies = Cow::Borrowed(replies);
        if by == ReplySource::Sampling {
            // A client that repeats its call may send replies that no query waits for.
            replies.to_mut().retain(|reply| reply.id.as_ref().is_none_or(|id| run.is_waiting_for(id)));
        }
        let repeated = match run.apply_replies(&replies) {
            Ok(repeated) => repeated || lists_all,
            Err(refused) => {
                claim.park_unused(run);
                return Err(reply_tool_error(&refused));
            }
        };
        match run.advance(&run_context) {
            Ok(over) => self.persist_and_answer(run, over, repeated, claim, info),
            Err(RunError::Script(message)) => self.persist_and_answer(run, Some(Err(message)), repeated, claim, info),
            // The journal has every reply: only the warm process is lost.
            Err(RunError::WorkerDied) if is_warm => {
                drop(run);
                match restore_with_retries(id, RunContext { crash_policy: WorkerCrashPolicy::FailChild, ..run_context })
                {
                    Ok(RestoredRun::Paused(run)) => {
                        claim.publish_status(&run.shared.status);
                        self.persist_and_answer(*run, None, true, claim, info)
                    }
                    Ok(RestoredRun::Finished(answer)) => {
                        claim.close();
                        Ok(answer)
                    }
                    Err(failed) => Self::answer_restore_error(failed, claim),
                }
            }
            Err(stop) => {
                drop(run);
                Self::answer_run_error(stop, claim)
            }
        }
    }

    /// Answers one question of a run as its client does, and executes the run until it waits again or has finished.
    pub(crate) fn answer_question(
        &self,
        id: &str,
        question: &str,
        text: String,
        info: &RequestInfo,
    ) -> Result<ToolOutput, ServiceError> {
        let reply = QueryReply { id: Some(question.to_owned()), text, usage: None };
        self.resume(id, &[reply], ReplySource::Caller, info)
    }

    fn answer_restore_error(failed: RestoreError, claim: RunClaim) -> Result<ToolOutput, ServiceError> {
        match failed {
            RestoreError::Run(stop) => Self::answer_run_error(stop, claim),
            RestoreError::Service(error) => {
                claim.close();
                Err(error)
            }
        }
    }

    /// Cancels a run for good, also while another call executes it.
    fn cancel(&self, id: &str, info: &RequestInfo) -> Result<ToolOutput, ServiceError> {
        self.cancel_and_remove(id, info).map_err(|error| match error {
            ServiceError::Tool { code, message, details } => {
                let message =
                    message.strip_prefix(CONTINUE_PREFIX).map_or(message.clone(), |why| format!("Cancel{why}"));
                ServiceError::Tool { code, message, details }
            }
            other => other,
        })
    }

    fn cancel_and_remove(&self, id: &str, info: &RequestInfo) -> Result<ToolOutput, ServiceError> {
        check_session(id, info)?;
        let deadline = Instant::now() + RUN_CANCEL_TIMEOUT;
        let mut was_running = false;
        let (claim, warm) = loop {
            // The call that executes the run polls this flag.
            was_running |= self.table.request_cancel(id);
            match self.table.claim(id, ClaimPurpose::Cancel, info) {
                Ok(claimed) => break claimed,
                Err(ClaimError::InUse) if Instant::now() < deadline => thread::sleep(RUN_CANCEL_POLL_INTERVAL),
                Err(taken) => return Err(claim_tool_error(id, taken)),
            }
        };
        let stats = warm.and_then(|run| Payload::text_of(&run.shared.lock_status().stats()).ok());
        match self.store.open_paused(id) {
            Ok(journal) => {
                journal.remove().map_err(|error| run_tool_error(&RunError::Journal(error)))?;
                record_end(id, "cancelled", info);
            }
            // The call that executed the run has recorded its end: the run never paused, or has just finished.
            Err(AppDirError::NotFound(_)) if was_running => {}
            Err(AppDirError::NotFound(_)) => {
                // Nothing is kept of an id that a client made up.
                claim.close();
                return Err(not_found_error(id));
            }
            Err(AppDirError::Locked(_)) => return Err(busy_error(id)),
            Err(error) => return Err(run_tool_error(&RunError::Journal(error))),
        }
        claim.close();
        Ok(tool_answer::cancelled_answer(stats))
    }

    /// Answers a call with the run's new state, once that state is on disk.
    fn persist_and_answer(
        &self,
        mut run: Run,
        over: Option<Result<Payload, String>>,
        repeated: bool,
        claim: RunClaim,
        info: &RequestInfo,
    ) -> Result<ToolOutput, ServiceError> {
        if let Some(result) = over {
            let ended = tool_answer::finish_run(&mut run, &self.stores, result, &info.memory);
            let id = run.id.clone();
            drop(run);
            claim.close();
            if let Ok(answer) = &ended {
                record_final_answer(&id, answer, info);
            }
            return ended.map_err(|stop| run_tool_error(&stop));
        }
        let is_new = run.has_undelivered_queries();
        // Before the run is on the disk: a client that is told of no run could never end it.
        if let Err(error) = self.reserve_pause(&run, info) {
            drop(run);
            claim.close();
            return Err(error);
        }
        // Pending writes are stored before the pause is journaled: a journaled pause means that the client may have
        // been asked the queries.
        let saved = run.flush_writes(&self.stores.state);
        let paused = saved.and_then(|()| if is_new { run.record_pause() } else { Ok(()) });
        match paused.and_then(|()| run.persist(&self.store)) {
            Ok(()) => {}
            Err(RunError::Script(message)) => {
                return self.persist_and_answer(run, Some(Err(message)), false, claim, info);
            }
            // The run can be resumed from its journal once the obstacle is gone.
            Err(stop) => {
                drop(run);
                return Self::answer_run_error(stop, claim);
            }
        }
        let left = run.shared.lock_status().queries.waiting().len();
        let answer = if is_new || repeated {
            tool_answer::needs_response_answer(&run)
        } else {
            tool_answer::accepted_answer(left)
        };
        claim.park(run);
        Ok(answer)
    }

    /// Takes the memory for the answer of a pause, and a place among the paused runs for one that has none.
    fn reserve_pause(&self, run: &Run, info: &RequestInfo) -> Result<(), ServiceError> {
        let prompt_bytes = run.shared.lock_status().queries.waiting().iter().map(LlmQuery::prompt_bytes).sum();
        info.memory.hold_answer(prompt_bytes, 0).map_err(ServiceError::out_of_memory)?;
        let journal = &run.shared.journal;
        if journal.is_on_disk() {
            return Ok(());
        }
        let command = self.stores.packages.grants().command();
        self.store.reserve_pending(&info.caller.owner, journal.buffered_bytes() as u64, command)
    }

    /// Ends a call whose run stops here with an error. The journal, if there is one, stays as it is.
    fn answer_run_error(stop: RunError, claim: RunClaim) -> Result<ToolOutput, ServiceError> {
        claim.close();
        match stop {
            RunError::Script(message) => Ok(tool_answer::error_answer(&message)),
            stop => Err(run_tool_error(&stop)),
        }
    }
}

/// Records that a run begins, with the digest of its source: of its code, or of its package's name.
fn record_begin(header: &JournalHeader, info: &RequestInfo) {
    let (ScriptSource::Code { text, .. } | ScriptSource::Package(text)) = &header.script.source;
    let digest = Some(Sha256::digest(text).into());
    let event = AuditEvent { action: AuditAction::RunBegun, subject: &header.session, digest, outcome: "ok" };
    info.catalogue.audit().record(&AuditSource::from_caller(&info.caller), &event);
}

/// Records that a run ended with its final answer.
fn record_final_answer(id: &str, answer: &ToolOutput, info: &RequestInfo) {
    record_end(id, if answer.is_error { "failed" } else { "ok" }, info);
}

/// Records that a run ended. The removal of a run that expired is not recorded.
fn record_end(id: &str, outcome: &str, info: &RequestInfo) {
    let event = AuditEvent { action: AuditAction::RunEnded, subject: id, digest: None, outcome };
    info.catalogue.audit().record(&AuditSource::from_caller(&info.caller), &event);
}

/// Checks the id of a run that a caller names. What the caller may not see does not exist.
fn check_session(id: &str, info: &RequestInfo) -> Result<(), ServiceError> {
    // The journal of a finished run has that end: its file would be that of another id.
    let is_named = |_: &SessionId| is_visible(id, info) && !id.ends_with(".over");
    SessionId::parse(id).ok().filter(is_named).map(drop).ok_or_else(|| not_found_error(id))
}

/// Generates a run id that has the start time and the owner's tag and cannot be guessed, and the seed of the run's random numbers.
fn generate_id_and_seed(started_ms: u64, owner: &Owner) -> Result<(String, u64), ServiceError> {
    let mut bytes = [0; 24];
    random::fill(&mut bytes).map_err(|error| ServiceError::internal("the system gives no random bytes", error))?;
    let (id, seed) = bytes.split_at(16);
    let seed = seed.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    Ok((new_session_id(started_ms, &encode_hex(id), owner), seed))
}

/// Returns a warm run, unless another process has resumed it meanwhile.
fn relock_journal(mut run: Run) -> Result<Option<Run>, AppDirError> {
    Ok(run.shared.journal.relock()?.then_some(run))
}
