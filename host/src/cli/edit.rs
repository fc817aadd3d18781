//! Changing the configuration file, with its comments and order kept.
//!
//! Never: is reachable from a client; a server reads the configuration once, at its start.

use toml_edit::{DocumentMut, Item, Table};

use super::report::Failure;
use super::settings::Settings;
use crate::appdir::{AppDirError, Folder, Privacy, ambient};
use crate::config::Config;
use crate::limits::{LEFTOVER_TIME, MAX_CONFIG_BYTES};

/// Changes the configuration file under its lock, checks the result, and writes it whole.
pub(super) fn edit(
    settings: &Settings,
    change: impl FnOnce(&mut DocumentMut) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let file = &settings.config_file;
    let failed = |error| {
        let hint = "look at that file and its folder, or name another file with --config FILE";
        Failure::of(format!("cannot change {}", file.display()), error, hint)
    };
    // Of a configuration that is a link, say to a folder of dotfiles, the file is changed and the link stays.
    let target = ambient::target(file).map_err(failed)?;
    let (parent, name) = ambient::split(&target).map_err(failed)?;
    let folder = ambient::create(parent).map_err(failed)?;
    let _lock = folder.lock(&format!(".{name}.lock")).map_err(failed)?;
    sweep(&folder, name).map_err(failed)?;
    let text = match folder.read_text(name, MAX_CONFIG_BYTES) {
        Ok((text, _)) => text,
        Err(AppDirError::NotFound(_)) => String::new(),
        Err(error) => return Err(failed(error)),
    };
    let document = text.parse::<DocumentMut>();
    let mut document = document.map_err(|error| {
        Failure::of(format!("cannot change {}", file.display()), error, "mend the file there: it is not TOML")
    })?;
    change(&mut document)?;
    let text = document.to_string();
    Config::parse(&text).map_err(|error| {
        let hint = "nothing was changed; wardroom help config lists every key";
        Failure::of("the result would not be a configuration", error, hint)
    })?;
    folder.write(name, text.as_bytes(), Privacy::Owner).map_err(failed)
}

/// Removes what killed writers of this file left beside it, and nothing of anybody else's.
fn sweep(folder: &Folder, name: &str) -> Result<(), AppDirError> {
    let start = format!(".{name}.");
    for leftover in folder.leftovers(LEFTOVER_TIME)?.iter().filter(|leftover| leftover.starts_with(&start)) {
        folder.remove(leftover)?;
    }
    Ok(())
}

pub(super) fn implicit_table() -> Item {
    let mut table = Table::new();
    table.set_implicit(true);
    Item::Table(table)
}
