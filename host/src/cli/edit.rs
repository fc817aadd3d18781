//! Changing the configuration file: one entry of it, and every other byte stays what it was.
//!
//! Never: is reachable from a client; a server reads the configuration once, at its start. Writes what does not read back as
//! what was meant.

use crate::assemble::settings::Settings;
use crate::report::Failure;
use wardroom_appdir::{AppDirError, Privacy, ambient};
use wardroom_base::limits::{LEFTOVER_TIME, MAX_CONFIG_BYTES};
use wardroom_config::Config;

/// What some editors begin a file with.
const MARK: &str = "\u{feff}";

/// Changes the configuration file under its lock: `meant` the values, and `change` the text, which must come to the same
/// before it is written.
pub(super) fn edit(
    settings: &Settings,
    meant: impl FnOnce(&mut Config) -> Result<(), Failure>,
    change: impl FnOnce(&str) -> Option<String>,
) -> Result<(), Failure> {
    const UNCHANGED: &str = "nothing was changed; wardroom help config lists every key";
    let file = &settings.config_file;
    let failed = |error| {
        let hint = "look at that file and its folder, or name another file with --config FILE";
        Failure::of(format!("cannot change {}", file.display()), error, hint)
    };
    // Of a configuration that is a link, say to a folder of dotfiles, the file is changed and the link stays.
    let target = ambient::target(file).map_err(failed)?;
    let (parent, name) = ambient::split(&target).map_err(failed)?;
    let folder = ambient::create(parent).map_err(failed)?;
    let _lock = folder.lock_itself().map_err(failed)?;
    folder.sweep_of(name, LEFTOVER_TIME).map_err(failed)?;
    let before = match folder.read_text(name, MAX_CONFIG_BYTES) {
        Ok((text, _)) => Some(text),
        Err(AppDirError::NotFound(_)) => None,
        Err(error) => return Err(failed(error)),
    };
    let text = before.as_deref().unwrap_or_default();
    let (mark, body) = text.strip_prefix(MARK).map_or(("", text), |body| (MARK, body));
    let mut config = Config::parse(body)
        .map_err(|error| Failure::of(format!("cannot change {}", file.display()), error, "mend the file there"))?;
    meant(&mut config)?;
    let other = |what: &str| {
        let hint = "nothing was changed; edit the file yourself: wardroom help config lists every key";
        Failure::new(format!("cannot change {}: {what}", file.display()), hint)
    };
    let body = change(body).ok_or_else(|| other("the entry cannot be told from what is around it"))?;
    let text = format!("{mark}{body}");
    let written = Config::parse(&text)
        .map_err(|error| Failure::of("the result would not be a configuration", error, UNCHANGED))?;
    if written != config {
        return Err(other("the result would not be what was meant"));
    }
    let Some(before) = before else {
        return folder.create(name, text.as_bytes(), Privacy::Owner).map_err(failed);
    };
    match folder.replace(name, text.as_bytes(), before.as_bytes()).map_err(failed)? {
        true => Ok(()),
        false => Err(Failure::new(format!("{} was changed meanwhile", file.display()), "try again")),
    }
}
