//! Figures of the learning log: recording, analysing, asking and updating, at the sizes of a large project.
//!
//! Owns: the log that is made, with as many kinds of errors as the builds of a project have.
//! Never: measures a write without its flush.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::blog::{p95, peak_resident};
use crate::measure::{ready, server};
use crate::peer::{Peer, median};
use crate::table::{Table, micros};

const TRACES: usize = 100_000;
const INSIGHTS: usize = 100_000;
/// Kinds of errors among the traces.
const KINDS: usize = 500;
/// Commands among them, one for each part of the project.
const COMMANDS: usize = 400;
/// Files that changed before a command passes.
const CHANGED_FILES: usize = 14;
/// Files of each part of the project. All parts together have as many as a large project.
const FILES_OF_PART: usize = 50;
const PLAYBOOK_LINES: usize = 2_000;

pub(crate) fn learning(table: &mut Table, wardroom: &Path) -> Result<()> {
    let dir = TempDir::new()?;
    let folder = dir.path().join("ace");
    fs::create_dir_all(folder.join("logs"))?;
    fs::write(folder.join("AGENTS.md"), playbook(0))?;
    fs::write(folder.join("logs/insights.jsonl"), "")?;
    capture(table, wardroom, dir.path())?;
    analyze(table, wardroom, dir.path())?;
    ask(table, wardroom, dir.path())?;
    update(table, wardroom, dir.path())
}

fn start(wardroom: &Path, app_dir: &Path) -> Result<Peer> {
    ready(server(wardroom, app_dir).args(["--service", "ace"]))
}

fn call(peer: &mut Peer, tool: &str, arguments: &Value) -> Result<(Value, f64)> {
    let params = json!({"name": tool, "arguments": arguments});
    let line = format!("{}\n", json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}));
    let start = Instant::now();
    let answer = peer.request(line.as_bytes())?;
    let took = start.elapsed().as_secs_f64() * 1e6;
    let mut answer: Value = serde_json::from_slice(&answer)?;
    let content = answer.pointer_mut("/result/structuredContent").map(Value::take);
    let content = content.with_context(|| format!("no answer: {answer}"))?;
    if content.get("error").is_some() {
        bail!("{content}");
    }
    Ok((content, took))
}

/// A message of a kind, with a path and a number of its own.
fn message(kind: usize, at: usize) -> String {
    let words = ["module", "argument", "property", "type", "import", "lifetime", "borrow", "field", "method", "value"];
    let nth = |at: usize| words.get(at % words.len()).copied().unwrap_or_default();
    let (word, other) = (nth(kind), nth(kind / words.len()));
    format!(
        "TS{}: the {word} of './src/part{at}/file{at}.ts' does not fit the {other} that is expected at line {at}, since it \
         was declared with another {word} in './src/other{at}.ts', and no conversion between both exists for this {other}",
        2000 + kind
    )
}

fn executions(kind: usize, at: usize) -> Value {
    let error = |kind: usize| {
        json!({"tool": "tsc", "severity": "error", "message": message(kind, at),
            "file": format!("src/part{at}/file{at}.ts"), "line": at % 900, "column": 5})
    };
    json!([{"runner": "tsc", "command": "npm run build", "status": "fail", "errors": [error(kind), error(kind + 1)]}])
}

fn capture(table: &mut Table, wardroom: &Path, app_dir: &Path) -> Result<()> {
    let mut peer = start(wardroom, app_dir)?;
    let mut floor = fs::File::create(app_dir.join("floor"))?;
    let flush = median(200, |_| {
        let start = Instant::now();
        floor.write_all(&[b'x'; 1024])?;
        floor.sync_data()?;
        Ok(start.elapsed().as_secs_f64() * 1e6)
    })?;
    let took = median(200, |at| {
        let arguments = json!({"beadId": format!("b-{at}"), "executions": executions(at % KINDS, at)});
        Ok(call(&mut peer, "ace_capture_trace", &arguments)?.1)
    })?;
    let beside = format!("{} (1 KiB appended, on the disk)", micros(flush));
    table.row("capture of a trace, on the disk", micros(took), beside, Some(took / flush));
    Ok(())
}

