//! Figures of runs: on a pre-started worker, on a new one, over a pause, and resumed from a journal.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::measure::{ready, server};
use crate::peer::{Peer, median, memory_of_all};
use crate::table::{Table, micros};

/// Returns a tool call as a line.
fn call(id: usize, tool: &str, arguments: &Value) -> Vec<u8> {
    let params = json!({"name": tool, "arguments": arguments});
    format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})).into_bytes()
}

/// Calls a tool; returns its answer and the time in microseconds.
fn call_tool(peer: &mut Peer, tool: &str, arguments: &Value) -> Result<(Value, f64)> {
    let line = call(1, tool, arguments);
    let start = Instant::now();
    let answer = peer.request(&line)?;
    let took = start.elapsed().as_secs_f64() * 1e6;
    let mut answer: Value = serde_json::from_slice(&answer)?;
    let content = answer.pointer_mut("/result/structuredContent").map(Value::take);
    let content = content.with_context(|| format!("no answer: {answer}"))?;
    if content.get("error").is_some() {
        bail!("{content}");
    }
    Ok((content, took))
}

fn run(peer: &mut Peer, code: &str) -> Result<(Value, f64)> {
    call_tool(peer, "alc_run", &json!({"code": code}))
}

fn continue_run(peer: &mut Peer, waits: &Value) -> Result<(Value, f64)> {
    let session = waits.get("session_id").context("it waits")?;
    call_tool(peer, "alc_continue", &json!({"session_id": session, "response": "x"}))
}

/// Creates and flushes a file of 512 bytes, as the first pause of a run does; returns the time in microseconds.
fn create_and_flush(folder: &Path, name: &str) -> Result<f64> {
    let start = Instant::now();
    let temporary = folder.join("floor.tmp");
    let mut file = fs::File::create(&temporary)?;
    file.write_all(&[b'x'; 512])?;
    file.sync_data()?;
    fs::rename(&temporary, folder.join(name))?;
    fs::File::open(folder)?.sync_all()?;
    Ok(start.elapsed().as_secs_f64() * 1e6)
}

/// Appends and flushes 512 bytes, as each further pause of a run does; returns the time in microseconds.
fn append_and_flush(file: &mut fs::File) -> Result<f64> {
    let start = Instant::now();
    file.write_all(&[b'x'; 512])?;
    file.sync_data()?;
    Ok(start.elapsed().as_secs_f64() * 1e6)
}

/// Measures one pause and its answer where a flush does nothing, since the AppDir is in memory.
fn pauses_in_memory(table: &mut Table, wardroom: &Path) -> Result<()> {
    const PAUSES: usize = 300;
    // Other systems than Linux have no such folder.
    let Ok(dir) = tempfile::tempdir_in("/dev/shm") else { return Ok(()) };
    let mut peer = ready(&mut server(wardroom, dir.path()))?;
    let mut waits = run(&mut peer, &format!("for i = 1, 2 * {PAUSES} do alc.llm('p') end"))?.0;
    let took = median(PAUSES, |_| {
        let (next, took) = continue_run(&mut peer, &waits)?;
        waits = next;
        Ok(took)
    })?;
    table.row("the same with the AppDir in memory, where nothing is flushed", micros(took), "", None);
    Ok(())
}

/// Measures one pause and its answer: from an answer to the next question of a resumed run.
fn pauses(table: &mut Table, peer: &mut Peer, folder: &Path) -> Result<()> {
    const PAUSES: usize = 100;
    const EARLIER_PAUSES: usize = 4_000;
    let mut floor = fs::File::create(folder.join("floor"))?;
    let code = format!("for i = 1, {EARLIER_PAUSES} + 2 * {PAUSES} do alc.llm('p') end");
    let mut waits = run(peer, &code)?.0;
    let (mut all, mut flushes, mut beyond) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..PAUSES {
        let (next, took) = continue_run(peer, &waits)?;
        let flush = append_and_flush(&mut floor)?;
        all.push(took);
        flushes.push(flush);
        beyond.push((took - flush).max(0.0));
        waits = next;
    }
    let (all, flushes, beyond) = (middle(all)?, middle(flushes)?, middle(beyond)?);
    let beside = format!("{} (512 bytes appended, on the disk)", micros(flushes));
    table.row("from an answer to the next query of a run, on the disk", micros(all), beside, Some(all / flushes));
    table.row("one pause and its answer, less the flush, with the round trip", micros(beyond), "", None);
    for _ in PAUSES..EARLIER_PAUSES {
        waits = continue_run(peer, &waits)?.0;
    }
    let late = median(PAUSES, |_| {
        let (next, took) = continue_run(peer, &waits)?;
        waits = next;
        Ok(took)
    })?;
    let what = "from an answer to the next query of a run with 4,000 queries, on the disk";
    table.row(what, micros(late), format!("{} (of its first 100)", micros(all)), Some(late / all));
    Ok(())
}

fn middle(mut times: Vec<f64>) -> Result<f64> {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().context("times")
}

/// Measures runs one after another, and 24 at once, on all processors, beside a fork with the walls of a worker.
pub(crate) fn in_a_row(table: &mut Table, wardroom: &Path, bin: &Path) -> Result<()> {
    const RUNS: usize = 1000;
    const AT_ONCE: usize = 24;
    let floor = Command::new(bin.join("floor_fork")).output()?;
    let floor: f64 = String::from_utf8(floor.stdout)?.trim().parse().context("the time of a fork")?;
    let beside = format!("{} (fork, walls of a worker, exit)", micros(floor));
    let dir = TempDir::new()?;
    let mut peer = ready(&mut server(wardroom, dir.path()))?;
    run(&mut peer, "return 1")?;
    let start = Instant::now();
    for _ in 0..RUNS {
        run(&mut peer, "return 1")?;
    }
    let each = start.elapsed().as_secs_f64() * 1e6 / RUNS as f64;
    let what = format!("`alc_run` of `return 1`, {RUNS} one after another, two processors");
    table.row(&what, micros(each), &beside, Some(each / floor));
    let rate = peer.pipelined(RUNS, AT_ONCE, |at| call(at + 1, "alc_run", &json!({"code": "return 1"})))?;
    table.row(&format!("the same, {AT_ONCE} at once"), format!("{rate:.0}/s"), beside, None);
    Ok(())
}

