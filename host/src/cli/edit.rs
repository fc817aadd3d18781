//! Changing the configuration file, with its comments and order kept.
//!
//! Never: is reachable from a client; a server reads the configuration once, at its start.

use toml_edit::{DocumentMut, Item, RawString, Table, TableLike};

use super::report::Failure;
use super::settings::Settings;
use crate::appdir::{AppDirError, Privacy, ambient};
use crate::config::Config;
use crate::limits::{LEFTOVER_TIME, MAX_CONFIG_BYTES};

/// What some editors begin a file with.
const MARK: char = '\u{feff}';

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
    let _lock = folder.lock_itself().map_err(failed)?;
    folder.sweep_of(name, LEFTOVER_TIME).map_err(failed)?;
    let before = match folder.read_text(name, MAX_CONFIG_BYTES) {
        Ok((text, _)) => Some(text),
        Err(AppDirError::NotFound(_)) => None,
        Err(error) => return Err(failed(error)),
    };
    // The parser writes one end of a line only, and comments are looked at.
    let plain = before.as_deref().unwrap_or_default().trim_start_matches(MARK).replace("\r\n", "\n");
    let document = plain.parse::<DocumentMut>();
    let mut document = document.map_err(|error| {
        Failure::of(format!("cannot change {}", file.display()), error, "mend the file there: it is not TOML")
    })?;
    change(&mut document)?;
    let mut text = document.to_string();
    if before.as_ref().is_some_and(|before| before.contains("\r\n")) {
        text = text.replace('\n', "\r\n");
    }
    if before.as_ref().is_some_and(|before| before.starts_with(MARK)) {
        text.insert(0, MARK);
    }
    Config::parse(&text).map_err(|error| {
        let hint = "nothing was changed; wardroom help config lists every key";
        Failure::of("the result would not be a configuration", error, hint)
    })?;
    let Some(before) = before else {
        return folder.create(name, text.as_bytes(), Privacy::Owner).map_err(failed);
    };
    match folder.replace(name, text.as_bytes(), before.as_bytes()).map_err(failed)? {
        true => Ok(()),
        false => Err(Failure::new(format!("{} was changed meanwhile", file.display()), "try again")),
    }
}

/// Takes the table `name` out of those at `path`: whether it was there. A comment right above it goes too; what stands before
/// that, with an empty line between, is about the file.
pub(super) fn remove_table(document: &mut DocumentMut, path: &[&str], name: &str) -> bool {
    let mut tables: Option<&mut dyn TableLike> = Some(document.as_table_mut());
    for key in path {
        tables = tables.and_then(|tables| tables.get_mut(key)).and_then(Item::as_table_like_mut);
    }
    let Some(removed) = tables.and_then(|tables| tables.remove(name)) else { return false };
    let Item::Table(removed) = removed else { return true };
    let above = removed.decor().prefix().and_then(RawString::as_str).unwrap_or_default();
    let about_the_file = above.rfind("\n\n").and_then(|end| above.get(..end + 2)).unwrap_or_default();
    if about_the_file.contains('#') {
        match next_table(document.as_table_mut(), removed.position().unwrap_or_default()) {
            Some(next) => {
                let own = next.decor().prefix().and_then(RawString::as_str).unwrap_or_default().to_owned();
                next.decor_mut().set_prefix(format!("{about_the_file}{}", own.trim_start_matches('\n')));
            }
            None => {
                let trailing = document.trailing().as_str().unwrap_or_default().to_owned();
                document.set_trailing(format!("{about_the_file}{trailing}"));
            }
        }
    }
    true
}

/// The first table behind a position.
fn next_table(table: &mut Table, position: isize) -> Option<&mut Table> {
    let mut nearest: Option<&mut Table> = None;
    let mut tables = vec![table];
    while let Some(table) = tables.pop() {
        let is_behind = !table.is_implicit() && table.position().is_some_and(|own| own > position);
        let is_nearer = nearest.as_ref().is_none_or(|nearest| table.position() < nearest.position());
        if is_behind && is_nearer {
            nearest = Some(table);
        } else {
            tables.extend(table.iter_mut().filter_map(|(_, item)| item.as_table_mut()));
        }
    }
    nearest
}

/// The tables at `path`, which are made where they are missing.
pub(super) fn tables<'d>(document: &'d mut DocumentMut, path: &[&str]) -> Result<&'d mut dyn TableLike, Failure> {
    let mut tables: &mut dyn TableLike = document.as_table_mut();
    for key in path {
        // A configuration that was read has tables there, or nothing.
        let other = || Failure::new(format!("`{key}` is not a table"), "wardroom help config shows what it is");
        tables = tables.entry(key).or_insert_with(implicit_table).as_table_like_mut().ok_or_else(other)?;
    }
    Ok(tables)
}

fn implicit_table() -> Item {
    let mut table = Table::new();
    table.set_implicit(true);
    Item::Table(table)
}
