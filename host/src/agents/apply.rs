//! The files themselves: which one an agent reads, what would change in it, and the change.
//!
//! Never: writes what was not prepared, and shown if anybody wanted to see it, or over what somebody else wrote meanwhile.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use chrono::{DateTime, Utc};
use sha2::{Digest as _, Sha256};
use similar::TextDiff;

use super::edit::{Change, Wanted, edit};
use super::error::AgentError;
use super::places::Environment;
use super::table::{Agent, Target};
use crate::appdir::{Access, AppDirError, Folder, Privacy, ambient};
use crate::limits::{LEFTOVER_TIME, MAX_AGENT_FILE_BYTES, MAX_DIFF_LINE_CHARS};

/// The lock of everybody who edits files of agents. It lies in a folder of ours: nothing is left in theirs.
const LOCK: &str = "agents.lock";
/// The lines around a change that are shown with it.
const CONTEXT: usize = 3;

/// A file that an agent reads, or would.
#[derive(Debug, Clone)]
pub struct File {
    pub target: &'static Target,
    pub path: PathBuf,
    pub exists: bool,
    /// Whether its agent is installed, as far as what it leaves on the disk tells.
    pub installed: bool,
}

/// The files of an agent on this system, one for each of its programs.
#[must_use]
pub fn look(agent: &'static Agent, environment: &Environment) -> Vec<File> {
    agent.targets.iter().filter_map(|target| choose(target, environment)).collect()
}

fn choose(target: &'static Target, environment: &Environment) -> Option<File> {
    let candidates = target.paths(environment);
    // A link that leads nowhere is there, too: it is refused later, in words.
    let exists =
        |path: &str| !matches!(ambient::target(Path::new(path)), Ok(ref found) if ambient::canonical(found).is_err());
    let is_installed = |signs: &[String]| signs.iter().any(|sign| ambient::canonical(Path::new(sign)).is_ok());
    let file = |path: &str, exists, installed| File { target, path: PathBuf::from(path), exists, installed };
    let there = candidates.iter().find(|paths| exists(&paths.file));
    let there = there.map(|paths| file(&paths.file, true, true));
    let installed = || candidates.iter().find(|paths| is_installed(&paths.signs));
    let there = there.or_else(|| installed().map(|paths| file(&paths.file, false, true)));
    // What would be made has signs; what has none is only used where it is.
    let made = || candidates.iter().find(|paths| !paths.signs.is_empty());
    there.or_else(|| made().map(|paths| file(&paths.file, false, false)))
}

impl File {
    /// The text; nothing when there is no file.
    ///
    /// # Errors
    /// When it cannot be read whole, or is no text.
    pub fn read(&self) -> Result<Option<String>, AgentError> {
        match ambient::read_text(&self.path, MAX_AGENT_FILE_BYTES) {
            Ok(text) => Ok(Some(text)),
            Err(AppDirError::NotFound(_)) => Ok(None),
            Err(source) => Err(self.failed(source)),
        }
    }

    fn failed(&self, source: AppDirError) -> AgentError {
        AgentError::File { path: self.shown(), source }
    }

    fn shown(&self) -> String {
        self.path.display().to_string()
    }
}

/// A change that can be shown, and made.
#[derive(Debug)]
pub struct Ready {
    file: File,
    /// Nothing where there is no file.
    before: Option<String>,
    after: String,
}

/// What would change; nothing when everything is as it should be.
///
/// # Errors
/// When the file is not one that the agent would read, somebody else's entry is in the way, or the agent is not installed
/// and `create` is not said.
pub fn prepare(
    file: &File,
    wanted: &Wanted<'_>,
    change: Change<'_>,
    create: bool,
) -> Result<Option<Ready>, AgentError> {
    let before = file.read()?;
    if before.is_none() {
        match change {
            Change::Uninstall => return Ok(None),
            Change::Install(_) if !file.installed && !create => {
                return Err(AgentError::NotInstalled { path: file.shown() });
            }
            Change::Install(_) => {}
        }
    }
    let after = edit(before.as_deref().unwrap_or_default(), wanted, change);
    let after = after.map_err(|source| AgentError::Edit { path: file.shown(), source })?;
    Ok(after.map(|after| Ready { file: file.clone(), before, after }))
}

