//! The Lua state of one call of a declared handler.
//!
//! Owns: the globals before the call is known, the modules and imports that the entry adds, and the result's encoding.
//! Never: serves a second call.

use std::rc::Rc;

use mlua::{ChunkMode, Function, IntoLua as _, Lua, MultiValue, String as LuaString, Table, Value};
use serde_json::{Value as Json, json};

use super::native;
use super::strategy_vm::{self, BASE_REST_SOURCE, BASE_SOURCE, OUT_OF_MEMORY_MESSAGE, error_message, is_out_of_memory};
use crate::library::handler_modules::{self, ModuleLoader};
use crate::protocol::{HandlerRequest, MessageToServer};
use crate::traceback::{BASE_CHUNK_NAME, REST_CHUNK_NAME};
use crate::{ScriptHost, json_conversion};

const HANDLER_CHUNK_NAME: &str = "wardroom:handler";
const HANDLER_SOURCE: &str = include_str!("handler.lua");
const HANDLER_REST_SOURCE: &str = include_str!("handler_rest.lua");

/// `base.lua`, `handler.lua` and the rest of each, compiled once per process: their compilation would dominate the time of a call.
/// Without the names of locals and the numbers of lines, which no message shows, the two that each call needs load in half the time.
pub(super) struct Bytecode {
    base: Vec<u8>,
    base_rest: Vec<u8>,
    handler: Vec<u8>,
    handler_rest: Vec<u8>,
}

impl Bytecode {
    pub(super) fn new() -> mlua::Result<Self> {
        let lua = strategy_vm::create_lua()?;
        let compile = |source: &str, name: &str| -> mlua::Result<Vec<u8>> {
            let chunk = lua.load(source).set_name(format!("={name}")).set_mode(ChunkMode::Text);
            Ok(chunk.into_function()?.dump(name != REST_CHUNK_NAME))
        };
        Ok(Self {
            base: compile(BASE_SOURCE, BASE_CHUNK_NAME)?,
            base_rest: compile(BASE_REST_SOURCE, REST_CHUNK_NAME)?,
            handler: compile(HANDLER_SOURCE, HANDLER_CHUNK_NAME)?,
            handler_rest: compile(HANDLER_REST_SOURCE, REST_CHUNK_NAME)?,
        })
    }

    /// Loads bytecode, which is safe because this process compiled it from its own source.
    fn load_function(lua: &Lua, bytecode: &[u8]) -> mlua::Result<Function> {
        lua.load(bytecode).set_mode(ChunkMode::Binary).into_function()
    }
}

pub(super) struct HandlerVm {
    lua: Lua,
    base: Table,
    handler: Table,
}

impl HandlerVm {
    /// Creates everything that does not depend on the call, and loads the modules that it will probably list.
    pub(super) fn new(host: &Rc<dyn ScriptHost>, bytecode: &Rc<Bytecode>, likely: &[String]) -> mlua::Result<Self> {
        let lua = strategy_vm::create_lua()?;
        let modules = Rc::new(ModuleLoader::new(&lua, Rc::clone(host))?);
        let (own_host, own_bytecode, loader) = (Rc::clone(host), Rc::clone(bytecode), Rc::clone(&modules));
        let create = move |lua: &Lua, name: &str| match name {
            "base_rest" => Bytecode::load_function(lua, &own_bytecode.base_rest).map(Some),
            "handler_rest" => Bytecode::load_function(lua, &own_bytecode.handler_rest).map(Some),
            _ => create_native_function(lua, name, &own_host, &loader),
        };
        let native = native::create_table(&lua, host, create)?;
        let base: Table = Bytecode::load_function(&lua, &bytecode.base)?.call(&native)?;
        let handler: Table = Bytecode::load_function(&lua, &bytecode.handler)?.call((native, &base))?;
        handler_modules::register_error_constructor(&lua, handler.raw_get("fault")?)?;
        for name in likely {
            modules.load(&lua, name)?;
        }
        strategy_vm::start_collector(&lua)?;
        Ok(Self { base, handler, lua })
    }

    /// Runs the call to its end.
    pub(super) fn run_call(&self, call: &HandlerRequest) -> MessageToServer {
        match self.try_call(call) {
            Ok(end) => end,
            Err(error) if is_out_of_memory(&error) => MessageToServer::Memory,
            Err(error) => failure_message(error_message(&error)),
        }
    }

