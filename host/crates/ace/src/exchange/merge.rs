//! The merge of two versions of a playbook with their common ancestor, for git.
//!
//! Owns: what becomes of bullets: counters add up, and bullets that both sides added stand one after another.
//! Never: decides between two texts: what else both sides changed is a conflict, with git's marks.

use std::collections::{BTreeMap, HashSet};

use crate::playbook::{Bullet, Playbook, PlaybookEdit, SectionPolicy};

/// The merged text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedPlaybook {
    pub text: String,
    /// Whether the text has marks of conflicts.
    pub has_conflicts: bool,
}

/// Merges `ours` and `theirs`, which both come from `base`.
#[must_use]
pub fn merge_playbooks(base: &str, ours: &str, theirs: &str) -> MergedPlaybook {
    let counters = merged_counters(&Playbook::parse(base), &Playbook::parse(ours), &Playbook::parse(theirs));
    let [base, ours, theirs] = [base, ours, theirs].map(|text| with_counters(text, &counters));
    let (theirs, added) = take_additions(&base, &ours, &theirs);
    let (text, has_conflicts) = match diffy::merge(&base, &ours, &theirs) {
        Ok(text) => (text, false),
        Err(text) => (text, true),
    };
    MergedPlaybook { text: with_additions(&text, &added), has_conflicts }
}

type Counters = BTreeMap<String, (u64, u64)>;

/// Returns the counters of each bullet: what each side added to the common ancestor's. Of copies of a bullet the first one
/// counts, since they move together.
fn merged_counters(base: &Playbook<'_>, ours: &Playbook<'_>, theirs: &Playbook<'_>) -> Counters {
    let of = |playbook: &Playbook<'_>| {
        let mut counters = Counters::new();
        for bullet in playbook.bullets() {
            counters.entry(bullet.id.clone()).or_insert((bullet.helpful, bullet.harmful));
        }
        counters
    };
    let (base, ours, theirs) = (of(base), of(ours), of(theirs));
    let mut merged = Counters::new();
    for id in base.keys().chain(ours.keys()).chain(theirs.keys()) {
        let before = base.get(id).copied().unwrap_or_default();
        let (one, other) = (ours.get(id).copied().unwrap_or(before), theirs.get(id).copied().unwrap_or(before));
        // A counter that a person set back counts with what remains of it.
        let sum = |before: u64, one: u64, other: u64| one.saturating_add(other).saturating_sub(before);
        merged.insert(id.clone(), (sum(before.0, one.0, other.0), sum(before.1, one.1, other.1)));
    }
    merged
}

fn with_counters(text: &str, counters: &Counters) -> String {
    let playbook = Playbook::parse(text);
    let mut edit = PlaybookEdit::default();
    for bullet in playbook.bullets() {
        let (helpful, harmful) = counters.get(&bullet.id).copied().unwrap_or_default();
        edit.set_counters(bullet, helpful, harmful);
    }
    edit.apply(&playbook)
}

/// A bullet that their side added.
struct AddedBullet {
    section: String,
    /// Its line, and the indented ones below it.
    text: String,
}

/// Takes the bullets out of `theirs` that are not in the other versions, or that ours added in the same words: as lines at
/// the same place they would be a conflict.
fn take_additions(base: &str, ours: &str, theirs: &str) -> (String, Vec<AddedBullet>) {
    let (base, ours, playbook) = (Playbook::parse(base), Playbook::parse(ours), Playbook::parse(theirs));
    let old: HashSet<&str> = base.bullets().iter().map(|bullet| bullet.id.as_str()).collect();
    let same_as_ours = |bullet: &Bullet| {
        ours.bullets().iter().find(|other| other.id == bullet.id).map(|other| other.content == bullet.content)
    };
    let (mut added, mut edit) = (Vec::new(), PlaybookEdit::default());
    for bullet in playbook.bullets().iter().filter(|bullet| !old.contains(bullet.id.as_str())) {
        match same_as_ours(bullet) {
            Some(false) => continue,
            Some(true) => {}
            None => {
                let text = playbook.bullet_text(bullet).trim_start().trim_start_matches(['-', '*']).trim_start();
                added.push(AddedBullet { section: bullet.section.clone(), text: text.to_owned() });
            }
        }
        edit.remove_bullet(&playbook, bullet);
    }
    (edit.apply(&playbook), added)
}

