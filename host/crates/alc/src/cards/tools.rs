//! The tools for cards.
//!
//! Owns: what each answers; what it takes is in `arguments.rs`. A list of the original is the one field of an object here.

use std::time::SystemTime;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::aliases::Setting;
use super::arguments::{
    AliasList, AliasSet, Append, Backfill, ByAlias, ByCard, Find, Install, Lineage, List, Samples, condition, object,
    of_package, order_by,
};
use super::find::Wanted;
use super::lineage::Asked;
use super::query::{Condition, OrderBy};
use super::samples::Rows;
use super::{CARD, card_name, no_card, package_name, refused};
use crate::Alc;
use crate::tools::Tool;
use wardroom_base::limits::{DEFAULT_CARD_ROWS, DEFAULT_SAMPLE_ROWS, MAX_CARD_ROWS, MAX_PAGE_BYTES, MAX_SAMPLE_ROWS};
use wardroom_base::payload::Payload;
use wardroom_service::schema::{answer, answer_schema, parse, schema};
use wardroom_service::{CallContext, Hints, ServiceError, ToolAnswer, shown};

#[derive(Serialize, JsonSchema)]
struct Cards {
    cards: Vec<CardRow>,
    /// How many cards there are in all.
    total: usize,
    /// The offset of the rows after these.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
}

