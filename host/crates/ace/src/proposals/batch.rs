//! One call of an agent: bullets that are added at once, and proposals for a person.
//!
//! Owns: the checks of operations, which bullets are new, and that a call does all of it or nothing.
//! Never: changes a bullet that is there.

use chrono::TimeDelta;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::plan::seen;
use super::store::LockedProposals;
use super::{BulletChangeKind, BulletProposal, PROPOSAL_VERSION};
use crate::LearningLog;
use crate::budget::{BulletRoom, archive_order};
use crate::bullet_changes::BulletPlan;
use crate::bullet_log::{BulletEvent, BulletEventKind, BulletHistory};
use crate::error_code as code;
use crate::insight_cache::{InsightIndexes, KnownInsights};
use crate::limits::{
    BULLET_PROPOSAL_DAYS, MAX_BULLET_CHARS, MAX_FIELD_CHARS, MAX_MERGED_BULLETS, MAX_PROPOSED_OPERATIONS,
};
use crate::playbook::{Bullet, Playbook, PlaybookEdit};
use crate::sanitize::{markdown_text, one_line};
use crate::tools::section_not_found;
use crate::update::routing::section_of;
use crate::update::similarity::ComparedText;
use crate::update::{ArchivedBullet, GoneBullets, SkipReason};
use wardroom_service::proposal::{ProposalStatus, proposal_time_ms};
use wardroom_service::{ServiceError, escape_and_truncate};

/// The namespace of the ids of bullets that were made of no insight.
const BULLET_NAMESPACE: Uuid = Uuid::from_u128(0x8a61_77f0_2c4b_5d1e_a0d3_96b1_5f3c_e24d);

/// An operation of a call.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct BulletOperation {
    op: OperationKind,
    /// Those that change: of merge two or more.
    #[serde(default)]
    bullet_ids: Vec<String>,
    /// For add.
    section: Option<String>,
    /// One line, not for remove.
    content: Option<String>,
    /// Not for add.
    reason: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum OperationKind {
    Add,
    Update,
    Merge,
    Remove,
}

