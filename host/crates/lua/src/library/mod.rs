//! The library of scripts: `alc.*` and `json` for strategies, and the modules of declared handlers (`handler_modules/`).
//!
//! Owns: the single table of functions, from which functions are registered, arguments are checked and type stubs are
//! generated; the part that is written in Lua (`prelude.lua`, `evalframe.lua`).
//! Never: has an effect except through the [`ScriptHost`], or reads a clock, a file or randomness.

mod alc_shapes_stubs;
mod alc_stubs;
mod card;
mod function;
pub(super) mod handler_modules;
mod json;
mod llm;
mod math;
mod module_error;
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
pub use self::handler_modules::{MODULES, module_problem, module_stubs};
pub use self::prelude::builtin_module;
use super::script_host::ScriptHost;
use crate::traceback::{GLUE_CHUNK_NAME, PRELUDE_CHUNK_NAME};
use wardroom_base::payload::Payload;

/// The tables of all functions.
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

/// The namespace of `alc.state` where `ctx` names none.
const DEFAULT_STATE_NAMESPACE: &str = "default";

/// The values of `alc._dirs`. A script has no files, so they are plain names.
const STORE_DIRS: [&str; 3] = ["state", "cards", "scenarios"];

/// State that the functions of one VM share.
struct LibraryContext {
    host: Rc<dyn ScriptHost>,
    /// The namespace of `alc.state`, which is set when the run begins.
    namespace: RefCell<String>,
    /// Values that `alc.stats.record` recorded, for `alc.stats.get`.
    recorded_stats: RefCell<BTreeMap<String, Json>>,
    /// Size of `recorded_stats` in bytes.
    recorded_stats_bytes: Cell<usize>,
    /// The functions of mlua-mathlib.
    math: Table,
}

impl LibraryContext {
    fn namespace(&self) -> String {
        self.namespace.borrow().clone()
    }
}

/// The library of a VM whose run has not begun.
pub struct InstalledLibrary(Rc<LibraryContext>);

impl InstalledLibrary {
    /// Begins the run with this `ctx`, which may name the namespace of `alc.state`.
    pub fn begin_run(&self, context: &Payload) {
        *self.0.namespace.borrow_mut() = state_namespace(context);
    }
}

/// Returns the namespace of `alc.state` that a `ctx` names.
#[must_use]
pub fn state_namespace(context: &Payload) -> String {
    let named = context.field("_ns").and_then(|named| named.into_typed().ok());
    named.unwrap_or_else(|| DEFAULT_STATE_NAMESPACE.to_owned())
}

/// Adds `alc` and `json` to the globals. Lua's own functions must be in place already: they are captured now, except
/// `require`, which is looked up when a function needs it.
///
/// # Errors
/// When the VM has no memory left, or lacks a part of Lua's library that strategies have.
pub fn install(lua: &Lua, host: Rc<dyn ScriptHost>) -> mlua::Result<InstalledLibrary> {
    let namespace = RefCell::new(DEFAULT_STATE_NAMESPACE.to_owned());
    let library = Rc::new(LibraryContext {
        host,
        namespace,
        recorded_stats: RefCell::default(),
        recorded_stats_bytes: Cell::default(),
        math: mlua_mathlib::module(lua)?,
    });
    let glue: LuaFunction = load_chunk(lua, &format!("={GLUE_CHUNK_NAME}"), include_str!("glue.lua"))?;
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
    let prelude = load_chunk(lua, &format!("={PRELUDE_CHUNK_NAME}"), include_str!("prelude.lua"))?;
    let written: Table = prelude.call(core)?;
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

/// Packs a result for `glue.lua`, which raises a plain Lua error or returns the values. An mlua error would be
/// userdata.
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

/// Sets a function at a path below `top`, and creates the tables on the path.
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

/// Registers the values that are not functions.
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

/// The type stubs of the library, by file name.
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
