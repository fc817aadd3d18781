//! `wardroom agents status`: what each agent's file says of our entry, and whether that starts.
//!
//! Never: starts what is not ours, or anything of ours but a server on standard input and output: a look changes nothing.

use clap::Parser as _;
use serde_json::{Value, json};

use super::job::{self, hint, named};
use super::{environment, owners, row};
use crate::cli::args::{Args, Command, Which};
use crate::cli::probe;
use crate::report::{self, Failure};
use wardroom_agents::{Agent, AgentError, EditError, File, Found, Launch, ServerName, Wanted, find, look};

/// What is known of one file's entry.
enum State {
    NotInstalled,
    NoEntry,
    /// An entry that names no program, but an address, say.
    StartsNothing,
    Foreign(Launch),
    /// Why it cannot be read, and what mends that.
    Problem(String, String),
    /// Its agent does not start it.
    Off(Launch),
    /// Another command of ours.
    NoServer(Launch),
    Ours(Launch, Result<String, String>),
}

pub(super) fn status(which: &Which, name: &ServerName, json: bool) -> Result<(), Failure> {
    let agents = which.agents();
    let (environment, owners) = (environment(&agents)?, owners()?);
    let mut started = Vec::new();
    let (mut rows, mut hints, mut next) = (Vec::new(), Vec::new(), Next::default());
    for agent in agents {
        let states = look(agent, &environment).into_iter().map(|file| {
            let wanted = Wanted { target: file.target, name, owners: &owners, force: false };
            let state = state(agent, &file, &wanted, &mut started);
            (file, state)
        });
        let states: Vec<_> = states.collect();
        next.note(agent, &states);
        for (file, state) in states {
            match &state {
                State::Problem(_, hint) => hints.push(hint.clone()),
                State::Ours(_, Err(_)) | State::NoServer(_) => {
                    let named = named(name);
                    hints.push(format!(
                        "wardroom agents install {}{named} brings its entry up to date; where that has nothing to do, the \
                         command says why when you start it yourself",
                        agent.id
                    ));
                }
                _ => {}
            }
            if json {
                rows.push(state.json(agent, &file));
            } else {
                report::line(&state.text(agent, &file))?;
            }
        }
    }
    if json {
        report::line(&Value::from(rows).to_string())?;
    }
    if !json {
        next.say(which, name);
    }
    let bad = match hints.len() {
        0 => return Ok(()),
        1 => "one of these files is not as it should be".to_owned(),
        bad => format!("{bad} of these files are not as they should be"),
    };
    hints.dedup();
    Err(Failure::new(bad, hints.join("; ")))
}

/// The agents that a further command is for.
#[derive(Default)]
struct Next {
    is_any_installed: bool,
    not_installed: Vec<&'static str>,
    without_entry: Vec<&'static str>,
}

impl Next {
    fn note(&mut self, agent: &'static Agent, states: &[(File, State)]) {
        let is_installed = states.iter().any(|(_, state)| !matches!(state, State::NotInstalled));
        self.is_any_installed |= is_installed;
        // Of files that are read together one has it.
        let has = |target| states.iter().any(|(file, state)| std::ptr::eq(file.target, target) && state.is_entry());
        if !is_installed {
            self.not_installed.push(agent.id);
        } else if states.iter().any(|(file, state)| matches!(state, State::NoEntry) && !has(file.target)) {
            self.without_entry.push(agent.id);
        }
    }

    fn say(&self, which: &Which, name: &ServerName) {
        let named = named(name);
        if !self.without_entry.is_empty() {
            let ids = self.without_entry.join(" ");
            report::note(&format!("wardroom agents install {ids}{named} writes the entry where there is none"));
        }
        if !which.agents.is_empty() && !self.not_installed.is_empty() {
            let ids = self.not_installed.join(" ");
            report::note(&format!("wardroom agents install {ids}{named} --create makes the file all the same"));
        } else if !self.is_any_installed {
            report::note(job::NONE_INSTALLED);
        }
    }
}

