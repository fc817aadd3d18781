//! The problems of a registry, for the people who can fix them.

use std::fmt;

use super::entry::RegistryEntry;
use crate::limits::{MAX_REGISTRY_PROBLEM_BYTES, MAX_REGISTRY_PROBLEMS};

/// One problem, with its location.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RegistryProblem {
    /// The path of the file below the AppDir, or below the mount's name.
    pub file: String,
    /// The line, from 1; 0 for the whole file.
    pub line: u64,
    pub severity: Severity,
    pub message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The entry is not offered.
    Error,
    /// The entry is offered, without the part that the problem is about.
    Warning,
}

/// The problems of one scan, up to the limit.
#[derive(Default)]
pub(super) struct ProblemList(Vec<RegistryProblem>);

impl ProblemList {
    pub(super) fn push(&mut self, problem: RegistryProblem) {
        if self.0.len() < MAX_REGISTRY_PROBLEMS {
            self.0.push(RegistryProblem { message: truncate_message(problem.message), ..problem });
        }
    }

    pub(super) fn error(&mut self, entry: &RegistryEntry, message: &str) {
        let (file, severity) = (entry.file.clone(), Severity::Error);
        self.push(RegistryProblem { file, line: entry.line, severity, message: format!("{}: {message}", entry.name) });
    }

    pub(super) fn warn(&mut self, entry: &RegistryEntry, line: u64, message: &str) {
        let (file, severity) = (entry.file.clone(), Severity::Warning);
        self.push(RegistryProblem { file, line, severity, message: format!("{}: {message}", entry.name) });
    }

    pub(super) fn into_sorted(mut self) -> Vec<RegistryProblem> {
        self.0.sort();
        self.0
    }
}

/// Truncates a message, which may contain names of any length.
pub(super) fn truncate_message(mut message: String) -> String {
    if message.len() > MAX_REGISTRY_PROBLEM_BYTES {
        message.truncate(message.floor_char_boundary(MAX_REGISTRY_PROBLEM_BYTES));
        message.push_str("...");
    }
    message
}

impl fmt::Display for RegistryProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, severity, message } = self;
        let severity = match severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        match line {
            0 => write!(f, "{file}: {severity}: {message}"),
            line => write!(f, "{file}:{line}: {severity}: {message}"),
        }
    }
}
