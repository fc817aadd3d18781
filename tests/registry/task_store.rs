//! The task store on its own: what it keeps, for how long, and what happens when a write fails.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant, SystemTime};

use rustix::io::Errno;
use serde_json::{Value, json};
use wardroom_appdir::limits::STALE_TEMP_FILE_AGE;
use wardroom_appdir::with_failpoints;
use wardroom_base::byte_size::ByteSize;
use wardroom_service::limits::{
    LARGE_RESPONSE_THRESHOLD_BYTES, MAX_STORED_TASKS, MAX_STORED_TASKS_PER_OWNER, MAX_TASK_FILE_BYTES,
    MAX_TASK_STATUS_MESSAGE_BYTES, TASK_TTL,
};
use wardroom_service::tasks::{
    AnswerOutcome, NewTask, RunningTask, TaskError, TaskOutcome, TaskRecord, TaskStatus, TaskStore,
};
use wardroom_service::{Caller, Owner};

use wardroom_test_support::TestDir;

/// Returns the owner of every task here.
fn owner() -> Owner {
    Owner::Named("here".to_owned())
}

/// Opens the store as a newly started process does.
fn store(dir: &TestDir) -> TaskStore {
    TaskStore::open(&dir.open_app()).unwrap()
}

fn call() -> NewTask {
    NewTask {
        owner: owner(),
        tool: "t".to_owned(),
        arguments: json!({"secret": 1}).into(),
        client_capabilities: Vec::new(),
    }
}

fn finished_task(store: &TaskStore, end: &TaskOutcome) -> String {
    let working = store.create(call()).unwrap();
    working.finish(end);
    working.record.id
}

#[track_caller]
fn load(store: &TaskStore, id: &str) -> TaskRecord {
    store.load(id, &owner(), MAX_TASK_FILE_BYTES).unwrap().expect("it is there")
}

/// Sets back the modification time of a file.
fn age(path: &Path, age: Duration) {
    File::options().write(true).open(path).unwrap().set_modified(SystemTime::now() - age).unwrap();
}

const MINUTE: Duration = Duration::from_secs(60);

#[test]
fn expired_task_is_removed_from_disk() {
    let dir = TestDir::new();
    let tasks = dir.app_path().join("tasks");
    let old = finished_task(&store(&dir), &TaskOutcome::Completed(json!({"secret": 2})));
    let recent = finished_task(&store(&dir), &TaskOutcome::Completed(json!({})));
    let first = store(&dir);
    let working = first.create(call()).unwrap();
    let died = first.create(call()).unwrap().record.id;
    for id in [&old, &working.record.id, &died] {
        age(&tasks.join(format!("{id}.json")), TASK_TTL + MINUTE);
    }
    age(&tasks.join(format!("{recent}.json")), TASK_TTL - MINUTE);
    let orphan = "0".repeat(32);
    let left = format!(".{orphan}.json.0123456789abcdef.tmp");
    let fresh = format!(".{orphan}.json.1123456789abcdef.tmp");
    for name in [&format!("{orphan}.said"), &format!("{orphan}.work"), &left, &fresh] {
        fs::write(tasks.join(name), "").unwrap();
    }
    age(&tasks.join(&left), STALE_TEMP_FILE_AGE + MINUTE);
    let is_there = |name: &str| tasks.join(name).exists();
    // A process that swept a moment ago does not sweep again.
    drop(first.create(call()).unwrap());
    assert!(is_there(&format!("{old}.json")));
    drop(store(&dir).create(call()).unwrap());
    for gone in [&format!("{old}.json"), &format!("{died}.json"), &format!("{died}.work"), &left] {
        assert!(!is_there(gone), "{gone}");
    }
    assert!(!is_there(&format!("{orphan}.said")) && !is_there(&format!("{orphan}.work")));
    for stays in [&format!("{recent}.json"), &format!("{}.json", working.record.id), &fresh] {
        assert!(is_there(stays), "{stays}");
    }
}

#[test]
fn stale_file_that_cannot_be_removed_refuses_no_task() {
    let dir = TestDir::new();
    let store = store(&dir);
    let left = dir.write_file("tasks/.x.json.0123456789abcdef.tmp", "");
    age(&left, STALE_TEMP_FILE_AGE + MINUTE);
    let refuse = |step: &str| if step == "remove" { Err(Errno::IO.into()) } else { Ok(()) };
    let created = with_failpoints(refuse, || store.create(call()).map(drop));
    assert!(created.is_ok() && left.exists(), "{created:?}");
}

