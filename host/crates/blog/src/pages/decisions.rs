//! The decisions of a person on the page: on one proposal, or on several that were shown together.
//!
//! Owns: that nothing is accepted but what the page showed, and the pages that say why nothing was.
//! Never: decides without a digest that the person's page had.

use maud::html;

use super::proposal::{DIGEST, show};
use super::{BlogPage, PROPOSALS, content_page};
use crate::error_code as code;
use crate::limits::BLOG_PAGE_SIZE;
use crate::proposals::decide::Verdict;
use crate::proposals::review::{BatchReview, ChosenProposal, Review, ReviewOutcome};
use crate::tools::proposed::check_text;
use wardroom_base::hidden_chars::reveal;
use wardroom_service::audit::AuditSource;
use wardroom_service::proposal::{ProposalStatus, is_proposal_id};
use wardroom_service::{PageReply, PageStatus, ServiceError};

const CHANGED: &str = "Nothing was decided, because this changed while you looked at it. This is what it is now.";

/// Why a decision was not made, and the person looks again.
enum Refused {
    Stale(String),
    Failed(ServiceError),
}

pub(super) fn accept(page: &BlogPage<'_>, id: &str) -> Result<PageReply, ServiceError> {
    let digest = page.request.form.get(DIGEST).unwrap_or_default();
    let outcome = decide(page, &page.review(), id, Verdict::Accept, Some(digest), None);
    reply(page, id, outcome)
}

pub(super) fn discard(page: &BlogPage<'_>, id: &str) -> Result<PageReply, ServiceError> {
    let reason = reason(page)?;
    let outcome = decide(page, &page.review(), id, Verdict::Discard, None, reason.as_deref());
    reply(page, id, outcome)
}

fn reason(page: &BlogPage<'_>) -> Result<Option<String>, ServiceError> {
    page.request.form.filled("reason").map(|given| check_text("reason", given)).transpose()
}

fn reply(page: &BlogPage<'_>, id: &str, outcome: Result<ReviewOutcome, Refused>) -> Result<PageReply, ServiceError> {
    match outcome {
        Ok(outcome) if outcome.already => {
            let reason =
                format!("Someone else decided first: it was {} before. Nothing was decided twice.", outcome.status);
            show(page, id, Some(&reason)).map(PageReply::Page)
        }
        Ok(outcome) if outcome.left_alone.is_empty() => {
            Ok(PageReply::Redirect(page.request.link(&[PROPOSALS, id], &[])))
        }
        Ok(outcome) => show(page, id, Some(&left_alone(&outcome))).map(PageReply::Page),
        Err(Refused::Stale(reason)) => show(page, id, Some(&reason)).map(PageReply::Page),
        Err(Refused::Failed(error)) => Err(error),
    }
}

fn left_alone(outcome: &ReviewOutcome) -> String {
    format!(
        "Someone changed these files at the same moment, and they stay as they are: {}",
        outcome.left_alone.join(", ")
    )
}

/// Decides on a proposal that is what the person saw. Discarding needs no digest: it makes nothing public.
fn decide(
    page: &BlogPage<'_>,
    review: &Review,
    id: &str,
    verdict: Verdict,
    digest: Option<&str>,
    reason: Option<&str>,
) -> Result<ReviewOutcome, Refused> {
    if let Some(reason) = page.undecidable() {
        return Err(Refused::Stale(reason.to_owned()));
    }
    review.finish_decisions().map_err(Refused::Failed)?;
    let shown = review.show(id).map_err(Refused::Failed)?;
    if shown.status() != ProposalStatus::Pending.as_str() {
        let reason = match shown.status() {
            "expired" => "Nothing was decided: the proposal expired while you looked at it.".to_owned(),
            status => format!("Someone else decided first: it was {status} before. Nothing was decided twice."),
        };
        return Err(Refused::Stale(reason));
    }
    if let (Verdict::Accept, None, Some(conflict)) = (verdict, &shown.digest, &shown.conflict) {
        return Err(Refused::Stale(format!("Nothing was decided: {conflict}")));
    }
    if digest.is_some_and(|digest| shown.digest.as_deref() != Some(digest)) {
        return Err(Refused::Stale(CHANGED.to_owned()));
    }
    let by = AuditSource::review_page();
    let outcome = match verdict {
        Verdict::Accept => review.accept(&shown, &by),
        Verdict::Discard => review.discard(id, reason, &by),
    };
    outcome.map_err(|error| match error {
        ServiceError::Tool {
            code: code::CONFLICT | code::EXPIRED | code::TARGET_GONE | code::UNREADABLE | code::INVALID_SOURCE,
            ..
        } => Refused::Stale(format!("Nothing was decided: {error}")),
        error => Refused::Failed(error),
    })
}

