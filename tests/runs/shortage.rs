//! Runs that are continued while the server is short of memory: the call is refused, and the run is kept.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use wardroom::limits::WARM_RUN_IDLE_TIMEOUT;
use wardroom_alc::{Alc, AlcFolders, AlcOptions, RunSettings};
use wardroom_appdir::LineIndexCache;
use wardroom_base::memory::MemoryShare;
use wardroom_base::payload::Payload;
use wardroom_config::limits::DEFAULT_RUN_PROCESSOR_TIME;
use wardroom_lua::{Spawner, WorkerPool};
use wardroom_service::{Catalogue, RequestInfo, RequestMemory, ServiceError};

use super::replay::{journal, state};
use super::storing::cut_before;
use wardroom_test_support::{SANDBOX, TestDir};

const MIB: usize = 1024 * 1024;
/// More than one run may hold.
const BUDGET: usize = 200 * MIB;
/// What a scarce budget has left: enough for the messages of these scripts, and too little for the values in them.
const LEFT: usize = 3 * MIB;

/// Makes 160 KB of text, whose value takes some 8 MB.
const ROWS: &str = "local rows = {} for i = 1, 20000 do rows[i] = {a = 0} end";

/// A service whose calls may have different memory.
struct MeteredService(RequestInfo);

impl MeteredService {
    /// Starts a service whose paused runs keep no worker, so that each call replays its run.
    fn cold(dir: &TestDir) -> Self {
        Self::with_warm_time(dir, Duration::ZERO)
    }

    fn with_warm_time(dir: &TestDir, warm_time: Duration) -> Self {
        let spawner = Spawner::start(wardroom_test_support::wardroom_binary()).unwrap();
        let folders = AlcFolders { app: dir.open_app(), logs: None, project: None, package_mounts: Vec::new() };
        let settings = RunSettings {
            environment: BTreeMap::new(),
            preview_chars: 200,
            warm_time,
            processor_time: DEFAULT_RUN_PROCESSOR_TIME,
        };
        let options = AlcOptions { runs: Some((WorkerPool::new(spawner), settings)), ..AlcOptions::default() };
        let alc = Alc::with_options(folders, Arc::clone(&SANDBOX), LineIndexCache::new(None), options);
        let catalogue = Arc::new(Catalogue::new(vec![Arc::new(alc)]));
        Self(RequestInfo::new(&catalogue))
    }

    fn call(&self, tool: &str, arguments: Value, memory: &MemoryShare) -> Result<Value, ServiceError> {
        let info = RequestInfo { memory: RequestMemory::new(memory), ..self.0.clone() };
        info.catalogue
            .call_blocking(tool, Payload::from_value(arguments), &info)
            .map(|answer| answer.value.into_value())
    }

    /// Makes a call that must be refused for lack of memory, then the same call with memory.
    #[track_caller]
    fn call_without_and_with_memory(&self, tool: &str, arguments: &Value) -> Value {
        let memory = MemoryShare::budget(BUDGET);
        let held = memory.lease(BUDGET - LEFT).unwrap();
        let refused = match self.call(tool, arguments.clone(), &memory) {
            Err(ServiceError::Tool { code, message, .. }) => format!("{code} {message}"),
            other => panic!("{other:?}"),
        };
        assert!(refused.starts_with("BUSY the run cannot be resumed now (the server would hold "), "{refused}");
        drop(held);
        assert_eq!(memory.used(), 0);
        self.call(tool, arguments.clone(), &memory).unwrap()
    }
}

#[test]
fn paused_run_holds_no_journal() {
    let dir = TestDir::new();
    let alc = MeteredService::with_warm_time(&dir, WARM_RUN_IDLE_TIMEOUT);
    let memory = MemoryShare::budget(BUDGET);
    let code = "alc.state.set('k', ('x'):rep(900000)) for i = 1, 8 do alc.state.get('k') end return alc.llm('a')";
    let waits = alc.call("alc_run", json!({"code": code}), &memory).unwrap();
    assert!(memory.peak() > 8 * 900_000 && memory.used() < MIB, "{} {}", memory.peak(), memory.used());
    // A reply counts as memory of the run, whichever call brings it, before it is journaled.
    let reply = json!({"session_id": waits["session_id"], "response": "x".repeat(4 * MIB)});
    let other = MemoryShare::budget(BUDGET);
    let _held = memory.lease(BUDGET - MIB).unwrap();
    match alc.call("alc_continue", reply, &other) {
        Err(ServiceError::Tool { code, message, .. }) => {
            assert_eq!(code.to_string(), "OUT_OF_MEMORY");
            assert!(message.starts_with("Continue failed: the server would hold "), "{message}");
        }
        other => panic!("{other:?}"),
    }
    let text = fs::read_to_string(journal(&dir, &waits["session_id"])).unwrap();
    assert!(!text.contains("\"t\":\"reply\""));
}

