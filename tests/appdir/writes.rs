//! Writes: readers, other writers and a crash at any moment see a whole file, the old one or the new one.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Child;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, SystemTime};

use rustix::io::Errno;
use wardroom_appdir::{Access, AppDirError, Folder, Privacy, ambient, with_failpoints};

use super::StopOnDrop;
use super::containment::kind;
use super::roles::{kill, print_line, start, start_ready};
use wardroom_test_support::TestDir;

/// The number of files that each of several children tries to create.
const CREATED: usize = 50;

/// Returns content whose every part identifies it.
fn content(n: usize) -> Vec<u8> {
    format!("{n:08}\n").repeat(20_000 + n % 7 * 1000).into_bytes()
}

/// Returns the number of a content; fails for mixed or cut content.
#[track_caller]
fn number(bytes: &[u8]) -> usize {
    let n = std::str::from_utf8(bytes).unwrap().get(..8).unwrap().parse().unwrap();
    assert!(bytes == content(n), "a mixed or cut file of {} bytes", bytes.len());
    n
}

fn names(dir: &TestDir) -> Vec<String> {
    dir.open_app().entries(1000).unwrap().into_iter().map(|entry| entry.name).collect()
}

fn open(folder: &Path) -> Folder {
    ambient::open_folder(folder, Access::ReadWrite).unwrap()
}

/// The role of a writer that never ends.
pub(super) fn write_forever(folder: &Path) {
    let folder = open(folder);
    print_line("ready");
    for n in 1.. {
        folder.write("file", &content(n), Privacy::Shared).unwrap();
    }
}

/// The role of a process that tries to create many files.
pub(super) fn create_many(folder: &Path) {
    let folder = open(folder);
    for n in 0..CREATED {
        if folder.create_file(&format!("file-{n}"), &content(n), Privacy::Shared).is_ok() {
            print_line(&format!("created {n}"));
        }
    }
}

/// The role of a process that holds a lock.
pub(super) fn hold_lock(folder: &Path) {
    let _lock = open(folder).lock("the.lock").unwrap();
    print_line("ready");
    loop {
        thread::park();
    }
}

#[test]
fn written_file_is_whole_without_temp_files() {
    let dir = TestDir::new();
    let folder = dir.open_app();
    for bytes in [&b""[..], b"x", b"longer", b"y", &content(3)] {
        folder.write("file", bytes, Privacy::Shared).unwrap();
        assert_eq!(folder.read("file", 1 << 20).unwrap().bytes, bytes);
        assert_eq!(names(&dir), ["file"]);
    }
    folder.remove_file("file").unwrap();
    folder.create_file("file", b"new", Privacy::Shared).unwrap();
    assert_eq!(folder.read("file", 3).unwrap().bytes, b"new");
    assert_eq!(names(&dir), ["file"]);
}

#[test]
fn refused_change_keeps_old_content() {
    let dir = TestDir::new();
    dir.write_file("file", "old");
    dir.write_file("sub/below", "old");
    let folder = dir.open_app();
    for (result, expected) in [
        (folder.create_file("file", b"new", Privacy::Shared), "AlreadyExists"),
        (folder.create_file("sub", b"new", Privacy::Shared), "AlreadyExists"),
        (folder.write("sub", b"new", Privacy::Shared), "NotRegularFile"),
        (folder.write("file/below", b"new", Privacy::Shared), "NotFound"),
        (folder.write("missing/below", b"new", Privacy::Shared), "NotFound"),
        (folder.create_folder("file").map(drop), "NotAFolder"),
        (folder.remove_file("missing"), "NotFound"),
        (folder.remove_file("sub"), "NotRegularFile"),
        (folder.write("..", b"new", Privacy::Shared), "OutsideRoot"),
        (folder.write(".", b"new", Privacy::Shared), "Io"),
        (folder.write("sub/..", b"new", Privacy::Shared), "OutsideRoot"),
        (folder.create_file("sub/..", b"new", Privacy::Shared), "OutsideRoot"),
        (folder.create_file(".", b"new", Privacy::Shared), "AlreadyExists"),
        (folder.create_file("sub\0", b"new", Privacy::Shared), "NotFound"),
        (folder.create_file(&"x".repeat(250), b"new", Privacy::Shared), "NotFound"),
        (folder.remove_file(".."), "OutsideRoot"),
        (folder.remove_file("../out"), "OutsideRoot"),
        (folder.lock("sub").map(drop), "NotRegularFile"),
        (folder.lock("../x").map(drop), "OutsideRoot"),
        (folder.lock("x/").map(drop), "NotRegularFile"),
    ] {
        assert_eq!(result.map_err(|error| kind(&error)), Err(expected));
    }
    assert_eq!(names(&dir), ["file", "sub"]);
    assert_eq!(folder.read("file", 9).unwrap().bytes, b"old");
    assert_eq!(folder.read("sub/below", 9).unwrap().bytes, b"old");
}

