//! Which changes a watcher reports, and which it does not.

use std::collections::HashSet;
use std::fs;
use std::time::Duration;

use wardroom_appdir::{FolderChanges, FolderWatcher};

use wardroom_test_support::TestDir;

const SOON: Option<Duration> = Some(Duration::from_secs(20));
const NOW: Option<Duration> = Some(Duration::ZERO);

#[test]
fn renamed_folder_is_still_watched() {
    let dir = TestDir::new();
    dir.write_file("held/a", "1");
    let watcher = FolderWatcher::new().unwrap();
    let id = watcher.watch(&dir.open_app().open_folder("held").unwrap()).unwrap();
    // The handle is closed by now, and the name leads elsewhere.
    fs::rename(dir.app_path().join("held"), dir.app_path().join("moved")).unwrap();
    dir.write_file("held/a", "2");
    assert!(watcher.wait(SOON));
    watcher.take_changes();
    dir.write_file("held/a", "3");
    assert!(!watcher.wait(NOW));
    dir.write_file("moved/a", "4");
    assert!(watcher.wait(SOON));
    assert_eq!(watcher.take_changes(), FolderChanges::Folders(HashSet::from([id])));
}

#[test]
fn read_reports_no_change() {
    let dir = TestDir::new();
    dir.write_file("held/a", "1");
    let folder = dir.open_app().open_folder("held").unwrap();
    let watcher = FolderWatcher::new().unwrap();
    watcher.watch(&folder).unwrap();
    folder.read("a", 10).unwrap();
    folder.entries(10).unwrap();
    assert!(!watcher.wait(NOW));
    assert!(watcher.take_changes().is_empty());
}

#[test]
fn unretained_folder_reports_no_change() {
    let dir = TestDir::new();
    dir.write_file("one/a", "1");
    dir.write_file("two/a", "1");
    let watcher = FolderWatcher::new().unwrap();
    let [one, two] = ["one", "two"].map(|name| watcher.watch(&dir.open_app().open_folder(name).unwrap()).unwrap());
    watcher.retain(&HashSet::from([two]));
    dir.write_file("one/a", "2");
    dir.write_file("two/a", "2");
    let changed = watcher.take_changes();
    assert!(changed.affects_any(&HashSet::from([two])) && !changed.affects_any(&HashSet::from([one])));
}

#[test]
fn full_event_queue_reports_overflow() {
    let dir = TestDir::new();
    fs::create_dir(dir.app_path().join("held")).unwrap();
    let watcher = FolderWatcher::new().unwrap();
    watcher.watch(&dir.open_app().open_folder("held").unwrap()).unwrap();
    let remembered: usize =
        fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap().trim().parse().unwrap();
    for n in 0..=remembered {
        fs::File::create(dir.app_path().join(format!("held/{n}"))).unwrap();
    }
    assert_eq!(watcher.take_changes(), FolderChanges::Overflow);
}

#[test]
fn wake_ends_wait() {
    let watcher = FolderWatcher::new().unwrap();
    watcher.wake();
    assert!(watcher.wait(SOON));
    assert!(!watcher.wait(NOW));
}
