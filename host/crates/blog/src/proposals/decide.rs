//! Decisions on proposals.
//!
//! Owns: the order of a decision: the lock, what others left unfinished, the comparison, the record, the files.
//! Never: checks whether the caller may decide, which its callers do.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::thread;

use super::apply::{Applied, carry_out, remove_leftovers, take_steps};
use super::plan::{AcceptPlan, FileStep, PlanError, ShownChange, discard_steps};
use super::slug_check::new_slug;
use super::store::{ProposalStore, StoreError};
use super::{Decided, Decision, Proposal, ProposalState};
use crate::content::time::format_time;
use crate::index::BlogSource;
use crate::limits::{PROPOSAL_SWEEP_BATCH, PROPOSAL_SWEEP_PAUSE};
use wardroom_appdir::AppDirError;
use wardroom_base::hex::decode_hex;
use wardroom_service::audit::{AuditAction, AuditEvent, AuditSource, AuditTrail};
use wardroom_service::proposal::ProposalStatus;

/// A decision that is asked for.
#[derive(Clone, Copy)]
pub(crate) struct DecisionRequest<'r> {
    pub(crate) id: &'r str,
    pub(crate) by: &'r AuditSource,
    /// Where the decision is written down.
    pub(crate) trail: &'r AuditTrail,
    /// The digest of what was shown; a decision on anything else is refused.
    pub(crate) digest: Option<&'r str>,
    /// Takes both changes where a file changed since.
    pub(crate) merges: bool,
    pub(crate) reason: Option<&'r str>,
    /// In milliseconds since 1970.
    pub(crate) now: i64,
}

/// What is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Accept,
    Discard,
}

impl Verdict {
    /// Returns the status of a proposal that is decided so.
    pub(crate) const fn status(self) -> ProposalStatus {
        match self {
            Self::Accept => ProposalStatus::Accepted,
            Self::Discard => ProposalStatus::Discarded,
        }
    }
}

/// What became of a request.
#[derive(Debug)]
pub(crate) enum Outcome {
    Done {
        decided: Box<Decided>,
        applied: Applied,
    },
    /// The proposal was decided before, or it expired.
    Already(Box<ProposalState>),
}

#[derive(Debug)]
pub(crate) enum DecideError {
    NotFound,
    /// The files changed since they were shown.
    Changed,
    /// The decision is made, and its files are not written yet: the next process that can writes them.
    NotWritten {
        status: ProposalStatus,
        cause: Box<Self>,
    },
    Plan(PlanError),
    Store(StoreError),
}

impl From<PlanError> for DecideError {
    fn from(error: PlanError) -> Self {
        Self::Plan(error)
    }
}

impl From<StoreError> for DecideError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Accepts a proposal: what it proposes becomes what people see.
///
/// # Errors
/// When it cannot be accepted as it was shown: it stays pending. Or when its files cannot be written after the decision: the
/// next process that can writes them.
pub(crate) fn accept(source: &BlogSource, request: &DecisionRequest) -> Result<Outcome, DecideError> {
    decide(source, request, Verdict::Accept)
}

/// Discards a proposal, with its draft unless a person changed that.
///
/// # Errors
/// As [`accept`].
pub(crate) fn discard(source: &BlogSource, request: &DecisionRequest) -> Result<Outcome, DecideError> {
    decide(source, request, Verdict::Discard)
}

/// Takes a proposal back, where this process may not decide: the proposal says so, and counts as discarded from then on.
///
/// # Errors
/// As [`accept`].
pub(crate) fn withdraw(source: &BlogSource, request: &DecisionRequest) -> Result<Outcome, DecideError> {
    let store = ProposalStore::new(&source.folder);
    let lock = store.lock()?;
    let state = store.find(request.id, request.now)?.ok_or(DecideError::NotFound)?;
    if state.status(request.now) != ProposalStatus::Pending {
        return Ok(Outcome::Already(Box::new(state)));
    }
    let steps = discard_steps(source, &state.proposal)?;
    let decision = request.to_decision(ProposalStatus::Discarded, state.proposal.digest());
    let proposal = Proposal { withdrawn: Some(decision.clone()), ..state.proposal };
    store.replace(&lock, &proposal)?;
    let decided = Decided::new(proposal, decision, steps);
    record_decision(request.trail, &decided, request.by);
    let applied = take_steps(source, &decided.proposal, &decided.steps).map_err(|cause| DecideError::NotWritten {
        status: ProposalStatus::Discarded,
        cause: Box::new(cause.into()),
    })?;
    Ok(Outcome::Done { decided: Box::new(decided), applied })
}

