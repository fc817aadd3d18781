//! `wardroom agents status`: the state of our entry in each agent's file, and whether its command starts.
//!
//! Never: starts a program other than this one, or any command of it but a stdio server: the status changes nothing.

use clap::Parser as _;
use serde_json::{Value, json};

use super::update_files::{self, agent_error_hint, name_flag};
use super::{agent_environment, agent_row_json, own_programs};
use crate::cli::agents_args::AgentSelectionArgs;
use crate::cli::args::{Args, Command, GlobalArgs};
use crate::cli::server_probe;
use crate::report::{self, Cell, Column, CommandError, Progress, Table, TextRole};
use wardroom_agents::{
    Agent, AgentError, AgentFile, EditError, EntrySpec, InstalledEntry, LaunchCommand, ServerName, find_entry,
    locate_files,
};

/// The state of the entry in one file.
enum EntryStatus {
    NotInstalled,
    NoEntry,
    /// An entry without a program, for example with a URL.
    StartsNothing,
    Foreign(LaunchCommand),
    /// Why the file cannot be read, and the hint.
    Problem(String, String),
    /// The agent has switched the entry off.
    Disabled(LaunchCommand),
    /// A command of ours that is not a stdio server.
    NotAServer(LaunchCommand),
    /// Another copy of our program, which is not started: its file may have been written by anyone.
    OtherCopy(LaunchCommand, String),
    Ours(LaunchCommand, Result<String, String>),
}

pub(super) fn run(which: &AgentSelectionArgs, name: &ServerName, json: bool) -> Result<(), CommandError> {
    let agents = which.agents();
    let (environment, owners) = (agent_environment(&agents)?, own_programs()?);
    let progress = Progress::spinner("trying the servers of the entries");
    let mut table = Table::new(" ", [Column::new("AGENT", 15), Column::text("FILE", 0)]);
    let mut started = Vec::new();
    let (mut rows, mut hints, mut next) = (Vec::new(), Vec::new(), NextSteps::default());
    for agent in agents {
        let states = locate_files(agent, &environment).into_iter().map(|file| {
            let spec = EntrySpec { target: file.target, name, own_programs: &owners, force: false };
            let state = entry_status(agent, &file, &spec, &mut started);
            (file, state)
        });
        let states: Vec<_> = states.collect();
        // Those without the agent's file, and without anything that its program creates.
        if which.all && states.iter().all(|(_, state)| matches!(state, EntryStatus::NotInstalled)) {
            continue;
        }
        next.add_agent(agent, &states);
        for (file, state) in states {
            match &state {
                EntryStatus::Problem(_, hint) => hints.push(hint.clone()),
                EntryStatus::Ours(_, Err(_)) | EntryStatus::NotAServer(_) => {
                    let named = name_flag(name);
                    hints.push(format!(
                        "run wardroom agents install {}{named} to update its entry; if the entry is up to date, start its \
                         command yourself to see the error",
                        agent.id
                    ));
                }
                _ => {}
            }
            if json {
                rows.push(state.to_json(agent, &file));
            } else {
                let path = file.path.display().to_string();
                table.add([Cell::new(agent.id, TextRole::Name), Cell::new(path, TextRole::Faint)]);
                table.add(["".into(), state.to_cell()]);
            }
        }
    }
    drop(progress);
    if json {
        report::print_json(&Value::from(rows))?;
    } else {
        table.print()?;
        next.print(which, name);
    }
    let bad = match hints.len() {
        0 => return Ok(()),
        1 => "1 of these files has a problem".to_owned(),
        bad => format!("{bad} of these files have problems"),
    };
    hints.dedup();
    Err(CommandError::new(bad, hints.join("; ")))
}

/// The agents for which the output suggests a further command.
#[derive(Default)]
struct NextSteps {
    is_any_installed: bool,
    not_installed: Vec<&'static str>,
    without_entry: Vec<&'static str>,
}

impl NextSteps {
    fn add_agent(&mut self, agent: &'static Agent, states: &[(AgentFile, EntryStatus)]) {
        let is_installed = states.iter().any(|(_, state)| !matches!(state, EntryStatus::NotInstalled));
        self.is_any_installed |= is_installed;
        // Of several files that an agent merges, one has the entry.
        let has = |target| states.iter().any(|(file, state)| std::ptr::eq(file.target, target) && state.has_entry());
        if !is_installed {
            self.not_installed.push(agent.id);
        } else if states.iter().any(|(file, state)| matches!(state, EntryStatus::NoEntry) && !has(file.target)) {
            self.without_entry.push(agent.id);
        }
    }

    fn print(&self, which: &AgentSelectionArgs, name: &ServerName) {
        let named = name_flag(name);
        if !self.without_entry.is_empty() {
            let ids = self.without_entry.join(" ");
            report::print_note(&format!("run wardroom agents install {ids}{named} to write the missing entries"));
        }
        if !which.agents.is_empty() && !self.not_installed.is_empty() {
            let ids = self.not_installed.join(" ");
            report::print_note(&format!("run wardroom agents install {ids}{named} --create to create the file anyway"));
        } else if !self.is_any_installed {
            report::print_note(update_files::NO_AGENT_INSTALLED);
        }
    }
}

