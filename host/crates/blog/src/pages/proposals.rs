//! The list of proposals: those that a person has to decide on, and what was decided before.
//!
//! Owns: the form that decides on several proposals, each of which is shown whole.
//! Never: decides.

use maud::{Markup, html};

use super::changes::field_table;
use super::parts::{form_token, moment, notes, thumbnail, until};
use super::proposal::{media_of, proposer, status_label, verdict};
use super::{BlogPage, PROPOSALS, content_page};
use crate::limits::BLOG_PAGE_SIZE;
use crate::proposals::ProposalState;
use crate::proposals::field_diff::changed_fields;
use crate::proposals::review::ReviewedProposal;
use crate::proposals::view::find_proposals;
use wardroom_base::hidden_chars::reveal;
use wardroom_service::proposal::{ProposalStatus, is_proposal_id, proposal_time_ms};
use wardroom_service::{ContentPage, ServiceError};

const DECIDED: [ProposalStatus; 3] = [ProposalStatus::Accepted, ProposalStatus::Discarded, ProposalStatus::Expired];
/// The field of the query with the last proposal of the page before.
const BEFORE: &str = "before";
/// The field of the query that chooses all at once.
const SELECT: &str = "select";

/// A pending proposal as a row shows it.
struct PendingRow {
    state: ProposalState,
    /// The change of fields, where the row shows all of it.
    shown: Option<(ReviewedProposal, Markup)>,
}

pub(super) fn list(page: &BlogPage<'_>) -> Result<ContentPage, ServiceError> {
    let (request, now) = (page.request, proposal_time_ms());
    let source = &page.state.source;
    let before = cursor(page)?;
    let (found, last) = find_proposals(source, &[ProposalStatus::Pending], before, BLOG_PAGE_SIZE, now)?;
    let rows = found.into_iter().map(|state| pending_row(page, state)).collect::<Result<Vec<_>, _>>()?;
    let (decided, last_decided) = find_proposals(source, &DECIDED, None, BLOG_PAGE_SIZE, now)?;
    let content = html! {
        h1 { "Proposals" }
        (notes(&page.state.notes))
        @if let Some(reason) = page.undecidable() { p.note { (reason) } }
        @if rows.is_empty() {
            p.soft { "Nothing waits for a decision." }
        } @else {
            (pending_form(page, &rows, now))
        }
        @if let Some(last) = &last {
            nav.pages aria-label="Pages of the list" {
                span {}
                a rel="next" href=(request.link(&[PROPOSALS], &[(BEFORE, last)])) { "Older →" }
            }
        }
        h2 { "Decided before" }
        (decided_list(page, &decided))
        @if let Some(last) = &last_decided { (more_decided(page, last)) }
    };
    Ok(content_page("Proposals", PROPOSALS, content))
}

pub(super) fn decided(page: &BlogPage<'_>) -> Result<ContentPage, ServiceError> {
    let source = &page.state.source;
    let (found, last) = find_proposals(source, &DECIDED, cursor(page)?, BLOG_PAGE_SIZE, proposal_time_ms())?;
    let content = html! {
        h1 { "Decided proposals" }
        p { a href=(page.request.link(&[PROPOSALS], &[])) { "← What waits for a decision" } }
        h2.unseen { "The decisions, the newest first" }
        (decided_list(page, &found))
        @if let Some(last) = &last { (more_decided(page, last)) }
    };
    Ok(content_page("Decided proposals", PROPOSALS, content))
}

fn cursor<'p>(page: &BlogPage<'p>) -> Result<Option<&'p str>, ServiceError> {
    let Some(id) = page.request.query.filled(BEFORE) else { return Ok(None) };
    if is_proposal_id(id) {
        Ok(Some(id))
    } else {
        Err(ServiceError::Invalid(format!("{BEFORE}: expected the id of a proposal")))
    }
}

fn pending_row(page: &BlogPage<'_>, state: ProposalState) -> Result<PendingRow, ServiceError> {
    if !state.proposal.changes_fields_alone() {
        return Ok(PendingRow { state, shown: None });
    }
    // One that cannot be shown is shown on its own page, with the reason.
    let Ok(shown) = page.review().show(&state.proposal.id) else { return Ok(PendingRow { state, shown: None }) };
    let rows = changed_fields(&page.state.source, &shown.path, &shown.before, &shown.after)?;
    let table = field_table(&format!("Fields of {}", shown.title()), &rows, !shown.before.is_empty());
    let media = media_of(page, &state.proposal)?;
    let change = html! { @if let Some(media) = &media { p.shown-media { (thumbnail(page.request, media)) } } (table) };
    Ok(PendingRow { state, shown: Some((shown, change)) })
}

