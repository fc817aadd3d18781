//! Journals: only whole lines, one writer at a time, despite crashes and I/O errors.

use std::cell::RefCell;
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::rc::Rc;

use rustix::io::Errno;
use rustix::process::{Signal, getpid, kill_process};
use wardroom_appdir::limits::MAX_JOURNAL_BYTES;
use wardroom_appdir::{Access, AppDirError, Folder, JournalFile, Privacy, ambient, with_failpoints};

use super::containment::kind;
use super::roles::{self, kill, print_line, start_ready};
use wardroom_test_support::TestDir;

const NAME: &str = "runs/journal";
const OLD: &str = "first\nsecond\n";
const TORN: &str = "first\nsecond\nthi";
const NEW: &str = "first\nsecond\nthird\nfourth\n";

#[cfg(target_os = "linux")]
const CREATE: &[&str] = &["create temporary", "lock", "rename to a free name"];
#[cfg(not(target_os = "linux"))]
const CREATE: &[&str] = &["create temporary", "lock", "link", "unlink"];

/// One change of a journal: the content before, in between (if that differs) and after, and its steps.
struct Change {
    name: &'static str,
    before: Option<&'static str>,
    between: Option<&'static str>,
    after: &'static str,
    steps: &'static [&'static str],
    make: fn(&Folder) -> Result<(), AppDirError>,
}

const CHANGES: [Change; 3] = [
    Change {
        name: "create",
        before: None,
        between: None,
        after: "",
        steps: CREATE,
        make: |folder| folder.create_journal(NAME, Privacy::Owner).map(drop),
    },
    Change {
        name: "append",
        before: Some(OLD),
        between: None,
        after: NEW,
        steps: &["open journal", "lock", "write", "flush", "flush names"],
        make: append,
    },
    Change {
        name: "append-to-torn",
        before: Some(TORN),
        between: Some(OLD),
        after: NEW,
        steps: &["open journal", "lock", "cut", "write", "flush", "flush names"],
        make: append,
    },
];

fn append(folder: &Folder) -> Result<(), AppDirError> {
    let mut journal = folder.open_journal(NAME)?;
    journal.append(b"third\nfourth\n")?;
    journal.flush()
}

impl Change {
    fn prepare(&self) -> TestDir {
        let dir = TestDir::new();
        dir.open_app().create_folder("runs").unwrap();
        if let Some(before) = self.before {
            dir.write_file(NAME, before);
        }
        dir
    }

    fn is_allowed(&self, found: Option<&str>) -> bool {
        found == self.before || found == Some(self.after) || self.between.is_some() && found == self.between
    }
}

fn text(dir: &TestDir) -> Option<String> {
    fs::read_to_string(dir.app_path().join(NAME)).ok()
}

fn lines(journal: &JournalFile) -> String {
    String::from_utf8(journal.read(1 << 20).unwrap()).unwrap()
}

/// Runs a child's role.
pub(super) fn run_role(what: &str, folder: &Path) {
    let folder = ambient::open_folder(&folder.join("app"), Access::ReadWrite).unwrap();
    match what.split_once(' ').unwrap_or((what, "")) {
        ("hold", _) => {
            let _journal = folder.open_journal(NAME).unwrap();
            print_line("ready");
            loop {
                std::thread::park();
            }
        }
        ("append-many", _) => {
            let mut journal = folder.open_journal(NAME).unwrap();
            print_line("ready");
            for n in 0..MAX_JOURNAL_BYTES {
                journal.append(line(n).as_bytes()).unwrap();
            }
        }
        ("die", when) => {
            let (at, what) = when.split_once(' ').unwrap();
            let (at, mut number) = (at.parse::<usize>().unwrap(), 0);
            let die = move |_| {
                if number == at {
                    kill_process(getpid(), Signal::KILL).unwrap();
                }
                number += 1;
                Ok(())
            };
            let change = CHANGES.iter().find(|change| change.name == what).unwrap();
            with_failpoints(die, || (change.make)(&folder)).unwrap();
        }
        other => panic!("no such role: {other:?}"),
    }
}

