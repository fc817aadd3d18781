//! Why there is no run, and why a run stopped. `Display` may be shown to a client; nothing in it comes from the host.

use crate::limits::{MAX_HANDLER_WORKERS, MAX_LUA_MEMORY_BYTES, MAX_LUA_WORKERS};
use wardroom_process::ipc::FrameError;

/// Why a run could not be started.
#[derive(Debug, thiserror::Error)]
pub enum ScriptStartError {
    #[error("{MAX_LUA_WORKERS} runs are going on or paused: wait for one to end, or cancel one")]
    Busy,
    /// Its code, or its context.
    #[error("the run cannot be started: {0}")]
    InvalidInput(#[from] FrameError),
    /// What the system says is for the log.
    #[error("no worker could be started; if this goes on, restart the server")]
    Unavailable(#[source] std::io::Error),
}

/// Why a run came to no end of its own. Its worker is gone.
#[derive(Debug, thiserror::Error)]
pub enum ScriptStopError {
    #[error("stopped at its deadline")]
    DeadlineExceeded,
    #[error("cancelled")]
    Cancelled,
    #[error("stopped at {} MiB of memory", MAX_LUA_MEMORY_BYTES / (1024 * 1024))]
    OutOfMemory,
    /// Killed, by the system or somebody, or ended by a fault.
    #[error("its process ended unexpectedly, perhaps for lack of memory")]
    WorkerDied,
    /// A call of a handler, which waits for its worker when it is first stepped.
    #[error("{MAX_HANDLER_WORKERS} calls of handlers are going on: wait for one to end")]
    Busy,
    #[error(transparent)]
    NotStarted(ScriptStartError),
    /// The worker said something that is not the protocol.
    #[error("its process sent something unusable")]
    MalformedMessage(#[from] FrameError),
}
