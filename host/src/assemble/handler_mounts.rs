//! The folders outside the AppDir that a server may write.
//!
//! Owns: the rule that the configuration and the AppDir do not lie in one: a handler would decide what the next server may do.

use std::path::{Path, PathBuf};

use super::settings::Settings;
use crate::report::CommandError;
use wardroom_appdir::ambient;

/// Refuses a folder that handlers must not write. A missing one is skipped elsewhere.
pub(crate) fn check_writable_mount(settings: &Settings, name: &str, path: &Path) -> Result<(), CommandError> {
    let Ok(granted) = ambient::canonicalize(path) else { return Ok(()) };
    let config = configuration_inside(settings, &granted).map(|place| ("the configuration", place));
    let app = Some(canonical_place(&settings.app_dir.path)).filter(|place| place.starts_with(&granted));
    match config.or_else(|| Some(("the AppDir", app?))) {
        None => Ok(()),
        Some((what, place)) => Err(CommandError::new(
            format!("mount {name}: handlers could write {what}, since {} is in {}", place.display(), granted.display()),
            "grant a folder that does not contain it, or use --read-only (in the file: read_only = true)",
        )),
    }
}

/// Returns the path of the configuration, if it lies in a folder.
pub(super) fn configuration_inside(settings: &Settings, folder: &Path) -> Option<PathBuf> {
    let config = &settings.config_file;
    // A link would be replaced as well as its target.
    let link = config.parent().map(canonical_place).zip(config.file_name()).map(|(folder, name)| folder.join(name));
    [Some(canonical_place(config)), link].into_iter().flatten().find(|place| place.starts_with(folder))
}

/// Returns the canonical path of what is there, or where it would be.
pub(super) fn canonical_place(path: &Path) -> PathBuf {
    let existing = path.ancestors().find_map(|ancestor| {
        let ancestor = if ancestor.as_os_str().is_empty() { Path::new(".") } else { ancestor };
        let below = path.strip_prefix(ancestor).unwrap_or(path);
        let found = ambient::canonicalize(ancestor).ok()?;
        // Joined with nothing, it would end with a separator.
        Some(if below.as_os_str().is_empty() { found } else { found.join(below) })
    });
    existing.unwrap_or_else(|| path.to_path_buf())
}
