//! What is wrong in a registry, for whoever can mend it.

use std::fmt;

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
