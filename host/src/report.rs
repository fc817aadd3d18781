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
pub(crate) struct Failure {
    what: String,
    cause: Option<Box<dyn Error + Send + Sync>>,
    hint: String,
}

/// What to do where this program could not start itself again, as it does for what runs apart.
pub(crate) const ITSELF: &str = "wardroom starts a copy of itself for this: its file must still be there and executable, otherwise install it again";

pub(crate) const FULL: &str = "free some space, or raise the quota; what was there before is unchanged";
pub(crate) const DENIED: &str = "look who owns that folder, and whether it may be written";

/// What mends a file's failure whatever it was wanted for; nothing where that depends.
pub(crate) const fn mends(error: &AppDirError) -> Option<&'static str> {
    match error {
        AppDirError::Full(_) => Some(FULL),
        AppDirError::Denied(_) => Some(DENIED),
        AppDirError::TooManyOpen(_) => Some("close some programs, or raise the limit of open files (ulimit -n)"),
        AppDirError::ReadOnly(_) => Some("leave out --read-only, or look how that disk is mounted"),
        AppDirError::Locked(_) | AppDirError::Unsteady(_) => Some("another process is at it: try again"),
        AppDirError::NotAFolder(_) => Some("name a folder, or move away the file that stands where one has to be"),
        AppDirError::LeadsNowhere(_) => Some("remove the link, or make the file that it leads to"),
        AppDirError::NotUtf8(_) => Some("save that file as UTF-8"),
        AppDirError::NotFound(_)
        | AppDirError::Escapes(_)
        | AppDirError::NotRegular(_)
        | AppDirError::TooLarge { .. }
        | AppDirError::Exists(_)
        | AppDirError::NotIndexed(_)
        | AppDirError::Stopped(_)
        | AppDirError::Io { .. } => None,
    }
}

impl Failure {
    pub(crate) fn new(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { what: what.into(), cause: None, hint: hint.into() }
    }

    /// The hint is of what was tried; a cause that says by itself what mends it has the word.
    pub(crate) fn of(
        what: impl Into<String>,
        cause: impl Error + Send + Sync + 'static,
        hint: impl Into<String>,
    ) -> Self {
        let cause: Box<dyn Error + Send + Sync> = Box::new(cause);
        let hint = cause.downcast_ref().and_then(mends).map_or_else(|| hint.into(), str::to_owned);
        Self { what: what.into(), cause: Some(cause), hint }
    }

    pub(crate) fn advice(&self) -> &str {
        &self.hint
    }

    /// Whoever read our output stopped reading, which is their right.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        let io = self.cause.as_ref().and_then(|cause| cause.downcast_ref::<io::Error>());
        io.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl fmt::Display for Failure {
    /// Without the hint.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.cause {
            Some(cause) => write!(f, "{}: {cause}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

/// `error: …`, with its cause, and `hint: …`.
pub(crate) fn failure(failure: &Failure) {
    // Whatever is quoted in it, these are two lines.
    note(&format!("error: {}\nhint: {}", name(&failure.to_string()), name(&failure.hint)));
}

/// What is done without.
pub(crate) struct Warning {
    /// What it is about, in a word or two.
    pub(crate) what: &'static str,
    pub(crate) detail: String,
    pub(crate) hint: String,
}

/// `warning: …` and `hint: …`.
pub(crate) fn warning(warning: &Warning) {
    let Warning { what, detail, hint } = warning;
    note(&format!("warning: {what} {}\nhint: {}", name(detail), name(hint)));
}

/// A name or a path that lies in the AppDir, as a message has it: on one line, and with nothing that a terminal obeys.
pub(crate) fn name(text: &str) -> String {
    escaped(text, is_obeyed)
}

/// A line on standard error. When that is closed there is nobody to tell.
pub(crate) fn note(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", for_people(line));
}

fn for_people(text: &str) -> String {
    escaped(text, |character| is_obeyed(character) && !matches!(character, '\n' | '\t'))
}

/// What moves a cursor, sets a colour, or turns the direction of what is read.
fn is_obeyed(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn escaped(text: &str, is_obeyed: impl Fn(char) -> bool) -> String {
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
pub(crate) fn line(text: &str) -> Result<(), Failure> {
    let text = if io::stdout().is_terminal() { Cow::Owned(for_people(text)) } else { Cow::Borrowed(text) };
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n"));
    written.map_err(unwritten)
}

/// A document on standard output. A program gets it as it is, a terminal without what it would obey.
pub(crate) fn text(bytes: &[u8]) -> Result<(), Failure> {
    if io::stdout().is_terminal() {
        // The ends of its lines are no orders.
        let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
        return self::bytes(for_people(&text).as_bytes());
    }
    self::bytes(bytes)
}

/// Bytes on standard output, as they are.
pub(crate) fn bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(unwritten)
}

fn unwritten(error: io::Error) -> Failure {
    Failure::of("cannot write", error, "look where standard output goes, and whether there is room")
}
