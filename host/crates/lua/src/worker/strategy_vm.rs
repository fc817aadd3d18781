//! The Lua state of a strategy's run, and the parts that handlers share.
//!
//! Owns: the globals (`base.lua` has the allow-list), the memory limit, and the conversion of errors.
//! Never: loads bytecode, or gives a script a Lua function that reaches the system.

use std::rc::Rc;

use mlua::{ChunkMode, Function, IntoLua as _, Lua, LuaOptions, StdLib, String as LuaString, Table, Value};

use super::native;
use crate::library::{self, InstalledLibrary};
use crate::limits::MAX_LUA_MEMORY_BYTES;
use crate::protocol::{EntryPoint, MessageToServer, StrategyRequest};
use crate::traceback::{BASE_CHUNK_NAME, REST_CHUNK_NAME};
use crate::{ScriptHost, json_conversion};

/// Lua's own message, which needs no allocation.
pub(super) const OUT_OF_MEMORY_MESSAGE: &str = "not enough memory";
pub(super) const BASE_SOURCE: &str = include_str!("base.lua");
pub(super) const BASE_REST_SOURCE: &str = include_str!("base_rest.lua");

pub(super) struct StrategyVm {
    lua: Lua,
    base: Table,
    library: InstalledLibrary,
}

impl StrategyVm {
    /// Creates everything that does not depend on the run.
    pub(super) fn new(host: Rc<dyn ScriptHost>) -> mlua::Result<Self> {
        let lua = create_lua()?;
        let load = |lua: &Lua, source, name| {
            lua.load(source).set_name(format!("={name}")).set_mode(ChunkMode::Text).into_function()
        };
        let load_rest = move |lua: &Lua, name: &str| {
            (name == "base_rest").then(|| load(lua, BASE_REST_SOURCE, REST_CHUNK_NAME)).transpose()
        };
        let native = native::create_table(&lua, &host, load_rest)?;
        let base: Table = load(&lua, BASE_SOURCE, BASE_CHUNK_NAME)?.call(native)?;
        let library = library::install(&lua, host)?;
        base.get::<Function>("protect")?.call::<()>(())?;
        start_collector(&lua)?;
        Ok(Self { lua, base, library })
    }

    /// Runs the strategy to its end.
    pub(super) fn run(&self, start: &StrategyRequest) -> MessageToServer {
        match self.try_run(start) {
            Ok(end) => end,
            Err(error) if is_out_of_memory(&error) => MessageToServer::Memory,
            Err(error) => MessageToServer::Failed { message: error_message(&error), traceback: None },
        }
    }

    fn try_run(&self, start: &StrategyRequest) -> mlua::Result<MessageToServer> {
        let failed = |message| Ok(MessageToServer::Failed { message, traceback: None });
        let context = match json_conversion::from_payload(&self.lua, &start.context) {
            Ok(context) => context,
            Err(error) => return failed(format!("ctx: {error}")),
        };
        self.lua.globals().raw_set("ctx", context)?;
        self.library.begin_run(&start.context);
        self.base.get::<Function>("seed")?.call::<()>(start.seed.cast_signed())?;
        let body = match &start.entry {
            EntryPoint::Package { name } => (self.base.get::<Function>("package")?, name.as_str().into_lua(&self.lua)?),
            EntryPoint::Code { name, source } => {
                let compile: Function = self.base.get("compile")?;
                let place = format!("@{name}");
                match compile.call::<(Option<Function>, Option<LuaString>)>((source.as_str(), place, "t"))? {
                    (Some(body), _) => (body, Value::Nil),
                    (None, message) => {
                        return failed(message.map_or_else(String::new, |message| message.to_string_lossy()));
                    }
                }
            }
        };
        let (ok, result): (bool, Value) = self.base.get::<Function>("run")?.call(body)?;
        if ok {
            return match json_conversion::to_payload(&self.lua, &result, "the result") {
                Ok(value) => Ok(MessageToServer::Returned(value)),
                Err(message) => failed(message),
            };
        }
        match result {
            Value::Table(error) => {
                let message: LuaString = error.raw_get("message")?;
                let traceback: Option<LuaString> = error.raw_get("traceback")?;
                let traceback = traceback.map(|text| text.to_string_lossy());
                Ok(MessageToServer::Failed { message: message.to_string_lossy(), traceback })
            }
            // A string instead of a table: Lua could not call the message handler.
            Value::String(message) if message == OUT_OF_MEMORY_MESSAGE => Ok(MessageToServer::Memory),
            Value::String(message) => failed(message.to_string_lossy()),
            Value::Error(error) => failed(error_message(&error)),
            _ => failed("an error while an error was described".to_owned()),
        }
    }
}