#[test]
fn read_only_handle_refuses_changes() {
    let dir = TestDir::new();
    dir.write_file("sub/file", "old");
    let app = ambient::open_folder(&dir.app_path(), Access::ReadOnly).unwrap();
    for (folder, name) in [(app.clone(), "sub/file"), (app.open_folder("sub").unwrap(), "file")] {
        for (action, result) in [
            ("write", folder.write(name, b"new", Privacy::Shared)),
            ("create", folder.create_file("new", b"new", Privacy::Shared)),
            ("create_folder", folder.create_folder("new").map(drop)),
            ("remove", folder.remove_file(name)),
            ("lock", folder.lock("new.lock").map(drop)),
        ] {
            assert_eq!(result.map_err(|error| kind(&error)), Err("ReadOnly"), "{action}");
        }
        assert_eq!(folder.read(name, 9).unwrap().bytes, b"old");
    }
    assert_eq!(names(&dir), ["sub"]);
}

#[test]
fn private_file_has_owner_only_mode() {
    let dir = TestDir::new();
    let folder = dir.open_app();
    let mode = |name: &str| fs::metadata(dir.app_path().join(name)).unwrap().permissions().mode() & 0o777;
    folder.write("written", b"x", Privacy::Owner).unwrap();
    folder.create_file("created", b"x", Privacy::Owner).unwrap();
    // Replacing a file that others could read does not let them read the new one.
    fs::set_permissions(dir.write_file("open", "x"), fs::Permissions::from_mode(0o666)).unwrap();
    folder.write("open", b"x", Privacy::Owner).unwrap();
    for name in ["written", "created", "open"] {
        assert_eq!(mode(name), 0o600, "{name}");
    }
    // The umask of a test run is unknown, but it also applies to a file of the standard library.
    folder.write("shared", b"x", Privacy::Shared).unwrap();
    dir.write_file("reference", "x");
    assert_eq!(mode("shared"), mode("reference"));
}

#[test]
fn create_folder_creates_parents() {
    let dir = TestDir::new();
    let folder = dir.open_app();
    for _ in 0..2 {
        folder.create_folder("a/b/c").unwrap().write("file", b"x", Privacy::Shared).unwrap();
    }
    assert_eq!(folder.read("a/b/c/file", 1).unwrap().bytes, b"x");
    symlink("a/b", dir.app_path().join("link")).unwrap();
    folder.create_folder("link").unwrap().write("file", b"y", Privacy::Shared).unwrap();
    assert_eq!(folder.read("a/b/file", 1).unwrap().bytes, b"y");
}

#[test]
fn reader_beside_writer_threads_sees_whole_files() {
    const READS: usize = 300;
    let dir = TestDir::new();
    dir.open_app().write("file", &content(0), Privacy::Shared).unwrap();
    let (done, mut seen) = (AtomicBool::new(false), 0);
    thread::scope(|scope| {
        for writer in 0..2 {
            let (folder, done) = (dir.open_app(), &done);
            scope.spawn(move || {
                for n in (writer + 1..).step_by(2) {
                    if done.load(Ordering::Relaxed) {
                        return;
                    }
                    folder.write("file", &content(n), Privacy::Shared).unwrap();
                }
            });
        }
        let _stop = StopOnDrop(&done);
        let (folder, mut last) = (dir.open_app(), usize::MAX);
        // Until many different contents were seen, not only the first one.
        while seen < READS {
            let n = number(&folder.read("file", 1 << 20).unwrap().bytes);
            seen += usize::from(n != last);
            last = n;
        }
    });
    assert_eq!(names(&dir), ["file"]);
}

