//! What a journal names of the queries of a run, which is no part of its format.

use serde_json::Value;

use wardroom_base::payload::Payload;

#[derive(Default)]
pub struct RunQueries {
    pub count: usize,
}

pub struct LlmQuery {
    pub is_dropped: bool,
}

impl RunQueries {
    pub fn add(&mut self, _: LlmQuery) {
        self.count += 1;
    }
}

impl LlmQuery {
    pub fn new(_: String, _: &Payload) -> Self {
        Self { is_dropped: false }
    }

    pub fn set_reply(&mut self, _: &str, _: Option<&Value>) {}
}
