//! Two evals side by side: their rates and scores, the differences with their intervals, and the cases that changed.

use maud::{Markup, html};

use super::rates::{percent, score_plot};
use super::{AlcPage, EVALS, content_page};
use crate::evals::{Estimate, EvalDetails, EvalPair};
use crate::limits::MAX_PAGE_CASES;
use wardroom_plot::{IntervalRow, PlotText, intervals};
use wardroom_service::{ContentPage, ServiceError};

pub(super) fn show(page: &AlcPage<'_>) -> Result<ContentPage, ServiceError> {
    let query = &page.request.query;
    let (Some(a), Some(b)) = (query.filled("a"), query.filled("b")) else {
        return Err(ServiceError::Invalid("choose two evals on the list: a and b".to_owned()));
    };
    let pair = page.alc.evals.compare_details(a, b, &page.info.memory);
    let pair = pair.map_err(|error| super::to_page_error(page, error))?;
    let content = html! {
        h1 { "Two evals" }
        (sides(page, &pair))
        h2 { "Pass rates" }
        (rates(&pair))
        h2 { "Difference" }
        (difference(&pair))
        h2 { "Scores" }
        (score_plot(&[
            ("series-0", &format!("a: {}", name(&pair.a)), pair.a.score_counts()),
            ("series-1", &format!("b: {}", name(&pair.b)), pair.b.score_counts()),
        ]))
        h2 { "Cases that changed" }
        (changed(&pair))
        p.soft {
            "Pass rates have Wilson's interval of 95 %, their difference has Newcombe's, and the difference of mean scores has that of \
             Welch's test. The two evals count as independent: where both ran the same cases, the intervals are wider than they \
             have to be."
        }
        p { a href=(page.request.link(&[EVALS], &[])) { "← All evals" } }
    };
    Ok(content_page("Two evals", EVALS, content))
}

fn name(eval: &EvalDetails) -> String {
    match &eval.scenario {
        Some(scenario) => format!("{} on {scenario}", eval.strategy),
        None => eval.strategy.clone(),
    }
}

fn sides(page: &AlcPage<'_>, pair: &EvalPair) -> Markup {
    html! {
        dl.facts {
            @for (side, eval) in [("a", &pair.a), ("b", &pair.b)] {
                dt { (side) }
                dd {
                    a href=(page.request.link(&[EVALS, &eval.eval_id], &[])) { (name(eval)) }
                    " " span.soft { code { (eval.eval_id) } }
                }
            }
        }
    }
}

fn rates(pair: &EvalPair) -> Markup {
    let row = |class, side: &str, eval: &EvalDetails| {
        let Estimate { low, value, high } = eval.count.rate()?;
        let numbers = format!("{} of {}", eval.count.passed, eval.count.total);
        let label = format!("{side}: {} ({numbers}), {} to {}", percent(value), percent(low), percent(high));
        Some(IntervalRow { class, label, low, middle: value, high })
    };
    let rows: Vec<IntervalRow> =
        [row("series-0", "a", &pair.a), row("series-1", "b", &pair.b)].into_iter().flatten().collect();
    let text = PlotText {
        id: "rates",
        title: "Pass rates with their intervals",
        description: "A row for each eval: a point at the pass rate, and a line from the low to the high end of its \
                      interval of 95 %. Each row has its numbers."
            .to_owned(),
    };
    intervals(&text, &rows, [(0.0, "0 %"), (1.0, "100 %")], None, &html! { "Intervals of 95 %." })
}

fn difference(pair: &EvalPair) -> Markup {
    let row = |name: &str, of: Option<Estimate>, written: fn(f64) -> String| {
        let Estimate { low, value, high } = of?;
        let label = format!("{name}: {}, {} to {}", written(value), written(low), written(high));
        Some(IntervalRow { class: "series-5", label, low, middle: value, high })
    };
    let rows: Vec<IntervalRow> = [
        row("pass rate, a − b", pair.rate_difference, signed_percent),
        row("mean score, a − b", pair.mean_difference, |score| format!("{score:+.3}")),
    ]
    .into_iter()
    .flatten()
    .collect();
    let text = PlotText {
        id: "difference",
        title: "Differences with their intervals",
        description:
            "A row for the pass rate and one for the mean score: a point at a minus b, and a line from the low to \
                      the high end of its interval of 95 %. A line through 0 means no difference."
                .to_owned(),
    };
    html! {
        p.verdict { (verdict(pair)) }
        @if !rows.is_empty() {
            (intervals(&text, &rows, [(-1.0, "b is better"), (1.0, "a is better")], Some(0.0), &html! { "Intervals of 95 %." }))
        }
    }
}

/// Says what the interval of the pass rates means.
fn verdict(pair: &EvalPair) -> String {
    match pair.rate_difference {
        None => "One of the evals has no case.".to_owned(),
        Some(Estimate { low, .. }) if low > 0.0 => "More cases pass in a than chance explains.".to_owned(),
        Some(Estimate { high, .. }) if high < 0.0 => "More cases pass in b than chance explains.".to_owned(),
        Some(_) => "Chance explains the difference: the interval contains 0.".to_owned(),
    }
}

fn signed_percent(rate: f64) -> String {
    format!("{:+.1} points", rate * 100.0)
}

fn changed(pair: &EvalPair) -> Markup {
    let only = |in_a: bool| pair.changed.iter().filter(move |(_, is_a)| *is_a == in_a).map(|(name, _)| name);
    html! {
        @if pair.changed.is_empty() {
            p.soft { "None of the cases that both have." }
        } @else {
            div.columns {
                @for (title, in_a) in [("Only a passed", true), ("Only b passed", false)] {
                    div {
                        h3 { (title) " " span.count { (only(in_a).count()) } }
                        ul { @for name in only(in_a).take(MAX_PAGE_CASES) { li { (name) } } }
                    }
                }
            }
        }
    }
}
