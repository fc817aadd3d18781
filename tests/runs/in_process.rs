//! Runs of a service in this process, with disk failures and shorter limits.

#![cfg(target_os = "linux")]

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{fs, io};

use serde_json::{Value, json};
use wardroom::limits::WARM_RUN_IDLE_TIMEOUT;
use wardroom_alc::{Alc, AlcFolders, AlcOptions, RunSettings};
use wardroom_appdir::{LineIndexCache, with_failpoints};
use wardroom_base::memory::MemoryShare;
use wardroom_base::payload::Payload;
use wardroom_config::limits::DEFAULT_RUN_PROCESSOR_TIME;
use wardroom_lua::limits::{MAX_LUA_WORKERS, WARM_LUA_WORKERS};
use wardroom_lua::{EntryPoint, ScriptStartError, Spawner, StrategyRequest, WorkerPool};

use wardroom_test_support::{SANDBOX, TEST_TIMEOUT, TestAlcService, TestDir, eventually};

fn service(dir: &TestDir) -> TestAlcService {
    service_with_warm_time(dir, WARM_RUN_IDLE_TIMEOUT).0
}

/// Starts a service with this idle time for paused runs. Returns the service, its pool and the spawner's process id.
fn service_with_warm_time(dir: &TestDir, warm: Duration) -> (TestAlcService, Arc<WorkerPool>, u32) {
    let spawner = Spawner::start(wardroom_test_support::wardroom_binary()).unwrap();
    let (id, pool) = (spawner.process_id(), WorkerPool::new(spawner));
    let folders = AlcFolders { app: dir.open_app(), logs: None, project: None, package_mounts: Vec::new() };
    let settings = RunSettings {
        environment: BTreeMap::new(),
        preview_chars: 200,
        warm_time: warm,
        processor_time: DEFAULT_RUN_PROCESSOR_TIME,
    };
    let options = AlcOptions { runs: Some((Arc::clone(&pool), settings)), ..AlcOptions::default() };
    let alc = Alc::with_options(folders, Arc::clone(&SANDBOX), LineIndexCache::new(None), options);
    (TestAlcService::from_alc(alc), pool, id)
}

/// Returns the child processes of a process.
fn child_processes(id: u32) -> BTreeSet<u32> {
    let tasks = fs::read_dir(format!("/proc/{id}/task")).unwrap();
    let listed = tasks.filter_map(|task| fs::read_to_string(task.ok()?.path().join("children")).ok());
    listed.flat_map(|ids| ids.split_whitespace().map(|id| id.parse().unwrap()).collect::<Vec<u32>>()).collect()
}

#[test]
fn idle_run_loses_worker_and_is_restored() {
    for warm in [Duration::ZERO, WARM_RUN_IDLE_TIMEOUT] {
        let dir = TestDir::new();
        let (alc, _, spawner) = service_with_warm_time(&dir, warm);
        // The first run makes the pool start the workers that the next run takes.
        alc.call("alc_run", json!({"code": "return 1"})).unwrap();
        // The worker of the first run may still exist for a moment.
        eventually("workers that wait for a run", || {
            let now = child_processes(spawner);
            std::thread::sleep(Duration::from_millis(100));
            now.len() == WARM_LUA_WORKERS && now == child_processes(spawner)
        });
        let before = child_processes(spawner);
        let waits = alc.call("alc_run", json!({"code": "return alc.llm('a')"})).unwrap();
        let are_alive = || before.is_subset(&child_processes(spawner));
        if warm.is_zero() {
            eventually("the end of the run's worker", || !are_alive());
        } else {
            assert!(are_alive());
        }
        let answer = json!({"session_id": waits["session_id"], "query_id": "q-0", "response": "x"});
        assert_eq!(alc.call("alc_continue", answer).unwrap()["result"], "x");
    }
}

