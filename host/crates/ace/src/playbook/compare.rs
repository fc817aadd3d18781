//! The comparison of two versions of a document: whether bullets are all that differs.
//!
//! Owns: what a process that may be in other hands can have written: bullets of one safe line.
//! Never: judges what a bullet says.

use std::collections::HashMap;
use std::ops::Range;

use super::blocks::front_matter_lines;
use super::{Bullet, LineKind, Playbook, SectionPolicy};
use crate::limits::MAX_BULLET_CHARS;
use crate::sanitize::{markdown_text, one_line, unescape_markdown};

/// Longest name of a new section, in characters.
const MAX_SECTION_CHARS: usize = 100;
/// A mark of order.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Whether `after` is `before` with other bullets: every line that belongs to none is there, in the same order and of the
/// same kind, and no other one. New bullets are one line of text that is safe in Markdown; the lines that continue a
/// bullet are those that continued it before. Where sections may be made, they stand at the end.
pub(crate) fn differs_in_bullets_only(before: &str, after: &str, policy: SectionPolicy) -> bool {
    let has_mark = |text: &str| text.starts_with(BYTE_ORDER_MARK);
    if has_mark(before) != has_mark(after) || front_matter_lines(before) != front_matter_lines(after) {
        return false;
    }
    let (before, after) = (Playbook::parse(before), Playbook::parse(after));
    let known = KnownBullets::new(&before);
    after.bullets.iter().all(|bullet| known.allows(&after, bullet)) && has_same_frame(&before, &after, policy)
}

fn has_same_frame(before: &Playbook<'_>, after: &Playbook<'_>, policy: SectionPolicy) -> bool {
    let mut kept = before.frame().peekable();
    let mut is_behind_bullet = false;
    for (at, line) in after.frame_lines() {
        let Some(line) = line else {
            is_behind_bullet = true;
            continue;
        };
        let is_kept = kept.next_if(|known| known.is_same_as(&line)).is_some();
        // Under a line of `=` or `-` a bullet would be a heading, and a document that begins with one of `-` has front matter.
        let is_gap = (is_behind_bullet || at == 0) && line.kind == FrameKind::Blank && after.is_underline(at + 1);
        let is_new_section = policy == SectionPolicy::Create && kept.peek().is_none() && line.may_begin_section();
        if !is_kept && !is_gap && !is_new_section {
            return false;
        }
        is_behind_bullet = false;
    }
    kept.next().is_none()
}

/// A line that belongs to no bullet.
#[derive(Debug)]
struct FrameLine<'t> {
    kind: FrameKind,
    content: &'t str,
    line_end: &'t str,
    is_last: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FrameKind {
    Blank,
    Heading,
    Comment,
    Code,
    Other,
}

impl FrameLine<'_> {
    /// Whether a line of `before` is this one. Only the end of a document may have no line end, and get or lose one with a
    /// bullet.
    fn is_same_as(&self, after: &FrameLine<'_>) -> bool {
        let has_same_end = self.line_end == after.line_end
            || self.is_last && after.line_end.starts_with(self.line_end)
            || after.is_last && after.line_end.is_empty();
        self.kind == after.kind && self.content == after.content && has_same_end
    }

    /// Whether the line may be the heading of a new section, or stand before it.
    fn may_begin_section(&self) -> bool {
        match self.kind {
            FrameKind::Blank => self.content.is_empty(),
            FrameKind::Heading => self.content.strip_prefix("### ").is_some_and(may_name_section),
            FrameKind::Comment | FrameKind::Code | FrameKind::Other => false,
        }
    }
}

/// The bullets of a document, by their ids.
struct KnownBullets<'p, 't> {
    playbook: &'p Playbook<'t>,
    by_id: HashMap<&'p str, Vec<&'p Bullet>>,
}

impl<'p, 't> KnownBullets<'p, 't> {
    fn new(playbook: &'p Playbook<'t>) -> Self {
        let mut by_id: HashMap<&str, Vec<&Bullet>> = HashMap::new();
        for bullet in &playbook.bullets {
            by_id.entry(&bullet.id).or_default().push(bullet);
        }
        Self { playbook, by_id }
    }

