//! Rows that are appended and visited, and a file that is replaced only if it is unchanged.

use std::cell::Cell;
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::thread;
use std::time::Duration;

use proptest::prelude::*;
use wardroom_appdir::limits::{FILE_READ_CHUNK_BYTES, MAX_JSONL_LINE_BYTES};
use wardroom_appdir::{AppDirError, Folder, Privacy, VisitedRow, with_failpoints};
use wardroom_test_support::TestDir;

const NAME: &str = "log.jsonl";

fn append(app: &Folder, rows: &str) -> Result<(), AppDirError> {
    app.append_rows(NAME, rows.as_bytes(), Privacy::Owner, 1 << 30)
}

fn collect(visit: impl FnOnce(&mut dyn FnMut(VisitedRow<'_>) -> ControlFlow<()>)) -> Vec<Option<Vec<u8>>> {
    let mut rows = Vec::new();
    visit(&mut |row| {
        rows.push(match row {
            VisitedRow::Row(bytes) => Some(bytes.to_vec()),
            VisitedRow::TooLong => None,
        });
        ControlFlow::Continue(())
    });
    rows
}

fn forwards(app: &Folder) -> Vec<Option<Vec<u8>>> {
    collect(|visit| app.visit_rows(NAME, &|| false, visit).unwrap())
}

fn backwards(app: &Folder) -> Vec<Option<Vec<u8>>> {
    let mut rows = collect(|visit| app.visit_rows_backwards(NAME, &|| false, visit).unwrap());
    rows.reverse();
    rows
}

#[test]
fn rows_are_appended_whole_after_any_end() {
    let dir = TestDir::new();
    let app = dir.open_app();
    let path = dir.app_path().join(NAME);
    append(&app, "1\n2\n").unwrap();
    fs::write(&path, "1\n2").unwrap();
    append(&app, "3\n").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "1\n2\n3\n");
    let limited = app.append_rows(NAME, b"4\n", Privacy::Owner, 7);
    assert!(matches!(limited, Err(AppDirError::TooLarge { len: 8, limit: 7, .. })), "{limited:?}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "1\n2\n3\n");
}

#[test]
fn failed_append_leaves_nothing() {
    let dir = TestDir::new();
    let app = dir.open_app();
    append(&app, "1\n").unwrap();
    let steps = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
    let seen = std::rc::Rc::clone(&steps);
    let record = move |step| {
        seen.borrow_mut().push(step);
        Ok(())
    };
    with_failpoints(record, || append(&app, "2\n")).unwrap();
    let steps = steps.borrow().clone();
    assert_eq!(steps, ["open log", "lock", "write", "flush"]);
    for step in ["open log", "lock", "write"] {
        let fail = move |at| if at == step { Err(io::Error::other("a test")) } else { Ok(()) };
        assert!(with_failpoints(fail, || append(&app, "3\n")).is_err());
        assert_eq!(fs::read_to_string(dir.app_path().join(NAME)).unwrap(), "1\n2\n", "{step}");
    }
}

fn append_newest(app: &Folder, rows: &str, most: u64) -> Result<(), AppDirError> {
    app.append_newest_rows(NAME, rows.as_bytes(), Privacy::Owner, most, Duration::from_secs(10))
}

#[test]
fn older_half_of_a_full_file_goes() {
    let dir = TestDir::new();
    let (app, path) = (dir.open_app(), dir.app_path().join(NAME));
    append_newest(&app, "10\n20\n30\n40\n", 12).unwrap();
    append_newest(&app, "50\n", 12).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "40\n50\n");
    // The half begins within a row, and the last row has no newline.
    fs::write(&path, "1000000\n2\n3").unwrap();
    append_newest(&app, "4\n", 12).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "2\n3\n4\n");
    let refused = append_newest(&app, "1234567\n", 12);
    assert!(matches!(refused, Err(AppDirError::TooLarge { .. })), "{refused:?}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "2\n3\n4\n");
}

#[test]
fn full_file_loses_no_new_row_of_many_threads() {
    const MOST: u64 = 4_000;
    let dir = TestDir::new();
    thread::scope(|scope| {
        for n in 0..4 {
            let app = dir.open_app();
            scope.spawn(move || (0..200).for_each(|at| append_newest(&app, &format!("{n} {at}\n"), MOST).unwrap()));
        }
    });
    let text = fs::read_to_string(dir.app_path().join(NAME)).unwrap();
    assert!(text.len() as u64 <= MOST && text.len() > 1_500, "{}", text.len());
    // Of each thread the newest rows, without a gap.
    for n in 0..4 {
        let own = text.lines().filter_map(|row| row.strip_prefix(&format!("{n} "))).map(|at| at.parse().unwrap());
        let own: Vec<u32> = own.collect();
        assert!(own.windows(2).all(|pair| pair[1] == pair[0] + 1), "{n}: {own:?}");
        assert!(own.last().is_none_or(|last| *last == 199), "{n}: {own:?}");
    }
}

#[test]
fn failed_removal_of_the_older_half_leaves_the_file() {
    let dir = TestDir::new();
    let app = dir.open_app();
    append_newest(&app, "10\n20\n30\n40\n", 12).unwrap();
    let steps = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
    let seen = std::rc::Rc::clone(&steps);
    let record = move |step| {
        seen.borrow_mut().push(step);
        Err(io::Error::other("a test"))
    };
    assert!(with_failpoints(record, || append_newest(&app, "50\n", 12)).is_err());
    assert_eq!(*steps.borrow(), ["open log"]);
    for step in ["open log", "lock", "create", "write", "flush", "rename"] {
        let fail = move |at| if at == step { Err(io::Error::other("a test")) } else { Ok(()) };
        let _failed = with_failpoints(fail, || append_newest(&app, "50\n", 12));
        let text = fs::read_to_string(dir.app_path().join(NAME)).unwrap();
        assert!(text == "10\n20\n30\n40\n" || text == "40\n50\n", "{step}: {text}");
        fs::write(dir.app_path().join(NAME), "10\n20\n30\n40\n").unwrap();
    }
}

#[test]
fn threads_append_whole_rows() {
    let dir = TestDir::new();
    thread::scope(|scope| {
        for n in 0..8 {
            let app = dir.open_app();
            scope.spawn(move || {
                (0..25).for_each(|_| append(&app, &format!("{}\n", n.to_string().repeat(9_000))).unwrap());
            });
        }
    });
    let rows = forwards(&dir.open_app());
    assert_eq!(rows.len(), 200);
    assert!(rows.iter().flatten().all(|row| row.len() == 9_000 && row.iter().all(|byte| *byte == row[0])));
}

#[test]
fn visit_ends_where_its_caller_wants_and_passes_over_long_rows() {
    let dir = TestDir::new();
    let long = "x".repeat(MAX_JSONL_LINE_BYTES + 1);
    let longest = "y".repeat(MAX_JSONL_LINE_BYTES);
    dir.write_file(NAME, format!("1\n{long}\n\r\n 2\r\n{longest}\n3"));
    let app = dir.open_app();
    let expected = [Some(b"1".to_vec()), None, Some(b" 2".to_vec()), Some(longest.into_bytes()), Some(b"3".to_vec())];
    assert!(forwards(&app) == expected);
    assert!(backwards(&app) == expected);
    let mut n_rows = 0;
    let mut once = |_: VisitedRow<'_>| {
        n_rows += 1;
        ControlFlow::Break(())
    };
    app.visit_rows(NAME, &|| false, &mut once).unwrap();
    app.visit_rows_backwards(NAME, &|| false, &mut once).unwrap();
    assert_eq!(n_rows, 2);
    let go_on = |_: VisitedRow<'_>| ControlFlow::Continue(());
    let cancelled = [app.visit_rows(NAME, &|| true, go_on), app.visit_rows_backwards(NAME, &|| true, go_on)];
    assert!(cancelled.iter().all(|visited| matches!(visited, Err(AppDirError::Cancelled(_)))), "{cancelled:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn both_directions_visit_the_same_rows(
        lines in proptest::collection::vec((0_usize..40_000, prop_oneof![Just("\n"), Just("\r\n"), Just("\n \n")]), 0..12),
        tail in 0_usize..FILE_READ_CHUNK_BYTES * 2,
    ) {
        let dir = TestDir::new();
        let text: String = lines.iter().map(|(len, end)| "a".repeat(*len) + end).collect::<String>() + &"b".repeat(tail);
        dir.write_file(NAME, &text);
        let app = dir.open_app();
        let rows = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).filter(|line| !line.trim().is_empty());
        let expected: Vec<_> = rows.map(|line| Some(line.as_bytes().to_vec())).collect();
        prop_assert!(forwards(&app) == expected);
        prop_assert!(backwards(&app) == expected);
    }
}

