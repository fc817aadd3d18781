//! Why there is no run, and why a run stopped. `Display` may be shown to a client; nothing in it comes from the host.

use wardroom_base::limits::{LUA_MEMORY_BYTES, MAX_HANDLER_WORKERS, MAX_LUA_WORKERS};
use wardroom_process::frame::FrameError;

/// Why a run could not be started.
#[derive(Debug, thiserror::Error)]
pub enum LuaError {
    #[error("{MAX_LUA_WORKERS} runs are going on or paused: wait for one to end, or cancel one")]
    Busy,
    /// Its code, or its context.
    #[error("the run cannot be started: {0}")]
    Input(#[from] FrameError),
    /// What the system says is for the log.
    #[error("no worker could be started; if this goes on, restart the server")]
    Unavailable(#[source] std::io::Error),
}

/// Why a run came to no end of its own. Its worker is gone.
#[derive(Debug, thiserror::Error)]
pub enum Stopped {
    #[error("stopped at its deadline")]
    Deadline,
    #[error("cancelled")]
    Cancelled,
    #[error("stopped at {} MiB of memory", LUA_MEMORY_BYTES / (1024 * 1024))]
    Memory,
    /// Killed, by the system or somebody, or ended by a fault.
    #[error("its process ended unexpectedly, perhaps for lack of memory")]
    Died,
    /// A call of a handler, which waits for its worker when it is first stepped.
    #[error("{MAX_HANDLER_WORKERS} calls of handlers are going on: wait for one to end")]
    Busy,
    #[error(transparent)]
    NotStarted(LuaError),
    /// The worker said something that is not the protocol.
    #[error("its process sent something unusable")]
    Malformed(#[from] FrameError),
}
