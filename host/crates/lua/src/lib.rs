//! Lua: strategies that run, each in a process that owns one socket, and declared handlers, which share one a namespace.
//!
//! Owns: the spawner, the pool of workers and what is said between them and the server; the worker's side, which is a Lua
//! state without files, clock or randomness, whose every effect is a request on its socket.
//! Gives: [`ScriptRun`], a strategy's or a handler's, which the caller steps through, and [`ScriptStopError`] for one that did not come to its end.
//! Never: performs what a script asks for, or lets a script run in the server's process.
//!
//! ```text
//! server ──(socket)── spawner ──starts, kills, reaps── worker, worker, …
//!    └──────────────────(a socket each)───────────────────┘
//! ```

mod error;
mod handler_pool;
mod json_conversion;
mod library;
pub mod limits;
mod protocol;
mod run;
mod script_host;
mod spawner;
mod worker;
mod worker_pool;

pub use self::error::{ScriptStartError, ScriptStopError};
pub use self::handler_pool::HandlerPool;
pub use self::library::{MODULES, builtin_module, module_problem, module_stubs, type_stubs};
pub use self::protocol::{EntryPoint, HandlerRequest, StrategyRequest};
pub use self::run::{ScriptRun, ScriptStep, wait_for_message};
pub use self::script_host::ScriptHost;
pub use self::spawner::{Spawner, WorkerConfinement};
pub use self::worker_pool::WorkerPool;

/// What answers in a journal belong to: this program and its Lua. Another one may ask for something else.
#[must_use]
pub fn engine_version() -> String {
    concat!("wardroom ", env!("CARGO_PKG_VERSION"), ", Lua 5.4.8").to_owned()
}

/// What tests outside the crate drive without a worker.
#[doc(hidden)]
pub mod testing {
    pub use crate::json_conversion::{decode, from_json, to_json};
    pub use crate::library::install;
}

/// The two hidden commands: what runs in the other processes.
pub mod processes {
    pub use crate::spawner::process::run as spawner;
    pub use crate::worker::run as worker;
}
