//! Recognizes our programs: the running one, under any name, and other versions of it.
//!
//! Never: starts a program to find out.

use std::path::{Path, PathBuf};

use super::entry::InstalledEntry;
use wardroom_appdir::ambient;

/// Every version of this program contains this marker, by which another version's file is recognized.
static PROGRAM_MARKER: &[u8] = b"wardroom/agents: the entry that starts this program may be edited by it (3f7c0a)";

/// Our programs, by their paths on this machine.
#[derive(Debug, Clone, Default)]
pub struct OwnPrograms {
    /// The paths of the running program, as it was started and with links resolved.
    pub programs: Vec<String>,
    /// The folders in which programs are searched by name: the value of `PATH`.
    pub search_path: String,
}

impl OwnPrograms {
    /// Whether an entry starts our program.
    #[must_use]
    pub fn owns_entry(&self, found: &InstalledEntry) -> bool {
        self.is_own_command(&found.launch.command, self.search_path_of(found))
    }

    /// Returns the absolute path of the program that an entry of ours starts. A bare name could resolve differently
    /// when it is started.
    #[must_use]
    pub fn resolve_program(&self, found: &InstalledEntry) -> Option<PathBuf> {
        resolve_command(&found.launch.command, self.search_path_of(found))
    }

    /// Whether a resolved path is that of the running program.
    #[must_use]
    pub fn is_running_program(&self, program: &Path) -> bool {
        self.programs.iter().any(|own| Path::new(own) == program)
    }

    fn search_path_of<'f>(&'f self, found: &'f InstalledEntry) -> &'f str {
        found.environment.get("PATH").unwrap_or(&self.search_path)
    }

    /// Whether a command starts our program: this one, another version of it, or a missing one with its name.
    #[must_use]
    pub fn is_own_command(&self, command: &str, path: &str) -> bool {
        if self.is_running_program(Path::new(command)) {
            return true;
        }
        // A path relative to the agent's working directory may lead to any program.
        if !is_bare_name(command) && !is_absolute(command) {
            return false;
        }
        match resolve_command(command, path) {
            Some(there) => {
                self.is_running_program(&there)
                    || has_own_name(command) && ambient::file_contains(&there, PROGRAM_MARKER)
            }
            None => has_own_name(command),
        }
    }
}

fn is_bare_name(command: &str) -> bool {
    !command.contains(['/', '\\'])
}

/// Resolves a command; a bare name to the first program of that name in the folders of a `PATH`.
fn resolve_command(command: &str, path: &str) -> Option<PathBuf> {
    if !is_bare_name(command) {
        return ambient::canonicalize(Path::new(command)).ok();
    }
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    folders.into_iter().map(|folder| folder.join(command)).find_map(|path| ambient::resolve_program(&path))
}

/// Whether a command has our program's name, with either separator, as files may come from another system.
fn has_own_name(command: &str) -> bool {
    let name = command.rsplit(['/', '\\']).next().unwrap_or_default();
    name == "wardroom" || name.eq_ignore_ascii_case("wardroom.exe")
}

/// Whether a path is absolute on any system.
fn is_absolute(command: &str) -> bool {
    let drive = |bytes: &[u8]| matches!(bytes, [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic());
    command.starts_with('/') || command.starts_with("\\\\") || drive(command.as_bytes())
}
