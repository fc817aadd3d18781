//! The merge of two versions of a playbook with their common ancestor, for git.
//!
//! Owns: what becomes of bullets: counters add up, bullets that both sides added to a section stand one after another,
//! and a bullet that came to both sides stands once.
//! Never: decides between two texts: what else both sides changed is a conflict, with git's marks. Makes no section.

use std::collections::{HashMap, HashSet};

use super::{Additions, MAX_COUNTER, line_end, list_mark};
use crate::playbook::{Bullet, NO_SECTION, Playbook, PlaybookEdit, SectionPolicy};

/// The marks of a conflict, as `diffy` writes them.
const OURS_MARK: &str = "<<<<<<< ours\n";
const ORIGINAL_AND_THEIRS_MARKS: &str = "||||||| original\n=======\n";
const END_MARK: &str = ">>>>>>> theirs\n";

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
    let is_open = !ours.ends_with('\n') && !theirs.ends_with('\n');
    let texts = [base, ours, theirs];
    let eol = texts.into_iter().find_map(line_end).unwrap_or("\n");
    // Behind a last line without an end, marks and added bullets would be glued to its text.
    let [base, ours, theirs] = texts.map(|text| with_final_line_end(text, eol));
    let counters = merged_counters(&Playbook::parse(&base), &Playbook::parse(&ours), &Playbook::parse(&theirs));
    let [base, ours, theirs] = [base, ours, theirs].map(|text| with_counters(&text, &counters));
    let (text, has_conflicts) = match diffy::merge(&base, &ours, &theirs) {
        Ok(text) => (text, false),
        Err(marked) => match merge_around_additions(&base, &ours, &theirs, &marked) {
            Some(text) => (text, false),
            // Every addition stands where the marks show it.
            None => (marked, true),
        },
    };
    let (mut text, has_clashes) = settle_copies(text, has_conflicts, &ours, &theirs);
    let has_conflicts = has_conflicts || has_clashes;
    if is_open && !has_conflicts {
        let end = text.strip_suffix('\n').map(|text| text.strip_suffix('\r').unwrap_or(text).len());
        text.truncate(end.unwrap_or(text.len()));
    }
    MergedPlaybook { text, has_conflicts }
}

fn with_final_line_end(text: &str, eol: &str) -> String {
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { line_end(text).unwrap_or(eol) };
    format!("{text}{end}")
}

type Counters = HashMap<String, (u64, u64)>;

/// A bullet of one version: what it says without its counters, and these.
#[derive(Debug, PartialEq, Eq)]
struct CountedBullet<'t> {
    words: Vec<&'t str>,
    counters: [u64; 2],
}

/// Returns the counters of each bullet. Of bullets with one id that are no copies each keeps its own.
fn merged_counters(base: &Playbook<'_>, ours: &Playbook<'_>, theirs: &Playbook<'_>) -> Counters {
    let (base, ours, theirs) = (counted_bullets(base), counted_bullets(ours), counted_bullets(theirs));
    let mut merged = Counters::new();
    for (id, one) in &ours {
        let (before, other) = (base.get(id), theirs.get(id));
        let (Some(one), Some(Some(other))) = (one, other) else { continue };
        let before = match before {
            Some(None) => continue,
            // Both learned the same, or one took it from the other: what both count is not known to be different.
            None if one.words != other.words => continue,
            None => None,
            Some(Some(before)) => Some(before.counters),
        };
        let [helpful, harmful] = [0, 1].map(|at| {
            let of = |counters: &[u64; 2]| counters.get(at).copied().unwrap_or_default();
            merged_counter(before.as_ref().map(of), of(&one.counters), of(&other.counters))
        });
        merged.insert((*id).to_owned(), (helpful, harmful));
    }
    // A bullet that one side removed has the counters of the other one, so that the removal is no conflict.
    for (side, removed_from) in [(&ours, &theirs), (&theirs, &ours)] {
        for (id, bullet) in side {
            if let (Some(bullet), false, Some(Some(_))) = (bullet, removed_from.contains_key(id), base.get(id)) {
                let [helpful, harmful] = bullet.counters;
                merged.insert((*id).to_owned(), (helpful, harmful));
            }
        }
    }
    merged
}

