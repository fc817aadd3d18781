//! The tools over stored evals: `alc_eval_history`, `alc_eval_detail` and `alc_eval_compare`.
//!
//! Owns: which evals a list has, and the errors for missing evals.
//! Never: reads more summaries than a list shows.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use wardroom_base::unix_time;
use wardroom_rules::id;

use super::compare::{EvalComparison, compare_evals};
use super::store::{EvalSummary, parse_eval_object, strategy_slug};
use super::{EvalStore, eval_id_from_name};
use crate::DOCUMENT_LIMITS;
use crate::error_code as code;
use crate::limits::{MAX_DIR_NAMES_SCANNED, MAX_LISTED_EVALS, MAX_SUMMARY_BYTES, MAX_UNSUMMARIZED_READ_BYTES};
use crate::listed_names::document_stem;
use crate::stored_json::read_json_object;
use crate::tool::{AlcTool, ToolCall};
use crate::top_n::TopN;
use wardroom_appdir::limits::MAX_NAMES_SCANNED;
use wardroom_appdir::{AppDirError, EntryKind, Folder};
use wardroom_service::limits::MAX_PAGE_BYTES;
use wardroom_service::schema::{input_schema, output_schema, parse_arguments, serialize_output};
use wardroom_service::{Cost, ServiceError, Step, ToolBehavior, ToolOutput};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EvalHistoryArgs {
    /// Only evals of this strategy.
    pub(super) strategy: Option<String>,
    /// The most evals in the list: 20 when absent, 1000 at most.
    pub(super) limit: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct EvalHistory {
    /// The summary of each eval: eval_id, strategy, timestamp, pass_rate, mean_score, total_cases, passed, llm_calls,
    /// elapsed_ms and summary.
    pub(super) evals: Vec<Map<String, Value>>,
    /// Evals that cannot be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) warnings: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EvalDetailArgs {
    /// The eval, as `alc_eval_history` names it.
    eval_id: String,
}

/// The whole response of the eval: its status, result and stats.
#[derive(Serialize, JsonSchema)]
struct EvalDetail {
    #[serde(flatten)]
    eval: Map<String, Value>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EvalCompareArgs {
    /// The first eval, as `alc_eval_history` names it.
    eval_id_a: String,
    /// The second eval.
    eval_id_b: String,
}

pub(crate) const TOOLS: &[AlcTool] = &[
    AlcTool {
        name: "alc_eval_history",
        title: "List evals",
        description: "Lists past evaluations (evals): earlier benchmark scorings of all strategies or one, newest \
                      first, with dates and scores.",
        behavior: ToolBehavior::READ_ONLY,
        is_on_demand: true,
        input: input_schema::<EvalHistoryArgs>,
        output: output_schema::<EvalHistory>,
        // The names of all evals may take tens of megabytes.
        call: ToolCall::Large(|alc, arguments, _| {
            serialize_output(&list_evals(&alc.evals, &parse_arguments(arguments)?)?).map(ToolOutput::from)
        }),
    },
    AlcTool {
        name: "alc_eval_detail",
        title: "Show an eval",
        description: "Opens one evaluation (eval) by its id, complete: each individual case with question, answer \
                      (output) and grade, and which failed and why.",
        behavior: ToolBehavior::READ_ONLY,
        is_on_demand: true,
        input: input_schema::<EvalDetailArgs>,
        output: output_schema::<EvalDetail>,
        call: ToolCall::Steps(|alc, arguments, _| {
            let EvalDetailArgs { eval_id } = parse_arguments(arguments)?;
            let file = alc.evals.open_eval_object(&eval_id)?;
            let read = DOCUMENT_LIMITS.read_text(file, &format!("alc://eval/{eval_id}"), |text, _| Ok(text));
            Ok(Step::Next(read.at_least(Cost::Worker).and_then(move |text| {
                let eval = parse_eval_object(&text, &eval_id, MAX_PAGE_BYTES)?;
                serialize_output(&EvalDetail { eval }).map(ToolOutput::from)
            })))
        }),
    },
    AlcTool {
        name: "alc_eval_compare",
        title: "Compare two evals",
        description: "Compares two evaluations (evals) side by side, before and after a change: did the newer \
                      strategy beat the older one, is the difference (gap) between the results significant, or \
                      noise? Welch test.",
        behavior: ToolBehavior::IDEMPOTENT,
        is_on_demand: true,
        input: input_schema::<EvalCompareArgs>,
        output: output_schema::<EvalComparison>,
        // Both evals are read whole.
        call: ToolCall::Large(|alc, arguments, _| {
            let EvalCompareArgs { eval_id_a, eval_id_b } = parse_arguments(arguments)?;
            serialize_output(&compare_evals(&alc.evals, &eval_id_a, &eval_id_b)?).map(ToolOutput::from)
        }),
    },
];

const DEFAULT_LISTED_EVALS: usize = 20;

pub(super) fn list_evals(evals: &EvalStore, wanted: &EvalHistoryArgs) -> Result<EvalHistory, ServiceError> {
    let limit = wanted.limit.unwrap_or(DEFAULT_LISTED_EVALS);
    if limit > MAX_LISTED_EVALS {
        let message = format!("limit={limit} exceeds cap of {MAX_LISTED_EVALS}");
        return Err(ServiceError::tool(code::OUT_OF_RANGE, message));
    }
    let mut history = EvalHistory { evals: Vec::new(), warnings: Vec::new() };
    let folder = match evals.open_evals_folder() {
        Ok(folder) => folder,
        Err(AppDirError::NotFound(_)) => return Ok(history),
        Err(error) => return Err(ServiceError::from_list_error("the evals", error)),
    };
    let mut bytes_left = MAX_PAGE_BYTES;
    for (_, name) in newest_eval_names(&folder, wanted.strategy.as_deref())? {
        if history.evals.len() + history.warnings.len() >= limit {
            break;
        }
        let Some((mut summary, is_exact)) = read_summary(&folder, &name) else {
            history.warnings.push(format!("eval {name} cannot be read"));
            continue;
        };
        // Two strategies may have the same slug in their ids.
        let strategy = summary.get("strategy").and_then(Value::as_str);
        let is_other = |wanted: &str, found: &str| {
            if is_exact { found != wanted } else { strategy_slug(found) != strategy_slug(wanted) }
        };
        if wanted.strategy.as_deref().is_some_and(|wanted| strategy.is_some_and(|found| is_other(wanted, found))) {
            continue;
        }
        // As `alc://eval/` takes it: the original's names of files have more `_` than its ids.
        if let Some(id) = eval_id_from_name(&name) {
            summary.insert("eval_id".into(), id.into());
        }
        let size = Value::from_iter(summary.clone()).to_string().len();
        if size > bytes_left {
            history.warnings.push(format!("the list ends before eval {name}: the answer is at its limit"));
            break;
        }
        bytes_left -= size;
        history.evals.push(summary);
    }
    Ok(history)
}

impl EvalStore {
    /// Counts the evals of a strategy by their file names.
    pub(crate) fn count_evals(&self, strategy: &str) -> Result<usize, ServiceError> {
        let listed = |error| ServiceError::from_list_error("the evals", error);
        let evals = match self.open_evals_folder() {
            Err(AppDirError::NotFound(_)) => return Ok(0),
            evals => evals.map_err(listed)?,
        };
        let (wanted, mut count) = (strategy_slug(strategy), 0);
        let counted = evals.visit_names(&mut { MAX_DIR_NAMES_SCANNED }, |file, _, _| {
            let name =
                document_stem(file).filter(|name| !is_comparison_name(name)).and_then(|name| name.rsplit_once('_'));
            let is_it = |(of, number): (&str, &str)| number.parse::<u64>().is_ok() && strategy_slug(of) == wanted;
            count += usize::from(name.is_some_and(is_it));
        });
        counted.map_err(listed).map(|()| count)
    }
}

/// Returns the names of the evals of one strategy, or of all, the newest first by the number in the name, or by the time of a file
/// without one.
fn newest_eval_names(
    evals: &Folder,
    strategy: Option<&str>,
) -> Result<impl Iterator<Item = (Reverse<u64>, String)>, ServiceError> {
    let wanted = strategy.map(strategy_slug);
    let mut found = TopN::new(MAX_NAMES_SCANNED);
    let listed = evals.visit_names(&mut { MAX_DIR_NAMES_SCANNED }, |file, _, kind| {
        let stem = document_stem(file).filter(|name| id::check_alphabet(name).is_ok() && !is_comparison_name(name));
        let Some(name) = stem.filter(|_| matches!(kind, EntryKind::File | EntryKind::Symlink)) else { return };
        let (of, number) = match name.rsplit_once('_') {
            Some((of, number)) => (of, number.parse::<u64>().ok()),
            None => (name, None),
        };
        let written = match number {
            Some(_) if wanted.as_ref().is_some_and(|wanted| *wanted != strategy_slug(of)) => None,
            Some(number) if kind == EntryKind::File => Some(number),
            // A name without a number may have no strategy; its summary has it. A link may lead nowhere.
            _ => evals
                .stat(file)
                .ok()
                .map(|stat| number.unwrap_or_else(|| stat.modified.map_or(0, unix_time::to_seconds))),
        };
        if let Some(written) = written {
            found.add((Reverse(written), name.to_owned()));
        }
    });
    listed.map_err(|error| ServiceError::from_list_error("the evals", error))?;
    Ok(found.into_sorted())
}

/// Whether `name` is `compare_{a}_vs_{b}`, where both are names of evals.
fn is_comparison_name(name: &str) -> bool {
    let ends_in_number = |name: &str| {
        name.rsplit_once('_').is_some_and(|(of, number)| !of.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
    };
    let pair = name.strip_prefix("compare_").and_then(|pair| pair.rsplit_once("_vs_"));
    pair.is_some_and(|(a, b)| ends_in_number(a) && ends_in_number(b))
}

/// Returns the summary of an eval, and whether its strategy is exact. Without a summary file, the summary is made from
/// the eval, unless that is too large, with the strategy from its id.
fn read_summary(evals: &Folder, name: &str) -> Option<(Map<String, Value>, bool)> {
    match read_json_object(evals, &format!("{name}.meta.json"), MAX_SUMMARY_BYTES) {
        Ok(summary) => return Some((summary, true)),
        Err(AppDirError::NotFound(_)) => {}
        Err(error) => {
            tracing::debug!(%error, "cannot read the summary of an eval, skipped");
            return None;
        }
    }
    let (strategy, number) = name.rsplit_once('_').unwrap_or((name, ""));
    let response = match read_json_object(evals, &format!("{name}.json"), MAX_UNSUMMARIZED_READ_BYTES) {
        Ok(response) => Value::Object(response),
        Err(AppDirError::TooLarge { .. }) => Value::Null,
        Err(error) => {
            tracing::debug!(%error, "cannot read an eval, skipped");
            return None;
        }
    };
    let summary = EvalSummary::from_response(name, strategy, number.parse().unwrap_or(0), &response);
    match json!(summary) {
        Value::Object(summary) => Some((summary, false)),
        _ => None,
    }
}
