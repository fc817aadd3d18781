//! Tests of the watched folders of cards: a service that lives long lists what one lists that reads every card.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use serde_json::{Value, json};
use wardroom_alc::Alc;
use wardroom_alc::limits::{MAX_CARD_RECHECKS_PER_QUERY, MAX_NAMED_CARD_CHANGES, MAX_WATCHED_CARD_FOLDERS};

use super::{alc, run_op};
use wardroom_test_support::TestDir;

/// Returns a card, always of the same length.
fn card(rate: usize) -> String {
    format!("created_at = \"2026-01-01T00:00:00Z\"\n[stats]\npass_rate = 0.{rate:05}1\n")
}

fn list(alc: &Alc) -> Value {
    run_op(alc, "card.list", json!({}))
}

/// Checks that a service lists what a new one does.
#[track_caller]
fn check(watching: &Alc, dir: &TestDir, what: &str) {
    assert!(list(watching) == list(&alc(dir)), "{what}");
}

fn path(dir: &TestDir, name: &str) -> PathBuf {
    dir.app_path().join("cards").join(name)
}

/// Returns a service that watches the folders of cards.
fn watching(dir: &TestDir) -> std::sync::Arc<Alc> {
    let alc = alc(dir);
    // The first query watches nothing.
    for _ in 0..3 {
        list(&alc);
    }
    alc
}

#[test]
fn every_change_shows_in_the_next_query() {
    let dir = TestDir::new();
    for package in ["p", "q", "r"] {
        for number in 0..20 {
            dir.write_file(&format!("cards/{package}/{package}_{number}.toml"), card(number));
        }
    }
    let watching = watching(&dir);
    let outside = dir.root().join("outside");
    fs::create_dir(&outside).unwrap();
    for round in 0..3 {
        let replace = |name: &str, rate| {
            fs::write(outside.join("next"), card(rate)).unwrap();
            fs::rename(outside.join("next"), path(&dir, name)).unwrap();
        };
        dir.write_file("cards/p/new.toml", card(100 + round));
        check(&watching, &dir, "a new card");
        dir.edit_preserving_mtime("cards/p/p_3.toml", card(200 + round));
        check(&watching, &dir, "an edit in place");
        replace("q/q_4.toml", 300 + round);
        replace("q/q_4.toml", 400 + round);
        check(&watching, &dir, "a card that is replaced twice");
        fs::remove_file(path(&dir, "p/new.toml")).unwrap();
        check(&watching, &dir, "a deleted card");
        fs::rename(path(&dir, "q"), path(&dir, "s")).unwrap();
        check(&watching, &dir, "a renamed folder");
        dir.edit_preserving_mtime("cards/s/q_5.toml", card(500 + round));
        check(&watching, &dir, "an edit in a renamed folder");
        fs::rename(path(&dir, "s"), path(&dir, "q")).unwrap();
        check(&watching, &dir, "a folder with its old name");
        fs::rename(path(&dir, "r"), outside.join("r")).unwrap();
        check(&watching, &dir, "a folder that is moved away");
        fs::write(outside.join("r/r_6.toml"), card(600 + round)).unwrap();
        fs::rename(outside.join("r"), path(&dir, "r")).unwrap();
        check(&watching, &dir, "a folder that comes back changed");
        fs::rename(path(&dir, "r"), outside.join("r")).unwrap();
        fs::create_dir(path(&dir, "r")).unwrap();
        dir.write_file("cards/r/r_6.toml", card(700 + round));
        check(&watching, &dir, "another folder of the name");
        fs::remove_dir_all(path(&dir, "r")).unwrap();
        fs::rename(outside.join("r"), path(&dir, "r")).unwrap();
        check(&watching, &dir, "the first folder of the name");
        let cards = dir.app_path().join("cards");
        fs::rename(&cards, outside.join("cards")).unwrap();
        check(&watching, &dir, "no cards");
        fs::write(outside.join("cards/p/p_7.toml"), card(800 + round)).unwrap();
        fs::rename(outside.join("cards"), &cards).unwrap();
        check(&watching, &dir, "all folders come back");
        for number in 0..2 * MAX_NAMED_CARD_CHANGES {
            dir.write_file(&format!("cards/p/p_{}.toml", number % 20), card(900 + number + round));
        }
        check(&watching, &dir, "many changes");
    }
}

