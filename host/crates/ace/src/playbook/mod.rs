//! The playbook: `AGENTS.md`, read as sections and bullets, and edited in place.
//!
//! Owns: the one grammar of bullets, `[Bullet #ID, helpful:N, harmful:M] content` at the start of a line, and which
//! parts of a document are none: code blocks, comments and front matter.
//! Gives: edits of the text in which every byte is kept that is not a bullet or a counter of the edit.
//! Never: reads or writes a file.

mod blocks;
mod bullet;
mod compare;
mod edit;

use std::ops::Range;

use self::blocks::{Block, BlockEdge, BlockScanner};

pub(crate) use self::bullet::{Bullet, MAX_COUNTER, is_bullet_id};
pub(crate) use self::compare::{differs_in_bullets_only, is_safe_content, may_name_section};
pub(crate) use self::edit::{PlaybookEdit, SectionPolicy, UnknownSection};

/// The section of a bullet above the first heading.
pub(crate) const NO_SECTION: &str = "Unknown";

/// A document that was read.
#[derive(Debug)]
pub(crate) struct Playbook<'t> {
    text: &'t str,
    lines: Vec<Line>,
    sections: Vec<Section>,
    bullets: Vec<Bullet>,
    /// Whether the document ends within code or a comment that nothing closes.
    ends_open: bool,
}

/// A line of the document.
#[derive(Debug)]
struct Line {
    /// Its bytes without the line end.
    content: Range<usize>,
    /// Where the next line begins.
    end: usize,
    kind: LineKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineKind {
    Blank,
    /// The index of the section; `None` for a heading that ends one and begins none.
    Heading(Option<usize>),
    /// The index of the bullet.
    Bullet(usize),
    /// Within a comment, with its first and last line.
    Comment(BlockEdge),
    Code(BlockEdge),
    Other,
}

/// A heading of the second or third level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Section {
    pub(crate) name: String,
    line: usize,
}

impl<'t> Playbook<'t> {
    pub(crate) fn parse(text: &'t str) -> Self {
        let mut playbook =
            Self { text, lines: Vec::new(), sections: Vec::new(), bullets: Vec::new(), ends_open: false };
        let mut scanner = BlockScanner::new(text);
        let (mut start, mut section) = (0, None);
        while start < text.len() {
            let rest = text.get(start..).unwrap_or_default();
            let end = rest.find('\n').map_or(text.len(), |at| start + at + 1);
            let line = text.get(start..end).unwrap_or_default();
            let content = line.strip_suffix('\n').unwrap_or(line);
            let content = content.strip_suffix('\r').unwrap_or(content);
            // A byte order mark belongs to no line.
            let marked = if start == 0 && content.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
            let range = start + marked..start + content.len();
            let content = text.get(range.clone()).unwrap_or_default();
            let kind = match scanner.next_line(content) {
                Block::Comment(edge) => LineKind::Comment(edge),
                Block::Code(edge) => LineKind::Code(edge),
                Block::FrontMatter => LineKind::Other,
                Block::Text if content.trim().is_empty() => LineKind::Blank,
                Block::Text => match heading(content) {
                    Some((2 | 3, name)) => {
                        section = Some(playbook.sections.len());
                        playbook.sections.push(Section { name: name.to_owned(), line: playbook.lines.len() });
                        LineKind::Heading(section)
                    }
                    Some((1, _)) => {
                        section = None;
                        LineKind::Heading(None)
                    }
                    _ => playbook.push_bullet(content, range.start, section),
                },
            };
            playbook.lines.push(Line { content: range, end, kind });
            start = end;
        }
        playbook.ends_open = scanner.ends_open();
        playbook
    }

    fn push_bullet(&mut self, content: &str, start: usize, section: Option<usize>) -> LineKind {
        let name = section.and_then(|at| self.sections.get(at)).map_or(NO_SECTION, |section| &section.name);
        match Bullet::parse(content, self.lines.len(), start, name) {
            Some(bullet) => {
                self.bullets.push(bullet);
                LineKind::Bullet(self.bullets.len() - 1)
            }
            None => LineKind::Other,
        }
    }

