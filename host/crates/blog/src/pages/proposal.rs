//! One proposal: what it changes, beside how that will look, and the forms that decide on it.
//!
//! Owns: that a form has the digest of what the page shows.
//! Never: decides.

use maud::{Markup, html};

use super::changes::{check_result, code, difference, field_table};
use super::highlight::CodeLanguage;
use super::parts::{form_token, moment, notes, thumbnail, until};
use super::{BlogPage, PROPOSALS, content_page};
use crate::index::row::MediaRow;
use crate::proposals::edit::editable_text;
use crate::proposals::field_diff::changed_fields;
use crate::proposals::new::service_error;
use crate::proposals::plan::Conflict;
use crate::proposals::review::{ReviewedProposal, not_found};
use crate::proposals::{Decision, Proposal, ProposalKind, ProposalState};
use wardroom_base::hidden_chars::reveal;
use wardroom_service::proposal::{ProposalStatus, proposal_time_ms};
use wardroom_service::{ContentPage, PageStatus, ServiceError};

/// The field of a form with the digest of what was shown.
pub(super) const DIGEST: &str = "digest";

/// Shows a proposal. `refusal` says why a decision was not made; the page shows what is there instead.
pub(super) fn show(page: &BlogPage<'_>, id: &str, refusal: Option<&str>) -> Result<ContentPage, ServiceError> {
    let (request, now) = (page.request, proposal_time_ms());
    let state = page.state.find_proposal(id)?.ok_or_else(|| not_found(id))?;
    let shown = page.review().show(id)?;
    let is_pending = shown.status() == ProposalStatus::Pending.as_str();
    let content = html! {
        h1 { (reveal(&state.proposal.title)) }
        ul.meta {
            li { (status_label(state.status(now))) }
            li { (state.proposal.kind.title()) }
            li { "by " (proposer(&state.proposal)) }
            li { (moment(state.proposal.created_at)) }
            @if is_pending { li { (until(state.proposal.expires_at, now)) } }
            li { code { (shown.path) } }
        }
        (notes(&page.state.notes))
        @if let Some(refusal) = refusal { p.note.error role="alert" { (refusal) } }
        @if !is_pending { (outcome(&state)) }
        @if let Some(conflict) = &shown.conflict { (self::conflict(&shown, conflict)) }
        (change(page, &state, &shown)?)
        @if let Some(draft) = &shown.removes { p.soft { "Accepting it removes the draft " code { (draft) } "." } }
        @if is_pending {
            @match page.undecidable() {
                Some(reason) => p.note { (reason) },
                None => (forms(page, &state.proposal, &shown)?),
            }
        }
        p { a href=(request.link(&[PROPOSALS], &[])) { "← All proposals" } }
    };
    let mut shown = content_page(reveal(&state.proposal.title), PROPOSALS, content);
    if refusal.is_some() {
        shown.status = PageStatus::Conflict;
    }
    Ok(shown)
}

pub(super) fn proposer(proposal: &Proposal) -> Markup {
    html! { (reveal(&proposal.proposer.who)) " (" (reveal(&proposal.proposer.through)) ")" }
}

/// Shows who decided, and through what.
pub(super) fn verdict(decision: &Decision) -> Markup {
    html! { (reveal(&decision.who)) " (" (reveal(&decision.through)) ")" }
}

pub(super) fn status_label(status: ProposalStatus) -> Markup {
    html! { span class={ "status " (status.as_str()) } { (status.as_str()) } }
}

fn outcome(state: &ProposalState) -> Markup {
    html! {
        p.note {
            @match &state.decision {
                Some(decision) if decision.status != ProposalStatus::Expired => {
                    "This proposal was " (decision.status.as_str()) " by " (verdict(decision))
                    " at " (moment(decision.at)) "."
                    @if let Some(reason) = &decision.reason { " Reason: " (reveal(reason)) }
                    @if let Some(reason) = state.unwritten() { br; "But " (reveal(&reason)) "." }
                    br;
                    "Digest of what was decided on: " code { (decision.digest) }
                },
                _ => {
                    "This proposal expired at " (moment(state.proposal.expires_at))
                    ". Nothing became public. It can be proposed again."
                },
            }
        }
    }
}

fn conflict(shown: &ReviewedProposal, reason: &str) -> Markup {
    let texts = |Conflict { base, theirs, ours, .. }: &Conflict| {
        html! {
            @if !base.is_empty() {
                div.columns {
                    div { h3 { "What others changed since" } (difference(base, theirs)) }
                    div { h3 { "What is proposed" } (difference(base, ours)) }
                }
            }
            @let known = [("When it was proposed", base), ("As it is now", theirs), ("As it was proposed", ours)];
            @for (title, text) in known.iter().filter(|(_, text)| !text.is_empty()) {
                details { summary { (title) } pre tabindex="0" { code { (reveal(text)) } } }
            }
        }
    };
    html! {
        section aria-label="Conflict" {
            h2 {
                @if shown.texts.is_some() { "The file changed meanwhile" } @else { "It cannot be accepted as it is" }
            }
            @for line in reason.lines() { p.note.error { (line) } }
            @if shown.can_merge {
                p { "Both changes go together. What follows is the merge of both, beside the file as it is now." }
            }
            @if let Some(conflict) = &shown.texts { (texts(conflict)) }
        }
    }
}

