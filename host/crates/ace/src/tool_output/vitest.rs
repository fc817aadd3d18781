//! Vitest, and Jest, whose failed tests look much alike.
//!
//! Never: counts a test that failed twice: in the list, and with its reason.

use super::place::Place;
use super::{LineParser, error};
use crate::trace::ReportedError;

#[derive(Default)]
pub(super) struct VitestParser {
    /// The failed test that is open, and whether its reason was read.
    open: Option<(ReportedError, bool)>,
}

impl LineParser for VitestParser {
    fn take(&mut self, line: &str, found: &mut Vec<ReportedError>) -> bool {
        let text = line.trim_start();
        if let Some((file, name)) = failed_test(line) {
            self.finish(found);
            let mut test = error("vitest", "error", name);
            file.clone_into(&mut test.file);
            self.open = Some((test, false));
            return true;
        }
        let Some((test, has_reason)) = &mut self.open else { return false };
        if !*has_reason && is_reason(text) {
            text.trim_end().clone_into(&mut test.message);
            *has_reason = true;
            return true;
        }
        let place = text.strip_prefix("❯ ").or_else(|| text.strip_prefix("at "));
        let Some(place) = place.filter(|_| *has_reason) else { return false };
        // `❯ src/a.test.ts:5:14`, `at Object.<anonymous> (src/a.test.ts:5:14)`
        let place = place.rsplit_once('(').map_or(place, |(_, inner)| inner.trim_end_matches(')'));
        if let Some((place, _)) = Place::parse(place).filter(|(place, _)| !place.file.contains("node_modules")) {
            place.set(test);
            self.finish(found);
        }
        true
    }

    fn finish(&mut self, found: &mut Vec<ReportedError>) {
        found.extend(self.open.take().map(|(test, _)| test));
    }
}

/// Reads ` FAIL  src/a.test.ts > suite > name`, which may name a project before the file.
fn failed_test(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix("FAIL ")?.trim();
    let rest = match rest.strip_prefix('|') {
        Some(project) => project.split_once('|')?.1.trim(),
        None => rest,
    };
    let (file, name) = rest.split_once(" > ").unwrap_or((rest, rest));
    let file = file.split(' ').next().unwrap_or_default();
    super::place::is_file(file).then_some((file, name))
}

/// Whether a line says why: `AssertionError: expected 1 to be 2`.
fn is_reason(text: &str) -> bool {
    text.split_once(": ").is_some_and(|(class, _)| {
        class.ends_with("Error") && class.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'))
    })
}
