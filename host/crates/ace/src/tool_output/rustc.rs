//! rustc, Cargo and Clippy: JSON messages, the text for people, and panics of tests.
//!
//! Never: counts the summary of errors as one.

use serde::Deserialize;

use super::place::Place;
use super::{LineParser, error};
use crate::trace::ReportedError;

const TOOL: &str = "rustc";
const TEST_TOOL: &str = "cargo-test";

/// What was read of the error that is open.
#[derive(Default)]
pub(super) struct RustcParser {
    open: Option<ReportedError>,
    /// A panic, whose message is in the next line.
    panic: Option<ReportedError>,
}

impl LineParser for RustcParser {
    fn take(&mut self, line: &str, found: &mut Vec<ReportedError>) -> bool {
        if line.starts_with('{') {
            let diagnostic = diagnostic_of(line);
            let is_own = diagnostic.is_some();
            found.extend(diagnostic.and_then(Diagnostic::into_error));
            return is_own;
        }
        if let Some(mut panic) = self.panic.take() {
            panic.message = line.trim().to_owned();
            found.push(panic);
            return true;
        }
        if let Some(panic) = panic_of(line) {
            if panic.message.is_empty() {
                self.panic = Some(panic);
            } else {
                found.push(panic);
            }
            return true;
        }
        if let Some(header) = header_of(line) {
            self.finish(found);
            self.open = Some(header);
            return true;
        }
        let Some(open) = &mut self.open else { return false };
        let text = line.trim_start();
        if let Some((place, _)) = text.strip_prefix("--> ").or_else(|| text.strip_prefix("::: ")).and_then(Place::parse)
        {
            if open.file.is_empty() {
                place.set(open);
            }
            return true;
        }
        // Clippy names its rule at the end.
        if open.code.is_empty()
            && let Some(rule) = clippy_rule(text)
        {
            open.code = format!("clippy::{rule}");
        }
        if line.trim().is_empty() {
            self.finish(found);
        }
        // Lines of source, and notes.
        text.starts_with(['|', '=', '+', '~']) || text.starts_with(|c: char| c.is_ascii_digit()) && text.contains('|')
    }

    fn finish(&mut self, found: &mut Vec<ReportedError>) {
        found.extend(self.open.take());
        found.extend(self.panic.take().filter(|panic| !panic.message.is_empty()));
    }
}

/// Reads `error[E0308]: mismatched types`.
fn header_of(line: &str) -> Option<ReportedError> {
    let (severity, rest) = ["error", "warning"].iter().find_map(|name| Some((*name, line.strip_prefix(name)?)))?;
    let (code, message) = match rest.strip_prefix('[') {
        Some(rest) => rest.split_once("]: ")?,
        None => ("", rest.strip_prefix(": ")?),
    };
    if is_summary(message) {
        return None;
    }
    let mut header = error(TOOL, severity, message);
    code.clone_into(&mut header.code);
    Some(header)
}

fn is_summary(message: &str) -> bool {
    let starts = ["could not compile ", "aborting due to ", "test failed, to rerun ", "build failed, "];
    starts.iter().any(|start| message.starts_with(start))
        || message.contains(" generated ") && message.contains(" warning")
        || message.ends_with(" warnings emitted")
        || message.ends_with(" warning emitted")
        || message.contains("target failed:")
        || message.contains("targets failed:")
}

/// Reads `thread 'name' panicked at src/lib.rs:5:9:`, and the form of older versions with the message in the same line.
fn panic_of(line: &str) -> Option<ReportedError> {
    let (_, rest) = line.strip_prefix("thread '")?.split_once(" panicked at ")?;
    let (message, place) = match rest.strip_prefix('\'') {
        Some(rest) => rest.rsplit_once("', ")?,
        None => ("", rest),
    };
    let mut panic = error(TEST_TOOL, "error", message);
    Place::parse(place)?.0.set(&mut panic);
    Some(panic)
}

fn clippy_rule(text: &str) -> Option<&str> {
    let rule = match text.split_once("rust-clippy/") {
        Some((_, link)) => link.split_once('#')?.1,
        None => text.split_once("(clippy::")?.1.split_once(')')?.0,
    };
    let rule = rule.trim();
    (!rule.is_empty() && rule.chars().all(|c| c.is_ascii_lowercase() || c == '_')).then_some(rule)
}

/// A line of `cargo --message-format=json`, or of `rustc --error-format=json`.
#[derive(Deserialize)]
struct CargoMessage {
    reason: Option<String>,
    message: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Diagnostic {
    message: String,
    level: String,
    code: Option<DiagnosticCode>,
    #[serde(default)]
    spans: Vec<DiagnosticSpan>,
}

#[derive(Deserialize)]
struct DiagnosticCode {
    code: String,
}

#[derive(Deserialize)]
struct DiagnosticSpan {
    file_name: String,
    line_start: f64,
    column_start: f64,
    is_primary: bool,
}

fn diagnostic_of(line: &str) -> Option<Diagnostic> {
    let outer: CargoMessage = serde_json::from_str(line).ok()?;
    match (outer.reason.as_deref(), outer.message) {
        (Some("compiler-message"), Some(message)) => serde_json::from_value(message).ok(),
        (None, Some(_)) => serde_json::from_str(line).ok(),
        _ => None,
    }
}

impl Diagnostic {
    fn into_error(self) -> Option<ReportedError> {
        let severity = match self.level.as_str() {
            "error" | "error: internal compiler error" => "error",
            "warning" => "warning",
            _ => return None,
        };
        if is_summary(&self.message) {
            return None;
        }
        let mut found = error(TOOL, severity, &self.message);
        found.code = self.code.map(|code| code.code).unwrap_or_default();
        if let Some(span) = self.spans.into_iter().find(|span| span.is_primary) {
            (found.file, found.line, found.column) = (span.file_name, Some(span.line_start), Some(span.column_start));
        }
        Some(found)
    }
}
