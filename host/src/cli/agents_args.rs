//! The arguments of `wardroom agents`, as clap parses them.

use clap::Subcommand;
use clap::builder::PossibleValue;

use wardroom_agents::AGENTS;

/// Which agents.
#[derive(Debug, clap::Args)]
pub struct AgentSelectionArgs {
    /// An agent such as claude_code or codex; run `wardroom agents list` to see all of them
    #[arg(value_name = "AGENT", value_parser = agent_id_parser(), hide_possible_values = true)]
    pub agents: Vec<String>,
    /// Every agent that is installed
    #[arg(long, conflicts_with = "agents")]
    pub all: bool,
}

/// How files are changed.
#[derive(Debug, clap::Args)]
pub struct FileChangeArgs {
    /// Write without asking
    #[arg(long, short)]
    pub yes: bool,
    /// Show what would be written, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Also replace or remove an entry of this name that starts another program, write one whose server does not start, or
    /// one that lacks the --read-only, --service or --config that it had
    #[arg(long)]
    pub force: bool,
}

fn agent_id_parser() -> clap::builder::PossibleValuesParser {
    AGENTS.iter().map(|agent| PossibleValue::new(agent.id).aliases(agent.aliases)).into()
}

#[derive(Debug, Subcommand)]
#[command(disable_help_subcommand = true)]
pub enum AgentsAction {
    /// List the agents that are known, and the file of each
    List {
        /// Only these agents
        #[arg(value_name = "AGENT", value_parser = agent_id_parser(), hide_possible_values = true)]
        agents: Vec<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show which file each agent reads, whether it has the entry, and whether the server of the entry answers
    Status {
        #[command(flatten)]
        which: AgentSelectionArgs,
        #[command(flatten)]
        entry: EntryNameArgs,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Write or update the entry, which starts this program with the --appdir, --config, --service and other global
    /// options that are given here
    Install {
        #[command(flatten)]
        which: AgentSelectionArgs,
        #[command(flatten)]
        entry: EntryNameArgs,
        #[command(flatten)]
        change: FileChangeArgs,
        /// Create the file of an agent that does not seem to be installed
        #[arg(long)]
        create: bool,
    },
    /// Remove the entry
    Uninstall {
        #[command(flatten)]
        which: AgentSelectionArgs,
        #[command(flatten)]
        entry: EntryNameArgs,
        #[command(flatten)]
        change: FileChangeArgs,
    },
    /// Print the entry, to write it into the file by hand
    Print {
        /// The agent; `wardroom agents list` names them
        #[arg(value_parser = agent_id_parser(), hide_possible_values = true)]
        agent: String,
        #[command(flatten)]
        entry: EntryNameArgs,
    },
}

#[derive(Debug, clap::Args)]
pub struct EntryNameArgs {
    /// The name of the entry: agents mention its resources as @NAME:URI
    #[arg(long, value_name = "NAME", default_value = "wardroom")]
    pub name: String,
}
