//! What a person needs for a decision: the proposals, each with what it changes, and the decision itself.
//!
//! Gives: [`Review`], for the command line and pages.
//! Never: asks whether a person is there, which its callers do.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;

use super::ProposalState;
use super::batch::{BatchOutcome, BatchRefusal, decide_all};
use super::decide::{DecideError, DecisionRequest, Outcome, Verdict, accept, discard, finish_decisions};
use super::diff::unified_diff;
use super::new::{service_error, store_error};
use super::plan::{AcceptPlan, Conflict, FileStep, PlanError, ShownChange, is_named_by_slug};
use super::slug_check::check_slug;
use super::store::ProposalStore;
use super::view::ProposalItem;
use crate::error_code as code;
use crate::index::BlogIndex;
use wardroom_base::hidden_chars::reveal;
use wardroom_service::audit::{AuditSource, AuditTrail};
use wardroom_service::proposal::{ProposalStatus, proposal_time_ms};
use wardroom_service::{ServiceError, escape_and_truncate};

/// The proposals of a blog, as a person sees them.
#[derive(Clone)]
pub struct Review {
    index: Arc<BlogIndex>,
    trail: AuditTrail,
}

/// A proposal with what it changes.
#[derive(Debug, Serialize)]
pub struct ReviewedProposal {
    #[serde(flatten)]
    pub(crate) item: ProposalItem,
    /// The file, below the folder of the blog.
    pub path: String,
    pub before: String,
    pub after: String,
    /// Unified.
    pub diff: String,
    /// The draft that accepting it removes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removes: Option<String>,
    /// The digest of all of this, which a decision names; `None` where it cannot be accepted.
    pub digest: Option<String>,
    /// Why it cannot be accepted as it is.
    pub conflict: Option<String>,
    /// Whether both changes go together. Then the text after is of both.
    pub can_merge: bool,
    /// The three texts and their merge, where the file changed since the proposal was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) texts: Option<Box<Conflict>>,
}

/// One of several proposals that are decided on together.
#[derive(Debug, Clone, Copy)]
pub struct ChosenProposal<'c> {
    pub id: &'c str,
    /// The digest of what was shown of it; accepting needs one.
    pub digest: Option<&'c str>,
    /// Whether the merge with what others changed was shown.
    pub merges: bool,
}

/// What became of a decision on several proposals, by their ids.
#[derive(Debug)]
pub enum BatchReview {
    /// A file that cannot be written makes an error; the next process tries again.
    Decided(Vec<(String, Result<ReviewOutcome, ServiceError>)>),
    /// Nothing was decided, because of these.
    Refused(Vec<(String, ServiceError)>),
}

/// What became of a decision.
#[derive(Debug, Serialize)]
pub struct ReviewOutcome {
    pub id: String,
    pub status: &'static str,
    /// Whether the same decision was made before.
    pub already: bool,
    /// Files that other programs changed at the same moment, and that stay as they are.
    pub left_alone: Vec<String>,
}

impl ReviewedProposal {
    #[must_use]
    pub fn id(&self) -> &str {
        &self.item.id
    }

    #[must_use]
    pub fn title(&self) -> &str {
        self.item.title()
    }

    /// Returns why files are not as the decision says; `None` where they are.
    #[must_use]
    pub fn unwritten(&self) -> Option<&str> {
        self.item.unwritten()
    }

    /// Returns the title with a name in the place of each character that a person cannot see.
    #[must_use]
    pub fn revealed_title(&self) -> Cow<'_, str> {
        reveal(self.item.title())
    }

    /// Returns the difference as [`Self::revealed_title`] does the title.
    #[must_use]
    pub fn revealed_diff(&self) -> Cow<'_, str> {
        reveal(&self.diff)
    }

    /// Returns whose proposal it is.
    #[must_use]
    pub fn proposed_by(&self) -> &str {
        self.item.proposed_by()
    }

    /// Returns the kind, such as `draft_post`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.item.kind()
    }

    /// Returns `pending`, `accepted`, `discarded` or `expired`.
    #[must_use]
    pub fn status(&self) -> &'static str {
        self.item.status()
    }
}

impl Review {
    pub(crate) const fn new(index: Arc<BlogIndex>, trail: AuditTrail) -> Self {
        Self { index, trail }
    }

