//! The queries of a run to the client's model.
//!
//! Owns: which of them wait for a reply, their order, and the sums of all that a run's limits need with each new query.
//! Never: visits queries that are over to find one that waits: a run makes thousands, and asks for that with each pause.

use serde_json::{Map, Value};

use crate::limits::{MAX_RUN_LOG_LINE_BYTES, MAX_RUN_STATUS_TEXT_BYTES};
use crate::logs::transcript::{TokenCount, TranscriptRound};
use wardroom_base::payload::Payload;
use wardroom_base::truncate::truncate_text;

/// The number of answered queries that `alc_status` shows.
pub(super) const MAX_HISTORY_QUERIES: usize = 10;

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
    pub(super) prompt_tokens: TokenCount,
    response_tokens: TokenCount,
}

impl LlmQuery {
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

    /// The length of the prompt and of the system prompt.
    pub(super) fn prompt_bytes(&self) -> usize {
        self.prompt.len() + self.system.as_ref().map_or(0, String::len)
    }

    fn reply_bytes(&self) -> usize {
        self.reply.as_ref().map_or(0, String::len)
    }

    const fn is_waiting(&self) -> bool {
        self.reply.is_none() && !self.is_dropped
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

/// All queries of a run.
#[derive(Debug)]
pub(super) struct RunQueries {
    /// Those that wait for a reply, in the order of their numbers.
    waiting: Vec<LlmQuery>,
    /// The answered and the dropped ones in the same order; after [`Self::trim`] the last answered ones.
    over: Vec<LlmQuery>,
    count: u64,
    prompt_bytes: usize,
    reply_bytes: usize,
    /// The tokens of the queries that are over: of their prompts, and of their replies.
    tokens_over: (TokenCount, TokenCount),
}

impl Default for RunQueries {
    fn default() -> Self {
        Self {
            waiting: Vec::new(),
            over: Vec::new(),
            count: 0,
            prompt_bytes: 0,
            reply_bytes: 0,
            tokens_over: (TokenCount::ZERO, TokenCount::ZERO),
        }
    }
}

impl RunQueries {
    pub(super) fn add(&mut self, query: LlmQuery) {
        self.count += 1;
        self.prompt_bytes += query.prompt_bytes();
        if query.is_waiting() {
            insert_in_order(&mut self.waiting, query);
        } else {
            self.add_over(query);
        }
    }

    fn add_over(&mut self, query: LlmQuery) {
        self.reply_bytes += query.reply_bytes();
        let (prompts, replies) = self.tokens_over;
        self.tokens_over = (prompts.saturating_add(query.prompt_tokens), replies.saturating_add(query.response_tokens));
        insert_in_order(&mut self.over, query);
    }

    /// Returns the queries that wait for a reply, in the order of their numbers.
    pub(super) fn waiting(&self) -> &[LlmQuery] {
        &self.waiting
    }

    pub(super) fn get(&self, id: &str) -> Option<&LlmQuery> {
        [&self.waiting, &self.over].into_iter().find_map(|queries| queries.get(position(queries, id)?))
    }

    pub(super) fn is_waiting(&self, id: &str) -> bool {
        position(&self.waiting, id).is_some()
    }

    /// Returns the answered queries in the order of their numbers; after [`Self::trim`] the last ones.
    pub(super) fn answered(&self) -> impl DoubleEndedIterator<Item = &LlmQuery> {
        self.over.iter().filter(|query| query.reply.is_some())
    }

    /// Answers a query that waits.
    pub(super) fn record_reply(&mut self, id: &str, text: &str, usage: Option<&Value>) {
        if let Some(at) = position(&self.waiting, id) {
            let mut query = self.waiting.remove(at);
            query.set_reply(text, usage);
            self.add_over(query);
        }
    }

    /// Marks a query whose reply is no longer needed.
    pub(super) fn drop_query(&mut self, id: &str) {
        if let Some(at) = position(&self.waiting, id) {
            let mut query = self.waiting.remove(at);
            query.is_dropped = true;
            self.add_over(query);
        } else if let Some(query) = position(&self.over, id).and_then(|at| self.over.get_mut(at)) {
            query.is_dropped = true;
        }
    }

    /// Returns how many queries were made.
    pub(super) const fn count(&self) -> u64 {
        self.count
    }

    /// Returns the length of all prompts.
    pub(super) const fn prompt_bytes(&self) -> usize {
        self.prompt_bytes
    }

    /// Returns the length of all prompts and replies.
    pub(super) const fn text_bytes(&self) -> usize {
        self.prompt_bytes + self.reply_bytes
    }

    /// Returns the tokens of all prompts, and of all replies.
    pub(super) fn token_totals(&self) -> (TokenCount, TokenCount) {
        let (prompts, replies) = self.tokens_over;
        (self.waiting.iter().fold(prompts, |sum, query| sum.saturating_add(query.prompt_tokens)), replies)
    }

    /// Returns the number of characters of all prompts, and of all replies.
    pub(super) fn chars(&self) -> (u64, u64) {
        let chars = |text: &str| text.chars().count() as u64;
        let all = || self.waiting.iter().chain(&self.over);
        let prompts = all().map(|query| chars(&query.prompt) + query.system.as_deref().map_or(0, chars)).sum();
        (prompts, all().filter_map(|query| query.reply.as_deref()).map(chars).sum())
    }

    /// Reduces prompts and replies to those that a status shows: the waiting queries and the last that were answered.
    /// What all of them count stays.
    pub(super) fn trim(&mut self) {
        self.over.retain(|query| query.reply.is_some());
        self.over.drain(..self.over.len().saturating_sub(MAX_HISTORY_QUERIES));
        self.over.shrink_to_fit();
        self.waiting.shrink_to_fit();
        let max_bytes = MAX_RUN_STATUS_TEXT_BYTES / (self.waiting.len() + MAX_HISTORY_QUERIES);
        let max_bytes = max_bytes.min(MAX_RUN_LOG_LINE_BYTES);
        for query in self.waiting.iter_mut().chain(&mut self.over) {
            query.prompt = truncate_text(&query.prompt, max_bytes).into_owned();
            query.system = query.system.as_deref().map(|text| truncate_text(text, max_bytes).into_owned());
            query.reply = query.reply.as_deref().map(|text| truncate_text(text, max_bytes).into_owned());
        }
    }
}

/// The place of a query among the others: its number, the order of its creation.
fn order(id: &str) -> (Option<u64>, &str) {
    (id.strip_prefix("q-").and_then(|number| number.parse().ok()), id)
}

fn position(queries: &[LlmQuery], id: &str) -> Option<usize> {
    queries.binary_search_by(|query| order(&query.id).cmp(&order(id))).ok()
}

/// Adds a query, nearly always at the end: only a replay adds them in another order, and at most `MAX_RUN_QUERIES`.
fn insert_in_order(queries: &mut Vec<LlmQuery>, query: LlmQuery) {
    let at = queries.partition_point(|other| order(&other.id) <= order(&query.id));
    queries.insert(at, query);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn query(number: u64) -> LlmQuery {
        LlmQuery::new(format!("q-{number}"), &Payload::from_value(json!({"prompt": "p".repeat(4), "system": "s"})))
    }

    fn ids<'q>(queries: impl IntoIterator<Item = &'q LlmQuery>) -> Vec<&'q str> {
        queries.into_iter().map(|query| query.id.as_str()).collect()
    }

