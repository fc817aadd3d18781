//! Lua: strategies that run, each in a process that owns one socket, and declared handlers, which share one a namespace.
//!
//! Owns: the spawner, the pool of workers and what is said between them and the server; the worker's side, which is a Lua
//! state without files, clock or randomness, whose every effect is a request on its socket.
//! Gives: [`Run`], a strategy's or a handler's, which the caller steps through, and [`Stopped`] for one that did not come to its end.
//! Never: performs what a script asks for, or lets a script run in the server's process.
//!
//! ```text
//! server ──(socket)── spawner ──starts, kills, reaps── worker, worker, …
//!    └──────────────────(a socket each)───────────────────┘
//! ```

mod error;
mod frame;
mod handlers;
mod host;
mod library;
mod pool;
mod run;
mod spawner;
mod values;
mod worker;

pub use self::error::{LuaError, Stopped};
pub use self::frame::{Call, Entry, Start};
pub use self::handlers::Handlers;
pub use self::host::Host;
pub use self::library::{MODULES, builtin_module, module_problem, module_stubs, type_stubs};
pub use self::pool::Pool;
pub use self::run::{Run, Step, wait};
pub use self::spawner::{Spawner, Walls};

/// What answers in a journal belong to: this program and its Lua. Another one may ask for something else.
#[must_use]
pub fn engine() -> String {
    concat!("wardroom ", env!("CARGO_PKG_VERSION"), ", Lua 5.4.8").to_owned()
}

/// What tests outside the crate drive without a worker.
#[doc(hidden)]
pub mod testing {
    pub use crate::library::install;
    pub use crate::values::{decode, from_json, to_json};
}

/// The two hidden commands: what runs in the other processes.
pub mod processes {
    pub use crate::spawner::process::run as spawner;
    pub use crate::worker::run as worker;
}
