//! What is wrong in a registry, for whoever can mend it.

use std::fmt;

use super::entry::RegistryEntry;
use crate::limits::{MAX_REGISTRY_PROBLEM_BYTES, MAX_REGISTRY_PROBLEMS};

/// One finding, with its place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RegistryProblem {
    /// As it is called below the AppDir, or by the mount's name.
    pub file: String,
    /// From 1; 0 where it is the whole file.
    pub line: u64,
    pub severity: Severity,
    pub message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The entry is not there.
    Error,
    /// It is there, without what this is about.
    Warning,
}

/// Those of a whole look, as many as are kept.
#[derive(Default)]
pub(super) struct ProblemList(Vec<RegistryProblem>);

impl ProblemList {
    pub(super) fn push(&mut self, problem: RegistryProblem) {
        if self.0.len() < MAX_REGISTRY_PROBLEMS {
            self.0.push(RegistryProblem { message: truncate_message(problem.message), ..problem });
        }
    }

    pub(super) fn error(&mut self, entry: &RegistryEntry, message: &str) {
        let (file, gravity) = (entry.file.clone(), Severity::Error);
        self.push(RegistryProblem {
            file,
            line: entry.line,
            severity: gravity,
            message: format!("{}: {message}", entry.name),
        });
    }

    pub(super) fn warn(&mut self, entry: &RegistryEntry, line: u64, message: &str) {
        let (file, gravity) = (entry.file.clone(), Severity::Warning);
        self.push(RegistryProblem { file, line, severity: gravity, message: format!("{}: {message}", entry.name) });
    }

    pub(super) fn into_sorted(mut self) -> Vec<RegistryProblem> {
        self.0.sort();
        self.0
    }
}

/// The beginning of a message: names of any length stand in it.
pub(super) fn truncate_message(mut message: String) -> String {
    if message.len() > MAX_REGISTRY_PROBLEM_BYTES {
        message.truncate(message.floor_char_boundary(MAX_REGISTRY_PROBLEM_BYTES));
        message.push_str("...");
    }
    message
}

impl fmt::Display for RegistryProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, severity: gravity, message } = self;
        let gravity = match gravity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        match line {
            0 => write!(f, "{file}: {gravity}: {message}"),
            line => write!(f, "{file}:{line}: {gravity}: {message}"),
        }
    }
}
