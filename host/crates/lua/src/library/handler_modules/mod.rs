//! The modules that a declared handler's entry may list under `modules`.
//!
//! Owns: the single table of modules, from which a state gets those that its entry lists, arguments are checked and
//! type stubs are generated; the messages about unknown and unlisted names.
//! Never: gives a handler a module that its entry does not list, or raises: functions return `value` or `nil, error`,
//! as handlers expect.

mod base64;
mod client;
mod env;
mod fs;
mod funcs;
mod function_call;
mod hash;
mod http_client;
mod json;
mod log;
mod regexp;
mod registry;
mod resources;
mod splitter;
mod store;
mod templates;
mod time;
mod time_format;
mod time_layout;
mod time_values;
mod tools;
mod uuid;
mod yaml;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::rc::Rc;

use mlua::{Function as LuaFunction, Lua, MultiValue, Table, Value};

use super::function::{FunctionBody, FunctionCall, FunctionParam, FunctionReturn, LibraryFunction};
use super::module_error::ModuleError;
use super::stubs;
use super::{InstalledLibrary, LibraryContext, set_at_path};
use crate::ScriptHost;

/// A module. Its functions are named `name.function`, and the methods of its objects `Class:method`.
struct HandlerModule {
    name: &'static str,
    doc: &'static str,
    functions: &'static [LibraryFunction],
    /// Adds the module's values that are not functions.
    add_constants: fn(&Lua, &Table) -> mlua::Result<()>,
    /// Returns the type stubs of these values: the lines of each.
    constant_stubs: fn() -> Vec<String>,
}

const fn module(name: &'static str, doc: &'static str, functions: &'static [LibraryFunction]) -> HandlerModule {
    HandlerModule { name, doc, functions, add_constants: |_, _| Ok(()), constant_stubs: Vec::new }
}

/// Describes a function that returns one value.
const fn module_function(
    name: &'static str,
    doc: &'static str,
    params: &'static [FunctionParam],
    returns: &'static [FunctionReturn],
    body: fn(&mut FunctionCall) -> Result<Value, ModuleError>,
) -> LibraryFunction {
    LibraryFunction { name, doc, generics: "", params, returns, body: FunctionBody::Module(body) }
}

/// Describes a function that returns several values.
const fn multi_value_function(
    name: &'static str,
    doc: &'static str,
    params: &'static [FunctionParam],
    returns: &'static [FunctionReturn],
    body: fn(&mut FunctionCall) -> Result<Vec<Value>, ModuleError>,
) -> LibraryFunction {
    LibraryFunction { name, doc, generics: "", params, returns, body: FunctionBody::ModuleMultiValue(body) }
}

/// The library of strategies, whose functions are in another table.
const ALC_MODULE: &str = "alc";

const MODULE_TABLE: &[HandlerModule] = &[
    module("ask", "Several questions to the client at once, under names.", client::ASK),
    module("base64", "Base64, as RFC 4648 has it.", base64::FUNCTIONS),
    module("client", "The features that the client supports.", client::CLIENT),
    module("elicit", "Questions to the user of the client.", client::ELICIT),
    module("env", "Variables of the environment that the operator lets handlers see.", env::FUNCTIONS),
    HandlerModule {
        add_constants: fs::add_constants,
        constant_stubs: fs::constant_stubs,
        ..module("fs", "Files of the mounts that the operator names.", fs::FUNCTIONS)
    },
    module("funcs", "Other entries' functions.", funcs::FUNCTIONS),
    module("hash", "Hashes, HMAC, and keys from passwords.", hash::FUNCTIONS),
    module("http_client", "HTTP, to the hosts that the operator allows.", http_client::FUNCTIONS),
    HandlerModule {
        add_constants: json::add_constants,
        constant_stubs: json::constant_stubs,
        ..module("json", "JSON.", json::FUNCTIONS)
    },
    module("log", "Messages to the client and the server's log.", log::LOG),
    HandlerModule {
        add_constants: log::add_constants,
        ..module("logger", "The same as `log`, as objects with fields.", log::LOGGER)
    },
    module("progress", "Reports of the call's progress.", log::PROGRESS),
    module("prompts", "The prompts of this server.", tools::PROMPTS),
    module("registry", "The entries that the caller may see.", registry::FUNCTIONS),
    module("resources", "Resources of this server that the caller may read.", resources::FUNCTIONS),
    module("roots", "The folders that the client works in.", client::ROOTS),
    module("sample", "Answers of the client's model.", client::SAMPLE),
    module("store", "Values that outlive the call, each namespace's own.", store::FUNCTIONS),
    module("task", "Continuing the call as a task after its request is answered.", client::TASK),
    module("templates", "Text templates with named values.", templates::FUNCTIONS),
    module("text", "Regular expressions, and texts cut into pieces.", regexp::FUNCTIONS),
    HandlerModule {
        add_constants: time::add_constants,
        constant_stubs: time::constant_stubs,
        ..module("time", "Points in time and spans between them.", time::FUNCTIONS)
    },
    module("tools", "Other tools of this server that the caller may call.", tools::FUNCTIONS),
    module("uuid", "Unique ids.", uuid::FUNCTIONS),
    module("yaml", "YAML.", yaml::FUNCTIONS),
];

