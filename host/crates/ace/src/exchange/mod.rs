//! What comes from other playbooks and logs, and goes to them: the merge of two versions, the form of the paper, and
//! the logs of another project.
//!
//! Owns: how bullets are added many at a time, and the text of a bullet with the lines that continue it.
//! Never: trusts a text of another project more than the output of a tool.

mod import;
mod merge;
mod paper_form;

use std::collections::HashMap;

use crate::playbook::{Bullet, MAX_COUNTER, Playbook, PlaybookEdit, SectionPolicy};
use crate::sanitize::unescape_markdown;

pub use self::import::{ImportedBullets, ImportedLogs, import_bullets, import_logs};
pub use self::merge::{MergedPlaybook, merge_playbooks};
pub use self::paper_form::export_paper_form;

/// Returns the text of a bullet with the lines that continue it, as one line without escapes.
fn whole_content(playbook: &Playbook<'_>, bullet: &Bullet) -> String {
    let mut content = bullet.content.clone();
    for line in playbook.bullet_text(bullet).lines().skip(1) {
        content.push(' ');
        content.push_str(line.trim());
    }
    unescape_markdown(content.trim())
}

/// The line end of a document: that of its first line.
fn line_end(text: &str) -> Option<&'static str> {
    let at = text.find('\n')?;
    Some(if text.get(..at).is_some_and(|line| line.ends_with('\r')) { "\r\n" } else { "\n" })
}

/// New bullets by section. Those of a section are inserted as one piece: the search for the place of each would read
/// the section again and again.
#[derive(Debug, Default)]
struct Additions {
    sections: Vec<(String, Vec<String>)>,
    index: HashMap<String, usize>,
}

impl Additions {
    /// Adds a bullet without the mark of a list item.
    fn push(&mut self, section: &str, bullet: String) {
        let at = *self.index.entry(section.to_owned()).or_insert(self.sections.len());
        match self.sections.get_mut(at) {
            Some((_, bullets)) => bullets.push(bullet),
            None => self.sections.push((section.to_owned(), vec![bullet])),
        }
    }

    /// Returns `text`, which `playbook` was read from, with the bullets; `None` where a section is missing and none may
    /// be made.
    fn insert(&self, text: &str, playbook: &Playbook<'_>, policy: SectionPolicy) -> Option<String> {
        // Bullets of a list stay one.
        let last: HashMap<&str, &Bullet> =
            playbook.bullets().iter().map(|bullet| (bullet.section.as_str(), bullet)).collect();
        let eol = line_end(text).unwrap_or("\n");
        let mut edit = PlaybookEdit::default();
        for (section, bullets) in &self.sections {
            let mark = last.get(section.as_str()).and_then(|bullet| list_mark(playbook.bullet_text(bullet)));
            let gap = mark.map_or_else(|| eol.to_owned(), |mark| format!("{eol}{mark} "));
            edit.add_bullet(playbook, section, &bullets.join(&gap), policy).ok()?;
        }
        Some(edit.apply(playbook))
    }
}

/// The mark of a list item before a bullet.
fn list_mark(bullet: &str) -> Option<char> {
    bullet.trim_start().chars().next().filter(|mark| matches!(mark, '-' | '*'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn largest_counter_is_read_back_and_the_next_is_not() {
        let count = |counter: u64| Playbook::parse(&Bullet::line_with_counters("a", counter, 0, "x")).bullets().len();
        assert_eq!((count(MAX_COUNTER), count(MAX_COUNTER + 1)), (1, 0));
    }

    #[test]
    fn added_bullets_are_items_of_the_list_they_join() {
        let text = "## A\r\n- [Bullet #a, helpful:0, harmful:0] x\r\n\r\n## B\r\n";
        let playbook = Playbook::parse(text);
        let mut additions = Additions::default();
        for (section, id) in [("A", "b"), ("B", "c"), ("A", "d"), ("B", "e")] {
            additions.push(section, Bullet::line(id, "y"));
        }
        let line = |id: &str| Bullet::line(id, "y");
        assert_eq!(
            additions.insert(text, &playbook, SectionPolicy::MustExist),
            Some(format!(
                "## A\r\n- [Bullet #a, helpful:0, harmful:0] x\r\n- {}\r\n- {}\r\n\r\n## B\r\n{}\r\n{}\r\n",
                line("b"),
                line("d"),
                line("c"),
                line("e")
            ))
        );
        additions.push("C", line("f"));
        assert_eq!(additions.insert(text, &playbook, SectionPolicy::MustExist), None);
    }
}
