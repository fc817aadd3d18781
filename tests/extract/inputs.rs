//! Functions `run` whose inputs are found, and what a real Lua does in a call that lacks one.
//!
//! Owns: the programs, and the calls of what they return.
//! Never: compares inputs that are only read: nothing follows from those.

use mlua::{Function, Lua, Table};
use wardroom_guest::package_meta::{InputNeed, inputs};

use crate::choices::Choices;

/// The fields that a call may have. Programs read no others.
const FIELDS: [&str; 2] = ["a", "b"];

/// What programs call, besides the language.
const SURROUNDINGS: &str = r#"
local shapes = { instrument = function(module, entry)
    local run = module[entry]
    return function(...) return run(...) end
end }
function require(name) if name == "alc_shapes" then return shapes end error("no such module") end
alc = { tuning = function(defaults, ctx) return { a = ctx.a or defaults.a } end }
yes, turns = true, 0
function fill(ctx) ctx.a, ctx.b = "filled", "filled" return ctx end
function wrap(run) return function(ctx) return run(fill({ fill = fill })) end end
function once() turns = turns + 1 return turns % 2 == 1 end
function same(value) return value end
"#;

const FORMS: [(&str, &str); 14] = [
    ("local M = {} function M.run(ctx)\n", "end return M"),
    ("local M = {} M.run = function(ctx)\n", "end return M"),
    ("local M = {} local function run(ctx)\n", "end M.run = run return M"),
    ("local M = { run = function(ctx)\n", "end } return M"),
    (
        "local M = {} local S = require('alc_shapes') function M.run(ctx)\n",
        "end M.run = S.instrument(M, 'run') return M",
    ),
    ("local M = {} function M.run(ctx)\n", "end M.run = wrap(M.run) return M"),
    (
        "local M = {} function M.run(ctx)\n",
        "end local run = M.run M.run = function(ctx) return run(fill(ctx)) end return M",
    ),
    (
        "local M = {} function M.run(ctx)\n",
        "end function M.go(ctx) return M.run(ctx) end M.run, M.go = fill, M.run return M",
    ),
    ("local M = {} function M.run(ctx)\n", "end if yes then M.run = fill end return M"),
    ("local M = {} local function run(ctx)\n", "end run = fill M.run = run return M"),
    ("local M = {} local function assert() end function M.run(ctx)\n", "end return M"),
    ("local M = {} function error() end function M.run(ctx)\n", "end return M"),
    ("local M = {} type = same function M.run(ctx)\n", "end return M"),
    ("local M = {} function M.run(ctx)\n", "end return setmetatable({}, { __index = { run = fill } })"),
];

/// Statements, in which `%v` is a value, `%c` a condition, and `%s` further statements.
const STATEMENTS: [&str; 34] = [
    "assert(%v, 'x')",
    "assert(%v ~= nil and %v, 'x')",
    "assert(%v or %v, 'x')",
    "assert(type(%v) == 'string')",
    "if %c then error('x') end",
    "if %c or %c then error('x') end",
    "if %c and %c then error('x') end",
    "if %c then error('x') else %s end",
    "if %c then same() error('x') end",
    "if %c then return 1 end",
    "if %c then %s elseif %c then error('x') end",
    "local one = %v or error('x')",
    "local one, two = %v, %v or error('x')",
    "local one = %v",
    "local one, two = %v, %v",
    "local one = %v or 'd'",
    "local one",
    "one = 'd'",
    "one, two = 'd', 'e'",
    "ctx.a = 'd'",
    "ctx.a = ctx.a or 'd'",
    "ctx.a, ctx.b = 'd', 'e'",
    "x, ctx.b, y = 1, 'd', 3",
    "fill(ctx)",
    "ctx:fill()",
    "ctx = ctx or {}",
    "ctx = fill({ fill = fill })",
    "local c = ctx c.b = 'd'",
    "local set = function() ctx.a = 'd' one = 'd' end if yes then set() end",
    "local D = { a = 1 } local opts = alc.tuning(D, ctx)",
    "do %s end",
    "for i = 1, 2 do %s end",
    "pcall(function() %s end)",
    "if %c then goto done end",
];
const VALUES: [&str; 7] = ["ctx.a", "ctx.b", "ctx['a']", "one", "two", "yes", "ctx.a or ctx.b"];
const CONDITIONS: [&str; 10] = [
    "not %v",
    "%v == nil",
    "nil == %v",
    "type(%v) ~= 'string'",
    "type(%v) == 'nil'",
    "%v ~= nil",
    "type(ctx) ~= 'table'",
    "not yes",
    "yes",
    "once()",
];

/// Draws a program.
#[must_use]
pub fn program(choices: &mut Choices<'_>) -> String {
    // The first form, which changes nothing, is drawn most often.
    let form = choices.below(FORMS.len() + 10).saturating_sub(10);
    let (head, tail) = FORMS.get(form).copied().unwrap_or_default();
    let body = statements(choices, 0);
    format!("{head}{body}\n::done:: {tail}")
}

fn statements(choices: &mut Choices<'_>, depth: usize) -> String {
    let count = choices.below(if depth == 0 { 5 } else { 2 }) + 1;
    let drawn = (0..count).map(|_| {
        let statement = choices.of(if depth < 2 { &STATEMENTS } else { &STATEMENTS[..4] });
        filled(statement, choices, depth)
    });
    drawn.collect::<Vec<_>>().join("\n")
}

/// Replaces each placeholder of a template by something drawn.
fn filled(template: &str, choices: &mut Choices<'_>, depth: usize) -> String {
    let mut parts = template.split('%');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_at(1) {
            ("v", rest) => text = text + choices.of(&VALUES) + rest,
            ("c", rest) => {
                let condition = choices.of(&CONDITIONS);
                text = text + &filled(condition, choices, depth) + rest;
            }
            (_, rest) => text = text + &statements(choices, depth + 1) + rest,
        }
    }
    text
}

/// Returns the inputs that a program is said to require, and of those the ones without which a call succeeds.
#[must_use]
pub fn wrongly_required(source: &str) -> (Vec<String>, Vec<String>) {
    let Ok(found) = inputs("demo", source.as_bytes()) else { return (Vec::new(), Vec::new()) };
    let required = found.inputs.into_iter().filter(|input| input.need == InputNeed::Required);
    let required: Vec<String> = required.map(|input| input.name).collect();
    let succeeds = |input: &&String| call_without(source, input).is_ok();
    let wrong = required.iter().filter(succeeds).cloned().collect();
    (required, wrong)
}

/// Calls the function that a program returns, with all fields but one.
fn call_without(source: &str, input: &str) -> mlua::Result<()> {
    let lua = Lua::new();
    lua.load(SURROUNDINGS).exec()?;
    let module: Table = lua.load(source).call("demo")?;
    let ctx = lua.create_table()?;
    for field in FIELDS.iter().filter(|field| **field != input) {
        ctx.set(*field, "given")?;
    }
    ctx.set("fill", lua.globals().get::<Function>("fill")?)?;
    module.get::<Function>("run")?.call::<()>(ctx)
}
