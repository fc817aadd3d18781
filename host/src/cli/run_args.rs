//! The arguments of `wardroom run` and `wardroom eval`, as clap parses them.

use std::path::PathBuf;

/// Who answers the questions of a run.
#[derive(Debug, clap::Args)]
pub struct AnswerArgs {
    /// Let this command answer: it is split as a shell would, and gets each question as JSON on its standard input; four
    /// run at once
    #[arg(long, value_name = "COMMAND", conflicts_with = "answers")]
    pub model: Option<String>,
    /// Take the answers from a file: each line is a JSON string, or {"when": "a part of the prompt", "answer": "…"}
    #[arg(long, value_name = "FILE")]
    pub answers: Option<PathBuf>,
    /// Print the final answer as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, clap::Args)]
pub struct RunArgs {
    /// A package, or a file such as ./draft.lua
    #[arg(required_unless_present = "session")]
    pub strategy: Option<String>,
    /// The task, and fields of `ctx` as NAME=VALUE: a value is JSON, else text; @FILE, also as the task, is the text of
    /// a file
    #[arg(value_name = "TASK|NAME=VALUE")]
    pub given: Vec<String>,
    /// Go on with a run that waits
    #[arg(long = "continue", value_name = "SESSION", conflicts_with_all = ["strategy", "given"])]
    pub session: Option<String>,
    #[command(flatten)]
    pub answers: AnswerArgs,
}

#[derive(Debug, clap::Args)]
pub struct EvalArgs {
    /// A package
    pub strategy: String,
    /// A scenario in the AppDir, or a file such as ./sums.lua
    #[arg(long, value_name = "NAME")]
    pub scenario: String,
    /// Fields of `ctx` beside the task of each case, as NAME=VALUE
    #[arg(value_name = "NAME=VALUE")]
    pub given: Vec<String>,
    /// Store no card of the result
    #[arg(long)]
    pub no_card: bool,
    #[command(flatten)]
    pub answers: AnswerArgs,
}
