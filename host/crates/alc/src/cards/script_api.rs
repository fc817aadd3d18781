//! The card operations of scripts (`alc.card.*`).
//!
//! Owns: the operations by name, their arguments, and which results are nil to a script.
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
use super::query::{OrderBy, Predicate};
use super::samples::SampleQuery;
use super::{CancelCheck, CardStore, parse_card_id, parse_package_name};
use crate::error_code as code;
use crate::limits::{MAX_CARD_BYTES, MAX_SCRIPT_CARD_ROWS, MAX_SCRIPT_SAMPLES_BYTES};
use wardroom_base::byte_size::ByteSize;
use wardroom_service::{ServiceError, escape_and_truncate};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CardCreateArgs {
    #[serde(default)]
    card: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WriteSamplesArgs {
    card_id: String,
    #[serde(default)]
    rows: Value,
}

/// Returns what `card.alias_set` with these arguments answered at the time `then`, if the alias was set then or
/// later.
///
/// # Errors
/// When the table of aliases cannot be read, or the arguments are invalid.
pub(crate) fn find_script_alias_result(
    cards: &CardStore,
    arguments: Value,
    then: SystemTime,
) -> Result<Option<Value>, ServiceError> {
    let AliasSetArgs { name, card_id, pkg, note } = parse_script_arguments("card.alias_set", arguments)?;
    let package = pkg.as_deref().map(parse_package_name).transpose()?;
    let card = parse_card_id(&card_id)?;
    let setting = AliasAssignment { name: &name, card: &card, package: package.as_ref(), note: note.as_deref() };
    cards.find_set_alias_result(&setting, then)
}

/// Performs an operation of `alc.card`, such as `card.get`, and aborts once `stop` returns true.
///
/// # Errors
/// As the operations of [`CardStore`], and `INVALID` for other arguments.
pub fn perform_card_operation(
    cards: &CardStore,
    operation: &str,
    arguments: Value,
    now: SystemTime,
    stop: CancelCheck,
) -> Result<Value, ServiceError> {
    match operation {
        // A run creates cards with a salt (`OperationExecutor`).
        "card.create" => {
            let CardCreateArgs { card } = parse_script_arguments(operation, arguments)?;
            cards.create_card(&card, now, "").map(|prepared| prepared.to_output())
        }
        "card.get" => {
            let CardGetArgs { card_id } = parse_script_arguments(operation, arguments)?;
            cards.load_card(&parse_card_id(&card_id)?, stop).map(Option::unwrap_or_default)
        }
        "card.list" => {
            let CardListArgs { pkg, offset, limit } = parse_script_arguments(operation, arguments)?;
            let (all, any) = (Predicate::All(Vec::new()), OrderBy(Vec::new()));
            find_cards_for_script(cards, pkg.as_deref(), all, any, (offset, limit), stop)
        }
        "card.find" => {
            let CardFindArgs { pkg, condition, order_by, limit, offset } =
                parse_script_arguments(operation, arguments)?;
            find_cards_for_script(
                cards,
                pkg.as_deref(),
                parse_where(condition)?,
                parse_order_by(order_by)?,
                (offset, limit),
                stop,
            )
        }
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
            cards.set_alias(&setting, now, stop)
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
    package: Option<&str>,
    condition: Predicate,
    order_by: OrderBy,
    (offset, limit): (Option<u64>, Option<u64>),
    stop: CancelCheck,
) -> Result<Value, ServiceError> {
    let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let limit = limit.map(number);
    let most = limit.map_or(MAX_SCRIPT_CARD_ROWS, |limit| limit.min(MAX_SCRIPT_CARD_ROWS));
    let offset = offset.map_or(0, number);
    let package = validate_package_filter(package)?.map(str::to_owned);
    let query = CardQuery { package, condition, order_by, offset, limit: most };
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