/// Does `work`, and counts the flushes of files meanwhile.
fn flushes<T>(work: impl FnOnce() -> T) -> (T, u32) {
    let count = Rc::new(Cell::new(0));
    let counted = Rc::clone(&count);
    let hook = move |point: &'static str| -> io::Result<()> {
        if point == "flush" {
            counted.set(counted.get() + 1);
        }
        Ok(())
    };
    let done = with_failpoints(hook, work);
    (done, count.get())
}

#[test]
fn fork_without_free_worker_returns_error() {
    let dir = TestDir::new();
    dir.write_package("child", "return {run = function() return 1 end}");
    let (alc, pool, _) = service_with_warm_time(&dir, WARM_RUN_IDLE_TIMEOUT);
    let entry = EntryPoint::Code { name: "test".to_owned(), source: "return os.getenv('A')".to_owned() };
    let start = StrategyRequest { entry, context: Payload::default(), seed: 1 };
    let mut held = Vec::new();
    loop {
        assert!(held.len() <= MAX_LUA_WORKERS);
        match pool.start_run(&start, &MemoryShare::budget(usize::MAX)) {
            Ok(run) => held.push(run),
            Err(ScriptStartError::Busy) => break,
            Err(error) => panic!("{error}"),
        }
    }
    let code = json!({"code": "local ok, why = pcall(alc.fork, {'child'}, {}) return {ok, why}"});
    let none = alc.tool_refusal("alc_run", code.clone());
    assert!(none.starts_with("BUSY "), "{none}");
    // One worker is free for the run, and none for its fork.
    held.pop();
    let deadline = Instant::now() + TEST_TIMEOUT;
    let done = loop {
        match alc.call("alc_run", code.clone()) {
            Ok(done) => break done,
            Err(error) => assert!(Instant::now() < deadline, "{error}"),
        }
    };
    let why = done["result"][1].as_str().unwrap();
    assert!(done["result"][0] == false && why.contains("alc.fork: strategy 'child' cannot be started"), "{done:#}");
    drop(held);
    let done = loop {
        let done = alc.call("alc_run", code.clone()).unwrap();
        if done["result"][0] == true {
            break done;
        }
        assert!(Instant::now() < deadline, "{done:#}");
    };
    assert_eq!(done["result"][1][0]["result"], 1);
}

#[test]
fn pause_is_flushed_before_answer() {
    let dir = TestDir::new();
    let alc = service(&dir);
    let (waits, at_the_first) =
        flushes(|| alc.call("alc_run", json!({"code": "return {alc.llm('a'), alc.llm('b')}"})).unwrap());
    assert_eq!((&waits["prompt"], at_the_first), (&json!("a"), 1));
    let answer = |query: &str| json!({"session_id": waits["session_id"], "query_id": query, "response": "x"});
    let (waits, at_the_second) = flushes(|| alc.call("alc_continue", answer("q-0")).unwrap());
    assert_eq!((&waits["prompt"], at_the_second), (&json!("b"), 1));
}

#[test]
fn failed_flush_reports_no_pause_and_run_is_resumable() {
    let dir = TestDir::new();
    let alc = service(&dir);
    let refuse = |point: &'static str| match point {
        "flush" => Err(io::Error::from(io::ErrorKind::StorageFull)),
        _ => Ok(()),
    };
    let waits = alc.call("alc_run", json!({"code": "return {alc.llm('a'), alc.llm('b')}"})).unwrap();
    let answer: Value = json!({"session_id": waits["session_id"], "query_id": "q-0", "response": "x"});
    let refused = with_failpoints(refuse, || alc.tool_refusal("alc_continue", answer.clone()));
    assert!(refused.starts_with("STORE the journal cannot be written"), "{refused}");
    let waits = alc.call("alc_continue", answer).unwrap();
    assert_eq!((&waits["query_id"], &waits["prompt"]), (&json!("q-1"), &json!("b")));
    // A run that the client does not know leaves no file.
    let begun = with_failpoints(refuse, || alc.tool_refusal("alc_run", json!({"code": "return alc.llm('a')"})));
    assert!(begun.starts_with("STORE "), "{begun}");
    assert_eq!(fs::read_dir(dir.app_path().join("runs")).unwrap().count(), 1);
}