    /// Returns the newest proposals with a status, as JSON for people's programs.
    ///
    /// # Errors
    /// When the status is none, or the files cannot be read.
    pub fn list(&self, status: &str, limit: usize) -> Result<Vec<serde_json::Value>, ServiceError> {
        let known =
            [ProposalStatus::Pending, ProposalStatus::Accepted, ProposalStatus::Discarded, ProposalStatus::Expired];
        let status = known.into_iter().find(|known| known.as_str() == status).ok_or_else(|| {
            let message = "status: expected pending, accepted, discarded or expired";
            ServiceError::tool(code::INVALID_ARGUMENTS, message)
        })?;
        let found = super::view::proposals_with(self.index.source(), status, None, limit, proposal_time_ms())?.0;
        found.iter().map(crate::resources::to_value).collect()
    }

    /// Whether accepting a proposal publishes a slug that no other post may have.
    #[must_use]
    pub fn publishes_new_slug(&self, id: &str) -> bool {
        self.find(id).is_ok_and(|found| {
            found.status(proposal_time_ms()) == ProposalStatus::Pending
                && is_named_by_slug(self.index.source(), &found.proposal)
        })
    }

    /// Returns a proposal with what accepting it changes, with others' changes where both go together.
    ///
    /// # Errors
    /// When there is none, or the files cannot be read.
    pub fn show(&self, id: &str) -> Result<ReviewedProposal, ServiceError> {
        let (source, now) = (self.index.source(), proposal_time_ms());
        let found = self.find(id)?;
        let path = found.proposal.change.path.clone();
        let item = ProposalItem::new(&found, now);
        let base = found.proposal.change.base.clone().unwrap_or_default();
        let mut shown = ReviewedProposal {
            item,
            path,
            before: base.clone(),
            after: String::new(),
            diff: String::new(),
            removes: None,
            digest: None,
            conflict: None,
            can_merge: false,
            texts: None,
        };
        if found.status(now) != ProposalStatus::Pending {
            // Of a file that was there, what was written may have the changes of others too.
            let written = if base.is_empty() { self.written_text(&found)? } else { None };
            shown.after = match written {
                Some((path, written)) => {
                    shown.path = path;
                    written
                }
                None => found.proposal.change.apply_to(source, &base).map_err(service_error)?,
            };
            shown.diff = unified_diff(&shown.path, &shown.before, &shown.after);
            return Ok(shown);
        }
        let mut planned = AcceptPlan::new(source, &found.proposal, false, now);
        if let Err(PlanError::Conflict(conflict)) = planned {
            // What is shown and its digest are of one plan: the files may change at any moment.
            planned = match &conflict.merged {
                Some(_) => AcceptPlan::new(source, &found.proposal, true, now),
                None => Err(PlanError::Conflict(conflict.clone())),
            };
            shown.can_merge = planned.is_ok();
            shown.conflict = Some(service_error(PlanError::Conflict(conflict.clone())).to_string());
            shown.texts = Some(conflict);
        }
        let plan = match planned {
            Ok(plan) => plan,
            Err(PlanError::Conflict(conflict)) => {
                (shown.before, shown.after) = (conflict.base.clone(), conflict.ours.clone());
                shown.diff = unified_diff(&shown.path, &shown.before, &shown.after);
                return Ok(shown);
            }
            Err(error @ (PlanError::Gone(_) | PlanError::Unreadable(_))) => {
                // Nothing would be written: there is nothing to compare.
                shown.before.clear();
                shown.conflict = Some(service_error(error).to_string());
                return Ok(shown);
            }
            Err(error) => return Err(service_error(error)),
        };
        let stored = self.index.stored().map(|(stored, _)| stored);
        let refused = match plan.mistakes {
            Some(mistakes) => Err(service_error(PlanError::Mistakes(mistakes))),
            None => check_slug(source, stored, &found.proposal, &plan.shown),
        };
        match refused {
            Ok(()) => shown.digest = Some(plan.digest),
            Err(error) => shown.conflict = Some(error.to_string()),
        }
        let ShownChange { path, before, after, removes } = plan.shown;
        shown = ReviewedProposal { path, before, after, removes, ..shown };
        shown.diff = unified_diff(&shown.path, &shown.before, &shown.after);
        Ok(shown)
    }