    /// Whether a bullet of the later document may be there.
    fn allows(&self, after: &Playbook<'_>, bullet: &Bullet) -> bool {
        let (parts, is_safe) = (after.parts(bullet), is_safe_content(&bullet.content));
        let known = self.by_id.get(bullet.id.as_str()).into_iter().flatten();
        let mut known = known.map(|known| (self.playbook.parts(known), &known.content));
        let is_changed = known.any(|(before, content)| before == parts && (is_safe || *content == bullet.content));
        is_changed || is_safe && is_new(after, bullet)
    }
}

/// Whether a bullet is one line in the form of a new one.
fn is_new(after: &Playbook<'_>, bullet: &Bullet) -> bool {
    let text = after.bullet_text(bullet).trim_start_matches(BYTE_ORDER_MARK);
    let line = bullet.mark.and_then(|mark| text.strip_prefix(mark)?.strip_prefix(' ')).unwrap_or(text);
    line == Bullet::line_with_counters(&bullet.id, bullet.helpful, bullet.harmful, &bullet.content)
        && !after.is_underline(bullet.line + 1)
}

/// Whether a section of this name may be created: a short line that means nothing else.
pub(crate) fn may_name_section(name: &str) -> bool {
    let is_plain = |c: char| !matches!(c, '<' | '>' | '[' | ']' | '`' | '\\');
    // `C#` is a name, and `C #` the heading `C`.
    let has_own_marks = name.starts_with('#') || name.contains(" #");
    !name.trim().is_empty()
        && name.chars().all(is_plain)
        && !has_own_marks
        && one_line(name, MAX_SECTION_CHARS) == name.trim()
}

/// Whether a content is one that the sanitiser wrote.
pub(crate) fn is_safe_content(content: &str) -> bool {
    // Escapes count twice.
    markdown_text(&unescape_markdown(content), MAX_BULLET_CHARS) == content
}

impl<'t> Playbook<'t> {
    /// The parts of a bullet that are neither its counters nor its content: what stands before, between and behind them.
    fn parts(&self, bullet: &Bullet) -> [&'t str; 4] {
        let range = self.bullet_range(bullet);
        let get = |range: Range<usize>| self.text.get(range).unwrap_or_default();
        let (helpful, harmful, content) = (&bullet.helpful_at, &bullet.harmful_at, &bullet.content_at);
        [
            get(range.start..helpful.start),
            get(helpful.end..harmful.start),
            get(harmful.end..content.start).trim_end(),
            get(content.end..range.end).trim_end(),
        ]
    }

    /// The lines by their numbers; `None` for those that belong to a bullet.
    fn frame_lines(&self) -> impl Iterator<Item = (usize, Option<FrameLine<'t>>)> {
        let mut ranges = self.bullets.iter().map(|bullet| self.bullet_range(bullet)).peekable();
        self.lines.iter().enumerate().map(move |(at, line)| {
            while ranges.next_if(|range| range.end <= line.content.start).is_some() {}
            let is_of_bullet = ranges.peek().is_some_and(|range| range.start <= line.content.start);
            let kind = match line.kind {
                LineKind::Blank => FrameKind::Blank,
                LineKind::Heading(_) => FrameKind::Heading,
                LineKind::Comment(_) => FrameKind::Comment,
                LineKind::Code(_) => FrameKind::Code,
                LineKind::Other | LineKind::Bullet(_) => FrameKind::Other,
            };
            let content = self.text.get(line.content.clone()).unwrap_or_default();
            let line_end = self.text.get(line.content.end..line.end).unwrap_or_default();
            let frame = FrameLine { kind, content, line_end, is_last: at + 1 == self.lines.len() };
            (at, (!is_of_bullet).then_some(frame))
        })
    }

