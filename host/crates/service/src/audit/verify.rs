//! Reading the trail, and checking it: that no line was changed, that no file was cut, and that none is missing.
//!
//! Never: writes. A process may append meanwhile.

use std::collections::{BTreeMap, BTreeSet};

use super::record::{AuditAction, AuditRecord, Head, NO_HASH, hash_line};
use super::writer::{file_name, file_names, is_head_unwritten, read_head};
use super::{FOLDER, HEADS_FOLDER};
use crate::limits::{MAX_AUDIT_FILE_BYTES, MAX_AUDIT_FILES};
use wardroom_appdir::{AppDirError, Folder};

/// Longest line that a killed process may have left, in bytes.
const MAX_TORN_TAIL_BYTES: usize = 16 * 1024;

/// A file of the trail, as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditFile {
    pub name: String,
    pub records: u64,
    /// What is wrong with it.
    pub faults: Vec<String>,
}

/// The lines of a file as far as they are records.
struct ReadFile {
    file: AuditFile,
    records: Vec<AuditRecord>,
    /// The hash of each line.
    hashes: Vec<String>,
}

/// Returns all records, from the oldest.
///
/// # Errors
/// When a folder or a file cannot be read.
pub fn read_records(app: &Folder) -> Result<Vec<AuditRecord>, AppDirError> {
    let Some((folder, heads)) = open_folders(app)? else { return Ok(Vec::new()) };
    let mut records = Vec::new();
    for name in file_names(&folder)? {
        records.extend(read_file(&folder, &heads, &name)?.records);
    }
    records.sort_by(|one, other| one.at.cmp(&other.at));
    Ok(records)
}

/// Checks every file, and that those which another one mentions are there.
///
/// # Errors
/// When a folder or a file cannot be read.
pub fn verify(app: &Folder) -> Result<Vec<AuditFile>, AppDirError> {
    let Some((folder, heads)) = open_folders(app)? else { return Ok(Vec::new()) };
    let mut files = BTreeMap::new();
    for name in file_names(&folder)? {
        let file = read_file(&folder, &heads, &name)?;
        // A process gave it up after the listing.
        let is_given_up = || is_missing(&folder, &name) && known_head(&heads, &name).is_none_or(|head| head.count == 0);
        if file.records.is_empty() && is_given_up() {
            continue;
        }
        files.insert(name, file);
    }
    let mut missing = BTreeSet::new();
    heads.visit_names(&mut { wardroom_appdir::limits::MAX_NAMES_SCANNED }, |name, _, _| {
        // A process that was killed while it began a file leaves a head that names no line.
        if !files.contains_key(name) && known_head(&heads, name).is_some_and(|head| head.count > 0) {
            missing.insert(name.to_owned());
        }
    })?;
    let all = || files.values().flat_map(|read| &read.records);
    let removed: BTreeSet<&str> = all()
        .filter(|record| record.action == AuditAction::FileRemoved)
        .map(|record| record.subject.as_str())
        .collect();
    // A process may have been killed between the removal of a file and that of its head, or begin the file just now.
    missing.retain(|name| !removed.contains(name.as_str()) && is_missing(&folder, name));
    let mut faults: Vec<(String, String)> =
        missing.into_iter().map(|name| (name, "the file is gone, and its head is there".to_owned())).collect();
    // Only then files are removed.
    let is_full = files.len() >= MAX_AUDIT_FILES;
    for record in all().filter(|record| record.action == AuditAction::FileBegun) {
        for mention in record.outcome.split(", ").filter(|mention| !mention.is_empty()) {
            let Some((name, end)) = mention.split_once(' ') else { continue };
            let Some(end) = Head::parse(end) else { continue };
            match files.get(name) {
                Some(read) => {
                    let at = usize::try_from(end.count).ok().and_then(|count| count.checked_sub(1));
                    if at.and_then(|at| read.hashes.get(at)) != Some(&end.hash) {
                        let what = format!("line {} is not the one that {} mentions", end.count, record.subject);
                        faults.push((name.to_owned(), what));
                    }
                }
                // Removed in order to make room: what says so may have been removed since.
                None if removed.contains(name)
                    || (is_full && files.keys().next().is_some_and(|old| name < old.as_str())) => {}
                None => faults.push((name.to_owned(), format!("the file is gone, which {} mentions", record.subject))),
            }
        }
    }
    let mut checked: BTreeMap<String, AuditFile> = files.into_iter().map(|(name, read)| (name, read.file)).collect();
    for (name, fault) in faults {
        let empty = AuditFile { name: name.clone(), records: 0, faults: Vec::new() };
        let file = checked.entry(name).or_insert(empty);
        if !file.faults.contains(&fault) {
            file.faults.push(fault);
        }
    }
    Ok(checked.into_values().collect())
}

