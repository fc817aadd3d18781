//! The files themselves: which one an agent reads, what would change in it, and the change.
//!
//! Never: writes what was not prepared, and shown if anybody wanted to see it, or over what somebody else wrote meanwhile.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use chrono::{DateTime, Utc};
use sha2::{Digest as _, Sha256};
use similar::TextDiff;

use super::edit::{Change, Wanted, edit, find};
use super::entry::Found;
use super::error::AgentError;
use super::places::Environment;
use super::table::{Agent, Reads, Target};
use wardroom_appdir::{Access, AppDirError, Folder, Privacy, ambient};
use wardroom_base::limits::{LEFTOVER_TIME, MAX_AGENT_FILE_BYTES, MAX_DIFF_LINE_CHARS};

const IN_PIECES: &str = "(one line is shown as several, since it is long)";
const LONGEST_DIFF: Duration = Duration::from_secs(1);
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

/// The files of an agent on this system, at least one for each of its programs.
#[must_use]
pub fn look(agent: &'static Agent, environment: &Environment) -> Vec<File> {
    agent.targets.iter().flat_map(|target| choose(target, environment)).collect()
}

/// Of an agent that is several programs the files of those that are installed; where none is, the first, which says so.
#[must_use]
pub fn installed_else_first(files: Vec<File>) -> Vec<File> {
    let is_any = files.iter().any(|file| file.installed);
    let is_meant = |(index, file): &(usize, File)| if is_any { file.installed } else { *index == 0 };
    files.into_iter().enumerate().filter(is_meant).map(|(_, file)| file).collect()
}

/// Of files that one program reads together those that a change is for: where the entry is. A new one goes into the first.
#[must_use]
pub fn meant(files: Vec<File>, change: Change<'_>, has_entry: impl Fn(&File) -> bool) -> Vec<File> {
    if change == Change::Uninstall {
        return files;
    }
    let together = files.chunk_by(|one, other| std::ptr::eq(one.target, other.target));
    let meant = together.flat_map(|files| {
        let having: Vec<&File> = files.iter().filter(|file| has_entry(file)).collect();
        if having.is_empty() { files.iter().take(1).collect() } else { having }
    });
    meant.cloned().collect()
}

