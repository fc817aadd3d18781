//! `wardroom completions`: scripts with which a shell completes what is typed.
//!
//! Owns: the command tree that shells get: without the hidden commands, and with values that the parser takes as text, so that a
//! refusal can say more of them than a list.
//! Never: changes how a command line is parsed.

use std::sync::LazyLock;

use clap::builder::PossibleValuesParser;
use clap::{Command, CommandFactory as _};
use clap_complete::Shell;

use super::args::Args;
use super::help;
use crate::assemble;
use crate::report::{self, CommandError};

pub(super) fn run(shell: Shell) -> Result<(), CommandError> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command_tree(), "wardroom", &mut script);
    report::print_bytes(&script)
}

/// A command cannot lose one that is below it, so the root is made again.
fn command_tree() -> Command {
    /// What clap names values by lives as long as the program.
    static ALL: LazyLock<Command> = LazyLock::new(Args::command);
    let all = &*ALL;
    let root = Command::new("wardroom").version(env!("CARGO_PKG_VERSION")).disable_help_subcommand(true);
    let root = root.args(all.get_arguments()).subcommands(help::visible_subcommands(all).cloned());
    let services = PossibleValuesParser::from(assemble::service_names());
    let topics = PossibleValuesParser::from(help::help_topics(all));
    root.mut_arg("services", |arg| arg.value_parser(services))
        .mut_subcommand("help", |help| help.mut_arg("topic", |arg| arg.value_parser(topics)))
}
