//! Text → text, for every form: the entry is there afterwards, or gone, and nothing else is different.
//!
//! Never: touches a file, or gives a text back of which anything but the entry says something else than before.

use super::entry::{Found, Launch, ServerName};
use super::error::EditError;
use super::owners::Owners;
use super::table::{Format, Target};
use super::text::{Manners, Splice, apart, splice};
use super::{json, toml_file};

/// Which entry of which file.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    pub target: &'a Target,
    pub name: &'a ServerName,
    pub owners: &'a Owners,
    /// Whether an entry that starts another program may be replaced or removed.
    pub force: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change<'a> {
    Install(&'a Launch),
    Uninstall,
}

/// The whole text with the change made; nothing when there is nothing to do.
///
/// # Errors
/// When the text is not what the agent would read, or somebody else's entry is in the way.
pub fn edit(text: &str, wanted: &Wanted<'_>, change: Change<'_>) -> Result<Option<String>, EditError> {
    // Each step mends one thing and reads the result, so that the last one has seen the text that is written.
    const MAX_STEPS: usize = 8;
    let (manners, body) = apart(text);
    let mut edited = body.to_owned();
    for steps in 0..MAX_STEPS {
        // What a step made is read by the next one: that it cannot be read is this room's fault and not the file's.
        let next = step(&edited, manners, wanted, change);
        match if steps == 0 { next? } else { next.map_err(|_| EditError::NotAlone)? } {
            None if steps == 0 => return Ok(None),
            None => {
                untouched(body, &edited, manners, wanted)?;
                return Ok(Some(format!("{}{edited}", manners.mark)));
            }
            Some(splices) => {
                edited = splice(&edited, splices).ok_or(EditError::NotAlone)?;
                // Of an end that a text had without a line, only what a section brought goes.
                if !manners.ends_line && edited.ends_with('\n') {
                    edited.truncate(edited.trim_end_matches(['\r', '\n']).len());
                }
            }
        }
    }
    Err(EditError::NotAlone)
}

/// Whether everything but the entry says what it said.
fn untouched(before: &str, after: &str, manners: Manners, wanted: &Wanted<'_>) -> Result<(), EditError> {
    let is_same = match wanted.target.format {
        Format::Json | Format::Jsonc => {
            let rest = |text| json::rest(text, manners, wanted);
            rest(before)? == rest(after).map_err(|_| EditError::NotAlone)?
        }
        Format::Toml => {
            let rest = |text| toml_file::rest(text, wanted);
            toml_file::is_same(&rest(before)?, &rest(after).map_err(|_| EditError::NotAlone)?)
        }
    };
    if is_same { Ok(()) } else { Err(EditError::NotAlone) }
}

/// The entry that is there.
///
/// # Errors
/// As [`edit`], and when it starts no program.
pub fn find(text: &str, wanted: &Wanted<'_>) -> Result<Option<Found>, EditError> {
    let (manners, body) = apart(text);
    match wanted.target.format {
        Format::Json | Format::Jsonc => json::find(body, manners, wanted),
        Format::Toml => toml_file::find(body, wanted),
    }
}

/// The entry by itself, for those who edit the file themselves.
#[must_use]
pub fn snippet(wanted: &Wanted<'_>, launch: &Launch) -> String {
    match wanted.target.format {
        Format::Json | Format::Jsonc => json::snippet(wanted, launch),
        Format::Toml => toml_file::snippet(wanted, launch),
    }
}

fn step(
    text: &str,
    manners: Manners,
    wanted: &Wanted<'_>,
    change: Change<'_>,
) -> Result<Option<Vec<Splice>>, EditError> {
    match (wanted.target.format, change) {
        (Format::Toml, Change::Install(launch)) => toml_file::install(text, manners, wanted, launch),
        (Format::Toml, Change::Uninstall) => toml_file::uninstall(text, manners, wanted),
        (Format::Json | Format::Jsonc, Change::Install(launch)) => json::install(text, manners, wanted, launch),
        (Format::Json | Format::Jsonc, Change::Uninstall) => json::uninstall(text, manners, wanted),
    }
}
