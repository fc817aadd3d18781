//! `wardroom completions`: completion scripts for shells.
//!
//! Owns: the command tree for shells. It lacks the hidden commands, and lists values that the parser takes as text in
//! order to explain a refusal. The scripts of bash, zsh and fish ask `complete-words`; those of other shells hold the tree.
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
    let asking = match shell {
        Shell::Bash => Some(include_str!("completion_scripts/wardroom.bash")),
        Shell::Zsh => Some(include_str!("completion_scripts/_wardroom")),
        Shell::Fish => Some(include_str!("completion_scripts/wardroom.fish")),
        _ => None,
    };
    if let Some(script) = asking {
        return report::print_bytes(script.as_bytes());
    }
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command_tree(), "wardroom", &mut script);
    report::print_bytes(&script)
}

/// clap cannot remove a subcommand, so the root is rebuilt.
pub(super) fn command_tree() -> Command {
    /// clap needs names of values with a static lifetime.
    static ALL: LazyLock<Command> = LazyLock::new(Args::command);
    let all = &*ALL;
    let root = Command::new("wardroom").version(env!("CARGO_PKG_VERSION")).disable_help_subcommand(true);
    let root = root.args(all.get_arguments()).subcommands(help::visible_subcommands(all).cloned());
    let services = PossibleValuesParser::from(assemble::service_names());
    let topics = PossibleValuesParser::from(help::help_topics(all));
    root.mut_arg("services", |arg| arg.value_parser(services))
        .mut_subcommand("help", |help| help.mut_arg("topic", |arg| arg.value_parser(topics)))
}
