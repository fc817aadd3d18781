//! The status of a run while it executes: its counters, its budget, its log and its queries.
//!
//! Owns: how queries are counted, what a budget allows, and the forms in which clients see the status.
//! Never: waits; a status request is answered while the run is busy.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::limits::{
    MAX_RUN_LOG_LINE_BYTES, MAX_RUN_LOG_LINES, MAX_RUN_PROMPT_BYTES, MAX_RUN_QUERIES, MAX_RUN_STATUS_TEXT_BYTES,
};
use crate::logs::LogEntry;
use crate::logs::transcript::{RunStats, TokenCount, TranscriptRound};
use wardroom_base::byte_size::ByteSize;
use wardroom_base::payload::Payload;
use wardroom_base::truncate::truncate_text;
use wardroom_lua::limits::MAX_RUN_STATS_BYTES;

/// The number of answered queries that `alc_status` shows.
const MAX_HISTORY_QUERIES: usize = 10;

/// A query for the client's model.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LlmQuery {
    pub(super) id: String,
    pub(super) prompt: String,
    pub(super) system: Option<String>,
    pub(super) max_tokens: u64,
    pub(super) is_grounded: bool,
    pub(super) is_underspecified: bool,
    pub(super) reply: Option<String>,
    /// Whether the branch no longer waits for the reply.
    pub(super) is_dropped: bool,
    prompt_tokens: TokenCount,
    response_tokens: TokenCount,
}

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
    /// All queries, in the order of their ids.
    pub(super) queries: Vec<LlmQuery>,
    pub(super) pauses: u64,
    custom_stats: BTreeMap<String, Payload>,
    pub(super) progress: Option<RunProgress>,
    /// The number of queries that were removed, and the tokens of their prompts and replies.
    trimmed_query_count: u64,
    trimmed_tokens: (TokenCount, TokenCount),
    /// The size of the recorded stats, in bytes.
    custom_stats_bytes: usize,
    log: VecDeque<LogEntry>,
}

pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Returns the beginning of a text, as long as a log line may be.
pub(super) fn truncate_log_line(text: &str) -> String {
    truncate_text(text, MAX_RUN_LOG_LINE_BYTES).into_owned()
}

