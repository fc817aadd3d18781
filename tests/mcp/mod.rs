//! The protocol, as a client on a pipe sees it.

mod discovery;
mod lines;
mod wire;