/// The modules that an entry may list.
pub const MODULES: &[&str] = &[
    "alc",
    "ask",
    "base64",
    "client",
    "elicit",
    "env",
    "fs",
    "funcs",
    "hash",
    "http_client",
    "json",
    "log",
    "logger",
    "progress",
    "prompts",
    "registry",
    "resources",
    "roots",
    "sample",
    "store",
    "task",
    "templates",
    "text",
    "time",
    "tools",
    "uuid",
    "yaml",
];

/// Modules of the original that do not exist here, and their replacements.
const UNSUPPORTED_MODULES: &[(&str, &str)] = &[
    ("http", "a handler answers through what it returns; requests to others are `http_client`"),
    ("sql", "keep values in `store`, or files in `fs`"),
    ("io", "`log` writes messages, `fs` reads and writes files, and a tool's text is what it returns"),
    ("exec", "handlers start no programs"),
    ("eval", "put the code into a `library.lua` entry and list it under `imports`"),
    ("expr", "write the expression in Lua"),
    ("crypto", "`hash` has digests and HMAC, `uuid` has random ids"),
    ("security", "`mcp.scope` and `mcp.groups` of an entry say who may use it"),
    ("ctx", "what a handler needs comes in its arguments"),
    ("contract", "call other entries with `funcs`"),
    ("events", "call other entries with `funcs`, or tell the client with `log`"),
    ("process", "handlers have no processes: a call begins and ends with its request"),
    ("channel", "handlers have no channels: `funcs.call` waits for its answer"),
    ("future", "`funcs.call` waits for its answer"),
    ("stream", "`fs` and `http_client` give whole contents"),
    ("pg", "handlers have no processes: keep values in `store`"),
    ("workflow", "strategies are runs that go on after a restart: `alc`"),
    ("queue", "keep values in `store`"),
    ("websocket", "requests to others are `http_client`"),
    ("cloudstorage", "files are `fs`, requests to others `http_client`"),
    ("cdc", "resources that change tell their subscribers"),
    ("payload", "arguments and results are plain values"),
    ("compress", "contents are passed on as they are"),
    ("archive", "contents are passed on as they are"),
    ("excel", "use `json`, `yaml` or text"),
    ("html", "`text.regexp` finds things in a text"),
    ("treesitter", "`text.regexp` finds things in a text"),
    ("tty", "a server has no terminal: `log` writes messages"),
    ("metrics", "`log` writes messages with data"),
    ("system", "a handler sees nothing of the machine"),
    ("hub", "`wardroom pkg` installs packages"),
    ("subscribe", "handlers have no channels"),
    ("unsubscribe", "handlers have no channels"),
];

fn unsupported_hint(name: &str) -> Option<&'static str> {
    UNSUPPORTED_MODULES.iter().find(|(known, _)| *known == name).map(|(_, instead)| *instead)
}

/// Whether the name is a module here or in the original.
pub(crate) fn is_known_module(name: &str) -> bool {
    MODULES.contains(&name) || unsupported_hint(name).is_some()
}

/// The reason why an entry cannot list this module, with a replacement. `None` if the module exists.
#[must_use]
pub fn module_problem(name: &str) -> Option<String> {
    (!MODULES.contains(&name)).then(|| unknown_module_message(name))
}

