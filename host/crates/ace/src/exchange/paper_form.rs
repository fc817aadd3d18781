//! The form of the paper's own implementation: `[id] helpful=N harmful=M :: text` below headings.
//!
//! Never: writes text that its reader would take for another bullet or a heading, or that a terminal obeys.

use std::collections::HashMap;

use super::{MAX_COUNTER, list_mark, whole_content};
use crate::playbook::{Playbook, is_bullet_id};
use crate::sanitize::one_line;

/// A bullet of that form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PaperBullet {
    pub(super) id: String,
    pub(super) helpful: u64,
    pub(super) harmful: u64,
    pub(super) section: String,
    pub(super) content: String,
}

/// The bullets of a text in that form.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PaperBullets {
    pub(super) bullets: Vec<PaperBullet>,
    /// Lines that look like a bullet of this form or ours, and are none.
    pub(super) skipped: usize,
}

/// Returns the bullets of a playbook in that form, below the headings of their sections. A bullet is one line, without
/// hidden characters.
#[must_use]
pub fn export_paper_form(playbook: &str) -> String {
    let playbook = Playbook::parse(playbook);
    let mut sections: Vec<(String, String)> = Vec::new();
    let mut index: HashMap<&str, usize> = HashMap::new();
    for bullet in playbook.bullets() {
        // Nothing is cut: these texts are a person's, and have no limit.
        let content = one_line(&whole_content(&playbook, bullet), usize::MAX);
        if content.is_empty() {
            continue;
        }
        let at = *index.entry(&bullet.section).or_insert(sections.len());
        if at == sections.len() {
            sections.push((one_line(&bullet.section, usize::MAX), String::new()));
        }
        if let Some((_, lines)) = sections.get_mut(at) {
            let (id, helpful, harmful) = (&bullet.id, bullet.helpful, bullet.harmful);
            lines.push_str(&format!("[{id}] helpful={helpful} harmful={harmful} :: {content}\n"));
        }
    }
    let sections: Vec<String> = sections.iter().map(|(name, lines)| format!("## {name}\n{lines}")).collect();
    sections.join("\n")
}

/// Reads the bullets of that form.
pub(super) fn parse_paper_form(text: &str) -> PaperBullets {
    let (mut read, mut section) = (PaperBullets::default(), "");
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for line in text.lines().map(str::trim) {
        if line.starts_with("##") {
            section = heading_name(line);
            continue;
        }
        let item = list_mark(line).and_then(|mark| line.strip_prefix(mark)).unwrap_or(line).trim_start();
        if let Some(bullet) = parse_line(item, section) {
            read.bullets.push(bullet);
        } else if looks_like_bullet(item) && Playbook::parse(line).bullets().is_empty() {
            read.skipped += 1;
        }
    }
    read
}

/// Returns the name of a heading. Marks that close it stand behind a blank: `## C#` has the name `C#`.
fn heading_name(line: &str) -> &str {
    without_closing_marks(line.trim_start_matches('#').trim())
}

/// Returns the name of a heading without marks that close it.
pub(super) fn without_closing_marks(name: &str) -> &str {
    let closed = name.trim_end_matches('#');
    if closed.is_empty() || closed.ends_with([' ', '\t']) { closed.trim_end() } else { name }
}

/// Whether a person would take a line for a bullet, of this form or of ours.
fn looks_like_bullet(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    let has_counter = ["helpful=", "harmful=", "helpful:", "harmful:"].into_iter().any(|name| line.contains(name));
    line.starts_with("[bullet #") || line.starts_with('[') && has_counter
}

fn parse_line(line: &str, section: &str) -> Option<PaperBullet> {
    let (id, rest) = line.strip_prefix('[')?.split_once(']')?;
    let (counters, content) = rest.split_once("::")?;
    let mut counters = counters.split_whitespace();
    let mut counter = |name: &str| parse_counter(counters.next()?.strip_prefix(name)?.strip_prefix('=')?);
    let (helpful, harmful) = (counter("helpful")?, counter("harmful")?);
    let content = content.trim();
    (is_bullet_id(id) && !content.is_empty()).then(|| PaperBullet {
        id: id.to_owned(),
        helpful,
        harmful,
        section: section.to_owned(),
        content: content.to_owned(),
    })
}