    /// Queries 0 to `count`, added in the order of a replay of two branches.
    fn queries(count: u64) -> RunQueries {
        let mut queries = RunQueries::default();
        (0..count).step_by(2).chain((1..count).step_by(2)).for_each(|number| queries.add(query(number)));
        queries
    }

    #[test]
    fn queries_are_in_order_of_their_numbers() {
        let mut queries = queries(12);
        assert_eq!(ids(queries.waiting()).last(), Some(&"q-11"));
        for id in ["q-10", "q-2", "q-11"] {
            queries.record_reply(id, "reply", None);
        }
        queries.drop_query("q-9");
        assert_eq!(ids(queries.answered()), ["q-2", "q-10", "q-11"]);
        assert_eq!(ids(queries.waiting()), ["q-0", "q-1", "q-3", "q-4", "q-5", "q-6", "q-7", "q-8"]);
        assert!(queries.get("q-9").is_some_and(|query| query.is_dropped) && !queries.is_waiting("q-9"));
        assert!(queries.is_waiting("q-0") && queries.get("q-12").is_none());
    }

    #[test]
    fn sums_are_those_of_all_queries() {
        let mut queries = queries(40);
        queries.record_reply("q-3", "a reply", Some(&json!({"prompt_tokens": 7, "completion_tokens": 5})));
        queries.record_reply("q-3", "another reply", None);
        (4..30).for_each(|number| queries.record_reply(&format!("q-{number}"), "abcd", None));
        (28..34).for_each(|number| queries.drop_query(&format!("q-{number}")));
        let sums = |queries: &RunQueries| (queries.count(), queries.prompt_bytes(), queries.text_bytes());
        let tokens = |queries: &RunQueries| {
            let (prompts, replies) = queries.token_totals();
            (prompts.tokens, replies.tokens)
        };
        assert_eq!(sums(&queries), (40, 40 * 5, 40 * 5 + "a reply".len() + 26 * 4));
        assert_eq!(tokens(&queries), (39 * 2 + 7, 5 + 26));
        assert_eq!(queries.chars(), (40 * 5, "a reply".len() as u64 + 26 * 4));
        let before = (sums(&queries), tokens(&queries));
        queries.trim();
        assert_eq!((sums(&queries), tokens(&queries)), before);
        assert_eq!(ids(queries.answered()), (20..30).map(|number| format!("q-{number}")).collect::<Vec<_>>());
        assert_eq!(queries.waiting().len(), 9);
    }
}
