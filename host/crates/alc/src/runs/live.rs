//! What is known of a run while it goes on: its numbers, its budget, its log, and what it waits for.
//!
//! Owns: how queries are counted, what a budget allows, and the forms in which clients see all of it.
//! Never: waits for anything; whoever asks for the state of a run gets it while the run is busy.

use std::collections::VecDeque;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value, json};

use crate::transcript::{Round, RunStats, Tokens};
use wardroom_base::limits::{
    MAX_RECORDED_BYTES, MAX_RUN_LOG_LINE_BYTES, MAX_RUN_LOG_LINES, MAX_RUN_QUERIES, MAX_RUN_TEXT_BYTES,
    MAX_SHOWN_RUN_BYTES,
};

/// Answered queries that `alc_status` shows.
const HISTORY: usize = 10;

/// A question for the client's model.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Query {
    pub(super) id: String,
    pub(super) prompt: String,
    pub(super) system: Option<String>,
    pub(super) max_tokens: u64,
    pub(super) grounded: bool,
    pub(super) underspecified: bool,
    pub(super) reply: Option<String>,
    /// Whoever asked does not wait any more.
    pub(super) is_dropped: bool,
    prompt_tokens: Tokens,
    response_tokens: Tokens,
}

/// What may be spent, of each at most.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Budget {
    pub(super) llm_calls: Option<u64>,
    pub(super) elapsed_ms: Option<u64>,
    pub(super) tokens: Option<u64>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Progress {
    pub(super) step: f64,
    pub(super) total: Option<f64>,
    pub(super) message: Option<String>,
}

pub(super) struct Live {
    pub(super) strategy: Option<String>,
    pub(super) started_ms: u64,
    pub(super) last_ms: u64,
    pub(super) budget: Budget,
    /// All that were asked, in their order.
    pub(super) queries: Vec<Query>,
    pub(super) pauses: u64,
    pub(super) custom: Map<String, Value>,
    pub(super) progress: Option<Progress>,
    /// Of queries that are not kept any more: how many, and the tokens of their prompts and answers.
    gone: u64,
    gone_tokens: (Tokens, Tokens),
    /// Bytes of what is recorded.
    recorded: usize,
    log: VecDeque<Value>,
}

pub(super) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// As much of a text as a log line may have.
pub(super) fn shortened(text: &str) -> String {
    cut(text, MAX_RUN_LOG_LINE_BYTES)
}

/// The beginning of a text, in memory of its own.
fn cut(text: &str, most: usize) -> String {
    match text.get(..text.floor_char_boundary(most)) {
        Some(beginning) if beginning.len() < text.len() => format!("{beginning}…"),
        _ => text.to_owned(),
    }
}

impl Budget {
    /// `ctx.budget`. What is no number that can be counted is no limit, as in the original.
    pub(super) fn of(context: &Value) -> Self {
        let limit = |name: &str| context.get("budget").and_then(|budget| budget.get(name)).and_then(Value::as_u64);
        Self { llm_calls: limit("max_llm_calls"), elapsed_ms: limit("max_elapsed_ms"), tokens: limit("max_tokens") }
    }

    fn is_none(&self) -> bool {
        *self == Self::default()
    }

    fn shown(&self) -> Value {
        let limits =
            [("max_llm_calls", self.llm_calls), ("max_elapsed_ms", self.elapsed_ms), ("max_tokens", self.tokens)];
        limits.into_iter().filter_map(|(name, limit)| Some((name, limit?))).collect()
    }
}

impl Query {
    /// One of a script's `queries`, under a name.
    pub(super) fn of(id: String, asked: &Value) -> Self {
        let text = |name: &str| asked.get(name).and_then(Value::as_str).map(str::to_owned);
        let flag = |name: &str| asked.get(name).and_then(Value::as_bool).unwrap_or(false);
        let (prompt, system) = (text("prompt").unwrap_or_default(), text("system"));
        let prompt_tokens = Tokens::of_prompt(&prompt, system.as_deref());
        Self {
            id,
            prompt,
            system,
            max_tokens: asked.get("max_tokens").and_then(Value::as_u64).unwrap_or(1024),
            grounded: flag("grounded"),
            underspecified: flag("underspecified"),
            reply: None,
            is_dropped: false,
            prompt_tokens,
            response_tokens: Tokens::NONE,
        }
    }

    /// As a client is asked it, its name under `key`.
    pub(super) fn asked(&self, key: &str) -> Map<String, Value> {
        let mut asked = Map::new();
        asked.insert(key.into(), self.id.clone().into());
        asked.insert("prompt".into(), self.prompt.clone().into());
        asked.insert("system".into(), self.system.clone().into());
        asked.insert("max_tokens".into(), self.max_tokens.into());
        for (name, set) in [("grounded", self.grounded), ("underspecified", self.underspecified)] {
            if set {
                asked.insert(name.into(), true.into());
            }
        }
        asked
    }

