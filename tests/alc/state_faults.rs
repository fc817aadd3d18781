//! State changed by several processes that may be killed: the old or the new namespace remains, and no count is lost.

use std::fs;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;

use rustix::io::Errno;
use rustix::process::{Signal, getpid, kill_process};
use serde_json::{Number, Value, json};
use wardroom_alc::state::{ApplyStatus, KeyChange, PendingWrites, StateNamespace, StateStore};
use wardroom_appdir::{Access, ambient, with_failpoints};
use wardroom_service::ServiceError;

use super::state_changes::{RunWrites, set_all};
use wardroom_test_support::TestDir;

const ROLE: &str = "WARDROOM_TEST_STATE_ROLE";
const FOLDER: &str = "WARDROOM_TEST_FOLDER";
const COUNTED: i64 = 1000;
/// The steps of a flush of one namespace.
const STEPS: [&str; 9] = [
    "create folders",
    "open folder",
    "open lock",
    "lock",
    "create temporary",
    "write",
    "flush",
    "rename",
    "flush names",
];

/// Starts this test binary as a child process with a role.
fn child(role: &str, dir: &TestDir) -> Child {
    let test = format!("{}::child_process_role", module_path!().split_once("::").unwrap().1);
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &test, "--nocapture"]).env(ROLE, role).env(FOLDER, dir.app_path());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn state(app: &Path) -> StateStore {
    StateStore::new(ambient::open_folder(app, Access::ReadWrite).unwrap())
}

fn default() -> StateNamespace {
    StateNamespace::parse("default").unwrap()
}

/// Does nothing in the parent and in an ordinary run of all tests.
#[test]
fn child_process_role() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let state = state(&PathBuf::from(std::env::var(FOLDER).unwrap()));
    let mut pending = PendingWrites::default();
    match role.split_once(' ').unwrap_or((&role, "")) {
        ("count", _) => {
            for _ in 0..COUNTED {
                RunWrites::new(&state, &default()).incr("n", 0).unwrap();
            }
        }
        ("claim", name) => {
            for n in 0..100 {
                RunWrites::new(&state, &default()).set_nx(&n.to_string(), &json!(name)).unwrap();
            }
        }
        ("die", at) => {
            let (at, mut number) = (at.parse::<usize>().unwrap(), 0);
            let die = move |_| {
                if number == at {
                    kill_process(getpid(), Signal::KILL).unwrap();
                }
                number += 1;
                Ok(())
            };
            with_failpoints(die, || flush(&state)).unwrap();
        }
        ("change", _) => {
            for n in 0.. {
                set_all(&state, &default(), pair(n)).unwrap();
            }
        }
        ("named", at) => {
            let (at, mut number) = (at.parse::<usize>().unwrap(), 0);
            let die = move |_| {
                if number == at {
                    kill_process(getpid(), Signal::KILL).unwrap();
                }
                number += 1;
                Ok(())
            };
            pending.set(&default(), "posted", &json!(1)).unwrap();
            with_failpoints(die, || apply_named_increment(&mut pending, &state)).unwrap();
        }
        other => panic!("no such role: {other:?}"),
    }
}

