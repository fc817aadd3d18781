//! State of scripts in `state/`: values, names, limits, and the pending writes of a run.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use serde_json::{Value, json};
use wardroom_alc::limits::{MAX_PENDING_STATE_BYTES, MAX_STATE_NAMESPACE_BYTES};
use wardroom_alc::state::{PendingWrites, StateNamespace, StateStore, increment_value};
use wardroom_base::byte_size::ByteSize;
use wardroom_base::limits::{MAX_STATE_KEY_BYTES, MAX_STATE_VALUE_BYTES};
use wardroom_service::ServiceError;

use super::state_changes::{RunWrites, set_all};
use wardroom_test_support::TestDir;

fn ns(name: &str) -> StateNamespace {
    StateNamespace::parse(name).unwrap()
}

/// Returns the code and the message of a refusal.
#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, ServiceError>) -> (&'static str, String) {
    match result {
        Err(ServiceError::Tool { code, message, details: None }) => (code.as_str(), message),
        other => panic!("{other:?}"),
    }
}

#[test]
fn namespace_file_is_pretty_json_with_sorted_keys() {
    let dir = TestDir::new();
    let (state, default) = (StateStore::new(dir.open_app()), ns("default"));
    assert_eq!(state.keys(&default).unwrap(), [""; 0]);
    assert!(!dir.app_path().join("state").exists(), "reading makes nothing");
    let value = json!({"list": [1, 2.0, null], "text": "a\nb"});
    set_all(&state, &default, [("b", value.clone()), ("a", json!(true)), ("é \"", json!([]))]).unwrap();
    let path = dir.app_path().join("state/default.json");
    let expected = json!({"b": value, "a": true, "é \"": []});
    assert_eq!(fs::read_to_string(&path).unwrap(), format!("{expected:#}"));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(state.get(&default, "b").unwrap(), Some(value));
    assert_eq!(state.get(&default, "c").unwrap(), None);
    assert_eq!(state.keys(&default).unwrap(), ["a", "b", "é \""]);
    // Namespaces are separate.
    assert!(!state.contains_key(&ns("other"), "a").unwrap());
    let mut writes = RunWrites::new(&state, &default);
    for (key, was_there) in [("a", true), ("none", false), ("é \"", true)] {
        assert_eq!(writes.delete(key).unwrap(), was_there);
    }
    set_all(&state, &default, [("a", json!(null))]).unwrap();
    assert_eq!(
        (state.get(&default, "a").unwrap(), state.contains_key(&default, "a").unwrap()),
        (Some(Value::Null), true)
    );
    assert_eq!(state.keys(&default).unwrap(), ["a", "b"]);
    writes.delete("a").unwrap();
    writes.delete("b").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "{}");
}

#[test]
fn unchanged_values_keep_their_text() {
    let dir = TestDir::new();
    let path = dir
        .write_file("state/default.json", "{\"big\":123456789012345678901234567890,\n \"n\":1.50, \"o\": {\"x\" :1}}");
    let state = StateStore::new(dir.open_app());
    set_all(&state, &ns("default"), [("m", json!({"y": [1]}))]).unwrap();
    let expected = "{\n  \"big\": 123456789012345678901234567890,\n  \"m\": {\n    \"y\": [\n      1\n    ]\n  },\n  \
                    \"n\": 1.50,\n  \"o\": {\"x\" :1}\n}";
    assert_eq!(fs::read_to_string(path).unwrap(), expected);
}

#[test]
fn no_op_change_writes_nothing() {
    let dir = TestDir::new();
    let (state, default) = (StateStore::new(dir.open_app()), ns("default"));
    set_all(&state, &default, [("a", json!({"x": 1}))]).unwrap();
    let inode = || fs::metadata(dir.app_path().join("state/default.json")).unwrap().ino();
    let before = inode();
    set_all(&state, &default, [("a", json!({"x": 1}))]).unwrap();
    let mut writes = RunWrites::new(&state, &default);
    assert_eq!(writes.delete("b").unwrap(), false);
    assert_eq!(writes.set_nx("a", &json!(2)).unwrap(), false);
    assert_eq!(inode(), before);
    set_all(&state, &default, [("a", json!({"x": 2}))]).unwrap();
    assert_ne!(inode(), before);
}

