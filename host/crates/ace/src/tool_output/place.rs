//! A place in a file, as tools write it: `src/a.rs:12:5`.
//!
//! Never: takes a time or an address for a place.

use crate::trace::ReportedError;

/// A place, of which the column may be missing.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Place<'t> {
    pub(super) file: &'t str,
    line: f64,
    column: Option<f64>,
}

impl<'t> Place<'t> {
    /// Reads a place at the start of a text, and returns what follows it.
    pub(super) fn parse(text: &'t str) -> Option<(Self, &'t str)> {
        // A drive letter is no file.
        let skipped = if text.get(1..3) == Some(":\\") { 2 } else { 0 };
        let colon = skipped + text.get(skipped..)?.find(':')?;
        let (file, rest) = (text.get(..colon)?, text.get(colon + 1..)?);
        let (line, rest) = number(rest)?;
        let (column, rest) = match rest.strip_prefix(':').and_then(number) {
            Some((column, rest)) => (Some(column), rest),
            None => (None, rest),
        };
        is_file(file).then_some((Self { file, line, column }, rest))
    }

    /// Sets the place of an error.
    pub(super) fn set(&self, error: &mut ReportedError) {
        error.file = self.file.trim_start_matches("./").to_owned();
        (error.line, error.column) = (Some(self.line), self.column);
    }
}

/// Reads digits, and returns what follows them.
pub(super) fn number(text: &str) -> Option<(f64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(end)?;
    Some((digits.parse().ok().filter(|_| digits.len() <= 7)?, rest))
}

/// Whether a text can be the path of a source file: it has a letter, and a name with an extension or a folder.
pub(super) fn is_file(text: &str) -> bool {
    let is_plain =
        !text.contains(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '"' | '\'' | '(' | '<' | '='));
    let name = text.rsplit(['/', '\\']).next().unwrap_or_default();
    let has_extension = name
        .rsplit_once('.')
        .is_some_and(|(stem, extension)| !stem.is_empty() && extension.starts_with(|c: char| c.is_ascii_alphabetic()));
    is_plain && !text.contains("://") && (has_extension || text.contains('/') && !name.is_empty())
}
