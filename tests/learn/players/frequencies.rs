//! Plain counts: the messages that occurred twice or more, each with the fix that was reported most often for it.
//!
//! Never: takes two messages for one, or one of a task for that of another.

use std::collections::{BTreeMap, BTreeSet};

use super::{Lesson, Player, RunEnd, ranked};
use crate::parsed_runs::RunError;
use crate::scenario::Task;

#[derive(Default)]
pub(crate) struct Frequencies {
    counts: BTreeMap<String, MessageCount>,
    /// The messages of each task.
    messages: BTreeMap<String, BTreeSet<String>>,
    lessons: Vec<String>,
}

#[derive(Default)]
struct MessageCount {
    n: usize,
    fixes: BTreeMap<String, usize>,
}

impl Player for Frequencies {
    fn look_up(&mut self, query: &str) -> Vec<Lesson> {
        ranked(&self.lessons, query)
    }

    fn record_run(&mut self, task: &Task<'_>, errors: &[RunError], end: RunEnd) {
        for error in errors.iter().filter(|_| end == RunEnd::Failed) {
            let message = format!("{}: {}", error.tool, error.message);
            self.counts.entry(message.clone()).or_default().n += 1;
            self.messages.entry(task.id.clone()).or_default().insert(message);
        }
    }

    fn report_fix(&mut self, task: &Task<'_>, fix: &str) {
        for message in self.messages.get(&task.id).into_iter().flatten() {
            let count = self.counts.get_mut(message).unwrap();
            *count.fixes.entry(fix.to_lowercase()).or_default() += 1;
        }
    }

    fn rate(&mut self, _: &Task<'_>, _: &Lesson, _: bool) {}

    fn learn(&mut self) {
        let mut frequent: Vec<_> = self.counts.iter().filter(|(_, count)| count.n >= 2).collect();
        // The most frequent one last: of equals, the order takes the later one first.
        frequent.sort_by_key(|(_, count)| count.n);
        let lesson = |(message, count): (&String, &MessageCount)| match count.fixes.iter().max_by_key(|(_, n)| **n) {
            Some((fix, _)) => format!("{message} ({} times) - fixed by: {fix}", count.n),
            None => format!("{message} ({} times)", count.n),
        };
        self.lessons = frequent.into_iter().map(lesson).collect();
    }

    fn playbook(&mut self) -> Vec<String> {
        self.lessons.clone()
    }
}