/// What became of a call.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BatchOutput {
    /// One for each operation.
    results: Vec<OperationResult>,
    /// Bullets that leave AGENTS.md for the log of bullets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    archived: Vec<ArchivedBullet>,
    /// Whether AGENTS.md was modified.
    updated: bool,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OperationResult {
    status: OperationStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    bullet_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    proposal_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<SkipReason>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum OperationStatus {
    Added,
    /// It waits for a person.
    Pending,
    Skipped,
}

/// An operation whose arguments fit each other.
enum CheckedOperation {
    Add { section: String, content: String },
    Change { kind: BulletChangeKind, ids: Vec<String>, content: String, reason: String },
}

/// What an operation proposes.
enum PlannedProposal {
    /// It adds a bullet.
    None,
    New(Box<BulletProposal>),
    /// The same is proposed already, with this id.
    Waiting(String),
}

/// What becomes of the operations that add bullets.
struct PlannedAdditions {
    /// `None` for each operation that adds none.
    results: Vec<Option<OperationResult>>,
    archived: Vec<ArchivedBullet>,
}

/// The caller of a batch.
pub(crate) struct BatchSource {
    pub(crate) bead_id: String,
    pub(crate) proposed_by: String,
}

impl BulletOperation {
    fn check(self, log: &LearningLog) -> Result<CheckedOperation, String> {
        let content = markdown_text(self.content.as_deref().unwrap_or_default(), MAX_BULLET_CHARS);
        let reason = one_line(self.reason.as_deref().unwrap_or_default(), MAX_FIELD_CHARS);
        let kind = match self.op {
            OperationKind::Add => {
                if content.is_empty() {
                    return Err("add needs content".to_owned());
                }
                if !self.bullet_ids.is_empty() {
                    return Err("add names no bulletIds".to_owned());
                }
                let default = || section_of(&log.options.routes, &[] as &[String]).to_owned();
                return Ok(CheckedOperation::Add { section: self.section.unwrap_or_else(default), content });
            }
            OperationKind::Update => BulletChangeKind::Update,
            OperationKind::Merge => BulletChangeKind::Merge,
            OperationKind::Remove => BulletChangeKind::Remove,
        };
        let mut ids = self.bullet_ids;
        let n_given = ids.len();
        ids.dedup();
        let n_expected = if kind == BulletChangeKind::Merge { 2..=MAX_MERGED_BULLETS } else { 1..=1 };
        let is_repeated = ids.iter().enumerate().any(|(at, id)| ids.iter().skip(at + 1).any(|other| other == id));
        if !n_expected.contains(&n_given) || ids.len() != n_given || is_repeated {
            return Err(match kind {
                BulletChangeKind::Merge => format!("merge needs 2 to {MAX_MERGED_BULLETS} different bulletIds"),
                BulletChangeKind::Update | BulletChangeKind::Remove => {
                    "update and remove need one of bulletIds".to_owned()
                }
            });
        }
        if self.section.is_some() {
            return Err("a section is for add alone".to_owned());
        }
        if reason.is_empty() {
            return Err("a person decides by the reason: give one".to_owned());
        }
        if content.is_empty() != (kind == BulletChangeKind::Remove) {
            return Err("update and merge need content, and remove has none".to_owned());
        }
        Ok(CheckedOperation::Change { kind, ids, content, reason })
    }
}

impl LearningLog {
    /// Adds bullets and creates proposals.
    ///
    /// # Errors
    /// `INVALID_PARAMS`, `BULLET_NOT_FOUND`, `SECTION_NOT_FOUND`, `TOO_MANY_PROPOSALS`, or when files cannot be written.
    /// Then nothing of it was done.
    pub(crate) fn propose(
        &self,
        operations: Vec<BulletOperation>,
        source: &BatchSource,
        stop: &dyn Fn() -> bool,
    ) -> Result<BatchOutput, ServiceError> {
        let invalid = |message: String| ServiceError::tool(code::INVALID_PARAMS, message);
        if operations.is_empty() || operations.len() > MAX_PROPOSED_OPERATIONS {
            return Err(invalid(format!("a call has 1 to {MAX_PROPOSED_OPERATIONS} operations")));
        }
        let mut checked = Vec::with_capacity(operations.len());
        for (at, operation) in operations.into_iter().enumerate() {
            let operation = operation.check(self).map_err(|error| invalid(format!("operations[{at}]: {error}")))?;
            checked.push(operation);
        }
        let text = self.files.playbook()?;
        let known = self.insights_if_any(InsightIndexes::Origins, stop)?;
        let store = LockedProposals::new(&self.files)?;
        let only_adds = checked.iter().all(|operation| matches!(operation, CheckedOperation::Add { .. }));
        let waiting = if only_adds { Vec::new() } else { store.all()? };
        let proposals = plan_proposals(&Playbook::parse(&text), &checked, source, waiting)?;
        let is_new = |planned: &PlannedProposal| match planned {
            PlannedProposal::New(proposal) => Some((**proposal).clone()),
            PlannedProposal::None | PlannedProposal::Waiting(_) => None,
        };
        let new: Vec<BulletProposal> = proposals.iter().filter_map(is_new).collect();
        if !new.is_empty() {
            store.create(&new)?;
        }
        let planned = self
            .change_bullets(&known, stop, |playbook, history| self.plan_additions(playbook, history, &known, &checked));
        let PlannedAdditions { results, archived } =
            planned.inspect_err(|_| new.iter().for_each(|proposal| store.remove(&proposal.id)))?;
        let results = results.into_iter().zip(proposals).filter_map(|(result, planned)| {
            let proposal_id = match planned {
                PlannedProposal::None => return result,
                PlannedProposal::New(proposal) => Some(proposal.id),
                PlannedProposal::Waiting(id) => Some(id),
            };
            Some(OperationResult { status: OperationStatus::Pending, bullet_id: None, proposal_id, reason: None })
        });
        let results: Vec<OperationResult> = results.collect();
        let is_added = results.iter().any(|result| result.status == OperationStatus::Added);
        Ok(BatchOutput { updated: is_added || !archived.is_empty(), results, archived })
    }

    /// Plans the new bullets: for each operation that adds one, what becomes of it.
    fn plan_additions(
        &self,
        playbook: &Playbook<'_>,
        history: &BulletHistory,
        known: &KnownInsights,
        operations: &[CheckedOperation],
    ) -> Result<BulletPlan<PlannedAdditions>, ServiceError> {
        let is_learned = |bullet: &Bullet| Self::is_learned(bullet, known, history);
        let order = archive_order(playbook, history, &is_learned, std::time::SystemTime::now().into());
        let gone = GoneBullets::new(history, playbook);
        let mut texts: Vec<(String, ComparedText)> =
            playbook.bullets().iter().map(|bullet| (bullet.id.clone(), ComparedText::new(&bullet.content))).collect();
        let (mut room, mut edit) = (None::<BulletRoom<'_>>, PlaybookEdit::default());
        let (mut results, mut added) = (Vec::new(), Vec::new());
        for operation in operations {
            let CheckedOperation::Add { section, content } = operation else {
                results.push(None);
                continue;
            };
            let skipped = |reason, bullet_id| {
                let status = OperationStatus::Skipped;
                Some(OperationResult { status, bullet_id, proposal_id: None, reason: Some(reason) })
            };
            let text = ComparedText::new(content);
            if let Some((id, _)) = texts.iter().find(|(_, other)| other.is_same_as(&text)) {
                results.push(skipped(SkipReason::Duplicate, Some(id.clone())));
                continue;
            }
            if let Some((reason, id)) = gone.find_text(&text) {
                results.push(skipped(reason, Some(id.to_owned())));
                continue;
            }
            if added.len() >= self.options.max_deltas {
                results.push(skipped(SkipReason::OverMaxDeltas, None));
                continue;
            }
            let section = playbook.section_name(section).unwrap_or(section).to_owned();
            let id = new_bullet_id(content, |id| texts.iter().any(|(other, _)| other == id));
            let line = Bullet::line(&id, content);
            let room = room.get_or_insert_with(|| BulletRoom::new(playbook, order.clone(), self.options.budget));
            if !room.take(&line, false) {
                results.push(skipped(SkipReason::OverBudget, None));
                continue;
            }
            let policy = self.options.section_policy();
            edit.add_bullet(playbook, &section, &line, policy).map_err(section_not_found)?;
            added.push(BulletEvent::new(BulletEventKind::Added, &id, &section, &line));
            texts.push((id.clone(), text));
            let status = OperationStatus::Added;
            results.push(Some(OperationResult { status, bullet_id: Some(id), proposal_id: None, reason: None }));
        }
        let mut archived = Vec::new();
        for (bullet, reason) in room.map(BulletRoom::into_archived).unwrap_or_default() {
            edit.remove_bullet(playbook, bullet);
            archived.push((ArchivedBullet::new(playbook, bullet, reason), known.find_origin(bullet)));
        }
        let events = archived.iter().map(|(bullet, origin)| {
            let insight_id = origin.map(|insight| insight.id.to_string()).unwrap_or_default();
            bullet.to_event(insight_id)
        });
        let is_changed = !added.is_empty() || !archived.is_empty();
        Ok(BulletPlan {
            archived: events.collect(),
            added,
            edit: Some(edit).filter(|_| is_changed),
            result: PlannedAdditions { results, archived: archived.into_iter().map(|(bullet, _)| bullet).collect() },
        })
    }
}

/// Plans the proposals of a call. The same change is proposed once while it waits.
fn plan_proposals(
    playbook: &Playbook<'_>,
    operations: &[CheckedOperation],
    source: &BatchSource,
    mut waiting: Vec<BulletProposal>,
) -> Result<Vec<PlannedProposal>, ServiceError> {
    let now = proposal_time_ms();
    waiting.retain(|proposal| proposal.status(now) == ProposalStatus::Pending);
    let mut planned = Vec::with_capacity(operations.len());
    for operation in operations {
        let CheckedOperation::Change { kind, ids, content, reason } = operation else {
            planned.push(PlannedProposal::None);
            continue;
        };
        let bullets = ids.iter().map(|id| {
            let bullet = playbook.bullets().iter().find(|bullet| bullet.id == *id);
            bullet.map(|bullet| seen(playbook, bullet)).ok_or_else(|| {
                let message = format!("AGENTS.md has no bullet {}", escape_and_truncate(id));
                ServiceError::tool(code::BULLET_NOT_FOUND, message)
            })
        });
        let proposal = BulletProposal {
            version: PROPOSAL_VERSION,
            id: Uuid::now_v7().to_string(),
            kind: *kind,
            bullets: bullets.collect::<Result<_, _>>()?,
            content: content.clone(),
            reason: reason.clone(),
            bead_id: source.bead_id.clone(),
            proposed_by: source.proposed_by.clone(),
            created_at: now,
            expires_at: now + TimeDelta::days(BULLET_PROPOSAL_DAYS).num_milliseconds(),
            decision: None,
        };
        planned.push(match waiting.iter().find(|other| other.is_same_as(&proposal)) {
            Some(same) => PlannedProposal::Waiting(same.id.clone()),
            None => {
                waiting.push(proposal.clone());
                PlannedProposal::New(Box::new(proposal))
            }
        });
    }
    Ok(planned)
}

/// Returns the id of a bullet with this content, so that the same lesson has the same id everywhere.
fn new_bullet_id(content: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let digits = Uuid::new_v5(&BULLET_NAMESPACE, content.as_bytes()).simple().to_string();
    let parts = [0..8, 8..16, 16..24, 24..32].into_iter().filter_map(|range| digits.get(range));
    parts.into_iter().find(|id| !is_taken(id)).unwrap_or(&digits).to_owned()
}