    pub(crate) fn sections(&self) -> &[Section] {
        &self.sections
    }

    pub(crate) fn bullets(&self) -> &[Bullet] {
        &self.bullets
    }

    pub(crate) fn into_bullets(self) -> Vec<Bullet> {
        self.bullets
    }
}

/// Returns the level and the name of a heading.
fn heading(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches(' ');
    let level = rest.bytes().take_while(|byte| *byte == b'#').count();
    let name = rest.get(level..)?;
    let is_heading = line.len() - rest.len() <= 3 && (1..=6).contains(&level) && name.starts_with([' ', '\t']);
    if !is_heading {
        return None;
    }
    let name = name.trim();
    // `## Name ##` has the name `Name`.
    let closed = name.trim_end_matches('#');
    Some((level, if closed.is_empty() || closed.ends_with([' ', '\t']) { closed.trim_end() } else { name }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, u64, u64, &str, &str)]) {
        let playbook = Playbook::parse(text);
        let found: Vec<_> = playbook
            .bullets()
            .iter()
            .map(|b| (b.id.as_str(), b.helpful, b.harmful, b.section.as_str(), b.content.as_str()))
            .collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn bullet_is_read_in_every_spelling() {
        check(
            "[Bullet #0, helpful:0, harmful:0] above\n## A\n[Bullet #ab12, helpful:1, harmful:2] one\n### B ###\r\n- [Bullet \
             #test-001, helpful:0, harmful:0, Aggregated from 3 instances] two\r\n  * [Bullet #x.Y_z,helpful:3,harmful:4]   \
             three\n# Title\n[Bullet #late, helpful:0, harmful:0]\n",
            &[
                ("0", 0, 0, NO_SECTION, "above"),
                ("ab12", 1, 2, "A", "one"),
                ("test-001", 0, 0, "B", "two"),
                ("x.Y_z", 3, 4, "B", "three"),
                ("late", 0, 0, NO_SECTION, ""),
            ],
        );
    }

    #[test]
    fn code_comments_and_front_matter_have_no_bullets() {
        let line = "[Bullet #a, helpful:0, harmful:0] x";
        for hidden in [
            format!("---\n{line}\n---\n"),
            format!("\u{feff}---\r\n{line}\r\n...\r\n"),
            format!("```\n{line}\n```\n"),
            format!("~~~~ text\n{line}\n~~~\n{line}\n~~~~\n"),
            format!("- item\n    ```\n    {line}\n    ```\n"),
            format!("<!--\n{line}\n-->\n"),
            format!("<!-- {line} -->\n"),
            format!("```\n{line}\n"),
            format!("text {line}\n"),
        ] {
            check(&hidden, &[]);
        }
        for shown in [
            format!("---\n{line}\n"),
            format!("<!-- c -->\n{line}\n"),
            format!("``` a`b\n{line}\n"),
            format!("text\n---\n{line}\n---\n"),
            format!("\u{feff}{line}"),
        ] {
            check(&shown, &[("a", 0, 0, NO_SECTION, "x")]);
        }
    }

    #[test]
    fn malformed_bullet_is_prose() {
        for line in [
            "[Bullet #a b, helpful:0, harmful:0] x",
            "[Bullet #, helpful:0, harmful:0] x",
            "[Bullet #a, helpful:-1, harmful:0] x",
            "[Bullet #a, helpful:99999999999999999999, harmful:0] x",
            "[Bullet #a, helpful:0] x",
            "[Bullet #a, helpful:0, harmful:0 x",
            "[Bullet #a, helpful:0, harmful:0]x",
            "[bullet #a, helpful:0, harmful:0] x",
            "> [Bullet #a, helpful:0, harmful:0] x",
        ] {
            check(line, &[]);
        }
    }
}