fn change(page: &BlogPage<'_>, state: &ProposalState, shown: &ReviewedProposal) -> Result<Markup, ServiceError> {
    let (request, source, proposal) = (page.request, &page.state.source, &state.proposal);
    let fields = changed_fields(source, &shown.path, &shown.before, &shown.after)?;
    let code_language = match proposal.kind {
        ProposalKind::ProposeScript => Some(CodeLanguage::Lua),
        ProposalKind::ProposeTemplate => Some(CodeLanguage::Liquid),
        _ => None,
    };
    let media = media_of(page, proposal)?;
    // The frame shows what the page shows, or nothing.
    let digest: Vec<(&str, &str)> = shown.digest.as_deref().map(|digest| (DIGEST, digest)).into_iter().collect();
    let preview = request.link(&[PROPOSALS, &proposal.id, "preview"], &digest);
    Ok(html! {
        @if let Some(media) = &media { p.shown-media { (thumbnail(request, media)) } }
        @if let Some(language) = code_language { (checked_code(page, language, shown)?) }
        @if proposal.changes_text() {
            div.columns {
                section aria-label="Preview" {
                    h2 { @if state.decision.is_none() { "As it will look" } @else { "As it was proposed" } }
                    iframe.preview src=(preview) title=(format!("The text of {}", proposal.title)) sandbox="" {}
                    p.soft { a href=(preview) { "The text alone" } ". Its links open nothing here." }
                }
                section aria-label="Changes" {
                    h2 { "What changes" }
                    (difference(&shown.before, &shown.after))
                    details #source {
                        summary { "The whole file" }
                        pre tabindex="0" { code { (reveal(&shown.after)) } }
                    }
                }
            }
        }
        @if !fields.is_empty() {
            h2 { "Fields" }
            (field_table("Fields that change", &fields, !shown.before.is_empty()))
        }
        @if !proposal.changes_text() {
            details #difference { summary { "The lines of the file" } (difference(&shown.before, &shown.after)) }
        }
    })
}

/// Returns the media item that a proposal is about, whose picture a person needs for its texts.
pub(super) fn media_of(page: &BlogPage<'_>, proposal: &Proposal) -> Result<Option<MediaRow>, ServiceError> {
    if proposal.kind.is_of_media() { page.state.find_media(&proposal.entity_id) } else { Ok(None) }
}

fn checked_code(page: &BlogPage<'_>, language: CodeLanguage, shown: &ReviewedProposal) -> Result<Markup, ServiceError> {
    let source = &page.state.source;
    let (_, body) = source.split_body(&shown.path, &shown.after).map_err(service_error)?;
    let problems = match language {
        CodeLanguage::Lua => source.sandbox.check_script(body.as_bytes()),
        CodeLanguage::Liquid => source.sandbox.check_template(body.as_bytes()),
    };
    let check = match problems {
        Ok(problems) => check_result(&problems),
        Err(error) if error.is_of_document() => html! { p.note.error { "It cannot be checked: " (error) } },
        Err(error) => return Err(ServiceError::internal("the source cannot be checked in the sandbox now", error)),
    };
    Ok(html! { h2 { "Code" } (check) (code(language, body)) })
}

fn forms(page: &BlogPage<'_>, proposal: &Proposal, shown: &ReviewedProposal) -> Result<Markup, ServiceError> {
    let request = page.request;
    let link = |action: &str| request.link(&[PROPOSALS, &proposal.id, action], &[]);
    let can_edit = editable_text(&page.state.source, proposal).map_err(service_error)?.is_some();
    Ok(html! {
        div.actions {
            @if let Some(digest) = &shown.digest {
                form method="post" action=(link("accept")) {
                    (form_token(request))
                    input type="hidden" name=(DIGEST) value=(digest);
                    button type="submit" data-key="a" {
                        @if shown.can_merge { "Accept the merge" } @else { "Accept" }
                    }
                }
            }
            @if can_edit { a.button.second href=(link("edit")) { "Edit, then accept" } }
            form.discard method="post" action=(link("discard")) {
                (form_token(request))
                div.reason {
                    label for="reason" { "Reason for discarding, which the proposer reads" }
                    input #reason name="reason" autocomplete="off";
                }
                button.danger type="submit" data-key="d" { "Discard" }
            }
        }
    })
}
