//! A worker's end together with its parent.

use std::io;

use rustix::process::Pid;

/// Has the kernel kill this process when its parent ends. Returns false if the parent is gone already.
#[cfg(target_os = "linux")]
pub(super) fn die_with_parent(parent: Pid) -> io::Result<bool> {
    use rustix::process::{Signal, set_parent_process_death_signal};
    rustix::thread::set_name(c"lua-worker")?;
    set_parent_process_death_signal(Some(Signal::KILL))?;
    Ok(is_child_of(parent))
}

/// Returns false if the parent is gone already. Here the spawner kills its workers, and a worker ends with its socket.
#[cfg(not(target_os = "linux"))]
pub(super) fn die_with_parent(parent: Pid) -> io::Result<bool> {
    Ok(is_child_of(parent))
}

fn is_child_of(parent: Pid) -> bool {
    rustix::process::getppid() == Some(parent)
}
