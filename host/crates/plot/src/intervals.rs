//! Estimates with their intervals, one below the other on one scale.

use maud::{Markup, html};

use crate::figure::{PlotText, WIDTH};
use crate::scale::{Scale, coordinate};

/// The height of a row, and the room below the rows for the names of the axis.
const ROW: usize = 44;
const BELOW: usize = 26;
const LEFT: f64 = 12.0;
const RIGHT: f64 = 12.0;
/// Half the height of the ends of an interval.
const END: f64 = 5.0;

/// An estimate with its interval.
#[derive(Debug, Clone)]
pub struct IntervalRow {
    /// The class of the row in the stylesheet.
    pub class: &'static str,
    /// The name and the numbers, above the interval.
    pub label: String,
    pub low: f64,
    pub middle: f64,
    pub high: f64,
}

/// Draws rows on a scale with these ends and names. A `zero` within the scale is a line through all rows.
#[must_use]
pub fn intervals(
    text: &PlotText<'_>,
    rows: &[IntervalRow],
    ends: [(f64, &str); 2],
    zero: Option<f64>,
    caption: &Markup,
) -> Markup {
    let [(first, first_name), (last, last_name)] = ends;
    let right = WIDTH as f64 - RIGHT;
    let scale = Scale::new((first, last), (LEFT, right));
    let base = rows.len() * ROW + 4;
    let marks = html! {
        line.axis x1=(coordinate(LEFT)) y1=(base) x2=(coordinate(right)) y2=(base) {}
        text.label x=(coordinate(LEFT)) y=(base + 16) { (first_name) }
        text.label text-anchor="end" x=(coordinate(right)) y=(base + 16) { (last_name) }
        @if let Some(zero) = zero.map(|zero| scale.place(zero)) {
            line.zero x1=(coordinate(zero)) y1="0" x2=(coordinate(zero)) y2=(base) {}
            text.label x=(coordinate(zero + 4.0)) y=(base + 16) { "0" }
        }
        @for (at, row) in rows.iter().enumerate() {
            @let y = (at * ROW + 30) as f64;
            @let (low, middle, high) = (scale.place(row.low), scale.place(row.middle), scale.place(row.high));
            g class=(format!("interval {}", row.class)) {
                text.name x=(coordinate(LEFT)) y=(at * ROW + 16) { (row.label) }
                path.reach d=(format!("M{0} {1}V{2}M{0} {3}H{4}M{4} {1}V{2}", coordinate(low), coordinate(y - END),
                    coordinate(y + END), coordinate(y), coordinate(high))) {}
                circle.mark cx=(coordinate(middle)) cy=(coordinate(y)) r="5" {}
            }
        }
    };
    text.figure(base + BELOW, &marks, caption)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interval_reaches_from_its_low_to_its_high_end() {
        let text = PlotText { id: "difference", title: "Difference", description: "A row.".to_owned() };
        let row = IntervalRow { class: "series-0", label: "a < b".to_owned(), low: -0.5, middle: 0.0, high: 0.5 };
        let svg = intervals(&text, &[row], [(-1.0, "-1"), (1.0, "1")], Some(0.0), &html! {}).into_string();
        assert!(svg.contains("d=\"M186 25V35M186 30H534M534 25V35\""), "{svg}");
        assert!(svg.contains("cx=\"360\"") && svg.contains("class=\"zero\" x1=\"360\""), "{svg}");
        assert!(svg.contains("a &lt; b") && !svg.contains("style="), "{svg}");
    }
}
