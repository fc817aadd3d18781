//! The tools for transcripts: `alc_log_view`, `alc_stats` and `alc_info`.

use std::collections::HashSet;
use std::fs;
use std::num::NonZeroU32;
use std::path::Path;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use wardroom_alc::OperatorSettings;
use wardroom_alc::{Alc, AlcFolders, AlcOptions, PackageMount, Project};
use wardroom_appdir::{Access, LineIndexCache, ambient};
use wardroom_base::uri::PackageName;
use wardroom_config::AlcConfig;

use wardroom_test_support::{SANDBOX, TestAlcService, TestDir};

/// Sets the age of a file in days.
fn aged(path: &Path, days: u64) {
    let at = SystemTime::now() - Duration::from_secs(days * 86_400 + 60);
    fs::File::options().write(true).open(path).unwrap().set_modified(at).unwrap();
}

/// Writes a log and its summary, with their age in days.
fn log(dir: &TestDir, session: &str, strategy: Option<&str>, elapsed_ms: u64, days: u64) {
    let summary = json!({"session_id": session, "strategy": strategy, "task_hint": "hint", "elapsed_ms": elapsed_ms,
        "rounds": 2, "llm_calls": 3, "total_prompt_chars": 100, "total_response_chars": 50, "notes_count": 0});
    let body = json!({"session_id": session, "strategy": strategy, "task_hint": "hint", "transcript": [],
        "stats": {"elapsed_ms": elapsed_ms, "rounds": 2, "llm_calls": 3, "total_prompt_chars": 100,
                  "total_response_chars": 50}});
    aged(&dir.write_file(&format!("logs/{session}.json"), format!("{body:#}")), days);
    aged(&dir.write_file(&format!("logs/{session}.meta.json"), summary.to_string()), days);
}

