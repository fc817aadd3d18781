//! The agents' files: which one an agent reads, the planned edit, and its application.
//!
//! Never: writes an edit that was not planned, so that it can be shown first, or overwrites a concurrent change.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use chrono::{DateTime, NaiveDateTime, Utc};
use sha2::{Digest as _, Sha256};
use similar::TextDiff;

use super::agent::{Agent, ConfigTarget, ReadPolicy};
use super::edit_text::{EntryChange, edit_entry, find_entry};
use super::entry::InstalledEntry;
use super::entry_spec::EntrySpec;
use super::error::AgentError;
use super::paths::PathEnvironment;
use super::secrets::mask_secrets;
use crate::limits::{MAX_AGENT_FILE_BYTES, MAX_BACKUPS, MAX_DIFF_LINE_CHARS};
use wardroom_appdir::limits::{MAX_NAMES_SCANNED, STALE_TEMP_FILE_AGE};
use wardroom_appdir::{Access, AppDirError, Folder, Privacy, ambient};
use wardroom_base::hex::encode_hex;

/// The time in the name of a backup.
const BACKUP_TIME: &str = "%Y%m%dT%H%M%SZ";
const SPLIT_LINES_NOTICE: &str = "(long lines are shown in pieces)";
const DIFF_TIMEOUT: Duration = Duration::from_secs(1);
/// The number of unchanged lines that a diff shows around a change.
const DIFF_CONTEXT_LINES: usize = 3;

/// A file that an agent reads, or would read if it existed.
#[derive(Debug, Clone)]
pub struct AgentFile {
    pub target: &'static ConfigTarget,
    pub path: PathBuf,
    pub exists: bool,
    /// Whether its agent is installed, as far as the agent's files show.
    pub is_installed: bool,
}

/// Locates the files of an agent on this system, at least one for each of its programs.
#[must_use]
pub fn locate_files(agent: &'static Agent, environment: &PathEnvironment) -> Vec<AgentFile> {
    agent.targets.iter().flat_map(|target| locate_target(target, environment)).collect()
}

/// Selects the files of the installed programs of an agent; if none is installed, its first file, whose report says so.
#[must_use]
pub fn select_installed_or_first(files: Vec<AgentFile>) -> Vec<AgentFile> {
    let is_any = files.iter().any(|file| file.is_installed);
    let is_meant = |(index, file): &(usize, AgentFile)| if is_any { file.is_installed } else { *index == 0 };
    files.into_iter().enumerate().filter(is_meant).map(|(_, file)| file).collect()
}

/// Selects, of the files that one program reads together, those that a change applies to: the files with the entry. A
/// new entry goes into the first file.
#[must_use]
pub fn select_targets(
    files: Vec<AgentFile>,
    change: EntryChange<'_>,
    has_entry: impl Fn(&AgentFile) -> bool,
) -> Vec<AgentFile> {
    if change == EntryChange::Uninstall {
        return files;
    }
    let together = files.chunk_by(|one, other| std::ptr::eq(one.target, other.target));
    let meant = together.flat_map(|files| {
        let having: Vec<&AgentFile> = files.iter().filter(|file| has_entry(file)).collect();
        if having.is_empty() { files.iter().take(1).collect() } else { having }
    });
    meant.cloned().collect()
}

/// Locates the files of one target.
fn locate_target(target: &'static ConfigTarget, environment: &PathEnvironment) -> Vec<AgentFile> {
    let candidates = target.candidate_paths(environment);
    // A dangling link counts as existing: editing it fails later, with an error message.
    let exists = |path: &str| !matches!(ambient::resolve_target(Path::new(path)), Ok(ref found) if ambient::canonicalize(found).is_err());
    let is_installed = |signs: &[String]| signs.iter().any(|sign| ambient::canonicalize(Path::new(sign)).is_ok());
    let file = |path: &str, exists, installed| AgentFile {
        target,
        path: PathBuf::from(path),
        exists,
        is_installed: installed,
    };
    let mut there: Vec<AgentFile> =
        candidates.iter().filter(|paths| exists(&paths.file)).map(|paths| file(&paths.file, true, true)).collect();
    if target.read_policy == ReadPolicy::FirstExisting {
        there.truncate(1);
    }
    if !there.is_empty() {
        return there;
    }
    let installed = || candidates.iter().find(|paths| is_installed(&paths.install_markers));
    // Only a candidate with install markers is created; one without is used only if it exists.
    let made = || candidates.iter().find(|paths| !paths.install_markers.is_empty());
    let missing = installed().map(|paths| file(&paths.file, false, true));
    missing.or_else(|| made().map(|paths| file(&paths.file, false, false))).into_iter().collect()
}

