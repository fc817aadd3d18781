//! Differences between two texts, and the merge of two changes of one text.
//!
//! Owns: that both work by lines, and end in time.
//! Never: changes a line that only one side changed.

use std::collections::VecDeque;

use similar::{Algorithm, ChangeTag, TextDiff};

use crate::limits::{MAX_DIFF_TIME, MAX_DIFFED_LINES, MAX_GIVEN_DIFF_BYTES, MAX_MERGED_LINES};

/// Unchanged lines around a change.
const CONTEXT_LINES: usize = 3;

/// Returns the unified diff of two texts; empty where they are the same.
pub(crate) fn unified_diff(path: &str, before: &str, after: &str) -> String {
    if before == after {
        return String::new();
    }
    let diff = TextDiff::configure().algorithm(Algorithm::Patience).timeout(MAX_DIFF_TIME).diff_lines(before, after);
    let from = if before.is_empty() { "/dev/null".to_owned() } else { format!("a/{path}") };
    diff.unified_diff().context_radius(CONTEXT_LINES).header(&from, &format!("b/{path}")).to_string()
}

/// Merges two changes of a text by lines; `None` where both changed the same lines.
/// Also where so much changed that the comparison could take long.
pub(crate) fn merge_lines(base: &str, theirs: &str, ours: &str) -> Option<String> {
    if changed_lines(base, theirs) > MAX_MERGED_LINES || changed_lines(base, ours) > MAX_MERGED_LINES {
        return None;
    }
    diffy::merge(base, theirs, ours).ok()
}

/// Applies a unified diff to a text.
///
/// # Errors
/// A message that says what is wrong with the diff.
pub(crate) fn apply_diff(base: &str, diff: &str) -> Result<String, String> {
    if diff.len() > MAX_GIVEN_DIFF_BYTES {
        return Err(format!("the diff is larger than {} KiB: give the whole body", MAX_GIVEN_DIFF_BYTES / 1024));
    }
    if base.lines().count() > MAX_DIFFED_LINES {
        return Err(format!("the post has more than {MAX_DIFFED_LINES} lines: give the whole body"));
    }
    let patch = diffy::Patch::from_str(diff).map_err(|error| format!("the diff cannot be read: {error}"))?;
    if patch.hunks().is_empty() {
        return Err(
            "the diff has no part that begins with a line such as '@@ -1,3 +1,4 @@': give a unified diff".to_owned()
        );
    }
    diffy::apply(base, &patch).map_err(|error| format!("the diff does not fit the post: {error}"))
}

/// Gives an edited text, whose lines end in a line feed, the line ends of the text that it was made of. A new line has that of
/// the line which it replaces, or of the line before it.
pub(crate) fn with_line_ends_of(original: &str, edited: String) -> String {
    let lines: Vec<&str> = original.split_inclusive('\n').collect();
    let n_crlf = lines.iter().filter(|line| line.ends_with("\r\n")).count();
    if n_crlf == 0 {
        return edited;
    }
    if n_crlf == original.matches('\n').count() {
        return edited.replace('\n', "\r\n");
    }
    let is_crlf = |at: Option<usize>| at.and_then(|at| lines.get(at)).is_some_and(|line| line.ends_with("\r\n"));
    let plain = original.replace("\r\n", "\n");
    let (before, after): (Vec<&str>, Vec<&str>) =
        (plain.split_inclusive('\n').collect(), edited.split_inclusive('\n').collect());
    let diff = TextDiff::configure().algorithm(Algorithm::Patience).timeout(MAX_DIFF_TIME).diff_slices(&before, &after);
    let (mut text, mut has_crlf) = (String::with_capacity(original.len()), is_crlf(Some(0)));
    // The ends of the lines that are replaced, for the new ones in their order.
    let mut replaced = VecDeque::new();
    for change in diff.iter_all_changes() {
        match change.tag() {
            ChangeTag::Delete if change.value().ends_with('\n') => replaced.push_back(is_crlf(change.old_index())),
            ChangeTag::Delete => {}
            ChangeTag::Insert => has_crlf = replaced.pop_front().unwrap_or(has_crlf),
            ChangeTag::Equal => {
                replaced.clear();
                has_crlf = if change.value().ends_with('\n') { is_crlf(change.old_index()) } else { has_crlf };
            }
        }
        match (change.tag(), change.value().strip_suffix('\n')) {
            (ChangeTag::Delete, _) => {}
            (_, Some(line)) if has_crlf => {
                text.push_str(line);
                text.push_str("\r\n");
            }
            (_, _) => text.push_str(change.value()),
        }
    }
    text
}

/// Returns how many lines there are between the first and the last change of a text.
fn changed_lines(one: &str, other: &str) -> usize {
    let (one, other): (Vec<&str>, Vec<&str>) = (one.lines().collect(), other.lines().collect());
    let same = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let rest = one.len().min(other.len()) - same;
    let same_end = one.iter().rev().zip(other.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    one.len().max(other.len()) - same - same_end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_different_lines_are_merged() {
        let base = "one\ntwo\nthree\nfour\nfive\n";
        let merged = merge_lines(base, "ONE\ntwo\nthree\nfour\nfive\n", "one\ntwo\nthree\nfour\nFIVE\n");
        assert_eq!(merged.as_deref(), Some("ONE\ntwo\nthree\nfour\nFIVE\n"));
        assert_eq!(merge_lines(base, "one\n2\nthree\nfour\nfive\n", "one\nzwei\nthree\nfour\nfive\n"), None);
    }

    #[test]
    fn diff_applies_to_its_base() {
        let (before, after) = ("one\ntwo\nthree\n", "one\nTWO\nthree\nfour\n");
        let diff = unified_diff("a.md", before, after);
        assert!(diff.contains("-two\n+TWO\n"), "{diff}");
        assert_eq!(apply_diff(before, &diff).as_deref(), Ok(after));
        assert!(apply_diff("other\n", &diff).is_err());
        for useless in ["no diff", "", "-two\n+TWO\n", "--- a\n+++ b\n"] {
            assert!(apply_diff(before, useless).is_err(), "{useless}");
        }
        assert_eq!(unified_diff("a.md", before, before), "");
    }
}
