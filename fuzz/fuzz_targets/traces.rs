//! The logs of the learning log: every line is read or counted as skipped, in both directions, and what follows a log that
//! grows, is cut short or replaced is what a reader of the whole finds.
#![no_main]

use std::cell::RefCell;
use std::fs;
use std::path::PathBuf;

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use tempfile::TempDir;
use wardroom_ace::fuzzing::{FollowedInsights, ReadLog, read_insights, read_traces, rewrite_trace};
use wardroom_ace::{LearningPlaces, errors_in_output};
use wardroom_appdir::limits::MAX_JSONL_LINE_BYTES;
use wardroom_appdir::{Access, Folder, ambient};

struct Fixture {
    _dir: TempDir,
    path: PathBuf,
    places: LearningPlaces,
}

impl Fixture {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().canonicalize().expect("a path");
        let folder: Folder = ambient::open_folder(&path, Access::ReadWrite).expect("it can be opened");
        fs::create_dir(path.join("logs")).expect("a folder is made");
        Self { _dir: dir, path, places: LearningPlaces::below(&folder) }
    }

    fn write(&self, name: &str, text: &[u8]) {
        fs::write(self.path.join("logs").join(name), text).expect("a log is written");
    }
}

/// The rows of a log: lines that are not blank. The last one counts without its end, and one that is too long whatever it
/// holds.
fn rows(log: &[u8]) -> Vec<&[u8]> {
    let is_blank = |line: &[u8]| line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
    let lines = log.split(|byte| *byte == b'\n');
    lines.filter(|line| line.len() > MAX_JSONL_LINE_BYTES || !is_blank(line)).collect()
}

fn check_log(log: &[u8], read: impl Fn(bool) -> Option<ReadLog>, id: &str) {
    let rows = rows(log);
    let named = |row: &[u8]| -> Option<Value> {
        // A field that is not read may hold bytes that are no text.
        let row = String::from_utf8_lossy(row);
        let value: Value = serde_json::from_str(&row).ok().filter(Value::is_object)?;
        value.get(id).filter(|id| id.is_string()).cloned()
    };
    let is_short = |row: &&&[u8]| row.len() <= MAX_JSONL_LINE_BYTES;
    let Some(forwards) = read(false) else {
        assert_eq!(read(true), None);
        assert!(!rows.is_empty(), "an empty log is no error");
        return;
    };
    let mut backwards = read(true).expect("a log is the same in both directions");
    backwards.lines.reverse();
    assert_eq!(forwards, backwards, "{}", String::from_utf8_lossy(log));
    assert_eq!(forwards.lines.len() + forwards.n_skipped, rows.len(), "{}", String::from_utf8_lossy(log));
    let mut candidates = rows.iter().filter(is_short).filter_map(|row| named(row));
    for line in &forwards.lines {
        assert!(candidates.any(|id_of_row| Some(&id_of_row) == line.get(id)), "{line} is no row, or out of order");
    }
}

fn check_trace(line: &[u8]) {
    let Some(once) = rewrite_trace(line) else { return };
    assert_eq!(rewrite_trace(&once).as_ref(), Some(&once), "{}", String::from_utf8_lossy(&once));
    assert!(!once.contains(&b'\n'));
}

/// Follows a log through its states.
fn check_followed(fixture: &Fixture, states: &[&[u8]]) {
    let followed = FollowedInsights::default();
    for state in states {
        fixture.write("insights.jsonl", state);
        let found = followed.read(&fixture.places);
        let fresh = FollowedInsights::default().read(&fixture.places);
        assert_eq!(found, fresh, "{:?}", String::from_utf8_lossy(state));
        if let Some((kept, read, skipped)) = &found {
            assert!(kept.len() <= *read && read + skipped == rows(state).len());
        }
    }
}

fn check_output(text: &str) {
    for error in errors_in_output(text) {
        let message = error.get("message").and_then(Value::as_str);
        assert!(message.is_some(), "{error}");
        assert!(error.get("line").is_some_and(Value::is_number), "{error}");
    }
}

thread_local! {
    static FIXTURE: RefCell<Option<Fixture>> = const { RefCell::new(None) };
}

fuzz_target!(|input: &[u8]| {
    let Some(([kind, cut], log)) = input.split_first_chunk::<2>() else { return };
    FIXTURE.with_borrow_mut(|fixture| {
        let fixture = fixture.get_or_insert_with(Fixture::new);
        match kind % 4 {
            0 => {
                fixture.write("execution_traces.jsonl", log);
                check_log(log, |backwards| read_traces(&fixture.places, backwards), "trace_id");
                rows(log).into_iter().for_each(check_trace);
            }
            1 => {
                fixture.write("insights.jsonl", log);
                check_log(log, |backwards| read_insights(&fixture.places, backwards), "id");
            }
            2 => {
                let cut = usize::from(*cut) * log.len() / 255;
                let (start, end) = log.split_at(cut);
                check_followed(fixture, &[start, log, log, end, start, b"", log]);
            }
            _ => check_output(&String::from_utf8_lossy(log)),
        }
    });
});
