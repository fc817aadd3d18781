//! A calendar of what was written: a year of months, with the number of posts of each day.
//!
//! Owns: the days, which are those of UTC, as in lists.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::parts::notes;
use super::{BlogPage, CALENDAR, content_page};
use crate::content::time::{date_of, month_shape};
use crate::index::counts::{GroupColumn, GroupValue};
use crate::index::schema::DocKind;
use crate::search::matching::{PostFilters, filter_query};
use wardroom_service::{ContentPage, PageRequest, ServiceError, with_noun};

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WEEKDAYS: [(&str, &str); 7] = [
    ("Mo", "Monday"),
    ("Tu", "Tuesday"),
    ("We", "Wednesday"),
    ("Th", "Thursday"),
    ("Fr", "Friday"),
    ("Sa", "Saturday"),
    ("Su", "Sunday"),
];
/// Posts of a day from which it is shown as a busy one.
const MANY_POSTS: usize = 3;

/// The number of posts by month and day.
type DayCounts = BTreeMap<(u32, u32), usize>;

pub(super) fn show(page: &BlogPage<'_>, year: Option<&str>) -> Result<ContentPage, ServiceError> {
    let (state, request) = (page.state, page.request);
    let all = filter_query(&state.stored.fields, DocKind::Post, &PostFilters::default());
    let by_year = state.read_index(|| state.stored.count_by(&*all, &[GroupColumn::Year]))?;
    let years: BTreeMap<i32, usize> =
        by_year.groups.iter().filter_map(|(group, count)| Some((number(group.first()?)?, *count))).collect();
    let parse = |year: &str| year.parse().ok().filter(|year| (1..=9999).contains(year));
    let year: i32 = match year {
        Some(year) => parse(year).ok_or_else(|| request.not_found())?,
        None => years.keys().next_back().copied().unwrap_or_else(|| date_of(0).0),
    };
    let filters = PostFilters { year: Some(year), ..PostFilters::default() };
    let of_year = filter_query(&state.stored.fields, DocKind::Post, &filters);
    let by_day = state.read_index(|| state.stored.count_by(&*of_year, &[GroupColumn::Month, GroupColumn::Day]))?;
    let as_day = |group: &[GroupValue]| match group {
        [month, day] => Some((u32::try_from(number(month)?).ok()?, u32::try_from(number(day)?).ok()?)),
        _ => None,
    };
    let days: DayCounts = by_day.groups.iter().filter_map(|(group, count)| Some((as_day(group)?, *count))).collect();
    let n_posts = by_day.n_documents;
    let content = html! {
        h1 { (year) }
        (notes(&state.notes))
        nav aria-label="Years" {
            ul {
                @for (other, count) in years.iter().rev() {
                    li {
                        a href=(request.link(&["calendar", &other.to_string()], &[]))
                            aria-current=[(*other == year).then_some("page")] {
                            (other) " " span.count { (count) span.unseen { " posts" } }
                        }
                    }
                }
            }
        }
        p.soft { (with_noun(n_posts, "post", "posts")) " in " (year) }
        div.months { @for (number, name) in (1..).zip(MONTHS) { (month(request, year, (number, name), &days)) } }
    };
    Ok(content_page(format!("Calendar {year}"), CALENDAR, content))
}

fn number(value: &GroupValue) -> Option<i32> {
    match value {
        GroupValue::Number(number) => Some(*number),
        GroupValue::Text(_) | GroupValue::Missing => None,
    }
}

fn month(request: &PageRequest, year: i32, (month, name): (u32, &str), days: &DayCounts) -> Markup {
    let Some((blank, n_days)) = month_shape(year, month) else { return html! {} };
    let n_posts: usize = days.range((month, 0)..(month + 1, 0)).map(|(_, count)| count).sum();
    let link = request.link(&[], &[("year", &year.to_string()), ("month", &month.to_string())]);
    // Days of the month by week, from Monday; 0 for those of other months.
    let cells: Vec<u32> = std::iter::repeat_n(0, blank as usize).chain(1..=n_days).collect();
    html! {
        section.month {
            h2 {
                @if n_posts > 0 { a href=(link) data-item { (name) } } @else { (name) }
                @if n_posts > 0 { " " span.count { (n_posts) span.unseen { " posts" } } }
            }
            table {
                caption.unseen { "Posts by day, " (name) " " (year) }
                thead { tr { @for (short, long) in WEEKDAYS { th scope="col" { abbr title=(long) { (short) } } } } }
                tbody {
                    @for week in cells.chunks(7) {
                        tr {
                            @for day in week {
                                td { (self::day(&link, (*day, name), days.get(&(month, *day)).copied())) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn day(link: &str, (day, month): (u32, &str), count: Option<usize>) -> Markup {
    html! {
        @match count {
            _ if day == 0 => {},
            None => (day),
            Some(count) => {
                @let label = format!("{} on {day} {month}", with_noun(count, "post", "posts"));
                a href=(link) class=[(count >= MANY_POSTS).then_some("many")] aria-label=(label) title=(label) { (day) }
            }
        }
    }
}
