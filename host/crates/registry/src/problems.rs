//! What is wrong in a registry, for whoever can mend it.

use std::fmt;

use super::entry::Entry;
use wardroom_base::limits::{MAX_PROBLEM_BYTES, MAX_REGISTRY_PROBLEMS};

/// One finding, with its place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// As it is called below the AppDir, or by the mount's name.
    pub file: String,
    /// From 1; 0 where it is the whole file.
    pub line: u64,
    pub gravity: Gravity,
    pub message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gravity {
    /// The entry is not there.
    Error,
    /// It is there, without what this is about.
    Warning,
}

/// Those of a whole look, as many as are kept.
#[derive(Default)]
pub(super) struct Problems(Vec<Problem>);

impl Problems {
    pub(super) fn push(&mut self, problem: Problem) {
        if self.0.len() < MAX_REGISTRY_PROBLEMS {
            self.0.push(Problem { message: cut(problem.message), ..problem });
        }
    }

    pub(super) fn error(&mut self, entry: &Entry, message: &str) {
        let (file, gravity) = (entry.file.clone(), Gravity::Error);
        self.push(Problem { file, line: entry.line, gravity, message: format!("{}: {message}", entry.name) });
    }

    pub(super) fn warn(&mut self, entry: &Entry, line: u64, message: &str) {
        let (file, gravity) = (entry.file.clone(), Gravity::Warning);
        self.push(Problem { file, line, gravity, message: format!("{}: {message}", entry.name) });
    }

    pub(super) fn sorted(mut self) -> Vec<Problem> {
        self.0.sort();
        self.0
    }
}

/// The beginning of a message: names of any length stand in it.
pub(super) fn cut(mut message: String) -> String {
    if message.len() > MAX_PROBLEM_BYTES {
        message.truncate(message.floor_char_boundary(MAX_PROBLEM_BYTES));
        message.push_str("...");
    }
    message
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, gravity, message } = self;
        let gravity = match gravity {
            Gravity::Error => "error",
            Gravity::Warning => "warning",
        };
        match line {
            0 => write!(f, "{file}: {gravity}: {message}"),
            line => write!(f, "{file}:{line}: {gravity}: {message}"),
        }
    }
}
