//! `wardroom ace proposals`: shows what agents propose for bullets that are there, and decides on it.
//!
//! Owns: the question before a bullet changes.
//! Never: accepts what was not shown.

use clap::Subcommand;
use serde_json::{Value, json};

use super::ace::text;
use super::decision;
use super::hints::{RequestSubject, to_command_error};
use crate::assemble;
use crate::assemble::settings::Settings;
use crate::report::{self, Cell, Column, CommandError, Table, TextRole};
use wardroom_ace::{BulletDecisionOutcome, BulletReview};
use wardroom_service::ServiceError;
use wardroom_service::audit::AuditSource;

#[derive(Debug, Subcommand)]
#[command(disable_help_subcommand = true)]
pub enum AceProposalsAction {
    /// List what waits for a decision, the newest first
    List {
        /// What was decided, too
        #[arg(long)]
        all: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show which bullets a proposal changes
    Show {
        /// The id of the proposal
        id: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Change the bullets, after a question
    Accept {
        /// The id of the proposal
        id: String,
        /// Accept without a question what `show --json` printed with this digest
        #[arg(long, value_name = "DIGEST")]
        digest: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Leave the bullets as they are
    Discard {
        /// The id of the proposal
        id: String,
        /// What the agent reads about it
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

pub(super) fn run(settings: &Settings, action: Option<AceProposalsAction>) -> Result<(), CommandError> {
    let action = action.unwrap_or(AceProposalsAction::List { all: false, json: false });
    let decides = matches!(action, AceProposalsAction::Accept { .. } | AceProposalsAction::Discard { .. });
    if decides {
        decision::refuse_read_only(settings)?;
    }
    let review = assemble::bullet_review(settings)?;
    let failed = |error| failed(error, settings);
    match action {
        AceProposalsAction::List { all, json } => list(review.list().map_err(failed)?, all, json),
        AceProposalsAction::Show { id, json } => {
            let shown = json!(review.show(&id).map_err(failed)?);
            if json { report::print_json(&shown) } else { print_proposal(&shown) }
        }
        AceProposalsAction::Accept { id, digest, json } => {
            let outcome = accept(settings, &review, &id, digest.as_deref())?;
            print_outcome(&outcome, json)
        }
        AceProposalsAction::Discard { id, reason, json } => {
            let by = AuditSource::command_line();
            print_outcome(&review.discard(&id, reason.as_deref(), &by).map_err(failed)?, json)
        }
    }
}

fn list(mut found: Vec<Value>, all: bool, as_json: bool) -> Result<(), CommandError> {
    found.retain(|item| all || text(item, "status") == "pending");
    if as_json {
        return report::print_json(&Value::Array(found));
    }
    if found.is_empty() {
        report::print_note("no proposal is pending");
    }
    let columns = [Column::new("ID", 0), Column::new("STATUS", 9), Column::new("KIND", 6), Column::text("BULLETS", 0)];
    let mut table = Table::new("  ", columns);
    for item in &found {
        let ids: Vec<String> = bullets(item, "bullets").map(|bullet| text(bullet, "id")).collect();
        let about = format!("{}: {}", ids.join(", "), text(item, "reason"));
        let id = Cell::new(text(item, "id"), TextRole::Name);
        table.add([id, text(item, "status").into(), text(item, "kind").into(), about.into()]);
    }
    table.print()
}

fn print_proposal(shown: &Value) -> Result<(), CommandError> {
    report::print_line(&format!("{} {}, {}", text(shown, "kind"), text(shown, "id"), text(shown, "status")))?;
    report::print_line(&format!("proposed by {}: {}", text(shown, "proposedBy"), text(shown, "reason")))?;
    if let Some(conflict) = shown.get("conflict").and_then(Value::as_str) {
        report::print_line(&report::escape_name(conflict))?;
    }
    let is_changed = shown.get("hasChanged") == Some(&Value::Bool(true));
    if is_changed {
        report::print_line("a bullet changed since this was proposed; it was:")?;
    }
    if is_changed || bullets(shown, "current").next().is_none() {
        for bullet in bullets(shown, "bullets") {
            report::print_line(&format!(
                "  {}: {}: {}",
                text(bullet, "id"),
                text(bullet, "section"),
                text(bullet, "content")
            ))?;
        }
    }
    for bullet in bullets(shown, "current") {
        let counter = |name: &str| bullet.get(name).and_then(Value::as_u64).unwrap_or_default();
        let counters = format!("+{} -{}", counter("helpful"), counter("harmful"));
        let (id, section) = (text(bullet, "id"), text(bullet, "section"));
        report::print_line(&format!("- {id}  {counters}  {section}: {}", text(bullet, "content")))?;
    }
    match text(shown, "content") {
        content if content.is_empty() => Ok(()),
        content => report::print_line(&format!("+ {content}")),
    }
}

fn accept(
    settings: &Settings,
    review: &BulletReview,
    id: &str,
    digest: Option<&str>,
) -> Result<BulletDecisionOutcome, CommandError> {
    let failed = |error| failed(error, settings);
    let shown = review.show(id).map_err(failed)?;
    let Some(found) = shown.digest.clone() else {
        let reason = shown.conflict.clone().unwrap_or_else(|| format!("it is {} already", shown.status()));
        return Err(CommandError::new(
            format!("nothing was accepted: {}", report::escape_name(&reason)),
            pending_hint(settings),
        ));
    };
    let show = format!("{} ace proposals show {id}", settings.command_line());
    match digest {
        Some(given) if given == found => {}
        Some(_) => return Err(decision::other_digest_error(&show)),
        None => {
            let print = || print_proposal(&json!(shown));
            decision::confirm(&show, print, "Change AGENTS.md?", "the proposal is still pending")?;
        }
    }
    review.accept(id, &found, &AuditSource::command_line()).map_err(failed)
}

fn print_outcome(outcome: &BulletDecisionOutcome, as_json: bool) -> Result<(), CommandError> {
    if as_json {
        return report::print_json(&json!(outcome));
    }
    report::print_line(&format!("{} {}", outcome.status, outcome.id))
}

fn bullets<'v>(item: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    item.get(name).and_then(Value::as_array).into_iter().flatten()
}

fn pending_hint(settings: &Settings) -> String {
    format!("list what is pending: {} ace proposals list", settings.command_line())
}

fn failed(error: ServiceError, settings: &Settings) -> CommandError {
    match error {
        ServiceError::Tool { message, .. } => CommandError::new(message, pending_hint(settings)),
        other => to_command_error(other, settings, RequestSubject::Tool),
    }
}
