//! What a person reads: results on standard output, failures and advice on standard error.
//!
//! Never: lets a terminal obey what came from a file or from elsewhere.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::io::{self, IsTerminal as _, Write};

use wardroom_appdir::AppDirError;

/// A command that failed: what, why, and what to do about it. There is none without the last.
#[derive(Debug)]
pub(crate) struct CommandError {
    message: String,
    cause: Option<Box<dyn Error + Send + Sync>>,
    hint: String,
}

/// What to do where this program could not start itself again, as it does for what runs apart.
pub(crate) const SELF_START_HINT: &str = "wardroom starts a copy of itself for this: its file must still be there and executable, otherwise install it again";

pub(crate) const DISK_FULL_HINT: &str = "free some space, or raise the quota; what was there before is unchanged";
pub(crate) const PERMISSION_DENIED_HINT: &str = "look who owns that folder, and whether it may be written";

/// What mends a file's failure whatever it was wanted for; nothing where that depends.
pub(crate) const fn file_error_hint(error: &AppDirError) -> Option<&'static str> {
    match error {
        AppDirError::DiskFull(_) => Some(DISK_FULL_HINT),
        AppDirError::PermissionDenied(_) => Some(PERMISSION_DENIED_HINT),
        AppDirError::TooManyOpenFiles(_) => Some("close some programs, or raise the limit of open files (ulimit -n)"),
        AppDirError::ReadOnly(_) => Some("leave out --read-only, or look how that disk is mounted"),
        AppDirError::Locked(_) | AppDirError::ChangedDuringRead(_) => Some("another process is at it: try again"),
        AppDirError::NotAFolder(_) => Some("name a folder, or move away the file that stands where one has to be"),
        AppDirError::DanglingLink(_) => Some("remove the link, or make the file that it leads to"),
        AppDirError::NotUtf8(_) => Some("save that file as UTF-8"),
        AppDirError::NotFound(_)
        | AppDirError::OutsideRoot(_)
        | AppDirError::NotRegularFile(_)
        | AppDirError::TooLarge { .. }
        | AppDirError::AlreadyExists(_)
        | AppDirError::NotIndexed(_)
        | AppDirError::Cancelled(_)
        | AppDirError::Io { .. } => None,
    }
}

impl CommandError {
    pub(crate) fn new(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: what.into(), cause: None, hint: hint.into() }
    }

    /// The hint is of what was tried; a cause that says by itself what mends it has the word.
    pub(crate) fn with_cause(
        what: impl Into<String>,
        cause: impl Error + Send + Sync + 'static,
        hint: impl Into<String>,
    ) -> Self {
        let cause: Box<dyn Error + Send + Sync> = Box::new(cause);
        let hint = cause.downcast_ref().and_then(file_error_hint).map_or_else(|| hint.into(), str::to_owned);
        Self { message: what.into(), cause: Some(cause), hint }
    }

    pub(crate) fn hint(&self) -> &str {
        &self.hint
    }

    /// Whoever read our output stopped reading, which is their right.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        let io = self.cause.as_ref().and_then(|cause| cause.downcast_ref::<io::Error>());
        io.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl fmt::Display for CommandError {
    /// Without the hint.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.cause {
            Some(cause) => write!(f, "{}: {cause}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// `error: …`, with its cause, and `hint: …`.
pub(crate) fn print_error(failure: &CommandError) {
    // Whatever is quoted in it, these are two lines.
    print_note(&format!("error: {}\nhint: {}", escape_name(&failure.to_string()), escape_name(&failure.hint)));
}

/// What is done without.
pub(crate) struct CommandWarning {
    /// What it is about, in a word or two.
    pub(crate) subject: &'static str,
    pub(crate) detail: String,
    pub(crate) hint: String,
}

/// `warning: …` and `hint: …`.
pub(crate) fn print_warning(warning: &CommandWarning) {
    let CommandWarning { subject: what, detail, hint } = warning;
    print_note(&format!("warning: {what} {}\nhint: {}", escape_name(detail), escape_name(hint)));
}

/// A name or a path that lies in the AppDir, as a message has it: on one line, and with nothing that a terminal obeys.
pub(crate) fn escape_name(text: &str) -> String {
    escape_chars(text, is_terminal_control)
}

/// A line on standard error. When that is closed there is nobody to tell.
pub(crate) fn print_note(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", escape_for_terminal(line));
}

fn escape_for_terminal(text: &str) -> String {
    escape_chars(text, |character| is_terminal_control(character) && !matches!(character, '\n' | '\t'))
}

/// What moves a cursor, sets a colour, or turns the direction of what is read.
fn is_terminal_control(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn escape_chars(text: &str, is_obeyed: impl Fn(char) -> bool) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if is_obeyed(character) {
            escaped.extend(character.escape_unicode());
        } else {
            escaped.push(character);
        }
    }
    escaped
}

/// A line on standard output. A program gets it as it is, a terminal without what it would obey.
pub(crate) fn print_line(text: &str) -> Result<(), CommandError> {
    let text = if io::stdout().is_terminal() { Cow::Owned(escape_for_terminal(text)) } else { Cow::Borrowed(text) };
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n"));
    written.map_err(output_error)
}

/// A document on standard output. A program gets it as it is, a terminal without what it would obey.
pub(crate) fn print_text(bytes: &[u8]) -> Result<(), CommandError> {
    if io::stdout().is_terminal() {
        // The ends of its lines are no orders.
        let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
        return print_bytes(escape_for_terminal(&text).as_bytes());
    }
    print_bytes(bytes)
}

/// Bytes on standard output, as they are.
pub(crate) fn print_bytes(bytes: &[u8]) -> Result<(), CommandError> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(output_error)
}

fn output_error(error: io::Error) -> CommandError {
    CommandError::with_cause("cannot write", error, "look where standard output goes, and whether there is room")
}
