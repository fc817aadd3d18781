//! Every promise of `docs/SECURITY.md` names the tests that show it, and what a page of `docs/` names is there.

use std::collections::BTreeSet;
use std::fs;

use super::{files_below, root, shown};

/// Begins the tests of a promise.
const SHOWN_BY: &str = "Shown by ";

/// The words between backticks of a text.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The promises of a page: the items below each line that begins with "Promised", on one line each.
fn promises(page: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut is_promised = false;
    for line in page.lines() {
        if let Some(item) = line.strip_prefix("- ").filter(|_| is_promised) {
            found.push(item.to_owned());
        } else if let Some(rest) = line.strip_prefix("  ").filter(|_| is_promised) {
            let item = found.last_mut().unwrap_or_else(|| panic!("no promise begins before {rest:?}"));
            item.push(' ');
            item.push_str(rest.trim_start());
        } else if !line.is_empty() {
            is_promised = line.starts_with("Promised");
        }
    }
    found
}

/// Whether a file of the workspace has a test of this name.
fn is_test(file: &str, name: &str) -> bool {
    let Ok(text) = fs::read_to_string(root().join(file)) else { return false };
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let heads = ["", "async "].map(|before| format!("{before}fn {name}("));
    let at = lines.iter().position(|line| heads.iter().any(|head| line.starts_with(head.as_str())));
    let Some(at) = at else { return false };
    let attributes = lines[..at].iter().rev().take_while(|line| line.starts_with("#[") || line.starts_with("///"));
    attributes.clone().any(|line| line.starts_with("#[test]") || line.starts_with("#[tokio::test"))
}

#[test]
fn every_promise_names_a_test() {
    let page = fs::read_to_string(root().join("docs/SECURITY.md")).unwrap();
    let promises = promises(&page);
    assert!(promises.len() > 60, "{}", promises.len());
    for promise in promises {
        let tests = promise.split_once(SHOWN_BY).map_or("", |(_, tests)| tests);
        let named: Vec<&str> = quoted(tests).collect();
        assert!(!named.is_empty(), "no test shows: {promise}");
        for name in named {
            assert!(name.contains(".rs::"), "{name} is no test, in: {promise}");
        }
    }
}

#[test]
fn every_test_that_a_page_names_exists() {
    let mut named = BTreeSet::new();
    for path in files_below("docs", &[".md"]) {
        let page = fs::read_to_string(&path).unwrap();
        let tests = quoted(&page).filter_map(|word| word.split_once("::")).filter(|(file, _)| file.ends_with(".rs"));
        for (file, name) in tests {
            assert!(is_test(file, name), "{} names {file}::{name}, and there is no such test", shown(&path));
            named.insert((file.to_owned(), name.to_owned()));
        }
    }
    assert!(named.len() > 120, "{}", named.len());
}

#[test]
fn every_source_that_a_page_names_exists() {
    let mut number = 0;
    for path in files_below("docs", &[".md"]) {
        let page = fs::read_to_string(&path).unwrap();
        let is_source = |word: &&str| {
            let is_path = ["tests/", "host/", "guest/"].iter().any(|folder| word.starts_with(folder));
            is_path && word.ends_with(".rs") && !word.contains(['*', '{', ' ', '<']) && !word.contains("NAME")
        };
        for file in quoted(&page).filter(is_source) {
            assert!(root().join(file).is_file(), "{} names {file}, which is not there", shown(&path));
            number += 1;
        }
    }
    assert!(number > 100, "{number}");
}

#[test]
fn a_missing_test_is_noticed() {
    let own = "tests/tidy/promises.rs";
    assert!(is_test(own, "a_missing_test_is_noticed"));
    assert!(!is_test(own, "is_test") && !is_test(own, "no_such_test") && !is_test("tests/none.rs", "is_test"));
    let page = "Promised:\n\n- One.\n  Shown by `a.rs::b`.\n- Two.\n\nNot promised:\n\n- Three.\n";
    assert_eq!(promises(page), ["One. Shown by `a.rs::b`.", "Two."]);
}
