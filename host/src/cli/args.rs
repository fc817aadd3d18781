//! The arguments, as clap parses them. `docs/CLI.md` is generated from here, and `mod.rs` runs the commands.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use super::ace_args::AceAction;
use super::agents_args::AgentsAction;
use super::blog_args::{BlogAction, ProposalsAction};
use super::caller_args::CallerArgs;
use super::internal_command::InternalCommand;
use super::records_args::{CardsAction, EvalsAction};
use super::registry_args::RegistryAction;
use super::run_args::{EvalArgs, RunArgs};
use super::sessions_args::{LogsArgs, SessionsAction};
use crate::report;

/// An MCP server that gives agents fast, confined access to one folder.
///
/// Without a command it serves MCP on standard input and output: that is what agents start.
#[derive(Debug, Parser)]
#[command(name = "wardroom", version, disable_help_subcommand = true, term_width = report::help_columns())]
pub struct Args {
    #[command(flatten)]
    pub global: GlobalArgs,
    #[command(subcommand)]
    pub command: Option<Command>,
}

#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Options of every command")]
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
    /// The folder of the blog [default: blog in the AppDir]
    #[arg(long, global = true, value_name = "DIR")]
    pub blog: Option<PathBuf>,
    /// Open every folder for reading only
    #[arg(long, global = true)]
    pub read_only: bool,
    /// Append the log to a file instead of writing it to standard error
    #[arg(long, global = true, value_name = "FILE")]
    pub log_file: Option<PathBuf>,
    /// Show long output whole, without a pager
    #[arg(long, global = true)]
    pub no_pager: bool,
    /// The format of the log; RUST_LOG sets its level, which is warn by default
    #[arg(long, global = true, value_enum, default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    Text,
    Json,
}

