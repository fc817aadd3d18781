//! Runs that are continued while the server is short of memory: the call is refused, and the run is kept.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
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

/// A service whose paused runs keep no worker, so that each call replays its run.
struct ColdService(RequestInfo);

impl ColdService {
    fn new(dir: &TestDir) -> Self {
        let spawner = Spawner::start(wardroom_test_support::wardroom_binary()).unwrap();
        let folders = AlcFolders { app: dir.open_app(), logs: None, project: None, package_mounts: Vec::new() };
        let settings = RunSettings {
            environment: BTreeMap::new(),
            preview_chars: 200,
            warm_time: Duration::ZERO,
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
fn replayed_write_waits_for_memory() {
    let dir = TestDir::new();
    let alc = ColdService::new(&dir);
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
    let alc = ColdService::new(&dir);
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
