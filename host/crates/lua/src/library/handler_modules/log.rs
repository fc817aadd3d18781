//! `log`, `logger` and `progress`: messages that a handler sends while it runs.

use mlua::{Lua, Table, Value};
use serde_json::{Map, Value as Json, json};

use super::{ModuleError, module_function};
use crate::library::function::{
    FunctionCall, FunctionParam, FunctionReturn, LibraryFunction, ParamKind, as_float, optional_param, param, returns,
};

const MESSAGE_PARAMS: &[FunctionParam] = &[
    param("message", ParamKind::String, "string", ""),
    optional_param("data", ParamKind::Any, "any", "further fields"),
];
const RETURNS_TRUE: &[FunctionReturn] = &[returns("true", "")];
const LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

const fn level_function(
    name: &'static str,
    body: fn(&mut FunctionCall) -> Result<Value, ModuleError>,
) -> LibraryFunction {
    module_function(name, "Logs a message of this level.", MESSAGE_PARAMS, RETURNS_TRUE, body)
}

pub(super) const LOG: &[LibraryFunction] = &[
    level_function("log.debug", |call| log_with_fields(call, "debug")),
    level_function("log.info", |call| log_with_fields(call, "info")),
    level_function("log.notice", |call| log_with_fields(call, "notice")),
    level_function("log.warning", |call| log_with_fields(call, "warning")),
    level_function("log.warn", |call| log_with_fields(call, "warning")),
    level_function("log.error", |call| log_with_fields(call, "error")),
    level_function("log.critical", |call| log_with_fields(call, "critical")),
    level_function("log.alert", |call| log_with_fields(call, "alert")),
    level_function("log.emergency", |call| log_with_fields(call, "emergency")),
    module_function(
        "log.write",
        "Logs a message of any level, from a logger with a name.",
        &[
            param(
                "level",
                ParamKind::String,
                "string",
                "debug, info, notice, warning, error, critical, alert or emergency",
            ),
            param("message", ParamKind::String, "string", ""),
            optional_param("data", ParamKind::Any, "any", ""),
            optional_param("logger", ParamKind::String, "string", ""),
        ],
        RETURNS_TRUE,
        write,
    ),
];

pub(super) const LOGGER: &[LibraryFunction] = &[
    level_function("Logger:debug", |call| log_with_fields(call, "debug")),
    level_function("Logger:info", |call| log_with_fields(call, "info")),
    level_function("Logger:warn", |call| log_with_fields(call, "warning")),
    level_function("Logger:error", |call| log_with_fields(call, "error")),
    module_function(
        "Logger:with",
        "A logger that adds these fields to each message.",
        &[param("fields", ParamKind::Table, "table", "")],
        &[returns("Logger", "")],
        with_fields,
    ),
    module_function(
        "Logger:named",
        "A logger with a name.",
        &[param("name", ParamKind::String, "string", "")],
        &[returns("Logger", "")],
        with_name,
    ),
];

pub(super) const PROGRESS: &[LibraryFunction] = &[module_function(
    "progress.report",
    "Reports the progress of the call, to a client that requested it.",
    &[
        param("progress", ParamKind::Number, "number", "greater than in the report before"),
        optional_param("total", ParamKind::Number, "number", ""),
        optional_param("message", ParamKind::String, "string", ""),
    ],
    RETURNS_TRUE,
    |call| {
        let (progress, total, message) = (call.next_value(), call.next_value(), call.next_optional_text()?);
        let number = |value: &Value| match value {
            Value::Integer(value) => json!(value),
            value => json!(as_float(value)),
        };
        let arguments = json!({"progress": number(&progress), "total": number(&total), "message": message});
        call.notify("progress", arguments)?;
        Ok(Value::Boolean(true))
    },
)];

/// Makes the module itself a logger without a name.
pub(super) fn add_constants(lua: &Lua, module: &Table) -> mlua::Result<()> {
    let metatable: Table =
        lua.named_registry_value(&format!("{}Logger", crate::library::module_error::CLASS_KEY_PREFIX))?;
    module.set_metatable(Some(metatable))
}

/// Logs a message, with the fields and the name of the logger if it is called as a method.
fn log_with_fields(call: &mut FunctionCall, level: &str) -> Result<Value, ModuleError> {
    // The log accepts every text, also invalid UTF-8.
    let message = String::from_utf8_lossy(&call.next_bytes()).into_owned();
    let (data, fields, logger) = (call.next_json("data")?, logger_fields(call)?, logger_name(call)?);
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
    send_log(call, level, &message, data, logger)
}

fn send_log(
    call: &FunctionCall,
    level: &str,
    message: &str,
    data: Json,
    logger: Option<String>,
) -> Result<Value, ModuleError> {
    let mut arguments = json!({"level": level, "message": message});
    if let Json::Object(arguments) = &mut arguments {
        arguments.extend((!data.is_null()).then_some(("data".to_owned(), data)));
        arguments.extend(logger.map(|logger| ("logger".to_owned(), logger.into())));
    }
    call.notify("log", arguments)?;
    Ok(Value::Boolean(true))
}

fn write(call: &mut FunctionCall) -> Result<Value, ModuleError> {
    let level = call.next_text()?.to_ascii_lowercase();
    let level = if level == "warn" { "warning".to_owned() } else { level };
    if !LEVELS.contains(&level.as_str()) {
        return Err(call.format_error(&format!("level must be one of {}", LEVELS.join(", "))).into());
    }
    let message = String::from_utf8_lossy(&call.next_bytes()).into_owned();
    let (data, logger) = (call.next_json("data")?, call.next_optional_text()?);
    send_log(call, &level, &message, data, logger)
}

fn logger_fields(call: &FunctionCall) -> Result<Map<String, Json>, ModuleError> {
    let Some(this) = &call.this else { return Ok(Map::new()) };
    match call.encode(&this.raw_get("_fields")?, "fields")? {
        Json::Object(fields) => Ok(fields),
        _ => Ok(Map::new()),
    }
}

fn logger_name(call: &FunctionCall) -> Result<Option<String>, ModuleError> {
    call.this.as_ref().map_or(Ok(None), |this| Ok(this.raw_get("_name")?))
}

/// Creates a logger with these fields and this name.
fn create_logger(call: &FunctionCall, fields: &Map<String, Json>, name: Option<String>) -> Result<Value, ModuleError> {
    let logger: Table = call.new_object("Logger")?;
    logger.raw_set("_fields", call.decode(&json!(fields))?)?;
    logger.raw_set("_name", name)?;
    Ok(Value::Table(logger))
}

fn with_fields(call: &mut FunctionCall) -> Result<Value, ModuleError> {
    let (more, mut fields, name) = (call.next_json("fields")?, logger_fields(call)?, logger_name(call)?);
    let Json::Object(more) = more else { return Err(call.format_error("each field must have a name").into()) };
    fields.extend(more);
    create_logger(call, &fields, name)
}

fn with_name(call: &mut FunctionCall) -> Result<Value, ModuleError> {
    let name = call.next_text()?;
    if name.is_empty() {
        return Err(call.format_error("the name of a logger must not be empty").into());
    }
    create_logger(call, &logger_fields(call)?, Some(name))
}
