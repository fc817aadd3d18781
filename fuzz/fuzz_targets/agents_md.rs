//! The playbook, `AGENTS.md`: edits of any text change the bullets that they are about, and keep every other byte.
#![no_main]

#[expect(dead_code, reason = "the crate uses the rest")]
#[path = "../../host/crates/ace/src/limits.rs"]
mod limits;
#[expect(dead_code, unused_imports, reason = "the crate uses the rest")]
#[path = "../../host/crates/ace/src/playbook/mod.rs"]
mod playbook;
#[expect(dead_code, reason = "the crate uses the rest")]
#[path = "../../host/crates/ace/src/sanitize/mod.rs"]
mod sanitize;

use libfuzzer_sys::fuzz_target;

use playbook::{Bullet, Playbook, PlaybookEdit, SectionPolicy, differs_in_bullets_only};
use sanitize::{log_text, markdown_text, one_line, unescape_markdown};

const NEW: &str = "[Bullet #new-7, helpful:0, harmful:0] text";
const SECTION: &str = "A";

/// What a bullet says, without its place.
fn said(bullet: &Bullet) -> (String, u64, u64, String, String) {
    let Bullet { id, helpful, harmful, section, content, .. } = bullet;
    (id.clone(), *helpful, *harmful, section.clone(), content.clone())
}

fn all_said(text: &str) -> Vec<(String, u64, u64, String, String)> {
    Playbook::parse(text).bullets().iter().map(said).collect()
}

fn check_added(text: &str, policy: SectionPolicy) {
    let playbook = Playbook::parse(text);
    let mut edit = PlaybookEdit::default();
    if edit.add_bullet(&playbook, SECTION, NEW, policy).is_err() {
        assert_eq!(edit.apply(&playbook), text, "a refused edit changes nothing");
        return;
    }
    let edited = edit.apply(&playbook);
    let added = edited.len().checked_sub(text.len()).expect("a text grows");
    let same = text.bytes().zip(edited.bytes()).take_while(|(old, new)| old == new).count();
    let is_inserted_at = |at: &usize| edited.as_bytes()[at + added..] == text.as_bytes()[*at..];
    assert!((0..=same).rev().any(|at| is_inserted_at(&at)), "{text:?} -> {edited:?}");
    let again = Playbook::parse(&edited);
    let (new, others): (Vec<_>, Vec<_>) = again.bullets().iter().map(said).partition(|(id, ..)| id == "new-7");
    let (old, before): (Vec<_>, Vec<_>) = playbook.bullets().iter().map(said).partition(|(id, ..)| id == "new-7");
    assert_eq!(others, before, "{text:?} -> {edited:?}");
    assert_eq!(new.len(), old.len() + 1, "{text:?} -> {edited:?}");
    assert!(new.iter().any(|(.., section, content)| section.to_lowercase() == "a" && content == "text"));
    check_allowed(text, &edited, policy);
    // And taken away again.
    let mut back = PlaybookEdit::default();
    let made = again.bullets().iter().find(|bullet| !playbook.bullets().iter().any(|old| said(old) == said(bullet)));
    if let Some(made) = made {
        back.remove_bullet(&again, made);
        let back = back.apply(&again);
        assert_eq!(all_said(&back), all_said(text), "{text:?} -> {edited:?} -> {back:?}");
        // The gap before a line of `=` or `-` stays.
        check_allowed(&edited, &back, policy);
    }
}

/// The process that writes the file for a confined server takes an edit of ours.
fn check_allowed(text: &str, edited: &str, policy: SectionPolicy) {
    assert!(differs_in_bullets_only(text, edited, policy), "{text:?} -> {edited:?}");
}

