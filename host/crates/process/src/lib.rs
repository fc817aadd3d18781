//! What stands between this program's own processes, and between a process and the kernel.
//!
//! Owns: framed messages and descriptors over socket pairs, children that end with their parent, and confinement:
//! Landlock, seccomp and resource limits.
//! Gives: typed messages, open descriptors, and a status for each mechanism that was applied.
//! Never: decides what a process is for; `lua`, `net` and `agents` start theirs themselves.

pub mod child_process;
pub mod confine;
pub mod fd_passing;
pub mod ipc;
pub mod limits;
