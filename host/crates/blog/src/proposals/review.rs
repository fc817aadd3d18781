//! What a person needs for a decision: the proposals, each with what it changes, and the decision itself.
//!
//! Gives: [`Review`], for the command line and pages.
//! Never: asks whether a person is there, which its callers do.

use std::sync::Arc;

use serde::Serialize;

use super::decide::{DecideError, DecisionRequest, Outcome, accept, discard};
use super::diff::unified_diff;
use super::new::{now_ms, service_error, store_error};
use super::plan::{AcceptPlan, Conflict, FileStep, PlanError};
use super::slug_check::check_slug;
use super::store::ProposalStore;
use super::view::ProposalItem;
use super::{ProposalState, ProposalStatus};
use crate::error_code as code;
use crate::index::{BlogIndex, UpdateScope};
use wardroom_service::audit::{AuditSource, AuditTrail};
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
    /// The digest of all of this, which a decision names; `None` where it cannot be accepted.
    pub digest: Option<String>,
    /// Why it cannot be accepted as it is.
    pub conflict: Option<String>,
    /// Whether both changes go together. Then the text after is of both.
    pub can_merge: bool,
    /// The three texts, where the file changed since the proposal was made.
    #[serde(skip)]
    pub(crate) texts: Option<Box<Conflict>>,
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
        let found = super::view::proposals_with(&self.index.source().folder, status, None, limit, now_ms())?.0;
        found.iter().map(crate::resources::to_value).collect()
    }

    /// Returns a proposal with what accepting it changes, with others' changes where both go together.
    ///
    /// # Errors
    /// When there is none, or the files cannot be read.
    pub fn show(&self, id: &str) -> Result<ReviewedProposal, ServiceError> {
        let (source, now) = (self.index.source(), now_ms());
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
            digest: None,
            conflict: None,
            can_merge: false,
            texts: None,
        };
        if found.status(now) != ProposalStatus::Pending {
            shown.after = match self.written_text(&found)? {
                Some(written) => written,
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
                (shown.before, shown.after) = (conflict.theirs.clone(), conflict.ours.clone());
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
        match check_slug(source, stored, &found.proposal, &plan.shown) {
            Ok(()) => shown.digest = Some(plan.digest),
            Err(error) => shown.conflict = Some(error.to_string()),
        }
        (shown.before, shown.after) = (plan.shown.before, plan.shown.after);
        shown.diff = unified_diff(&shown.path, &shown.before, &shown.after);
        Ok(shown)
    }

    /// Returns the text that accepting a proposal wrote; `None` where it was not accepted.
    fn written_text(&self, found: &ProposalState) -> Result<Option<String>, ServiceError> {
        let store = ProposalStore::new(&self.index.source().folder);
        let Some(decided) = store.read_decided(&found.proposal.id).map_err(store_error)? else { return Ok(None) };
        let path = &found.proposal.change.path;
        Ok(decided.steps.into_iter().find_map(|step| match step {
            FileStep::Write { path: written, text, .. } if written == *path => Some(text),
            FileStep::Write { .. } | FileStep::Remove { .. } => None,
        }))
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
            now: now_ms(),
        };
        let outcome = accept(self.index.source(), &request);
        self.finish(shown.id(), outcome, ProposalStatus::Accepted)
    }

    /// Discards a proposal.
    ///
    /// # Errors
    /// When it was accepted, or the files cannot be written.
    pub fn discard(&self, id: &str, reason: Option<&str>, by: &AuditSource) -> Result<ReviewOutcome, ServiceError> {
        let request =
            DecisionRequest { id, by, trail: &self.trail, digest: None, merges: false, reason, now: now_ms() };
        let outcome = discard(self.index.source(), &request);
        self.finish(id, outcome, ProposalStatus::Discarded)
    }

    fn find(&self, id: &str) -> Result<ProposalState, ServiceError> {
        let found = ProposalStore::new(&self.index.source().folder).find(id).map_err(store_error)?;
        found.ok_or_else(|| not_found(id))
    }

    fn finish(
        &self,
        id: &str,
        outcome: Result<Outcome, DecideError>,
        wanted: ProposalStatus,
    ) -> Result<ReviewOutcome, ServiceError> {
        match outcome {
            Ok(Outcome::Done { decided, applied }) => {
                let scope = UpdateScope::Files(applied.files.into_iter().collect());
                if let Err(error) = self.index.update(&scope, &mut |_, _| {}) {
                    tracing::debug!(%error, "the index of the blog is brought up to date later");
                }
                let status = decided.decision.status.as_str();
                Ok(ReviewOutcome { id: id.to_owned(), status, already: false, left_alone: applied.left_alone })
            }
            Ok(Outcome::Already(found)) => {
                let status = found.status(now_ms());
                if status == wanted {
                    let left_alone = found.left_alone;
                    return Ok(ReviewOutcome { id: id.to_owned(), status: status.as_str(), already: true, left_alone });
                }
                Err(decided_otherwise(id, status))
            }
            Err(error) => Err(decide_error(id, error)),
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
        DecideError::Plan(error) => service_error(error),
        DecideError::Store(error) => store_error(error),
    }
}
