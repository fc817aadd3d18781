//! Restrictions that a process sets for itself: no new privileges, no core dumps, and the resource limits of a worker.

use std::io;

use rustix::fs::{Dir, Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set, remove_capability_from_bounding_set,
    set_capabilities, set_no_new_privs,
};

use super::MechanismState;
use wardroom_base::byte_size::ByteSize;

/// Descriptors of a worker, which has three and can open none.
const MAX_WORKER_DESCRIPTORS: u64 = 16;
/// Memory that a worker may map besides its limit: the allocator rounds up.
const ALLOCATOR_SLACK_BYTES: u64 = 1024 * 1024;

/// Hardens a server or a worker.
pub(super) fn harden_process() -> MechanismState {
    match give_up_new_privileges() {
        Ok(()) => MechanismState::FullyEnforced("no new privileges, no core dumps, no debugger".into()),
        Err(error) => MechanismState::NotEnforced(error.to_string()),
    }
}

/// Hardens a process that acts for a server: it also loses what a process of root, or one with capabilities, could do.
pub(super) fn harden_helper() -> MechanismState {
    // Capabilities are dropped first: without new privileges none comes back.
    match (drop_capabilities(), harden_process()) {
        (Ok(()), MechanismState::FullyEnforced(detail)) => {
            MechanismState::FullyEnforced(format!("{detail}, no capabilities"))
        }
        (Err(error), MechanismState::FullyEnforced(detail)) => {
            MechanismState::PartiallyEnforced(format!("{detail}; capabilities stay: {error}"))
        }
        (_, lacking) => lacking,
    }
}

/// As [`harden_helper`], for a copy of a process that may have threads: it allocates nothing.
pub(super) fn drop_privileges() -> rustix::io::Result<()> {
    drop_capabilities()?;
    give_up_new_privileges()
}

fn give_up_new_privileges() -> rustix::io::Result<()> {
    set_no_new_privs(true)?;
    forbid_resource(Resource::Core)?;
    // No process of the same user can read its memory or attach to it.
    set_dumpable_behavior(DumpableBehavior::NotDumpable)
}

/// Drops all capabilities, also those that a program of root would get when it is started.
fn drop_capabilities() -> rustix::io::Result<()> {
    let had = capabilities(None)?;
    // Only a process that has it may shorten what a program of root would get.
    if had.effective.contains(CapabilitySet::SETPCAP) {
        for capability in CapabilitySet::all().iter() {
            match remove_capability_from_bounding_set(capability) {
                // This kernel does not know it.
                Ok(()) | Err(Errno::INVAL) => {}
                Err(error) => return Err(error),
            }
        }
    }
    clear_ambient_capability_set()?;
    if had.permitted.is_empty() && had.inheritable.is_empty() {
        return Ok(());
    }
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })
}

/// Limits a worker, which may take `memory` bytes more than it has.
pub(super) fn limit_worker(memory: u64) -> MechanismState {
    let done = || -> io::Result<()> {
        let (mapped, data) = memory_usage()?;
        let (mapped, data) = (mapped.saturating_add(ALLOCATOR_SLACK_BYTES), data.saturating_add(ALLOCATOR_SLACK_BYTES));
        lower_limit(Resource::As, mapped.saturating_add(memory))?;
        lower_limit(Resource::Data, data.saturating_add(memory))?;
        lower_limit(Resource::Nofile, MAX_WORKER_DESCRIPTORS)?;
        forbid_resource(Resource::Nproc)?;
        Ok(forbid_resource(Resource::Fsize)?)
    };
    match done() {
        Ok(()) => {
            let memory = ByteSize(memory);
            MechanismState::FullyEnforced(format!("{memory} of memory, no processes, no files"))
        }
        Err(error) => MechanismState::NotEnforced(error.to_string()),
    }
}

/// Whether no other thread runs: threads that exist already would not be confined, nor be there in a copy of the process.
/// False without `/proc`, which shows them.
#[expect(clippy::disallowed_methods, reason = "the kernel's data about this process, not a file")]
pub(super) fn is_single_threaded() -> bool {
    // A folder has two links, its name and `.`, and one more for each folder in it.
    rustix::fs::stat("/proc/self/task").is_ok_and(|found| found.st_nlink == 3) || count_threads() == Some(1)
}

/// The number of threads, by the names in the folder: not every kernel counts them in `st_nlink`.
#[expect(clippy::disallowed_methods, reason = "the kernel's data about this process, not a file")]
fn count_threads() -> Option<usize> {
    let found = rustix::fs::open("/proc/self/task", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let names = Dir::new(found).ok()?.filter_map(Result::ok);
    Some(names.filter(|name| !matches!(name.file_name().to_bytes(), b"." | b"..")).count())
}

/// The descriptors of a worker: the three standard ones, and all others of the socket that is its standard input.
#[expect(clippy::disallowed_methods, reason = "the kernel's data about this process, not a file")]
pub(super) fn worker_descriptors() -> Vec<u32> {
    const STANDARD_DESCRIPTORS: [u32; 3] = [0, 1, 2];
    let of = |number: u32| rustix::fs::stat(format!("/proc/self/fd/{number}")).ok().map(|at| (at.st_dev, at.st_ino));
    let socket = of(0);
    let others = (3..MAX_WORKER_DESCRIPTORS).filter_map(|number| u32::try_from(number).ok());
    STANDARD_DESCRIPTORS.into_iter().chain(others.filter(|number| socket.is_some() && of(*number) == socket)).collect()
}

fn forbid_resource(what: Resource) -> rustix::io::Result<()> {
    lower_limit(what, 0)
}

fn lower_limit(what: Resource, most: u64) -> rustix::io::Result<()> {
    // A lower limit stays.
    let before = rustix::process::getrlimit(what);
    let lower = |limit: Option<u64>| Some(limit.map_or(most, |limit| limit.min(most)));
    setrlimit(what, Rlimit { current: lower(before.current), maximum: lower(before.maximum) })
}

/// The mapped memory of this process, and the data part of it, in bytes.
#[expect(clippy::disallowed_methods, reason = "the kernel's data about this process, not a file")]
fn memory_usage() -> io::Result<(u64, u64)> {
    let mut text = [0; 256];
    let found = rustix::fs::open("/proc/self/statm", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    let read = rustix::io::read(&found, &mut text)?;
    let text = text.get(..read).and_then(|text| std::str::from_utf8(text).ok()).unwrap_or_default();
    let pages = |field: usize| text.split_whitespace().nth(field).and_then(|pages| pages.parse::<u64>().ok());
    let bytes = |field| Some(pages(field)?.saturating_mul(rustix::param::page_size() as u64));
    bytes(0).zip(bytes(5)).ok_or_else(|| io::Error::other("the kernel does not report the memory of this process"))
}
