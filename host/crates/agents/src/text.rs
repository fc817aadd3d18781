//! Text edits that preserve the byte order mark, the line endings and the last line's newline.
//!
//! Never: interprets the text.

/// A text's byte order mark, line ending, and whether its last line is terminated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TextStyle {
    pub(super) bom: &'static str,
    pub(super) eol: &'static str,
    pub(super) ends_with_newline: bool,
}

const BOM: &str = "\u{feff}";

/// Splits a text into its style and its body.
pub(super) fn split_style(text: &str) -> (TextStyle, &str) {
    let (mark, body) = text.strip_prefix(BOM).map_or(("", text), |body| (BOM, body));
    // In a text with both line endings, new lines get the one that most lines have.
    let (lines, with_return) = (body.matches('\n').count(), body.matches("\r\n").count());
    let eol = if with_return > lines - with_return { "\r\n" } else { "\n" };
    // A blank text counts as terminated, as most files are.
    let ends_line = body.trim().is_empty() || body.ends_with('\n');
    (TextStyle { bom: mark, eol, ends_with_newline: ends_line }, body)
}

/// A byte range of a text, and its replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Splice {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) text: String,
}

impl Splice {
    pub(super) fn insertion(position: usize, text: impl Into<String>) -> Self {
        Self { start: position, end: position, text: text.into() }
    }

    pub(super) fn replacement(start: usize, end: usize, text: impl Into<String>) -> Self {
        Self { start, end, text: text.into() }
    }
}

/// Applies splices; only deletions may overlap. Returns `None` if others do, or a splice does not fit the text.
pub(super) fn apply_splices(text: &str, mut splices: Vec<Splice>) -> Option<String> {
    splices.sort_by_key(|splice| (splice.start, splice.end));
    let (mut out, mut at) = (String::with_capacity(text.len() + 256), 0);
    for splice in &splices {
        let start = if splice.text.is_empty() { splice.start.max(at) } else { splice.start };
        out.push_str(text.get(at..start)?);
        out.push_str(&splice.text);
        at = splice.end.max(at);
    }
    out.push_str(text.get(at..)?);
    Some(out)
}

/// Returns the line number of a position, from 1.
pub(super) fn line_number(text: &str, position: usize) -> usize {
    text.bytes().take(position).filter(|byte| *byte == b'\n').count() + 1
}

/// Returns the start of the line of a position.
pub(super) fn line_start(text: &str, position: usize) -> usize {
    text.get(..position).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1)
}

/// Returns the start of the line after a position, or the end of the text.
pub(super) fn next_line_start(text: &str, position: usize) -> usize {
    text.get(position..).and_then(|after| after.find('\n')).map_or(text.len(), |newline| position + newline + 1)
}

/// Removes the lines of a range as they may have been inserted: with the preceding newline if that equals `eol`, else
/// with their own.
pub(super) fn remove_lines(text: &str, start: usize, end: usize, eol: &str) -> Splice {
    let (start, end) = (line_start(text, start), next_line_start(text, end));
    let end_before = |position: usize| match text.get(..position) {
        Some(before) if before.ends_with("\r\n") => 2,
        Some(before) if before.ends_with('\n') => 1,
        _ => 0,
    };
    let (before, own) = (end_before(start), end_before(end));
    let moved = if before == eol.len() && own > 0 { (before, own) } else { (0, 0) };
    Splice::replacement(start - moved.0, end - moved.1, "")
}

/// Returns the indentation of the line of a position.
pub(super) fn indent_of(text: &str, position: usize) -> &str {
    let line = text.get(line_start(text, position)..).unwrap_or_default();
    let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
    line.get(..blanks).unwrap_or_default()
}

pub(super) fn is_blank(text: &str, start: usize, end: usize) -> bool {
    text.get(start..end).is_some_and(|between| between.trim().is_empty())
}