/// Determines the state of an entry. Entries with the same command are probed once.
fn entry_status(
    agent: &Agent,
    file: &AgentFile,
    spec: &EntrySpec<'_>,
    started: &mut Vec<(InstalledEntry, Result<String, String>)>,
) -> EntryStatus {
    let problem =
        |error: AgentError| EntryStatus::Problem(error.to_string(), agent_error_hint(agent, spec.name, &error));
    let text = match file.read() {
        Ok(Some(text)) => text,
        Ok(None) if file.is_installed => return EntryStatus::NoEntry,
        Ok(None) => return EntryStatus::NotInstalled,
        Err(error) => return problem(error),
    };
    let found = match find_entry(&text, spec) {
        Ok(None) => return EntryStatus::NoEntry,
        Ok(Some(found)) => found,
        Err(EditError::NoCommand { .. }) => return EntryStatus::StartsNothing,
        Err(source) => return problem(AgentError::Edit { path: file.path.display().to_string(), source }),
    };
    // Entries of other programs are never started.
    if !spec.own_programs.owns_entry(&found) {
        return EntryStatus::Foreign(found.launch);
    }
    if found.is_disabled {
        return EntryStatus::Disabled(found.launch);
    }
    let Some(global) = stdio_server_args(&found.launch) else { return EntryStatus::NotAServer(found.launch) };
    if let Some((_, greeted)) = started.iter().find(|(known, _)| *known == found) {
        return EntryStatus::Ours(found.launch, greeted.clone());
    }
    let greeted = match spec.own_programs.resolve_program(&found) {
        None => Err("does not start: the program does not exist".to_owned()),
        Some(program) if spec.own_programs.is_running_program(&program) => {
            server_probe::handshake(&global, &found, server_probe::SERVER_VARIABLES)
        }
        Some(program) => return EntryStatus::OtherCopy(found.launch, program.display().to_string()),
    };
    started.push((found.clone(), greeted.clone()));
    EntryStatus::Ours(found.launch, greeted)
}

/// Returns the global arguments of a stdio server; `None` for other commands.
pub(super) fn stdio_server_args(launch: &LaunchCommand) -> Option<GlobalArgs> {
    let args = Args::try_parse_from(std::iter::once(&launch.command).chain(&launch.args)).ok()?;
    let is_server = matches!(args.command, None | Some(Command::Serve { http: None, unix: None }));
    is_server.then_some(args.global)
}

impl EntryStatus {
    /// Whether the file has an entry, or may have one.
    fn has_entry(&self) -> bool {
        !matches!(self, Self::NotInstalled | Self::NoEntry)
    }

    fn to_cell(&self) -> Cell {
        let (text, role) = match self {
            Self::NotInstalled => ("not installed".to_owned(), TextRole::Faint),
            Self::NoEntry => ("no entry".to_owned(), TextRole::Faint),
            Self::Foreign(launch) => {
                (format!("the entry starts another program: {}", launch.command), TextRole::Warning)
            }
            Self::StartsNothing => ("the entry starts no program, so none was tried".to_owned(), TextRole::Warning),
            Self::Problem(problem, _) => (problem.clone(), TextRole::Bad),
            Self::Disabled(launch) => (format!("switched off: {}", launch.command), TextRole::Warning),
            Self::NotAServer(launch) => {
                (format!("is not a server on standard input: {}", launch.shell_command()), TextRole::Bad)
            }
            Self::OtherCopy(_, program) => {
                (format!("starts another copy of wardroom, which was not tried: {program}"), TextRole::Warning)
            }
            Self::Ours(_, Ok(server)) => (format!("starts: {server}"), TextRole::Good),
            Self::Ours(launch, Err(reason)) => (format!("{} {reason}", launch.command), TextRole::Bad),
        };
        Cell::new(text, role)
    }

    fn to_json(&self, agent: &Agent, file: &AgentFile) -> Value {
        let mut row = agent_row_json(agent, file);
        let entry = |launch: &LaunchCommand| json!({"command": launch.command, "args": launch.args});
        let status = match self {
            Self::NotInstalled | Self::NoEntry => json!({"entry": null}),
            Self::Foreign(launch) => json!({"entry": entry(launch), "ours": false}),
            Self::StartsNothing => json!({"entry": {}, "ours": false}),
            Self::Problem(problem, hint) => json!({"problem": problem, "hint": hint}),
            Self::Disabled(launch) => json!({"entry": entry(launch), "ours": true, "off": true}),
            Self::NotAServer(launch) => json!({
                "entry": entry(launch), "ours": true, "starts": false, "problem": "is not a server on standard input",
            }),
            Self::OtherCopy(launch, program) => {
                json!({"entry": entry(launch), "ours": true, "starts": null, "program": program})
            }
            Self::Ours(launch, Ok(server)) => {
                json!({"entry": entry(launch), "ours": true, "starts": true, "server": server})
            }
            Self::Ours(launch, Err(reason)) => {
                json!({"entry": entry(launch), "ours": true, "starts": false, "problem": reason})
            }
        };
        if let (Some(row), Value::Object(status)) = (row.as_object_mut(), status) {
            row.extend(status);
        }
        row
    }
}