#[test]
fn task_older_than_ttl_is_not_found() {
    let dir = TestDir::new();
    let store = store(&dir);
    let id = finished_task(&store, &TaskOutcome::Completed(json!({})));
    let path = dir.app_path().join(format!("tasks/{id}.json"));
    let mut record: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let made = record["created"].as_u64().unwrap();
    for (age, is_there) in [(TASK_TTL - MINUTE, true), (TASK_TTL + MINUTE, false)] {
        record["created"] = (made - u64::try_from(age.as_millis()).unwrap()).into();
        fs::write(&path, record.to_string()).unwrap();
        assert_eq!(store.load(&id, &owner(), MAX_TASK_FILE_BYTES).unwrap().is_some(), is_there, "{age:?}");
        assert_eq!(store.cancel(&id, &owner(), MAX_TASK_FILE_BYTES).unwrap(), is_there, "{age:?}");
    }
}

#[test]
fn full_store_reports_when_space_becomes_free() {
    let dir = TestDir::new();
    let store = store(&dir);
    let tasks = dir.app_path().join("tasks");
    for number in 0..MAX_STORED_TASKS {
        fs::write(tasks.join(format!("{number:032x}.json")), "{}").unwrap();
    }
    let refused = store.create(call()).map(|_| ()).unwrap_err();
    let message = "the limit of 2000 stored tasks is reached: each is removed 60 minutes after its creation";
    assert_eq!(refused.to_string(), message);
    age(&tasks.join(format!("{:032x}.json", 7)), TASK_TTL + MINUTE);
    assert!(store.create(call()).is_ok());
    assert!(matches!(store.create(call()), Err(TaskError::Full)));
}

#[test]
fn tasks_of_one_owner_leave_some_to_others() {
    let dir = TestDir::new();
    let store = store(&dir);
    let tasks = dir.app_path().join("tasks");
    let own = finished_task(&store, &TaskOutcome::Completed(json!({})));
    // The ends of ids name the owner.
    let (_, tag) = own.split_at(24);
    for number in 1..MAX_STORED_TASKS_PER_OWNER {
        fs::write(tasks.join(format!("{number:024x}{tag}.json")), "{}").unwrap();
    }
    let refused = store.create(call()).map(|_| ()).unwrap_err();
    assert!(matches!(refused, TaskError::FullForOwner), "{refused}");
    for owner in [Owner::Named("there".to_owned()), Owner::Operator] {
        let other = store.create(NewTask { owner, ..call() }).unwrap();
        assert!(!other.record.id.ends_with(tag));
    }
    // Of callers without a token all tasks count: what they leave is for the others.
    let anonymous = || store.create(NewTask { owner: Owner::Anonymous, ..call() });
    assert!(matches!(anonymous(), Err(TaskError::FullForOwner)));
    fs::remove_file(tasks.join(format!("{:024x}{tag}.json", 1))).unwrap();
    assert!(store.create(call()).is_ok());
}

#[test]
fn too_large_result_fails_task() {
    let dir = TestDir::new();
    let store = store(&dir);
    let most = usize::try_from(MAX_TASK_FILE_BYTES).unwrap();
    let id = finished_task(&store, &TaskOutcome::Completed(json!({"text": "x".repeat(most)})));
    let failed = load(&store, &id);
    assert_eq!(failed.status, TaskStatus::Failed);
    assert_eq!(
        failed.outcome.unwrap().into_value()["message"],
        format!("the task and its result are over the limit of {}", ByteSize(MAX_TASK_FILE_BYTES))
    );
    // A large record is only for callers with a large limit.
    let id = finished_task(&store, &TaskOutcome::Completed(json!({"text": "x".repeat(2 * 1024 * 1024)})));
    assert_eq!(load(&store, &id).status, TaskStatus::Completed);
    for refused in [
        store.load(&id, &owner(), LARGE_RESPONSE_THRESHOLD_BYTES).map(|_| ()).unwrap_err(),
        store.cancel(&id, &owner(), LARGE_RESPONSE_THRESHOLD_BYTES).map(|_| ()).unwrap_err(),
    ] {
        assert!(matches!(refused, TaskError::AppDir(wardroom_appdir::AppDirError::TooLarge { .. })), "{refused}");
    }
}

