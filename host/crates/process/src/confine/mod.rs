//! Confinement: what the kernel takes away from this process before it looks at anything that comes from outside.
//!
//! Owns: the walls (Landlock, seccomp, limits), the order in which they are put up, and the words for what does not stand.
//! Gives: a [`Report`]; whether the process goes on without a wall is the caller's decision.
//! Never: takes a path (folders are granted by their handles), or gives anything back: a wall stands until the process ends.

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

/// What may be done below a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FolderRights {
    Read,
    /// Files are made, replaced and removed too, and folders made.
    Edit,
    /// Folders are removed, too, and moved.
    Write,
    /// Links are, too: a repository has some.
    Build,
    /// Read, and executed.
    Execute,
}

/// The folders and files that are left to a confined process. Without one it can open nothing.
#[derive(Debug, Default)]
pub struct Grants {
    folders: Vec<(Folder, FolderRights)>,
    files: Vec<(File, Access)>,
}

impl Grants {
    /// Leaves a folder to the process, for no more than its handle is good for.
    pub fn add_folder(&mut self, folder: &Folder, most: FolderRights) {
        let most = if folder.is_read_only() && most != FolderRights::Execute { FolderRights::Read } else { most };
        self.folders.push((folder.clone(), most));
    }

    /// Leaves a single file to the process.
    pub fn add_file(&mut self, file: File, access: Access) {
        self.files.push((file, access));
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wall {
    /// No new privileges, no core dumps, no debugger.
    Process,
    /// Limits of a worker: memory, descriptors, processes, files.
    Limits,
    /// Files, the network, signals.
    Landlock,
    /// System calls.
    Seccomp,
}

impl Wall {
    /// In the order in which they are put up: each forbids what the one before needs.
    pub const FOR_SERVER: [Self; 3] = [Self::Process, Self::Landlock, Self::Seccomp];
    pub const FOR_WORKER: [Self; 4] = [Self::Process, Self::Limits, Self::Landlock, Self::Seccomp];

    /// Of a process that starts programs: which calls those make is not known.
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

/// How far a wall stands, with what there is to say about it.
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

/// What stands.
#[must_use = "a wall may not stand"]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfinementReport(pub Vec<MechanismStatus>);

impl ConfinementReport {
    /// What does not stand, or not whole.
    pub fn missing(&self) -> Self {
        Self(
            self.0
                .iter()
                .filter(|standing| !matches!(standing.state, MechanismState::FullyEnforced(_)))
                .cloned()
                .collect(),
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

/// Confines this process to `grants`: files below those folders, no program, no other process, no new socket. Threads that
/// start later are confined too; so it must have none yet, else nothing is done and the report says why.
pub fn confine_server(grants: &Grants) -> ConfinementReport {
    system::confine_server(grants)
}

/// Confines this process, which has one thread, to its standard descriptors and those that lead to the same socket as its
/// standard input: it reads and writes there, computes, takes `memory` more bytes at most, and ends. Anything else ends it.
pub fn confine_worker(memory: u64) -> ConfinementReport {
    system::apply_worker_walls(&Wall::FOR_WORKER, memory)
}

/// Confines this process, which has one thread, to reading what is granted and to sockets that it opens itself: it starts no
/// program and no process, and nobody connects to it.
pub fn confine_fetcher(grants: &Grants) -> ConfinementReport {
    system::confine_fetcher(grants)
}

/// Confines this process and all that it starts to files and programs in what is granted. It may do with the network and
/// with its own processes what it wants.
pub fn confine_launcher(grants: &Grants) -> ConfinementReport {
    system::confine_launcher(grants)
}

/// What would stand here, found out on a thread of its own.
pub fn probe() -> ConfinementReport {
    system::probe()
}

/// Puts up some of a server's walls around the calling thread, for tests of each alone.
#[doc(hidden)]
pub fn confine_server_with(walls: &[Wall], grants: &Grants) -> ConfinementReport {
    system::apply_server_walls(walls, grants)
}

/// The same for a process that makes requests.
#[doc(hidden)]
pub fn confine_fetcher_with(walls: &[Wall], grants: &Grants) -> ConfinementReport {
    system::apply_fetcher_walls(walls, grants)
}

/// The same for a process that starts programs.
#[doc(hidden)]
pub fn confine_launcher_with(walls: &[Wall], grants: &Grants) -> ConfinementReport {
    system::apply_launcher_walls(walls, grants)
}

/// The same for a worker.
#[doc(hidden)]
pub fn confine_worker_with(walls: &[Wall], memory: u64) -> ConfinementReport {
    system::apply_worker_walls(walls, memory)
}
