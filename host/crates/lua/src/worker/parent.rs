//! A worker's end together with its parent.

use std::io;

/// Has the kernel kill this process when its parent ends. Returns false if the parent is gone already.
#[cfg(target_os = "linux")]
pub(super) fn die_with_parent(parent: u32) -> io::Result<bool> {
    use rustix::process::{Signal, set_parent_process_death_signal};
    rustix::thread::set_name(c"lua-worker")?;
    set_parent_process_death_signal(Some(Signal::KILL))?;
    Ok(is_child_of(parent))
}

/// Returns false if the parent is gone already. Here the spawner kills its workers, and a worker ends with its socket.
#[cfg(not(target_os = "linux"))]
pub(super) fn die_with_parent(parent: u32) -> io::Result<bool> {
    Ok(is_child_of(parent))
}

fn is_child_of(parent: u32) -> bool {
    let now = rustix::process::getppid().map(rustix::process::Pid::as_raw_pid);
    now.and_then(|now| u32::try_from(now).ok()) == Some(parent)
}