/// Returns what accepting a proposal would change, and the digest of that.
///
/// # Errors
/// As [`accept`].
pub(crate) fn show(
    source: &BlogSource,
    proposal: &Proposal,
    merges: bool,
    now: i64,
) -> Result<(ShownChange, String), PlanError> {
    let plan = AcceptPlan::new(source, proposal, merges, now)?.checked()?;
    Ok((plan.shown, plan.digest))
}

/// Ends what other processes left unfinished, and discards what has expired. Returns how many expired.
///
/// # Errors
/// When the files cannot be read or written.
pub(crate) fn sweep(
    source: &BlogSource,
    (by, trail): (&AuditSource, &AuditTrail),
    now: i64,
) -> Result<usize, DecideError> {
    let store = ProposalStore::new(&source.folder);
    // What is due is found without the lock, and looked at again below it.
    let mut due = store.pending(&source.pending)?;
    due.retain(|entry| entry.is_due(now) || store.is_decided(&entry.id));
    let mut n_expired = 0;
    for (number, batch) in due.chunks(PROPOSAL_SWEEP_BATCH).enumerate() {
        if number > 0 {
            thread::sleep(PROPOSAL_SWEEP_PAUSE);
        }
        let _lock = store.lock()?;
        let recovery = Recovery::new(trail);
        for id in batch.iter().map(|entry| &entry.id) {
            if store.is_decided(id) {
                finish_or_log(source, &store, id, &recovery);
                continue;
            }
            // One that cannot be read or ended keeps no other one.
            match expire(source, &store, id, (by, &recovery), now) {
                Ok(is_expired) => n_expired += usize::from(is_expired),
                Err(error) => tracing::warn!(id, ?error, "a proposal that expired cannot be removed"),
            }
        }
    }
    Ok(n_expired)
}

/// Ends the decisions that other processes made and left unfinished. One that cannot be ended is logged, and waits for a
/// process that can.
///
/// # Errors
/// When the proposals cannot be listed or locked.
pub(crate) fn finish_decisions(source: &BlogSource, trail: &AuditTrail) -> Result<(), DecideError> {
    let store = ProposalStore::new(&source.folder);
    let unfinished: Vec<String> = store.pending_ids()?.into_iter().filter(|id| store.is_decided(id)).collect();
    if unfinished.is_empty() {
        return Ok(());
    }
    let _lock = store.lock()?;
    let recovery = Recovery::new(trail);
    unfinished.iter().for_each(|id| finish_or_log(source, &store, id, &recovery));
    Ok(())
}

fn decide(source: &BlogSource, request: &DecisionRequest, verdict: Verdict) -> Result<Outcome, DecideError> {
    let store = ProposalStore::new(&source.folder);
    let _lock = store.lock()?;
    finish_others(source, &store, request.trail)?;
    let planned = match plan(source, &store, request, verdict)? {
        Planned::Decision(planned) => *planned,
        Planned::Already(state) => return Ok(Outcome::Already(state)),
    };
    match record(&store, planned, request)? {
        Recorded::Decided(decided) => {
            let applied = carry_out_now(source, &decided)?;
            Ok(Outcome::Done { decided, applied })
        }
        Recorded::Already(state) => Ok(Outcome::Already(state)),
    }
}

/// A decision that is about to be recorded.
pub(super) struct PlannedDecision {
    proposal: Proposal,
    status: ProposalStatus,
    pub(super) steps: Vec<FileStep>,
    digest: String,
    /// That of the new post which it publishes, where no other post may have it.
    pub(super) slug: Option<String>,
}

