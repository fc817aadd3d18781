//! The Lua state of one call of a declared handler.
//!
//! Owns: what is in it before the call is known, what the entry's lists add to that, and what becomes of the result.
//! Never: serves a second call.

use std::rc::Rc;

use mlua::{ChunkMode, Function, IntoLua as _, Lua, MultiValue, String as LuaString, Table, Value};
use serde_json::{Map, Value as Json, json};

use super::state::{self, BASE, BASE_SOURCE, OUT_OF_MEMORY, plain};
use crate::frame::{Call, ToServer};
use crate::library::modules::{self, Modules};
use crate::{Host, values};

const HANDLER: &str = "wardroom:handler";
const HANDLER_SOURCE: &str = include_str!("handler.lua");

/// Our own two files, compiled once for a process: a call would spend more on them than on anything else.
pub(super) struct Images {
    base: Vec<u8>,
    handler: Vec<u8>,
}

impl Images {
    pub(super) fn new() -> mlua::Result<Self> {
        let lua = state::bare()?;
        let image = |source: &str, name: &str| -> mlua::Result<Vec<u8>> {
            let chunk = lua.load(source).set_name(format!("={name}")).set_mode(ChunkMode::Text);
            Ok(chunk.into_function()?.dump(false))
        };
        Ok(Self { base: image(BASE_SOURCE, BASE)?, handler: image(HANDLER_SOURCE, HANDLER)? })
    }

    /// What these bytes are is what this process made of its own source.
    fn load(lua: &Lua, image: &[u8]) -> mlua::Result<Function> {
        lua.load(image).set_mode(ChunkMode::Binary).into_function()
    }
}

pub(super) struct Handler {
    lua: Lua,
    base: Table,
    handler: Table,
}

impl Handler {
    /// Everything that can be made before the call is known; these modules are probably wanted.
    pub(super) fn new(host: &Rc<dyn Host>, images: &Images, likely: &[String]) -> mlua::Result<Self> {
        let lua = state::bare()?;
        let native = state::native(&lua, host)?;
        let base: Table = Images::load(&lua, &images.base)?.call(&native)?;
        let modules = Rc::new(Modules::new(&lua, Rc::clone(host))?);
        extend(&lua, &native, host, &modules)?;
        let handler: Table = Images::load(&lua, &images.handler)?.call((native, &base))?;
        modules::begin(&lua, handler.raw_get("fault")?)?;
        for name in likely {
            modules.module(&lua, name)?;
        }
        Ok(Self { lua, base, handler })
    }

    /// Runs to the end.
    pub(super) fn call(&self, call: &Call) -> ToServer {
        match self.try_call(call) {
            Ok(end) => end,
            Err(mlua::Error::MemoryError(_)) => ToServer::Memory,
            Err(error) => failed(plain(&error)),
        }
    }

    fn try_call(&self, call: &Call) -> mlua::Result<ToServer> {
        let mut arguments = MultiValue::new();
        let given = if let Json::Array(several) = &call.arguments {
            several.as_slice()
        } else {
            std::slice::from_ref(&call.arguments)
        };
        for argument in given {
            match values::from_json(&self.lua, argument) {
                Ok(argument) => arguments.push_back(argument),
                Err(error) => return Ok(failed(format!("arguments: {error}"))),
            }
        }
        self.base.raw_get::<Function>("seed")?.call::<()>(call.seed.cast_signed())?;
        let prepared = (
            call.id.as_str(),
            self.lua.create_sequence_from(call.modules.iter().map(String::as_str))?,
            imports(&self.lua, call)?,
        );
        if let Err(error) = self.handler.raw_get::<Function>("prepare")?.call::<()>(prepared) {
            return if matches!(error, mlua::Error::MemoryError(_)) { Err(error) } else { Ok(failed(plain(&error))) };
        }
        let compile: Function = self.base.raw_get("compile")?;
        let place = format!("@{}", call.id);
        let chunk = match compile.call::<(Option<Function>, Option<LuaString>)>((call.source.as_str(), place, "t"))? {
            (Some(chunk), _) => chunk,
            (None, message) => {
                return Ok(failed(message.map_or_else(String::new, |message| message.to_string_lossy())));
            }
        };
        let body: Function = self.handler.raw_get("call")?;
        for value in [
            chunk.into_lua(&self.lua)?,
            call.id.as_str().into_lua(&self.lua)?,
            call.method.as_str().into_lua(&self.lua)?,
        ]
        .into_iter()
        .rev()
        {
            arguments.push_front(value);
        }
        let run: Function = self.base.raw_get("run")?;
        let (is_over, first, second): (bool, Value, Value) = run.call((body, arguments))?;
        match (is_over, first, second) {
            (true, Value::Boolean(true), value) => Ok(self.returned("value", &value)),
            (true, _, problem) => Ok(self.returned("error", &problem)),
            (false, Value::Table(error), _) => {
                if let Some(fields) = error.raw_get::<Option<Table>>("fields")? {
                    return Ok(self.returned("error", &Value::Table(fields)));
                }
                let message = error.raw_get::<LuaString>("message")?.to_string_lossy();
                let traceback = error.raw_get::<Option<LuaString>>("traceback")?.map(|text| text.to_string_lossy());
                Ok(ToServer::Failed { message: advised(message, call), traceback })
            }
            // Here Lua could not call what describes an error.
            (false, Value::String(message), _) if message == OUT_OF_MEMORY => Ok(ToServer::Memory),
            (false, Value::String(message), _) => Ok(failed(message.to_string_lossy())),
            (false, Value::Error(error), _) => Ok(failed(plain(&error))),
            (false, ..) => Ok(failed("an error while an error was described".to_owned())),
        }
    }

