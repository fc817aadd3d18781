//! Other programs' configuration files: where each agent keeps its list of servers, and our entry in it.
//!
//! Owns: the table of agents, the edits (text → text, with the rest of the file unchanged), and writing the files.
//! Gives: planned edits that can be shown before anything is written, and plain values for reports.
//! Never: writes a file that it could not read whole, creates a file without a request, or starts the command of an
//! entry.

mod agent;
mod agent_file;
mod edit_text;
mod entry;
mod entry_spec;
mod error;
mod helper;
mod json;
mod known_agents;
pub mod limits;
mod own_programs;
mod paths;
mod secrets;
mod text;
mod toml_file;

pub use self::agent::{Agent, ConfigFormat, ConfigTarget, EntryShape};
pub use self::agent_file::{
    AgentFile, PlannedEdit, locate_files, plan_edit, select_installed_or_first, select_targets,
};
pub use self::edit_text::{EntryChange, edit_entry, find_entry, render_snippet};
pub use self::entry::{InstalledEntry, LaunchCommand, ServerName};
pub use self::entry_spec::EntrySpec;
pub use self::error::{AgentError, EditError};
pub use self::helper::{
    AgentEditRequest, AgentFileReport, AgentHelper, AgentHelperConfig, EditOutcome, EntryAction, serve_helper,
};
pub use self::known_agents::{AGENTS, find_agent};
pub use self::own_programs::OwnPrograms;
pub use self::paths::{PathEnvironment, Platform};
pub use wardroom_process::helper_channel::HelperError;
