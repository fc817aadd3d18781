//! The process on one of two mounts: it does what it is told with the functions that servers use.
//!
//! Owns: the steps, as lines of JSON on standard input and output.
//! Never: touches anything beside the folder of the check.

use std::io::{self, BufRead as _};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::report;
use wardroom_appdir::limits::{LOCK_TIMEOUT, MAX_JOURNAL_BYTES};
use wardroom_appdir::{Access, AppDirError, FileLock, Folder, JournalFile, Privacy, ambient};

const LOCK: &str = "lock";
const COUNTER: &str = "counter";
const JOURNAL: &str = "journal";
/// The content of a version: long enough that a write takes several steps.
const VERSION_BYTES: usize = 64 * 1024;

const LOCK_RETRY_INTERVAL: Duration = Duration::from_millis(1);

/// A step of a check.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum PeerStep {
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
    /// Opens the journal and keeps it.
    HoldJournal,
    /// Appends a line to the journal that is kept.
    AppendToHeld,
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
pub(super) enum PeerReply {
    Done(u32),
    Failed(String),
}

/// What the process keeps from one step to the next.
#[derive(Default)]
struct Held {
    lock: Option<FileLock>,
    journal: Option<JournalFile>,
}

/// Runs the process: a step for each line, until the end of the input.
pub(crate) fn run(path: &Path) -> io::Result<()> {
    let folder = ambient::open_folder(path, Access::ReadWrite).map_err(io::Error::other)?;
    let mut held = Held::default();
    for line in io::stdin().lock().lines() {
        let step = serde_json::from_str(&line?)?;
        let reply = match perform(&folder, &mut held, step) {
            Ok(number) => PeerReply::Done(number),
            Err(error) => PeerReply::Failed(error.to_string()),
        };
        report::print_line(&serde_json::to_string(&reply)?).map_err(|failure| io::Error::other(failure.to_string()))?;
    }
    Ok(())
}

fn perform(folder: &Folder, held: &mut Held, step: PeerStep) -> Result<u32, AppDirError> {
    match step {
        PeerStep::Hold => held.lock = Some(folder.lock(LOCK)?),
        PeerStep::Release => held.lock = None,
        PeerStep::IsHeld => return Ok(folder.is_locked(LOCK).into()),
        PeerStep::Count { times } => {
            for _ in 0..times {
                let _lock = folder.lock(LOCK)?;
                let next = read_number(folder)? + 1;
                folder.write(COUNTER, next.to_string().as_bytes(), Privacy::Owner)?;
            }
            let _lock = folder.lock(LOCK)?;
            return read_number(folder);
        }
        PeerStep::CountInJournal { times } => {
            for _ in 0..times {
                let mut journal = open_journal(folder)?;
                let lines = count_lines(&journal.read(MAX_JOURNAL_BYTES)?)?;
                journal.append(format!("{}\n", lines + 1).as_bytes())?;
                journal.flush()?;
            }
            return count_lines(&open_journal(folder)?.read(MAX_JOURNAL_BYTES)?);
        }
        PeerStep::CreateJournal => drop(folder.create_journal(JOURNAL, Privacy::Owner)?),
        PeerStep::HoldJournal => held.journal = Some(open_journal(folder)?),
        PeerStep::AppendToHeld => {
            let journal = held.journal.as_mut().ok_or_else(|| damaged("no journal is open"))?;
            let lines = count_lines(&journal.read(MAX_JOURNAL_BYTES)?)?;
            journal.append(format!("{}\n", lines + 1).as_bytes())?;
            journal.flush()?;
        }
        PeerStep::Create { files } => {
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
        PeerStep::Write { version } => {
            let line = format!("{version}\n");
            folder.write("version", line.repeat(VERSION_BYTES / line.len()).as_bytes(), Privacy::Owner)?;
        }
        PeerStep::Read => {
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
        PeerStep::Names { beginning } => {
            let names = folder.entries(100_000)?;
            let found = names.iter().filter(|entry| entry.name.starts_with(&beginning)).count();
            return Ok(u32::try_from(found).unwrap_or(u32::MAX));
        }
        PeerStep::CreateNamed { name } => folder.create_file(&name, b"", Privacy::Owner)?,
    }
    Ok(0)
}

/// Opens the journal, for which servers wait a short time alone.
fn open_journal(folder: &Folder) -> Result<JournalFile, AppDirError> {
    let begun = Instant::now();
    loop {
        match folder.open_journal(JOURNAL) {
            Err(AppDirError::Locked(_)) if begun.elapsed() < LOCK_TIMEOUT => thread::sleep(LOCK_RETRY_INTERVAL),
            opened => return opened,
        }
    }
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