#[test]
fn invalid_namespace_name_is_refused() {
    for (name, why) in [
        ("", ""),
        ("..", ""),
        ("a..b", ""),
        ("a/b", ""),
        ("a\\b", ""),
        ("a\0b", ""),
        ("a b", " (contains reserved character ' ')"),
        (".", " (is a path segment, not a name)"),
        ("é", " (contains forbidden character '\\u{e9}' (allowed: A-Z a-z 0-9 _ . -))"),
    ] {
        let shown = name.replace('\0', "\\u{0}");
        let expected = ("INVALID_NAMESPACE", format!("Invalid namespace: '{shown}'{why}"));
        assert_eq!(refused(StateNamespace::parse(name)), expected, "{name:?}");
    }
    assert!(refused(StateNamespace::parse(&"x".repeat(201))).1.contains("the limit is 200"));
    for name in ["default", "fork-0", "a.b_c-d", &"x".repeat(200)] {
        let dir = TestDir::new();
        set_all(&StateStore::new(dir.open_app()), &ns(name), [("k", json!(1))]).unwrap();
        assert!(dir.app_path().join(format!("state/{name}.json")).exists());
    }
}

#[test]
fn oversized_change_is_refused_and_changes_nothing() {
    let dir = TestDir::new();
    let (state, default) = (StateStore::new(dir.open_app()), ns("default"));
    set_all(&state, &default, [("old", json!(1))]).unwrap();
    let nested = |depth: usize| (1..depth).fold(json!([]), |inner, _| json!([inner]));
    let text = |len: usize| json!("x".repeat(len - 2));
    set_all(&state, &default, [(&*"k".repeat(MAX_STATE_KEY_BYTES), nested(99))]).unwrap();
    set_all(&state, &default, [("long", text(MAX_STATE_VALUE_BYTES))]).unwrap();
    assert_eq!(state.get(&default, "long").unwrap(), Some(text(MAX_STATE_VALUE_BYTES)));
    for (key, value, sentence) in [
        ("deep", nested(100), "the value of state key 'deep' is nested deeper than 99 levels"),
        (
            "longer",
            text(MAX_STATE_VALUE_BYTES + 1),
            "the value of state key 'longer' is 1.1 MiB long as JSON, the limit is 1 MiB",
        ),
        (&"k".repeat(MAX_STATE_KEY_BYTES + 1), json!(1), "a state key is 1.1 KiB long, the limit is 1 KiB: kkk"),
    ] {
        let mut writes = RunWrites::new(&state, &default);
        for result in [
            set_all(&state, &default, [("first", json!(1)), (key, value.clone())]),
            writes.set_nx(key, &value).map(drop),
            writes.pending.set(&default, key, &value),
        ] {
            let (code, message) = refused(result);
            assert!(code == "STATE_TOO_LARGE" && message.starts_with(sentence), "{message}");
        }
        assert!(writes.pending.is_empty());
    }
    assert!(!state.contains_key(&default, "first").unwrap());
    // A namespace never exceeds the size that can be read again.
    let large = text(MAX_STATE_VALUE_BYTES);
    let capacity = usize::try_from(MAX_STATE_NAMESPACE_BYTES).unwrap() / MAX_STATE_VALUE_BYTES;
    let names: Vec<String> = (0..capacity).map(|n| format!("large{n}")).collect();
    let too_many = |most: usize| names.iter().take(most).map(|name| (name.as_str(), large.clone()));
    let (code, message) = refused(set_all(&state, &default, too_many(capacity)));
    assert_eq!(code, "STATE_TOO_LARGE");
    assert!(message.ends_with("the limit is 8 MiB: delete keys, or use another namespace"), "{message}");
    assert_eq!(state.keys(&default).unwrap().len(), 3);
    set_all(&state, &default, too_many(capacity - 2)).unwrap();
    assert_eq!(state.keys(&default).unwrap().len(), 1 + capacity);
}

#[test]
fn malformed_namespace_file_is_left_unchanged() {
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(100), "]".repeat(100));
    for (content, why) in [
        ("", "cannot be read (not a JSON object at line 1 column 0)"),
        ("[]", "cannot be read (not a JSON object"),
        ("{\"a\":1", "cannot be read (not a JSON object at line 1 column 6)"),
        ("{\"secret\":tru", "cannot be read (not a JSON object at line 1 column"),
        (&deep, "cannot be read (JSON is nested deeper than 100 levels)"),
    ] {
        let dir = TestDir::new();
        let path = dir.write_file("state/default.json", content);
        let (state, default) = (StateStore::new(dir.open_app()), ns("default"));
        for result in [
            state.get(&default, "a").map(drop),
            state.keys(&default).map(drop),
            set_all(&state, &default, [("a", json!(1))]),
        ] {
            let (code, message) = refused(result);
            assert!(message.starts_with(&format!("state namespace 'default' {why}")), "{message}");
            assert!(code == "STATE_MALFORMED" && !message.contains("secret"), "{message}");
        }
        assert_eq!(fs::read_to_string(path).unwrap(), content);
    }
    let dir = TestDir::new();
    dir.write_file("state/latin.json", b"{\"\xe9\":1}");
    let read = StateStore::new(dir.open_app()).get(&ns("latin"), "a");
    assert_eq!(refused(read), ("STATE_MALFORMED", "state namespace 'latin' is not UTF-8 text".to_owned()));
}

