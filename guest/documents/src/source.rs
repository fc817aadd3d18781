//! A source, split into its front matter and its body.
//!
//! Owns: the delimiters, and where each part begins. They are those of the programs that write such files:
//! - YAML: a first line `---`, closed by the next line `---` or `...`, as in Jekyll.
//! - TOML: a first line `+++`, closed by the next one, as in Hugo.
//! - JSON: an object whose `{` is the first byte, as in Hugo.
//! - YAML in the docstring of a Python script, if the caller reads code.
//!
//! A first line `---` that no line closes is a horizontal rule, as for Jekyll and Astro, unless the next line is a field:
//! then the author forgot the closing line, which is an error, as for Hugo. A first line `---` before a line that begins
//! with `--` is a comment of Lua. Before the first line there may be a byte order mark and nothing else.
//! Never: looks into the front matter, but for the end of a JSON object.

use std::ops::Range;

use crate::error::{ParseError, ReadError};
use crate::limits::{MAX_DEPTH, MAX_FRONT_MATTER_BYTES, MAX_SOURCE_BYTES};
use crate::position::{Lines, to_u32};

const UNCLOSED: &str = "the front matter is never closed: add a line `---` after its last field, or an empty line after \
                        this one if it is a horizontal rule";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    Yaml,
    Toml,
    Json,
}

/// Whether the body is Markdown or code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Contents {
    Post,
    /// A script or template: its front matter may be in a docstring.
    Code,
}

/// A decoded source and its parts, as ranges of bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source<'s> {
    pub(crate) text: &'s str,
    pub(crate) front_matter: Option<Block>,
    pub(crate) body_start: usize,
}

/// Front matter without its delimiters. Of JSON, the braces belong to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) syntax: Syntax,
    pub(crate) range: Range<usize>,
}

impl<'s> Source<'s> {
    pub(crate) fn read(source: &'s [u8], contents: Contents) -> Result<Self, ReadError> {
        let text = decode(source)?;
        split(text, contents).map_err(|error| error.located(text))
    }

    pub(crate) fn body(&self) -> &'s str {
        self.text.get(self.body_start..).unwrap_or_default()
    }

    /// Returns the front matter's characters.
    pub(crate) fn block(&self, block: &Block) -> &'s str {
        self.text.get(block.range.clone()).unwrap_or_default()
    }
}

/// The length of the byte order mark that a text may begin with.
pub(crate) fn bom_length(text: &str) -> usize {
    text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len()
}

pub(crate) fn decode(source: &[u8]) -> Result<&str, ReadError> {
    if source.len() > MAX_SOURCE_BYTES {
        return Err(ReadError::TooLarge(to_u32(MAX_SOURCE_BYTES)));
    }
    std::str::from_utf8(source).map_err(|error| ReadError::NotUtf8(Lines::new(source).locate(error.valid_up_to())))
}

pub(crate) fn split(text: &str, contents: Contents) -> Result<Source<'_>, ParseError> {
    let start = bom_length(text);
    let found = match text.get(start..).unwrap_or_default().as_bytes() {
        [b'-', b'-', b'-', ..] => split_yaml(text, start, text.len())?,
        [b'+', b'+', b'+', ..] => split_toml(text, start)?,
        [b'{', ..] => split_json(text, start)?,
        _ if contents == Contents::Code => split_docstring(text, start)?,
        _ => None,
    };
    let (front_matter, body_start) = found.map_or((None, start), |(block, body)| (Some(block), body));
    if front_matter.as_ref().is_some_and(|block| block.range.len() > MAX_FRONT_MATTER_BYTES) {
        return Err(ParseError::TooMuch("front matter"));
    }
    Ok(Source { text, front_matter, body_start })
}

/// A line of a text: its characters without the break, and where the next one begins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'s> {
    pub(crate) start: usize,
    pub(crate) text: &'s str,
    pub(crate) next: usize,
}

impl Line<'_> {
    pub(crate) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    fn is_delimiter(&self, delimiters: &[&str]) -> bool {
        delimiters.contains(&self.text.trim_end())
    }
}

/// Returns the line that begins at `start`; `None` at the end of the text.
pub(crate) fn line_at(text: &str, start: usize) -> Option<Line<'_>> {
    let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
    let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
    let (line, tail) = rest.split_at(length);
    let skipped = match tail.as_bytes() {
        [b'\r', b'\n', ..] => 2,
        [_, ..] => 1,
        [] => 0,
    };
    Some(Line { start, text: line, next: start + length + skipped })
}

/// Iterates over the lines from `start` on.
pub(crate) fn lines_from(text: &str, start: usize) -> impl Iterator<Item = Line<'_>> {
    std::iter::successors(line_at(text, start), move |line| line_at(text, line.next))
}

