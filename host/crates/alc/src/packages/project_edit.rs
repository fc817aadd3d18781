//! Edits a project's `alc.toml` and `alc.local.toml`, and keeps every comment.
//!
//! Owns: the lock file of a project's files, the same as the original's.

use toml_edit::{DocumentMut, InlineTable, Item, Table, value};

use super::INSTALL_LOCK_FILE;
use crate::error_code as code;
use crate::grants::Project;
use crate::limits::MAX_CONFIG_BYTES;
use crate::storage_error::write_error;
use wardroom_appdir::{AppDirError, Privacy};
use wardroom_base::toml_text;
use wardroom_service::ServiceError;

/// Whether a missing file is created.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum MissingFile {
    Create,
    Ignore,
}

/// Changes the table `packages` of a file under the project's file lock, and returns whether `change` changed anything.
pub(crate) fn edit_package_table(
    project: &Project,
    file: &str,
    missing: MissingFile,
    change: impl FnOnce(&mut Table) -> bool,
) -> Result<bool, ServiceError> {
    let failed = |error| write_error(file, error);
    let _lock = project.folder.lock(INSTALL_LOCK_FILE).map_err(failed)?;
    let text = match project.folder.read_text(file, MAX_CONFIG_BYTES) {
        Ok((text, _)) => text,
        Err(AppDirError::NotFound(_)) if missing == MissingFile::Create => String::new(),
        Err(AppDirError::NotFound(_)) => return Ok(false),
        Err(error) => return Err(failed(error)),
    };
    let malformed = |line: String| ServiceError::tool(code::MALFORMED, format!("malformed {file}: {line}"));
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
    project.folder.write(file, document.to_string().as_bytes(), Privacy::Shared).map_err(failed)?;
    Ok(true)
}

/// Returns the entry of a package with a path.
pub(crate) fn path_item(path: &str) -> Item {
    let mut entry = InlineTable::new();
    entry.insert("path", path.into());
    value(entry)
}
