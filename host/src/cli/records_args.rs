//! The arguments of the commands that draw cards and evals.

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
#[command(disable_help_subcommand = true)]
pub enum CardsAction {
    /// Draw the pass rate of each package along time: block characters at a terminal, a line for each card elsewhere
    Plot {
        #[command(flatten)]
        filter: CardFilterArgs,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// Which cards are drawn.
#[derive(Debug, Args)]
pub struct CardFilterArgs {
    /// Only the cards of this package
    #[arg(long, value_name = "NAME")]
    pub(super) pkg: Option<String>,
    /// Only the cards of this scenario
    #[arg(long, value_name = "NAME")]
    pub(super) scenario: Option<String>,
    /// Only the cards of this model
    #[arg(long, value_name = "ID")]
    pub(super) model: Option<String>,
    /// Only the cards of the last days
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=36_500))]
    pub(super) days: Option<u32>,
}

#[derive(Debug, Subcommand)]
#[command(disable_help_subcommand = true)]
pub enum EvalsAction {
    /// Compare two evals: pass rates and scores, and their differences with intervals of 95 %
    Compare {
        /// The first eval, as `wardroom call alc_eval_history` names it
        a: String,
        /// The second one
        b: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}
