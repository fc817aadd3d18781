//! A process that edits the files of agents for a server, which cannot open them once it is confined.
//!
//! Owns: what is said between both. A request names an agent of the table and no path; what an entry starts was said once,
//! before the first request, by whoever started the server.
//! Never: goes on after its server, or writes what it was not asked to write in so many words.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::os::fd::AsFd as _;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec};
use serde::{Deserialize, Serialize};

use super::apply::{File, installed_else_first, look, meant, prepare};
use super::edit::{Change, Wanted, snippet};
use super::entry::{Launch, ServerName};
use super::error::{AgentError, EditError};
use super::owners::Owners;
use super::places::{Environment, System};
use super::table::{Agent, agent};
use wardroom_base::limits::{AGENT_HELPER_TIME, PARTING_TIME};
use wardroom_process::child;
use wardroom_process::frame::{Inbox, append};

/// What a helper works with, for as long as it lives.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Beginning {
    pub home: String,
    pub variables: BTreeMap<String, String>,
    pub command: String,
    pub args: Vec<String>,
    /// The programs that are ours, and where others are looked for by name.
    pub programs: Vec<String>,
    pub path: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Wish {
    Install,
    Uninstall,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// By its id.
    pub agent: String,
    pub name: String,
    pub wish: Wish,
    /// The files that are written, each as it was when that was agreed to. Without any it is only said what would be.
    pub agreed: BTreeMap<String, String>,
}

/// What is said of one file of the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    pub title: String,
    /// As its user would name it, from the home folder.
    pub file: String,
    /// The entry by itself: what else is in the file is nobody's business.
    pub entry: String,
    /// What our entry there is before the change.
    pub before: Option<String>,
    /// Its content as it is now, as a digest, where it would be changed.
    pub seen: String,
    pub outcome: Outcome,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// Everything is as it should be.
    Unchanged,
    /// It would be written, or was where that was asked for.
    Changed,
    /// Why not, without a path.
    Refused(String),
}

/// The server's handle on its helper.
pub struct Helper {
    /// Nothing once it failed.
    talk: Mutex<Option<Talk>>,
}

struct Talk {
    child: Child,
    /// Until it is to end.
    asks: Option<ChildStdin>,
    answers: ChildStdout,
    inbox: Inbox,
}

impl Helper {
    /// Starts `wardroom helper agents`. A server does it before it is confined.
    ///
    /// # Errors
    /// When it does not start.
    pub fn start(program: &Path, beginning: &Beginning) -> io::Result<Self> {
        #[expect(clippy::disallowed_methods, reason = "this program again, before the server is confined")]
        let mut command = Command::new(program);
        let mut child = command
            .args(["helper", "agents"])
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (Some(asks), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("a process without pipes"));
        };
        let mut talk = Talk { child, asks: Some(asks), answers, inbox: Inbox::default() };
        talk.say(beginning)?;
        Ok(Self { talk: Mutex::new(Some(talk)) })
    }

    /// What it answers; one request after the other.
    ///
    /// # Errors
    /// When it is gone, or does not answer in time: then it is asked nothing more.
    pub fn ask(&self, request: &Request) -> io::Result<Vec<Report>> {
        let mut talk = self.talk.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(open) = talk.as_mut() else { return Err(io::ErrorKind::BrokenPipe.into()) };
        let answered = open.say(request).and_then(|()| open.answer());
        if answered.is_err() {
            // What it says later would be taken for the next answer.
            *talk = None;
        }
        answered
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        // The end of its input ends it, and it writes nothing from there on.
        self.asks = None;
        child::end(&mut self.child, PARTING_TIME);
    }
}

impl Talk {
    fn say(&mut self, message: &impl Serialize) -> io::Result<()> {
        let mut bytes = Vec::new();
        append(&mut bytes, message).map_err(io::Error::other)?;
        let asks = self.asks.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        asks.write_all(&bytes)?;
        asks.flush()
    }

