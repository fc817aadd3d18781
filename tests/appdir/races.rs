//! Names that are exchanged for links while somebody reads or writes through them.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use wardroom::appdir::{AppDirError, Privacy};

use super::StopOnDrop;
use super::walls::{house, kind};
use crate::support::TestDir;

/// Exchanges two names until `work` is done.
fn while_exchanging(dir: &TestDir, a: &str, b: &str, work: impl FnOnce()) {
    let done = AtomicBool::new(false);
    let (a, b) = (dir.app().join(a), dir.app().join(b));
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
fn a_name_that_is_exchanged_for_a_link_never_leads_outside() {
    const AT_LEAST: usize = 5_000;
    const AT_MOST: usize = 2_000_000;
    let dir = house();
    symlink("../out", dir.app().join("sub-link")).unwrap();
    symlink("../out.txt", dir.app().join("in-link")).unwrap();
    for (a, b, name) in [("sub", "sub-link", "sub/in.txt"), ("in.txt", "in-link", "in.txt")] {
        while_exchanging(&dir, a, b, || {
            let (folder, mut read, mut refused) = (dir.folder(), 0, 0);
            for _ in 0..AT_MOST {
                match folder.read_text(name, 100) {
                    Ok((text, _)) => {
                        assert_eq!(text, "inside");
                        read += 1;
                    }
                    Err(error) => {
                        assert_eq!(kind(&error), "Escapes");
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

#[test]
fn a_folder_that_is_exchanged_for_a_link_is_never_written_through() {
    let dir = house();
    symlink("../out", dir.app().join("sub-link")).unwrap();
    while_exchanging(&dir, "sub", "sub-link", || {
        for _ in 0..500 {
            let written = dir.folder().write("sub/new.txt", b"x", Privacy::Shared);
            assert!(written.is_ok() || matches!(written, Err(AppDirError::Escapes(_))), "{written:?}");
        }
    });
    assert_eq!(fs::read_dir(dir.outside().join("out")).unwrap().count(), 1);
}
