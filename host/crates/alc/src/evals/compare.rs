//! `alc_eval_compare`: two evals side by side, and whether their scores differ by more than chance.
//!
//! Owns: the form of a comparison, which is kept in `evals/compare_{a}_vs_{b}.json`.
//! Never: keeps a comparison that failed, or fails because one cannot be kept.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::store::FOLDER;
use super::welch::{Scores, Welch, welch};
use crate::Alc;
use crate::log_view::{at, read_object};
use crate::transcript::RunStats;
use wardroom_appdir::{AppDirError, Privacy};
use wardroom_base::limits::MAX_SUMMARIZED_BYTES;
use wardroom_service::{CallContext, ServiceError};

/// A comparison, in the form of a run's answer.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct Comparison {
    /// Always "completed".
    status: String,
    result: Compared,
    /// What was counted: no model is asked.
    stats: Map<String, Value>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Compared {
    a: Side,
    b: Side,
    comparison: Outcome,
}

/// What one eval says of itself.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Side {
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
struct Outcome {
    /// The mean score of a less that of b.
    delta_mean: f64,
    welch_t: Test,
    /// "a", "b" or "none".
    winner: String,
    summary: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Test {
    t_stat: f64,
    /// Degrees of freedom.
    df: f64,
    /// Two-sided; absent where there is nothing to test by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    p_value: Option<f64>,
    /// On the level of 5 %.
    significant: bool,
    /// "a>b", "a<b", "equal" or "insufficient_data".
    direction: String,
}

impl Alc {
    pub(super) fn compare(&self, a: &str, b: &str, context: &CallContext) -> Result<Comparison, ServiceError> {
        // Both are read whole.
        context.needs_large()?;
        let (of_a, scores_a) = self.side(a, context)?;
        let (of_b, scores_b) = self.side(b, context)?;
        let name = format!("compare_{a}_vs_{b}.json");
        if let Some(kept) = self.kept(&name) {
            return Ok(kept);
        }
        let outcome = outcome(&of_a, scores_a, &of_b, scores_b);
        let stats = json!({"auto": RunStats::default(), "custom": {}});
        let comparison = Comparison {
            status: "completed".to_owned(),
            result: Compared { a: of_a, b: of_b, comparison: outcome },
            stats: stats.as_object().cloned().unwrap_or_default(),
        };
        self.keep(&name, &comparison);
        Ok(comparison)
    }

    fn side(&self, eval: &str, context: &CallContext) -> Result<(Side, Scores), ServiceError> {
        let detail = Value::Object(self.eval_object(eval, usize::MAX, context)?);
        let aggregated = at(&detail, "/result/aggregated");
        let none = || ServiceError::tool("NO_SCORES", format!("No aggregated scores in {eval}"));
        let scores = at(aggregated, "/scores").as_object().ok_or_else(none)?;
        let number = |name: &str| scores.get(name).and_then(Value::as_f64).ok_or_else(none);
        let numbers = Scores { n: number("n")?, mean: number("mean")?, std_dev: number("std_dev")? };
        let fallback = || eval.rsplit_once('_').map_or(eval, |(strategy, _)| strategy);
        let side = Side {
            eval_id: eval.to_owned(),
            strategy: at(&detail, "/result/name").as_str().unwrap_or_else(fallback).to_owned(),
            scores: scores.clone(),
            pass_rate: at(aggregated, "/pass_rate").as_f64(),
            pass_at_1: at(aggregated, "/pass_at_1").as_f64(),
            ci_95: at(aggregated, "/ci_95").as_object().cloned(),
        };
        Ok((side, numbers))
    }

    /// The comparison that was kept; none for what is not one: the original keeps failures, too.
    fn kept(&self, name: &str) -> Option<Comparison> {
        let evals = self.folders.app.folder(FOLDER).ok()?;
        let kept = read_object(&evals, name, MAX_SUMMARIZED_BYTES).ok()?;
        let kept: Comparison = serde_json::from_value(Value::Object(kept)).ok()?;
        (kept.status == "completed").then_some(kept)
    }

    fn keep(&self, name: &str, comparison: &Comparison) {
        let keep = || {
            let evals = self.folders.app.folder(FOLDER)?;
            evals.write(name, json!(comparison).to_string().as_bytes(), Privacy::Owner)
        };
        match keep() {
            // The names of both may be longer together than a name can be: then it is made anew each time.
            Ok(()) | Err(AppDirError::NotFound(_)) => {}
            Err(error) => tracing::warn!(%error, "a comparison is not kept"),
        }
    }
}

fn outcome(a: &Side, of_a: Scores, b: &Side, of_b: Scores) -> Outcome {
    let Welch { t_stat, df, p_value, significant, direction } = welch(of_a, of_b);
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
    let welch_t = Test { t_stat, df, p_value, significant, direction: direction.to_owned() };
    Outcome { delta_mean, welch_t, winner: winner.to_owned(), summary }
}
