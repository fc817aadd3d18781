//! The Model Context Protocol. Only this crate knows rmcp, JSON-RPC and the revisions of the protocol.
//!
//! Owns: the handlers, the conversion of plain values to wire types, the table of errors, and the two transports.
//! Never: knows a service by its name, opens a file, or waits for slow work on the protocol's thread.

mod backpressure;
mod calls;
mod catch_panic;
mod changes;
mod client;
mod completion;
mod continued_call;
pub mod decode;
mod encode;
mod error;
mod execution;
pub mod framing;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
pub mod http;
mod in_place;
mod input_request;
mod kept_replies;
mod large_response_queue;
pub mod limits;
mod log_level;
mod permits;
mod plain_request;
mod request_runner;
mod request_table;
mod revision;
mod server;
mod state_cipher;
pub mod stdio;
mod subscriptions;
mod tasks;
mod to_wire;

pub use self::catch_panic::CatchPanic;
pub use self::client::SealKeySource;
pub use self::server::{McpServer, ServerIdentity};
