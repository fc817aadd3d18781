//! `wardroom init`: creates the AppDir, on request with an example.
//!
//! Never: replaces an existing file, except the type stubs and schemas, which are ours. Removes nothing but abandoned temporary
//! files.

use crate::assemble::editor_files;
use crate::assemble::settings::Settings;
use crate::report::{self, CommandError};
use wardroom_appdir::limits::STALE_TEMP_FILE_AGE;
use wardroom_appdir::{AppDirError, Folder, Privacy, ambient};
use wardroom_net::limits::MAX_INSTALL_DEPTH;

/// Depth of the AppDir's written folders: `packages/NAME`, `cache/lines`, `registry/NAME`.
pub(super) const APP_DIR_DEPTH: usize = 2;

/// The deepest folders of an AppDir: those of installed trees.
pub(super) const MAX_APP_DIR_DEPTH: usize = 2 + MAX_INSTALL_DEPTH;

/// The folders of an AppDir.
pub(super) const APP_DIR_FOLDERS: [&str; 7] = ["packages", "cards", "scenarios", "evals", "logs", "types", "cache"];

include!(concat!(env!("OUT_DIR"), "/demo.rs"));

pub(super) fn run(settings: &Settings, demo: bool) -> Result<(), CommandError> {
    if settings.read_only {
        return Err(CommandError::new("init writes to the AppDir, which --read-only forbids", "leave out --read-only"));
    }
    let path = &settings.app_dir.path;
    let failed =
        |error| CommandError::with_cause("cannot create the AppDir", error, "name another folder with --appdir DIR");
    let app = ambient::create_owner_folder(path).map_err(failed)?;
    for folder in APP_DIR_FOLDERS {
        app.create_folder(folder).map_err(failed)?;
    }
    for (name, text) in editor_files::files() {
        app.write(&name, text.as_bytes(), Privacy::Shared).map_err(failed)?;
    }
    match app.create_file(editor_files::LUA_SETTINGS, editor_files::lua_settings().as_bytes(), Privacy::Shared) {
        Ok(()) | Err(AppDirError::AlreadyExists(_)) => {}
        Err(error) => return Err(failed(error)),
    }
    report::print_line(&format!("AppDir: {}", path.display()))?;
    let unswept = |error| CommandError::with_cause("cannot remove temporary files", error, settings.doctor_hint());
    match app.sweep_stale_recursive(APP_DIR_DEPTH, STALE_TEMP_FILE_AGE).map_err(unswept)? {
        0 => {}
        1 => report::print_line("removed 1 temporary file of a writer that was killed")?,
        more => report::print_line(&format!("removed {more} temporary files of writers that were killed"))?,
    }
    if demo {
        let written = write_demo(settings, &app)?;
        report::print_line(&format!("demo: {written} files written, {} kept", DEMO.len() - written))?;
    }
    let command = settings.command_line();
    report::print_line(&format!(
        "next: {command} ls, or connect the agents on this machine: {command} agents install --all"
    ))
}

/// Writes the example and returns the number of new files.
fn write_demo(settings: &Settings, app: &Folder) -> Result<usize, CommandError> {
    let failed = |error| CommandError::with_cause("cannot write the demo", error, settings.doctor_hint());
    let mut written = 0;
    for (name, bytes) in DEMO {
        if let Some((folder, _)) = name.rsplit_once('/') {
            app.create_folder(folder).map_err(failed)?;
        }
        match app.create_file(name, bytes, Privacy::Shared) {
            Ok(()) => written += 1,
            Err(AppDirError::AlreadyExists(_)) => {}
            Err(error) => return Err(failed(error)),
        }
    }
    Ok(written)
}
