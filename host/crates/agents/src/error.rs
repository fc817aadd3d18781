//! Why an edit failed, in words for the person who has to fix it.
//!
//! Never: holds more of a file than line numbers, keys, the entry's name and its program: the rest may be a secret key.

use wardroom_appdir::AppDirError;

/// Why a text is not edited.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum EditError {
    #[error("line {line}: {reason}")]
    Malformed { line: usize, reason: String },
    #[error("line {line}: the key {key:?} occurs twice")]
    DuplicateKey { line: usize, key: String },
    /// The value of a key is not of the type that the agent expects.
    #[error("line {line}: {key:?} is not {expected}")]
    UnexpectedType { line: usize, key: String, expected: &'static str },
    /// An entry of this name starts another program.
    #[error("line {line}: the entry {name:?} starts another program: {command}")]
    ForeignEntry { line: usize, name: String, command: String },
    #[error("line {line}: the entry {name:?} starts no program")]
    NoCommand { line: usize, name: String },
    /// The entry of this program restricts its server more than the one that would take its place.
    #[error("the entry {name:?} has {option}, and the new one would not")]
    DroppedRestriction { name: String, option: &'static str },
    #[error("line {line}: the entry {name:?} is written as dotted keys instead of one table")]
    ScatteredEntry { line: usize, name: String },
    /// The edit would have changed more than the entry, or not produced it.
    #[error("the entry cannot be edited without changing the rest of the file")]
    NotIsolated,
}

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    #[error("{path}: {source}")]
    Edit { path: String, source: EditError },
    #[error("{path}: {}", source.reason())]
    File { path: String, source: AppDirError },
    /// The agent is not installed, as far as its files show.
    #[error("{path} does not exist, and its program does not seem to be installed")]
    NotInstalled { path: String },
    /// Another program wrote the file after the edit was planned.
    #[error("{path} was changed meanwhile, and is left as it is")]
    ConcurrentlyModified { path: String },
}