/// Entries that start the same are started once.
fn state(agent: &Agent, file: &File, wanted: &Wanted<'_>, started: &mut Vec<(Found, Result<String, String>)>) -> State {
    let problem = |error: AgentError| State::Problem(error.to_string(), hint(agent, wanted.name, &error));
    let text = match file.read() {
        Ok(Some(text)) => text,
        Ok(None) if file.installed => return State::NoEntry,
        Ok(None) => return State::NotInstalled,
        Err(error) => return problem(error),
    };
    let found = match find(&text, wanted) {
        Ok(None) => return State::NoEntry,
        Ok(Some(found)) => found,
        Err(EditError::StartsNothing { .. }) => return State::StartsNothing,
        Err(source) => return problem(AgentError::Edit { path: file.path.display().to_string(), source }),
    };
    // What somebody else's entry starts is nothing to be started from here.
    if !wanted.owners.owns(&found) {
        return State::Foreign(found.launch);
    }
    if found.is_off {
        return State::Off(found.launch);
    }
    if !serves(&found.launch) {
        return State::NoServer(found.launch);
    }
    if let Some((_, greeted)) = started.iter().find(|(known, _)| *known == found) {
        return State::Ours(found.launch, greeted.clone());
    }
    let gone = || Err("does not start: there is no such program".to_owned());
    let greeted = wanted.owners.program(&found).map_or_else(gone, |program| probe::greet(&program, &found));
    started.push((found.clone(), greeted.clone()));
    State::Ours(found.launch, greeted)
}

/// Whether these are the arguments of a server that an agent can talk to.
fn serves(launch: &Launch) -> bool {
    let args = std::iter::once(&launch.command).chain(&launch.args);
    let command = Args::try_parse_from(args).map(|args| args.command);
    matches!(command, Ok(None | Some(Command::Serve { http: None, unix: None })))
}

impl State {
    /// Whether there is one, or may be.
    fn is_entry(&self) -> bool {
        !matches!(self, Self::NotInstalled | Self::NoEntry)
    }

    fn text(&self, agent: &Agent, file: &File) -> String {
        let path = report::name(&file.path.display().to_string());
        let what = match self {
            Self::NotInstalled => "not installed".to_owned(),
            Self::NoEntry => "no entry".to_owned(),
            Self::Foreign(launch) => format!("the entry starts another program: {}", report::name(&launch.command)),
            Self::StartsNothing => "the entry starts no program: nothing to try".to_owned(),
            Self::Problem(problem, _) => report::name(problem),
            Self::Off(launch) => format!("switched off: {}", report::name(&launch.command)),
            Self::NoServer(launch) => format!("is no server on standard input: {}", report::name(&launch.typed())),
            Self::Ours(_, Ok(server)) => format!("starts: {}", report::name(server)),
            Self::Ours(launch, Err(reason)) => {
                format!("{} {}", report::name(&launch.command), report::name(reason))
            }
        };
        format!("{:<15} {path}\n{:<15} {what}", agent.id, "")
    }

    fn json(&self, agent: &Agent, file: &File) -> Value {
        let mut row = row(agent, file);
        let entry = |launch: &Launch| json!({"command": launch.command, "args": launch.args});
        let said = match self {
            Self::NotInstalled | Self::NoEntry => json!({"entry": null}),
            Self::Foreign(launch) => json!({"entry": entry(launch), "ours": false}),
            Self::StartsNothing => json!({"entry": {}, "ours": false}),
            Self::Problem(problem, hint) => json!({"problem": problem, "hint": hint}),
            Self::Off(launch) => json!({"entry": entry(launch), "ours": true, "off": true}),
            Self::NoServer(launch) => json!({
                "entry": entry(launch), "ours": true, "starts": false, "problem": "is no server on standard input",
            }),
            Self::Ours(launch, Ok(server)) => {
                json!({"entry": entry(launch), "ours": true, "starts": true, "server": server})
            }
            Self::Ours(launch, Err(reason)) => {
                json!({"entry": entry(launch), "ours": true, "starts": false, "problem": reason})
            }
        };
        if let (Some(row), Value::Object(said)) = (row.as_object_mut(), said) {
            row.extend(said);
        }
        row
    }
}
