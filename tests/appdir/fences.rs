//! Locks that are lost, as on a file system whose network was cut: nothing that they protected is committed any more.

use std::fs;
use std::path::Path;
use std::time::Duration;

use wardroom_appdir::{AppDirError, FileLock, Folder, Privacy, PublishMode, with_failpoints, with_shared_file_system};

use super::changes::{State, state};
use super::containment::kind;
use wardroom_test_support::TestDir;

const LOCK: &str = "the.lock";
const OLD: &[u8] = b"old";
const NEW: &[u8] = b"new";

type Commit = fn(&Folder) -> Result<(), AppDirError>;

/// Every way to commit something, each of which changes what `prepare` writes.
const COMMITS: [(&str, Commit); 13] = [
    ("write", |app| app.write("file", NEW, Privacy::Shared)),
    ("write below", |app| app.write("sub/file", NEW, Privacy::Shared)),
    ("write without a flush", |app| app.write_unflushed("file", NEW, Privacy::Shared)),
    ("create", |app| app.create_file("new", NEW, Privacy::Shared)),
    ("create without a flush", |app| app.create_unflushed("new", NEW, Privacy::Shared)),
    ("replace", |app| app.replace_if_unchanged("file", NEW, OLD).map(drop)),
    ("replace text", |app| app.write_if_unchanged("file", NEW, OLD).map(drop)),
    ("remove", |app| app.remove_file("file")),
    ("remove what is expected", |app| app.remove_if("file", 100, |bytes| bytes == OLD).map(drop)),
    ("remove a tree", |app| app.remove_tree("sub")),
    ("publish a tree", |app| publish(app, "new", PublishMode::New)),
    ("replace a tree", |app| publish(app, "sub", PublishMode::Replace)),
    ("create a journal", |app| app.create_journal("journal", Privacy::Owner).map(drop)),
];

fn publish(app: &Folder, name: &str, how: PublishMode) -> Result<(), AppDirError> {
    let staged = app.stage_tree(name)?;
    staged.folder().write("file", NEW, Privacy::Shared)?;
    staged.publish(how)
}

fn prepare() -> (TestDir, Folder) {
    let dir = TestDir::new();
    dir.write_file("file", OLD);
    dir.write_file("sub/file", OLD);
    let app = dir.open_app();
    (dir, app)
}

/// Returns everything below the AppDir but the lock.
fn state_of(dir: &TestDir) -> State {
    let mut state = state(&dir.app_path());
    state.remove(LOCK);
    state
}

/// Lets another machine take the lock: it writes its mark into the file, or into another file of that name.
fn take_over(app: &Path, replaces: bool) {
    if replaces {
        fs::remove_file(app.join(LOCK)).unwrap();
    }
    fs::write(app.join(LOCK), "0123456789abcdef").unwrap();
}

#[test]
fn nothing_is_committed_under_a_lost_lock() {
    for (what, commit) in COMMITS {
        for replaces in [false, true] {
            with_shared_file_system(|| {
                let (dir, app) = prepare();
                let before = state_of(&dir);
                let lock: FileLock = app.lock(LOCK).unwrap();
                take_over(&dir.app_path(), replaces);
                assert_eq!(kind(&commit(&app).unwrap_err()), "Locked", "{what}");
                assert_eq!(state_of(&dir), before, "{what}");
                // A lock beside it does not help.
                let other = app.lock("other.lock").unwrap();
                assert_eq!(kind(&commit(&app).unwrap_err()), "Locked", "{what}");
                drop((lock, other));
                fs::remove_file(dir.app_path().join("other.lock")).unwrap();
                commit(&app).unwrap_or_else(|error| panic!("{what}: {error}"));
                assert_ne!(state_of(&dir), before, "{what}");
            });
        }
    }
}

#[test]
fn everything_is_committed_under_a_lock_that_is_held() {
    for (what, commit) in COMMITS {
        with_shared_file_system(|| {
            let (dir, app) = prepare();
            let _lock = app.lock(LOCK).unwrap();
            commit(&app).unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_ne!(state_of(&dir), state_of(&prepare().0), "{what}");
        });
    }
    // Where no other machine can take a lock, its file stays empty.
    let (dir, app) = prepare();
    let lock = app.lock(LOCK).unwrap();
    assert_eq!(fs::read(dir.app_path().join(LOCK)).unwrap(), b"");
    take_over(&dir.app_path(), false);
    app.write("file", NEW, Privacy::Shared).unwrap();
    drop(lock);
}

