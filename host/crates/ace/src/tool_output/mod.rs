//! The errors in what a build, a test or a lint printed.
//!
//! Owns: which parser reads which lines: each of them knows the marks of its tool, so that a script that runs several
//! tools is read as well as one that runs one.
//! Never: runs a command, or takes the text of an error for more than text.

mod eslint;
mod located;
mod place;
mod pytest;
mod rustc;
mod tsc;
mod vitest;

use std::collections::HashSet;

use crate::limits::{MAX_PARSED_ERRORS, MAX_PARSED_LINE_BYTES};
use crate::sanitize::without_escapes;
use crate::trace::ReportedError;

/// Reads lines, one at a time.
trait LineParser {
    /// Takes a line, and adds the errors that end with it. Returns whether the line is one of its tool, which no other
    /// parser needs to see.
    fn take(&mut self, line: &str, found: &mut Vec<ReportedError>) -> bool;

    /// Adds what is still open when the text ends.
    fn finish(&mut self, found: &mut Vec<ReportedError>) {
        let _ = found;
    }
}

/// Returns the errors and warnings in the output of a command, in its order, each once.
pub(crate) fn parse(output: &str) -> Vec<ReportedError> {
    let mut parsers: [Box<dyn LineParser>; 6] = [
        Box::<rustc::RustcParser>::default(),
        Box::new(tsc::TscParser),
        Box::<eslint::EslintParser>::default(),
        Box::<vitest::VitestParser>::default(),
        Box::<pytest::PytestParser>::default(),
        Box::new(located::LocatedParser),
    ];
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    for line in output.lines() {
        // What is longer was made by a program for a program.
        if line.len() > MAX_PARSED_LINE_BYTES && !line.starts_with('{') {
            continue;
        }
        let line = without_escapes(line);
        for parser in &mut parsers {
            if parser.take(&line, &mut found) {
                break;
            }
        }
    }
    parsers.iter_mut().for_each(|parser| parser.finish(&mut found));
    found.retain(|error| seen.insert((error.file.clone(), error.line.map(f64::to_bits), error.message.clone())));
    found.truncate(MAX_PARSED_ERRORS);
    found
}

/// Creates an error of a tool.
fn error(tool: &str, severity: &str, message: &str) -> ReportedError {
    ReportedError {
        tool: tool.to_owned(),
        severity: severity.to_owned(),
        message: message.trim().to_owned(),
        ..ReportedError::default()
    }
}

#[cfg(test)]
mod tests;
