//! The times of stored documents that one process saves for the next.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hasher as _};
use std::thread;

use wardroom_alc::limits::{MAX_CARD_RECHECKS_PER_QUERY, MAX_LISTED_RECENT_PER_KIND, RECENT_FILE_MIN_DOCUMENTS};

use super::enumeration::{ENUMERATE, check_listed, listed_after_fixed, set_modified, write_file_at};
use wardroom_test_support::{TestAlcService, TestDir};

/// The next process begins with the times that one saved: of many documents it sees those that were changed in place some pages later.
/// Without a file that is whole, it looks at each document first.
#[test]
fn saved_times_are_used_and_ignored_when_corrupt() {
    let dir = TestDir::new();
    let total = 2 * MAX_CARD_RECHECKS_PER_QUERY + 10;
    for n in 0..total {
        write_file_at(&dir, &format!("evals/e_{n}.json"), n as u64);
    }
    dir.wait_until_settled("evals");
    let service = || TestAlcService::with_config(&dir, ENUMERATE);
    assert_eq!(listed_after_fixed(&service()).len(), total.min(MAX_LISTED_RECENT_PER_KIND));
    let file = dir.app_path().join("cache/recent-evals.index");
    let saved = std::fs::read(&file).unwrap();
    let changed: BTreeSet<String> = (0..60).map(|n| format!("e_{}", n * 100)).collect();
    for id in &changed {
        set_modified(&dir, &format!("evals/{id}.json"), 2 * total as u64);
    }
    let changed: BTreeSet<String> = changed.into_iter().map(|id| format!("alc://eval/{id}")).collect();
    let newest = |service: &TestAlcService| -> BTreeSet<String> {
        listed_after_fixed(service).into_iter().take(changed.len()).collect()
    };
    let next = service();
    assert_ne!(newest(&next), changed, "each of them was among those that a page looks at");
    assert!((0..200).any(|_| newest(&next) == changed));
    for at in [0, 8, saved.len() / 2, saved.len() - 1] {
        let mut corrupt = saved.clone();
        corrupt[at] ^= 1;
        for bytes in [&corrupt[..], &saved[..at]] {
            std::fs::write(&file, bytes).unwrap();
            assert_eq!(newest(&service()), changed, "damaged at {at}");
        }
    }
    let other = TestDir::new();
    write_file_at(&other, "evals/e_1.json", 1);
    other.write_file("cache/recent-evals.index", &saved);
    check_listed(&other, &["alc://eval/e_1"]);
    // A document that came, and one that went, show at once.
    std::fs::write(&file, &saved).unwrap();
    write_file_at(&dir, "evals/e_999999.json", 3 * total as u64);
    std::fs::remove_file(dir.app_path().join("evals/e_0.json")).unwrap();
    let listed = listed_after_fixed(&service());
    assert_eq!(listed.first().map(String::as_str), Some("alc://eval/e_999999"));
    assert!(!listed.contains(&"alc://eval/e_0".to_owned()));
}

/// Where a page looks at all documents, saved times hide no change.
#[test]
fn saved_times_of_few_documents_hide_no_change() {
    let dir = TestDir::new();
    let total = RECENT_FILE_MIN_DOCUMENTS;
    for n in 0..total {
        write_file_at(&dir, &format!("evals/e_{n}.json"), n as u64);
    }
    dir.wait_until_settled("evals");
    for n in [0, total / 2, total - 1] {
        let first = listed_after_fixed(&TestAlcService::with_config(&dir, ENUMERATE)).first().cloned();
        assert!(dir.app_path().join("cache/recent-evals.index").exists());
        set_modified(&dir, &format!("evals/e_{n}.json"), (2 * total + n) as u64);
        let next = listed_after_fixed(&TestAlcService::with_config(&dir, ENUMERATE)).first().cloned();
        assert_eq!(next, Some(format!("alc://eval/e_{n}")), "after {first:?}");
    }
}

/// Writes cards of three packages, of which several have the same time, in one folder and in several; has them listed, and returns
/// the list and what was saved.
fn save_cards(dir: &TestDir) -> (Vec<String>, Vec<u8>) {
    for package in ["b", "c", "d"] {
        (0..RECENT_FILE_MIN_DOCUMENTS / 2).for_each(|n| write_file_at(dir, &card(package, n), n as u64 / 7));
    }
    // The card that was changed last counts, of two with an id.
    write_file_at(dir, "cards/d/b_3.toml", 7_000);
    ["cards", "cards/b", "cards/c", "cards/d"].into_iter().for_each(|folder| dir.wait_until_settled(folder));
    let listed = listed_cards(dir);
    assert_eq!(listed.first().map(String::as_str), Some("alc://cards/b_3"));
    (listed, std::fs::read(dir.app_path().join(SAVED_CARDS)).unwrap())
}

const SAVED_CARDS: &str = "cache/recent-cards.index";

fn card(package: &str, n: usize) -> String {
    format!("cards/{package}/{package}_{n}.toml")
}

fn listed_cards(dir: &TestDir) -> Vec<String> {
    listed_after_fixed(&TestAlcService::with_config(dir, ENUMERATE))
}

/// The next process begins with the order that one saved: it shows two documents that changed places in the file as they are there.
#[test]
fn saved_order_is_used() {
    let dir = TestDir::new();
    let (mut listed, mut saved) = save_cards(&dir);
    assert_eq!(listed_cards(&dir), listed);
    // The positions of all documents and the checksum are the end of the file.
    let documents = RECENT_FILE_MIN_DOCUMENTS / 2 * 3;
    let body = saved.len() - 8;
    let first = body - 8 * documents;
    saved[first + 8..first + 24].rotate_left(8);
    let mut sum = DefaultHasher::new();
    sum.write(&saved[..body]);
    saved.splice(body.., sum.finish().to_le_bytes());
    std::fs::write(dir.app_path().join(SAVED_CARDS), saved).unwrap();
    listed.swap(1, 2);
    assert_eq!(listed_cards(&dir), listed);
}

/// Where a folder comes, goes or changes, the order is that of a process without a saved one.
#[test]
fn saved_order_follows_folders() {
    let changes: [fn(&TestDir); 4] = [
        |dir| write_file_at(dir, "cards/a/a_0.toml", 8_000),
        |dir| set_modified(dir, &card("c", 100), 9_000),
        |dir| std::fs::remove_dir_all(dir.app_path().join("cards/b")).unwrap(),
        |dir| std::fs::remove_file(dir.app_path().join("cards/d/b_3.toml")).unwrap(),
    ];
    thread::scope(|scope| {
        for (number, change) in changes.into_iter().enumerate() {
            scope.spawn(move || {
                let dir = TestDir::new();
                let (before, _) = save_cards(&dir);
                change(&dir);
                let with_saved = listed_cards(&dir);
                std::fs::remove_dir_all(dir.app_path().join("cache")).unwrap();
                assert_eq!(with_saved, listed_cards(&dir), "after change {number}");
                assert_ne!(with_saved, before, "after change {number}");
            });
        }
    });
}
