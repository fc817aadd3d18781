//! The command line: arguments → settings → rooms, and one file for each command.
//!
//! Owns: the environment, the configuration file, and everything that a person reads on a terminal.
//! Never: does a command's work itself where a client could ask for the same thing.

mod advice;
mod agents;
pub mod args;
mod commands;
mod completions;
mod declared;
mod doctor;
mod edit;
mod entry;
mod guard;
mod help;
mod http;
mod init;
mod logging;
mod ls;
mod mounts;
mod offered;
pub(crate) mod own;
mod pkg;
mod probe;
mod serve;
mod servers;
mod sessions;
mod status;
mod token;

use std::io;
use std::process::ExitCode;

use clap::Parser as _;
use clap::error::ContextKind;

use self::args::{AgentsAction, Args, Command, MountAction, TokenAction};
use self::own::Own;
use crate::assemble::settings::{Missing, Settings};
use crate::assemble::{network, walls};
use crate::report::{self, Failure};
use wardroom_base::limits::WORKER_SPACE_BYTES;
use wardroom_lua::{Walls, processes};
use wardroom_process::confine::{self, Wall};

/// Parses the arguments, runs the command and reports: 0 done, 1 failed, 2 usage.
#[must_use]
pub fn main() -> ExitCode {
    match Own::given() {
        Some(own) => reported(process(&own)),
        None => match Args::try_parse() {
            Ok(args) => run(args),
            Err(error) => misused(&error),
        },
    }
}

/// What was typed is none of our commands: 2, or it asks for help, which clap prints itself.
fn misused(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        error.exit();
    }
    let usage = error.get(ContextKind::Usage).map(ToString::to_string).unwrap_or_default();
    let said = error.render().to_string();
    let said = said.trim_end().trim_end_matches(HELPLESS).trim_end();
    report::note(said);
    if said.starts_with("error: ") {
        let of_an_agent = error.get(ContextKind::InvalidArg).is_some_and(|arg| arg.to_string().contains("AGENT"));
        let command = help::typed(&usage);
        report::note(&if of_an_agent {
            "hint: wardroom agents list shows the agents".to_owned()
        } else if command.is_empty() {
            "hint: wardroom --help lists the commands, wardroom help COMMAND shows one of them".to_owned()
        } else {
            format!("hint: wardroom {command} --help shows what it takes")
        });
    }
    ExitCode::from(2)
}

/// How clap ends its errors.
const HELPLESS: &str = "For more information, try '--help'.";

/// To whoever starts one of them by hand, or finds its words in a log.
pub(crate) const OF_A_SERVER: &str =
    "a server starts this process and talks to it; wardroom doctor says whether it can";

fn process(own: &Own) -> Result<(), Failure> {
    match own {
        Own::Spawner { require } => {
            let walls = if *require { Walls::Required } else { Walls::Wanted };
            processes::spawner(walls).map_err(|error| Failure::of("the spawner failed", error, OF_A_SERVER))
        }
        Own::Helper { job, private } => network::helper(*job, private.clone()),
        Own::LuaWorker { parent, require } => processes::worker(*parent, || confined_worker(*require))
            .map_err(|error| Failure::of("the worker failed", error, OF_A_SERVER)),
        Own::WorkerWalls => walls::say(),
        Own::Guard { program, args } => guard::run(program, args),
    }
}

/// Runs what was asked for and reports: 0 done, 1 failed.
#[must_use]
pub fn run(args: Args) -> ExitCode {
    reported(command(args))
}

fn reported(done: Result<(), Failure>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) if failure.is_broken_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            report::failure(&failure);
            ExitCode::FAILURE
        }
    }
}

fn command(args: Args) -> Result<(), Failure> {
    let Args { global, command } = args;
    if let Some(Command::Own(own)) = &command {
        return process(own);
    }
    let mut log = logging::open(&global)?;
    let settings = |missing| Settings::load(&global, missing);
    // A server has no thread before it is confined.
    if !matches!(command, None | Some(Command::Serve { .. })) {
        log.start();
    }
    match command {
        None => serve::alone(&settings(Missing::Refused)?, &mut log),
        Some(Command::Serve { http: None, unix: None }) => serve::stdio(&settings(Missing::Refused)?, &mut log),
        Some(Command::Serve { http, unix }) => {
            http::run(&settings(Missing::Refused)?, &mut log, http.as_deref(), unix.as_deref())
        }
        Some(Command::Status { json }) => status::run(&settings(Missing::Refused)?, json),
        Some(Command::Token { action }) => {
            let makes = matches!(action, TokenAction::New { .. });
            token::run(&settings(if makes { Missing::Made } else { Missing::Refused })?, action)
        }
        Some(Command::Init { demo }) => init::run(&Settings::without_config(&global)?, demo),
        Some(Command::Ls { what, json }) => ls::run(&settings(Missing::Refused)?, what.as_deref(), json),
        Some(Command::Read { uri, json }) => commands::read(&settings(Missing::Refused)?, &uri, json),
        Some(Command::Call { tool: None, arguments: _, json }) => declared::tools(&settings(Missing::Refused)?, json),
        Some(Command::Call { tool: Some(tool), arguments, json }) => {
            declared::call(&settings(Missing::Refused)?, &tool, arguments.as_deref(), json)
        }
        Some(Command::Prompt { name, arguments, json }) => {
            declared::prompt(&settings(Missing::Refused)?, name.as_deref(), &arguments, json)
        }
        Some(Command::Registry { action }) => declared::run(&settings(Missing::Refused)?, action),
        Some(Command::Extract { files, json }) => commands::extract(&files, json),
        Some(Command::Mount { action }) => {
            let makes = matches!(action, MountAction::Add { .. } | MountAction::ImportLinks { .. });
            mounts::run(&settings(if makes { Missing::Made } else { Missing::Refused })?, action)
        }
        Some(Command::Agents { action }) => {
            // The others look at files of agents, and take nothing from the configuration.
            let starts = matches!(action, AgentsAction::Install { .. } | AgentsAction::Print { .. });
            agents::run(&if starts { settings(Missing::Refused)? } else { Settings::without_config(&global)? }, &action)
        }
        Some(Command::Pkg { action }) => pkg::run(&settings(Missing::Refused)?, &action),
        Some(Command::Sessions { action }) => sessions::run(&settings(Missing::Refused)?, &action),
        Some(Command::Doctor { json }) => {
            let (settings, failure) = Settings::load_or_default(&global)?;
            doctor::run(&settings, failure.as_ref(), json)
        }
        Some(Command::Guest { output }) => commands::guest(output.as_deref()),
        Some(Command::Help { topic }) => help::run(&topic),
        Some(Command::Completions { shell }) => completions::run(shell),
        Some(Command::Own(_)) => Ok(()),
    }
}

/// What a worker is before it reads anything. A kernel that knows less leaves it its limits, and those it must have; where
/// walls are required, all of them.
fn confined_worker(require: bool) -> io::Result<()> {
    let missing = confine::worker(WORKER_SPACE_BYTES).missing();
    if require && !missing.0.is_empty() {
        return Err(io::Error::other(missing.to_string()));
    }
    match missing.0.iter().find(|standing| standing.wall == Wall::Limits) {
        Some(standing) if cfg!(target_os = "linux") => Err(io::Error::other(standing.to_string())),
        _ => Ok(()),
    }
}