fn closing<'s>(text: &'s str, start: usize, delimiters: &[&str]) -> Option<Line<'s>> {
    lines_from(text, start).find(|line| line.is_delimiter(delimiters))
}

/// Splits what begins with a line `---` at `start`, and ends before `end`.
fn split_yaml(text: &str, start: usize, end: usize) -> Result<Option<(Block, usize)>, ParseError> {
    let text = text.get(..end).unwrap_or(text);
    let Some(opening) = line_at(text, start).filter(|line| line.is_delimiter(&["---"])) else { return Ok(None) };
    let first = line_at(text, opening.next);
    if first.is_some_and(|line| line.text.starts_with("--") && !line.is_delimiter(&["---"])) {
        return Ok(None);
    }
    match closing(text, opening.next, &["---", "..."]) {
        Some(line) => Ok(Some((Block { syntax: Syntax::Yaml, range: opening.next..line.start }, line.next))),
        None if first.is_some_and(|line| is_field(line.text)) => Err(ParseError::malformed(start, UNCLOSED)),
        None => Ok(None),
    }
}

fn split_toml(text: &str, start: usize) -> Result<Option<(Block, usize)>, ParseError> {
    let Some(opening) = line_at(text, start).filter(|line| line.is_delimiter(&["+++"])) else { return Ok(None) };
    let Some(line) = closing(text, opening.next, &["+++"]) else {
        let message = "the front matter is never closed: add a line `+++` after its last field";
        return Err(ParseError::malformed(start, message));
    };
    Ok(Some((Block { syntax: Syntax::Toml, range: opening.next..line.start }, line.next)))
}

/// Splits an object at `start`. Shortcodes (`{{`), Liquid (`{%`) and attributes (`{:`) are none: only `"` or `}` follows
/// the `{` of an object.
fn split_json(text: &str, start: usize) -> Result<Option<(Block, usize)>, ParseError> {
    let bytes = text.as_bytes();
    let inside = bytes.iter().skip(start + 1).find(|byte| !byte.is_ascii_whitespace());
    if !matches!(inside, Some(b'"' | b'}')) {
        return Ok(None);
    }
    let (mut depth, mut in_string, mut is_escaped) = (0_usize, false, false);
    for (at, byte) in bytes.iter().enumerate().skip(start) {
        if at - start > MAX_FRONT_MATTER_BYTES {
            return Err(ParseError::TooMuch("front matter"));
        }
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' if depth == MAX_DEPTH => return Err(ParseError::TooDeep { at }),
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 1 => {
                let rest = line_at(text, at + 1).filter(Line::is_blank);
                let body = rest.map_or(at + 1, |line| line.next);
                return Ok(Some((Block { syntax: Syntax::Json, range: start..at + 1 }, body)));
            }
            b'}' | b']' => depth -= 1,
            _ => {}
        }
    }
    Err(ParseError::malformed(start, "the object is never closed: add a `}` after its last field"))
}

/// Splits a Python script that begins with a docstring, perhaps after comments. The body begins after the docstring.
fn split_docstring(text: &str, start: usize) -> Result<Option<(Block, usize)>, ParseError> {
    let is_code = |line: &Line<'_>| !line.is_blank() && !line.text.starts_with('#');
    let Some(first) = lines_from(text, start).find(is_code) else { return Ok(None) };
    let prefix = first.text.len() - first.text.trim_start_matches(['r', 'R', 'u', 'U']).len();
    let quotes = first.text.get(prefix..prefix + 3).filter(|quotes| matches!(*quotes, "\"\"\"" | "'''"));
    let Some(quotes) = quotes else { return Ok(None) };
    let inner = first.start + prefix + quotes.len();
    let Some(length) = text.get(inner..).and_then(|rest| rest.find(quotes)) else { return Ok(None) };
    let end = inner + length;
    let docstring = text.get(..end).unwrap_or_default();
    let Some(opening) = closing(docstring, inner, &["---"]) else { return Ok(None) };
    let Some((block, _)) = split_yaml(text, opening.start, end)? else { return Ok(None) };
    let after = end + quotes.len();
    let body = line_at(text, after).filter(Line::is_blank).map_or(after, |line| line.next);
    Ok(Some((block, body)))
}

/// Whether a line looks like the first one of a table in YAML: `name:` or `name: …`.
fn is_field(line: &str) -> bool {
    let name = line.trim_start_matches(|char: char| char.is_alphanumeric() || matches!(char, '_' | '-'));
    name.len() < line.len()
        && name.strip_prefix(':').is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}

#[cfg(test)]
mod tests;