impl AgentFile {
    /// Reads the text; `None` if the file does not exist.
    ///
    /// # Errors
    /// When it cannot be read whole, or is not UTF-8.
    pub fn read(&self) -> Result<Option<String>, AgentError> {
        match ambient::read_text(&self.path, MAX_AGENT_FILE_BYTES) {
            Ok(text) => Ok(Some(text)),
            Err(AppDirError::NotFound(_)) => Ok(None),
            Err(source) => Err(self.file_error(source)),
        }
    }

    /// Whether the file may have the entry: true for a text that cannot be parsed, false for a file that is missing or
    /// cannot be read.
    #[must_use]
    pub fn has_entry(&self, spec: &EntrySpec<'_>) -> bool {
        self.read().is_ok_and(|text| text.is_some_and(|text| !matches!(find_entry(&text, spec), Ok(None))))
    }

    fn file_error(&self, source: AppDirError) -> AgentError {
        AgentError::File { path: self.display_path(), source }
    }

    fn display_path(&self) -> String {
        self.path.display().to_string()
    }
}

/// A planned change of a file, which can be shown and applied.
#[derive(Debug)]
pub struct PlannedEdit {
    file: AgentFile,
    /// `None` if the file does not exist.
    before: Option<String>,
    after: String,
}

/// Plans a change of a file; returns `None` if no change is needed.
///
/// # Errors
/// When the agent could not read the file, the name belongs to another program's entry, or the agent is not installed
/// and `create` is false.
pub fn plan_edit(
    file: &AgentFile,
    spec: &EntrySpec<'_>,
    change: EntryChange<'_>,
    create: bool,
) -> Result<Option<PlannedEdit>, AgentError> {
    let before = file.read()?;
    if before.is_none() {
        match change {
            EntryChange::Uninstall => return Ok(None),
            EntryChange::Install(_) if !file.is_installed && !create => {
                return Err(AgentError::NotInstalled { path: file.display_path() });
            }
            EntryChange::Install(_) => {}
        }
    }
    let after = edit_entry(before.as_deref().unwrap_or_default(), spec, change);
    let after = after.map_err(|source| AgentError::Edit { path: file.display_path(), source })?;
    Ok(after.map(|after| PlannedEdit { file: file.clone(), before, after }))
}

impl PlannedEdit {
    #[must_use]
    pub fn file(&self) -> &AgentFile {
        &self.file
    }

    /// Returns a digest of the content that the change was planned for.
    #[must_use]
    pub fn before_digest(&self) -> String {
        let before = self.before.as_ref().map_or_else(String::new, |before| format!("{before}."));
        encode_hex(&Sha256::digest(before))
    }

    /// Returns the entry that is changed or removed, if it exists.
    pub(super) fn existing_entry(&self, spec: &EntrySpec<'_>) -> Option<InstalledEntry> {
        find_entry(self.before.as_deref()?, spec).ok().flatten()
    }

    /// Returns the change as a unified diff, with a mask in the place of each secret. Lines that are too long are shown in
    /// pieces.
    #[must_use]
    pub fn diff(&self) -> String {
        let masked = |text: &str| mask_secrets(text, self.file.target.format);
        let (before, after) = (masked(self.before.as_deref().unwrap_or_default()), masked(&self.after));
        let (before, after) = (before.as_str(), after.as_str());
        let name = self.file.display_path();
        let old = if self.before.is_some() { name.as_str() } else { "/dev/null" };
        let is_long = |text: &str| text.lines().any(|line| line.chars().count() > MAX_DIFF_LINE_CHARS);
        if !is_long(before) && !is_long(after) {
            let diff = TextDiff::configure().timeout(DIFF_TIMEOUT).diff_lines(before, after);
            return diff.unified_diff().context_radius(DIFF_CONTEXT_LINES).header(old, &name).to_string();
        }
        let (before, after) = (split_long_lines(before), split_long_lines(after));
        // The timeout bounds the time for texts with little in common, whose diff is longer then.
        let diff = TextDiff::configure().timeout(DIFF_TIMEOUT).diff_slices(&before, &after);
        let mut diff = diff.unified_diff();
        let shown = diff.context_radius(DIFF_CONTEXT_LINES).missing_newline_hint(false).header(old, &name).to_string();
        format!("{SPLIT_LINES_NOTICE}\n{shown}")
    }