#[test]
fn concurrent_creators_exactly_one_succeeds() {
    const CREATORS: usize = 8;
    let dir = TestDir::new();
    for round in 0..20 {
        let name = format!("file-{round}");
        let barrier = Barrier::new(CREATORS);
        let create = |n: usize| {
            let folder = dir.open_app();
            barrier.wait();
            folder.create_file(&name, &content(n), Privacy::Shared).map_err(|error| kind(&error))
        };
        let results: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = (0..CREATORS).map(|n| scope.spawn(move || create(n))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let winners: Vec<usize> = (0..CREATORS).filter(|n| results[*n].is_ok()).collect();
        assert_eq!(winners, [number(&dir.open_app().read(&name, 1 << 20).unwrap().bytes)]);
        assert!(results.iter().all(|result| matches!(result, Ok(()) | Err("AlreadyExists"))), "{results:?}");
    }
    assert_eq!(names(&dir).len(), 20);
}

/// A file system without links requires this; with links, a reader might see the second name.
#[cfg(target_os = "linux")]
#[test]
fn created_file_never_has_second_link() {
    use std::os::unix::fs::MetadataExt as _;
    const FILES: usize = 300;
    let dir = TestDir::new();
    let path = |n: usize| dir.app_path().join(format!("file-{n}"));
    thread::scope(|scope| {
        scope.spawn(|| {
            for n in 0..FILES {
                dir.open_app().create_file(&format!("file-{n}"), b"x", Privacy::Shared).unwrap();
            }
        });
        for n in 0..FILES {
            let first = loop {
                match fs::metadata(path(n)) {
                    Ok(metadata) => break metadata,
                    Err(_) => std::hint::spin_loop(),
                }
            };
            assert_eq!(first.nlink(), 1, "file {n}");
        }
    });
    assert_eq!(names(&dir).len(), FILES);
}

#[test]
fn concurrent_processes_exactly_one_creates_file() {
    let dir = TestDir::new();
    let children: Vec<Child> = (0..4).map(|_| start("create", &dir.app_path())).collect();
    let mut created = Vec::new();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        let lines = String::from_utf8(output.stdout).unwrap();
        created.extend(lines.lines().filter_map(|line| line.strip_prefix("created ")?.parse::<usize>().ok()));
    }
    created.sort_unstable();
    assert_eq!(created, (0..CREATED).collect::<Vec<_>>());
    for n in created {
        assert_eq!(number(&dir.open_app().read(&format!("file-{n}"), 1 << 20).unwrap().bytes), n);
    }
    assert_eq!(names(&dir).len(), CREATED);
}

#[test]
fn reader_beside_writer_processes_sees_whole_files() {
    const READS: usize = 300;
    let dir = TestDir::new();
    let folder = dir.open_app();
    folder.write("file", &content(0), Privacy::Shared).unwrap();
    let writers = [start_ready("write", &dir.app_path()), start_ready("write", &dir.app_path())];
    let (mut seen, mut falls, mut last) = (0, 0, usize::MAX);
    // Both count upwards, so a decrease was written by the other one.
    while seen < READS || falls == 0 {
        let n = number(&folder.read("file", 1 << 20).unwrap().bytes);
        seen += usize::from(n != last);
        falls += usize::from(n < last && last != usize::MAX);
        last = n;
    }
    writers.into_iter().for_each(kill);
    number(&folder.read("file", 1 << 20).unwrap().bytes);
}

#[test]
fn killed_writer_leaves_old_or_new_file() {
    let dir = TestDir::new();
    let folder = dir.open_app();
    let mut last = 0;
    for _ in 0..20 {
        folder.write("file", &content(0), Privacy::Shared).unwrap();
        let writer = start_ready("write", &dir.app_path());
        // The child has replaced the file at least once, and is in the middle of a later write.
        while number(&folder.read("file", 1 << 20).unwrap().bytes) == 0 {
            thread::yield_now();
        }
        kill(writer);
        last = last.max(number(&folder.read("file", 1 << 20).unwrap().bytes));
    }
    assert!(last > 0);
    // Its temporary file is hidden, and is not taken for the file.
    for name in names(&dir) {
        assert!(name == "file" || (name.starts_with(".file.") && name.ends_with(".tmp")), "{name}");
    }
}