impl Ready {
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.file.path
    }

    /// The content that the change was made for, as a digest.
    #[must_use]
    pub fn seen(&self) -> String {
        let before = self.before.as_ref().map_or_else(String::new, |before| format!("{before}."));
        Sha256::digest(before).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// What would change, as a unified difference.
    #[must_use]
    pub fn diff(&self) -> String {
        let before = self.before.as_deref().unwrap_or_default();
        let longest = |text: &str| text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        let name = self.file.shown();
        if longest(before).max(longest(&self.after)) > MAX_DIFF_LINE_CHARS {
            return format!("--- {name}\n+++ {name}\n{}", around(before, &self.after));
        }
        let old = if self.before.is_some() { name.as_str() } else { "/dev/null" };
        let diff = TextDiff::from_lines(before, &self.after);
        diff.unified_diff().context_radius(CONTEXT).header(old, &name).to_string()
    }

    /// Writes it, with a copy of what was there beside it: where that copy is.
    ///
    /// # Errors
    /// When the file was changed since it was read, or cannot be written. It is as it was then.
    pub fn apply(&self, locks: &Folder) -> Result<Option<PathBuf>, AgentError> {
        let failed = |source| self.file.failed(source);
        let _lock = locks.lock(LOCK).map_err(failed)?;
        // Of a link the file that it leads to is changed, and the link stays.
        let path = ambient::target(&self.file.path).map_err(failed)?;
        let (parent, name) = ambient::split(&path).map_err(failed)?;
        let changed = || AgentError::Changed { path: self.file.shown() };
        let Some(before) = &self.before else {
            let folder = ambient::create(parent).map_err(failed)?;
            return match folder.create(name, self.after.as_bytes(), Privacy::Owner) {
                Ok(()) => Ok(None),
                Err(AppDirError::Exists(_)) => Err(changed()),
                Err(source) => Err(failed(source)),
            };
        };
        let folder = ambient::open(parent, Access::ReadWrite).map_err(failed)?;
        sweep(&folder, name).map_err(failed)?;
        match folder.read(name, MAX_AGENT_FILE_BYTES) {
            // Whoever writes in place empties it first.
            Ok(now) if now.bytes.is_empty() && is_young(&folder, name) => return Err(changed()),
            Ok(now) if now.bytes == before.as_bytes() => {}
            Ok(_) | Err(AppDirError::NotFound(_)) => return Err(changed()),
            Err(source) => return Err(failed(source)),
        }
        let copy = back_up(&folder, name, before).map_err(failed)?;
        match folder.replace(name, self.after.as_bytes(), before.as_bytes()) {
            Ok(true) => Ok(Some(parent.join(copy))),
            outcome => {
                // Where nothing was replaced there is nothing to go back to.
                let now = folder.read(name, MAX_AGENT_FILE_BYTES);
                if matches!(outcome, Ok(false)) || now.is_ok_and(|now| now.bytes == before.as_bytes()) {
                    drop(folder.remove(&copy));
                }
                Err(outcome.map_or_else(failed, |_| changed()))
            }
        }
    }
}

/// Whether it was changed just now.
fn is_young(folder: &Folder, name: &str) -> bool {
    const YOUNG: Duration = Duration::from_secs(2);
    let modified = folder.stat_here(name).ok().and_then(|stat| stat.modified);
    // A time to come is one of a clock that was set back.
    modified.is_some_and(|modified| modified.elapsed().map_or(true, |age| age < YOUNG))
}

/// A copy with the date in its name, for its owner alone: these files hold keys.
fn back_up(folder: &Folder, name: &str, text: &str) -> Result<String, AppDirError> {
    const MOST_IN_A_SECOND: u32 = 100;
    let now = DateTime::<Utc>::from(SystemTime::now()).format("%Y%m%dT%H%M%SZ");
    for number in 1..MOST_IN_A_SECOND {
        let number = if number == 1 { String::new() } else { format!("-{number}") };
        let copy = format!("{name}.{now}{number}.bak");
        match folder.create(&copy, text.as_bytes(), Privacy::Owner) {
            Err(AppDirError::Exists(_)) => {}
            created => return created.map(|()| copy),
        }
    }
    Err(AppDirError::Exists(format!("{name}.{now}.bak")))
}

/// Removes what killed writers of this file left beside it, and nothing of anybody else's.
fn sweep(folder: &Folder, name: &str) -> Result<(), AppDirError> {
    let start = format!(".{name}.");
    for leftover in folder.leftovers(LEFTOVER_TIME)?.iter().filter(|leftover| leftover.starts_with(&start)) {
        folder.remove(leftover)?;
    }
    Ok(())
}

/// The difference of texts whose lines are too long to be shown: what is different, with a little before and behind it.
fn around(before: &str, after: &str) -> String {
    const SHOWN: usize = 60;
    let (old, new): (Vec<char>, Vec<char>) = (before.chars().collect(), after.chars().collect());
    let same_start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let most = old.len().min(new.len()) - same_start;
    let same_end = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    let shown = |sign: char, text: &[char]| {
        let (from, to) = (same_start.saturating_sub(SHOWN), (text.len() - same_end + SHOWN).min(text.len()));
        let piece: String = text.get(from..to).unwrap_or_default().iter().take(10 * MAX_DIFF_LINE_CHARS).collect();
        let dots = |is_cut: bool| if is_cut { "…" } else { "" };
        let piece = format!("{}{piece}{}", dots(from > 0), dots(to < text.len()));
        piece.lines().map(|line| format!("{sign}{line}\n")).collect::<String>()
    };
    shown('-', &old) + &shown('+', &new)
}
