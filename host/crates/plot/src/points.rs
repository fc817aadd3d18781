//! Shares from 0 to 1 along another number, such as pass rates along time: a form of mark for each series, and a line
//! through its marks.

use std::fmt::Write as _;

use maud::{Markup, html};

use crate::MAX_SERIES;
use crate::figure::{PlotText, WIDTH};
use crate::scale::{Scale, coordinate};

const HEIGHT: usize = 260;
/// Room beside the marks for the names of the axes.
const LEFT: f64 = 68.0;
const RIGHT: f64 = 16.0;
const ABOVE: f64 = 16.0;
const BELOW: f64 = 28.0;
/// Half the size of a mark.
const MARK: f64 = 4.5;

/// The lines across the plot, and their names.
const SHARES: [(f64, &str); 5] = [(0.0, "0 %"), (0.25, "25 %"), (0.5, "50 %"), (0.75, "75 %"), (1.0, "100 %")];

/// A series of points of one name.
#[derive(Debug, Clone)]
pub struct PlotSeries {
    pub name: String,
    /// In the order of `x`.
    pub points: Vec<PlotPoint>,
}

#[derive(Debug, Clone)]
pub struct PlotPoint {
    pub x: f64,
    /// From 0 to 1.
    pub y: f64,
    /// The text that a pointer shows.
    pub title: String,
}

/// Draws the first [`MAX_SERIES`] series. `ends` names the lowest and the highest x.
#[must_use]
pub fn points(text: &PlotText<'_>, series: &[PlotSeries], ends: (&str, &str)) -> Markup {
    let all = || series.iter().take(MAX_SERIES).flat_map(|series| &series.points);
    let first = all().map(|point| point.x).fold(f64::INFINITY, f64::min);
    let last = all().map(|point| point.x).fold(f64::NEG_INFINITY, f64::max);
    let right = WIDTH as f64 - RIGHT;
    let base = HEIGHT as f64 - BELOW;
    let (x, y) =
        (Scale::new((first, last), (LEFT + 2.0 * MARK, right - 2.0 * MARK)), Scale::new((0.0, 1.0), (base, ABOVE)));
    let marks = html! {
        @for (share, name) in SHARES {
            @let place = y.place(share);
            line class=(if share == 0.0 { "axis" } else { "grid" }) x1=(coordinate(LEFT)) y1=(coordinate(place))
                x2=(coordinate(right)) y2=(coordinate(place)) {}
            text.label text-anchor="end" x=(coordinate(LEFT - 8.0)) y=(coordinate(place + 4.0)) { (name) }
        }
        text.label x=(coordinate(LEFT)) y=(HEIGHT - 8) { (ends.0) }
        @if ends.0 != ends.1 { text.label text-anchor="end" x=(coordinate(right)) y=(HEIGHT - 8) { (ends.1) } }
        @for (at, series) in series.iter().take(MAX_SERIES).enumerate() {
            g class=(format!("series series-{at}")) {
                @if series.points.len() > 1 { polyline points=(line(&series.points, x, y)) {} }
                @for point in &series.points {
                    path.mark d=(mark(at, x.place(point.x), y.place(point.y))) { title { (point.title) } }
                }
            }
        }
    };
    let caption = html! {
        @for (at, series) in series.iter().take(MAX_SERIES).enumerate() {
            span.series-name {
                svg class=(format!("key series series-{at}")) viewBox="0 0 12 12" aria-hidden="true" {
                    path.mark d=(mark(at, 6.0, 6.0)) {}
                }
                " " (series.name)
            } " "
        }
        @if series.len() > MAX_SERIES { span { "and " (series.len() - MAX_SERIES) " more, in the table" } }
    };
    text.figure(HEIGHT, &marks, &caption)
}

