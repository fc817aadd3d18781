//! Text → text edits for every format: afterwards the entry is present, or gone, and nothing else changed.
//!
//! Never: touches a file, or returns a text in which the meaning of anything but the entry changed.

use super::agent::ConfigFormat;
use super::entry::{InstalledEntry, LaunchCommand};
use super::entry_spec::EntrySpec;
use super::error::EditError;
use super::text::{Splice, TextStyle, apply_splices, split_style};
use super::{json, toml_file};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryChange<'a> {
    Install(&'a LaunchCommand),
    Uninstall,
}

/// Returns the whole text with the change made; `None` if no change is needed.
///
/// # Errors
/// When the agent could not read the text, the name belongs to another program's entry, or our entry would lose an option
/// that restricts its server.
pub fn edit_entry(text: &str, spec: &EntrySpec<'_>, change: EntryChange<'_>) -> Result<Option<String>, EditError> {
    // Each step fixes one difference. The last step parses the text that is written, and finds none.
    const MAX_STEPS: usize = 8;
    check_restrictions_kept(text, spec, change)?;
    let (style, body) = split_style(text);
    let mut edited = body.to_owned();
    for steps in 0..MAX_STEPS {
        // A text that only the previous step made unreadable is our error, not the file's.
        let next = plan_step(&edited, style, spec, change);
        match if steps == 0 { next? } else { next.map_err(|_| EditError::NotIsolated)? } {
            None if steps == 0 => return Ok(None),
            None => {
                check_rest_unchanged(body, &edited, style, spec)?;
                return Ok(Some(format!("{}{edited}", style.bom)));
            }
            Some(splices) => {
                edited = apply_splices(&edited, splices).ok_or(EditError::NotIsolated)?;
                // A text without a final newline stays without one; the newline that a new section brought is removed.
                if !style.ends_with_newline && edited.ends_with('\n') {
                    edited.truncate(edited.trim_end_matches(['\r', '\n']).len());
                }
            }
        }
    }
    Err(EditError::NotIsolated)
}

/// Checks that a new command keeps the options of our entry that restrict its server: who leaves one out by mistake would
/// open the AppDir wider than before, without a word.
fn check_restrictions_kept(text: &str, spec: &EntrySpec<'_>, change: EntryChange<'_>) -> Result<(), EditError> {
    const RESTRICTIONS: [&str; 3] = ["--read-only", "--service", "--config"];
    let (EntryChange::Install(launch), false) = (change, spec.force) else { return Ok(()) };
    // A text that cannot be read is reported where it is edited.
    let Ok(Some(found)) = find_entry(text, spec) else { return Ok(()) };
    let dropped = RESTRICTIONS.into_iter().find(|option| found.launch.has_option(option) && !launch.has_option(option));
    match dropped.filter(|_| spec.own_programs.owns_entry(&found)) {
        Some(option) => Err(EditError::DroppedRestriction { name: spec.name.as_str().to_owned(), option }),
        None => Ok(()),
    }
}

/// Checks that everything except the entry is unchanged.
fn check_rest_unchanged(before: &str, after: &str, style: TextStyle, spec: &EntrySpec<'_>) -> Result<(), EditError> {
    let is_same = match spec.target.format {
        ConfigFormat::Json | ConfigFormat::JsonWithComments | ConfigFormat::Jsonc => {
            let rest = |text| json::comparable_rest(text, style, spec);
            rest(before)? == rest(after).map_err(|_| EditError::NotIsolated)?
        }
        ConfigFormat::Toml => {
            let rest = |text| toml_file::comparable_rest(text, spec);
            toml_file::is_equal_value(&rest(before)?, &rest(after).map_err(|_| EditError::NotIsolated)?)
        }
    };
    if is_same { Ok(()) } else { Err(EditError::NotIsolated) }
}

/// Returns the entry, if the text has it.
///
/// # Errors
/// As [`edit_entry`], and when the entry starts no program.
pub fn find_entry(text: &str, spec: &EntrySpec<'_>) -> Result<Option<InstalledEntry>, EditError> {
    let (style, body) = split_style(text);
    match spec.target.format {
        ConfigFormat::Json | ConfigFormat::JsonWithComments | ConfigFormat::Jsonc => {
            json::find_entry(body, style, spec)
        }
        ConfigFormat::Toml => toml_file::find_entry(body, spec),
    }
}

/// Renders the entry alone, for users who edit the file themselves.
#[must_use]
pub fn render_snippet(spec: &EntrySpec<'_>, launch: &LaunchCommand) -> String {
    match spec.target.format {
        ConfigFormat::Json | ConfigFormat::JsonWithComments | ConfigFormat::Jsonc => json::render_snippet(spec, launch),
        ConfigFormat::Toml => toml_file::render_snippet(spec, launch),
    }
}

fn plan_step(
    text: &str,
    style: TextStyle,
    spec: &EntrySpec<'_>,
    change: EntryChange<'_>,
) -> Result<Option<Vec<Splice>>, EditError> {
    match (spec.target.format, change) {
        (ConfigFormat::Toml, EntryChange::Install(launch)) => toml_file::install(text, style, spec, launch),
        (ConfigFormat::Toml, EntryChange::Uninstall) => toml_file::uninstall(text, style, spec),
        (ConfigFormat::Json | ConfigFormat::JsonWithComments | ConfigFormat::Jsonc, EntryChange::Install(launch)) => {
            json::install(text, style, spec, launch)
        }
        (ConfigFormat::Json | ConfigFormat::JsonWithComments | ConfigFormat::Jsonc, EntryChange::Uninstall) => {
            json::uninstall(text, style, spec)
        }
    }
}
