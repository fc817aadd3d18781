//! Edits of the playbook in place: new bullets, and other counters.
//!
//! Owns: where a new bullet stands: behind the last bullet of its section, or below the heading and its comments.
//! Never: changes any other byte.

use std::ops::Range;

use super::{BlockEdge, Bullet, LineKind, Playbook};

/// What happens where a bullet's section does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SectionPolicy {
    MustExist,
    /// It is added at the end of the document.
    Create,
}

/// A document has no section of this name.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no section {0}")]
pub(crate) struct UnknownSection(pub(crate) String);

/// Changes of one document, which are applied together.
#[derive(Debug, Default)]
pub(crate) struct PlaybookEdit {
    /// Replaced bytes of the document, and what takes their place.
    splices: Vec<(Range<usize>, String)>,
    /// Sections that do not exist yet, with their bullets.
    new_sections: Vec<(String, Vec<String>)>,
}

impl PlaybookEdit {
    /// Adds a bullet to a section.
    ///
    /// # Errors
    /// When there is no such section, and `policy` allows none to be made.
    pub(crate) fn add_bullet(
        &mut self,
        playbook: &Playbook<'_>,
        section: &str,
        line: &str,
        policy: SectionPolicy,
    ) -> Result<(), UnknownSection> {
        match playbook.find_section(section) {
            Some(index) => {
                let (at, text) = playbook.insertion(index, line);
                self.splices.push((at..at, text));
                Ok(())
            }
            None if policy == SectionPolicy::MustExist => Err(UnknownSection(section.to_owned())),
            None => {
                match self.new_sections.iter_mut().find(|(name, _)| name == section) {
                    Some((_, lines)) => lines.push(line.to_owned()),
                    None => self.new_sections.push((section.to_owned(), vec![line.to_owned()])),
                }
                Ok(())
            }
        }
    }

    /// Sets the counters of a bullet.
    pub(crate) fn set_counters(&mut self, bullet: &Bullet, helpful: u64, harmful: u64) {
        self.splices.push((bullet.helpful_at.clone(), helpful.to_string()));
        self.splices.push((bullet.harmful_at.clone(), harmful.to_string()));
    }

    /// Returns the document with all changes. Bullets that were added to one section stand in the order in which they
    /// were added.
    pub(crate) fn apply(mut self, playbook: &Playbook<'_>) -> String {
        let text = playbook.text;
        self.splices.sort_by_key(|(range, _)| (range.start, range.end));
        let mut edited = String::with_capacity(text.len() + 1024);
        let mut at = 0;
        for (range, new) in &self.splices {
            edited.push_str(text.get(at..range.start).unwrap_or_default());
            edited.push_str(new);
            at = range.end;
        }
        edited.push_str(text.get(at..).unwrap_or_default());
        let eol = playbook.line_end();
        for (name, lines) in &self.new_sections {
            if !edited.is_empty() && !edited.ends_with('\n') {
                edited.push_str(eol);
            }
            if !edited.is_empty() {
                edited.push_str(eol);
            }
            edited.push_str(&format!("### {name}{eol}"));
            lines.iter().for_each(|line| edited.push_str(&format!("{line}{eol}")));
        }
        edited
    }
}

