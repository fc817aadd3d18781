//! The merge driver for the playbook, in the git repository of a project.
//!
//! Owns: the settings that git needs: a line of `.gitattributes`, one of `.gitignore` for the logs, and the driver's
//! command in the repository's configuration, which no commit can carry.
//! Never: changes another line, or a repository that the person did not ask for.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::report::CommandError;
use wardroom_ace::PLAYBOOK_FILE;
use wardroom_appdir::{AppDirError, Privacy, ambient};

const DRIVER: &str = "wardroom-playbook";
const ATTRIBUTES_FILE: &str = ".gitattributes";
const IGNORE_FILE: &str = ".gitignore";
/// Traces quote what tools printed, which is the person's own.
const IGNORED_LOGS: &str = "/logs/";
/// Such a file is small.
const MAX_GIT_FILE_BYTES: u64 = 1024 * 1024;

/// Registers the driver, which `program` starts, in the repository of a project, and keeps its logs out of the repository.
pub(super) fn register(project: &Path, program: &str) -> Result<(), CommandError> {
    let driver = format!("{program} ace merge %O %A %B");
    // Without a repository this fails before a file is changed, and a name alone is no driver.
    for (key, value) in [("driver", driver.as_str()), ("name", "counters of bullets add up")] {
        configure(project, &format!("merge.{DRIVER}.{key}"), value)?;
    }
    ensure_line(&project.join(ATTRIBUTES_FILE), &attributes_line())?;
    ensure_line(&project.join(IGNORE_FILE), IGNORED_LOGS)
}

/// What a person reads after [`register`].
pub(super) fn registered() -> String {
    format!("git merges {PLAYBOOK_FILE} with wardroom from now on, and leaves the logs out")
}

/// Adds a line to a file of git's unless it is there.
fn ensure_line(file: &Path, line: &str) -> Result<(), CommandError> {
    let failed = |error: AppDirError| {
        let hint = format!("add the line \"{line}\" to it by hand");
        CommandError::with_cause(format!("cannot change {}", file.display()), error, hint)
    };
    let text = match ambient::read_text(file, MAX_GIT_FILE_BYTES) {
        Err(AppDirError::NotFound(_)) => String::new(),
        read => read.map_err(failed)?,
    };
    if text.lines().any(|known| known.trim() == line) {
        return Ok(());
    }
    let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    ambient::write(file, format!("{text}{gap}{line}\n").as_bytes(), Privacy::Preserve).map_err(failed)
}

/// The commands that do the same, for a person.
pub(super) fn hint() -> String {
    format!(
        "counters of {PLAYBOOK_FILE} conflict in git: `wardroom ace init --git` registers a merge driver, and leaves the logs out"
    )
}

fn attributes_line() -> String {
    format!("{PLAYBOOK_FILE} merge={DRIVER}")
}

fn configure(project: &Path, key: &str, value: &str) -> Result<(), CommandError> {
    #[expect(clippy::disallowed_methods, reason = "git, as the person asked for")]
    let mut command = Command::new("git");
    command.arg("-C").arg(project).args(["config", "--local", key, value]);
    let done = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    if done.is_ok_and(|status| status.success()) {
        return Ok(());
    }
    let what = format!("git cannot be configured: {}", project.display());
    Err(CommandError::new(what, "install git, run git init in that folder or in one around it, and run this again"))
}
