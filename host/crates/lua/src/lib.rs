//! Lua in worker processes: each run of a strategy has its own, and the declared handlers of a namespace share theirs.
//!
//! Owns: the spawner, the worker pools and their protocol; the worker's side, which is a Lua state without files, clock
//! or randomness, whose every effect is a request on its socket.
//! Gives: [`ScriptRun`], which the caller steps through, and [`ScriptStopError`] for a run that was stopped.
//! Never: performs the effects that a script requests, or runs a script in the server's process.
//!
//! ```text
//! server ──(socket)── spawner ──starts, kills, reaps── worker, worker, …
//!    └────────────────(one socket each)───────────────────┘
//! ```

mod c_math;
mod error;
mod handler_pool;
mod json_conversion;
mod library;
pub mod limits;
mod protocol;
mod run;
mod script_host;
mod spawner;
mod start_frame;
mod traceback;
mod worker;
mod worker_pool;
mod worker_usage;

pub use self::error::{ScriptStartError, ScriptStopError};
pub use self::handler_pool::HandlerPool;
pub use self::library::{MODULES, builtin_module, module_problem, module_stubs, state_namespace, type_stubs};
pub use self::protocol::{EntryPoint, HandlerRequest, StrategyRequest};
pub use self::run::{ScriptRun, ScriptStep, wait_for_message};
pub use self::script_host::ScriptHost;
pub use self::spawner::{Spawner, WorkerConfinement};
pub use self::start_frame::counted_bytes;
pub use self::worker_pool::WorkerPool;
pub use self::worker_usage::WorkerMemory;

/// Names the program and its Lua, to which the answers in a journal belong. Another version may request other effects.
#[must_use]
pub fn engine_version() -> String {
    concat!("wardroom ", env!("CARGO_PKG_VERSION"), ", Lua 5.4.8").to_owned()
}

/// Internals that tests outside the crate call without a worker.
#[doc(hidden)]
pub mod testing {
    pub use crate::json_conversion::{decode, from_json, from_payload, to_json, to_payload};
    pub use crate::library::install;
}

/// The messages of the protocol, as the fuzz targets try them.
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing {
    use serde::Serialize;
    use serde::de::DeserializeOwned;

    use crate::protocol::{MessageToServer, MessageToWorker};

    /// Decodes a message to a worker, and encodes it again; `None` where it is none.
    #[must_use]
    pub fn reencode_message_to_worker(body: &[u8]) -> Option<Vec<u8>> {
        reencode::<MessageToWorker>(body)
    }

    /// Decodes a message to the server, and encodes it again; `None` where it is none.
    #[must_use]
    pub fn reencode_message_to_server(body: &[u8]) -> Option<Vec<u8>> {
        reencode::<MessageToServer>(body)
    }

    fn reencode<T: Serialize + DeserializeOwned>(body: &[u8]) -> Option<Vec<u8>> {
        serde_json::to_vec(&serde_json::from_slice::<T>(body).ok()?).ok()
    }
}

/// The entry point of the other processes, for a hidden command.
pub mod processes {
    pub use crate::spawner::process::{LivingWorker, SpawnerWalls, run as spawner};
}
