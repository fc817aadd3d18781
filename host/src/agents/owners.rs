//! Which programs are ours: the one that runs, under whatever name, and other versions of it.
//!
//! Never: starts one to find out.

use std::path::Path;

use crate::appdir::ambient;

/// Every version of this program has this in it, so that another one is known by its file.
static MARK: &[u8] = b"wardroom/agents: the entry that starts this program may be edited by it (3f7c0a)";

/// The programs that are ours, as this machine names them.
#[derive(Debug, Clone, Default)]
pub struct Owners {
    /// The paths of the running program, as it was started and with links resolved.
    pub programs: Vec<String>,
}

impl Owners {
    /// Whether a command starts our program: this one, another version of it, or one of its name that is not there.
    #[must_use]
    pub fn owns(&self, command: &str) -> bool {
        let is_ours = |path: &Path| self.programs.iter().any(|program| Path::new(program) == path);
        if is_ours(Path::new(command)) {
            return true;
        }
        // One below the folder that an agent happens to run in may be anybody's.
        let resolved = if is_absolute(command) { ambient::canonical(Path::new(command)).ok() } else { None };
        if let Some(resolved) = resolved {
            return is_ours(&resolved) || is_named(command) && ambient::contains(&resolved, MARK);
        }
        let is_bare = !command.contains(['/', '\\']);
        is_named(command) && (is_bare || is_absolute(command))
    }
}

/// Both separators, whichever system the file was written on.
fn is_named(command: &str) -> bool {
    let name = command.rsplit(['/', '\\']).next().unwrap_or_default();
    name == "wardroom" || name.eq_ignore_ascii_case("wardroom.exe")
}

/// On whichever system.
fn is_absolute(command: &str) -> bool {
    let drive = |bytes: &[u8]| matches!(bytes, [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic());
    command.starts_with('/') || command.starts_with("\\\\") || drive(command.as_bytes())
}
