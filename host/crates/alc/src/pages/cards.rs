//! The list of cards, with filters and the pass rates along time, and one card with its rows.

use maud::{Markup, html};
use serde_json::Value;

use super::evals::outcome;
use super::rates::{RateFilters, day, percent, rate_plot, score_plot, select_field, time_field};
use super::{AlcPage, CARDS, content_page};
use crate::cards::{CardFigures, CardFilter};
use crate::evals::score_counts;
use crate::limits::{MAX_PAGE_CARDS, MAX_PAGE_CASES, MAX_PAGE_TEXT_BYTES};
use wardroom_base::truncate::truncate_text;
use wardroom_plot::PlotPoint;
use wardroom_service::{ContentPage, ServiceError};

pub(super) fn list(page: &AlcPage<'_>) -> Result<ContentPage, ServiceError> {
    let filters = RateFilters::parse(&page.request.query)?;
    let stop = || page.info.cancellation.is_cancelled();
    let owned = |text: Option<&str>| text.map(str::to_owned);
    let filter = CardFilter {
        package: owned(filters.package),
        scenario: owned(filters.scenario),
        model: owned(filters.model),
        days: filters.days,
    };
    // The choices are the names of the newest cards, whatever is chosen.
    let (newest, n_all) = page.alc.cards.list_figures(&CardFilter::default(), MAX_PAGE_CARDS, &stop)?;
    let (found, total) = page.alc.cards.list_figures(&filter, MAX_PAGE_CARDS, &stop)?;
    let content = html! {
        h1 { "Cards" }
        p { "A card records what a strategy achieved. Strategies and evals write them." }
        form.search role="search" action=(page.request.link(&[CARDS], &[])) {
            div.fields {
                (select_field("pkg", "Package", filters.package, newest.iter().map(|card| card.pkg.as_str())))
                (select_field("scenario", "Scenario", filters.scenario, newest.iter().filter_map(|card| card.scenario.as_deref())))
                (select_field("model", "Model", filters.model, newest.iter().filter_map(|card| card.model.as_deref())))
                (time_field(filters.days))
                div { button type="submit" { "Show" } }
            }
        }
        @if found.is_empty() {
            p.soft {
                @if n_all == 0 {
                    "There is no card yet. " code { "wardroom eval STRATEGY --scenario NAME" } " writes one."
                } @else {
                    "No card is like that."
                }
            }
        } @else {
            (rate_plot(found.iter().filter_map(point)))
            (table(page, &found))
        }
        @if total > found.len() { p.soft { "These are the newest " (found.len()) " of " (total) " cards." } }
    };
    Ok(content_page("Cards", CARDS, content))
}

fn point(card: &CardFigures) -> Option<(String, PlotPoint)> {
    let (rate, seconds) = (card.pass_rate?, card.created_seconds()? as f64);
    let title = format!("{}: {} on {}", card.card_id, percent(rate), day(seconds));
    Some((card.pkg.clone(), PlotPoint { x: seconds, y: rate, title }))
}

fn table(page: &AlcPage<'_>, cards: &[CardFigures]) -> Markup {
    html! {
        table.records {
            caption.unseen { "Cards, the newest first" }
            thead {
                tr {
                    th scope="col" { "Card" } th scope="col" { "Time" } th scope="col" { "Package" }
                    th scope="col" { "Scenario" } th scope="col" { "Model" } th.number scope="col" { "Pass rate" }
                }
            }
            tbody {
                @for card in cards {
                    tr {
                        th scope="row" { a href=(page.request.link(&[CARDS, &card.card_id], &[])) data-item { (card.card_id) } }
                        td data-label="Time" { (card.created_at.as_deref().unwrap_or("–")) }
                        td data-label="Package" { (card.pkg) }
                        td data-label="Scenario" { (card.scenario.as_deref().unwrap_or("–")) }
                        td data-label="Model" { (card.model.as_deref().unwrap_or("–")) }
                        td.number data-label="Pass rate" { (card.pass_rate.map_or_else(|| "–".to_owned(), percent)) }
                    }
                }
            }
        }
    }
}

pub(super) fn show(page: &AlcPage<'_>, id: &str) -> Result<ContentPage, ServiceError> {
    let stop = || page.info.cancellation.is_cancelled();
    let card = page.alc.cards.read_whole_card(id, &stop).map_err(|error| super::to_page_error(page, error))?;
    let (rows, total) = page.alc.cards.read_first_samples(id, MAX_PAGE_CASES, &stop)?;
    let scores: Vec<f64> = rows.iter().filter_map(|row| row.get("score")?.as_f64()).collect();
    let text = |pointer: &str| card.pointer(pointer).and_then(Value::as_str);
    let facts =
        [("Package", "/pkg/name"), ("Scenario", "/scenario/name"), ("Model", "/model/id"), ("Created", "/created_at")];
    let content = html! {
        h1 { (id) }
        dl.facts {
            @for (name, pointer) in facts {
                @if let Some(value) = text(pointer) { dt { (name) } dd { (value) } }
            }
            @if let Some(rate) = card.pointer("/stats/pass_rate").and_then(Value::as_f64) { dt { "Pass rate" } dd { (percent(rate)) } }
        }
        @if !scores.is_empty() {
            h2 { "Scores" }
            (score_plot(&[("series-0", "rows of the card", score_counts(scores.iter().copied()))]))
            @if total > rows.len() { p.soft { "Of the first " (rows.len()) " of " (total) " rows." } }
        }
        h2 { "All fields" }
        pre { code { (truncate_text(&format!("{card:#}"), 4 * MAX_PAGE_TEXT_BYTES)) } }
        @if !rows.is_empty() {
            h2 { "Rows" }
            (samples(&rows))
            @if total > rows.len() { p.soft { "And " (total - rows.len()) " more." } }
        }
        p { a href=(page.request.link(&[CARDS], &[])) { "← All cards" } }
    };
    Ok(content_page(id, CARDS, content))
}

fn samples(rows: &[Value]) -> Markup {
    html! {
        ol.items {
            @for row in rows {
                @let text = |pointer: &str| row.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
                li {
                    ul.meta {
                        @if let Some(is_passed) = row.get("passed").and_then(Value::as_bool) { li { (outcome(is_passed)) } }
                        @if let Some(score) = row.get("score").and_then(Value::as_f64) { li { "score " (format!("{score:.2}")) } }
                    }
                    @match text("/case/name").or_else(|| text("/case/input")) {
                        Some(name) => {
                            p { (truncate_text(name, MAX_PAGE_TEXT_BYTES)) }
                            @if let Some(answer) = text("/response/text") { p.soft { (truncate_text(answer, MAX_PAGE_TEXT_BYTES)) } }
                        },
                        None => pre { code { (truncate_text(&row.to_string(), MAX_PAGE_TEXT_BYTES)) } },
                    }
                }
            }
        }
    }
}
