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
mod tests;