    pub(super) fn answered(&mut self, text: &str, usage: Option<&Value>) {
        let told = |name: &str| usage.and_then(|usage| usage.get(name)).and_then(Value::as_u64);
        self.response_tokens = told("completion_tokens").map_or_else(|| Tokens::estimated(text), Tokens::provided);
        if let Some(tokens) = told("prompt_tokens") {
            self.prompt_tokens = Tokens::provided(tokens);
        }
        self.reply = Some(text.to_owned());
    }

    pub(super) fn round(&self) -> Option<Round> {
        Some(Round {
            query_id: self.id.clone(),
            prompt: self.prompt.clone(),
            system: self.system.clone(),
            response: self.reply.clone()?,
        })
    }
}

impl Live {
    pub(super) fn new(strategy: Option<String>, started_ms: u64, budget: Budget) -> Self {
        Self {
            strategy,
            started_ms,
            last_ms: now_ms(),
            budget,
            queries: Vec::new(),
            pauses: 0,
            custom: Map::new(),
            progress: None,
            gone: 0,
            gone_tokens: (Tokens::NONE, Tokens::NONE),
            recorded: 0,
            log: VecDeque::new(),
        }
    }

    /// Sorts the queries by when they were asked.
    pub(super) fn in_order(&mut self) {
        self.queries.sort_by_key(|query| query.id.strip_prefix("q-").and_then(|number| number.parse::<u64>().ok()));
    }

    /// What waits for an answer.
    pub(super) fn pending(&self) -> impl Iterator<Item = &Query> {
        self.queries.iter().filter(|query| query.reply.is_none() && !query.is_dropped)
    }

    /// How many queries were asked.
    fn asked(&self) -> u64 {
        self.gone + self.queries.len() as u64
    }

    pub(super) fn elapsed(&self) -> Duration {
        Duration::from_millis(now_ms().saturating_sub(self.started_ms))
    }

    fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Whether these queries may be asked, all of them. What is asked of a budget of tokens is estimated before, and the
    /// answers are not known: those count once they are there.
    pub(super) fn may_ask(&self, asked: &[Value]) -> Result<(), String> {
        let more = asked.len();
        let text = |query: &Query| query.prompt.len() + query.system.as_ref().map_or(0, String::len);
        let bytes = self.queries.iter().map(text).sum::<usize>()
            + asked.iter().map(|query| query.to_string().len()).sum::<usize>();
        if bytes > MAX_RUN_TEXT_BYTES {
            return Err(format!("the prompts of a run have at most {MAX_RUN_TEXT_BYTES} bytes together"));
        }
        let exceeded = |name: &str, limit: u64, used: u64, unit: &str| {
            let is = if unit.is_empty() { "used" } else { "elapsed" };
            Err(format!("budget_exceeded: {name} ({limit}{unit}) reached ({used}{unit} {is})"))
        };
        let used = self.asked();
        if used + more as u64 > MAX_RUN_QUERIES {
            return Err(format!("a run asks at most {MAX_RUN_QUERIES} queries, this one asked {used}"));
        }
        if let Some(limit) = self.budget.llm_calls.filter(|limit| used + more as u64 > *limit) {
            return exceeded("max_llm_calls", limit, used, "");
        }
        let elapsed = self.elapsed_ms();
        if let Some(limit) = self.budget.elapsed_ms.filter(|limit| elapsed >= *limit) {
            return exceeded("max_elapsed_ms", limit, elapsed, "ms");
        }
        let Some(limit) = self.budget.tokens else { return Ok(()) };
        let (prompts, answers) = self.tokens();
        let tokens = prompts.and(answers).tokens;
        if tokens >= limit {
            return exceeded("max_tokens", limit, tokens, "");
        }
        let needed: u64 = asked.iter().map(|query| Query::of(String::new(), query).prompt_tokens.tokens).sum();
        if tokens.saturating_add(needed) > limit {
            return Err(format!(
                "budget_exceeded: max_tokens ({limit}) does not suffice ({tokens} used, {needed} more for what is asked)"
            ));
        }
        Ok(())
    }

    /// What is left of the budget; null without one.
    pub(super) fn remaining(&self) -> Value {
        if self.budget.is_none() {
            return Value::Null;
        }
        let (prompt, response) = self.tokens();
        let left = [
            ("llm_calls", self.budget.llm_calls, self.asked()),
            ("elapsed_ms", self.budget.elapsed_ms, self.elapsed_ms()),
            ("tokens", self.budget.tokens, prompt.and(response).tokens),
        ];
        left.into_iter().filter_map(|(name, limit, used)| Some((name, limit?.saturating_sub(used)))).collect()
    }

