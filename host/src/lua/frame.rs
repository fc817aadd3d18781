//! What a server and a worker say to each other.
//!
//! Owns: the messages. How they are written is up to the room `frame`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A run, as its worker gets it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Start {
    pub entry: Entry,
    /// The global `ctx`.
    pub context: Value,
    /// What `math.random` begins with.
    pub seed: u64,
}

/// What a run begins with.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Entry {
    /// The body of a function; `name` stands for it in messages.
    Code { name: String, source: String },
    /// `return require(name).run(ctx)`
    Package { name: String },
}

/// From the server to a worker: one start, then one answer for each question.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ToWorker<S = Start> {
    Start(S),
    Answer(Value),
    /// The question has no answer: an error in Lua, with these words.
    Refused(String),
}

/// From a worker to the server. The last three end the run.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ToServer {
    Ask { operation: String, arguments: Value },
    Post { operation: String, arguments: Value },
    Returned(Value),
    Failed { message: String, traceback: Option<String> },
    Memory,
}
