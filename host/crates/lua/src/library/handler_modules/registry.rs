//! `registry`: read-only access to the entries that the caller may see.

use mlua::Value;
use serde_json::json;

use super::{ModuleError, module_function};
use crate::library::function::{FunctionCall, LibraryFunction, ParamKind, optional_param, param, returns};

const ENTRY_TYPE: &str = "{ id: string, kind: string, meta: table, data?: table }";

pub(super) const FUNCTIONS: &[LibraryFunction] = &[
    module_function(
        "registry.get",
        "An entry.",
        &[param("id", ParamKind::String, "string", "namespace:name")],
        &[returns(ENTRY_TYPE, "")],
        get,
    ),
    module_function(
        "registry.find",
        "The entries for which all of a filter holds: `.kind`, `.name`, `.ns`, `.id`, and `meta.…` with a prefix of \
         `~` (a regular expression), `*` (contains), `^` (begins) or `$` (ends). It has at most 16 conditions; a regular expression has at most 1 KiB and is compared \
         with the first 4 KiB of a text.",
        &[optional_param("filter", ParamKind::Table, "table<string, any>", "(default: all)")],
        &[returns("table[]", "")],
        |call| {
            let filter = call.next_json("filter")?;
            let filter = if filter.is_null() { json!({}) } else { filter };
            call.try_request_value("registry.find", json!({"filter": filter}))
        },
    ),
    module_function(
        "registry.parse_id",
        "The two parts of an id.",
        &[param("id", ParamKind::String, "string", "")],
        &[returns("{ ns: string, name: string }", "")],
        |call| {
            let id = call.next_text()?;
            let (ns, name) = id.split_once(':').ok_or_else(|| call.format_error("an id is namespace:name"))?;
            Ok(call.decode(&json!({"ns": ns, "name": name}))?)
        },
    ),
];

fn get(call: &mut FunctionCall) -> Result<Value, ModuleError> {
    let id = call.next_text()?;
    let answer = call.try_request("registry.get", json!({"id": id}))?;
    if answer.is_null() {
        return Err(ModuleError::not_found(format!("there is no entry '{id}'")));
    }
    Ok(call.decode(&answer)?)
}
