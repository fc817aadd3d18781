//! The list of evals, with filters and the pass rates along time, and one eval with its cases.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use maud::{Markup, html};

use super::parts::{duration, moment};
use super::rates::{RateFilters, day, percent, rate_plot, score_plot, select_field, time_field};
use super::{AlcPage, EVALS, content_page};
use crate::evals::{EvalDetails, EvalFigures};
use crate::limits::{MAX_PAGE_CASES, MAX_PAGE_EVALS};
use wardroom_plot::PlotPoint;
use wardroom_service::{ContentPage, ServiceError};

pub(super) fn list(page: &AlcPage<'_>) -> Result<ContentPage, ServiceError> {
    let filters = RateFilters::parse(&page.request.query)?;
    let (all, warnings) = page.alc.evals.list_figures(None, MAX_PAGE_EVALS)?;
    let since = filters.days.and_then(|days| {
        let since = SystemTime::now().checked_sub(Duration::from_secs(days * 24 * 60 * 60))?;
        since.duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs())
    });
    let fits = |eval: &&EvalFigures| {
        filters.package.is_none_or(|wanted| wanted == eval.strategy)
            && filters.scenario.is_none_or(|wanted| Some(wanted) == eval.scenario.as_deref())
            && since.is_none_or(|since| eval.timestamp >= since)
    };
    let found: Vec<&EvalFigures> = all.iter().filter(fits).collect();
    let points = found.iter().filter_map(|eval| {
        let rate = eval.pass_rate?;
        let title = format!("{}: {} on {}", eval.eval_id, percent(rate), day(eval.timestamp as f64));
        Some((eval.strategy.clone(), PlotPoint { x: eval.timestamp as f64, y: rate, title }))
    });
    let content = html! {
        h1 { "Evals" }
        p { "Each row is a run of a strategy on all cases of a scenario. Choose two to see them side by side." }
        form.search role="search" action=(page.request.link(&[EVALS], &[])) {
            div.fields {
                (select_field("pkg", "Strategy", filters.package, all.iter().map(|eval| eval.strategy.as_str())))
                (select_field("scenario", "Scenario", filters.scenario, all.iter().filter_map(|eval| eval.scenario.as_deref())))
                (time_field(filters.days))
                div { button type="submit" { "Show" } }
            }
        }
        @if found.is_empty() {
            p.soft {
                @if all.is_empty() {
                    "There is no eval yet. Make one with " code { "wardroom eval STRATEGY --scenario NAME" } "."
                } @else {
                    "No eval is like that."
                }
            }
        } @else {
            (rate_plot(points))
            (table(page, &found))
        }
        @for warning in &warnings { p.note { (warning) } }
        @if all.len() == MAX_PAGE_EVALS { p.soft { "These are chosen from the newest " (MAX_PAGE_EVALS) " evals." } }
    };
    Ok(content_page("Evals", EVALS, content))
}

fn table(page: &AlcPage<'_>, evals: &[&EvalFigures]) -> Markup {
    let second = usize::from(evals.len() > 1);
    html! {
        form action=(page.request.link(&[EVALS, "compare"], &[])) {
            table.records {
                caption.unseen { "Evals, the newest first" }
                thead {
                    tr {
                        th scope="col" { "Time" } th scope="col" { "Strategy" } th scope="col" { "Scenario" }
                        th.number scope="col" { "Passed" } th.number scope="col" { "Mean score" }
                        th.number scope="col" { "Questions" } th.number scope="col" { "Took" }
                        th scope="col" { "Compare" }
                    }
                }
                tbody {
                    @for (at, eval) in evals.iter().enumerate() {
                        tr {
                            th scope="row" {
                                a href=(page.request.link(&[EVALS, &eval.eval_id], &[])) data-item { (moment(eval.timestamp.saturating_mul(1000))) }
                            }
                            td data-label="Strategy" { (eval.strategy) }
                            td data-label="Scenario" { (eval.scenario.as_deref().unwrap_or("–")) }
                            td.number data-label="Passed" {
                                @if let Some(rate) = eval.pass_rate { (percent(rate)) }
                                @if let (Some(passed), Some(total)) = (eval.passed, eval.total) {
                                    " " span.soft { (passed) " of " (total) }
                                }
                            }
                            td.number data-label="Mean score" { @if let Some(mean) = eval.mean_score { (format!("{mean:.3}")) } }
                            td.number data-label="Questions" { @if let Some(calls) = eval.llm_calls { (calls) } }
                            td.number data-label="Took" { @if let Some(took) = eval.elapsed_ms { (duration(took)) } }
                            td data-label="Compare" {
                                @for (name, chosen) in [("a", second), ("b", 0)] {
                                    label.choice {
                                        input type="radio" name=(name) value=(eval.eval_id) checked[at == chosen]; (name)
                                        span.unseen { " is the eval " (eval.eval_id) }
                                    } " "
                                }
                            }
                        }
                    }
                }
            }
            @if evals.len() > 1 { div.actions { button type="submit" { "Compare a with b" } } }
        }
    }
}

pub(super) fn show(page: &AlcPage<'_>, id: &str) -> Result<ContentPage, ServiceError> {
    let eval = page.alc.evals.read_details(id, &page.info.memory).map_err(|error| super::to_page_error(page, error))?;
    let rate = eval.count.rate();
    let content = html! {
        h1 { (eval.strategy) @if let Some(scenario) = &eval.scenario { " on " (scenario) } }
        p.soft { code { (eval.eval_id) } }
        dl.facts {
            dt { "Passed" }
            dd {
                (eval.count.passed) " of " (eval.count.total)
                @if let Some(rate) = rate {
                    ", which is " (percent(rate.value)) " (95 %: " (percent(rate.low)) " to " (percent(rate.high)) ")"
                }
            }
            dt { "Mean score" } dd { (format!("{:.3}", eval.scores.mean)) ", deviation " (format!("{:.3}", eval.scores.std_dev)) }
        }
        h2 { "Scores" }
        (score_plot(&[("series-0", eval.strategy.as_str(), eval.score_counts())]))
        h2 { "Cases" }
        (cases(&eval))
        p { a href=(page.request.link(&[EVALS], &[])) { "← All evals" } }
    };
    Ok(content_page(eval.strategy, EVALS, content))
}

fn cases(eval: &EvalDetails) -> Markup {
    html! {
        table.records {
            caption.unseen { "Cases with their scores and answers" }
            thead {
                tr {
                    th scope="col" { "Case" } th scope="col" { "Outcome" }
                    th.number scope="col" { "Score" } th scope="col" { "Answer" }
                }
            }
            tbody {
                @for case in eval.cases.iter().take(MAX_PAGE_CASES) {
                    tr {
                        th scope="row" { (case.name) }
                        td data-label="Outcome" { (outcome(case.is_passed)) }
                        td.number data-label="Score" { (format!("{:.2}", case.score)) }
                        td data-label="Answer" {
                            (case.answer)
                            @if let Some(error) = &case.error { p.note.error { (error) } }
                        }
                    }
                }
            }
        }
        @if eval.cases.len() > MAX_PAGE_CASES { p.soft { "And " (eval.cases.len() - MAX_PAGE_CASES) " more." } }
    }
}

pub(super) fn outcome(is_passed: bool) -> Markup {
    html! {
        @if is_passed { span.status.done { "passed" } } @else { span.status.failed { "failed" } }
    }
}
