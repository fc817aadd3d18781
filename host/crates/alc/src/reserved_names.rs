//! Names that the stores themselves write, so that no package, collection or script can take one of them.
//!
//! Owns: the table, by folder, made of the constants under which the stores write.
//! Never: refuses a read: a file of such a name is just no package.

use super::cards::file_names::{ALIASES_FILE, ALIASES_LOCK_FILE, CARDS_DIR};
use super::hub::outputs::{DOCS_DIR, HUB_INDEX_FILE};
use super::packages::{INSTALL_LOCK_FILE, LINKS_FILE, MANIFEST_FILE, OLD_LINKS_FILE, PACKAGES_DIR, REGISTRIES_FILE};
use wardroom_appdir::Folder;
use wardroom_appdir::limits::MAX_NAMES_SCANNED;

/// A folder whose entries outsiders name, and the files that the stores write beside them. The lock of a file has its
/// name with `.lock`. Locks, temporary files and links have names that begin with a dot.
struct SharedFolder {
    path: &'static str,
    /// The files, and the folders that hold something else than a package.
    files: &'static [&'static str],
    /// The files whose names begin with a dot.
    hidden: &'static [&'static str],
}

const PACKAGES: SharedFolder = SharedFolder {
    path: PACKAGES_DIR,
    files: &[MANIFEST_FILE, REGISTRIES_FILE, OLD_LINKS_FILE, HUB_INDEX_FILE, DOCS_DIR],
    hidden: &[LINKS_FILE, INSTALL_LOCK_FILE],
};

const CARDS: SharedFolder = SharedFolder { path: CARDS_DIR, files: &[ALIASES_FILE], hidden: &[ALIASES_LOCK_FILE] };

impl SharedFolder {
    /// Whether the stores use this name, in any case: some file systems do not distinguish it.
    fn reserves(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        let file = name.strip_suffix(".lock").unwrap_or(&name);
        name.starts_with('.') || self.files.contains(&file)
    }

    /// Whether something other than a regular file stands where a store has this file.
    fn is_conflict(&self, app: &Folder, name: &str) -> bool {
        let is_file = (self.reserves(name) && !name.starts_with('.') || self.hidden.contains(&name))
            && !name.eq_ignore_ascii_case(DOCS_DIR);
        is_file && app.stat(&format!("{}/{name}", self.path)).is_err()
    }

    /// Adds the paths at which something stands where a store has its own file.
    fn add_conflicts(&self, app: &Folder, conflicts: &mut Vec<String>) {
        let entries = app.open_folder(self.path).and_then(|folder| folder.entries(MAX_NAMES_SCANNED));
        let found = entries.unwrap_or_default().into_iter().filter(|entry| self.is_conflict(app, &entry.name));
        conflicts.extend(found.map(|entry| format!("{}/{}", self.path, entry.name)));
    }
}

/// Whether something stands below `packages/` where a store has its own file of this name.
pub(crate) fn is_package_conflict(app: &Folder, name: &str) -> bool {
    PACKAGES.is_conflict(app, name)
}

/// Whether the stores use this name below `packages/`.
pub(crate) fn is_reserved_package(name: &str) -> bool {
    PACKAGES.reserves(name)
}

/// Whether the stores use this name below `cards/`.
pub(crate) fn is_reserved_card_package(name: &str) -> bool {
    CARDS.reserves(name)
}

/// Returns the paths of folders and broken links in an AppDir that stand where a store has its own file.
#[must_use]
pub fn find_name_conflicts(app: &Folder) -> Vec<String> {
    let mut conflicts = Vec::new();
    [PACKAGES, CARDS].iter().for_each(|folder| folder.add_conflicts(app, &mut conflicts));
    conflicts
}

#[cfg(test)]
mod tests {
    use super::{is_reserved_card_package, is_reserved_package};

    #[test]
    fn names_of_stores_are_reserved_in_any_case() {
        let names = [
            "links.toml",
            "installed.json",
            "Installed.JSON.lock",
            "hub_registries.json",
            "HUB_INDEX.json",
            "_docs",
            ".x",
        ];
        assert!(names.into_iter().all(is_reserved_package));
        assert!(["_aliases.toml", "_Aliases.toml.lock", ".locks"].into_iter().all(is_reserved_card_package));
        let free = ["cot", "links", "links.toml2", "_aliases.toml", "installed.json.lock.lock"];
        assert!(!free.into_iter().any(is_reserved_package));
    }
}
