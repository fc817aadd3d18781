//! The tie between a worker's life and its parent's.

use std::io;

/// Has the system end this process with its parent; false when the parent is gone already.
#[cfg(target_os = "linux")]
pub(super) fn die_with_parent(parent: u32) -> io::Result<bool> {
    use rustix::process::{Signal, set_parent_process_death_signal};
    rustix::thread::set_name(c"lua-worker")?;
    set_parent_process_death_signal(Some(Signal::KILL))?;
    Ok(is_child_of(parent))
}

/// Elsewhere the spawner kills its workers when it ends, and a worker ends with its socket.
#[cfg(not(target_os = "linux"))]
pub(super) fn die_with_parent(parent: u32) -> io::Result<bool> {
    Ok(is_child_of(parent))
}

fn is_child_of(parent: u32) -> bool {
    let now = rustix::process::getppid().map(rustix::process::Pid::as_raw_pid);
    now.and_then(|now| u32::try_from(now).ok()) == Some(parent)
}
