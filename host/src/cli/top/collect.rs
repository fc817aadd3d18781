//! One look at the servers and the runs.
//!
//! Owns: rates, which take the look before, and the summaries of journals that did not change since.
//! Never: reads more of a run than the end of the list shows.

use std::collections::HashMap;
use std::time::{Instant, SystemTime};

use serde_json::Value;

use crate::assemble;
use crate::assemble::settings::Settings;
use crate::cli::servers::{self, MemoryFigures, ReportedCall, ServerRecord, WatchRequest};
use crate::cli::sessions::{describe_run, format_age, run_state};
use crate::report::{CommandError, TextRole};
use wardroom_alc::{RunStore, RunSummary, StoredRun};
use wardroom_appdir::Folder;
use wardroom_base::byte_size::ByteSize;
use wardroom_base::unix_time;

/// The runs that are shown: the newest. The journal of each is read when it changes.
const MAX_SHOWN_RUNS: usize = 100;

/// What there is at one moment.
pub(super) struct Snapshot {
    /// The folder, as the person named it.
    pub(super) app_dir: String,
    pub(super) servers: Vec<ServerRow>,
    /// The newest runs.
    pub(super) runs: Vec<RunRow>,
    pub(super) run_count: usize,
    /// Whether servers cannot know that somebody watches, because the AppDir cannot be written.
    pub(super) is_unnoticed: bool,
}

/// A server that runs.
pub(super) struct ServerRow {
    pub(super) process: u64,
    pub(super) address: String,
    pub(super) age_s: u64,
    pub(super) memory: Option<MemoryFigures>,
    /// `None` where the server had no request since somebody watches.
    pub(super) requests: Option<u64>,
    /// Requests in a second, since the look before.
    pub(super) rate: Option<f64>,
    pub(super) workers: Option<usize>,
    pub(super) call_count: usize,
    pub(super) calls: Vec<ReportedCall>,
}

pub(super) struct RunRow {
    pub(super) session: String,
    pub(super) state: &'static str,
    pub(super) role: TextRole,
    /// Seconds since its journal changed.
    pub(super) age_s: Option<u64>,
    pub(super) strategy: String,
    pub(super) about: String,
}

/// What remembers the look before.
pub(super) struct Collector<'s> {
    settings: &'s Settings,
    app: Folder,
    runs: RunStore,
    watch: Option<WatchRequest>,
    /// The requests of each server, by its name.
    counts: HashMap<String, (Instant, u64)>,
    summaries: HashMap<String, Summarized>,
}

/// A summary, and which state of the journal it is of.
struct Summarized {
    run: StoredRun,
    summary: Option<RunSummary>,
}

impl Snapshot {
    /// The calls at work, with their servers, the oldest first.
    pub(super) fn calls(&self) -> Vec<(&ServerRow, &ReportedCall)> {
        let of = |server| ServerRow::calls_of(server);
        let mut calls: Vec<_> = self.servers.iter().flat_map(of).collect();
        calls.sort_by_key(|(_, call)| std::cmp::Reverse(call.elapsed_ms));
        calls
    }

    /// Requests in a second, of all servers.
    pub(super) fn rate(&self) -> f64 {
        self.servers.iter().filter_map(|server| server.rate).fold(0.0, |sum, rate| sum + rate)
    }
}

impl ServerRow {
    fn calls_of(&self) -> impl Iterator<Item = (&Self, &ReportedCall)> {
        self.calls.iter().map(move |call| (self, call))
    }

    /// Its requests, their rate, and its calls, workers and memory, as a table shows them.
    pub(super) fn figures(&self) -> [String; 5] {
        let of = |count: Option<u64>| count.map_or_else(|| "–".to_owned(), |count| count.to_string());
        let rate = self.rate.map_or_else(|| "–".to_owned(), |rate| format!("{rate:.0}"));
        let memory = self.memory.map_or_else(|| "–".to_owned(), |memory| ByteSize(memory.used as u64).to_string());
        let workers = of(self.workers.map(|workers| workers as u64));
        [of(self.requests), rate, self.call_count.to_string(), workers, memory]
    }
}

impl RunRow {
    pub(super) fn age(&self) -> String {
        self.age_s.map_or_else(|| "?".to_owned(), format_age)
    }
}

