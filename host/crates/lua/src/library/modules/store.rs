//! `store`: values that outlive the call, in stores with names. The server keeps them, for each namespace its own.

use mlua::{Table, Value};
use serde_json::{Value as Json, json};

use super::{Fault, of};
use crate::library::function::{Call, Function, Kind, Param, float, optional, param, returns};

const KEY: Param = param("key", Kind::String, "string", "");

pub(super) const FUNCTIONS: &[Function] = &[
    of(
        "store.get",
        "A store. It is there as soon as something is in it.",
        &[param("name", Kind::String, "string", "such as \"app:cache\"")],
        &[returns("Store", "")],
        store,
    ),
    of(
        "Store:get",
        "The value of a key; an error (NOT_FOUND) where there is none.",
        &[KEY],
        &[returns("any", "")],
        get,
    ),
    of(
        "Store:set",
        "Sets a key, for so many seconds or for good.",
        &[KEY, param("value", Kind::Any, "any", ""), optional("ttl", Kind::Number, "number", "seconds; 0 is for good")],
        &[returns("true", "")],
        set,
    ),
    of("Store:has", "Whether there is such a key.", &[KEY], &[returns("boolean", "")], |call| {
        by_key(call, "store.has")
    }),
    of(
        "Store:delete",
        "Removes a key.",
        &[KEY],
        &[returns("boolean", "deleted false when there was no such key")],
        |call| by_key(call, "store.delete"),
    ),
    of(
        "Store:keys",
        "Its keys, sorted.",
        &[optional("prefix", Kind::String, "string", "")],
        &[returns("string[]", "")],
        keys,
    ),
    of("Store:release", "Does nothing: a store is not held.", &[], &[returns("true", "")], |_| {
        Ok(Value::Boolean(true))
    }),
];

/// Between a store's name and a key. It is in no name.
const BETWEEN: char = '/';

fn store(call: &mut Call) -> Result<Value, Fault> {
    let name = call.text()?;
    if name.is_empty() || name.contains(BETWEEN) {
        return Err(call.blame("a store's name is some text without '/'").into());
    }
    let store: Table = call.object("Store")?;
    store.raw_set("name", name)?;
    Ok(Value::Table(store))
}

fn key(call: &mut Call) -> Result<String, Fault> {
    let (name, key): (String, String) = (call.own("name")?, call.text()?);
    Ok(format!("{name}{BETWEEN}{key}"))
}

fn get(call: &mut Call) -> Result<Value, Fault> {
    let key = key(call)?;
    let answer = call.request("store.get", json!({"key": key}))?;
    if answer.get("found") != Some(&Json::Bool(true)) {
        let shown = key.split_once(BETWEEN).map_or("", |(_, key)| key);
        return Err(Fault::not_found(format!("there is no key '{shown}'")));
    }
    Ok(call.decode(answer.get("value").unwrap_or(&Json::Null))?)
}

fn set(call: &mut Call) -> Result<Value, Fault> {
    let (key, value, ttl) = (key(call)?, call.json("value")?, call.value());
    let ttl = float(&ttl).filter(|ttl| *ttl != 0.0);
    if ttl.is_some_and(|ttl| !ttl.is_finite() || ttl < 0.0) {
        return Err(call.blame("ttl must be a number of seconds").into());
    }
    call.request("store.set", json!({"key": key, "value": value, "ttl": ttl}))?;
    Ok(Value::Boolean(true))
}

fn by_key(call: &mut Call, operation: &str) -> Result<Value, Fault> {
    let key = key(call)?;
    call.fetch(operation, json!({"key": key}))
}

fn keys(call: &mut Call) -> Result<Value, Fault> {
    let (name, prefix): (String, Option<String>) = (call.own("name")?, call.text_or_none()?);
    let before = format!("{name}{BETWEEN}");
    let answer = call.request("store.keys", json!({"prefix": format!("{before}{}", prefix.unwrap_or_default())}))?;
    let keys = answer.as_array().map(Vec::as_slice).unwrap_or_default().iter().filter_map(Json::as_str);
    let mut keys: Vec<&str> = keys.filter_map(|key| key.strip_prefix(before.as_str())).collect();
    keys.sort_unstable();
    Ok(call.decode(&json!(keys))?)
}
