//! Trees of files: removed and replaced as a whole, also by a process that is killed, and copied as they are at one moment.

use std::fs;
use std::time::Duration;

use rustix::io::Errno;
use wardroom_appdir::{AppDirError, OutsideLink, PublishMode, TreeBudget, TreeError, with_failpoints};

use wardroom_test_support::TestDir;

#[test]
fn tree_has_no_name_although_its_files_cannot_be_removed() {
    let dir = TestDir::new();
    dir.write_file("tree/below/file", "x");
    let app = dir.open_app();
    let refuse = |step: &str| if step == "remove" { Err(Errno::ACCESS.into()) } else { Ok(()) };
    with_failpoints(refuse, || app.remove_tree("tree")).unwrap();
    assert!(matches!(app.entry_kind("tree"), Err(AppDirError::NotFound(_))));
    assert_eq!(app.sweep_staged_trees(Duration::ZERO).unwrap(), 1);
    assert_eq!(fs::read_dir(dir.app_path()).unwrap().count(), 0);
}

/// Where the system cannot exchange names, a process that is killed between two renames leaves the old tree aside.
#[test]
fn tree_that_lost_its_name_gets_it_back() {
    let dir = TestDir::new();
    let app = dir.open_app();
    dir.write_file(".tree.0123456789abcdef.replaced/file", "old");
    assert_eq!(app.sweep_staged_trees(Duration::from_secs(3600)).unwrap(), 0);
    assert_eq!(app.count_stale_recursive(1, Duration::ZERO), 1);
    assert_eq!(app.sweep_staged_trees(Duration::ZERO).unwrap(), 1);
    assert_eq!(app.count_stale_recursive(1, Duration::ZERO), 0);
    assert_eq!(app.read_text("tree/file", 99).unwrap().0, "old");
    // Another tree has the name by now.
    dir.write_file(".tree.0123456789abcdef.replaced/file", "older");
    dir.write_file(".tree.replaced/file", "a person's");
    assert_eq!(app.sweep_staged_trees(Duration::ZERO).unwrap(), 1);
    assert_eq!(app.read_text("tree/file", 99).unwrap().0, "old");
    assert_eq!(fs::read_dir(dir.app_path()).unwrap().count(), 2);
}

/// As on NFS.
#[test]
fn tree_is_replaced_where_names_cannot_be_exchanged() {
    let dir = TestDir::new();
    let app = dir.open_app();
    dir.write_file("tree/file", "old");
    let replace = |refused: &'static [&'static str]| {
        let staged = app.stage_tree("tree").unwrap();
        dir.write_file(&format!("{}/file", staged_name(&dir)), "new");
        let fails = move |step: &str| if refused.contains(&step) { Err(Errno::IO.into()) } else { Ok(()) };
        with_failpoints(fails, || staged.publish(PublishMode::Replace))
    };
    assert!(replace(&["exchange names", "take name"]).is_err());
    assert_eq!(app.read_text("tree/file", 99).unwrap().0, "old");
    replace(&["exchange names"]).unwrap();
    assert_eq!(app.read_text("tree/file", 99).unwrap().0, "new");
    assert_eq!(fs::read_dir(dir.app_path()).unwrap().count(), 1);
    // What a killed process left does not come back once its name was removed.
    dir.write_file(".tree.0123456789abcdef.replaced/file", "old");
    app.remove_tree("tree").unwrap();
    assert_eq!(app.sweep_staged_trees(Duration::ZERO).unwrap(), 0);
    assert_eq!(fs::read_dir(dir.app_path()).unwrap().count(), 0);
}

fn staged_name(dir: &TestDir) -> String {
    let names = fs::read_dir(dir.app_path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.into_iter().find(|name| name.starts_with(".tree.")).unwrap()
}

#[test]
fn file_that_changes_while_its_tree_is_copied_is_no_part_of_a_copy() {
    let dir = TestDir::new();
    let source = dir.write_file("source/file", "one version");
    let app = dir.open_app();
    let from = app.open_folder("source").unwrap();
    let staged = app.stage_tree("tree").unwrap();
    let edit = move |step| {
        if step == "write" {
            fs::write(&source, "another and longer version").unwrap();
        }
        Ok(())
    };
    let budget = &mut TreeBudget { entries: 9, bytes: 999, max_depth: 3 };
    let copied = with_failpoints(edit, || staged.copy_from(&from, budget, OutsideLink::Refuse, &|| false));
    assert!(matches!(copied, Err(TreeError::AppDir(AppDirError::ChangedDuringRead(_)))), "{copied:?}");
}
