//! The tool `alc_stats`: totals and averages of the session logs, by strategy.
//!
//! Never: counts more than the newest logs, or reads a log whose summary can be read.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::cards::CardStore;
use super::logs::{LogStore, read_log_summary};
use super::tool::{AlcTool, ToolCall};
use super::top_n::TopN;
use crate::limits::{MAX_DIR_NAMES_SCANNED, MAX_STATS_LOGS};
use crate::session_owner::is_visible;
use wardroom_appdir::limits::MAX_NAMES_SCANNED;
use wardroom_appdir::{AppDirError, Stat};
use wardroom_service::schema::{input_schema, output_schema, parse_arguments, serialize_output};
use wardroom_service::{RequestInfo, ServiceError, ToolBehavior, ToolOutput};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SessionStatsArgs {
    /// Only this strategy.
    strategy: Option<String>,
    /// Only sessions whose log was written in the last `days` days; all when absent.
    days: Option<u64>,
}

#[derive(Serialize, JsonSchema, Default)]
struct SessionStatsOutput {
    total_sessions: u64,
    /// By the name of the strategy; "unknown" for a run without one.
    strategies: BTreeMap<String, StrategyStats>,
    /// The health of each mirror of cards that this server writes to.
    card_sinks: Vec<Map<String, Value>>,
    /// Whether only the newest logs count, because there are too many.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
struct StrategyStats {
    count: u64,
    avg_elapsed_ms: u64,
    avg_llm_calls: u64,
    avg_rounds: u64,
    total_prompt_chars: u64,
    total_response_chars: u64,
}

pub(super) const TOOLS: &[AlcTool] = &[AlcTool {
    name: "alc_stats",
    title: "Statistics of sessions",
    description: "Gives usage figures (totals) by strategy over the last days: how often each is used, which the \
                  most, how long, how many model calls and tokens on average.",
    behavior: ToolBehavior::READ_ONLY,
    is_on_demand: true,
    input: input_schema::<SessionStatsArgs>,
    output: output_schema::<SessionStatsOutput>,
    call: ToolCall::Large(|alc, arguments, info| {
        serialize_output(&collect_stats(&alc.logs, &alc.cards, &parse_arguments(arguments)?, info)?)
            .map(ToolOutput::from)
    }),
}];

/// A session id by its modification time, the newest first.
type SessionByAge = (Reverse<Option<SystemTime>>, String);

fn collect_stats(
    logs: &LogStore,
    cards: &CardStore,
    args: &SessionStatsArgs,
    info: &RequestInfo,
) -> Result<SessionStatsOutput, ServiceError> {
    let mut sessions = list_recent_sessions(logs, args.days)?;
    sessions.retain(|(_, session)| is_visible(session, info));
    let sinks = cards.card_sink_stats().into_iter().filter_map(|sink| match sink {
        Value::Object(sink) => Some(sink),
        _ => None,
    });
    let truncated = (sessions.len() > MAX_STATS_LOGS).then_some(true);
    let mut counted = SessionStatsOutput { card_sinks: sinks.collect(), truncated, ..SessionStatsOutput::default() };
    sessions.truncate(MAX_STATS_LOGS);
    let mut sums: BTreeMap<String, StrategySums> = BTreeMap::new();
    let Ok(folder) = logs.open_folder() else { return Ok(counted) };
    for (_, session) in sessions {
        if info.cancellation.is_cancelled() {
            return Err(ServiceError::from_read_error("the logs", AppDirError::Cancelled(session)));
        }
        let Some(summary) = read_log_summary(&folder, &session) else { continue };
        let strategy = summary.get("strategy").and_then(Value::as_str).unwrap_or("unknown");
        if args.strategy.as_ref().is_some_and(|only| only != strategy) {
            continue;
        }
        counted.total_sessions += 1;
        sums.entry(strategy.to_owned()).or_default().add_summary(&summary);
    }
    counted.strategies = sums.into_iter().map(|(strategy, sums)| (strategy, sums.into_stats())).collect();
    Ok(counted)
}

/// Returns the sessions whose summary, or log without a summary, is recent enough, the newest first.
fn list_recent_sessions(logs: &LogStore, days: Option<u64>) -> Result<Vec<SessionByAge>, ServiceError> {
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    // A number of days beyond the range of the clock means all days.
    let days = days.and_then(|days| DAY.checked_mul(u32::try_from(days).ok()?));
    let since = days.and_then(|days| SystemTime::now().checked_sub(days));
    // A log and its summary count separately.
    let mut files = TopN::new(2 * MAX_NAMES_SCANNED);
    let pick = |name: &str| {
        let stem = name.strip_suffix(".json")?;
        Some(stem.strip_suffix(".meta").map_or((stem.to_owned(), false), |stem| (stem.to_owned(), true)))
    };
    let visit = |(session, is_summary): (String, bool), stat: Stat| {
        files.add((Reverse(stat.modified), session, is_summary));
    };
    match logs.open_folder().and_then(|logs| logs.visit_files(&mut { MAX_DIR_NAMES_SCANNED }, pick, visit)) {
        Ok(()) | Err(AppDirError::NotFound(_)) => {}
        Err(error) => return Err(ServiceError::from_list_error("the logs", error)),
    }
    let mut found: BTreeMap<String, Option<SystemTime>> = BTreeMap::new();
    for (Reverse(modified), session, is_summary) in files.into_sorted() {
        let known = found.entry(session).or_insert(modified);
        if is_summary {
            *known = modified;
        }
    }
    let mut found: Vec<_> = found.into_iter().map(|(session, modified)| (Reverse(modified), session)).collect();
    found.retain(|(Reverse(modified), _)| since.is_none_or(|since| modified.is_some_and(|at| at >= since)));
    found.sort_unstable();
    Ok(found)
}

/// What the runs of a strategy took together.
#[derive(Default)]
struct StrategySums {
    count: u64,
    elapsed_ms: u64,
    llm_calls: u64,
    rounds: u64,
    prompt_chars: u64,
    response_chars: u64,
}

impl StrategySums {
    fn add_summary(&mut self, summary: &Map<String, Value>) {
        let number = |name: &str| summary.get(name).and_then(Value::as_u64).unwrap_or(0);
        self.count += 1;
        for (sum, name) in [
            (&mut self.elapsed_ms, "elapsed_ms"),
            (&mut self.llm_calls, "llm_calls"),
            (&mut self.rounds, "rounds"),
            (&mut self.prompt_chars, "total_prompt_chars"),
            (&mut self.response_chars, "total_response_chars"),
        ] {
            *sum = sum.saturating_add(number(name));
        }
    }

    /// Returns the figures of one run on average, rounded to the nearest whole number.
    fn into_stats(self) -> StrategyStats {
        let count = self.count.max(1);
        let average = |sum: u64| sum.saturating_add(count / 2) / count;
        StrategyStats {
            count: self.count,
            avg_elapsed_ms: average(self.elapsed_ms),
            avg_llm_calls: average(self.llm_calls),
            avg_rounds: average(self.rounds),
            total_prompt_chars: self.prompt_chars,
            total_response_chars: self.response_chars,
        }
    }
}
