//! The file to which this process appends.
//!
//! Owns: which file that is: one that no other process has open and whose end is where its head says, or a new one.
//! Never: continues a file that was changed.

use std::time::{Duration, SystemTime};

use super::record::{AuditRecord, Head, NO_HASH, hash_line};
use super::{AuditAction, AuditChannel, AuditEvent, AuditSource, FILE_SUFFIX, FOLDER, HEADS_FOLDER};
use crate::limits::{MAX_AUDIT_FILE_BYTES, MAX_AUDIT_FILES};
use wardroom_appdir::limits::MAX_NAMES_SCANNED;
use wardroom_appdir::{AppDirError, FixedRecord, Folder, JournalFile, Privacy, Stat};
use wardroom_base::hex::encode_hex;
use wardroom_base::random;
use wardroom_base::unix_time;

/// An open file of the trail.
pub(super) struct TrailWriter {
    file: JournalFile,
    head_file: FixedRecord,
    head: Head,
}

/// Files for which there is room before a line must be the last: it may be as long as [`AuditAction::FileBegun`]'s.
const CONTINUED_FILE_BYTES: u64 = MAX_AUDIT_FILE_BYTES - 64 * 1024;

impl TrailWriter {
    /// Continues a file, or begins one.
    pub(super) fn open(app: &Folder) -> Result<Self, AppDirError> {
        let (folder, heads) = (app.create_folder(FOLDER)?, app.create_folder(HEADS_FOLDER)?);
        let names = file_names(&folder)?;
        for name in names.iter().rev() {
            let stat = folder.stat_nofollow(&file_name(name));
            // An empty one was left by a process that was killed while it began it.
            let has_room = stat.is_ok_and(|stat| (1..CONTINUED_FILE_BYTES).contains(&stat.len));
            if !has_room || folder.is_locked(&file_name(name)) {
                continue;
            }
            match Self::resume(&folder, &heads, name) {
                Ok(Some(writer)) => return Ok(writer),
                Ok(None) => {
                    tracing::error!(file = name, "a file of the audit trail was changed: run `wardroom audit verify`");
                }
                // Another process was faster.
                Err(AppDirError::Locked(_) | AppDirError::NotFound(_)) => {}
                Err(error) => tracing::warn!(%error, "cannot continue a file of the audit trail"),
            }
        }
        Self::begin(&folder, &heads, &names)
    }

    /// Opens an existing file; `None` if it does not end where its head says.
    fn resume(folder: &Folder, heads: &Folder, name: &str) -> Result<Option<Self>, AppDirError> {
        let file = folder.open_journal(&file_name(name))?;
        let bytes = file.read(MAX_AUDIT_FILE_BYTES)?;
        let mut lines = bytes.trim_ascii_end().split(|byte| *byte == b'\n');
        let last = lines.next_back().unwrap_or_default();
        let known = match read_head(heads, name)? {
            Some(known) => known,
            // Its first line is all that was written.
            None if lines.next().is_none() && is_head_unwritten(heads, name) => {
                Head { count: 0, hash: NO_HASH.to_owned() }
            }
            None => return Ok(None),
        };
        let Ok(record) = serde_json::from_slice::<AuditRecord>(last) else { return Ok(None) };
        let head = Head { count: record.n, hash: hash_line(last) };
        // The process that wrote the last line may have been killed before it wrote the head.
        let is_one_ahead = record.n == known.count + 1 && record.previous == known.hash;
        if head != known && !is_one_ahead {
            return Ok(None);
        }
        let head_file = heads.open_fixed_record(name, Privacy::Owner)?;
        // The next line would be two ahead.
        if is_one_ahead {
            head_file.write(head.to_text().as_bytes())?;
        }
        Ok(Some(Self { file, head_file, head }))
    }

    /// Begins a file, which says where the others end, after it has made room for it.
    pub(super) fn begin(folder: &Folder, heads: &Folder, names: &[String]) -> Result<Self, AppDirError> {
        let mut bytes = [0; 4];
        // Two files of the same millisecond need different names, and a name that exists is refused.
        let _ = random::fill(&mut bytes);
        let ms = unix_time::now_ms();
        let name = format!("{ms:013}-{}", encode_hex(&bytes));
        let names = remove_empty_files(folder, heads, names);
        remove_orphans(heads, &names);
        let mut ends = Vec::new();
        for name in &names {
            if let Some(head) = read_head(heads, name)?.filter(|head| head.count > 0) {
                ends.push(format!("{name} {} {}", head.count, head.hash));
            }
        }
        let ends = ends.join(", ");
        // The head first, with all of its bytes: without one there is no file, and none of its writes needs room on the disk.
        let head = Head { count: 0, hash: NO_HASH.to_owned() };
        let head_file = heads.open_fixed_record(&name, Privacy::Owner)?;
        let begun = head_file.write(head.to_text().as_bytes());
        let file = begun.and_then(|()| folder.create_journal(&file_name(&name), Privacy::Owner)).inspect_err(|_| {
            drop(heads.remove_file(&name));
        })?;
        let mut writer = Self { file, head_file, head };
        if let Err(error) = writer.append_own(AuditAction::FileBegun, &name, &ends) {
            // An empty file would take the place of one with records.
            if writer.file.discard().is_ok() {
                drop(heads.remove_file(&name));
            }
            return Err(error);
        }
        // One that another process begins takes the place of none.
        let has_lines = |name: &&String| folder.stat_nofollow(&file_name(name)).is_ok_and(|stat| stat.len > 0);
        let filled: Vec<&String> = names.iter().filter(has_lines).collect();
        let excess = (filled.len() + 1).saturating_sub(MAX_AUDIT_FILES);
        for name in filled.into_iter().take(excess) {
            let Ok(oldest) = folder.open_journal(&file_name(name)) else { continue };
            // Without its end, which the trail keeps, it stays.
            let Ok(head) = read_head(heads, name) else { continue };
            let end = head.map(|head| format!("{} {}", head.count, head.hash)).unwrap_or_default();
            // Said first: a process may be killed at each step.
            writer.append_own(AuditAction::FileRemoved, name, &end)?;
            if oldest.remove().is_ok() {
                drop(heads.remove_file(name));
            }
        }
        Ok(writer)
    }