impl Command {
    /// Whether the command only shows something, which may be long: no questions, and no output of another program.
    pub fn only_shows(&self) -> bool {
        match self {
            Self::Status { .. }
            | Self::Audit { action: AuditCommand::List { .. } }
            | Self::Token { action: TokenAction::List { .. } }
            | Self::Ls { .. }
            | Self::Read { .. }
            | Self::Call { tool: None, .. }
            | Self::Prompt { .. }
            | Self::Registry {
                action:
                    None
                    | Some(RegistryAction::List { .. } | RegistryAction::Check { .. } | RegistryAction::Failures { .. }),
            }
            | Self::Proposals { action: ProposalsAction::List { .. } | ProposalsAction::Show { .. } }
            | Self::Mount { action: MountAction::List { .. } }
            | Self::Agents { action: AgentsAction::List { .. } | AgentsAction::Status { .. } }
            | Self::Pkg { action: PkgAction::List { .. } }
            | Self::Sessions { action: SessionsAction::List { .. } | SessionsAction::Show { .. } }
            | Self::Doctor { .. }
            | Self::Help { .. } => true,
            Self::Ace { action } => action.only_shows(),
            _ => false,
        }
    }
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve MCP on standard input and output, or over HTTP
    Serve {
        /// Serve HTTP at this address, such as 127.0.0.1:8080 or 8080
        #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = "127.0.0.1:4124")]
        http: Option<String>,
        /// Serve HTTP on a Unix socket at this path, for its owner only
        #[arg(long, value_name = "PATH")]
        unix: Option<PathBuf>,
    },
    /// Show runs, the blog and the learning log in a browser, at an address of this machine that signs in once
    Review {
        /// Print the address alone, and open no browser
        #[arg(long)]
        no_open: bool,
    },
    /// Show the servers on the AppDir
    Status {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show the servers, their calls and the runs, as they go
    Top {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show or check who decided, did or was refused what
    Audit {
        #[command(subcommand)]
        action: AuditCommand,
    },
    /// Create, list and remove the tokens that HTTP endpoints require
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
    /// List resources and resource templates, or the resources of one template
    Ls {
        /// A scheme such as `alc` lists its resources and templates; a template such as `alc://packages/{name}/meta`, or
        /// the beginning of a URI such as `alc://cards`, lists the existing resources
        what: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Read a resource
    Read {
        /// A URI such as alc://packages/cot/meta
        uri: String,
        #[command(flatten)]
        caller: CallerArgs,
        /// Print everything that a client gets, not only the text
        #[arg(long)]
        json: bool,
    },
    /// Run a strategy, and answer its questions: by hand, by a command, or from a file
    Run(RunArgs),
    /// Run a strategy on the cases of a scenario, and grade what it answers
    Eval(EvalArgs),
    /// Call a tool, as a client would; without a name, list the tools with their arguments
    Call {
        /// The name of the tool
        tool: Option<String>,
        /// The arguments: a JSON object, `@FILE` or `-` for a file or standard input with one, or each as NAME=VALUE, where a
        /// value is JSON, a text, or @FILE
        #[arg(value_name = "JSON|NAME=VALUE")]
        arguments: Vec<String>,
        #[command(flatten)]
        caller: CallerArgs,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Fill in a prompt, as a client would; without a name, list the prompts
    Prompt {
        /// The name of the prompt
        name: Option<String>,
        /// The arguments, each as NAME=VALUE
        arguments: Vec<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Make a strategy, a scenario or a tool that runs at once, with a test beside it
    New {
        #[command(subcommand)]
        what: NewAction,
    },
    /// Run the tests beside strategies, scenarios and tools, with scripted answers, on a copy of them
    Test {
        /// Names of strategies, scenarios or tools [default: all]
        names: Vec<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// List, check and create declared tools, prompts and resources
    Registry {
        #[command(subcommand)]
        action: Option<RegistryAction>,
    },
    /// Make a blog, check its files, and bring its index up to date
    Blog {
        #[command(subcommand)]
        action: BlogAction,
    },
    /// Show what agents propose for the blog, and decide on it
    Proposals {
        #[command(subcommand)]
        action: ProposalsAction,
    },
    /// Record what happened in tasks, find patterns in it, and write them to AGENTS.md
    Ace {
        #[command(subcommand)]
        action: AceAction,
    },
    /// Extract the metadata of Lua packages in the sandbox, without an AppDir
    Extract {
        /// Files or package folders
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Grant folders beside the AppDir
    Mount {
        #[command(subcommand)]
        action: MountAction,
    },
    /// Connect agents: manage the entry of this server in their configuration files
    Agents {
        #[command(subcommand)]
        action: AgentsAction,
    },
    /// Install, list and remove packages
    Pkg {
        #[command(subcommand)]
        action: PkgAction,
    },
    /// Draw the pass rates of cards
    Cards {
        #[command(subcommand)]
        action: CardsAction,
    },
    /// Compare two evals
    Evals {
        #[command(subcommand)]
        action: EvalsAction,
    },
    /// List, show, answer and remove the runs that wait for a model's answer
    Sessions {
        #[command(subcommand)]
        action: SessionsAction,
    },
    /// Print what the scripts of a run printed and logged, and why they failed
    Logs(LogsArgs),
    /// Check the AppDir, the guest and the configuration, and say how to fix each finding
    Doctor {
        /// Take the permissions of others from every file and folder of the AppDir first
        #[arg(long)]
        fix: bool,
        /// Check instead whether several machines may share an AppDir: its path on one mount of its file system
        #[arg(long, value_name = "PATH", requires = "peer", conflicts_with_all = ["fix", "json"])]
        shared: Option<PathBuf>,
        /// The same folder on another mount
        #[arg(long, value_name = "PATH", requires = "shared")]
        peer: Option<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Write a guest component, for use in another host
    Guest {
        /// Which one: that of packages, or that of a blog's documents
        #[arg(long, value_enum, default_value_t = ComponentName::Packages)]
        component: ComponentName,
        /// Write to this file instead of standard output
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Check a downloaded archive: the signature of its release, and its digest
    Verify {
        /// A file of a release, with SHA256SUMS and SHA256SUMS.minisig beside it
        archive: PathBuf,
        /// The public key, in a file that minisign wrote [default: the project's key, if this program was built with it]
        #[arg(long, value_name = "FILE")]
        key: Option<PathBuf>,
    },
    /// Show a page of the documentation, or a command's help; without a name, list the pages
    Help {
        /// A page such as registry, or a command such as agents install
        topic: Vec<String>,
    },
    /// Print completions for a shell; those of bash, zsh and fish know the names of packages, tools, sessions and URIs
    Completions {
        /// The shell that they are for
        shell: clap_complete::Shell,
    },
    /// Read the configuration for a server over HTTP, which starts it
    #[command(hide = true)]
    FollowConfig {
        file: PathBuf,
        /// Whether it ends without all its walls
        #[arg(long)]
        require: bool,
    },
    #[command(flatten)]
    Internal(InternalCommand),
}

#[derive(Debug, Subcommand)]
#[command(disable_help_subcommand = true)]
pub enum NewAction {
    /// A package with a strategy that asks one question
    Strategy {
        /// Small letters, digits and _
        name: String,
        /// What it is for, in a sentence
        #[arg(long, value_name = "TEXT")]
        description: Option<String>,
    },
    /// A scenario of two tasks, by which a strategy is evaluated
    Scenario {
        /// The name, which is also that of the file
        name: String,
        /// The strategy that its test evaluates
        #[arg(long, value_name = "NAME")]
        strategy: String,
    },
    /// A declared tool and its handler
    Tool {
        /// The name, as clients see it
        name: String,
        /// The namespace, which is also the name of the folder
        #[arg(long, value_name = "NAME", default_value = "app")]
        namespace: String,
    },
}

/// A guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ComponentName {
    Packages,
    Documents,
}

#[derive(Debug, Subcommand)]
#[command(disable_help_subcommand = true)]
pub enum MountAction {
    /// Grant a folder
    Add {
        /// The package's name, or any name for a folder of packages
        name: String,
        /// The folder
        path: PathBuf,
        /// Grant the folder for reading only
        #[arg(long)]
        read_only: bool,
        /// What the folder holds [default: package when it has an init.lua, else packages]
        #[arg(long = "as", value_enum, value_name = "KIND")]
        kind: Option<MountKindArg>,
    },
    /// List the granted folders
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Remove the grant of a folder
    Remove {
        /// The name of the mount
        name: String,
    },
    /// Create mounts for the original's package links that lead out of the AppDir
    ImportLinks {
        /// Show what would be granted, and grant nothing
        #[arg(long)]
        dry_run: bool,
    },
}

#[derive(Debug, Subcommand)]
#[command(disable_help_subcommand = true)]
pub enum TokenAction {
    /// Create a token and print it once; the configuration gets only its hash
    New {
        /// The name of the token in the configuration
        name: String,
        /// A group of its bearer; may be given several times
        #[arg(long = "group", value_name = "GROUP")]
        groups: Vec<String>,
        /// Give an existing token a new value; it keeps its groups, unless some are given
        #[arg(long)]
        replace: bool,
    },
    /// List the tokens by name
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Remove a token; running servers refuse it from then on
    Remove {
        /// The name of the token
        name: String,
    },
}

#[derive(Debug, Subcommand)]
#[command(disable_help_subcommand = true)]
pub enum AuditCommand {
    /// List the last records, the newest last
    List {
        /// How many
        #[arg(long, value_name = "N", default_value_t = 100)]
        last: usize,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Check that no record was changed, cut off or removed; fails if one was
    Verify {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
#[command(disable_help_subcommand = true)]
pub enum PkgAction {
    /// Install a package, or every package of a folder or a repository
    Install {
        /// A folder (./x or /x), or the https address of a git repository, which is fetched
        source: String,
        /// The name of the package, if the source is a single one [default: the last part of SOURCE]
        name: Option<String>,
        /// Replace packages that nothing records as installed, such as those that were written in the AppDir
        #[arg(long)]
        force: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// List the packages
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Remove an installed package with its files, or a link to one
    Remove {
        /// The name of the package
        name: String,
        /// Remove its files even if nothing records it as installed
        #[arg(long)]
        force: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MountKindArg {
    Package,
    Packages,
    Files,
    Registry,
}