/// A trace of a task: its command fails twice, and passes after a change that is reported.
fn trace(at: usize) -> Value {
    let (task, is_pass) = (at / 3, at % 3 == 2);
    let mut executions = executions(task % KINDS, at);
    if let Some(execution) = executions.get_mut(0).and_then(Value::as_object_mut) {
        execution.insert("command".into(), json!(format!("npm run build --workspace part{}", task % COMMANDS)));
        if is_pass {
            let (part, first) = (task % COMMANDS, task / COMMANDS * CHANGED_FILES);
            let changed =
                |file: usize| format!("packages/part{part}/src/components/file{}.ts", (first + file) % FILES_OF_PART);
            execution.insert("status".into(), json!("pass"));
            execution.insert("errors".into(), json!([]));
            execution.insert("changed_files".into(), (0..CHANGED_FILES).map(changed).collect());
        }
    }
    let mut trace = json!({
        "trace_id": format!("00000000-0000-4000-8000-{at:012}"),
        "timestamp": format!("2026-01-{:02}T{:02}:{:02}:00.000Z", at / 4_000 + 1, at / 60 % 24, at % 60),
        "bead_id": format!("b-{task}"), "task_description": "build", "bullets_consulted": [],
        "execution_results": executions, "discovered_issues": [], "completed": true,
        "outcome": if is_pass { "success" } else { "failure" },
    });
    if let Some(trace) = trace.as_object_mut().filter(|_| is_pass) {
        let fixes = ["declare the missing export", "generate the client", "pin the compiler", "clear the cache"];
        let fix = fixes.get(task % fixes.len()).copied().unwrap_or_default();
        trace.insert("fix".into(), json!(format!("{fix} in part{task}, as the page about builds says")));
    }
    trace
}

fn analyze(table: &mut Table, wardroom: &Path, app_dir: &Path) -> Result<()> {
    let path = app_dir.join("ace/logs/execution_traces.jsonl");
    let mut log = std::io::BufWriter::new(fs::File::create(&path)?);
    for at in 0..TRACES {
        writeln!(log, "{}", trace(at))?;
    }
    log.into_inner()?.sync_all()?;
    let mut peer = start(wardroom, app_dir)?;
    let idle = peer.resident()?;
    // The floor reads the lines and parses each as JSON, without looking at it.
    let started = Instant::now();
    let mut n_lines = 0;
    for line in BufReader::new(fs::File::open(&path)?).lines() {
        let value: Value = serde_json::from_str(&line?)?;
        n_lines += usize::from(value.is_object());
    }
    let floor = started.elapsed().as_secs_f64() * 1e6;
    anyhow::ensure!(n_lines == TRACES, "{n_lines} lines");
    let (answer, took) = call(&mut peer, "ace_analyze_patterns", &json!({"mode": "batch"}))?;
    let found = answer.get("insights").and_then(Value::as_array).map_or(0, Vec::len);
    anyhow::ensure!(found >= KINDS, "{found} insights");
    anyhow::ensure!(answer.get("errorsOmitted").is_none(), "{answer}");
    let learned = fs::read_to_string(app_dir.join("ace/logs/insights.jsonl"))?.matches("Fixed by: ").count();
    anyhow::ensure!(learned >= KINDS, "{learned} fixes");
    let bytes = fs::metadata(&path)?.len() as usize / TRACES;
    let beside = format!("{} (each line parsed as JSON)", micros(floor));
    let what = format!("analysis of {TRACES} traces of {bytes} bytes, a third with a fix");
    table.row(&what, micros(took), beside, Some(took / floor));
    let peak = peak_resident(peer.id()).context("VmHWM")?;
    table.row("memory of it above idle", format!("{:.1} MB", peak - idle), "", None);
    Ok(())
}

