//! `wardroom evals compare`: two evals side by side, at a terminal with their intervals drawn and elsewhere as lines.
//!
//! Never: draws where a program reads, or stores a comparison.

use serde_json::{Value, json};

use super::hints::{RequestSubject, to_command_error};
use super::records_args::EvalsAction;
use crate::assemble;
use crate::assemble::settings::Settings;
use crate::report::{self, CommandError};
use wardroom_alc::error_code as code;
use wardroom_alc::evals::{Estimate, EvalDetails, EvalPair};
use wardroom_base::memory::MemoryShare;
use wardroom_plot::terminal;
use wardroom_service::{RequestMemory, ServiceError};

/// Columns of the label of a row, and those of its numbers.
const LABEL_COLUMNS: usize = 20;
const NUMBER_COLUMNS: usize = 34;
/// Columns of a scale. A longer one is no easier to read.
const MIN_SCALE: usize = 11;
const MAX_SCALE: usize = 61;
/// Cases that are named of those that changed.
const MAX_SHOWN_CASES: usize = 20;

pub(super) fn run(settings: &Settings, action: &EvalsAction) -> Result<(), CommandError> {
    match action {
        EvalsAction::Compare { a, b, json } => compare(settings, a, b, *json),
    }
}

fn compare(settings: &Settings, a: &str, b: &str, as_json: bool) -> Result<(), CommandError> {
    let alc = assemble::standalone_alc(settings)?;
    let memory = RequestMemory::new(&MemoryShare::budget(settings.config.memory_bytes()));
    let pair = report::name_if_slow("reading the evals", || alc.evals().compare_details(a, b, &memory));
    let pair = pair.map_err(|error| match error {
        ServiceError::Tool { code: code::NOT_FOUND | code::INVALID_EVAL_ID, message, .. } => {
            let hint = format!("run {} call alc_eval_history to list the evals", settings.command_line());
            CommandError::new(message, hint)
        }
        error => to_command_error(error, settings, RequestSubject::Tool),
    })?;
    if as_json {
        return report::print_line(&to_json(&pair).to_string());
    }
    for (side, eval) in [("a", &pair.a), ("b", &pair.b)] {
        report::print_line(&format!("{side}: {} ({})", name(eval), report::escape_name(&eval.eval_id)))?;
    }
    if pair.a.scenario != pair.b.scenario {
        report::print_note("note: the scenarios differ, so that the difference says nothing of the strategies");
    }
    let width = report::drawing_columns();
    for row in rows(&pair) {
        report::print_line(&row.to_line(width))?;
    }
    print_scores(&pair, width)?;
    print_changed(&pair)
}

fn name(eval: &EvalDetails) -> String {
    let strategy = report::escape_name(&eval.strategy);
    match &eval.scenario {
        Some(scenario) => format!("{strategy} on {}", report::escape_name(scenario)),
        None => strategy,
    }
}

/// An estimate, what it is of, and the ends of its scale.
struct EstimateRow {
    label: String,
    estimate: Estimate,
    ends: (f64, f64),
    zero: Option<f64>,
    numbers: String,
}

fn rows(pair: &EvalPair) -> Vec<EstimateRow> {
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    let rate = |side: &str, eval: &EvalDetails| {
        let estimate = eval.count.rate()?;
        let label = format!("{side}: {} of {} passed", eval.count.passed, eval.count.total);
        let Estimate { low, value, high } = estimate;
        let numbers = format!("{}, {} to {}", percent(value), percent(low), percent(high));
        Some(EstimateRow { label, estimate, ends: (0.0, 1.0), zero: None, numbers })
    };
    let difference = |label: &str, estimate: Option<Estimate>, written: fn(f64) -> String| {
        let Estimate { low, value, high } = estimate?;
        let numbers = format!("{}, {} to {}", written(value), written(low), written(high));
        let estimate = Estimate { low, value, high };
        Some(EstimateRow { label: label.to_owned(), estimate, ends: (-1.0, 1.0), zero: Some(0.0), numbers })
    };
    let rows = [
        rate("a", &pair.a),
        rate("b", &pair.b),
        difference("pass rate, a - b", pair.rate_difference, |share| format!("{:+.1} %", share * 100.0)),
        difference("mean score, a - b", pair.mean_difference, |score| format!("{score:+.3}")),
    ];
    rows.into_iter().flatten().collect()
}

impl EstimateRow {
    fn to_line(&self, width: Option<usize>) -> String {
        let Self { label, numbers, .. } = self;
        let Some(width) = width else { return format!("{label}: {numbers}") };
        let scale = width.saturating_sub(LABEL_COLUMNS + NUMBER_COLUMNS).clamp(MIN_SCALE, MAX_SCALE);
        let Estimate { low, value, high } = self.estimate;
        let drawn = terminal::interval(low, value, high, self.ends, self.zero, scale);
        format!("{label:<LABEL_COLUMNS$}{drawn}  {numbers}")
    }
}

/// Prints how many scores lie in each tenth.
fn print_scores(pair: &EvalPair, width: Option<usize>) -> Result<(), CommandError> {
    for (side, eval) in [("a", &pair.a), ("b", &pair.b)] {
        let counts = eval.score_counts().map(|count| count as u64);
        let label = format!("{side}: scores by tenths");
        let line = match width {
            Some(_) => {
                format!("{label:<LABEL_COLUMNS$}0 {} 1  mean {:.3}", terminal::counts(&counts), eval.scores.mean)
            }
            None => {
                let counts: Vec<String> = counts.iter().map(u64::to_string).collect();
                format!("{label}: {}, mean {:.3}", counts.join(" "), eval.scores.mean)
            }
        };
        report::print_line(&line)?;
    }
    Ok(())
}

fn print_changed(pair: &EvalPair) -> Result<(), CommandError> {
    for (case, is_a) in pair.changed.iter().take(MAX_SHOWN_CASES) {
        let case = report::shorten(&report::escape_name(case), 60);
        report::print_line(&format!("only {} passed: {case}", if *is_a { "a" } else { "b" }))?;
    }
    if pair.changed.len() > MAX_SHOWN_CASES {
        report::print_note(&format!("{} more cases changed", pair.changed.len() - MAX_SHOWN_CASES));
    }
    Ok(())
}

fn to_json(pair: &EvalPair) -> Value {
    let estimate = |of: Option<Estimate>| {
        of.map(|Estimate { low, value, high }| json!({"low": low, "value": value, "high": high}))
    };
    let side = |eval: &EvalDetails| {
        json!({"eval_id": eval.eval_id, "strategy": eval.strategy, "scenario": eval.scenario,
            "passed": eval.count.passed, "total": eval.count.total, "pass_rate": estimate(eval.count.rate()),
            "mean_score": eval.scores.mean, "std_dev": eval.scores.std_dev, "score_counts": eval.score_counts()})
    };
    let only = |in_a: bool| -> Vec<&str> {
        pair.changed.iter().filter(|(_, is_a)| *is_a == in_a).map(|(name, _)| name.as_str()).collect()
    };
    json!({"a": side(&pair.a), "b": side(&pair.b), "rate_difference": estimate(pair.rate_difference),
        "mean_difference": estimate(pair.mean_difference), "only_a_passed": only(true), "only_b_passed": only(false)})
}
