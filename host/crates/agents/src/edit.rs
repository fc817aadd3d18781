//! Text → text, for every form: the entry is there afterwards, or gone, and nothing else is different.
//!
//! Never: touches a file, or gives a text back of which anything but the entry says something else than before.

use super::entry::{InstalledEntry, LaunchCommand, ServerName};
use super::error::EditError;
use super::own_programs::OwnPrograms;
use super::table::{ConfigFormat, ConfigTarget};
use super::text::{Splice, TextStyle, apply_splices, split_style};
use super::{json, toml_file};

/// Which entry of which file.
#[derive(Debug, Clone, Copy)]
pub struct EntrySpec<'a> {
    pub target: &'a ConfigTarget,
    pub name: &'a ServerName,
    pub own_programs: &'a OwnPrograms,
    /// Whether an entry that starts another program may be replaced or removed.
    pub force: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryChange<'a> {
    Install(&'a LaunchCommand),
    Uninstall,
}

/// The whole text with the change made; nothing when there is nothing to do.
///
/// # Errors
/// When the text is not what the agent would read, or somebody else's entry is in the way.
pub fn edit_entry(text: &str, wanted: &EntrySpec<'_>, change: EntryChange<'_>) -> Result<Option<String>, EditError> {
    // Each step mends one thing and reads the result, so that the last one has seen the text that is written.
    const MAX_STEPS: usize = 8;
    let (manners, body) = split_style(text);
    let mut edited = body.to_owned();
    for steps in 0..MAX_STEPS {
        // What a step made is read by the next one: that it cannot be read is this room's fault and not the file's.
        let next = plan_step(&edited, manners, wanted, change);
        match if steps == 0 { next? } else { next.map_err(|_| EditError::NotIsolated)? } {
            None if steps == 0 => return Ok(None),
            None => {
                check_rest_unchanged(body, &edited, manners, wanted)?;
                return Ok(Some(format!("{}{edited}", manners.bom)));
            }
            Some(splices) => {
                edited = apply_splices(&edited, splices).ok_or(EditError::NotIsolated)?;
                // Of an end that a text had without a line, only what a section brought goes.
                if !manners.ends_with_newline && edited.ends_with('\n') {
                    edited.truncate(edited.trim_end_matches(['\r', '\n']).len());
                }
            }
        }
    }
    Err(EditError::NotIsolated)
}

/// Whether everything but the entry says what it said.
fn check_rest_unchanged(
    before: &str,
    after: &str,
    manners: TextStyle,
    wanted: &EntrySpec<'_>,
) -> Result<(), EditError> {
    let is_same = match wanted.target.format {
        ConfigFormat::Json | ConfigFormat::Jsonc => {
            let rest = |text| json::comparable_rest(text, manners, wanted);
            rest(before)? == rest(after).map_err(|_| EditError::NotIsolated)?
        }
        ConfigFormat::Toml => {
            let rest = |text| toml_file::comparable_rest(text, wanted);
            toml_file::is_equal_value(&rest(before)?, &rest(after).map_err(|_| EditError::NotIsolated)?)
        }
    };
    if is_same { Ok(()) } else { Err(EditError::NotIsolated) }
}

/// The entry that is there.
///
/// # Errors
/// As [`edit`], and when it starts no program.
pub fn find_entry(text: &str, wanted: &EntrySpec<'_>) -> Result<Option<InstalledEntry>, EditError> {
    let (manners, body) = split_style(text);
    match wanted.target.format {
        ConfigFormat::Json | ConfigFormat::Jsonc => json::find_entry(body, manners, wanted),
        ConfigFormat::Toml => toml_file::find_entry(body, wanted),
    }
}

/// The entry by itself, for those who edit the file themselves.
#[must_use]
pub fn render_snippet(wanted: &EntrySpec<'_>, launch: &LaunchCommand) -> String {
    match wanted.target.format {
        ConfigFormat::Json | ConfigFormat::Jsonc => json::render_snippet(wanted, launch),
        ConfigFormat::Toml => toml_file::render_snippet(wanted, launch),
    }
}

fn plan_step(
    text: &str,
    manners: TextStyle,
    wanted: &EntrySpec<'_>,
    change: EntryChange<'_>,
) -> Result<Option<Vec<Splice>>, EditError> {
    match (wanted.target.format, change) {
        (ConfigFormat::Toml, EntryChange::Install(launch)) => toml_file::install(text, manners, wanted, launch),
        (ConfigFormat::Toml, EntryChange::Uninstall) => toml_file::uninstall(text, manners, wanted),
        (ConfigFormat::Json | ConfigFormat::Jsonc, EntryChange::Install(launch)) => {
            json::install(text, manners, wanted, launch)
        }
        (ConfigFormat::Json | ConfigFormat::Jsonc, EntryChange::Uninstall) => json::uninstall(text, manners, wanted),
    }
}
