//! What the journal of a run tells a person: the tree of what it did, its questions with their answers, and its times.
//!
//! Owns: how lines become a tree, and what counts as time in the model.
//! Never: locks a journal, replays a run, or copies a text beyond what a page shows.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;
use serde_json::Value;

use super::journal::{CallEvent, CallLine, JournalHeader, JournalLine, child_path_prefix, whole_lines};
use super::store::{RunStore, StoredRun};
use crate::limits::{MAX_PAGE_QUESTION_BYTES, MAX_PAGE_RUN_STEPS, MAX_PAGE_TEXT_BYTES};
use crate::logs::LogEntry;
use wardroom_base::payload::{self, Payload};
use wardroom_base::unix_time;

/// A run, as its journal has it.
#[derive(Debug)]
pub(crate) struct RunRecord {
    pub(crate) strategy: String,
    pub(crate) task: Option<String>,
    pub(crate) is_eval: bool,
    pub(crate) started_ms: u64,
    /// When the last line was written.
    pub(crate) last_ms: u64,
    pub(crate) steps: Vec<RecordStep>,
    /// Steps of all branches that are not in `steps`, because there are too many.
    pub(crate) n_omitted: usize,
    /// What its scripts wrote and why they failed, of all branches in one order.
    pub(crate) log: Vec<LogEntry>,
    pub(crate) n_questions: usize,
    pub(crate) times: RecordTimes,
    pub(crate) end: Option<RunEnd>,
}

/// Something that a branch of a run did.
#[derive(Debug)]
pub(crate) enum RecordStep {
    Questions(Vec<RunQuestion>),
    /// One call of the server or several of the same in a row.
    Call {
        operation: String,
        count: usize,
        error: Option<String>,
    },
    Fork(Vec<RunBranch>),
}

#[derive(Debug)]
pub(crate) struct RunBranch {
    pub(crate) strategy: Option<String>,
    pub(crate) error: Option<String>,
    pub(crate) steps: Vec<RecordStep>,
}

/// A question to the client's model, with its answer.
#[derive(Debug, Clone)]
pub(crate) struct RunQuestion {
    pub(crate) id: String,
    pub(crate) prompt: PageText,
    pub(crate) system: Option<PageText>,
    pub(crate) max_tokens: Option<u64>,
    pub(crate) answer: Option<PageText>,
    /// When the client was asked, and when it answered; `None` in journals of earlier servers.
    pub(crate) asked_ms: Option<u64>,
    pub(crate) answered_ms: Option<u64>,
    /// Whether the branch went on without an answer.
    pub(crate) is_dropped: bool,
}

/// The beginning of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PageText {
    pub(crate) text: String,
    /// The bytes that are left out.
    pub(crate) n_omitted: usize,
}

/// Where the time of a run went.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct RecordTimes {
    /// From the start to the last line, or until now where the run waits.
    pub(crate) elapsed_ms: u64,
    /// In which at least one question was open; `None` where the journal has no times.
    pub(crate) model_ms: Option<u64>,
    /// Processor time of the scripts, up to the last question.
    pub(crate) script_ms: u64,
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct RunEnd {
    pub(crate) error: Option<PageText>,
    pub(crate) result: Option<PageText>,
}

impl RecordStep {
    fn has_open_question(&self) -> bool {
        match self {
            Self::Questions(asked) => asked.iter().any(RunQuestion::is_open),
            Self::Call { .. } => false,
            Self::Fork(branches) => branches.iter().any(|branch| branch.steps.iter().any(Self::has_open_question)),
        }
    }

    /// Returns how many rows the step takes on a page, without the steps of its branches.
    fn n_shown(&self) -> usize {
        match self {
            Self::Questions(asked) => asked.len(),
            Self::Call { .. } => 1,
            Self::Fork(branches) => branches.len().max(1),
        }
    }
}

impl RunQuestion {
    pub(crate) const fn is_open(&self) -> bool {
        self.answer.is_none() && !self.is_dropped
    }
}

impl PageText {
    fn new(text: &str, max_bytes: usize) -> Self {
        let shown = text.floor_char_boundary(max_bytes);
        Self { text: text.get(..shown).unwrap_or_default().to_owned(), n_omitted: text.len() - shown }
    }
}

impl RunRecord {
    /// Whether a question has this answer, as far as a page shows it.
    pub(crate) fn has_answer(&self, id: &str, text: &str) -> bool {
        fn find(steps: &[RecordStep], id: &str, text: &PageText) -> bool {
            steps.iter().any(|step| match step {
                RecordStep::Questions(asked) => {
                    asked.iter().any(|question| question.id == id && question.answer.as_ref() == Some(text))
                }
                RecordStep::Fork(branches) => branches.iter().any(|branch| find(&branch.steps, id, text)),
                RecordStep::Call { .. } => false,
            })
        }
        find(&self.steps, id, &PageText::new(text, MAX_PAGE_TEXT_BYTES))
    }

