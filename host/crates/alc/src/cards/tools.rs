//! The tools for cards.
//!
//! Owns: the work of each tool; the arguments are in `args.rs`, the answers in `outputs.rs`. A list of the original is a field of an object here.

use std::sync::Arc;
use std::time::SystemTime;

use serde_json::Value;

use super::aliases::AliasAssignment;
use super::args::{
    AliasListArgs, AliasSetArgs, CardAppendArgs, CardFindArgs, CardGetArgs, CardGetByAliasArgs, CardInstallArgs,
    CardListArgs, CardSamplesArgs, LineageArgs, SinkBackfillArgs, decode_card_fields, parse_order_by, parse_where,
    validate_package_filter,
};
use super::find::{CardPage, CardQuery, IndexSearch};
use super::import::install_cards;
use super::lineage::LineageQuery;
use super::outputs::{
    AliasListOutput, AliasOutput, CardInstallOutput, CardListOutput, CardOutput, CardRow, CardSamplesOutput,
    LineageOutput, SinkBackfillOutput,
};
use super::samples::SampleQuery;
use super::{CARD_SIZE_LIMITS, card_not_found, parse_card_id, parse_card_json, parse_package_name};
use crate::cards::CardStore;
use crate::error_code as code;
use crate::limits::{DEFAULT_CARD_ROWS, DEFAULT_SAMPLE_ROWS, MAX_CARD_ROWS, MAX_SAMPLE_ROWS};
use crate::tool::{AlcTool, ToolCall, continue_large};
use wardroom_base::payload::Payload;
use wardroom_base::uri::CardId;
use wardroom_service::limits::MAX_PAGE_BYTES;
use wardroom_service::schema::{input_schema, output_schema, parse_arguments, serialize_output};
use wardroom_service::{Cost, RequestInfo, ServiceError, Step, ToolBehavior, ToolOutput, Work, escape_and_truncate};

