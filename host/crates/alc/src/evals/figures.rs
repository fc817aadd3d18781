//! The figures of evals, for tables, plots and comparisons that a person looks at.
//!
//! Owns: which figures those are, and the interval of the difference between two evals.
//! Never: stores anything, or keeps an answer beyond what is shown.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::EvalStore;
use super::intervals::{Estimate, PassCount, mean_difference, rate_difference};
use super::tools::{EvalHistoryArgs, list_evals};
use super::welch::SampleStats;
use crate::error_code as code;
use wardroom_base::payload;
use wardroom_base::truncate::truncate_text;
use wardroom_service::limits::MAX_DOCUMENT_BYTES;
use wardroom_service::{RequestMemory, ServiceError};

/// Bytes of an answer or an error that are kept of a case.
const MAX_CASE_TEXT_BYTES: usize = 400;

/// An eval in a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EvalFigures {
    pub eval_id: String,
    pub strategy: String,
    pub scenario: Option<String>,
    /// Seconds since 1970.
    pub timestamp: u64,
    pub passed: Option<u64>,
    pub total: Option<u64>,
    pub pass_rate: Option<f64>,
    pub mean_score: Option<f64>,
    pub llm_calls: Option<u64>,
    pub elapsed_ms: Option<u64>,
}

/// One eval with its cases.
#[derive(Debug, Clone, PartialEq)]
pub struct EvalDetails {
    pub eval_id: String,
    pub strategy: String,
    pub scenario: Option<String>,
    pub count: PassCount,
    pub scores: SampleStats,
    pub cases: Vec<EvalCase>,
}

/// A case of an eval, and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct EvalCase {
    pub name: String,
    pub score: f64,
    pub is_passed: bool,
    pub answer: String,
    pub error: Option<String>,
}

/// Two evals side by side.
#[derive(Debug, Clone, PartialEq)]
pub struct EvalPair {
    pub a: EvalDetails,
    pub b: EvalDetails,
    /// The pass rate of `a` minus that of `b`; `None` where one of them has no case.
    pub rate_difference: Option<Estimate>,
    /// The mean score of `a` minus that of `b`; `None` where one of them has fewer than two.
    pub mean_difference: Option<Estimate>,
    /// Cases of both that only one of them passed: their names, and whether that is `a`.
    pub changed: Vec<(String, bool)>,
}

impl EvalFigures {
    fn from_summary(summary: &Map<String, Value>) -> Self {
        let text = |name: &str| summary.get(name).and_then(Value::as_str);
        let number = |name: &str| summary.get(name).and_then(Value::as_u64);
        let share = |name: &str| summary.get(name).and_then(Value::as_f64);
        let strategy = text("strategy").unwrap_or_default().to_owned();
        let title = text("summary").and_then(|summary| summary.strip_prefix("Suite: ")?.lines().next());
        Self {
            eval_id: text("eval_id").unwrap_or_default().to_owned(),
            scenario: title.and_then(|title| scenario_of(title, &strategy)),
            strategy,
            timestamp: number("timestamp").unwrap_or_default(),
            passed: number("passed"),
            total: number("total_cases"),
            pass_rate: share("pass_rate"),
            mean_score: share("mean_score"),
            llm_calls: number("llm_calls"),
            elapsed_ms: number("elapsed_ms"),
        }
    }
}

/// Returns the scenario in the title of a suite, `STRATEGY:SCENARIO`.
fn scenario_of(title: &str, strategy: &str) -> Option<String> {
    let scenario = title.strip_prefix(strategy).and_then(|rest| rest.strip_prefix(':'));
    Some(scenario.or_else(|| Some(title.split_once(':')?.1))?.to_owned()).filter(|scenario| !scenario.is_empty())
}

/// The parts of an eval's file that are shown.
#[derive(Deserialize)]
struct EvalFile {
    result: EvalFileResult,
}

#[derive(Deserialize)]
struct EvalFileResult {
    #[serde(default)]
    name: Option<String>,
    aggregated: EvalFileTotals,
    #[serde(default)]
    results: Vec<EvalFileCase>,
}

#[derive(Deserialize)]
struct EvalFileTotals {
    #[serde(default)]
    total: u64,
    #[serde(default)]
    passed: u64,
    scores: EvalFileScores,
}

#[derive(Deserialize)]
struct EvalFileScores {
    n: f64,
    mean: f64,
    std_dev: f64,
}

#[derive(Deserialize)]
struct EvalFileCase {
    #[serde(default)]
    case: EvalFileInput,
    #[serde(default)]
    response: EvalFileResponse,
    #[serde(default)]
    score: f64,
    #[serde(default)]
    passed: bool,
}

#[derive(Deserialize, Default)]
struct EvalFileInput {
    #[serde(default)]
    name: String,
    #[serde(default)]
    input: String,
}

#[derive(Deserialize, Default)]
struct EvalFileResponse {
    #[serde(default)]
    text: String,
    #[serde(default)]
    error: Option<String>,
}

