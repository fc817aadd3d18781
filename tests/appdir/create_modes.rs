//! Permissions: what is created below an AppDir is for its owner alone, and elsewhere as the umask says.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use wardroom_appdir::{Folder, OutsideLink, Privacy, PublishMode, TightenedEntries, TreeBudget};

use wardroom_test_support::TestDir;

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
}

/// Returns the permissions of all files and folders below a path, with their names.
fn modes_below(path: &Path) -> Vec<(String, u32)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        found.push((path.display().to_string(), mode(&path)));
        if path.is_dir() {
            found.append(&mut modes_below(&path));
        }
    }
    found
}

/// Creates files and folders in every way that a folder has.
fn create_all(app: &Folder) {
    let below = app.create_folder("a/b/c").unwrap();
    for (name, privacy) in [("shared", Privacy::Shared), ("owner", Privacy::Owner), ("preserve", Privacy::Preserve)] {
        below.write(&format!("written-{name}"), b"1", privacy).unwrap();
        below.create_file(&format!("created-{name}"), b"1", privacy).unwrap();
        below.create_unflushed(&format!("unflushed-{name}"), b"1", privacy).unwrap();
        below.create_journal(&format!("journal-{name}"), privacy).unwrap();
    }
    drop(below.lock("lock").unwrap());
    let staged = app.stage_tree("tree").unwrap();
    let budget = &mut TreeBudget { entries: 1000, bytes: 1 << 20, max_depth: 8 };
    staged.copy_from(&app.open_folder("a").unwrap(), budget, OutsideLink::Refuse, &|| false).unwrap();
    staged.publish(PublishMode::New).unwrap();
}

#[test]
fn everything_below_an_owner_only_handle_is_the_owners_alone() {
    let dir = TestDir::new();
    create_all(&dir.open_app().with_owner_only());
    let found = modes_below(&dir.app_path());
    assert!(found.len() > 30, "{found:#?}");
    for (name, mode) in found {
        let expected = if Path::new(&name).is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode, expected, "{name}");
    }
}

#[test]
fn other_handles_follow_the_umask() {
    let dir = TestDir::new();
    fs::write(dir.root().join("probe"), "").unwrap();
    fs::create_dir(dir.root().join("probes")).unwrap();
    let (file, folder) = (mode(&dir.root().join("probe")), mode(&dir.root().join("probes")));
    create_all(&dir.open_app());
    for (name, mode) in modes_below(&dir.app_path()) {
        let expected = match Path::new(&name) {
            path if path.is_dir() => folder,
            path if path.to_str().unwrap().ends_with("-owner") && !name.contains("/tree/") => 0o600,
            _ => file,
        };
        assert_eq!(mode, expected, "{name}");
    }
}

#[test]
fn preserved_bits_of_others_are_dropped_below_an_owner_only_handle() {
    let dir = TestDir::new();
    let path = dir.write_file("old", "1");
    fs::set_permissions(&path, Permissions::from_mode(0o775)).unwrap();
    dir.open_app().with_owner_only().write("old", b"2", Privacy::Preserve).unwrap();
    assert_eq!(mode(&path), 0o700);
}

#[test]
fn older_app_dir_is_tightened_without_following_links() {
    let dir = TestDir::new();
    let (file, script) = (dir.write_file("a/b/file", "1"), dir.write_file("a/script", "1"));
    fs::set_permissions(&file, Permissions::from_mode(0o664)).unwrap();
    fs::set_permissions(&script, Permissions::from_mode(0o755)).unwrap();
    // A file with a second name elsewhere is not ours alone.
    fs::hard_link(dir.write_file("a/linked", ""), dir.root().join("second")).unwrap();
    fs::set_permissions(dir.root().join("second"), Permissions::from_mode(0o644)).unwrap();
    let outside = dir.root().join("outside");
    fs::write(&outside, "").unwrap();
    fs::set_permissions(&outside, Permissions::from_mode(0o644)).unwrap();
    symlink("../outside", dir.app_path().join("link")).unwrap();
    fs::set_permissions(dir.app_path(), Permissions::from_mode(0o755)).unwrap();
    let app = dir.open_app();
    // The AppDir, two folders and two files.
    let done = TightenedEntries { changed: 5, failed: 0 };
    assert_eq!((app.count_accessible_to_others(9), app.tighten(9).unwrap()), (5, done));
    assert_eq!((mode(&file), mode(&script), mode(&dir.app_path().join("a/b"))), (0o600, 0o700, 0o700));
    assert_eq!((mode(&outside), mode(&dir.app_path()), mode(&dir.root().join("second"))), (0o644, 0o700, 0o644));
    assert_eq!((app.count_accessible_to_others(9), app.tighten(9).unwrap()), (0, TightenedEntries::default()));
}
