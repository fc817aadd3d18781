//! The arguments of `wardroom sessions` and `wardroom logs`.

use clap::{Args, Subcommand};

use super::run_args::AnswerArgs;

#[derive(Debug, Args)]
pub struct LogsArgs {
    /// The run [default: the newest one]
    pub session: Option<String>,
    /// Print further lines as they come, up to the end of the run
    #[arg(short, long)]
    pub follow: bool,
    /// One JSON object per line
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
#[command(disable_help_subcommand = true)]
pub enum SessionsAction {
    /// List the runs, the newest first
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the journal of a run, one JSON object per line, with its prompts and answers
    Show {
        /// The id of the run
        session: String,
    },
    /// Answer the questions that a run waits for, up to its result
    Answer {
        /// The id of the run
        session: String,
        #[command(flatten)]
        answers: AnswerArgs,
    },
    /// Remove a run permanently
    #[command(
        alias = "remove",
        override_usage = "wardroom sessions drop [OPTIONS] <SESSION>\n       wardroom sessions drop [OPTIONS] --done"
    )]
    Drop {
        /// The id of the run
        #[arg(required_unless_present = "done")]
        session: Option<String>,
        /// Remove all runs that have ended
        #[arg(long, conflicts_with = "session")]
        done: bool,
    },
}
