//! What a person needs for a decision: the proposals, each with the bullets as they are, and the decision itself.
//!
//! Gives: [`BulletReview`], for the command line and pages.
//! Never: asks whether a person is there, which its callers do, or accepts what was not shown.

use std::sync::Arc;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;

use super::plan::compare;
use super::store::LockedProposals;
use super::{BulletDecision, BulletProposal, SeenBullet};
use crate::bullet_changes::BulletPlan;
use crate::bullet_log::BulletEventKind;
use crate::error_code as code;
use crate::insight_cache::InsightIndexes;
use crate::knowledge::BulletItem;
use crate::limits::MAX_FIELD_CHARS;
use crate::playbook::{Bullet, Playbook};
use crate::sanitize::one_line;
use crate::{Ace, LearningLog};
use wardroom_base::hex::decode_hex;
use wardroom_service::ServiceError;
use wardroom_service::audit::{AuditAction, AuditEvent, AuditSource, AuditTrail};
use wardroom_service::proposal::{ProposalStatus, proposal_time_ms};

/// The proposals of a learning log, as a person sees them.
pub struct BulletReview {
    log: Arc<LearningLog>,
    trail: AuditTrail,
}

/// A proposal in a list.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BulletProposalItem {
    pub(crate) id: String,
    pub(crate) kind: super::BulletChangeKind,
    pub(crate) status: &'static str,
    /// The bullets as they were when it was made.
    pub(crate) bullets: Vec<SeenBullet>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) content: String,
    pub(crate) reason: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) bead_id: String,
    pub(crate) proposed_by: String,
    pub(crate) created_at: String,
    pub(crate) expires_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) decided_by: Option<String>,
    /// Why a person discarded it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) decision_reason: Option<String>,
}

/// A proposal with the bullets that it changes.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReviewedBullets {
    #[serde(flatten)]
    pub(crate) item: BulletProposalItem,
    /// The bullets as they are now; none where it is decided.
    pub(crate) current: Vec<BulletItem>,
    /// Whether one of them is another one than when it was proposed.
    pub has_changed: bool,
    /// The digest of all of this, which a decision names; `None` where it cannot be accepted.
    pub digest: Option<String>,
    /// Why it cannot be accepted.
    pub conflict: Option<String>,
}

/// What became of a decision.
#[derive(Debug, Serialize)]
pub struct BulletDecisionOutcome {
    pub id: String,
    pub status: &'static str,
}

impl BulletProposalItem {
    pub(crate) fn new(proposal: BulletProposal, now: i64) -> Self {
        let status = proposal.status(now).as_str();
        let BulletProposal { id, kind, bullets, content, reason, bead_id, proposed_by, .. } = proposal;
        let decision = proposal.decision;
        Self {
            id,
            kind,
            status,
            bullets,
            content,
            reason,
            bead_id,
            proposed_by,
            created_at: time_text(proposal.created_at),
            expires_at: time_text(proposal.expires_at),
            decided_by: decision.as_ref().map(|decision| format!("{} ({})", decision.who, decision.through)),
            decision_reason: decision.and_then(|decision| decision.reason),
        }
    }
}

impl ReviewedBullets {
    /// Returns `pending`, `accepted`, `discarded` or `expired`.
    #[must_use]
    pub fn status(&self) -> &'static str {
        self.item.status
    }
}

impl Ace {
    /// Returns the side of proposals that decides; `None` without a learning log.
    #[must_use]
    pub fn review(&self, trail: AuditTrail) -> Option<BulletReview> {
        self.0.clone().map(|log| BulletReview::new(log, trail))
    }
}

impl BulletReview {
    pub(crate) const fn new(log: Arc<LearningLog>, trail: AuditTrail) -> Self {
        Self { log, trail }
    }

