//! `wardroom cards plot`: pass rates along time, at a terminal as bars and elsewhere as lines.
//!
//! Never: draws where a program reads.

use std::collections::BTreeMap;

use serde_json::json;

use super::hints::{RequestSubject, to_command_error};
use super::records_args::{CardFilterArgs, CardsAction};
use crate::assemble;
use crate::assemble::settings::Settings;
use crate::limits::MAX_PLOTTED_CARDS;
use crate::report::{self, CommandError};
use wardroom_alc::{CardFigures, CardFilter};
use wardroom_plot::terminal;

/// Columns of a name, and those that the numbers beside the bars take.
const NAME_COLUMNS: usize = 20;
const NUMBER_COLUMNS: usize = 38;
/// The most bars of a row. More of them are no easier to read.
const MAX_BARS: usize = 60;
/// Characters of the day in a time.
const DAY_CHARS: usize = 10;

pub(super) fn run(settings: &Settings, action: &CardsAction) -> Result<(), CommandError> {
    match action {
        CardsAction::Plot { filter, json } => plot(settings, filter, *json),
    }
}

fn plot(settings: &Settings, args: &CardFilterArgs, as_json: bool) -> Result<(), CommandError> {
    let CardFilterArgs { pkg, scenario, model, days } = args;
    let filter = CardFilter {
        package: pkg.clone(),
        scenario: scenario.clone(),
        model: model.clone(),
        days: days.map(u64::from),
    };
    let alc = assemble::standalone_alc(settings)?;
    let list = || alc.cards().list_figures(&filter, MAX_PLOTTED_CARDS, &|| false);
    let found = report::name_if_slow("reading the cards", list);
    let (cards, total) = found.map_err(|error| to_command_error(error, settings, RequestSubject::Package))?;
    if as_json {
        return report::print_line(&json!({"cards": cards, "total": total}).to_string());
    }
    if cards.is_empty() {
        report::print_note("no card is like that");
    }
    match report::drawing_columns() {
        Some(width) => draw(&cards, width)?,
        None => cards.iter().try_for_each(print_card)?,
    }
    if total > cards.len() {
        report::print_note(&format!("these are the newest {} of {total} cards", cards.len()));
    }
    Ok(())
}

fn print_card(card: &CardFigures) -> Result<(), CommandError> {
    let text = |text: &Option<String>| report::escape_name(text.as_deref().unwrap_or("-"));
    let rate = card.pass_rate.map_or_else(|| "-".to_owned(), |rate| format!("{rate:.3}"));
    let (created, scenario, model) = (text(&card.created_at), text(&card.scenario), text(&card.model));
    let (name, id) = (report::escape_name(&card.pkg), report::escape_name(&card.card_id));
    report::print_line(&format!("{created}  {name}  {scenario}  {model}  {rate}  {id}"))
}

/// Draws a row for each package: a bar for each part of the time, as high as the mean of the rates in it.
fn draw(cards: &[CardFigures], width: usize) -> Result<(), CommandError> {
    let mut by_package: BTreeMap<&str, Vec<(f64, f64)>> = BTreeMap::new();
    let mut days: Vec<(i64, &str)> = Vec::new();
    for card in cards {
        if let (Some(seconds), Some(created), Some(rate)) =
            (card.created_seconds(), card.created_at.as_deref(), card.pass_rate)
        {
            days.push((seconds, created.get(..DAY_CHARS).unwrap_or(created)));
            by_package.entry(&card.pkg).or_default().push((seconds as f64, rate));
        }
    }
    let (Some((first, first_day)), Some((last, last_day))) = (days.iter().min(), days.iter().max()) else {
        report::print_note("no card has a time and a pass rate");
        return Ok(());
    };
    report::print_line(&format!("pass rates from {first_day} to {last_day}, a full bar is 100 %"))?;
    let ends = (*first as f64, *last as f64);
    let n_bars = width.saturating_sub(NAME_COLUMNS + NUMBER_COLUMNS).clamp(1, MAX_BARS);
    for (name, mut rates) in by_package {
        rates.sort_by(|a, b| a.0.total_cmp(&b.0));
        let bars = terminal::shares(&terminal::mean_shares(&rates, ends, n_bars));
        let mean = rates.iter().map(|(_, rate)| rate).sum::<f64>() / rates.len() as f64;
        let newest = rates.last().map_or(0.0, |(_, rate)| *rate);
        let name = report::shorten(&report::escape_name(name), NAME_COLUMNS - 2);
        let n_cards = if rates.len() == 1 { "1 card".to_owned() } else { format!("{} cards", rates.len()) };
        let numbers = format!("newest {:.0} %, mean {:.0} %, {n_cards}", newest * 100.0, mean * 100.0);
        report::print_line(&format!("{name:<18}  {bars}  {numbers}"))?;
    }
    Ok(())
}