/// Returns what each side added to the common ancestor's counter. A change that both sides have may be one: a branch
/// was squashed, or a commit of it was picked.
fn merged_counter(before: Option<u64>, one: u64, other: u64) -> u64 {
    match before {
        _ if one == other => one,
        None => one.max(other),
        // A counter that a person set back counts with what remains of it.
        Some(before) => one.saturating_add(other).saturating_sub(before).min(MAX_COUNTER),
    }
}

/// Returns the bullets of a version by their ids; `None` for an id whose bullets differ. Copies count as one bullet,
/// since they move together.
fn counted_bullets<'p>(playbook: &'p Playbook<'_>) -> HashMap<&'p str, Option<CountedBullet<'p>>> {
    let mut counted: HashMap<&str, Option<CountedBullet<'_>>> = HashMap::new();
    for bullet in playbook.bullets() {
        let mut words = vec![bullet.content.as_str()];
        words.extend(playbook.bullet_text(bullet).lines().skip(1));
        let this = CountedBullet { words, counters: [bullet.helpful, bullet.harmful] };
        match counted.get_mut(bullet.id.as_str()) {
            Some(first) if first.as_ref() != Some(&this) => *first = None,
            Some(_) => {}
            None => {
                counted.insert(&bullet.id, Some(this));
            }
        }
    }
    counted
}

fn with_counters(text: &str, counters: &Counters) -> String {
    let playbook = Playbook::parse(text);
    let mut edit = PlaybookEdit::default();
    for bullet in playbook.bullets() {
        if let Some((helpful, harmful)) = counters.get(&bullet.id).copied()
            && (helpful, harmful) != (bullet.helpful, bullet.harmful)
        {
            edit.set_counters(bullet, helpful, harmful);
        }
    }
    edit.apply(&playbook)
}

/// Merges with the bullets that their side added moved behind those of ours: as lines at the same place they are a
/// conflict. `None` where the rest is a conflict too, as `marked` may show, or a bullet has no certain place.
fn merge_around_additions(base: &str, ours: &str, theirs: &str, marked: &str) -> Option<String> {
    if line_end(ours) != line_end(theirs) {
        return None;
    }
    let (rest, additions) = take_additions(base, ours, theirs)?;
    if has_other_conflict(marked, &rest) {
        return None;
    }
    let text = diffy::merge(base, ours, &rest).ok()?;
    let playbook = Playbook::parse(&text);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let sections = unique_sections(&playbook);
    let last: HashMap<&str, &Bullet> =
        playbook.bullets().iter().map(|bullet| (bullet.section.as_str(), bullet)).collect();
    let has_place = |section: &str| {
        let is_free = last.get(section).is_none_or(|bullet| stands_alone(&lines, &playbook, bullet));
        sections.contains(section) && is_free
    };
    if !additions.sections.iter().all(|(section, _)| has_place(section)) {
        return None;
    }
    let edited = additions.insert(&text, &playbook, SectionPolicy::MustExist)?;
    // In a document with open code or comments a line may be no bullet where it stands now.
    let n_added: usize = additions.sections.iter().map(|(_, bullets)| bullets.len()).sum();
    (Playbook::parse(&edited).bullets().len() == playbook.bullets().len() + n_added).then_some(edited)
}

/// Whether both sides changed the same lines of the common ancestor, and theirs are all in `rest`, without the
/// additions. A second merge of large files would take seconds to find the same.
fn has_other_conflict(marked: &str, rest: &str) -> bool {
    let rest: HashSet<&str> = rest.split_inclusive('\n').collect();
    let conflicts = marked.split(OURS_MARK).skip(1).filter_map(|text| text.split_once(END_MARK));
    let mut sides = conflicts.filter_map(|(text, _)| text.split_once("||||||| original\n")?.1.split_once("=======\n"));
    let is_other = |original: &str, theirs: &str| {
        !original.is_empty() && theirs.split_inclusive('\n').all(|line| rest.contains(line))
    };
    sides.any(|(original, theirs)| is_other(original, theirs))
}

