//! `ace_update_knowledge`: writes insights to `AGENTS.md` as bullets.
//!
//! Owns: the arguments and the fields of the answer.
//! Never: writes in a dry run, or a part of what it returns.

use std::collections::{BTreeMap, HashSet};
use std::time::SystemTime;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::analyze::is_zero;
use super::{AceTool, check_confidence, check_ids, invalid_value, parse_params};
use crate::LearningLog;
use crate::bullet_changes::BulletPlan;
use crate::bullet_log::{BulletEvent, BulletEventKind, BulletHistory};
use crate::error_code as code;
use crate::insight::Insight;
use crate::insight_cache::{InsightIndexes, StoredInsight, TextPool};
use crate::limits::MAX_DELTAS;
use crate::playbook::{Bullet, Playbook, UnknownSection};
use crate::update::{
    ArchivedBullet, SkipReason, SkippedInsight, UpdateKnowledge, UpdatePlan, UpdateRequest, plan_update,
};
use wardroom_base::payload::Payload;
use wardroom_service::schema::{input_schema, output_schema, serialize_output};
use wardroom_service::{ServiceError, ToolBehavior, escape_and_truncate};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct UpdateArgs {
    /// 0.0-1.0 (0.8).
    min_confidence: Option<f64>,
    /// Most new bullets (3).
    max_deltas: Option<i64>,
    /// Preview only.
    #[serde(default)]
    dry_run: bool,
    /// Insights to take whatever their confidence.
    #[serde(default)]
    force_insight_ids: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct UpdateOutput {
    deltas: Vec<DeltaItem>,
    /// Bullets that leave AGENTS.md for the log of bullets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    archived: Vec<ArchivedBullet>,
    duplicates_skipped: usize,
    low_confidence_skipped: usize,
    /// Whether AGENTS.md was modified.
    updated: bool,
    /// Why insights became no bullets, at most 100 of them.
    skipped: Vec<SkippedInsight>,
    /// How many further ones became no bullets, by reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    more_skipped: BTreeMap<SkipReason, usize>,
    /// Lines of the log that cannot be read.
    #[serde(skip_serializing_if = "is_zero")]
    lines_skipped: usize,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DeltaItem {
    bullet_id: String,
    section: String,
    /// The whole bullet.
    content: String,
    confidence: f64,
    /// Whether it was written.
    applied: bool,
}

pub(super) const TOOL: AceTool = AceTool {
    name: "ace_update_knowledge",
    title: "Update Knowledge",
    description: "Brings AGENTS.md (the knowledge file) up to date with what was learned: writes the insights as \
                  bullets. `dryRun` previews them.",
    input: input_schema::<UpdateArgs>,
    output: output_schema::<UpdateOutput>,
    behavior: ToolBehavior::IDEMPOTENT,
    call: |log, info, arguments| {
        let stop = || info.cancellation.is_cancelled();
        serialize_output(&log.update(&parse_params(arguments)?, None, &stop)?)
    },
};

impl LearningLog {
    /// Plans an update with insights that the log does not have yet, and writes nothing.
    pub(super) fn preview_update(
        &self,
        arguments: Payload,
        new: &[Insight],
        stop: &dyn Fn() -> bool,
    ) -> Result<Payload, ServiceError> {
        let args = UpdateArgs { dry_run: true, ..parse_params(arguments)? };
        serialize_output(&self.update(&args, Some(new), stop)?)
    }

    /// Updates the playbook. With `unlogged` insights the log itself may be missing.
    fn update(
        &self,
        args: &UpdateArgs,
        unlogged: Option<&[Insight]>,
        stop: &dyn Fn() -> bool,
    ) -> Result<UpdateOutput, ServiceError> {
        let min_confidence = check_confidence(args.min_confidence)?.unwrap_or(self.options.min_confidence);
        let max_deltas = match args.max_deltas {
            None => self.options.max_deltas,
            Some(given) => check_max_deltas(given)?,
        };
        check_ids("forceInsightIds", &args.force_insight_ids)?;
        let request = UpdateRequest {
            min_confidence,
            max_deltas,
            forced: &args.force_insight_ids,
            sections: self.options.section_policy(),
            routes: &self.options.routes,
            budget: self.options.budget,
            now: SystemTime::now().into(),
        };
        // The playbook is what an update is about: that it is missing is said first.
        let text = self.files.playbook()?;
        let known = match unlogged {
            None => self.insights(InsightIndexes::Origins, stop)?,
            Some(_) => self.insights_if_any(InsightIndexes::Origins, stop)?,
        };
        let mut texts = TextPool::default();
        let unlogged: Vec<StoredInsight> =
            unlogged.unwrap_or_default().iter().map(|insight| texts.store(insight).0).collect();
        let ids: HashSet<&str> = unlogged.iter().map(|insight| &*insight.id).collect();
        let logged = known.iter().filter(|insight| !ids.contains(&*insight.id));
        let insights: Vec<&StoredInsight> = logged.chain(&unlogged).collect();
        let plan = |playbook: &Playbook<'_>, history: &BulletHistory| {
            let is_learned = |bullet: &Bullet| Self::is_learned(bullet, &known, history);
            let knowledge = UpdateKnowledge { insights: &insights, history, is_learned: &is_learned, stop };
            let insight_of = |id: &str| {
                let bullet = playbook.bullets().iter().find(|bullet| bullet.id == id)?;
                Some(known.find_origin(bullet)?.id.to_string())
            };
            let plan = plan_update(playbook, knowledge, request).map_err(section_not_found)?;
            if stop() {
                return Err(ServiceError::tool(code::WRITE_ERROR, "the update was cancelled: nothing was written"));
            }
            Ok::<_, ServiceError>(to_change(plan, insight_of))
        };
        let plan = if args.dry_run {
            plan(&Playbook::parse(&text), &self.bullet_history(stop)?)?.result
        } else {
            self.change_bullets(&known, stop, plan)?
        };
        let is_applied = !args.dry_run;
        let deltas: Vec<DeltaItem> = plan
            .deltas
            .into_iter()
            .map(|delta| DeltaItem {
                bullet_id: delta.bullet_id,
                section: delta.section,
                content: delta.line,
                confidence: delta.confidence,
                applied: is_applied,
            })
            .collect();
        Ok(UpdateOutput {
            updated: is_applied && (!deltas.is_empty() || !plan.archived.is_empty()),
            deltas,
            archived: plan.archived,
            duplicates_skipped: plan.duplicates,
            low_confidence_skipped: plan.low_confidence,
            skipped: plan.skipped,
            more_skipped: plan.more_skipped,
            lines_skipped: known.counts.skipped,
        })
    }
}

fn to_change(mut plan: UpdatePlan, insight_of: impl Fn(&str) -> Option<String>) -> BulletPlan<UpdatePlan> {
    let edit = std::mem::take(&mut plan.edit);
    let added = plan.deltas.iter().map(|delta| {
        let event = BulletEvent::new(BulletEventKind::Added, &delta.bullet_id, &delta.section, &delta.line);
        BulletEvent { insight_id: delta.insight_id.clone(), ..event }
    });
    let archived =
        plan.archived.iter().map(|bullet| bullet.to_event(insight_of(&bullet.bullet_id).unwrap_or_default()));
    BulletPlan {
        added: added.collect(),
        archived: archived.collect(),
        edit: Some(edit).filter(|_| !plan.deltas.is_empty() || !plan.archived.is_empty()),
        result: plan,
    }
}

fn check_max_deltas(given: i64) -> Result<usize, ServiceError> {
    let message = if given < 1 { "maxDeltas must be at least 1" } else { "maxDeltas must be at most 100" };
    let checked = usize::try_from(given).ok().filter(|n| (1..=MAX_DELTAS).contains(n));
    checked.ok_or_else(|| invalid_value(message, "maxDeltas", given))
}

pub(crate) fn section_not_found(UnknownSection(section): UnknownSection) -> ServiceError {
    let section = escape_and_truncate(&section);
    let message = format!(
        "AGENTS.md has no section {section}: add the heading \"### {section}\", or set `create_sections = true` below \
         `[ace]`, by which sections with short, plain names are created"
    );
    let details = Some(Payload::from_value(serde_json::json!({ "section": section })));
    ServiceError::Tool { code: code::SECTION_NOT_FOUND, message, details }
}
