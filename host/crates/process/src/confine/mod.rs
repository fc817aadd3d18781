//! Confinement of this process by the kernel, before it reads anything from outside.
//!
//! Owns: the walls (Landlock, seccomp, limits), their order, and the words for one that is missing.
//! Gives: a [`ConfinementReport`]; the caller decides whether to continue without a wall.
//! Never: takes a path (folders are granted by their handles), or lifts a restriction: a wall stands until the process
//! ends.

#[cfg(target_os = "linux")]
mod bpf;
#[cfg(target_os = "linux")]
mod landlock_rules;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod process_limits;
#[cfg(target_os = "linux")]
mod syscalls;
#[cfg(not(target_os = "linux"))]
mod unsupported;

use std::fmt;
use std::fs::File;

#[cfg(target_os = "linux")]
use self::linux as system;
#[cfg(not(target_os = "linux"))]
use self::unsupported as system;
use wardroom_appdir::{Access, Folder};

/// Rights below a granted folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FolderRights {
    Read,
    /// Create, replace and remove files, and create folders, besides reading.
    Edit,
    /// Remove and move folders, besides `Edit`.
    Write,
    /// Create and remove links, besides `Write`: a repository contains some.
    Build,
    /// Read and execute.
    Execute,
}

/// The folders and files that a confined process keeps. Without any it can open nothing.
#[derive(Debug, Default)]
pub struct Grants {
    folders: Vec<(Folder, FolderRights)>,
    files: Vec<(File, Access)>,
    programs: Vec<File>,
}

/// Network access that remains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetworkAccess {
    None,
    /// Outgoing connections only.
    Connect,
}

impl Grants {
    /// Grants a folder, with no more rights than its handle has.
    pub fn add_folder(&mut self, folder: &Folder, most: FolderRights) {
        let most = if folder.is_read_only() && most != FolderRights::Execute { FolderRights::Read } else { most };
        self.folders.push((folder.clone(), most));
    }

    /// Grants the execution of a single program. What it is linked to is granted by its folder.
    pub fn add_program(&mut self, program: File) {
        self.programs.push(program);
    }

    /// Grants a single file.
    pub fn add_file(&mut self, file: File, access: Access) {
        self.files.push((file, access));
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wall {
    /// No new privileges, no core dumps, no debugger; for a process that acts for a server, no capabilities.
    Process,
    /// Resource limits of a worker: memory, descriptors, processes, files.
    Limits,
    /// Restrictions of files, network and signals.
    Landlock,
    /// Restrictions of system calls.
    Seccomp,
}

impl Wall {
    /// In the order of application: each wall forbids what the one before needs.
    pub const FOR_SERVER: [Self; 3] = [Self::Process, Self::Landlock, Self::Seccomp];
    pub const FOR_WORKER: [Self; 4] = [Self::Process, Self::Limits, Self::Landlock, Self::Seccomp];

    /// For a process that starts programs: their system calls are not known.
    pub const FOR_LAUNCHER: [Self; 2] = [Self::Process, Self::Landlock];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Process => "process",
            Self::Limits => "limits",
            Self::Landlock => "Landlock",
            Self::Seccomp => "seccomp",
        }
    }
}

/// How far a wall is enforced, with details.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MechanismState {
    FullyEnforced(String),
    PartiallyEnforced(String),
    NotEnforced(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MechanismStatus {
    pub wall: Wall,
    pub state: MechanismState,
}

/// The state of each wall.
#[must_use = "a wall may not be enforced"]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfinementReport(pub Vec<MechanismStatus>);

impl ConfinementReport {
    /// The walls that are not fully enforced.
    pub fn missing(&self) -> Self {
        Self(
            self.0.iter().filter(|status| !matches!(status.state, MechanismState::FullyEnforced(_))).cloned().collect(),
        )
    }

    #[must_use]
    pub fn is_fully_enforced(&self) -> bool {
        self.missing().0.is_empty()
    }
}

impl fmt::Display for MechanismStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.wall.name();
        match &self.state {
            MechanismState::FullyEnforced(detail) => write!(f, "{name} ({detail})"),
            MechanismState::PartiallyEnforced(detail) => write!(f, "{name} only partly ({detail})"),
            MechanismState::NotEnforced(detail) => write!(f, "no {name} ({detail})"),
        }
    }
}

impl fmt::Display for ConfinementReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, standing) in self.0.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{standing}")?;
        }
        Ok(())
    }
}

/// Confines this process to `grants`: files below those folders, no program, no other process, no new socket. Threads
/// that start later are confined, too. Earlier threads would not be: if there are any, nothing is applied and the
/// report says why.
pub fn confine_server(grants: &Grants) -> ConfinementReport {
    system::confine_server(grants)
}

/// Confines this single-threaded process to its standard descriptors and those of the same socket as its standard
/// input: it reads and writes there, computes, takes `memory` more bytes at most, and exits. Any other system call
/// kills it.
pub fn confine_worker(memory: u64) -> ConfinementReport {
    system::apply_worker_walls(&Wall::FOR_WORKER, memory)
}

/// Confines this single-threaded process to reading `grants` and to outgoing connections: it starts no program and no
/// process, and accepts no connection.
pub fn confine_fetcher(grants: &Grants) -> ConfinementReport {
    system::confine_fetcher(grants)
}

/// Confines this process and its children to the files and programs in `grants`. Its own processes are not restricted.
pub fn confine_launcher(grants: &Grants, network: NetworkAccess) -> ConfinementReport {
    system::confine_launcher(grants, network)
}

/// Takes from this single-threaded process, and from what it starts, the privileges that it has besides those of its
/// user. It may still open any file of that user.
pub fn harden_helper() -> ConfinementReport {
    system::apply_launcher_walls(&[Wall::Process], &Grants::default(), NetworkAccess::Connect)
}

/// As [`harden_helper`], in a copy of a process that may have threads: it allocates nothing.
pub(crate) fn drop_privileges() -> rustix::io::Result<()> {
    system::drop_privileges()
}

/// Whether this process has no other thread.
#[must_use]
pub fn is_single_threaded() -> bool {
    system::is_single_threaded()
}

/// Reports which walls could be applied here, by applying them to a thread.
pub fn probe() -> ConfinementReport {
    system::probe()
}

/// Applies some of a server's walls to the calling thread, for tests of each wall alone.
#[doc(hidden)]
pub fn confine_server_with(walls: &[Wall], grants: &Grants) -> ConfinementReport {
    system::apply_server_walls(walls, grants)
}

/// Applies some walls of the process that makes HTTP requests to the calling thread.
#[doc(hidden)]
pub fn confine_fetcher_with(walls: &[Wall], grants: &Grants) -> ConfinementReport {
    system::apply_fetcher_walls(walls, grants)
}

/// Applies some walls of a process that starts programs to the calling thread.
#[doc(hidden)]
pub fn confine_launcher_with(walls: &[Wall], grants: &Grants) -> ConfinementReport {
    system::apply_launcher_walls(walls, grants, NetworkAccess::Connect)
}

/// Applies some of a worker's walls to the calling thread.
#[doc(hidden)]
pub fn confine_worker_with(walls: &[Wall], memory: u64) -> ConfinementReport {
    system::apply_worker_walls(walls, memory)
}
