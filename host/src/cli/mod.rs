//! The command line: arguments → settings → rooms, and one file for each command.
//!
//! Owns: the environment, the configuration file, and everything that a person reads on a terminal.
//! Never: does a command's work itself where a client could ask for the same thing.

pub mod args;
mod commands;
mod doctor;
mod init;
mod logging;
mod mounts;
mod report;
mod rooms;
mod serve;
mod settings;

use std::process::ExitCode;

use clap::Parser as _;

use self::args::{Args, Command};
use self::report::Failure;
use self::settings::Settings;

/// Parses the arguments, runs the command and reports: 0 done, 1 failed, 2 usage.
#[must_use]
pub fn main() -> ExitCode {
    // clap prints help and usage errors itself, and ends with 0 or 2.
    run(Args::parse())
}

/// Runs what was asked for and reports: 0 done, 1 failed.
#[must_use]
pub fn run(args: Args) -> ExitCode {
    match command(args) {
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
    let _log = logging::start(&global)?;
    if let Some(Command::Completions { shell }) = command {
        return commands::completions(shell);
    }
    let settings = Settings::load(&global)?;
    match command {
        None => serve::alone(&settings),
        Some(Command::Serve) => serve::stdio(&settings),
        Some(Command::Init { demo }) => init::run(&settings, demo),
        Some(Command::Ls { scheme, json }) => commands::ls(&settings, scheme.as_deref(), json),
        Some(Command::Read { uri, json }) => commands::read(&settings, &uri, json),
        Some(Command::Extract { files, json }) => commands::extract(&files, json),
        Some(Command::Mount { action }) => mounts::run(&settings, action),
        Some(Command::Doctor { json }) => doctor::run(&settings, json),
        Some(Command::Guest { output }) => commands::guest(output.as_deref()),
        Some(Command::Completions { .. }) => Ok(()),
    }
}
