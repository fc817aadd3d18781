//! Other processes: this binary again, as a child that plays a role.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::{faults, few, full, journal, writes};

/// What a child of this binary is to do, and where.
const ROLE: &str = "WARDROOM_TEST_ROLE";
const FOLDER: &str = "WARDROOM_TEST_FOLDER";

/// What makes this binary play `role`.
pub(super) fn command(role: &str, folder: &Path) -> Command {
    let test = format!("{}::play_a_role", module_path!().split_once("::").unwrap().1);
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &test, "--nocapture"]).env(ROLE, role).env(FOLDER, folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

pub(super) fn start(role: &str, folder: &Path) -> Child {
    command(role, folder).spawn().unwrap()
}

/// As [`start`], and waits until the child says that it is ready.
pub(super) fn started(role: &str, folder: &Path) -> Child {
    let mut child = start(role, folder);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap() == "ready"), "the child has begun");
    child
}

pub(super) fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// A line from the child, on a line of its own: the harness prints there, too.
pub(super) fn say(line: &str) {
    std::io::stdout().write_all(format!("\n{line}\n").as_bytes()).unwrap();
}

/// What a child does until it is killed or done. In the parent, and in an ordinary run of all tests, nothing.
#[test]
fn play_a_role() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let folder = PathBuf::from(std::env::var(FOLDER).unwrap());
    match role.split_once(' ').unwrap_or((&role, "")) {
        ("write", _) => writes::write_on(&folder),
        ("create", _) => writes::create_many(&folder),
        ("lock", _) => writes::hold_a_lock(&folder),
        ("die", when) => faults::die(when, &folder),
        ("few", _) => few::play(&folder),
        ("full", what) => full::play(what),
        ("journal", what) => journal::play(what, &folder),
        other => panic!("no such role: {other:?}"),
    }
}
