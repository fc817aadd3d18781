//! The read cache: it serves content only while the file is unchanged, and only to a name that could be read.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use wardroom_appdir::limits::MAX_READ_CACHE_ENTRY_BYTES;
use wardroom_appdir::{AppDirError, Folder};

use wardroom_test_support::TestDir;

const OLD: &str = "the old content";
const NEW: &str = "the new content";

/// Counts this thread's reads from files and pipes during `work`; `None` if the kernel does not report them.
fn reads(work: impl FnOnce()) -> Option<u64> {
    let so_far = || {
        let text = fs::read_to_string("/proc/thread-self/io").ok()?;
        text.lines().find_map(|line| line.strip_prefix("syscr: "))?.parse::<u64>().ok()
    };
    // Reading the counter counts, too: once, to the end of the file.
    let (first, second) = (so_far()?, so_far()?);
    work();
    Some(so_far()? - second - (second - first))
}

#[track_caller]
fn text(folder: &Folder, name: &str) -> String {
    folder.read_text(name, 1024).unwrap().0
}

/// Returns a folder with a settled file that was just read.
fn settled() -> (TestDir, Folder, PathBuf) {
    let dir = TestDir::new();
    let path = dir.write_file("sub/file", OLD);
    dir.wait_until_settled("sub/file");
    let folder = dir.open_app();
    assert_eq!(text(&folder, "sub/file"), OLD);
    (dir, folder, path)
}

#[test]
fn recently_read_file_is_served_from_cache() {
    let (dir, folder, _) = settled();
    let again = || {
        for _ in 0..10 {
            assert_eq!(text(&folder, "sub/file"), OLD);
        }
    };
    // On a busy machine the cache entry may expire in between, so some rounds may read.
    let Some(first) = reads(again) else { return };
    assert!((0..20).map(|_| reads(again)).any(|reads| reads == Some(0)), "{first}");
    // The same file by another name, and by another handle.
    symlink("sub/file", dir.app_path().join("link")).unwrap();
    let sub = folder.open_folder("sub").unwrap();
    let others = || assert_eq!((text(&folder, "link"), text(&sub, "file")), (OLD.into(), OLD.into()));
    assert!((0..20).map(|_| reads(others)).any(|reads| reads == Some(0)));
    // After the entry expired the file is read.
    sleep(Duration::from_millis(300));
    assert!(reads(|| drop(text(&folder, "sub/file"))) > Some(0));
}

#[test]
fn recently_changed_file_is_not_cached() {
    let dir = TestDir::new();
    dir.write_file("file", OLD);
    let folder = dir.open_app();
    for _ in 0..10 {
        let once = reads(|| drop(text(&folder, "file")));
        assert!(once.is_none_or(|reads| reads > 0));
    }
}

#[test]
fn changed_file_is_read_again() {
    type Change = fn(&TestDir, &PathBuf);
    let changes: [(&str, Change); 5] = [
        ("replaced", |dir, path| fs::rename(dir.write_file("other", NEW), path).unwrap()),
        ("edited in place", |_, path| fs::write(path, NEW).unwrap()),
        ("edited, with its time set back", |dir, _| dir.edit_preserving_mtime("sub/file", NEW)),
        ("its folder replaced", |dir, _| {
            dir.write_file("new/file", NEW);
            fs::rename(dir.app_path().join("sub"), dir.app_path().join("old")).unwrap();
            fs::rename(dir.app_path().join("new"), dir.app_path().join("sub")).unwrap();
        }),
        ("a link in its place", |dir, path| {
            fs::remove_file(path).unwrap();
            dir.write_file("sub/other", NEW);
            symlink("other", path).unwrap();
        }),
    ];
    for (what, change) in changes {
        let (dir, folder, path) = settled();
        change(&dir, &path);
        assert_eq!(text(&folder, "sub/file"), NEW, "{what}");
    }
}

#[test]
fn unreadable_file_is_not_served_from_cache() {
    type Change = fn(&TestDir, &PathBuf);
    type Expected = fn(&AppDirError) -> bool;
    let changes: [(&str, Change, Expected); 6] = [
        ("removed", |_, path| fs::remove_file(path).unwrap(), |e| matches!(e, AppDirError::NotFound(_))),
        (
            "moved outside, and a link to it",
            |dir, path| {
                fs::rename(path, dir.root().join("moved")).unwrap();
                symlink(dir.root().join("moved"), path).unwrap();
            },
            |e| matches!(e, AppDirError::OutsideRoot(_)),
        ),
        (
            "its folder moved outside, and a link to it",
            |dir, _| {
                fs::rename(dir.app_path().join("sub"), dir.root().join("moved")).unwrap();
                symlink("../moved", dir.app_path().join("sub")).unwrap();
            },
            |e| matches!(e, AppDirError::OutsideRoot(_)),
        ),
        (
            "a folder in its place",
            |_, path| {
                fs::remove_file(path).unwrap();
                fs::create_dir(path).unwrap();
            },
            |e| matches!(e, AppDirError::NotRegularFile(_)),
        ),
        (
            "grown",
            |_, path| fs::write(path, "x".repeat(2000)).unwrap(),
            |e| matches!(e, AppDirError::TooLarge { len: 2000, limit: 1024, .. }),
        ),
        (
            "not to be read any more",
            |_, path| fs::set_permissions(path, fs::Permissions::from_mode(0o0)).unwrap(),
            // The superuser may read anything.
            |e| matches!(e, AppDirError::Io { .. }),
        ),
    ];
    for (what, change, expected) in changes {
        let (dir, folder, path) = settled();
        change(&dir, &path);
        match folder.read_text("sub/file", 1024) {
            Err(error) => assert!(expected(&error), "{what}: {error}"),
            Ok((text, _)) => {
                let is_superuser = rustix::process::geteuid().is_root();
                assert!(is_superuser && what == "not to be read any more" && text == OLD, "{what}");
            }
        }
    }
}

#[test]
fn cached_content_over_read_limit_is_refused() {
    let (_dir, folder, _) = settled();
    let len = OLD.len() as u64;
    assert!(matches!(folder.read("sub/file", len - 1), Err(AppDirError::TooLarge { .. })));
    assert_eq!(folder.read("sub/file", len).unwrap().bytes, OLD.as_bytes());
}

/// Files over the size limit of the cache, and more files than it holds.
#[test]
fn large_and_many_files_are_read_correctly() {
    let dir = TestDir::new();
    let contents: Vec<String> = (0..300usize).map(|n| format!("{n} ").repeat(n * 40)).collect();
    for (number, content) in contents.iter().enumerate() {
        dir.write_file(&format!("{number}"), content);
    }
    assert!(contents.last().unwrap().len() > MAX_READ_CACHE_ENTRY_BYTES);
    dir.wait_until_settled("299");
    let folder = dir.open_app();
    for _ in 0..3 {
        for (number, content) in contents.iter().enumerate() {
            assert_eq!(folder.read(&number.to_string(), 1 << 20).unwrap().bytes, content.as_bytes());
        }
    }
}
