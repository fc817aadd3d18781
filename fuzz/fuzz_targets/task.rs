//! Tasks: of a record that was garbled nothing is seen or all that it says, and only by its owner; and the plans of any
//! number of processes end as a model says.
#![no_main]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use tempfile::TempDir;
use wardroom_appdir::{Access, Folder, ambient};
use wardroom_base::payload::{Payload, has_reserved_text, json_depth};
use wardroom_service::Owner;
use wardroom_service::limits::MAX_TASK_FILE_BYTES;
use wardroom_service::tasks::{AnswerOutcome, FOLDER, NewTask, TaskStatus, TaskStore};

#[derive(Arbitrary, Debug)]
enum Input {
    /// Any bytes as a record.
    Record(Vec<u8>),
    /// A record with some other bytes.
    Garbled { at: u16, bytes: Vec<u8> },
    /// A record with another value of one field.
    Field { name: u8, value: Vec<u8> },
    /// What calls do with a task that waits for its client.
    Plan(Vec<Step>),
}

#[derive(Arbitrary, Debug)]
enum Step {
    Load(u8),
    Cancel(u8),
    Answer { owner: u8, key: u8, has_slot: bool },
    Restart,
}

const ID: &str = "00112233445566778899aabbccddeeff";
const KEYS: [&str; 3] = ["a", "b", "c"];

fn owner(index: u8) -> Owner {
    match index % 4 {
        0 => Owner::Operator,
        1 => Owner::Named("own".to_owned()),
        2 => Owner::Named("other".to_owned()),
        _ => Owner::Anonymous,
    }
}

fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

/// The record of a task that waits for three responses.
fn record() -> Value {
    json!({
        "id": ID, "owner": owner(1).tag(), "tool": "t", "arguments": {"x": [1, "\u{e9}"]}, "can": ["sampling"], "created": now_ms(),
        "updated": now_ms(), "status": "input_required", "message": null, "asks": {"a": {}, "b": [1], "c": null}, "answers": {},
        "handle": "h", "outcome": null,
    })
}

struct Fixture {
    _dir: TempDir,
    path: PathBuf,
    folder: Folder,
    store: TaskStore,
}

