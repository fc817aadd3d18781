//! Edits of the playbook in place: new bullets, other counters, and bullets that are removed.
//!
//! Owns: where a new bullet stands: behind the last bullet of its section, or below the heading and its comments; and
//! which lines are a bullet: its own, and those behind it that are indented.
//! Never: changes any other byte.

use std::ops::Range;

use super::blocks::front_matter_lines;
use super::compare::may_name_section;
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
    /// Bytes of removed bullets.
    removed: Vec<Range<usize>>,
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
            // Behind what never ends a section would be hidden.
            None if policy == SectionPolicy::MustExist || playbook.ends_open || !may_name_section(section) => {
                Err(UnknownSection(section.to_owned()))
            }
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

    /// Sets the content of a bullet: one line of text that is safe in Markdown. Lines that continue the bullet stay.
    pub(crate) fn set_content(&mut self, bullet: &Bullet, content: &str) {
        // Without any content nothing need separate it from the counters.
        let gap = if bullet.content.is_empty() { " " } else { "" };
        self.splices.push((bullet.content_at.clone(), format!("{gap}{content}")));
    }

    /// Removes a bullet with the lines that continue it.
    pub(crate) fn remove_bullet(&mut self, playbook: &Playbook<'_>, bullet: &Bullet) {
        self.removed.push(playbook.bullet_range(bullet));
    }

    /// Returns the document with all changes. Bullets that were added to one section stand in the order in which they
    /// were added.
    pub(crate) fn apply(mut self, playbook: &Playbook<'_>) -> String {
        let text = playbook.text;
        for range in playbook.joined(std::mem::take(&mut self.removed)) {
            // The counters of a bullet that is removed are gone with it.
            self.splices.retain(|(other, _)| other.is_empty() || !range.contains(&other.start));
            self.splices.push((range, String::new()));
        }
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
                edited.push_str(missing_line_end(&edited, eol));
            }
            if !edited.is_empty() {
                edited.push_str(eol);
            }
            edited.push_str(&format!("### {name}{eol}"));
            lines.iter().for_each(|line| edited.push_str(&format!("{line}{eol}")));
        }
        // A line of the text, which a removed bullet stood before, must not begin front matter.
        if front_matter_lines(&edited) > front_matter_lines(text) {
            let behind_mark = edited.strip_prefix('\u{feff}').map_or(0, |rest| edited.len() - rest.len());
            edited.insert_str(behind_mark, eol);
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

    /// Returns where a line is inserted into a section, and the inserted text.
    fn insertion(&self, section: usize, line: &str) -> (usize, String) {
        let start = self.sections.get(section).map_or(0, |section| section.line);
        let is_heading = |kind: LineKind| matches!(kind, LineKind::Heading(_));
        let kind = |at: usize| self.lines.get(at).map(|line| line.kind);
        let end = (start + 1..).find(|at| kind(*at).is_none_or(is_heading)).unwrap_or(start + 1);
        let last_bullet = (start + 1..end).rev().find(|at| matches!(kind(*at), Some(LineKind::Bullet(_))));
        // A comment directly behind a bullet says where it came from, and one below a heading describes the section. What is
        // indented would continue the new bullet.
        let belongs = |at| at < end && (self.is_comment(at) || self.is_continuation(at));
        let last = self.last_of(last_bullet.unwrap_or(start), belongs);
        let mark = last_bullet.and_then(|at| match kind(at)? {
            LineKind::Bullet(index) => self.bullets.get(index)?.mark,
            _ => None,
        });
        let line = mark.map_or_else(|| line.to_owned(), |mark| format!("{mark} {line}"));
        self.insert_after(last, &line)
    }

    /// Returns the last line of those behind `first` that belong to it.
    fn last_of(&self, first: usize, belongs: impl Fn(usize) -> bool) -> usize {
        let mut last = first;
        for at in (first + 1..self.lines.len()).take_while(|at| belongs(*at)) {
            // What never ends takes in everything behind it.
            let kind = self.lines.get(at).map(|line| line.kind);
            if !matches!(kind, Some(LineKind::Comment(BlockEdge::Open) | LineKind::Code(BlockEdge::Open))) {
                last = at;
            }
        }
        last
    }

    /// Returns the lines of a bullet with the lines that continue it.
    pub(super) fn bullet_range(&self, bullet: &Bullet) -> Range<usize> {
        let last = self.last_of(bullet.line, |at| self.is_continuation(at));
        let start = self.lines.get(bullet.line).map_or(0, |line| line.content.start);
        start..self.lines.get(last).map_or(start, |line| line.end)
    }

    /// Returns a bullet as it is in the document, with the lines that continue it.
    pub(crate) fn bullet_text(&self, bullet: &Bullet) -> &str {
        self.text.get(self.bullet_range(bullet)).unwrap_or_default().trim_end()
    }

    /// Joins ranges of whole lines. One at the end of a document without a line end takes that of the line before.
    fn joined(&self, mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
        ranges.sort_unstable_by_key(|range| range.start);
        let mut joined: Vec<Range<usize>> = Vec::new();
        for range in ranges {
            match joined.last_mut().filter(|last| last.end >= range.start) {
                Some(last) => last.end = last.end.max(range.end),
                None => joined.push(range),
            }
        }
        if let Some(last) = joined.last_mut().filter(|last| last.end == self.text.len() && !self.text.ends_with('\n')) {
            let before = self.lines.iter().rev().find(|line| line.end <= last.start);
            last.start = before.map_or(last.start, |line| line.content.end);
        }
        joined
    }

    fn insert_after(&self, last: usize, line: &str) -> (usize, String) {
        let eol = self.line_end();
        let Some(before) = self.lines.get(last) else { return (self.text.len(), format!("{line}{eol}")) };
        let own_end = self.text.get(before.content.end..before.end).unwrap_or_default();
        if !own_end.ends_with('\n') {
            // The document ends without a line end, and still does.
            return (before.end, format!("{}{line}", missing_line_end(own_end, eol)));
        }
        // Under a line of `=` or `-` the bullet would be a heading.
        let gap = if self.is_underline(last + 1) { own_end } else { "" };
        (before.end, format!("{line}{own_end}{gap}"))
    }

    /// Whether a line makes a heading of the one above it.
    pub(super) fn is_underline(&self, at: usize) -> bool {
        let line = self.lines.get(at).and_then(|line| self.text.get(line.content.clone())).unwrap_or_default().trim();
        !line.is_empty() && (line.chars().all(|c| c == '=') || line.chars().all(|c| c == '-'))
    }

    /// Lines that continue a bullet are indented.
    fn is_continuation(&self, at: usize) -> bool {
        let Some(line) = self.lines.get(at) else { return false };
        let is_indented = self.text.get(line.content.clone()).is_some_and(|text| text.starts_with([' ', '\t']));
        matches!(line.kind, LineKind::Other | LineKind::Code(_)) && is_indented
    }

    fn is_comment(&self, at: usize) -> bool {
        self.lines.get(at).is_some_and(|line| matches!(line.kind, LineKind::Comment(_)))
    }
}

