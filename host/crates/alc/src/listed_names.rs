//! The names of the documents in a folder, within one budget of names for all folders of a list.

use wardroom_appdir::{AppDirError, DirEntry, EntryKind, Folder};
use wardroom_base::uri::IdKind;
use wardroom_rules::id;
use wardroom_service::ServiceError;

/// Returns the names of the files of a folder that end in `suffix`, without it, and that are wanted; unordered. A missing folder
/// has none.
pub(super) fn list_stems(
    app: &Folder,
    folder: &str,
    suffix: &str,
    budget: &mut usize,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Result<Vec<String>, ServiceError> {
    match app.open_folder(folder) {
        Ok(folder) => list_stems_in(&folder, suffix, budget, is_wanted),
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
pub(super) fn list_stems_in(
    folder: &Folder,
    suffix: &str,
    budget: &mut usize,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Result<Vec<String>, ServiceError> {
    let mut stems = Vec::new();
    let listed = folder.visit_names(budget, |name, _, kind| {
        let is_file = matches!(kind, EntryKind::File | EntryKind::Symlink);
        let stem = name.strip_suffix(suffix).filter(|stem| is_file && is_wanted(stem));
        stems.extend(stem.map(str::to_owned));
    });
    listed.map_err(list_error).map(|()| stems)
}

/// Whether the stem of a file's name is that of a summary: `x.meta.json` is the summary of `x.json`.
pub(super) fn is_summary_stem(stem: &str) -> bool {
    stem.ends_with(".meta")
}

fn list_error(error: AppDirError) -> ServiceError {
    ServiceError::from_list_error("the names", error)
}

/// Returns the stem of a document's file name, but `None` for a summary: `x.meta.json` is the summary of `x.json`.
pub(super) fn document_stem(name: &str) -> Option<&str> {
    name.strip_suffix(".json").filter(|stem| !is_summary_stem(stem))
}

/// Returns an id if it is one of this kind.
pub(super) fn validate_id(kind: IdKind, id: String) -> Option<String> {
    id::check(kind, &id).is_ok().then_some(id)
}
