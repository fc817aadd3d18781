//! The functions that `base.lua` and `handler.lua` call and do not have themselves: native ones, and the rest of each.
//!
//! Owns: when each is created: on its first use, since most runs and calls use few of them. Those that describe an error are there
//! from the beginning: it may be that no memory or no stack is left.
//! Never: is seen by a script, or has an effect except through the [`ScriptHost`].

use std::rc::Rc;

use mlua::{Function, IntoLua as _, Lua, String as LuaString, Table, Value};
use serde_json::{Value as Json, json};

use super::os_time;
use super::strategy_vm::error_message;
use crate::limits::MAX_LUA_SOURCE_BYTES;
use crate::{ScriptHost, json_conversion, traceback};
use wardroom_base::limits::MAX_QUOTED_INPUT_BYTES;
use wardroom_base::payload::Payload;

/// Creates the table of the native functions of `base.lua`, and of `others`, by name.
pub(super) fn create_table(
    lua: &Lua,
    host: &Rc<dyn ScriptHost>,
    others: impl Fn(&Lua, &str) -> mlua::Result<Option<Function>> + 'static,
) -> mlua::Result<Table> {
    let native = lua.create_table()?;
    native.raw_set("max_source", MAX_LUA_SOURCE_BYTES)?;
    native.raw_set(
        "plain",
        lua.create_function(|lua, raised: Value| match raised {
            Value::Error(error) => error_message(&error).into_lua(lua),
            other => Ok(other),
        })?,
    )?;
    native.raw_set(
        "json",
        lua.create_function(|lua, value: Value| {
            let text = json_conversion::to_json_text(lua, &value, "the error").ok();
            Ok(text.map(|text| text.chars().take(MAX_QUOTED_INPUT_BYTES).collect::<String>()))
        })?,
    )?;
    native.raw_set("traceback", traceback::create_function(lua)?)?;
    let host = Rc::clone(host);
    let create_on_use = lua.create_function(move |lua, (native, name): (Table, LuaString)| {
        let function = match create_function(lua, &host, &name.to_str()?)? {
            None => others(lua, &name.to_str()?)?,
            found => found,
        };
        native.raw_set(name, function.as_ref())?;
        Ok(function)
    })?;
    let metatable = lua.create_table()?;
    metatable.raw_set("__index", create_on_use)?;
    native.set_metatable(Some(metatable))?;
    Ok(native)
}

/// Creates a function of `base.lua`; `None` for another name.
fn create_function(lua: &Lua, host: &Rc<dyn ScriptHost>, name: &str) -> mlua::Result<Option<Function>> {
    let host = Rc::clone(host);
    let function = match name {
        "print" => lua.create_function(move |_, text: LuaString| {
            let arguments = json!({"level": "info", "message": text.to_string_lossy(), "source": "print"});
            host.notify("log", arguments).map_err(mlua::Error::runtime)
        }),
        "env" => lua.create_function(move |lua, name: LuaString| {
            let value = request(&*host, "env", json!({"name": name.to_string_lossy()}))?.into_value();
            value.as_str().map(|value| lua.create_string(value)).transpose()
        }),
        "require" => lua.create_function(move |lua, module: LuaString| {
            let found = match host.request("require", json!({"module": module.to_string_lossy()})) {
                Ok(found) => found.into_value(),
                Err(message) => return Ok((message, None)),
            };
            let text = |field: &str| found.get(field).and_then(Json::as_str);
            let (Some(name), Some(source)) = (text("name"), text("source")) else {
                return Ok(("the server's answer has no source".to_owned(), None));
            };
            Ok((name.to_owned(), Some(lua.create_string(source)?)))
        }),
        "now" => lua.create_function(move |_, ()| {
            let now = request(&*host, "time", json!({}))?.into_value();
            now.as_f64().ok_or_else(|| mlua::Error::runtime("the server's answer is not a time"))
        }),
        "date" => lua.create_function(|_, (format, time): (LuaString, i64)| {
            Ok(os_time::format_time(&format.to_string_lossy(), time))
        }),
        "time_of" => {
            lua.create_function(|_, fields: (i64, i64, i64, i64, i64, i64)| Ok(os_time::timestamp_from_fields(fields)))
        }
        "fields_of" => lua.create_function(|lua, time: i64| {
            let Some(fields) = os_time::calendar_fields(time) else { return Ok(None) };
            let table = lua.create_table()?;
            for (name, value) in fields {
                table.raw_set(name, value)?;
            }
            table.raw_set("isdst", false)?;
            Ok(Some(table))
        }),
        _ => return Ok(None),
    };
    function.map(Some)
}

fn request(host: &dyn ScriptHost, operation: &str, arguments: Json) -> mlua::Result<Payload> {
    host.request(operation, arguments).map_err(mlua::Error::runtime)
}
