//! What is not known where no further file can be opened.

use std::path::Path;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;
use wardroom_appdir::{Access, ambient};
use wardroom_service::limits::MAX_TASK_FILE_BYTES;
use wardroom_service::tasks::{NewTask, TaskStore};

use super::roles;
use wardroom_test_support::TestDir;

/// Does `work` while this process can open nothing more.
fn with_none_left<T>(work: impl FnOnce() -> T) -> T {
    let before = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: Some(0), maximum: before.maximum }).unwrap();
    let done = work();
    setrlimit(Resource::Nofile, before).unwrap();
    done
}

/// The role: of a process of its own, since the limit is that of all its threads.
pub(super) fn play(folder: &Path) {
    let app = ambient::open_folder(&folder.join("app"), Access::ReadWrite).unwrap();
    drop(app.lock("free.lock").unwrap());
    assert!(!app.is_locked("free.lock") && !app.is_locked("none.lock"));
    assert!(with_none_left(|| app.is_locked("free.lock")), "what cannot be found out is held");
    let table = TaskStore::open(&app).unwrap();
    let call =
        NewTask { owner: "me".to_owned(), tool: "t".to_owned(), arguments: json!({}), client_capabilities: Vec::new() };
    let working = table.create(call).unwrap();
    assert!(!working.is_cancelled());
    assert!(table.cancel(&working.record.id, "me", MAX_TASK_FILE_BYTES).unwrap());
    // What could not be read then is read later.
    assert!(!with_none_left(|| working.is_cancelled()));
    assert!(working.is_cancelled());
}

#[test]
fn a_process_without_descriptors_takes_nobody_for_dead() {
    let dir = TestDir::new();
    let output = roles::command("few", dir.root()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
