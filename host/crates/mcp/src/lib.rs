//! The Model Context Protocol: the rim of the server. Only this room knows rmcp, JSON-RPC and the eras of the protocol.
//!
//! Owns: the handlers, the conversion of plain values to wire types, the one table of errors, and the two transports.
//! Never: knows a service by its name, opens a file, or waits for slow work on the protocol's thread.

mod asks;
mod changes;
mod client;
mod completion;
mod error;
mod guarded;
pub mod http;
mod large;
mod log;
mod secret;
mod server;
pub mod stdio;
mod subscribers;
mod tasks;
mod to_wire;
mod unread;
mod work;

pub use self::client::SealKey;
pub use self::guarded::Guarded;
pub use self::server::{Identity, Server};