/// Returns what makes a line end of the end of a text. A lone carriage return at that place becomes a part of it.
fn missing_line_end<'e>(text: &str, eol: &'e str) -> &'e str {
    if text.ends_with('\r') { "\n" } else { eol }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::playbook::Line;

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
        check("### A\r", "### A\r\nNEW");
        check("# T\r\n### A\r", "# T\r\n### A\r\nNEW");
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
    fn section_whose_name_is_no_short_plain_line_is_never_made() {
        let playbook = Playbook::parse("### C# (all)\n");
        let long = "x".repeat(1_000);
        let names = [
            "",
            " ",
            "A\n# B",
            "A\r### B",
            "A [Bullet #x, helpful:9, harmful:0] y",
            "A <!--",
            "`A",
            "A\u{202e}",
            "A\u{e0041}",
            "A\u{200b}",
            "# A",
            "A #",
            &long,
        ];
        for name in names {
            let made = PlaybookEdit::default().add_bullet(&playbook, name, NEW, SectionPolicy::Create);
            assert_eq!(made, Err(UnknownSection(name.to_owned())));
        }
        // One that a person made may have any name.
        PlaybookEdit::default().add_bullet(&playbook, "C# (all)", NEW, SectionPolicy::Create).unwrap();
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

    #[test]
    fn content_changes_and_nothing_else() {
        let text = "- [Bullet #a, helpful: 9, harmful:1]  old text  \r\n  more\r\n[Bullet #b, helpful:0, harmful:0]";
        let playbook = Playbook::parse(text);
        let mut edit = PlaybookEdit::default();
        playbook.bullets().iter().for_each(|bullet| edit.set_content(bullet, "new"));
        assert_eq!(edit.apply(&playbook), text.replace("old text", "new") + " new");
    }

    #[track_caller]
    fn check_removed(text: &str, ids: &[&str], expected: &str) {
        let playbook = Playbook::parse(text);
        let mut edit = PlaybookEdit::default();
        for bullet in playbook.bullets().iter().filter(|bullet| ids.contains(&bullet.id.as_str())) {
            edit.set_counters(bullet, 7, 7);
            edit.remove_bullet(&playbook, bullet);
        }
        assert_eq!(edit.apply(&playbook), expected, "{text:?}");
    }

    #[test]
    fn removed_bullet_takes_its_own_lines_alone() {
        let (a, b) = ("[Bullet #a, helpful:0, harmful:0] x", "- [Bullet #b, helpful:1, harmful:0] y");
        check_removed(&format!("## S\r\n{a}\r\n\r\n{b}\r\n"), &["a"], &format!("## S\r\n\r\n{b}\r\n"));
        check_removed(&format!("{a}\n  more\n  ```\n  c\n  ```\nProse\n{b}"), &["a"], &format!("Prose\n{b}"));
        check_removed(&format!("{a}\n<!-- c -->\n  not more\n"), &["a"], "<!-- c -->\n  not more\n");
        check_removed(&format!("{a}\n  ```\n  open\n"), &["a"], "  ```\n  open\n");
        check_removed(&format!("\u{feff}{a}\nx"), &["a"], "\u{feff}x");
        check_removed(&format!("P\n{a}\n{b}"), &["b"], &format!("P\n{a}"));
        check_removed(&format!("P\n{a}\n{b}"), &["a", "b"], "P");
        check_removed(a, &["a"], "");
        check_removed(&format!("{a}\n---\n{b}\n---\n"), &["a"], &format!("\n---\n{b}\n---\n"));
        check_removed(&format!("\u{feff}{a}\r\n---\r\n..."), &["a"], "\u{feff}\r\n---\r\n...");
    }

    #[test]
    fn new_bullet_stands_where_the_last_one_was_removed() {
        let text = "### A\n[Bullet #a, helpful:0, harmful:0] x\n\n### B\n[Bullet #b, helpful:0, harmful:0] y";
        let playbook = Playbook::parse(text);
        for (section, expected) in [("A", format!("### A\n{NEW}\n\n### B")), ("B", format!("### A\n\n### B\n{NEW}"))] {
            let mut edit = PlaybookEdit::default();
            playbook.bullets().iter().for_each(|bullet| edit.remove_bullet(&playbook, bullet));
            edit.add_bullet(&playbook, section, NEW, SectionPolicy::MustExist).unwrap();
            assert_eq!(edit.apply(&playbook), expected);
        }
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
        fn removed_bullets_leave_the_others(text in document(), kept in proptest::collection::vec(any::<bool>(), 20)) {
            let playbook = Playbook::parse(&text);
            let mut edit = PlaybookEdit::default();
            let is_kept = |at: usize| kept.get(at).copied().unwrap_or(true);
            let mut n_removed = 0;
            for (_, bullet) in playbook.bullets().iter().enumerate().filter(|(at, _)| !is_kept(*at)) {
                edit.remove_bullet(&playbook, bullet);
                n_removed += 1;
            }
            let edited = edit.apply(&playbook);
            let again = Playbook::parse(&edited);
            let of = |bullet: &Bullet| (bullet.id.clone(), bullet.content.clone(), bullet.section.clone());
            let rest: Vec<_> = again.bullets().iter().map(of).collect();
            let all = playbook.bullets().iter().enumerate();
            let before: Vec<_> = all.filter(|(at, _)| is_kept(*at)).map(|(_, bullet)| of(bullet)).collect();
            prop_assert_eq!(rest, before, "{:?}", edited);
            // Lines that are neither a bullet nor indented stay, byte for byte and in their order. The end of the last line
            // may come and go with a bullet behind it.
            let others = |playbook: &Playbook<'_>| -> String {
                let is_other = |line: &&Line| !matches!(line.kind, LineKind::Bullet(_));
                let bytes = playbook.lines.iter().filter(is_other).map(|line| &playbook.text[line.content.start..line.end]);
                bytes.filter(|line| !line.starts_with([' ', '\t'])).collect()
            };
            let (mut now, before) = (others(&again), others(&playbook));
            // An empty line keeps `---` from beginning front matter.
            let behind_gap = now.strip_prefix("\r\n").or_else(|| now.strip_prefix('\n'));
            if let Some(rest) = behind_gap.filter(|_| before.starts_with("---")) {
                now = rest.to_owned();
            }
            let is_same_but_end = |end: &str| now.clone() + end == before || before.clone() + end == now;
            prop_assert!(["", "\n", "\r\n"].into_iter().any(is_same_but_end), "{:?}", edited);
            prop_assert!(n_removed > 0 || edited == text);
            prop_assert!(edited.trim_start_matches('\u{feff}').is_empty() || edited.ends_with('\n') == text.ends_with('\n'), "{:?}", edited);
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
