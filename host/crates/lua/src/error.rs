//! Errors of starting a run, and reasons why a run was stopped.
//!
//! Never: contains details of the host in `Display`, which may be shown to a client.

use crate::limits::{MAX_HANDLER_WORKERS, MAX_LUA_MEMORY_BYTES, MAX_LUA_WORKERS};
use wardroom_base::byte_size::ByteSize;
use wardroom_base::memory::OutOfMemory;
use wardroom_process::ipc::FrameError;

/// The reason why a run could not be started.
#[derive(Debug, thiserror::Error)]
pub enum ScriptStartError {
    #[error("{MAX_LUA_WORKERS} runs are active or paused: wait for one to end, or cancel one")]
    Busy,
    /// The code or the context is too large or nested too deep for a message.
    #[error("the run cannot be started: {0}")]
    InvalidInput(#[from] FrameError),
    /// There is no memory for the message that starts the run.
    #[error("{0}")]
    OutOfMemory(#[from] OutOfMemory),
    /// The system's error is for the log only.
    #[error("no worker could be started; if this goes on, restart the server")]
    Unavailable(#[source] std::io::Error),
}

/// The reason why a run was stopped before its own end. Its worker is gone.
#[derive(Debug, thiserror::Error)]
pub enum ScriptStopError {
    #[error("stopped at its deadline")]
    DeadlineExceeded,
    #[error("cancelled")]
    Cancelled,
    #[error("stopped at {} of memory", ByteSize(MAX_LUA_MEMORY_BYTES as u64))]
    OutOfMemory,
    /// All workers together hold too much, and this one held the most.
    #[error("stopped because all scripts together hold more than {}, and this one the most", ByteSize(*limit as u64))]
    WorkersOutOfMemory { limit: usize },
    /// The process was killed by the system or by a person, or crashed.
    #[error("its process ended unexpectedly, perhaps for lack of memory")]
    WorkerDied,
    /// The limit of handler workers was reached. A handler's call acquires its worker in its first step.
    #[error("{MAX_HANDLER_WORKERS} calls of handlers run at once: wait for one to end")]
    Busy,
    #[error(transparent)]
    NotStarted(ScriptStartError),
    /// The server has no memory for what the worker sends.
    #[error("{0}")]
    ServerMemory(#[from] OutOfMemory),
    /// The worker violated the protocol.
    #[error("its process sent an invalid message")]
    MalformedMessage(#[from] FrameError),
    /// The worker sent a message although the answer to its request was not sent, or not read.
    #[error("its process sent a message instead of waiting for an answer")]
    UnexpectedMessage,
}