/// Takes the bullets out of `theirs` that are not in the other versions, and those that ours added in the same words.
/// `None` where there are none.
fn take_additions(base: &str, ours: &str, theirs: &str) -> Option<(String, Additions)> {
    let (base, ours, playbook) = (Playbook::parse(base), Playbook::parse(ours), Playbook::parse(theirs));
    let old: HashSet<&str> = base.bullets().iter().map(|bullet| bullet.id.as_str()).collect();
    let (ours_by_id, by_id) = (bullets_by_id(&ours), bullets_by_id(&playbook));
    let (our_sections, sections) = (unique_sections(&ours), unique_sections(&playbook));
    let lines: Vec<&str> = theirs.split_inclusive('\n').collect();
    let mut changes = HashMap::new();
    let mut additions = Additions::default();
    for bullet in playbook.bullets() {
        let id = bullet.id.as_str();
        let is_copy = by_id.get(id).is_none_or(|copies| copies.len() > 1);
        if old.contains(id) || is_copy || !is_movable(&lines, &playbook, bullet) {
            continue;
        }
        let text = own_text(&playbook, bullet);
        let section = bullet.section.as_str();
        match ours_by_id.get(id) {
            Some(same) if same.iter().all(|other| own_text(&ours, other) == text) => {}
            None if sections.contains(section) && our_sections.contains(section) => {
                additions.push(section, text.to_owned());
            }
            // The line merge keeps it in its place, or has a conflict.
            Some(_) | None => continue,
        }
        changes.insert(bullet.line_number(), (line_count(&playbook, bullet), LineChange::Remove));
    }
    (!changes.is_empty()).then(|| (with_line_changes(&lines, &changes), additions))
}

/// Whether a bullet can stand elsewhere: it is no part of another item, and what is directly behind it is not about it.
fn is_movable(lines: &[&str], playbook: &Playbook<'_>, bullet: &Bullet) -> bool {
    stands_alone(lines, playbook, bullet) && !next_line(lines, playbook, bullet).starts_with("<!--")
}

/// Whether what is directly behind a bullet is no part of it, and the bullet no part of another item. A comment is
/// allowed: a bullet that is added behind this one stands behind it.
fn stands_alone(lines: &[&str], playbook: &Playbook<'_>, bullet: &Bullet) -> bool {
    let line = lines.get(bullet.line_number()).copied().unwrap_or_default();
    let next = next_line(lines, playbook, bullet);
    let is_apart = next.trim().is_empty()
        || next.starts_with('#')
        || next.starts_with("<!--")
        || without_mark(next).starts_with("[Bullet");
    let is_nested = |line: &str| line.starts_with([' ', '\t', '\u{feff}']) && !line.trim().is_empty();
    is_apart && !is_nested(line) && !is_nested(next)
}

/// Returns the line behind a bullet and the lines that continue it.
fn next_line<'l>(lines: &[&'l str], playbook: &Playbook<'_>, bullet: &Bullet) -> &'l str {
    lines.get(bullet.line_number() + line_count(playbook, bullet)).copied().unwrap_or_default()
}

/// Returns the names of the sections that a bullet can be moved to: those that no other section has in any case.
fn unique_sections<'p>(playbook: &'p Playbook<'_>) -> HashSet<&'p str> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for section in playbook.sections() {
        *counts.entry(section.name.to_lowercase()).or_default() += 1;
    }
    let names = playbook.sections().iter().map(|section| section.name.as_str());
    // Bullets without a section have this name too.
    names.filter(|name| *name != NO_SECTION && counts.get(&name.to_lowercase()) == Some(&1)).collect()
}

