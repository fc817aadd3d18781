//! Lock checks and reads of a process that cannot open another file.

use std::path::Path;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;
use wardroom_appdir::{Access, ambient};
use wardroom_service::Owner;
use wardroom_service::limits::MAX_TASK_FILE_BYTES;
use wardroom_service::tasks::{NewTask, TaskStore};

use super::roles;
use wardroom_test_support::TestDir;

/// Runs `work` while this process can open no further file.
fn without_free_fds<T>(work: impl FnOnce() -> T) -> T {
    let before = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: Some(0), maximum: before.maximum }).unwrap();
    let done = work();
    setrlimit(Resource::Nofile, before).unwrap();
    done
}

/// The role of a process of its own, since the limit applies to all its threads.
pub(super) fn run_role(folder: &Path) {
    let app = ambient::open_folder(&folder.join("app"), Access::ReadWrite).unwrap();
    drop(app.lock("free.lock").unwrap());
    assert!(!app.is_locked("free.lock") && !app.is_locked("none.lock"));
    assert!(without_free_fds(|| app.is_locked("free.lock")), "an unknown lock state counts as held");
    let table = TaskStore::open(&app).unwrap();
    let owner = Owner::Operator;
    let call = NewTask {
        owner: owner.clone(),
        tool: "t".to_owned(),
        arguments: json!({}).into(),
        client_capabilities: Vec::new(),
    };
    let working = table.create(call).unwrap();
    assert!(!working.is_cancelled());
    assert!(table.cancel(&working.record.id, &owner, MAX_TASK_FILE_BYTES).unwrap());
    // A failed read is repeated later.
    assert!(!without_free_fds(|| working.is_cancelled()));
    assert!(working.is_cancelled());
}

#[test]
fn lock_check_without_free_fds_counts_as_held() {
    let dir = TestDir::new();
    let output = roles::command("no-free-fds", dir.root()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