#[test]
fn status_of_stored_run_takes_memory_of_its_journal() {
    let dir = TestDir::new();
    let memory = MemoryShare::budget(BUDGET);
    let code = "return alc.llm(('x'):rep(2 * 1024 * 1024))";
    let waits = MeteredService::cold(&dir).call("alc_run", json!({"code": code}), &memory).unwrap();
    let alc = MeteredService::cold(&dir);
    let status = json!({"session_id": waits["session_id"], "pending_filter": "meta"});
    let held = memory.lease(BUDGET - LEFT).unwrap();
    match alc.call("alc_status", status.clone(), &memory) {
        Err(ServiceError::Tool { code, .. }) => assert_eq!(code.to_string(), "OUT_OF_MEMORY"),
        other => panic!("{other:?}"),
    }
    drop(held);
    let status = alc.call("alc_status", status, &memory).unwrap();
    assert_eq!(status["sessions"][0]["pending_queries"], 1, "{status:#}");
    assert_eq!(memory.used(), 0);
}

#[test]
fn status_takes_memory_of_the_texts_that_it_shows() {
    let dir = TestDir::new();
    let alc = MeteredService::with_warm_time(&dir, WARM_RUN_IDLE_TIMEOUT);
    let code = "return alc.llm(('x'):rep(2 * 1024 * 1024))";
    alc.call("alc_run", json!({"code": code}), &MemoryShare::budget(BUDGET)).unwrap();
    let status = |filter: &str, bytes: usize| {
        alc.call("alc_status", json!({"pending_filter": filter}), &MemoryShare::budget(bytes))
    };
    for filter in ["meta", "preview"] {
        assert_eq!(status(filter, MIB).unwrap()["sessions"][0]["pending_queries"], 1);
    }
    match status("full", MIB) {
        Err(ServiceError::Tool { code, .. }) => assert_eq!(code.to_string(), "OUT_OF_MEMORY"),
        other => panic!("{other:?}"),
    }
    assert!(status("full", BUDGET).unwrap().to_string().len() > 2 * MIB);
}

#[test]
fn replayed_write_waits_for_memory() {
    let dir = TestDir::new();
    let alc = MeteredService::cold(&dir);
    let memory = MemoryShare::budget(BUDGET);
    let code = format!("alc.llm('a') {ROWS} alc.state.set('k', rows) alc.llm('b') return #alc.state.get('k')");
    let waits = alc.call("alc_run", json!({"code": code}), &memory).unwrap();
    let reply = json!({"session_id": waits["session_id"], "query_id": "q-0", "response": "x"});
    let waits = alc.call("alc_continue", reply.clone(), &memory).unwrap();
    assert_eq!(waits["query_id"], "q-1", "{waits:#}");
    // The server died before it stored the write.
    cut_before(&journal(&dir, &waits["session_id"]), &["\"t\":\"stored\""]);
    fs::remove_file(dir.app_path().join("state/default.json")).unwrap();
    fs::remove_file(dir.app_path().join("state/.default.changes")).unwrap();
    let waits = alc.call_without_and_with_memory("alc_continue", &reply);
    assert_eq!(waits["query_id"], "q-1", "{waits:#}");
    assert_eq!(state(&dir, "default")["k"].as_array().unwrap().len(), 20_000);
    let reply = json!({"session_id": waits["session_id"], "query_id": "q-1", "response": "y"});
    let done = alc.call("alc_continue", reply, &memory).unwrap();
    assert_eq!(done["result"], 20_000, "{done:#}");
}

#[test]
fn announced_change_waits_for_memory() {
    let dir = TestDir::new();
    let alc = MeteredService::cold(&dir);
    let memory = MemoryShare::budget(BUDGET);
    let code = format!("alc.llm('a') {ROWS} local was_set = alc.state.set_nx('k', rows) alc.llm('b') return was_set");
    let waits = alc.call("alc_run", json!({"code": code}), &memory).unwrap();
    let reply = json!({"session_id": waits["session_id"], "query_id": "q-0", "response": "x"});
    let waits = alc.call("alc_continue", reply.clone(), &memory).unwrap();
    assert_eq!(waits["query_id"], "q-1", "{waits:#}");
    // The server died after the change, before it journaled the answer.
    cut_before(&journal(&dir, &waits["session_id"]), &["\"t\":\"answer\"", "state.set_nx"]);
    let waits = alc.call_without_and_with_memory("alc_continue", &reply);
    assert_eq!(waits["query_id"], "q-1", "{waits:#}");
    let reply = json!({"session_id": waits["session_id"], "query_id": "q-1", "response": "y"});
    let done = alc.call("alc_continue", reply, &memory).unwrap();
    assert_eq!(done["result"], true, "{done:#}");
    assert_eq!(state(&dir, "default")["k"].as_array().unwrap().len(), 20_000);
}
