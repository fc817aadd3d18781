//! The proposals of agents: those that a person has to decide on, one of them with its bullets, and the decision.
//!
//! Owns: that a form has the digest of what the page shows, and the pages that say why nothing was decided.
//! Never: decides without that digest.

use maud::{Markup, html};

use super::parts::{bullet_text, counters};
use super::{LearningPage, PROPOSALS, content_page};
use crate::error_code as code;
use crate::limits::MAX_FIELD_CHARS;
use crate::proposals::review::{BulletProposalItem, ReviewedBullets};
use crate::proposals::{BulletChangeKind, BulletDecisionOutcome};
use crate::sanitize::reveal;
use wardroom_service::audit::AuditSource;
use wardroom_service::{ContentPage, FORM_TOKEN_FIELD, PageReply, PageStatus, ServiceError};

/// The field of a form with the digest of what was shown.
const DIGEST: &str = "digest";
const READ_ONLY: &str =
    "This server may not write: decide with wardroom ace proposals, or start it without --read-only.";

pub(super) fn list(page: &LearningPage<'_>) -> Result<ContentPage, ServiceError> {
    let (pending, decided): (Vec<_>, Vec<_>) =
        page.log.proposal_items()?.into_iter().partition(|item| item.status == "pending");
    let content = html! {
        h1 { "Proposals" }
        @if page.log.files.is_read_only() { p.note { (READ_ONLY) } }
        @if pending.is_empty() {
            p.soft { "Nothing waits for a decision." }
        } @else {
            ol.items { @for item in &pending { (entry(page, item)) } }
        }
        h2 { "Decided before" }
        @if decided.is_empty() {
            p.soft { "Nothing yet. A decision is shown for 30 days." }
        } @else {
            ul.items { @for item in &decided { (entry(page, item)) } }
        }
    };
    Ok(content_page("Proposals", PROPOSALS, content))
}

fn entry(page: &LearningPage<'_>, item: &BulletProposalItem) -> Markup {
    html! {
        li {
            @let link = html! { a href=(page.request.link(&[PROPOSALS, &item.id], &[])) data-item { (title(item)) } };
            // What is decided stands below a heading of its own.
            @if item.status == "pending" { h2 { (link) } } @else { h3 { (link) } }
            (about(item))
            p { (reveal(&item.reason)) }
            @if let Some(reason) = &item.decision_reason { p { "Discarded because: " (reveal(reason)) } }
        }
    }
}

fn title(item: &BulletProposalItem) -> String {
    let ids: Vec<String> = item.bullets.iter().map(|bullet| reveal(&bullet.id)).collect();
    let kind = match item.kind {
        BulletChangeKind::Update => "Other words for",
        BulletChangeKind::Merge => "Merge of",
        BulletChangeKind::Remove => "Removal of",
    };
    format!("{kind} {}", ids.join(", "))
}

fn about(item: &BulletProposalItem) -> Markup {
    html! {
        ul.meta {
            li { span class={ "status " (item.status) } { (item.status) } }
            li { "by " (reveal(&item.proposed_by)) }
            @if !item.bead_id.is_empty() { li { "task " code { (reveal(&item.bead_id)) } } }
            li { "made " (item.created_at) }
            @if item.status == "pending" { li { "until " (item.expires_at) } }
            @if let Some(by) = &item.decided_by { li { "decided by " (reveal(by)) } }
        }
    }
}

/// Shows a proposal. `refusal` says why a decision was not made; the page shows what is there instead.
pub(super) fn show(page: &LearningPage<'_>, id: &str, refusal: Option<&str>) -> Result<ContentPage, ServiceError> {
    let shown = page.review().show(id).map_err(|error| to_page_error(page, error))?;
    let item = &shown.item;
    let content = html! {
        h1 { (title(item)) }
        (about(item))
        @if let Some(refusal) = refusal { p.note.error role="alert" { (refusal) } }
        @if let Some(reason) = &item.decision_reason { p.note { "Discarded because: " (reveal(reason)) } }
        h2 { "Why" }
        p { (reveal(&item.reason)) }
        @if let Some(conflict) = &shown.conflict { p.note.error { (reveal(conflict)) } }
        @if shown.has_changed {
            p.note.error { "A bullet changed since this was proposed. Below is how it was, and how it is now." }
        }
        @if shown.has_changed || shown.current.is_empty() { (seen(&shown)) }
        @if !shown.current.is_empty() { (current(&shown)) }
        @if item.kind != BulletChangeKind::Remove {
            h2 { "What it says then" }
            div.diff { ins { (bullet_text(&item.content)) } }
        }
        @if shown.status() == "pending" {
            @if page.log.files.is_read_only() { p.note { (READ_ONLY) } } @else { (forms(page, &shown)) }
        }
        p { a href=(page.request.link(&[PROPOSALS], &[])) { "← All proposals" } }
    };
    let mut reply = content_page(title(item), PROPOSALS, content);
    if refusal.is_some() {
        reply.status = PageStatus::Conflict;
    }
    Ok(reply)
}

