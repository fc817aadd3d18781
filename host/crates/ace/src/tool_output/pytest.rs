//! pytest, and the tracebacks of Python.
//!
//! Never: counts a test in the summary whose reason was read above it.

use super::place::{Place, is_file};
use super::{LineParser, error};
use crate::trace::ReportedError;

const TOOL: &str = "pytest";

#[derive(Default)]
pub(super) struct PytestParser {
    /// The innermost place that was named, and the reason of a failure whose place may still come.
    place: Option<ReportedError>,
    reason: Option<String>,
    /// Whether a traceback is open, whose last line has the reason.
    is_traceback: bool,
    n_with_reason: usize,
}

impl LineParser for PytestParser {
    fn take(&mut self, line: &str, found: &mut Vec<ReportedError>) -> bool {
        if let Some(reason) = line.strip_prefix("E   ") {
            self.reason.get_or_insert_with(|| reason.trim().to_owned());
            return true;
        }
        if line == "Traceback (most recent call last):" {
            self.finish(found);
            self.is_traceback = true;
            return true;
        }
        if let Some((file, row)) = line.trim_start().strip_prefix("File \"").and_then(traceback_place) {
            self.place = Some(ReportedError { file: file.to_owned(), line: Some(row), ..error("python", "error", "") });
            return true;
        }
        if self.is_traceback {
            if !line.starts_with(char::is_whitespace) && is_exception(line) {
                self.reason = Some(line.trim().to_owned());
                self.finish(found);
            }
            return true;
        }
        if let Some((place, rest)) = Place::parse(line).filter(|(place, _)| place.file.ends_with(".py")) {
            // `tests/test_a.py:7: AssertionError`, `tests/test_a.py:1: in <module>`
            // Linters of Python have this form as well, and say how grave it is.
            let what = rest
                .strip_prefix(": ")
                .filter(|what| !["error:", "warning:", "note:"].iter().any(|level| what.starts_with(level)));
            if let Some(what) = what {
                let mut located = error(TOOL, "error", "");
                place.set(&mut located);
                exception_of(what).unwrap_or_default().clone_into(&mut located.code);
                self.place = Some(located);
                if !what.starts_with("in ") {
                    self.reason.get_or_insert_with(|| what.trim().to_owned());
                    self.finish(found);
                }
                return true;
            }
        }
        if line.starts_with("____") || line.starts_with("====") {
            self.finish(found);
            return true;
        }
        self.take_summary(line, found)
    }

    fn finish(&mut self, found: &mut Vec<ReportedError>) {
        let (place, reason) = (self.place.take(), self.reason.take());
        self.is_traceback = false;
        let Some(reason) = reason else { return };
        let mut failure = place.unwrap_or_else(|| error(TOOL, "error", ""));
        if let Some(class) = exception_of(&reason) {
            class.clone_into(&mut failure.code);
        }
        failure.message = reason;
        self.n_with_reason += 1;
        found.push(failure);
    }
}

impl PytestParser {
    /// Reads `FAILED tests/test_a.py::test_x - AssertionError: assert 1 == 2`.
    fn take_summary(&self, line: &str, found: &mut Vec<ReportedError>) -> bool {
        let rest = ["FAILED ", "ERROR "].iter().find_map(|start| line.strip_prefix(start));
        let Some((test, reason)) = rest.and_then(|rest| rest.split_once(" - ")) else { return false };
        let file = test.split("::").next().unwrap_or_default();
        if !is_file(file) {
            return false;
        }
        if self.n_with_reason == 0 {
            let mut failure = error(TOOL, "error", reason);
            file.clone_into(&mut failure.file);
            exception_of(reason).unwrap_or_default().clone_into(&mut failure.code);
            found.push(failure);
        }
        true
    }
}

/// Reads the rest of `File "a.py", line 3, in f`.
fn traceback_place(rest: &str) -> Option<(&str, f64)> {
    let (file, rest) = rest.split_once("\", line ")?;
    Some((file, super::place::number(rest)?.0))
}

fn is_exception(line: &str) -> bool {
    exception_of(line).is_some()
}

/// Returns the class of an exception: of `ModuleNotFoundError: No module named 'x'`.
fn exception_of(text: &str) -> Option<&str> {
    let class = text.split([':', ' ']).next().unwrap_or_default();
    let is_name = class.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'));
    let ends = ["Error", "Exception", "Warning", "Exit", "Interrupt"];
    (is_name && ends.iter().any(|end| class.ends_with(end))).then_some(class)
}
