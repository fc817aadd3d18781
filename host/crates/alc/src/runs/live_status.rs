//! The status of a run while it executes: its counters, its budget, its log and its queries.
//!
//! Owns: what a budget allows, and the forms in which clients see the status.
//! Never: waits; a status request is answered while the run is busy.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};

use super::queries::{LlmQuery, MAX_HISTORY_QUERIES, RunQueries};
use crate::error_code as code;
use crate::limits::{MAX_RUN_LOG_LINE_BYTES, MAX_RUN_LOG_LINES, MAX_RUN_PROMPT_BYTES, MAX_RUN_QUERIES};
use crate::logs::LogEntry;
use crate::logs::transcript::RunStats;
use wardroom_base::byte_size::ByteSize;
use wardroom_base::payload::Payload;
use wardroom_base::truncate::truncate_text;
use wardroom_base::unix_time;
use wardroom_lua::limits::MAX_RUN_STATS_BYTES;
use wardroom_ranking::closest_slip;
use wardroom_service::{ServiceError, escape_and_truncate};

/// The upper limits of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct RunBudget {
    pub(super) max_llm_calls: Option<u64>,
    pub(super) max_elapsed_ms: Option<u64>,
    pub(super) max_tokens: Option<u64>,
}

/// The stats of a run as an answer has them.
#[derive(Serialize)]
pub(super) struct LiveStats<'a> {
    auto: RunStats,
    custom: &'a BTreeMap<String, Payload>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct RunProgress {
    pub(super) step: f64,
    pub(super) total: Option<f64>,
    pub(super) message: Option<String>,
}

pub(super) struct LiveStatus {
    pub(super) strategy: Option<String>,
    pub(super) started_ms: u64,
    pub(super) last_activity_ms: u64,
    pub(super) budget: RunBudget,
    pub(super) queries: RunQueries,
    pub(super) pauses: u64,
    custom_stats: BTreeMap<String, Payload>,
    pub(super) progress: Option<RunProgress>,
    /// The size of the recorded stats, in bytes.
    custom_stats_bytes: usize,
    log: VecDeque<LogEntry>,
}

/// Returns the beginning of a text, as long as a log line may be.
pub(super) fn truncate_log_line(text: &str) -> String {
    truncate_text(text, MAX_RUN_LOG_LINE_BYTES).into_owned()
}

/// The limits of `ctx.budget`.
const BUDGET_LIMITS: [&str; 3] = ["max_llm_calls", "max_elapsed_ms", "max_tokens"];

/// Returns a number as a limit, also one that was written as `2.0`.
fn whole_number(value: &Value) -> Option<u64> {
    let whole = |number: f64| (number >= 0.0 && number.fract() == 0.0).then_some(number as u64);
    value.as_u64().or_else(|| value.as_f64().and_then(whole))
}

impl RunBudget {
    /// Reads `ctx.budget`, which [`Self::check`] has checked.
    pub(super) fn from_context(context: &Payload) -> Self {
        let budget = context.field("budget");
        let limit = |name: &str| whole_number(&budget.as_ref()?.field(name)?.into_value());
        let [max_llm_calls, max_elapsed_ms, max_tokens] = BUDGET_LIMITS.map(limit);
        Self { max_llm_calls, max_elapsed_ms, max_tokens }
    }

    /// Refuses a budget in which a limit is misspelt or no number, since it would limit nothing. A `ctx.budget` that is no
    /// table, or has other fields, is the strategy's own.
    ///
    /// # Errors
    /// `INVALID`.
    pub(super) fn check(context: &Payload) -> Result<(), ServiceError> {
        let Some(Value::Object(fields)) = context.field("budget").map(Payload::into_value) else { return Ok(()) };
        for (name, value) in &fields {
            let name = escape_and_truncate(name);
            let why = if BUDGET_LIMITS.contains(&&*name) {
                if value.is_null() || whole_number(value).is_some() {
                    continue;
                }
                format!("ctx.budget.{name} must be a whole number that is not negative")
            } else if let Some(meant) = closest_slip(&name, BUDGET_LIMITS) {
                format!("ctx.budget.{name} limits nothing: did you mean {meant}?")
            } else {
                continue;
            };
            return Err(ServiceError::tool(code::INVALID, why));
        }
        Ok(())
    }