    /// Writes the change, with a backup of the previous content beside the file, and returns the backup's path.
    ///
    /// # Errors
    /// When the file was changed since it was read, or cannot be written. It then keeps its content.
    pub fn apply(&self) -> Result<Option<PathBuf>, AgentError> {
        let failed = |source| self.file.file_error(source);
        // The target of a link is changed, and the link stays.
        let path = ambient::resolve_target(&self.file.path).map_err(failed)?;
        let (parent, name) = ambient::split_path(&path).map_err(failed)?;
        let changed = || AgentError::ConcurrentlyModified { path: self.file.display_path() };
        let folder = match &self.before {
            None => ambient::create_folder(parent),
            Some(_) => ambient::open_folder(parent, Access::ReadWrite),
        };
        let folder = folder.map_err(failed)?;
        let lock = folder.lock_self().map_err(failed)?;
        // A living writer holds the lock, so a temporary file without a lock holder is stale.
        let idle = if lock.is_some() { Duration::ZERO } else { STALE_TEMP_FILE_AGE };
        folder.sweep_temp_files_of(name, idle).map_err(failed)?;
        let Some(before) = &self.before else {
            return match folder.create_file(name, self.after.as_bytes(), Privacy::Owner) {
                Ok(()) => Ok(None),
                Err(AppDirError::AlreadyExists(_)) => Err(changed()),
                Err(source) => Err(failed(source)),
            };
        };
        match folder.read(name, MAX_AGENT_FILE_BYTES) {
            // A program that writes in place truncates the file first.
            Ok(now) if now.bytes.is_empty() && now.stat.is_recently_modified() => return Err(changed()),
            Ok(now) if now.bytes == before.as_bytes() => {}
            Ok(_) | Err(AppDirError::NotFound(_)) => return Err(changed()),
            Err(source) => return Err(failed(source)),
        }
        let copy = create_backup(&folder, name, before).map_err(failed)?;
        match folder.replace_if_unchanged(name, self.after.as_bytes(), before.as_bytes()) {
            Ok(true) => {
                remove_old_backups(&folder, name);
                Ok(Some(parent.join(copy)))
            }
            outcome => {
                // Without a replacement the backup is not needed.
                let now = folder.read(name, MAX_AGENT_FILE_BYTES);
                if matches!(outcome, Ok(false)) || now.is_ok_and(|now| now.bytes == before.as_bytes()) {
                    drop(folder.remove_file(&copy));
                }
                Err(outcome.map_or_else(failed, |_| changed()))
            }
        }
    }
}

/// Creates a backup with the date in its name, readable for the file's owner only: these files hold keys. Of several in one
/// second, a later one has a higher number.
fn create_backup(folder: &Folder, name: &str, text: &str) -> Result<String, AppDirError> {
    const MAX_BACKUPS_PER_SECOND: u32 = 100;
    let now = DateTime::<Utc>::from(SystemTime::now()).format(BACKUP_TIME).to_string();
    let of_now = backups(folder, name).into_iter().filter(|(time, ..)| *time == now);
    let first = of_now.map(|(_, number, _)| number.saturating_add(1)).max().unwrap_or(1);
    for number in first..first.saturating_add(MAX_BACKUPS_PER_SECOND) {
        let number = if number == 1 { String::new() } else { format!("-{number}") };
        let copy = format!("{name}.{now}{number}.bak");
        match folder.create_copy(name, &copy, text.as_bytes()) {
            Err(AppDirError::AlreadyExists(_)) => {}
            created => return created.map(|()| copy),
        }
    }
    Err(AppDirError::AlreadyExists(format!("{name}.{now}.bak")))
}

/// Returns the backups of a file, the oldest first: the time and the number in the name, and the name.
fn backups(folder: &Folder, name: &str) -> Vec<(String, u32, String)> {
    let entries = folder.entries(MAX_NAMES_SCANNED).unwrap_or_default().into_iter();
    let mut found: Vec<_> = entries
        .filter_map(|entry| backup_order(name, &entry.name).map(|(time, number)| (time, number, entry.name)))
        .collect();
    found.sort_unstable();
    found
}

/// Removes all backups of a file but the newest ones. What cannot be removed stays.
fn remove_old_backups(folder: &Folder, name: &str) {
    let backups = backups(folder, name);
    let n_old = backups.len().saturating_sub(MAX_BACKUPS);
    for (.., old) in backups.into_iter().take(n_old) {
        drop(folder.remove_file(&old));
    }
}

/// Returns the time and the number in the name of a backup of a file; `None` for other names.
fn backup_order(name: &str, backup: &str) -> Option<(String, u32)> {
    let stamp = backup.strip_prefix(name)?.strip_prefix('.')?.strip_suffix(".bak")?;
    let (time, number) = stamp.split_once('-').map_or(Some((stamp, 1)), |(time, n)| Some((time, n.parse().ok()?)))?;
    NaiveDateTime::parse_from_str(time, BACKUP_TIME).is_ok().then(|| (time.to_owned(), number))
}

/// Splits a text into pieces that are short enough to be shown: its lines, and long lines after brackets, braces and
/// commas.
fn split_long_lines(text: &str) -> Vec<&str> {
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