/// What a script may allocate before the collector looks at its state for the first time. Most handlers need less.
const UNCOLLECTED_KIB: i32 = 256;

/// Creates a state with those parts of Lua's library that `base.lua` allows in whole or in part. Its collector waits for
/// [`start_collector`]: nothing that is created before is garbage, and a collection would only visit it.
pub(super) fn create_lua() -> mlua::Result<Lua> {
    let libraries = StdLib::COROUTINE | StdLib::TABLE | StdLib::STRING | StdLib::UTF8 | StdLib::MATH;
    #[expect(
        clippy::redundant_clone,
        reason = "the first handle looks for garbage when it is dropped: here, where there is none, and not before the state is freed"
    )]
    let lua = Lua::new_with(StdLib::NONE, LuaOptions::new())?.clone();
    lua.gc_stop();
    lua.load_std_libs(libraries)?;
    lua.set_memory_limit(MAX_LUA_MEMORY_BYTES)?;
    Ok(lua)
}

/// Lets the collector of a complete state run.
pub(super) fn start_collector(lua: &Lua) -> mlua::Result<()> {
    lua.gc_restart();
    // A step of a negative size makes no step: it puts the first one off.
    lua.gc_step_kbytes(-UNCOLLECTED_KIB).map(drop)
}

/// The message without mlua's additions such as the traceback, which are useless to a script.
pub(super) fn error_message(error: &mlua::Error) -> String {
    match error {
        mlua::Error::CallbackError { cause, .. } => error_message(cause),
        mlua::Error::RuntimeError(message) | mlua::Error::SyntaxError { message, .. } => message.clone(),
        mlua::Error::MemoryError(_) => OUT_OF_MEMORY_MESSAGE.to_owned(),
        other => other.to_string(),
    }
}

/// Whether Lua had no memory, also in a function of the host.
pub(super) fn is_out_of_memory(error: &mlua::Error) -> bool {
    match error {
        mlua::Error::CallbackError { cause, .. } => is_out_of_memory(cause),
        other => matches!(other, mlua::Error::MemoryError(_)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of many sizes are taken, grown and given back. What is left of them is looked at in the end.
    const TAKE_AND_GIVE_BACK: &str = r#"
        local rounds = ...
        local kept = {}
        local function text(size, round) return string.rep(string.char(65 + (size + round) % 26), size * 7 % 1500) end
        for round = 1, rounds do
            for size = 1, 200 do
                local list = {}
                for item = 1, size do list[item] = item end
                for item = size, 1, -2 do list[item] = nil end
                kept[size .. ":" .. round] = { text = text(size, round), list = list, each = function() return size * round end }
            end
            for size = 1, 200, 3 do kept[size .. ":" .. round] = nil end
            collectgarbage()
        end
        local found = 0
        for round = 1, rounds do
            for size = 1, 200 do
                local one = kept[size .. ":" .. round]
                assert((one == nil) == (size % 3 == 1))
                if one then
                    assert(one.text == text(size, round) and one.each() == size * round)
                    for item = 1, size do assert(one.list[item] == ((size - item) % 2 == 1 and item or nil)) end
                    found = found + 1
                end
            end
        end
        return found
    "#;

    #[test]
    fn blocks_keep_what_is_in_them() {
        for rounds in [1, 30] {
            let lua = create_lua().unwrap();
            start_collector(&lua).unwrap();
            let found: usize = lua.load(TAKE_AND_GIVE_BACK).call(rounds).unwrap();
            assert_eq!(found, 133 * rounds);
        }
    }

    /// A state that never needed more than its pool is not visited object by object when it ends.
    #[test]
    fn state_of_any_size_gives_back_what_host_gave() {
        for script in ["return function() return host end", "kept = {} for at = 1, 100000 do kept[at] = {host} end"] {
            let given = Rc::new(());
            let lua = create_lua().unwrap();
            let own = Rc::clone(&given);
            let function = lua.create_function(move |_, ()| Ok(Rc::strong_count(&own))).unwrap();
            lua.globals().set("host", function).unwrap();
            lua.load(script).exec().unwrap();
            assert_eq!(Rc::strong_count(&given), 2);
            drop(lua);
            assert_eq!(Rc::strong_count(&given), 1, "{script}");
        }
    }
}