pub(crate) fn runs(table: &mut Table, wardroom: &Path) -> Result<()> {
    let dir = TempDir::new()?;
    let mut peer = ready(&mut server(wardroom, dir.path()))?;
    // Lets the workers of the next runs start outside the measurement.
    let wait = || std::thread::sleep(std::time::Duration::from_millis(60));
    let status = |peer: &mut Peer| peer.timed(&call(1, "alc_status", &json!({})));
    let ping = median(2000, |_| status(&mut peer))?;
    // A processor that was idle is slow at first under any load.
    let late = median(200, |_| {
        wait();
        status(&mut peer)
    })?;
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for _ in 0..200 {
        wait();
        first.push(run(&mut peer, "return 1")?.1);
        second.push(run(&mut peer, "return 1")?.1);
    }
    let (warm, next) = (middle(first)?, middle(second)?);
    let beside = format!("{} (`alc_status` after the same pause)", micros(late));
    table.row(
        "`alc_run` of `return 1` on a pre-started worker, after a pause of 60 ms",
        micros(warm),
        beside,
        Some(warm / late),
    );
    let beside = format!("{} (`alc_status`)", micros(ping));
    table.row("the same immediately afterwards, on another worker", micros(next), beside, Some(next / ping));

    let disk = median(50, |_| create_and_flush(dir.path(), "floor"))?;
    let (mut paused, mut resumed, mut flushes, mut beyond) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for turn in 0..50 {
        wait();
        let (waits, to_pause) = run(&mut peer, "return alc.llm('p')")?;
        let to_end = continue_run(&mut peer, &waits)?.1;
        // A run writes its journal at the pause and its log at the end.
        let names = ["journal", "log"].map(|name| format!("{name}-{turn}"));
        let all: f64 = names.iter().map(|name| create_and_flush(dir.path(), name)).sum::<Result<f64>>()?;
        // Like the second answer, this one comes from a server that has just waited for the disk.
        let round_trip = status(&mut peer)?;
        paused.push(to_pause);
        resumed.push(to_end);
        flushes.push(all);
        beyond.push((to_pause + to_end - warm - round_trip - all).max(0.0));
    }
    let (paused, resumed, flushes, beyond) = (middle(paused)?, middle(resumed)?, middle(flushes)?, middle(beyond)?);
    let beside = format!("{} (a file of 512 bytes, on the disk)", micros(disk));
    table.row("a run to its first pause, on the disk", micros(paused), &beside, Some(paused / disk));
    table.row("`alc_continue` to its end", micros(resumed), &beside, Some(resumed / disk));
    table.row(
        "first pause and end of a run, less a run without one, a round trip and the flushes",
        micros(beyond),
        format!("{} (two files, on the disk)", micros(flushes)),
        None,
    );

    pauses(table, &mut peer, dir.path())?;
    pauses_in_memory(table, wardroom)?;
    let set = "for i = 1, 1000 do alc.state.set('k' .. i, i) end";
    let sets = median(20, |_| {
        wait();
        Ok(run(&mut peer, set)?.1)
    })?;
    table.row("1,000 `alc.state.set` in one run, on the disk", micros(sets), beside, Some(sets / disk));

    let cold = median(20, |_| {
        let mut peer = ready(&mut server(wardroom, dir.path()))?;
        Ok(run(&mut peer, "return 1")?.1)
    })?;
    table.row("first run of a server", micros(cold), format!("{} (warm)", micros(warm)), Some(cold / warm));

    let replayed = median(10, |_| {
        let mut peer = ready(&mut server(wardroom, dir.path()))?;
        let (waits, _) = run(&mut peer, "for i = 1, 1000 do alc.time() end return alc.llm('p')")?;
        drop(peer);
        let mut peer = ready(&mut server(wardroom, dir.path()))?;
        std::thread::sleep(std::time::Duration::from_millis(200));
        Ok(continue_run(&mut peer, &waits)?.1)
    })?;
    table.row(
        "`alc_continue` that replays 1,000 answers",
        micros(replayed),
        format!("{} (warm run)", micros(warm)),
        None,
    );
    Ok(())
}

/// Paused and active runs at the same time.
const PAUSED: usize = 200;
const ACTIVE: usize = 20;

/// Measures the memory of a server with all its processes, counting each shared page once.
pub(crate) fn memory(table: &mut Table, wardroom: &Path) -> Result<()> {
    let dir = TempDir::new()?;
    let mut peer = ready(&mut server(wardroom, dir.path()))?;
    for _ in 0..PAUSED {
        run(&mut peer, "return alc.llm('p')")?;
    }
    let idle = memory_of_all(peer.id())?;
    for id in 0..ACTIVE {
        peer.send(&call(2 + id, "alc_run", &json!({"code": "while true do end"})))?;
    }
    std::thread::sleep(std::time::Duration::from_secs(2));
    let all = memory_of_all(peer.id())?;
    table.row(
        &format!("memory of {PAUSED} paused and {ACTIVE} running runs, all processes"),
        format!("{all:.0} MB"),
        format!("{idle:.0} MB (the paused ones alone)"),
        None,
    );
    Ok(())
}