#[test]
fn increments_are_exact() {
    let number = |value: Value| value.as_number().cloned().unwrap();
    let add = |current: Option<Value>, delta: Value| {
        increment_value(current.as_ref(), "k", &number(delta), &number(json!(10))).map(|sum| sum.to_string())
    };
    for (current, delta, sum) in [
        (None, json!(1), "11"),
        (None, json!(0.5), "10.5"),
        (Some(json!(9_007_199_254_740_993_i64)), json!(1), "9007199254740994"),
        (Some(json!(5)), json!(-7), "-2"),
        (Some(json!(3.0)), json!(1), "4.0"),
        (Some(json!(1)), json!(2.0), "3.0"),
        (Some(json!(i64::MAX)), json!(1), "9.223372036854776e+18"),
        (Some(json!(u64::MAX)), json!(1), "1.8446744073709552e+19"),
    ] {
        assert_eq!(add(current.clone(), delta.clone()).unwrap(), sum, "{current:?} + {delta}");
    }
    for current in [json!(null), json!("1"), json!([1]), json!(true)] {
        let expected = ("NOT_A_NUMBER", "incr: value at 'k' is not a number".to_owned());
        assert_eq!(refused(add(Some(current), json!(1))), expected);
    }
    let (code, message) = refused(add(Some(json!(1.7e308)), json!(1.7e308)));
    assert_eq!((code, &*message), ("NOT_A_NUMBER", "incr: value at 'k' would be too large for a number"));
}

#[test]
fn pending_writes_are_visible_to_the_run_and_to_others_after_flush() {
    let dir = TestDir::new();
    let (state, default) = (StateStore::new(dir.open_app()), ns("default"));
    set_all(&state, &default, [("kept", json!(1)), ("replaced", json!("old"))]).unwrap();
    let mut pending = PendingWrites::default();
    pending.set(&default, "replaced", &json!("first")).unwrap();
    pending.set(&default, "replaced", &json!("new")).unwrap();
    pending.set(&default, "added", &json!(null)).unwrap();
    pending.set(&ns("other"), "x", &json!([])).unwrap();
    assert_eq!(pending.get(&state, &default, "replaced").unwrap(), Some(json!("new")));
    assert_eq!(pending.get(&state, &default, "added").unwrap(), Some(Value::Null));
    assert_eq!(pending.get(&state, &default, "kept").unwrap(), Some(json!(1)));
    assert_eq!(pending.get(&state, &default, "none").unwrap(), None);
    assert_eq!(pending.keys(&state, &default).unwrap(), ["added", "kept", "replaced"]);
    assert!(
        pending.contains_key(&state, &default, "added").unwrap()
            && !pending.contains_key(&state, &default, "none").unwrap()
    );
    assert_eq!(state.get(&default, "replaced").unwrap(), Some(json!("old")));
    assert!(!state.contains_key(&default, "added").unwrap());
    // A concurrent change of another run is kept.
    set_all(&state, &default, [("others", json!(2))]).unwrap();
    pending.flush(&state, None).unwrap();
    assert!(pending.is_empty());
    assert_eq!(state.keys(&default).unwrap(), ["added", "kept", "others", "replaced"]);
    assert_eq!(state.get(&default, "replaced").unwrap(), Some(json!("new")));
    assert_eq!(state.get(&ns("other"), "x").unwrap(), Some(json!([])));
}