fn bullets_by_id<'p>(playbook: &'p Playbook<'_>) -> HashMap<&'p str, Vec<&'p Bullet>> {
    let mut by_id: HashMap<&str, Vec<&Bullet>> = HashMap::new();
    for bullet in playbook.bullets() {
        by_id.entry(&bullet.id).or_default().push(bullet);
    }
    by_id
}

/// Returns a bullet and the lines that continue it, without the mark of a list item.
fn own_text<'p>(playbook: &'p Playbook<'_>, bullet: &Bullet) -> &'p str {
    without_mark(playbook.bullet_text(bullet))
}

fn without_mark(text: &str) -> &str {
    let text = text.trim_start();
    list_mark(text).and_then(|mark| text.strip_prefix(mark)).unwrap_or(text).trim_start()
}

fn line_count(playbook: &Playbook<'_>, bullet: &Bullet) -> usize {
    playbook.bullet_text(bullet).lines().count()
}

/// Makes a conflict of bullets with one id that the sides have in different places, and leaves ours of those that say
/// the same. Returns whether there is such a conflict.
fn settle_copies(text: String, has_conflicts: bool, ours: &str, theirs: &str) -> (String, bool) {
    let playbook = Playbook::parse(&text);
    let mut by_id = bullets_by_id(&playbook);
    by_id.retain(|_, bullets| bullets.len() > 1);
    if by_id.is_empty() {
        return (text, false);
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let is_marked = marked_lines(&lines, has_conflicts);
    let (ours, theirs) = (Playbook::parse(ours), Playbook::parse(theirs));
    let (ours_by_id, theirs_by_id) = (bullets_by_id(&ours), bullets_by_id(&theirs));
    let (mut changes, mut has_clashes) = (HashMap::new(), false);
    for (id, mut bullets) in by_id {
        // A person sees those between marks.
        bullets.retain(|bullet| is_marked.get(bullet.line_number()) != Some(&true));
        let [of_ours, of_theirs] = [&ours_by_id, &theirs_by_id].map(|side| side.get(id).map_or(&[][..], Vec::as_slice));
        if bullets.len() <= of_ours.len().max(of_theirs.len()).max(1) {
            continue;
        }
        let mut places: HashMap<(&str, &str), usize> = HashMap::new();
        for bullet in of_ours {
            *places.entry((&bullet.section, own_text(&ours, bullet))).or_default() += 1;
        }
        let (mut kept, mut others): (Vec<&Bullet>, Vec<&Bullet>) = bullets.iter().partition(|bullet| {
            let left = places.get_mut(&(bullet.section.as_str(), own_text(&playbook, bullet)));
            left.is_some_and(|left| std::mem::replace(left, left.saturating_sub(1)) > 0)
        });
        if kept.is_empty() {
            // Their side renamed the section.
            kept.push(others.remove(0));
        }
        let texts: HashSet<&str> = kept.iter().map(|bullet| own_text(&playbook, bullet)).collect();
        let is_same =
            |bullet: &&Bullet| texts.contains(own_text(&playbook, bullet)) && is_movable(&lines, &playbook, bullet);
        let (of_kept, of_others) = if others.iter().all(is_same) {
            (LineChange::Keep, LineChange::Remove)
        } else {
            has_clashes = true;
            (LineChange::MarkAsOurs, LineChange::MarkAsTheirs)
        };
        for (bullets, change) in [(kept, of_kept), (others, of_others)] {
            let lines_of = |bullet: &Bullet| (line_count(&playbook, bullet), change);
            changes.extend(bullets.into_iter().map(|bullet| (bullet.line_number(), lines_of(bullet))));
        }
    }
    (with_line_changes(&lines, &changes), has_clashes)
}

/// Returns which lines stand between marks of a conflict.
fn marked_lines(lines: &[&str], has_conflicts: bool) -> Vec<bool> {
    let mut is_within = false;
    let follow = |line: &&str| {
        is_within |= has_conflicts && *line == OURS_MARK;
        let is_marked = is_within;
        is_within &= *line != END_MARK;
        is_marked
    };
    lines.iter().map(follow).collect()
}

/// What becomes of the lines of a bullet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineChange {
    Keep,
    Remove,
    MarkAsOurs,
    MarkAsTheirs,
}

