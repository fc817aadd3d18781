//! The picture of the comparison: a bar for each figure, on one scale of powers of ten for times and one for memory.
//!
//! Owns: the drawing, which stands alone: it has its colours, and needs no script and no font.
//! Never: leaves out a figure that has another beside it, or says by a colour alone whose it is.

use std::fmt::Write as _;

use crate::peers::{Comparison, Unit};

const WIDTH: f64 = 760.0;
/// Room for the names before the bars, and for the figures behind them.
const LEFT: f64 = 140.0;
const RIGHT: f64 = 80.0;
const BAR: f64 = 13.0;
const STEP: f64 = 18.0;
const HEADING: f64 = 34.0;

const STYLE: &str = "text{font:12px system-ui,sans-serif;fill:#24292f}.what{font-weight:600}.bar{fill:#8c959f}.own{fill:#0969da}\
    .page{fill:#fff}.line{stroke:#d0d7de}.soft{fill:#57606a}@media(prefers-color-scheme:dark){text{fill:#e6edf3}.page{fill:#0d1117}\
    .bar{fill:#6e7681}.own{fill:#4493f8}.line{stroke:#30363d}.soft{fill:#9198a1}}";

/// Draws the comparisons, those of times before those of memory.
pub(crate) fn draw(comparisons: &[Comparison]) -> String {
    let mut marks = String::new();
    let mut y = 12.0;
    for unit in [Unit::Micros, Unit::Megabytes] {
        let is_drawn = |row: &&Comparison| row.unit == unit && row.figures.len() > 1;
        let rows: Vec<&Comparison> = comparisons.iter().filter(is_drawn).collect();
        let (low, high) = powers(&rows);
        let place = |value: f64| LEFT + (value.log10() - low) / (high - low) * (WIDTH - LEFT - RIGHT);
        let top = y;
        let mut bars = String::new();
        for row in rows {
            y += HEADING;
            let _ = write!(bars, "<text class=\"what\" x=\"12\" y=\"{:.0}\">{}</text>", y - 8.0, escape(row.what));
            for (name, value) in &row.figures {
                let class = if *name == "wardroom" { "own" } else { "bar" };
                let (end, base) = (place(*value), y + BAR - 2.0);
                let _ = write!(
                    bars,
                    "<text x=\"{:.0}\" y=\"{base:.0}\" text-anchor=\"end\">{}</text><rect class=\"{class}\" x=\"{LEFT}\" \
                     y=\"{y:.0}\" width=\"{:.1}\" height=\"{BAR}\" rx=\"2\"/><text x=\"{:.0}\" y=\"{base:.0}\">{}</text>",
                    LEFT - 8.0,
                    escape(name),
                    (end - LEFT).max(1.0),
                    end + 6.0,
                    unit.format(*value),
                );
                y += STEP;
            }
        }
        y += 10.0;
        marks += &scale(unit, (low, high), (top + 10.0, y), place);
        marks += &bars;
        y += 24.0;
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {y:.0}\" role=\"img\" aria-labelledby=\"t\"><title id=\"t\">Times \
         and memory of wardroom and of other servers, on scales of powers of ten</title><style>{STYLE}</style><rect class=\"page\" \
         width=\"{WIDTH}\" height=\"{y:.0}\" rx=\"6\"/>{marks}</svg>\n"
    )
}

/// Draws a line at each power of ten.
fn scale(unit: Unit, (low, high): (f64, f64), (top, bottom): (f64, f64), place: impl Fn(f64) -> f64) -> String {
    let mut lines = String::new();
    for power in low as i32..=high as i32 {
        let value = 10f64.powi(power);
        let x = place(value);
        let label = match unit {
            Unit::Micros if power >= 6 => format!("{} s", 10f64.powi(power - 6)),
            Unit::Micros if power >= 3 => format!("{} ms", 10f64.powi(power - 3)),
            Unit::Micros => format!("{value} µs"),
            Unit::Megabytes => format!("{value} MB"),
        };
        let _ = write!(
            lines,
            "<line class=\"line\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{top:.0}\" y2=\"{bottom:.0}\"/><text class=\"soft\" x=\"{x:.1}\" \
             y=\"{:.0}\" text-anchor=\"middle\">{label}</text>",
            bottom + 14.0
        );
    }
    lines
}

/// Returns the powers of ten around all figures.
fn powers(rows: &[&Comparison]) -> (f64, f64) {
    let all = || rows.iter().flat_map(|row| row.figures.iter().map(|(_, figure)| figure.log10()));
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
    // Of one figure alone there would be no scale.
    (low.floor(), high.ceil().max(low.floor() + 1.0))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('`', "")
}