    /// Returns the questions that wait, in the order of the tree.
    pub(crate) fn open_questions(&self) -> Vec<&RunQuestion> {
        fn collect<'r>(steps: &'r [RecordStep], found: &mut Vec<&'r RunQuestion>) {
            for step in steps {
                match step {
                    RecordStep::Questions(questions) => {
                        found.extend(questions.iter().filter(|question| question.is_open()));
                    }
                    RecordStep::Fork(branches) => branches.iter().for_each(|branch| collect(&branch.steps, found)),
                    RecordStep::Call { .. } => {}
                }
            }
        }
        let mut found = Vec::new();
        collect(&self.steps, &mut found);
        found
    }
}

impl RunStore {
    /// Reads what a person is told of a run; `None` where its journal cannot be read. `now_ms` ends the time of a
    /// question that is open.
    pub(crate) fn read_record(&self, run: &StoredRun, now_ms: u64) -> Option<RunRecord> {
        let journal = self.read_unlocked(&run.run_id, run.is_finished).ok()?.bytes;
        let last_ms = run.modified.map_or(0, unix_time::to_ms);
        RecordBuilder::parse(whole_lines(&journal))?.build(last_ms, now_ms)
    }
}

/// What is known of a question besides its text.
#[derive(Default)]
struct QuestionState {
    asked_ms: Option<u64>,
    answer: Option<(PageText, Option<u64>)>,
}

/// Collects the lines of a journal.
struct RecordBuilder {
    header: JournalHeader,
    /// The lines of each branch that are steps.
    branches: BTreeMap<String, Vec<CallLine>>,
    questions: HashMap<String, QuestionState>,
    log: Vec<LogEntry>,
    script_ms: u64,
    has_times: bool,
    end: Option<RunEnd>,
    /// Steps that may still be shown.
    steps_left: usize,
    n_omitted: usize,
}

/// The part of a fork's outcome that names its branches.
#[derive(Deserialize)]
struct ForkedStrategy {
    #[serde(default)]
    strategy: String,
    #[serde(default)]
    error: Option<String>,
}

impl RecordBuilder {
    fn parse(journal: &[u8]) -> Option<Self> {
        let mut lines = journal.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let mut builder = Self {
            header: serde_json::from_slice(lines.next()?).ok()?,
            branches: BTreeMap::new(),
            questions: HashMap::new(),
            log: Vec::new(),
            script_ms: 0,
            has_times: false,
            end: None,
            steps_left: MAX_PAGE_RUN_STEPS,
            n_omitted: 0,
        };
        for line in lines {
            builder.push(payload::parse_stored(line).ok()?);
        }
        Some(builder)
    }

    fn push(&mut self, line: JournalLine) {
        match line {
            JournalLine::Call(line) => {
                match &line.event {
                    CallEvent::Announced(_) => return,
                    CallEvent::Queries { ids, .. } => {
                        for id in ids {
                            self.questions.entry(id.clone()).or_default();
                        }
                    }
                    CallEvent::Answer(_) | CallEvent::Fork => {}
                }
                self.branches.entry(line.branch.clone()).or_default().push(line);
            }
            JournalLine::Reply { id, text, at_ms, .. } => {
                let state = self.questions.entry(id).or_default();
                state.answer = Some((PageText::new(&text, MAX_PAGE_TEXT_BYTES), at_ms));
            }
            JournalLine::Paused { processor_ms, at_ms } => {
                self.script_ms = processor_ms;
                self.has_times |= at_ms.is_some();
                // The client is asked every question that is new to it.
                let new =
                    self.questions.values_mut().filter(|state| state.asked_ms.is_none() && state.answer.is_none());
                new.for_each(|state| state.asked_ms = at_ms);
            }
            JournalLine::Spent { processor_ms } => self.script_ms = processor_ms,
            JournalLine::Log(entry) => self.log.push(entry),
            JournalLine::End { failed, payload } => self.end = Some(RunEnd::new(failed, &payload)),
            JournalLine::Storing { .. } | JournalLine::Stored { .. } | JournalLine::Report { .. } => {}
        }
    }

    fn build(mut self, last_ms: u64, now_ms: u64) -> Option<RunRecord> {
        let script = &self.header.script;
        let strategy = script.name().to_owned();
        let task = script.context.field("task").and_then(|task| task.into_typed::<String>().ok());
        let (is_eval, started_ms) = (script.eval, self.header.started_ms);
        let end_of_waiting = if self.end.is_some() { last_ms } else { now_ms };
        let times = RecordTimes {
            elapsed_ms: end_of_waiting.saturating_sub(started_ms),
            model_ms: self.has_times.then(|| self.model_time(end_of_waiting)),
            script_ms: self.script_ms,
        };
        let n_questions = self.questions.len();
        let is_over = self.end.is_some();
        let steps = self.branch_steps("", is_over);
        Some(RunRecord {
            strategy,
            task,
            is_eval,
            started_ms,
            last_ms,
            steps,
            n_omitted: self.n_omitted,
            log: self.log,
            n_questions,
            times,
            end: self.end,
        })
    }