    /// Returns the file and the text that accepting a proposal wrote; `None` where it was not accepted.
    fn written_text(&self, found: &ProposalState) -> Result<Option<(String, String)>, ServiceError> {
        let store = ProposalStore::new(&self.index.source().folder);
        let Some(decided) = store.read_decided(&found.proposal.id).map_err(store_error)? else { return Ok(None) };
        let draft = found.proposal.change.draft.as_ref().map(|draft| &draft.path);
        Ok(decided.steps.into_iter().find_map(|step| match step {
            FileStep::Write { path, text, .. } if Some(&path) != draft => Some((path, text)),
            FileStep::Write { .. } | FileStep::Remove { .. } => None,
        }))
    }

    /// Ends the decisions that other processes recorded and did not carry out: a person who decides finds none of them
    /// half done.
    ///
    /// # Errors
    /// When the proposals cannot be listed or locked.
    pub fn finish_decisions(&self) -> Result<(), ServiceError> {
        finish_decisions(self.index.source(), &self.trail).map_err(|error| decide_error("", error))
    }

    /// Accepts exactly what was shown.
    ///
    /// # Errors
    /// When anything of it changed since, or the files cannot be written.
    pub fn accept(&self, shown: &ReviewedProposal, by: &AuditSource) -> Result<ReviewOutcome, ServiceError> {
        let Some(digest) = &shown.digest else {
            let reason = shown.conflict.clone().unwrap_or_else(|| format!("it is {}", shown.status()));
            return Err(ServiceError::tool(code::CONFLICT, reason));
        };
        let request = DecisionRequest {
            id: shown.id(),
            by,
            trail: &self.trail,
            digest: Some(digest),
            merges: shown.can_merge,
            reason: None,
            now: proposal_time_ms(),
        };
        let outcome = accept(self.index.source(), &request);
        self.finish(shown.id(), outcome, Verdict::Accept)
    }

    /// Discards a proposal.
    ///
    /// # Errors
    /// When it was accepted, or the files cannot be written.
    pub fn discard(&self, id: &str, reason: Option<&str>, by: &AuditSource) -> Result<ReviewOutcome, ServiceError> {
        let request = DecisionRequest {
            id,
            by,
            trail: &self.trail,
            digest: None,
            merges: false,
            reason,
            now: proposal_time_ms(),
        };
        let outcome = discard(self.index.source(), &request);
        self.finish(id, outcome, Verdict::Discard)
    }

