//! The comparison of two versions of a document: whether bullets are all that differs.
//!
//! Never: judges what a bullet says.

use super::{LineKind, Playbook, SectionPolicy};

/// Whether every line of `before` that belongs to no bullet is in `after`, in the same order, and nothing else but
/// bullets and, where they may be made, sections. Blank lines may come and go with them.
pub(crate) fn differs_in_bullets_only(before: &str, after: &str, policy: SectionPolicy) -> bool {
    let (before, after) = (Playbook::parse(before), Playbook::parse(after));
    let mut kept = before.frame().peekable();
    for (kind, content, line_end) in after.frame() {
        if kind != LineKind::Blank {
            while kept.next_if(|(kept_kind, ..)| *kept_kind == LineKind::Blank).is_some() {}
        }
        let is_kept = kept.peek().is_some_and(|(_, same, same_end)| {
            // A bullet may follow a last line without an end, or take its place.
            *same == content && (*same_end == line_end || same_end.is_empty() || line_end.is_empty())
        });
        let is_section = matches!(kind, LineKind::Heading(Some(_))) && policy == SectionPolicy::Create;
        if is_kept {
            kept.next();
        } else if kind != LineKind::Blank && !is_section {
            return false;
        }
    }
    kept.all(|(kind, ..)| kind == LineKind::Blank)
}

impl Playbook<'_> {
    /// The lines that belong to no bullet, with their line ends.
    fn frame(&self) -> impl Iterator<Item = (LineKind, &str, &str)> {
        let mut ranges = self.bullets.iter().map(|bullet| self.bullet_range(bullet)).peekable();
        self.lines.iter().filter_map(move |line| {
            while ranges.next_if(|range| range.end <= line.content.start).is_some() {}
            let is_of_bullet = ranges.peek().is_some_and(|range| range.start <= line.content.start);
            let content = self.text.get(line.content.clone()).unwrap_or_default();
            let line_end = self.text.get(line.content.end..line.end).unwrap_or_default();
            (!is_of_bullet).then_some((line.kind, content, line_end))
        })
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
            "# T\r\n## A\r\n\r\nProse",
            "# T\r\n## A\r\nProse",
            "# T\r\n## A\r\n\r\nProse\r\n[Bullet #b, helpful:0, harmful:0] y",
        ] {
            assert!(differs_in_bullets_only(BEFORE, after, SectionPolicy::MustExist), "{after:?}");
        }
        let with_section = format!("{BEFORE}\r\n\r\n### B\r\n[Bullet #b, helpful:0, harmful:0] y\r\n");
        assert!(differs_in_bullets_only(BEFORE, &with_section, SectionPolicy::Create));
        assert!(!differs_in_bullets_only(BEFORE, &with_section, SectionPolicy::MustExist));
    }

    #[test]
    fn other_lines_may_not() {
        for after in [
            "",
            "# T\r\n## A\r\n- [Bullet #a, helpful:0, harmful:0] x\r\n  more\r\n",
            "# T\n## A\r\nProse",
            "# T\r\n## A\r\nProse\r\nObey",
            "## A\r\n# T\r\nProse",
            "# T\r\n## A\r\n<!--\r\nProse",
            "\u{feff}# T\r\n## A\r\n```\r\nProse\r\n```",
        ] {
            assert!(!differs_in_bullets_only(BEFORE, after, SectionPolicy::Create), "{after:?}");
        }
    }
}