/// Returns a line whose every part identifies it.
fn line(n: u64) -> String {
    format!("{}\n", format!("{n},").repeat(1 + usize::try_from(n % 97).unwrap() * 50))
}

#[test]
fn appended_lines_are_visible_at_once_and_after_reopen() {
    let dir = TestDir::new();
    let folder = dir.open_app().create_folder("runs").unwrap();
    let mut journal = folder.create_journal("journal", Privacy::Owner).unwrap();
    assert!(journal.is_empty() && lines(&journal).is_empty());
    journal.append(b"first\n").unwrap();
    journal.append(b"second\n\nfourth\n").unwrap();
    assert_eq!(text(&dir).unwrap(), "first\nsecond\n\nfourth\n");
    journal.flush().unwrap();
    journal.flush().unwrap();
    assert_eq!((journal.len(), lines(&journal)), (21, text(&dir).unwrap()));
    drop(journal);
    let mut journal = folder.open_journal("journal").unwrap();
    journal.append(b"fifth\n").unwrap();
    assert_eq!(lines(&journal), "first\nsecond\n\nfourth\nfifth\n");
    let read = journal.read(journal.len() - 1).unwrap_err();
    assert!(matches!(read, AppDirError::TooLarge { len: 27, limit: 26, .. }), "{read}");
    journal.remove().unwrap();
    assert_eq!(text(&dir), None);
    // No other file is left in the folder.
    assert_eq!(fs::read_dir(dir.app_path().join("runs")).unwrap().count(), 0);
}

/// The system reports once that it could not write, and takes what it has of the file for written.
#[test]
fn lines_are_written_once_more_after_a_flush_failed() {
    let dir = TestDir::new();
    let folder = dir.open_app().create_folder("runs").unwrap();
    let mut journal = folder.create_journal("journal", Privacy::Owner).unwrap();
    journal.append(b"first\n").unwrap();
    let inode = || fs::metadata(dir.app_path().join("runs/journal")).unwrap().ino();
    let before = inode();
    let fails = |step: &str| if step == "flush" { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) };
    // A copy that cannot be flushed leaves the file.
    for _ in 0..2 {
        with_failpoints(fails, || journal.flush()).unwrap_err();
        assert_eq!((inode(), text(&dir).unwrap()), (before, "first\n".to_owned()));
    }
    // Another value that opens the file does not hear of the failure either.
    drop(journal);
    let mut journal = folder.open_journal("journal").unwrap();
    journal.flush().unwrap();
    assert_ne!(inode(), before);
    journal.append(b"second\n").unwrap();
    journal.flush().unwrap();
    assert_eq!(text(&dir).unwrap(), "first\nsecond\n");
    assert!(matches!(folder.open_journal("journal"), Err(AppDirError::Locked(_))));
    drop(journal);
    assert_eq!(lines(&folder.open_journal("journal").unwrap()), "first\nsecond\n");
    assert_eq!(fs::read_dir(dir.app_path().join("runs")).unwrap().count(), 1);
}

#[test]
fn private_journal_has_owner_only_mode() {
    let dir = TestDir::new();
    let folder = dir.open_app();
    drop(folder.create_journal("private", Privacy::Owner).unwrap());
    drop(folder.create_journal("shared", Privacy::Shared).unwrap());
    dir.write_file("reference", "");
    let mode = |name: &str| fs::metadata(dir.app_path().join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("private"), mode("shared")), (0o600, mode("reference")));
}

