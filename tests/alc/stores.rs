//! Each store alone, on a temporary folder and without the service.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::json;
use wardroom_alc::limits::{FINISHED_RUN_TTL, MAX_FINISHED_RUN_BYTES, MAX_FINISHED_RUNS, MAX_FINISHED_RUNS_PER_OWNER};
use wardroom_alc::transcript::{RunStats, Transcript, TranscriptRound};
use wardroom_alc::{
    CardIndexOptions, CardOperation, CardStore, EvalStore, Grant, HubIndex, LogStore, OperatorSettings, PackageStore,
    PathGrants, RunStore, ScenarioStore, perform_card_operation,
};
use wardroom_appdir::limits::MAX_JOURNAL_BYTES;
use wardroom_appdir::{CacheDir, LineIndexCache, with_failpoints};
use wardroom_base::uri::SessionId;
use wardroom_service::{Catalogue, RequestInfo};
use wardroom_test_support::{SANDBOX, TestDir};

fn grants(dir: &TestDir) -> PathGrants {
    let operator = OperatorSettings { app_path: Some(dir.app_path()), ..OperatorSettings::default() };
    PathGrants::new(dir.open_app(), None, Vec::new(), Vec::new(), Vec::new(), operator)
}

fn info() -> RequestInfo {
    RequestInfo::new(&Arc::new(Catalogue::new(Vec::new())))
}

#[test]
fn path_grants_open_granted_folders_only() {
    let dir = TestDir::new();
    std::fs::create_dir(dir.app_path().join("mine")).unwrap();
    let grants = grants(&dir);
    let full = dir.app_path().join("mine").display().to_string();
    for granted in ["mine", "./mine", "x/../mine", full.as_str()] {
        assert!(grants.open_folder(granted, Grant::Read).is_ok(), "{granted}");
    }
    for (path, message) in [
        ("..", "wardroom mount add"),
        ("/", "wardroom mount add"),
        ("", "the path is empty"),
        ("other", "the folder other does not exist"),
    ] {
        let refused = grants.open_folder(path, Grant::Read).unwrap_err().to_string();
        assert!(refused.contains(message), "{path}: {refused}");
    }
}

#[test]
fn package_store_finds_packages_and_reads_their_metadata() {
    let dir = TestDir::new();
    dir.write_package("cot", "local M = {}\nM.meta = { name = \"cot\", version = \"1.2\" }\nreturn M\n");
    let store = PackageStore::new(dir.open_app(), Arc::new(grants(&dir)), Arc::clone(&SANDBOX));
    assert_eq!(store.list_package_names(&mut 10, &|_| true).unwrap(), ["cot"]);
    assert_eq!(store.installed_version("cot").as_deref(), Some("1.2"));
    std::fs::remove_dir_all(dir.app_path().join("packages/cot")).unwrap();
    assert_eq!(
        (store.list_package_names(&mut 10, &|_| true).unwrap().len(), store.installed_version("cot")),
        (0, None)
    );
}

#[test]
fn card_store_creates_a_card_once() {
    let dir = TestDir::new();
    let cache = CacheDir::in_app(&dir.open_app());
    let store = CardStore::new(
        dir.open_app(),
        CardIndexOptions { cache, max_cards: 200_000, watches_folders: true },
        LineIndexCache::new(None),
        Vec::new(),
    );
    let run = |operation: &str, arguments| {
        let operation = CardOperation::new(operation, &arguments, SystemTime::UNIX_EPOCH);
        perform_card_operation(&store, &operation, &|| false)
    };
    let card = json!({"card": {"card_id": "cot_1", "pkg": {"name": "cot"}}});
    assert_eq!(run("card.create", card.clone()).unwrap()["path"], "cards/cot/cot_1.toml");
    assert_eq!(run("card.get", json!({"card_id": "cot_1"})).unwrap()["created_at"], "1970-01-01T00:00:00Z");
    assert_eq!(run("card.list", json!({})).unwrap()[0]["card_id"], "cot_1");
    let refused = run("card.create", card).unwrap_err();
    assert_eq!(refused.to_string(), "alc.card.create: card 'cot_1' already exists (immutable)");
}

#[test]
fn eval_store_numbers_evals_of_one_second() {
    let dir = TestDir::new();
    let store = EvalStore::new(dir.open_app());
    let response = json!({"status": "completed", "result": {}, "stats": {}});
    for id in ["quick-vote_100", "quick-vote_101"] {
        assert_eq!(store.write("quick_vote", &response, 100).unwrap(), id);
        assert!(dir.app_path().join(format!("evals/{id}.json")).exists());
    }
    let refused = store.write("cot", &json!({"status": "error"}), 100).unwrap_err().to_string();
    assert_eq!(refused, "only a completed eval can be stored, and the status of this one is \"error\"");
}

#[test]
fn log_store_writes_a_transcript_once() {
    let dir = TestDir::new();
    let transcript = |response: &str| Transcript {
        session: SessionId::parse("s-1").unwrap(),
        strategy: None,
        stats: RunStats::default(),
        error: None,
        logs: Vec::new(),
        rounds: vec![TranscriptRound {
            query_id: "q-0".into(),
            prompt: "Why?".into(),
            system: None,
            response: response.into(),
        }],
    };
    let store = LogStore::new(dir.open_app(), None, true);
    store.write(&transcript("first")).unwrap();
    store.write(&transcript("second")).unwrap();
    let log = std::fs::read_to_string(dir.app_path().join("logs/s-1.json")).unwrap();
    assert!(log.contains("first") && !log.contains("second"), "{log}");
}

