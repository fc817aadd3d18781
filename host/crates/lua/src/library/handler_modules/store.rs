//! `store`: values that outlive the call, in named stores. The server keeps separate stores for each namespace.

use mlua::{Table, Value};
use serde_json::{Value as Json, json};

use super::{ModuleError, module_function};
use crate::library::function::{
    FunctionCall, FunctionParam, LibraryFunction, ParamKind, as_float, optional_param, param, returns,
};

const KEY: FunctionParam = param("key", ParamKind::String, "string", "");

pub(super) const FUNCTIONS: &[LibraryFunction] = &[
    module_function(
        "store.get",
        "Opens a store. It exists as soon as it has a key.",
        &[param("name", ParamKind::String, "string", "such as \"app:cache\"")],
        &[returns("Store", "")],
        open_store,
    ),
    module_function(
        "Store:get",
        "The value of a key; an error (NOT_FOUND) where there is none.",
        &[KEY],
        &[returns("any", "")],
        get,
    ),
    module_function(
        "Store:set",
        "Sets a key, for a number of seconds or permanently.",
        &[
            KEY,
            param("value", ParamKind::Any, "any", ""),
            optional_param("ttl", ParamKind::Number, "number", "seconds; 0 is permanent"),
        ],
        &[returns("true", "")],
        set,
    ),
    module_function("Store:has", "Whether there is such a key.", &[KEY], &[returns("boolean", "")], |call| {
        request_by_key(call, "store.has")
    }),
    module_function(
        "Store:delete",
        "Removes a key.",
        &[KEY],
        &[returns("boolean", "deleted false when there was no such key")],
        |call| request_by_key(call, "store.delete"),
    ),
    module_function(
        "Store:keys",
        "Its keys, sorted.",
        &[optional_param("prefix", ParamKind::String, "string", "")],
        &[returns("string[]", "")],
        keys,
    ),
    module_function("Store:release", "Does nothing: a store needs no release.", &[], &[returns("true", "")], |_| {
        Ok(Value::Boolean(true))
    }),
];

/// Separates a store's name from a key. Names cannot contain it.
const KEY_SEPARATOR: char = '/';

fn open_store(call: &mut FunctionCall) -> Result<Value, ModuleError> {
    let name = call.next_text()?;
    if name.is_empty() || name.contains(KEY_SEPARATOR) {
        return Err(call.format_error("the name of a store must be a text without '/'").into());
    }
    let store: Table = call.new_object("Store")?;
    store.raw_set("name", name)?;
    Ok(Value::Table(store))
}

fn next_store_key(call: &mut FunctionCall) -> Result<String, ModuleError> {
    let (name, key): (String, String) = (call.object_field("name")?, call.next_text()?);
    if key.is_empty() {
        return Err(call.format_error("a key must have at least one byte").into());
    }
    Ok(format!("{name}{KEY_SEPARATOR}{key}"))
}

fn get(call: &mut FunctionCall) -> Result<Value, ModuleError> {
    let key = next_store_key(call)?;
    let answer = call.try_request("store.get", json!({"key": key}))?;
    if answer.get("found") != Some(&Json::Bool(true)) {
        let shown = key.split_once(KEY_SEPARATOR).map_or("", |(_, key)| key);
        return Err(ModuleError::not_found(format!("there is no key '{shown}'")));
    }
    Ok(call.decode(answer.get("value").unwrap_or(&Json::Null))?)
}

fn set(call: &mut FunctionCall) -> Result<Value, ModuleError> {
    let (key, value, ttl) = (next_store_key(call)?, call.next_json("value")?, call.next_value());
    let ttl = as_float(&ttl).filter(|ttl| *ttl != 0.0);
    if ttl.is_some_and(|ttl| !ttl.is_finite() || ttl < 0.0) {
        return Err(call.format_error("ttl must be a number of seconds").into());
    }
    call.try_request("store.set", json!({"key": key, "value": value, "ttl": ttl}))?;
    Ok(Value::Boolean(true))
}

fn request_by_key(call: &mut FunctionCall, operation: &str) -> Result<Value, ModuleError> {
    let key = next_store_key(call)?;
    call.try_request_value(operation, json!({"key": key}))
}

fn keys(call: &mut FunctionCall) -> Result<Value, ModuleError> {
    let (name, prefix): (String, Option<String>) = (call.object_field("name")?, call.next_optional_text()?);
    let before = format!("{name}{KEY_SEPARATOR}");
    let answer =
        call.try_request("store.keys", json!({"prefix": format!("{before}{}", prefix.unwrap_or_default())}))?;
    let keys = answer.as_array().map(Vec::as_slice).unwrap_or_default().iter().filter_map(Json::as_str);
    let mut keys: Vec<&str> = keys.filter_map(|key| key.strip_prefix(before.as_str())).collect();
    keys.sort_unstable();
    Ok(call.decode(&json!(keys))?)
}
