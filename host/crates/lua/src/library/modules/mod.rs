//! The modules of declared handlers: what an entry may list under `modules`.
//!
//! Owns: the one table of modules, from which a state gets those that its entry lists, arguments are checked and type stubs
//! are written; what is said about a name that is not in it.
//! Never: gives a handler a module that its entry does not list. A function here answers `value` or `nil, error`, as handlers
//! expect, and raises nothing.

mod base64;
mod client;
mod env;
mod fault;
mod fs;
mod funcs;
mod hash;
mod http_client;
mod json;
mod layout;
mod log;
mod pattern;
mod registry;
mod resources;
mod splitter;
mod store;
mod templates;
mod time;
mod tools;
mod uuid;
mod yaml;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::rc::Rc;

use mlua::{Function as LuaFunction, Lua, MultiValue, Table, Value};

pub(super) use self::fault::Fault;
use super::function::{Body, Call, Function, Param, Return};
use super::stubs;
use super::{Installed, Library, place};
use crate::Host;

/// One module: its functions are `name.function`, and the methods of its objects `Class:method`.
struct Module {
    name: &'static str,
    doc: &'static str,
    functions: &'static [Function],
    /// What of it is no function.
    constants: fn(&Lua, &Table) -> mlua::Result<()>,
}

const fn module(name: &'static str, doc: &'static str, functions: &'static [Function]) -> Module {
    Module { name, doc, functions, constants: |_, _| Ok(()) }
}

/// A function that gives one value.
const fn of(
    name: &'static str,
    doc: &'static str,
    params: &'static [Param],
    returns: &'static [Return],
    body: fn(&mut Call) -> Result<Value, Fault>,
) -> Function {
    Function { name, doc, generic: "", params, returns, body: Body::Module(body) }
}

/// A function that gives several.
const fn several(
    name: &'static str,
    doc: &'static str,
    params: &'static [Param],
    returns: &'static [Return],
    body: fn(&mut Call) -> Result<Vec<Value>, Fault>,
) -> Function {
    Function { name, doc, generic: "", params, returns, body: Body::Several(body) }
}

/// The library of strategies, which has a table of its own.
const ALC: &str = "alc";

