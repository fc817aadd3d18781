//! `ace_analyze_patterns`: insights from one trace, or from all of them.
//!
//! Owns: which of them are new to the log: those with another id, or with more confidence than before.
//! Never: adds an insight twice.

use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AceTool, check_confidence, check_id, check_ids, invalid, parse_params};
use crate::LearningLog;
use crate::analyze::{Analysis, AnalysisFindings};
use crate::error_code as code;
use crate::files::LogFile;
use crate::insight::Insight;
use crate::insight_cache::InsightIndexes;
use crate::limits::MAX_RETURNED_INSIGHTS;
use crate::trace::Trace;
use wardroom_base::payload::Payload;
use wardroom_service::schema::{input_schema, output_schema, serialize_output};
use wardroom_service::{ServiceError, ToolBehavior, escape_and_truncate};

/// Occurrences of an error in a batch unless the call says otherwise: what happened once is no pattern.
const DEFAULT_BATCH_FREQUENCY: usize = 2;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct AnalyzeArgs {
    mode: AnalysisMode,
    /// For single: the trace.
    trace_id: Option<String>,
    /// For batch: traces of these tasks alone.
    bead_ids: Option<Vec<String>>,
    /// 0.0-1.0.
    min_confidence: Option<f64>,
    /// For batch: least occurrences of an error (2).
    min_frequency: Option<usize>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum AnalysisMode {
    Single,
    Batch,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AnalyzeOutput {
    insights: Vec<Insight>,
    traces_analyzed: usize,
    /// Whether something new was written.
    written: bool,
    /// Insights beyond those that are returned.
    #[serde(skip_serializing_if = "is_zero")]
    insights_omitted: usize,
    /// Errors, fixes and chains beyond what one analysis holds: analyze fewer tasks (beadIds).
    #[serde(skip_serializing_if = "is_zero")]
    errors_omitted: usize,
    /// Lines of the log that cannot be read.
    #[serde(skip_serializing_if = "is_zero")]
    lines_skipped: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
pub(super) fn is_zero(n: &usize) -> bool {
    *n == 0
}

pub(super) const TOOL: AceTool = AceTool {
    name: "ace_analyze_patterns",
    title: "Analyze Patterns",
    description: "Goes through the recorded traces (history of build and test runs) and works out which mistakes \
                  keep recurring, what fixed each and related issues, as insights (lessons that repeat). Repeating \
                  it adds nothing.",
    input: input_schema::<AnalyzeArgs>,
    output: output_schema::<AnalyzeOutput>,
    behavior: ToolBehavior::IDEMPOTENT,
    call: |log, info, arguments| {
        let stop = || info.cancellation.is_cancelled();
        let analyzed = log.analyze(&parse_params(arguments)?, &stop)?;
        let written = log.record(&analyzed.findings.insights, &stop)?;
        serialize_output(&analyzed.into_output(written))
    },
};

/// What an analysis read and found.
struct AnalyzedTraces {
    findings: AnalysisFindings,
    n_traces: usize,
    n_lines_skipped: usize,
}

impl AnalyzedTraces {
    fn into_output(self, written: bool) -> AnalyzeOutput {
        let AnalysisFindings { mut insights, n_omitted } = self.findings;
        let n_insights_omitted = insights.len().saturating_sub(MAX_RETURNED_INSIGHTS);
        insights.truncate(MAX_RETURNED_INSIGHTS);
        AnalyzeOutput {
            insights,
            traces_analyzed: self.n_traces,
            written,
            insights_omitted: n_insights_omitted,
            errors_omitted: n_omitted,
            lines_skipped: self.n_lines_skipped,
        }
    }
}

fn trace_not_found(id: &str) -> ServiceError {
    ServiceError::tool(code::TRACE_NOT_FOUND, format!("no trace has the id {}", escape_and_truncate(id)))
}

impl LearningLog {
    /// Analyzes traces, and returns the answer with all insights. Nothing is written.
    pub(super) fn preview_analysis(
        &self,
        arguments: Payload,
        stop: &dyn Fn() -> bool,
    ) -> Result<(Payload, Vec<Insight>), ServiceError> {
        let analyzed = self.analyze(&parse_params(arguments)?, stop)?;
        let insights = analyzed.findings.insights.clone();
        Ok((serialize_output(&analyzed.into_output(false))?, insights))
    }

    fn analyze(&self, args: &AnalyzeArgs, stop: &dyn Fn() -> bool) -> Result<AnalyzedTraces, ServiceError> {
        let min_confidence = check_confidence(args.min_confidence)?.unwrap_or_default();
        if args.min_frequency == Some(0) {
            return Err(invalid("minFrequency must be at least 1"));
        }
        let mut analysis = Analysis::default();
        let (min_frequency, n_lines_skipped) = match args.mode {
            AnalysisMode::Single => {
                let id = args.trace_id.as_deref().ok_or_else(|| invalid("traceId is required for single mode"))?;
                check_id("traceId", id)?;
                let trace = self.find_trace(id, stop)?.ok_or_else(|| trace_not_found(id))?;
                analysis.add(&trace);
                (1, 0)
            }
            AnalysisMode::Batch => {
                let beads = args.bead_ids.as_deref();
                if beads.is_some_and(<[String]>::is_empty) {
                    return Err(invalid("beadIds must not be empty: leave it out to analyze all tasks"));
                }
                check_ids("beadIds", beads.unwrap_or_default())?;
                let counts = self.files.visit(LogFile::Traces, stop, |trace: Trace| {
                    if beads.is_none_or(|beads| beads.contains(&trace.bead_id)) {
                        analysis.add(&trace);
                    }
                    ControlFlow::Continue(())
                })?;
                (args.min_frequency.unwrap_or(DEFAULT_BATCH_FREQUENCY), counts.skipped)
            }
        };
        let n_traces = analysis.n_traces();
        Ok(AnalyzedTraces { findings: analysis.finish(min_frequency, min_confidence), n_traces, n_lines_skipped })
    }

    /// Adds the insights that are new to the log, and returns whether there are some.
    fn record(&self, insights: &[Insight], stop: &dyn Fn() -> bool) -> Result<bool, ServiceError> {
        if insights.is_empty() {
            return Ok(false);
        }
        // Two analyses at once would both find the same insights new.
        let _lock = self.files.lock()?;
        let known = self.insights_if_any(InsightIndexes::None, stop)?;
        let is_new =
            |insight: &&Insight| known.find(&insight.id).is_none_or(|known| insight.hundredths() > known.hundredths());
        let new: Vec<&Insight> = insights.iter().filter(is_new).collect();
        if !new.is_empty() {
            self.files.append(LogFile::Insights, &new)?;
        }
        Ok(!new.is_empty())
    }
}
