//! Tests of the index of cards: lists and searches show every change, also by other processes.

use std::os::unix::fs::MetadataExt as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::{Value, json};
use wardroom_alc::limits::{CARD_INDEX_FILE_MIN_CARDS, MAX_CARD_INDEX_ENTRY_BYTES, MAX_CARD_RECHECKS_PER_QUERY};

use super::{alc, create, ids, list_ids, run_op, try_op};
use wardroom_test_support::TestDir;

fn card(number: usize, rate: f64) -> String {
    format!(
        "card_id = \"p_{number}\"\ncreated_at = \"2026-01-01T00:00:{:02}Z\"\n[stats]\npass_rate = {rate:?}\n",
        number % 60
    )
}

/// Returns the pass rate of a card in the list.
#[track_caller]
fn rate(alc: &wardroom_alc::Alc, id: &str) -> Value {
    let rows = run_op(alc, "card.list", json!({}));
    rows.as_array().unwrap().iter().find(|row| row["card_id"] == id).unwrap()["pass_rate"].clone()
}

#[test]
fn list_row_shows_fields_of_card() {
    let dir = TestDir::new();
    let alc = alc(&dir);
    assert_eq!(run_op(&alc, "card.list", json!({})), json!([]));
    dir.write_file(
        "cards/p/p_1.toml",
        "created_at = \"2026-01-02T00:00:00Z\"\n[model]\nid = \"m\"\n[scenario]\nname = \"s\"\n[stats]\npass_rate = 1\n",
    );
    dir.write_file("cards/q/q_1.toml", "created_at = \"2026-01-03T00:00:00Z\"\n[stats]\npass_rate = \"high\"\n");
    for (name, text) in [("broken.toml", "not toml"), ("b d.toml", ""), (".x.toml.0123456789abcdef.tmp", "")] {
        dir.write_file(&format!("cards/p/{name}"), text);
    }
    std::fs::create_dir(dir.app_path().join("cards/p/folder.toml")).unwrap();
    let first = json!({"card_id": "q_1", "pkg": "q", "created_at": "2026-01-03T00:00:00Z"});
    let second = json!({"card_id": "p_1", "pkg": "p", "created_at": "2026-01-02T00:00:00Z", "model": "m",
                        "scenario": "s", "pass_rate": 1.0});
    assert_eq!(run_op(&alc, "card.list", json!({})), json!([first, second]));
    assert_eq!(run_op(&alc, "card.list", json!({"pkg": "p"})), json!([second]));
    assert_eq!(run_op(&alc, "card.list", json!({"offset": 1, "limit": 5})), json!([second]));
    assert_eq!(run_op(&alc, "card.find", json!({"where": {"model": {"id": "m"}}})), json!([second]));
    assert_eq!(try_op(&alc, "card.list", json!({"pkg": "../p"})).unwrap_err(), "Invalid pkg name: '../p'");
}

#[test]
fn changes_by_others_show_in_next_query() {
    let dir = TestDir::new();
    let (ours, theirs) = (alc(&dir), alc(&dir));
    dir.write_file("cards/p/p_1.toml", card(1, 0.1));
    assert_eq!(list_ids(&ours), ["p_1"]);
    // New cards, in a new package and in an old one.
    create(&theirs, json!({"card_id": "q_1", "pkg": {"name": "q"}, "created_at": "2027"}));
    dir.write_file("cards/p/p_2.toml", card(2, 0.2));
    assert_eq!(list_ids(&ours), ["q_1", "p_2", "p_1"]);
    // A card that is extended twice between two queries.
    run_op(&theirs, "card.append", json!({"card_id": "q_1", "fields": {"stats": {"pass_rate": 0.7}}}));
    run_op(&theirs, "card.append", json!({"card_id": "q_1", "fields": {"tag": "new"}}));
    assert_eq!(rate(&ours, "q_1"), 0.7);
    assert_eq!(ids(&run_op(&ours, "card.find", json!({"where": {"tag": "new"}}))), ["q_1"]);
    // A card that is changed in place, with the same time and length.
    dir.edit_preserving_mtime("cards/p/p_1.toml", card(1, 0.9));
    assert_eq!(rate(&ours, "p_1"), 0.9);
    // A card that becomes invalid, and then valid again.
    dir.write_file("cards/p/p_1.toml", "broken");
    assert_eq!(list_ids(&ours), ["q_1", "p_2"]);
    dir.write_file("cards/p/p_1.toml", card(1, 0.3));
    assert_eq!(list_ids(&ours), ["q_1", "p_2", "p_1"]);
    // Removed cards, one with its package.
    std::fs::remove_file(dir.app_path().join("cards/p/p_2.toml")).unwrap();
    std::fs::remove_dir_all(dir.app_path().join("cards/q")).unwrap();
    assert_eq!(list_ids(&ours), ["p_1"]);
    std::fs::remove_dir_all(dir.app_path().join("cards")).unwrap();
    assert!(list_ids(&ours).is_empty());
    dir.write_file("cards/r/r_1.toml", "");
    assert_eq!(list_ids(&ours), ["r_1"]);
}

