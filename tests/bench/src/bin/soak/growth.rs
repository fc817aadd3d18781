//! What a server uses, and what counts as growth.
//!
//! Owns: the allowances of the soak, and the search for processes that outlive their servers.
//! Never: measures a server that the soak kills.

use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use wardroom_mcp::limits::MAX_BLOCKING_REQUESTS;

/// Allowed growth of resident memory, because the allocator's pools fill up with the threads that use them. Each server
/// of the load gets an eighth of two million requests, and each half is eight rounds of twenty: a leak of 21 bytes per
/// request fails.
const SLACK_KIB: u64 = 2048;
/// Descriptors of a refresh after changes, which may be in progress.
const REFRESH_DESCRIPTORS: u64 = 8;
/// Most threads of a server. Worker threads start and end with the load; the others follow files, end runs and workers, count
/// guests' time, report figures, write large answers, and update the index of the blog.
const MAX_THREADS: u64 = MAX_BLOCKING_REQUESTS as u64 + 24;
/// The longest time that the processes of a killed server take to notice its end.
const MAX_ORPHAN_TIME: Duration = Duration::from_secs(20);

/// The resources that a server uses.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Usage {
    /// In KiB.
    pub(crate) resident: u64,
    pub(crate) descriptors: u64,
    pub(crate) threads: u64,
}

impl Usage {
    pub(crate) fn of(process: u32) -> Result<Self> {
        let process = format!("/proc/{process}");
        let status = fs::read_to_string(format!("{process}/status"))?;
        let number = |field: &str| -> Result<u64> {
            let line = status.lines().find_map(|line| line.strip_prefix(field)).context("a field of status")?;
            Ok(line.trim().trim_end_matches(" kB").parse()?)
        };
        let descriptors = fs::read_dir(format!("{process}/fd"))?.count() as u64;
        Ok(Self { resident: number("VmRSS:")?, descriptors, threads: number("Threads:")? })
    }

    pub(crate) fn max(self, other: Self) -> Self {
        Self {
            resident: self.resident.max(other.resident),
            descriptors: self.descriptors.max(other.descriptors),
            threads: self.threads.max(other.threads),
        }
    }
}

/// What servers use in each half after the warm-up, which is the first fifth: the most threads, and the medians of the
/// rest, because the server that updates the index of the blog takes more for a moment.
pub(crate) struct Halves {
    pub(crate) first: Usage,
    pub(crate) second: Usage,
}

impl Halves {
    pub(crate) fn of(usages: &[Usage]) -> Self {
        let half = |usages: &[Usage]| {
            let median = |field: fn(&Usage) -> u64| {
                let mut values: Vec<u64> = usages.iter().map(field).collect();
                values.sort_unstable();
                values.get(values.len() / 2).copied().unwrap_or(0)
            };
            Usage {
                resident: median(|usage| usage.resident),
                descriptors: median(|usage| usage.descriptors),
                threads: usages.iter().map(|usage| usage.threads).max().unwrap_or(0),
            }
        };
        let (_, measured) = usages.split_at(usages.len() / 5);
        let (first, second) = measured.split_at(measured.len() / 2);
        Self { first: half(first), second: half(second) }
    }

    pub(crate) fn check_growth(&self, whose: &str) -> Result<()> {
        let Self { first, second } = self;
        if second.resident > first.resident + SLACK_KIB
            || second.descriptors > first.descriptors + REFRESH_DESCRIPTORS
            || second.threads > MAX_THREADS
        {
            bail!("a server of {whose} grew: {first:?} in the first half after the warm-up, {second:?} in the second");
        }
        Ok(())
    }
}

/// Fails if a process of this program still runs after all of its servers have ended.
pub(crate) fn check_no_process_left(program: &Path) -> Result<()> {
    let deadline = Instant::now() + MAX_ORPHAN_TIME;
    loop {
        let left = processes_of(program)?;
        if left.is_empty() {
            return Ok(());
        }
        ensure!(Instant::now() < deadline, "processes are left: {}", left.join(", "));
        sleep(Duration::from_millis(50));
    }
}

/// Returns the command lines of the processes of a program.
fn processes_of(program: &Path) -> Result<Vec<String>> {
    let program = program.canonicalize()?;
    let mut found = Vec::new();
    for process in fs::read_dir("/proc")? {
        let process = process?.path();
        // A process may end at any time, and one that has ended has no program.
        if fs::read_link(process.join("exe")).is_ok_and(|exe| exe == program) {
            let line = fs::read_to_string(process.join("cmdline")).unwrap_or_default();
            found.push(format!("{} {}", process.display(), line.replace('\0', " ")));
        }
    }
    Ok(found)
}
