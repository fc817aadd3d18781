//! The library: everything that a script sees as `alc.*` and `json`, and a declared handler as its modules (`modules/`).
//!
//! Owns: the one table of functions, from which they are registered, their arguments are checked and the type stubs are
//! written; the part that is Lua itself (`prelude.lua`, `evalframe.lua`).
//! Never: has an effect but through the [`Host`], or reads a clock, a file or randomness.

mod ask;
mod card;
mod function;
mod json;
mod math;
pub(super) mod modules;
mod prelude;
mod run;
mod shapes;
mod state;
mod stubs;
mod text;
mod types;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use mlua::{ChunkMode, Function as LuaFunction, Lua, MultiValue, Table, Value};
use serde_json::Value as Json;

use self::function::{Body, Call, Function};
pub use self::modules::{MODULES, module_problem, module_stubs};
pub use self::prelude::builtin_module;
use super::host::Host;

/// Every function, by the table that it lies in.
const FUNCTIONS: &[&[Function]] = &[
    ask::FUNCTIONS,
    text::FUNCTIONS,
    json::FUNCTIONS,
    run::FUNCTIONS,
    state::FUNCTIONS,
    card::FUNCTIONS,
    math::FUNCTIONS,
    prelude::FUNCTIONS,
];

/// Where the stores lie. A script has no files, so that the names are all there is to know.
const DIRS: [&str; 3] = ["state", "cards", "scenarios"];

/// What the functions of one VM share.
struct Library {
    host: Rc<dyn Host>,
    /// The part of `alc.state` that the run sees; known when it begins.
    namespace: RefCell<String>,
    /// What `alc.stats` recorded, for the script to read again.
    recorded: RefCell<BTreeMap<String, Json>>,
    /// Bytes of that.
    recorded_bytes: Cell<usize>,
    /// The functions of mlua-mathlib.
    math: Table,
}

impl Library {
    fn namespace(&self) -> String {
        self.namespace.borrow().clone()
    }
}

/// A VM's library, whose run has not begun.
pub struct Installed(Rc<Library>);

impl Installed {
    /// The run begins, with this as its `ctx`.
    pub fn begin(&self, context: &Json) {
        let namespace = context.get("_ns").and_then(Json::as_str).unwrap_or("default");
        namespace.clone_into(&mut self.0.namespace.borrow_mut());
    }
}

/// Puts `alc` and `json` among the globals. Everything of Lua's own library that the run is to have is there already, and
/// is not looked up again; only `require` is, when a function needs it.
///
/// # Errors
/// When the VM has no memory left, or lacks a part of Lua's library that strategies have.
pub fn install(lua: &Lua, host: Rc<dyn Host>) -> mlua::Result<Installed> {
    let namespace = RefCell::new("default".to_owned());
    let library = Rc::new(Library {
        host,
        namespace,
        recorded: RefCell::default(),
        recorded_bytes: Cell::default(),
        math: mlua_mathlib::module(lua)?,
    });
    let glue: LuaFunction = chunk(lua, "=alc/glue.lua", include_str!("glue.lua"))?;
    let (loud, quiet, checked): (LuaFunction, LuaFunction, LuaFunction) = glue.call(())?;

    let (core, later) = (lua.create_table()?, FUNCTIONS.iter().copied().flatten());
    for function in later.clone() {
        let body = match function.body {
            Body::Rust(body) => body,
            Body::Math => math::call,
            Body::Prelude | Body::Package | Body::Module(_) | Body::Several(_) => continue,
        };
        let library = Rc::clone(&library);
        let call = lua.create_function(move |lua, arguments: MultiValue| {
            let result = Call::new(&library, lua, function, arguments).and_then(|mut call| body(&mut call));
            raised(lua, result.map(|value| vec![value]))
        })?;
        place(lua, lua.globals(), function.name.split('.'), loud.call(&call)?)?;
        if !matches!(function.body, Body::Math) {
            core.raw_set(function.name, quiet.call::<LuaFunction>(call)?)?;
        }
    }
    fields(lua)?;

    prelude::extend(lua, &library, &core, &quiet)?;
    let written: Table = chunk(lua, "=alc/prelude.lua", include_str!("prelude.lua"))?.call(core)?;
    for function in later.filter(|function| matches!(function.body, Body::Prelude)) {
        let check = lua.create_function(move |lua, arguments: MultiValue| {
            let checked = function.check(lua, arguments);
            raised(lua, checked)
        })?;
        let body: LuaFunction = written.raw_get(function.name)?;
        place(lua, lua.globals(), function.name.split('.'), checked.call((check, body))?)?;
    }
    Ok(Installed(library))
}

fn chunk(lua: &Lua, name: &str, source: &str) -> mlua::Result<LuaFunction> {
    lua.load(source).set_name(name).set_mode(ChunkMode::Text).into_function()
}

/// What the glue turns into a plain Lua error, or into results: errors of mlua would be userdata for the script.
fn raised(lua: &Lua, result: Result<Vec<Value>, String>) -> mlua::Result<MultiValue> {
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
fn place<'n>(lua: &Lua, top: Table, names: impl Iterator<Item = &'n str>, body: LuaFunction) -> mlua::Result<()> {
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
fn fields(lua: &Lua) -> mlua::Result<()> {
    let alc: Table = lua.globals().raw_get("alc")?;
    let dirs = lua.create_table()?;
    for name in DIRS {
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
        ("alc.d.lua", stubs::file("alc", types::HEAD, types::SECTIONS, "")),
        ("alc_shapes.d.lua", stubs::file("alc_shapes", shapes::HEAD, shapes::SECTIONS, shapes::TAIL)),
    ]
}
