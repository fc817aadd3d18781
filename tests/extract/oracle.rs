//! What a program makes when Lua runs it, and whether extraction says the same.
//!
//! Owns: the state in which programs run: the parts of Lua's library that a worker has, the library `alc_shapes` and the
//! global `alc`, which leave `meta` as it is, and every other module, which changes whatever it gets.
//! Never: compares a program that raises an error, runs too long, or of which extraction leaves something unresolved.

use mlua::{Function, HookTriggers, Lua, LuaOptions, StdLib, Table, Value, VmState};
use serde_json::Value as Json;
use wardroom_guest::package_meta::extract;

/// The instructions after which a program counts as endless.
const MAX_INSTRUCTIONS: u32 = 100_000;
const MAX_MEMORY_BYTES: usize = 16 << 20;
const MAX_DEPTH: usize = 70;
/// Tables that contain each other would be written without an end.
const MAX_VALUES: usize = 100_000;

/// The modules, and what stands for the engine.
const SURROUNDINGS: &str = r#"
local shapes = {}
shapes.spec_resolver = { resolve = function(module) return rawget(module, "spec") end }
function shapes.instrument(module, entry)
    -- The globals are those of the program, which may have other functions.
    if type(module) ~= "table" then error("no module") end
    local run = module[entry]
    local spec = shapes.spec_resolver.resolve(module)
    return function(...) return run(...) end
end
local function shape(fields) return { fields = fields } end
shapes.T = { shape = shape, array_of = shape, string = { kind = "string" }, number = { kind = "number" } }

local function change(value)
    if type(value) ~= "table" then return value end
    rawset(value, "name", "changed")
    rawset(value, "added", true)
    if type(rawget(value, "meta")) == "table" then rawset(rawget(value, "meta"), "version", "changed") end
    rawset(value, 1, "changed")
    return value
end
local kept = {}
local other = setmetatable({}, {
    __call = function(_, value) return change(value) end,
    __index = function() return function(first, second)
        for _, value in ipairs(kept) do change(value) end
        kept[#kept + 1] = first
        kept[#kept + 1] = second
        if type(M) == "table" then change(M) end
        change(second)
        return change(first)
    end end,
})

alc = { llm = function() return "answer" end, log = function() end, map = function(list) return {} end }
local globals = _G
function require(name)
    if name == "alc_shapes" then return shapes, "alc_shapes/init.lua" end
    if name == "alc_shapes.t" then return { T = shapes.T } end
    if name == "_G" then return globals end
    local own = setmetatable
    setmetatable = function(value, meta) return own(change(value), meta) end
    return other
end
print = function() end
collectgarbage = nil
"#;

/// What comparing a program gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Extraction and Lua agree.
    Same,
    /// Extraction says that something is unresolved.
    Unresolved,
    /// Extraction refuses the program.
    Refused,
    /// Lua raises an error, or does not end.
    Raises,
    /// Extraction is wrong, and says nothing of it.
    Differs { extracted: String, made: String },
}

/// Compares what extraction says of a program with what running it makes.
#[must_use]
pub fn compare(source: &str) -> Outcome {
    let Ok(metadata) = extract("demo", source.as_bytes()) else { return Outcome::Refused };
    if !metadata.unresolved.is_empty() {
        return Outcome::Unresolved;
    }
    let Ok(made) = run(source) else { return Outcome::Raises };
    let extracted: Json = serde_json::from_str(&metadata.json).unwrap_or(Json::Null);
    if made == extracted {
        return Outcome::Same;
    }
    Outcome::Differs { extracted: extracted.to_string(), made: made.to_string() }
}

/// Runs a program, and returns the metadata of the module that it returns, in the form of extraction.
///
/// # Errors
/// The program raises an error, or does not end.
pub fn run(source: &str) -> mlua::Result<Json> {
    let libraries = StdLib::COROUTINE | StdLib::TABLE | StdLib::STRING | StdLib::UTF8 | StdLib::MATH;
    let lua = Lua::new_with(libraries, LuaOptions::new())?;
    let tostring = lua.globals().get("tostring")?;
    lua.set_memory_limit(MAX_MEMORY_BYTES)?;
    lua.load(SURROUNDINGS).exec()?;
    let triggers = HookTriggers::new().every_nth_instruction(MAX_INSTRUCTIONS);
    lua.set_global_hook(triggers, |_, _| -> mlua::Result<VmState> { Err(mlua::Error::runtime("does not end")) })?;
    let module: Value = lua.load(source).set_name("=chunk").call("demo")?;
    // What only weak references keep is gone for a reader.
    lua.gc_collect()?;
    lua.gc_collect()?;
    let meta = match module {
        Value::Table(module) => module.get::<Value>("meta")?,
        _ => Value::Nil,
    };
    Ok(match meta {
        Value::Table(meta) => Reader { left: MAX_VALUES, tostring }.table(&meta, 0),
        _ => Json::Object(serde_json::Map::new()),
    })
}

struct Reader {
    /// The number of values that may still be read.
    left: usize,
    tostring: Function,
}

impl Reader {
    /// Returns a table as extraction writes it, at the root as an object. What JSON cannot say becomes a text that
    /// extraction never gives.
    fn table(&mut self, table: &Table, depth: usize) -> Json {
        let mut fields = Vec::new();
        let walked = table.for_each(|key: Value, value: Value| {
            fields.push((key, value));
            Ok(())
        });
        if walked.is_err() || depth > MAX_DEPTH || fields.len() > self.left {
            return Json::from("\0 not a value");
        }
        self.left -= fields.len();
        let is_list = depth > 0 && is_sequence(&fields);
        let written = fields.iter().map(|(key, value)| {
            let index = if let Value::Integer(index) = key { *index } else { 0 };
            (index, self.key_text(key), self.value(value, depth))
        });
        let mut written: Vec<(i64, String, Json)> = written.collect();
        if is_list {
            written.sort_by_key(|(index, ..)| *index);
            return Json::Array(written.into_iter().map(|(.., value)| value).collect());
        }
        Json::Object(written.into_iter().map(|(_, key, value)| (key, value)).collect())
    }

    fn key_text(&self, key: &Value) -> String {
        match key {
            Value::Integer(_) | Value::Number(_) => self.tostring.call(key).unwrap_or_default(),
            Value::String(text) => text.to_string_lossy(),
            other => format!("\0 {}", other.type_name()),
        }
    }

    fn value(&mut self, value: &Value, depth: usize) -> Json {
        match value {
            Value::Boolean(bool) => Json::from(*bool),
            Value::Integer(int) => Json::from(*int),
            Value::Number(float) => Json::from(*float),
            Value::String(text) => Json::from(text.to_string_lossy()),
            Value::Table(table) => self.table(table, depth + 1),
            other => Json::from(format!("\0 {}", other.type_name())),
        }
    }
}

fn is_sequence(fields: &[(Value, Value)]) -> bool {
    let count = i64::try_from(fields.len()).unwrap_or(i64::MAX);
    let is_index = |key: &Value| matches!(key, Value::Integer(index) if (1..=count).contains(index));
    !fields.is_empty() && fields.iter().all(|(key, _)| is_index(key))
}