/// Reads a number of any length; one above the largest counter is that.
fn parse_counter(digits: &str) -> Option<u64> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(MAX_COUNTER).min(MAX_COUNTER))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exported_bullets_are_read_again() {
        let playbook = "## A\n[Bullet #a-1, helpful:2, harmful:1] Use \\`x\\` :: not y\n### B\nProse\n- [Bullet #b, helpful:0, \
                        harmful:0] z\n";
        let text = export_paper_form(playbook);
        assert_eq!(text, "## A\n[a-1] helpful=2 harmful=1 :: Use `x` :: not y\n\n## B\n[b] helpful=0 harmful=0 :: z\n");
        let read = parse_paper_form(&text).bullets;
        assert_eq!((read.len(), read[0].content.as_str(), read[1].section.as_str()), (2, "Use `x` :: not y", "B"));
        assert_eq!((read[0].helpful, read[0].harmful), (2, 1));
    }

    #[test]
    fn export_keeps_continuation_lines_and_no_hidden_characters() {
        let playbook = "## A\u{202e}\n[Bullet #a, helpful:0, harmful:0] one\n  two\u{1b}[2J\n\tthree \\*\nProse\n## B\n\
                        [Bullet #b, helpful:0, harmful:0]\n  below\u{2028}it\n[Bullet #c, helpful:0, harmful:0]\n\
                        ## A\u{202e}\n\
                        [Bullet #d, helpful:0, harmful:0] \u{202e}d\n";
        assert_eq!(
            export_paper_form(playbook),
            "## A\n[a] helpful=0 harmful=0 :: one two three *\n[d] helpful=0 harmful=0 :: d\n\n\
             ## B\n[b] helpful=0 harmful=0 :: below it\n"
        );
    }

    #[test]
    fn headings_have_their_whole_name() {
        for (heading, name) in [
            ("## C#", "C#"),
            ("\u{feff}## C# ##", "C#"),
            ("### B ###", "B"),
            ("##", ""),
            ("## F# and C#\t#", "F# and C#"),
        ] {
            let read = parse_paper_form(&format!("{heading}\n[a] helpful=0 harmful=0 :: x\n"));
            assert_eq!(read.bullets[0].section, name, "{heading:?}");
        }
        let exported = export_paper_form("## C#\n[Bullet #a, helpful:0, harmful:0] x\n");
        assert_eq!(parse_paper_form(&exported).bullets[0].section, "C#");
    }

    #[test]
    fn list_items_and_large_counters_are_read() {
        let read = parse_paper_form(
            "- [a] helpful=5000000000 harmful=0 :: x\n\
             * [b] helpful=99999999999999999999999 harmful=1000000000000000000 :: y\n",
        );
        let counters: Vec<_> = read.bullets.iter().map(|bullet| (bullet.helpful, bullet.harmful)).collect();
        assert_eq!((counters, read.skipped), (vec![(5_000_000_000, 0), (MAX_COUNTER, MAX_COUNTER)], 0));
    }

    #[test]
    fn other_lines_are_no_bullets() {
        for (line, skipped) in [
            ("[a] helpful=1 :: x", 1),
            ("- [a b] helpful=1 harmful=0 :: x", 1),
            ("[a] helpful=-1 harmful=0 :: x", 1),
            ("[a] helpful=1 harmful=0 x", 1),
            ("[a] helpful=1 harmful=0 :: ", 1),
            ("[Bullet #a, helpful:x, harmful:0] x", 1),
            ("- [bullet #a] x", 1),
            ("[Bullet #a, helpful:0, harmful:0] x", 0),
            ("a helpful=1 harmful=0 :: x", 0),
            ("[Bullet points](https://localhost)", 0),
            ("- [ ] a task", 0),
        ] {
            assert_eq!(parse_paper_form(line), PaperBullets { bullets: Vec::new(), skipped }, "{line}");
        }
    }
}
