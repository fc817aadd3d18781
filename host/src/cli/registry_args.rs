//! The arguments of `wardroom registry`, as clap parses them.

use clap::{Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
#[command(disable_help_subcommand = true)]
pub enum RegistryAction {
    /// List the declared entries by id
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print each problem as FILE:LINE; fails if one of them is an error, for which an entry is not offered
    Check {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the calls of handlers that failed, the newest last: what each printed before, why it failed, and where
    Failures {
        /// The entry, by its id or its name [default: all]
        entry: Option<String>,
        /// How many, at most
        #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 10)]
        count: usize,
        /// One JSON object per line
        #[arg(long)]
        json: bool,
    },
    /// Check at once and after each change of the files, until Ctrl-C
    Watch {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Create a working entry and its handler, to start from
    New {
        /// What the entry is
        #[arg(value_enum)]
        kind: NewEntryKind,
        /// Its name
        name: String,
        /// The namespace, which is also the name of the folder
        #[arg(long, value_name = "NAME", default_value = "app")]
        namespace: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NewEntryKind {
    Tool,
    Prompt,
    Resource,
}