pub(crate) fn unknown_module_message(name: &str) -> String {
    let shown: String = name.chars().take(wardroom_base::limits::MAX_QUOTED_INPUT_BYTES).collect();
    match unsupported_hint(name) {
        Some(instead) => format!("there is no module '{shown}' here: {instead}"),
        None => format!("there is no module '{shown}': there are {}", MODULES.join(", ")),
    }
}

/// The message for a handler that uses a name which its entry does not list.
pub(crate) fn unlisted_module_message(name: &str, id: &str) -> String {
    if MODULES.contains(&name) {
        return format!("module '{name}' is not listed: add it to `modules` of {id}");
    }
    match unsupported_hint(name) {
        Some(_) => unknown_module_message(name),
        None => format!("'{name}' is not listed: name the entry that it stands for in `imports` of {id}"),
    }
}

/// Registers the function that creates a state's error objects.
pub(crate) fn register_error_constructor(lua: &Lua, maker: LuaFunction) -> mlua::Result<()> {
    lua.set_named_registry_value(super::module_error::ERROR_CONSTRUCTOR_KEY, maker)
}

/// Loads the modules of one state.
pub(crate) struct ModuleLoader {
    library: Rc<LibraryContext>,
    /// The modules created so far, whether the entry lists them or not.
    loaded_modules: RefCell<BTreeMap<String, Table>>,
    /// Keeps the shared state of `alc` alive.
    alc_library: RefCell<Option<InstalledLibrary>>,
}

impl ModuleLoader {
    pub(crate) fn new(lua: &Lua, host: Rc<dyn ScriptHost>) -> mlua::Result<Self> {
        let namespace = RefCell::new("default".to_owned());
        let (recorded, recorded_bytes) = (RefCell::default(), Cell::default());
        let library = LibraryContext {
            host,
            namespace,
            recorded_stats: recorded,
            recorded_stats_bytes: recorded_bytes,
            math: lua.create_table()?,
        };
        Ok(Self { library: Rc::new(library), loaded_modules: RefCell::default(), alc_library: RefCell::default() })
    }

    /// Returns a module by its name, the same table each time.
    pub(crate) fn load(&self, lua: &Lua, name: &str) -> mlua::Result<Option<Table>> {
        if let Some(made) = self.loaded_modules.borrow().get(name) {
            return Ok(Some(made.clone()));
        }
        let made = match MODULE_TABLE.iter().find(|module| module.name == name) {
            Some(module) => self.build_module(lua, module)?,
            None if name == ALC_MODULE => self.load_alc(lua)?,
            None => return Ok(None),
        };
        self.loaded_modules.borrow_mut().insert(name.to_owned(), made.clone());
        Ok(Some(made))
    }

    fn build_module(&self, lua: &Lua, module: &HandlerModule) -> mlua::Result<Table> {
        let table = lua.create_table()?;
        let mut classes: BTreeMap<&str, (Table, Table)> = BTreeMap::new();
        for function in module.functions {
            let Some((class, method)) = function.name.split_once(':') else {
                let function_of = self.create_function(lua, function, None)?;
                // The first part of the name is the module.
                set_at_path(lua, table.clone(), function.name.split('.').skip(1), function_of)?;
                continue;
            };
            let (metatable, methods) = match classes.get(class) {
                Some(made) => made.clone(),
                None => create_class(lua, class)?,
            };
            let body = self.create_function(lua, function, Some(metatable.clone()))?;
            // These methods also convert an object to text.
            if matches!(method, "string" | "format_rfc3339") {
                metatable.raw_set("__tostring", &body)?;
            }
            methods.raw_set(method, body)?;
            classes.insert(class, (metatable, methods));
        }
        (module.add_constants)(lua, &table)?;
        Ok(table)
    }

