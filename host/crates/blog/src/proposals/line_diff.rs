//! The difference of two texts as a page shows it: lines, and the words that changed within them.
//!
//! Owns: that both are found in time. Beyond it lines are shown as changed without marks.
//! Never: makes HTML, or a difference to apply.

use std::time::{Duration, Instant};

use similar::{Algorithm, ChangeTag, TextDiff};

use crate::limits::{MAX_DIFF_TIME, MAX_WORD_DIFF_TIME};

/// Unchanged lines around a change.
const CONTEXT_LINES: usize = 3;

/// Changed lines that stand together, with a few unchanged ones around them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DiffHunk {
    pub(crate) lines: Vec<DiffLine>,
}

/// A line of either text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DiffLine {
    pub(crate) kind: DiffLineKind,
    /// The number of the line, from 1: in the old text for a line that goes, else in the new one.
    pub(crate) number: usize,
    /// The text without its line end.
    pub(crate) parts: Vec<DiffPart>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DiffLineKind {
    Kept,
    Removed,
    Added,
}

/// A part of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DiffPart {
    /// Whether this is what changed within the line.
    pub(crate) is_changed: bool,
    pub(crate) text: String,
}

/// Returns the difference of two texts.
pub(crate) fn line_diff(before: &str, after: &str) -> Vec<DiffHunk> {
    diff_within(before, after, MAX_DIFF_TIME, MAX_WORD_DIFF_TIME)
}

fn diff_within(before: &str, after: &str, line_time: Duration, word_time: Duration) -> Vec<DiffHunk> {
    let diff = TextDiff::configure().algorithm(Algorithm::Patience).timeout(line_time).diff_lines(before, after);
    let deadline = Instant::now() + word_time;
    let ends = LineEnds::of(before, after);
    let mut hunks = Vec::new();
    for group in diff.grouped_ops(CONTEXT_LINES) {
        let mut lines = Vec::new();
        for op in &group {
            // The deadline of the words is one for all lines: past it, no line is compared by its words.
            if Instant::now() < deadline {
                for change in diff.iter_inline_changes_deadline(op, Some(deadline)) {
                    let part = |(is_changed, text): (bool, std::borrow::Cow<'_, str>)| DiffPart {
                        is_changed: is_changed && change.tag() != ChangeTag::Equal,
                        text: without_line_end(&text).to_owned(),
                    };
                    let mut parts: Vec<DiffPart> =
                        change.iter_strings_lossy().map(part).filter(|part| !part.text.is_empty()).collect();
                    let whole: String = change.iter_strings_lossy().map(|(_, text)| text).collect();
                    parts.extend(ends.mark(change.tag(), &whole));
                    lines.push(line(change.tag(), (change.old_index(), change.new_index()), parts));
                }
            } else {
                for change in diff.iter_changes(op) {
                    let text = without_line_end(change.value()).to_owned();
                    let mut parts = vec![DiffPart { is_changed: false, text }];
                    parts.extend(ends.mark(change.tag(), change.value()));
                    lines.push(line(change.tag(), (change.old_index(), change.new_index()), parts));
                }
            }
        }
        hunks.push(DiffHunk { lines });
    }
    hunks
}

/// Which line ends are worth a mark: without one, a line that changes in its end alone would look the same.
struct LineEnds {
    /// Whether some lines end with a carriage return, and some do not.
    are_mixed: bool,
}

impl LineEnds {
    fn of(before: &str, after: &str) -> Self {
        let count = |end: &str| before.matches(end).count() + after.matches(end).count();
        let n_crlf = count("\r\n");
        Self { are_mixed: n_crlf > 0 && n_crlf < count("\n") }
    }

    fn mark(&self, tag: ChangeTag, line: &str) -> Option<DiffPart> {
        let mark = match line {
            _ if tag == ChangeTag::Equal => return None,
            line if !line.ends_with('\n') => "⟨no line end⟩",
            line if self.are_mixed && line.ends_with("\r\n") => "⟨CR⟩",
            _ => return None,
        };
        Some(DiffPart { is_changed: true, text: mark.to_owned() })
    }
}

fn line(tag: ChangeTag, (old, new): (Option<usize>, Option<usize>), parts: Vec<DiffPart>) -> DiffLine {
    let (kind, index) = match tag {
        ChangeTag::Equal => (DiffLineKind::Kept, new),
        ChangeTag::Delete => (DiffLineKind::Removed, old),
        ChangeTag::Insert => (DiffLineKind::Added, new),
    };
    DiffLine { kind, number: index.unwrap_or_default() + 1, parts }
}

fn without_line_end(text: &str) -> &str {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.strip_suffix('\r').unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(hunks: &[DiffHunk]) -> Vec<String> {
        let part = |part: &DiffPart| if part.is_changed { format!("[{}]", part.text) } else { part.text.clone() };
        let sign = |kind| match kind {
            DiffLineKind::Kept => ' ',
            DiffLineKind::Removed => '-',
            DiffLineKind::Added => '+',
        };
        let line = |line: &DiffLine| {
            format!("{}{} {}", line.number, sign(line.kind), line.parts.iter().map(part).collect::<String>())
        };
        hunks.iter().flat_map(|hunk| hunk.lines.iter().map(line)).collect()
    }

    #[test]
    fn changed_words_are_marked() {
        let found = line_diff("one\nthe old house\nthree\n", "one\nthe new house\nthree\nfour");
        assert_eq!(
            written(&found),
            ["1  one", "2- the [old] house", "2+ the [new] house", "3  three", "4+ four[⟨no line end⟩]"]
        );
        assert_eq!(line_diff("same\n", "same\n"), []);
    }

    #[test]
    fn changed_line_end_is_marked() {
        assert_eq!(written(&line_diff("one\n", "one\r\n")), ["1- one", "1+ one[⟨CR⟩]"]);
        assert_eq!(written(&line_diff("one\r\n", "two\r\n")), ["1- [one]", "1+ [two]"]);
    }

    #[test]
    fn distant_changes_are_apart() {
        let before: String = (0..40).map(|number| format!("line {number}\n")).collect();
        let after = before.replace("line 2\n", "line two\n").replace("line 30\n", "line thirty\n");
        assert_eq!(line_diff(&before, &after).len(), 2);
    }

    #[test]
    fn line_is_whole_where_time_is_over() {
        let found = diff_within("the old house\n", "the new house\n", Duration::from_secs(5), Duration::ZERO);
        assert_eq!(written(&found), ["1- the old house", "1+ the new house"]);
    }
}
