//! A terminal for the program, which `script` provides.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use wardroom_test_support::{TestDir, wardroom_binary};

/// How long a terminal may take to show what a test waits for.
const SHOW_TIMEOUT: Duration = Duration::from_secs(60);

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

/// The command as a shell reads it.
pub(crate) fn command_line(dir: &TestDir, args: &str) -> String {
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
    // A test in the background of a shell ignores SIGINT, and so would the command, without the first argument.
    let mut terminal = Command::new("env");
    terminal.args(["--default-signal=INT", "script", "--quiet", "--return", "--command", line, "typescript"]);
    terminal.current_dir(dir.root()).env_clear().env("HOME", dir.root()).env("PATH", "/usr/bin:/bin");
    terminal.envs(variables.iter().copied());
    if !Path::new("/usr/bin/script").exists() {
        wardroom_test_support::skip("there is no `script` to make a terminal with");
        return None;
    }
    Some(terminal.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap())
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

/// A command at a terminal whose person is the test. It is killed with this value, if it has not ended.
pub(crate) struct Terminal<'a> {
    child: &'a mut Child,
    typed: ChildStdin,
    output: Receiver<Vec<u8>>,
    shown: Vec<u8>,
    /// The bytes up to which a text was awaited.
    seen: usize,
}

impl<'a> Terminal<'a> {
    /// Takes the standard input and output of a command that one of the functions above started.
    pub(crate) fn new(child: &'a mut Child) -> Self {
        let (typed, mut output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, received) = channel();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(n_read @ 1..) = output.read(&mut bytes) {
                if sender.send(bytes[..n_read].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self { child, typed, output: received, shown: Vec::new(), seen: 0 }
    }

    /// Waits until this text is shown after the one that was awaited before.
    #[track_caller]
    pub(crate) fn expect(&mut self, text: &str) {
        let seen = self.seen;
        let find = |shown: &[u8]| shown[seen..].windows(text.len()).position(|part| part == text.as_bytes());
        self.wait_until(text, |shown| find(shown).is_some());
        self.seen += find(&self.shown).unwrap() + text.len();
    }

    /// Waits until all that was shown so far fulfils a condition.
    #[track_caller]
    pub(crate) fn wait_until(&mut self, what: &str, mut holds: impl FnMut(&[u8]) -> bool) {
        let deadline = Instant::now() + SHOW_TIMEOUT;
        while !holds(&self.shown) {
            match self.output.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(bytes) => self.shown.extend(bytes),
                Err(error) => panic!("{what:?} ({error}): {:?}", String::from_utf8_lossy(&self.shown)),
            }
        }
    }

    pub(crate) fn send(&mut self, keys: &str) {
        self.typed.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until the command ends. Returns its exit status, which is 128 + N after the signal N, and all that was shown.
    #[track_caller]
    pub(crate) fn finish(mut self) -> (i32, String) {
        let deadline = Instant::now() + SHOW_TIMEOUT;
        // The reading thread drops its sender at the end of the output.
        while let Ok(bytes) = self.output.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            self.shown.extend(bytes);
        }
        let shown = String::from_utf8_lossy(&self.shown).into_owned();
        assert!(Instant::now() < deadline, "the command does not end: {shown:?}");
        (self.child.wait().unwrap().code().unwrap(), shown)
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        // A command that has ended cannot be killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Types each text once its prompt is shown, and returns all that is shown until the command ends.
pub(crate) fn type_at_prompts(terminal: &mut Child, typed: &[(&str, &str)]) -> String {
    let mut terminal = Terminal::new(terminal);
    for (prompt, text) in typed {
        terminal.expect(prompt);
        terminal.send(text);
    }
    terminal.finish().1
}

/// The picture on a terminal, of a program that moves the cursor and sets styles.
pub(crate) struct Screen {
    /// Each character, and whether its colours are reversed.
    lines: Vec<Vec<(char, bool)>>,
}

impl Screen {
    /// Draws what was written to a terminal of this size. A sequence that is not complete yet is left out.
    pub(crate) fn draw(written: &[u8], (columns, rows): (usize, usize)) -> Self {
        let written = String::from_utf8_lossy(written);
        let blank = vec![vec![(' ', false); columns]; rows];
        let mut lines = blank.clone();
        let (mut row, mut column, mut is_reversed) = (0, 0, false);
        for (index, part) in written.split("\u{1b}[").enumerate() {
            let mut text = part;
            if index > 0 {
                let Some(end) = part.find(|c: char| ('@'..='~').contains(&c)) else { break };
                let numbers: Vec<usize> = part[..end].split(';').filter_map(|number| number.parse().ok()).collect();
                text = &part[end + 1..];
                match (&part[end..=end], numbers.as_slice()) {
                    ("H", [line, place]) => (row, column) = (line - 1, place - 1),
                    ("H", []) => (row, column) = (0, 0),
                    ("J", [2]) => lines.clone_from(&blank),
                    ("m", codes) => is_reversed = reverses(codes, is_reversed),
                    _ => {}
                }
            }
            for c in text.chars() {
                match c {
                    '\r' => column = 0,
                    '\n' => row += 1,
                    _ if c.is_control() => {}
                    _ => {
                        if let Some(cell) = lines.get_mut(row).and_then(|line| line.get_mut(column)) {
                            *cell = (c, is_reversed);
                        }
                        column += 1;
                    }
                }
            }
        }
        Self { lines }
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.lines.iter().map(|line| text_of(line)).collect()
    }

    /// The lines with reversed colours, which mark what is selected.
    pub(crate) fn reversed_lines(&self) -> Vec<String> {
        let reversed = self.lines.iter().filter(|line| line.iter().any(|(_, is_reversed)| *is_reversed));
        reversed.map(|line| text_of(line)).collect()
    }
}

fn text_of(line: &[(char, bool)]) -> String {
    line.iter().map(|(c, _)| c).collect::<String>().trim_end().to_owned()
}

/// Whether colours are reversed after these codes (SGR).
fn reverses(codes: &[usize], mut is_reversed: bool) -> bool {
    let mut codes = codes.iter();
    if codes.len() == 0 {
        return false;
    }
    while let Some(code) = codes.next() {
        match code {
            7 => is_reversed = true,
            0 | 27 => is_reversed = false,
            // A colour follows: one number after a 5, three after a 2.
            38 | 48 => {
                let n_rest = if codes.next() == Some(&5) { 1 } else { 3 };
                codes.by_ref().take(n_rest).for_each(drop);
            }
            _ => {}
        }
    }
    is_reversed
}
