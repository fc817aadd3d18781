//! `wardroom registry watch`.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::terminal::start_at_terminal;
use wardroom_test_support::{TEST_TIMEOUT, TestDir, run_wardroom, wardroom_command};

/// A command that watches, and the lines that it prints.
struct Watching {
    child: Child,
    lines: Receiver<String>,
}

impl Watching {
    fn start(dir: &TestDir, args: &[&str]) -> Self {
        let mut command = wardroom_command(dir.root());
        command.args(["registry", "watch", "--appdir"]).arg(dir.app_path()).args(args);
        Self::follow(command.stdout(Stdio::piped()).spawn().unwrap())
    }

    fn follow(mut child: Child) -> Self {
        let (sender, lines) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { child, lines }
    }

    #[track_caller]
    fn line(&self) -> String {
        self.lines.recv_timeout(TEST_TIMEOUT).unwrap()
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn new_tool(dir: &TestDir) {
    run_wardroom(dir.root(), &["registry", "new", "tool", "hello", "--appdir", &dir.app_path().display().to_string()])
        .expect_success();
}

/// Replaces a file in one step.
fn replace(dir: &TestDir, name: &str, text: &str) {
    let written = dir.write_file(&format!("{name}.new"), text);
    fs::rename(written, dir.app_path().join(name)).unwrap();
}

const SOURCE: &str = "registry/app/hello.lua";
const INDEX: &str = "registry/app/_index.yaml";

#[test]
fn each_change_is_checked_until_an_interrupt() {
    let dir = TestDir::new();
    new_tool(&dir);
    let [source, index] = [SOURCE, INDEX].map(|name| fs::read_to_string(dir.app_path().join(name)).unwrap());
    let mut watching = Watching::start(&dir, &[]);
    assert_eq!(watching.line(), "1 entry, no errors");
    replace(&dir, SOURCE, "local x =");
    let line = watching.line();
    assert!(line.starts_with("registry/app/hello.lua:1: error: hello: "), "{line}");
    assert_eq!(watching.line(), "1 entry, 1 error");
    // A file that no entry names makes no round.
    replace(&dir, "registry/app/notes.txt", "mine");
    replace(&dir, SOURCE, &source);
    assert_eq!(watching.line(), "1 entry, no errors");
    replace(&dir, INDEX, &index.replace("kind: function.lua", "kynd: function.lua"));
    let line = watching.line();
    assert!(line.starts_with("registry/app/_index.yaml:5: error: hello needs a kind"), "{line}");
    assert_eq!(watching.line(), "0 entries, 1 error");
    replace(&dir, INDEX, &index);
    assert_eq!(watching.line(), "1 entry, no errors");
    // A folder that did not exist.
    let other = index.replace("namespace: \"app\"", "namespace: \"more\"").replace("hello", "other");
    dir.write_file("registry/more/other.lua", &source);
    replace(&dir, "registry/more/_index.yaml", &other);
    assert_eq!(watching.line(), "2 entries, no errors");
    kill_process(Pid::from_child(&watching.child), Signal::INT).unwrap();
    assert_eq!(watching.child.wait().unwrap().code(), Some(0));
    assert!(watching.lines.recv().is_err());
}

/// What cannot be parsed may be half written, and is looked at again without a change.
#[test]
fn broken_syntax_is_reported_once_it_is_no_half_written_file() {
    let dir = TestDir::new();
    new_tool(&dir);
    let watching = Watching::start(&dir, &["--json"]);
    assert_eq!(watching.line(), "[]");
    replace(&dir, INDEX, "version: \"1.0\"\nnamespace: [\n");
    let round: Value = serde_json::from_str(&watching.line()).unwrap();
    assert_eq!((&round[0]["file"], &round[0]["severity"]), (&INDEX.into(), &"error".into()), "{round}");
}

#[test]
fn terminal_shows_rounds_and_ctrl_c_ends_it() {
    let dir = TestDir::new();
    new_tool(&dir);
    let Some(mut child) = start_at_terminal(&dir, "registry watch") else { return };
    let mut typed = child.stdin.take().unwrap();
    let mut watching = Watching::follow(child);
    let line_with = |watching: &Watching, part: &str| while !watching.line().contains(part) {};
    line_with(&watching, "1 entry, no errors");
    replace(&dir, SOURCE, "local x =");
    line_with(&watching, "error: hello: ");
    line_with(&watching, "1 entry, 1 error");
    typed.write_all(b"\x03").unwrap();
    assert_eq!(watching.child.wait().unwrap().code(), Some(0));
}
