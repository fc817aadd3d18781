//! `alc.card`: immutable records of runs. The server validates and stores them.

use mlua::{Table, Value};
use serde_json::{Map, Value as Json, json};

use super::function::{
    FunctionBody, FunctionCall, FunctionParam, LibraryFunction, ParamKind, optional_param, param, returns,
};

const CARD_ID: FunctionParam = param("card_id", ParamKind::String, "string", "");
const NAME: FunctionParam = param("name", ParamKind::String, "string", "");
const PKG_OPTIONS: FunctionParam = optional_param("opts", ParamKind::Table, "{ pkg?: string }", "");

pub(super) const FUNCTIONS: &[LibraryFunction] = &[
    LibraryFunction {
        name: "alc.card.create",
        doc: "Stores a new card; raises when its id exists already.",
        generics: "",
        params: &[param("card", ParamKind::Table, "alc.Card", "")],
        returns: &[returns("{ card_id: string, path: string }", "")],
        body: FunctionBody::Rust(|call| request_positional(call, "card.create", &["card"])),
    },
    LibraryFunction {
        name: "alc.card.get",
        doc: "Reads a card.",
        generics: "",
        params: &[CARD_ID],
        returns: &[returns("alc.Card|nil", "")],
        body: FunctionBody::Rust(|call| request_positional(call, "card.get", &["card_id"])),
    },
    LibraryFunction {
        name: "alc.card.list",
        doc: "Lists cards, the newest first.",
        generics: "",
        params: &[PKG_OPTIONS],
        returns: &[returns("alc.CardSummary[]", "")],
        body: FunctionBody::Rust(|call| request_with_options(call, "card.list", &[], &["pkg"])),
    },
    LibraryFunction {
        name: "alc.card.find",
        doc: "Finds cards by what is in them.",
        generics: "",
        params: &[optional_param("query", ParamKind::Table, "alc.CardFind", "")],
        returns: &[returns("alc.CardSummary[]", "")],
        body: FunctionBody::Rust(|call| {
            request_with_options(call, "card.find", &[], &["pkg", "where", "order_by", "limit", "offset"])
        }),
    },
    LibraryFunction {
        name: "alc.card.append",
        doc: "Adds top-level fields that the card does not have yet; raises for one that it has.",
        generics: "",
        params: &[CARD_ID, param("fields", ParamKind::Table, "table<string, any>", "")],
        returns: &[returns("alc.Card", "card the whole card")],
        body: FunctionBody::Rust(|call| request_positional(call, "card.append", &["card_id", "fields"])),
    },
    LibraryFunction {
        name: "alc.card.get_by_alias",
        doc: "Reads the card that an alias points at.",
        generics: "",
        params: &[NAME],
        returns: &[returns("alc.Card|nil", "")],
        body: FunctionBody::Rust(|call| request_positional(call, "card.get_by_alias", &["name"])),
    },
    LibraryFunction {
        name: "alc.card.alias_set",
        doc: "Points an alias at a card; an alias that exists is moved.",
        generics: "",
        params: &[NAME, CARD_ID, optional_param("opts", ParamKind::Table, "{ pkg?: string, note?: string }", "")],
        returns: &[returns("alc.CardAlias", "")],
        body: FunctionBody::Rust(|call| {
            request_with_options(call, "card.alias_set", &["name", "card_id"], &["pkg", "note"])
        }),
    },
    LibraryFunction {
        name: "alc.card.alias_list",
        doc: "Lists aliases.",
        generics: "",
        params: &[PKG_OPTIONS],
        returns: &[returns("alc.CardAlias[]", "")],
        body: FunctionBody::Rust(|call| request_with_options(call, "card.alias_list", &[], &["pkg"])),
    },
    LibraryFunction {
        name: "alc.card.write_samples",
        doc: "Stores the rows of a card, one for each case. This is possible once.",
        generics: "",
        params: &[CARD_ID, param("rows", ParamKind::Table, "alc.Json[]", "")],
        returns: &[returns("{ path: string, count: integer }", "")],
        body: FunctionBody::Rust(write_samples),
    },
    LibraryFunction {
        name: "alc.card.read_samples",
        doc: "Reads rows of a card.",
        generics: "",
        params: &[
            CARD_ID,
            optional_param("opts", ParamKind::Table, "{ offset?: integer, limit?: integer, where?: alc.Where }", ""),
        ],
        returns: &[returns("alc.Json[]", "rows empty when the card has none")],
        body: FunctionBody::Rust(|call| {
            request_with_options(call, "card.read_samples", &["card_id"], &["offset", "limit", "where"])
        }),
    },
    LibraryFunction {
        name: "alc.card.lineage",
        doc: "Follows the ancestors or the descendants of a card.",
        generics: "",
        params: &[param("query", ParamKind::Table, "alc.LineageQuery", "")],
        returns: &[returns("alc.Lineage|nil", "")],
        body: FunctionBody::Rust(|call| {
            let fields = ["card_id", "direction", "depth", "include_stats", "relation_filter"];
            request_with_options(call, "card.lineage", &[], &fields)
        }),
    },
    LibraryFunction {
        name: "alc.card.sink_backfill",
        doc: "Copies the cards that a mirror lacks.",
        generics: "",
        params: &[param("opts", ParamKind::Table, "{ sink: string, dry_run?: boolean }", "")],
        returns: &[returns("alc.SinkBackfill", "")],
        body: FunctionBody::Rust(|call| request_with_options(call, "card.sink_backfill", &[], &["sink", "dry_run"])),
    },
];

/// Sends a request with the arguments under these names.
fn request_positional(call: &mut FunctionCall, operation: &str, names: &[&str]) -> Result<Value, String> {
    request_with_options(call, operation, names, &[])
}

/// Sends a request with the first arguments under these names, and these fields of the options table after them.
/// Missing fields are null.
fn request_with_options(
    call: &mut FunctionCall,
    operation: &str,
    names: &[&str],
    fields: &[&str],
) -> Result<Value, String> {
    let mut arguments = Map::new();
    for name in names {
        arguments.insert((*name).to_owned(), empty_list_to_object(call.next_json(name)?));
    }
    let options = if fields.is_empty() { None } else { call.next_table() };
    for field in fields {
        let value = options.as_ref().map_or(Ok(Value::Nil), |options: &Table| options.get(*field));
        let value = value.map_err(|error| super::module_error::error_text(&error))?;
        arguments.insert((*field).to_owned(), call.encode(&value, field)?);
    }
    call.request_value(operation, Json::Object(arguments))
}

/// Turns an empty list, such as a decoded `[]`, into an empty object, which is expected here.
fn empty_list_to_object(value: Json) -> Json {
    if value == json!([]) { json!({}) } else { value }
}

fn write_samples(call: &mut FunctionCall) -> Result<Value, String> {
    let card_id = call.next_text()?;
    let rows = match call.next_json("rows")? {
        rows @ Json::Array(_) => rows,
        Json::Object(rows) if rows.is_empty() => json!([]),
        _ => return Err(call.format_error("samples must be an array")),
    };
    call.request_value("card.write_samples", json!({ "card_id": card_id, "rows": rows }))
}
