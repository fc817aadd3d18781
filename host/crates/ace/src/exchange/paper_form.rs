//! The form of the paper's own implementation: `[id] helpful=N harmful=M :: text` below headings.
//!
//! Never: writes text that its reader would take for another bullet or a heading.

use crate::playbook::{Playbook, is_bullet_id};
use crate::sanitize::unescape_markdown;

/// A bullet of that form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PaperBullet {
    pub(super) id: String,
    pub(super) helpful: u64,
    pub(super) harmful: u64,
    pub(super) section: String,
    pub(super) content: String,
}

/// Returns the bullets of a playbook in that form, below the headings of their sections.
#[must_use]
pub fn export_paper_form(playbook: &str) -> String {
    let playbook = Playbook::parse(playbook);
    let mut text = String::new();
    let mut sections: Vec<&str> = Vec::new();
    for bullet in playbook.bullets() {
        if !sections.contains(&bullet.section.as_str()) {
            sections.push(&bullet.section);
        }
    }
    for section in sections {
        let gap = if text.is_empty() { "" } else { "\n" };
        text.push_str(&format!("{gap}## {section}\n"));
        for bullet in playbook.bullets().iter().filter(|bullet| bullet.section == section) {
            let content = unescape_markdown(&bullet.content);
            text.push_str(&format!(
                "[{}] helpful={} harmful={} :: {content}\n",
                bullet.id, bullet.helpful, bullet.harmful
            ));
        }
    }
    text
}

/// Reads the bullets of that form.
pub(super) fn parse_paper_form(text: &str) -> Vec<PaperBullet> {
    let (mut bullets, mut section) = (Vec::new(), String::new());
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix("##") {
            name.trim_matches(['#', ' ', '\t']).clone_into(&mut section);
        } else if let Some(bullet) = parse_line(line, &section) {
            bullets.push(bullet);
        }
    }
    bullets
}

fn parse_line(line: &str, section: &str) -> Option<PaperBullet> {
    let (id, rest) = line.strip_prefix('[')?.split_once(']')?;
    let (counters, content) = rest.split_once("::")?;
    let mut counters = counters.split_whitespace();
    let mut counter = |name: &str| counters.next()?.strip_prefix(name)?.strip_prefix('=')?.parse::<u32>().ok();
    let (helpful, harmful) = (counter("helpful")?.into(), counter("harmful")?.into());
    let content = content.trim();
    (is_bullet_id(id) && !content.is_empty()).then(|| PaperBullet {
        id: id.to_owned(),
        helpful,
        harmful,
        section: section.to_owned(),
        content: content.to_owned(),
    })
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
        let read = parse_paper_form(&text);
        assert_eq!((read.len(), read[0].content.as_str(), read[1].section.as_str()), (2, "Use `x` :: not y", "B"));
        assert_eq!((read[0].helpful, read[0].harmful), (2, 1));
    }

    #[test]
    fn other_lines_are_no_bullets() {
        for line in [
            "[a] helpful=1 :: x",
            "[a b] helpful=1 harmful=0 :: x",
            "[a] helpful=-1 harmful=0 :: x",
            "[a] helpful=1 harmful=0 x",
            "[a] helpful=1 harmful=0 :: ",
            "a helpful=1 harmful=0 :: x",
        ] {
            assert_eq!(parse_paper_form(line), [], "{line}");
        }
    }
}