#[test]
fn atomic_operations_flush_pending_writes_in_the_same_step() {
    let dir = TestDir::new();
    let (state, default) = (StateStore::new(dir.open_app()), ns("default"));
    let mut writes = RunWrites::new(&state, &default);
    writes.pending.set(&default, "n", &json!(41)).unwrap();
    assert_eq!(writes.incr("n", 1).unwrap(), 42);
    assert!(writes.pending.is_empty());
    assert_eq!(state.get(&default, "n").unwrap(), Some(json!(42)));

    writes.pending.set(&default, "mine", &json!(1)).unwrap();
    assert_eq!(writes.set_nx("mine", &json!(2)).unwrap(), false);
    assert_eq!(writes.set_nx("n", &json!(2)).unwrap(), false);
    assert!(!state.contains_key(&default, "mine").unwrap(), "nothing was to be done yet");
    assert_eq!(writes.set_nx("new", &json!(2)).unwrap(), true);
    assert_eq!(state.get(&default, "mine").unwrap(), Some(json!(1)));
    assert_eq!(state.get(&default, "new").unwrap(), Some(json!(2)));

    writes.pending.set(&default, "gone", &json!(1)).unwrap();
    assert_eq!(writes.delete("gone").unwrap(), true);
    assert_eq!(writes.delete("mine").unwrap(), true);
    assert_eq!(writes.delete("mine").unwrap(), false);
    assert_eq!(state.keys(&default).unwrap(), ["n", "new"]);

    // A refused operation drops no pending write.
    writes.pending.set(&default, "word", &json!("x")).unwrap();
    assert_eq!(refused(writes.incr("word", 1)).0, "NOT_A_NUMBER");
    assert!(!writes.pending.is_empty() && !state.contains_key(&default, "word").unwrap());
    writes.pending.flush(&state, None).unwrap();
    assert_eq!(state.get(&default, "word").unwrap(), Some(json!("x")));
}

#[test]
fn unwritable_namespace_stays_pending_and_others_are_flushed() {
    let dir = TestDir::new();
    let path = dir.write_file("state/broken.json", "[]");
    let state = StateStore::new(dir.open_app());
    let mut pending = PendingWrites::default();
    pending.set(&ns("broken"), "a", &json!(1)).unwrap();
    pending.set(&ns("fine"), "a", &json!(1)).unwrap();
    assert_eq!(refused(pending.flush(&state, None)).0, "STATE_MALFORMED");
    assert!(!pending.is_empty() && state.contains_key(&ns("fine"), "a").unwrap());
    fs::write(path, "{}").unwrap();
    pending.flush(&state, None).unwrap();
    assert!(pending.is_empty() && state.contains_key(&ns("broken"), "a").unwrap());
}

#[test]
fn pending_writes_are_bounded_in_bytes() {
    let dir = TestDir::new();
    let (state, mut pending) = (StateStore::new(dir.open_app()), PendingWrites::default());
    let large = json!("x".repeat(1_000_000));
    let mut held = 0;
    let message = loop {
        match pending.set(&ns(&format!("n{}", held / 8)), &format!("k{held}"), &large) {
            Ok(()) => held += 1,
            refusal => break refused(refusal).1,
        }
    };
    assert!(message.ends_with(&format!("the limit is {}", ByteSize(MAX_PENDING_STATE_BYTES as u64))), "{message}");
    assert_eq!(held, 16);
    // Replacing a value does not count again.
    for _ in 0..100 {
        pending.set(&ns("n0"), "k0", &large).unwrap();
    }
    pending.flush(&state, None).unwrap();
    assert_eq!(state.keys(&ns("n1")).unwrap().len(), 8);
    pending.set(&ns("n2"), "k", &large).unwrap();
    // Many small values are bounded too.
    let mut small = PendingWrites::default();
    let refusal = (0..1_000_000).map(|n| small.set(&ns("n"), &n.to_string(), &json!(n))).find(Result::is_err);
    assert_eq!(refused(refusal.unwrap()).0, "STATE_TOO_LARGE");
}

#[test]
fn read_only_app_dir_refuses_state_changes() {
    let dir = TestDir::new();
    let path = dir.write_file("state/default.json", "{\n  \"a\": 1\n}");
    let app = wardroom_appdir::ambient::open_folder(&dir.app_path(), wardroom_appdir::Access::ReadOnly).unwrap();
    let state = StateStore::new(app);
    assert_eq!(state.get(&ns("default"), "a").unwrap(), Some(json!(1)));
    let expected = ("READ_ONLY", "cannot change state namespace 'default': its folder was opened read-only".to_owned());
    assert_eq!(refused(RunWrites::new(&state, &ns("default")).delete("a")), expected);
    assert_eq!(fs::read_to_string(path).unwrap(), "{\n  \"a\": 1\n}");
}
