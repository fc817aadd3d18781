//! `wardroom init`: creates the AppDir, and fills it with an example when asked.
//!
//! Never: replaces a file that is there; only the type stubs, which are ours, are renewed.

use super::report::{self, Failure};
use super::settings::Settings;
use crate::appdir::{AppDirError, Folder, Privacy, ambient};

/// The folders of an AppDir.
pub(super) const FOLDERS: [&str; 7] = ["packages", "cards", "scenarios", "evals", "logs", "types", "cache"];

/// The stubs of the Lua API, by name below `types/`.
pub(super) const TYPES: [(&str, &str); 2] = [
    ("types/alc.d.lua", include_str!("../../assets/types/alc.d.lua")),
    ("types/alc_shapes.d.lua", include_str!("../../assets/types/alc_shapes.d.lua")),
];

include!(concat!(env!("OUT_DIR"), "/demo.rs"));

pub(super) fn run(settings: &Settings, demo: bool) -> Result<(), Failure> {
    let path = &settings.app_dir.path;
    let failed = |error| Failure::of("cannot create the AppDir", error);
    let app = ambient::create(path).map_err(failed)?;
    for folder in FOLDERS {
        app.create_folder(folder).map_err(failed)?;
    }
    for (name, text) in TYPES {
        app.write(name, text.as_bytes(), Privacy::Shared).map_err(failed)?;
    }
    report::line(&format!("AppDir: {}", path.display()))?;
    if demo {
        let written = fill(&app)?;
        report::line(&format!("demo: {written} files written, {} kept", DEMO.len() - written))?;
    }
    report::line("next: wardroom ls, wardroom doctor, or connect an agent: claude mcp add wardroom -- wardroom")
}

/// How many files were not there before.
fn fill(app: &Folder) -> Result<usize, Failure> {
    let failed = |error| Failure::of("cannot write the demo", error);
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