impl RunBudget {
    /// Reads `ctx.budget`. A value that is not a natural number is no limit, as in the original.
    pub(super) fn from_context(context: &Payload) -> Self {
        let budget = context.field("budget");
        let limit = |name: &str| budget.as_ref()?.field(name)?.into_typed::<u64>().ok();
        Self {
            max_llm_calls: limit("max_llm_calls"),
            max_elapsed_ms: limit("max_elapsed_ms"),
            max_tokens: limit("max_tokens"),
        }
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

impl LlmQuery {
    /// The length of the prompt and of the system prompt.
    pub(super) fn prompt_bytes(&self) -> usize {
        self.prompt.len() + self.system.as_ref().map_or(0, String::len)
    }

    /// Creates a query from one of a script's `queries`.
    pub(super) fn new(id: String, asked: &Payload) -> Self {
        let asked = asked.to_value();
        let text = |name: &str| asked.get(name).and_then(Value::as_str).map(str::to_owned);
        let flag = |name: &str| asked.get(name).and_then(Value::as_bool).unwrap_or(false);
        let (prompt, system) = (text("prompt").unwrap_or_default(), text("system"));
        let prompt_tokens = TokenCount::estimate_prompt(&prompt, system.as_deref());
        Self {
            id,
            prompt,
            system,
            max_tokens: asked.get("max_tokens").and_then(Value::as_u64).unwrap_or(1024),
            is_grounded: flag("grounded"),
            is_underspecified: flag("underspecified"),
            reply: None,
            is_dropped: false,
            prompt_tokens,
            response_tokens: TokenCount::ZERO,
        }
    }

    /// Returns the fields of the query in an answer, with its id as `key`.
    pub(super) fn to_request_fields(&self, key: &str) -> Map<String, Value> {
        let mut asked = Map::new();
        asked.insert(key.into(), self.id.clone().into());
        asked.insert("prompt".into(), self.prompt.clone().into());
        asked.insert("system".into(), self.system.clone().into());
        asked.insert("max_tokens".into(), self.max_tokens.into());
        for (name, set) in [("grounded", self.is_grounded), ("underspecified", self.is_underspecified)] {
            if set {
                asked.insert(name.into(), true.into());
            }
        }
        asked
    }

    pub(super) fn set_reply(&mut self, text: &str, usage: Option<&Value>) {
        let reported = |name: &str| usage.and_then(|usage| usage.get(name)).and_then(Value::as_u64);
        self.response_tokens =
            reported("completion_tokens").map_or_else(|| TokenCount::estimate(text), TokenCount::from_client);
        if let Some(tokens) = reported("prompt_tokens") {
            self.prompt_tokens = TokenCount::from_client(tokens);
        }
        self.reply = Some(text.to_owned());
    }

    pub(super) fn to_round(&self) -> Option<TranscriptRound> {
        Some(TranscriptRound {
            query_id: self.id.clone(),
            prompt: self.prompt.clone(),
            system: self.system.clone(),
            response: self.reply.clone()?,
        })
    }
}

impl LiveStatus {
    pub(super) fn new(strategy: Option<String>, started_ms: u64, budget: RunBudget) -> Self {
        Self {
            strategy,
            started_ms,
            last_activity_ms: now_ms(),
            budget,
            queries: Vec::new(),
            pauses: 0,
            custom_stats: BTreeMap::new(),
            progress: None,
            trimmed_query_count: 0,
            trimmed_tokens: (TokenCount::ZERO, TokenCount::ZERO),
            custom_stats_bytes: 0,
            log: VecDeque::new(),
        }
    }

    /// Returns the length of all prompts and replies.
    pub(super) fn text_bytes(&self) -> usize {
        let reply = |query: &LlmQuery| query.reply.as_ref().map_or(0, String::len);
        self.queries.iter().map(|query| query.prompt_bytes() + reply(query)).sum()
    }

    /// Sorts the queries by their numbers, the order of their creation.
    pub(super) fn sort_queries(&mut self) {
        self.queries.sort_by_key(|query| query.id.strip_prefix("q-").and_then(|number| number.parse::<u64>().ok()));
    }

    /// Returns the queries that wait for a reply.
    pub(super) fn pending_queries(&self) -> impl Iterator<Item = &LlmQuery> {
        self.queries.iter().filter(|query| query.reply.is_none() && !query.is_dropped)
    }

    /// Returns how many queries were made.
    fn query_count(&self) -> u64 {
        self.trimmed_query_count + self.queries.len() as u64
    }

    pub(super) fn elapsed(&self) -> Duration {
        Duration::from_millis(now_ms().saturating_sub(self.started_ms))
    }

    fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Checks that the limits allow all of these queries. Prompt tokens are estimated and count in advance; reply
    /// tokens count once the replies arrive.
    pub(super) fn check_query_limits(&self, asked: &[Payload]) -> Result<(), String> {
        let more = asked.len();
        let bytes = self.queries.iter().map(LlmQuery::prompt_bytes).sum::<usize>()
            + asked.iter().map(Payload::text_bytes).sum::<usize>();
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
        let used = self.query_count();
        if used + more as u64 > MAX_RUN_QUERIES {
            return Err(format!("the run would exceed the limit of {MAX_RUN_QUERIES} queries: it has made {used}"));
        }
        if let Some(limit) = self.budget.max_llm_calls.filter(|limit| used + more as u64 > *limit) {
            return exceeded("max_llm_calls", limit, used, "");
        }
        let elapsed = self.elapsed_ms();
        if let Some(limit) = self.budget.max_elapsed_ms.filter(|limit| elapsed >= *limit) {
            return exceeded("max_elapsed_ms", limit, elapsed, "ms");
        }
        let Some(limit) = self.budget.max_tokens else { return Ok(()) };
        let (prompts, answers) = self.token_totals();
        let tokens = prompts.saturating_add(answers).tokens;
        if tokens >= limit {
            return exceeded("max_tokens", limit, tokens, "");
        }
        let needed: u64 = asked.iter().map(|query| LlmQuery::new(String::new(), query).prompt_tokens.tokens).sum();
        if tokens.saturating_add(needed) > limit {
            return Err(format!(
                "budget_exceeded: max_tokens ({limit}) does not suffice ({tokens} used, {needed} more needed)"
            ));
        }
        Ok(())
    }

    /// Returns the rest of the budget; null without a budget.
    pub(super) fn remaining_budget(&self) -> Value {
        if self.budget.is_unlimited() {
            return Value::Null;
        }
        let (prompt, response) = self.token_totals();
        let left = [
            ("llm_calls", self.budget.max_llm_calls, self.query_count()),
            ("elapsed_ms", self.budget.max_elapsed_ms, self.elapsed_ms()),
            ("tokens", self.budget.max_tokens, prompt.saturating_add(response).tokens),
        ];
        left.into_iter().filter_map(|(name, limit, used)| Some((name, limit?.saturating_sub(used)))).collect()
    }

    /// Returns the tokens of all prompts, and of all replies.
    fn token_totals(&self) -> (TokenCount, TokenCount) {
        let answered = self.queries.iter().filter(|query| query.reply.is_some());
        let (prompts, answers) = self.trimmed_tokens;
        let prompts = self.queries.iter().fold(prompts, |sum, query| sum.saturating_add(query.prompt_tokens));
        (prompts, answered.fold(answers, |sum, query| sum.saturating_add(query.response_tokens)))
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

    /// Reduces prompts and replies to those that a status shows: the pending queries and the last that were answered.
    pub(super) fn trim_queries(&mut self) {
        let is_over = |query: &LlmQuery| query.reply.is_some() || query.is_dropped;
        let mut shown: Vec<usize> = (0..self.queries.len()).rev().collect();
        shown.retain(|at| self.queries.get(*at).is_some_and(|query| query.reply.is_some()));
        shown.truncate(MAX_HISTORY_QUERIES);
        let waiting = self.queries.iter().filter(|query| !is_over(query)).count();
        let max_bytes = (MAX_RUN_STATUS_TEXT_BYTES / (waiting + MAX_HISTORY_QUERIES)).min(MAX_RUN_LOG_LINE_BYTES);
        for (at, mut query) in std::mem::take(&mut self.queries).into_iter().enumerate() {
            if is_over(&query) && !shown.contains(&at) {
                self.trimmed_query_count += 1;
                self.trimmed_tokens.0 = self.trimmed_tokens.0.saturating_add(query.prompt_tokens);
                if query.reply.is_some() {
                    self.trimmed_tokens.1 = self.trimmed_tokens.1.saturating_add(query.response_tokens);
                }
                continue;
            }
            query.prompt = truncate_text(&query.prompt, max_bytes).into_owned();
            query.system = query.system.as_deref().map(|text| truncate_text(text, max_bytes).into_owned());
            query.reply = query.reply.as_deref().map(|text| truncate_text(text, max_bytes).into_owned());
            self.queries.push(query);
        }
        self.queries.shrink_to_fit();
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
        let chars = |text: &str| text.chars().count() as u64;
        let system = |query: &LlmQuery| query.system.as_deref().map_or(0, chars);
        let (prompt, response) = self.token_totals();
        RunStats {
            elapsed_ms: self.elapsed_ms(),
            llm_calls: self.query_count(),
            pauses: self.pauses,
            rounds: self.pauses,
            total_prompt_chars: self.queries.iter().map(|query| chars(&query.prompt) + system(query)).sum(),
            total_response_chars: self.queries.iter().filter_map(|query| query.reply.as_deref()).map(chars).sum(),
            prompt_tokens: prompt,
            response_tokens: response,
            total_tokens: prompt.saturating_add(response),
            budget: (!self.budget.is_unlimited()).then(|| self.budget.to_json()),
        }
    }

    /// Returns the counters that `alc_status` shows.
    pub(super) fn metrics(&self, with_history: bool) -> Value {
        let (prompt, response) = self.token_totals();
        let current = self.pending_queries().map(|query| query.prompt_tokens.tokens).sum::<u64>();
        let mut metrics = json!({
            "elapsed_ms": self.elapsed_ms(),
            "llm_calls": self.query_count(),
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
        self.queries.iter().rev().filter(|query| query.reply.is_some()).take(MAX_HISTORY_QUERIES)
    }
}
