//! The pager: what is longer than the terminal is shown by another program, which begins when it is.
//!
//! Owns: the output of a command that only shows something, until it ends; notes appear after it.
//! Never: starts where a program reads, uses a shell, or passes on a variable that a pager does not need.

use std::io::{self, ErrorKind, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use unicode_width::UnicodeWidthStr as _;

use super::terminal::{self, TerminalSize};
use crate::assemble::settings::env_variable;

/// The pager where the person names none: it ends by itself where one screen is enough, shows colours, and leaves the
/// text on the screen.
const DEFAULT_PAGER: &str = "less -FRX";
/// The variables that a pager gets, if they are set: the others may be secrets.
const PAGER_VARIABLES: [&str; 15] = [
    "PATH",
    "HOME",
    "TERM",
    "TERMINFO",
    "TERMINFO_DIRS",
    "COLORTERM",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LC_MESSAGES",
    "LESS",
    "LESSCHARSET",
    "LESSKEYIN",
    "MORE",
    "LV",
];

/// The output that a pager may get.
static PAGED: Mutex<Option<PagedOutput>> = Mutex::new(None);

struct PagedOutput {
    /// What is not written yet, because it may fit the terminal.
    held: Vec<u8>,
    n_lines: usize,
    size: TerminalSize,
    /// The pager and its arguments.
    program: Vec<String>,
    child: Option<Child>,
    /// Lines for standard error, which appear after the output.
    notes: Vec<String>,
}

/// Begins to hold the output back, at a terminal and unless the person does without a pager.
pub(crate) fn begin() {
    if !terminal::is_output_terminal() || terminal::is_dumb() || env_variable("WARDROOM_NO_PAGER").is_some() {
        return;
    }
    let named = env_variable("PAGER").map(|named| named.to_string_lossy().into_owned());
    let program = shlex::split(named.as_deref().unwrap_or(DEFAULT_PAGER)).unwrap_or_default();
    if program.first().is_none_or(|name| name == "cat") {
        return;
    }
    let size = terminal::output_size();
    let paged = PagedOutput { held: Vec::new(), n_lines: 0, size, program, child: None, notes: Vec::new() };
    *PAGED.lock().unwrap_or_else(PoisonError::into_inner) = Some(paged);
}

/// Writes to standard output, or to the pager.
pub(super) fn write(bytes: &[u8]) -> io::Result<()> {
    let mut guard = PAGED.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(paged) = guard.as_mut() else { return io::stdout().lock().write_all(bytes) };
    if let Some(child) = &mut paged.child {
        return write_to(child, bytes);
    }
    paged.held.extend_from_slice(bytes);
    paged.n_lines += count_lines(bytes, paged.size.columns);
    if paged.n_lines < paged.size.rows {
        return Ok(());
    }
    if let Ok(child) = start(&paged.program) {
        let child = paged.child.insert(child);
        return write_to(child, &std::mem::take(&mut paged.held));
    }
    // There is no such program. The notes ask for the lock.
    let paged = guard.take();
    drop(guard);
    finish_unpaged(paged)
}

/// Keeps a line for standard error until the output was shown. Returns whether it did.
pub(super) fn keep_note(line: &str) -> bool {
    let mut guard = PAGED.lock().unwrap_or_else(PoisonError::into_inner);
    let kept = guard.as_mut().map(|paged| paged.notes.push(line.to_owned()));
    kept.is_some()
}

/// Shows what was held back, and waits for the end of the pager.
pub(crate) fn finish() {
    let paged = PAGED.lock().unwrap_or_else(PoisonError::into_inner).take();
    // The command is over, and has reported what it could not write.
    drop(finish_unpaged(paged));
}

fn finish_unpaged(paged: Option<PagedOutput>) -> io::Result<()> {
    let Some(PagedOutput { held, child, notes, .. }) = paged else { return Ok(()) };
    let written = match child {
        Some(mut child) => {
            drop(child.stdin.take());
            child.wait().map(drop)
        }
        None => {
            let mut out = io::stdout().lock();
            out.write_all(&held).and_then(|()| out.flush())
        }
    };
    notes.iter().for_each(|note| super::write_note(note));
    written
}

fn start(program: &[String]) -> io::Result<Child> {
    let (name, args) = program.split_first().ok_or(ErrorKind::NotFound)?;
    // Ctrl-C is for the pager: this process waits for its end.
    let ignored = signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::new(AtomicBool::new(false)))?;
    let variables = PAGER_VARIABLES.iter().filter_map(|name| Some((*name, env_variable(name)?)));
    #[expect(clippy::disallowed_methods, reason = "the pager, which the person named")]
    let started =
        Command::new(name).args(args).env_clear().env("LESS", "FRX").envs(variables).stdin(Stdio::piped()).spawn();
    started.inspect_err(|_| {
        signal_hook::low_level::unregister(ignored);
    })
}

fn write_to(child: &mut Child, bytes: &[u8]) -> io::Result<()> {
    child.stdin.as_mut().map_or(Ok(()), |input| input.write_all(bytes))
}

/// How many lines of a terminal a text takes.
fn count_lines(bytes: &[u8], columns: usize) -> usize {
    let text = String::from_utf8_lossy(bytes);
    text.split_inclusive('\n').map(|line| shown_width(line.trim_end()).div_ceil(columns).max(1)).sum()
}

/// The columns that a line takes without its escape sequences, which are all colours.
fn shown_width(line: &str) -> usize {
    let mut parts = line.split('\u{1b}');
    let first = parts.next().map_or(0, str::width);
    first + parts.map(|part| part.split_once('m').map_or(0, |(_, text)| text.width())).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::count_lines;

    #[test]
    fn long_lines_count_as_the_terminal_breaks_them() {
        assert_eq!(count_lines(b"", 10), 0);
        assert_eq!(count_lines(b"a\n\nb\n", 10), 3);
        assert_eq!(count_lines("0123456789\n0123456789a\n日本日本日本\n".as_bytes(), 10), 1 + 2 + 2);
        assert_eq!(count_lines(b"\x1b[31m01234\x1b[0m56789\n", 10), 1);
    }
}