/// Returns the lines with changes, by the number of the first line and how many there are.
fn with_line_changes(lines: &[&str], changes: &HashMap<usize, (usize, LineChange)>) -> String {
    let mut text = String::with_capacity(lines.iter().map(|line| line.len()).sum());
    let mut at = 0;
    while at < lines.len() {
        let (n_lines, change) = changes.get(&at).copied().unwrap_or((1, LineChange::Keep));
        let of_bullet = lines.get(at..at + n_lines).unwrap_or_default();
        let (before, after): (&[&str], &[&str]) = match change {
            LineChange::Keep | LineChange::Remove => (&[], &[]),
            LineChange::MarkAsOurs => (&[OURS_MARK], &[ORIGINAL_AND_THEIRS_MARKS, END_MARK]),
            LineChange::MarkAsTheirs => (&[OURS_MARK, ORIGINAL_AND_THEIRS_MARKS], &[END_MARK]),
        };
        let kept = if change == LineChange::Remove { &[] } else { of_bullet };
        text.extend([before, kept, after].into_iter().flatten().copied());
        at += n_lines.max(1);
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
        assert_eq!(merge(&add(c), &add(&format!("{c}{d}"))), add(&format!("{c}{d}")));
        assert_eq!(merge(&add(&format!("{c}{d}")), &add(c)), add(&format!("{c}{d}")));
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

    const D: &str = "[Bullet #d, helpful:0, harmful:0] d\n";

    /// Both orders are conflicts, and the marks show all of these.
    #[track_caller]
    fn check_conflict(base: &str, ours: &str, theirs: &str, shown: &[&str]) {
        for (ours, theirs) in [(ours, theirs), (theirs, ours)] {
            let merged = merge_playbooks(base, ours, theirs);
            assert!(merged.has_conflicts, "{}", merged.text);
            let n_marks = |mark: &str| merged.text.lines().filter(|line| *line == mark).count();
            assert!(n_marks("<<<<<<< ours") > 0 && n_marks("<<<<<<< ours") == n_marks(">>>>>>> theirs"), "{merged:?}");
            assert_eq!(n_marks("<<<<<<< ours"), n_marks("||||||| original"), "{}", merged.text);
            for text in shown {
                assert!(merged.text.contains(text), "{text}: {}", merged.text);
            }
            assert!(!merged.text.contains("Unknown"), "{}", merged.text);
        }
    }

    fn added(lines: &str) -> String {
        BASE.replace("y\n", &format!("y\n{lines}"))
    }

    #[test]
    fn continuation_lines_of_both_sides_are_a_conflict() {
        let (ours, theirs) = (added(&format!("{D}  OURS note\n")), added(&format!("{D}  THEIRS note\n")));
        check_conflict(BASE, &ours, &theirs, &["OURS note", "THEIRS note"]);
        let theirs = theirs.replace("#d, helpful:0", "#d, helpful:3");
        check_conflict(BASE, &ours, &theirs, &["#d, helpful:0, harmful:0] d", "#d, helpful:3, harmful:0] d"]);
        check_conflict(BASE, &ours, &added(D), &["OURS note"]);
    }

    #[test]
    fn counter_that_came_to_both_sides_counts_once() {
        let with = |text: &str, counters: &str| text.replace("#d, helpful:0, harmful:0", &format!("#d, {counters}"));
        let d = added(D);
        for (base, ours, theirs, expected) in [
            (&d, "helpful:3, harmful:1", "helpful:3, harmful:1", "helpful:3, harmful:1"),
            (&d, "helpful:3, harmful:1", "helpful:3, harmful:2", "helpful:3, harmful:3"),
            (&BASE.to_owned(), "helpful:3, harmful:1", "helpful:2, harmful:2", "helpful:3, harmful:2"),
            (&BASE.to_owned(), "helpful:3, harmful:0", "helpful:3, harmful:0", "helpful:3, harmful:0"),
            (
                &d,
                "helpful:999999999999999999, harmful:0",
                "helpful:999999999999999998, harmful:1",
                "helpful:999999999999999999, harmful:1",
            ),
        ] {
            let merged = merge_playbooks(base, &with(&d, ours), &with(&d, theirs));
            assert_eq!((merged.text.as_str(), merged.has_conflicts), (with(&d, expected).as_str(), false));
            assert_eq!(merge_playbooks(base, &with(&d, theirs), &with(&d, ours)), merged);
        }
    }

    #[test]
    fn bullet_without_a_certain_place_stays_where_it_is() {
        let c = "[Bullet #c, helpful:0, harmful:0] c\n";
        // Two sections of one name.
        let base = "## A\nfirst\n\n## A\n[Bullet #a, helpful:0, harmful:0] x\n";
        let second = |lines: &str| format!("{base}{lines}");
        let first = base.replacen("first\n", &format!("first\n{D}"), 1);
        let merged = merge_playbooks(base, &second(c), &first);
        assert_eq!((merged.text, merged.has_conflicts), (first + c, false));
        check_conflict(base, &second(c), &second(D), &[c, D]);
        // Above the first heading, and below a title.
        for base in ["Intro\n\n## A\n", "## A\n\n# Title\nIntro\n\n## B\n"] {
            let with = |line: &str| base.replace("Intro\n", &format!("Intro\n{line}"));
            let merged = merge_playbooks(base, &base.replace("## A", "## Z"), &with(D));
            assert_eq!((merged.text, merged.has_conflicts), (with(D).replace("## A", "## Z"), false));
            check_conflict(base, &with(c), &with(D), &[c, D]);
        }
        // Nested ones, those with a comment, and those that have nested ones or prose.
        for theirs in
            [format!("  - {D}"), format!("- {D}  - [Bullet #e, helpful:0, harmful:0] e\n"), format!("{D}goes on\n")]
        {
            check_conflict(BASE, &added(c), &added(&theirs), &[c, &theirs]);
            let other = BASE.replace("Prose", "Ours");
            assert_eq!(merge(&other, &added(&theirs)), added(&theirs).replace("Prose", "Ours"));
        }
        let with_comment = format!("{D}<!-- about d -->\n");
        let merged = merge_playbooks(BASE, &added(c), &added(&with_comment));
        assert!(merged.has_conflicts && merged.text.contains(&with_comment), "{}", merged.text);
        assert_eq!(merge(&added(&with_comment), &added(c)), added(&format!("{with_comment}{c}")));
    }

    #[test]
    fn section_that_is_gone_does_not_come_back() {
        let renamed = BASE.replace("## A", "## Renamed");
        assert_eq!(merge(&renamed, &added(D)), added(D).replace("## A", "## Renamed"));
        assert_eq!(merge(&added(D), &renamed), added(D).replace("## A", "## Renamed"));
        let both = renamed.replace("y\n", "y\n[Bullet #c, helpful:0, harmful:0] c\n");
        check_conflict(BASE, &both, &added(D), &[D, "#c,"]);
        assert!(!merge_playbooks(BASE, &both, &added(D)).text.contains("## A"));
        let removed = "# P\n\nProse.\n";
        check_conflict(BASE, removed, &added(D), &[D]);
    }

    #[test]
    fn missing_final_line_end_stays_missing() {
        let base = "## A\n[Bullet #a, helpful:0, harmful:0] x";
        let line = |id: &str| format!("\n[Bullet #{id}, helpful:0, harmful:0] {id}");
        let (ours, theirs) = (format!("{base}{}", line("c")), format!("{base}{}", line("d")));
        let merged = merge_playbooks(base, &ours, &theirs);
        assert_eq!((merged.text, merged.has_conflicts), (format!("{ours}{}", line("d")), false));
        assert_eq!(merge_playbooks(base, &ours, &format!("{base}\n")).text, format!("{ours}\n"));
        let other = |text: &str| base.replace("] x", &format!("] {text}"));
        check_conflict(base, &other("ours"), &other("theirs"), &["] ours\n", "] x\n", "] theirs\n"]);
        let crlf = "## A\r\nx";
        assert_eq!(merge_playbooks(crlf, "## A\r\ny", crlf).text, "## A\r\ny");
        assert_eq!(merge_playbooks("", "", "").text, "");
        assert_eq!(merge_playbooks("x", "x", "x").text, "x");
    }

    #[test]
    fn additions_are_not_within_one_side_of_a_conflict() {
        let ours = BASE.replace("] y", "] ours");
        let theirs = BASE.replace("] y\n", &format!("] theirs\n{D}"));
        let merged = merge_playbooks(BASE, &ours, &theirs);
        let expected = diffy::merge(BASE, &ours, &theirs).unwrap_err();
        assert_eq!((merged.text, merged.has_conflicts), (expected, true));
        check_conflict(BASE, &ours, &theirs, &["] ours\n", "] theirs\n", D]);
    }

    #[test]
    fn two_bullets_of_one_id_are_a_conflict_or_one() {
        let base = format!("{BASE}\n## B\n[Bullet #z, helpful:0, harmful:0] z\n");
        let in_a = |line: &str| base.replace("y\n", &format!("y\n{line}"));
        let in_b = |line: &str| format!("{base}{line}");
        let other = "[Bullet #d, helpful:2, harmful:0] other\n";
        check_conflict(&base, &in_a(D), &in_b(other), &[D, other]);
        let merged = merge_playbooks(&base, &in_a(D), &in_b(other)).text;
        let expected = [
            format!("<<<<<<< ours\n{D}||||||| original\n=======\n>>>>>>> theirs\n"),
            format!("<<<<<<< ours\n||||||| original\n=======\n{other}>>>>>>> theirs\n"),
        ];
        assert_eq!(merged, in_a(&expected[0]) + &expected[1]);
        // In the same words it is one, where ours has it.
        let picked = merge_playbooks(&base, &in_a(D), &in_b(&D.replace("helpful:0", "helpful:2")));
        assert_eq!((picked.text, picked.has_conflicts), (in_a(&D.replace("helpful:0", "helpful:2")), false));
        // Both moved a bullet that had been there.
        let line = "[Bullet #b, helpful:0, harmful:0] y\n";
        let without = base.replace(line, "");
        let moved = merge_playbooks(&base, &format!("{line}{without}"), &format!("{without}{line}"));
        assert_eq!((moved.text, moved.has_conflicts), (format!("{line}{without}"), false));
        // Copies that were there stay.
        let copies = in_b(line);
        assert_eq!(merge_playbooks(&copies, &copies, &copies.replace("Prose", "Other")).text, {
            copies.replace("Prose", "Other")
        });
    }

    #[test]
    fn many_bullets_are_merged_in_little_time() {
        let lines = |side: &str| -> String {
            (0..20_000).map(|n| format!("[Bullet #{side}{n}, helpful:0, harmful:0] {side} {n}\n")).collect()
        };
        let start = std::time::Instant::now();
        let (ours, theirs) = (lines("o"), lines("t"));
        assert_eq!(merge(&added(&ours), &added(&theirs)), added(&format!("{ours}{theirs}")));
        assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
    }

    fn line() -> impl Strategy<Value = String> {
        prop_oneof![
            Just("## A".to_owned()),
            Just("## B".to_owned()),
            Just("# Title".to_owned()),
            Just("<!-- c -->".to_owned()),
            Just("```".to_owned()),
            Just("  more".to_owned()),
            Just("Prose".to_owned()),
            Just(String::new()),
            (0_u8..6, 0_u8..3, 0_u8..2, prop_oneof![Just(""), Just("- "), Just("  * ")])
                .prop_map(|(id, n, text, mark)| format!("{mark}[Bullet #b{id}, helpful:{n}, harmful:{id}] c{text}")),
        ]
    }

    fn joined(lines: &[String], ends: bool) -> String {
        lines.join("\n") + if ends { "\n" } else { "" }
    }

    fn document() -> impl Strategy<Value = String> {
        (proptest::collection::vec(line(), 0..12), any::<bool>()).prop_map(|(lines, ends)| joined(&lines, ends))
    }

    /// A document, and two versions in which few lines are other ones.
    fn versions() -> impl Strategy<Value = [String; 3]> {
        let edits = || proptest::collection::vec((0_usize..14, any::<bool>(), proptest::option::of(line())), 0..4);
        let lines = proptest::collection::vec(line(), 0..12);
        (lines, edits(), edits(), any::<[bool; 3]>()).prop_map(|(lines, ours, theirs, ends)| {
            let edited = |edits: Vec<(usize, bool, Option<String>)>| {
                let mut lines = lines.clone();
                for (at, is_replaced, new) in edits {
                    let at = at.min(lines.len());
                    let end = if is_replaced { (at + 1).min(lines.len()) } else { at };
                    lines.splice(at..end, new);
                }
                lines
            };
            [joined(&lines, ends[0]), joined(&edited(ours), ends[1]), joined(&edited(theirs), ends[2])]
        })
    }

    proptest! {
        #[test]
        fn change_of_one_side_is_the_merge(base in document(), changed in document()) {
            for (ours, theirs) in [(&changed, &base), (&base, &changed), (&changed, &changed)] {
                let merged = merge_playbooks(&base, ours, theirs);
                prop_assert!(!merged.has_conflicts, "{}", merged.text);
                let expected = with_final_line_end(&changed, "\n");
                prop_assert_eq!(with_final_line_end(&merged.text, "\n"), expected);
            }
        }

        #[test]
        fn no_new_line_is_lost([base, ours, theirs] in versions()) {
            let merged = merge_playbooks(&base, &ours, &theirs);
            let ids = |text: &str| -> HashSet<String> {
                Playbook::parse(text).bullets().iter().map(|bullet| bullet.id.clone()).collect()
            };
            let is_old = |id: &String| base.contains(&format!("[Bullet #{id},"));
            for id in ids(&ours).union(&ids(&theirs)).filter(|id| !is_old(id)) {
                prop_assert!(merged.text.contains(&format!("[Bullet #{id},")), "{}: {}", id, merged.text);
            }
            for line in [&ours, &theirs].into_iter().flat_map(|text| text.lines()) {
                let is_new = !line.contains("[Bullet") && !base.lines().any(|old| old == line);
                prop_assert!(!is_new || merged.text.lines().any(|kept| kept == line), "{}: {}", line, merged.text);
            }
            let n_lines = |text: &str, start: &str| text.lines().filter(|line| line.starts_with(start)).count();
            prop_assert_eq!(n_lines(&merged.text, "<<<<<<<"), n_lines(&merged.text, ">>>>>>>"));
            prop_assert_eq!(n_lines(&merged.text, "<<<<<<<") > 0, merged.has_conflicts);
            let most_headings: usize = [&base, &ours, &theirs].into_iter().map(|text| n_lines(text, "##")).sum();
            prop_assert!(n_lines(&merged.text, "##") <= most_headings);
            prop_assert!(!merged.text.contains("Unknown"));
            if !merged.has_conflicts {
                let count = |text: &str, id: &str| {
                    Playbook::parse(text).bullets().iter().filter(|bullet| bullet.id == id).count()
                };
                for id in ids(&merged.text) {
                    let most = count(&ours, &id).max(count(&theirs, &id)).max(1);
                    prop_assert!(count(&merged.text, &id) <= most, "{}: {}", id, merged.text);
                }
            }
        }
    }
}