#[test]
fn progress_message_takes_no_lock_and_is_truncated() {
    let dir = TestDir::new();
    let store = store(&dir);
    let working = store.create(call()).unwrap();
    let record = dir.app_path().join(format!("tasks/{}.json", working.record.id));
    let before = fs::metadata(&record).unwrap().ino();
    let store_lock = dir.open_app().open_folder("tasks").unwrap().lock(".lock").unwrap();
    let started_at = Instant::now();
    working.report_progress(&"é".repeat(MAX_TASK_STATUS_MESSAGE_BYTES));
    assert!(started_at.elapsed() < Duration::from_secs(5), "it waited for the store's lock");
    drop(store_lock);
    let reported = load(&store, &working.record.id);
    assert_eq!(reported.message, Some("é".repeat(MAX_TASK_STATUS_MESSAGE_BYTES / 2)));
    assert!(reported.updated >= reported.created);
    assert_eq!(fs::metadata(&record).unwrap().ino(), before, "the record was written again");
    working.report_progress("half");
    working.finish(&TaskOutcome::Completed(json!({})));
    // The last progress message stays with the task.
    assert_eq!(load(&store, &working.record.id).message.as_deref(), Some("half"));
    assert!(!dir.app_path().join(format!("tasks/{}.said", working.record.id)).exists());
}

#[test]
fn result_is_stored_when_disk_recovers() {
    for refusal in [Errno::NOSPC, Errno::IO] {
        let dir = TestDir::new();
        let store = store(&dir);
        let working = store.create(call()).unwrap();
        let left = Rc::new(Cell::new(3));
        let refuse = Rc::clone(&left);
        let hook = move |_| match refuse.get() {
            0 => Ok(()),
            many => {
                refuse.set(many - 1);
                Err(refusal.into())
            }
        };
        with_failpoints(hook, || working.finish(&TaskOutcome::Completed(json!({"n": 1}))));
        assert_eq!(left.get(), 0);
        let over = load(&store, &working.record.id);
        assert_eq!((over.status, over.outcome), (TaskStatus::Completed, Some(json!({"n": 1}).into())));
    }
}

#[test]
fn last_response_is_stored_only_with_free_slot() {
    let dir = TestDir::new();
    let store = store(&dir);
    let asks: BTreeMap<String, Value> = ["a", "b"].into_iter().map(|key| (key.to_owned(), json!({}))).collect();
    let id = finished_task(&store, &TaskOutcome::InputRequired(asks, "handle".to_owned()));
    let answer =
        |key: &str, slot: Option<u32>| store.submit_responses(&id, &owner(), [(key.to_owned(), json!(key))], || slot);
    // A slot is not acquired before the last response.
    let recorded = store
        .submit_responses(&id, &owner(), [("a".to_owned(), json!("a"))], || -> Option<u32> { panic!("no slot yet") });
    assert!(matches!(recorded, Ok(AnswerOutcome::Recorded)), "{recorded:?}");
    assert!(matches!(answer("b", None), Err(TaskError::Busy)));
    assert_eq!(load(&store, &id).status, TaskStatus::InputRequired);
    let Ok(AnswerOutcome::Resumed(working, 7)) = answer("b", Some(7)) else { panic!("it does not resume") };
    let answers: BTreeMap<String, Value> = ["a", "b"].into_iter().map(|key| (key.to_owned(), json!(key))).collect();
    let input = working.resume_input.as_ref().unwrap();
    assert_eq!((input.continuation_token.as_str(), &input.responses), ("handle", &answers));
    let working: RunningTask = *working;
    assert_eq!(load(&store, &working.record.id).status, TaskStatus::Working);
}

#[test]
fn task_belongs_to_its_owner_and_the_operator() {
    let dir = TestDir::new();
    let store = store(&dir);
    let id = finished_task(&store, &TaskOutcome::Completed(json!({})));
    let found = |owner: &Owner| store.load(&id, owner, MAX_TASK_FILE_BYTES).unwrap().is_some();
    assert!(found(&owner()) && found(&Owner::Operator));
    assert!(!found(&Owner::Anonymous) && !found(&Owner::Named("there".to_owned())));
}

#[test]
fn owner_digest_separates_fields() {
    let of = |scope: Option<&str>, groups: Option<&[&str]>, owner| {
        let groups = groups.map(|groups| groups.iter().map(|group| (*group).to_owned()).collect());
        Caller { scope: scope.map(str::to_owned), groups, owner, ..Caller::default() }.digest()
    };
    let operator = || Owner::Operator;
    let digests = [
        of(None, None, operator()),
        of(Some(""), None, operator()),
        of(None, Some(&[]), operator()),
        of(None, Some(&[""]), operator()),
        of(None, Some(&["ab"]), operator()),
        of(None, Some(&["a", "b"]), operator()),
        of(Some("ab"), None, operator()),
        of(None, None, Owner::Anonymous),
        of(None, None, Owner::Named(String::new())),
        of(None, None, Owner::Named("ab".to_owned())),
    ];
    let distinct: std::collections::BTreeSet<_> = digests.iter().collect();
    assert_eq!(distinct.len(), digests.len());
}
