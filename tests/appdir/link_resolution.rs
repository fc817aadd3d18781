//! Where paths lead, with their links resolved: within their folder, and without opening anything.

use std::os::unix::fs::symlink;

use rustix::fs::{CWD, Mode, mkfifoat};

use super::containment::{dir_with_outside_files, kind};

/// Nothing is opened that a link leads to: not even a pipe.
#[test]
fn links_are_resolved_within_the_folder() {
    let dir = dir_with_outside_files();
    let at = |name: &str| dir.app_path().join(name);
    dir.write_file("a/b/file", "x");
    mkfifoat(CWD, at("a/pipe"), Mode::RWXU).unwrap();
    for (link, target) in [
        ("d", "a/b"),
        ("a/up", "../a/./b"),
        ("piped", "a/pipe"),
        ("absolute", "/etc"),
        ("out", "../out.txt"),
        ("a/out", "../../out.txt"),
        ("gone", "none"),
        ("loop", "loop"),
        ("l0", "in.txt"),
    ] {
        symlink(target, at(link)).unwrap();
    }
    for n in 1..=40 {
        symlink(format!("l{}", n - 1), at(&format!("l{n}"))).unwrap();
    }
    let app = dir.open_app();
    for (path, target) in [
        ("in.txt", "in.txt"),
        ("d/file", "a/b/file"),
        ("d/../b/file", "a/b/file"),
        ("a/up/./file", "a/b/file"),
        ("a/up", "a/b"),
        ("piped", "a/pipe"),
        ("sub/..", ""),
        ("l39", "in.txt"),
    ] {
        assert_eq!(app.resolve_links(path).unwrap().to_str(), Some(target), "{path}");
    }
    for (path, expected) in [
        ("gone", "NotFound"),
        ("none/x", "NotFound"),
        ("in.txt/x", "NotFound"),
        ("..", "OutsideRoot"),
        ("sub/../../app-evil", "OutsideRoot"),
        ("d/../../../x", "OutsideRoot"),
        ("absolute", "OutsideRoot"),
        ("/in.txt", "OutsideRoot"),
        ("out", "OutsideRoot"),
        ("a/out", "OutsideRoot"),
        ("loop", "Io"),
        ("l40", "Io"),
    ] {
        let error = app.resolve_links(path).unwrap_err();
        assert_eq!(kind(&error), expected, "{path}: {error}");
    }
}
