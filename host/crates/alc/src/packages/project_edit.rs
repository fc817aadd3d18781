//! Edits a project's `alc.toml` and `alc.local.toml`, and keeps every comment.
//!
//! Owns: the lock file of a project's files, the same as the original's.

use toml_edit::{DocumentMut, InlineTable, Item, Table, value};

use super::INSTALL_LOCK_FILE;
use crate::error_code as code;
use crate::grants::Project;
use crate::limits::MAX_CONFIG_BYTES;
use crate::storage_error::write_error;
use wardroom_appdir::limits::STALE_TEMP_FILE_AGE;
use wardroom_appdir::{AppDirError, Folder, Privacy, Stat};
use wardroom_base::toml_text;
use wardroom_service::ServiceError;

/// Whether a missing file is created.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum MissingFile {
    Create,
    Ignore,
}

/// A file with a table `packages`.
pub(crate) struct TableFile<'a> {
    pub(crate) name: &'a str,
    /// Where the file was before, which is read while it is missing.
    pub(crate) previous_name: Option<&'a str>,
    pub(crate) missing: MissingFile,
}

impl<'a> TableFile<'a> {
    pub(crate) const fn new(name: &'a str, missing: MissingFile) -> Self {
        Self { name, previous_name: None, missing }
    }

    /// Reads the file; `None` where it is missing and is not created.
    fn read(&self, folder: &Folder) -> Result<Option<String>, AppDirError> {
        for name in [Some(self.name), self.previous_name].into_iter().flatten() {
            match folder.read_text(name, MAX_CONFIG_BYTES) {
                Err(AppDirError::NotFound(_)) => {}
                // A package that an earlier version let take the name.
                Err(AppDirError::NotRegularFile(_)) if name != self.name => {}
                read => return read.map(|(text, _)| Some(text)),
            }
        }
        Ok((self.missing == MissingFile::Create).then(String::new))
    }
}

/// Changes the table `packages` of a file under the project's file lock, and returns whether `change` changed anything.
pub(crate) fn edit_package_table(
    project: &Project,
    file: &TableFile,
    change: impl FnOnce(&mut Table) -> bool,
) -> Result<bool, ServiceError> {
    let name = file.name;
    let failed = |error| write_error(name, error);
    let _lock = project.folder.lock(INSTALL_LOCK_FILE).map_err(failed)?;
    let Some(text) = file.read(&project.folder).map_err(failed)? else { return Ok(false) };
    let malformed = |line: String| ServiceError::tool(code::MALFORMED, format!("malformed {name}: {line}"));
    // The depth must be checked before anything is built from the text.
    toml_text::parse(&text).map_err(|error| malformed(error.public_message()))?;
    let mut document: DocumentMut = text.parse().map_err(|_| malformed("not TOML".to_owned()))?;
    let entry = document.entry("packages").or_insert_with(|| Item::Table(Table::new()));
    if let Some(inline) = entry.as_inline_table() {
        *entry = Item::Table(inline.clone().into_table());
    }
    let table = entry.as_table_mut().ok_or_else(|| malformed("packages is not a table".to_owned()))?;
    if !change(table) {
        return Ok(false);
    }
    let replaced = project.folder.stat(name).ok();
    write_project_file(&project.folder, name, &document.to_string()).map_err(failed)?;
    if let Some(previous) = file.previous_name {
        remove_previous(&project.folder, previous, replaced);
    }
    Ok(true)
}

/// Replaces a file of a project, or the one that it is a link to, and removes what killed writers left beside it.
pub(crate) fn write_project_file(folder: &Folder, name: &str, text: &str) -> Result<(), AppDirError> {
    let target = folder.link_target(name)?;
    folder.write(&target, text.as_bytes(), Privacy::Preserve)?;
    let swept = match target.rsplit_once('/') {
        Some((parent, file)) => {
            folder.open_folder(parent).and_then(|parent| parent.sweep_temp_files_of(file, STALE_TEMP_FILE_AGE))
        }
        None => folder.sweep_temp_files_of(&target, STALE_TEMP_FILE_AGE),
    };
    if let Err(error) = swept {
        tracing::warn!(%error, "cannot remove temporary files of a project");
    }
    Ok(())
}

/// Removes the file at its earlier place, unless it was written after the file at the new place: an older server did
/// that, and its entries would be lost.
fn remove_previous(folder: &Folder, previous: &str, replaced: Option<Stat>) {
    let Ok(stat) = folder.stat(previous) else { return };
    if replaced.is_some_and(|replaced| stat.modified > replaced.modified) {
        tracing::warn!("an older wardroom wrote packages/{previous}, which is not read: add its entries again");
        return;
    }
    if let Err(error) = folder.remove_file(previous) {
        tracing::warn!(%error, "cannot remove the earlier file of links, which is not read any more");
    }
}

/// Returns the entry of a package with a path.
pub(crate) fn path_item(path: &str) -> Item {
    let mut entry = InlineTable::new();
    entry.insert("path", path.into());
    value(entry)
}
