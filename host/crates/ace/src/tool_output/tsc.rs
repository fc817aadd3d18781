//! The compiler of TypeScript, with and without its colours.
//!
//! Never: reads what follows a message: the lines of source below it.

use super::place::{Place, is_file, number};
use super::{LineParser, error};
use crate::trace::ReportedError;

pub(super) struct TscParser;

impl LineParser for TscParser {
    fn take(&mut self, line: &str, found: &mut Vec<ReportedError>) -> bool {
        let error = at_parentheses(line).or_else(|| at_colons(line)).or_else(|| without_place(line));
        let is_own = error.is_some();
        found.extend(error);
        is_own
    }
}

/// Reads `src/a.ts(12,5): error TS2307: Cannot find module 'x'.`
fn at_parentheses(line: &str) -> Option<ReportedError> {
    let (place, rest) = line.split_once("): ")?;
    let (file, numbers) = place.rsplit_once('(')?;
    let (row, column) = numbers.split_once(',')?;
    let mut found = message_of(rest)?;
    if !is_file(file) {
        return None;
    }
    file.clone_into(&mut found.file);
    (found.line, found.column) = (Some(number(row)?.0), Some(number(column)?.0));
    Some(found)
}

/// Reads `src/a.ts:12:5 - error TS2307: Cannot find module 'x'.`
fn at_colons(line: &str) -> Option<ReportedError> {
    let (place, rest) = Place::parse(line)?;
    let mut found = message_of(rest.strip_prefix(" - ")?)?;
    place.set(&mut found);
    Some(found)
}

/// Reads `error TS5023: Unknown compiler option 'x'.`
fn without_place(line: &str) -> Option<ReportedError> {
    message_of(line)
}

fn message_of(text: &str) -> Option<ReportedError> {
    let (severity, rest) = ["error", "warning"].iter().find_map(|name| Some((*name, text.strip_prefix(name)?)))?;
    let (code, message) = rest.strip_prefix(' ')?.split_once(": ")?;
    let is_code =
        code.strip_prefix("TS").is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()));
    let mut found = is_code.then(|| error("tsc", severity, message))?;
    code.clone_into(&mut found.code);
    Some(found)
}
