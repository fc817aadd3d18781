//! The card operations of scripts (`alc.card.*`).
//!
//! Owns: the operations by name, their arguments, which results are nil to a script, and how a replay finds the answer of a
//! change that a process made before it died.
//! Never: reads a clock: the caller passes the time, so that a replayed run gets the same answers.

use std::time::SystemTime;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::aliases::AliasAssignment;
use super::args::{
    AliasListArgs, AliasSetArgs, CardAppendArgs, CardFindArgs, CardGetArgs, CardGetByAliasArgs, CardListArgs,
    CardSamplesArgs, LineageArgs, SinkBackfillArgs, parse_order_by, parse_where, validate_package_filter,
};
use super::find::CardQuery;
use super::lineage::LineageQuery;
use super::samples::SampleQuery;
use super::{CancelCheck, CardStore, parse_card_id, parse_package_name};
use crate::error_code as code;
use crate::limits::{MAX_CARD_BYTES, MAX_SCRIPT_CARD_ROWS, MAX_SCRIPT_SAMPLES_BYTES};
use wardroom_base::byte_size::ByteSize;
use wardroom_service::{ServiceError, escape_and_truncate};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WriteSamplesArgs {
    card_id: String,
    #[serde(default)]
    rows: Value,
}

/// An operation of `alc.card`, such as `card.get`.
pub struct CardOperation<'a> {
    pub name: &'a str,
    pub arguments: &'a Value,
    /// When the run planned it. What only reads does not look at it.
    pub planned_at: SystemTime,
    /// What the id of a new card depends on, beside its contents.
    pub salt: &'a str,
    /// Whether an earlier process may have made the change.
    pub is_replay: bool,
}

impl<'a> CardOperation<'a> {
    /// Describes an operation that is performed for the first time.
    #[must_use]
    pub fn new(name: &'a str, arguments: &'a Value, planned_at: SystemTime) -> Self {
        Self { name, arguments, planned_at, salt: "", is_replay: false }
    }
}

/// Performs an operation, and aborts once `stop` returns true. A change that an earlier process made gets the answer that it had.
///
/// # Errors
/// As the operations of [`CardStore`], and `INVALID` for other arguments.
pub fn perform_card_operation(
    cards: &CardStore,
    operation: &CardOperation<'_>,
    stop: CancelCheck,
) -> Result<Value, ServiceError> {
    if operation.is_replay && operation.name == "card.alias_set" {
        // A later alias of that name was set after the change, whether or not the change was made.
        if let Some(alias) = find_alias_answer(cards, operation)? {
            return Ok(alias);
        }
    }
    let done = perform(cards, operation, stop);
    let recovered = if operation.is_replay && done.is_err() { recover_answer(cards, operation, stop) } else { None };
    recovered.map_or(done, Ok)
}

/// Returns what the operation answered when it was planned, if the alias was set then or later.
fn find_alias_answer(cards: &CardStore, operation: &CardOperation<'_>) -> Result<Option<Value>, ServiceError> {
    let AliasSetArgs { name, card_id, pkg, note } =
        parse_script_arguments(operation.name, operation.arguments.clone())?;
    let package = pkg.as_deref().map(parse_package_name).transpose()?;
    let card = parse_card_id(&card_id)?;
    let setting = AliasAssignment { name: &name, card: &card, package: package.as_ref(), note: note.as_deref() };
    cards.find_set_alias_result(&setting, operation.planned_at)
}

/// Reconstructs the answer of a change that an earlier process made, from the card's contents.
fn recover_answer(cards: &CardStore, operation: &CardOperation<'_>, stop: CancelCheck) -> Option<Value> {
    let arguments = operation.arguments;
    let id = parse_card_id(arguments.get("card_id")?.as_str()?).ok()?;
    match operation.name {
        "card.append" => {
            let card = cards.load_card(&id, stop).ok()??;
            let mut fields = arguments.get("fields")?.as_object()?.iter();
            fields.all(|(key, value)| value.is_null() || card.get(key) == Some(value)).then_some(card)
        }
        "card.write_samples" => cards.find_written_samples(&id, arguments.get("rows")?.as_array()?, stop),
        _ => None,
    }
}