/// Where an agent reads one file, at most that.
fn choose(target: &'static Target, environment: &Environment) -> Vec<File> {
    let candidates = target.paths(environment);
    // A link that leads nowhere is there, too: it is refused later, in words.
    let exists =
        |path: &str| !matches!(ambient::target(Path::new(path)), Ok(ref found) if ambient::canonical(found).is_err());
    let is_installed = |signs: &[String]| signs.iter().any(|sign| ambient::canonical(Path::new(sign)).is_ok());
    let file = |path: &str, exists, installed| File { target, path: PathBuf::from(path), exists, installed };
    let mut there: Vec<File> =
        candidates.iter().filter(|paths| exists(&paths.file)).map(|paths| file(&paths.file, true, true)).collect();
    if target.reads == Reads::One {
        there.truncate(1);
    }
    if !there.is_empty() {
        return there;
    }
    let installed = || candidates.iter().find(|paths| is_installed(&paths.signs));
    // What would be made has signs; what has none is only used where it is.
    let made = || candidates.iter().find(|paths| !paths.signs.is_empty());
    let missing = installed().map(|paths| file(&paths.file, false, true));
    missing.or_else(|| made().map(|paths| file(&paths.file, false, false))).into_iter().collect()
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

    /// Whether it has the entry, as far as can be told: a text that is not understood may have it, and a file that is missing
    /// or cannot be read has not.
    #[must_use]
    pub fn has_entry(&self, wanted: &Wanted<'_>) -> bool {
        self.read().is_ok_and(|text| text.is_some_and(|text| !matches!(find(&text, wanted), Ok(None))))
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
    pub fn file(&self) -> &File {
        &self.file
    }

    /// The content that the change was made for, as a digest.
    #[must_use]
    pub fn seen(&self) -> String {
        let before = self.before.as_ref().map_or_else(String::new, |before| format!("{before}."));
        Sha256::digest(before).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The entry that is changed or removed, where there is one.
    pub(super) fn replaced(&self, wanted: &Wanted<'_>) -> Option<Found> {
        find(self.before.as_deref()?, wanted).ok().flatten()
    }

    /// What would change, as a unified difference. Lines that are too long to be shown are shown in pieces.
    #[must_use]
    pub fn diff(&self) -> String {
        let before = self.before.as_deref().unwrap_or_default();
        let name = self.file.shown();
        let old = if self.before.is_some() { name.as_str() } else { "/dev/null" };
        let is_long = |text: &str| text.lines().any(|line| line.chars().count() > MAX_DIFF_LINE_CHARS);
        if !is_long(before) && !is_long(&self.after) {
            let diff = TextDiff::configure().timeout(LONGEST_DIFF).diff_lines(before, &self.after);
            return diff.unified_diff().context_radius(CONTEXT).header(old, &name).to_string();
        }
        let (before, after) = (pieces(before), pieces(&self.after));
        // Of texts that have little in common it is said in time, though at more length.
        let diff = TextDiff::configure().timeout(LONGEST_DIFF).diff_slices(&before, &after);
        let mut diff = diff.unified_diff();
        let shown = diff.context_radius(CONTEXT).missing_newline_hint(false).header(old, &name).to_string();
        format!("{IN_PIECES}\n{shown}")
    }

    /// Writes it, with a copy of what was there beside it: where that copy is.
    ///
    /// # Errors
    /// When the file was changed since it was read, or cannot be written. It is as it was then.
    pub fn apply(&self) -> Result<Option<PathBuf>, AgentError> {
        let failed = |source| self.file.failed(source);
        // Of a link the file that it leads to is changed, and the link stays.
        let path = ambient::target(&self.file.path).map_err(failed)?;
        let (parent, name) = ambient::split(&path).map_err(failed)?;
        let changed = || AgentError::Changed { path: self.file.shown() };
        let folder = match &self.before {
            None => ambient::create(parent),
            Some(_) => ambient::open(parent, Access::ReadWrite),
        };
        let folder = folder.map_err(failed)?;
        let lock = folder.lock_itself().map_err(failed)?;
        // Whoever writes holds the lock, and who does not is dead.
        let idle = if lock.is_some() { Duration::ZERO } else { LEFTOVER_TIME };
        folder.sweep_of(name, idle).map_err(failed)?;
        let Some(before) = &self.before else {
            return match folder.create(name, self.after.as_bytes(), Privacy::Owner) {
                Ok(()) => Ok(None),
                Err(AppDirError::Exists(_)) => Err(changed()),
                Err(source) => Err(failed(source)),
            };
        };
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
    let age = |modified: SystemTime| modified.elapsed().unwrap_or_else(|ahead| ahead.duration());
    modified.is_some_and(|modified| age(modified) < YOUNG)
}

/// A copy with the date in its name, for the file's owner alone: these files hold keys.
fn back_up(folder: &Folder, name: &str, text: &str) -> Result<String, AppDirError> {
    const MOST_IN_A_SECOND: u32 = 100;
    let now = DateTime::<Utc>::from(SystemTime::now()).format("%Y%m%dT%H%M%SZ");
    for number in 1..MOST_IN_A_SECOND {
        let number = if number == 1 { String::new() } else { format!("-{number}") };
        let copy = format!("{name}.{now}{number}.bak");
        match folder.create_copy(name, &copy, text.as_bytes()) {
            Err(AppDirError::Exists(_)) => {}
            created => return created.map(|()| copy),
        }
    }
    Err(AppDirError::Exists(format!("{name}.{now}.bak")))
}

/// A text in pieces that are short enough to be shown: its lines, and of the long ones what the marks of such files part.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    for line in text.split_inclusive('\n') {
        if line.chars().count() <= MAX_DIFF_LINE_CHARS {
            pieces.push(line);
            continue;
        }
        for mut piece in line.split_inclusive(['{', '}', '[', ']', ',']) {
            while let Some((at, _)) = piece.char_indices().nth(MAX_DIFF_LINE_CHARS) {
                let (start, rest) = piece.split_at(at);
                pieces.push(start);
                piece = rest;
            }
            pieces.push(piece);
        }
    }
    pieces
}
