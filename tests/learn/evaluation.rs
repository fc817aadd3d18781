//! The evaluation of a half: all players over all seeds, and the controls; and a small one that keeps it from rotting.
//!
//! Owns: the bounds of the small one. They are wide: the figures belong to `docs/BENCHMARKS.md`.
//! Never: shows which lessons were missed of the half of the report, which nothing may be fitted to.

use std::env;
use std::fmt::Write as _;
use std::sync::Mutex;
use std::thread;

use super::material::{Half, Material};
use super::parsed_runs::ParsedRuns;
use super::players::{Frequencies, LastErrors, LearningServer, NoPlaybook, Original, Player};
use super::random::Random;
use super::report::{control_table, n_lessons, recall, table};
use super::scenario::{ScenarioKind, generate};
use super::trial::{AgentKind, Score, play};

const N_SEEDS: u64 = 20;
const N_THREADS: usize = 2;

type NewPlayer = fn() -> Box<dyn Player>;

const PLAYERS: &[(&str, NewPlayer)] = &[
    ("no playbook", || Box::new(NoPlaybook)),
    ("last 50 errors", || Box::new(LastErrors::new(false))),
    ("last 50 errors with fixes", || Box::new(LastErrors::new(true))),
    ("frequency counts", || Box::<Frequencies>::default()),
    ("the original's algorithm", || Box::<Original>::default()),
    ("wardroom", wardroom),
];

fn wardroom() -> Box<dyn Player> {
    Box::new(LearningServer::start())
}

/// Plays all seeds with a player, several at once. The order of the scores is that of the seeds.
fn play_all(
    new_player: NewPlayer,
    material: &Material,
    runs: &ParsedRuns,
    kind: ScenarioKind,
    seeds: &[u64],
) -> Vec<Score> {
    let waiting = Mutex::new(seeds.iter().enumerate());
    let scores = Mutex::new(vec![Score::default(); seeds.len()]);
    thread::scope(|scope| {
        for _ in 0..N_THREADS {
            scope.spawn(|| {
                loop {
                    let Some((at, seed)) = waiting.lock().unwrap().next() else { return };
                    let tasks = generate(material, kind, *seed);
                    let agent = if kind == ScenarioKind::Plain { AgentKind::Obedient } else { AgentKind::Alone };
                    let score = play(&mut *new_player(), runs, &tasks, agent);
                    scores.lock().unwrap()[at] = score;
                }
            });
        }
    });
    scores.into_inner().unwrap()
}

/// Returns the tables of a half.
fn evaluate(half: Half, seeds: &[u64]) -> String {
    let material = Material::read(half);
    let runs = ParsedRuns::of(&material);
    let scores_of = |new_player, kind| play_all(new_player, &material, &runs, kind, seeds);
    let rows: Vec<_> =
        PLAYERS.iter().map(|(name, new_player)| (*name, scores_of(*new_player, ScenarioKind::Plain))).collect();
    let controls = [ScenarioKind::ShuffledFixes, ScenarioKind::OneOffs, ScenarioKind::Flakes];
    let [shuffled, one_offs, flakes] = controls.map(|kind| scores_of(wardroom, kind));
    let controls = control_table(&[
        ("fixes shuffled: causes learned", shuffled.iter().map(recall).collect(), 0.05),
        ("one-off errors: bullets", one_offs.iter().map(n_lessons).collect(), 2.0),
        ("flakes: bullets", flakes.iter().map(n_lessons).collect(), 2.0),
    ]);
    let mut text = format!("{}\n{controls}\n", table(&rows));
    if half == Half::Development {
        let own = &rows.last().unwrap().1;
        let missed = own.iter().flat_map(|score| score.missed.clone()).collect();
        let wrong = own.iter().flat_map(|score| score.wrong.clone()).collect();
        writeln!(text, "not found:\n{}\nnot right:\n{}", count_lines(missed), count_lines(wrong)).unwrap();
        for (name, scores) in [("one-off errors", one_offs), ("flakes", flakes)] {
            let bullets = scores.into_iter().flat_map(|score| score.wrong).collect();
            writeln!(text, "bullets of {name}:\n{}", count_lines(bullets)).unwrap();
        }
    }
    text
}

/// Returns lines with how often each is there, the most frequent first.
fn count_lines(mut lines: Vec<String>) -> String {
    lines.sort_unstable();
    let mut counted: Vec<(usize, String)> =
        lines.chunk_by(|one, next| one == next).map(|same| (same.len(), same[0].clone())).collect();
    counted.sort_by_key(|(n, _)| std::cmp::Reverse(*n));
    counted.iter().take(40).map(|(n, line)| format!("{n:4} {line}\n")).collect()
}

#[test]
#[ignore = "takes a minute: make learn"]
fn measure() {
    match env::var("LEARN").as_deref() {
        Ok("report") => {
            let commit = env::var("LEARN_COMMIT").expect("the hash of the commit that is reported");
            let seeds: Vec<u64> = (0..N_SEEDS).map(|n| Random::seed_of(&format!("{commit} {n}"))).collect();
            println!("\nthe half of the report, with the seeds of {commit}\n\n{}", evaluate(Half::Report, &seeds));
        }
        _ => {
            let seeds: Vec<u64> = (1..=N_SEEDS).collect();
            println!("\nthe half to develop on\n\n{}", evaluate(Half::Development, &seeds));
        }
    }
}

#[test]
fn wardroom_fails_less_often_than_without_a_playbook() {
    let material = Material::read(Half::Development);
    let runs = ParsedRuns::of(&material);
    let score_of = |new_player, kind| play_all(new_player, &material, &runs, kind, &[1]).remove(0);
    let (without, with) =
        (score_of(|| Box::new(NoPlaybook), ScenarioKind::Plain), score_of(wardroom, ScenarioKind::Plain));
    assert!(with.n_repeated * 4 < without.n_repeated * 3, "{with:#?} {without:#?}");
    assert!(with.n_learned * 2 > with.n_causes, "{with:#?}");
    let shuffled = score_of(wardroom, ScenarioKind::ShuffledFixes);
    assert!(shuffled.n_learned * 4 < with.n_learned, "{shuffled:#?}");
}
