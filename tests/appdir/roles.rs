//! Child processes: this binary again, in a role.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::{disk_full, faults, journal, no_free_fds, writes};

/// The role of a child, and its folder.
const ROLE: &str = "WARDROOM_TEST_ROLE";
const FOLDER: &str = "WARDROOM_TEST_FOLDER";

/// Builds the command that runs this binary in `role`.
pub(super) fn command(role: &str, folder: &Path) -> Command {
    let test = format!("{}::run_requested_role", module_path!().split_once("::").unwrap().1);
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &test, "--nocapture"]).env(ROLE, role).env(FOLDER, folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

pub(super) fn start(role: &str, folder: &Path) -> Child {
    command(role, folder).spawn().unwrap()
}

/// Starts a child as [`start`] does, and waits until it prints that it is ready.
pub(super) fn start_ready(role: &str, folder: &Path) -> Child {
    let mut child = start(role, folder);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap() == "ready"), "the child is ready");
    child
}

pub(super) fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Prints a line of its own, because the harness prints to standard output, too.
pub(super) fn print_line(line: &str) {
    std::io::stdout().write_all(format!("\n{line}\n").as_bytes()).unwrap();
}

/// Runs a child's role until it is killed or done. Without a role, as in the parent and in an ordinary run of all
/// tests, it does nothing.
#[test]
fn run_requested_role() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let folder = PathBuf::from(std::env::var(FOLDER).unwrap());
    match role.split_once(' ').unwrap_or((&role, "")) {
        ("write", _) => writes::write_forever(&folder),
        ("create", _) => writes::create_many(&folder),
        ("lock", _) => writes::hold_lock(&folder),
        ("die", when) => faults::die(when, &folder),
        ("no-free-fds", _) => no_free_fds::run_role(&folder),
        ("disk-full", what) => disk_full::run_role(what),
        ("journal", what) => journal::run_role(what, &folder),
        other => panic!("no such role: {other:?}"),
    }
}