    /// Returns the proposals as JSON for people's programs, the newest first.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn list(&self) -> Result<Vec<serde_json::Value>, ServiceError> {
        let items = self.log.proposal_items()?;
        let encode = |item| serde_json::to_value(item).map_err(|error| ServiceError::internal("cannot encode", error));
        items.into_iter().map(encode).collect()
    }

    /// Returns a proposal with the bullets that it changes.
    ///
    /// # Errors
    /// When there is none, or the playbook cannot be read.
    pub fn show(&self, id: &str) -> Result<ReviewedBullets, ServiceError> {
        let (proposal, now) = (self.log.files.find_proposal(id)?, proposal_time_ms());
        let is_pending = proposal.status(now) == ProposalStatus::Pending;
        let mut shown = ReviewedBullets {
            item: BulletProposalItem::new(proposal.clone(), now),
            current: Vec::new(),
            has_changed: false,
            digest: None,
            conflict: None,
        };
        if !is_pending {
            return Ok(shown);
        }
        let text = self.log.files.playbook()?;
        match compare(&Playbook::parse(&text), &proposal) {
            Ok(compared) => {
                shown.current = compared.bullets.iter().map(|bullet| BulletItem::new(bullet)).collect();
                (shown.has_changed, shown.digest) = (compared.has_changed, Some(compared.digest));
            }
            Err(gone) => shown.conflict = Some(bullet_gone(&gone)),
        }
        Ok(shown)
    }

    /// Accepts exactly what was shown with a digest.
    ///
    /// # Errors
    /// `PROPOSAL_CONFLICT` when anything of it changed since; or when files cannot be written.
    pub fn accept(&self, id: &str, digest: &str, by: &AuditSource) -> Result<BulletDecisionOutcome, ServiceError> {
        let known = self.log.insights_if_any(InsightIndexes::Origins, &|| false)?;
        let store = LockedProposals::new(&self.log.files)?;
        let proposal = store.find(id)?;
        check_pending(&proposal)?;
        // A process that is killed below leaves this line: AGENTS.md may have the change, and the proposal still wait.
        let audit = |outcome| self.audit(AuditAction::ProposalAccepted, id, decode_hex(digest), by, outcome);
        audit("begun");
        let changed = self.log.change_bullets(&known, &|| false, |playbook, _| {
            let compared = compare(playbook, &proposal).map_err(|gone| conflict(bullet_gone(&gone)))?;
            if compared.digest != digest {
                return Err(conflict("a bullet is not what was shown: look at the proposal again"));
            }
            let insight_of = |id: &str| {
                let bullet: &Bullet = playbook.bullets().iter().find(|bullet| bullet.id == id)?;
                Some(known.find_origin(bullet)?.id.to_string())
            };
            let (edit, mut archived) = compared.plan(playbook, &proposal);
            for event in archived.iter_mut().filter(|event| event.event == BulletEventKind::Archived) {
                event.insight_id = insight_of(&event.bullet_id).unwrap_or_default();
            }
            Ok(BulletPlan { result: (), edit: Some(edit), archived, added: Vec::new() })
        });
        changed.inspect_err(|_| audit("failed"))?;
        let recorded = store.replace(&decided(&proposal, ProposalStatus::Accepted, None, by));
        // The playbook was changed, whatever becomes of the record.
        audit("ok");
        recorded.map_err(|error| {
            let message =
                format!("AGENTS.md has the change, but {id} cannot be marked as accepted: {error}; discard it");
            ServiceError::tool(code::WRITE_ERROR, message)
        })?;
        Ok(BulletDecisionOutcome { id: proposal.id, status: ProposalStatus::Accepted.as_str() })
    }

    /// Discards a proposal.
    ///
    /// # Errors
    /// `PROPOSAL_CONFLICT` when it was decided before; or when files cannot be written.
    pub fn discard(
        &self,
        id: &str,
        reason: Option<&str>,
        by: &AuditSource,
    ) -> Result<BulletDecisionOutcome, ServiceError> {
        let store = LockedProposals::new(&self.log.files)?;
        let proposal = store.find(id)?;
        check_pending(&proposal)?;
        let reason = reason.map(|reason| one_line(reason, MAX_FIELD_CHARS)).filter(|reason| !reason.is_empty());
        store.replace(&decided(&proposal, ProposalStatus::Discarded, reason, by))?;
        self.audit(AuditAction::ProposalDiscarded, id, None, by, "ok");
        Ok(BulletDecisionOutcome { id: proposal.id, status: ProposalStatus::Discarded.as_str() })
    }

    fn audit(&self, action: AuditAction, id: &str, digest: Option<[u8; 32]>, by: &AuditSource, outcome: &'static str) {
        self.trail.record(by, &AuditEvent { action, subject: id, digest, outcome });
    }
}

impl LearningLog {
    /// Returns all proposals, the newest first.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn proposal_items(&self) -> Result<Vec<BulletProposalItem>, ServiceError> {
        let now = proposal_time_ms();
        Ok(self.files.all_proposals()?.into_iter().map(|proposal| BulletProposalItem::new(proposal, now)).collect())
    }
}

/// Returns a proposal with the decision on it.
fn decided(
    proposal: &BulletProposal,
    status: ProposalStatus,
    reason: Option<String>,
    by: &AuditSource,
) -> BulletProposal {
    let (who, through) = (by.who.clone(), by.through.as_str().to_owned());
    let decision = BulletDecision { status, at: proposal_time_ms(), who, through, reason };
    BulletProposal { decision: Some(decision), ..proposal.clone() }
}

fn check_pending(proposal: &BulletProposal) -> Result<(), ServiceError> {
    match proposal.status(proposal_time_ms()) {
        ProposalStatus::Pending => Ok(()),
        status => Err(conflict(format!("the proposal is {} already", status.as_str()))),
    }
}

fn conflict(message: impl Into<String>) -> ServiceError {
    ServiceError::tool(code::PROPOSAL_CONFLICT, message.into())
}

fn bullet_gone(id: &str) -> String {
    format!("AGENTS.md has no bullet {id} any more: discard the proposal")
}

/// Writes a time, in milliseconds since 1970.
fn time_text(ms: i64) -> String {
    DateTime::<Utc>::from_timestamp_millis(ms).unwrap_or_default().to_rfc3339_opts(SecondsFormat::Secs, true)
}
