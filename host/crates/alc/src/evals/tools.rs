//! The tools over stored evals: `alc_eval_history`, `alc_eval_detail` and `alc_eval_compare`.
//!
//! Owns: which evals a list has, and the words for one that is not there.
//! Never: reads more summaries than a list shows.

use std::cmp::Reverse;
use std::time::UNIX_EPOCH;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use wardroom_rules::id;

use super::compare::Comparison;
use super::store::{FOLDER, Summary, dashed};
use crate::listing::document;
use crate::log_view::read_object;
use crate::newest::Newest;
use crate::tools::Tool;
use crate::{Alc, Ask};
use wardroom_appdir::{AppDirError, Folder, Stat};
use wardroom_base::limits::{
    MAX_DIRECTORY_NAMES, MAX_LISTED_EVALS, MAX_NAMES_SCANNED, MAX_PAGE_BYTES, MAX_SUMMARIZED_BYTES, MAX_SUMMARY_BYTES,
};
use wardroom_base::payload::Payload;
use wardroom_service::schema::{answer, answer_schema, parse, schema};
use wardroom_service::{CallContext, Hints, ServiceError, ToolAnswer, shown};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct HistoryOf {
    /// Only evals of this strategy.
    strategy: Option<String>,
    /// Most evals in the list, at most 1000 (20 when absent).
    limit: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
struct History {
    /// The summary of each eval: eval_id, strategy, timestamp, pass_rate, mean_score, total_cases, passed, llm_calls,
    /// elapsed_ms and summary.
    evals: Vec<Map<String, Value>>,
    /// Evals that cannot be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DetailOf {
    /// The eval, as `alc_eval_history` names it.
    eval_id: String,
}

/// The whole response of the eval: its status, result and stats.
#[derive(Serialize, JsonSchema)]
struct Detail {
    #[serde(flatten)]
    eval: Map<String, Value>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Pair {
    /// The first eval, as `alc_eval_history` names it.
    eval_id_a: String,
    /// The second one.
    eval_id_b: String,
}

pub(crate) const TOOLS: &[Tool] = &[
    Tool {
        name: "alc_eval_history",
        title: "List evals",
        description: "Lists the evals that were stored, the newest first, each by its summary.",
        hints: Hints::READS,
        input: schema::<HistoryOf>,
        output: answer_schema::<History>,
        call: |alc, arguments, context| answer(&alc.eval_history(&parse(arguments)?, context)?).map(ToolAnswer::from),
    },
    Tool {
        name: "alc_eval_detail",
        title: "Show an eval",
        description: "Shows one eval whole: the report of every case, and what was counted.",
        hints: Hints::READS,
        input: schema::<DetailOf>,
        output: answer_schema::<Detail>,
        call: |alc, arguments, context| {
            let DetailOf { eval_id } = parse(arguments)?;
            answer(&Detail { eval: alc.eval_detail(&eval_id, context)? }).map(ToolAnswer::from)
        },
    },
    Tool {
        name: "alc_eval_compare",
        title: "Compare two evals",
        description: "Compares the scores of two evals by Welch's t-test, and keeps the comparison beside them.",
        hints: Hints::SETS,
        input: schema::<Pair>,
        output: answer_schema::<Comparison>,
        call: |alc, arguments, context| {
            let Pair { eval_id_a, eval_id_b } = parse(arguments)?;
            answer(&alc.compare(&eval_id_a, &eval_id_b, context)?).map(ToolAnswer::from)
        },
    },
];

const HISTORY: usize = 20;

impl Alc {
    fn eval_history(&self, wanted: &HistoryOf, context: &CallContext) -> Result<History, ServiceError> {
        // The names of all evals may take tens of megabytes.
        context.needs_large()?;
        let limit = wanted.limit.unwrap_or(HISTORY);
        if limit > MAX_LISTED_EVALS {
            let message = format!("limit={limit} exceeds cap of {MAX_LISTED_EVALS}");
            return Err(ServiceError::tool("OUT_OF_RANGE", message));
        }
        let mut history = History { evals: Vec::new(), warnings: Vec::new() };
        let evals = match self.folders.app.folder(FOLDER) {
            Ok(evals) => evals,
            Err(AppDirError::NotFound(_)) => return Ok(history),
            Err(error) => return Err(ServiceError::internal("cannot list the evals", error)),
        };
        let mut room = MAX_PAGE_BYTES;
        for (_, name) in newest(&evals, wanted.strategy.as_deref())? {
            if history.evals.len() + history.warnings.len() >= limit {
                break;
            }
            let Some((summary, is_told)) = summary(&evals, &name) else {
                history.warnings.push(format!("eval {name} cannot be read"));
                continue;
            };
            // Two strategies may be the same but for what an id cannot say.
            let strategy = summary.get("strategy").and_then(Value::as_str);
            let is_other = |wanted: &str, found: &str| {
                if is_told { found != wanted } else { dashed(found) != dashed(wanted) }
            };
            if wanted.strategy.as_deref().is_some_and(|wanted| strategy.is_some_and(|found| is_other(wanted, found))) {
                continue;
            }
            let size = Value::from_iter(summary.clone()).to_string().len();
            if size > room {
                history.warnings.push(format!("the list ends before eval {name}: there is no room for more"));
                break;
            }
            room -= size;
            history.evals.push(summary);
        }
        Ok(history)
    }

    /// One eval, as far as an answer has room for it.
    fn eval_detail(&self, eval: &str, context: &CallContext) -> Result<Map<String, Value>, ServiceError> {
        self.eval_object(eval, MAX_PAGE_BYTES, context)
    }

    /// One eval of at most `most` bytes, by its id or by the name of its file, which may have a `_` more.
    pub(super) fn eval_object(
        &self,
        eval: &str,
        most: usize,
        context: &CallContext,
    ) -> Result<Map<String, Value>, ServiceError> {
        id::check_alphabet(eval).map_err(|error| {
            ServiceError::tool("INVALID_EVAL_ID", format!("Invalid eval_id: '{}' {error}", shown(eval)))
        })?;
        let uri = format!("alc://eval/{eval}");
        let (text, _) = self.eval_text(eval, &Ask { uri: &uri, context }).map_err(|error| match error {
            AppDirError::NotFound(_) => ServiceError::tool("NOT_FOUND", format!("Eval result not found: {eval}")),
            other => ServiceError::reading(&uri, other),
        })?;
        if text.len() > most {
            let message = format!(
                "{uri} has {} bytes, the answer of a tool has room for {most}: read it with resources/read",
                text.len()
            );
            return Err(ServiceError::tool("TOO_LARGE", message));
        }
        let what = format!("eval '{eval}'");
        match Payload::parse(&text, text.len()).map(Payload::into_value) {
            Ok(Value::Object(object)) => Ok(object),
            Ok(_) => Err(ServiceError::tool("MALFORMED", format!("{what} is not a JSON object"))),
            Err(error) => Err(ServiceError::parsing(&what, error)),
        }
    }
}

impl Alc {
    /// How many evals there are of a strategy, by the names of their files.
    pub(crate) fn evals_of(&self, strategy: &str) -> Result<usize, ServiceError> {
        let listed = |error| ServiceError::internal("cannot list the evals", error);
        let evals = match self.folders.app.folder(FOLDER) {
            Err(AppDirError::NotFound(_)) => return Ok(0),
            evals => evals.map_err(listed)?,
        };
        let (wanted, mut count) = (dashed(strategy), 0);
        let counted = evals.each_name_within(&mut { MAX_DIRECTORY_NAMES }, |file, _, _| {
            let name = document(file).filter(|name| !is_comparison(name)).and_then(|name| name.rsplit_once('_'));
            let is_it = |(of, number): (&str, &str)| number.parse::<u64>().is_ok() && dashed(of) == wanted;
            count += usize::from(name.is_some_and(is_it));
        });
        counted.map_err(listed).map(|()| count)
    }
}

/// The names of the evals of one strategy, or of all, the newest first by the number in the name.
fn newest(evals: &Folder, strategy: Option<&str>) -> Result<Vec<(Reverse<u64>, String)>, ServiceError> {
    let wanted = strategy.map(dashed);
    let pick = |name: &str| {
        let name = document(name).filter(|name| id::check_alphabet(name).is_ok() && !is_comparison(name))?;
        let (of, number) = match name.rsplit_once('_') {
            Some((of, number)) => (of, number.parse().ok()),
            None => (name, None),
        };
        // What has no strategy in its name says it in its summary.
        let fits = number.is_none() || wanted.as_ref().is_none_or(|wanted| *wanted == dashed(of));
        fits.then(|| (number, name.to_owned()))
    };
    let mut found = Newest::new(MAX_NAMES_SCANNED);
    let visit = |(number, name): (Option<u64>, String), stat: Stat| {
        let written = stat.modified.and_then(|at| at.duration_since(UNIX_EPOCH).ok()).unwrap_or_default().as_secs();
        found.add((Reverse(number.unwrap_or(written)), name));
    };
    let listed = evals.each_file_within(&mut { MAX_DIRECTORY_NAMES }, pick, visit);
    listed.map_err(|error| ServiceError::internal("cannot list the evals", error))?;
    Ok(found.into_sorted())
}

/// `compare_{a}_vs_{b}` is a comparison, where both are names of evals.
fn is_comparison(name: &str) -> bool {
    let ends_in_number = |name: &str| {
        name.rsplit_once('_').is_some_and(|(of, number)| !of.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
    };
    let pair = name.strip_prefix("compare_").and_then(|pair| pair.rsplit_once("_vs_"));
    pair.is_some_and(|(a, b)| ends_in_number(a) && ends_in_number(b))
}

/// The summary of an eval, and whether it tells the strategy; of one without, what the eval itself says, unless that is
/// long, and the strategy as its id has it.
fn summary(evals: &Folder, name: &str) -> Option<(Map<String, Value>, bool)> {
    match read_object(evals, &format!("{name}.meta.json"), MAX_SUMMARY_BYTES) {
        Ok(summary) => return Some((summary, true)),
        Err(AppDirError::NotFound(_)) => {}
        Err(error) => {
            tracing::debug!(%error, "summary of an eval skipped");
            return None;
        }
    }
    let (strategy, number) = name.rsplit_once('_').unwrap_or((name, ""));
    let response = match read_object(evals, &format!("{name}.json"), MAX_SUMMARIZED_BYTES) {
        Ok(response) => Value::Object(response),
        Err(AppDirError::TooLarge { .. }) => Value::Null,
        Err(error) => {
            tracing::debug!(%error, "eval skipped");
            return None;
        }
    };
    let summary = Summary::of(name, strategy, number.parse().unwrap_or(0), &response);
    match json!(summary) {
        Value::Object(summary) => Some((summary, false)),
        _ => None,
    }
}