impl EvalStore {
    /// Lists the newest evals, of one strategy or of all, with a warning for each that cannot be read.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn list_figures(
        &self,
        strategy: Option<&str>,
        limit: usize,
    ) -> Result<(Vec<EvalFigures>, Vec<String>), ServiceError> {
        let history = list_evals(self, &EvalHistoryArgs { strategy: strategy.map(str::to_owned), limit: Some(limit) })?;
        Ok((history.evals.iter().map(EvalFigures::from_summary).collect(), history.warnings))
    }

    /// Reads an eval with its cases.
    ///
    /// # Errors
    /// When there is no such eval, when it has no scores, and when it is larger than the caller's memory.
    pub fn read_details(&self, eval: &str, memory: &RequestMemory) -> Result<EvalDetails, ServiceError> {
        let file = self.open_eval_object(eval)?;
        let len = usize::try_from(file.stat().len).unwrap_or(usize::MAX);
        // The text, and what is kept of it.
        let _held = memory.lease(len.saturating_mul(2))?;
        let (text, _) = file
            .read_text(MAX_DOCUMENT_BYTES)
            .map_err(|error| ServiceError::from_read_error(&format!("alc://eval/{eval}"), error))?;
        let malformed = |_| ServiceError::tool(code::NO_SCORES, format!("No aggregated scores in {eval}"));
        let check = payload::check_json_text(&text, text.len());
        check.map_err(|error| ServiceError::from_parse_error(&format!("eval '{eval}'"), error))?;
        let EvalFile { result } = serde_json::from_str(&text).map_err(malformed)?;
        let slug = eval.rsplit_once('_').map_or(eval, |(strategy, _)| strategy);
        let title = result.name.unwrap_or_default();
        let strategy = title.split_once(':').map_or(slug, |(strategy, _)| strategy).to_owned();
        let scores = result.aggregated.scores;
        Ok(EvalDetails {
            eval_id: eval.to_owned(),
            scenario: scenario_of(&title, &strategy),
            strategy,
            count: PassCount { passed: result.aggregated.passed, total: result.aggregated.total },
            scores: SampleStats { n: scores.n, mean: scores.mean, std_dev: scores.std_dev },
            cases: result.results.into_iter().map(EvalCase::from).collect(),
        })
    }

    /// Compares two evals.
    ///
    /// # Errors
    /// As [`Self::read_details`].
    pub fn compare_details(&self, a: &str, b: &str, memory: &RequestMemory) -> Result<EvalPair, ServiceError> {
        let (a, b) = (self.read_details(a, memory)?, self.read_details(b, memory)?);
        let of_b: HashMap<CaseKey<'_>, bool> = with_keys(&b.cases).map(|(key, case)| (key, case.is_passed)).collect();
        let changed = with_keys(&a.cases).filter(|(key, case)| of_b.get(key).is_some_and(|b| *b != case.is_passed));
        let changed = changed.map(|((name, number), case)| match number {
            1 => (name.to_owned(), case.is_passed),
            _ => (format!("{name} ({number})"), case.is_passed),
        });
        let changed = changed.collect();
        Ok(EvalPair {
            rate_difference: rate_difference(a.count, b.count),
            mean_difference: mean_difference(a.scores, b.scores),
            changed,
            a,
            b,
        })
    }
}

/// The name of a case, and its number among the cases of this name.
type CaseKey<'c> = (&'c str, usize);

/// Returns the cases with what is the same in another eval of the scenario, which may have two cases of one name.
fn with_keys(cases: &[EvalCase]) -> impl Iterator<Item = (CaseKey<'_>, &EvalCase)> {
    let mut counts = HashMap::<&str, usize>::new();
    cases.iter().map(move |case| {
        let number = counts.entry(&case.name).or_default();
        *number += 1;
        ((case.name.as_str(), *number), case)
    })
}

impl From<EvalFileCase> for EvalCase {
    fn from(case: EvalFileCase) -> Self {
        let EvalFileInput { name, input } = case.case;
        let cut = |text: &str| truncate_text(text, MAX_CASE_TEXT_BYTES).into_owned();
        Self {
            name: cut(if name.is_empty() { &input } else { &name }),
            score: case.score,
            is_passed: case.passed,
            answer: cut(&case.response.text),
            error: case.response.error.as_deref().map(cut),
        }
    }
}

impl EvalDetails {
    /// Counts the cases by score, in tenths; a score of 1 belongs to the last.
    #[must_use]
    pub fn score_counts(&self) -> [usize; SCORE_RANGES] {
        score_counts(self.cases.iter().map(|case| case.score))
    }
}

/// The ranges of scores that are counted.
pub const SCORE_RANGES: usize = 10;

/// Counts scores from 0 to 1 by tenths; 1 belongs to the last.
#[must_use]
pub fn score_counts(scores: impl Iterator<Item = f64>) -> [usize; SCORE_RANGES] {
    let mut counts = [0; SCORE_RANGES];
    for score in scores.filter(|score| !score.is_nan()) {
        let range = (0..SCORE_RANGES - 1).find(|range| score < (range + 1) as f64 / SCORE_RANGES as f64);
        if let Some(count) = counts.get_mut(range.unwrap_or(SCORE_RANGES - 1)) {
            *count += 1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_counted_by_tenths() {
        let counts = score_counts([0.0, 0.09, 0.1, 0.95, 1.0, -1.0, 2.0, f64::NAN].into_iter());
        assert_eq!(counts, [3, 1, 0, 0, 0, 0, 0, 0, 0, 3]);
    }

    #[test]
    fn cases_of_one_name_are_told_apart() {
        let case = |name: &str| EvalCase {
            name: name.to_owned(),
            score: 1.0,
            is_passed: true,
            answer: String::new(),
            error: None,
        };
        let cases = [case("n"), case("m"), case("n")];
        let keys: Vec<CaseKey<'_>> = with_keys(&cases).map(|(key, _)| key).collect();
        assert_eq!(keys, [("n", 1), ("m", 1), ("n", 2)]);
    }

    #[test]
    fn scenario_follows_the_strategy() {
        assert_eq!(scenario_of("cot:sums", "cot").as_deref(), Some("sums"));
        assert_eq!(scenario_of("a:b:c", "a:b").as_deref(), Some("c"));
        assert_eq!(scenario_of("other:sums", "cot").as_deref(), Some("sums"));
        assert_eq!(scenario_of("cot:", "cot"), None);
        assert_eq!(scenario_of("cot", "cot"), None);
    }
}
