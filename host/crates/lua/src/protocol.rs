//! What a server and a worker say to each other.
//!
//! Owns: the messages. How they are written is up to the room `frame`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A run, as its worker gets it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StrategyRequest {
    pub entry: EntryPoint,
    /// The global `ctx`.
    pub context: Value,
    /// What `math.random` begins with.
    pub seed: u64,
}

/// What a run begins with.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryPoint {
    /// The body of a function; `name` stands for it in messages.
    Code { name: String, source: String },
    /// `return require(name).run(ctx)`
    Package { name: String },
}

/// A call of a declared handler, as its worker gets it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct HandlerRequest {
    /// The entry's id, `namespace:name`, which stands for its file in messages.
    pub id: String,
    pub source: String,
    /// The function that is called: a field of the table that the source returns.
    pub method: String,
    /// Its argument. A list is several arguments, and not one that is a list.
    pub arguments: Value,
    /// The modules that the entry lists. No others are there.
    pub modules: Vec<String>,
    /// The entries that `require` finds, by the names that the entry gives them.
    pub imports: BTreeMap<String, String>,
    /// What `math.random` begins with.
    pub seed: u64,
}

/// From the server to a worker: one start or call, then one answer for each question. After a call there may be another.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum MessageToWorker<S = StrategyRequest, C = HandlerRequest> {
    Start(S),
    Call(C),
    Answer(Value),
    /// The question has no answer: an error in Lua, with these words.
    Refused(String),
}

/// From a worker to the server. The last three end the run, or the call.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum MessageToServer {
    Request { operation: String, arguments: Value },
    Notify { operation: String, arguments: Value },
    Returned(Value),
    Failed { message: String, traceback: Option<String> },
    Memory,
}
