//! What a person reads: results on standard output, failures and advice on standard error.

use std::error::Error;
use std::fmt;
use std::io::{self, Write};

use crate::appdir::AppDirError;

/// A command that failed: what, why, and what to do about it.
#[derive(Debug)]
pub(super) struct Failure {
    what: String,
    cause: Option<Box<dyn Error + Send + Sync>>,
    hint: Option<String>,
}

impl Failure {
    pub(super) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), cause: None, hint: None }
    }

    pub(super) fn of(what: impl Into<String>, cause: impl Error + Send + Sync + 'static) -> Self {
        let cause: Box<dyn Error + Send + Sync> = Box::new(cause);
        let hint = match cause.downcast_ref() {
            Some(AppDirError::Full(_)) => {
                Some("free some space, or raise the quota; what was there before is unchanged")
            }
            Some(AppDirError::TooManyOpen(_)) => {
                Some("close some programs, or raise the limit of open files (ulimit -n)")
            }
            _ => None,
        };
        Self { what: what.into(), cause: Some(cause), hint: hint.map(str::to_owned) }
    }

    #[must_use]
    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(super) fn advice(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Whoever read our output stopped reading, which is their right.
    pub(super) fn is_broken_pipe(&self) -> bool {
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
pub(super) fn failure(failure: &Failure) {
    note(&format!("error: {failure}"));
    if let Some(hint) = &failure.hint {
        note(&format!("hint: {hint}"));
    }
}

/// What is done without.
pub(super) struct Warning {
    /// What it is about, in a word or two.
    pub(super) what: &'static str,
    pub(super) detail: String,
    pub(super) hint: String,
}

/// `warning: …` and `hint: …`.
pub(super) fn warning(warning: &Warning) {
    let Warning { what, detail, hint } = warning;
    note(&format!("warning: {what} {detail}\nhint: {hint}"));
}

/// A line on standard error. When that is closed there is nobody to tell.
pub(super) fn note(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// A line on standard output.
pub(super) fn line(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n"));
    written.map_err(|error| Failure::of("cannot write", error))
}

/// Bytes on standard output, as they are.
pub(super) fn bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(|error| Failure::of("cannot write", error))
}