pub(super) enum Planned {
    Decision(Box<PlannedDecision>),
    Already(Box<ProposalState>),
}

pub(super) enum Recorded {
    Decided(Box<Decided>),
    Already(Box<ProposalState>),
}

/// Compares a request with what is there.
pub(super) fn plan(
    source: &BlogSource,
    store: &ProposalStore<'_>,
    request: &DecisionRequest,
    verdict: Verdict,
) -> Result<Planned, DecideError> {
    let state = store.find(request.id, request.now)?.ok_or(DecideError::NotFound)?;
    if state.status(request.now) != ProposalStatus::Pending {
        return Ok(Planned::Already(Box::new(state)));
    }
    let proposal = state.proposal;
    let new_plan = || AcceptPlan::new(source, &proposal, request.merges, request.now);
    let mut slug = None;
    let (steps, digest, shown) = match verdict {
        Verdict::Accept => {
            let plan = new_plan()?.checked()?;
            slug = new_slug(source, &proposal, &plan.shown)?;
            (plan.steps, plan.digest.clone(), Some(plan.digest))
        }
        Verdict::Discard => {
            // A digest is that of what was shown, which is what accepting it would change.
            let shown = request.digest.map(|_| new_plan()).transpose()?.map(|plan| plan.digest);
            (discard_steps(source, &proposal)?, proposal.digest(), shown)
        }
    };
    if request.digest.is_some() && request.digest != shown.as_deref() {
        return Err(DecideError::Changed);
    }
    let status = verdict.status();
    Ok(Planned::Decision(Box::new(PlannedDecision { proposal, status, steps, digest, slug })))
}

/// Writes a decision down, and its line: from then on it holds.
pub(super) fn record(
    store: &ProposalStore<'_>,
    PlannedDecision { proposal, status, steps, digest, slug: _ }: PlannedDecision,
    request: &DecisionRequest,
) -> Result<Recorded, DecideError> {
    let decision = request.to_decision(status, digest);
    let decided = Decided::new(proposal, decision, steps);
    match store.decide(&decided) {
        Ok(()) => {}
        // A process on another machine was faster.
        Err(StoreError::Files(AppDirError::AlreadyExists(_))) => {
            let state = store.find(request.id, request.now)?.ok_or(DecideError::NotFound)?;
            return Ok(Recorded::Already(Box::new(state)));
        }
        // The last step flushes the folder: where only that failed, the decision is there, and others carry it out.
        Err(error) if matches!(store.read_decided(request.id), Ok(Some(there)) if there.decision == decided.decision) =>
        {
            tracing::warn!(?error, "a loss of power may take back a decision on a proposal");
        }
        Err(error) => return Err(error.into()),
    }
    record_decision(request.trail, &decided, request.by);
    Ok(Recorded::Decided(Box::new(decided)))
}

/// Carries out a decision that was just recorded.
///
/// # Errors
/// [`DecideError::NotWritten`]: the decision holds all the same.
pub(super) fn carry_out_now(source: &BlogSource, decided: &Decided) -> Result<Applied, DecideError> {
    let status = decided.decision.status;
    carry_out(source, decided).map_err(|cause| DecideError::NotWritten { status, cause: Box::new(cause) })
}

/// Ends the decisions that other processes left unfinished, below the lock.
pub(super) fn finish_others(
    source: &BlogSource,
    store: &ProposalStore<'_>,
    trail: &AuditTrail,
) -> Result<(), StoreError> {
    let recovery = Recovery::new(trail);
    for id in store.pending_ids()?.iter().filter(|id| store.is_decided(id)) {
        finish_or_log(source, store, id, &recovery);
    }
    Ok(())
}

impl DecisionRequest<'_> {
    fn to_decision(self, status: ProposalStatus, digest: String) -> Decision {
        Decision {
            status,
            at: self.now,
            who: self.by.who.clone(),
            through: self.by.through.as_str().to_owned(),
            digest,
            reason: self.reason.map(str::to_owned),
        }
    }
}