fn line(points: &[PlotPoint], x: Scale, y: Scale) -> String {
    points.iter().fold(String::new(), |mut line, point| {
        // Writing to a string does not fail.
        let _ = write!(line, "{},{} ", coordinate(x.place(point.x)), coordinate(y.place(point.y)));
        line
    })
}

/// Returns the form of the marks of a series: a circle, a square, a triangle, a diamond, a cross, a triangle that points
/// down.
fn mark(series: usize, x: f64, y: f64) -> String {
    let at = |dx: f64, dy: f64| format!("{} {}", coordinate(x + dx * MARK), coordinate(y + dy * MARK));
    let polygon = |corners: &[(f64, f64)]| {
        let corners: Vec<String> = corners.iter().map(|(dx, dy)| at(*dx, *dy)).collect();
        format!("M{}Z", corners.join("L"))
    };
    match series % MAX_SERIES {
        0 => {
            let (r, right, left) = (coordinate(MARK), at(1.0, 0.0), at(-1.0, 0.0));
            format!("M{left}A{r} {r} 0 1 1 {right}A{r} {r} 0 1 1 {left}Z")
        }
        1 => polygon(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
        2 => polygon(&[(0.0, -1.1), (1.1, 0.9), (-1.1, 0.9)]),
        3 => polygon(&[(0.0, -1.2), (1.2, 0.0), (0.0, 1.2), (-1.2, 0.0)]),
        4 => polygon(&[
            (-0.4, -1.1),
            (0.4, -1.1),
            (0.4, -0.4),
            (1.1, -0.4),
            (1.1, 0.4),
            (0.4, 0.4),
            (0.4, 1.1),
            (-0.4, 1.1),
            (-0.4, 0.4),
            (-1.1, 0.4),
            (-1.1, -0.4),
            (-0.4, -0.4),
        ]),
        _ => polygon(&[(0.0, 1.1), (1.1, -0.9), (-1.1, -0.9)]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(name: &str, shares: &[f64]) -> PlotSeries {
        let point =
            |(at, share): (usize, &f64)| PlotPoint { x: at as f64, y: *share, title: format!("{name} {share}") };
        PlotSeries { name: name.to_owned(), points: shares.iter().enumerate().map(point).collect() }
    }

    fn svg(series: &[PlotSeries]) -> String {
        let text = PlotText { id: "rates", title: "Rates", description: "Marks.".to_owned() };
        points(&text, series, ("2026-01-01", "2026-02-01")).into_string()
    }

    #[test]
    fn all_and_nothing_lie_on_the_outer_lines() {
        let svg = svg(&[series("<a>", &[0.0, 1.0])]);
        assert!(svg.contains(&format!("points=\"77,{} 695,{} \"", HEIGHT - 28, ABOVE)), "{svg}");
        assert_eq!(svg.matches("<path").count(), 3, "{svg}");
        assert!(svg.contains("&lt;a&gt; 0.5") || svg.contains("&lt;a&gt; 1"), "{svg}");
        assert!(!svg.contains("style=") && !svg.contains("<a>"), "{svg}");
    }

    #[test]
    fn each_series_has_a_form_of_its_own_and_the_rest_is_counted() {
        let forms: std::collections::BTreeSet<String> = (0..MAX_SERIES).map(|at| mark(at, 0.0, 0.0)).collect();
        assert_eq!(forms.len(), MAX_SERIES);
        let many: Vec<PlotSeries> = (0..MAX_SERIES + 2).map(|at| series(&format!("s{at}"), &[0.5])).collect();
        let svg = svg(&many);
        assert!(svg.contains("and 2 more") && !svg.contains(&format!("s{MAX_SERIES}<")), "{svg}");
        assert!(!svg.contains("<polyline"), "{svg}");
    }

    #[test]
    fn plot_without_points_has_axes_alone() {
        let svg = svg(&[]);
        assert!(
            svg.contains("100 %") && !svg.contains("<path") && !svg.contains("NaN") && !svg.contains("inf"),
            "{svg}"
        );
    }
}
