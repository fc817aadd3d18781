//! The command line of wardroom, an MCP server that gives agents fast, confined access to one folder.
//!
//! Owns: arguments, environment and configuration file ([`cli`]), and how settings become open folders and folders
//! become services ([`assemble_filter`]).
//! Never: implements a service or the protocol; those are crates below `host/crates/`.

mod assemble;
pub mod cli;
pub mod limits;
mod report;
