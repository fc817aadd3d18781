//! The players: what an agent may have beside its own wits.
//!
//! Owns: the questions that a scripted agent asks of any of them.
//! Never: judges a lesson.

mod frequencies;
mod last_errors;
mod original;
mod server;

pub(crate) use frequencies::Frequencies;
pub(crate) use last_errors::LastErrors;
pub(crate) use original::Original;
pub(crate) use server::LearningServer;

use super::parsed_runs::RunError;
use super::scenario::Task;

/// Lessons that an agent reads of one look-up.
pub(crate) const N_LESSONS: usize = 5;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lesson {
    pub(crate) id: LessonId,
    pub(crate) text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LessonId {
    Bullet(String),
    /// Of what is no bullet yet.
    Insight(String),
    /// The player takes no rating.
    None,
}

/// How a run of a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunEnd {
    Failed,
    /// It passed after the agent changed something. What that was is not recorded.
    PassedAfterChange,
    /// It passed, and the agent changed nothing since it failed.
    PassedUnchanged,
}

pub(crate) trait Player {
    /// Returns the first lessons for a query.
    fn look_up(&mut self, query: &str) -> Vec<Lesson>;

    /// Records a run of the task's command, with its errors.
    fn record_run(&mut self, task: &Task<'_>, errors: &[RunError], end: RunEnd);

    /// Takes what the agent says that fixed the failures of a task.
    fn report_fix(&mut self, task: &Task<'_>, fix: &str);

    /// Takes whether a lesson helped.
    fn rate(&mut self, task: &Task<'_>, lesson: &Lesson, is_helpful: bool);

    /// Makes lessons of what was recorded.
    fn learn(&mut self);

    /// Returns all lessons, as agents would read them.
    fn playbook(&mut self) -> Vec<String>;
}

/// No playbook at all.
pub(crate) struct NoPlaybook;

impl Player for NoPlaybook {
    fn look_up(&mut self, _: &str) -> Vec<Lesson> {
        Vec::new()
    }

    fn record_run(&mut self, _: &Task<'_>, _: &[RunError], _: RunEnd) {}

    fn report_fix(&mut self, _: &Task<'_>, _: &str) {}

    fn rate(&mut self, _: &Task<'_>, _: &Lesson, _: bool) {}

    fn learn(&mut self) {}

    fn playbook(&mut self) -> Vec<String> {
        Vec::new()
    }
}

/// Returns lessons of texts in the order for a query.
fn ranked(texts: &[String], query: &str) -> Vec<Lesson> {
    let places = super::ranking::rank(texts, query, N_LESSONS);
    places.into_iter().map(|at| Lesson { id: LessonId::None, text: texts[at].clone() }).collect()
}
