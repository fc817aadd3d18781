//! The table of tasks by itself: what it keeps, for how long, and what happens when the disk says no.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant, SystemTime};

use rustix::io::Errno;
use serde_json::{Value, json};
use wardroom_appdir::with_faults;
use wardroom_base::limits::{LARGE_BYTES, LEFTOVER_TIME, MAX_TASK_BYTES, MAX_TASK_MESSAGE_BYTES, MAX_TASKS, TASK_TIME};
use wardroom_service::tasks::{Answered, Call, End, Record, Status, Table, TaskError, Working};

use wardroom_test_support::TestDir;

const OWNER: &str = "somebody";

/// The table as a process finds it that was just started.
fn table(dir: &TestDir) -> Table {
    Table::open(&dir.folder()).unwrap()
}

fn call() -> Call {
    Call { owner: OWNER.to_owned(), tool: "t".to_owned(), arguments: json!({"secret": 1}), can: Vec::new() }
}

fn ended(table: &Table, end: &End) -> String {
    let working = table.begin(call()).unwrap();
    working.end(end);
    working.task.id
}

#[track_caller]
fn look(table: &Table, id: &str) -> Record {
    table.look(id, OWNER, MAX_TASK_BYTES).unwrap().expect("it is there")
}

/// Sets back when a file was last changed.
fn age(path: &Path, age: Duration) {
    File::options().write(true).open(path).unwrap().set_modified(SystemTime::now() - age).unwrap();
}

const MINUTE: Duration = Duration::from_secs(60);

#[test]
fn what_is_over_long_enough_is_removed_from_the_disk() {
    let dir = TestDir::new();
    let tasks = dir.app().join("tasks");
    let old = ended(&table(&dir), &End::Completed(json!({"secret": 2})));
    let recent = ended(&table(&dir), &End::Completed(json!({})));
    let first = table(&dir);
    let working = first.begin(call()).unwrap();
    let died = first.begin(call()).unwrap().task.id;
    for id in [&old, &working.task.id, &died] {
        age(&tasks.join(format!("{id}.json")), TASK_TIME + MINUTE);
    }
    age(&tasks.join(format!("{recent}.json")), TASK_TIME - MINUTE);
    let orphan = "0".repeat(32);
    let left = format!(".{orphan}.json.0123456789abcdef.tmp");
    let fresh = format!(".{orphan}.json.1123456789abcdef.tmp");
    for name in [&format!("{orphan}.said"), &format!("{orphan}.work"), &left, &fresh] {
        fs::write(tasks.join(name), "").unwrap();
    }
    age(&tasks.join(&left), LEFTOVER_TIME + MINUTE);
    let is_there = |name: &str| tasks.join(name).exists();
    // One that looked a moment ago does not look again.
    drop(first.begin(call()).unwrap());
    assert!(is_there(&format!("{old}.json")));
    drop(table(&dir).begin(call()).unwrap());
    for gone in [&format!("{old}.json"), &format!("{died}.json"), &format!("{died}.work"), &left] {
        assert!(!is_there(gone), "{gone}");
    }
    assert!(!is_there(&format!("{orphan}.said")) && !is_there(&format!("{orphan}.work")));
    for stays in [&format!("{recent}.json"), &format!("{}.json", working.task.id), &fresh] {
        assert!(is_there(stays), "{stays}");
    }
}

#[test]
fn nobody_gets_what_is_older_than_a_task_is_kept() {
    let dir = TestDir::new();
    let table = table(&dir);
    let id = ended(&table, &End::Completed(json!({})));
    let path = dir.app().join(format!("tasks/{id}.json"));
    let mut record: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let made = record["created"].as_u64().unwrap();
    for (age, is_there) in [(TASK_TIME - MINUTE, true), (TASK_TIME + MINUTE, false)] {
        record["created"] = (made - u64::try_from(age.as_millis()).unwrap()).into();
        fs::write(&path, record.to_string()).unwrap();
        assert_eq!(table.look(&id, OWNER, MAX_TASK_BYTES).unwrap().is_some(), is_there, "{age:?}");
        assert_eq!(table.cancel(&id, OWNER, MAX_TASK_BYTES).unwrap(), is_there, "{age:?}");
    }
}

#[test]
fn a_table_that_is_full_says_when_there_is_room() {
    let dir = TestDir::new();
    let table = table(&dir);
    let tasks = dir.app().join("tasks");
    for number in 0..MAX_TASKS {
        fs::write(tasks.join(format!("{number:032x}.json")), "{}").unwrap();
    }
    let refused = table.begin(call()).map(|_| ()).unwrap_err();
    assert_eq!(refused.to_string(), "2000 tasks are kept by now, over or not: each goes 60 minutes after it was made");
    age(&tasks.join(format!("{:032x}.json", 7)), TASK_TIME + MINUTE);
    assert!(table.begin(call()).is_ok());
    assert!(matches!(table.begin(call()), Err(TaskError::Full)));
}

