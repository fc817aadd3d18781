//! Tests of writes: new cards, appended keys, samples and aliases, and what is refused.

use std::collections::HashSet;

use serde_json::{Value, json};
use wardroom_alc::limits::MAX_CARD_ID_ATTEMPTS;
use wardroom_alc::{CardOperation, perform_card_operation};

use super::{Alc, alc, create, now, run_op, try_op};
use wardroom_test_support::{TestAlcService, TestDir};

#[test]
fn new_card_gets_default_fields() {
    let dir = TestDir::new();
    let card = json!({
        "pkg": {"name": "my_eval"},
        "model": {"id": "claude-opus-4-6"},
        "params": {"b": [1, 2.5, null], "a": {"nothing": null, "deep": true}},
        "none": null,
        "large": u64::MAX,
    });
    let answer = run_op(&alc(&dir), "card.create", json!({"card": card}));
    let id = answer["card_id"].as_str().unwrap();
    assert!(id.starts_with("my_eval_opus46_20261121T024417_"), "{id}");
    assert_eq!(id.rsplit('_').next().unwrap().len(), 6);
    assert_eq!(answer["path"], format!("cards/my_eval/{id}.toml"));
    let text = std::fs::read_to_string(dir.app_path().join(answer["path"].as_str().unwrap())).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        text,
        format!(
            "card_id = \"{id}\"\ncreated_at = \"2026-11-21T02:44:17Z\"\ncreated_by = \"wardroom@{version}\"\n\
             large = 18446744073709552000.0\nparam_fingerprint = \"{}\"\nschema_version = \"card/v0\"\n\n\
             [model]\nid = \"claude-opus-4-6\"\n\n[params]\nb = [\n    1,\n    2.5,\n]\n\n[params.a]\ndeep = true\n\n\
             [pkg]\nname = \"my_eval\"\n",
            fingerprint("{\"a\":{\"deep\":true,\"nothing\":null},\"b\":[1,2.5,null]}")
        )
    );
    // The resource and the script return the same card.
    let read: Value = serde_json::from_str(&TestAlcService::new(&dir).read_text(&format!("alc://cards/{id}"))).unwrap();
    assert_eq!(run_op(&alc(&dir), "card.get", json!({"card_id": id})), read);
}

/// A naive 64-bit DJB2 hash.
fn fingerprint(text: &str) -> String {
    let mut hash: u64 = 5381;
    for byte in text.bytes() {
        hash = hash.wrapping_mul(33).wrapping_add(u64::from(byte));
    }
    format!("{hash:016x}")
}

#[test]
fn given_fields_of_new_card_are_kept() {
    let dir = TestDir::new();
    let alc = alc(&dir);
    let card = json!({"card_id": "mine", "created_at": "yesterday", "created_by": "me", "schema_version": "card/v9",
                      "pkg": {"name": "p"}, "text": "a \"quoted\"\nline"});
    assert_eq!(create(&alc, card.clone()), "mine");
    assert_eq!(run_op(&alc, "card.get", json!({"card_id": "mine"})), card);
}

#[test]
fn card_is_created_again_only_if_it_is_the_planned_one() {
    let dir = TestDir::new();
    let (one, other) = (alc(&dir), alc(&dir));
    let card = json!({"pkg": {"name": "p"}, "stats": {"pass_rate": 0.5}});
    let created = one.cards().create_card(&card, now(), "a1").unwrap();
    // A replayed run finds its card, also when keys were appended meanwhile.
    assert_eq!(other.cards().recreate_card(&card, now(), "a1").unwrap(), created);
    run_op(&one, "card.append", json!({"card_id": created.card_id, "fields": {"note": "seen"}}));
    assert_eq!(other.cards().recreate_card(&card, now(), "a1").unwrap(), created);
    assert_eq!(run_op(&one, "card.get", json!({"card_id": created.card_id}))["note"], "seen");
    assert_eq!(run_op(&one, "card.list", json!({})).as_array().unwrap().len(), 1);
    // Without a generated id, a card with other fields is another card.
    let named = |n: i64| json!({"card_id": "mine", "pkg": {"name": "p"}, "n": n});
    one.cards().create_card(&named(1), now(), "b1").unwrap();
    let error = other.cards().recreate_card(&named(2), now(), "b1").unwrap_err();
    assert_eq!(error.to_string(), "alc.card.create: card 'mine' already exists (immutable)");
}