fn open_folders(app: &Folder) -> Result<Option<(Folder, Folder)>, AppDirError> {
    match (app.open_folder(FOLDER), app.open_folder(HEADS_FOLDER)) {
        (Ok(folder), Ok(heads)) => Ok(Some((folder, heads))),
        (Err(AppDirError::NotFound(_)), Err(AppDirError::NotFound(_))) => match app.stat(FOLDER) {
            Err(AppDirError::NotFound(_)) => Ok(None),
            // It is not a folder.
            _ => Err(AppDirError::NotAFolder(FOLDER.to_owned())),
        },
        // A process was killed before it had made both.
        (Ok(folder), Err(AppDirError::NotFound(_))) if file_names(&folder)?.is_empty() => Ok(None),
        (Err(AppDirError::NotFound(_)), Ok(heads)) if is_empty(&heads)? => Ok(None),
        (folder, heads) => folder.and(heads).map(|_| None),
    }
}

fn is_missing(folder: &Folder, name: &str) -> bool {
    matches!(folder.stat_nofollow(&file_name(name)), Err(AppDirError::NotFound(_)))
}

fn is_empty(folder: &Folder) -> Result<bool, AppDirError> {
    let mut is_empty = true;
    folder.visit_names(&mut { 1 }, |_, _, _| is_empty = false)?;
    Ok(is_empty)
}

/// Reads the head of a file; `None` where it is missing, or cannot be read.
fn known_head(heads: &Folder, name: &str) -> Option<Head> {
    read_head(heads, name).unwrap_or_default()
}

fn read_file(folder: &Folder, heads: &Folder, name: &str) -> Result<ReadFile, AppDirError> {
    // Read first: a line that is appended meanwhile comes after it.
    let head = known_head(heads, name);
    let bytes = match folder.read(&file_name(name), MAX_AUDIT_FILE_BYTES) {
        Ok(content) => content.bytes,
        Err(error) => {
            let faults = vec![format!("it {}", error.predicate())];
            let file = AuditFile { name: name.to_owned(), records: 0, faults };
            return Ok(ReadFile { file, records: Vec::new(), hashes: Vec::new() });
        }
    };
    let (mut faults, mut records, mut hashes) = (Vec::new(), Vec::new(), Vec::new());
    let (mut previous, mut next) = (NO_HASH.to_owned(), 1);
    // What follows the last newline was not written in full: the process was killed.
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').and_then(|end| bytes.get(..end)).unwrap_or_default();
    for (at, line) in whole.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty()) {
        let number = at as u64 + 1;
        let hash = hash_line(line);
        match serde_json::from_slice::<AuditRecord>(line) {
            Ok(record) => {
                // A line that was removed is one fault, and not one for each line after it.
                if record.n != next || record.previous != previous {
                    faults.push(format!("line {number} does not follow the line before: one of them was changed"));
                }
                next = record.n.saturating_add(1);
                records.push(record);
            }
            Err(_) => {
                faults.push(format!("line {number} is no record"));
                next = next.saturating_add(1);
            }
        }
        hashes.push(hash.clone());
        previous = hash;
    }
    if records.first().is_some_and(|first| first.action != AuditAction::FileBegun || first.subject != name) {
        faults.push("it does not begin with its own name: it is a copy, or was renamed".to_owned());
    }
    // A line that is not whole is as long as one line at most.
    let tail = bytes.len().saturating_sub(whole.len() + 1);
    if tail > MAX_TORN_TAIL_BYTES || bytes.windows(2).any(|pair| pair == b"\n\n") {
        faults.push("it has bytes that no record has".to_owned());
    }
    let found = hashes.len() as u64;
    match head {
        // As above, with an empty file or its first line, whose head may just have been written.
        None if bytes.is_empty()
            || found == 1 && (is_head_unwritten(heads, name) || known_head(heads, name).is_some()) => {}
        None => faults.push("its head is missing or cannot be read".to_owned()),
        Some(head) if found < head.count => {
            faults.push(format!("it has {found} of {} lines: its end was cut off", head.count));
        }
        Some(head) => {
            let at = usize::try_from(head.count).ok().and_then(|count| count.checked_sub(1));
            let at_head = at.map_or(Some(NO_HASH), |at| hashes.get(at).map(String::as_str));
            if at_head != Some(head.hash.as_str()) {
                faults.push(format!("line {} is not the one that its head names", head.count));
            }
            // A process that was killed, or writes just now, is one line ahead of its head.
            if found > head.count + 1 && known_head(heads, name) == Some(head.clone()) {
                faults.push(format!("it has {} lines more than its head names", found - head.count));
            }
        }
    }
    Ok(ReadFile { file: AuditFile { name: name.to_owned(), records: found, faults }, records, hashes })
}
