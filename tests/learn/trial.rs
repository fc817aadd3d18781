//! A trial: a scripted agent works through the tasks of a scenario with one player.
//!
//! Owns: what the agent does, and what is counted of it.
//! Never: helps a player: the agent asks before each task by its description, and after a failure by its message.

use std::collections::HashMap;

use super::judge::is_right;
use super::material::{Fault, FaultKind, Fix};
use super::parsed_runs::{ParsedRuns, RunError};
use super::players::{Lesson, Player, RunEnd};
use super::scenario::Task;

/// Tasks after which lessons are made.
const TASKS_PER_LEARNING: usize = 5;

/// Whether an agent reads lessons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AgentKind {
    /// It asks before each task and after each failure, follows what it finds, and says whether that helped.
    Obedient,
    /// It reads nothing, and so rates nothing: of the controls, where a rating would say which reports are true.
    Alone,
}

/// What is counted of a trial.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Score {
    pub(crate) n_lessons: usize,
    /// Lessons that name a recurring cause and the fix that helps at the end.
    pub(crate) n_right: usize,
    pub(crate) n_causes: usize,
    /// Recurring causes with a right lesson at the end.
    pub(crate) n_learned: usize,
    /// Tasks whose cause had happened, been reported with the fix that helps now, and been learned of.
    pub(crate) n_told: usize,
    /// Those in which the right lesson is among the first ones by the description of the task, and by its error.
    pub(crate) n_found_before: usize,
    pub(crate) n_found_after: usize,
    pub(crate) n_found: usize,
    /// Failed runs in tasks whose cause had happened before.
    pub(crate) n_repeated: usize,
    /// Failed runs that a lesson caused: it helped once, or helps with another cause of the same message.
    pub(crate) n_misled: usize,
    /// Told tasks without the right lesson, with the error that was asked for.
    pub(crate) missed: Vec<String>,
    /// Lessons that are not right.
    pub(crate) wrong: Vec<String>,
}

/// What the agent did in one task.
#[derive(Default)]
struct Attempts {
    n_failed: usize,
    /// Fixes that it followed in vain. Once is enough.
    followed: Vec<usize>,
}

/// When the agent reads lessons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    BeforeTask,
    AfterFailure,
}

struct Trial<'t> {
    player: &'t mut dyn Player,
    runs: &'t ParsedRuns,
    tasks: &'t [Task<'t>],
    score: Score,
    /// Causes that happened.
    happened: Vec<&'t str>,
    /// Reports by cause and by whether it is the later fix, with whether lessons were made since.
    reported: HashMap<(&'t str, bool), bool>,
}

/// Plays a scenario.
pub(crate) fn play<'t>(
    player: &'t mut dyn Player,
    runs: &'t ParsedRuns,
    tasks: &'t [Task<'t>],
    agent: AgentKind,
) -> Score {
    let mut trial =
        Trial { player, runs, tasks, score: Score::default(), happened: Vec::new(), reported: HashMap::new() };
    for (at, task) in tasks.iter().enumerate() {
        match (agent, task.fault.kind) {
            (AgentKind::Obedient, FaultKind::Recurring) => trial.work_with_lessons(task),
            (AgentKind::Obedient, FaultKind::OneOff | FaultKind::Flake) | (AgentKind::Alone, _) => {
                trial.work_alone(task);
            }
        }
        if (at + 1) % TASKS_PER_LEARNING == 0 {
            trial.learn();
        }
    }
    trial.learn();
    let lessons = trial.player.playbook();
    let mut score = trial.score;
    let mut faults: Vec<(&Fault, &Fix)> = Vec::new();
    for task in tasks.iter().rev().filter(|task| task.fault.kind == FaultKind::Recurring) {
        // The last task of a cause says which fix helps at the end.
        if !faults.iter().any(|(fault, _)| fault.id == task.fault.id) {
            faults.push((task.fault, task.fix()));
        }
    }
    let names = |lesson: &String, (fault, fix): &(&Fault, &Fix)| is_right(lesson, &fault.cause, &fix.tokens);
    score.n_lessons = lessons.len();
    score.n_causes = faults.len();
    score.n_learned = faults.iter().filter(|fault| lessons.iter().any(|lesson| names(lesson, fault))).count();
    let (right, wrong): (Vec<_>, Vec<_>) =
        lessons.into_iter().partition(|lesson| faults.iter().any(|fault| names(lesson, fault)));
    (score.n_right, score.wrong) = (right.len(), wrong);
    score
}

impl<'t> Trial<'t> {
    fn learn(&mut self) {
        self.player.learn();
        self.reported.values_mut().for_each(|is_learned| *is_learned = true);
    }

