//! A terminal for the program, which `script` provides.

use std::io::Write as _;
use std::process::{Command, Stdio};

use wardroom_test_support::{TestDir, wardroom_binary};

/// Runs a command at a terminal, for a person who types `input`. Returns the exit status and what the terminal shows; `None`
/// where there is no `script`.
pub(crate) fn run_at_terminal(
    dir: &TestDir,
    variables: &[(&str, &str)],
    args: &str,
    input: &str,
) -> Option<(i32, String)> {
    let mut terminal = Command::new("script");
    let line = format!("'{}' --appdir '{}' {args}", wardroom_binary().display(), dir.app_path().display());
    terminal.args(["--quiet", "--return", "--command", &line, "typescript"]);
    terminal.current_dir(dir.root()).env_clear().env("HOME", dir.root()).env("PATH", "/usr/bin:/bin");
    terminal.envs(variables.iter().copied());
    let Ok(mut child) = terminal.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn() else {
        wardroom_test_support::skip("there is no `script` to make a terminal with");
        return None;
    };
    // It stays open: its end would be a Ctrl-D on the terminal.
    let mut typed = child.stdin.take().unwrap();
    typed.write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    drop(typed);
    Some((output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap().replace("\r\n", "\n")))
}