pub(crate) const TOOLS: &[AlcTool] = &[
    AlcTool {
        name: "alc_card_list",
        title: "List cards",
        description: "Lists all stored cards (records of results), newest first, a short summary row each: id, \
                      package, time, model, scenario, pass rate.",
        behavior: ToolBehavior::READ_ONLY,
        is_on_demand: true,
        input: input_schema::<CardListArgs>,
        output: output_schema::<CardListOutput>,
        call: ToolCall::Steps(|alc, arguments, info| handle_card_list(&alc.cards, arguments, info)),
    },
    AlcTool {
        name: "alc_card_get",
        title: "Get a card",
        description: "Reads one card (stored result record) in full, by its id such as cot_2024_a1b2: all of its \
                      fields, parameters and scores.",
        behavior: ToolBehavior::READ_ONLY,
        is_on_demand: true,
        input: input_schema::<CardGetArgs>,
        output: output_schema::<CardOutput>,
        call: ToolCall::Steps(|alc, arguments, info| handle_card_get(&alc.cards, arguments, info)),
    },
    AlcTool {
        name: "alc_card_find",
        title: "Find cards",
        description: "Queries stored cards (recorded results): those of a strategy, model or scenario, those with a \
                      pass rate above 0.8, or another condition on scores; sorts, and returns the top ones.",
        behavior: ToolBehavior::READ_ONLY,
        is_on_demand: false,
        input: input_schema::<CardFindArgs>,
        output: output_schema::<CardListOutput>,
        call: ToolCall::Steps(|alc, arguments, info| handle_card_find(&alc.cards, arguments, info)),
    },
    AlcTool {
        name: "alc_card_get_by_alias",
        title: "Get a card by its alias",
        description: "Looks up and returns the card (result record) that an alias, label or nickname such as \
                      `production`, `best` or `baseline` points to.",
        behavior: ToolBehavior::READ_ONLY,
        is_on_demand: true,
        input: input_schema::<CardGetByAliasArgs>,
        output: output_schema::<CardOutput>,
        call: ToolCall::Steps(|alc, arguments, info| handle_card_get_by_alias(&alc.cards, arguments, info)),
    },
    AlcTool {
        name: "alc_card_alias_list",
        title: "List aliases of cards",
        description: "Shows the aliases: what nicknames or pinned names have been given to cards (result records) so \
                      far, and which card each refers to.",
        behavior: ToolBehavior::READ_ONLY,
        is_on_demand: true,
        input: input_schema::<AliasListArgs>,
        output: output_schema::<AliasListOutput>,
        call: ToolCall::Worker(|alc, arguments, _| handle_alias_list(&alc.cards, arguments)),
    },
    AlcTool {
        name: "alc_card_alias_set",
        title: "Set an alias of a card",
        description: "Pins or repoints an alias (name, nickname) such as `production` or `champion`, which should \
                      refer to this card (result record) from now on.",
        behavior: ToolBehavior::IDEMPOTENT,
        is_on_demand: true,
        input: input_schema::<AliasSetArgs>,
        output: output_schema::<AliasOutput>,
        call: ToolCall::Worker(|alc, arguments, info| handle_alias_set(&alc.cards, arguments, info)),
    },
    AlcTool {
        name: "alc_card_append",
        title: "Add to a card",
        description: "Adds new fields (keys), such as cost figures or a verdict, to an existing card (result \
                      record): attach or append a field. What is recorded already is left alone.",
        behavior: ToolBehavior::ADDITIVE,
        is_on_demand: true,
        input: input_schema::<CardAppendArgs>,
        output: output_schema::<CardOutput>,
        call: ToolCall::Steps(|alc, arguments, info| handle_card_append(&alc.cards, arguments, info)),
    },
    AlcTool {
        name: "alc_card_samples",
        title: "Read the samples of a card",
        description: "Reads the individual samples behind a card (result record), page by page: the raw per-case \
                      rows that are stored along with it, or those that match a condition, such as failed ones.",
        behavior: ToolBehavior::READ_ONLY,
        is_on_demand: true,
        input: input_schema::<CardSamplesArgs>,
        output: output_schema::<CardSamplesOutput>,
        call: ToolCall::Steps(|alc, arguments, info| handle_card_samples(&alc.cards, arguments, info)),
    },
    AlcTool {
        name: "alc_card_lineage",
        title: "Show the lineage of a card",
        description: "Traces the tree (family, ancestry) of a card (result record): which parents and ancestors it \
                      came from, and which children descend from or were derived from it.",
        behavior: ToolBehavior::READ_ONLY,
        is_on_demand: true,
        input: input_schema::<LineageArgs>,
        output: output_schema::<LineageOutput>,
        call: ToolCall::Worker(|alc, arguments, info| handle_card_lineage(&alc.cards, arguments, info)),
    },
    AlcTool {
        name: "alc_card_sink_backfill",
        title: "Fill a mirror of cards",
        description: "Copies cards to a mirror or backup folder (ALC_CARD_SINKS) that lacks those written before the \
                      folder was set up.",
        behavior: ToolBehavior::IDEMPOTENT,
        is_on_demand: true,
        input: input_schema::<SinkBackfillArgs>,
        output: output_schema::<SinkBackfillOutput>,
        call: ToolCall::Worker(|alc, arguments, info| handle_sink_backfill(&alc.cards, arguments, info)),
    },
    AlcTool {
        name: "alc_card_install",
        title: "Install a collection of cards",
        description: "Imports a shared collection of cards (recorded results) into the store, from a folder, URL or \
                      allowed git repository; existing ones stay.",
        behavior: ToolBehavior { is_open_world: true, ..ToolBehavior::ADDITIVE },
        is_on_demand: true,
        input: input_schema::<CardInstallArgs>,
        output: output_schema::<CardInstallOutput>,
        call: ToolCall::Worker(|alc, arguments, info| {
            let CardInstallArgs { url } = parse_arguments(arguments)?;
            install_cards(&alc.cards, &alc.packages, &alc.git, &url, info).map(to_tool_answer)
        }),
    },
];

fn to_tool_answer(value: Value) -> ToolOutput {
    ToolOutput::from(Payload::from_value(value))
}