/// One row of a list.
#[derive(Serialize, JsonSchema)]
#[serde(transparent)]
struct CardRow(#[schemars(with = "Row")] Value);

#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes what is answered as JSON")]
struct Row {
    card_id: String,
    pkg: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scenario: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pass_rate: Option<f64>,
}

/// A card, as it is stored.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes what is answered as JSON")]
struct Card {
    #[serde(skip_serializing_if = "Option::is_none")]
    card_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    schema_version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pkg: Option<Map<String, Value>>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes what is answered as JSON")]
struct Alias {
    name: String,
    card_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pkg: Option<String>,
    /// RFC 3339.
    set_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Aliases {
    #[schemars(with = "Vec<Alias>")]
    aliases: Vec<Value>,
}

#[derive(Serialize, JsonSchema)]
struct SampleRows {
    /// The rows, as they were written.
    samples: Vec<Value>,
    /// The rows of the card, where no condition was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    /// The offset of the rows after these.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<u64>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes what is answered as JSON")]
struct Descent {
    root: String,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// Whether there is more, beyond the depth or the number of cards.
    truncated: bool,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes what is answered as JSON")]
struct Node {
    card_id: String,
    pkg: String,
    /// Steps from the root; negative towards ancestors.
    depth: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    prior_card_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prior_relation: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stats: Option<Value>,
    /// There is no room for what it says about its run: alc_card_get has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    stats_omitted: Option<bool>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes what is answered as JSON")]
struct Edge {
    /// The card that comes from the other one.
    from: String,
    to: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    relation: Option<String>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes what is answered as JSON")]
struct Backfilled {
    sink: String,
    pushed: Vec<String>,
    skipped: Vec<String>,
    /// Pairs of an id and a reason.
    failed: Vec<(String, String)>,
    pushed_samples: Vec<String>,
    /// How many of each; the lists hold at most 1000.
    counts: Map<String, Value>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes what is answered as JSON")]
struct InstalledCards {
    installed_cards: Vec<String>,
    /// Ids that there were already.
    skipped_cards: Vec<String>,
    packages: Vec<String>,
    source: String,
    mode: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    storage_warnings: Option<Vec<String>>,
}

pub(crate) const TOOLS: &[Tool] = &[
    Tool {
        name: "alc_card_list",
        title: "List cards",
        description: "Lists cards (records of runs), newest first: id, package, time, model, scenario and pass rate of each.",
        hints: Hints::READS,
        input: schema::<List>,
        output: answer_schema::<Cards>,
        call: |alc, arguments, context| alc.list_tool(arguments, context),
    },
    Tool {
        name: "alc_card_get",
        title: "Get a card",
        description: "Gets all of a card by its id.",
        hints: Hints::READS,
        input: schema::<ByCard>,
        output: answer_schema::<Card>,
        call: |alc, arguments, context| alc.get_tool(arguments, context),
    },
    Tool {
        name: "alc_card_find",
        title: "Find cards",
        description: "Finds cards by conditions on any of their fields, in any order.",
        hints: Hints::READS,
        input: schema::<Find>,
        output: answer_schema::<Cards>,
        call: |alc, arguments, context| alc.find_tool(arguments, context),
    },
    Tool {
        name: "alc_card_get_by_alias",
        title: "Get a card by its alias",
        description: "Gets all of the card that an alias stands for.",
        hints: Hints::READS,
        input: schema::<ByAlias>,
        output: answer_schema::<Card>,
        call: |alc, arguments, context| alc.get_by_alias_tool(arguments, context),
    },
    Tool {
        name: "alc_card_alias_list",
        title: "List aliases of cards",
        description: "Lists the aliases of cards, in the order in which they were set.",
        hints: Hints::READS,
        input: schema::<AliasList>,
        output: answer_schema::<Aliases>,
        call: |alc, arguments, _| alc.alias_list_tool(arguments),
    },
    Tool {
        name: "alc_card_alias_set",
        title: "Set an alias of a card",
        description: "Lets a name stand for a card, whatever it stood for before.",
        hints: Hints::SETS,
        input: schema::<AliasSet>,
        output: answer_schema::<Alias>,
        call: |alc, arguments, context| alc.alias_set_tool(arguments, context),
    },
    Tool {
        name: "alc_card_append",
        title: "Add to a card",
        description: "Adds new top-level fields to a card. What it has cannot be changed.",
        hints: Hints::ADDS,
        input: schema::<Append>,
        output: answer_schema::<Card>,
        call: |alc, arguments, context| alc.append_tool(arguments, context),
    },
    Tool {
        name: "alc_card_samples",
        title: "Read the samples of a card",
        description: "Reads the rows of a card, one for each case, in pages; with conditions, those that fit.",
        hints: Hints::READS,
        input: schema::<Samples>,
        output: answer_schema::<SampleRows>,
        call: |alc, arguments, context| alc.samples_tool(arguments, context),
    },
    Tool {
        name: "alc_card_lineage",
        title: "Show the lineage of a card",
        description: "Shows which cards a card comes from, which come from it, or both.",
        hints: Hints::READS,
        input: schema::<Lineage>,
        output: answer_schema::<Descent>,
        call: |alc, arguments, context| alc.lineage_tool(arguments, context),
    },
    Tool {
        name: "alc_card_sink_backfill",
        title: "Fill a mirror of cards",
        description: "Copies to a mirror of the cards (ALC_CARD_SINKS) what it has not.",
        hints: Hints::SETS,
        input: schema::<Backfill>,
        output: answer_schema::<Backfilled>,
        call: |alc, arguments, context| alc.backfill_tool(arguments, context),
    },
    Tool {
        name: "alc_card_install",
        title: "Install a collection of cards",
        description: "Copies the cards of a collection (a folder with alc_cards.toml, or a git repository where the operator \
                      allows it) that are not there yet.",
        hints: Hints { open_world: true, ..Hints::ADDS },
        input: schema::<Install>,
        output: answer_schema::<InstalledCards>,
        call: |alc, arguments, context| alc.install_tool(arguments, context),
    },
];

fn value(value: Value) -> ToolAnswer {
    ToolAnswer::from(Payload::from_value(value))
}

/// What is asked of a page, within what one may have.
fn page(offset: Option<u64>, limit: Option<u64>, default: usize, most: usize) -> Result<(usize, usize), ServiceError> {
    let limit = limit.map_or(default, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    if limit > most {
        return Err(refused("LIMIT_TOO_LARGE", format!("limit exceeds {most}: ask for pages with offset")));
    }
    Ok((offset.map_or(0, |offset| usize::try_from(offset).unwrap_or(usize::MAX)), limit))
}

/// A list of every card is made on one of a few threads: it may be large.
fn large(limit: usize, context: &CallContext) -> Result<(), ServiceError> {
    if limit > 10 * DEFAULT_CARD_ROWS { context.needs_large() } else { Ok(()) }
}

impl Alc {
    fn list_tool(&self, arguments: Payload, context: &CallContext) -> Result<ToolAnswer, ServiceError> {
        let List { pkg, offset, limit } = parse(arguments)?;
        self.rows(pkg.as_deref(), &Condition::All(Vec::new()), &OrderBy(Vec::new()), (offset, limit), context)
    }

    fn find_tool(&self, arguments: Payload, context: &CallContext) -> Result<ToolAnswer, ServiceError> {
        let Find { pkg, condition: wanted, order_by: order, limit, offset } = parse(arguments)?;
        self.rows(pkg.as_deref(), &condition(wanted)?, &order_by(order)?, (offset, limit), context)
    }

    fn rows(
        &self,
        package: Option<&str>,
        condition: &Condition,
        order_by: &OrderBy,
        (offset, limit): (Option<u64>, Option<u64>),
        context: &CallContext,
    ) -> Result<ToolAnswer, ServiceError> {
        let (offset, limit) = page(offset, limit, DEFAULT_CARD_ROWS, MAX_CARD_ROWS)?;
        large(limit, context)?;
        let wanted =
            Wanted { package: of_package(package)?, condition, order_by, offset, limit, context: Some(context) };
        let found = self.find_cards(&wanted, &|| context.cancelled.is_cancelled())?;
        let next = offset.saturating_add(found.rows.len());
        let next_offset = Some(next).filter(|next| *next < found.total && !found.rows.is_empty());
        let cards = found.rows.into_iter().map(CardRow).collect();
        answer(&Cards { cards, total: found.total, next_offset }).map(ToolAnswer::from)
    }

    fn get_tool(&self, arguments: Payload, context: &CallContext) -> Result<ToolAnswer, ServiceError> {
        let ByCard { card_id } = parse(arguments)?;
        let id = card_name(&card_id)?;
        let card = self.get_card(&id, context.within(CARD), &|| context.cancelled.is_cancelled())?;
        card.map(value).ok_or_else(|| no_card(&id))
    }

    fn get_by_alias_tool(&self, arguments: Payload, context: &CallContext) -> Result<ToolAnswer, ServiceError> {
        let ByAlias { name } = parse(arguments)?;
        let card = self.aliased_card(&name, context.within(CARD), &|| context.cancelled.is_cancelled())?;
        card.map(value).ok_or_else(|| refused("ALIAS_NOT_FOUND", format!("alias '{}' not found", shown(&name))))
    }

    fn alias_list_tool(&self, arguments: Payload) -> Result<ToolAnswer, ServiceError> {
        let AliasList { pkg } = parse(arguments)?;
        answer(&Aliases { aliases: self.aliases(of_package(pkg.as_deref())?)? }).map(ToolAnswer::from)
    }

    fn alias_set_tool(&self, arguments: Payload, context: &CallContext) -> Result<ToolAnswer, ServiceError> {
        let AliasSet { name, card_id, pkg, note } = parse(arguments)?;
        let package = pkg.as_deref().map(package_name).transpose()?;
        let setting =
            Setting { name: &name, card: &card_name(&card_id)?, package: package.as_ref(), note: note.as_deref() };
        self.set_alias(&setting, SystemTime::now(), &|| context.cancelled.is_cancelled()).map(value)
    }

    fn append_tool(&self, arguments: Payload, context: &CallContext) -> Result<ToolAnswer, ServiceError> {
        let Append { card_id, fields } = parse(arguments)?;
        self.append_card(&card_name(&card_id)?, &object(fields, "fields")?, context.within(CARD)).map(value)
    }

    fn samples_tool(&self, arguments: Payload, context: &CallContext) -> Result<ToolAnswer, ServiceError> {
        let Samples { card_id, offset, limit, condition: wanted } = parse(arguments)?;
        let (_, limit) = page(offset, limit, DEFAULT_SAMPLE_ROWS, MAX_SAMPLE_ROWS)?;
        large(limit, context)?;
        let rows = Rows {
            condition: &condition(wanted)?,
            offset: offset.unwrap_or(0),
            limit,
            // Said twice in an answer, and escaped in one of them.
            max_bytes: MAX_PAGE_BYTES / 4,
        };
        let page = self.read_samples(&card_name(&card_id)?, &rows, &|| context.cancelled.is_cancelled())?;
        answer(&SampleRows { samples: page.rows, total: page.total, next_offset: page.next }).map(ToolAnswer::from)
    }

    fn lineage_tool(&self, arguments: Payload, context: &CallContext) -> Result<ToolAnswer, ServiceError> {
        let Lineage { card_id, direction, depth, include_stats, relation_filter } = parse(arguments)?;
        let asked = Asked {
            card: &card_name(&card_id)?,
            direction: direction.as_deref(),
            depth,
            include_stats,
            relations: relation_filter.as_deref(),
        };
        // Of long cards all is read.
        context.needs_full()?;
        self.lineage(&asked, &|| context.cancelled.is_cancelled()).map(value)
    }

    fn backfill_tool(&self, arguments: Payload, context: &CallContext) -> Result<ToolAnswer, ServiceError> {
        let Backfill { sink, dry_run } = parse(arguments)?;
        self.backfill(&sink, dry_run.unwrap_or(false), &|| context.cancelled.is_cancelled()).map(value)
    }

    fn install_tool(&self, arguments: Payload, context: &CallContext) -> Result<ToolAnswer, ServiceError> {
        let Install { url } = parse(arguments)?;
        self.install_cards(&url, context).map(value)
    }
}
