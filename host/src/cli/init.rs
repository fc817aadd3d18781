//! `wardroom init`: creates the AppDir, and fills it with an example when asked.
//!
//! Never: replaces a file that is there; only the type stubs, which are ours, are renewed. Removes nothing but temporary
//! files that no writer works on any more.

use crate::assemble::settings::Settings;
use crate::report::{self, Failure};
use wardroom_appdir::{AppDirError, Folder, Privacy, ambient};
use wardroom_base::limits::LEFTOVER_TIME;
use wardroom_lua::type_stubs;

/// How deep in the AppDir what is written lies: `packages/NAME`, `cache/lines`, `registry/NAME`.
pub(super) const DEPTH: usize = 2;

/// The folders of an AppDir.
pub(super) const FOLDERS: [&str; 7] = ["packages", "cards", "scenarios", "evals", "logs", "types", "cache"];

/// The stubs of the Lua API, by name in the AppDir.
pub(super) fn types() -> [(String, String); 2] {
    type_stubs().map(|(name, text)| (format!("types/{name}"), text))
}

include!(concat!(env!("OUT_DIR"), "/demo.rs"));

pub(super) fn run(settings: &Settings, demo: bool) -> Result<(), Failure> {
    if settings.read_only {
        return Err(Failure::new("init writes, and --read-only forbids that", "leave out --read-only"));
    }
    let path = &settings.app_dir.path;
    let failed = |error| Failure::of("cannot create the AppDir", error, "name another place with --appdir DIR");
    let app = ambient::create(path).map_err(failed)?;
    for folder in FOLDERS {
        app.create_folder(folder).map_err(failed)?;
    }
    for (name, text) in types() {
        app.write(&name, text.as_bytes(), Privacy::Shared).map_err(failed)?;
    }
    report::line(&format!("AppDir: {}", path.display()))?;
    let unswept = |error| Failure::of("cannot remove temporary files", error, settings.doctor());
    match app.sweep_below(DEPTH, LEFTOVER_TIME).map_err(unswept)? {
        0 => {}
        1 => report::line("removed 1 temporary file of a writer that was killed")?,
        more => report::line(&format!("removed {more} temporary files of writers that were killed"))?,
    }
    if demo {
        let written = fill(settings, &app)?;
        report::line(&format!("demo: {written} files written, {} kept", DEMO.len() - written))?;
    }
    let command = settings.command();
    report::line(&format!("next: {command} ls, or connect the agents on this machine: {command} agents install --all"))
}

/// How many files were not there before.
fn fill(settings: &Settings, app: &Folder) -> Result<usize, Failure> {
    let failed = |error| Failure::of("cannot write the demo", error, settings.doctor());
    let mut written = 0;
    for (name, bytes) in DEMO {
        if let Some((folder, _)) = name.rsplit_once('/') {
            app.create_folder(folder).map_err(failed)?;
        }
        match app.create(name, bytes, Privacy::Shared) {
            Ok(()) => written += 1,
            Err(AppDirError::Exists(_)) => {}
            Err(error) => return Err(failed(error)),
        }
    }
    Ok(written)
}
