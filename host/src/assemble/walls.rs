//! What stands around the processes that run scripts, as one of them finds it.
//!
//! Owns: that process, and what it says.
//! Never: runs a script there.

use std::process::{Command, Stdio};

use crate::report::{self, Failure, ITSELF};
use wardroom_appdir::ambient;
use wardroom_base::limits::WORKER_SPACE_BYTES;
use wardroom_process::confine;

/// In that process: puts the walls up, and names those that do not stand.
pub(crate) fn say() -> Result<(), Failure> {
    let missing = confine::worker(WORKER_SPACE_BYTES).missing();
    // Whether standard output is a terminal cannot be asked any more.
    report::bytes(missing.to_string().as_bytes())
}

/// The walls that do not stand around a worker, if there are such.
pub(crate) fn missing() -> Result<Option<String>, Failure> {
    const FAILED: &str = "cannot find out how workers are confined";
    let program = ambient::own_program().map_err(|error| Failure::of(FAILED, error, ITSELF))?;
    #[expect(clippy::disallowed_methods, reason = "itself, before a server is confined, or for a person")]
    let mut command = Command::new(program);
    let tried = command.arg("worker-walls").env_clear().stdin(Stdio::null()).stderr(Stdio::null()).output();
    let tried = tried.map_err(|error| Failure::of(FAILED, error, ITSELF))?;
    if !tried.status.success() {
        let what = format!("{FAILED}: the process that should say it ended with {}", tried.status);
        return Err(Failure::new(what, ITSELF));
    }
    let said = String::from_utf8_lossy(&tried.stdout).trim().to_owned();
    Ok(Some(said).filter(|said| !said.is_empty()))
}