const TABLE: &[Module] = &[
    module("ask", "Several questions to the client at once, under names.", client::ASK),
    module("base64", "Base64, as RFC 4648 has it.", base64::FUNCTIONS),
    module("client", "What the client can be asked.", client::CLIENT),
    module("elicit", "Questions to whoever uses the client.", client::ELICIT),
    module("env", "Variables of the environment that the operator lets handlers see.", env::FUNCTIONS),
    Module { constants: fs::constants, ..module("fs", "Files of the mounts that the operator names.", fs::FUNCTIONS) },
    module("funcs", "Other entries' functions.", funcs::FUNCTIONS),
    module("hash", "Hashes and what is made of them.", hash::FUNCTIONS),
    module("http_client", "HTTP, to the hosts that the operator allows.", http_client::FUNCTIONS),
    Module { constants: json::constants, ..module("json", "JSON.", json::FUNCTIONS) },
    module("log", "Messages to the client and the server's log.", log::LOG),
    Module { constants: log::constants, ..module("logger", "The same as `log`, as objects with fields.", log::LOGGER) },
    module("progress", "How far the call has come.", log::PROGRESS),
    module("prompts", "The prompts of this server.", tools::PROMPTS),
    module("registry", "The entries that the caller may see.", registry::FUNCTIONS),
    module("resources", "Resources of this server that the caller may read.", resources::FUNCTIONS),
    module("roots", "The folders that the client works in.", client::ROOTS),
    module("sample", "Answers of the client's model.", client::SAMPLE),
    module("store", "Values that outlive the call, each namespace's own.", store::FUNCTIONS),
    module("task", "The call as a task, which goes on when its request is answered.", client::TASK),
    module("templates", "Texts with names in them that values take the place of.", templates::FUNCTIONS),
    module("text", "Regular expressions, and texts cut into pieces.", pattern::FUNCTIONS),
    Module { constants: time::constants, ..module("time", "Points in time and spans between them.", time::FUNCTIONS) },
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

/// Modules of the original that are not here, and what to use instead.
const ELSEWHERE: &[(&str, &str)] = &[
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

fn elsewhere(name: &str) -> Option<&'static str> {
    ELSEWHERE.iter().find(|(known, _)| *known == name).map(|(_, instead)| *instead)
}

/// Whether it is a module here, or was one of the original.
pub(crate) fn is_known(name: &str) -> bool {
    MODULES.contains(&name) || elsewhere(name).is_some()
}

/// Why an entry cannot list this module, with what to use instead; nothing where it can.
#[must_use]
pub fn module_problem(name: &str) -> Option<String> {
    (!MODULES.contains(&name)).then(|| unknown(name))
}

pub(crate) fn unknown(name: &str) -> String {
    let shown: String = name.chars().take(wardroom_base::limits::MAX_SHOWN_BYTES).collect();
    match elsewhere(name) {
        Some(instead) => format!("there is no module '{shown}' here: {instead}"),
        None => format!("there is no module '{shown}': there are {}", MODULES.join(", ")),
    }
}

/// What is said where a handler wants what its entry does not list.
pub(crate) fn unlisted(name: &str, id: &str) -> String {
    if MODULES.contains(&name) {
        return format!("module '{name}' is not listed: add it to `modules` of {id}");
    }
    match elsewhere(name) {
        Some(_) => unknown(name),
        None => format!("'{name}' is not listed: name the entry that it stands for in `imports` of {id}"),
    }
}

/// From now on a state has error objects, which this function makes.
pub(crate) fn begin(lua: &Lua, maker: LuaFunction) -> mlua::Result<()> {
    lua.set_named_registry_value(fault::MAKER, maker)
}

/// The modules of one state.
pub(crate) struct Modules {
    library: Rc<Library>,
    /// Those that were made, whether the entry lists them or not.
    made: RefCell<BTreeMap<String, Table>>,
    /// Keeps what `alc` shares.
    alc: RefCell<Option<Installed>>,
}

impl Modules {
    pub(crate) fn new(lua: &Lua, host: Rc<dyn Host>) -> mlua::Result<Self> {
        let namespace = RefCell::new("default".to_owned());
        let (recorded, recorded_bytes) = (RefCell::default(), Cell::default());
        let library = Library { host, namespace, recorded, recorded_bytes, math: lua.create_table()? };
        Ok(Self { library: Rc::new(library), made: RefCell::default(), alc: RefCell::default() })
    }

    /// A module by its name, the same one each time.
    pub(crate) fn module(&self, lua: &Lua, name: &str) -> mlua::Result<Option<Table>> {
        if let Some(made) = self.made.borrow().get(name) {
            return Ok(Some(made.clone()));
        }
        let made = match TABLE.iter().find(|module| module.name == name) {
            Some(module) => self.make(lua, module)?,
            None if name == ALC => self.alc(lua)?,
            None => return Ok(None),
        };
        self.made.borrow_mut().insert(name.to_owned(), made.clone());
        Ok(Some(made))
    }

    fn make(&self, lua: &Lua, module: &Module) -> mlua::Result<Table> {
        let table = lua.create_table()?;
        let mut classes: BTreeMap<&str, (Table, Table)> = BTreeMap::new();
        for function in module.functions {
            let Some((class, method)) = function.name.split_once(':') else {
                let function_of = self.function(lua, function, None)?;
                // The first of its names is the module's.
                place(lua, table.clone(), function.name.split('.').skip(1), function_of)?;
                continue;
            };
            let (metatable, methods) = match classes.get(class) {
                Some(made) => made.clone(),
                None => class_of(lua, class)?,
            };
            let body = self.function(lua, function, Some(metatable.clone()))?;
            // What an object is as text.
            if matches!(method, "string" | "format_rfc3339") {
                metatable.raw_set("__tostring", &body)?;
            }
            methods.raw_set(method, body)?;
            classes.insert(class, (metatable, methods));
        }
        (module.constants)(lua, &table)?;
        Ok(table)
    }

    fn function(&self, lua: &Lua, function: &'static Function, class: Option<Table>) -> mlua::Result<LuaFunction> {
        let library = Rc::clone(&self.library);
        lua.create_function(move |lua, mut arguments: MultiValue| {
            let this = class.as_ref().map(|class| {
                let this = arguments.pop_front().and_then(|this| this.as_table().cloned());
                this.filter(|this| this.metatable().as_ref() == Some(class))
            });
            let result = match this {
                Some(None) => Err(Fault::from(format!(
                    "{}: call it as a method, object:{}(…)",
                    function.name,
                    function.last_name()
                ))),
                this => Call::new(&library, lua, function, arguments).map_err(Fault::from).and_then(|mut call| {
                    call.this = this.flatten();
                    match function.body {
                        Body::Module(body) => body(&mut call).map(|value| vec![value]),
                        Body::Several(body) => body(&mut call),
                        _ => Err(Fault::from(call.blame("it has no body"))),
                    }
                }),
            };
            match result {
                Ok(values) => Ok(MultiValue::from_vec(values)),
                Err(fault) => Ok(MultiValue::from_vec(vec![Value::Nil, fault.object(lua)?])),
            }
        })
    }

    /// `alc`, as strategies have it, but not among the globals.
    fn alc(&self, lua: &Lua) -> mlua::Result<Table> {
        let globals = lua.globals();
        let json: Value = globals.raw_get("json")?;
        *self.alc.borrow_mut() = Some(super::install(lua, Rc::clone(&self.library.host))?);
        let alc: Table = globals.raw_get("alc")?;
        globals.raw_set("alc", Value::Nil)?;
        globals.raw_set("json", json)?;
        Ok(alc)
    }
}

fn class_of(lua: &Lua, class: &str) -> mlua::Result<(Table, Table)> {
    let (metatable, methods) = (lua.create_table()?, lua.create_table()?);
    metatable.raw_set("__index", &methods)?;
    metatable.raw_set("__name", class)?;
    metatable.raw_set("__metatable", class)?;
    lua.set_named_registry_value(&format!("{}{class}", fault::CLASS), &metatable)?;
    Ok((metatable, methods))
}

const HEAD: &str = "\
Types of the modules that a declared handler may list under `modules`.

Each function gives its value, or nil and an error object: `local value, err = …`.";

/// The type stubs of the modules, for editors.
#[must_use]
pub fn module_stubs() -> (&'static str, String) {
    let mut text = String::new();
    let written = write_stubs(&mut text);
    debug_assert!(written.is_ok(), "a string takes everything");
    ("handlers.d.lua", text)
}

fn write_stubs(text: &mut String) -> std::fmt::Result {
    writeln!(text, "---@meta handlers\n")?;
    stubs::prose(text, "-- ", HEAD)?;
    for module in TABLE {
        writeln!(text, "\n{}", "-".repeat(120))?;
        stubs::prose(text, "-- ", module.doc)?;
        writeln!(text, "{}\n\n{} = {{}}", "-".repeat(120), module.name)?;
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
    fn the_names_are_those_of_the_table() {
        let mut names: Vec<&str> = TABLE.iter().map(|module| module.name).chain([ALC]).collect();
        names.sort_unstable();
        assert_eq!(names, MODULES);
        for module in TABLE {
            for function in module.functions {
                let is_own = function.name.contains(':') || function.name.starts_with(&format!("{}.", module.name));
                assert!(is_own, "{}", function.name);
            }
        }
        for (name, _) in ELSEWHERE {
            assert!(!MODULES.contains(name), "{name}");
            assert!(module_problem(name).is_some_and(|problem| problem.contains(name)));
        }
        assert!(MODULES.iter().all(|name| module_problem(name).is_none()));
    }
}
