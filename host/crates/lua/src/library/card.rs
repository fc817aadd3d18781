//! `alc.card`: records of runs that never change. The server keeps them, and says what is wrong with one.

use mlua::{Table, Value};
use serde_json::{Map, Value as Json, json};

use super::function::{Body, Call, Function, Kind, Param, optional, param, returns};

const CARD_ID: Param = param("card_id", Kind::String, "string", "");
const NAME: Param = param("name", Kind::String, "string", "");
const BY_PKG: Param = optional("opts", Kind::Table, "{ pkg?: string }", "");

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "alc.card.create",
        doc: "Keeps a new card; raises when its id is taken.",
        generic: "",
        params: &[param("card", Kind::Table, "alc.Card", "")],
        returns: &[returns("{ card_id: string, path: string }", "")],
        body: Body::Rust(|call| positional(call, "card.create", &["card"])),
    },
    Function {
        name: "alc.card.get",
        doc: "Reads a card.",
        generic: "",
        params: &[CARD_ID],
        returns: &[returns("alc.Card|nil", "")],
        body: Body::Rust(|call| positional(call, "card.get", &["card_id"])),
    },
    Function {
        name: "alc.card.list",
        doc: "Lists cards, the newest first.",
        generic: "",
        params: &[BY_PKG],
        returns: &[returns("alc.CardSummary[]", "")],
        body: Body::Rust(|call| with_options(call, "card.list", &[], &["pkg"])),
    },
    Function {
        name: "alc.card.find",
        doc: "Finds cards by what is in them.",
        generic: "",
        params: &[optional("query", Kind::Table, "alc.CardFind", "")],
        returns: &[returns("alc.CardSummary[]", "")],
        body: Body::Rust(|call| with_options(call, "card.find", &[], &["pkg", "where", "order_by", "limit", "offset"])),
    },
    Function {
        name: "alc.card.append",
        doc: "Adds top-level fields that the card does not have yet; raises for one that it has.",
        generic: "",
        params: &[CARD_ID, param("fields", Kind::Table, "table<string, any>", "")],
        returns: &[returns("alc.Card", "card the whole of it")],
        body: Body::Rust(|call| positional(call, "card.append", &["card_id", "fields"])),
    },
    Function {
        name: "alc.card.get_by_alias",
        doc: "Reads the card that an alias points at.",
        generic: "",
        params: &[NAME],
        returns: &[returns("alc.Card|nil", "")],
        body: Body::Rust(|call| positional(call, "card.get_by_alias", &["name"])),
    },
    Function {
        name: "alc.card.alias_set",
        doc: "Points an alias at a card; an alias that exists is moved.",
        generic: "",
        params: &[NAME, CARD_ID, optional("opts", Kind::Table, "{ pkg?: string, note?: string }", "")],
        returns: &[returns("alc.CardAlias", "")],
        body: Body::Rust(|call| with_options(call, "card.alias_set", &["name", "card_id"], &["pkg", "note"])),
    },
    Function {
        name: "alc.card.alias_list",
        doc: "Lists aliases.",
        generic: "",
        params: &[BY_PKG],
        returns: &[returns("alc.CardAlias[]", "")],
        body: Body::Rust(|call| with_options(call, "card.alias_list", &[], &["pkg"])),
    },
    Function {
        name: "alc.card.write_samples",
        doc: "Keeps the rows of a card, one for each case. It can be done once.",
        generic: "",
        params: &[CARD_ID, param("rows", Kind::Table, "alc.Json[]", "")],
        returns: &[returns("{ path: string, count: integer }", "")],
        body: Body::Rust(write_samples),
    },
    Function {
        name: "alc.card.read_samples",
        doc: "Reads rows of a card.",
        generic: "",
        params: &[
            CARD_ID,
            optional("opts", Kind::Table, "{ offset?: integer, limit?: integer, where?: alc.Where }", ""),
        ],
        returns: &[returns("alc.Json[]", "rows empty when the card has none")],
        body: Body::Rust(|call| with_options(call, "card.read_samples", &["card_id"], &["offset", "limit", "where"])),
    },
    Function {
        name: "alc.card.lineage",
        doc: "Follows where a card came from, or what came from it.",
        generic: "",
        params: &[param("query", Kind::Table, "alc.LineageQuery", "")],
        returns: &[returns("alc.Lineage|nil", "")],
        body: Body::Rust(|call| {
            let fields = ["card_id", "direction", "depth", "include_stats", "relation_filter"];
            with_options(call, "card.lineage", &[], &fields)
        }),
    },
    Function {
        name: "alc.card.sink_backfill",
        doc: "Copies the cards that a mirror lacks.",
        generic: "",
        params: &[param("opts", Kind::Table, "{ sink: string, dry_run?: boolean }", "")],
        returns: &[returns("alc.SinkBackfill", "")],
        body: Body::Rust(|call| with_options(call, "card.sink_backfill", &[], &["sink", "dry_run"])),
    },
];

/// Asks with the arguments under these names.
fn positional(call: &mut Call, operation: &str, names: &[&str]) -> Result<Value, String> {
    with_options(call, operation, names, &[])
}

/// Asks with the first arguments under these names, and these fields of the table that follows; what is not there is null.
fn with_options(call: &mut Call, operation: &str, names: &[&str], fields: &[&str]) -> Result<Value, String> {
    let mut arguments = Map::new();
    for name in names {
        arguments.insert((*name).to_owned(), object(call.json(name)?));
    }
    let options = if fields.is_empty() { None } else { call.table() };
    for field in fields {
        let value = options.as_ref().map_or(Ok(Value::Nil), |options: &Table| options.get(*field));
        let value = value.map_err(|error| super::function::words(&error))?;
        arguments.insert((*field).to_owned(), call.encode(&value, field)?);
    }
    call.ask(operation, Json::Object(arguments))
}

/// An empty list where fields are wanted is an empty object that JSON made.
fn object(value: Json) -> Json {
    if value == json!([]) { json!({}) } else { value }
}

fn write_samples(call: &mut Call) -> Result<Value, String> {
    let card_id = call.text()?;
    let rows = match call.json("rows")? {
        rows @ Json::Array(_) => rows,
        Json::Object(rows) if rows.is_empty() => json!([]),
        _ => return Err(call.blame("samples must be an array")),
    };
    call.ask("card.write_samples", json!({ "card_id": card_id, "rows": rows }))
}
