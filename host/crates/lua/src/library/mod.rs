//! The library: everything that a script sees as `alc.*` and `json`, and a declared handler as its modules (`modules/`).
//!
//! Owns: the one table of functions, from which they are registered, their arguments are checked and the type stubs are
//! written; the part that is Lua itself (`prelude.lua`, `evalframe.lua`).
//! Never: has an effect but through the [`ScriptHost`], or reads a clock, a file or randomness.

mod alc_shapes_stubs;
mod alc_stubs;
mod card;
mod function;
mod json;
mod llm;
mod math;
pub(super) mod modules;
mod prelude;
mod run;
mod state;
mod stubs;
mod text;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use mlua::{ChunkMode, Function as LuaFunction, Lua, MultiValue, Table, Value};
use serde_json::Value as Json;

use self::function::{FunctionBody, FunctionCall, LibraryFunction};
pub use self::modules::{MODULES, module_problem, module_stubs};
pub use self::prelude::builtin_module;
use super::script_host::ScriptHost;

/// Every function, by the table that it lies in.
const FUNCTION_TABLES: &[&[LibraryFunction]] = &[
    llm::FUNCTIONS,
    text::FUNCTIONS,
    json::FUNCTIONS,
    run::FUNCTIONS,
    state::FUNCTIONS,
    card::FUNCTIONS,
    math::FUNCTIONS,
    prelude::FUNCTIONS,
];

/// Where the stores lie. A script has no files, so that the names are all there is to know.
const STORE_DIRS: [&str; 3] = ["state", "cards", "scenarios"];

/// What the functions of one VM share.
struct LibraryContext {
    host: Rc<dyn ScriptHost>,
    /// The part of `alc.state` that the run sees; known when it begins.
    namespace: RefCell<String>,
    /// What `alc.stats` recorded, for the script to read again.
    recorded_stats: RefCell<BTreeMap<String, Json>>,
    /// Bytes of that.
    recorded_stats_bytes: Cell<usize>,
    /// The functions of mlua-mathlib.
    math: Table,
}

impl LibraryContext {
    fn namespace(&self) -> String {
        self.namespace.borrow().clone()
    }
}

/// A VM's library, whose run has not begun.
pub struct InstalledLibrary(Rc<LibraryContext>);

impl InstalledLibrary {
    /// The run begins, with this as its `ctx`.
    pub fn begin_run(&self, context: &Json) {
        let namespace = context.get("_ns").and_then(Json::as_str).unwrap_or("default");
        namespace.clone_into(&mut self.0.namespace.borrow_mut());
    }
}

/// Puts `alc` and `json` among the globals. Everything of Lua's own library that the run is to have is there already, and
/// is not looked up again; only `require` is, when a function needs it.
///
/// # Errors
/// When the VM has no memory left, or lacks a part of Lua's library that strategies have.
pub fn install(lua: &Lua, host: Rc<dyn ScriptHost>) -> mlua::Result<InstalledLibrary> {
    let namespace = RefCell::new("default".to_owned());
    let library = Rc::new(LibraryContext {
        host,
        namespace,
        recorded_stats: RefCell::default(),
        recorded_stats_bytes: Cell::default(),
        math: mlua_mathlib::module(lua)?,
    });
    let glue: LuaFunction = load_chunk(lua, "=alc/glue.lua", include_str!("glue.lua"))?;
    let (loud, quiet, checked): (LuaFunction, LuaFunction, LuaFunction) = glue.call(())?;

    let (core, later) = (lua.create_table()?, FUNCTION_TABLES.iter().copied().flatten());
    for function in later.clone() {
        let body = match function.body {
            FunctionBody::Rust(body) => body,
            FunctionBody::Math => math::call_mathlib,
            FunctionBody::Prelude
            | FunctionBody::Package
            | FunctionBody::Module(_)
            | FunctionBody::ModuleMultiValue(_) => continue,
        };
        let library = Rc::clone(&library);
        let call = lua.create_function(move |lua, arguments: MultiValue| {
            let result = FunctionCall::new(&library, lua, function, arguments).and_then(|mut call| body(&mut call));
            pack_results(lua, result.map(|value| vec![value]))
        })?;
        set_at_path(lua, lua.globals(), function.name.split('.'), loud.call(&call)?)?;
        if !matches!(function.body, FunctionBody::Math) {
            core.raw_set(function.name, quiet.call::<LuaFunction>(call)?)?;
        }
    }
    register_constants(lua)?;

    prelude::add_core_functions(lua, &library, &core, &quiet)?;
    let written: Table = load_chunk(lua, "=alc/prelude.lua", include_str!("prelude.lua"))?.call(core)?;
    for function in later.filter(|function| matches!(function.body, FunctionBody::Prelude)) {
        let check = lua.create_function(move |lua, arguments: MultiValue| {
            let checked = function.check_arguments(lua, arguments);
            pack_results(lua, checked)
        })?;
        let body: LuaFunction = written.raw_get(function.name)?;
        set_at_path(lua, lua.globals(), function.name.split('.'), checked.call((check, body))?)?;
    }
    Ok(InstalledLibrary(library))
}

fn load_chunk(lua: &Lua, name: &str, source: &str) -> mlua::Result<LuaFunction> {
    lua.load(source).set_name(name).set_mode(ChunkMode::Text).into_function()
}

/// What the glue turns into a plain Lua error, or into results: errors of mlua would be userdata for the script.
fn pack_results(lua: &Lua, result: Result<Vec<Value>, String>) -> mlua::Result<MultiValue> {
    let mut values = match result {
        Ok(values) => values,
        Err(message) => {
            return Ok([Value::Boolean(false), Value::String(lua.create_string(message)?)].into_iter().collect());
        }
    };
    values.insert(0, Value::Boolean(true));
    Ok(values.into_iter().collect())
}

/// Puts a function below `top`, where these names lead: the last one is its own.
fn set_at_path<'n>(lua: &Lua, top: Table, names: impl Iterator<Item = &'n str>, body: LuaFunction) -> mlua::Result<()> {
    let (mut table, mut names) = (top, names.peekable());
    while let Some(name) = names.next() {
        if names.peek().is_none() {
            return table.raw_set(name, body);
        }
        table = match table.raw_get(name)? {
            Value::Table(inner) => inner,
            _ => {
                let inner = lua.create_table()?;
                table.raw_set(name, &inner)?;
                inner
            }
        };
    }
    Ok(())
}

/// What is no function.
fn register_constants(lua: &Lua) -> mlua::Result<()> {
    let alc: Table = lua.globals().raw_get("alc")?;
    let dirs = lua.create_table()?;
    for name in STORE_DIRS {
        dirs.raw_set(name, name)?;
    }
    alc.raw_set("_dirs", dirs)?;
    alc.raw_set("null", Value::NULL)?;
    let json: Table = lua.globals().raw_get("json")?;
    json.raw_set("null", Value::NULL)
}

/// The type stubs of what scripts see, by file name.
#[must_use]
pub fn type_stubs() -> [(&'static str, String); 2] {
    [
        ("alc.d.lua", stubs::render_file("alc", alc_stubs::HEAD, alc_stubs::SECTIONS, "")),
        (
            "alc_shapes.d.lua",
            stubs::render_file(
                "alc_shapes",
                alc_shapes_stubs::HEAD,
                alc_shapes_stubs::SECTIONS,
                alc_shapes_stubs::TAIL,
            ),
        ),
    ]
}