    fn try_call(&self, call: &HandlerRequest) -> mlua::Result<MessageToServer> {
        let mut arguments = match json_conversion::arguments_from_payload(&self.lua, &call.arguments) {
            Ok(arguments) => MultiValue::from_vec(arguments),
            Err(error) => return Ok(failure_message(format!("arguments: {error}"))),
        };
        self.base.raw_get::<Function>("seed")?.call::<()>(call.seed.cast_signed())?;
        let prepared = (
            call.id.as_str(),
            self.lua.create_sequence_from(call.modules.iter().map(String::as_str))?,
            create_imports_table(&self.lua, call)?,
        );
        if let Err(error) = self.handler.raw_get::<Function>("prepare")?.call::<()>(prepared) {
            return if is_out_of_memory(&error) { Err(error) } else { Ok(failure_message(error_message(&error))) };
        }
        let compile: Function = self.base.raw_get("compile")?;
        let place = format!("@{}", call.id);
        let chunk = match compile.call::<(Option<Function>, Option<LuaString>)>((call.source.as_str(), place, "t"))? {
            (Some(chunk), _) => chunk,
            (None, message) => {
                return Ok(failure_message(message.map_or_else(String::new, |message| message.to_string_lossy())));
            }
        };
        let body: Function = self.handler.raw_get(if call.is_check { "check" } else { "call" })?;
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
            (true, Value::Boolean(true), value) => Ok(self.encode_result("value", &value)),
            (true, _, problem) => Ok(self.encode_result("error", &problem)),
            (false, Value::Table(error), _) => {
                if let Some(fields) = error.raw_get::<Option<Table>>("fields")? {
                    return Ok(self.encode_result("error", &Value::Table(fields)));
                }
                let message = error.raw_get::<LuaString>("message")?.to_string_lossy();
                let traceback = error.raw_get::<Option<LuaString>>("traceback")?.map(|text| text.to_string_lossy());
                Ok(MessageToServer::Failed { message: add_module_hint(message, call), traceback })
            }
            // A string instead of a table: Lua could not call the message handler.
            (false, Value::String(message), _) if message == OUT_OF_MEMORY_MESSAGE => Ok(MessageToServer::Memory),
            (false, Value::String(message), _) => Ok(failure_message(message.to_string_lossy())),
            (false, Value::Error(error), _) => Ok(failure_message(error_message(&error))),
            (false, ..) => Ok(failure_message("an error while an error was described".to_owned())),
        }
    }

    fn encode_result(&self, name: &str, value: &Value) -> MessageToServer {
        let blamed = if name == "error" { "the error" } else { "the result" };
        let result = json_conversion::to_payload(&self.lua, value, blamed);
        let result = result.and_then(|value| json_conversion::object_of(name, &value));
        match result {
            Ok(result) => MessageToServer::Returned(result),
            Err(message) => failure_message(message),
        }
    }
}

fn failure_message(message: String) -> MessageToServer {
    MessageToServer::Failed { message, traceback: None }
}

fn create_imports_table(lua: &Lua, call: &HandlerRequest) -> mlua::Result<Table> {
    lua.create_table_from(call.imports.iter().map(|(name, entry)| (name.as_str(), entry.as_str())))
}

/// Appends to a message about a nil global how to list the module of that name.
fn add_module_hint(message: String, call: &HandlerRequest) -> String {
    let name = message.split_once("(global '").and_then(|(_, rest)| rest.split_once("')")).map(|(name, _)| name);
    let is_listed = |name: &str| call.modules.iter().any(|module| module == name) || call.imports.contains_key(name);
    match name.filter(|name| handler_modules::is_known_module(name) && !is_listed(name)) {
        Some(name) => format!("{message}: {}", handler_modules::unlisted_module_message(name, &call.id)),
        None => message,
    }
}