#[test]
fn equal_cards_of_one_second_get_different_ids() {
    let dir = TestDir::new();
    let (one, other) = (alc(&dir), alc(&dir));
    let card = json!({"pkg": {"name": "p"}, "stats": {"pass_rate": 0.5}});
    let first = one.cards().create_card(&card, now(), "a1").unwrap();
    let second = other.cards().create_card(&card, now(), "a2").unwrap();
    assert_ne!(first.card_id, second.card_id);
    // Where even the salts are equal, the next ids are tried.
    let dir = TestDir::new();
    let alc = alc(&dir);
    let ids: Vec<String> = (0..MAX_CARD_ID_ATTEMPTS).map(|_| create(&alc, card.clone())).collect();
    let distinct: HashSet<&String> = ids.iter().collect();
    assert_eq!(distinct.len(), MAX_CARD_ID_ATTEMPTS);
    let error = try_op(&alc, "card.create", json!({"card": card})).unwrap_err();
    assert!(error.ends_with(" already exists (immutable)"), "{error}");
}

#[test]
fn card_id_is_unique_across_packages() {
    let dir = TestDir::new();
    let alc = alc(&dir);
    create(&alc, json!({"card_id": "same", "pkg": {"name": "one"}}));
    let again = try_op(&alc, "card.create", json!({"card": {"card_id": "same", "pkg": {"name": "two"}}}));
    assert_eq!(again.unwrap_err(), "alc.card.create: card 'same' already exists (immutable)");
    assert!(!dir.app_path().join("cards/two").exists());
}

