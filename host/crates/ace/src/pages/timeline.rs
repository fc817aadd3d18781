//! Traces and insights by day: a plot, and the same as a table.

use maud::html;

use super::plot::day_bars;
use super::{LearningPage, TIMELINE, content_page};
use crate::insight_cache::InsightIndexes;
use crate::limits::TIMELINE_DAYS;
use crate::timeline::TimelineDay;
use wardroom_service::{ContentPage, ServiceError};

pub(super) fn show(page: &LearningPage<'_>) -> Result<ContentPage, ServiceError> {
    let stop = page.stop();
    let known = page.log.insights_if_any(InsightIndexes::None, &stop)?;
    let days = page.log.timeline(&known, std::time::SystemTime::now().into(), &stop)?;
    let sum = |count: fn(&TimelineDay) -> usize| days.iter().map(count).sum::<usize>();
    let (traces, failed, insights) = (sum(|day| day.traces), sum(|day| day.failed), sum(|day| day.insights));
    let is_busy = |day: &&TimelineDay| day.traces > 0 || day.insights > 0;
    let content = html! {
        h1 { "Traces and insights" }
        p {
            "In the last " (TIMELINE_DAYS) " days: " (traces) " traces, of which " (failed) " failed, and " (insights)
            " insights that were last seen then."
        }
        (day_bars(&days))
        h2 { "The days on which something happened" }
        @if traces + insights == 0 {
            p.soft { "None. Record builds and tests with " code { "wardroom ace run" } "." }
        } @else {
            table.days {
                caption.unseen { "Traces and insights by day, in UTC" }
                thead {
                    tr { th scope="col" { "Day" } th scope="col" { "Traces" } th scope="col" { "Failed" } th scope="col" { "Insights" } }
                }
                tbody {
                    @for day in days.iter().rev().filter(is_busy) {
                        tr {
                            th scope="row" { time datetime=(day.day) { (day.day) } }
                            td { (day.traces) }
                            td { (day.failed) }
                            td { (day.insights) }
                        }
                    }
                }
            }
        }
    };
    Ok(content_page("Traces and insights", TIMELINE, content))
}