/// Returns the offset and limit of a page; a limit above `most` is an error.
fn validate_page(
    offset: Option<u64>,
    limit: Option<u64>,
    default: usize,
    most: usize,
) -> Result<(usize, usize), ServiceError> {
    let limit = limit.map_or(default, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    if limit > most {
        return Err(ServiceError::tool(
            code::LIMIT_TOO_LARGE,
            format!("limit exceeds {most}: ask for pages with offset"),
        ));
    }
    Ok((offset.map_or(0, |offset| usize::try_from(offset).unwrap_or(usize::MAX)), limit))
}

/// Whether a list of so many rows takes a large-response permit.
fn is_large_list(limit: usize) -> bool {
    limit > 10 * DEFAULT_CARD_ROWS
}

fn handle_card_list(
    cards: &Arc<CardStore>,
    arguments: Payload,
    info: &RequestInfo,
) -> Result<Step<ToolOutput>, ServiceError> {
    answer_card_query(cards, parse_arguments::<CardListArgs>(arguments)?.into(), info)
}

fn handle_card_find(
    cards: &Arc<CardStore>,
    arguments: Payload,
    info: &RequestInfo,
) -> Result<Step<ToolOutput>, ServiceError> {
    answer_card_query(cards, parse_arguments(arguments)?, info)
}

fn answer_card_query(
    cards: &Arc<CardStore>,
    CardFindArgs { pkg, condition, order_by, limit, offset }: CardFindArgs,
    info: &RequestInfo,
) -> Result<Step<ToolOutput>, ServiceError> {
    let (condition, order_by) = (parse_where(condition)?, parse_order_by(order_by)?);
    let (offset, limit) = validate_page(offset, limit, DEFAULT_CARD_ROWS, MAX_CARD_ROWS)?;
    validate_package_filter(pkg.as_deref())?;
    let query = CardQuery { package: pkg, condition, order_by, offset, limit };
    if is_large_list(limit) {
        return Ok(continue_large(cards, move |cards, info| {
            render_card_page(&query, cards.find_cards(&query, &|| info.cancellation.is_cancelled())?)
        }));
    }
    match cards.search_cards(&query, &|| info.cancellation.is_cancelled())? {
        IndexSearch::Found(page) => render_card_page(&query, page).map(Step::Done),
        // The list of these cards is made again, because it would wait with the call, and they may change meanwhile.
        IndexSearch::NeedsLongCards(_) => Ok(continue_large(cards, move |cards, info| {
            render_card_page(&query, cards.find_cards(&query, &|| info.cancellation.is_cancelled())?)
        })),
    }
}

fn render_card_page(query: &CardQuery, page: CardPage) -> Result<ToolOutput, ServiceError> {
    let next = query.offset.saturating_add(page.rows.len());
    let next_offset = Some(next).filter(|next| *next < page.total && !page.rows.is_empty());
    let cards = page.rows.into_iter().map(CardRow).collect();
    serialize_output(&CardListOutput { cards, total: page.total, next_offset }).map(ToolOutput::from)
}

fn handle_card_get(
    cards: &Arc<CardStore>,
    arguments: Payload,
    info: &RequestInfo,
) -> Result<Step<ToolOutput>, ServiceError> {
    let CardGetArgs { card_id } = parse_arguments(arguments)?;
    answer_card(cards, parse_card_id(&card_id)?, info)
}

fn handle_card_get_by_alias(
    cards: &Arc<CardStore>,
    arguments: Payload,
    info: &RequestInfo,
) -> Result<Step<ToolOutput>, ServiceError> {
    let CardGetByAliasArgs { name } = parse_arguments(arguments)?;
    let unknown =
        || ServiceError::tool(code::ALIAS_NOT_FOUND, format!("alias '{}' not found", escape_and_truncate(&name)));
    answer_card(cards, cards.resolve_alias(&name)?.ok_or_else(unknown)?, info)
}

/// Answers with a card, which is read where its size allows.
fn answer_card(cards: &CardStore, id: CardId, info: &RequestInfo) -> Result<Step<ToolOutput>, ServiceError> {
    let file = cards.open_card(&id, &|| info.cancellation.is_cancelled())?.ok_or_else(|| card_not_found(&id))?;
    let read = CARD_SIZE_LIMITS.read_text(file, &format!("card '{id}'"), move |text, _| parse_card_json(&id, &text));
    Ok(Step::Next(read.at_least(Cost::Worker).and_then(|card| Ok(to_tool_answer(card)))))
}

fn handle_card_append(
    cards: &Arc<CardStore>,
    arguments: Payload,
    info: &RequestInfo,
) -> Result<Step<ToolOutput>, ServiceError> {
    let CardAppendArgs { card_id, fields } = parse_arguments(arguments)?;
    let id = parse_card_id(&card_id)?;
    let (fields, held) = decode_card_fields(fields, &info.memory)?;
    let file = cards.open_card(&id, &|| info.cancellation.is_cancelled())?;
    let cost = CARD_SIZE_LIMITS.cost(file.map_or(0, |file| file.stat().len)).max(Cost::Worker);
    let cards = Arc::clone(cards);
    Ok(Step::Next(Work::in_steps(cost, move |_| {
        let _held = held;
        match cards.append_card(&id, &fields, CARD_SIZE_LIMITS.limit(cost)) {
            // Another call made the card longer, before this one had its lock.
            Err(ServiceError::TooLarge { .. }) if cost < Cost::Large => Ok(continue_large(&cards, move |cards, _| {
                cards.append_card(&id, &fields, CARD_SIZE_LIMITS.large).map(to_tool_answer)
            })),
            done => done.map(to_tool_answer).map(Step::Done),
        }
    })))
}

fn handle_card_samples(
    cards: &Arc<CardStore>,
    arguments: Payload,
    info: &RequestInfo,
) -> Result<Step<ToolOutput>, ServiceError> {
    let CardSamplesArgs { card_id, offset, limit, condition } = parse_arguments(arguments)?;
    let (_, limit) = validate_page(offset, limit, DEFAULT_SAMPLE_ROWS, MAX_SAMPLE_ROWS)?;
    let (id, condition) = (parse_card_id(&card_id)?, parse_where(condition)?);
    let answer = move |cards: &CardStore, info: &RequestInfo| {
        let rows = SampleQuery {
            condition: &condition,
            offset: offset.unwrap_or(0),
            limit,
            // An answer holds the rows twice, once of them escaped.
            max_bytes: MAX_PAGE_BYTES / 4,
        };
        let page = cards.read_samples(&id, &rows, &|| info.cancellation.is_cancelled())?;
        serialize_output(&CardSamplesOutput { samples: page.rows, total: page.total, next_offset: page.next_offset })
            .map(ToolOutput::from)
    };
    if is_large_list(limit) { Ok(continue_large(cards, answer)) } else { answer(cards, info).map(Step::Done) }
}

fn handle_alias_list(cards: &CardStore, arguments: Payload) -> Result<ToolOutput, ServiceError> {
    let AliasListArgs { pkg } = parse_arguments(arguments)?;
    serialize_output(&AliasListOutput { aliases: cards.list_aliases(validate_package_filter(pkg.as_deref())?)? })
        .map(ToolOutput::from)
}

fn handle_alias_set(cards: &CardStore, arguments: Payload, info: &RequestInfo) -> Result<ToolOutput, ServiceError> {
    let AliasSetArgs { name, card_id, pkg, note } = parse_arguments(arguments)?;
    let package = pkg.as_deref().map(parse_package_name).transpose()?;
    let setting = AliasAssignment {
        name: &name,
        card: &parse_card_id(&card_id)?,
        package: package.as_ref(),
        note: note.as_deref(),
    };
    cards.set_alias(&setting, SystemTime::now(), &|| info.cancellation.is_cancelled()).map(to_tool_answer)
}

fn handle_card_lineage(cards: &CardStore, arguments: Payload, info: &RequestInfo) -> Result<ToolOutput, ServiceError> {
    let LineageArgs { card_id, direction, depth, include_stats, relation_filter } = parse_arguments(arguments)?;
    let query = LineageQuery {
        card: &parse_card_id(&card_id)?,
        direction: direction.as_deref(),
        depth,
        include_stats,
        relations: relation_filter.as_deref(),
    };
    cards.trace_lineage(&query, &|| info.cancellation.is_cancelled()).map(to_tool_answer)
}

fn handle_sink_backfill(cards: &CardStore, arguments: Payload, info: &RequestInfo) -> Result<ToolOutput, ServiceError> {
    let SinkBackfillArgs { sink, dry_run } = parse_arguments(arguments)?;
    cards.backfill_sink(&sink, dry_run.unwrap_or(false), &|| info.cancellation.is_cancelled()).map(to_tool_answer)
}