fn ask(table: &mut Table, wardroom: &Path, app_dir: &Path) -> Result<()> {
    let mut text = String::new();
    for at in 0..INSIGHTS {
        let insight = json!({
            "id": format!("{:08x}-0000-5000-8000-{at:012}", at.wrapping_mul(2_654_435_761) as u32),
            "timestamp": format!("2026-01-{:02}T00:00:00.000Z", at % 28 + 1), "taskId": format!("b-{at}"),
            "source": {"runner": "tsc", "beadIds": [format!("b-{at}")]},
            "signal": {"pattern": message(at % 7_000, at), "evidence": [message(at % 7_000, at)]},
            "recommendation": "Look up the code before changing it, and run tsc after each change",
            "scope": {"glob": "**/*.ts"}, "confidence": (at % 100) as f64 / 100.0, "onlineEligible": at % 100 >= 80,
            "metaTags": ["tsc", if at % 10 == 0 { "import" } else { "type-error" }], "occurrences": 2,
        });
        writeln!(text, "{insight}")?;
    }
    fs::write(app_dir.join("ace/logs/insights.jsonl"), text)?;
    let mut peer = start(wardroom, app_dir)?;
    let idle = peer.resident()?;
    let arguments = json!({"source": "insights", "sortBy": "confidence",
        "filters": {"minConfidence": 0.5, "tags": ["import"], "after": "2026-01-10T00:00:00Z"}});
    let (answer, first) = call(&mut peer, "ace_get_insights", &arguments)?;
    let matched = answer.get("totalMatched").and_then(Value::as_u64).unwrap_or_default();
    anyhow::ensure!(matched > 1_000, "{matched} insights");
    table.row(&format!("first `ace_get_insights` over {INSIGHTS}"), micros(first), "", None);
    // Within two seconds of a change, each call makes sure that the lines of before are the same: a change can leave the same
    // time stamp as another one.
    let fresh = p95(50, |_| Ok(call(&mut peer, "ace_get_insights", &arguments)?.1))?;
    table.row("the same with three filters, within two seconds of a change, p95", micros(fresh), "", None);
    thread::sleep(Duration::from_millis(2_500));
    let ping = p95(200, |_| peer.timed(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"))?;
    let beside = format!("{} (a ping)", micros(ping));
    let warm = p95(200, |_| Ok(call(&mut peer, "ace_get_insights", &arguments)?.1))?;
    table.row("the same with three filters, warm, p95", micros(warm), &beside, Some(warm / ping));
    let search = json!({"query": message(77, 4)});
    let _ = call(&mut peer, "ace_search", &search)?;
    let found = p95(200, |_| Ok(call(&mut peer, "ace_search", &search)?.1))?;
    table.row("`ace_search` over them, warm, p95", micros(found), &beside, Some(found / ping));
    table.row("memory of these insights", format!("{:.1} MB", peer.resident()? - idle), "", None);
    Ok(())
}

/// A playbook with some bullets among prose.
fn playbook(n_lines: usize) -> String {
    let mut text = String::from("# Project\n\n");
    for at in 0..n_lines {
        if at % 20 == 0 {
            text.push_str(&format!("[Bullet #{at:08x}, helpful:1, harmful:0] Lesson {at} of the module {}\n", at * 7));
        } else {
            text.push_str("A line of prose about how this project is built and tested.\n");
        }
    }
    for section in ["Build & Test Patterns", "TypeScript Patterns", "Dependency Patterns", "Architecture Patterns"] {
        text.push_str(&format!("\n### {section}\n"));
    }
    text
}

fn update(table: &mut Table, wardroom: &Path, app_dir: &Path) -> Result<()> {
    let path = app_dir.join("ace/AGENTS.md");
    let insights = app_dir.join("ace/logs/insights.jsonl");
    let text = playbook(PLAYBOOK_LINES);
    // As many as the analysis above finds.
    let few: String = fs::read_to_string(&insights)?.lines().take(KINDS).map(|line| format!("{line}\n")).collect();
    fs::write(&insights, few)?;
    let mut peer = start(wardroom, app_dir)?;
    let floor = median(50, |at| {
        let start = Instant::now();
        let temporary = app_dir.join("floor.tmp");
        let mut file = fs::File::create(&temporary)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&temporary, app_dir.join(format!("floor-{at}")))?;
        fs::File::open(app_dir)?.sync_all()?;
        Ok(start.elapsed().as_secs_f64() * 1e6)
    })?;
    let took = median(50, |_| {
        fs::write(&path, &text)?;
        // Else the bullets of the time before were removed by a person.
        let _ = fs::remove_file(app_dir.join("ace/logs/bullets.jsonl"));
        let (answer, took) = call(&mut peer, "ace_update_knowledge", &json!({"maxDeltas": 3}))?;
        let n_deltas = answer.get("deltas").and_then(Value::as_array).map_or(0, Vec::len);
        anyhow::ensure!(n_deltas == 3, "{n_deltas} deltas: {answer}");
        Ok(took)
    })?;
    let beside = format!("{} (the file written and flushed)", micros(floor));
    let what = format!("update with 3 bullets of a playbook of {PLAYBOOK_LINES} lines, on the disk");
    table.row(&what, micros(took), beside, Some(took / floor));
    Ok(())
}
