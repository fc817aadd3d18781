//! The command line: from arguments to settings to services, and one file for each command.
//!
//! Owns: all output for people on a terminal.
//! Never: does work itself that a client could request as well.

mod ace;
mod ace_args;
mod ace_exchange;
mod ace_git;
mod ace_hooks;
mod ace_plot;
mod ace_proposals;
mod ace_run;
mod agents;
mod agents_args;
pub mod args;
mod audit;
mod blog;
mod blog_args;
mod call;
mod caller_args;
mod cards;
mod changed_files;
mod complete_words;
mod completions;
mod config_edit;
mod decision;
mod doctor;
mod evals;
mod extract;
mod follow_config;
mod given;
mod guest;
mod help;
mod hints;
mod init;
pub(crate) mod internal_command;
mod listing;
mod live_tokens;
mod logging;
mod logs;
mod ls;
mod man_pages;
mod mounts;
mod new;
mod pkg;
mod prompt;
mod proposals;
mod read;
mod records_args;
mod registry;
mod registry_args;
mod review;
mod run;
mod run_args;
mod serve;
mod serve_http;
mod server_args;
mod server_probe;
mod servers;
mod sessions;
mod sessions_args;
mod shared_check;
mod status;
mod test;
mod token;
mod toml_entry;
mod top;
mod verify;

use std::io;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use self::ace_args::{AceAction, HookAction};
use self::agents_args::AgentsAction;
use self::args::{Args, Command, MountAction, TokenAction};
use self::internal_command::InternalCommand;
use crate::assemble::settings::{MissingConfig, Settings};
use crate::assemble::{helpers, isolation_probe};
use crate::limits::WORKER_ADDRESS_SPACE_BYTES;
use crate::report::{self, CommandError, pager};
use wardroom_agents::AGENTS;
use wardroom_lua::processes::{self, LivingWorker, SpawnerWalls};
use wardroom_process::confine::{self, Wall};

/// The first descriptor after standard input, output and error.
const FIRST_NONSTANDARD_FD: i32 = 3;

/// Parses the arguments, runs the command and returns the exit code: 0 success, 1 failure, 2 usage error.
#[must_use]
pub fn main() -> ExitCode {
    // No process that this one starts may inherit a descriptor that was left open for it.
    close_fds::set_fds_cloexec(FIRST_NONSTANDARD_FD, &[]);
    match InternalCommand::from_process_args() {
        Some(own) => report_result(run_internal(&own).map(|()| ExitCode::SUCCESS)),
        None => match server_args::parse(&std::env::args_os().collect::<Vec<_>>()) {
            Ok(args) => run(args),
            Err(error) => report_usage_error(&without_hidden_commands(error)),
        },
    }
}

/// Removes commands that help does not show from what clap suggests.
fn without_hidden_commands(mut error: clap::Error) -> clap::Error {
    if let Some(ContextValue::Strings(suggested)) = error.remove(ContextKind::SuggestedSubcommand) {
        let hidden = help::hidden_commands();
        let shown: Vec<String> = suggested.into_iter().filter(|name| !hidden.contains(name)).collect();
        if !shown.is_empty() {
            error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(shown));
        }
    }
    error
}

/// Prints a usage error and returns 2. clap prints requested help itself.
fn report_usage_error(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        error.exit();
    }
    let usage = error.get(ContextKind::Usage).map(ToString::to_string).unwrap_or_default();
    let message = error.render().to_string();
    let message = message.trim_end().trim_end_matches(CLAP_HELP_TRAILER).trim_end();
    report::print_note(message);
    if message.starts_with("error: ") {
        // An invalid value comes without a usage line.
        let command = Some(help::command_from_usage(&usage)).filter(|command| !command.is_empty());
        let is_known = !matches!(error.kind(), ErrorKind::InvalidSubcommand);
        let command = command.or_else(|| is_known.then(help::command_of_arguments)).unwrap_or_default();
        // The agents with hooks are others, which the message lists.
        let is_every_agent =
            |values: &[String]| AGENTS.iter().all(|agent| values.iter().any(|value| value == agent.id));
        let of_an_agent =
            matches!(error.get(ContextKind::ValidValue), Some(ContextValue::Strings(values)) if is_every_agent(values));
        report::print_note(&if of_an_agent {
            "hint: run wardroom agents list to see the agents".to_owned()
        } else if command.is_empty() {
            "hint: run wardroom --help to list the commands, wardroom help COMMAND to see one of them".to_owned()
        } else {
            format!("hint: run wardroom {command} --help to see its arguments")
        });
    }
    ExitCode::from(2)
}

