//! What a journal names of the status of a run, which is no part of its format.

use super::queries::RunQueries;
use crate::logs::LogEntry;
use wardroom_base::payload::Payload;

pub struct LiveStatus {
    pub pauses: u64,
    pub queries: RunQueries,
}

pub struct RunBudget;

impl LiveStatus {
    pub fn new(_: Option<String>, _: u64, _: RunBudget) -> Self {
        Self { pauses: 0, queries: RunQueries::default() }
    }

    pub fn push_log_entry(&mut self, _: &LogEntry) {}
}

impl RunBudget {
    pub fn from_context(_: &Payload) -> Self {
        Self
    }
}
