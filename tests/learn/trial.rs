//! A trial: a scripted agent works through the tasks of a scenario with one player.
//!
//! Owns: what the agent does, and what is counted of it.
//! Never: helps a player: the agent asks before each task by its description, and after a failure by its message.

use std::collections::HashMap;

use super::judge::is_right;
use super::material::{Fault, FaultKind, Fix};
use super::parsed_runs::{ParsedRuns, RunError};
use super::players::{Lesson, Player};
use super::scenario::Task;

/// Tasks after which lessons are made.
const TASKS_PER_LEARNING: usize = 5;

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
    /// Those of them that a lesson caused which helped once.
    pub(crate) n_misled: usize,
    /// Characters that the agent read in look-ups.
    pub(crate) n_read: usize,
    /// Told tasks without the right lesson, with the error that was asked for.
    pub(crate) missed: Vec<String>,
}

struct Trial<'t> {
    player: &'t mut dyn Player,
    runs: &'t ParsedRuns,
    score: Score,
    /// Causes that happened.
    happened: Vec<&'t str>,
    /// Reports by cause and by whether it is the later fix, with whether lessons were made since.
    reported: HashMap<(&'t str, bool), bool>,
}

/// Plays a scenario.
pub(crate) fn play<'t>(player: &'t mut dyn Player, runs: &'t ParsedRuns, tasks: &'t [Task<'t>]) -> Score {
    let mut trial = Trial { player, runs, score: Score::default(), happened: Vec::new(), reported: HashMap::new() };
    for (at, task) in tasks.iter().enumerate() {
        match task.fault.kind {
            FaultKind::Recurring => trial.work_with_lessons(task),
            FaultKind::OneOff | FaultKind::Flake => trial.work_alone(task),
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
    score.n_right = lessons.iter().filter(|lesson| faults.iter().any(|fault| names(lesson, fault))).count();
    score.n_causes = faults.len();
    score.n_learned = faults.iter().filter(|fault| lessons.iter().any(|lesson| names(lesson, fault))).count();
    score
}

impl<'t> Trial<'t> {
    fn learn(&mut self) {
        self.player.learn();
        self.reported.values_mut().for_each(|is_learned| *is_learned = true);
    }

    /// A failure of which no lesson is expected: the agent fixes it, or runs the command again.
    fn work_alone(&mut self, task: &Task<'_>) {
        self.fail(task, task.output());
        self.player.record_run(task, &[], true);
        if let Some(report) = &task.report {
            self.player.report_fix(task, report);
        }
    }

    fn work_with_lessons(&mut self, task: &'t Task<'t>) {
        let id = task.fault.id.as_str();
        let is_repeated = self.happened.contains(&id);
        let before = self.look_up(&format!("{} {}", task.description, task.fault.command));
        let error = self.runs.errors(task.output()).first().map_or("", |error| error.message.as_str());
        let after = self.look_up(error);
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
        let mut n_failed = 0;
        // The lessons that the agent has read by the description alone.
        let mut is_solved = self.obey(task, &before, &mut n_failed);
        let is_avoided = is_solved && n_failed == 0;
        if !is_solved {
            self.fail(task, task.output());
            n_failed += 1;
            is_solved = self.obey(task, &after, &mut n_failed);
        }
        if !is_solved {
            // A try of its own that does not help.
            self.fail(task, task.output());
            n_failed += 1;
        }
        self.player.record_run(task, &[], true);
        if !is_avoided {
            if let Some(report) = &task.report {
                self.player.report_fix(task, report);
                if task.fix().tokens.are_named_in(report) {
                    self.reported.entry((id, task.obsolete_fix().is_some())).or_insert(false);
                }
            }
        }
        if is_repeated {
            self.score.n_repeated += n_failed;
        } else {
            self.happened.push(id);
        }
    }

    fn look_up(&mut self, query: &str) -> Vec<Lesson> {
        let lessons = self.player.look_up(query);
        self.score.n_read += lessons.iter().map(|lesson| lesson.text.chars().count()).sum::<usize>();
        lessons
    }

    /// Follows the lessons in their order, up to the right one. Returns whether it was there.
    fn obey(&mut self, task: &Task<'_>, lessons: &[Lesson], n_failed: &mut usize) -> bool {
        for lesson in lessons {
            if is_right(&lesson.text, &task.fault.cause, &task.fix().tokens) {
                self.player.rate(task, lesson, true);
                return true;
            }
            let is_obsolete =
                task.obsolete_fix().is_some_and(|fix| is_right(&lesson.text, &task.fault.cause, &fix.tokens));
            if let Some(output) = task.recording.later_obsolete.as_deref().filter(|_| is_obsolete) {
                self.fail(task, output);
                self.player.rate(task, lesson, false);
                *n_failed += 1;
                self.score.n_misled += 1;
                // Once is enough: the next lesson that says the same is not followed.
                return lessons.iter().any(|other| is_right(&other.text, &task.fault.cause, &task.fix().tokens));
            }
        }
        false
    }

    fn fail(&mut self, task: &Task<'_>, output: &str) {
        let errors: &[RunError] = self.runs.errors(output);
        self.player.record_run(task, errors, false);
    }
}