    /// Of all prompts, and of all answers.
    fn tokens(&self) -> (Tokens, Tokens) {
        let answered = self.queries.iter().filter(|query| query.reply.is_some());
        let (prompts, answers) = self.gone_tokens;
        let prompts = self.queries.iter().fold(prompts, |sum, query| sum.and(query.prompt_tokens));
        (prompts, answered.fold(answers, |sum, query| sum.and(query.response_tokens)))
    }

    /// What the run's answer tells of it beside its result.
    pub(super) fn record(&mut self, key: &str, value: Value) -> Result<(), String> {
        let before = self.custom.get(key).map_or(0, |value| key.len() + value.to_string().len());
        let bytes = self.recorded - before + key.len() + value.to_string().len();
        if bytes > MAX_RECORDED_BYTES {
            return Err(format!("alc.stats.record: more than {MAX_RECORDED_BYTES} bytes are recorded in this run"));
        }
        self.recorded = bytes;
        self.custom.insert(key.to_owned(), value);
        Ok(())
    }

    /// Keeps no more of prompts and answers than a status shows: what waits, and the last that were answered.
    pub(super) fn trim(&mut self) {
        let is_over = |query: &Query| query.reply.is_some() || query.is_dropped;
        let mut shown: Vec<usize> = (0..self.queries.len()).rev().collect();
        shown.retain(|at| self.queries.get(*at).is_some_and(|query| query.reply.is_some()));
        shown.truncate(HISTORY);
        let waiting = self.queries.iter().filter(|query| !is_over(query)).count();
        let most = (MAX_SHOWN_RUN_BYTES / (waiting + HISTORY)).min(MAX_RUN_LOG_LINE_BYTES);
        for (at, mut query) in std::mem::take(&mut self.queries).into_iter().enumerate() {
            if is_over(&query) && !shown.contains(&at) {
                self.gone += 1;
                self.gone_tokens.0 = self.gone_tokens.0.and(query.prompt_tokens);
                if query.reply.is_some() {
                    self.gone_tokens.1 = self.gone_tokens.1.and(query.response_tokens);
                }
                continue;
            }
            query.prompt = cut(&query.prompt, most);
            query.system = query.system.as_deref().map(|text| cut(text, most));
            query.reply = query.reply.as_deref().map(|text| cut(text, most));
            self.queries.push(query);
        }
        self.queries.shrink_to_fit();
        (self.custom, self.recorded) = (Map::new(), 0);
    }

    pub(super) fn log(&mut self, level: &str, message: &str, source: &str) {
        let message = shortened(message);
        if self.log.len() >= MAX_RUN_LOG_LINES {
            self.log.pop_front();
        }
        self.log.push_back(json!({"ts": now_ms(), "level": level, "message": message, "source": source}));
    }

    /// What a finished run reports of itself.
    pub(super) fn stats(&self) -> Value {
        json!({"auto": self.auto(), "custom": self.custom})
    }

    pub(super) fn auto(&self) -> RunStats {
        let chars = |text: &str| text.chars().count() as u64;
        let system = |query: &Query| query.system.as_deref().map_or(0, chars);
        let (prompt, response) = self.tokens();
        RunStats {
            elapsed_ms: self.elapsed_ms(),
            llm_calls: self.asked(),
            pauses: self.pauses,
            rounds: self.pauses,
            total_prompt_chars: self.queries.iter().map(|query| chars(&query.prompt) + system(query)).sum(),
            total_response_chars: self.queries.iter().filter_map(|query| query.reply.as_deref()).map(chars).sum(),
            prompt_tokens: prompt,
            response_tokens: response,
            total_tokens: prompt.and(response),
            budget: (!self.budget.is_none()).then(|| self.budget.shown()),
        }
    }

    /// What `alc_status` tells of the run's numbers.
    pub(super) fn metrics(&self, with_history: bool) -> Value {
        let (prompt, response) = self.tokens();
        let current = self.pending().map(|query| query.prompt_tokens.tokens).sum::<u64>();
        let mut metrics = json!({
            "elapsed_ms": self.elapsed_ms(),
            "llm_calls": self.asked(),
            "rounds": self.pauses,
            "tokens": {
                "prompt_total": prompt.tokens,
                "response_total": response.tokens,
                "total": prompt.and(response).tokens,
                "current_query": current,
            },
            "recent_logs": self.log,
        });
        let Some(fields) = metrics.as_object_mut() else { return metrics };
        if let Some(Progress { step, total, message }) = &self.progress {
            fields.insert("progress".into(), json!({"step": step, "total": total, "message": message}));
        }
        if !self.budget.is_none() {
            fields.insert("budget_remaining".into(), self.remaining());
        }
        if with_history {
            let answered: Vec<_> = self.queries.iter().filter_map(Query::round).collect();
            let newest = answered.iter().rev().take(HISTORY).rev().map(|round| json!(round)).collect();
            fields.insert("conversation_history".into(), newest);
        }
        metrics
    }
}