/// Two values that must change together.
fn pair(n: i64) -> [(&'static str, Value); 2] {
    [("a", json!(n)), ("b", json!(n))]
}

fn flush(state: &StateStore) -> Result<(), ServiceError> {
    let mut pending = PendingWrites::default();
    for n in 0..100 {
        pending.set(&default(), &format!("k{n}"), &json!(n))?;
    }
    pending.flush(state, None)
}

#[test]
fn concurrent_counters_lose_no_increment() {
    let dir = TestDir::new();
    let children = [child("count", &dir), child("count", &dir)];
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(state(&dir.app_path()).get(&default(), "n").unwrap(), Some(json!(2 * COUNTED)));
}

#[test]
fn concurrent_set_nx_gives_each_key_one_owner() {
    let dir = TestDir::new();
    for mut child in [child("claim one", &dir), child("claim two", &dir)] {
        assert!(child.wait().unwrap().success());
    }
    let state = state(&dir.app_path());
    assert_eq!(state.keys(&default()).unwrap().len(), 100);
    for key in state.keys(&default()).unwrap() {
        let owner = state.get(&default(), &key).unwrap().unwrap();
        assert!(owner == "one" || owner == "two", "{owner}");
    }
}

#[test]
fn kill_at_any_step_leaves_the_old_or_new_namespace() {
    for at in 0..=STEPS.len() {
        let dir = TestDir::new();
        let path = dir.write_file("state/default.json", "{\n  \"old\": 1\n}");
        let status = child(&format!("die {at}"), &dir).wait().unwrap();
        let died = status.signal() == Some(9);
        assert_eq!(died, at < STEPS.len(), "{at}: {status}");
        let found: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        let keys = found.as_object().unwrap().len();
        assert!(found["old"] == 1 && (keys == 1 || keys == 101), "killed at {at}: {found}");
        // The lock was released with its holder.
        flush(&state(&dir.app_path())).unwrap();
        assert_eq!(state(&dir.app_path()).keys(&default()).unwrap().len(), 101);
    }
}

#[test]
fn failed_step_leaves_the_old_namespace_and_reports_the_reason() {
    for (at, step) in STEPS.iter().enumerate() {
        for (errno, expected) in [(Errno::NOSPC, "DISK_FULL"), (Errno::MFILE, "BUSY"), (Errno::ROFS, "READ_ONLY")] {
            let dir = TestDir::new();
            let path = dir.write_file("state/default.json", "{}");
            let mut number = 0;
            let refuse = move |_| -> io::Result<()> {
                number += 1;
                if number == at + 1 { Err(errno.into()) } else { Ok(()) }
            };
            let error = with_failpoints(refuse, || flush(&state(&dir.app_path()))).unwrap_err();
            let ServiceError::Tool { code, message, .. } = error else { panic!("{step}: {error}") };
            assert_eq!(code.as_str(), expected, "{step}: {message}");
            let is_old = fs::read_to_string(&path).unwrap() == "{}";
            assert_eq!(is_old, *step != "flush names", "{step}");
        }
    }
}

#[test]
fn readers_see_several_changes_as_one() {
    let dir = TestDir::new();
    set_all(&state(&dir.app_path()), &default(), pair(-1)).unwrap();
    let mut writer = child("change", &dir);
    let (done, read) = channel();
    let reader = thread::spawn(move || {
        let mut seen = 0;
        let mut last = json!(-1);
        while seen < 50 {
            let text = fs::read_to_string(dir.app_path().join("state/default.json")).unwrap();
            let found: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(found["a"], found["b"]);
            seen += i32::from(found["a"] != last);
            last = found["a"].clone();
        }
        done.send(()).unwrap();
        dir
    });
    let seen = read.recv_timeout(std::time::Duration::from_secs(60));
    writer.kill().unwrap();
    writer.wait().unwrap();
    seen.unwrap();
    let dir = reader.join().unwrap();
    // The writer was killed in the middle of a change.
    set_all(&state(&dir.app_path()), &default(), pair(5)).unwrap();
    assert_eq!(state(&dir.app_path()).get(&default(), "b").unwrap(), Some(json!(5)));
}

const NAME: &str = "a change";

/// An increment with a name, so that its status can be queried.
fn apply_named_increment(pending: &mut PendingWrites, state: &StateStore) -> Result<Value, ServiceError> {
    let (delta, default_value) = (Number::from(1), Number::from(0));
    let change = KeyChange::Incr { delta: &delta, default: &default_value };
    pending.apply_key_change(state, &default(), "n", &change, Some(NAME))
}

/// Repeats the change unless it was applied, as a restarted process does.
fn apply_unless_applied(state: &StateStore) -> (bool, Value) {
    match state.apply_status(&default(), NAME, None).unwrap() {
        ApplyStatus::Applied(answer) => (true, answer),
        ApplyStatus::NotApplied => (false, apply_named_increment(&mut PendingWrites::default(), state).unwrap()),
        ApplyStatus::Unknown => panic!("a change is not known"),
    }
}

#[test]
fn named_change_is_applied_exactly_once_despite_concurrent_writes() {
    let (mut deaths, mut applied) = (0, 0);
    for at in 0.. {
        let dir = TestDir::new();
        let state = state(&dir.app_path());
        let others = |count: i64| {
            for _ in 0..count {
                RunWrites::new(&state, &default()).incr("n", 0).unwrap();
            }
        };
        others(1);
        let status = child(&format!("named {at}"), &dir).wait().unwrap();
        let died = status.signal() == Some(9);
        deaths += usize::from(died);
        // So that the value looks as if the change was applied in some cases and not in others.
        others(at as i64 % 3);
        let (was_applied, answer) = apply_unless_applied(&state);
        applied += usize::from(was_applied);
        let n = state.get(&default(), "n").unwrap();
        assert_eq!(n, Some(json!(2 + at as i64 % 3)), "killed at {at}");
        assert_eq!(answer, if was_applied { json!(2) } else { n.unwrap() }, "killed at {at}");
        assert_eq!(apply_unless_applied(&state), (true, answer));
        if !died {
            assert!(status.success() && was_applied, "{status}");
            break;
        }
    }
    // Deaths occurred both before the new file was renamed and after.
    assert!(deaths > applied && applied > 1, "{deaths} {applied}");
}

#[test]
fn change_log_stays_bounded() {
    let dir = TestDir::new();
    let state = state(&dir.app_path());
    let (one, zero) = (Number::from(1), Number::from(0));
    let mut pending = PendingWrites::default();
    let change = KeyChange::Incr { delta: &one, default: &zero };
    let count = 2000;
    for n in 0..count {
        pending.apply_key_change(&state, &default(), "n", &change, Some(&format!("change {n}"))).unwrap();
    }
    let len = fs::metadata(dir.app_path().join("state/.default.changes")).unwrap().len();
    assert!(len < 2 * wardroom_alc::limits::MAX_STATE_CHANGE_LOG_BYTES, "{len}");
    let applied = |n: i64| state.apply_status(&default(), &format!("change {n}"), None).unwrap();
    assert_eq!(applied(count - 1), ApplyStatus::Applied(json!(count)));
    assert_eq!(applied(count - 50), ApplyStatus::Applied(json!(count - 49)));
    assert_eq!(applied(0), ApplyStatus::Unknown);
    assert_eq!(state.keys(&default()).unwrap(), ["n"]);
}

/// Whether another run made the same change meanwhile says nothing of it.
#[test]
fn change_without_a_line_was_not_made_if_lines_were_cut_before_it_was_announced() {
    let dir = TestDir::new();
    let state = state(&dir.app_path());
    let (one, zero) = (Number::from(1), Number::from(0));
    let change = KeyChange::Incr { delta: &one, default: &zero };
    let others = |from: u64, to: u64| {
        for n in from..to {
            let name = format!("change {n}");
            PendingWrites::default().apply_key_change(&state, &default(), "n", &change, Some(&name)).unwrap();
        }
    };
    let made = |earlier| state.apply_status(&default(), NAME, earlier).unwrap();
    assert_eq!(state.count_changes(&default()).unwrap(), Some(0));
    others(0, 2000);
    assert_eq!(state.count_changes(&default()).unwrap(), Some(2000));
    others(2000, 2003);
    assert_eq!(made(Some(2000)), ApplyStatus::NotApplied);
    assert_eq!((made(Some(0)), made(None)), (ApplyStatus::Unknown, ApplyStatus::Unknown));
    // Now the lines of that time are gone, too.
    others(2003, 4000);
    assert_eq!(made(Some(2000)), ApplyStatus::Unknown);

    // Earlier versions wrote no numbers: they begin with the next cut.
    let log = dir.app_path().join("state/.default.changes");
    let written = fs::read_to_string(&log).unwrap();
    let lines = written.lines().map(|line| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        for number in ["n", "removed"] {
            line.as_object_mut().unwrap().remove(number);
        }
        format!("{line}\n")
    });
    fs::write(&log, lines.collect::<String>()).unwrap();
    assert_eq!(state.count_changes(&default()).unwrap(), None);
    others(4000, 4600);
    assert!(state.count_changes(&default()).unwrap().is_some());
    assert_eq!(made(None), ApplyStatus::Unknown);
    others(4600, 5200);
    let counted = state.count_changes(&default()).unwrap();
    assert_eq!(made(counted), ApplyStatus::NotApplied);
    // Its line was cut before the numbers began anew.
    assert_eq!((made(Some(1)), made(Some(1_000_000))), (ApplyStatus::Unknown, ApplyStatus::Unknown));
}

