//! Tests of sinks: copies go only to granted folders, and a failed copy never fails a write.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};
use wardroom_alc::CardSink;
use wardroom_appdir::{Access, ambient};

use super::{alc, call_tool, create, run_op, try_op};
use wardroom_test_support::{ClientRevision, StdioClient, TestDir, run_wardroom, wardroom_command};

fn alc_with_sink(dir: &TestDir) -> std::sync::Arc<wardroom_alc::Alc> {
    let path = dir.root().join("mirror");
    std::fs::create_dir_all(&path).unwrap();
    let folder = ambient::open_folder(&path, Access::ReadWrite).unwrap();
    let sinks = vec![CardSink { uri: "file:///mirror".to_owned(), folder }];
    std::sync::Arc::new(super::unshared_alc(dir, sinks))
}

#[track_caller]
fn assert_same_in_sink(dir: &TestDir, name: &str) {
    let read = |path: std::path::PathBuf| std::fs::read_to_string(path).unwrap();
    assert_eq!(read(dir.root().join("mirror").join(name)), read(dir.app_path().join("cards").join(name)));
}

#[test]
fn every_write_is_copied_to_sink() {
    let dir = TestDir::new();
    let alc = alc_with_sink(&dir);
    create(&alc, json!({"card_id": "p_1", "pkg": {"name": "p"}}));
    assert_same_in_sink(&dir, "p/p_1.toml");
    run_op(&alc, "card.append", json!({"card_id": "p_1", "fields": {"more": 1}}));
    assert_same_in_sink(&dir, "p/p_1.toml");
    run_op(&alc, "card.write_samples", json!({"card_id": "p_1", "rows": [1, 2]}));
    assert_same_in_sink(&dir, "p/p_1.samples.jsonl");
    run_op(&alc, "card.alias_set", json!({"name": "best", "card_id": "p_1"}));
    assert_same_in_sink(&dir, "_aliases.toml");
    let none = json!({"created": 0, "appended": 0, "samples": 0, "aliases": 0});
    let once = json!({"created": 1, "appended": 1, "samples": 1, "aliases": 1});
    assert_eq!(
        alc.cards().card_sink_stats(),
        [json!({"sink": "file:///mirror", "ok": once, "err": none, "last_error": null})]
    );
}

#[test]
fn failing_sink_does_not_fail_create() {
    let dir = TestDir::new();
    let alc = alc_with_sink(&dir);
    // A file instead of the folder: permissions would not stop a test that runs as root.
    std::fs::write(dir.root().join("mirror/p"), "").unwrap();
    create(&alc, json!({"card_id": "p_1", "pkg": {"name": "p"}}));
    let health = alc.cards().card_sink_stats().remove(0);
    assert_eq!((&health["ok"]["created"], &health["err"]["created"]), (&json!(0), &json!(1)));
    assert_eq!(health["last_error"]["kind"], "created");
    assert!(!health.to_string().contains(&dir.root().display().to_string()));
}

#[test]
fn backfill_copies_missing_files() {
    let dir = TestDir::new();
    let plain = alc(&dir);
    for id in ["p_1", "p_2", "p_3"] {
        create(&plain, json!({"card_id": id, "created_at": id, "pkg": {"name": "p"}}));
    }
    run_op(&plain, "card.write_samples", json!({"card_id": "p_1", "rows": [1]}));
    let alc = alc_with_sink(&dir);
    std::fs::create_dir(dir.root().join("mirror/p")).unwrap();
    std::fs::write(dir.root().join("mirror/p/p_2.toml"), "kept").unwrap();
    let expected = |pushed: Value, skipped: Value, samples: Value| {
        json!({"sink": "file:///mirror", "pushed": pushed, "skipped": skipped, "failed": [], "pushed_samples": samples,
               "counts": {"pushed": pushed.as_array().unwrap().len(), "skipped": skipped.as_array().unwrap().len(),
                          "failed": 0, "pushed_samples": samples.as_array().unwrap().len()}})
    };
    let backfill = |dry_run: bool| {
        call_tool(&alc, "alc_card_sink_backfill", json!({"sink": "file:///mirror", "dry_run": dry_run})).unwrap()
    };
    let first = expected(json!(["p_3", "p_1"]), json!(["p_2"]), json!(["p_1"]));
    assert_eq!(backfill(true), first);
    assert!(!dir.root().join("mirror/p/p_1.toml").exists());
    assert_eq!(backfill(false), first);
    assert_same_in_sink(&dir, "p/p_1.toml");
    assert_same_in_sink(&dir, "p/p_1.samples.jsonl");
    assert_eq!(std::fs::read_to_string(dir.root().join("mirror/p/p_2.toml")).unwrap(), "kept");
    assert_eq!(backfill(false), expected(json!([]), json!(["p_3", "p_2", "p_1"]), json!([])));
    let unknown = try_op(&alc, "card.sink_backfill", json!({"sink": "file:///other"}));
    assert_eq!(unknown.unwrap_err(), "unknown sink: file:///other");
}

#[test]
fn sink_uri_must_name_local_folder() {
    for (uri, expected) in [
        ("file:///a/b%20c", Ok("/a/b c")),
        ("http://a", Err("is not a file:// URI")),
        ("/a", Err("is not a file:// URI")),
        ("file://host/a", Err("names another machine: it must begin with file:///")),
        ("file:///a%2", Err("has a % without two hexadecimal digits")),
        ("file:///a%ff", Err("is not UTF-8")),
        ("file:///a%00", Err("contains NUL")),
    ] {
        assert_eq!(CardSink::parse_uri(uri), expected.map(Into::into), "{uri}");
    }
}

#[test]
fn environment_grants_no_folder() {
    let dir = TestDir::new();
    let app = dir.app_path().display().to_string();
    for folder in ["mirror", "away"] {
        std::fs::create_dir(dir.root().join(folder)).unwrap();
        std::fs::set_permissions(dir.root().join(folder), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let [mirror, away] = ["mirror", "away"].map(|name| dir.root().join(name).display().to_string());
    run_wardroom(dir.root(), &["mount", "add", "mirror", &mirror, "--as", "packages"]).expect_success();
    create(&alc(&dir), json!({"card_id": "p_1", "pkg": {"name": "p"}}));
    let sinks = format!("file://{away}|file://{mirror}|file://{app}/cards|file://{mirror}/none");
    let mut command = wardroom_command(dir.root());
    command.args(["--appdir", &app, "doctor"]).env("ALC_CARD_SINKS", &sinks);
    let report = wardroom_test_support::run_command(&mut command);
    for refused in [
        "away is skipped: it lies in neither the AppDir nor a mount",
        "cards is skipped: it is the folder of the cards themselves",
        "mirror/none is skipped: it cannot be opened",
    ] {
        let output = format!("{}{}", report.stdout, report.stderr);
        assert!(output.contains(refused), "{refused}: {output}");
    }
    let mut command = wardroom_command(dir.root());
    command.args(["--appdir", &app]).env("ALC_CARD_SINKS", &sinks);
    let mut client = StdioClient::spawn(command, ClientRevision::Modern);
    let mut backfill = |sink: &str| {
        client.call(
            "tools/call",
            json!({"name": "alc_card_sink_backfill", "arguments": {"sink": format!("file://{sink}")}}),
        )
    };
    assert_eq!(backfill(&mirror)["result"]["structuredContent"]["pushed"], json!(["p_1"]));
    assert_eq!(backfill(&away)["result"]["structuredContent"]["error"]["code"], "UNKNOWN_SINK");
    assert_eq!(std::fs::read_dir(away).unwrap().count(), 0);
}