#[test]
fn name_without_journal_is_refused() {
    let dir = TestDir::new();
    dir.write_file("file", OLD);
    dir.write_file("sub/file", OLD);
    fs::write(dir.root().join("out"), OLD).unwrap();
    symlink("../out", dir.app_path().join("link")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, dir.app_path().join("pipe"), rustix::fs::Mode::RWXU).unwrap();
    let folder = dir.open_app();
    let open = |name: &str| folder.open_journal(name).map(drop).map_err(|error| kind(&error));
    let create = |name: &str| folder.create_journal(name, Privacy::Owner).map(drop).map_err(|error| kind(&error));
    for (name, opened, created) in [
        ("file", Ok(()), Err("AlreadyExists")),
        ("sub/file", Ok(()), Err("AlreadyExists")),
        ("sub", Err("NotRegularFile"), Err("AlreadyExists")),
        ("pipe", Err("NotRegularFile"), Err("AlreadyExists")),
        ("link", Err("OutsideRoot"), Err("AlreadyExists")),
        ("../out", Err("OutsideRoot"), Err("OutsideRoot")),
        ("missing", Err("NotFound"), Ok(())),
        ("none/missing", Err("NotFound"), Err("NotFound")),
    ] {
        assert_eq!(open(name), opened, "{name}");
        assert_eq!(create(name), created, "{name}");
    }
    assert_eq!(fs::read_to_string(dir.root().join("out")).unwrap(), OLD);
    let read_only = ambient::open_folder(&dir.app_path(), Access::ReadOnly).unwrap();
    assert_eq!(read_only.open_journal("file").map(drop).map_err(|error| kind(&error)), Err("ReadOnly"));
    let created = read_only.create_journal("other", Privacy::Owner).map(drop);
    assert_eq!(created.map_err(|error| kind(&error)), Err("ReadOnly"));
}

#[test]
fn torn_tail_is_ignored_and_cut_before_append() {
    let long = "x".repeat(200_000);
    for (before, whole) in [
        (String::new(), ""),
        ("torn".to_owned(), ""),
        (long.clone(), ""),
        (TORN.to_owned(), OLD),
        (format!("{OLD}{long}"), OLD),
        ("\n".to_owned(), "\n"),
        (OLD.to_owned(), OLD),
    ] {
        let dir = TestDir::new();
        dir.write_file(NAME, &before);
        let mut journal = dir.open_app().open_journal(NAME).unwrap();
        assert_eq!((lines(&journal), journal.len()), (whole.to_owned(), whole.len() as u64));
        assert_eq!(text(&dir).unwrap(), before, "opening changes nothing");
        journal.append(b"next\n").unwrap();
        assert_eq!(text(&dir).unwrap(), format!("{whole}next\n"));
        assert_eq!(lines(&journal), format!("{whole}next\n"));
    }
}

#[test]
fn partial_line_is_refused() {
    let dir = TestDir::new();
    dir.write_file(NAME, OLD);
    let mut journal = dir.open_app().open_journal(NAME).unwrap();
    for half in ["", "third", "third\nfou"] {
        assert_eq!(journal.append(half.as_bytes()).map_err(|error| kind(&error)), Err("Io"), "{half}");
    }
    assert_eq!(text(&dir).unwrap(), OLD);
}

#[test]
fn journal_over_size_limit_is_refused() {
    let dir = TestDir::new();
    let path = dir.write_file(NAME, "");
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.set_len(MAX_JOURNAL_BYTES + 1).unwrap();
    assert_eq!(dir.open_app().open_journal(NAME).map(drop).map_err(|error| kind(&error)), Err("TooLarge"));
    file.set_len(0).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, b"\n", MAX_JOURNAL_BYTES - 3).unwrap();
    let mut journal = dir.open_app().open_journal(NAME).unwrap();
    assert_eq!(journal.len(), MAX_JOURNAL_BYTES - 2);
    assert_eq!(journal.append(b"xy\n").map_err(|error| kind(&error)), Err("TooLarge"));
    journal.append(b"x\n").unwrap();
    assert_eq!(journal.append(b"\n").map_err(|error| kind(&error)), Err("TooLarge"));
    assert_eq!(journal.len(), MAX_JOURNAL_BYTES);
}

