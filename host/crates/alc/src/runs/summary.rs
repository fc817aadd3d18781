//! What a person is told of a stored run: its strategy and task, and what it waits for or how it ended.
//!
//! Never: locks a journal, or replays a run.

use super::journal::whole_lines;
use super::replay_log::ReplayLog;
use super::store::{RunStore, StoredRun};
use wardroom_base::payload::Payload;
use wardroom_base::uri::SessionId;

/// A stored run in brief.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSummary {
    /// The package, or the name of the code.
    pub strategy: String,
    pub task: Option<String>,
    /// The scenario of an eval, if it has a name.
    pub scenario: Option<String>,
    /// The prompts of the questions that wait, by their ids.
    pub questions: Vec<(String, String)>,
    /// Of a run that has ended: why it failed, if it did.
    pub end: Option<Result<(), String>>,
}

impl RunStore {
    /// Returns the last answer of a run that has ended, while its journal is kept.
    #[must_use]
    pub fn kept_answer(&self, id: &str) -> Option<Payload> {
        SessionId::parse(id).ok()?;
        Some(ReplayLog::parse(&self.read_unlocked(id, true).ok()?.bytes).ok()?.end?.1)
    }

    /// Reads what a person is told of a run; `None` where its journal cannot be read.
    #[must_use]
    pub fn summarize(&self, run: &StoredRun) -> Option<RunSummary> {
        let journal = self.read_unlocked(&run.run_id, run.is_finished).ok()?.bytes;
        let log = ReplayLog::parse(whole_lines(&journal)).ok()?;
        let script = &log.header.script;
        let live = log.to_live_status();
        let questions = live.queries.waiting().iter().map(|query| (query.id.clone(), query.prompt.clone()));
        let text =
            |payload: &Payload, field: &str| payload.field(field).and_then(|text| text.into_typed::<String>().ok());
        Some(RunSummary {
            strategy: script.name().to_owned(),
            task: text(&script.context, "task"),
            scenario: text(&script.context, "name").filter(|_| script.eval),
            questions: if log.end.is_some() { Vec::new() } else { questions.collect() },
            end: log.end.as_ref().map(
                |(failed, answer)| {
                    if *failed { Err(text(answer, "error").unwrap_or_default()) } else { Ok(()) }
                },
            ),
        })
    }
}
