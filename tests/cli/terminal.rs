//! A terminal for the program, which `script` provides.

use std::io::Write as _;
use std::process::{Child, Command, Stdio};

use wardroom_test_support::{TestDir, wardroom_binary};

/// Runs a command at a terminal, for a person who types `input`. Returns the exit status and what the terminal shows; `None`
/// where there is no `script`.
pub(crate) fn run_at_terminal(
    dir: &TestDir,
    variables: &[(&str, &str)],
    args: &str,
    input: &str,
) -> Option<(i32, String)> {
    run_in_terminal(dir, variables, &command_line(dir, args), input)
}

/// Runs a command at a terminal of this size, which obeys escape sequences, for a person who only reads.
pub(crate) fn run_at_sized_terminal(
    dir: &TestDir,
    (columns, rows): (usize, usize),
    variables: &[(&str, &str)],
    args: &str,
) -> Option<(i32, String)> {
    let variables = [&[("TERM", "xterm")], variables].concat();
    let line = format!("stty cols {columns} rows {rows}; {}", command_line(dir, args));
    run_in_terminal(dir, &variables, &line, "")
}

fn command_line(dir: &TestDir, args: &str) -> String {
    format!("'{}' --appdir '{}' {args}", wardroom_binary().display(), dir.app_path().display())
}

/// Starts a command at a terminal whose person is the test: its standard input is what they type, its standard output what
/// the terminal shows. `None` where there is no `script`.
pub(crate) fn start_at_terminal(dir: &TestDir, args: &str) -> Option<Child> {
    // A shell would end by the signal of a Ctrl-C, too.
    start_in_terminal(dir, &[], &format!("exec {}", command_line(dir, args)))
}

/// Starts one at a terminal of this size, which obeys escape sequences.
pub(crate) fn start_at_sized_terminal(dir: &TestDir, (columns, rows): (usize, usize), args: &str) -> Option<Child> {
    let line = format!("stty cols {columns} rows {rows}; exec {}", command_line(dir, args));
    start_in_terminal(dir, &[("TERM", "xterm")], &line)
}

fn start_in_terminal(dir: &TestDir, variables: &[(&str, &str)], line: &str) -> Option<Child> {
    let mut terminal = Command::new("script");
    terminal.args(["--quiet", "--return", "--command", line, "typescript"]);
    terminal.current_dir(dir.root()).env_clear().env("HOME", dir.root()).env("PATH", "/usr/bin:/bin");
    terminal.envs(variables.iter().copied());
    let child = terminal.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    if child.is_err() {
        wardroom_test_support::skip("there is no `script` to make a terminal with");
    }
    child.ok()
}

fn run_in_terminal(dir: &TestDir, variables: &[(&str, &str)], line: &str, input: &str) -> Option<(i32, String)> {
    let mut child = start_in_terminal(dir, variables, line)?;
    // It stays open: its end would be a Ctrl-D on the terminal.
    let mut typed = child.stdin.take().unwrap();
    typed.write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    drop(typed);
    Some((output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap().replace("\r\n", "\n")))
}