#[test]
fn sweep_removes_only_stale_temp_files() {
    const HOUR: Duration = Duration::from_secs(3600);
    let dir = TestDir::new();
    let old = SystemTime::now() - 2 * HOUR;
    let age = |name: &str| fs::File::open(dir.app_path().join(name)).unwrap().set_modified(old).unwrap();
    let (left, other) = (
        [".a.json.0123456789abcdef.tmp", ".x.ffffffffffffffff.tmp"],
        [
            "a.0123456789abcdef.tmp",
            ".0123456789abcdef.tmp",
            "..0123456789abcdef.tmp",
            ".a.0123456789ABCDEF.tmp",
            ".a.0123456789abcde.tmp",
            ".a.00123456789abcdef.tmp",
            ".a.0123456789abcdef.tmp~",
            ".a.0123456789abcdef.TMP",
            ".a.tmp",
            "file",
        ],
    );
    for name in left.iter().chain(&other) {
        dir.write_file(name, "x");
        age(name);
    }
    let (young, folder, link) = (".young.0123456789abcdef.tmp", ".f.0123456789abcdef.tmp", ".l.0123456789abcdef.tmp");
    dir.write_file(young, "x");
    fs::create_dir(dir.app_path().join(folder)).unwrap();
    age(folder);
    symlink("file", dir.app_path().join(link)).unwrap();
    let read_only = ambient::open_folder(&dir.app_path(), Access::ReadOnly).unwrap();
    assert_eq!(read_only.stale_temp_files(HOUR).unwrap(), left);
    assert_eq!(read_only.sweep_temp_files(HOUR).map_err(|error| kind(&error)), Err("ReadOnly"));
    assert_eq!(dir.open_app().sweep_temp_files(HOUR).unwrap(), left.len());
    assert_eq!(dir.open_app().sweep_temp_files(HOUR).unwrap(), 0);
    let mut kept: Vec<&str> = other.into_iter().chain([young, folder, link]).collect();
    kept.sort_unstable();
    assert_eq!(names(&dir), kept);
}

#[test]
fn lock_is_released_when_holder_dies() {
    let dir = TestDir::new();
    let folder = dir.open_app();
    drop(folder.lock("the.lock").unwrap());
    let held = folder.lock("the.lock").unwrap();
    drop(held);
    let holder = start_ready("lock", &dir.app_path());
    // The lock is held: a non-blocking attempt fails.
    let file = fs::File::open(dir.app_path().join("the.lock")).unwrap();
    assert!(matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock)));
    // A waiting process gets the lock when the holder dies.
    let waiting = thread::scope(|scope| {
        let waiting = scope.spawn(|| folder.lock("the.lock").map(drop).map_err(|error| kind(&error)));
        kill(holder);
        waiting.join().unwrap()
    });
    assert_eq!(waiting, Ok(()));
    assert_eq!(folder.read("the.lock", 0).unwrap().bytes, b"");
}

#[test]
fn lock_held_by_other_process_times_out() {
    let dir = TestDir::new();
    let holder = start_ready("lock", &dir.app_path());
    let refused = dir.open_app().lock("the.lock").map(drop).unwrap_err();
    assert!(matches!(&refused, AppDirError::Locked(name) if name == "the.lock"), "{refused}");
    kill(holder);
    assert!(dir.open_app().lock("the.lock").is_ok());
}

#[test]
fn updates_under_lock_are_not_lost() {
    let dir = TestDir::new();
    let count = |folder: &Folder| -> u32 { folder.read_text("count", 99).unwrap().0.parse().unwrap() };
    dir.write_file("count", "0");
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let folder = dir.open_app();
                for _ in 0..25 {
                    let _lock = folder.lock("the.lock").unwrap();
                    let next = count(&folder) + 1;
                    folder.write("count", next.to_string().as_bytes(), Privacy::Shared).unwrap();
                }
            });
        }
    });
    assert_eq!(count(&dir.open_app()), 100);
}

/// What cannot be compared is put back as well.
#[test]
fn replacement_that_cannot_be_compared_is_none() {
    let dir = TestDir::new();
    dir.write_file("file", "old");
    let app = dir.open_app();
    // The first comparison is that before the exchange.
    for (failing, n_left) in [(2..=2, 0), (2..=3, 1)] {
        let mut number = 0;
        let fails = move |step: &str| {
            number += usize::from(step == "compare");
            if step == "compare" && failing.contains(&number) { Err(Errno::MFILE.into()) } else { Ok(()) }
        };
        let replaced = with_failpoints(fails, || app.replace_if_unchanged("file", b"new", b"old"));
        assert_eq!(kind(&replaced.unwrap_err()), "TooManyOpenFiles");
        assert_eq!(app.read_text("file", 99).unwrap().0, "old");
        // What is not certainly ours is swept later.
        assert_eq!(app.sweep_temp_files(Duration::ZERO).unwrap(), n_left);
    }
}

#[test]
fn socket_that_is_not_refused_stays() {
    let dir = TestDir::new();
    let path = dir.root().join("socket");
    let datagrams = std::os::unix::net::UnixDatagram::bind(&path).unwrap();
    assert_eq!(kind(&ambient::bind_unix_listener(&path).unwrap_err()), "AlreadyExists");
    drop(datagrams);
    drop(ambient::bind_unix_listener(&path).unwrap());
    // One on which no process listens any more.
    let listener = ambient::bind_unix_listener(&path).unwrap();
    assert_eq!(kind(&ambient::bind_unix_listener(&path).unwrap_err()), "AlreadyExists");
    drop(listener);
}
