//! What is wrong with a file of a blog, for the person who can fix it.
//!
//! Never: stops anything: a problem concerns one file.

use serde::{Deserialize, Serialize};

/// A problem in a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileProblem {
    /// The path of the file in the blog.
    pub path: String,
    /// From 1; 1 for what concerns the whole file.
    pub line: u32,
    /// What is wrong, and what to do about it.
    pub message: String,
    /// Whether the file is left out because of it.
    pub hides_file: bool,
}

impl FileProblem {
    /// Creates a problem because of which the file is left out.
    pub(crate) fn hiding(path: &str, line: u32, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, message: message.into(), hides_file: true }
    }

    /// Creates a problem with a part of the file that is passed over.
    pub(crate) fn minor(path: &str, line: u32, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, message: message.into(), hides_file: false }
    }
}
