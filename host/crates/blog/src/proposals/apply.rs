//! The steps of a decision, carried out.
//!
//! Owns: that each can be repeated after a crash, and that a file which is neither as it was nor as it will be stays.
//! Never: decides anything.

use std::time::Duration;

use super::decide::DecideError;
use super::plan::{FileStep, Found, PlanError, digest_of_bytes, is_named_by_slug, look};
use super::store::{ProposalStore, StoreError};
use super::{Decided, Proposal};
use crate::index::BlogSource;
use crate::limits::MAX_BLOG_DOCUMENT_BYTES;
use wardroom_appdir::{AppDirError, Privacy};

/// What carrying out a decision did.
#[derive(Debug, Default)]
pub(crate) struct Applied {
    /// The files that changed.
    pub(crate) files: Vec<String>,
    /// The files that other programs changed meanwhile, and that stay as they are.
    pub(crate) left_alone: Vec<String>,
}

/// Carries out a decision once, from whatever a crash left of it, and ends it: the file of the decision says that it is
/// carried out before the file of the proposal goes. One who puts that file back later repeats nothing.
///
/// # Errors
/// When a file cannot be written. The next process that decides something tries again.
pub(crate) fn carry_out(source: &BlogSource, decided: &Decided) -> Result<Applied, DecideError> {
    let store = ProposalStore::new(&source.folder);
    let applied = match decided.is_carried_out {
        Some(false) => take_steps(source, &decided.proposal, &decided.steps)?,
        Some(true) => Applied { files: Vec::new(), left_alone: decided.left_alone.clone() },
        // It is not known whether an earlier program took the steps, and what people changed since must stay.
        None => Applied { files: Vec::new(), left_alone: missing_steps(source, &decided.steps)? },
    };
    if decided.is_carried_out != Some(true) {
        let left_alone = applied.left_alone.clone();
        store.amend(&Decided { left_alone, is_carried_out: Some(true), ..decided.clone() })?;
    }
    store.finish(&decided.proposal.id).map_err(StoreError::from)?;
    Ok(applied)
}

/// Returns the files that are not as steps make them.
fn missing_steps(source: &BlogSource, steps: &[FileStep]) -> Result<Vec<String>, PlanError> {
    let mut missing = Vec::new();
    for step in steps {
        let is_taken = match (step, look(source, step.path())?) {
            (FileStep::Write { text, .. }, Found::Text { text: found, .. }) => found == *text,
            (FileStep::Remove { .. }, Found::Nothing) => true,
            _ => false,
        };
        if !is_taken {
            tracing::warn!(path = step.path(), "an earlier program may not have carried out a decision on this file");
            missing.push(step.path().to_owned());
        }
    }
    Ok(missing)
}

/// Takes the steps of a decision on a proposal, those that are not taken yet.
///
/// # Errors
/// When a file cannot be written.
pub(crate) fn take_steps(source: &BlogSource, proposal: &Proposal, steps: &[FileStep]) -> Result<Applied, PlanError> {
    let mut applied = Applied::default();
    for step in steps {
        let path = step.path();
        let is_done = match step {
            _ if !is_own(source, proposal, step) => false,
            FileStep::Write { path, before, text } => write(source, path, before.as_deref(), text)?,
            // Decisions remove drafts alone.
            FileStep::Remove { path, .. } if *path == proposal.change.path => false,
            // What was to be published is still there only.
            FileStep::Remove { .. } if !applied.left_alone.is_empty() => false,
            FileStep::Remove { path, before } => remove(source, path, before)?,
        };
        if is_done {
            applied.files.push(path.to_owned());
        } else {
            tracing::warn!(path, "a file of the blog changed while a decision on it was carried out: it stays");
            applied.left_alone.push(path.to_owned());
        }
    }
    Ok(applied)
}

/// Whether a step changes a file of its proposal. A forged record could name any file.
fn is_own(source: &BlogSource, proposal: &Proposal, step: &FileStep) -> bool {
    let (path, change) = (step.path(), &proposal.change);
    let is_named = path == change.path || change.draft.as_ref().is_some_and(|draft| draft.path == path);
    (is_named || is_new_place(source, proposal, step)) && source.layout.kind_of(path).is_some()
}

/// Removes the temporary files that a killed process left beside the files of its decision, which no other process writes below
/// the lock. One with a text that is neither the old nor the new one stays: another program wrote it at the last moment.
pub(super) fn remove_leftovers(source: &BlogSource, decided: &Decided) {
    for step in decided.steps.iter().filter(|step| is_own(source, &decided.proposal, step)) {
        let FileStep::Write { path, before, text } = step else { continue };
        let known = |digest: &str| Some(digest) == before.as_deref() || digest == digest_of_bytes(text.as_bytes());
        let removed = source.folder.link_target(path).and_then(|path| {
            let Some((folder, name)) = path.rsplit_once('/') else { return Ok(()) };
            let folder = source.folder.open_folder(folder)?;
            let start = format!(".{name}.");
            for leftover in folder.stale_temp_files(Duration::ZERO)?.iter().filter(|name| name.starts_with(&start)) {
                if !folder.remove_if(leftover, MAX_BLOG_DOCUMENT_BYTES, |bytes| known(&digest_of_bytes(bytes)))? {
                    tracing::warn!(
                        path = &*path,
                        leftover,
                        "another program's text is in a temporary file, which stays"
                    );
                }
            }
            Ok(())
        });
        match removed {
            Ok(()) | Err(AppDirError::NotFound(_)) => {}
            Err(error) => tracing::warn!(path, ?error, "temporary files of a killed process cannot be removed"),
        }
    }
}

/// Whether a step makes a new post beside the place that was proposed, by another slug.
fn is_new_place(source: &BlogSource, proposal: &Proposal, step: &FileStep) -> bool {
    let folder = |path: &str| path.rsplit_once('/').map(|(folder, _)| folder.to_owned());
    matches!(step, FileStep::Write { before: None, path, .. } if folder(path) == folder(&proposal.change.path))
        && is_named_by_slug(source, proposal)
}

/// Returns whether the file has the text. What other programs write at this moment stays.
pub(super) fn write(source: &BlogSource, path: &str, before: Option<&str>, text: &str) -> Result<bool, PlanError> {
    match (look(source, path)?, before) {
        (Found::Text { text: found, .. }, _) if found == text => return Ok(true),
        (Found::Text { text: found, digest }, Some(before)) if digest == before => {
            let path = &*source.folder.link_target(path)?;
            return Ok(source.folder.write_if_unchanged(path, text.as_bytes(), found.as_bytes())?);
        }
        (Found::Nothing, None) => {}
        _ => return Ok(false),
    }
    if let Some((folder, _)) = path.rsplit_once('/') {
        source.folder.create_folder(folder)?;
    }
    match source.folder.create_file(path, text.as_bytes(), Privacy::Shared) {
        Ok(()) => Ok(true),
        Err(AppDirError::AlreadyExists(_)) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Returns whether the file is gone. What other programs write at this moment stays.
pub(super) fn remove(source: &BlogSource, path: &str, before: &str) -> Result<bool, PlanError> {
    let is_expected = |bytes: &[u8]| digest_of_bytes(bytes) == before;
    match source.folder.remove_if(path, MAX_BLOG_DOCUMENT_BYTES, is_expected) {
        Err(AppDirError::NotFound(_)) => Ok(true),
        Err(AppDirError::OutsideRoot(_) | AppDirError::DanglingLink(_) | AppDirError::NotAFolder(_)) => Ok(false),
        removed => Ok(removed?),
    }
}
