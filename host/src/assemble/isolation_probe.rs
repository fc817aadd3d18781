//! A probe of the confinement of workers: a process that confines itself as they do and reports the result.
//!
//! Owns: that process and its output.
//! Never: runs a script in it.

use std::process::{Command, Stdio};

use crate::limits::WORKER_ADDRESS_SPACE_BYTES;
use crate::report::{self, CommandError, SELF_START_HINT};
use wardroom_appdir::ambient;
use wardroom_process::confine;

/// Confines the probe process and prints the walls that are missing.
pub(crate) fn print_missing_walls() -> Result<(), CommandError> {
    let missing = confine::confine_worker(WORKER_ADDRESS_SPACE_BYTES).missing();
    // The confined process cannot query whether standard output is a terminal.
    report::print_bytes(missing.to_string().as_bytes())
}

/// Starts a probe and returns the walls that workers lack, if any.
pub(crate) fn missing_worker_walls() -> Result<Option<String>, CommandError> {
    const FAILED: &str = "cannot check how workers are confined";
    let program = ambient::current_exe().map_err(|error| CommandError::with_cause(FAILED, error, SELF_START_HINT))?;
    #[expect(clippy::disallowed_methods, reason = "itself, before a server is confined, or for a person")]
    let mut command = Command::new(program);
    let tried = command.arg("worker-walls").env_clear().stdin(Stdio::null()).stderr(Stdio::null()).output();
    let tried = tried.map_err(|error| CommandError::with_cause(FAILED, error, SELF_START_HINT))?;
    if !tried.status.success() {
        let what = format!("{FAILED}: the process that checks it ended with {}", tried.status);
        return Err(CommandError::new(what, SELF_START_HINT));
    }
    let missing = String::from_utf8_lossy(&tried.stdout).trim().to_owned();
    Ok(Some(missing).filter(|missing| !missing.is_empty()))
}
