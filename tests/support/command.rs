//! Runs the binary as a command, in an environment of its own.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;

use super::TEST_TIMEOUT;

/// The output and exit status of a command.
#[must_use = "assert on the output or on the status"]
#[derive(Debug, Clone)]
pub struct CommandOutput {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl CommandOutput {
    /// Returns the whole output as one text, with the machine's paths replaced, for a snapshot.
    pub fn snapshot_text(&self, home: &Path) -> String {
        let sheet = format!("status: {}\n--- stdout\n{}--- stderr\n{}", self.status, self.stdout, self.stderr);
        sheet.replace(&home.display().to_string(), "$HOME")
    }

    /// Returns the standard output of a command that must have succeeded.
    pub fn expect_success(self) -> String {
        assert_eq!(self.status, 0, "{self:?}");
        self.stdout
    }
}

/// Builds a command of the binary without this process's environment, with `home` as `HOME`.
pub fn wardroom_command(home: &Path) -> Command {
    let mut command = Command::new(super::wardroom_binary());
    command.env_clear().env("HOME", home).env("NO_COLOR", "1").current_dir(home);
    command
}

/// Writes an executable script. Another process writes it: a child of this one could still have the file open for
/// writing, and then the system would refuse to start the script (`ETXTBSY`).
pub fn write_script(path: &Path, text: &str) {
    let mut shell = Command::new("sh");
    shell.args(["-c", "cat > \"$0\" && chmod 755 \"$0\""]).arg(path);
    let mut child = shell.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
}

/// Runs the binary to its end, without input.
pub fn run_wardroom(home: &Path, args: &[&str]) -> CommandOutput {
    run_command(wardroom_command(home).args(args))
}

/// Runs a command to its end, without input. A command that does not end in time is killed, and fails the test.
#[track_caller]
pub fn run_command(command: &mut Command) -> CommandOutput {
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let id = rustix::process::Pid::from_child(&child);
    let (sender, ended) = channel();
    // The test may have stopped waiting.
    thread::spawn(move || drop(sender.send(child.wait_with_output())));
    let Ok(output) = ended.recv_timeout(4 * TEST_TIMEOUT) else {
        let _ = rustix::process::kill_process(id, rustix::process::Signal::KILL);
        panic!("it does not end: {command:?}");
    };
    let output = output.unwrap();
    CommandOutput {
        status: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}
