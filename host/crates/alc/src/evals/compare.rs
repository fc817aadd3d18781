//! `alc_eval_compare`: two evals side by side, and whether their scores differ by more than chance.
//!
//! Owns: the form of a comparison, which is stored in `evals/compare_{a}_vs_{b}.json`.
//! Never: stores a comparison that failed, or fails because a comparison cannot be stored.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::EvalStore;
use super::store::parse_eval_object;
use super::welch::{SampleStats, WelchResult, welch_t_test};
use crate::error_code as code;
use crate::limits::MAX_UNSUMMARIZED_READ_BYTES;
use crate::logs::transcript::RunStats;
use crate::stored_json::{read_json_object, value_at};
use wardroom_appdir::{AppDirError, Privacy};
use wardroom_service::ServiceError;
use wardroom_service::limits::MAX_DOCUMENT_BYTES;

/// A comparison, in the form of a run's answer.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct EvalComparison {
    /// Always "completed".
    status: String,
    result: EvalComparisonResult,
    /// The counters of the call; no model is called.
    stats: Map<String, Value>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct EvalComparisonResult {
    a: ComparedEval,
    b: ComparedEval,
    comparison: EvalComparisonOutcome,
}

/// One of the two evals.
#[derive(Serialize, Deserialize, JsonSchema)]
struct ComparedEval {
    eval_id: String,
    strategy: String,
    scores: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pass_rate: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pass_at_1: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ci_95: Option<Map<String, Value>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct EvalComparisonOutcome {
    /// The mean score of `a` minus the mean score of `b`.
    delta_mean: f64,
    welch_t: WelchTest,
    /// "a", "b" or "none".
    winner: String,
    summary: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct WelchTest {
    t_stat: f64,
    /// Degrees of freedom.
    df: f64,
    /// Two-sided; absent if the data is insufficient for a test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    p_value: Option<f64>,
    /// At the level of 5 %.
    significant: bool,
    /// "a>b", "a<b", "equal" or "insufficient_data".
    direction: String,
}

pub(super) fn compare_evals(evals: &EvalStore, a: &str, b: &str) -> Result<EvalComparison, ServiceError> {
    let (of_a, scores_a) = read_compared_eval(evals, a)?;
    let (of_b, scores_b) = read_compared_eval(evals, b)?;
    let name = format!("compare_{a}_vs_{b}.json");
    if let Some(kept) = evals.read_comparison(&name) {
        return Ok(kept);
    }
    let outcome = compare_scores(&of_a, scores_a, &of_b, scores_b);
    let stats = json!({"auto": RunStats::default(), "custom": {}});
    let comparison = EvalComparison {
        status: "completed".to_owned(),
        result: EvalComparisonResult { a: of_a, b: of_b, comparison: outcome },
        stats: stats.as_object().cloned().unwrap_or_default(),
    };
    evals.store_comparison(&name, &comparison);
    Ok(comparison)
}

fn read_compared_eval(evals: &EvalStore, eval: &str) -> Result<(ComparedEval, SampleStats), ServiceError> {
    let read = evals.open_eval_object(eval)?.read_text(MAX_DOCUMENT_BYTES);
    let (text, _) = read.map_err(|error| ServiceError::from_read_error(&format!("alc://eval/{eval}"), error))?;
    let detail = Value::Object(parse_eval_object(&text, eval, usize::MAX)?);
    let aggregated = value_at(&detail, "/result/aggregated");
    let none = || ServiceError::tool(code::NO_SCORES, format!("No aggregated scores in {eval}"));
    let scores = value_at(aggregated, "/scores").as_object().ok_or_else(none)?;
    let number = |name: &str| scores.get(name).and_then(Value::as_f64).ok_or_else(none);
    let numbers = SampleStats { n: number("n")?, mean: number("mean")?, std_dev: number("std_dev")? };
    let fallback = || eval.rsplit_once('_').map_or(eval, |(strategy, _)| strategy);
    let side = ComparedEval {
        eval_id: eval.to_owned(),
        strategy: value_at(&detail, "/result/name").as_str().unwrap_or_else(fallback).to_owned(),
        scores: scores.clone(),
        pass_rate: value_at(aggregated, "/pass_rate").as_f64(),
        pass_at_1: value_at(aggregated, "/pass_at_1").as_f64(),
        ci_95: value_at(aggregated, "/ci_95").as_object().cloned(),
    };
    Ok((side, numbers))
}

impl EvalStore {
    /// Reads the stored comparison, if it was completed: the original stores failures, too.
    fn read_comparison(&self, name: &str) -> Option<EvalComparison> {
        let evals = self.open_evals_folder().ok()?;
        let kept = read_json_object(&evals, name, MAX_UNSUMMARIZED_READ_BYTES).ok()?;
        let kept: EvalComparison = serde_json::from_value(Value::Object(kept)).ok()?;
        (kept.status == "completed").then_some(kept)
    }

    fn store_comparison(&self, name: &str, comparison: &EvalComparison) {
        let keep = || {
            let evals = self.open_evals_folder()?;
            evals.write(name, json!(comparison).to_string().as_bytes(), Privacy::Owner)
        };
        match keep() {
            // Both names together may exceed the length of a file name: then the comparison is computed each time.
            Ok(()) | Err(AppDirError::NotFound(_)) => {}
            Err(error) => tracing::warn!(%error, "cannot store a comparison"),
        }
    }
}

fn compare_scores(a: &ComparedEval, of_a: SampleStats, b: &ComparedEval, of_b: SampleStats) -> EvalComparisonOutcome {
    let WelchResult { t_stat, df, p_value, is_significant: significant, direction } = welch_t_test(of_a, of_b);
    let delta_mean = of_a.mean - of_b.mean;
    let winner = match (significant, delta_mean > 0.0) {
        (true, true) => "a",
        (true, false) => "b",
        (false, _) => "none",
    };
    let figures = format!("(t={:.3}, df={df:.1})", t_stat.abs());
    let mut summary = if significant {
        let (better, worse) = if delta_mean > 0.0 { (a, b) } else { (b, a) };
        let by = delta_mean.abs();
        format!(
            "{} outperforms {} by {by:.4} (mean score), statistically significant {figures}.",
            better.strategy, worse.strategy
        )
    } else {
        format!("No statistically significant difference between {} and {} {figures}.", a.strategy, b.strategy)
    };
    if let (Some(rate_a), Some(rate_b)) = (a.pass_rate, b.pass_rate) {
        let by = (rate_a - rate_b).abs() * 100.0;
        let higher = if rate_a > rate_b { &a.strategy } else { &b.strategy };
        summary += &if by > 1e-7 {
            format!(" Pass rate: {higher} +{by:.1}pp.")
        } else {
            format!(" Pass rate: identical ({:.1}%).", rate_a * 100.0)
        };
    }
    let welch_t = WelchTest { t_stat, df, p_value, significant, direction: direction.to_owned() };
    EvalComparisonOutcome { delta_mean, welch_t, winner: winner.to_owned(), summary }
}