fn check_counters(text: &str) {
    let playbook = Playbook::parse(text);
    let mut edit = PlaybookEdit::default();
    for bullet in playbook.bullets() {
        edit.set_counters(bullet, bullet.helpful, bullet.harmful);
    }
    let same = edit.apply(&playbook);
    let padded = text.len() - same.len();
    assert!(padded == 0 || text.contains("0"), "only zeros before a number go: {text:?} -> {same:?}");
    assert_eq!(all_said(&same), all_said(text));
    let mut edit = PlaybookEdit::default();
    playbook.bullets().iter().for_each(|bullet| edit.set_counters(bullet, 12, 345));
    let edited = edit.apply(&playbook);
    let expected = playbook.bullets().iter().map(said).map(|(id, _, _, section, text)| (id, 12, 345, section, text));
    assert_eq!(all_said(&edited), expected.collect::<Vec<_>>());
    assert_eq!(edited.lines().count(), text.lines().count());
    check_allowed(text, &edited, SectionPolicy::MustExist);
}

fn check_content(text: &str, content: &str) {
    let playbook = Playbook::parse(text);
    let content = markdown_text(content, 60);
    assert!(!content.contains(['\n', '\r']), "{content:?} is one line");
    if content.is_empty() {
        return;
    }
    let mut edit = PlaybookEdit::default();
    playbook.bullets().iter().for_each(|bullet| edit.set_content(bullet, &content));
    let edited = edit.apply(&playbook);
    let before: Vec<_> = playbook.bullets().iter().map(said).collect();
    let expected =
        before.into_iter().map(|(id, helpful, harmful, section, _)| (id, helpful, harmful, section, content.clone()));
    assert_eq!(all_said(&edited), expected.collect::<Vec<_>>(), "{text:?} -> {edited:?}");
    assert_eq!(Playbook::parse(&edited).sections(), playbook.sections(), "{text:?} -> {edited:?}");
    check_allowed(text, &edited, SectionPolicy::MustExist);
}

fn check_removed(text: &str, choice: u8) {
    let playbook = Playbook::parse(text);
    let is_kept = |at: usize| (choice >> (at % 8)) & 1 == 0;
    let mut edit = PlaybookEdit::default();
    for (_, bullet) in playbook.bullets().iter().enumerate().filter(|(at, _)| !is_kept(*at)) {
        edit.remove_bullet(&playbook, bullet);
    }
    let edited = edit.apply(&playbook);
    let all = playbook.bullets().iter().enumerate();
    let expected: Vec<_> = all.filter(|(at, _)| is_kept(*at)).map(|(_, bullet)| said(bullet)).collect();
    assert_eq!(all_said(&edited), expected, "{text:?} -> {edited:?}");
    assert!((0..playbook.bullets().len()).any(|at| !is_kept(at)) || edited == text);
    assert_eq!(Playbook::parse(&edited).sections().len(), playbook.sections().len());
    check_allowed(text, &edited, SectionPolicy::MustExist);
    // Nothing is made: what is left is there in its order.
    let mut letters = text.bytes();
    assert!(edited.bytes().all(|wanted| letters.any(|found| found == wanted)), "{text:?} -> {edited:?}");
}

fn check_texts(text: &str) {
    let line = one_line(text, 100);
    assert!(!line.contains(['\n', '\r', '\u{2028}', '\u{2029}']) && line.chars().count() <= 100, "{line:?}");
    assert_eq!(one_line(&line, 100), line, "a harmless line stays");
    assert!(log_text(text, 100).chars().count() <= 100);
    let _ = unescape_markdown(text);
}

fuzz_target!(|input: &[u8]| {
    let Some((choice, text)) = input.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let playbook = Playbook::parse(text);
    for bullet in playbook.bullets() {
        assert!(text.contains(playbook.bullet_text(bullet)));
    }
    check_allowed(text, text, SectionPolicy::MustExist);
    check_added(text, SectionPolicy::MustExist);
    check_added(text, SectionPolicy::Create);
    check_counters(text);
    check_content(text, text.lines().next_back().unwrap_or_default());
    check_removed(text, *choice);
    check_texts(text);
});
