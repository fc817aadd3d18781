//! The page on which a person edits the text of a proposal before accepting it.
//!
//! Owns: the form. What was saved is shown again, and accepted from there.
//! Never: decides.

use maud::{Markup, html};

use super::parts::form_token;
use super::proposal::{self, DIGEST};
use super::{BlogPage, PROPOSALS, content_page};
use crate::proposals::edit::{EditableText, SaveEditError, editable_text, save_edit};
use crate::proposals::new::service_error;
use crate::proposals::review::{decide_error, not_found};
use wardroom_base::hidden_chars::reveal;
use wardroom_service::proposal::{ProposalStatus, proposal_time_ms};
use wardroom_service::{ContentPage, PageReply, PageStatus, ServiceError};

pub(super) fn show(page: &BlogPage<'_>, id: &str) -> Result<PageReply, ServiceError> {
    let found = page.state.find_proposal(id)?.ok_or_else(|| not_found(id))?;
    if found.status(proposal_time_ms()) != ProposalStatus::Pending || page.undecidable().is_some() {
        return Ok(PageReply::Redirect(page.request.link(&[PROPOSALS, id], &[])));
    }
    let text = editable_text(&page.state.source, &found.proposal).map_err(service_error)?;
    let text = text.ok_or_else(|| page.request.not_found())?;
    Ok(PageReply::Page(form(page, id, &found.proposal.title, &text, None)))
}

pub(super) fn save(page: &BlogPage<'_>, id: &str) -> Result<PageReply, ServiceError> {
    let found = page.state.find_proposal(id)?.ok_or_else(|| not_found(id))?;
    let refuse = |reason: &str| proposal::show(page, id, Some(reason)).map(PageReply::Page);
    if let Some(reason) = page.undecidable() {
        return refuse(reason);
    }
    let form_fields = &page.request.form;
    let (digest, text) = (form_fields.get(DIGEST).unwrap_or_default(), form_fields.get("text").unwrap_or_default());
    match save_edit(&page.state.source, id, digest, text) {
        Ok(()) => {
            page.state.index.update_files(found.proposal.change.draft.iter().map(|draft| draft.path.clone()));
            Ok(PageReply::Redirect(page.request.link(&[PROPOSALS, id], &[])))
        }
        Err(SaveEditError::Decided(state)) => {
            let status = state.status(proposal_time_ms());
            refuse(&format!("Your text was not saved: the proposal is {} by now.", status.as_str()))
        }
        Err(SaveEditError::Changed) => {
            // The person's text stays in the form. Saving it again replaces what is there now, which the page shows.
            let now = editable_text(&page.state.source, &found.proposal).map_err(service_error)?;
            let Some(now) = now else { return refuse("Your text was not saved: the proposal has no text any more.") };
            let kept = EditableText { text: text.to_owned(), ..now.clone() };
            let reason = html! {
                p.note.error role="alert" {
                    "Your text was not saved, because another program or person changed it meanwhile. It is still here; saving it \
                     again replaces this:"
                }
                pre tabindex="0" { code { (now.text) } }
            };
            let mut shown = form(page, id, &found.proposal.title, &kept, Some(&reason));
            shown.status = PageStatus::Conflict;
            Ok(PageReply::Page(shown))
        }
        Err(SaveEditError::Invalid(message)) => {
            let is_draft = found.proposal.change.draft.is_some();
            let kept = EditableText { text: text.to_owned(), digest: digest.to_owned(), is_draft };
            let reason = html! { p.note.error role="alert" { "Your text was not saved: " (message) "." } };
            let mut shown = form(page, id, &found.proposal.title, &kept, Some(&reason));
            shown.status = PageStatus::Invalid;
            Ok(PageReply::Page(shown))
        }
        Err(SaveEditError::Failed(error)) => Err(decide_error(id, error)),
    }
}

fn form(page: &BlogPage<'_>, id: &str, title: &str, text: &EditableText, reason: Option<&Markup>) -> ContentPage {
    let request = page.request;
    let content = html! {
        h1 { "Edit " (reveal(title)) }
        @if let Some(reason) = reason { (reason) }
        form method="post" action=(request.link(&[PROPOSALS, id, "edit"], &[])) {
            (form_token(request))
            input type="hidden" name=(DIGEST) value=(text.digest);
            label for="text" { @if text.is_draft { "The draft" } @else { "The proposed text" } }
            // A browser takes away a line end that follows the tag.
            textarea.code #text name="text" rows="24" spellcheck="true" { "\n" (text.text) }
            div.actions {
                button type="submit" { "Save, and look at it again" }
                a.button.second href=(request.link(&[PROPOSALS, id], &[])) { "Cancel" }
            }
        }
        p.soft { "Saving makes nothing public. The proposal then says what you wrote, and you accept it on its page." }
    };
    content_page(format!("Edit {}", reveal(title)), PROPOSALS, content)
}