/// The lock of another thread is no concern of this one.
#[test]
fn lost_lock_concerns_its_thread() {
    let (dir, app) = prepare();
    std::thread::scope(|scope| {
        let (taken, is_taken) = std::sync::mpsc::channel();
        let (written, is_written) = std::sync::mpsc::channel::<()>();
        let (app, dir) = (&app, &dir);
        scope.spawn(move || {
            with_shared_file_system(|| {
                let _lock = app.lock(LOCK).unwrap();
                take_over(&dir.app_path(), false);
                taken.send(()).unwrap();
                is_written.recv_timeout(Duration::from_secs(20)).unwrap();
                assert_eq!(kind(&app.write("file", OLD, Privacy::Shared).unwrap_err()), "Locked");
            });
        });
        is_taken.recv_timeout(Duration::from_secs(20)).unwrap();
        with_shared_file_system(|| app.write("file", NEW, Privacy::Shared).unwrap());
        written.send(()).unwrap();
    });
    assert_eq!(fs::read(dir.app_path().join("file")).unwrap(), NEW);
}

const JOURNAL: &str = "journal";

#[test]
fn journal_that_another_machine_took_over_gets_no_line() {
    for takes_over in [
        |path: &Path| fs::write(path, "first\ntheirs\n").unwrap(),
        |path: &Path| fs::rename(path, path.with_file_name("journal.over")).unwrap(),
        |path: &Path| {
            fs::remove_file(path).unwrap();
            fs::write(path, "first\n").unwrap();
        },
    ] {
        with_shared_file_system(|| {
            let (dir, app) = prepare();
            let path = dir.app_path().join(JOURNAL);
            let mut journal = app.create_journal(JOURNAL, Privacy::Owner).unwrap();
            journal.append(b"first\n").unwrap();
            takes_over(&path);
            let theirs = state_of(&dir);
            assert_eq!(kind(&journal.append(b"ours\n").unwrap_err()), "Locked");
            assert_eq!(kind(&journal.rename("journal.over").unwrap_err()), "Locked");
            assert!(!journal.relock().unwrap());
            assert_eq!(kind(&journal.remove().unwrap_err()), "Locked");
            assert_eq!(state_of(&dir), theirs);
        });
    }
}

/// A journal of its own protects nothing of what the lock protects that it was opened under.
#[test]
fn journal_that_was_opened_under_a_lost_lock_gets_no_line() {
    with_shared_file_system(|| {
        let (dir, app) = prepare();
        app.create_journal(JOURNAL, Privacy::Owner).unwrap().append(b"first\n").unwrap();
        let mut beside = app.open_journal(JOURNAL).unwrap();
        let lock = app.lock(LOCK).unwrap();
        drop(beside);
        let mut journal = app.open_journal(JOURNAL).unwrap();
        take_over(&dir.app_path(), false);
        assert_eq!(kind(&journal.append(b"ours\n").unwrap_err()), "Locked");
        assert_eq!(kind(&journal.rename("journal.over").unwrap_err()), "Locked");
        assert_eq!(fs::read(dir.app_path().join(JOURNAL)).unwrap(), b"first\n");
        // A journal that was opened before concerns no lock.
        drop((lock, journal));
        beside = app.open_journal(JOURNAL).unwrap();
        let _lock = app.lock(LOCK).unwrap();
        take_over(&dir.app_path(), false);
        beside.append(b"second\n").unwrap();
    });
}

/// The lines that another machine appended after the torn end of a killed writer are not cut off with it.
#[test]
fn torn_journal_that_another_machine_took_over_is_not_cut() {
    with_shared_file_system(|| {
        let (dir, app) = prepare();
        let path = dir.app_path().join(JOURNAL);
        fs::write(&path, "first\nto").unwrap();
        let mut journal = app.open_journal(JOURNAL).unwrap();
        fs::write(&path, "first\nsecond\n").unwrap();
        assert_eq!(kind(&journal.append(b"ours\n").unwrap_err()), "Locked");
        assert_eq!(fs::read(&path).unwrap(), b"first\nsecond\n");
    });
}