/// Creates a native function that `handler.lua` needs in addition to those of `base.lua`; `None` for another name.
fn create_native_function(
    lua: &Lua,
    name: &str,
    host: &Rc<dyn ScriptHost>,
    modules: &Rc<ModuleLoader>,
) -> mlua::Result<Option<Function>> {
    let function = match name {
        "module" => {
            let modules = Rc::clone(modules);
            lua.create_function(move |lua, name: LuaString| {
                let name = name.to_string_lossy();
                let module = modules.load(lua, &name)?;
                module.ok_or_else(|| mlua::Error::runtime(handler_modules::unknown_module_message(&name)))
            })
        }
        "unlisted" => lua.create_function(|_, (name, id): (LuaString, LuaString)| {
            Ok(handler_modules::unlisted_module_message(&name.to_string_lossy(), &id.to_string_lossy()))
        }),
        "import" => {
            let host = Rc::clone(host);
            lua.create_function(move |lua, entry: LuaString| {
                let found = match host.request("import", json!({"id": entry.to_string_lossy()})) {
                    Ok(found) => found.into_value(),
                    Err(message) => return Ok((Value::Nil, lua.create_string(message)?.into_lua(lua)?, Value::Nil)),
                };
                let source = found.get("source").and_then(Json::as_str);
                let source = source.ok_or_else(|| mlua::Error::runtime("the server's answer has no source"))?;
                let field = |name: &str, otherwise: Json| {
                    found.get(name).cloned().filter(|value| !value.is_null()).unwrap_or(otherwise)
                };
                let table = |value: &Json| json_conversion::from_json(lua, value).map_err(mlua::Error::runtime);
                Ok((
                    Value::String(lua.create_string(source)?),
                    table(&field("modules", json!([])))?,
                    table(&field("imports", json!({})))?,
                ))
            })
        }
        _ => return Ok(None),
    };
    function.map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wardroom_base::payload::Payload;

    struct NoHost;

    impl ScriptHost for NoHost {
        fn request(&self, operation: &str, _: Json) -> Result<Payload, String> {
            Err(format!("{operation} is not available"))
        }

        fn notify(&self, _: &str, _: Json) -> Result<(), String> {
            Ok(())
        }
    }

    /// Runs a handler, whose state may take this much memory beyond what it begins with.
    fn run_within(bytes: usize, source: &str) -> MessageToServer {
        let bytecode = Rc::new(Bytecode::new().unwrap());
        let host: Rc<dyn ScriptHost> = Rc::new(NoHost);
        let vm = HandlerVm::new(&host, &bytecode, &[]).unwrap();
        vm.lua.set_memory_limit(vm.lua.used_memory() + bytes).unwrap();
        vm.run_call(&HandlerRequest {
            id: "app:test".to_owned(),
            source: source.to_owned(),
            method: "call".to_owned(),
            arguments: json!([]).into(),
            modules: Vec::new(),
            imports: std::collections::BTreeMap::default(),
            seed: 1,
            is_check: false,
        })
    }

    /// What is loaded on its first use needs memory then. How much of it is left decides in which step there is none.
    #[test]
    fn first_use_without_memory_is_out_of_memory() {
        let fill = "local head, reserve = nil, {}
            for at = 1, 200 do reserve[at] = string.rep('r', 200, tostring(at)) end
            local function fill(size) while true do head = { string.rep('z', size, tostring(head)), head } end end
            for _, size in ipairs { 30000, 1000, 50 } do pcall(fill, size) end
            pcall(function() while true do head = { head } end end)";
        let (mut ended_early, mut caught_early) = (0, 0);
        for call in ["os.difftime(3, 1)", "errors.new('x')", "require('string')"] {
            for given_back in (0..100).step_by(4) {
                let fill = format!("{fill}\nfor at = 1, {given_back} do reserve[at] = false end");
                let ended = run_within(1 << 20, &format!("return {{ call = function() {fill} {call} return 1 end }}"));
                ended_early += usize::from(matches!(ended, MessageToServer::Memory));
                assert!(matches!(ended, MessageToServer::Memory | MessageToServer::Returned(_)), "{call}: {ended:?}");
                let caught = "if not ok and why ~= 'not enough memory' then error(why) end return ok";
                let caught = format!("local ok, why = pcall(function() {call} end) head = nil {caught}");
                let caught = run_within(1 << 20, &format!("return {{ call = function() {fill} {caught} end }}"));
                match caught {
                    MessageToServer::Returned(value) => {
                        caught_early += usize::from(value.into_value() == json!({"value": false}));
                    }
                    ended => assert!(matches!(ended, MessageToServer::Memory), "{call}: {ended:?}"),
                }
            }
        }
        assert!(ended_early > 0 && caught_early > 0, "{ended_early} and {caught_early}");
    }

    #[test]
    fn traceback_keeps_calls_in_tail_position_of_the_script() {
        let failing = |call: &str| {
            let source = format!(
                "local function tail() return {call} end\nlocal function outer() local found = tail() return found end\n\
                 return {{ call = function() local found = outer() return found end }}"
            );
            match run_within(1 << 20, &source) {
                MessageToServer::Failed { traceback: Some(traceback), .. } => traceback,
                ended => panic!("{call}: {ended:?}"),
            }
        };
        // What the script sees of `os.date` calls another function in tail position.
        assert!(!failing("(os.date('%Q'))").contains("tail calls"));
        assert!(failing("coroutine.resume(1)").contains("(...tail calls...)"));
    }
}
