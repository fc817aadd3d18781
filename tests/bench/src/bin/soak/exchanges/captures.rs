//! Captures: several processes append to one learning log, and each trace that was acknowledged is one whole line of it.
//!
//! Owns: the log of the soak; a long one is checked and moved away, as a person would.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::thread;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};

use super::caller::{Caller, tool_content, tool_params};
use super::{Exchange, Soak, loses_server};
use crate::app_dir::SoakAppDir;
use crate::growth::Usage;
use crate::requests::Rng;

/// Processes that append at the same time.
const PROCESSES: usize = 3;
/// Traces of a process in one round.
const CAPTURES: usize = 4;
/// Kinds of errors among the traces, which are the insights to find.
const KINDS: usize = 5;
/// Rounds until the log is moved away.
const LOG_ROUNDS: usize = 50;

pub(super) fn write_log(app_dir: &SoakAppDir) -> Result<()> {
    for name in ["execution_traces", "insights"] {
        app_dir.file(&format!("ace/logs/{name}.jsonl"), "")?;
    }
    app_dir.file("ace/AGENTS.md", "# Playbook\n\n### TypeScript Patterns\n\n### Build & Test Patterns\n")
}

pub(super) struct Captures<'s> {
    soak: &'s Soak<'s>,
    callers: Vec<Caller<'s>>,
    rng: Rng,
    /// The traces that were acknowledged, by their tasks, since the log was moved away.
    acknowledged: HashMap<String, String>,
    /// Traces whose servers were killed before an answer.
    unanswered: Vec<String>,
    rounds: usize,
}

impl<'s> Captures<'s> {
    pub(super) fn start(soak: &'s Soak<'s>) -> Result<Self> {
        let callers = (0..PROCESSES).map(|_| Caller::legacy(soak)).collect::<Result<_>>()?;
        Ok(Self { soak, callers, rng: Rng::new(606), acknowledged: HashMap::new(), unanswered: Vec::new(), rounds: 0 })
    }

    fn lose_server(&mut self, round: usize) -> Result<()> {
        let bead = format!("lost-{round}");
        let mut lost = Caller::legacy(self.soak)?;
        lost.send("tools/call", tool_params("ace_capture_trace", &trace(&bead, round)))?;
        match lost.kill_soon(&mut self.rng)? {
            Some(answer) => {
                self.acknowledged.insert(bead, trace_id(&tool_content(&answer["result"])?)?);
            }
            None => self.unanswered.push(bead),
        }
        Ok(())
    }

    /// Checks that the log has each acknowledged trace once, and nothing else but traces of killed servers.
    fn check_log(&self) -> Result<()> {
        let log = fs::read_to_string(self.path("execution_traces"))?;
        ensure!(log.is_empty() || log.ends_with('\n') || !self.unanswered.is_empty(), "the last line is not whole");
        let (mut found, mut torn) = (0, 0);
        let mut seen = Vec::new();
        for line in log.lines() {
            let Ok(line) = serde_json::from_str::<Value>(line) else {
                torn += 1;
                continue;
            };
            let bead = line["bead_id"].as_str().with_context(|| line.to_string())?;
            match self.acknowledged.get(bead) {
                Some(id) => {
                    ensure!(line["trace_id"] == **id, "another trace of {bead}: {line}");
                    found += 1;
                }
                None => ensure!(self.unanswered.iter().any(|lost| lost == bead), "a trace without a call: {line}"),
            }
            seen.push(bead.to_owned());
        }
        let lines = seen.len();
        seen.sort_unstable();
        seen.dedup();
        ensure!(seen.len() == lines, "a trace is there twice");
        ensure!(found == self.acknowledged.len(), "{found} of {} traces are there", self.acknowledged.len());
        // The system may write a part of a line for a process that is killed meanwhile.
        ensure!(torn <= self.unanswered.len(), "{torn} torn lines, of {} killed servers", self.unanswered.len());
        Ok(())
    }

    /// Analyses all traces twice: the second time nothing is new.
    fn check_analysis(&mut self) -> Result<()> {
        let caller = self.callers.first_mut().context("a caller")?;
        let arguments = json!({"mode": "batch"});
        let first = caller.call_tool("ace_analyze_patterns", &arguments)?;
        let insights = first["insights"].as_array().map_or(0, Vec::len);
        ensure!(insights == KINDS, "{insights} insights of {KINDS} kinds: {first}");
        let again = caller.call_tool("ace_analyze_patterns", &arguments)?;
        ensure!(
            again["insights"] == first["insights"] && again["written"] == false,
            "a second analysis differs: {again}"
        );
        Ok(())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.soak.app().join(format!("ace/logs/{name}.jsonl"))
    }

    fn move_log_away(&mut self) -> Result<()> {
        for name in ["execution_traces", "insights"] {
            fs::write(self.path("empty"), "")?;
            fs::rename(self.path("empty"), self.path(name))?;
        }
        self.acknowledged.clear();
        self.unanswered.clear();
        self.rounds = 0;
        Ok(())
    }
}

impl Exchange for Captures<'_> {
    fn hold(&mut self, round: usize) -> Result<()> {
        let captured = thread::scope(|scope| {
            let running: Vec<_> = (self.callers.iter_mut().enumerate())
                .map(|(number, caller)| scope.spawn(move || capture(caller, number, round)))
                .collect();
            let ended = running.into_iter().map(|thread| thread.join().unwrap_or_else(|_| bail!("a thread panicked")));
            ended.collect::<Result<Vec<_>>>()
        })?;
        self.acknowledged.extend(captured.into_iter().flatten());
        if loses_server(round) {
            self.lose_server(round)?;
        }
        self.check_log()?;
        self.rounds += 1;
        if self.rounds.is_multiple_of(LOG_ROUNDS / 5) {
            self.check_analysis()?;
        }
        if self.rounds == LOG_ROUNDS {
            self.move_log_away()?;
        }
        Ok(())
    }

    fn usage(&self) -> Result<Usage> {
        self.callers.iter().try_fold(Usage::default(), |most, caller| Ok(most.max(caller.usage()?)))
    }
}

/// Captures traces one after another; returns the task and the id of each.
fn capture(caller: &mut Caller<'_>, number: usize, round: usize) -> Result<Vec<(String, String)>> {
    let capture = |at| {
        let bead = format!("bead-{round}-{number}-{at}");
        let made = caller.call_tool("ace_capture_trace", &trace(&bead, round + at))?;
        Ok((bead, trace_id(&made)?))
    };
    (0..CAPTURES).map(capture).collect()
}

/// Returns a trace of one of the kinds, longer than what a page holds.
fn trace(bead: &str, number: usize) -> Value {
    let kinds = ["alpha", "beta", "gamma", "delta", "epsilon"];
    let at = number % KINDS;
    let kind = kinds.get(at).copied().unwrap_or_default();
    let message = format!("TS{}: the {kind} does not fit{}", 4000 + at, " x".repeat(1900));
    let error = json!({"tool": "tsc", "severity": "error", "message": message, "file": "src/a.ts", "line": 1});
    json!({"beadId": bead, "executions": [{"runner": "tsc", "command": "build", "status": "fail", "errors": [error]}]})
}

fn trace_id(made: &Value) -> Result<String> {
    ensure!(made["written"] == true, "{made}");
    Ok(made["traceId"].as_str().with_context(|| made.to_string())?.to_owned())
}