impl<'s> Collector<'s> {
    pub(super) fn begin(settings: &'s Settings) -> Result<Self, CommandError> {
        let app = assemble::open_app_dir(settings)?;
        let watch = WatchRequest::begin(&app).inspect_err(|error| tracing::debug!(%error, "servers write nothing"));
        Ok(Self {
            settings,
            watch: watch.ok(),
            runs: RunStore::new(assemble::open_app_dir(settings)?),
            app,
            counts: HashMap::new(),
            summaries: HashMap::new(),
        })
    }

    pub(super) fn collect(&mut self) -> Result<Snapshot, CommandError> {
        if let Some(Err(error)) = self.watch.as_mut().map(WatchRequest::renew) {
            tracing::debug!(%error, "servers write nothing more");
            self.watch = None;
        }
        let failed = |what: &str, error| CommandError::with_cause(what, error, self.settings.doctor_hint());
        let found = servers::list_servers(&self.app).map_err(|error| failed("cannot list the servers", error))?;
        let stored = self.runs.list().map_err(|error| failed("cannot list the runs", error))?;
        let running: Vec<_> = found.into_iter().filter(|server| server.is_running).collect();
        self.counts.retain(|name, _| running.iter().any(|server| server.name == *name));
        let servers: Vec<_> = running.into_iter().filter_map(|server| self.server_row(server)).collect();
        let run_count = stored.len();
        let shown: Vec<_> = stored.into_iter().take(MAX_SHOWN_RUNS).collect();
        self.summaries.retain(|run_id, _| shown.iter().any(|run| run.run_id == *run_id));
        let now = SystemTime::now();
        Ok(Snapshot {
            app_dir: self.settings.app_dir.path.display().to_string(),
            servers,
            runs: shown.into_iter().map(|run| self.run_row(run, now)).collect(),
            run_count,
            is_unnoticed: self.watch.is_none(),
        })
    }

    fn server_row(&mut self, server: ServerRecord) -> Option<ServerRow> {
        let process = server.json.get("process").and_then(Value::as_u64)?;
        let started = server.json.get("started").and_then(Value::as_u64).unwrap_or_default();
        let now = unix_time::now_seconds();
        let activity = server.activity;
        let requests = activity.as_ref().map(|activity| activity.requests);
        let before = requests.and_then(|requests| self.counts.insert(server.name, (Instant::now(), requests)));
        let rate = before.zip(requests).map(|((at, before), requests)| {
            let new = u32::try_from(requests.saturating_sub(before)).unwrap_or(u32::MAX);
            f64::from(new) / at.elapsed().as_secs_f64().max(0.001)
        });
        Some(ServerRow {
            process,
            address: servers::display_addresses(&server.json),
            age_s: now.saturating_sub(started),
            memory: activity.as_ref().map(|activity| activity.memory).or(server.memory),
            requests,
            rate,
            workers: activity.as_ref().map(|activity| activity.workers),
            call_count: activity.as_ref().map_or(0, |activity| activity.call_count),
            calls: activity.map(|activity| activity.calls).unwrap_or_default(),
        })
    }

    fn run_row(&mut self, run: StoredRun, now: SystemTime) -> RunRow {
        let is_running = self.runs.is_running(&run);
        let known = self.summaries.remove(&run.run_id).filter(|known| known.is_of(&run));
        let known = known.unwrap_or_else(|| Summarized { summary: self.runs.summarize(&run), run });
        let Summarized { run, summary } = &known;
        let (state, role) = run_state(run, summary.as_ref(), is_running);
        let row = RunRow {
            session: run.run_id.clone(),
            state,
            role,
            age_s: run.modified.and_then(|at| now.duration_since(at).ok()).map(|age| age.as_secs()),
            strategy: summary.as_ref().map(|summary| summary.strategy.clone()).unwrap_or_default(),
            about: summary.as_ref().map(describe_run).unwrap_or_default(),
        };
        self.summaries.insert(row.session.clone(), known);
        row
    }
}

impl Summarized {
    fn is_of(&self, run: &StoredRun) -> bool {
        (self.run.modified, self.run.len, self.run.is_finished) == (run.modified, run.len, run.is_finished)
    }
}
