//! The arguments of `wardroom ace`, as clap parses them.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};

use super::ace_proposals::AceProposalsAction;

#[derive(Debug, Subcommand)]
#[command(disable_help_subcommand = true)]
pub enum AceAction {
    /// Create AGENTS.md with empty sections, and empty logs; what exists stays as it is
    Init {
        /// Register the merge driver in the git repository of the project, and leave the logs out of it
        #[arg(long)]
        git: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Run a build, a test or a lint, and record what it printed
    Run {
        /// The task [default: the variable ACE_CURRENT_BEAD, else "unassigned"]
        #[arg(long, value_name = "ID")]
        bead: Option<String>,
        /// Seconds after which the command is ended [default: one hour]
        #[arg(long, value_name = "SECONDS")]
        timeout: Option<u64>,
        /// The command and its arguments; no shell reads them
        #[arg(last = true, required = true, value_name = "COMMAND")]
        command: Vec<String>,
    },
    /// Record what happened in a task
    Capture {
        /// The task
        #[arg(long, value_name = "ID")]
        bead: String,
        /// A JSON file with the executions, as ace_capture_trace takes them; - reads standard input
        #[arg(long, value_name = "FILE")]
        exec: String,
        /// What the task is about [default: its title in .beads/issues.jsonl, else its id]
        #[arg(long, value_name = "TEXT")]
        desc: Option<String>,
        /// Tasks that were found on the way, separated by commas
        #[arg(long, value_name = "IDS", value_delimiter = ',')]
        discovered: Vec<String>,
        /// How the task ended [default: failure if an execution failed, else success]
        #[arg(long, value_enum)]
        outcome: Option<OutcomeArg>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Find patterns in one trace, or in all of them
    Analyze {
        /// This trace alone
        #[arg(long, value_name = "ID", conflicts_with_all = ["beads", "min_frequency"])]
        trace: Option<String>,
        /// The traces of these tasks alone, separated by commas
        #[arg(long, value_name = "IDS", value_delimiter = ',')]
        beads: Vec<String>,
        #[command(flatten)]
        limits: AnalyzeLimits,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Write insights to AGENTS.md
    Update {
        #[command(flatten)]
        limits: UpdateLimits,
        /// Insights to take whatever their confidence, separated by commas
        #[arg(long, value_name = "IDS", value_delimiter = ',')]
        force_insight_ids: Vec<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Analyze all traces, then write what was found to AGENTS.md
    Learn {
        /// The traces of these tasks alone, separated by commas
        #[arg(long, value_name = "IDS", value_delimiter = ',')]
        beads: Vec<String>,
        /// Fewest occurrences of an error [default: 2]
        #[arg(long, value_name = "N")]
        min_frequency: Option<u64>,
        #[command(flatten)]
        limits: UpdateLimits,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// List the bullets of AGENTS.md, the most helpful first
    Bullets {
        /// Bullets of these sections alone, separated by commas
        #[arg(long, value_name = "NAMES", value_delimiter = ',')]
        sections: Vec<String>,
        #[command(flatten)]
        query: QueryArgs,
    },
    /// List the insights, the most confident first
    Insights {
        #[command(flatten)]
        query: QueryArgs,
    },
    /// List the bullets and insights that fit a query best, such as the message of an error
    Search {
        /// Words; what differs from one occurrence of an error to the next does not matter
        #[arg(value_name = "QUERY", required = true, num_args = 1..)]
        query: Vec<String>,
        /// How many [default: 5]
        #[arg(long, value_name = "N")]
        limit: Option<u64>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Import the logs of another project, or the bullets of a file, in the form of AGENTS.md or of the paper
    Import {
        /// The folder of the project, or the file
        from: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the bullets in the form of the paper: [id] helpful=N harmful=M :: text
    Export,
    /// Merge three versions of a playbook into the second one, as a merge driver of git
    Merge {
        /// The common ancestor (%O)
        base: PathBuf,
        /// Our version, which gets the result (%A)
        ours: PathBuf,
        /// Their version (%B)
        theirs: PathBuf,
    },
    /// Record what an agent's own hooks report
    Hook {
        #[command(subcommand)]
        action: HookAction,
    },
    /// Show what agents propose for bullets, and decide on it
    Proposals {
        #[command(subcommand)]
        action: Option<AceProposalsAction>,
    },
    /// Show numbers of bullets, insights and traces, and what recurs
    Stats {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

impl AceAction {
    /// Whether the command only shows something.
    pub fn only_shows(&self) -> bool {
        match self {
            Self::Bullets { .. } | Self::Insights { .. } | Self::Search { .. } | Self::Stats { .. } | Self::Export => {
                true
            }
            Self::Proposals { action } => {
                matches!(action, None | Some(AceProposalsAction::List { .. } | AceProposalsAction::Show { .. }))
            }
            _ => false,
        }
    }
}

#[derive(Debug, Subcommand)]
#[command(disable_help_subcommand = true)]
pub enum HookAction {
    /// Print what to add to the agent's settings, so that it reports builds, tests and lints
    Print {
        /// The agent whose settings they are
        agent: HookAgent,
    },
    /// Record the event on standard input
    Capture {
        /// The agent that reports it
        agent: HookAgent,
    },
}

/// The agents that report commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HookAgent {
    // As `wardroom agents` calls them too.
    #[value(alias = "claude_code")]
    ClaudeCode,
    Cursor,
    #[value(alias = "gemini_cli")]
    GeminiCli,
}

/// Bounds of an analysis.
#[derive(Debug, clap::Args)]
pub struct AnalyzeLimits {
    /// Fewest occurrences of an error, in all traces [default: 2]
    #[arg(long, value_name = "N")]
    pub min_frequency: Option<u64>,
    /// Insights of at least this confidence, 0.0 to 1.0
    #[arg(long, value_name = "N")]
    pub min_confidence: Option<f64>,
}

/// Bounds of an update.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct UpdateLimits {
    /// Insights of at least this confidence, 0.0 to 1.0 [default: 0.8]
    #[arg(long, value_name = "N")]
    pub min_confidence: Option<f64>,
    /// Most new bullets [default: 3]
    #[arg(long, value_name = "N")]
    pub max_deltas: Option<u64>,
    /// Show what would be written, and write nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// Which items are listed.
#[derive(Debug, clap::Args)]
pub struct QueryArgs {
    /// Items with one of these tags, separated by commas
    #[arg(long, value_name = "TAGS", value_delimiter = ',')]
    pub tags: Vec<String>,
    /// Items of these tasks, separated by commas
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    pub beads: Vec<String>,
    /// Items of at least this confidence, 0.0 to 1.0
    #[arg(long, value_name = "N")]
    pub min_confidence: Option<f64>,
    /// How many
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub limit: u64,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OutcomeArg {
    Success,
    Failure,
    Partial,
}
