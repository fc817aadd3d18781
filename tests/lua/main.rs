//! Lua that runs: the spawner, its workers, and what a script finds in one.

#![expect(clippy::disallowed_methods, reason = "tests set up real folders and real processes")]
#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test may")
)]

mod handlers;
mod handlers_hostile;
mod handlers_modules;
mod handlers_processes;
mod hostile;
mod library_ask;
mod library_eval;
mod library_json;
mod library_kept;
mod library_lists;
mod library_math;
mod library_packages;
mod library_stubs;
mod library_text;
mod library_world;
mod modules;
mod processes;
mod repeats;
mod runs;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use wardroom_lua::{EntryPoint, ScriptRun, ScriptStep, ScriptStopError, Spawner, StrategyRequest, WorkerPool};

/// Longer than anything here takes on a busy machine: a test that gets there failed.
const PATIENCE: Duration = Duration::from_secs(60);

fn pool() -> Arc<WorkerPool> {
    WorkerPool::new(Spawner::start(wardroom_test_support::wardroom_binary()).unwrap())
}

fn code(source: &str) -> StrategyRequest {
    let entry = EntryPoint::Code { name: "test".to_owned(), source: source.to_owned() };
    StrategyRequest { entry, context: Value::Null, seed: 1 }
}

fn step(run: &mut ScriptRun) -> Result<ScriptStep, ScriptStopError> {
    run.step(Instant::now() + PATIENCE, &|| false)
}

/// The script's end, with nothing asked on the way. What it posts is dropped.
fn end(pool: &WorkerPool, source: &str) -> Result<ScriptStep, ScriptStopError> {
    let mut run = pool.start_run(&code(source)).unwrap();
    loop {
        match step(&mut run) {
            Ok(ScriptStep::Notify { .. }) => {}
            other => return other,
        }
    }
}

/// What the script returns.
fn returned(pool: &WorkerPool, source: &str) -> Value {
    match end(pool, source) {
        Ok(ScriptStep::Returned(value)) => value,
        other => panic!("{source}: {other:?}"),
    }
}

/// The message of the error that ends the script.
fn failure(pool: &WorkerPool, source: &str) -> String {
    match end(pool, source) {
        Ok(ScriptStep::Failed { message, .. }) => message,
        other => panic!("{source}: {other:?}"),
    }
}
