//! The type stubs of the Lua API in an AppDir.
//!
//! Owns: which files they are, and when they are written without a command.
//! Never: replaces a file; `wardroom init` does, and `wardroom doctor` says when it should.

use wardroom_appdir::limits::STALE_TEMP_FILE_AGE;
use wardroom_appdir::{AppDirError, Folder, Privacy, PublishMode};

const FOLDER: &str = "types";

/// The files of this version, by their paths in the AppDir.
pub(crate) fn files() -> [(String, String); 2] {
    wardroom_lua::type_stubs().map(|(name, text)| (format!("{FOLDER}/{name}"), text))
}

/// Writes the files into an AppDir that has no folder for them, all at once. A file that was removed later stays removed.
///
/// # Errors
/// When the AppDir cannot be written.
pub(crate) fn write_if_new(app: &Folder) -> Result<(), AppDirError> {
    if app.is_read_only() || !matches!(app.stat(FOLDER), Err(AppDirError::NotFound(_))) {
        return Ok(());
    }
    // What an earlier server left when it was killed here.
    app.sweep_staged_trees(STALE_TEMP_FILE_AGE)?;
    let staged = app.stage_tree(FOLDER)?;
    for (name, text) in wardroom_lua::type_stubs() {
        staged.folder().create_file(name, text.as_bytes(), Privacy::Shared)?;
    }
    match staged.publish(PublishMode::New) {
        // Another server was quicker.
        Err(AppDirError::AlreadyExists(_)) => Ok(()),
        published => published,
    }
}