#[test]
fn folder_with_reset_mtime_is_read_again() {
    let dir = TestDir::new();
    let alc = alc(&dir);
    dir.write_file("cards/p/p_1.toml", card(1, 0.1));
    dir.wait_until_settled("cards/p");
    assert_eq!(list_ids(&alc), ["p_1"]);
    let before = std::fs::metadata(dir.app_path().join("cards/p")).unwrap().modified().unwrap();
    dir.write_file("cards/p/p_2.toml", card(2, 0.2));
    std::fs::File::open(dir.app_path().join("cards/p")).unwrap().set_modified(before).unwrap();
    assert_eq!(list_ids(&alc), ["p_2", "p_1"]);
}

#[test]
fn long_cards_are_found_and_sorted() {
    let dir = TestDir::new();
    let alc = alc(&dir);
    let long = "x".repeat(MAX_CARD_INDEX_ENTRY_BYTES);
    for (id, rate) in [("p_1", 0.2), ("p_2", 0.1)] {
        create(
            &alc,
            json!({"card_id": id, "pkg": {"name": "p"}, "stats": {"pass_rate": rate}, "long": format!("{long}{id}")}),
        );
    }
    create(&alc, json!({"card_id": "p_3", "pkg": {"name": "p"}, "stats": {"pass_rate": 0.15}, "long": "y"}));
    assert_eq!(rate(&alc, "p_1"), 0.2);
    let found = |arguments: Value| ids(&run_op(&alc, "card.find", arguments));
    assert_eq!(found(json!({"where": {"long": {"contains": "xp_2"}}})), ["p_2"]);
    assert_eq!(found(json!({"order_by": "stats.pass_rate"})), ["p_2", "p_3", "p_1"]);
    assert_eq!(found(json!({"order_by": "-long"})), ["p_3", "p_2", "p_1"]);
}

/// A card that grows beyond what the index holds whole, while a search reads others, stays in the result.
#[test]
fn card_that_becomes_long_during_a_search_is_found() {
    let dir = TestDir::new();
    let text = |length: usize| format!("v = 1\nlong = \"{}\"\n", "x".repeat(length));
    for number in 0..200 {
        dir.write_file(&format!("cards/p/p_{number}.toml"), text(MAX_CARD_INDEX_ENTRY_BYTES));
    }
    dir.write_file("cards/q/q_1.toml", text(0));
    let alc = alc(&dir);
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let path = dir.app_path().join("cards/q/q_1.toml");
            for length in [MAX_CARD_INDEX_ENTRY_BYTES, 0].iter().cycle() {
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
                std::fs::write(dir.root().join("next"), text(*length)).unwrap();
                std::fs::rename(dir.root().join("next"), &path).unwrap();
            }
        });
        let found: Vec<usize> =
            (0..60).map(|_| run_op(&alc, "card.find", json!({"where": {"v": 1}})).as_array().unwrap().len()).collect();
        is_over.store(true, Ordering::Relaxed);
        assert!(found.iter().all(|total| *total == 201), "{found:?}");
    });
}

/// Cards of one id, in several packages, are in one order however the index came to know them.
#[test]
fn cards_of_one_id_have_one_order() {
    let dir = TestDir::new();
    let card = |package: &str, id: &str| dir.write_file(&format!("cards/{package}/{id}.toml"), card(1, 0.5));
    card("a", "x_1");
    card("b", "x_0");
    let first = alc(&dir);
    let packages = |alc: &wardroom_alc::Alc, op: &str| -> Vec<Value> {
        run_op(alc, op, json!({})).as_array().unwrap().iter().map(|row| row["pkg"].clone()).collect()
    };
    assert_eq!(packages(&first, "card.list"), ["a", "b"]);
    card("b", "x_1");
    let expected = packages(&alc(&dir), "card.list");
    assert_eq!(expected.len(), 3);
    assert_eq!(packages(&first, "card.list"), expected);
    assert_eq!(packages(&first, "card.find"), expected);
}

/// Writes cards and lets a process index them, so that the next process finds a saved index.
fn write_indexed_cards(dir: &TestDir, cards: usize) {
    for number in 0..cards {
        dir.write_file(&format!("cards/p/p_{number}.toml"), card(number, 0.5));
    }
    dir.wait_until_settled("cards/p");
    assert_eq!(list_ids(&alc(dir)).len(), cards);
}