fn perform(cards: &CardStore, operation: &CardOperation<'_>, stop: CancelCheck) -> Result<Value, ServiceError> {
    let CardOperation { name: operation, arguments, planned_at, salt, is_replay } = *operation;
    if operation == "card.create" {
        let card = arguments.get("card").unwrap_or(&Value::Null);
        // A card that equals the planned card is the planned card.
        let create = if is_replay { CardStore::recreate_card } else { CardStore::create_card };
        return create(cards, card, planned_at, salt).map(|card| card.to_output());
    }
    let arguments = arguments.clone();
    match operation {
        "card.get" => {
            let CardGetArgs { card_id } = parse_script_arguments(operation, arguments)?;
            cards.load_card(&parse_card_id(&card_id)?, stop).map(Option::unwrap_or_default)
        }
        "card.list" => {
            let all: CardListArgs = parse_script_arguments(operation, arguments)?;
            find_cards_for_script(cards, all.into(), stop)
        }
        "card.find" => find_cards_for_script(cards, parse_script_arguments(operation, arguments)?, stop),
        "card.append" => {
            let CardAppendArgs { card_id, fields } = parse_script_arguments(operation, arguments)?;
            cards.append_card(&parse_card_id(&card_id)?, &fields, MAX_CARD_BYTES)
        }
        "card.get_by_alias" => {
            let CardGetByAliasArgs { name } = parse_script_arguments(operation, arguments)?;
            cards.load_card_by_alias(&name, stop).map(Option::unwrap_or_default)
        }
        "card.alias_set" => {
            let AliasSetArgs { name, card_id, pkg, note } = parse_script_arguments(operation, arguments)?;
            let package = pkg.as_deref().map(parse_package_name).transpose()?;
            let card = parse_card_id(&card_id)?;
            let setting =
                AliasAssignment { name: &name, card: &card, package: package.as_ref(), note: note.as_deref() };
            cards.set_alias(&setting, planned_at, stop)
        }
        "card.alias_list" => {
            let AliasListArgs { pkg } = parse_script_arguments(operation, arguments)?;
            cards.list_aliases(validate_package_filter(pkg.as_deref())?).map(Value::Array)
        }
        "card.write_samples" => {
            let WriteSamplesArgs { card_id, rows } = parse_script_arguments(operation, arguments)?;
            cards.write_samples(&parse_card_id(&card_id)?, &rows, stop)
        }
        "card.read_samples" => read_samples_for_script(cards, parse_script_arguments(operation, arguments)?, stop),
        "card.lineage" => {
            let LineageArgs { card_id, direction, depth, include_stats, relation_filter } =
                parse_script_arguments(operation, arguments)?;
            let query = LineageQuery {
                card: &parse_card_id(&card_id)?,
                direction: direction.as_deref(),
                depth,
                include_stats,
                relations: relation_filter.as_deref(),
            };
            match cards.trace_lineage(&query, stop) {
                Err(ServiceError::Tool { code: code::CARD_NOT_FOUND, .. }) => Ok(Value::Null),
                lineage => lineage,
            }
        }
        "card.sink_backfill" => {
            let SinkBackfillArgs { sink, dry_run } = parse_script_arguments(operation, arguments)?;
            cards.backfill_sink(&sink, dry_run.unwrap_or(false), stop)
        }
        other => Err(ServiceError::tool(
            code::UNKNOWN_OPERATION,
            format!("unknown operation: {}", escape_and_truncate(other)),
        )),
    }
}

/// Returns all matching rows unless a limit is given: a script would take a part for the whole.
fn find_cards_for_script(
    cards: &CardStore,
    CardFindArgs { pkg, condition, order_by, limit, offset }: CardFindArgs,
    stop: CancelCheck,
) -> Result<Value, ServiceError> {
    let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let limit = limit.map(number);
    let most = limit.map_or(MAX_SCRIPT_CARD_ROWS, |limit| limit.min(MAX_SCRIPT_CARD_ROWS));
    let offset = offset.map_or(0, number);
    validate_package_filter(pkg.as_deref())?;
    let (condition, order_by) = (parse_where(condition)?, parse_order_by(order_by)?);
    let query = CardQuery { package: pkg, condition, order_by, offset, limit: most };
    let found = cards.find_cards(&query, stop)?;
    if limit.is_none_or(|limit| limit > most) && found.total.saturating_sub(offset) > most {
        let message =
            format!("there are {} cards, and one answer holds {most}: set a limit and an offset", found.total);
        return Err(ServiceError::tool(code::TOO_MANY_CARDS, message));
    }
    Ok(Value::Array(found.rows))
}

fn read_samples_for_script(
    cards: &CardStore,
    arguments: CardSamplesArgs,
    stop: CancelCheck,
) -> Result<Value, ServiceError> {
    let CardSamplesArgs { card_id, offset, limit, condition } = arguments;
    let rows = SampleQuery {
        condition: &parse_where(condition)?,
        offset: offset.unwrap_or(0),
        limit: limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX)),
        max_bytes: MAX_SCRIPT_SAMPLES_BYTES,
    };
    let page = cards.read_samples(&parse_card_id(&card_id)?, &rows, stop)?;
    if page.next_offset.is_some() && page.rows.len() < rows.limit {
        let message = format!(
            "the samples of card '{card_id}' are larger than {}: read them in pages, with offset and limit",
            ByteSize(MAX_SCRIPT_SAMPLES_BYTES as u64)
        );
        return Err(ServiceError::tool(code::TOO_MANY_SAMPLES, message));
    }
    Ok(Value::Array(page.rows))
}

fn parse_script_arguments<T: DeserializeOwned>(operation: &str, arguments: Value) -> Result<T, ServiceError> {
    serde_json::from_value(arguments).map_err(|error| {
        ServiceError::tool(
            code::INVALID_ARGUMENTS,
            format!("alc.{operation}: {}", escape_and_truncate(&error.to_string())),
        )
    })
}
