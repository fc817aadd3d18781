//! Names that are exchanged for links during reads and writes through them.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use wardroom_appdir::{AppDirError, Folder, Privacy};

use super::StopOnDrop;
use super::containment::{dir_with_outside_files, kind};
use wardroom_test_support::TestDir;

/// Exchanges two names until `work` is done.
fn while_exchanging(dir: &TestDir, a: &str, b: &str, work: impl FnOnce()) {
    let done = AtomicBool::new(false);
    let (a, b) = (dir.app_path().join(a), dir.app_path().join(b));
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                renameat_with(CWD, &a, CWD, &b, RenameFlags::EXCHANGE).unwrap();
            }
        });
        let _stop = StopOnDrop(&done);
        work();
    });
}

#[test]
fn read_during_exchange_with_link_stays_inside() {
    const AT_LEAST: usize = 5_000;
    const AT_MOST: usize = 2_000_000;
    let dir = dir_with_outside_files();
    symlink("../out", dir.app_path().join("sub-link")).unwrap();
    symlink("../out.txt", dir.app_path().join("in-link")).unwrap();
    for (a, b, name) in [("sub", "sub-link", "sub/in.txt"), ("in.txt", "in-link", "in.txt")] {
        while_exchanging(&dir, a, b, || {
            let (folder, mut read, mut refused) = (dir.open_app(), 0, 0);
            for _ in 0..AT_MOST {
                match folder.read_text(name, 100) {
                    Ok((text, _)) => {
                        assert_eq!(text, "inside");
                        read += 1;
                    }
                    Err(error) => {
                        assert_eq!(kind(&error), "OutsideRoot");
                        refused += 1;
                    }
                }
                if read + refused >= AT_LEAST && read > 0 && refused > 0 {
                    return;
                }
            }
            panic!("no race took place: {read} read, {refused} refused");
        });
    }
}

/// Returns the files around the AppDir, with their contents.
fn around(dir: &TestDir) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut found, mut left) = (BTreeMap::new(), vec![dir.root().to_path_buf()]);
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path == dir.app_path() {
                continue;
            }
            let content = if path.is_dir() { Vec::new() } else { fs::read(&path).unwrap() };
            if path.is_dir() {
                left.push(path.clone());
            }
            found.insert(path, content);
        }
    }
    found
}

/// A change of files below `sub`; the number differs in each round.
type Change = fn(&Folder, usize) -> Result<(), AppDirError>;

const CHANGES: [(&str, Change); 7] = [
    ("write", |folder, _| folder.write("sub/in.txt", b"inside", Privacy::Shared)),
    ("write deeper", |folder, _| folder.write("sub/deep/new.txt", b"inside", Privacy::Owner)),
    ("create", |folder, n| folder.create_file(&format!("sub/created-{n}"), b"inside", Privacy::Shared)),
    ("create folder", |folder, n| folder.create_folder(&format!("sub/folder-{n}/below")).map(drop)),
    ("lock", |folder, n| folder.lock(&format!("sub/lock-{n}")).map(drop)),
    // The file to be removed also exists outside.
    ("remove", |folder, _| match folder.remove_file("sub/deep/in.txt") {
        Err(AppDirError::NotFound(_)) => folder.write("sub/deep/in.txt", b"inside", Privacy::Shared),
        removed => removed,
    }),
    ("sweep", |folder, _| folder.open_folder("sub/deep")?.sweep_temp_files(Duration::ZERO).map(drop)),
];

#[test]
fn change_during_exchange_with_link_stays_inside() {
    const AT_LEAST: usize = 500;
    const AT_MOST: usize = 200_000;
    for (what, change) in CHANGES {
        let dir = dir_with_outside_files();
        dir.write_file("sub/deep/in.txt", "inside");
        for file in ["deep/in.txt", "deep/.a.0123456789abcdef.tmp"] {
            fs::create_dir_all(dir.root().join("out/deep")).unwrap();
            fs::write(dir.root().join("out").join(file), "outside").unwrap();
        }
        symlink("../out", dir.app_path().join("sub-link")).unwrap();
        let before = around(&dir);
        while_exchanging(&dir, "sub", "sub-link", || {
            let (folder, mut done, mut refused) = (dir.open_app(), 0, 0);
            for n in 0..AT_MOST {
                match change(&folder, n) {
                    Ok(()) => done += 1,
                    // The folder was exchanged between two steps of the change.
                    Err(AppDirError::OutsideRoot(_) | AppDirError::NotFound(_)) => refused += 1,
                    Err(AppDirError::AlreadyExists(_)) if what == "create folder" => refused += 1,
                    Err(other) => panic!("{what}: {other}"),
                }
                if done + refused >= AT_LEAST && done > 0 && refused > 0 {
                    return;
                }
            }
            panic!("{what}: no race took place: {done} done, {refused} refused");
        });
        assert_eq!(around(&dir), before, "{what}");
    }
}
