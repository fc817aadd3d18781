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
pub mod limits;
mod own_programs;
mod paths;
mod table;
mod text;
mod toml_file;

pub use self::apply::{AgentFile, PlannedEdit, locate_files, plan_edit, select_installed_or_first, select_targets};
pub use self::edit::{EntryChange, EntrySpec, edit_entry, find_entry, render_snippet};
pub use self::entry::{InstalledEntry, LaunchCommand, ServerName};
pub use self::error::{AgentError, EditError};
pub use self::helper::{
    AgentEditRequest, AgentFileReport, AgentHelper, AgentHelperConfig, EditOutcome, EntryAction, serve_helper,
};
pub use self::own_programs::OwnPrograms;
pub use self::paths::{PathEnvironment, Platform};
pub use self::table::{AGENTS, Agent, ConfigFormat, ConfigTarget, EntryShape, find_agent};