    fn frame(&self) -> impl Iterator<Item = FrameLine<'t>> {
        self.frame_lines().filter_map(|(_, line)| line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "# T\r\n## A\r\n- [Bullet #a, helpful:0, harmful:0] x\r\n  more\r\n\r\nProse";

    #[test]
    fn bullets_may_come_change_and_go() {
        for after in [
            BEFORE,
            "# T\r\n## A\r\n- [Bullet #a, helpful:1, harmful:0] x\r\n  more\r\n\r\nProse",
            "# T\r\n## A\r\n- [Bullet #a, helpful:0, harmful:0] other\r\n  more\r\n\r\nProse",
            "# T\r\n## A\r\n\r\nProse",
            "# T\r\n## A\r\n\r\nProse\r\n[Bullet #b, helpful:0, harmful:0] y",
            "# T\r\n## A\r\n- [Bullet #a, helpful:0, harmful:0] x\r\n  more\r\n- [Bullet #b, helpful:0, harmful:0] y \
             \\[z\\]\r\n\r\nProse",
        ] {
            assert!(differs_in_bullets_only(BEFORE, after, SectionPolicy::MustExist), "{after:?}");
        }
        let with_section = format!("{BEFORE}\r\n\r\n### B & C\r\n[Bullet #b, helpful:0, harmful:0] y\r\n");
        assert!(differs_in_bullets_only(BEFORE, &with_section, SectionPolicy::Create));
        assert!(!differs_in_bullets_only(BEFORE, &with_section, SectionPolicy::MustExist));
        assert!(differs_in_bullets_only(&format!("{BEFORE}\r"), &with_section, SectionPolicy::Create));
        assert!(!differs_in_bullets_only(&format!("{BEFORE}\n"), &with_section, SectionPolicy::Create));
        let (line, new) = ("## A\n---\n", "## A\n[Bullet #b, helpful:0, harmful:0] y\n\n---\n");
        assert!(differs_in_bullets_only(line, new, SectionPolicy::MustExist));
        assert!(!differs_in_bullets_only(line, &new.replace("\n\n", "\n"), SectionPolicy::MustExist));
        let first = "[Bullet #b, helpful:0, harmful:0] y\n---\nProse\n---\n";
        assert!(differs_in_bullets_only(first, "\n---\nProse\n---\n", SectionPolicy::MustExist));
        assert!(!differs_in_bullets_only(first, "---\nProse\n---\n", SectionPolicy::MustExist));
    }

    #[test]
    fn other_lines_may_not() {
        let bullet = "- [Bullet #a, helpful:0, harmful:0] x\r\n  more\r\n";
        for after in [
            String::new(),
            format!("# T\r\n## A\r\n{bullet}"),
            "# T\n## A\r\n\r\nProse".to_owned(),
            "# T\r\n## A\r\nProse".to_owned(),
            "# T\r\n## A\r\n\r\nProse\r\nObey".to_owned(),
            "## A\r\n# T\r\n\r\nProse".to_owned(),
            "# T\r\n## A\r\n<!--\r\n\r\nProse".to_owned(),
            "\u{feff}# T\r\n## A\r\n\r\nProse".to_owned(),
            "# T\r\n## A\r\n\r\n\r\n\r\nProse".to_owned(),
            // Text that makes others hidden, or something else.
            BEFORE.replace("  more", "  ```"),
            BEFORE.replace("  more", "  more\r\n  # Obey"),
            BEFORE.replace("] x", "] x\rObey"),
            BEFORE.replace("] x", "] <!-- x"),
            BEFORE.replace("harmful:0]", "harmful:0, Obey]"),
            BEFORE.replace("Prose", "Prose\r\n[Bullet #b, helpful:0, harmful:0] y\r\n  Obey"),
            BEFORE.replace("Prose", "Prose\r\n[Bullet #b, helpful:0, harmful:0] a\u{202e}b"),
            BEFORE.replace("Prose", "Prose\r\n[Bullet #b, helpful:0, harmful:0, more] y"),
            BEFORE.replace("\r\nProse", "\r\n### New\r\nProse"),
            format!("{BEFORE}\r\n### <b>Obey</b>"),
            format!("{BEFORE}\r\n## Obsolete"),
        ] {
            assert!(!differs_in_bullets_only(BEFORE, &after, SectionPolicy::Create), "{after:?}");
        }
        let front = "---\na: 1\n---\nx\n";
        for after in ["[Bullet #b, helpful:0, harmful:0] y\n---\na: 1\n---\nx\n", "\n---\na: 1\n---\nx\n"] {
            assert!(!differs_in_bullets_only(front, after, SectionPolicy::Create), "{after:?}");
        }
        let title = "Para\n\n===\n";
        assert!(!differs_in_bullets_only(title, "Para\n===\n", SectionPolicy::Create));
    }
}
