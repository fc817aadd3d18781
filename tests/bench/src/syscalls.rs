//! The system calls of one request: the cost that is left when everything else is fast.
//!
//! Owns: which calls count. Those for memory and futexes do not: they belong to the allocator and to the scheduler of
//! threads, and vary between two runs.
//! Never: counts without `strace`; the table says that it is missing.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use anyhow::Result;

use crate::measure::ready;
use crate::peer::{Revision, read};
use crate::table::Table;

/// Calls of the allocator and of threads, and what a ticker sleeps.
const UNCOUNTED: [&str; 9] =
    ["mmap", "munmap", "mprotect", "madvise", "mremap", "brk", "futex", "clock_nanosleep", "sched_yield"];

/// Long enough for everything that an answer leaves to be done.
const SETTLE_TIME: Duration = Duration::from_millis(300);

pub(crate) fn syscalls(table: &mut Table, wardroom: &Path, app_dir: &Path, trace: &Path) -> Result<()> {
    let (warm, cold) = ("system calls of a warm metadata read", "system calls of a cold metadata read");
    if Command::new("strace").arg("-V").output().is_err() {
        [warm, cold].into_iter().for_each(|what| table.row(what, "strace is not installed", "", None));
        return Ok(());
    }
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o"]).arg(trace).arg(wardroom).arg("--appdir").arg(app_dir).env_remove("RUST_LOG");
    let mut peer = ready(&mut command)?;
    // The sandbox starts in the background after the first answer.
    sleep(4 * SETTLE_TIME);
    let mut counts = Vec::new();
    for (id, package) in [(1, 1), (2, 2), (3, 2), (4, 2)] {
        let before = fs::read(trace)?.len();
        peer.request(&read(id, &format!("alc://packages/pkg_{package}/meta"), Revision::Legacy))?;
        sleep(SETTLE_TIME);
        let calls = fs::read(trace)?;
        counts.push(count(&String::from_utf8_lossy(calls.get(before..).unwrap_or_default())));
    }
    // The first read of all also makes what the sandbox shares between instances.
    let [_, second_package, _, again] = counts.as_slice() else { return Ok(()) };
    table.row(warm, again.to_string(), "", None);
    table.row(cold, second_package.to_string(), "", None);
    Ok(())
}

/// Counts the calls in a part of a trace. A call that another thread interrupts has two lines, of which one counts.
fn count(trace: &str) -> usize {
    let calls = trace.lines().filter_map(|line| {
        let call = line.split_once(' ').map_or(line, |(_, call)| call.trim_start());
        if let Some(resumed) = call.strip_prefix("<... ") {
            return resumed.split(' ').next();
        }
        call.split_once('(').map(|(name, _)| name).filter(|_| !call.ends_with("<unfinished ...>"))
    });
    calls.filter(|name| !UNCOUNTED.contains(name)).count()
}