#[test]
fn second_writer_is_refused_while_first_holds_lock() {
    let dir = TestDir::new();
    dir.write_file(NAME, OLD);
    let folder = dir.open_app();
    let refused = |folder: &Folder| folder.open_journal(NAME).map(drop).map_err(|error| kind(&error));
    let journal = folder.open_journal(NAME).unwrap();
    assert_eq!(refused(&dir.open_app()), Err("Locked"));
    drop(journal);
    let child = start_ready("journal hold", dir.root());
    assert_eq!(refused(&folder), Err("Locked"));
    // Reading needs no lock.
    assert_eq!(folder.read(NAME, 100).unwrap().bytes, OLD.as_bytes());
    kill(child);
    assert_eq!(refused(&folder), Ok(()));
    // Its creator holds the lock from the first moment on.
    let created = folder.create_journal("runs/new", Privacy::Owner).unwrap();
    assert_eq!(folder.open_journal("runs/new").map(drop).map_err(|error| kind(&error)), Err("Locked"));
    drop(created);
}

#[test]
fn journal_removed_before_locking_is_not_found() {
    for replaced in [false, true] {
        let dir = TestDir::new();
        let path = dir.write_file(NAME, OLD);
        let hook = move |step| {
            if step == "lock" {
                fs::remove_file(&path).unwrap();
                if replaced {
                    fs::write(&path, "another\n").unwrap();
                }
            }
            Ok(())
        };
        let opened = with_failpoints(hook, || dir.open_app().open_journal(NAME).map(drop));
        // A name that leads to another file each time is not waited for.
        let expected = if replaced { "Locked" } else { "NotFound" };
        assert_eq!(opened.map_err(|error| kind(&error)), Err(expected), "{replaced}");
    }
}

/// As after a failed flush, where the previous holder of the lock gave the name to a copy.
#[test]
fn journal_replaced_before_locking_is_opened() {
    let dir = TestDir::new();
    let path = dir.write_file(NAME, OLD);
    let is_replaced = std::cell::Cell::new(false);
    let hook = move |step| {
        if step == "lock" && !is_replaced.replace(true) {
            fs::remove_file(&path).unwrap();
            fs::write(&path, "copy\n").unwrap();
        }
        Ok(())
    };
    let opened = with_failpoints(hook, || dir.open_app().open_journal(NAME)).unwrap();
    assert_eq!(lines(&opened), "copy\n");
}

#[test]
fn every_step_has_failpoint() {
    for change in &CHANGES {
        let dir = change.prepare();
        let seen = Rc::new(RefCell::new(Vec::new()));
        let see = Rc::clone(&seen);
        let hook = move |step| {
            see.borrow_mut().push(step);
            Ok(())
        };
        with_failpoints(hook, || (change.make)(&dir.open_app())).unwrap();
        assert_eq!(*seen.borrow(), change.steps, "{}", change.name);
        assert_eq!(text(&dir).as_deref(), Some(change.after), "{}", change.name);
    }
}

#[test]
fn crash_at_any_step_leaves_whole_lines_and_no_lock() {
    for change in &CHANGES {
        for at in 0..=change.steps.len() {
            let dir = change.prepare();
            let status = roles::command(&format!("journal die {at} {}", change.name), dir.root()).status().unwrap();
            let died = status.signal() == Some(9);
            assert_eq!(died, at < change.steps.len(), "{} {at}: {status}", change.name);
            let found = text(&dir);
            assert!(change.is_allowed(found.as_deref()), "{} killed at {at}: {found:?}", change.name);
            // The next writer continues after the last whole line.
            let folder = dir.open_app();
            let mut journal = match &found {
                Some(_) => folder.open_journal(NAME).unwrap(),
                None => folder.create_journal(NAME, Privacy::Owner).unwrap(),
            };
            let whole = lines(&journal);
            assert!([change.before.map(|_| OLD), Some(change.after), Some("")].contains(&Some(&whole)), "{whole}");
            journal.append(b"next\n").unwrap();
            assert_eq!(text(&dir).unwrap(), format!("{whole}next\n"));
        }
    }
}