#[test]
fn saved_index_shows_changes_and_is_rebuilt_when_corrupt() {
    let dir = TestDir::new();
    write_indexed_cards(&dir, CARD_INDEX_FILE_MIN_CARDS);
    let file = dir.app_path().join("cache/cards.index");
    let saved = std::fs::read(&file).unwrap();
    // Unchanged cards are taken from the saved index.
    let before = run_op(&alc(&dir), "card.list", json!({}));
    assert_eq!(before.as_array().unwrap().len(), CARD_INDEX_FILE_MIN_CARDS);
    // Later changes show, also those in place.
    dir.edit_preserving_mtime("cards/p/p_7.toml", card(7, 0.9));
    dir.write_file("cards/p/new.toml", card(0, 0.4));
    std::fs::remove_file(dir.app_path().join("cards/p/p_8.toml")).unwrap();
    let next = alc(&dir);
    assert_eq!(rate(&next, "p_7"), 0.9);
    assert_eq!(rate(&next, "new"), 0.4);
    assert!(!list_ids(&next).contains(&"p_8".to_owned()));
    // An index that is corrupt anywhere is ignored and rebuilt.
    for at in [0, 8, saved.len() / 2, saved.len() - 1] {
        let mut corrupt = saved.clone();
        corrupt[at] ^= 1;
        for text in [&corrupt[..], &saved[..at], &[]] {
            std::fs::write(&file, text).unwrap();
            assert_eq!(list_ids(&alc(&dir)), list_ids(&next));
        }
    }
}

#[test]
fn saved_index_of_another_store_is_ignored() {
    let dir = TestDir::new();
    write_indexed_cards(&dir, CARD_INDEX_FILE_MIN_CARDS);
    let other = TestDir::new();
    other.write_file("cards/p/p_1.toml", card(1, 0.7));
    other.write_file("cache/cards.index", std::fs::read(dir.app_path().join("cache/cards.index")).unwrap());
    let alc = alc(&other);
    assert_eq!(list_ids(&alc), ["p_1"]);
    assert_eq!(rate(&alc, "p_1"), 0.7);
}

#[test]
fn large_store_shows_new_cards_at_once_and_edits_later() {
    let dir = TestDir::new();
    let cards = 2 * MAX_CARD_RECHECKS_PER_QUERY + 10;
    write_indexed_cards(&dir, cards);
    let alc = alc(&dir);
    assert_eq!(list_ids(&alc).len(), cards);
    dir.write_file("cards/p/new.toml", card(59, 0.4));
    let path = dir.app_path().join("cards/p/p_5.toml");
    let inode = std::fs::metadata(&path).unwrap().ino();
    std::fs::write(dir.root().join("next"), card(5, 0.75)).unwrap();
    std::fs::rename(dir.root().join("next"), &path).unwrap();
    assert_ne!(std::fs::metadata(&path).unwrap().ino(), inode);
    assert_eq!((rate(&alc, "new"), rate(&alc, "p_5")), (json!(0.4), json!(0.75)));
    for number in [3, cards / 2, cards - 1] {
        dir.edit_preserving_mtime(&format!("cards/p/p_{number}.toml"), card(number, 0.9));
    }
    for _ in 0..3 {
        list_ids(&alc);
    }
    for number in [3, cards / 2, cards - 1] {
        assert_eq!(rate(&alc, &format!("p_{number}")), 0.9);
    }
}

#[test]
fn read_only_service_lists_without_writing() {
    use wardroom_alc::{Alc, AlcFolders};
    use wardroom_appdir::{Access, LineIndexCache, ambient};
    let dir = TestDir::new();
    for number in 0..CARD_INDEX_FILE_MIN_CARDS {
        dir.write_file(&format!("cards/p/p_{number}.toml"), "");
    }
    let app = ambient::open_folder(&dir.app_path(), Access::ReadOnly).unwrap();
    let folders = AlcFolders { app, logs: None, project: None, package_mounts: Vec::new() };
    let alc = Alc::new(folders, std::sync::Arc::clone(&wardroom_test_support::SANDBOX), LineIndexCache::new(None));
    assert_eq!(list_ids(&alc).len(), CARD_INDEX_FILE_MIN_CARDS);
    let refused = try_op(&alc, "card.create", json!({"card": {"card_id": "x", "pkg": {"name": "p"}}}));
    assert_eq!(refused.unwrap_err(), "cannot change card 'x': its folder was opened read-only");
    let entries: Vec<_> = std::fs::read_dir(dir.app_path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(entries, ["cards"]);
}

/// The setting bounds the index; what is beyond it is read by its id.
#[test]
fn index_has_as_many_cards_as_the_setting_says() {
    use std::num::NonZeroU32;
    use wardroom_alc::AlcOptions;
    use wardroom_config::AlcConfig;

    let dir = TestDir::new();
    for number in 0..20 {
        dir.write_file(&format!("cards/p/p_{number}.toml"), card(number, 0.5));
    }
    let with = |max: u32| {
        let config = AlcConfig { max_records: NonZeroU32::new(max), ..AlcConfig::default() };
        super::alc_at(&dir.app_path(), AlcOptions { config, ..AlcOptions::default() })
    };
    for (max, listed) in [(1, 1), (7, 7), (20, 20), (4_000_000_000, 20)] {
        let alc = with(max);
        assert_eq!((list_ids(&alc).len(), list_ids(&alc).len()), (listed, listed), "{max}");
        assert_eq!(run_op(&alc, "card.get", json!({"card_id": "p_19"}))["card_id"], "p_19");
    }
}
