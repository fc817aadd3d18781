//! Files whose rows are followed, compared with a reader that has no memory.

use std::cell::Cell;
use std::fs;
use std::io::Write as _;
use std::ops::ControlFlow;

use proptest::prelude::*;
use wardroom_appdir::{AppDirError, Folder, FollowedRow, RowFollower, VisitedRow};
use wardroom_test_support::TestDir;

const NAME: &str = "log.jsonl";

/// The rows that a follower reported since the last restart, and how often it began anew.
#[derive(Default)]
struct FollowedFile {
    follower: RowFollower,
    rows: Vec<Vec<u8>>,
    restarts: usize,
}

impl FollowedFile {
    fn look(&mut self, app: &Folder) -> Result<(), AppDirError> {
        let Self { follower, rows, restarts } = self;
        follower.visit_new(app, NAME, &|| false, |row| match row {
            FollowedRow::Restart => {
                rows.clear();
                *restarts += 1;
            }
            FollowedRow::Next(VisitedRow::Row(bytes)) => rows.push(bytes.to_vec()),
            FollowedRow::Next(VisitedRow::TooLong) => rows.push(b"too long".to_vec()),
        })
    }
}

fn all_rows(app: &Folder) -> Vec<Vec<u8>> {
    let mut rows = Vec::new();
    let visit = |row: VisitedRow<'_>| {
        let VisitedRow::Row(bytes) = row else { panic!("a row is too long") };
        rows.push(bytes.to_vec());
        ControlFlow::Continue(())
    };
    app.visit_rows(NAME, &|| false, visit).unwrap();
    rows
}

#[track_caller]
fn append(dir: &TestDir, text: &str) {
    let mut file = fs::OpenOptions::new().append(true).open(dir.app_path().join(NAME)).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

#[test]
fn appended_rows_are_reported_once() {
    let dir = TestDir::new();
    dir.write_file(NAME, "1\n\n2\n");
    let (app, mut followed) = (dir.open_app(), FollowedFile::default());
    for (added, expected) in [("", "1 2"), ("3\n4", "1 2 3 4"), ("", "1 2 3 4"), ("\n5\n", "1 2 3 4 5")] {
        append(&dir, added);
        followed.look(&app).unwrap();
        let shown: Vec<&str> = followed.rows.iter().map(|row| std::str::from_utf8(row).unwrap()).collect();
        assert_eq!(shown.join(" "), expected);
    }
    assert_eq!(followed.restarts, 1);
    // A row that was cut where it was read is another row now.
    append(&dir, "6");
    followed.look(&app).unwrap();
    append(&dir, "7\n");
    followed.look(&app).unwrap();
    assert_eq!((followed.rows.last().unwrap().as_slice(), followed.restarts), (b"67".as_slice(), 2));
}

#[test]
fn changed_file_is_read_from_its_start() {
    let dir = TestDir::new();
    let path = dir.app_path().join(NAME);
    fs::write(&path, "1\n2\n").unwrap();
    let (app, mut followed) = (dir.open_app(), FollowedFile::default());
    followed.look(&app).unwrap();
    // Edited in place with one length, cut, edited and grown, and replaced by a file that begins with the same bytes.
    for (n, text) in ["1\n3\n", "1\n", "9\n3\n4\n"].into_iter().enumerate() {
        fs::write(&path, text).unwrap();
        followed.look(&app).unwrap();
        assert_eq!((&followed.rows, followed.restarts), (&all_rows(&app), n + 2), "{text:?}");
    }
    fs::rename(dir.write_file("other", "9\n3\n4\n5\n"), &path).unwrap();
    followed.look(&app).unwrap();
    assert_eq!((followed.rows.len(), followed.restarts), (4, 5));
    fs::remove_file(&path).unwrap();
    assert!(matches!(followed.look(&app), Err(AppDirError::NotFound(_))));
    fs::write(&path, "1\n").unwrap();
    followed.look(&app).unwrap();
    assert_eq!((followed.rows.len(), followed.restarts), (1, 6));
}

#[test]
fn settled_file_that_is_unchanged_is_not_read_again() {
    let dir = TestDir::new();
    dir.write_file(NAME, "1\n2\n");
    let (app, mut follower, n_chunks) = (dir.open_app(), RowFollower::default(), Cell::new(0));
    let mut look = || {
        n_chunks.set(0);
        let stop = || {
            n_chunks.set(n_chunks.get() + 1);
            false
        };
        follower.visit_new(&app, NAME, &stop, |_| ()).unwrap();
        n_chunks.get()
    };
    assert_eq!(look(), 1);
    // A change within the same tick of the clock would not show in the metadata: the bytes are compared.
    assert_eq!(look(), 1);
    dir.wait_until_settled(NAME);
    assert_eq!((look(), look()), (1, 0));
}

#[test]
fn cancelled_reader_begins_anew() {
    let dir = TestDir::new();
    dir.write_file(NAME, "1\n2\n");
    let (app, mut followed) = (dir.open_app(), FollowedFile::default());
    followed.look(&app).unwrap();
    append(&dir, "3\n");
    let cancelled = followed.follower.visit_new(&app, NAME, &|| true, |_| ());
    assert!(matches!(cancelled, Err(AppDirError::Cancelled(_))), "{cancelled:?}");
    followed.look(&app).unwrap();
    assert_eq!((followed.rows.len(), followed.restarts), (3, 2));
}

#[derive(Debug, Clone)]
enum Change {
    Append(String),
    Rewrite(String),
    Replace(String),
    Cut(usize),
    Overwrite(usize, u8),
}

fn change() -> impl Strategy<Value = Change> {
    let text = "[ab \n\r]{0,12}";
    prop_oneof![
        4 => text.prop_map(Change::Append),
        1 => text.prop_map(Change::Rewrite),
        1 => text.prop_map(Change::Replace),
        1 => (0_usize..20).prop_map(Change::Cut),
        2 => (0_usize..20, prop_oneof![Just(b'x'), Just(b'\n')]).prop_map(|(at, byte)| Change::Overwrite(at, byte)),
    ]
}

proptest! {
    #[test]
    fn followed_rows_are_those_of_the_file(changes in proptest::collection::vec(change(), 1..12)) {
        let dir = TestDir::new();
        let path = dir.app_path().join(NAME);
        fs::write(&path, "").unwrap();
        let (app, mut followed) = (dir.open_app(), FollowedFile::default());
        for change in changes {
            let mut bytes = fs::read(&path).unwrap();
            match &change {
                Change::Append(text) => append(&dir, text),
                Change::Rewrite(text) => fs::write(&path, text).unwrap(),
                Change::Replace(text) => fs::rename(dir.write_file("other", text), &path).unwrap(),
                Change::Cut(len) => {
                    bytes.truncate(*len);
                    fs::write(&path, &bytes).unwrap();
                }
                Change::Overwrite(at, byte) => {
                    if let Some(old) = bytes.get_mut(*at) {
                        *old = *byte;
                    }
                    fs::write(&path, &bytes).unwrap();
                }
            }
            followed.look(&app).unwrap();
            prop_assert_eq!(&followed.rows, &all_rows(&app), "{:?}", change);
        }
    }
}
