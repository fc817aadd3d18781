//! Where an index and documentation may be written.
//!
//! Owns: which files of others they never take the place of: what services keep, what is hidden, and whatever is neither an
//! index nor a page of ours.

use serde::Deserialize;
use serde_json::Value;

use super::index::{CACHE, VERSION};
use super::reindex::INDEX;
use crate::pkg::{refused, unwritten};
use crate::places::Grant;
use crate::{Alc, WRITTEN, places};
use wardroom_appdir::{AppDirError, Folder};
use wardroom_base::limits::{MAX_CARD_BYTES, MAX_WRITTEN_INDEX_BYTES};
use wardroom_service::{ServiceError, shown};

/// The folder of documentation in the AppDir's own packages, where one called `docs` would be a package.
pub(super) const DOCS: &str = "_docs";

/// A place for an index: a folder that was granted, and the name below it.
pub(super) fn for_index(alc: &Alc, path: &str) -> Result<(Folder, String), ServiceError> {
    let (root, below) = places::file(alc, path, Grant::Write)?;
    if !below.ends_with(".json") {
        return Err(refused("INVALID_PATH", format!("{} is no place for an index: it must end in .json", shown(path))));
    }
    let in_app = in_app(alc, path);
    let is_ours = in_app.as_deref().is_some_and(|below| {
        let cached = below.strip_prefix(CACHE).and_then(|name| name.strip_prefix('/'));
        below == format!("packages/{INDEX}") || cached.is_some_and(|name| !name.contains('/'))
    });
    check(path, &below, in_app.as_deref().filter(|_| !is_ours))?;
    Ok((root, below))
}

/// A folder for documentation.
pub(super) fn for_pages(alc: &Alc, path: &str) -> Result<(Folder, String), ServiceError> {
    let (root, below) = places::place(alc, path, Grant::Write)?;
    let in_app = in_app(alc, path);
    let is_ours = |below: &str| below == format!("packages/{DOCS}") || below.starts_with(&format!("packages/{DOCS}/"));
    check(path, &below, in_app.as_deref().filter(|below| !is_ours(below)))?;
    Ok((root, below))
}

/// A path as it is from the AppDir, where it lies in it.
fn in_app(alc: &Alc, path: &str) -> Option<String> {
    let full = places::absolute(alc, path)?;
    full.strip_prefix(alc.operator.app.as_ref()?).ok()?.to_str().map(str::to_owned)
}

fn check(path: &str, below: &str, in_app: Option<&str>) -> Result<(), ServiceError> {
    let protected = |why: &str| {
        let message =
            format!("nothing is generated in {}: {why}; name a place in the project or in a mount", shown(path));
        Err(refused("PROTECTED", message))
    };
    if below.split('/').any(|part| part.starts_with('.')) {
        return protected("a part of it is hidden");
    }
    let first = in_app.and_then(|below| below.split('/').next());
    if first.is_some_and(|first| WRITTEN.contains(&first)) {
        return protected("it is a folder of the AppDir that holds something else");
    }
    Ok(())
}

/// What is looked at of an index that is replaced.
#[derive(Deserialize)]
struct Head {
    schema_version: String,
}

/// That what has the name of an index, if anything has, is one.
pub(super) fn check_index(folder: &Folder, name: &str) -> Result<(), ServiceError> {
    let is_index = |text: &str| serde_json::from_str::<Head>(text).is_ok_and(|head| head.schema_version == VERSION);
    check_file(folder, name, MAX_WRITTEN_INDEX_BYTES, &format!("an index ({VERSION})"), is_index)
}

/// That what has the name of a page, if anything has, was generated.
pub(super) fn check_page(folder: &Folder, projection: &str, name: &str) -> Result<(), ServiceError> {
    let is_page = |text: &str| match projection {
        "hub" => serde_json::from_str::<Value>(text).is_ok_and(|entry| {
            ["name", "docstring", "card_count", "best_card"].iter().all(|key| entry.get(key).is_some())
        }),
        _ => text.starts_with("---\nname: \"") && text.contains("\n---\n\n# "),
    };
    check_file(folder, name, 4 * MAX_CARD_BYTES, "a page that was generated", is_page)
}

fn check_file(
    folder: &Folder,
    name: &str,
    limit: u64,
    what: &str,
    is_ours: impl FnOnce(&str) -> bool,
) -> Result<(), ServiceError> {
    match folder.read_text(name, limit) {
        Err(AppDirError::NotFound(_)) => Ok(()),
        Ok((text, _)) if is_ours(&text) => Ok(()),
        Err(error @ (AppDirError::Denied(_) | AppDirError::Io { .. } | AppDirError::TooManyOpen(_))) => {
            Err(unwritten(name, error))
        }
        Ok(_) | Err(_) => {
            let message = format!("{} is there and is not {what}: move it away, or name another place", shown(name));
            Err(refused("NOT_REPLACED", message))
        }
    }
}
