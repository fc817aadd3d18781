//! The days of the timeline as a plot: for each day a bar of traces, whose lower part failed, and a bar of insights
//! beside it.
//!
//! Never: draws a mark itself.

use maud::{Markup, html};

use crate::timeline::TimelineDay;
use wardroom_plot::{BarGroup, BarPart, PlotText, bars};

/// Days from one name below the plot to the next.
const NAMED_DAYS: usize = 7;

pub(super) fn day_bars(days: &[TimelineDay]) -> Markup {
    let most = days.iter().map(|day| day.traces.max(day.insights)).max().unwrap_or_default();
    let range = match (days.first(), days.last()) {
        (Some(first), Some(last)) => format!(" from {} to {}", first.day, last.day),
        _ => String::new(),
    };
    let text = PlotText {
        id: "plot",
        title: "Traces and insights by day",
        description: format!(
            "Two bars for each day{range}: traces, with those that failed as the lower part, and insights. The most of \
             one day is {most}. The table below has the numbers."
        ),
    };
    let caption = html! {
        span.key.traces {} " traces "
        span.key.failed {} " of which failed "
        span.key.insights {} " insights"
    };
    let groups: Vec<BarGroup> = days.iter().enumerate().map(|(at, day)| group(at, day)).collect();
    bars(&text, &groups, &caption)
}

fn group(at: usize, day: &TimelineDay) -> BarGroup {
    let part = |class, number: usize| BarPart { class, number, title: format!("{}: {number} {class}", day.day) };
    let label = if at % NAMED_DAYS == 1 { day.day.format("%m-%d").to_string() } else { String::new() };
    let traces = vec![part("traces", day.traces), part("failed", day.failed)];
    BarGroup { label, bars: vec![traces, vec![part("insights", day.insights)]] }
}

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;

    use super::*;

    fn day(number: u32, traces: usize, failed: usize, insights: usize) -> TimelineDay {
        TimelineDay { day: NaiveDate::from_ymd_opt(2026, 1, number).unwrap(), traces, failed, insights }
    }

    #[test]
    fn each_kind_has_a_bar_with_its_number() {
        let svg = day_bars(&[day(1, 1_000_000, 1, 0), day(2, 0, 0, 3)]).into_string();
        for title in ["2026-01-01: 1000000 traces", "2026-01-01: 1 failed", "2026-01-02: 3 insights"] {
            assert!(svg.contains(title), "{title}: {svg}");
        }
        assert_eq!(svg.matches("<rect").count(), 3, "{svg}");
        assert!(svg.contains("The most of one day is 1000000") && svg.contains(">01-02<"), "{svg}");
        assert!(!day_bars(&[day(1, 0, 0, 0)]).into_string().contains("<rect"));
    }
}
