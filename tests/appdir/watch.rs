//! What a watcher tells of, and what it does not.

use std::collections::HashSet;
use std::fs;
use std::time::Duration;

use wardroom_appdir::{Changed, Watcher};

use wardroom_test_support::TestDir;

const SOON: Option<Duration> = Some(Duration::from_secs(20));
const NOW: Option<Duration> = Some(Duration::ZERO);

#[test]
fn a_folder_is_watched_through_its_handle() {
    let dir = TestDir::new();
    dir.file("held/a", "1");
    let watcher = Watcher::new().unwrap();
    let id = watcher.watch(&dir.folder().folder("held").unwrap()).unwrap();
    // The handle is closed by now, and the name leads elsewhere.
    fs::rename(dir.app().join("held"), dir.app().join("moved")).unwrap();
    dir.file("held/a", "2");
    assert!(watcher.wait(SOON));
    watcher.changes();
    dir.file("held/a", "3");
    assert!(!watcher.wait(NOW));
    dir.file("moved/a", "4");
    assert!(watcher.wait(SOON));
    assert_eq!(watcher.changes(), Changed::In(HashSet::from([id])));
}

#[test]
fn reading_is_no_change() {
    let dir = TestDir::new();
    dir.file("held/a", "1");
    let folder = dir.folder().folder("held").unwrap();
    let watcher = Watcher::new().unwrap();
    watcher.watch(&folder).unwrap();
    folder.read("a", 10).unwrap();
    folder.entries(10).unwrap();
    assert!(!watcher.wait(NOW));
    assert!(watcher.changes().is_nothing());
}

#[test]
fn what_is_not_kept_is_not_told() {
    let dir = TestDir::new();
    dir.file("one/a", "1");
    dir.file("two/a", "1");
    let watcher = Watcher::new().unwrap();
    let [one, two] = ["one", "two"].map(|name| watcher.watch(&dir.folder().folder(name).unwrap()).unwrap());
    watcher.keep(&HashSet::from([two]));
    dir.file("one/a", "2");
    dir.file("two/a", "2");
    let changed = watcher.changes();
    assert!(changed.concerns(&HashSet::from([two])) && !changed.concerns(&HashSet::from([one])));
}

#[test]
fn more_than_the_system_remembers_is_a_change_anywhere() {
    let dir = TestDir::new();
    fs::create_dir(dir.app().join("held")).unwrap();
    let watcher = Watcher::new().unwrap();
    watcher.watch(&dir.folder().folder("held").unwrap()).unwrap();
    let remembered: usize =
        fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap().trim().parse().unwrap();
    for n in 0..=remembered {
        fs::File::create(dir.app().join(format!("held/{n}"))).unwrap();
    }
    assert_eq!(watcher.changes(), Changed::Anywhere);
}

#[test]
fn somebody_who_waits_can_be_woken() {
    let watcher = Watcher::new().unwrap();
    watcher.wake();
    assert!(watcher.wait(SOON));
    assert!(!watcher.wait(NOW));
}
