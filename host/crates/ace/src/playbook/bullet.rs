//! A bullet: its grammar, and where its counters stand.
//!
//! Owns: `[- ][Bullet #ID, helpful:N, harmful:M, …] content`, with blanks where people put them.
//! Never: accepts a bullet that begins within a line.

use std::ops::Range;

use crate::limits::MAX_ID_CHARS;

/// Digits of a counter. More would not fit its type.
const MAX_COUNTER_DIGITS: usize = 18;
/// The greatest counter.
pub(crate) const MAX_COUNTER: u64 = 999_999_999_999_999_999;

/// A bullet of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bullet {
    pub(crate) id: String,
    pub(crate) helpful: u64,
    pub(crate) harmful: u64,
    /// The text as it is in the file.
    pub(crate) content: String,
    pub(crate) section: String,
    /// Where the digits of the counters stand in the document.
    pub(super) helpful_at: Range<usize>,
    pub(super) harmful_at: Range<usize>,
    /// Where the content stands.
    pub(super) content_at: Range<usize>,
    /// Whether a list item's mark stands before it.
    pub(super) mark: Option<char>,
    /// The number of its line.
    pub(super) line: usize,
}

impl Bullet {
    /// Reads the line with this number, which begins at `start` of the document.
    pub(super) fn parse(line: &str, number: usize, start: usize, section: &str) -> Option<Self> {
        let mut cursor = Cursor { line, at: 0 };
        cursor.skip_blanks();
        let mark = ['-', '*'].into_iter().find(|mark| cursor.eat_char(*mark));
        if mark.is_some() && cursor.skip_blanks() == 0 {
            return None;
        }
        cursor.eat("[Bullet")?;
        if cursor.skip_blanks() == 0 {
            return None;
        }
        cursor.eat("#")?;
        let id = cursor.take_while(|c| !matches!(c, ',' | ']') && !c.is_whitespace());
        let id = line.get(id).filter(|id| is_bullet_id(id))?.to_owned();
        let helpful_at = cursor.counter("helpful:")?;
        let harmful_at = cursor.counter("harmful:")?;
        // Attributes, such as `Aggregated from 3 instances`.
        cursor.skip_blanks();
        if cursor.eat(",").is_some() {
            cursor.take_while(|c| !matches!(c, '[' | ']'));
        }
        cursor.eat("]")?;
        let is_separated = cursor.skip_blanks() > 0 || cursor.rest().is_empty();
        let content = cursor.rest().trim_end();
        let content_at = start + cursor.at..start + cursor.at + content.len();
        let value = |range: &Range<usize>| line.get(range.clone())?.parse().ok();
        Some(Self {
            helpful: value(&helpful_at)?,
            harmful: value(&harmful_at)?,
            content: is_separated.then(|| content.to_owned())?,
            section: section.to_owned(),
            helpful_at: start + helpful_at.start..start + helpful_at.end,
            harmful_at: start + harmful_at.start..start + harmful_at.end,
            content_at,
            id,
            mark,
            line: number,
        })
    }

    /// The number of its line in the document.
    pub(crate) const fn line_number(&self) -> usize {
        self.line
    }

    /// The whole bullet in its canonical form.
    pub(crate) fn line(id: &str, content: &str) -> String {
        Self::line_with_counters(id, 0, 0, content)
    }

    /// The same with counters.
    pub(crate) fn line_with_counters(id: &str, helpful: u64, harmful: u64, content: &str) -> String {
        format!("[Bullet #{id}, helpful:{helpful}, harmful:{harmful}] {content}")
    }
}

/// Whether a text is the id of a bullet.
pub(crate) fn is_bullet_id(text: &str) -> bool {
    let is_id_byte = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    !text.is_empty() && text.len() <= MAX_ID_CHARS && text.bytes().all(is_id_byte)
}

struct Cursor<'l> {
    line: &'l str,
    at: usize,
}

impl<'l> Cursor<'l> {
    fn rest(&self) -> &'l str {
        self.line.get(self.at..).unwrap_or_default()
    }

    fn eat(&mut self, text: &str) -> Option<()> {
        self.rest().starts_with(text).then(|| self.at += text.len())
    }

    fn eat_char(&mut self, c: char) -> bool {
        let is_next = self.rest().starts_with(c);
        self.at += if is_next { c.len_utf8() } else { 0 };
        is_next
    }

    fn skip_blanks(&mut self) -> usize {
        self.take_while(|c| matches!(c, ' ' | '\t')).len()
    }

    fn take_while(&mut self, mut is_part: impl FnMut(char) -> bool) -> Range<usize> {
        let rest = self.rest();
        let len = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let start = self.at;
        self.at += len;
        start..self.at
    }

    /// Reads `, name:digits`.
    fn counter(&mut self, name: &str) -> Option<Range<usize>> {
        self.skip_blanks();
        self.eat(",")?;
        self.skip_blanks();
        self.eat(name)?;
        self.skip_blanks();
        let digits = self.take_while(|c| c.is_ascii_digit());
        (1..=MAX_COUNTER_DIGITS).contains(&digits.len()).then_some(digits)
    }
}
