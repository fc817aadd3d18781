//! The table: mean and worst over the seeds, as Markdown.
//!
//! Owns: the figures of a row, and which end of a figure is the worst.

use std::fmt::Write as _;

use super::trial::Score;

/// A figure of a trial. `None` where there is nothing to divide by.
struct Figure {
    name: &'static str,
    value: fn(&Score) -> Option<f64>,
    is_share: bool,
    is_high_good: bool,
}

const FIGURES: &[Figure] = &[
    Figure {
        name: "precision",
        value: |score| share(score.n_right, score.n_lessons),
        is_share: true,
        is_high_good: true,
    },
    Figure {
        name: "recall",
        value: |score| share(score.n_learned, score.n_causes),
        is_share: true,
        is_high_good: true,
    },
    Figure {
        name: "right among five",
        value: |score| share(score.n_found, score.n_told),
        is_share: true,
        is_high_good: true,
    },
    Figure {
        name: "by the task",
        value: |score| share(score.n_found_before, score.n_told),
        is_share: true,
        is_high_good: true,
    },
    Figure {
        name: "by the error",
        value: |score| share(score.n_found_after, score.n_told),
        is_share: true,
        is_high_good: true,
    },
    Figure { name: "repeated failures", value: |score| count(score.n_repeated), is_share: false, is_high_good: false },
    Figure { name: "misled", value: |score| count(score.n_misled), is_share: false, is_high_good: false },
    Figure { name: "lessons", value: |score| count(score.n_lessons), is_share: false, is_high_good: false },
];

#[expect(
    clippy::cast_precision_loss,
    clippy::unnecessary_wraps,
    reason = "counts are small, and a figure may be missing"
)]
fn count(n: usize) -> Option<f64> {
    Some(n as f64)
}

#[expect(clippy::cast_precision_loss, reason = "counts are small")]
fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Returns a table of players and the scores of their trials.
pub(crate) fn table(rows: &[(&str, Vec<Score>)]) -> String {
    let mut text = String::from("| mean (worst) |");
    FIGURES.iter().for_each(|figure| write!(text, " {} |", figure.name).unwrap());
    text.push_str("\n| --- |");
    FIGURES.iter().for_each(|_| text.push_str(" --- |"));
    for (name, scores) in rows {
        write!(text, "\n| {name} |").unwrap();
        for figure in FIGURES {
            write!(text, " {} |", cell(figure, scores)).unwrap();
        }
    }
    text.push('\n');
    text
}

/// Returns a table of controls: a figure of each seed, and the most that it may be on average.
pub(crate) fn control_table(rows: &[(&str, Vec<f64>, f64)]) -> String {
    let mut text = String::from("| control | mean (worst) | at most |\n| --- | --- | --- |\n");
    for (name, values, most) in rows {
        let worst = values.iter().copied().fold(0.0, f64::max);
        writeln!(text, "| {name} | {:.2} ({worst:.2}) | {most} |", mean(values)).unwrap();
    }
    text
}

pub(crate) fn recall(score: &Score) -> f64 {
    share(score.n_learned, score.n_causes).unwrap_or_default()
}

pub(crate) fn n_lessons(score: &Score) -> f64 {
    count(score.n_lessons).unwrap_or_default()
}

#[expect(clippy::cast_precision_loss, reason = "counts are small")]
fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn cell(figure: &Figure, scores: &[Score]) -> String {
    let values: Vec<f64> = scores.iter().filter_map(figure.value).collect();
    let worst = values.iter().copied().reduce(if figure.is_high_good { f64::min } else { f64::max });
    let mean = mean(&values);
    match worst {
        None => String::new(),
        Some(worst) if figure.is_share => format!("{mean:.2} ({worst:.2})"),
        Some(worst) => format!("{mean:.1} ({worst:.0})"),
    }
}

#[test]
fn worst_is_the_bad_end_of_a_figure() {
    let score = |n_right, n_repeated| Score { n_right, n_lessons: 4, n_repeated, ..Score::default() };
    let text = table(&[("one", vec![score(1, 9), score(3, 4)])]);
    let row = text.lines().nth(2).unwrap();
    assert!(row.starts_with("| one | 0.50 (0.25) |  |"), "{row}");
    assert!(row.contains("| 6.5 (9) |"), "{row}");
}
