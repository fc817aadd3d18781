//! The text of a body as a reader sees it.
//!
//! Owns: its lines, and the excerpt. The alternative text of a picture belongs to its line, but a line of nothing
//! else is no first paragraph, nor is a line that is one macro or shortcode.
//! Never: knows Markdown or HTML.

use crate::limits::MAX_EXCERPT_CHARS;

/// The part of a document that a line of text comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineKind {
    Paragraph,
    Heading,
    Item,
    Row,
    Code,
}

/// Gathers lines.
#[derive(Debug, Default)]
pub(crate) struct TextBuilder {
    text: String,
    /// Where the current line begins.
    line_start: usize,
    has_pending_space: bool,
    has_words: bool,
    first_paragraph: Option<String>,
    /// The text so far without headings and code, for an excerpt that ends at a mark; only as much as an excerpt needs.
    lead: String,
    marked_lead: Option<String>,
}

impl TextBuilder {
    /// Adds text whose white space means no more than a space.
    pub(crate) fn push(&mut self, text: &str) {
        self.append(text);
        self.has_words |= !text.trim().is_empty();
    }

    /// Adds the alternative text of a picture.
    pub(crate) fn push_alternative(&mut self, text: &str) {
        self.append(text);
    }

    pub(crate) fn push_space(&mut self) {
        self.has_pending_space = true;
    }

    fn append(&mut self, text: &str) {
        self.has_pending_space |= text.starts_with(|char: char| char.is_ascii_whitespace());
        for (index, word) in text.split_ascii_whitespace().enumerate() {
            if (self.has_pending_space || index > 0) && self.text.len() > self.line_start {
                self.text.push(' ');
            }
            self.has_pending_space = false;
            self.text.push_str(word);
        }
        self.has_pending_space |= text.ends_with(|char: char| char.is_ascii_whitespace());
    }

    /// Adds text with line breaks and indentation that count.
    pub(crate) fn push_code(&mut self, text: &str) {
        for (index, line) in text.split('\n').enumerate() {
            if index > 0 {
                self.end_line(LineKind::Code);
            }
            self.text.push_str(line.trim_end_matches('\r'));
        }
    }

    /// Returns the number of bytes of the current line, for `since`.
    pub(crate) fn mark(&self) -> usize {
        self.text.len()
    }

    /// Returns the part of the current line that was added since a mark.
    pub(crate) fn since(&self, mark: usize) -> &str {
        self.text.get(mark.max(self.line_start)..).unwrap_or_default().trim()
    }

    /// Returns the last bytes of the current line, and perhaps a few more.
    pub(crate) fn tail(&self, length: usize) -> &str {
        let start = self.text.floor_char_boundary(self.text.len().saturating_sub(length));
        self.text.get(start.max(self.line_start)..).unwrap_or_default()
    }

    pub(crate) fn line(&self) -> &str {
        self.text.get(self.line_start..).unwrap_or_default().trim()
    }

    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// Ends the current line, unless it is blank.
    pub(crate) fn end_line(&mut self, kind: LineKind) {
        self.has_pending_space = false;
        let has_words = std::mem::take(&mut self.has_words);
        let line = self.text.get(self.line_start..).unwrap_or_default();
        let length = line.trim_end().len();
        if length == 0 {
            self.text.truncate(self.line_start);
            return;
        }
        if kind == LineKind::Paragraph && has_words && self.first_paragraph.is_none() && !is_macro(line.trim()) {
            self.first_paragraph = Some(cut(line.trim()).to_owned());
        }
        if !matches!(kind, LineKind::Heading | LineKind::Code) && has_words {
            extend_lead(&mut self.lead, line);
        }
        self.text.truncate(self.line_start + length);
        self.text.push('\n');
        self.line_start = self.text.len();
    }

    /// Ends the excerpt here (`<!--more-->`). The first such mark counts.
    pub(crate) fn end_excerpt(&mut self) {
        if self.marked_lead.is_none() {
            let mut lead = self.lead.clone();
            extend_lead(&mut lead, self.text.get(self.line_start..).unwrap_or_default());
            self.marked_lead = Some(cut(&lead).to_owned());
        }
    }

    /// Returns the text and the excerpt.
    pub(crate) fn finish(mut self) -> (String, String) {
        self.end_line(LineKind::Paragraph);
        self.text.truncate(self.text.trim_end().len());
        let excerpt = self.marked_lead.filter(|lead| !lead.is_empty()).or(self.first_paragraph).unwrap_or_default();
        (self.text, excerpt)
    }
}

/// Whether a line is one macro or shortcode: `[[gallery]]`, `{{< figure >}}`, `{% include a.html %}`.
fn is_macro(line: &str) -> bool {
    let pairs = [("[[", "]]"), ("{{", "}}"), ("{%", "%}")];
    pairs.iter().any(|(open, close)| {
        let inside = line.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
        inside.is_some_and(|inside| !inside.contains(open))
    })
}

fn extend_lead(lead: &mut String, line: &str) {
    // As many bytes as the characters of an excerpt have at most, and then a word more.
    if lead.len() <= MAX_EXCERPT_CHARS * 8 && !line.trim().is_empty() {
        if !lead.is_empty() {
            lead.push(' ');
        }
        lead.push_str(line.trim());
    }
}

/// Cuts a text after the last word that is within the limit, or within a word that is longer than that.
fn cut(text: &str) -> &str {
    let Some((end, after)) = text.char_indices().nth(MAX_EXCERPT_CHARS) else { return text };
    let within = text.get(..end).unwrap_or_default();
    if after.is_whitespace() {
        return within.trim_end();
    }
    match within.rfind(char::is_whitespace) {
        Some(space) => within.get(..space).unwrap_or_default().trim_end(),
        None => within,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_collapses_across_pieces() {
        let mut text = TextBuilder::default();
        for piece in [" a", "b ", " c", " ", "d", "", "e\n f"] {
            text.push(piece);
        }
        text.push_space();
        text.push("g");
        assert_eq!(text.finish().0, "ab c de f g");
    }

    #[test]
    fn excerpt_is_cut_at_a_word() {
        let words = "word ".repeat(100);
        assert_eq!(cut(&words).chars().count(), 299);
        assert!(cut(&words).ends_with("word"));
        let exact = format!("{} b", "a".repeat(MAX_EXCERPT_CHARS));
        assert_eq!(cut(&exact), "a".repeat(MAX_EXCERPT_CHARS));
        let han = "字".repeat(400);
        assert_eq!(cut(&han).chars().count(), MAX_EXCERPT_CHARS);
        assert_eq!(cut("short"), "short");
    }

    #[test]
    fn code_keeps_its_indentation() {
        let mut text = TextBuilder::default();
        text.push_code("if x:\r\n    y  \n\n");
        text.push_code("  z");
        text.push_code("!\n");
        assert_eq!(text.finish(), ("if x:\n    y\n  z!".into(), String::new()));
    }
}