fn with_additions(text: &str, added: &[AddedBullet]) -> String {
    let playbook = Playbook::parse(text);
    let mut edit = PlaybookEdit::default();
    for bullet in added {
        // A policy that makes sections refuses none.
        let _ = edit.add_bullet(&playbook, &bullet.section, &bullet.text, SectionPolicy::Create);
    }
    edit.apply(&playbook)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str =
        "# P\n\n## A\n[Bullet #a, helpful:1, harmful:0] x\n[Bullet #b, helpful:0, harmful:0] y\n\nProse.\n";

    fn merge(ours: &str, theirs: &str) -> String {
        let merged = merge_playbooks(BASE, ours, theirs);
        assert!(!merged.has_conflicts, "{}", merged.text);
        merged.text
    }

    #[test]
    fn counters_add_up() {
        let ours = BASE.replace("#a, helpful:1, harmful:0", "#a, helpful:4, harmful:0");
        let theirs = BASE.replace("#a, helpful:1, harmful:0", "#a, helpful:2, harmful:1");
        let expected = BASE.replace("#a, helpful:1, harmful:0", "#a, helpful:5, harmful:1");
        assert_eq!(merge(&ours, &theirs), expected);
        assert_eq!(merge(&theirs, &ours), expected);
        assert_eq!(merge(BASE, BASE), BASE);
    }

    #[test]
    fn bullets_of_both_sides_are_kept_once() {
        let add = |lines: &str| BASE.replace("y\n", &format!("y\n{lines}"));
        let (c, d) = ("[Bullet #c, helpful:1, harmful:0] c\n", "[Bullet #d, helpful:0, harmful:0] d\n  more\n");
        assert_eq!(merge(&add(c), &add(d)), add(&format!("{c}{d}")));
        // Both learned the same.
        let both = c.replace("helpful:1", "helpful:2");
        assert_eq!(merge(&add(c), &add(&format!("{c}{d}"))), add(&format!("{both}{d}")));
        let section = format!("{BASE}\n### New\n{c}");
        assert!(merge(&section, &add(d)).contains("### New\n[Bullet #c"));
        assert!(merge(&add(d), &section).contains("### New\n[Bullet #c"));
    }

    #[test]
    fn removal_wins_over_a_counter_and_not_over_a_text() {
        let removed = BASE.replace("[Bullet #b, helpful:0, harmful:0] y\n", "");
        let moved = BASE.replace("#b, helpful:0", "#b, helpful:1");
        assert_eq!(merge(&removed, &moved), removed);
        assert_eq!(merge(&moved, &removed), removed);
        let changed = BASE.replace("] y", "] other");
        assert!(merge_playbooks(BASE, &removed, &changed).has_conflicts);
    }

    #[test]
    fn texts_of_two_persons_are_a_conflict() {
        let (ours, theirs) = (BASE.replace("Prose", "Ours"), BASE.replace("Prose", "Theirs"));
        let merged = merge_playbooks(BASE, &ours, &theirs);
        assert!(merged.has_conflicts && merged.text.contains("<<<<<<<"), "{}", merged.text);
        assert!(merged.text.contains("Ours") && merged.text.contains("Theirs"));
        let (ours, theirs) = (BASE.replace("] x", "] ours"), BASE.replace("] x", "] theirs"));
        assert!(merge_playbooks(BASE, &ours, &theirs).has_conflicts);
        assert_eq!(merge(&BASE.replace("Prose", "Ours"), &BASE.replace("# P", "# Q")), {
            BASE.replace("Prose", "Ours").replace("# P", "# Q")
        });
    }

    #[test]
    fn line_ends_stay() {
        let crlf = |text: &str| text.replace('\n', "\r\n");
        let theirs = BASE.replace("y\n", "y\n[Bullet #c, helpful:0, harmful:0] c\n");
        let merged = merge_playbooks(&crlf(BASE), &crlf(&BASE.replace("Prose", "Ours")), &crlf(&theirs));
        assert_eq!(merged.text, crlf(&theirs.replace("Prose", "Ours")));
    }
}
