//! `log`, `logger` and `progress`: what a handler tells while it goes on.

use mlua::{Lua, Table, Value};
use serde_json::{Map, Value as Json, json};

use super::{Fault, of};
use crate::library::function::{Call, Function, Kind, Param, Return, float, optional, param, returns};

const SAID: &[Param] =
    &[param("message", Kind::String, "string", ""), optional("data", Kind::Any, "any", "what else there is to know")];
const DONE: &[Return] = &[returns("true", "")];
const LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

const fn at(name: &'static str, body: fn(&mut Call) -> Result<Value, Fault>) -> Function {
    of(name, "A message of this level.", SAID, DONE, body)
}

pub(super) const LOG: &[Function] = &[
    at("log.debug", |call| say(call, "debug")),
    at("log.info", |call| say(call, "info")),
    at("log.notice", |call| say(call, "notice")),
    at("log.warning", |call| say(call, "warning")),
    at("log.warn", |call| say(call, "warning")),
    at("log.error", |call| say(call, "error")),
    at("log.critical", |call| say(call, "critical")),
    at("log.alert", |call| say(call, "alert")),
    at("log.emergency", |call| say(call, "emergency")),
    of(
        "log.write",
        "A message of any level, from a logger with a name.",
        &[
            param("level", Kind::String, "string", "debug, info, notice, warning, error, critical, alert or emergency"),
            param("message", Kind::String, "string", ""),
            optional("data", Kind::Any, "any", ""),
            optional("logger", Kind::String, "string", ""),
        ],
        DONE,
        write,
    ),
];

pub(super) const LOGGER: &[Function] = &[
    at("Logger:debug", |call| say(call, "debug")),
    at("Logger:info", |call| say(call, "info")),
    at("Logger:warn", |call| say(call, "warning")),
    at("Logger:error", |call| say(call, "error")),
    of(
        "Logger:with",
        "A logger that says these fields each time.",
        &[param("fields", Kind::Table, "table", "")],
        &[returns("Logger", "")],
        with,
    ),
    of(
        "Logger:named",
        "A logger with a name.",
        &[param("name", Kind::String, "string", "")],
        &[returns("Logger", "")],
        named,
    ),
];

pub(super) const PROGRESS: &[Function] = &[of(
    "progress.report",
    "How far the call has come. Clients that did not ask are not told.",
    &[
        param("progress", Kind::Number, "number", "more than the time before"),
        optional("total", Kind::Number, "number", ""),
        optional("message", Kind::String, "string", ""),
    ],
    DONE,
    |call| {
        let (progress, total, message) = (call.value(), call.value(), call.text_or_none()?);
        let number = |value: &Value| match value {
            Value::Integer(value) => json!(value),
            value => json!(float(value)),
        };
        let arguments = json!({"progress": number(&progress), "total": number(&total), "message": message});
        call.post("progress", arguments)?;
        Ok(Value::Boolean(true))
    },
)];

/// The module itself is a logger without a name.
pub(super) fn constants(lua: &Lua, module: &Table) -> mlua::Result<()> {
    let metatable: Table = lua.named_registry_value(&format!("{}Logger", super::fault::CLASS))?;
    module.set_metatable(Some(metatable))
}

/// A message, with the fields and the name of the logger that it was said to, if it was one.
fn say(call: &mut Call, level: &str) -> Result<Value, Fault> {
    // A log takes every text.
    let message = String::from_utf8_lossy(&call.bytes()).into_owned();
    let (data, fields, logger) = (call.json("data")?, fields(call)?, name(call)?);
    let data = match (fields, data) {
        (fields, Json::Null) if fields.is_empty() => Json::Null,
        (fields, Json::Null) => Json::Object(fields),
        (mut fields, Json::Object(data)) => {
            fields.extend(data);
            Json::Object(fields)
        }
        (fields, data) if fields.is_empty() => data,
        (mut fields, data) => {
            fields.insert("data".to_owned(), data);
            Json::Object(fields)
        }
    };
    tell(call, level, &message, data, logger)
}

fn tell(call: &Call, level: &str, message: &str, data: Json, logger: Option<String>) -> Result<Value, Fault> {
    let mut arguments = json!({"level": level, "message": message});
    if let Json::Object(arguments) = &mut arguments {
        arguments.extend((!data.is_null()).then_some(("data".to_owned(), data)));
        arguments.extend(logger.map(|logger| ("logger".to_owned(), logger.into())));
    }
    call.post("log", arguments)?;
    Ok(Value::Boolean(true))
}

fn write(call: &mut Call) -> Result<Value, Fault> {
    let level = call.text()?.to_ascii_lowercase();
    let level = if level == "warn" { "warning".to_owned() } else { level };
    if !LEVELS.contains(&level.as_str()) {
        return Err(call.blame(&format!("level must be one of {}", LEVELS.join(", "))).into());
    }
    let message = String::from_utf8_lossy(&call.bytes()).into_owned();
    let (data, logger) = (call.json("data")?, call.text_or_none()?);
    tell(call, &level, &message, data, logger)
}

fn fields(call: &Call) -> Result<Map<String, Json>, Fault> {
    let Some(this) = &call.this else { return Ok(Map::new()) };
    match call.encode(&this.raw_get("_fields")?, "fields")? {
        Json::Object(fields) => Ok(fields),
        _ => Ok(Map::new()),
    }
}

fn name(call: &Call) -> Result<Option<String>, Fault> {
    call.this.as_ref().map_or(Ok(None), |this| Ok(this.raw_get("_name")?))
}

/// A logger like the one that the method was called on.
fn copy(call: &Call, fields: &Map<String, Json>, name: Option<String>) -> Result<Value, Fault> {
    let logger: Table = call.object("Logger")?;
    logger.raw_set("_fields", call.decode(&json!(fields))?)?;
    logger.raw_set("_name", name)?;
    Ok(Value::Table(logger))
}

fn with(call: &mut Call) -> Result<Value, Fault> {
    let (more, mut fields, name) = (call.json("fields")?, fields(call)?, name(call)?);
    let Json::Object(more) = more else { return Err(call.blame("fields have names").into()) };
    fields.extend(more);
    copy(call, &fields, name)
}

fn named(call: &mut Call) -> Result<Value, Fault> {
    let name = call.text()?;
    if name.is_empty() {
        return Err(call.blame("a logger's name is some text").into());
    }
    copy(call, &fields(call)?, Some(name))
}
