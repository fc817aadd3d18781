//! `ace_update_knowledge`: writes insights to `AGENTS.md` as bullets.
//!
//! Owns: the arguments and the fields of the answer.
//! Never: writes in a dry run, or a part of what it returns.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::analyze::is_zero;
use super::{AceTool, check_confidence, check_ids, invalid_value, parse_params};
use crate::error_code as code;
use crate::files::PlaybookChange;
use crate::insight_cache::{InsightIndexes, StoredInsight};
use crate::limits::MAX_DELTAS;
use crate::playbook::{Playbook, UnknownSection};
use crate::update::{SkippedInsight, UpdatePlan, UpdateRequest, plan_update};
use wardroom_base::payload::Payload;
use wardroom_service::schema::{input_schema, output_schema, serialize_output};
use wardroom_service::{ServiceError, ToolBehavior};

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
    duplicates_skipped: usize,
    low_confidence_skipped: usize,
    /// Whether AGENTS.md was modified.
    updated: bool,
    /// Why insights became no bullets, at most 100 of them.
    skipped: Vec<SkippedInsight>,
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
    description: "Adds insights to AGENTS.md as bullets, in one write. What it says already is skipped.",
    input: input_schema::<UpdateArgs>,
    output: output_schema::<UpdateOutput>,
    behavior: ToolBehavior::IDEMPOTENT,
    call: |log, info, arguments| {
        let args: UpdateArgs = parse_params(arguments)?;
        let min_confidence = check_confidence(args.min_confidence)?.unwrap_or(log.options.min_confidence);
        let max_deltas = match args.max_deltas {
            None => log.options.max_deltas,
            Some(given) => check_max_deltas(given)?,
        };
        check_ids("forceInsightIds", &args.force_insight_ids)?;
        let request = UpdateRequest {
            min_confidence,
            max_deltas,
            forced: &args.force_insight_ids,
            sections: log.options.section_policy(),
            routes: &log.options.routes,
        };
        // The playbook is what an update is about: that it is missing is said first.
        let text = log.files.playbook()?;
        let known = log.insights(InsightIndexes::None, &|| info.cancellation.is_cancelled())?;
        let insights: Vec<&StoredInsight> = known.iter().collect();
        let plan = |text: &str| -> Result<PlaybookChange<UpdatePlan>, ServiceError> {
            let playbook = Playbook::parse(text);
            let mut plan = plan_update(&playbook, &insights, request).map_err(section_not_found)?;
            let edit = std::mem::take(&mut plan.edit);
            let text = (!plan.deltas.is_empty()).then(|| edit.apply(&playbook));
            Ok(PlaybookChange { result: plan, text })
        };
        let plan = if args.dry_run { plan(&text)?.result } else { log.files.change_playbook(plan)? };
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
        serialize_output(&UpdateOutput {
            updated: is_applied && !deltas.is_empty(),
            deltas,
            duplicates_skipped: plan.duplicates,
            low_confidence_skipped: plan.low_confidence,
            skipped: plan.skipped,
            lines_skipped: known.counts.skipped,
        })
    },
};

fn check_max_deltas(given: i64) -> Result<usize, ServiceError> {
    let message = if given < 1 { "maxDeltas must be at least 1" } else { "maxDeltas must be at most 100" };
    let checked = usize::try_from(given).ok().filter(|n| (1..=MAX_DELTAS).contains(n));
    checked.ok_or_else(|| invalid_value(message, "maxDeltas", given))
}

fn section_not_found(UnknownSection(section): UnknownSection) -> ServiceError {
    let message = format!(
        "AGENTS.md has no section {section}: add the heading \"### {section}\", or set `create_sections = true` below `[ace]`"
    );
    let details = Some(Payload::from_value(serde_json::json!({ "section": section })));
    ServiceError::Tool { code: code::SECTION_NOT_FOUND, message, details }
}
