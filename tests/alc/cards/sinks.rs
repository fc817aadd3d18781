//! Copies of cards: in the folders that were granted, and never at the cost of a card.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};
use wardroom_alc::{Alc, CardSink};
use wardroom_appdir::{Access, ambient};

use super::{alc, asked, called, create, told};
use wardroom_test_support::{ClientRevision, StdioClient, TestDir, run_wardroom, wardroom_command};

fn mirrored(dir: &TestDir) -> Alc {
    let path = dir.root().join("mirror");
    std::fs::create_dir_all(&path).unwrap();
    let folder = ambient::open_folder(&path, Access::ReadWrite).unwrap();
    alc(dir).with_sinks(vec![CardSink { uri: "file:///mirror".to_owned(), folder }])
}

#[track_caller]
fn same(dir: &TestDir, name: &str) {
    let read = |path: std::path::PathBuf| std::fs::read_to_string(path).unwrap();
    assert_eq!(read(dir.root().join("mirror").join(name)), read(dir.app_path().join("cards").join(name)));
}

#[test]
fn every_write_is_copied() {
    let dir = TestDir::new();
    let alc = mirrored(&dir);
    create(&alc, json!({"card_id": "p_1", "pkg": {"name": "p"}}));
    same(&dir, "p/p_1.toml");
    told(&alc, "card.append", json!({"card_id": "p_1", "fields": {"more": 1}}));
    same(&dir, "p/p_1.toml");
    told(&alc, "card.write_samples", json!({"card_id": "p_1", "rows": [1, 2]}));
    same(&dir, "p/p_1.samples.jsonl");
    told(&alc, "card.alias_set", json!({"name": "best", "card_id": "p_1"}));
    same(&dir, "_aliases.toml");
    let none = json!({"created": 0, "appended": 0, "samples": 0, "aliases": 0});
    let once = json!({"created": 1, "appended": 1, "samples": 1, "aliases": 1});
    assert_eq!(alc.card_sink_stats(), [json!({"sink": "file:///mirror", "ok": once, "err": none, "last_error": null})]);
}

#[test]
fn a_sink_that_fails_costs_no_card() {
    let dir = TestDir::new();
    let alc = mirrored(&dir);
    // A file in the way: rights would not stop a test that runs as root.
    std::fs::write(dir.root().join("mirror/p"), "").unwrap();
    create(&alc, json!({"card_id": "p_1", "pkg": {"name": "p"}}));
    let health = alc.card_sink_stats().remove(0);
    assert_eq!((&health["ok"]["created"], &health["err"]["created"]), (&json!(0), &json!(1)));
    assert_eq!(health["last_error"]["kind"], "created");
    assert!(!health.to_string().contains(&dir.root().display().to_string()));
}

#[test]
fn a_backfill_copies_what_is_missing() {
    let dir = TestDir::new();
    let plain = alc(&dir);
    for id in ["p_1", "p_2", "p_3"] {
        create(&plain, json!({"card_id": id, "created_at": id, "pkg": {"name": "p"}}));
    }
    told(&plain, "card.write_samples", json!({"card_id": "p_1", "rows": [1]}));
    let alc = mirrored(&dir);
    std::fs::create_dir(dir.root().join("mirror/p")).unwrap();
    std::fs::write(dir.root().join("mirror/p/p_2.toml"), "kept").unwrap();
    let expected = |pushed: Value, skipped: Value, samples: Value| {
        json!({"sink": "file:///mirror", "pushed": pushed, "skipped": skipped, "failed": [], "pushed_samples": samples,
               "counts": {"pushed": pushed.as_array().unwrap().len(), "skipped": skipped.as_array().unwrap().len(),
                          "failed": 0, "pushed_samples": samples.as_array().unwrap().len()}})
    };
    let fill = |dry_run: bool| {
        called(&alc, "alc_card_sink_backfill", json!({"sink": "file:///mirror", "dry_run": dry_run})).unwrap()
    };
    let first = expected(json!(["p_3", "p_1"]), json!(["p_2"]), json!(["p_1"]));
    assert_eq!(fill(true), first);
    assert!(!dir.root().join("mirror/p/p_1.toml").exists());
    assert_eq!(fill(false), first);
    same(&dir, "p/p_1.toml");
    same(&dir, "p/p_1.samples.jsonl");
    assert_eq!(std::fs::read_to_string(dir.root().join("mirror/p/p_2.toml")).unwrap(), "kept");
    assert_eq!(fill(false), expected(json!([]), json!(["p_3", "p_2", "p_1"]), json!([])));
    let unknown = asked(&alc, "card.sink_backfill", json!({"sink": "file:///other"}));
    assert_eq!(unknown.unwrap_err(), "unknown sink: file:///other");
}

#[test]
fn an_entry_names_a_folder_of_this_machine() {
    for (uri, expected) in [
        ("file:///a/b%20c", Ok("/a/b c")),
        ("http://a", Err("is no file:// URI")),
        ("/a", Err("is no file:// URI")),
        ("file://host/a", Err("names another machine: it must begin with file:///")),
        ("file:///a%2", Err("has a % without two hexadecimal digits")),
        ("file:///a%ff", Err("is not UTF-8")),
        ("file:///a%00", Err("holds a NUL")),
    ] {
        assert_eq!(CardSink::parse_uri(uri), expected.map(Into::into), "{uri}");
    }
}

#[test]
fn the_environment_grants_no_folder() {
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
        "away lies in neither the AppDir nor a mount",
        "cards is where the cards themselves are",
        "mirror/none is not there",
    ] {
        let said = format!("{}{}", report.stdout, report.stderr);
        assert!(said.contains(refused), "{refused}: {said}");
    }
    let mut command = wardroom_command(dir.root());
    command.args(["--appdir", &app]).env("ALC_CARD_SINKS", &sinks);
    let mut client = StdioClient::spawn(command, ClientRevision::Modern);
    let mut fill = |sink: &str| {
        client.call(
            "tools/call",
            json!({"name": "alc_card_sink_backfill", "arguments": {"sink": format!("file://{sink}")}}),
        )
    };
    assert_eq!(fill(&mirror)["result"]["structuredContent"]["pushed"], json!(["p_1"]));
    assert_eq!(fill(&away)["result"]["structuredContent"]["error"]["code"], "UNKNOWN_SINK");
    assert_eq!(std::fs::read_dir(away).unwrap().count(), 0);
}
