//! What a worker gives up before it reads anything.
//!
//! Owns: the tie to its parent's life, and the limits of the process.
//! Never: can be undone.

use std::io;

use rustix::process::{Resource, Rlimit, setrlimit};

#[cfg(target_os = "linux")]
use crate::limits::WORKER_SPACE_BYTES;

/// Has the system end this process with its parent; false when the parent is gone already.
#[cfg(target_os = "linux")]
pub(super) fn tied_to(parent: u32) -> io::Result<bool> {
    use rustix::process::{Signal, set_parent_process_death_signal};
    rustix::thread::set_name(c"lua-worker")?;
    set_parent_process_death_signal(Some(Signal::KILL))?;
    Ok(is_child_of(parent))
}

/// Elsewhere the spawner kills its workers when it ends, and a worker ends with its socket.
#[cfg(not(target_os = "linux"))]
pub(super) fn tied_to(parent: u32) -> io::Result<bool> {
    Ok(is_child_of(parent))
}

fn is_child_of(parent: u32) -> bool {
    let now = rustix::process::getppid().map(rustix::process::Pid::as_raw_pid);
    now.and_then(|now| u32::try_from(now).ok()) == Some(parent)
}

/// Takes away what a Lua state does not need: memory beyond its share, files, processes.
pub(super) fn confine() -> io::Result<()> {
    let only = |most: u64| Rlimit { current: Some(most), maximum: Some(most) };
    #[cfg(target_os = "linux")]
    for memory in [Resource::As, Resource::Data] {
        setrlimit(memory, only(WORKER_SPACE_BYTES))?;
    }
    setrlimit(Resource::Core, only(0))?;
    setrlimit(Resource::Fsize, only(0))?;
    setrlimit(Resource::Nproc, only(0))?;
    setrlimit(Resource::Nofile, only(0))?;
    Ok(())
}
