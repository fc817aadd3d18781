//! The names of the documents in a folder, within one budget of names for all folders of a list.

use wardroom_appdir::{AppDirError, DirEntry, EntryKind, Folder};
use wardroom_base::uri::IdKind;
use wardroom_rules::id;
use wardroom_service::ServiceError;

/// Returns the names of the files of a folder that end in `suffix`, without it. A missing folder has none.
pub(super) fn list_stems(
    app: &Folder,
    folder: &str,
    suffix: &str,
    budget: &mut usize,
) -> Result<Vec<String>, ServiceError> {
    match app.open_folder(folder) {
        Ok(folder) => list_stems_in(&folder, suffix, budget),
        Err(AppDirError::NotFound(_)) => Ok(Vec::new()),
        Err(error) => Err(list_error(error)),
    }
}

/// Returns the entries of a folder. A missing folder has none.
pub(super) fn list_entries(app: &Folder, folder: &str, budget: &mut usize) -> Result<Vec<DirEntry>, ServiceError> {
    match app.open_folder(folder).and_then(|folder| folder.entries_with_budget(budget)) {
        Err(AppDirError::NotFound(_)) => Ok(Vec::new()),
        listed => listed.map_err(list_error),
    }
}

/// Returns the names like [`list_stems`], of a folder that is open.
pub(super) fn list_stems_in(folder: &Folder, suffix: &str, budget: &mut usize) -> Result<Vec<String>, ServiceError> {
    let entries = folder.entries_with_budget(budget).map_err(list_error)?;
    let files = entries.into_iter().filter(|entry| matches!(entry.kind, EntryKind::File | EntryKind::Symlink));
    Ok(files.filter_map(|entry| entry.name.strip_suffix(suffix).map(str::to_owned)).collect())
}

/// Drops the names of summaries: `x.meta.json` is the summary of `x.json`.
pub(super) fn drop_summaries(mut names: Vec<String>) -> Vec<String> {
    names.retain(|name| !name.ends_with(".meta"));
    names
}

fn list_error(error: AppDirError) -> ServiceError {
    ServiceError::internal("cannot list the names", error)
}

/// Returns the stem of a document's file name, but `None` for a summary: `x.meta.json` is the summary of `x.json`.
pub(super) fn document_stem(name: &str) -> Option<&str> {
    name.strip_suffix(".json").filter(|stem| !stem.ends_with(".meta"))
}

/// Returns an id if it is one of this kind.
pub(super) fn validate_id(kind: IdKind, id: String) -> Option<String> {
    id::check(kind, &id).is_ok().then_some(id)
}