/// A newer version may write lines of another kind.
#[test]
fn line_that_cannot_be_read_makes_change_status_unknown() {
    let dir = TestDir::new();
    let state = state(&dir.app_path());
    let status = || state.apply_status(&default(), NAME, Some(0)).unwrap();
    let log = dir.app_path().join("state/.default.changes");
    dir.write_file("state/.default.changes", "");
    // What a killed process left of a line was no change.
    fs::write(&log, "{\"t\":\"chan").unwrap();
    assert_eq!(status(), ApplyStatus::NotApplied);
    fs::write(&log, "{\"t\":\"merged\",\"id\":\"x\"}\n").unwrap();
    assert_eq!(status(), ApplyStatus::Unknown);
    apply_named_increment(&mut PendingWrites::default(), &state).unwrap();
    assert_eq!(status(), ApplyStatus::Applied(json!(1)));
}

#[test]
fn write_without_lock_makes_change_status_unknown() {
    let dir = TestDir::new();
    let state = state(&dir.app_path());
    assert_eq!(state.apply_status(&default(), NAME, None).unwrap(), ApplyStatus::NotApplied);
    apply_named_increment(&mut PendingWrites::default(), &state).unwrap();
    assert_eq!(state.apply_status(&default(), NAME, None).unwrap(), ApplyStatus::Applied(json!(1)));
    dir.write_file("state/default.json", "{\"n\": 7}");
    assert_eq!(state.apply_status(&default(), NAME, None).unwrap(), ApplyStatus::Unknown);
    // A later change is known again.
    apply_named_increment(&mut PendingWrites::default(), &state).unwrap();
    assert_eq!(state.apply_status(&default(), NAME, None).unwrap(), ApplyStatus::Applied(json!(8)));
}