#[test]
fn changed_file_is_not_replaced() {
    let dir = TestDir::new();
    let (app, path) = (dir.open_app(), dir.write_file("a.md", "old"));
    assert!(app.write_if_unchanged("a.md", b"new", b"old").unwrap());
    assert!(!app.write_if_unchanged("a.md", b"newer", b"old").unwrap());
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    // At the last moment, before the names are exchanged: by a write in place, and by another file.
    for replaces in [false, true] {
        fs::write(&path, "new").unwrap();
        let (target, is_done) = (path.clone(), Cell::new(false));
        let interfere = move |step| {
            if step == "exchange" && !is_done.replace(true) {
                if replaces {
                    fs::write(target.with_extension("x"), "theirs")?;
                    fs::rename(target.with_extension("x"), &target)?;
                } else {
                    fs::write(&target, "theirs")?;
                }
            }
            Ok(())
        };
        let replaced = with_failpoints(interfere, || app.write_if_unchanged("a.md", b"ours", b"new"));
        assert!(!replaced.unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
    }
    // Nothing is left beside it.
    assert_eq!(app.entries(100).unwrap().len(), 1);
}

#[test]
fn changed_file_is_not_removed() {
    let dir = TestDir::new();
    let (app, path) = (dir.open_app(), dir.write_file("a.md", "old"));
    let remove = || app.remove_if("a.md", 100, |bytes| bytes == b"old");
    fs::write(&path, "theirs").unwrap();
    assert!(!remove().unwrap());
    assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
    // At the last moment, before the file is moved aside, and before it is removed there.
    for (at, replaces) in [("rename to a free name", false), ("rename to a free name", true), ("remove", true)] {
        fs::write(&path, "old").unwrap();
        let (target, is_done) = (path.clone(), Cell::new(false));
        let interfere = move |step| {
            if step == at && !is_done.replace(true) {
                if replaces {
                    fs::write(target.with_extension("x"), "theirs")?;
                    fs::rename(target.with_extension("x"), &target)?;
                } else {
                    fs::write(&target, "theirs")?;
                }
            }
            Ok(())
        };
        let removed = with_failpoints(interfere, remove).unwrap();
        // What took the free name is another file.
        assert_eq!(removed, at == "remove");
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs", "{at}");
        assert_eq!(app.entries(100).unwrap().len(), 1, "{at}");
    }
    fs::write(&path, "old").unwrap();
    assert!(remove().unwrap() && remove().unwrap());
    assert!(app.entries(100).unwrap().is_empty());
}

#[test]
fn removal_goes_on_after_a_crash() {
    let dir = TestDir::new();
    let app = dir.open_app();
    let remove = || app.remove_if("a.md", 100, |bytes| bytes == b"old");
    for (moved, name, expected) in [
        ("old", None, None),
        ("theirs", None, Some("theirs")),
        ("theirs", Some("newer"), Some("newer")),
        ("old", Some("newer"), Some("newer")),
    ] {
        let aside = dir.write_file(".a.md.removed", moved);
        let path = dir.app_path().join("a.md");
        let _ = fs::remove_file(&path);
        if let Some(text) = name {
            fs::write(&path, text).unwrap();
        }
        assert_eq!(remove().unwrap(), expected.is_none(), "{moved}, {name:?}");
        assert_eq!(fs::read_to_string(&path).ok().as_deref(), expected);
        // What another program wrote is under one of both names.
        assert_eq!(aside.exists(), moved == "theirs" && name.is_some());
        let _ = fs::remove_file(aside);
    }
}