    /// A failure for which the agent reads no lesson: it fixes it, or runs the command again.
    fn work_alone(&mut self, task: &Task<'_>) {
        self.fail(task, task.output(), &mut Attempts::default());
        self.pass(task);
        if let Some(report) = &task.report {
            self.player.report_fix(task, report);
        }
    }

    fn work_with_lessons(&mut self, task: &'t Task<'t>) {
        let id = task.fault.id.as_str();
        let is_repeated = self.happened.contains(&id);
        let before = self.player.look_up(&format!("{} {}", task.description, task.recording.command));
        let error = self.runs.errors(task.output()).first().map_or("", |error| error.message.as_str());
        let after = self.player.look_up(error);
        let is_named = |lesson: &Lesson| is_right(&lesson.text, &task.fault.cause, &task.fix().tokens);
        if self.reported.get(&(id, task.obsolete_fix().is_some())) == Some(&true) {
            let (in_before, in_after) = (before.iter().any(is_named), after.iter().any(is_named));
            self.score.n_told += 1;
            self.score.n_found_before += usize::from(in_before);
            self.score.n_found_after += usize::from(in_after);
            self.score.n_found += usize::from(in_before || in_after);
            if !in_before && !in_after {
                self.score.missed.push(format!("{id} in {}: {error}", task.recording.project));
            }
        }
        let mut attempts = Attempts::default();
        let mut is_solved = self.obey(task, &before, &mut attempts, When::BeforeTask);
        let is_avoided = is_solved && attempts.n_failed == 0;
        if !is_solved {
            self.fail(task, task.output(), &mut attempts);
            let n_failed = attempts.n_failed;
            is_solved = self.obey(task, &after, &mut attempts, When::AfterFailure);
            if !is_solved && attempts.n_failed == n_failed {
                // A try of its own that does not help.
                self.fail(task, task.output(), &mut attempts);
            }
        }
        self.pass(task);
        if let Some(report) = task.report.as_ref().filter(|_| !is_avoided) {
            self.player.report_fix(task, report);
            if task.fix().tokens.are_named_in(report) {
                self.reported.entry((id, task.obsolete_fix().is_some())).or_insert(false);
            }
        }
        if is_repeated {
            self.score.n_repeated += attempts.n_failed;
        } else {
            self.happened.push(id);
        }
    }

    /// Follows the lessons in their order, up to the right one. Returns whether it was there.
    fn obey(&mut self, task: &Task<'_>, lessons: &[Lesson], attempts: &mut Attempts, when: When) -> bool {
        for lesson in lessons {
            if is_right(&lesson.text, &task.fault.cause, &task.fix().tokens) {
                self.player.rate(task, lesson, true);
                return true;
            }
            let names = |fix: &Fix| is_right(&lesson.text, &task.fault.cause, &fix.tokens);
            let is_obsolete = task.obsolete_fix().is_some_and(names);
            // What fixes another cause of the same message does no harm before that message is there.
            let rival = self.rivals_of(task).position(names).filter(|_| when == When::AfterFailure);
            let attempt = if is_obsolete { Some(usize::MAX) } else { rival };
            let Some(attempt) = attempt.filter(|attempt| !attempts.followed.contains(attempt)) else { continue };
            attempts.followed.push(attempt);
            self.score.n_misled += 1;
            if is_obsolete {
                self.player.rate(task, lesson, false);
            }
            let obsolete = task.recording.later_obsolete.as_deref().filter(|_| is_obsolete);
            self.fail(task, obsolete.unwrap_or(task.output()), attempts);
        }
        false
    }

    /// The fixes of other causes with the same message.
    fn rivals_of<'r>(&'r self, task: &'r Task<'_>) -> impl Iterator<Item = &'t Fix> + use<'r, 't> {
        let others = self.tasks.iter().map(|other| other.fault);
        others.filter(|other| other.cause == task.fault.cause && other.id != task.fault.id).map(|other| &other.fix)
    }

    fn fail(&mut self, task: &Task<'_>, output: &str, attempts: &mut Attempts) {
        let errors: &[RunError] = self.runs.errors(output);
        self.player.record_run(task, errors, RunEnd::Failed);
        attempts.n_failed += 1;
    }

    /// Applies the fix of a task, if it has one, and runs the command again.
    fn pass(&mut self, task: &Task<'_>) {
        let end = if task.fix().is_a_change() { RunEnd::PassedAfterChange } else { RunEnd::PassedUnchanged };
        self.player.record_run(task, &[], end);
    }
}