#[test]
fn a_result_that_is_too_large_fails_its_task() {
    let dir = TestDir::new();
    let table = table(&dir);
    let most = usize::try_from(MAX_TASK_BYTES).unwrap();
    let id = ended(&table, &End::Completed(json!({"text": "x".repeat(most)})));
    let failed = look(&table, &id);
    assert_eq!(failed.status, Status::Failed);
    assert_eq!(
        failed.outcome.unwrap()["message"],
        format!("a task has at most {MAX_TASK_BYTES} bytes, with its result, and this one has more")
    );
    // A large one is for those who said that they have room for it.
    let id = ended(&table, &End::Completed(json!({"text": "x".repeat(2 * 1024 * 1024)})));
    assert_eq!(look(&table, &id).status, Status::Completed);
    for refused in [
        table.look(&id, OWNER, LARGE_BYTES).map(|_| ()).unwrap_err(),
        table.cancel(&id, OWNER, LARGE_BYTES).map(|_| ()).unwrap_err(),
    ] {
        assert!(matches!(refused, TaskError::AppDir(wardroom_appdir::AppDirError::TooLarge { .. })), "{refused}");
    }
}

#[test]
fn how_far_a_task_is_neither_waits_nor_grows() {
    let dir = TestDir::new();
    let table = table(&dir);
    let working = table.begin(call()).unwrap();
    let record = dir.app().join(format!("tasks/{}.json", working.task.id));
    let before = fs::metadata(&record).unwrap().ino();
    let held = dir.folder().folder("tasks").unwrap().lock(".lock").unwrap();
    let begun = Instant::now();
    working.say(&"é".repeat(MAX_TASK_MESSAGE_BYTES));
    assert!(begun.elapsed() < Duration::from_secs(5), "it waited for the table's lock");
    drop(held);
    let said = look(&table, &working.task.id);
    assert_eq!(said.message, Some("é".repeat(MAX_TASK_MESSAGE_BYTES / 2)));
    assert!(said.updated >= said.created);
    assert_eq!(fs::metadata(&record).unwrap().ino(), before, "the record was written again");
    working.say("half");
    working.end(&End::Completed(json!({})));
    // What was said last stays with it.
    assert_eq!(look(&table, &working.task.id).message.as_deref(), Some("half"));
    assert!(!dir.app().join(format!("tasks/{}.said", working.task.id)).exists());
}

#[test]
fn a_result_is_noted_when_the_disk_takes_it_again() {
    for refusal in [Errno::NOSPC, Errno::IO] {
        let dir = TestDir::new();
        let table = table(&dir);
        let working = table.begin(call()).unwrap();
        let left = Rc::new(Cell::new(3));
        let refuse = Rc::clone(&left);
        let hook = move |_| match refuse.get() {
            0 => Ok(()),
            many => {
                refuse.set(many - 1);
                Err(refusal.into())
            }
        };
        with_faults(hook, || working.end(&End::Completed(json!({"n": 1}))));
        assert_eq!(left.get(), 0);
        let over = look(&table, &working.task.id);
        assert_eq!((over.status, over.outcome), (Status::Completed, Some(json!({"n": 1}))));
    }
}

#[test]
fn the_last_answer_is_noted_where_there_is_a_place_to_go_on() {
    let dir = TestDir::new();
    let table = table(&dir);
    let asks: BTreeMap<String, Value> = ["a", "b"].into_iter().map(|key| (key.to_owned(), json!({}))).collect();
    let id = ended(&table, &End::Asks(asks, "handle".to_owned()));
    let answer = |key: &str, place: Option<u32>| table.answer(&id, OWNER, [(key.to_owned(), json!(key))], || place);
    // Nobody asks for a place before.
    let noted = table.answer(&id, OWNER, [("a".to_owned(), json!("a"))], || -> Option<u32> { panic!("no place yet") });
    assert!(matches!(noted, Ok(Answered::Noted)), "{noted:?}");
    assert!(matches!(answer("b", None), Err(TaskError::Busy)));
    assert_eq!(look(&table, &id).status, Status::InputRequired);
    let Ok(Answered::GoesOn(working, 7)) = answer("b", Some(7)) else { panic!("it does not go on") };
    let answers: BTreeMap<String, Value> = ["a", "b"].into_iter().map(|key| (key.to_owned(), json!(key))).collect();
    assert_eq!(working.brought, Some(("handle".to_owned(), answers)));
    let working: Working = *working;
    assert_eq!(look(&table, &working.task.id).status, Status::Working);
}
