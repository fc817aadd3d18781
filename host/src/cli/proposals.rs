//! `wardroom proposals`: shows what agents propose for the blog, and decides on it.
//!
//! Owns: the question before something becomes public.
//! Never: accepts what was not shown.

use serde_json::{Value, json};

use super::blog_args::ProposalsAction;
use super::decision;
use crate::assemble;
use crate::assemble::settings::Settings;
use crate::report::{self, Cell, Column, CommandError, Table, TextRole};
use wardroom_blog::{BatchReview, ChosenProposal, Review, ReviewOutcome, ReviewedProposal};
use wardroom_service::ServiceError;
use wardroom_service::audit::{AuditSource, AuditTrail};

/// Proposals that are listed.
const MAX_LISTED: usize = 1_000;

pub(super) fn run(settings: &Settings, action: &ProposalsAction) -> Result<(), CommandError> {
    let decides = matches!(action, ProposalsAction::Accept { .. } | ProposalsAction::Discard { .. });
    if decides {
        decision::refuse_read_only(settings)?;
    }
    let app = assemble::open_app_dir(settings)?;
    let blog = assemble::standalone_blog(settings)?;
    let review = blog.review(AuditTrail::new(&app));
    let shown: &[String] = match action {
        ProposalsAction::Show { id, .. } => std::slice::from_ref(id),
        ProposalsAction::Accept { ids, .. } => ids,
        ProposalsAction::List { .. } | ProposalsAction::Discard { .. } => &[],
    };
    // Whether the slug of a new post is free is in the files, which no server may have looked at since.
    if !settings.read_only && shown.iter().any(|id| review.publishes_new_slug(id)) {
        let updated = report::name_if_slow("comparing the files with the index", || blog.update(false, &mut |_, _| {}));
        if let Err(error) = updated {
            report::print_note(&format!("warning: the index is not up to date: {error}"));
        }
    }
    let reviewer = Reviewer { review, command: settings.command_line() };
    match action {
        ProposalsAction::List { status, json } => reviewer.list(status, *json),
        ProposalsAction::Show { id, json } => reviewer.show(id, *json),
        ProposalsAction::Accept { ids, digests, json } => reviewer.accept(ids, digests, *json),
        ProposalsAction::Discard { ids, reason, json } => reviewer.discard(ids, reason.as_deref(), *json),
    }
}

/// The person at the terminal.
struct Reviewer {
    review: Review,
    /// What hints begin with.
    command: String,
}

impl Reviewer {
    fn list(&self, status: &str, as_json: bool) -> Result<(), CommandError> {
        let found = report::name_if_slow("reading the proposals", || self.review.list(status, MAX_LISTED));
        let found = found.map_err(|error: ServiceError| self.failed(&error))?;
        if as_json {
            return report::print_json(&Value::Array(found));
        }
        if found.is_empty() {
            report::print_note(&format!("no proposal is {status}"));
        }
        let columns = [Column::new("ID", 0), Column::new("KIND", 25), Column::new("", 0), Column::text("TITLE", 0)];
        let mut table = Table::new("  ", columns);
        for item in &found {
            let text = |name: &str| item.get(name).and_then(Value::as_str).unwrap_or_default();
            let until = match status {
                "pending" => format!("{}, until {}", text("proposed_by"), text("expires_at")),
                _ => text("decided_by").to_owned(),
            };
            let id = Cell::new(text("id"), TextRole::Name);
            table.add([id, text("kind").into(), Cell::new(until, TextRole::Faint), text("title").into()]);
        }
        table.print()
    }

    fn show(&self, id: &str, as_json: bool) -> Result<(), CommandError> {
        let shown = self.review.show(id).map_err(|error: ServiceError| self.failed(&error))?;
        if as_json {
            return report::print_json(&json!(shown));
        }
        print_proposal(&shown)
    }

