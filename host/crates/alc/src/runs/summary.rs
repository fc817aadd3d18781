//! What a person is told of a stored run: its strategy and task, and what it waits for or how it ended.
//!
//! Never: locks a journal, or replays a run.

use super::journal::ScriptSource;
use super::replay_log::ReplayLog;
use super::store::{RunStore, StoredRun};
use wardroom_base::payload::Payload;

/// A stored run in brief.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSummary {
    /// The package, or the name of the code.
    pub strategy: String,
    pub task: Option<String>,
    /// The prompts of the questions that wait, by their ids.
    pub questions: Vec<(String, String)>,
    /// Of a run that has ended: why it failed, if it did.
    pub end: Option<Result<(), String>>,
}

impl RunStore {
    /// Returns the last answer of a run that has ended, while its journal is kept.
    #[must_use]
    pub fn kept_answer(&self, id: &str) -> Option<Payload> {
        let run = self.list().ok()?.into_iter().find(|run| run.run_id == id && run.is_finished)?;
        Some(ReplayLog::parse(&self.read_of(&run).ok()?).ok()?.end?.1)
    }

    /// Reads what a person is told of a run; `None` where its journal cannot be read.
    #[must_use]
    pub fn summarize(&self, run: &StoredRun) -> Option<RunSummary> {
        let journal = self.read_of(run).ok()?;
        // Another process may be writing the last line.
        let whole = journal.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let log = ReplayLog::parse(journal.get(..whole)?).ok()?;
        let script = &log.header.script;
        let strategy = match (&script.strategy, &script.source) {
            (Some(strategy), _) => strategy.clone(),
            (None, ScriptSource::Package(name) | ScriptSource::Code { name, .. }) => name.clone(),
        };
        let live = log.to_live_status();
        let questions = live.queries.waiting().iter().map(|query| (query.id.clone(), query.prompt.clone()));
        let text =
            |payload: &Payload, field: &str| payload.field(field).and_then(|text| text.into_typed::<String>().ok());
        Some(RunSummary {
            strategy,
            task: text(&script.context, "task"),
            questions: if log.end.is_some() { Vec::new() } else { questions.collect() },
            end: log.end.as_ref().map(
                |(failed, answer)| {
                    if *failed { Err(text(answer, "error").unwrap_or_default()) } else { Ok(()) }
                },
            ),
        })
    }
}
