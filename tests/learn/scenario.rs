//! Scenarios: tasks over time, in which faults of the material happen.
//!
//! Owns: what happens in which order, what the agents report, and the two controls.
//! Never: knows a player: every player meets the same tasks.

use super::material::{Fault, FaultKind, Fix, Material, Recording};
use super::random::Random;

/// Of a hundred fixes, those that an agent reports.
const REPORTED_PERCENT: usize = 70;
/// Of a hundred reports, those that say nothing.
const VAGUE_PERCENT: usize = 15;
const VAGUE_REPORTS: &[&str] = &["fixed the build", "it works now", "adjusted the code", "small correction"];
/// How often a recurring fault happens: at least, and at most.
const LEAST_TASKS: usize = 4;
const MOST_TASKS: usize = 6;
const FLAKE_TASKS: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScenarioKind {
    Plain,
    /// A control: each report of a fix is that of a random task.
    ShuffledFixes,
    /// A control: nothing happens twice.
    OneOffs,
    /// A control: nothing happens but flakes.
    Flakes,
}

pub(crate) struct Task<'m> {
    pub(crate) id: String,
    pub(crate) description: String,
    pub(crate) fault: &'m Fault,
    pub(crate) recording: &'m Recording,
    /// Whether only the later fix helps.
    pub(crate) is_later: bool,
    /// What the agent reports after it fixed the failure.
    pub(crate) report: Option<String>,
}

impl Task<'_> {
    /// The fix that helps in this task.
    pub(crate) fn fix(&self) -> &Fix {
        self.fault.later_fix.as_ref().filter(|_| self.is_later).unwrap_or(&self.fault.fix)
    }

    /// The fix that helped once, and harms now.
    pub(crate) fn obsolete_fix(&self) -> Option<&Fix> {
        (self.is_later && self.fault.later_fix.is_some()).then_some(&self.fault.fix)
    }

    /// The name of the output of the failure.
    pub(crate) fn output(&self) -> &str {
        self.recording.later_failed.as_deref().filter(|_| self.is_later).unwrap_or(&self.recording.failed)
    }
}

/// Generates the tasks of a seed.
pub(crate) fn generate(material: &Material, kind: ScenarioKind, seed: u64) -> Vec<Task<'_>> {
    let mut random = Random::new(seed);
    let mut faults: Vec<&Fault> = Vec::new();
    for fault in &material.faults {
        let n_tasks = match (fault.kind, kind) {
            (FaultKind::Recurring, ScenarioKind::Plain | ScenarioKind::ShuffledFixes) => {
                LEAST_TASKS + random.below(MOST_TASKS - LEAST_TASKS + 1)
            }
            (FaultKind::OneOff, ScenarioKind::Plain | ScenarioKind::ShuffledFixes | ScenarioKind::OneOffs) => 1,
            (FaultKind::Flake, ScenarioKind::Plain | ScenarioKind::ShuffledFixes | ScenarioKind::Flakes) => FLAKE_TASKS,
            _ => 0,
        };
        faults.extend(std::iter::repeat_n(fault, n_tasks));
    }
    random.shuffle(&mut faults);
    let n_tasks = faults.len();
    let mut tasks: Vec<Task<'_>> = Vec::new();
    for (at, fault) in faults.into_iter().enumerate() {
        // In another project than the last time.
        let last = tasks.iter().rev().find(|task| task.fault.id == fault.id).map(|task| &task.recording.project);
        let others: Vec<&Recording> =
            fault.recordings.iter().filter(|recording| Some(&recording.project) != last).collect();
        let recording = if others.is_empty() { &fault.recordings[0] } else { *random.choose(&others) };
        let is_later = at >= n_tasks / 2;
        let mut task = Task {
            id: format!("task-{:03}", at + 1),
            description: random.choose(&recording.tasks).clone(),
            fault,
            recording,
            is_later,
            report: None,
        };
        task.report = draw_report(&task, &mut random);
        tasks.push(task);
    }
    if kind == ScenarioKind::ShuffledFixes {
        shuffle_reports(&mut tasks, &mut random);
    }
    tasks
}

