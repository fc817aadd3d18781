//! Which programs are ours: the one that runs, under whatever name, and other versions of it.
//!
//! Never: starts one to find out.

use std::path::{Path, PathBuf};

use super::entry::InstalledEntry;
use wardroom_appdir::ambient;

/// Every version of this program has this in it, so that another one is known by its file.
static PROGRAM_MARKER: &[u8] = b"wardroom/agents: the entry that starts this program may be edited by it (3f7c0a)";

/// The programs that are ours, as this machine names them.
#[derive(Debug, Clone, Default)]
pub struct OwnPrograms {
    /// The paths of the running program, as it was started and with links resolved.
    pub programs: Vec<String>,
    /// Where programs are looked for by their names: what `PATH` says.
    pub search_path: String,
}

impl OwnPrograms {
    /// Whether an entry starts our program.
    #[must_use]
    pub fn owns_entry(&self, found: &InstalledEntry) -> bool {
        self.is_own_command(&found.launch.command, self.search_path_of(found))
    }

    /// The program that an entry of ours starts, by its own path: a name could lead elsewhere when it is started.
    #[must_use]
    pub fn resolve_program(&self, found: &InstalledEntry) -> Option<PathBuf> {
        resolve_command(&found.launch.command, self.search_path_of(found))
    }

    fn search_path_of<'f>(&'f self, found: &'f InstalledEntry) -> &'f str {
        found.environment.get("PATH").unwrap_or(&self.search_path)
    }

    /// Whether a command starts our program: this one, another version of it, or one of its name that is not there.
    #[must_use]
    pub fn is_own_command(&self, command: &str, path: &str) -> bool {
        let is_ours = |path: &Path| self.programs.iter().any(|program| Path::new(program) == path);
        if is_ours(Path::new(command)) {
            return true;
        }
        // One below the folder that an agent happens to run in may be anybody's.
        if !is_bare_name(command) && !is_absolute(command) {
            return false;
        }
        match resolve_command(command, path) {
            Some(there) => is_ours(&there) || has_own_name(command) && ambient::file_contains(&there, PROGRAM_MARKER),
            None => has_own_name(command),
        }
    }
}

fn is_bare_name(command: &str) -> bool {
    !command.contains(['/', '\\'])
}

/// What a command stands for: of a name the first program of that name in the folders of a `PATH`.
fn resolve_command(command: &str, path: &str) -> Option<PathBuf> {
    if !is_bare_name(command) {
        return ambient::canonicalize(Path::new(command)).ok();
    }
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    folders.into_iter().map(|folder| folder.join(command)).find_map(|path| ambient::resolve_program(&path))
}

/// Both separators, whichever system the file was written on.
fn has_own_name(command: &str) -> bool {
    let name = command.rsplit(['/', '\\']).next().unwrap_or_default();
    name == "wardroom" || name.eq_ignore_ascii_case("wardroom.exe")
}

/// On whichever system.
fn is_absolute(command: &str) -> bool {
    let drive = |bytes: &[u8]| matches!(bytes, [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic());
    command.starts_with('/') || command.starts_with("\\\\") || drive(command.as_bytes())
}
