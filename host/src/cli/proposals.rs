//! `wardroom proposals`: shows what agents propose for the blog, and decides on it.
//!
//! Owns: the question before something becomes public.
//! Never: accepts what was not shown.

use std::io::{self, IsTerminal as _};

use serde_json::{Value, json};

use super::args::ProposalsAction;
use crate::assemble;
use crate::assemble::settings::Settings;
use crate::report::{self, CommandError, LineColor};
use wardroom_blog::{Review, ReviewOutcome, ReviewedProposal};
use wardroom_service::ServiceError;
use wardroom_service::audit::{AuditSource, AuditTrail};

/// Proposals that are listed.
const MAX_LISTED: usize = 1_000;

pub(super) fn run(settings: &Settings, action: &ProposalsAction) -> Result<(), CommandError> {
    let decides = matches!(action, ProposalsAction::Accept { .. } | ProposalsAction::Discard { .. });
    if settings.read_only && decides {
        return Err(CommandError::new("a decision writes files, which --read-only forbids", "leave out --read-only"));
    }
    let app = assemble::open_app_dir(settings)?;
    let review = assemble::standalone_blog(settings)?.review(AuditTrail::new(&app));
    match action {
        ProposalsAction::List { status, json } => list(&review, status, *json),
        ProposalsAction::Show { id, json } => show(settings, &review, id, *json),
        ProposalsAction::Accept { id, digest, json } => accept(settings, &review, id, digest.as_deref(), *json),
        ProposalsAction::Discard { id, reason, json } => {
            let by = AuditSource::command_line();
            print_outcome(&review.discard(id, reason.as_deref(), &by).map_err(failed)?, *json)
        }
    }
}

fn list(review: &Review, status: &str, as_json: bool) -> Result<(), CommandError> {
    let found = review.list(status, MAX_LISTED).map_err(failed)?;
    if as_json {
        return report::print_line(&Value::Array(found).to_string());
    }
    if found.is_empty() {
        report::print_note(&format!("no proposal is {status}"));
    }
    for item in &found {
        let text = |name: &str| report::escape_name(item.get(name).and_then(Value::as_str).unwrap_or_default());
        let until = if status == "pending" { format!("until {}", text("expires_at")) } else { text("decided_by") };
        report::print_line(&format!("{}  {:<25}  {until}  {}", text("id"), text("kind"), text("title")))?;
    }
    Ok(())
}

fn show(settings: &Settings, review: &Review, id: &str, as_json: bool) -> Result<(), CommandError> {
    let shown = review.show(id).map_err(failed)?;
    if as_json {
        return report::print_line(&json!(shown).to_string());
    }
    print_proposal(settings, &shown)
}

fn print_proposal(settings: &Settings, shown: &ReviewedProposal) -> Result<(), CommandError> {
    let title = report::escape_name(shown.title());
    report::print_line(&format!("{} {}, {}: {title}", shown.kind(), shown.id(), shown.status()))?;
    report::print_line(&report::escape_name(&shown.path))?;
    if let Some(conflict) = &shown.conflict {
        report::print_line(&report::escape_name(conflict))?;
    }
    shown.diff.lines().try_for_each(|line| {
        let color = match line.as_bytes().first() {
            Some(b'+') => Some(LineColor::Green),
            Some(b'-') => Some(LineColor::Red),
            Some(b'@') => Some(LineColor::Cyan),
            _ => None,
        };
        report::print_colored(line, color.filter(|_| !settings.no_color))
    })
}

fn accept(
    settings: &Settings,
    review: &Review,
    id: &str,
    digest: Option<&str>,
    as_json: bool,
) -> Result<(), CommandError> {
    let shown = review.show(id).map_err(failed)?;
    match (&shown.digest, digest) {
        (Some(found), Some(given)) if found == given => {}
        (Some(_), Some(_)) => {
            let what = "nothing was accepted: this is not what was shown under that digest";
            return Err(CommandError::new(what, format!("look at it again: wardroom proposals show {id} --json")));
        }
        (Some(_), None) if io::stdin().is_terminal() => {
            print_proposal(settings, &shown)?;
            if !confirm()? {
                return Err(CommandError::new("nothing was accepted", "the proposal is still pending"));
            }
        }
        (Some(_), None) => {
            let hint =
                format!("run it at a terminal, or name what you saw: wardroom proposals show {id} --json has a digest");
            return Err(CommandError::new("nothing was accepted: a person has to look at it", hint));
        }
        // The reason why it cannot be accepted.
        (None, _) => {}
    }
    print_outcome(&review.accept(&shown, &AuditSource::command_line()).map_err(failed)?, as_json)
}

fn confirm() -> Result<bool, CommandError> {
    report::print_note("Make it public? [y/N]");
    let mut answer = String::new();
    let unread = |error| CommandError::with_cause("cannot read the answer", error, "run it at a terminal");
    io::stdin().read_line(&mut answer).map_err(unread)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn print_outcome(outcome: &ReviewOutcome, as_json: bool) -> Result<(), CommandError> {
    if as_json {
        return report::print_line(&json!(outcome).to_string());
    }
    for path in &outcome.left_alone {
        report::print_note(&format!("{} changed at the same moment and stays as it is", report::escape_name(path)));
    }
    let already = if outcome.already { "already " } else { "" };
    report::print_line(&format!("{already}{} {}", outcome.status, outcome.id))
}

fn failed(error: ServiceError) -> CommandError {
    CommandError::with_cause("cannot decide", error, "list what is pending: wardroom proposals list")
}
