//! The helper process that edits agents' files for a server, which cannot open them once it is confined.
//!
//! Owns: the messages between both. A request names an agent of the table and no path; the launch command of an entry
//! is set once, before the first request, by the process that started the server.
//! Never: outlives its server, or writes a change that a request does not name explicitly.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::agent::Agent;
use super::agent_file::{AgentFile, locate_files, plan_edit, select_installed_or_first, select_targets};
use super::edit_text::{EntryChange, render_snippet};
use super::entry::{LaunchCommand, ServerName};
use super::entry_spec::EntrySpec;
use super::error::{AgentError, EditError};
use super::known_agents::find_agent;
use super::own_programs::OwnPrograms;
use super::paths::{PathEnvironment, Platform};
use crate::limits::AGENT_HELPER_TIMEOUT;
use wardroom_process::helper_channel::{self, HelperChannel, HelperError};

/// The configuration of a helper, for its whole lifetime.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AgentHelperConfig {
    pub home: String,
    pub variables: BTreeMap<String, String>,
    pub command: String,
    pub args: Vec<String>,
    /// The paths of our programs; `path` is the `PATH` in which other programs are searched.
    pub programs: Vec<String>,
    pub path: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum EntryAction {
    Install,
    Uninstall,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentEditRequest {
    /// The agent's id.
    pub agent: String,
    pub name: String,
    pub action: EntryAction,
    /// The agreed files, each with the digest of its content when the user agreed. If empty, the changes are only
    /// reported.
    pub agreed_digests: BTreeMap<String, String>,
}

/// The report on one file of the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentFileReport {
    pub title: String,
    /// The file's path, with `~` for the home folder.
    pub file: String,
    /// The entry alone; the rest of the file is private.
    pub entry: String,
    /// A summary of our entry before the change.
    pub before: Option<String>,
    /// The digest of the file's current content, if the file would be changed.
    pub digest: String,
    pub outcome: EditOutcome,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum EditOutcome {
    /// No change is needed.
    Unchanged,
    /// The file would be changed, or was changed if that was requested.
    Changed,
    /// The reason for a refusal, without a path.
    Refused(String),
}

/// The server's handle on its helper.
pub struct AgentHelper(HelperChannel);

impl AgentHelper {
    /// Starts `wardroom helper agents`. A server does so before it is confined.
    ///
    /// # Errors
    /// When the process cannot be started.
    pub fn start(program: &Path, config: &AgentHelperConfig) -> io::Result<Self> {
        HelperChannel::start(program, "agents", config, AGENT_HELPER_TIMEOUT).map(Self)
    }

    /// Sends a request and returns the helper's reports; requests are serialized.
    ///
    /// # Errors
    /// As [`HelperChannel::request`].
    pub fn request(&self, request: &AgentEditRequest) -> Result<Vec<AgentFileReport>, HelperError> {
        self.0.request(request)
    }
}

/// Runs the helper process, until its input ends.
///
/// # Errors
/// When the input is not a valid message, or a system call fails.
pub fn serve_helper() -> io::Result<()> {
    helper_channel::serve(
        |config: AgentHelperConfig| Ok(AgentHelperServer::new(config)),
        |server, request: AgentEditRequest, is_awaited| server.handle_request(&request, is_awaited),
    )
}

struct AgentHelperServer {
    environment: PathEnvironment,
    launch: LaunchCommand,
    own_programs: OwnPrograms,
}

impl AgentHelperServer {
    fn new(config: AgentHelperConfig) -> Self {
        let AgentHelperConfig { home, variables, command, args, programs, path } = config;
        Self {
            environment: PathEnvironment { platform: Platform::current(), home, variables },
            launch: LaunchCommand { command, args },
            own_programs: OwnPrograms { programs, search_path: path },
        }
    }

    fn handle_request(&self, request: &AgentEditRequest, is_awaited: &dyn Fn() -> bool) -> Vec<AgentFileReport> {
        let Some((agent, name)) = find_agent(&request.agent).zip(ServerName::parse(&request.name).ok()) else {
            return Vec::new();
        };
        if let Some(variable) = agent.invalid_variable(&self.environment) {
            let reason = format!("{variable} is not an absolute path in UTF-8");
            let (title, file) = (agent.title.to_owned(), format!("${variable}"));
            let outcome = EditOutcome::Refused(reason);
            return vec![AgentFileReport {
                title,
                file,
                entry: String::new(),
                before: None,
                digest: String::new(),
                outcome,
            }];
        }
        let files = self.select_files(agent, &name, request);
        files.iter().map(|file| self.process_file(file, &name, request, is_awaited)).collect()
    }

    fn select_files(&self, agent: &'static Agent, name: &ServerName, request: &AgentEditRequest) -> Vec<AgentFile> {
        let files = select_installed_or_first(locate_files(agent, &self.environment));
        select_targets(files, self.entry_change(request), |file| file.has_entry(&self.entry_spec(file, name)))
    }

    fn entry_change(&self, request: &AgentEditRequest) -> EntryChange<'_> {
        match request.action {
            EntryAction::Install => EntryChange::Install(&self.launch),
            EntryAction::Uninstall => EntryChange::Uninstall,
        }
    }

    fn entry_spec<'w>(&'w self, file: &AgentFile, name: &'w ServerName) -> EntrySpec<'w> {
        // Another program's entry may only be replaced by a person, at a shell.
        EntrySpec { target: file.target, name, own_programs: &self.own_programs, force: false }
    }

    fn process_file(
        &self,
        file: &AgentFile,
        name: &ServerName,
        request: &AgentEditRequest,
        is_awaited: &dyn Fn() -> bool,
    ) -> AgentFileReport {
        let (spec, change) = (self.entry_spec(file, name), self.entry_change(request));
        let path = file.path.display().to_string();
        let below = path
            .strip_prefix(self.environment.home.trim_end_matches('/'))
            .filter(|below| below.starts_with(['/', '\\']));
        let shown = below.map_or_else(|| path.clone(), |below| format!("~{below}"));
        let (mut seen, mut before) = (String::new(), None);
        let outcome = plan_edit(file, &spec, change, false).and_then(|ready| match ready {
            None => Ok(EditOutcome::Unchanged),
            Some(ready) => {
                seen = ready.before_digest();
                before = ready.existing_entry(&spec).map(|found| found.summary());
                match request.agreed_digests.get(&shown) {
                    // The user agreed to the content with this digest.
                    Some(agreed) if *agreed == seen && is_awaited() => ready.apply().map(|_| EditOutcome::Changed),
                    _ if request.agreed_digests.is_empty() => Ok(EditOutcome::Changed),
                    _ => Err(AgentError::ConcurrentlyModified { path: path.clone() }),
                }
            }
        });
        AgentFileReport {
            title: file.target.title.to_owned(),
            file: shown,
            entry: render_snippet(&spec, &self.launch),
            before,
            digest: seen,
            outcome: outcome.unwrap_or_else(|error| EditOutcome::Refused(public_message(&error))),
        }
    }
}

/// Returns the reason in words that a client may read.
fn public_message(error: &AgentError) -> String {
    match error {
        // The command may hold keys.
        AgentError::Edit { source: EditError::ForeignEntry { .. }, .. } => {
            "the entry of that name starts another program".to_owned()
        }
        AgentError::Edit { source, .. } => source.to_string(),
        AgentError::NotInstalled { .. } => "it does not seem to be installed".to_owned(),
        AgentError::ConcurrentlyModified { .. } => "its file was changed meanwhile, and is left as it is".to_owned(),
        AgentError::File { .. } => "its file cannot be read or written".to_owned(),
    }
}
