//! The process on one of two mounts: it does what it is told with the functions that servers use.
//!
//! Owns: the steps, as lines of JSON on standard input and output.
//! Never: touches anything beside the folder of the check.

use std::io::{self, BufRead as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::report;
use wardroom_appdir::limits::MAX_JOURNAL_BYTES;
use wardroom_appdir::{Access, AppDirError, FileLock, Folder, Privacy, ambient};

const LOCK: &str = "lock";
const COUNTER: &str = "counter";
const JOURNAL: &str = "journal";
/// The content of a version: long enough that a write takes several steps.
const VERSION_BYTES: usize = 64 * 1024;

/// A step of a check.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Step {
    /// Takes the lock and keeps it.
    Hold,
    Release,
    IsHeld,
    /// Adds one to a number, so many times, each time under the lock: the file is read and replaced.
    Count {
        times: u32,
    },
    /// The same in a journal, whose lock is on the file itself.
    CountInJournal {
        times: u32,
    },
    CreateJournal,
    /// Creates files that must not exist, and returns how many it created.
    Create {
        files: u32,
    },
    /// Replaces the file of the version.
    Write {
        version: u32,
    },
    /// Returns the version that is there.
    Read,
    /// Returns how many names there are that begin like this.
    Names {
        beginning: String,
    },
    CreateNamed {
        name: String,
    },
}

/// The answer to a step.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Reply {
    Done(u32),
    Failed(String),
}

/// Runs the process: a step for each line, until the end of the input.
pub(crate) fn run(path: &Path) -> io::Result<()> {
    let folder = ambient::open_folder(path, Access::ReadWrite).map_err(io::Error::other)?;
    let mut held = None;
    for line in io::stdin().lock().lines() {
        let step = serde_json::from_str(&line?)?;
        let reply = match perform(&folder, &mut held, step) {
            Ok(number) => Reply::Done(number),
            Err(error) => Reply::Failed(error.to_string()),
        };
        report::print_line(&serde_json::to_string(&reply)?).map_err(|failure| io::Error::other(failure.to_string()))?;
    }
    Ok(())
}

fn perform(folder: &Folder, held: &mut Option<FileLock>, step: Step) -> Result<u32, AppDirError> {
    match step {
        Step::Hold => *held = Some(folder.lock(LOCK)?),
        Step::Release => *held = None,
        Step::IsHeld => return Ok(folder.is_locked(LOCK).into()),
        Step::Count { times } => {
            for _ in 0..times {
                let _lock = folder.lock(LOCK)?;
                let next = read_number(folder)? + 1;
                folder.write(COUNTER, next.to_string().as_bytes(), Privacy::Owner)?;
            }
            let _lock = folder.lock(LOCK)?;
            return read_number(folder);
        }
        Step::CountInJournal { times } => {
            for _ in 0..times {
                let mut journal = folder.open_journal(JOURNAL)?;
                let lines = count_lines(&journal.read(MAX_JOURNAL_BYTES)?)?;
                journal.append(format!("{}\n", lines + 1).as_bytes())?;
                journal.flush()?;
            }
            return count_lines(&folder.open_journal(JOURNAL)?.read(MAX_JOURNAL_BYTES)?);
        }
        Step::CreateJournal => drop(folder.create_journal(JOURNAL, Privacy::Owner)?),
        Step::Create { files } => {
            let mut created = 0;
            for at in 0..files {
                match folder.create_file(&format!("won-{at}"), b"", Privacy::Owner) {
                    Ok(()) => created += 1,
                    Err(AppDirError::AlreadyExists(_)) => {}
                    Err(error) => return Err(error),
                }
            }
            return Ok(created);
        }
        Step::Write { version } => {
            let line = format!("{version}\n");
            folder.write("version", line.repeat(VERSION_BYTES / line.len()).as_bytes(), Privacy::Owner)?;
        }
        Step::Read => {
            let content = folder.read("version", 2 * VERSION_BYTES as u64)?;
            let text = String::from_utf8_lossy(&content.bytes);
            let mut lines = text.lines();
            let first = lines.next().unwrap_or_default();
            let is_whole = text.len() + text.lines().next().map_or(0, str::len) >= VERSION_BYTES;
            if !is_whole || lines.any(|line| line != first) {
                return Err(damaged("a replaced file was neither the old nor the new one"));
            }
            return parse(first);
        }
        Step::Names { beginning } => {
            let names = folder.entries(100_000)?;
            let found = names.iter().filter(|entry| entry.name.starts_with(&beginning)).count();
            return Ok(u32::try_from(found).unwrap_or(u32::MAX));
        }
        Step::CreateNamed { name } => folder.create_file(&name, b"", Privacy::Owner)?,
    }
    Ok(0)
}

fn read_number(folder: &Folder) -> Result<u32, AppDirError> {
    match folder.read(COUNTER, 64) {
        Ok(content) => parse(&String::from_utf8_lossy(&content.bytes)),
        Err(AppDirError::NotFound(_)) => Ok(0),
        Err(error) => Err(error),
    }
}

/// Returns the number of the last line, which is that of the lines.
fn count_lines(journal: &[u8]) -> Result<u32, AppDirError> {
    let text = String::from_utf8_lossy(journal);
    let lines = text.lines().count();
    let last = text.lines().next_back().map_or(Ok(0), parse)?;
    if u32::try_from(lines) == Ok(last) {
        Ok(last)
    } else {
        Err(damaged("lines of a journal are missing or there twice"))
    }
}

fn parse(text: &str) -> Result<u32, AppDirError> {
    text.trim().parse().map_err(|_| damaged("a file has what nobody wrote"))
}

fn damaged(what: &'static str) -> AppDirError {
    AppDirError::Io { name: "the folder of the check".into(), source: io::Error::other(what) }
}