    /// Appends a record, in another file if this one is full.
    pub(super) fn append(
        self,
        app: &Folder,
        source: &AuditSource,
        event: &AuditEvent,
        count: u64,
    ) -> Result<Self, AppDirError> {
        let mut writer = self;
        // Lines of a file that was removed would be lost.
        if writer.file.len() >= CONTINUED_FILE_BYTES || writer.file.is_removed() {
            // Its lock is released first.
            drop(writer);
            writer = Self::open(app)?;
        }
        writer.append_line(source, event, count)?;
        Ok(writer)
    }

    fn append_own(&mut self, action: AuditAction, subject: &str, outcome: &str) -> Result<(), AppDirError> {
        let source = AuditSource { who: "wardroom".to_owned(), through: AuditChannel::Audit };
        self.append_line(&source, &AuditEvent { action, subject, digest: None, outcome }, 1)
    }

    fn append_line(&mut self, source: &AuditSource, event: &AuditEvent, count: u64) -> Result<(), AppDirError> {
        let record = AuditRecord::new(self.head.count + 1, &self.head.hash, source, event, count);
        let mut line = serde_json::to_vec(&record).unwrap_or_default();
        let hash = hash_line(&line);
        line.push(b'\n');
        self.file.append(&line)?;
        self.head = Head { count: record.n, hash };
        self.head_file.write(self.head.to_text().as_bytes())
    }
}

/// Whether something that a process leaves while it begins a file is no more of one that begins it now.
fn is_stale(stat: &Stat) -> bool {
    const MIN_AGE: Duration = Duration::from_secs(60);
    let is_old = |modified: SystemTime| modified.elapsed().is_ok_and(|age| age >= MIN_AGE);
    stat.modified.is_some_and(is_old)
}

/// Removes the files of processes that were killed, or had no room on the disk, before they wrote the first line. Returns the
/// names of the others.
fn remove_empty_files(folder: &Folder, heads: &Folder, names: &[String]) -> Vec<String> {
    let is_removed = |name: &String| {
        let Ok(stat) = folder.stat_nofollow(&file_name(name)) else { return false };
        // The head of a file that was emptied names its lines.
        if !is_stale(&stat) || !is_head_unwritten(heads, name) {
            return false;
        }
        // It may have the beginning of a line.
        let file = folder.open_journal(&file_name(name)).ok().filter(JournalFile::is_empty);
        let is_gone = matches!(file.map(|file| file.remove_if_unchanged(stat.len)), Some(Ok(true)));
        if is_gone {
            drop(heads.remove_file(name));
        }
        is_gone
    };
    names.iter().filter(|name| !is_removed(name)).cloned().collect()
}

/// Removes the heads of processes that were killed before they had created the file.
fn remove_orphans(heads: &Folder, names: &[String]) {
    let mut orphans = Vec::new();
    let visited = heads.visit_names(&mut { MAX_NAMES_SCANNED }, |name, _, _| {
        if names.binary_search_by(|known| known.as_str().cmp(name)).is_err() {
            orphans.push(name.to_owned());
        }
    });
    orphans
        .retain(|name| heads.stat_nofollow(name).is_ok_and(|stat| is_stale(&stat)) && is_head_unwritten(heads, name));
    for name in visited.map(|()| orphans).unwrap_or_default() {
        drop(heads.remove_file(&name));
    }
}

/// The names of the files without their suffix, from the oldest.
pub(super) fn file_names(folder: &Folder) -> Result<Vec<String>, AppDirError> {
    let mut names = Vec::new();
    folder.visit_names(&mut { MAX_NAMES_SCANNED }, |name, _, _| {
        names.extend(name.strip_suffix(FILE_SUFFIX).map(str::to_owned));
    })?;
    names.sort_unstable();
    Ok(names)
}

pub(super) fn file_name(name: &str) -> String {
    format!("{name}{FILE_SUFFIX}")
}

/// Whether a process was killed, or the disk was full, before the head named a line.
pub(super) fn is_head_unwritten(heads: &Folder, name: &str) -> bool {
    let is_empty = || heads.stat_nofollow(name).is_ok_and(|stat| stat.len == 0);
    read_head(heads, name).is_ok_and(|head| head.map_or_else(is_empty, |head| head.count == 0))
}

/// Reads the head of a file; `None` where it is missing, or is no head.
pub(super) fn read_head(heads: &Folder, name: &str) -> Result<Option<Head>, AppDirError> {
    const MAX_HEAD_BYTES: u64 = 128;
    match heads.read_text(name, MAX_HEAD_BYTES) {
        Ok((text, _)) => Ok(Head::parse(&text)),
        Err(
            AppDirError::NotFound(_)
            | AppDirError::TooLarge { .. }
            | AppDirError::NotUtf8(_)
            | AppDirError::NotRegularFile(_),
        ) => Ok(None),
        Err(error) => Err(error),
    }
}