    /// Returns the time in which at least one question was open.
    fn model_time(&self, now_ms: u64) -> u64 {
        let span = |state: &QuestionState| {
            let end = match &state.answer {
                Some((_, answered)) => (*answered)?,
                None => now_ms,
            };
            Some((state.asked_ms?, end))
        };
        let mut spans: Vec<(u64, u64)> = self.questions.values().filter_map(span).collect();
        spans.sort_unstable();
        let (mut sum, mut until) = (0, 0);
        for (from, to) in spans {
            sum += to.saturating_sub(from.max(until));
            until = until.max(to);
        }
        sum
    }

    /// Returns the steps of a branch. `is_over` says that no question of it waits any more.
    fn branch_steps(&mut self, path: &str, is_over: bool) -> Vec<RecordStep> {
        let lines = self.branches.remove(path).unwrap_or_default();
        let mut steps: Vec<RecordStep> = Vec::new();
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            at += 1;
            let step = match &line.event {
                CallEvent::Queries { ids, asked } => RecordStep::Questions(
                    ids.iter().zip(asked).map(|(id, asked)| self.question(id, asked, is_over)).collect(),
                ),
                CallEvent::Fork => {
                    // The outcome follows the fork, once it is certain.
                    let outcome = lines.get(at).and_then(|next| match &next.event {
                        CallEvent::Answer(outcome) if next.number == line.number && next.is_fork_outcome() => {
                            Some(outcome)
                        }
                        _ => None,
                    });
                    at += usize::from(outcome.is_some());
                    RecordStep::Fork(self.fork_branches(path, line.number, outcome, is_over))
                }
                CallEvent::Answer(answer) => {
                    let error = answer.as_ref().err().map(|message| PageText::new(message, MAX_PAGE_TEXT_BYTES).text);
                    match steps.last_mut() {
                        Some(RecordStep::Call { operation, count, error: None })
                            if *operation == line.operation && error.is_none() =>
                        {
                            *count += 1;
                            continue;
                        }
                        _ => RecordStep::Call { operation: line.operation.clone(), count: 1, error },
                    }
                }
                CallEvent::Announced(_) => continue,
            };
            // A question that waits is shown in any case: the run needs its answer.
            if self.steps_left == 0 && !step.has_open_question() {
                self.n_omitted += 1;
                continue;
            }
            self.steps_left = self.steps_left.saturating_sub(step.n_shown());
            steps.push(step);
        }
        steps
    }

    fn fork_branches(
        &mut self,
        path: &str,
        number: u64,
        outcome: Option<&Result<Payload, String>>,
        is_over: bool,
    ) -> Vec<RunBranch> {
        let prefix = child_path_prefix(path, number);
        let known: Vec<ForkedStrategy> = outcome
            .and_then(|got| got.as_ref().ok())
            .and_then(|outcome| outcome.clone().into_typed().ok())
            .unwrap_or_default();
        let number_of = |name: &String| name.strip_prefix(&prefix)?.parse::<usize>().ok();
        let below = self.branches.range(prefix.clone()..).map(|(name, _)| name);
        let last = below.take_while(|name| name.starts_with(&prefix)).filter_map(number_of).max();
        let n_begun = last.map_or(0, |last| last.saturating_add(1));
        (0..n_begun.max(known.len()).min(MAX_PAGE_RUN_STEPS))
            .map(|child| {
                let of = known.get(child);
                RunBranch {
                    strategy: of.map(|of| of.strategy.clone()),
                    error: of
                        .and_then(|of| of.error.as_deref())
                        .map(|error| PageText::new(error, MAX_PAGE_TEXT_BYTES).text),
                    steps: self.branch_steps(&format!("{prefix}{child}"), is_over || outcome.is_some()),
                }
            })
            .collect()
    }

    fn question(&self, id: &str, asked: &Payload, is_over: bool) -> RunQuestion {
        let state = self.questions.get(id);
        let answer = state.and_then(|state| state.answer.as_ref());
        let asked = asked.to_value();
        let text = |name: &str| asked.get(name).and_then(Value::as_str);
        let max_bytes = if answer.is_none() && !is_over { MAX_PAGE_QUESTION_BYTES } else { MAX_PAGE_TEXT_BYTES };
        RunQuestion {
            id: id.to_owned(),
            prompt: PageText::new(text("prompt").unwrap_or_default(), max_bytes),
            system: text("system").map(|text| PageText::new(text, max_bytes)),
            max_tokens: asked.get("max_tokens").and_then(Value::as_u64),
            answer: answer.map(|(text, _)| text.clone()),
            asked_ms: state.and_then(|state| state.asked_ms),
            answered_ms: answer.and_then(|(_, at)| *at),
            is_dropped: answer.is_none() && is_over,
        }
    }
}

impl RunEnd {
    fn new(failed: bool, payload: &Payload) -> Self {
        let text = |field: &str| {
            let value = payload.field(field)?.into_value();
            let text = value.as_str().map_or_else(|| format!("{value:#}"), str::to_owned);
            Some(PageText::new(&text, MAX_PAGE_QUESTION_BYTES))
        };
        if failed { Self { error: text("error"), result: None } } else { Self { error: None, result: text("result") } }
    }
}

#[cfg(test)]
mod tests;
