//! A plot of days as SVG, made without a script.
//!
//! Owns: its form: for each day a bar of traces, whose lower part failed, and a bar of insights beside it.
//! Never: says anything by colour alone: bars have names, and a table beside the plot has the numbers.

use maud::{Markup, html};

use crate::timeline::TimelineDay;

/// The size of the plot in units of its own; the page scales it.
const WIDTH: usize = 720;
const HEIGHT: usize = 180;
/// Room below the bars for the names of days, and above them for the highest number.
const BELOW: usize = 24;
const ABOVE: usize = 20;
/// Room for the name of a day.
const LABEL: usize = 40;

pub(super) fn bars(days: &[TimelineDay]) -> Markup {
    let most = days.iter().map(|day| day.traces.max(day.insights)).max().unwrap_or_default();
    let step = WIDTH / days.len().max(1);
    let bar = (step / 2).saturating_sub(2).max(1);
    let base = HEIGHT - BELOW;
    // A number that is not 0 is seen.
    let height = |n: usize| if n == 0 { 0 } else { (n * (base - ABOVE)).div_ceil(most.max(1)) };
    let (first, last) = (days.first().map(|day| day.day), days.last().map(|day| day.day));
    html! {
        figure.plot {
            svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-labelledby="plot-title plot-description" {
                title #plot-title { "Traces and insights by day" }
                desc #plot-description {
                    "Two bars for each day"
                    @if let (Some(first), Some(last)) = (first, last) { " from " (first) " to " (last) }
                    ": traces, with those that failed as the lower part, and insights. The most of one day is " (most)
                    ". The table below has the numbers."
                }
                line.axis x1="0" y1=(base) x2=(WIDTH) y2=(base) {}
                @if most > 0 { text.label x="0" y=(ABOVE - 6) { "most: " (most) } }
                @for (at, day) in days.iter().enumerate() {
                    @let x = at * step + 1;
                    @let (traces, failed, insights) = (height(day.traces), height(day.failed), height(day.insights));
                    @if traces > 0 {
                        rect.traces x=(x) y=(base - traces) width=(bar) height=(traces) {
                            title { (day.day) ": " (day.traces) " traces" }
                        }
                    }
                    @if failed > 0 {
                        rect.failed x=(x) y=(base - failed) width=(bar) height=(failed) {
                            title { (day.day) ": " (day.failed) " failed" }
                        }
                    }
                    @if insights > 0 {
                        rect.insights x=(x + bar + 1) y=(base - insights) width=(bar) height=(insights) {
                            title { (day.day) ": " (day.insights) " insights" }
                        }
                    }
                    @if at % 7 == 1 && x + LABEL <= WIDTH { text.label x=(x) y=(HEIGHT - 6) { (day.day.format("%m-%d")) } }
                }
            }
            figcaption {
                span.key.traces {} " traces "
                span.key.failed {} " of which failed "
                span.key.insights {} " insights"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;

    use super::*;

    fn day(number: u32, traces: usize, failed: usize, insights: usize) -> TimelineDay {
        TimelineDay { day: NaiveDate::from_ymd_opt(2026, 1, number).unwrap(), traces, failed, insights }
    }

    #[test]
    fn highest_number_fills_the_plot_and_no_number_is_invisible() {
        let svg = bars(&[day(1, 1_000_000, 1, 0), day(2, 0, 0, 3)]).into_string();
        let full = HEIGHT - BELOW - ABOVE;
        assert!(svg.contains(&format!("y=\"{ABOVE}\" width=\"178\" height=\"{full}\"")), "{svg}");
        assert_eq!(svg.matches("height=\"1\"").count(), 2, "{svg}");
        assert_eq!(svg.matches("<rect").count(), 3, "{svg}");
        assert!(svg.contains("The most of one day is 1000000"), "{svg}");
    }

    #[test]
    fn plot_without_days_is_empty() {
        assert!(!bars(&[]).into_string().contains("<rect"));
        assert!(!bars(&[day(1, 0, 0, 0)]).into_string().contains("<rect"));
    }
}