#[test]
fn invalid_card_is_refused_in_original_words() {
    let dir = TestDir::new();
    let alc = alc(&dir);
    let deep = (0..60).fold(json!(1), |inner, _| json!({"x": inner}));
    for (card, expected) in [
        (json!("text"), "alc.card.create: card must be a table"),
        (json!({}), "alc.card.create: pkg.name is required"),
        (json!({"pkg": {"name": ""}}), "alc.card.create: pkg.name is required"),
        (json!({"pkg": {"name": "../up"}}), "Invalid pkg name: '../up'"),
        (json!({"pkg": {"name": "a/b"}}), "Invalid pkg name: 'a/b'"),
        (json!({"pkg": {"name": ".."}}), "Invalid pkg name: '..'"),
        (json!({"pkg": {"name": ".locks"}}), "Invalid pkg name: '.locks'"),
        (json!({"pkg": {"name": "p"}, "card_id": "a\0b"}), "Invalid card_id name: 'a\\u{0}b'"),
        (json!({"pkg": {"name": "p"}, "card_id": "../../x"}), "Invalid card_id name: '../../x'"),
        (json!({"pkg": {"name": "p"}, "card_id": 5}), "alc.card.create: card_id must be a string"),
        (json!({"card_id": 5}), "alc.card.create: pkg.name is required; alc.card.create: card_id must be a string"),
        (json!({"pkg": {"name": ".."}, "card_id": "a/b"}), "Invalid pkg name: '..'; Invalid card_id name: 'a/b'"),
        (
            json!({"pkg": {"name": "p"}, "card_id": "deep", "deep": deep}),
            "alc.card.create: card 'deep' could not be read again: line 6: nested deeper than 100 levels",
        ),
        (
            json!({"pkg": {"name": "p"}, "card_id": "long", "text": "x".repeat(1 << 20)}),
            "alc.card.create: card 'long' would have 1.1 MiB, the limit is 1 MiB",
        ),
    ] {
        assert_eq!(try_op(&alc, "card.create", json!({"card": card})).unwrap_err(), expected);
    }
    let entries: Vec<_> = std::fs::read_dir(dir.root()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(entries, ["app"]);
    assert!(!dir.app_path().join("cards").exists());
}

#[test]
fn create_refuses_symlinked_package() {
    let dir = TestDir::new();
    std::fs::create_dir_all(dir.app_path().join("cards")).unwrap();
    std::fs::create_dir(dir.root().join("away")).unwrap();
    std::os::unix::fs::symlink("../../away", dir.app_path().join("cards/p")).unwrap();
    let error = try_op(&alc(&dir), "card.create", json!({"card": {"pkg": {"name": "p"}}})).unwrap_err();
    assert!(error.ends_with("leads outside its folder"), "{error}");
    assert_eq!(std::fs::read_dir(dir.root().join("away")).unwrap().count(), 0);
}

#[test]
fn append_adds_new_keys_and_keeps_old_ones() {
    let dir = TestDir::new();
    let alc = alc(&dir);
    dir.write_file("cards/p/p_1.toml", "card_id = \"p_1\"\nat = 2026-01-02T03:04:05Z\n[pkg]\nname = \"p\"\n");
    let append = |fields: Value| try_op(&alc, "card.append", json!({"card_id": "p_1", "fields": fields}));
    let card = append(json!({"caveats": {"n": 1}, "note": "new", "none": null})).unwrap();
    let expected = json!({"at": "2026-01-02T03:04:05Z", "card_id": "p_1", "pkg": {"name": "p"}, "caveats": {"n": 1}, "note": "new"});
    assert_eq!(card, expected);
    // A time in the file stays a time.
    let text = std::fs::read_to_string(dir.app_path().join("cards/p/p_1.toml")).unwrap();
    assert!(text.contains("at = 2026-01-02T03:04:05Z\n"), "{text}");
    assert_eq!(
        append(json!({"more": 1, "note": "other"})).unwrap_err(),
        "alc.card.append: key 'note' already set on card 'p_1' (immutable)"
    );
    assert_eq!(append(json!([1])).unwrap_err(), "alc.card.append: fields must be a table");
    assert_eq!(append(json!({"none": null})).unwrap(), expected);
    assert_eq!(
        try_op(&alc, "card.append", json!({"card_id": "gone", "fields": {}})).unwrap_err(),
        "alc.card.append: card 'gone' not found"
    );
    assert_eq!(std::fs::read_to_string(dir.app_path().join("cards/p/p_1.toml")).unwrap(), text);
}

#[test]
fn samples_are_written_once_and_read_in_pages() {
    let dir = TestDir::new();
    let alc = alc(&dir);
    let id = create(&alc, json!({"card_id": "p_1", "pkg": {"name": "p"}}));
    let rows: Vec<Value> = (0..10_000).map(|n| json!({"case": n, "passed": n % 3 == 0})).collect();
    let write = |rows: &Value| try_op(&alc, "card.write_samples", json!({"card_id": id, "rows": rows}));
    assert_eq!(write(&json!("x")).unwrap_err(), "alc.card.write_samples: samples must be an array");
    let read = |arguments: Value| {
        let mut all = json!({"card_id": "p_1"});
        all.as_object_mut().unwrap().extend(arguments.as_object().unwrap().clone());
        run_op(&alc, "card.read_samples", all)
    };
    assert_eq!(read(json!({})), json!([]));
    assert_eq!(write(&json!(rows)).unwrap(), json!({"path": "cards/p/p_1.samples.jsonl", "count": 10_000}));
    assert_eq!(
        write(&json!([])).unwrap_err(),
        "alc.card.write_samples: samples already exist for card 'p_1' (write-once)"
    );
    assert_eq!(read(json!({})), json!(rows));
    assert_eq!(read(json!({"offset": 9_998})), json!(rows[9_998..]));
    assert_eq!(read(json!({"offset": 4_090.0, "limit": 20})), json!(rows[4_090..4_110]));
    assert_eq!(read(json!({"limit": 0})), json!([]));
    let passed: Vec<&Value> = rows.iter().filter(|row| row["passed"] == true).collect();
    assert_eq!(read(json!({"where": {"passed": true}})), json!(passed));
    assert_eq!(read(json!({"where": {"passed": true}, "offset": 3_000, "limit": 10})), json!(passed[3_000..3_010]));
    assert_eq!(read(json!({"where": {"case": {"gte": 9_999}}})), json!(rows[9_999..]));
    assert_eq!(
        try_op(&alc, "card.write_samples", json!({"card_id": "gone", "rows": []})).unwrap_err(),
        "card 'gone' not found"
    );
}

#[test]
fn aliases_are_stored_in_original_format() {
    let dir = TestDir::new();
    let alc = alc(&dir);
    dir.write_file(
        "cards/_aliases.toml",
        "[[alias]]\nname = \"best\"\ncard_id = \"p_0\"\nset_at = \"2025-01-01T00:00:00Z\"\n\n\
         [[alias]]\nname = \"old\"\ncard_id = \"p_0\"\npkg = \"p\"\nset_at = \"2025-01-01T00:00:00Z\"\nlater = \"kept\"\n",
    );
    let id = create(&alc, json!({"card_id": "p_1", "pkg": {"name": "p"}}));
    let set = |arguments: Value| try_op(&alc, "card.alias_set", arguments);
    let best = json!({"name": "best", "card_id": "p_1", "pkg": "p", "note": "n", "set_at": "2026-11-21T02:44:17Z"});
    assert_eq!(set(json!({"name": "best", "card_id": id, "pkg": "p", "note": "n"})).unwrap(), best);
    assert_eq!(
        std::fs::read_to_string(dir.app_path().join("cards/_aliases.toml")).unwrap(),
        "[[alias]]\ncard_id = \"p_0\"\nlater = \"kept\"\nname = \"old\"\npkg = \"p\"\nset_at = \"2025-01-01T00:00:00Z\"\n\n\
         [[alias]]\ncard_id = \"p_1\"\nname = \"best\"\nnote = \"n\"\npkg = \"p\"\nset_at = \"2026-11-21T02:44:17Z\"\n"
    );
    assert_eq!(run_op(&alc, "card.alias_list", json!({"pkg": "q"})), json!([]));
    assert_eq!(run_op(&alc, "card.alias_list", json!({}))[1], best);
    assert_eq!(run_op(&alc, "card.get_by_alias", json!({"name": "best"}))["card_id"], "p_1");
    assert_eq!(run_op(&alc, "card.get_by_alias", json!({"name": "none"})), Value::Null);
    assert_eq!(set(json!({"name": "x", "card_id": "gone"})).unwrap_err(), "alc.card.alias_set: card 'gone' not found");
    assert_eq!(set(json!({"name": "a/b", "card_id": "p_1"})).unwrap_err(), "Invalid alias name: 'a/b'");
    dir.write_file("cards/_aliases.toml", "alias = 5\n");
    assert!(set(json!({"name": "x", "card_id": "p_1"})).is_err());
    assert_eq!(std::fs::read_to_string(dir.app_path().join("cards/_aliases.toml")).unwrap(), "alias = 5\n");
}

#[test]
fn unknown_operation_and_invalid_arguments_are_reported() {
    let dir = TestDir::new();
    let alc = alc(&dir);
    assert_eq!(try_op(&alc, "card.fly", json!({})).unwrap_err(), "unknown operation: card.fly");
    assert_eq!(try_op(&alc, "card.get", json!({})).unwrap_err(), "alc.card.get: missing field `card_id`");
    assert_eq!(
        try_op(&alc, "card.list", json!({"limit": -1})).unwrap_err(),
        "alc.card.list: -1 is not a count: use a whole number, 0 or more"
    );
}

#[test]
fn cancelled_operations_stop() {
    let dir = TestDir::new();
    let alc = alc(&dir);
    let id = create(&alc, json!({"pkg": {"name": "p"}}));
    let rows: Vec<Value> = (0..1000).map(|n| json!({"n": n})).collect();
    let stopped = |alc: &Alc, operation: &str, arguments: Value| {
        let asked = CardOperation::new(operation, &arguments, now());
        perform_card_operation(alc.cards(), &asked, &|| true).expect_err(operation)
    };
    stopped(&alc, "card.write_samples", json!({"card_id": id, "rows": rows}));
    assert_eq!(run_op(&alc, "card.read_samples", json!({"card_id": id})), json!([]));
    run_op(&alc, "card.write_samples", json!({"card_id": id, "rows": rows}));
    // The first query of a service reads the folders.
    let alc = self::alc(&dir);
    for (operation, arguments) in [
        ("card.list", json!({})),
        ("card.find", json!({"where": {"pkg": {"name": "p"}}})),
        ("card.lineage", json!({"card_id": id})),
        ("card.get", json!({"card_id": "nowhere"})),
        ("card.read_samples", json!({"card_id": id, "where": {"n": 5}})),
    ] {
        stopped(&alc, operation, arguments);
    }
}
