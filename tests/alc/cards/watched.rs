//! Tests of the watched folders of cards: a service that lives long lists what one lists that reads every card.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use serde_json::{Value, json};
use wardroom_alc::limits::{MAX_CARD_RECHECKS_PER_QUERY, MAX_NAMED_CARD_CHANGES, MAX_WATCHED_CARD_FOLDERS};
use wardroom_alc::{Alc, CardOperation, perform_card_operation};

use super::{alc, run_op};
use wardroom_test_support::TestDir;

/// Returns a card, always of the same length.
fn card(rate: usize) -> String {
    format!("created_at = \"2026-01-01T00:00:00Z\"\n[stats]\npass_rate = 0.{rate:05}1\n")
}

/// Returns the rows of all cards. Two cards with one id and time may have either order.
fn list(alc: &Alc) -> Vec<Value> {
    let Value::Array(mut rows) = run_op(alc, "card.list", json!({})) else { panic!("no list") };
    rows.sort_by_key(|row| format!("{} {}", row["pkg"], row["card_id"]));
    rows
}

/// Checks that a service lists what a new one does, which reads every card.
#[track_caller]
fn check(watching: &Alc, dir: &TestDir, what: &str) {
    // With a saved index it would look at cards in turn.
    drop(fs::remove_file(dir.app_path().join("cache/cards.index")));
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

/// Makes more changes in the folder `q` than the system reports.
fn overflow(dir: &TestDir) {
    let longest: usize = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap().trim().parse().unwrap();
    // Two events in a row that are alike are one.
    for number in 0..longest.min(100_000) + 10 {
        dir.write_file(if number % 2 == 0 { "cards/q/x.toml" } else { "cards/q/y.toml" }, "");
    }
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
    for package in ["p", "q", "s"] {
        dir.write_file(&format!("cards/{package}/{package}_1.toml"), card(1));
    }
    for name in ["cards/p/sub/target.toml", "cards/s/s_2.toml", "twin.toml"] {
        dir.write_file(name, card(1));
    }
    symlink("sub/target.toml", path(&dir, "p/link.toml")).unwrap();
    fs::hard_link(dir.app_path().join("twin.toml"), path(&dir, "q/twin.toml")).unwrap();
    // Before and behind the folder that it leads to.
    symlink("s", path(&dir, "r")).unwrap();
    symlink("s", path(&dir, "t")).unwrap();
    let watching = watching(&dir);
    assert_eq!(list(&watching).len(), 3 + 1 + 1 + 1 + 2 * 2);
    for rate in 2..5 {
        for name in ["cards/p/sub/target.toml", "twin.toml", "cards/s/s_2.toml", &format!("cards/s/new_{rate}.toml")] {
            dir.write_file(name, card(rate));
            check(&watching, &dir, name);
        }
    }
}

/// The folder of cards is a link to another one, as after a deployment, and the first query of it is cancelled.
#[test]
fn other_folder_of_all_cards_is_noticed() {
    use std::sync::atomic::{AtomicUsize, Ordering};

    let dir = TestDir::new();
    for (folder, number) in [("a", 1), ("b", 2), ("c", 3)] {
        for package in ["p", "q", "z"] {
            dir.write_file(&format!("{folder}/{package}/{package}_{number}.toml"), card(number));
        }
    }
    let cards = dir.app_path().join("cards");
    symlink("a", &cards).unwrap();
    let watching = watching(&dir);
    for folder in ["b", "c", "a", "b"] {
        fs::remove_file(&cards).unwrap();
        symlink(folder, &cards).unwrap();
        let looks = AtomicUsize::new(0);
        let stop = || looks.fetch_add(1, Ordering::Relaxed) > 0;
        let arguments = json!({});
        let list = CardOperation::new("card.list", &arguments, super::now());
        let stopped = perform_card_operation(watching.cards(), &list, &stop);
        assert!(stopped.is_err());
        check(&watching, &dir, folder);
    }
}

/// The end of a watch is lost with the changes that are too many, and the new folder may have the inode of the old one.
#[test]
fn folder_that_is_made_anew_during_an_overflow_is_watched() {
    let dir = TestDir::new();
    for package in ["p", "q"] {
        dir.write_file(&format!("cards/{package}/{package}_1.toml"), card(1));
    }
    let watching = watching(&dir);
    for round in 2..6 {
        overflow(&dir);
        fs::remove_dir_all(path(&dir, "p")).unwrap();
        dir.write_file("cards/p/p_1.toml", card(round));
        check(&watching, &dir, "a folder that was made anew");
        dir.write_file("cards/p/p_2.toml", card(round));
        check(&watching, &dir, "a card in it");
    }
}

/// However often all cards are to be looked at, none is left out for ever.
#[test]
fn bursts_hide_no_card() {
    let dir = TestDir::new();
    for number in 0..MAX_CARD_RECHECKS_PER_QUERY + 500 {
        dir.write_file(&format!("cards/p/p_{number:05}.toml"), card(number));
    }
    let watching = watching(&dir);
    let burst = || {
        for number in 0..MAX_NAMED_CARD_CHANGES + 10 {
            dir.write_file(&format!("cards/p/p_{number:05}.toml"), card(number));
        }
    };
    burst();
    let last = format!("cards/p/p_{:05}.toml", MAX_CARD_RECHECKS_PER_QUERY + 499);
    dir.edit_preserving_mtime(&last, card(99_999));
    // On a slow machine each query looks at 32 cards at least.
    for _ in 0..2 * MAX_CARD_RECHECKS_PER_QUERY / 32 {
        if list(&watching).iter().any(|row| row["pass_rate"] == 0.999_991) {
            return;
        }
        burst();
    }
    panic!("the card was never looked at");
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
    dir.write_file("cards/q/q_1.toml", card(1));
    let watching = watching(&dir);
    overflow(&dir);
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
