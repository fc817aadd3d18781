//! A text with everything that an editor would notice: its byte order mark, its ends of lines, its last line.
//!
//! Never: knows what the text means.

/// What stands before and between the lines of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TextStyle {
    pub(super) bom: &'static str,
    pub(super) eol: &'static str,
    pub(super) ends_with_newline: bool,
}

const BOM: &str = "\u{feff}";

/// Takes a text apart: what is to be kept of it, and its body.
pub(super) fn split_style(text: &str) -> (TextStyle, &str) {
    let (mark, body) = text.strip_prefix(BOM).map_or(("", text), |body| (BOM, body));
    // Where both kinds are there, what is new has that of most lines.
    let (lines, with_return) = (body.matches('\n').count(), body.matches("\r\n").count());
    let eol = if with_return > lines - with_return { "\r\n" } else { "\n" };
    // A text with nothing in it ends as most files do.
    let ends_line = body.trim().is_empty() || body.ends_with('\n');
    (TextStyle { bom: mark, eol, ends_with_newline: ends_line }, body)
}

/// One piece of a text, by its bytes, and what takes its place.
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

/// Applies splices that do not overlap, but for two that both take away; nothing when they do, or do not fit the text.
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

/// The line that a position is on, from 1.
pub(super) fn line_number(text: &str, position: usize) -> usize {
    text.bytes().take(position).filter(|byte| *byte == b'\n').count() + 1
}

/// Where the line of a position begins.
pub(super) fn line_start(text: &str, position: usize) -> usize {
    text.get(..position).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1)
}

/// Where the line after a position begins, or the text ends.
pub(super) fn next_line_start(text: &str, position: usize) -> usize {
    text.get(position..).and_then(|after| after.find('\n')).map_or(text.len(), |newline| position + newline + 1)
}

/// Takes the lines of a piece away as they may have been put in: with the end of the line before them where that is of this
/// kind, else with their own.
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

/// The blanks that the line of a position begins with.
pub(super) fn indent_of(text: &str, position: usize) -> &str {
    let line = text.get(line_start(text, position)..).unwrap_or_default();
    let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
    line.get(..blanks).unwrap_or_default()
}

pub(super) fn is_blank(text: &str, start: usize, end: usize) -> bool {
    text.get(start..end).is_some_and(|between| between.trim().is_empty())
}