/// Ends a proposal whose time is over, or that was withdrawn; returns whether its time was over.
fn expire(
    source: &BlogSource,
    store: &ProposalStore<'_>,
    id: &str,
    (by, recovery): (&AuditSource, &Recovery<'_>),
    now: i64,
) -> Result<bool, DecideError> {
    let Some(state) = store.find(id, now)? else { return Ok(false) };
    if let (Some(_), Some(decision)) = (&state.proposal.withdrawn, state.decision.clone()) {
        let steps = discard_steps(source, &state.proposal)?;
        let decided = Decided::new(state.proposal, decision, steps);
        store.decide(&decided)?;
        recovery.record(&decided);
        carry_out(source, &decided)?;
        return Ok(false);
    }
    if state.status(now) != ProposalStatus::Expired {
        return Ok(false);
    }
    let steps = discard_steps(source, &state.proposal)?;
    let digest = state.proposal.digest();
    let request = DecisionRequest { id, by, trail: recovery.trail, digest: None, merges: false, reason: None, now };
    let status = ProposalStatus::Expired;
    let planned = PlannedDecision { proposal: state.proposal, status, steps, digest, slug: None };
    match record(store, planned, &request)? {
        Recorded::Decided(decided) => carry_out(source, &decided).map(|_| true),
        Recorded::Already(_) => Ok(false),
    }
}

/// Ends a decision that another process made.
fn finish_or_log(source: &BlogSource, store: &ProposalStore<'_>, id: &str, recovery: &Recovery<'_>) {
    let finished = store.read_decided(id).map_err(DecideError::from).and_then(|decided| {
        let Some(decided) = decided else { return Ok(()) };
        // Before the last step, after which no process looks at the decision again.
        if decided.is_carried_out != Some(true) {
            recovery.record(&decided);
        }
        remove_leftovers(source, &decided);
        carry_out(source, &decided)?;
        Ok(())
    });
    if let Err(error) = finished {
        tracing::error!(id, ?error, "a decision on a proposal is not carried out yet");
    }
}

/// The audit trail for decisions that other processes made, which may have ended before they wrote their line.
struct Recovery<'t> {
    trail: &'t AuditTrail,
    /// The proposals that have a line. Below the lock for decisions no other process writes one.
    recorded: OnceCell<HashSet<String>>,
}

impl<'t> Recovery<'t> {
    const fn new(trail: &'t AuditTrail) -> Self {
        Self { trail, recorded: OnceCell::new() }
    }

    /// Writes the line of a decision unless it is there. It says when the decision was made, since it is later itself.
    fn record(&self, decided: &Decided) {
        const ACTIONS: [AuditAction; 2] = [AuditAction::ProposalAccepted, AuditAction::ProposalDiscarded];
        let decision = &decided.decision;
        if decision.status == ProposalStatus::Expired {
            return;
        }
        if !self.recorded.get_or_init(|| self.trail.recorded_subjects(&ACTIONS)).contains(&decided.proposal.id) {
            let by = AuditSource::restored(&decision.who, &decision.through);
            record_line(self.trail, decided, &by, &format!("ok, decided at {}", format_time(decision.at)));
        }
    }
}

/// Writes a decision into the audit trail.
fn record_decision(trail: &AuditTrail, decided: &Decided, by: &AuditSource) {
    record_line(trail, decided, by, "ok");
}

/// Writes the line of a decision. An expiry is none.
fn record_line(trail: &AuditTrail, decided: &Decided, by: &AuditSource, outcome: &str) {
    let action = match decided.decision.status {
        ProposalStatus::Accepted => AuditAction::ProposalAccepted,
        ProposalStatus::Discarded => AuditAction::ProposalDiscarded,
        ProposalStatus::Expired | ProposalStatus::Pending => return,
    };
    let digest = decode_hex(&decided.decision.digest);
    trail.record(by, &AuditEvent { action, subject: &decided.proposal.id, digest, outcome });
}
