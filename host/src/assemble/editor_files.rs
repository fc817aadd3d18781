//! The files for editors in an AppDir: type stubs of the Lua API, the settings of lua-language-server, and JSON Schemas of
//! `config.toml` and `_index.yaml`.
//!
//! Owns: which files they are, when they are written without a command, and how generated files name their schema.
//! Never: replaces a file; `wardroom init` replaces those in `types/`, and `wardroom doctor` says when it should.

use std::path::{Component, Path, PathBuf};

use serde_json::{Value, json};

use super::service_names;
use wardroom_appdir::limits::STALE_TEMP_FILE_AGE;
use wardroom_appdir::{AppDirError, Folder, Privacy, PublishMode, ambient};

const FOLDER: &str = "types";
const CONFIG_SCHEMA: &str = "types/config.schema.json";
const INDEX_SCHEMA: &str = "types/index.schema.json";

/// The settings of lua-language-server, for an editor that opens the AppDir. A person may change them.
pub(crate) const LUA_SETTINGS: &str = ".luarc.json";

/// The libraries of Lua that a script does not have. `require` belongs to the last one, and a script has it.
const MISSING_LIBRARIES: [&str; 3] = ["debug", "io", "package"];

/// Returns the settings of lua-language-server.
pub(crate) fn lua_settings() -> String {
    let missing: Value = MISSING_LIBRARIES.iter().map(|library| ((*library).to_owned(), json!("disable"))).collect();
    json_file(&json!({
        "runtime.version": "Lua 5.4",
        "runtime.builtin": missing,
        "workspace.library": [FOLDER],
        "workspace.checkThirdParty": false,
        "diagnostics.globals": ["require"],
    }))
}

/// The files of `types/` of this version, by their paths in the AppDir.
pub(crate) fn files() -> Vec<(String, String)> {
    let stubs = wardroom_lua::type_stubs().map(|(name, text)| (format!("{FOLDER}/{name}"), text));
    let schemas = [
        (CONFIG_SCHEMA, wardroom_config::json_schema(&service_names())),
        (INDEX_SCHEMA, wardroom_registry::index_schema()),
    ];
    let schemas = schemas.map(|(name, schema)| (name.to_owned(), json_file(&schema)));
    stubs.into_iter().chain(schemas).collect()
}

fn json_file(value: &Value) -> String {
    format!("{value:#}\n")
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
    for (path, text) in files() {
        let name = path.rsplit('/').next().unwrap_or_default();
        staged.folder().create_file(name, text.as_bytes(), Privacy::Shared)?;
    }
    match staged.publish(PublishMode::New) {
        // Another server was quicker.
        Err(AppDirError::AlreadyExists(_)) => Ok(()),
        published => published,
    }
}

/// Returns the line at the beginning of a new configuration file that names its schema, where the AppDir has that.
pub(crate) fn config_schema_line(config_file: &Path, app_dir: &Path) -> Option<String> {
    let schema = app_dir.join(CONFIG_SCHEMA);
    let path = relative_path(config_file.parent()?, &schema).filter(|_| ambient::is_file(&schema))?;
    Some(format!("#:schema {path}\n"))
}

/// Returns the path of the schema from the folder of an index, `registry/NAMESPACE`, where the AppDir has it.
pub(crate) fn index_schema_path(app: &Folder) -> Option<String> {
    app.stat(INDEX_SCHEMA).ok().map(|_| format!("../../{INDEX_SCHEMA}"))
}

/// Returns the path of `file` from `folder` as an editor reads it, which follows no links.
fn relative_path(folder: &Path, file: &Path) -> Option<String> {
    let (folder, file) = (normalize(folder)?, normalize(file)?);
    let n_shared = folder.components().zip(file.components()).take_while(|(one, other)| one == other).count();
    let up = folder.components().skip(n_shared).map(|_| Some(".."));
    let down = file.components().skip(n_shared).map(|part| part.as_os_str().to_str());
    let path = up.chain(down).collect::<Option<Vec<_>>>()?.join("/");
    // In an address they mean something else, and a line has none of the others.
    let is_plain = |c: char| !c.is_control() && !matches!(c, '#' | '?' | '%');
    path.chars().all(is_plain).then_some(path)
}

fn normalize(path: &Path) -> Option<PathBuf> {
    let mut clean = PathBuf::new();
    for part in std::path::absolute(path).ok()?.components() {
        match part {
            Component::ParentDir => drop(clean.pop()),
            part => clean.push(part),
        }
    }
    Some(clean)
}
