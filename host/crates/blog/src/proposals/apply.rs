//! The steps of a decision, carried out.
//!
//! Owns: that each can be repeated after a crash, and that a file which is neither as it was nor as it will be stays.
//! Never: decides anything.

use super::Decided;
use super::plan::{FileStep, PlanError, digest_of, read_text};
use super::store::ProposalStore;
use crate::index::BlogSource;
use wardroom_appdir::{AppDirError, Privacy};

/// What carrying out a decision did.
#[derive(Debug, Default)]
pub(crate) struct Applied {
    /// The files that changed.
    pub(crate) files: Vec<String>,
    /// The files that somebody else changed meanwhile, and that stay as they are.
    pub(crate) left_alone: Vec<String>,
}

/// Carries out a decision, from whatever a crash left of it, and ends it.
///
/// # Errors
/// When a file cannot be written. The next process that decides something tries again.
pub(crate) fn carry_out(source: &BlogSource, decided: &Decided) -> Result<Applied, PlanError> {
    let mut applied = Applied::default();
    for step in &decided.steps {
        let (path, is_done) = match step {
            FileStep::Write { path, before, text } => (path, write(source, path, before.as_deref(), text)?),
            FileStep::Remove { path, before } => (path, remove(source, path, before)?),
        };
        if is_done {
            applied.files.push(path.clone());
        } else {
            tracing::warn!(path, "a file of the blog changed while a decision on it was carried out: it stays");
            applied.left_alone.push(path.clone());
        }
    }
    ProposalStore::new(&source.folder).finish(&decided.proposal.id)?;
    Ok(applied)
}

/// Returns whether the file has the text.
fn write(source: &BlogSource, path: &str, before: Option<&str>, text: &str) -> Result<bool, PlanError> {
    let found = read_text(source, path)?.map(|text| digest_of(&text));
    if found.as_deref() == Some(&*digest_of(text)) {
        return Ok(true);
    }
    if found.as_deref() != before {
        return Ok(false);
    }
    if let Some((folder, _)) = path.rsplit_once('/') {
        source.folder.create_folder(folder)?;
    }
    if before.is_some() {
        source.folder.write(path, text.as_bytes(), Privacy::Preserve)?;
        return Ok(true);
    }
    match source.folder.create_file(path, text.as_bytes(), Privacy::Shared) {
        Ok(()) => Ok(true),
        Err(AppDirError::AlreadyExists(_)) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Returns whether the file is gone.
fn remove(source: &BlogSource, path: &str, before: &str) -> Result<bool, PlanError> {
    match read_text(source, path)? {
        None => Ok(true),
        Some(text) if digest_of(&text) == before => match source.folder.remove_file(path) {
            Ok(()) | Err(AppDirError::NotFound(_)) => Ok(true),
            Err(error) => Err(error.into()),
        },
        Some(_) => Ok(false),
    }
}