/// The last line of clap's errors.
const CLAP_HELP_TRAILER: &str = "For more information, try '--help'.";

fn run_internal(own: &InternalCommand) -> Result<(), CommandError> {
    match own {
        InternalCommand::Spawner { require, living } => run_spawner(*require, living.as_deref())
            .map_err(|error| CommandError::with_cause("the spawner failed", error, report::STARTED_BY_SERVER_HINT)),
        InternalCommand::Helper { job, private } => helpers::run_helper(*job, private.clone()),
        InternalCommand::FileSystemPeer { folder } => shared_check::peer::run(folder)
            .map_err(|error| CommandError::with_cause("the check failed", error, report::STARTED_BY_SERVER_HINT)),
        InternalCommand::WorkerWalls => isolation_probe::print_missing_walls(),
        InternalCommand::CompleteWords { words } => complete_words::run(words),
        InternalCommand::ManPages { folder } => man_pages::write(folder),
    }
}

/// Runs a command and returns the exit code: 0 success, 1 failure.
#[must_use]
pub fn run(args: Args) -> ExitCode {
    if !args.global.no_pager && args.command.as_ref().is_some_and(Command::only_shows) {
        pager::begin();
    }
    let code = report_result(run_command(args));
    pager::finish();
    code
}

fn report_result(done: Result<ExitCode, CommandError>) -> ExitCode {
    match done {
        Ok(code) => code,
        Err(failure) if failure.is_broken_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            report::print_error(&failure);
            ExitCode::FAILURE
        }
    }
}

fn run_command(args: Args) -> Result<ExitCode, CommandError> {
    let Args { global, command } = args;
    if let Some(Command::Internal(own)) = &command {
        return run_internal(own).map(|()| ExitCode::SUCCESS);
    }
    // It must not have a second thread either.
    if let Some(Command::FollowConfig { file, require }) = &command {
        return follow_config::run(file, *require).map(|()| ExitCode::SUCCESS);
    }
    let log = logging::open_log(&global)?;
    let settings = |missing| Settings::load(&global, missing);
    // A server must not have a second thread before it is confined.
    if !matches!(command, None | Some(Command::Serve { .. } | Command::Review { .. })) {
        log.allow_writer();
    }
    let done = match command {
        None => serve::default_command(&settings(MissingConfig::Refuse)?, &log),
        Some(Command::Serve { http: None, unix: None }) => serve::serve_stdio(&settings(MissingConfig::Refuse)?, &log),
        Some(Command::Serve { http, unix }) => {
            serve_http::run(&settings(MissingConfig::Refuse)?, &log, http.as_deref(), unix.as_deref())
        }
        Some(Command::Review { no_open }) => review::run(settings(MissingConfig::Refuse)?, &log, !no_open),
        Some(Command::Status { json }) => status::run(&settings(MissingConfig::Refuse)?, json),
        Some(Command::Top { json }) => top::run(&settings(MissingConfig::Refuse)?, json),
        Some(Command::Audit { action }) => audit::run(&settings(MissingConfig::Refuse)?, &action),
        Some(Command::Token { action }) => {
            let makes = matches!(action, TokenAction::New { .. });
            token::run(&settings(if makes { MissingConfig::Create } else { MissingConfig::Refuse })?, action)
        }
        Some(Command::Init { demo }) => init::run(&Settings::without_config(&global)?, demo),
        Some(Command::Ls { what, json }) => ls::run(&settings(MissingConfig::Refuse)?, what.as_deref(), json),
        Some(Command::Read { uri, caller, json }) => read::read(&settings(MissingConfig::Refuse)?, &uri, &caller, json),
        Some(Command::Call { tool: None, arguments: _, caller, json }) => {
            call::list_tools(&settings(MissingConfig::Refuse)?, &caller, json)
        }
        Some(Command::Call { tool: Some(tool), arguments, caller, json }) => {
            call::call_tool(&settings(MissingConfig::Refuse)?, &tool, &arguments, &caller, json)
        }
        Some(Command::Run(args)) => run::run(&settings(MissingConfig::Refuse)?, &args),
        Some(Command::Eval(args)) => run::eval(&settings(MissingConfig::Refuse)?, &args),
        Some(Command::Prompt { name, arguments, json }) => {
            prompt::render_prompt(&settings(MissingConfig::Refuse)?, name.as_deref(), &arguments, json)
        }
        Some(Command::New { what }) => new::run(&settings(MissingConfig::Refuse)?, &what),
        Some(Command::Test { names, json }) => test::run(&settings(MissingConfig::Refuse)?, &names, json),
        Some(Command::Registry { action }) => registry::run(&settings(MissingConfig::Refuse)?, action),
        Some(Command::Blog { action }) => blog::run(&settings(MissingConfig::Refuse)?, &action),
        Some(Command::Proposals { action }) => proposals::run(&settings(MissingConfig::Refuse)?, &action),
        // What it runs has an exit code of its own.
        Some(Command::Ace { action }) => {
            // A merge needs no configuration, and its errors are git's to read.
            let is_merge = matches!(action, AceAction::Merge { .. });
            let is_hook = matches!(action, AceAction::Hook { action: HookAction::Capture { .. } });
            let settings = if is_merge { Settings::without_config(&global) } else { settings(MissingConfig::Refuse) };
            let settings = match settings {
                Err(error) if is_hook => {
                    ace_hooks::print_failure(&error);
                    return Ok(ExitCode::SUCCESS);
                }
                settings => settings?,
            };
            return ace::run(&settings, action);
        }
        Some(Command::Extract { files, json }) => extract::extract(&files, json),
        Some(Command::Mount { action }) => {
            let makes = matches!(action, MountAction::Add { .. } | MountAction::ImportLinks { .. });
            mounts::run(&settings(if makes { MissingConfig::Create } else { MissingConfig::Refuse })?, action)
        }
        Some(Command::Agents { action }) => {
            // The other actions read agents' files and need no configuration.
            let starts = matches!(action, AgentsAction::Install { .. } | AgentsAction::Print { .. });
            agents::run(
                &if starts { settings(MissingConfig::Refuse)? } else { Settings::without_config(&global)? },
                &action,
            )
        }
        Some(Command::Pkg { action }) => pkg::run(&settings(MissingConfig::Refuse)?, &action),
        Some(Command::Cards { action }) => cards::run(&settings(MissingConfig::Refuse)?, &action),
        Some(Command::Evals { action }) => evals::run(&settings(MissingConfig::Refuse)?, &action),
        Some(Command::Sessions { action }) => sessions::run(&settings(MissingConfig::Refuse)?, action),
        Some(Command::Logs(args)) => logs::run(&settings(MissingConfig::Refuse)?, &args),
        Some(Command::Doctor { shared: Some(path), peer: Some(peer), .. }) => shared_check::run(&path, &peer),
        Some(Command::Doctor { fix, json, .. }) => {
            let (settings, failure) = Settings::load_or_default(&global)?;
            if fix {
                doctor::tighten_permissions(&settings)?;
            }
            doctor::run(&settings, failure.as_ref(), json)
        }
        Some(Command::Guest { component, output }) => guest::write_guest(component, output.as_deref()),
        Some(Command::Verify { archive, key }) => verify::run(&archive, key.as_deref()),
        Some(Command::Help { topic }) => help::run(&topic),
        Some(Command::Completions { shell }) => completions::run(shell),
        Some(Command::FollowConfig { .. } | Command::Internal(_)) => Ok(()),
    };
    done.map(|()| ExitCode::SUCCESS)
}

