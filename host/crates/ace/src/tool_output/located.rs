//! The form that most other tools have: `file:line:column: error: message`.
//!
//! Never: takes a line for an error that does not say that it is one.

use super::place::Place;
use super::{LineParser, error};
use crate::trace::ReportedError;

pub(super) struct LocatedParser;

impl LineParser for LocatedParser {
    fn take(&mut self, line: &str, found: &mut Vec<ReportedError>) -> bool {
        let Some((place, rest)) = Place::parse(line.trim_start()) else { return false };
        let Some(text) = rest.strip_prefix(':').map(str::trim_start) else { return false };
        let lower = text.get(..16.min(text.len())).unwrap_or(text).to_ascii_lowercase();
        let severity = match lower.as_str() {
            start if start.starts_with("error") || start.starts_with("fatal") => "error",
            start if start.starts_with("warning") => "warning",
            _ => return false,
        };
        let message = text.split_once(": ").map_or(text, |(_, message)| message);
        let mut located = error("compiler", severity, message);
        place.set(&mut located);
        // `[E501]`, `[-Wunused]`
        if let Some((start, code)) = message.strip_suffix(']').and_then(|message| message.rsplit_once(" [")) {
            (located.message, located.code) = (start.trim().to_owned(), code.to_owned());
        }
        found.push(located);
        true
    }
}
