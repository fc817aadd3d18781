//! State that several processes change, any of which may be killed: the old namespace or the new one, and no count lost.

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
use wardroom_alc::state::{ApplyStatus, KeyChange, PendingWrites, StateChange, StateNamespace, StateStore};
use wardroom_appdir::{Access, ambient, with_failpoints};
use wardroom_service::ServiceError;

use wardroom_test_support::TestDir;

const ROLE: &str = "WARDROOM_TEST_STATE_ROLE";
const FOLDER: &str = "WARDROOM_TEST_FOLDER";
const COUNTED: i64 = 1000;
/// Of a flush of one namespace.
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

/// This binary again, as a child that plays a role.
fn child(role: &str, dir: &TestDir) -> Child {
    let test = format!("{}::play_a_role", module_path!().split_once("::").unwrap().1);
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

/// In the parent, and in an ordinary run of all tests, nothing.
#[test]
fn play_a_role() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let state = state(&PathBuf::from(std::env::var(FOLDER).unwrap()));
    let (mut pending, one) = (PendingWrites::default(), Number::from(1));
    match role.split_once(' ').unwrap_or((&role, "")) {
        ("count", _) => {
            for _ in 0..COUNTED {
                pending.incr(&state, &default(), "n", &one, &Number::from(0)).unwrap();
            }
        }
        ("claim", name) => {
            for n in 0..100 {
                pending.set_nx(&state, &default(), &n.to_string(), &json!(name)).unwrap();
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
                let changes: Vec<StateChange> = pair(n).into();
                state.apply(&default(), &changes).unwrap();
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
            with_failpoints(die, || once(&mut pending, &state)).unwrap();
        }
        other => panic!("no such role: {other:?}"),
    }
}

/// Two values that belong together.
fn pair(n: i64) -> [StateChange; 2] {
    [StateChange::Set { key: "a".into(), value: json!(n) }, StateChange::Set { key: "b".into(), value: json!(n) }]
}

fn flush(state: &StateStore) -> Result<(), ServiceError> {
    let mut pending = PendingWrites::default();
    for n in 0..100 {
        pending.set(&default(), &format!("k{n}"), &json!(n))?;
    }
    pending.flush(state, None)
}

#[test]
fn two_processes_that_count_lose_nothing() {
    let dir = TestDir::new();
    let children = [child("count", &dir), child("count", &dir)];
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(state(&dir.app_path()).get(&default(), "n").unwrap(), Some(json!(2 * COUNTED)));
}

#[test]
fn of_two_processes_one_gets_each_key() {
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
fn a_death_at_any_step_leaves_the_old_namespace_or_the_new_one() {
    for at in 0..=STEPS.len() {
        let dir = TestDir::new();
        let path = dir.write_file("state/default.json", "{\n  \"old\": 1\n}");
        let status = child(&format!("die {at}"), &dir).wait().unwrap();
        let died = status.signal() == Some(9);
        assert_eq!(died, at < STEPS.len(), "{at}: {status}");
        let found: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        let keys = found.as_object().unwrap().len();
        assert!(found["old"] == 1 && (keys == 1 || keys == 101), "killed at {at}: {found}");
        // The lock went with its holder.
        flush(&state(&dir.app_path())).unwrap();
        assert_eq!(state(&dir.app_path()).keys(&default()).unwrap().len(), 101);
    }
}

#[test]
fn a_step_that_the_system_refuses_leaves_the_old_namespace_and_says_why() {
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
fn several_changes_are_one_for_whoever_reads() {
    let dir = TestDir::new();
    state(&dir.app_path()).apply(&default(), &pair(-1)).unwrap();
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
    // The writer was killed in the middle of something.
    state(&dir.app_path()).apply(&default(), &pair(5)).unwrap();
    assert_eq!(state(&dir.app_path()).get(&default(), "b").unwrap(), Some(json!(5)));
}

const NAME: &str = "a change";

/// An increment that can be asked for afterwards.
fn once(pending: &mut PendingWrites, state: &StateStore) -> Result<Value, ServiceError> {
    let (delta, default_value) = (Number::from(1), Number::from(0));
    let asked = KeyChange::Incr { delta: &delta, default: &default_value };
    pending.apply_key_change(state, &default(), "n", &asked, Some(NAME))
}

/// What a process does that comes back: the change again, unless it was made.
fn again(state: &StateStore) -> (bool, Value) {
    match state.apply_status(&default(), NAME).unwrap() {
        ApplyStatus::Applied(answer) => (true, answer),
        ApplyStatus::NotApplied => (false, once(&mut PendingWrites::default(), state).unwrap()),
        ApplyStatus::Unknown => panic!("a change is not known"),
    }
}

#[test]
fn a_change_with_a_name_is_made_once_whatever_others_do_meanwhile() {
    let (mut deaths, mut made) = (0, 0);
    for at in 0.. {
        let dir = TestDir::new();
        let state = state(&dir.app_path());
        let (one, zero) = (Number::from(1), Number::from(0));
        let others = |count: i64| {
            for _ in 0..count {
                PendingWrites::default().incr(&state, &default(), "n", &one, &zero).unwrap();
            }
        };
        others(1);
        let status = child(&format!("named {at}"), &dir).wait().unwrap();
        let died = status.signal() == Some(9);
        deaths += usize::from(died);
        // So that what is there looks as if it had been made, and as if it had not.
        others(at as i64 % 3);
        let (was_made, answer) = again(&state);
        made += usize::from(was_made);
        let n = state.get(&default(), "n").unwrap();
        assert_eq!(n, Some(json!(2 + at as i64 % 3)), "killed at {at}");
        assert_eq!(answer, if was_made { json!(2) } else { n.unwrap() }, "killed at {at}");
        assert_eq!(again(&state), (true, answer));
        if !died {
            assert!(status.success() && was_made, "{status}");
            break;
        }
    }
    // Before the new file has its name, and after.
    assert!(deaths > made && made > 1, "{deaths} {made}");
}

#[test]
fn the_list_of_changes_stays_short() {
    let dir = TestDir::new();
    let state = state(&dir.app_path());
    let (one, zero) = (Number::from(1), Number::from(0));
    let mut pending = PendingWrites::default();
    let asked = KeyChange::Incr { delta: &one, default: &zero };
    let count = 2000;
    for n in 0..count {
        pending.apply_key_change(&state, &default(), "n", &asked, Some(&format!("change {n}"))).unwrap();
    }
    let len = fs::metadata(dir.app_path().join("state/.default.changes")).unwrap().len();
    assert!(len < 2 * wardroom_alc::limits::MAX_STATE_CHANGE_LOG_BYTES, "{len}");
    let made = |n: i64| state.apply_status(&default(), &format!("change {n}")).unwrap();
    assert_eq!(made(count - 1), ApplyStatus::Applied(json!(count)));
    assert_eq!(made(count - 50), ApplyStatus::Applied(json!(count - 49)));
    assert_eq!(made(0), ApplyStatus::Unknown);
    assert_eq!(state.keys(&default()).unwrap(), ["n"]);
}

#[test]
fn who_writes_without_our_lock_leaves_it_open_what_was_made() {
    let dir = TestDir::new();
    let state = state(&dir.app_path());
    assert_eq!(state.apply_status(&default(), NAME).unwrap(), ApplyStatus::NotApplied);
    once(&mut PendingWrites::default(), &state).unwrap();
    assert_eq!(state.apply_status(&default(), NAME).unwrap(), ApplyStatus::Applied(json!(1)));
    dir.write_file("state/default.json", "{\"n\": 7}");
    assert_eq!(state.apply_status(&default(), NAME).unwrap(), ApplyStatus::Unknown);
    // And so it stays.
    once(&mut PendingWrites::default(), &state).unwrap();
    assert_eq!(state.apply_status(&default(), NAME).unwrap(), ApplyStatus::Applied(json!(8)));
}
