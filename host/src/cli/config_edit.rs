//! Edits of the configuration file: one entry changes, and every other byte stays the same.
//!
//! Never: is reachable from a client (a server reads the configuration at its start, and one over HTTP its tokens later),
//! or writes a text that does not parse to the intended values.

use crate::assemble::editor_files;
use crate::assemble::settings::Settings;
use crate::report::CommandError;
use wardroom_alc::limits::MAX_CONFIG_BYTES;
use wardroom_appdir::limits::STALE_TEMP_FILE_AGE;
use wardroom_appdir::{AppDirError, Privacy, ambient};
use wardroom_config::Config;

/// Some editors write this at the beginning of a file.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Edits the configuration file under its lock: `update` changes the values and `change` the text. Both must have the
/// same result before it is written.
pub(super) fn edit_config(
    settings: &Settings,
    update: impl FnOnce(&mut Config) -> Result<(), CommandError>,
    change: impl FnOnce(&str) -> Option<String>,
) -> Result<(), CommandError> {
    const UNCHANGED_HINT: &str = "nothing was changed; run wardroom help config to see every key";
    let file = &settings.config_file;
    let failed = |error| {
        let hint = "check that file and its folder, or name another file with --config FILE";
        CommandError::with_cause(format!("cannot change {}", file.display()), error, hint)
    };
    // If the configuration is a link, for example to a folder of dotfiles, its target is changed and the link stays.
    let target = ambient::resolve_target(file).map_err(failed)?;
    let (parent, name) = ambient::split_path(&target).map_err(failed)?;
    let folder = ambient::create_folder(parent).map_err(failed)?;
    let _lock = folder.lock_self().map_err(failed)?;
    folder.sweep_temp_files_of(name, STALE_TEMP_FILE_AGE).map_err(failed)?;
    let before = match folder.read_text(name, MAX_CONFIG_BYTES) {
        Ok((text, _)) => Some(text),
        Err(AppDirError::NotFound(_)) => None,
        Err(error) => return Err(failed(error)),
    };
    let text = before.as_deref().unwrap_or_default();
    let (mark, body) = text.strip_prefix(BYTE_ORDER_MARK).map_or(("", text), |body| (BYTE_ORDER_MARK, body));
    let mut config = Config::parse(body).map_err(|error| {
        CommandError::with_cause(
            format!("cannot change {}", file.display()),
            error,
            "correct the file; run wardroom help config to see every key",
        )
    })?;
    update(&mut config)?;
    let other = |what: &str| {
        let hint = "nothing was changed; edit the file yourself: run wardroom help config to see every key";
        CommandError::new(format!("cannot change {}: {what}", file.display()), hint)
    };
    let body = change(body).ok_or_else(|| other("the entry cannot be separated from the text around it"))?;
    let schema = before.is_none().then(|| editor_files::config_schema_line(file, &settings.app_dir.path)).flatten();
    let head = schema.map_or_else(String::new, |line| format!("{line}\n"));
    let text = format!("{mark}{head}{body}");
    let written = Config::parse(&text).map_err(|error| {
        CommandError::with_cause("the result would not be a valid configuration", error, UNCHANGED_HINT)
    })?;
    if written != config {
        return Err(other("the result would differ from the requested change"));
    }
    let Some(before) = before else {
        return folder.create_file(name, text.as_bytes(), Privacy::Owner).map_err(failed);
    };
    match folder.replace_if_unchanged(name, text.as_bytes(), before.as_bytes()).map_err(failed)? {
        true => Ok(()),
        false => Err(CommandError::new(format!("{} was changed meanwhile", file.display()), "try again")),
    }
}