/// A write that fails may reach the disk late, and so does a cut.
#[test]
fn nothing_is_cut_after_a_failed_write() {
    with_shared_file_system(|| {
        let (dir, app) = prepare();
        let mut journal = app.create_journal(JOURNAL, Privacy::Owner).unwrap();
        journal.append(b"first\n").unwrap();
        let fails = |step| match step {
            "write" => Err(std::io::ErrorKind::NotConnected.into()),
            "cut" => panic!("the journal is cut"),
            _ => Ok(()),
        };
        assert_eq!(kind(&with_failpoints(fails, || journal.append(b"second\n")).unwrap_err()), "Io");
        let appended = with_failpoints(fails, || app.append_rows("rows", b"{}\n", Privacy::Owner, 100));
        assert_eq!(kind(&appended.unwrap_err()), "Io");
        // The journal that no other process was told of goes all the same.
        journal.discard().unwrap();
        assert!(!dir.app_path().join(JOURNAL).exists());

        let mut journal = app.create_journal(JOURNAL, Privacy::Owner).unwrap();
        journal.append(b"first\n").unwrap();
        let fails = |step| if step == "flush" { Err(std::io::ErrorKind::NotConnected.into()) } else { Ok(()) };
        assert_eq!(kind(&with_failpoints(fails, || journal.flush()).unwrap_err()), "Io");
        assert_eq!(kind(&journal.append(b"second\n").unwrap_err()), "Locked");
    });
}

/// While a copy is flushed, which may take long, another machine can take the journal over.
#[test]
fn copy_of_a_journal_takes_the_place_of_none_that_another_machine_has() {
    with_shared_file_system(|| {
        let (dir, app) = prepare();
        let path = dir.app_path().join(JOURNAL);
        let mut journal = app.create_journal(JOURNAL, Privacy::Owner).unwrap();
        journal.append(b"first\n").unwrap();
        let fails = |step| if step == "flush" { Err(std::io::ErrorKind::NotConnected.into()) } else { Ok(()) };
        with_failpoints(fails, || journal.flush()).unwrap_err();
        drop(journal);
        let mut journal = app.open_journal(JOURNAL).unwrap();
        let taken = path.clone();
        let takes_over = move |step| {
            if step == "flush" {
                fs::write(&taken, "first\nsecond\n")?;
            }
            Ok(())
        };
        assert_eq!(kind(&with_failpoints(takes_over, || journal.flush()).unwrap_err()), "Locked");
        assert_eq!(fs::read(&path).unwrap(), b"first\nsecond\n");
        assert_eq!(
            fs::read_dir(path.parent().unwrap())
                .unwrap()
                .filter(|entry| { entry.as_ref().unwrap().file_name().to_string_lossy().ends_with(".tmp") })
                .count(),
            0
        );
    });
}

/// After an error another machine may have the journal, even if its length is that of before.
#[test]
fn journal_whose_write_failed_gets_no_line() {
    with_shared_file_system(|| {
        let (dir, app) = prepare();
        let mut journal = app.create_journal(JOURNAL, Privacy::Owner).unwrap();
        journal.append(b"first\n").unwrap();
        let fails = |step| if step == "write" { Err(std::io::ErrorKind::NotConnected.into()) } else { Ok(()) };
        assert_eq!(kind(&with_failpoints(fails, || journal.append(b"second\n")).unwrap_err()), "Io");
        assert_eq!(kind(&journal.append(b"third\n").unwrap_err()), "Locked");
        assert!(!journal.relock().unwrap());
        drop(journal);
        // The next process that opens it goes on.
        let mut journal = app.open_journal(JOURNAL).unwrap();
        journal.append(b"third\n").unwrap();
        assert_eq!(fs::read(dir.app_path().join(JOURNAL)).unwrap(), b"first\nthird\n");
        drop(journal);
        // What a killed writer left is cut off.
        fs::write(dir.app_path().join(JOURNAL), "first\nto").unwrap();
        let mut journal = app.open_journal(JOURNAL).unwrap();
        journal.append(b"second\n").unwrap();
        journal.append(b"third\n").unwrap();
        assert_eq!(fs::read(dir.app_path().join(JOURNAL)).unwrap(), b"first\nsecond\nthird\n");
    });
}
