//! What a journal names of the status of a run, which is no part of its format.

use serde_json::Value;

use crate::logs::LogEntry;
use wardroom_base::payload::Payload;

pub struct LiveStatus {
    pub pauses: u64,
    pub queries: Vec<LlmQuery>,
}

pub struct RunBudget;

pub struct LlmQuery {
    pub is_dropped: bool,
}

impl LiveStatus {
    pub fn new(_: Option<String>, _: u64, _: RunBudget) -> Self {
        Self { pauses: 0, queries: Vec::new() }
    }

    pub fn push_log_entry(&mut self, _: &LogEntry) {}

    pub fn sort_queries(&mut self) {
        self.queries.sort_by_key(|query| query.is_dropped);
    }
}

impl RunBudget {
    pub fn from_context(_: &Payload) -> Self {
        Self
    }
}

impl LlmQuery {
    pub fn new(_: String, _: &Payload) -> Self {
        Self { is_dropped: false }
    }

    pub fn set_reply(&mut self, _: &str, _: Option<&Value>) {}
}
