//! The files of tests: beside packages, scenarios and declared entries.
//!
//! Owns: where they are looked for: in the AppDir, and in the folders that the operator grants for packages and declarations.

use std::collections::BTreeMap;

use super::TEST_SUFFIX;
use crate::assemble;
use crate::assemble::settings::Settings;
use crate::limits::{MAX_TEST_FILE_BYTES, MAX_TEST_FOLDER_ENTRIES};
use crate::report::CommandError;
use wardroom_appdir::{Access, AppDirError, DirEntry, EntryKind, Folder, ambient};
use wardroom_config::MountKind;
use wardroom_registry::limits::MAX_REGISTRY_DEPTH;

/// A file of tests, and the name by which it is chosen.
pub(super) struct TestFileText {
    pub(super) name: String,
    pub(super) path: String,
    /// Or why it cannot be read.
    pub(super) text: Result<String, String>,
}

/// Finds the files of tests, ordered by path.
pub(super) fn find_files(settings: &Settings, app: &Folder) -> Result<Vec<TestFileText>, CommandError> {
    let failed = |error| CommandError::with_cause("cannot look for tests", error, settings.doctor_hint());
    let mut found = TestFiles::default();
    if let Some(packages) = open_if_there(app, "packages").map_err(failed)? {
        found.add_below(&packages, "packages", 1).map_err(failed)?;
    }
    if let Some(scenarios) = open_if_there(app, "scenarios").map_err(failed)? {
        found.add_folder(&scenarios, "scenarios").map_err(failed)?;
    }
    let registry = match &settings.registry {
        Some(path) => Some(assemble::open_granted(settings, path, Access::ReadOnly).map_err(failed)?),
        None => open_if_there(app, assemble::REGISTRY_DIR).map_err(failed)?,
    };
    if let Some(registry) = registry {
        found.add_below(&registry, assemble::REGISTRY_DIR, MAX_REGISTRY_DEPTH).map_err(failed)?;
    }
    let registry_path = settings.registry.as_ref().and_then(|path| ambient::canonicalize(path).ok());
    for mount in settings.config.mounts.values() {
        // Its files are found already.
        if registry_path.is_some() && ambient::canonicalize(&mount.path).ok() == registry_path {
            continue;
        }
        // A server warns of a folder that is missing.
        let Ok(folder) = assemble::open_granted(settings, &mount.path, Access::ReadOnly) else { continue };
        let depth = match mount.kind {
            MountKind::Package => 0,
            MountKind::Packages => 1,
            MountKind::Registry => MAX_REGISTRY_DEPTH,
            MountKind::Files => continue,
        };
        found.add_below(&folder, &mount.path.display().to_string(), depth).map_err(failed)?;
    }
    for root in &settings.package_roots {
        let Ok(folder) = ambient::open_folder(root, Access::ReadOnly) else { continue };
        found.add_below(&folder, &root.display().to_string(), 1).map_err(failed)?;
    }
    Ok(found.0.into_values().collect())
}

pub(super) fn open_if_there(app: &Folder, name: &str) -> Result<Option<Folder>, AppDirError> {
    match app.open_folder(name) {
        Err(AppDirError::NotFound(_)) => Ok(None),
        folder => folder.map(Some),
    }
}

/// By path.
#[derive(Default)]
struct TestFiles(BTreeMap<String, TestFileText>);

impl TestFiles {
    /// Adds the files of a folder, and of `depth` levels of folders below it. One that cannot be opened has none.
    fn add_below(&mut self, folder: &Folder, shown: &str, depth: usize) -> Result<(), AppDirError> {
        self.add_folder(folder, shown)?;
        if depth == 0 {
            return Ok(());
        }
        for DirEntry { name, kind } in folder.entries(MAX_TEST_FOLDER_ENTRIES)? {
            // As where entries are looked for.
            if kind == EntryKind::Folder
                && !name.starts_with('.')
                && let Ok(below) = folder.open_folder(&name)
            {
                self.add_below(&below, &format!("{shown}/{name}"), depth - 1)?;
            }
        }
        Ok(())
    }

    fn add_folder(&mut self, folder: &Folder, shown: &str) -> Result<(), AppDirError> {
        for DirEntry { name: file, kind } in folder.entries(MAX_TEST_FOLDER_ENTRIES)? {
            let Some(name) = file.strip_suffix(TEST_SUFFIX).filter(|_| kind == EntryKind::File) else { continue };
            let path = format!("{shown}/{file}");
            let text = folder.read_text(&file, MAX_TEST_FILE_BYTES);
            let text = text.map(|(text, _)| text).map_err(|error| format!("the file {}", error.predicate()));
            self.0.insert(path.clone(), TestFileText { name: name.to_owned(), path, text });
        }
        Ok(())
    }
}