/// What a link leads to, or another name of a card, can change without a report.
#[test]
fn linked_cards_are_looked_at_by_each_query() {
    let dir = TestDir::new();
    let elsewhere = dir.app_path().join("elsewhere");
    fs::create_dir_all(elsewhere.join("folder")).unwrap();
    for name in ["target.toml", "twin.toml", "folder/linked.toml"] {
        fs::write(elsewhere.join(name), card(1)).unwrap();
    }
    for package in ["p", "q", "s"] {
        dir.write_file(&format!("cards/{package}/{package}_1.toml"), card(1));
    }
    symlink("../../elsewhere/target.toml", path(&dir, "p/link.toml")).unwrap();
    symlink("../../elsewhere/later.toml", path(&dir, "s/dangling.toml")).unwrap();
    fs::hard_link(elsewhere.join("twin.toml"), path(&dir, "q/twin.toml")).unwrap();
    symlink("../elsewhere/folder", path(&dir, "r")).unwrap();
    let watching = watching(&dir);
    check(&watching, &dir, "links");
    for rate in 2..5 {
        for name in ["target.toml", "twin.toml", "folder/linked.toml", "later.toml"] {
            fs::write(elsewhere.join(name), card(rate)).unwrap();
            check(&watching, &dir, name);
        }
    }
}

#[test]
fn unreported_change_shows_some_queries_later() {
    let dir = TestDir::new();
    for number in 0..200 {
        dir.write_file(&format!("cards/p/p_{number}.toml"), card(number));
    }
    let watching = watching(&dir);
    let other_name = dir.root().join("other");
    fs::hard_link(path(&dir, "p/p_150.toml"), &other_name).unwrap();
    fs::write(&other_name, card(1000)).unwrap();
    for _ in 0..8 {
        list(&watching);
    }
    check(&watching, &dir, "a change through a name that was added later");
}

#[test]
fn edits_in_a_large_store_show_at_once() {
    let dir = TestDir::new();
    let cards = MAX_CARD_RECHECKS_PER_QUERY + 100;
    for number in 0..cards {
        dir.write_file(&format!("cards/p/p_{number}.toml"), card(number));
    }
    let watching = watching(&dir);
    for number in [3, cards / 2, cards - 1] {
        dir.edit_preserving_mtime(&format!("cards/p/p_{number}.toml"), card(cards + number));
        check(&watching, &dir, "an edit in place");
    }
}

#[test]
fn too_many_changes_to_report_are_found() {
    let dir = TestDir::new();
    // As many cards as each query looks at, however slow the machine is.
    for number in 0..30 {
        dir.write_file(&format!("cards/p/p_{number}.toml"), card(number));
    }
    let watching = watching(&dir);
    let longest: usize = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap().trim().parse().unwrap();
    // Two events in a row that are alike are one.
    for number in 0..longest.min(100_000) + 10 {
        dir.write_file(if number % 2 == 0 { "cards/p/x.toml" } else { "cards/p/y.toml" }, "");
    }
    dir.edit_preserving_mtime("cards/p/p_7.toml", card(1000));
    check(&watching, &dir, "an overflow");
    dir.edit_preserving_mtime("cards/p/p_8.toml", card(1001));
    check(&watching, &dir, "after an overflow");
}

#[test]
fn folders_beyond_the_limit_are_looked_at() {
    let dir = TestDir::new();
    let folders = MAX_WATCHED_CARD_FOLDERS + 5;
    for number in 0..folders {
        dir.write_file(&format!("cards/p{number:05}/c_{number}.toml"), card(number));
    }
    let watching = watching(&dir);
    for number in [0, folders / 2] {
        dir.edit_preserving_mtime(&format!("cards/p{number:05}/c_{number}.toml"), card(folders + number));
        check(&watching, &dir, "an edit in a watched folder");
    }
    // Cards of the others are looked at in turn, 32 at least by each query, however slow the machine is.
    let number = folders - 1;
    dir.edit_preserving_mtime(&format!("cards/p{number:05}/c_{number}.toml"), card(folders + number));
    for _ in 0..folders / 32 {
        list(&watching);
    }
    check(&watching, &dir, "an edit in another folder");
    let infos =
        fs::read_dir("/proc/self/fdinfo").unwrap().filter_map(|info| fs::read_to_string(info.ok()?.path()).ok());
    let watches = infos.map(|info| info.lines().filter(|line| line.starts_with("inotify wd:")).count());
    // And the folder of all of them.
    assert_eq!(watches.max(), Some(MAX_WATCHED_CARD_FOLDERS + 1));
}