    fn is_unlimited(&self) -> bool {
        *self == Self::default()
    }

    fn to_json(self) -> Value {
        let limits = [
            ("max_llm_calls", self.max_llm_calls),
            ("max_elapsed_ms", self.max_elapsed_ms),
            ("max_tokens", self.max_tokens),
        ];
        limits.into_iter().filter_map(|(name, limit)| Some((name, limit?))).collect()
    }
}

impl LiveStatus {
    pub(super) fn new(strategy: Option<String>, started_ms: u64, budget: RunBudget) -> Self {
        Self {
            strategy,
            started_ms,
            last_activity_ms: unix_time::now_ms(),
            budget,
            queries: RunQueries::default(),
            pauses: 0,
            custom_stats: BTreeMap::new(),
            progress: None,
            custom_stats_bytes: 0,
            log: VecDeque::new(),
        }
    }

    pub(super) fn elapsed(&self) -> Duration {
        Duration::from_millis(unix_time::now_ms().saturating_sub(self.started_ms))
    }

    fn elapsed_ms(&self) -> u64 {
        unix_time::whole_ms(self.elapsed())
    }

    /// Checks that the limits allow all of these queries. Prompt tokens are estimated and count in advance; reply
    /// tokens count once the replies arrive.
    pub(super) fn check_query_limits(&self, asked: &[Payload]) -> Result<(), String> {
        let more = asked.len();
        let bytes = self.queries.prompt_bytes() + asked.iter().map(Payload::text_bytes).sum::<usize>();
        if bytes > MAX_RUN_PROMPT_BYTES {
            return Err(format!(
                "the prompts of the run are over the limit of {} in total",
                ByteSize(MAX_RUN_PROMPT_BYTES as u64)
            ));
        }
        let exceeded = |name: &str, limit: u64, used: u64, unit: &str| {
            let is = if unit.is_empty() { "used" } else { "elapsed" };
            Err(format!("budget_exceeded: {name} ({limit}{unit}) reached ({used}{unit} {is})"))
        };
        let used = self.queries.count();
        if used + more as u64 > MAX_RUN_QUERIES {
            return Err(format!("the run would exceed the limit of {MAX_RUN_QUERIES} queries: it has made {used}"));
        }
        let does_not_suffice = |name: &str, limit: u64, used: u64, needed: u64| {
            Err(format!("budget_exceeded: {name} ({limit}) does not suffice ({used} used, {needed} more needed)"))
        };
        if let Some(limit) = self.budget.max_llm_calls.filter(|limit| used + more as u64 > *limit) {
            return match used < limit {
                true => does_not_suffice("max_llm_calls", limit, used, more as u64),
                false => exceeded("max_llm_calls", limit, used, ""),
            };
        }
        let elapsed = self.elapsed_ms();
        if let Some(limit) = self.budget.max_elapsed_ms.filter(|limit| elapsed >= *limit) {
            return exceeded("max_elapsed_ms", limit, elapsed, "ms");
        }
        let Some(limit) = self.budget.max_tokens else { return Ok(()) };
        let (prompts, answers) = self.queries.token_totals();
        let tokens = prompts.saturating_add(answers).tokens;
        if tokens >= limit {
            return exceeded("max_tokens", limit, tokens, "");
        }
        let needed: u64 = asked.iter().map(|query| LlmQuery::new(String::new(), query).prompt_tokens.tokens).sum();
        if tokens.saturating_add(needed) > limit {
            return does_not_suffice("max_tokens", limit, tokens, needed);
        }
        Ok(())
    }

    /// Returns the rest of the budget; null without a budget.
    pub(super) fn remaining_budget(&self) -> Value {
        if self.budget.is_unlimited() {
            return Value::Null;
        }
        let (prompt, response) = self.queries.token_totals();
        let left = [
            ("llm_calls", self.budget.max_llm_calls, self.queries.count()),
            ("elapsed_ms", self.budget.max_elapsed_ms, self.elapsed_ms()),
            ("tokens", self.budget.max_tokens, prompt.saturating_add(response).tokens),
        ];
        left.into_iter().filter_map(|(name, limit, used)| Some((name, limit?.saturating_sub(used)))).collect()
    }