impl Playbook<'_> {
    /// Returns the index of a section: the first one of exactly this name, else the first one in other case.
    fn find_section(&self, name: &str) -> Option<usize> {
        let exact = self.sections.iter().position(|section| section.name == name);
        exact.or_else(|| self.sections.iter().position(|section| section.name.to_lowercase() == name.to_lowercase()))
    }

    /// The name that a section has in the document.
    pub(crate) fn section_name(&self, name: &str) -> Option<&str> {
        self.sections.get(self.find_section(name)?).map(|section| section.name.as_str())
    }

    /// The line end of the document: that of its first line.
    fn line_end(&self) -> &'static str {
        let first = self.lines.first();
        let ending = first.and_then(|line| self.text.get(line.content.end..line.end));
        if ending == Some("\r\n") { "\r\n" } else { "\n" }
    }

    /// Returns the document without some bullets; `is_removed` gets each with its lines: its own, and the indented ones
    /// below it.
    pub(crate) fn without_bullets(&self, mut is_removed: impl FnMut(&Bullet, &str) -> bool) -> String {
        let mut kept = String::with_capacity(self.text.len());
        let (mut start, mut at) = (0, 0);
        while let Some(line) = self.lines.get(at) {
            let LineKind::Bullet(index) = line.kind else {
                at += 1;
                kept.push_str(self.text.get(start..line.end).unwrap_or_default());
                start = line.end;
                continue;
            };
            at += 1;
            while self.is_continuation(at) {
                at += 1;
            }
            let end = self.lines.get(at - 1).map_or(self.text.len(), |line| line.end);
            let lines = self.text.get(start..end).unwrap_or_default();
            if !self.bullets.get(index).is_some_and(|bullet| is_removed(bullet, lines)) {
                kept.push_str(lines);
            }
            start = end;
        }
        kept
    }

    /// Returns where a line is inserted into a section, and the inserted text.
    fn insertion(&self, section: usize, line: &str) -> (usize, String) {
        let start = self.sections.get(section).map_or(0, |section| section.line);
        let is_heading = |kind: LineKind| matches!(kind, LineKind::Heading(_));
        let kind = |at: usize| self.lines.get(at).map(|line| line.kind);
        let end = (start + 1..).find(|at| kind(*at).is_none_or(is_heading)).unwrap_or(start + 1);
        let last_bullet = (start + 1..end).rev().find(|at| matches!(kind(*at), Some(LineKind::Bullet(_))));
        // Lines that continue a bullet are indented. A comment directly behind it says where it came from, and one
        // below a heading describes the section.
        let mut last = last_bullet.unwrap_or(start);
        let mut at = last + 1;
        while at < end && (self.is_comment(at) || last_bullet.is_some() && self.is_continuation(at)) {
            // What never ends takes in everything behind it.
            let is_open =
                matches!(kind(at), Some(LineKind::Comment(BlockEdge::Open) | LineKind::Code(BlockEdge::Open)));
            last = if is_open { last } else { at };
            at += 1;
        }
        let mark = last_bullet.and_then(|at| match kind(at)? {
            LineKind::Bullet(index) => self.bullets.get(index)?.mark,
            _ => None,
        });
        let line = mark.map_or_else(|| line.to_owned(), |mark| format!("{mark} {line}"));
        self.insert_after(last, &line)
    }

    fn insert_after(&self, last: usize, line: &str) -> (usize, String) {
        let eol = self.line_end();
        let Some(before) = self.lines.get(last) else { return (self.text.len(), format!("{line}{eol}")) };
        let own_end = self.text.get(before.content.end..before.end).unwrap_or_default();
        if own_end.is_empty() {
            // The document ends without a line end, and still does.
            return (before.end, format!("{eol}{line}"));
        }
        // Under a line of `=` or `-` the bullet would be a heading.
        let next = self.lines.get(last + 1).and_then(|next| self.text.get(next.content.clone())).unwrap_or_default();
        let next = next.trim();
        let is_underline = !next.is_empty() && (next.chars().all(|c| c == '=') || next.chars().all(|c| c == '-'));
        let gap = if is_underline { own_end } else { "" };
        (before.end, format!("{line}{own_end}{gap}"))
    }

    pub(super) fn is_continuation(&self, at: usize) -> bool {
        let Some(line) = self.lines.get(at) else { return false };
        let is_indented = self.text.get(line.content.clone()).is_some_and(|text| text.starts_with([' ', '\t']));
        matches!(line.kind, LineKind::Other | LineKind::Code(_)) && is_indented
    }

    fn is_comment(&self, at: usize) -> bool {
        self.lines.get(at).is_some_and(|line| matches!(line.kind, LineKind::Comment(_)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NEW: &str = "[Bullet #new, helpful:0, harmful:0] text";

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let playbook = Playbook::parse(text);
        let mut edit = PlaybookEdit::default();
        edit.add_bullet(&playbook, "A", NEW, SectionPolicy::MustExist).unwrap();
        assert_eq!(edit.apply(&playbook), expected.replace("NEW", NEW), "{text:?}");
    }

    #[test]
    fn bullet_stands_behind_the_last_one_of_its_section() {
        check("### A\n", "### A\nNEW\n");
        check("### A", "### A\nNEW");
        check("## a\r\n<!-- c -->\r\n\r\n## B\r\n", "## a\r\n<!-- c -->\r\nNEW\r\n\r\n## B\r\n");
        let old = "[Bullet #old, helpful:1, harmful:0] x";
        check(&format!("### A\nProse.\n\n{old}\n\n### B\n"), &format!("### A\nProse.\n\n{old}\nNEW\n\n### B\n"));
        check(
            &format!("### A\n- {old}\n  more\n<!-- d -->\n"),
            &format!("### A\n- {old}\n  more\n<!-- d -->\n- NEW\n"),
        );
        check("### A\n<!-- open\n", "### A\nNEW\n<!-- open\n");
        check(&format!("### A\n- {old}\n  ```\n  c\n"), &format!("### A\n- {old}\n- NEW\n  ```\n  c\n"));
        check(&format!("### A\n- {old}\n  ```\n  c\n  ```\n"), &format!("### A\n- {old}\n  ```\n  c\n  ```\n- NEW\n"));
        check("### A\n---\n", "### A\nNEW\n\n---\n");
        check("```\n### A\n```\n### A\nx\n", "```\n### A\n```\n### A\nNEW\nx\n");
    }

    #[test]
    fn missing_section_is_an_error_or_made() {
        let playbook = Playbook::parse("# T\r\nx");
        let mut edit = PlaybookEdit::default();
        let missing = edit.add_bullet(&playbook, "A", NEW, SectionPolicy::MustExist);
        assert_eq!(missing, Err(UnknownSection("A".to_owned())));
        edit.add_bullet(&playbook, "A", NEW, SectionPolicy::Create).unwrap();
        edit.add_bullet(&playbook, "A", "second", SectionPolicy::Create).unwrap();
        assert_eq!(edit.apply(&playbook), format!("# T\r\nx\r\n\r\n### A\r\n{NEW}\r\nsecond\r\n"));
    }

    #[test]
    fn counters_change_and_nothing_else() {
        let text = "## A\r\n- [Bullet #a, helpful: 9, harmful:10, Aggregated from 2 instances]  x\r\n";
        let playbook = Playbook::parse(text);
        let mut edit = PlaybookEdit::default();
        edit.set_counters(&playbook.bullets()[0], 10, 11);
        assert_eq!(edit.apply(&playbook), text.replace("9", "10").replace("harmful:10", "harmful:11"));
    }

    /// Lines of which documents are made, and ends of lines.
    fn document() -> impl Strategy<Value = String> {
        let line = prop_oneof![
            Just("### A".to_owned()),
            Just("## B".to_owned()),
            Just("# Title".to_owned()),
            Just("### A ###".to_owned()),
            Just("```".to_owned()),
            Just("  ~~~ x".to_owned()),
            Just("<!-- open".to_owned()),
            Just("--> close".to_owned()),
            Just("<!-- whole -->".to_owned()),
            Just("---".to_owned()),
            Just(String::new()),
            "[ a-z]{0,8}",
            (0_u8..9, 0_u32..200, prop_oneof![Just(""), Just("- "), Just("  * ")])
                .prop_map(|(id, n, mark)| format!("{mark}[Bullet #b{id}, helpful:{n}, harmful:{id}] c{id}")),
            any::<String>(),
        ];
        let end = prop_oneof![Just("\n"), Just("\r\n"), Just("\n\n")];
        let lines = proptest::collection::vec((line, end), 0..20);
        (any::<bool>(), lines, "[a-z]{0,3}").prop_map(|(has_mark, lines, tail)| {
            let mark = if has_mark { "\u{feff}" } else { "" };
            let text: String = lines.into_iter().map(|(line, end)| line + end).collect();
            format!("{mark}{text}{tail}")
        })
    }

    proptest! {
        #[test]
        fn every_other_byte_stays(text in document()) {
            let playbook = Playbook::parse(&text);
            let mut edit = PlaybookEdit::default();
            if edit.add_bullet(&playbook, "A", NEW, SectionPolicy::MustExist).is_ok() {
                let edited = edit.apply(&playbook);
                // What was inserted is one piece.
                let same_start = text.bytes().zip(edited.bytes()).take_while(|(a, b)| a == b).count();
                let added = edited.len() - text.len();
                prop_assert!((0..=same_start).rev().any(|at| {
                    [&edited.as_bytes()[..at], &edited.as_bytes()[at + added..]].concat() == text.as_bytes()
                }), "{:?}", edited);
                prop_assert_eq!(edited.matches(NEW).count(), 1 + text.matches(NEW).count());
                let again = Playbook::parse(&edited);
                let rest: Vec<_> =
                    again.bullets().iter().filter(|b| b.id != "new").map(|b| (&b.id, &b.content, &b.section)).collect();
                let before: Vec<_> = playbook.bullets().iter().map(|b| (&b.id, &b.content, &b.section)).collect();
                prop_assert_eq!(rest, before);
                let added = again.bullets().iter().find(|b| b.id == "new").unwrap();
                prop_assert_eq!((added.section.as_str(), added.content.as_str()), ("A", "text"));
                prop_assert_eq!(again.sections().len(), playbook.sections().len());
                prop_assert_eq!(edited.ends_with('\n'), text.ends_with('\n'));
            }
        }

        #[test]
        fn other_counters_are_read_back(text in document(), helpful in 0_u64..1_000_000, harmful in 0_u64..1_000_000) {
            let playbook = Playbook::parse(&text);
            let mut edit = PlaybookEdit::default();
            playbook.bullets().iter().for_each(|bullet| edit.set_counters(bullet, helpful, harmful));
            let edited = edit.apply(&playbook);
            let again = Playbook::parse(&edited);
            prop_assert_eq!(again.bullets().len(), playbook.bullets().len());
            prop_assert!(again.bullets().iter().all(|b| (b.helpful, b.harmful) == (helpful, harmful)));
            let mut back = PlaybookEdit::default();
            again.bullets().iter().zip(playbook.bullets()).for_each(|(b, old)| back.set_counters(b, old.helpful, old.harmful));
            let restored = back.apply(&again);
            let without_zeros = |text: &str| Playbook::parse(text).bullets().iter().map(|b| b.helpful).collect::<Vec<_>>();
            prop_assert_eq!(without_zeros(&restored), without_zeros(&text));
            prop_assert_eq!(Playbook::parse(&restored).lines.len(), playbook.lines.len());
        }
    }
}