fn pending_form(page: &BlogPage<'_>, rows: &[PendingRow], now: i64) -> Markup {
    let request = page.request;
    // What is merged is looked at alone, beside what others wrote.
    let digest = |row: &PendingRow| {
        let shown = &row.shown.as_ref()?.0;
        shown.digest.clone().filter(|_| shown.conflict.is_none())
    };
    let n_choosable = rows.iter().filter(|row| digest(row).is_some()).count();
    let can_choose = n_choosable > 0 && page.undecidable().is_none();
    let selects_all = request.query.filled(SELECT) == Some("all");
    let mut query: Vec<(&str, &str)> = request.query.filled(BEFORE).map(|id| (BEFORE, id)).into_iter().collect();
    if !selects_all {
        query.push((SELECT, "all"));
    }
    html! {
        form method="post" action=(request.link(&[PROPOSALS], &[])) {
            (form_token(request))
            // Enter in a field presses the first button of a form: this one, which is disabled, so that nothing is
            // decided without a choice between the two below.
            button type="submit" disabled hidden { "Choose accept or discard" }
            ol.items {
                @for row in rows {
                    li {
                        (pending_heading(page, &row.state, now))
                        @if let Some((shown, change)) = &row.shown {
                            (change)
                            @if let Some(conflict) = &shown.conflict { p.note.error { (conflict) } }
                            @if let Some(digest) = digest(row).filter(|_| can_choose) {
                                label.choice {
                                    input type="checkbox" name="chosen" value={ (shown.id()) ":" (digest) }
                                        checked[selects_all];
                                    " Choose " span.unseen { (shown.revealed_title()) }
                                }
                            }
                        }
                    }
                }
            }
            @if can_choose {
                fieldset.actions {
                    legend { "The chosen proposals, as one decision" }
                    p {
                        a href=(request.link(&[PROPOSALS], &query)) {
                            @if selects_all { "Choose none" } @else { "Choose all (" (n_choosable) ")" }
                        }
                    }
                    div.reason {
                        label for="reason" { "Reason, if they are discarded" }
                        input #reason name="reason" autocomplete="off";
                    }
                    button type="submit" name="decision" value="accept" data-key="a" { "Accept the chosen ones" }
                    button.danger type="submit" name="decision" value="discard" data-key="d" {
                        "Discard the chosen ones"
                    }
                }
            }
        }
    }
}

fn pending_heading(page: &BlogPage<'_>, state: &ProposalState, now: i64) -> Markup {
    let proposal = &state.proposal;
    html! {
        h2 { a href=(page.request.link(&[PROPOSALS, &proposal.id], &[])) data-item { (reveal(&proposal.title)) } }
        ul.meta {
            li { (proposal.kind.title()) }
            li { "by " (proposer(proposal)) }
            li { (until(proposal.expires_at, now)) }
        }
    }
}

fn decided_list(page: &BlogPage<'_>, found: &[ProposalState]) -> Markup {
    html! {
        @if found.is_empty() { p.soft { "Nothing yet. A decision is shown for 30 days." } }
        @else {
            ul.items {
                @for state in found {
                    li {
                        h3 {
                            a href=(page.request.link(&[PROPOSALS, &state.proposal.id], &[])) data-item {
                                (reveal(&state.proposal.title))
                            }
                        }
                        ul.meta {
                            li { (status_label(state.status(proposal_time_ms()))) }
                            li { (state.proposal.kind.title()) }
                            @match &state.decision {
                                Some(decision) => {
                                    li { "by " (verdict(decision)) }
                                    li { (moment(decision.at)) }
                                },
                                None => li { (moment(state.proposal.expires_at)) },
                            }
                        }
                        @if let Some(reason) = state.decision.as_ref().and_then(|decision| decision.reason.as_ref()) {
                            p { "Reason: " (reveal(reason)) }
                        }
                    }
                }
            }
        }
    }
}

fn more_decided(page: &BlogPage<'_>, last: &str) -> Markup {
    html! {
        nav.pages aria-label="More decisions" {
            span {}
            a rel="next" href=(page.request.link(&[PROPOSALS, "decided"], &[(BEFORE, last)])) {
                "Older →"
            }
        }
    }
}
