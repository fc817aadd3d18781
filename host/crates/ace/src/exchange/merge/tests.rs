//! Tests of the merge: what of two changed playbooks is taken, and where a person decides.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use proptest::prelude::*;

use super::*;

const BASE: &str = "# P\n\n## A\n[Bullet #a, helpful:1, harmful:0] x\n[Bullet #b, helpful:0, harmful:0] y\n\nProse.\n";

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
