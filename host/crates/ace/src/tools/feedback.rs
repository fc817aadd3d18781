//! `ace_feedback`: whether a bullet helped or harmed, and what fixed a failure.
//!
//! Owns: the record of both in the log of traces, and the counter that moves.
//! Never: moves a counter without a reason in the log.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::capture::new_trace;
use super::{AceTool, check_id, invalid, parse_params};
use crate::LearningLog;
use crate::error_code as code;
use crate::files::{LogFile, PlaybookChange};
use crate::limits::MAX_FIELD_CHARS;
use crate::playbook::{MAX_COUNTER, Playbook, PlaybookEdit, is_bullet_id};
use crate::sanitize::log_text;
use crate::trace::{ConsultedBullet, Trace};
use wardroom_service::schema::{input_schema, output_schema, serialize_output};
use wardroom_service::{ServiceError, ToolBehavior};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct FeedbackArgs {
    bead_id: String,
    /// With feedback and reason.
    bullet_id: Option<String>,
    feedback: Option<BulletFeedback>,
    reason: Option<String>,
    /// What fixed the failures of the task.
    fix: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum BulletFeedback {
    Helpful,
    Harmful,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FeedbackOutput {
    trace_id: String,
    /// The counters of the bullet.
    #[serde(skip_serializing_if = "Option::is_none")]
    helpful: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    harmful: Option<u64>,
}

pub(super) const TOOL: AceTool = AceTool {
    name: "ace_feedback",
    title: "Give Feedback",
    description: "Rates a bullet (rule, tip, lesson of the playbook AGENTS.md): marks it as helpful (useful), or as \
                  wrong and harmful; or says what fixed a failure.",
    input: input_schema::<FeedbackArgs>,
    output: output_schema::<FeedbackOutput>,
    behavior: ToolBehavior::ADDITIVE,
    call: |log, _, arguments| {
        let args: FeedbackArgs = parse_params(arguments)?;
        check_id("beadId", &args.bead_id)?;
        let fix = args.fix.as_deref().filter(|fix| !fix.trim().is_empty());
        let mut trace = Trace {
            completed: true,
            fix: log_text(fix.unwrap_or_default(), MAX_FIELD_CHARS),
            ..new_trace(&args.bead_id)
        };
        let bullet = match (args.bullet_id, args.feedback, args.reason.filter(|reason| !reason.trim().is_empty())) {
            (Some(id), Some(feedback), Some(reason)) => Some((id, feedback, reason)),
            (None, None, None) if fix.is_some() => None,
            _ => return Err(invalid("give bulletId, feedback and reason together, or a fix, or both")),
        };
        let Some((id, feedback, reason)) = bullet else {
            log.files.append(LogFile::Traces, std::slice::from_ref(&trace))?;
            return serialize_output(&FeedbackOutput { trace_id: trace.trace_id, helpful: None, harmful: None });
        };
        let content = log.bullet_content(&id)?;
        trace.bullets_consulted.push(ConsultedBullet {
            bullet_id: id.clone(),
            bullet_content: content,
            feedback: if feedback == BulletFeedback::Helpful { "helpful" } else { "harmful" }.to_owned(),
            reason: log_text(&reason, MAX_FIELD_CHARS),
        });
        // The reason comes first: a counter that moved without one could not be explained.
        log.files.append(LogFile::Traces, std::slice::from_ref(&trace))?;
        let (helpful, harmful) = log.files.change_playbook(|text| move_counter(text, &id, feedback))?;
        serialize_output(&FeedbackOutput { trace_id: trace.trace_id, helpful: Some(helpful), harmful: Some(harmful) })
    },
};

fn move_counter(text: &str, id: &str, feedback: BulletFeedback) -> Result<PlaybookChange<(u64, u64)>, ServiceError> {
    let playbook = Playbook::parse(text);
    let mut edit = PlaybookEdit::default();
    let mut counters = None;
    // Copies of a bullet move together.
    for bullet in playbook.bullets().iter().filter(|bullet| bullet.id == id) {
        let (helpful, harmful) = match feedback {
            BulletFeedback::Helpful => ((bullet.helpful + 1).min(MAX_COUNTER), bullet.harmful),
            BulletFeedback::Harmful => (bullet.helpful, (bullet.harmful + 1).min(MAX_COUNTER)),
        };
        edit.set_counters(bullet, helpful, harmful);
        counters.get_or_insert((helpful, harmful));
    }
    let counters = counters.ok_or_else(|| bullet_not_found(id))?;
    Ok(PlaybookChange { result: counters, text: Some(edit.apply(&playbook)) })
}

fn bullet_not_found(id: &str) -> ServiceError {
    let message = if is_bullet_id(id) {
        format!("AGENTS.md has no bullet {id}: ace_get_insights with source \"bullets\" lists them")
    } else {
        "this is no id of a bullet: ace_get_insights with source \"bullets\" lists them".to_owned()
    };
    ServiceError::tool(code::BULLET_NOT_FOUND, message)
}

impl LearningLog {
    fn bullet_content(&self, id: &str) -> Result<String, ServiceError> {
        let text = self.files.playbook()?;
        let playbook = Playbook::parse(&text);
        let found = playbook.bullets().iter().find(|bullet| bullet.id == id);
        found.map(|bullet| log_text(&bullet.content, MAX_FIELD_CHARS)).ok_or_else(|| bullet_not_found(id))
    }
}
