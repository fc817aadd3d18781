//! Tests of Lua: the spawner, the workers, the script library and the handler modules.

#![expect(clippy::disallowed_methods, reason = "tests set up real folders and real processes")]
#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test may")
)]

mod determinism;
mod handlers;
mod handlers_hostile;
mod handlers_modules;
mod handlers_processes;
mod handlers_texts;
mod hostile;
mod library_effects;
mod library_eval;
mod library_host;
mod library_json;
mod library_lists;
mod library_llm;
mod library_math;
mod library_packages;
mod library_stubs;
mod library_text;
mod modules;
mod processes;
mod runs;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use wardroom_base::memory::MemoryShare;
use wardroom_base::payload::Payload;
use wardroom_lua::{EntryPoint, ScriptRun, ScriptStep, ScriptStopError, Spawner, StrategyRequest, WorkerPool};

/// A timeout that no operation here reaches even on a busy machine. A test that reaches it has failed.
const TEST_TIMEOUT: Duration = Duration::from_secs(60);

fn pool() -> Arc<WorkerPool> {
    WorkerPool::new(Spawner::start(wardroom_test_support::wardroom_binary()).unwrap())
}

/// Memory without a limit.
fn memory() -> MemoryShare {
    MemoryShare::budget(usize::MAX)
}

fn code(source: &str) -> StrategyRequest {
    let entry = EntryPoint::Code { name: "test".to_owned(), source: source.to_owned() };
    StrategyRequest { entry, context: Payload::default(), seed: 1 }
}

fn step(run: &mut ScriptRun) -> Result<ScriptStep, ScriptStopError> {
    run.step(Instant::now() + TEST_TIMEOUT, &|| false)
}

/// Runs a script that sends no requests to its end. Notifications are dropped.
fn end(pool: &WorkerPool, source: &str) -> Result<ScriptStep, ScriptStopError> {
    let mut run = pool.start_run(&code(source), &memory()).unwrap();
    loop {
        match step(&mut run) {
            Ok(ScriptStep::Notify { .. }) => {}
            other => return other,
        }
    }
}

/// Runs a script and returns its result.
fn returned(pool: &WorkerPool, source: &str) -> Value {
    match end(pool, source) {
        Ok(ScriptStep::Returned(value)) => value.into_value(),
        other => panic!("{source}: {other:?}"),
    }
}

/// Runs a script that fails and returns the error's message.
fn failure(pool: &WorkerPool, source: &str) -> String {
    match end(pool, source) {
        Ok(ScriptStep::Failed { message, .. }) => message,
        other => panic!("{source}: {other:?}"),
    }
}
