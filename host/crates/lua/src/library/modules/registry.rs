//! `registry`: the entries that the caller may see. Nothing here changes one.

use mlua::Value;
use serde_json::json;

use super::{Fault, of};
use crate::library::function::{Call, Function, Kind, optional, param, returns};

const ENTRY: &str = "{ id: string, kind: string, meta: table, data?: table }";

pub(super) const FUNCTIONS: &[Function] = &[
    of(
        "registry.get",
        "An entry.",
        &[param("id", Kind::String, "string", "namespace:name")],
        &[returns(ENTRY, "")],
        get,
    ),
    of(
        "registry.find",
        "The entries for which all of a filter holds: `.kind`, `.name`, `.ns`, `.id`, and `meta.…` with a prefix of \
         `~` (a regular expression), `*` (contains), `^` (begins) or `$` (ends).",
        &[optional("filter", Kind::Table, "table<string, any>", "(default: all)")],
        &[returns("table[]", "")],
        |call| {
            let filter = call.json("filter")?;
            let filter = if filter.is_null() { json!({}) } else { filter };
            call.fetch("registry.find", json!({"filter": filter}))
        },
    ),
    of(
        "registry.parse_id",
        "The two parts of an id.",
        &[param("id", Kind::String, "string", "")],
        &[returns("{ ns: string, name: string }", "")],
        |call| {
            let id = call.text()?;
            let (ns, name) = id.split_once(':').ok_or_else(|| call.blame("an id is namespace:name"))?;
            Ok(call.decode(&json!({"ns": ns, "name": name}))?)
        },
    ),
];

fn get(call: &mut Call) -> Result<Value, Fault> {
    let id = call.text()?;
    let answer = call.request("registry.get", json!({"id": id}))?;
    if answer.is_null() {
        return Err(Fault::not_found(format!("there is no entry '{id}'")));
    }
    Ok(call.decode(&answer)?)
}