#[test]
fn scenario_store_lists_scenarios_by_name() {
    let dir = TestDir::new();
    let store = ScenarioStore::new(dir.open_app());
    assert!(store.list_names(&mut 10, &|_| true).unwrap().is_empty());
    std::fs::create_dir(dir.app_path().join("scenarios")).unwrap();
    for name in ["math.lua", "notes.txt"] {
        std::fs::write(dir.app_path().join("scenarios").join(name), "return {}").unwrap();
    }
    assert_eq!(store.list_names(&mut 10, &|_| true).unwrap(), ["math"]);
}

#[test]
fn hub_index_merges_cached_indices() {
    let dir = TestDir::new();
    let hub = Arc::new(HubIndex::new(dir.open_app(), false, None));
    let read = || hub.resolve_hub_index("alc://hub/index").finish(&info()).unwrap().text;
    assert_eq!(read(), r#"{"schema_version":"hub_index/v0","packages":[]}"#);
    std::fs::create_dir(dir.app_path().join("hub_cache")).unwrap();
    for (file, version) in [("a", 1), ("b", 2)] {
        let index = format!(r#"{{"schema_version":"hub_index/v0","packages":[{{"name":"cot","version":{version}}}]}}"#);
        std::fs::write(dir.app_path().join(format!("hub_cache/{file}.json")), index).unwrap();
    }
    assert_eq!(read(), r#"{"schema_version":"hub_index/v0","packages":[{"name":"cot","version":1}]}"#);
}

/// Writes a finished journal that is as old as its number says, and has no blocks on the disk.
fn write_finished(runs: &std::path::Path, number: usize, tag: &str, bytes: u64) -> std::path::PathBuf {
    let path = runs.join(format!("s-1-{number:032x}{tag}.over.jsonl"));
    let journal = std::fs::File::create(&path).unwrap();
    journal.set_len(bytes).unwrap();
    journal.set_modified(SystemTime::now() - Duration::from_secs(number as u64)).unwrap();
    path
}

#[test]
fn oldest_finished_runs_beyond_number_and_bytes_are_removed() {
    for (tag, most) in [("", MAX_FINISHED_RUNS), ("-0123456789abcdef", MAX_FINISHED_RUNS_PER_OWNER)] {
        let dir = TestDir::new();
        let runs = dir.app_path().join("runs");
        std::fs::create_dir(&runs).unwrap();
        let store = RunStore::new(dir.open_app());
        let mut journals: Vec<_> = (0..most).map(|number| write_finished(&runs, number, tag, 1)).collect();
        assert_eq!(store.remove_expired(SystemTime::now()).unwrap(), 0, "{tag}");
        // Waiting runs and those of others do not count.
        std::fs::write(runs.join(format!("s-1-{:032x}{tag}.jsonl", 5000)), "").unwrap();
        if !tag.is_empty() {
            write_finished(&runs, 900, "-fedcba9876543210", 1);
        }
        assert_eq!(store.remove_expired(SystemTime::now()).unwrap(), 0, "{tag}");
        journals.extend([most, most + 1].map(|number| write_finished(&runs, number, tag, 1)));
        assert_eq!(store.remove_expired(SystemTime::now()).unwrap(), 2, "{tag}");
        let (kept, removed) = journals.split_at(most);
        assert!(kept.iter().all(|path| path.exists()) && !removed.iter().any(|path| path.exists()), "{tag}");
    }
    let dir = TestDir::new();
    let runs = dir.app_path().join("runs");
    std::fs::create_dir(&runs).unwrap();
    let store = RunStore::new(dir.open_app());
    let most = usize::try_from(MAX_FINISHED_RUN_BYTES / MAX_JOURNAL_BYTES).unwrap();
    let journals: Vec<_> = (0..=most).map(|number| write_finished(&runs, number, "", MAX_JOURNAL_BYTES)).collect();
    assert_eq!(store.remove_expired(SystemTime::now()).unwrap(), 1);
    let (oldest, kept) = journals.split_last().unwrap();
    assert!(kept.iter().all(|path| path.exists()) && !oldest.exists());
    assert_eq!(store.remove_expired(SystemTime::now()).unwrap(), 0);
}

#[test]
fn run_that_is_answered_during_the_sweep_stays() {
    let dir = TestDir::new();
    let path = dir.write_file("runs/s-1.jsonl", "{}\n");
    let store = RunStore::new(dir.open_app());
    let later = SystemTime::now() + Duration::from_hours(24 * 365);
    let file = path.clone();
    let answer = move |step: &str| if step == "open journal" { std::fs::write(&file, "{}\n{}\n") } else { Ok(()) };
    assert_eq!(with_failpoints(answer, || store.remove_expired(later)).unwrap(), 0);
    assert_eq!(store.remove_expired(later).unwrap(), 1);
    assert!(!path.exists());
}

#[test]
fn run_store_keeps_paused_runs_longer_than_finished_ones() {
    let dir = TestDir::new();
    let store = RunStore::new(dir.open_app());
    assert!(store.list().unwrap().is_empty());
    std::fs::create_dir(dir.app_path().join("runs")).unwrap();
    for file in ["s-1.jsonl", "s-2.over.jsonl"] {
        std::fs::write(dir.app_path().join("runs").join(file), "{}\n").unwrap();
    }
    let runs = || {
        let mut runs = store.list().unwrap();
        runs.sort_by(|a, b| a.run_id.cmp(&b.run_id));
        runs.into_iter().map(|run| (run.run_id, run.is_finished)).collect::<Vec<_>>()
    };
    assert_eq!(runs(), [("s-1".to_owned(), false), ("s-2".to_owned(), true)]);
    assert_eq!(store.read_journal("s-2").unwrap(), b"{}\n");
    assert_eq!(store.remove_expired(SystemTime::now() + FINISHED_RUN_TTL).unwrap(), 1);
    store.remove("s-1").unwrap();
    assert!(runs().is_empty());
}