/// Runs the spawner, which has `living` workers if it executed itself.
fn run_spawner(require: bool, living: Option<&str>) -> io::Result<()> {
    let workers = living.map(LivingWorker::parse_all);
    let Some(workers) = workers.unwrap_or_else(|| Some(Vec::new())) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let walls = SpawnerWalls {
        confine_spawner: || confine_spawner(require, living.is_some()),
        confine_worker: || confine_worker(require),
    };
    processes::spawner(walls, &workers)
}

/// Confines the spawner before it reads anything; with `require`, every wall must be enforced.
fn confine_spawner(require: bool, is_renewed: bool) -> io::Result<()> {
    // The other wall stays when a process executes another program, and each application of it adds to it.
    let report = if is_renewed { confine::harden_helper() } else { helpers::confine_spawner() };
    let missing = report.missing();
    if require && !missing.0.is_empty() {
        return Err(io::Error::other(missing.to_string()));
    }
    Ok(())
}

/// Confines a worker before it reads anything. An older kernel may lack walls, but never the resource limits; with
/// `require`, every wall must be enforced.
fn confine_worker(require: bool) -> io::Result<()> {
    let missing = confine::confine_worker(WORKER_ADDRESS_SPACE_BYTES).missing();
    if require && !missing.0.is_empty() {
        return Err(io::Error::other(missing.to_string()));
    }
    match missing.0.iter().find(|standing| standing.wall == Wall::Limits) {
        Some(standing) if cfg!(target_os = "linux") => Err(io::Error::other(standing.to_string())),
        _ => Ok(()),
    }
}
