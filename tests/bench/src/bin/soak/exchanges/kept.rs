//! What the AppDir keeps for the clients of the soak after its end.

use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::json;
use wardroom_alc::limits::MAX_FINISHED_RUNS;

use super::Soak;
use super::caller::Caller;

/// The longest time that a server takes to remove journals.
const MAX_SWEEP_TIME: Duration = Duration::from_secs(20);

/// Checks that every run has finished, and that a server removes the journals of all but the newest of them.
pub(crate) fn check_kept_runs(soak: &Soak<'_>) -> Result<()> {
    // A server removes them when it starts its first run, in a thread of its own.
    let mut caller = Caller::legacy(soak)?;
    let done = caller.call_tool("alc_run", &json!({"code": "return 1"}))?;
    ensure!(done["result"] == 1, "{done}");
    let deadline = Instant::now() + MAX_SWEEP_TIME;
    let mut finished = count_finished(soak)?;
    while finished > MAX_FINISHED_RUNS && Instant::now() < deadline {
        sleep(Duration::from_millis(50));
        finished = count_finished(soak)?;
    }
    ensure!(finished <= MAX_FINISHED_RUNS, "{finished} journals of finished runs");
    println!("journals of finished runs that are kept: {finished}");
    Ok(())
}

fn count_finished(soak: &Soak<'_>) -> Result<usize> {
    let mut finished = 0;
    for journal in fs::read_dir(soak.app().join("runs"))? {
        let name = journal?.file_name().to_string_lossy().into_owned();
        ensure!(name.ends_with(".over.jsonl"), "a run still waits: {name}");
        finished += 1;
    }
    Ok(finished)
}