fn draw_report(task: &Task<'_>, random: &mut Random) -> Option<String> {
    let fix = task.fix();
    // The numbers are drawn in any case, so that one task does not move those of the next.
    let (is_reported, is_vague) = (random.happens(REPORTED_PERCENT), random.happens(VAGUE_PERCENT));
    let vague = (*random.choose(VAGUE_REPORTS)).to_owned();
    if !fix.is_a_change() {
        return None;
    }
    let wording = random.choose(&fix.wordings).clone();
    is_reported.then_some(if is_vague { vague } else { wording })
}

fn shuffle_reports(tasks: &mut [Task<'_>], random: &mut Random) {
    let reported: Vec<usize> = (0..tasks.len()).filter(|at| tasks[*at].report.is_some()).collect();
    let mut texts: Vec<Option<String>> = reported.iter().map(|at| tasks[*at].report.take()).collect();
    random.shuffle(&mut texts);
    for (at, text) in reported.into_iter().zip(texts) {
        tasks[at].report = text;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::Half;

    fn shown(tasks: &[Task<'_>]) -> Vec<String> {
        tasks.iter().map(|task| format!("{} {} {:?}", task.description, task.output(), task.report)).collect()
    }

    #[test]
    fn seed_gives_the_same_scenario_again() {
        let material = Material::read(Half::Development);
        let tasks = |seed| shown(&generate(&material, ScenarioKind::Plain, seed));
        assert_eq!(tasks(1), tasks(1));
        assert_ne!(tasks(1), tasks(2));
    }

    #[test]
    fn recurring_fault_comes_back_in_another_project_and_a_one_off_does_not() {
        let material = Material::read(Half::Development);
        let tasks = generate(&material, ScenarioKind::Plain, 3);
        for fault in &material.faults {
            let own: Vec<_> = tasks.iter().filter(|task| task.fault.id == fault.id).collect();
            match fault.kind {
                FaultKind::Recurring => assert!((LEAST_TASKS..=MOST_TASKS).contains(&own.len())),
                FaultKind::OneOff => assert_eq!(own.len(), 1),
                FaultKind::Flake => assert!(own.len() == FLAKE_TASKS && own.iter().all(|task| task.report.is_none())),
            }
            let is_elsewhere =
                own.iter().zip(own.iter().skip(1)).all(|(one, next)| one.recording.project != next.recording.project);
            assert!(is_elsewhere || fault.recordings.len() == 1, "{}", fault.id);
        }
    }

    #[test]
    fn first_fix_is_obsolete_in_the_second_half() {
        let material = Material::read(Half::Development);
        let tasks = generate(&material, ScenarioKind::Plain, 3);
        let turning: Vec<_> = tasks.iter().filter(|task| task.fault.later_fix.is_some()).collect();
        assert!(turning.iter().any(|task| task.is_later) && turning.iter().any(|task| !task.is_later));
        for task in turning {
            assert_eq!(task.obsolete_fix().is_some(), task.is_later);
            let wordings = &task.fix().wordings;
            let is_own = |text: &String| wordings.contains(text) || VAGUE_REPORTS.contains(&text.as_str());
            assert!(task.report.iter().all(is_own), "{:?}", task.report);
        }
    }

    #[test]
    fn shuffled_reports_are_those_of_other_tasks() {
        let material = Material::read(Half::Development);
        let mut plain: Vec<_> =
            generate(&material, ScenarioKind::Plain, 5).into_iter().map(|task| task.report).collect();
        let shuffled = generate(&material, ScenarioKind::ShuffledFixes, 5);
        let is_own = |task: &&Task<'_>| task.report.as_ref().is_some_and(|text| task.fix().wordings.contains(text));
        assert!(shuffled.iter().filter(is_own).count() * 5 < shuffled.len());
        let mut texts: Vec<_> = shuffled.into_iter().map(|task| task.report).collect();
        plain.sort();
        texts.sort();
        assert_eq!(plain, texts);
        let one_offs = generate(&material, ScenarioKind::OneOffs, 5);
        assert!(one_offs.iter().all(|task| task.fault.kind == FaultKind::OneOff));
    }
}