    fn create_function(
        &self,
        lua: &Lua,
        function: &'static LibraryFunction,
        class: Option<Table>,
    ) -> mlua::Result<LuaFunction> {
        let library = Rc::clone(&self.library);
        lua.create_function(move |lua, mut arguments: MultiValue| {
            let this = class.as_ref().map(|class| {
                let this = arguments.pop_front().and_then(|this| this.as_table().cloned());
                this.filter(|this| this.metatable().as_ref() == Some(class))
            });
            let result = match this {
                Some(None) => Err(ModuleError::from(format!(
                    "{}: call it as a method, object:{}(…)",
                    function.name,
                    function.base_name()
                ))),
                this => FunctionCall::new(&library, lua, function, arguments).map_err(ModuleError::from).and_then(
                    |mut call| {
                        call.this = this.flatten();
                        match function.body {
                            FunctionBody::Module(body) => body(&mut call).map(|value| vec![value]),
                            FunctionBody::ModuleMultiValue(body) => body(&mut call),
                            _ => Err(ModuleError::from(call.format_error("it has no body"))),
                        }
                    },
                ),
            };
            match result {
                Ok(values) => Ok(MultiValue::from_vec(values)),
                Err(fault) => Ok(MultiValue::from_vec(vec![Value::Nil, fault.to_lua(lua)?])),
            }
        })
    }

    /// Loads `alc` as strategies have it, but without changing the globals.
    fn load_alc(&self, lua: &Lua) -> mlua::Result<Table> {
        let globals = lua.globals();
        let json: Value = globals.raw_get("json")?;
        *self.alc_library.borrow_mut() = Some(super::install(lua, Rc::clone(&self.library.host))?);
        let alc: Table = globals.raw_get("alc")?;
        globals.raw_set("alc", Value::Nil)?;
        globals.raw_set("json", json)?;
        Ok(alc)
    }
}

fn create_class(lua: &Lua, class: &str) -> mlua::Result<(Table, Table)> {
    let (metatable, methods) = (lua.create_table()?, lua.create_table()?);
    metatable.raw_set("__index", &methods)?;
    metatable.raw_set("__name", class)?;
    metatable.raw_set("__metatable", class)?;
    lua.set_named_registry_value(&format!("{}{class}", super::module_error::CLASS_KEY_PREFIX), &metatable)?;
    Ok((metatable, methods))
}

const HEAD: &str = "\
Types of the modules that a declared handler may list under `modules`.

Each function gives its value, or nil and an error object: `local value, err = …`.";

/// The file name and text of the modules' type stubs.
#[must_use]
pub fn module_stubs() -> (&'static str, String) {
    let mut text = String::new();
    let written = write_stubs(&mut text);
    debug_assert!(written.is_ok(), "a string takes everything");
    ("handlers.d.lua", text)
}

fn write_stubs(text: &mut String) -> std::fmt::Result {
    writeln!(text, "---@meta handlers\n")?;
    stubs::write_prose(text, "-- ", HEAD)?;
    for module in MODULE_TABLE {
        writeln!(text, "\n{}", "-".repeat(120))?;
        stubs::write_prose(text, "-- ", module.doc)?;
        writeln!(text, "{}\n\n{} = {{}}", "-".repeat(120), module.name)?;
        for lines in (module.constant_stubs)() {
            writeln!(text, "\n{lines}")?;
        }
        let mut named = BTreeSet::new();
        for function in module.functions {
            let owner = function.name.rsplit_once([':', '.']).map_or("", |(owner, _)| owner);
            if owner != module.name && named.insert(owner) {
                let is_class = function.name.contains(':');
                let line = if is_class {
                    format!("---@class {owner}\nlocal {owner} = {{}}")
                } else {
                    format!("{owner} = {{}}")
                };
                writeln!(text, "\n{line}")?;
            }
            text.push('\n');
            stubs::write_function(text, function)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn module_names_match_module_table() {
        let mut names: Vec<&str> = MODULE_TABLE.iter().map(|module| module.name).chain([ALC_MODULE]).collect();
        names.sort_unstable();
        assert_eq!(names, MODULES);
        for module in MODULE_TABLE {
            for function in module.functions {
                let is_own = function.name.contains(':') || function.name.starts_with(&format!("{}.", module.name));
                assert!(is_own, "{}", function.name);
            }
        }
        for (name, _) in UNSUPPORTED_MODULES {
            assert!(!MODULES.contains(name), "{name}");
            assert!(module_problem(name).is_some_and(|problem| problem.contains(name)));
        }
        assert!(MODULES.iter().all(|name| module_problem(name).is_none()));
    }
}
