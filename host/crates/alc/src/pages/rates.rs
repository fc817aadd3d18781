//! Parts of the pages with pass rates: their filters, the plot of rates along time, and that of scores.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use maud::{Markup, html};

use crate::evals::SCORE_RANGES;
use wardroom_plot::{BarGroup, BarPart, MAX_SERIES, PlotPoint, PlotSeries, PlotText, bars, points};
use wardroom_service::{PageFields, ServiceError};

/// The times that a person may choose, in days.
const TIMES: [(u64, &str); 4] = [(1, "today"), (7, "the last week"), (30, "the last month"), (365, "the last year")];

/// What a person filters by.
pub(super) struct RateFilters<'f> {
    pub(super) package: Option<&'f str>,
    pub(super) scenario: Option<&'f str>,
    pub(super) model: Option<&'f str>,
    pub(super) days: Option<u64>,
}

impl<'f> RateFilters<'f> {
    pub(super) fn parse(query: &'f PageFields) -> Result<Self, ServiceError> {
        const MAX_DAYS: u64 = 36_500;
        let days = query.filled("days").map(|given| {
            let days = given.parse().ok().filter(|days| (1..=MAX_DAYS).contains(days));
            days.ok_or_else(|| ServiceError::Invalid(format!("days: expected 1 to {MAX_DAYS}")))
        });
        Ok(Self {
            package: query.filled("pkg"),
            scenario: query.filled("scenario"),
            model: query.filled("model"),
            days: days.transpose()?,
        })
    }
}

/// Writes a share from 0 to 1.
pub(super) fn percent(share: f64) -> String {
    let text = format!("{:.1}", share * 100.0);
    format!("{} %", text.strip_suffix(".0").unwrap_or(&text))
}

/// Writes the day of a time in seconds since 1970, in UTC.
pub(super) fn day(seconds: f64) -> String {
    // Times of records are within the range of the calendar, or have no day.
    #[expect(clippy::cast_possible_truncation, reason = "a time beyond the calendar has no day")]
    let time = DateTime::<Utc>::from_timestamp(seconds as i64, 0);
    time.map_or_else(|| "unknown".to_owned(), |time| time.format("%Y-%m-%d").to_string())
}

/// Shows a choice among the names that occur.
pub(super) fn select_field<'n>(
    field: &str,
    label: &str,
    chosen: Option<&'n str>,
    names: impl Iterator<Item = &'n str>,
) -> Markup {
    // What is chosen stays a choice, also where it occurs no more.
    let names: BTreeSet<&str> = names.chain(chosen).collect();
    html! {
        div {
            label for=(field) { (label) }
            select id=(field) name=(field) {
                option value="" { "any" }
                @for name in names { option value=(name) selected[chosen == Some(name)] { (name) } }
            }
        }
    }
}

/// Shows the choice of a time.
pub(super) fn time_field(days: Option<u64>) -> Markup {
    let is_named = days.is_none_or(|days| TIMES.iter().any(|(known, _)| *known == days));
    html! {
        div {
            label for="days" { "Time" }
            select #days name="days" {
                option value="" { "any" }
                @for (number, name) in TIMES { option value=(number) selected[days == Some(number)] { (name) } }
                @if let Some(days) = days.filter(|_| !is_named) { option value=(days) selected { (days) " days" } }
            }
        }
    }
}

/// Draws pass rates along time, with a series for each name; x is in seconds since 1970.
pub(super) fn rate_plot(named: impl Iterator<Item = (String, PlotPoint)>) -> Markup {
    let mut by_name: BTreeMap<String, Vec<PlotPoint>> = BTreeMap::new();
    for (name, point) in named {
        by_name.entry(name).or_default().push(point);
    }
    let mut series: Vec<PlotSeries> = by_name.into_iter().map(|(name, points)| PlotSeries { name, points }).collect();
    // Those with most points are drawn.
    series.sort_by(|a, b| b.points.len().cmp(&a.points.len()).then_with(|| a.name.cmp(&b.name)));
    for series in &mut series {
        series.points.sort_by(|a, b| a.x.total_cmp(&b.x));
    }
    let drawn = || series.iter().take(MAX_SERIES).flat_map(|series| &series.points).map(|point| point.x);
    let first = drawn().fold(f64::INFINITY, f64::min);
    let last = drawn().fold(f64::NEG_INFINITY, f64::max);
    if first > last {
        return html! {};
    }
    let (first, last) = (day(first), day(last));
    let text = PlotText {
        id: "rates",
        title: "Pass rates along time",
        description: format!(
            "A mark for each record from {first} to {last}, from 0 to 100 %, with a form and a line for each strategy. \
             The table below has the numbers."
        ),
    };
    points(&text, &series, (&first, &last))
}

/// Draws how many scores lie in each tenth, side by side for several sets: class, name and counts of each.
pub(super) fn score_plot(sets: &[(&'static str, &str, [usize; SCORE_RANGES])]) -> Markup {
    let group = |range: usize| {
        let (from, to) = (range as f64 / SCORE_RANGES as f64, (range + 1) as f64 / SCORE_RANGES as f64);
        let bar = |(class, name, counts): &(&'static str, &str, [usize; SCORE_RANGES])| {
            let number = counts.get(range).copied().unwrap_or_default();
            vec![BarPart { class, number, title: format!("{name}: {number} from {from:.1} to {to:.1}") }]
        };
        BarGroup { label: format!("{from:.1}"), bars: sets.iter().map(bar).collect() }
    };
    let groups: Vec<BarGroup> = (0..SCORE_RANGES).map(group).collect();
    let counts = sets.iter().map(|(_, name, counts)| format!("{name}: {counts:?}"));
    let text = PlotText {
        id: "scores",
        title: "Scores by tenths",
        description: format!(
            "How many scores lie in each tenth from 0 to 1. {}.",
            counts.collect::<Vec<_>>().join("; ")
        ),
    };
    let caption = html! { @for (class, name, _) in sets { span class={ "key " (class) } {} " " (name) " " } };
    bars(&text, &groups, &caption)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_with_most_points_come_first_and_in_the_order_of_time() {
        let point = |x: f64| PlotPoint { x, y: 0.5, title: format!("at {x}") };
        let named = [("b", 86_400.0), ("a", 172_800.0), ("a", 0.0)].map(|(name, x)| (name.to_owned(), point(x)));
        let svg = rate_plot(named.into_iter()).into_string();
        let places = ["at 0", "at 172800", "at 86400"].map(|title| svg.find(title).unwrap());
        assert!(places.is_sorted(), "{svg}");
        assert!(svg.contains("from 1970-01-01 to 1970-01-03"), "{svg}");
        assert_eq!(rate_plot(std::iter::empty()).into_string(), "");
    }

    #[test]
    fn shares_and_days_are_written_for_a_person() {
        assert_eq!([0.0, 0.125, 1.0].map(percent), ["0 %", "12.5 %", "100 %"]);
        assert_eq!(day(f64::INFINITY), "unknown");
    }
}
