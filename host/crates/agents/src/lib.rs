//! Other programs' configuration files: where each agent keeps its list of servers, and our one entry in it.
//!
//! Owns: the table of agents, the edits (text → text, with everything else in the file left as it is), and writing them.
//! Gives: plans to be shown before anything is written, and plain values for reports.
//! Never: writes a file that it could not read whole, creates one that nobody asked for, or starts anything that an
//! entry names.

mod apply;
mod edit;
mod entry;
mod error;
mod helper;
mod json;
mod owners;
mod places;
mod table;
mod text;
mod toml_file;

pub use self::apply::{File, Ready, installed_else_first, look, meant, prepare};
pub use self::edit::{Change, Wanted, edit, find, snippet};
pub use self::entry::{Found, Launch, ServerName};
pub use self::error::{AgentError, EditError};
pub use self::helper::{Beginning, Helper, Outcome, Report, Request, Wish, serve};
pub use self::owners::Owners;
pub use self::places::{Environment, System};
pub use self::table::{AGENTS, Agent, Format, Shape, Target, agent};