    fn answer(&mut self) -> io::Result<Vec<Report>> {
        let deadline = Instant::now() + AGENT_HELPER_TIME;
        loop {
            if let Some(reports) = self.inbox.take().map_err(io::Error::other)? {
                return Ok(reports);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            let time = Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: left.subsec_nanos().into() };
            let mut ends = [PollFd::new(&self.answers, PollFlags::IN)];
            if rustix::io::retry_on_intr(|| rustix::event::poll(&mut ends, Some(&time)))? == 0 {
                return Err(io::ErrorKind::TimedOut.into());
            }
            if self.inbox.fill(self.answers.as_fd())? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }
}

/// What the process itself does, until its input ends.
///
/// # Errors
/// When what it reads is no message, or the system fails.
pub fn serve() -> io::Result<()> {
    let (input, mut output, mut inbox) = (io::stdin(), io::stdout(), Inbox::default());
    let mut message = || -> io::Result<Option<serde_json::Value>> {
        loop {
            if let Some(message) = inbox.take().map_err(io::Error::other)? {
                return Ok(Some(message));
            }
            if inbox.fill(input.as_fd())? == 0 {
                return Ok(None);
            }
        }
    };
    let Some(beginning) = message()? else { return Ok(()) };
    let desk = Desk::new(serde_json::from_value(beginning)?);
    while let Some(request) = message()? {
        let mut bytes = Vec::new();
        append(&mut bytes, &desk.perform(&serde_json::from_value(request)?)).map_err(io::Error::other)?;
        output.write_all(&bytes)?;
        output.flush()?;
    }
    Ok(())
}

struct Desk {
    environment: Environment,
    launch: Launch,
    owners: Owners,
}

impl Desk {
    fn new(beginning: Beginning) -> Self {
        let Beginning { home, variables, command, args, programs, path } = beginning;
        Self {
            environment: Environment { system: System::here(), home, variables },
            launch: Launch { command, args },
            owners: Owners { programs, path },
        }
    }

    fn perform(&self, request: &Request) -> Vec<Report> {
        let Some((agent, name)) = agent(&request.agent).zip(ServerName::parse(&request.name).ok()) else {
            return Vec::new();
        };
        if let Some(variable) = agent.misleading(&self.environment) {
            let reason = format!("{variable} holds no absolute path in UTF-8");
            let (title, file) = (agent.title.to_owned(), format!("${variable}"));
            let outcome = Outcome::Refused(reason);
            return vec![Report { title, file, entry: String::new(), before: None, seen: String::new(), outcome }];
        }
        self.files(agent, &name, request).iter().map(|file| self.report(file, &name, request)).collect()
    }

    fn files(&self, agent: &'static Agent, name: &ServerName, request: &Request) -> Vec<File> {
        let files = installed_else_first(look(agent, &self.environment));
        meant(files, self.change(request), |file| file.has_entry(&self.wanted(file, name)))
    }

    fn change(&self, request: &Request) -> Change<'_> {
        match request.wish {
            Wish::Install => Change::Install(&self.launch),
            Wish::Uninstall => Change::Uninstall,
        }
    }

    fn wanted<'w>(&'w self, file: &File, name: &'w ServerName) -> Wanted<'w> {
        // Another program's entry is a person's to replace, at a shell.
        Wanted { target: file.target, name, owners: &self.owners, force: false }
    }

    fn report(&self, file: &File, name: &ServerName, request: &Request) -> Report {
        let (wanted, change) = (self.wanted(file, name), self.change(request));
        let path = file.path.display().to_string();
        let below = path
            .strip_prefix(self.environment.home.trim_end_matches('/'))
            .filter(|below| below.starts_with(['/', '\\']));
        let shown = below.map_or_else(|| path.clone(), |below| format!("~{below}"));
        let (mut seen, mut before) = (String::new(), None);
        let outcome = prepare(file, &wanted, change, false).and_then(|ready| match ready {
            None => Ok(Outcome::Unchanged),
            Some(ready) => {
                seen = ready.seen();
                before = ready.replaced(&wanted).map(|found| found.summary());
                match request.agreed.get(&shown) {
                    // What was agreed to is what was shown.
                    Some(agreed) if *agreed == seen && is_waited_for() => ready.apply().map(|_| Outcome::Changed),
                    _ if request.agreed.is_empty() => Ok(Outcome::Changed),
                    _ => Err(AgentError::Changed { path: path.clone() }),
                }
            }
        });
        Report {
            title: file.target.title.to_owned(),
            file: shown,
            entry: snippet(&wanted, &self.launch),
            before,
            seen,
            outcome: outcome.unwrap_or_else(|error| Outcome::Refused(without_path(&error))),
        }
    }
}

/// Whether somebody still holds the other end of the input: a server that waits no longer has said that nothing was written.
fn is_waited_for() -> bool {
    let input = io::stdin();
    let mut ends = [PollFd::new(&input, PollFlags::empty())];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    rustix::io::retry_on_intr(|| rustix::event::poll(&mut ends, Some(&now))).is_ok_and(|ended| ended == 0)
}

/// The reason in words that a client may read.
fn without_path(error: &AgentError) -> String {
    match error {
        // What it starts may hold keys.
        AgentError::Edit { source: EditError::Foreign { .. }, .. } => {
            "the entry of that name starts another program".to_owned()
        }
        AgentError::Edit { source, .. } => source.to_string(),
        AgentError::NotInstalled { .. } => "it does not seem to be installed".to_owned(),
        AgentError::Changed { .. } => "its file was changed meanwhile, and is left as it is".to_owned(),
        AgentError::File { .. } => "its file cannot be read or written".to_owned(),
    }
}
