//! The paths at which an index and documentation may be written.
//!
//! Owns: the protected files, which are never replaced: files of services, hidden files, and every file that is neither
//! an index nor a generated page.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::index::{HUB_CACHE_DIR, INDEX_SCHEMA_VERSION};
use crate::WRITABLE_DIRS;
use crate::error_code as code;
use crate::grants::{Grant, PathGrants};
use crate::limits::{MAX_CARD_BYTES, MAX_REPLACED_HUB_INDEX_BYTES};
use crate::storage_error::write_error;
use wardroom_appdir::{AppDirError, Folder};
use wardroom_service::{ServiceError, escape_and_truncate};

pub(crate) const HUB_INDEX_FILE: &str = "hub_index.json";
/// The folder of documentation in the AppDir's `packages`, where a folder named `docs` would be a package.
pub(crate) const DOCS_DIR: &str = "_docs";

/// Resolves the path of an index to a granted folder and a path below it.
pub(super) fn resolve_index_path(grants: &PathGrants, path: &str) -> Result<(Folder, String), ServiceError> {
    let (root, below) = grants.resolve_file_path(path, Grant::Write)?;
    if !below.ends_with(".json") {
        return Err(ServiceError::tool(
            code::INVALID_PATH,
            format!("{} cannot hold an index: name a .json file", escape_and_truncate(path)),
        ));
    }
    let in_app = app_relative_path(grants, path);
    let is_ours = in_app.as_deref().is_some_and(|below| {
        let cached = below.strip_prefix(HUB_CACHE_DIR).and_then(|name| name.strip_prefix('/'));
        below == format!("packages/{HUB_INDEX_FILE}") || cached.is_some_and(|name| !name.contains('/'))
    });
    reject_protected_path(path, &below, in_app.as_deref().filter(|_| !is_ours))?;
    Ok((root, below))
}

/// Resolves the path of a folder of documentation to a granted folder and a path below it.
pub(super) fn resolve_docs_path(grants: &PathGrants, path: &str) -> Result<(Folder, String), ServiceError> {
    let (root, below) = grants.resolve_path(path, Grant::Write)?;
    let in_app = app_relative_path(grants, path);
    let is_ours =
        |below: &str| below == format!("packages/{DOCS_DIR}") || below.starts_with(&format!("packages/{DOCS_DIR}/"));
    reject_protected_path(path, &below, in_app.as_deref().filter(|below| !is_ours(below)))?;
    Ok((root, below))
}

/// Returns a path relative to the AppDir, if the path lies in the AppDir.
fn app_relative_path(grants: &PathGrants, path: &str) -> Option<String> {
    let full = grants.absolute_path(path)?;
    full.strip_prefix(grants.app_path()?).ok()?.to_str().map(str::to_owned)
}

fn reject_protected_path(path: &str, below: &str, in_app: Option<&str>) -> Result<(), ServiceError> {
    let protected = |why: &str| {
        let message = format!(
            "cannot write generated files to {}: {why}; name a folder in the project or in a mount",
            escape_and_truncate(path)
        );
        Err(ServiceError::tool(code::PROTECTED, message))
    };
    if below.split('/').any(|part| part.starts_with('.')) {
        return protected("a part of the path is hidden");
    }
    let first = in_app.and_then(|below| below.split('/').next());
    if first.is_some_and(|first| WRITABLE_DIRS.contains(&first)) {
        return protected("this folder of the AppDir holds other files");
    }
    Ok(())
}

/// The field that identifies a file as an index before it is replaced.
#[derive(Deserialize)]
struct HubIndexHeader {
    schema_version: String,
}

/// Checks that a file of this name, if there is one, is an index.
pub(super) fn ensure_absent_or_index(folder: &Folder, name: &str) -> Result<(), ServiceError> {
    let is_index = |text: &str| {
        serde_json::from_str::<HubIndexHeader>(text).is_ok_and(|head| head.schema_version == INDEX_SCHEMA_VERSION)
    };
    ensure_absent_or_generated(
        folder,
        name,
        MAX_REPLACED_HUB_INDEX_BYTES,
        &format!("an index ({INDEX_SCHEMA_VERSION})"),
        is_index,
    )
}

/// What every generated page of the hub has.
#[derive(Deserialize)]
#[expect(dead_code, reason = "only their presence counts")]
struct HubPageFields {
    name: IgnoredAny,
    docstring: IgnoredAny,
    card_count: IgnoredAny,
    best_card: IgnoredAny,
}

/// Checks that a file of this name, if there is one, is a generated page.
pub(super) fn ensure_absent_or_page(folder: &Folder, projection: &str, name: &str) -> Result<(), ServiceError> {
    let is_page = |text: &str| match projection {
        "hub" => serde_json::from_str::<HubPageFields>(text).is_ok(),
        _ => text.starts_with("---\nname: \"") && text.contains("\n---\n\n# "),
    };
    ensure_absent_or_generated(folder, name, 4 * MAX_CARD_BYTES, "a generated page", is_page)
}

fn ensure_absent_or_generated(
    folder: &Folder,
    name: &str,
    limit: u64,
    what: &str,
    is_ours: impl FnOnce(&str) -> bool,
) -> Result<(), ServiceError> {
    match folder.read_text(name, limit) {
        Err(AppDirError::NotFound(_)) => Ok(()),
        Ok((text, _)) if is_ours(&text) => Ok(()),
        Err(error @ (AppDirError::PermissionDenied(_) | AppDirError::Io { .. } | AppDirError::TooManyOpenFiles(_))) => {
            Err(write_error(name, error))
        }
        Ok(_) | Err(_) => {
            let message =
                format!("{} exists and is not {what}: move it away, or name another path", escape_and_truncate(name));
            Err(ServiceError::tool(code::NOT_REPLACED, message))
        }
    }
}
