//! ESLint: its usual format, in which a file stands above its errors, and its JSON.
//!
//! Never: takes an indented line for an error unless a file stands above it.

use serde::Deserialize;

use super::place::{is_file, number};
use super::{LineParser, error};
use crate::trace::ReportedError;

const TOOL: &str = "eslint";

#[derive(Default)]
pub(super) struct EslintParser {
    /// The file above the lines that follow.
    file: Option<String>,
}

impl LineParser for EslintParser {
    fn take(&mut self, line: &str, found: &mut Vec<ReportedError>) -> bool {
        if line.starts_with("[{\"filePath\"") {
            let files: Vec<LintedFile> = serde_json::from_str(line).unwrap_or_default();
            found.extend(files.into_iter().flat_map(LintedFile::into_errors));
            return true;
        }
        if line.trim().is_empty() {
            self.file = None;
            return false;
        }
        if !line.starts_with(char::is_whitespace) {
            self.file = is_file(line.trim_end()).then(|| line.trim_end().to_owned());
            return false;
        }
        let Some(found_error) = self.file.as_ref().and_then(|file| row(file, line)) else { return false };
        found.push(found_error);
        true
    }
}

/// Reads `  12:5  error  'x' is not defined  no-undef`.
fn row(file: &str, line: &str) -> Option<ReportedError> {
    let (row, rest) = number(line.trim_start())?;
    let (column, rest) = number(rest.strip_prefix(':')?)?;
    let rest = rest.strip_prefix(char::is_whitespace)?.trim_start();
    let (severity, rest) = ["error", "warning"].iter().find_map(|name| Some((*name, rest.strip_prefix(name)?)))?;
    let text = rest.strip_prefix(char::is_whitespace)?.trim();
    // A rule is one word after a gap. A mistake in the syntax has none.
    let (message, rule) = match text.rsplit_once("  ") {
        Some((message, rule)) if !rule.contains(' ') => (message, rule),
        _ => (text, ""),
    };
    let mut found = error(TOOL, severity, message);
    (found.file, found.code) = (file.to_owned(), rule.to_owned());
    (found.line, found.column) = (Some(row), Some(column));
    Some(found)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LintedFile {
    file_path: String,
    messages: Vec<LintMessage>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LintMessage {
    rule_id: Option<String>,
    severity: u8,
    message: String,
    line: Option<f64>,
    column: Option<f64>,
}

impl LintedFile {
    fn into_errors(self) -> impl Iterator<Item = ReportedError> {
        let Self { file_path, messages } = self;
        messages.into_iter().map(move |message| {
            let severity = if message.severity == 2 { "error" } else { "warning" };
            ReportedError {
                file: file_path.clone(),
                line: message.line,
                column: message.column,
                code: message.rule_id.unwrap_or_default(),
                ..error(TOOL, severity, &message.message)
            }
        })
    }
}
