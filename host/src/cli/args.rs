//! The arguments, as clap parses them. `docs/CLI.md` is generated from here.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use super::internal_command::InternalCommand;
use wardroom_agents::AGENTS;

/// An MCP server that gives agents fast, confined access to one folder.
///
/// Without a command it serves MCP on standard input and output: that is what agents start.
#[derive(Debug, Parser)]
#[command(name = "wardroom", version, disable_help_subcommand = true, max_term_width = 100)]
pub struct Args {
    #[command(flatten)]
    pub global: GlobalArgs,
    #[command(subcommand)]
    pub command: Option<Command>,
}

#[derive(Debug, Clone, clap::Args)]
pub struct GlobalArgs {
    /// The AppDir [default: $ALC_HOME, else ~/.algocline if it exists, else the platform's data folder]
    #[arg(long, global = true, value_name = "DIR")]
    pub appdir: Option<PathBuf>,
    /// The configuration [default: wardroom/config.toml in the platform's configuration folder]
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The project whose alc.local.toml names variant packages
    /// [default: $ALC_PROJECT_ROOT, else the nearest folder above with an alc.toml]
    #[arg(long, global = true, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// Offer only these services [default: all]
    #[arg(long = "service", global = true, value_name = "NAME", value_delimiter = ',')]
    pub services: Vec<String>,
    /// The folder in which tools, prompts and resources are declared [default: registry in the AppDir]
    #[arg(long, global = true, value_name = "DIR")]
    pub registry: Option<PathBuf>,
    /// Open every folder for reading only
    #[arg(long, global = true)]
    pub read_only: bool,
    /// Append the log to a file instead of writing it to standard error
    #[arg(long, global = true, value_name = "FILE")]
    pub log_file: Option<PathBuf>,
    /// The form of the log; RUST_LOG says how much of it there is, and without it there are warnings
    #[arg(long, global = true, value_enum, default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    Text,
    Json,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve MCP on standard input and output, or over HTTP
    Serve {
        /// Over HTTP at this address, such as 127.0.0.1:8080 or 8080
        #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = "127.0.0.1:4124")]
        http: Option<String>,
        /// Over HTTP on a Unix socket at this path, for its owner alone
        #[arg(long, value_name = "PATH")]
        unix: Option<PathBuf>,
    },
    /// Show the servers on the AppDir
    Status {
        #[arg(long)]
        json: bool,
    },
    /// Make and remove the tokens that endpoints over HTTP ask for
    Token {
        #[command(subcommand)]
        action: TokenAction,
    },
    /// Create the AppDir
    Init {
        /// Fill it with a small example of everything
        #[arg(long)]
        demo: bool,
    },
    /// List resources and resource templates, or the resources that there are
    Ls {
        /// A scheme such as `alc`: only what it has. A template such as `alc://packages/{name}/meta`, or how a URI begins,
        /// such as `alc://cards`: the resources by their names
        what: Option<String>,
        #[arg(long)]
        json: bool,
    },
    /// Read a resource
    Read {
        /// Such as alc://packages/cot/meta
        uri: String,
        /// Everything that a client gets, not the text alone
        #[arg(long)]
        json: bool,
    },
    /// Call a tool, as a client would; without a name, list the tools with their arguments
    Call {
        tool: Option<String>,
        /// A JSON object
        arguments: Option<String>,
        #[arg(long)]
        json: bool,
    },
    /// Fill in a prompt, as a client would; without a name, list the prompts
    Prompt {
        name: Option<String>,
        /// Each as NAME=VALUE
        arguments: Vec<String>,
        #[arg(long)]
        json: bool,
    },
    /// Look at what is declared, check it, and begin something new
    Registry {
        #[command(subcommand)]
        action: Option<RegistryAction>,
    },
    /// Extract the metadata of Lua packages in the sandbox, without an AppDir
    Extract {
        /// Files or package folders
        #[arg(required = true)]
        files: Vec<PathBuf>,
        #[arg(long)]
        json: bool,
    },
    /// Grant folders beside the AppDir
    Mount {
        #[command(subcommand)]
        action: MountAction,
    },
    /// Connect agents: the entry for this server in their configuration files
    Agents {
        #[command(subcommand)]
        action: AgentsAction,
    },
    /// Install, list and remove packages
    Pkg {
        #[command(subcommand)]
        action: PkgAction,
    },
    /// Look at the runs that wait for a model's answer, and drop them
    Sessions {
        #[command(subcommand)]
        action: SessionsAction,
    },
    /// Check the AppDir, the guest and the configuration, and say how to mend what is found
    Doctor {
        #[arg(long)]
        json: bool,
    },
    /// Write the guest component, for use in another host
    Guest {
        /// A file instead of standard output
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Show a page of the documentation, or a command's help; without a name, list the pages
    Help {
        /// Such as registry, or the words of a command, such as agents install
        topic: Vec<String>,
    },
    /// Print completions for a shell
    Completions { shell: clap_complete::Shell },
    #[command(flatten)]
    Internal(InternalCommand),
}

#[derive(Debug, Subcommand)]
#[command(disable_help_subcommand = true)]
pub enum MountAction {
    /// Grant a folder
    Add {
        /// The package's name, or any name for a folder of packages
        name: String,
        path: PathBuf,
        #[arg(long)]
        read_only: bool,
        /// What the folder holds [default: package when it has an init.lua, else packages]
        #[arg(long = "as", value_enum, value_name = "KIND")]
        kind: Option<MountKindArg>,
    },
    /// List the granted folders
    List {
        #[arg(long)]
        json: bool,
    },
    /// Take a grant back
    Remove { name: String },
    /// Turn the package links of the original that lead out of the AppDir into mounts
    ImportLinks {
        /// Show what would be granted, and grant nothing
        #[arg(long)]
        dry_run: bool,
    },
}

#[derive(Debug, Subcommand)]
#[command(disable_help_subcommand = true)]
pub enum TokenAction {
    /// Make a token and print it, this once: the configuration gets its hash
    New {
        /// What the configuration calls it
        name: String,
        /// A group that its bearer is in; may be given several times
        #[arg(long = "group", value_name = "GROUP")]
        groups: Vec<String>,
    },
    /// List the tokens by name
    List {
        #[arg(long)]
        json: bool,
    },
    /// Remove a token; servers that run take it until they end
    Remove { name: String },
}

#[derive(Debug, Subcommand)]
#[command(disable_help_subcommand = true)]
pub enum SessionsAction {
    /// List them, the newest first
    List {
        #[arg(long)]
        json: bool,
    },
    /// Print the journal of one, a JSON object a line: prompts and answers too
    Show { session: String },
    /// Remove one for good
    Drop { session: String },
}

#[derive(Debug, Subcommand)]
#[command(disable_help_subcommand = true)]
pub enum RegistryAction {
    /// List what is declared, by its ids
    List {
        #[arg(long)]
        json: bool,
    },
    /// Say what is wrong, a line each as FILE:LINE; fails where something is not offered
    Check {
        #[arg(long)]
        json: bool,
    },
    /// Write an entry and a handler that work, to begin with
    New {
        #[arg(value_enum)]
        kind: NewEntryKind,
        name: String,
        /// The namespace, which is the folder too
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

/// Which agents.
#[derive(Debug, clap::Args)]
pub struct AgentSelectionArgs {
    /// Such as claude_code; `wardroom agents list` shows all of them
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
    /// Also replace or remove an entry of this name that starts another program
    #[arg(long)]
    pub force: bool,
}

fn agent_id_parser() -> clap::builder::PossibleValuesParser {
    AGENTS.iter().map(|agent| agent.id).into()
}

#[derive(Debug, Subcommand)]
#[command(disable_help_subcommand = true)]
pub enum AgentsAction {
    /// List the agents that are known, and the file of each
    List {
        /// These alone
        #[arg(value_name = "AGENT", value_parser = agent_id_parser(), hide_possible_values = true)]
        agents: Vec<String>,
        #[arg(long)]
        json: bool,
    },
    /// Show which file each agent reads, whether the entry is there, and whether what it starts answers
    Status {
        #[command(flatten)]
        which: AgentSelectionArgs,
        #[command(flatten)]
        entry: EntryNameArgs,
        #[arg(long)]
        json: bool,
    },
    /// Write the entry, or bring it up to date; it starts this program with the --appdir, --config, --service and so on
    /// that are given here
    Install {
        #[command(flatten)]
        which: AgentSelectionArgs,
        #[command(flatten)]
        entry: EntryNameArgs,
        #[command(flatten)]
        change: FileChangeArgs,
        /// Make the file of an agent that does not seem to be installed
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
    /// Print the entry, for those who edit the file themselves
    Print {
        #[arg(value_parser = agent_id_parser(), hide_possible_values = true)]
        agent: String,
        #[command(flatten)]
        entry: EntryNameArgs,
    },
}

#[derive(Debug, clap::Args)]
pub struct EntryNameArgs {
    /// What the entry is called: agents mention its resources as @NAME:URI
    #[arg(long, value_name = "NAME", default_value = "wardroom")]
    pub name: String,
}

#[derive(Debug, Subcommand)]
#[command(disable_help_subcommand = true)]
pub enum PkgAction {
    /// Install a package, or every package of a folder or a repository
    Install {
        /// A folder (./x or /x), or the https address of a git repository, which is fetched
        source: String,
        /// What the package is called, where it is one [default: the last part of SOURCE]
        name: Option<String>,
        #[arg(long)]
        json: bool,
    },
    /// List the packages that there are
    List {
        #[arg(long)]
        json: bool,
    },
    /// Remove an installed package with its files, or a link to one
    Remove { name: String },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MountKindArg {
    Package,
    Packages,
    Files,
    Registry,
}
