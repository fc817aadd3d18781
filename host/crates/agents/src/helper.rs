//! The helper process that edits agents' files for a server, which cannot open them once it is confined.
//!
//! Owns: the messages between both. A request names an agent of the table and no path; the launch command of an entry
//! is set once, before the first request, by the process that started the server.
//! Never: outlives its server, or writes a change that a request does not name explicitly.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::os::fd::AsFd as _;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec};
use serde::{Deserialize, Serialize};

use super::agent_file::{AgentFile, locate_files, plan_edit, select_installed_or_first, select_targets};
use super::edit_text::{EntryChange, render_snippet};
use super::entry::{LaunchCommand, ServerName};
use super::entry_spec::EntrySpec;
use super::error::{AgentError, EditError};
use super::known_agents::{Agent, find_agent};
use super::own_programs::OwnPrograms;
use super::paths::{PathEnvironment, Platform};
use crate::limits::{AGENT_HELPER_TIMEOUT, CHILD_EXIT_TIMEOUT};
use wardroom_process::child_process;
use wardroom_process::ipc::{FrameBuffer, append_frame};

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
pub struct AgentHelper {
    /// `None` after a failure.
    channel: Mutex<Option<AgentHelperChannel>>,
}

struct AgentHelperChannel {
    child: Child,
    /// `None` once the helper should end.
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    frames: FrameBuffer,
}

impl AgentHelper {
    /// Starts `wardroom helper agents`. A server does so before it is confined.
    ///
    /// # Errors
    /// When the process cannot be started.
    pub fn start(program: &Path, config: &AgentHelperConfig) -> io::Result<Self> {
        #[expect(clippy::disallowed_methods, reason = "this program again, before the server is confined")]
        let mut command = Command::new(program);
        let mut child = command
            .args(["helper", "agents"])
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("a process without pipes"));
        };
        let mut channel = AgentHelperChannel { child, stdin: Some(stdin), stdout, frames: FrameBuffer::default() };
        channel.send(config)?;
        Ok(Self { channel: Mutex::new(Some(channel)) })
    }

    /// Sends a request and returns the helper's reports; requests are serialized.
    ///
    /// # Errors
    /// When the helper is gone, or does not answer in time: then no further request is sent.
    pub fn request(&self, request: &AgentEditRequest) -> io::Result<Vec<AgentFileReport>> {
        let mut channel = self.channel.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(open) = channel.as_mut() else { return Err(io::ErrorKind::BrokenPipe.into()) };
        let answered = open.send(request).and_then(|()| open.receive_reports());
        if answered.is_err() {
            // A late answer would be taken for the next one.
            *channel = None;
        }
        answered
    }
}

impl Drop for AgentHelperChannel {
    fn drop(&mut self) {
        // The helper ends when its input ends, and writes nothing from then on.
        self.stdin = None;
        child_process::wait_or_kill(&mut self.child, CHILD_EXIT_TIMEOUT);
    }
}

impl AgentHelperChannel {
    fn send(&mut self, message: &impl Serialize) -> io::Result<()> {
        let mut bytes = Vec::new();
        append_frame(&mut bytes, message).map_err(io::Error::other)?;
        let stdin = self.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        stdin.write_all(&bytes)?;
        stdin.flush()
    }

    fn receive_reports(&mut self) -> io::Result<Vec<AgentFileReport>> {
        let deadline = Instant::now() + AGENT_HELPER_TIMEOUT;
        loop {
            if let Some(reports) = self.frames.take_message().map_err(io::Error::other)? {
                return Ok(reports);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            let time = Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: left.subsec_nanos().into() };
            let mut ends = [PollFd::new(&self.stdout, PollFlags::IN)];
            if rustix::io::retry_on_intr(|| rustix::event::poll(&mut ends, Some(&time)))? == 0 {
                return Err(io::ErrorKind::TimedOut.into());
            }
            if self.frames.fill(self.stdout.as_fd())? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }
}

/// Runs the helper process, until its input ends.
///
/// # Errors
/// When the input is not a valid message, or a system call fails.
pub fn serve_helper() -> io::Result<()> {
    let (input, mut output, mut inbox) = (io::stdin(), io::stdout(), FrameBuffer::default());
    let mut message = || -> io::Result<Option<serde_json::Value>> {
        loop {
            if let Some(message) = inbox.take_message().map_err(io::Error::other)? {
                return Ok(Some(message));
            }
            if inbox.fill(input.as_fd())? == 0 {
                return Ok(None);
            }
        }
    };
    let Some(config) = message()? else { return Ok(()) };
    let server = AgentHelperServer::new(serde_json::from_value(config)?);
    while let Some(request) = message()? {
        let mut bytes = Vec::new();
        append_frame(&mut bytes, &server.handle_request(&serde_json::from_value(request)?))
            .map_err(io::Error::other)?;
        output.write_all(&bytes)?;
        output.flush()?;
    }
    Ok(())
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

    fn handle_request(&self, request: &AgentEditRequest) -> Vec<AgentFileReport> {
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
        self.select_files(agent, &name, request).iter().map(|file| self.process_file(file, &name, request)).collect()
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

    fn process_file(&self, file: &AgentFile, name: &ServerName, request: &AgentEditRequest) -> AgentFileReport {
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
                    Some(agreed) if *agreed == seen && is_server_connected() => {
                        ready.apply().map(|_| EditOutcome::Changed)
                    }
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

/// Whether the server still holds the other end of the input: a server that stopped waiting has reported that nothing
/// was written.
fn is_server_connected() -> bool {
    let input = io::stdin();
    let mut ends = [PollFd::new(&input, PollFlags::empty())];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    rustix::io::retry_on_intr(|| rustix::event::poll(&mut ends, Some(&now))).is_ok_and(|ended| ended == 0)
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