    /// Accepts proposals as they were shown, several as one decision.
    fn accept(&self, ids: &[String], digests: &[String], as_json: bool) -> Result<(), CommandError> {
        if !digests.is_empty() && digests.len() != ids.len() {
            let what = format!("nothing was accepted: there are {} IDs and {} digests", ids.len(), digests.len());
            return Err(CommandError::new(what, "name a --digest for each ID, in the same order"));
        }
        let failed = |error: ServiceError| self.failed(&error);
        let review = &self.review;
        review.finish_decisions().map_err(failed)?;
        let shown: Vec<ReviewedProposal> =
            ids.iter().map(|id| review.show(id)).collect::<Result<_, _>>().map_err(failed)?;
        let is_acceptable = shown.iter().all(|shown| shown.digest.is_some());
        for (shown, given) in shown.iter().zip(digests) {
            if shown.digest.as_ref().is_some_and(|found| found != given) {
                return Err(decision::other_digest_error(&self.show_command(shown.id())));
            }
        }
        // The others are refused with the reason why they cannot be accepted.
        if is_acceptable && digests.is_empty() {
            let show = self.show_command(shown.first().map(ReviewedProposal::id).unwrap_or_default());
            let question = match shown.len() {
                1 => "Make it public?".to_owned(),
                several => format!("Make these {several} public?"),
            };
            let print = || shown.iter().try_for_each(print_proposal);
            decision::confirm(&show, print, &question, "what was proposed is still pending")?;
        }
        let by = AuditSource::command_line();
        if let [shown] = shown.as_slice() {
            return print_outcome(&review.accept(shown, &by).map_err(failed)?, as_json);
        }
        if let Some(refused) = shown.iter().find(|shown| shown.digest.is_none()) {
            let reason = refused.conflict.clone().unwrap_or_else(|| format!("it is {}", refused.status()));
            return Err(self.nothing_decided(&[(refused.id().to_owned(), reason)]));
        }
        let chosen: Vec<ChosenProposal<'_>> = shown
            .iter()
            .map(|shown| ChosenProposal { id: shown.id(), digest: shown.digest.as_deref(), merges: shown.can_merge })
            .collect();
        self.print_batch(review.accept_all(&chosen, &by).map_err(failed)?, as_json)
    }

    fn discard(&self, ids: &[String], reason: Option<&str>, as_json: bool) -> Result<(), CommandError> {
        let failed = |error: ServiceError| self.failed(&error);
        let (review, by) = (&self.review, AuditSource::command_line());
        if let [id] = ids {
            return print_outcome(&review.discard(id, reason, &by).map_err(failed)?, as_json);
        }
        let chosen: Vec<ChosenProposal<'_>> =
            ids.iter().map(|id| ChosenProposal { id, digest: None, merges: false }).collect();
        self.print_batch(review.discard_all(&chosen, reason, &by).map_err(failed)?, as_json)
    }

    /// Prints what became of several decisions. One that failed fails the command, after the others are printed.
    fn print_batch(&self, batch: BatchReview, as_json: bool) -> Result<(), CommandError> {
        let outcomes = match batch {
            BatchReview::Decided(outcomes) => outcomes,
            BatchReview::Refused(refusals) => {
                let reasons = refusals.into_iter().map(|(id, error)| (id, error.to_string()));
                return Err(self.nothing_decided(&reasons.collect::<Vec<_>>()));
            }
        };
        let (mut done, mut error) = (Vec::new(), None);
        for (_, outcome) in outcomes {
            match outcome {
                Ok(outcome) => done.push(outcome),
                Err(failure) => error = error.or(Some(failure)),
            }
        }
        if as_json {
            report::print_json(&json!(done))?;
        } else {
            done.iter().try_for_each(|outcome| print_outcome(outcome, false))?;
        }
        error.map_or(Ok(()), |error| Err(self.failed(&error)))
    }

    fn nothing_decided(&self, reasons: &[(String, String)]) -> CommandError {
        let listed: Vec<String> = reasons.iter().map(|(id, reason)| format!("{id}: {reason}")).collect();
        let first = reasons.first().map_or("ID", |(id, _)| id);
        let hint = format!("look at each again, as with {}; the others are still pending", self.show_command(first));
        CommandError::new(format!("nothing was decided: {}", listed.join("; ")), hint)
    }

    /// Returns the command that shows a proposal.
    fn show_command(&self, id: &str) -> String {
        format!("{} proposals show {id}", self.command)
    }

    fn failed(&self, error: &ServiceError) -> CommandError {
        CommandError::new(error.to_string(), format!("list what is pending: {} proposals list", self.command))
    }
}

fn print_proposal(shown: &ReviewedProposal) -> Result<(), CommandError> {
    let title = report::escape_name(&shown.revealed_title());
    report::print_line(&format!("{} {}, {}: {title}", shown.kind(), shown.id(), shown.status()))?;
    report::print_line(&report::escape_name(&shown.path))?;
    report::print_line(&format!("proposed by {}", report::escape_name(shown.proposed_by())))?;
    if let Some(reason) = shown.unwritten() {
        report::print_line(&report::escape_name(reason))?;
    }
    if let Some(draft) = &shown.removes {
        report::print_line(&format!("accepting it removes the draft {}", report::escape_name(draft)))?;
    }
    if let Some(conflict) = &shown.conflict {
        report::print_line(&report::escape_name(conflict))?;
    }
    shown.revealed_diff().lines().try_for_each(|line| report::print_colored(line, report::diff_role(line)))
}

fn print_outcome(outcome: &ReviewOutcome, as_json: bool) -> Result<(), CommandError> {
    if as_json {
        return report::print_json(&json!(outcome));
    }
    for path in &outcome.left_alone {
        report::print_note(&format!("{} changed at the same moment and stays as it is", report::escape_name(path)));
    }
    let already = if outcome.already { "already " } else { "" };
    report::print_line(&format!("{already}{} {}", outcome.status, outcome.id))
}
