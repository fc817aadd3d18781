//! Child processes: this binary again, which applies walls to itself and then makes an attempt.

use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{attempts, fetcher, server, worker};

const ROLE: &str = "WARDROOM_CONFINED_ROLE";
const FOLDER: &str = "WARDROOM_CONFINED_FOLDER";

/// The end of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ending {
    /// The outcome that the child printed.
    Said(String),
    /// The signal that killed the child.
    Killed(i32),
}

impl Ending {
    pub(super) fn said(word: &str) -> Self {
        Self::Said(word.to_owned())
    }
}

/// The end of a process that made a forbidden system call.
pub(super) const BAD_CALL: Ending = Ending::Killed(31);

/// The command that runs this binary in `role`, on one thread, so that its walls cover all of it.
pub(super) fn command(role: &str, folder: &Path) -> Command {
    let test = format!("{}::play_role", module_path!().split_once("::").unwrap().1);
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &test, "--quiet", "--nocapture", "--test-threads=1"]).env(ROLE, role).env(FOLDER, folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[track_caller]
pub(super) fn play(role: &str, folder: &Path) -> Ending {
    ended(&mut command(role, folder))
}

#[track_caller]
pub(super) fn ended(command: &mut Command) -> Ending {
    let output = command.output().unwrap();
    if let Some(signal) = output.status.signal() {
        return Ending::Killed(signal);
    }
    let text = String::from_utf8(output.stdout).unwrap();
    let said = text.lines().find_map(|line| line.strip_prefix("said: "));
    // The child executed another program.
    let said = said.or_else(|| (output.status.success() && text.contains("running 1 test")).then_some("works"));
    let report = || format!("{text}{}", String::from_utf8_lossy(&output.stderr));
    Ending::Said(said.unwrap_or_else(|| panic!("{}", report())).to_owned())
}

/// Prints an outcome on a line of its own, since the test harness prints, too.
pub(super) fn say(what: &str) {
    use std::io::Write as _;
    std::io::stdout().write_all(format!("\nsaid: {what}\n").as_bytes()).unwrap();
}

/// Plays the role of a child. In the parent and in an ordinary test run it does nothing.
#[test]
fn play_role() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let folder = PathBuf::from(std::env::var(FOLDER).unwrap());
    match role.split_once(' ').unwrap() {
        ("server", what) => attempts::play(what, &folder),
        ("worker", what) => worker::play(what),
        ("fetcher", what) => fetcher::play(what, &folder),
        ("launcher", what) => fetcher::play_launcher(what, &folder),
        ("without", what) => server::play_without(what, &folder),
        other => panic!("no such role: {other:?}"),
    }
}