    fn returned(&self, name: &str, value: &Value) -> ToServer {
        let blamed = if name == "error" { "the error" } else { "the result" };
        match values::to_json(&self.lua, value, blamed) {
            Ok(value) => ToServer::Returned(Json::Object(Map::from_iter([(name.to_owned(), value)]))),
            Err(message) => failed(message),
        }
    }
}

fn failed(message: String) -> ToServer {
    ToServer::Failed { message, traceback: None }
}

fn imports(lua: &Lua, call: &Call) -> mlua::Result<Table> {
    lua.create_table_from(call.imports.iter().map(|(name, entry)| (name.as_str(), entry.as_str())))
}

/// A message about a global that is nil says how to have it, where it is a module.
fn advised(message: String, call: &Call) -> String {
    let name = message.split_once("(global '").and_then(|(_, rest)| rest.split_once("')")).map(|(name, _)| name);
    let is_listed = |name: &str| call.modules.iter().any(|module| module == name) || call.imports.contains_key(name);
    match name.filter(|name| modules::is_known(name) && !is_listed(name)) {
        Some(name) => format!("{message}: {}", modules::unlisted(name, &call.id)),
        None => message,
    }
}

/// What `handler.lua` takes from outside Lua beside what `base.lua` takes.
fn extend(lua: &Lua, native: &Table, host: &Rc<dyn Host>, modules: &Rc<Modules>) -> mlua::Result<()> {
    let modules = Rc::clone(modules);
    native.raw_set(
        "module",
        lua.create_function(move |lua, name: LuaString| {
            let name = name.to_string_lossy();
            let module = modules.module(lua, &name)?;
            module.ok_or_else(|| mlua::Error::runtime(modules::unknown(&name)))
        })?,
    )?;
    native.raw_set(
        "unlisted",
        lua.create_function(|_, (name, id): (LuaString, LuaString)| {
            Ok(modules::unlisted(&name.to_string_lossy(), &id.to_string_lossy()))
        })?,
    )?;
    let host = Rc::clone(host);
    native.raw_set(
        "import",
        lua.create_function(move |lua, entry: LuaString| {
            let found = match host.ask("import", json!({"id": entry.to_string_lossy()})) {
                Ok(found) => found,
                Err(message) => return Ok((Value::Nil, lua.create_string(message)?.into_lua(lua)?, Value::Nil)),
            };
            let source = found.get("source").and_then(Json::as_str);
            let source = source.ok_or_else(|| mlua::Error::runtime("the server's answer has no source"))?;
            let field = |name: &str, otherwise: Json| {
                found.get(name).cloned().filter(|value| !value.is_null()).unwrap_or(otherwise)
            };
            let table = |value: &Json| values::from_json(lua, value).map_err(mlua::Error::runtime);
            Ok((
                Value::String(lua.create_string(source)?),
                table(&field("modules", json!([])))?,
                table(&field("imports", json!({})))?,
            ))
        })?,
    )
}