/// Another run makes the same change after this one looked, and before it has the lock.
#[test]
fn lost_race_stores_nothing() {
    let (first, one) = (json!("first"), json!(1));
    for (change, before, after) in [
        (KeyChange::SetNx(&first), "{}", "{\"key\": \"second\", \"progress\": 2}"),
        (KeyChange::Delete, "{\"key\": \"second\"}", "{\"progress\": 2}"),
    ] {
        let dir = TestDir::new();
        let state = state(&dir.app_path());
        dir.write_file("state/default.json", before);
        let mut pending = PendingWrites::default();
        pending.set(&default(), "progress", &one).unwrap();
        let file = dir.app_path().join("state/default.json");
        let lose = move |step: &str| if step == "open lock" { fs::write(&file, after) } else { Ok(()) };
        let answer =
            with_failpoints(lose, || pending.apply_key_change(&state, &default(), "key", &change, Some(NAME)).unwrap());
        assert_eq!(answer, false);
        // A replay stores what was pending later, for this answer does not say that it is stored.
        assert_eq!(fs::read_to_string(dir.app_path().join("state/default.json")).unwrap(), after);
        assert_eq!(pending.get(&state, &default(), "progress").unwrap(), Some(one.clone()));
        assert_eq!(state.apply_status(&default(), NAME, None).unwrap(), ApplyStatus::NotApplied);
    }
}
