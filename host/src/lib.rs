//! The command line of wardroom, an MCP server that gives agents fast, confined access to one folder.
//!
//! Owns: arguments, environment and configuration file ([`cli`]), and the steps from settings to open folders and from
//! folders to services (`assemble`).
//! Never: implements a service or the protocol; the crates below `host/crates/` do.

mod assemble;
pub mod cli;
pub mod limits;
mod report;
