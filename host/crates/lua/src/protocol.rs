//! The messages between the server and a worker.
//!
//! Owns: the message types. [`wardroom_process::ipc`] encodes them as frames.
//! Never: knows the operations that a script may request: `alc/src/runs/operations.rs` performs those of strategies,
//! `registry/src/operations/` those of handlers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use wardroom_base::payload::Payload;

/// A run of a strategy, as sent to its worker.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StrategyRequest {
    pub entry: EntryPoint,
    /// The global `ctx`.
    pub context: Payload,
    /// The seed of `math.random`.
    pub seed: u64,
}

/// The code that a run starts with.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryPoint {
    /// The body of a function. Messages call it `name`.
    Code { name: String, source: String },
    /// A package: `return require(name).run(ctx)`.
    Package { name: String },
}

/// A call of a declared handler, as sent to its worker.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct HandlerRequest {
    /// The entry's id, `namespace:name`. Messages use it as the name of the file.
    pub id: String,
    pub source: String,
    /// The called function: a field of the table that the source returns.
    pub method: String,
    /// The function's argument. A list is spread into several arguments.
    pub arguments: Payload,
    /// The modules that the entry lists, and thus the only ones it can use.
    pub modules: Vec<String>,
    /// The ids of the entries that `require` finds, by the entry's names for them.
    pub imports: BTreeMap<String, String>,
    /// The seed of `math.random`.
    pub seed: u64,
    /// Whether the source is only compiled and loaded, to find out whether it has the function: it is not called. Of a source
    /// without a function, a library's, `method` is empty.
    #[serde(default)]
    pub is_check: bool,
}

/// From the server to a worker: one start or call, then one answer for each request. Another call may follow a call.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum MessageToWorker<S = StrategyRequest, C = HandlerRequest> {
    Start(S),
    Call(C),
    Answer(Payload),
    /// The request failed: an error in Lua with this message.
    Refused(String),
}

/// From a worker to the server. The last three variants end the run or the call.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum MessageToServer {
    Request { operation: String, arguments: Payload },
    Notify { operation: String, arguments: Payload },
    Returned(Payload),
    Failed { message: String, traceback: Option<String> },
    Memory,
}
