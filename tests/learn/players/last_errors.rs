//! The last 50 errors of the log, with or without what the agents reported as their fix.
//!
//! Never: puts two errors together.

use std::collections::{HashMap, VecDeque};

use super::{Lesson, Player, RunEnd, ranked};
use crate::parsed_runs::RunError;
use crate::scenario::Task;

const N_ERRORS: usize = 50;

#[derive(Default)]
pub(crate) struct LastErrors {
    has_fixes: bool,
    /// Tasks and their errors, the oldest first.
    errors: VecDeque<(String, String)>,
    fixes: HashMap<String, String>,
}

impl LastErrors {
    pub(crate) fn new(has_fixes: bool) -> Self {
        Self { has_fixes, ..Self::default() }
    }

    fn lines(&self) -> Vec<String> {
        let line = |(task, error): &(String, String)| match self.fixes.get(task).filter(|_| self.has_fixes) {
            Some(fix) => format!("{error} - fixed by: {fix}"),
            None => error.clone(),
        };
        self.errors.iter().map(line).collect()
    }
}

impl Player for LastErrors {
    fn look_up(&mut self, query: &str) -> Vec<Lesson> {
        ranked(&self.lines(), query)
    }

    fn record_run(&mut self, task: &Task<'_>, errors: &[RunError], end: RunEnd) {
        for error in errors.iter().filter(|_| end == RunEnd::Failed) {
            self.errors.push_back((task.id.clone(), format!("{}: {}", error.tool, error.message)));
        }
        while self.errors.len() > N_ERRORS {
            self.errors.pop_front();
        }
    }

    fn report_fix(&mut self, task: &Task<'_>, fix: &str) {
        self.fixes.insert(task.id.clone(), fix.to_owned());
    }

    fn rate(&mut self, _: &Task<'_>, _: &Lesson, _: bool) {}

    fn learn(&mut self) {}

    fn playbook(&mut self) -> Vec<String> {
        self.lines()
    }
}