fn seen(shown: &ReviewedBullets) -> Markup {
    html! {
        h2 { "As it was proposed" }
        ul.items {
            @for bullet in &shown.item.bullets {
                li {
                    p { (bullet_text(&bullet.content)) }
                    ul.meta { li { code { (reveal(&bullet.id)) } } li { (reveal(&bullet.section)) } }
                }
            }
        }
    }
}

fn current(shown: &ReviewedBullets) -> Markup {
    let kind = shown.item.kind;
    html! {
        h2 { "As it is now" }
        ul.items {
            @for (at, bullet) in shown.current.iter().enumerate() {
                li {
                    p { (bullet_text(&bullet.content)) }
                    ul.meta {
                        li { code { (reveal(&bullet.id)) } }
                        (counters(bullet.helpful, bullet.harmful))
                        li { (reveal(&bullet.section)) }
                        @match (kind, at) {
                            (BulletChangeKind::Remove, _) => li { "is removed" },
                            (BulletChangeKind::Merge, 0) => li { "stays, with the counters of all" },
                            (BulletChangeKind::Merge, _) => li { "is removed" },
                            (BulletChangeKind::Update, _) => li { "stays, with its counters" },
                        }
                    }
                }
            }
        }
    }
}

fn forms(page: &LearningPage<'_>, shown: &ReviewedBullets) -> Markup {
    let request = page.request;
    let link = |action: &str| request.link(&[PROPOSALS, &shown.item.id, action], &[]);
    let token = || html! { input type="hidden" name=(FORM_TOKEN_FIELD) value=(request.form_token); };
    html! {
        div.actions {
            @if let Some(digest) = &shown.digest {
                form method="post" action=(link("accept")) {
                    (token())
                    input type="hidden" name=(DIGEST) value=(digest);
                    button type="submit" data-key="a" { "Accept" }
                }
            }
            form.discard method="post" action=(link("discard")) {
                (token())
                div.reason {
                    label for="reason" { "Reason for discarding, which agents read" }
                    input #reason name="reason" autocomplete="off" maxlength=(MAX_FIELD_CHARS);
                }
                button.danger type="submit" data-key="d" { "Discard" }
            }
        }
    }
}

pub(super) fn accept(page: &LearningPage<'_>, id: &str) -> Result<PageReply, ServiceError> {
    let digest = page.request.form.get(DIGEST).unwrap_or_default();
    reply(page, id, |page| page.review().accept(id, digest, &AuditSource::review_page()))
}

pub(super) fn discard(page: &LearningPage<'_>, id: &str) -> Result<PageReply, ServiceError> {
    let reason = page.request.form.filled("reason");
    if reason.is_some_and(|reason| reason.chars().count() > MAX_FIELD_CHARS) {
        return Err(ServiceError::Invalid(format!(
            "the reason has more than {MAX_FIELD_CHARS} characters: shorten it"
        )));
    }
    reply(page, id, |page| page.review().discard(id, reason, &AuditSource::review_page()))
}

fn reply(
    page: &LearningPage<'_>,
    id: &str,
    decide: impl FnOnce(&LearningPage<'_>) -> Result<BulletDecisionOutcome, ServiceError>,
) -> Result<PageReply, ServiceError> {
    if page.log.files.is_read_only() {
        return show(page, id, Some(READ_ONLY)).map(PageReply::Page);
    }
    match decide(page) {
        Ok(_) => Ok(PageReply::Redirect(page.request.link(&[PROPOSALS, id], &[]))),
        Err(ServiceError::Tool { code: code::PROPOSAL_CONFLICT, message, .. }) => {
            show(page, id, Some(&format!("Nothing was decided: {message}."))).map(PageReply::Page)
        }
        Err(error) => Err(to_page_error(page, error)),
    }
}

/// A proposal that does not exist is a page that does not exist.
fn to_page_error(page: &LearningPage<'_>, error: ServiceError) -> ServiceError {
    match error {
        ServiceError::Tool { code: code::PROPOSAL_NOT_FOUND, .. } => page.request.not_found(),
        error => error,
    }
}