    /// Accepts several proposals as they were shown, or none.
    ///
    /// # Errors
    /// When the proposals cannot be read, or one was chosen without what was shown of it.
    pub fn accept_all(&self, chosen: &[ChosenProposal<'_>], by: &AuditSource) -> Result<BatchReview, ServiceError> {
        if let Some(unseen) = chosen.iter().find(|chosen| chosen.digest.is_none()) {
            return Err(ServiceError::tool(
                code::CONFLICT,
                format!("{} was not shown", escape_and_truncate(unseen.id)),
            ));
        }
        self.decide_all(chosen, Verdict::Accept, None, by)
    }

    /// Discards several proposals, or none.
    ///
    /// # Errors
    /// When the proposals cannot be read.
    pub fn discard_all(
        &self,
        chosen: &[ChosenProposal<'_>],
        reason: Option<&str>,
        by: &AuditSource,
    ) -> Result<BatchReview, ServiceError> {
        self.decide_all(chosen, Verdict::Discard, reason, by)
    }

    fn decide_all(
        &self,
        chosen: &[ChosenProposal<'_>],
        verdict: Verdict,
        reason: Option<&str>,
        by: &AuditSource,
    ) -> Result<BatchReview, ServiceError> {
        let (trail, now) = (&self.trail, proposal_time_ms());
        let requests: Vec<DecisionRequest<'_>> = chosen
            .iter()
            .map(|chosen| {
                let ChosenProposal { id, digest, merges } = *chosen;
                DecisionRequest { id, by, trail, digest, merges, reason, now }
            })
            .collect();
        match decide_all(self.index.source(), &requests, verdict).map_err(|error| decide_error("", error))? {
            BatchOutcome::Refused(refusals) => {
                let describe = |(id, refusal): (String, BatchRefusal)| {
                    let error = batch_refusal(&id, refusal, now);
                    (id, error)
                };
                Ok(BatchReview::Refused(refusals.into_iter().map(describe).collect()))
            }
            BatchOutcome::Decided(outcomes) => {
                let changed = outcomes.iter().flat_map(|(_, outcome)| match outcome {
                    Ok(Outcome::Done { applied, .. }) => applied.files.as_slice(),
                    _ => &[],
                });
                self.index.update_files(changed.cloned());
                let review = |(id, outcome): (String, Result<Outcome, DecideError>)| {
                    let outcome = describe_outcome(&id, outcome, verdict);
                    (id, outcome)
                };
                Ok(BatchReview::Decided(outcomes.into_iter().map(review).collect()))
            }
        }
    }

    fn find(&self, id: &str) -> Result<ProposalState, ServiceError> {
        let found =
            ProposalStore::new(&self.index.source().folder).find(id, proposal_time_ms()).map_err(store_error)?;
        found.ok_or_else(|| not_found(id))
    }

    fn finish(
        &self,
        id: &str,
        outcome: Result<Outcome, DecideError>,
        verdict: Verdict,
    ) -> Result<ReviewOutcome, ServiceError> {
        if let Ok(Outcome::Done { applied, .. }) = &outcome {
            self.index.update_files(applied.files.iter().cloned());
        }
        describe_outcome(id, outcome, verdict)
    }
}

fn describe_outcome(
    id: &str,
    outcome: Result<Outcome, DecideError>,
    verdict: Verdict,
) -> Result<ReviewOutcome, ServiceError> {
    match outcome {
        Ok(Outcome::Done { decided, applied }) => {
            let status = decided.decision.status.as_str();
            Ok(ReviewOutcome { id: id.to_owned(), status, already: false, left_alone: applied.left_alone })
        }
        Ok(Outcome::Already(found)) => {
            let status = found.status(proposal_time_ms());
            if status == verdict.status() {
                let left_alone = found.left_alone;
                return Ok(ReviewOutcome { id: id.to_owned(), status: status.as_str(), already: true, left_alone });
            }
            Err(decided_otherwise(id, status))
        }
        Err(error) => Err(decide_error(id, error)),
    }
}

fn batch_refusal(id: &str, refusal: BatchRefusal, now: i64) -> ServiceError {
    match refusal {
        BatchRefusal::Already(state) => decided_otherwise(id, state.status(now)),
        BatchRefusal::Failed(error) => decide_error(id, error),
        BatchRefusal::SameFile { other } => {
            let message = format!("it changes the same file as the proposal {other}: decide on one after the other");
            ServiceError::tool(code::CONFLICT, message)
        }
        BatchRefusal::SameSlug { other, slug } => {
            let message =
                format!("it has the slug {slug}, as the proposal {other}: change the slug of one of the drafts");
            ServiceError::tool(code::CONFLICT, message)
        }
    }
}

pub(crate) fn not_found(id: &str) -> ServiceError {
    ServiceError::tool(code::NOT_FOUND, format!("Proposal {} not found.", escape_and_truncate(id)))
}

/// The refusal of a decision after another one.
pub(crate) fn decided_otherwise(id: &str, status: ProposalStatus) -> ServiceError {
    match status {
        ProposalStatus::Expired => {
            ServiceError::tool(code::EXPIRED, format!("Proposal {id} has expired: propose it again."))
        }
        status => ServiceError::tool(code::CONFLICT, format!("Proposal {id} was {} before.", status.as_str())),
    }
}

pub(crate) fn decide_error(id: &str, error: DecideError) -> ServiceError {
    match error {
        DecideError::NotFound => not_found(id),
        DecideError::Changed => {
            let message = "the files changed since they were shown: look at the proposal again";
            ServiceError::tool(code::CONFLICT, message)
        }
        DecideError::NotWritten { status, cause } => {
            let begin = format!("Proposal {id} is {}, and its files are not written yet", status.as_str());
            match decide_error(id, *cause) {
                ServiceError::Tool { code, message, details } => {
                    let message = format!("{begin} ({message}); the next process that can writes them");
                    ServiceError::Tool { code, message, details }
                }
                error => ServiceError::internal(format!("{begin}; the next process that can writes them"), error),
            }
        }
        DecideError::Plan(error) => service_error(error),
        DecideError::Store(error) => store_error(error),
    }
}