#[test]
fn io_error_at_any_step_leaves_whole_lines_and_retry_succeeds() {
    for change in &CHANGES {
        for (at, step) in change.steps.iter().enumerate() {
            for (errno, expected) in [(Errno::NOSPC, "DiskFull"), (Errno::MFILE, "TooManyOpenFiles"), (Errno::IO, "Io")]
            {
                let dir = change.prepare();
                let what = format!("{}, {step}, {errno}", change.name);
                let mut number = 0;
                let hook = move |_| {
                    number += 1;
                    if number == at + 1 { Err(errno.into()) } else { Ok(()) }
                };
                let made = with_failpoints(hook, || (change.make)(&dir.open_app())).map_err(|error| kind(&error));
                assert_eq!(made, if *step == "unlink" { Ok(()) } else { Err(expected) }, "{what}");
                let found = text(&dir);
                assert!(change.is_allowed(found.as_deref()), "{what}: {found:?}");
                // The written lines are there, but may not be durable.
                let written = step.starts_with("flush") || *step == "unlink";
                assert_eq!(found.as_deref() == Some(change.after), written, "{what}");
                if !written {
                    (change.make)(&dir.open_app()).unwrap();
                    assert_eq!(text(&dir).as_deref(), Some(change.after), "{what}");
                }
                let left = fs::read_dir(dir.app_path().join("runs")).unwrap().count();
                assert_eq!(left, 1 + usize::from(*step == "unlink"), "{what}");
            }
        }
    }
}

/// Two checks at once are no holder.
#[test]
fn check_of_a_lock_sees_its_holder_and_no_other_check() {
    let dir = TestDir::new();
    let path = dir.write_file(NAME, OLD);
    let app = dir.open_app();
    let other_check = fs::File::open(&path).unwrap();
    other_check.lock_shared().unwrap();
    assert!(!app.is_locked(NAME));
    drop(other_check);
    let journal = app.open_journal(NAME).unwrap();
    assert!(app.is_locked(NAME));
    drop(journal);
    assert!(!app.is_locked(NAME));
}

/// The open journal itself stays usable after an error: it need not be opened again.
#[test]
fn open_journal_accepts_append_after_io_error() {
    for step in ["write", "cut"] {
        let dir = TestDir::new();
        dir.write_file(NAME, TORN);
        let mut journal = dir.open_app().open_journal(NAME).unwrap();
        let refuse = move |at| if at == step { Err(Errno::NOSPC.into()) } else { Ok(()) };
        let (refused, journal) = with_failpoints(refuse, || (journal.append(b"lost\n"), journal));
        assert_eq!(refused.map_err(|error| kind(&error)), Err("DiskFull"), "{step}");
        assert_eq!(lines(&journal), OLD, "{step}");
        let mut journal = journal;
        journal.append(b"third\n").unwrap();
        assert_eq!(text(&dir).unwrap(), format!("{OLD}third\n"), "{step}");
    }
}

#[test]
fn killed_writer_leaves_lines_in_order() {
    for _ in 0..5 {
        let dir = TestDir::new();
        let path = dir.write_file(NAME, "");
        let child = start_ready("journal append-many", dir.root());
        while fs::metadata(&path).unwrap().len() < 100_000 {
            std::thread::yield_now();
        }
        kill(child);
        let journal = dir.open_app().open_journal(NAME).unwrap();
        let found = String::from_utf8(journal.read(MAX_JOURNAL_BYTES).unwrap()).unwrap();
        let mut expected = String::new();
        for n in 0.. {
            if expected.len() >= found.len() {
                break;
            }
            expected.push_str(&line(n));
        }
        assert!(found == expected && found.len() > 90_000, "{} bytes", found.len());
    }
}