impl Fixture {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().canonicalize().expect("a path");
        let folder = ambient::open_folder(&path, Access::ReadWrite).expect("it can be opened");
        let store = TaskStore::open(&folder).expect("it can be opened");
        Self { _dir: dir, path, folder, store }
    }

    fn file(&self) -> PathBuf {
        self.path.join(FOLDER).join(format!("{ID}.json"))
    }

    fn check_record(&self, bytes: &[u8]) {
        fs::write(self.file(), bytes).expect("a record is written");
        // What a naive reader of the file says.
        let value: Option<Value> = serde_json::from_slice(bytes).ok().filter(|_| !has_reserved_text(bytes));
        let text = |name: &str| value.as_ref().and_then(|value| value.get(name)?.as_str());
        let tag = text("owner").filter(|tag| !tag.is_empty());
        for index in 0..4 {
            let (caller, before) = (owner(index), fs::read(self.file()).ok());
            let seen = self.store.load(ID, &caller, MAX_TASK_FILE_BYTES).expect("the file can be read");
            if let Some(task) = &seen {
                assert_eq!(text("id"), Some(ID));
                assert!(caller.sees(tag), "{caller:?} sees a task of {tag:?}");
                assert_eq!((text("tool"), task.id.as_str()), (Some(&*task.tool), ID));
                // No process works on it.
                assert_ne!(task.status, TaskStatus::Working);
                assert!(json_depth(bytes) <= 128, "no record is deeper");
            } else {
                assert_eq!(fs::read(self.file()).ok(), before, "what is not seen stays");
            }
        }
        let cancelled = self.store.cancel(ID, &owner(2), MAX_TASK_FILE_BYTES).expect("the file can be read");
        assert!(!cancelled || owner(2).sees(tag));
        for id in ["", "..", "00112233445566778899aabbccddeef/", "00112233445566778899AABBCCDDEEFF"] {
            assert!(self.store.load(id, &Owner::Operator, MAX_TASK_FILE_BYTES).expect("no file is read").is_none());
        }
    }

    fn check_plan(&mut self, steps: Vec<Step>) {
        fs::write(self.file(), record().to_string()).expect("a record is written");
        let mut left: Vec<&str> = KEYS.to_vec();
        let mut given: BTreeMap<String, Value> = BTreeMap::new();
        let (mut status, mut running) = (TaskStatus::InputRequired, None);
        for (number, step) in steps.into_iter().take(12).enumerate() {
            let is_seen = |index: u8| matches!(index % 4, 0 | 1);
            match step {
                Step::Load(index) => {
                    let seen = self.store.load(ID, &owner(index), MAX_TASK_FILE_BYTES).expect("it can be read");
                    assert_eq!(seen.is_some(), is_seen(index));
                    let Some(task) = seen else { continue };
                    assert_eq!(task.status, status);
                    assert_eq!(task.arguments.into_value(), record()["arguments"]);
                    if status == TaskStatus::InputRequired {
                        assert!(task.input_requests.keys().map(String::as_str).eq(left.iter().copied()));
                    }
                }
                Step::Cancel(index) => {
                    let found = self.store.cancel(ID, &owner(index), MAX_TASK_FILE_BYTES).expect("it can be changed");
                    assert_eq!(found, is_seen(index));
                    if found && !status.is_terminal() {
                        status = TaskStatus::Cancelled;
                    }
                }
                Step::Answer { owner: index, key, has_slot } => {
                    let key = KEYS[usize::from(key) % KEYS.len()];
                    let answer = json!({"number": number});
                    let slot = || has_slot.then_some(());
                    let answers = [(key.to_owned(), answer.clone()), ("unknown".to_owned(), Value::Null)];
                    let outcome = self.store.submit_responses(ID, &owner(index), answers, slot);
                    let counts = is_seen(index) && status == TaskStatus::InputRequired && left.contains(&key);
                    match outcome {
                        Ok(AnswerOutcome::UnknownTask) => assert!(!is_seen(index)),
                        Ok(AnswerOutcome::Recorded) => {
                            assert!(is_seen(index) && (!counts || left.len() > 1));
                            if counts {
                                left.retain(|known| *known != key);
                                given.insert(key.to_owned(), answer);
                            }
                        }
                        Ok(AnswerOutcome::Resumed(task, ())) => {
                            assert!(counts && left == [key]);
                            given.insert(key.to_owned(), answer);
                            left.clear();
                            let input = task.resume_input.as_ref().expect("what it resumes with");
                            assert_eq!((input.continuation_token.as_str(), &input.responses), ("h", &given));
                            (status, running) = (TaskStatus::Working, Some(task));
                        }
                        Err(error) => assert!(counts && !has_slot && left == [key], "{error}"),
                    }
                }
                Step::Restart => {
                    // The process that worked on it ends.
                    if running.take().is_some() && status == TaskStatus::Working {
                        status = TaskStatus::Failed;
                    }
                    self.store = TaskStore::open(&self.folder).expect("it can be opened");
                }
            }
        }
        drop(running);
        // Another task has an id of its own.
        let call = NewTask {
            owner: owner(1),
            tool: "t".to_owned(),
            arguments: Payload::default(),
            client_capabilities: Vec::new(),
        };
        let task = self.store.create(call).expect("a task is made");
        assert_ne!(task.record.id, ID);
    }
}

thread_local! {
    static FIXTURE: RefCell<Option<Fixture>> = const { RefCell::new(None) };
}

fuzz_target!(|input: Input| {
    FIXTURE.with_borrow_mut(|fixture| {
        let fixture = fixture.get_or_insert_with(Fixture::new);
        match input {
            Input::Record(bytes) => fixture.check_record(&bytes),
            Input::Garbled { at, bytes } => {
                let mut record = record().to_string().into_bytes();
                let at = usize::from(at) % record.len();
                let end = record.len().min(at + bytes.len());
                record.splice(at..end, bytes);
                fixture.check_record(&record);
            }
            Input::Field { name, value } => {
                let Ok(value) = serde_json::from_slice::<Value>(&value) else { return };
                let mut record = record();
                if let Value::Object(fields) = &mut record {
                    let name = fields.keys().nth(usize::from(name) % fields.len()).cloned().unwrap_or_default();
                    fields.insert(name, value);
                }
                fixture.check_record(record.to_string().as_bytes());
            }
            Input::Plan(steps) => fixture.check_plan(steps),
        }
        // Only what a plan left is there.
        for entry in fs::read_dir(fixture.path.join(FOLDER)).into_iter().flatten().flatten() {
            let _ = fs::remove_file(entry.path());
        }
    });
});
