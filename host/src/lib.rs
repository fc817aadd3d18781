//! wardroom: an MCP server that gives agents fast, confined access to one folder.
//!
//! Reading order, from the lowest layer to the highest: a room names only rooms of lower layers.
//!
//! - layer 0: [`limits`], [`config`], [`entropy`], [`uri`], [`payload`], [`json_schema`], `hex`, [`state_rules`],
//!   [`toml_text`]: plain types and rules, no input or output beside the system's randomness
//! - layer 1: [`appdir`]: the only room that touches files; [`frame`], [`handles`] and `child`: what our own processes
//!   say and hand to each other, and how they end
//! - layer 2: [`sandbox`]: untrusted documents, parsed in a WebAssembly guest; [`confine`]: what the kernel forbids this
//!   process; [`lua`]: strategies that run, each in a process of its own; [`net`]: what is fetched from elsewhere, by processes of
//!   their own; [`tasks`]: calls that outlive their requests; [`agents`]: our entry in the configuration files of other programs
//! - layer 3: [`services`]: what the server offers
//! - layer 4: [`mcp`]: the protocol
//! - layer 5: [`cli`]: the command line

pub mod config;
pub mod entropy;
mod hex;
pub mod json_schema;
pub mod limits;
pub mod payload;
pub mod state_rules;
pub mod toml_text;
pub mod uri;

pub mod appdir;
mod child;
pub mod frame;
pub mod handles;

pub mod agents;
pub mod confine;
pub mod lua;
pub mod net;
pub mod sandbox;
pub mod tasks;

pub mod services;

pub mod mcp;

pub mod cli;
