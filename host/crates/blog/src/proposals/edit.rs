//! What a person writes into a proposal before accepting it.
//!
//! Owns: which text can be edited, and that an edit replaces what the person saw, and nothing else.
//! Never: decides, or changes a file that people see.

use super::decide::DecideError;
use super::plan::{PlanError, digest_of, read_text};
use super::store::ProposalStore;
use super::{Proposal, ProposalState};
use crate::index::BlogSource;
use crate::limits::MAX_BLOG_DOCUMENT_BYTES;
use crate::proposals::change::{Draft, FieldChange, is_same_name};
use wardroom_appdir::AppDirError;
use wardroom_service::proposal::{ProposalStatus, proposal_time_ms};

/// The text of a proposal that a person can edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EditableText {
    pub(crate) text: String,
    /// The digest of the text, which saving names.
    pub(crate) digest: String,
    /// Whether this is the draft with its front matter, and not a body.
    pub(crate) is_draft: bool,
}

/// Why an edit was not saved.
#[derive(Debug)]
pub(crate) enum SaveEditError {
    /// The proposal is not pending any more.
    Decided(Box<ProposalState>),
    /// The text changed since it was shown.
    Changed,
    /// What is wrong with the text.
    Invalid(String),
    Failed(DecideError),
}

impl<E: Into<DecideError>> From<E> for SaveEditError {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// Returns the text of a proposal that can be edited: its own draft, or the proposed body. `None` where it has neither.
///
/// # Errors
/// When the draft cannot be read.
pub(crate) fn editable_text(source: &BlogSource, proposal: &Proposal) -> Result<Option<EditableText>, PlanError> {
    let draft = match own_draft(proposal) {
        Some(draft) => read_text(source, &draft.path)?,
        None => None,
    };
    let is_draft = draft.is_some();
    let text = draft.or_else(|| proposal.change.body.clone());
    Ok(text.map(|text| EditableText { digest: digest_of(&text), text, is_draft }))
}

/// Saves what a person wrote. The proposal says that from then on, and is still to be decided.
///
/// # Errors
/// When the proposal is not what the person saw, or cannot say that. Then nothing is written.
pub(crate) fn save_edit(source: &BlogSource, id: &str, digest: &str, text: &str) -> Result<(), SaveEditError> {
    let store = ProposalStore::new(&source.folder);
    let lock = store.lock()?;
    let state = store.find(id, proposal_time_ms())?.ok_or(DecideError::NotFound)?;
    if state.status(proposal_time_ms()) != ProposalStatus::Pending {
        return Err(SaveEditError::Decided(Box::new(state)));
    }
    let mut proposal = state.proposal;
    let Some(editable) = editable_text(source, &proposal)? else {
        return Err(SaveEditError::Invalid("this proposal has no text".to_owned()));
    };
    if editable.digest != digest {
        return Err(SaveEditError::Changed);
    }
    if text.trim().is_empty() {
        return Err(SaveEditError::Invalid("the text is empty: discard the proposal instead".to_owned()));
    }
    let text = with_line_ends_of(&editable.text, text);
    if text == editable.text {
        return Ok(());
    }
    if editable.is_draft {
        let Some(draft) = own_draft(&proposal) else { return Err(SaveEditError::Changed) };
        let text = draft_text(source, &proposal, &draft.path, &text)?;
        check_size(&text)?;
        // Another program may write the file at any moment: an editor knows nothing of the lock.
        let before = editable.text.as_bytes();
        return match source.folder.write_if_unchanged(&draft.path, text.as_bytes(), before) {
            Ok(true) => Ok(()),
            Ok(false) | Err(AppDirError::NotFound(_)) => Err(SaveEditError::Changed),
            Err(error) => Err(PlanError::Store(error).into()),
        };
    }
    proposal.change.body = Some(text);
    let base = proposal.change.base.clone().unwrap_or_default();
    let after = proposal.change.apply_to(source, &base)?;
    if after == base {
        return Err(SaveEditError::Invalid(
            "this is what the blog says already: discard the proposal instead".to_owned(),
        ));
    }
    check_size(&after)?;
    Ok(store.replace(&lock, &proposal)?)
}

/// Returns the draft that was made for a proposal, unlike one that a person made.
fn own_draft(proposal: &Proposal) -> Option<&Draft> {
    proposal.change.draft.as_ref().filter(|draft| draft.digest.is_some())
}

/// Checks that a draft can be read, and names its proposal, without which it would be a post of its own.
fn draft_text(source: &BlogSource, proposal: &Proposal, path: &str, text: &str) -> Result<String, SaveEditError> {
    let refused = |error| match error {
        PlanError::Unreadable(message) => SaveEditError::Invalid(message),
        error => error.into(),
    };
    let fields = source.field_values(path, text).map_err(refused)?;
    let value = |name: &str| fields.iter().find(|(known, _)| is_same_name(known, name)).map(|(_, value)| value);
    let id_before = proposal.change.fields.iter().find(|field| field.name == "id").map(|field| &field.value);
    if let Some(id) = id_before
        && value("id") != Some(id)
    {
        return Err(SaveEditError::Invalid("the field id names what is proposed: leave it as it was".to_owned()));
    }
    if value("proposal").is_some_and(|named| named == &*proposal.id) {
        return Ok(text.to_owned());
    }
    source.set_fields(path, text, &[FieldChange::new("proposal", proposal.id.as_str())]).map_err(refused)
}

fn check_size(text: &str) -> Result<(), SaveEditError> {
    if text.len() as u64 > MAX_BLOG_DOCUMENT_BYTES {
        return Err(SaveEditError::Invalid("the file would be larger than 1 MiB".to_owned()));
    }
    Ok(())
}

/// Returns a text from a form, in which every line ends with CR and LF, with the line ends that it had.
fn with_line_ends_of(before: &str, text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let text = if text.ends_with('\n') { text } else { format!("{text}\n") };
    if before.contains("\r\n") { text.replace('\n', "\r\n") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_stay() {
        assert_eq!(with_line_ends_of("a\nb\n", "a\r\nc"), "a\nc\n");
        assert_eq!(with_line_ends_of("a\r\nb\r\n", "a\r\nc\r\n"), "a\r\nc\r\n");
    }
}