fn sessions(service: &TestAlcService, arguments: Value) -> Vec<String> {
    let listed = service.call("alc_log_view", arguments).unwrap();
    let sessions = listed["sessions"].as_array().unwrap();
    sessions.iter().map(|summary| summary["session_id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn sessions_are_listed_newest_first() {
    let dir = TestDir::new();
    let service = TestAlcService::new(&dir);
    assert_eq!(sessions(&service, json!({})), [""; 0]);
    for n in 0..60 {
        log(&dir, &format!("s-{n}"), Some("cot"), 10, n);
    }
    let expected: Vec<String> = (0..50).map(|n| format!("s-{n}")).collect();
    assert_eq!(sessions(&service, json!({})), expected);
    assert_eq!(sessions(&service, json!({"limit": 2})), ["s-0", "s-1"]);
    assert_eq!(sessions(&service, json!({"limit": 0})), [""; 0]);
    assert_eq!(sessions(&service, json!({"limit": 10_000})).len(), 60);
    let refused = service.tool_refusal("alc_log_view", json!({"limit": 10_001}));
    assert_eq!(refused, "OUT_OF_RANGE limit=10001 exceeds cap of 10000");
}

/// Also where there are more logs than lists know of, and where logs come, are replaced and go between two lists.
#[test]
fn newest_sessions_are_listed_among_more_than_the_setting() {
    let dir = TestDir::new();
    for n in 0..30 {
        log(&dir, &format!("s-{n}"), Some("cot"), 10, n);
    }
    let remove = |session: &str| fs::remove_file(dir.app_path().join(format!("logs/{session}.json"))).unwrap();
    for max in [1, 7, 29, 30, 31] {
        let config = AlcConfig { max_records: NonZeroU32::new(max), ..AlcConfig::default() };
        let service = TestAlcService::with_config(&dir, config);
        for _ in 0..2 {
            assert_eq!(sessions(&service, json!({"limit": 3})), ["s-0", "s-1", "s-2"], "{max}");
        }
        log(&dir, "s-9", Some("cot"), 10, 0);
        log(&dir, "s-99", Some("cot"), 10, 1);
        remove("s-1");
        let listed = sessions(&service, json!({"limit": 4}));
        let listed: HashSet<&str> = listed.iter().map(String::as_str).collect();
        assert_eq!(listed, HashSet::from(["s-0", "s-9", "s-99", "s-2"]), "{max}");
        log(&dir, "s-1", Some("cot"), 10, 1);
        remove("s-99");
        fs::write(dir.root().join("next"), fs::read(dir.app_path().join("logs/s-9.json")).unwrap()).unwrap();
        aged(&dir.root().join("next"), 9);
        fs::rename(dir.root().join("next"), dir.app_path().join("logs/s-9.json")).unwrap();
        assert_eq!(sessions(&service, json!({"limit": 3})), ["s-0", "s-1", "s-2"], "{max}");
    }
}

#[test]
fn missing_summary_falls_back_to_log_and_broken_logs_are_skipped() {
    let dir = TestDir::new();
    log(&dir, "s-old", Some("cot"), 7, 1);
    fs::remove_file(dir.app_path().join("logs/s-old.meta.json")).unwrap();
    dir.write_file("logs/s-broken.json", "{");
    dir.write_file("logs/s-list.json", "[]");
    dir.write_file("logs/s-worse.json", "{}");
    dir.write_file("logs/s-worse.meta.json", "nothing");
    dir.write_file("logs/tracing.log.2026-11-21", "x");
    dir.write_file("logs/.s-old.json.lock", "");
    let listed = TestAlcService::new(&dir).call("alc_log_view", json!({})).unwrap();
    let expected = json!({"sessions": [{"session_id": "s-old", "strategy": "cot", "task_hint": "hint", "elapsed_ms": 7,
        "rounds": 2, "llm_calls": 3, "total_prompt_chars": 100, "total_response_chars": 50, "notes_count": 0}]});
    assert_eq!(listed, expected);
}

#[test]
fn log_is_shown_whole_or_truncated_to_newest_rounds() {
    let dir = TestDir::new();
    let rounds: Vec<Value> = (0..60).map(|n| json!({"query_id": n, "prompt": "p".repeat(1000)})).collect();
    let whole = json!({"session_id": "s", "strategy": null, "transcript": rounds});
    dir.write_file("logs/s.json", format!("{whole:#}"));
    let service = TestAlcService::new(&dir);
    let view = |arguments: Value| service.call("alc_log_view", arguments).unwrap();
    assert_eq!(view(json!({"session_id": "s"})), whole);
    let cut = view(json!({"session_id": "s", "limit": 3}));
    assert_eq!(
        (&cut["truncated"], &cut["original_rounds"], &cut["returned_rounds"]),
        (&json!(true), &json!(60), &json!(3))
    );
    assert_eq!(cut["transcript"][2]["query_id"], 59);
    let cut = view(json!({"session_id": "s", "max_chars": 5000}));
    assert_eq!(cut["returned_rounds"], 4);
    assert!(cut.to_string().len() <= 5000);
}

#[test]
fn unshowable_log_is_refused_with_a_reason() {
    let dir = TestDir::new();
    dir.write_file("logs/list.json", "[]");
    dir.write_file("logs/s.json", "{\"session_id\": \"s\", \"transcript\": []}");
    let service = TestAlcService::new(&dir);
    for (arguments, expected) in [
        (json!({"session_id": "none"}), "NOT_FOUND Log file not found for session 'none'"),
        (json!({"session_id": "../s"}), "INVALID_SESSION_ID the session_id contains reserved character '/'"),
        (json!({"session_id": ""}), "INVALID_SESSION_ID the session_id is empty"),
        (json!({"session_id": "list"}), "MALFORMED Log file is not a JSON object"),
        (json!({"session_id": "s", "max_chars": 1_000_001}), "OUT_OF_RANGE max_chars=1000001 exceeds cap of 1000000"),
        (
            json!({"session_id": "s", "max_chars": 0}),
            "OUT_OF_RANGE max_chars=0 is too small for alc://logs/s: use at least 34",
        ),
    ] {
        assert_eq!(service.tool_refusal("alc_log_view", arguments), expected);
    }
    for arguments in [json!({"limit": -1}), json!({"limit": "2"}), json!({"session": "s"})] {
        assert!(service.tool_refusal("alc_log_view", arguments).starts_with("invalid_arguments "));
    }
}

#[test]
fn stats_aggregate_logs_by_strategy() {
    let dir = TestDir::new();
    let service = TestAlcService::new(&dir);
    let stats = |arguments: Value| service.call("alc_stats", arguments).unwrap();
    assert_eq!(stats(json!({})), json!({"total_sessions": 0, "strategies": {}, "card_sinks": []}));
    log(&dir, "s-0", Some("cot"), 10, 0);
    log(&dir, "s-1", Some("cot"), 15, 3);
    log(&dir, "s-2", None, 1, 40);
    log(&dir, "s-3", Some("panel"), 7, 3);
    // An older log has no summary.
    fs::remove_file(dir.app_path().join("logs/s-3.meta.json")).unwrap();
    let of = |count: u64, elapsed: u64| {
        json!({"count": count, "avg_elapsed_ms": elapsed, "avg_llm_calls": 3, "avg_rounds": 2,
               "total_prompt_chars": 100 * count, "total_response_chars": 50 * count})
    };
    let (cot, panel, unknown) = (of(2, 13), of(1, 7), of(1, 1));
    let all = json!({"total_sessions": 4, "card_sinks": [],
        "strategies": {"cot": cot, "panel": panel, "unknown": unknown}});
    assert_eq!(stats(json!({})), all);
    for days in [u64::MAX, u64::from(u32::MAX), u64::from(u32::MAX) + 1, 41, 213_503_982_334_601] {
        assert_eq!(stats(json!({"days": days})), all, "{days}");
    }
    let newer = json!({"total_sessions": 3, "strategies": {"cot": cot, "panel": panel}, "card_sinks": []});
    assert_eq!(stats(json!({"days": 4})), newer);
    assert_eq!(stats(json!({"days": 1}))["strategies"], json!({"cot": of(1, 10)}));
    assert_eq!(stats(json!({"days": 0}))["total_sessions"], 0);
    assert_eq!(stats(json!({"strategy": "panel"}))["strategies"], json!({"panel": panel}));
    assert_eq!(stats(json!({"strategy": "none"}))["total_sessions"], 0);
}

#[test]
fn huge_summary_figures_do_not_overflow() {
    let dir = TestDir::new();
    for session in ["a", "b", "c"] {
        log(&dir, session, Some("cot"), u64::MAX, 0);
    }
    let stats = TestAlcService::new(&dir).call("alc_stats", json!({})).unwrap();
    assert_eq!(stats["strategies"]["cot"]["avg_elapsed_ms"], u64::MAX / 3);
}

#[test]
fn info_shows_no_path_of_the_machine() {
    let dir = TestDir::new();
    fs::create_dir(dir.root().join("granted")).unwrap();
    let granted = || ambient::open_folder(&dir.root().join("granted"), Access::ReadWrite).unwrap();
    let path = dir.root().join("granted");
    let info = |folders: AlcFolders, keeps: bool| {
        let operator = OperatorSettings { app_path: Some(dir.app_path()), ..OperatorSettings::default() };
        let options = AlcOptions { operator, keeps_transcripts: keeps, ..AlcOptions::default() };
        let (sandbox, indexes) = (std::sync::Arc::clone(&SANDBOX), LineIndexCache::new(None));
        let service = TestAlcService::from_alc(Alc::with_options(folders, sandbox, indexes, options));
        service.call("alc_info", json!({})).unwrap()
    };
    let plain = AlcFolders { app: dir.open_app(), logs: None, project: None, package_mounts: Vec::new() };
    let expected = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "preset_catalog_version": "preset-catalog@2026-04-23",
        "log_dir": {"resolved": "logs", "source": "AppDir"},
        "log_enabled": true,
        "tracing": "stderr, or the file of --log-file",
        "search_paths": [{"path": "packages", "source": "default"}],
        "read_only": false,
    });
    assert_eq!(info(plain, true), expected);
    dir.write_package("cot", "return {}");
    let linked = vec![
        PackageMount::Single { name: PackageName::parse("panel").unwrap(), folder: granted(), path: path.clone() },
        PackageMount::Collection { folder: granted(), path: path.clone() },
    ];
    let project = Some(Project { folder: granted(), path });
    let app = ambient::open_folder(&dir.app_path(), Access::ReadOnly).unwrap();
    let found = info(AlcFolders { app, logs: Some(granted()), project, package_mounts: linked }, false);
    let expected = json!([
        {"path": "alc.local.toml", "source": "project"},
        {"path": "panel", "source": "mount"},
        {"path": "folder of packages 1", "source": "mount or ALC_PACKAGES_PATH"},
        {"path": "packages", "source": "default"},
    ]);
    assert_eq!((&found["search_paths"], &found["packages_dir"]), (&expected, &json!("packages")));
    assert_eq!(found["log_dir"], json!({"resolved": "$ALC_LOG_DIR", "source": "ALC_LOG_DIR"}));
    assert_eq!((&found["log_enabled"], &found["read_only"]), (&json!(false), &json!(true)));
    assert!(!found.to_string().contains(dir.root().to_str().unwrap()), "{found}");
}
