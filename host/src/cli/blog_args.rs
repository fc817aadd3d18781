//! The arguments of the commands for a blog and its proposals.

use clap::Subcommand;

#[derive(Debug, Subcommand)]
#[command(disable_help_subcommand = true)]
pub enum BlogAction {
    /// Make the folders and settings of an empty blog; what exists stays as it is
    Init {
        /// The name of the blog
        #[arg(long, value_name = "NAME", default_value = "My blog")]
        name: String,
    },
    /// Print each problem as FILE:LINE; fails if a file is left out
    Check {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Bring the index up to date, as a server does by itself
    Index {
        /// Make it again from all files
        #[arg(long)]
        rebuild: bool,
    },
}

#[derive(Debug, Subcommand)]
#[command(disable_help_subcommand = true)]
pub enum ProposalsAction {
    /// List proposals, the newest first
    List {
        /// pending, accepted, discarded or expired
        #[arg(long, value_name = "STATUS", default_value = "pending")]
        status: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show what a proposal changes
    Show {
        /// The id of the proposal
        id: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Make proposals public, after a question: all of them, or none if one is not what was shown
    Accept {
        /// The ids of the proposals
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
        /// Accept without a question what `show --json` printed with this digest; once for each ID
        #[arg(long = "digest", value_name = "DIGEST")]
        digests: Vec<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Discard proposals, each with its draft unless a person changed that: all of them, or none
    Discard {
        /// The ids of the proposals
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
        /// What the agent reads about it
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}