    /// Records a value for the custom stats in the run's answer.
    pub(super) fn record_stat(&mut self, key: &str, value: &Value) -> Result<(), String> {
        let text = value.to_string();
        let before = self.custom_stats.get(key).map_or(0, |value| key.len() + value.text_bytes());
        let bytes = self.custom_stats_bytes - before + key.len() + text.len();
        if bytes > MAX_RUN_STATS_BYTES {
            return Err(format!(
                "alc.stats.record: more than {} are recorded in this run",
                ByteSize(MAX_RUN_STATS_BYTES as u64)
            ));
        }
        self.custom_stats_bytes = bytes;
        let value = Payload::from_own_text(text).map_err(|error| format!("alc.stats.record: {error}"))?;
        self.custom_stats.insert(key.to_owned(), value);
        Ok(())
    }

    /// Reduces what the run holds to what a status shows.
    pub(super) fn trim(&mut self) {
        self.queries.trim();
        (self.custom_stats, self.custom_stats_bytes) = (BTreeMap::new(), 0);
    }

    /// Adds a line to the log, of which the last ones are kept.
    pub(super) fn push_log_entry(&mut self, entry: &LogEntry) {
        if self.log.len() >= MAX_RUN_LOG_LINES {
            self.log.pop_front();
        }
        self.log.push_back(LogEntry {
            ts: entry.ts,
            level: entry.level.clone(),
            message: truncate_log_line(&entry.message),
            source: entry.source.clone(),
            branch: entry.branch.clone(),
        });
    }

    /// Returns the last lines of the log.
    pub(super) fn log_entries(&self) -> impl Iterator<Item = &LogEntry> {
        self.log.iter()
    }

    /// Returns the stats of a finished run.
    pub(super) fn stats(&self) -> LiveStats<'_> {
        LiveStats { auto: self.run_stats(), custom: &self.custom_stats }
    }

    pub(super) fn run_stats(&self) -> RunStats {
        let (total_prompt_chars, total_response_chars) = self.queries.chars();
        let (prompt, response) = self.queries.token_totals();
        RunStats {
            elapsed_ms: self.elapsed_ms(),
            llm_calls: self.queries.count(),
            pauses: self.pauses,
            rounds: self.pauses,
            total_prompt_chars,
            total_response_chars,
            prompt_tokens: prompt,
            response_tokens: response,
            total_tokens: prompt.saturating_add(response),
            budget: (!self.budget.is_unlimited()).then(|| self.budget.to_json()),
        }
    }

    /// Returns the counters that `alc_status` shows.
    pub(super) fn metrics(&self, with_history: bool) -> Value {
        let (prompt, response) = self.queries.token_totals();
        let current = self.queries.waiting().iter().map(|query| query.prompt_tokens.tokens).sum::<u64>();
        let mut metrics = json!({
            "elapsed_ms": self.elapsed_ms(),
            "llm_calls": self.queries.count(),
            "rounds": self.pauses,
            "tokens": {
                "prompt_total": prompt.tokens,
                "response_total": response.tokens,
                "total": prompt.saturating_add(response).tokens,
                "current_query": current,
            },
            "recent_logs": self.log,
        });
        let Some(fields) = metrics.as_object_mut() else { return metrics };
        if let Some(RunProgress { step, total, message }) = &self.progress {
            fields.insert("progress".into(), json!({"step": step, "total": total, "message": message}));
        }
        if !self.budget.is_unlimited() {
            fields.insert("budget_remaining".into(), self.remaining_budget());
        }
        if with_history {
            let mut newest: Vec<Value> =
                self.newest_answered().filter_map(LlmQuery::to_round).map(|round| json!(round)).collect();
            newest.reverse();
            fields.insert("conversation_history".into(), newest.into());
        }
        metrics
    }

    /// Returns the length of the texts of the history that [`Self::metrics`] copies.
    pub(super) fn history_bytes(&self) -> usize {
        self.newest_answered().map(|query| query.prompt_bytes() + query.reply.as_ref().map_or(0, String::len)).sum()
    }

    /// The queries of the history, the newest first.
    fn newest_answered(&self) -> impl Iterator<Item = &LlmQuery> {
        self.queries.answered().rev().take(MAX_HISTORY_QUERIES)
    }
}