/// Decides on the proposals that were chosen in the list, as one: where one of them is not what the list showed, none is
/// decided. Each result is listed.
pub(super) fn decide_chosen(page: &BlogPage<'_>) -> Result<PageReply, ServiceError> {
    let form = &page.request.form;
    let verdict = match form.get("decision") {
        Some("accept") => Verdict::Accept,
        Some("discard") => Verdict::Discard,
        _ => return Err(page.request.not_found()),
    };
    let reason = reason(page)?;
    let chosen: Vec<(&str, &str)> = form.all("chosen").filter_map(|value| value.split_once(':')).collect();
    if chosen.is_empty() || chosen.len() > BLOG_PAGE_SIZE || !chosen.iter().all(|(id, _)| is_proposal_id(id)) {
        return Err(ServiceError::Invalid(format!("choose 1 to {BLOG_PAGE_SIZE} proposals of the list")));
    }
    if let Some(reason) = page.undecidable() {
        return Err(ServiceError::tool(code::HUMAN_DECIDES, reason));
    }
    let (review, by) = (page.review(), AuditSource::review_page());
    // The list offers no merge.
    let shown = |&(id, digest): &(_, _)| ChosenProposal { id, digest: Some(digest), merges: false };
    let requests: Vec<ChosenProposal<'_>> = chosen.iter().map(shown).collect();
    let decided = match verdict {
        Verdict::Accept => review.accept_all(&requests, &by)?,
        Verdict::Discard => review.discard_all(&requests, reason.as_deref(), &by)?,
    };
    let done = if verdict == Verdict::Accept { "accepted" } else { "discarded" };
    let is_refused = matches!(decided, BatchReview::Refused(_));
    let (heading, results) = match decided {
        BatchReview::Decided(outcomes) => {
            let results: Vec<_> = outcomes.into_iter().map(|(id, outcome)| (id, batch_result(outcome))).collect();
            let n_done = results.iter().filter(|(_, result)| result.is_ok()).count();
            (format!("{n_done} of {} {done}", results.len()), results)
        }
        BatchReview::Refused(refusals) => {
            let results = refusals.into_iter().map(|(id, error)| (id, Err(error.to_string()))).collect();
            (format!("0 of {} {done}", chosen.len()), results)
        }
    };
    let is_done = results.iter().all(|(_, result)| result.is_ok());
    let title = |id: &str| page.state.find_proposal(id).ok().flatten().map(|found| found.proposal.title);
    let content = html! {
        h1 { (heading) }
        @if is_refused {
            p.note.error role="alert" {
                "Nothing was decided, because these changed while you looked at them. The others wait as before."
            }
        }
        ul.items {
            @for (id, result) in &results {
                li {
                    h2 { a href=(page.request.link(&[PROPOSALS, id], &[])) data-item { (reveal(title(id).as_ref().unwrap_or(id))) } }
                    @match result {
                        Ok(status) => p { span class={ "status " (status) } { (status) } },
                        Err(reason) => p.note.error { (reason) },
                    }
                }
            }
        }
        p { a href=(page.request.link(&[PROPOSALS], &[])) { "← All proposals" } }
    };
    let mut shown = content_page("Decided", PROPOSALS, content);
    if !is_done {
        shown.status = PageStatus::Conflict;
    }
    Ok(PageReply::Page(shown))
}

/// Returns the status of one of several decisions, or why it is not done.
fn batch_result(outcome: Result<ReviewOutcome, ServiceError>) -> Result<&'static str, String> {
    match outcome {
        Ok(outcome) if !outcome.left_alone.is_empty() => Err(left_alone(&outcome)),
        Ok(outcome) if outcome.already => Err(format!("It was {} before.", outcome.status)),
        Ok(outcome) => Ok(outcome.status),
        Err(error) => {
            tracing::warn!(%error, "one of several proposals cannot be decided");
            Err(error.to_string())
        }
    }
}
