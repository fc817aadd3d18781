//! IPC between this program's processes, and the confinement of each by the kernel.
//!
//! Owns: framed messages and descriptors over socket pairs, copies of this process, the end of child processes, and confinement: Landlock,
//! seccomp and resource limits.
//! Gives: typed messages, open descriptors, and a status for each mechanism that was applied.
//! Never: decides the purpose of a process; `wardroom-lua`, `wardroom-net`, `wardroom-agents` and
//! `wardroom-ace` start their own.

pub mod child_process;
pub mod confine;
pub mod fd_passing;
pub mod fork;
pub mod helper_channel;
pub mod ipc;
pub mod limits;
