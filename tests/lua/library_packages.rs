//! Tests of packages in the usual styles.

use serde_json::json;

use super::library_host::TestHost;

/// A small library of combinators in the style of `alc_shapes`: schemas are data with methods, in separate files.
const SHAPES_T: &str = r#"
--- shapes.t — combinators
local T = {}
local methods = {}
local function schema(fields) return setmetatable(fields, { __index = methods }) end
function methods:is_optional() return schema({ kind = "optional", inner = self }) end
function methods:describe(doc) return schema({ kind = "described", inner = self, doc = doc }) end
for _, name in ipairs({ "string", "number", "boolean", "table" }) do T[name] = schema({ kind = "prim", prim = name }) end
T.any = schema({ kind = "any" })
function T.shape(fields, opts) return schema({ kind = "shape", fields = fields, open = not opts or opts.open ~= false }) end
function T.array_of(elem) return schema({ kind = "array_of", elem = elem }) end
function T.map_of(key, val) return schema({ kind = "map_of", key = key, val = val }) end
function T.one_of(values) return schema({ kind = "one_of", values = values }) end
function T.discriminated(tag, variants) return schema({ kind = "discriminated", tag = tag, variants = variants }) end
function T.ref(name) return schema({ kind = "ref", name = name }) end
return T"#;

const SHAPES: &str = r#"
local T = require("shapes.t")
local S = { T = T, voted = T.shape({ answer = T.string, votes = T.map_of(T.string, T.number):is_optional() }) }
local checks = {}
function S.check(value, schema, path)
  path = path or "$"
  if schema == nil then return true end
  return checks[schema.kind](value, schema, path)
end
local function no(path, wanted, value) return false, ("%s: expected %s, got %s"):format(path, wanted, type(value)) end
function checks.prim(value, schema, path) if type(value) == schema.prim then return true end return no(path, schema.prim, value) end
function checks.any() return true end
function checks.optional(value, schema, path) return value == nil or S.check(value, schema.inner, path) end
function checks.described(value, schema, path) return S.check(value, schema.inner, path) end
function checks.ref(value, schema, path) return S.check(value, S[schema.name], path) end
function checks.one_of(value, schema, path)
  for _, allowed in ipairs(schema.values) do if value == allowed then return true end end
  return no(path, "one of " .. table.concat(schema.values, "|"), value)
end
function checks.array_of(value, schema, path)
  if type(value) ~= "table" then return no(path, "list", value) end
  for i, item in ipairs(value) do
    local ok, why = S.check(item, schema.elem, ("%s[%d]"):format(path, i))
    if not ok then return ok, why end
  end
  return true
end
function checks.map_of(value, schema, path)
  if type(value) ~= "table" then return no(path, "map", value) end
  for key, item in pairs(value) do
    local ok, why = S.check(key, schema.key, path .. ".key")
    if ok then ok, why = S.check(item, schema.val, path .. "." .. tostring(key)) end
    if not ok then return ok, why end
  end
  return true
end
function checks.shape(value, schema, path)
  if type(value) ~= "table" then return no(path, "shape", value) end
  local names = {}
  for name in pairs(schema.fields) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    local ok, why = S.check(value[name], schema.fields[name], path .. "." .. name)
    if not ok then return ok, why end
  end
  if not schema.open then
    for name in pairs(value) do if not schema.fields[name] then return false, path .. ": unexpected " .. name end end
  end
  return true
end
function checks.discriminated(value, schema, path)
  local variant = type(value) == "table" and schema.variants[value[schema.tag]]
  if not variant then return false, path .. ": no variant" end
  return S.check(value, variant, path)
end
function S.instrument(mod, entry)
  local run, spec = mod[entry], mod.spec.entries[entry]
  return function(ctx)
    local ok, why = S.check(ctx, spec.input)
    if not ok then error(mod.meta.name .. " input " .. why, 2) end
    local out = run(ctx)
    ok, why = S.check(out.result, type(spec.result) == "string" and S[spec.result] or spec.result)
    if not ok then error(mod.meta.name .. " result " .. why, 2) end
    return out
  end
end
return S"#;

/// A package in the most common style.
const PANEL: &str = r#"
--- panel(Panel) — several answers, and a vote
---
--- ## Usage
--- return require("panel").run({ task = "…" })

local S = require("shapes")
local T = S.T

local M = {}

---@type AlcMeta
M.meta = {
    name = "panel", version = "0.1.0",
    description = "asks several times, "
        .. "and takes the answer of most",
    category = "aggregation", alc_shapes_compat = "^0.25",
}

M.spec = { entries = { run = {
    input = T.shape({ task = T.string:describe("what to answer"), n = T.number:is_optional() }),
    result = "voted",
} } }

M.defaults = { n = 3, llm = { max_tokens = 50, system = "short" }, _schema = {} }

function M.run(ctx)
    local conf = alc.tuning(M.defaults, ctx)
    local turns = {}
    for i = 1, conf.n do turns[i] = i end
    alc.log("info", "asking " .. conf.n .. " times")
    local answers = alc.parallel(turns, function(i)
        alc.progress(i, conf.n)
        return ctx.task .. " (" .. i .. ")"
    end, conf.llm)
    local vote = alc.vote(alc.map(answers, function(a) return (a:lower()) end))
    alc.stats.record("agreement", vote.count / vote.total)
    alc.state.update("runs", function(n) return n + 1 end, 0)
    local counts = alc.reduce(answers, function(acc, a) a = a:lower() acc[a] = (acc[a] or 0) + 1 return acc end, {})
    ctx.result = { answer = vote.winner, votes = counts }
    return ctx
end

M.run = S.instrument(M, "run")
return M"#;

/// A package in the scaffold's form, with locals and a helper module.
const REFINE: &str = r#"
local rubric = require("refine.rubric")
local M = { meta = { name = "refine", version = "0.1.0" }, spec = { entries = { run = {} } } }
function M.run(ctx)
  local text = ctx.task
  for round = 1, ctx.rounds or 2 do
    if not alc.budget_check() then break end
    local score = alc.parse_score(alc.llm(rubric(text)))
    if score >= 8 then ctx.rounds_used = round break end
    text = alc.llm_safe("Improve: " .. text, { system = "editor" }, text)
  end
  ctx.result = text
  return ctx
end
return M"#;

fn host<const N: usize>(answers: [&str; N]) -> TestHost {
    TestHost::with_answers(answers)
        .with_module("shapes", SHAPES)
        .with_module("shapes.t", SHAPES_T)
        .with_module("panel", PANEL)
        .with_module("refine", REFINE)
        .with_module("refine.rubric", "return function(text) return 'Score 1 to 10: ' .. text end")
}

#[test]
fn package_with_shapes_runs() {
    let ran = host(["Blue", "red", "blue"]).run("return require('panel').run({ task = 'colour?', n = 3 })");
    let result = json!({ "answer": "blue", "votes": { "blue": 2, "red": 1 } });
    assert_eq!(ran.value(), json!({ "task": "colour?", "n": 3, "result": result }));
    let arguments = ran.arguments("llm");
    assert_eq!(arguments["queries"][2]["prompt"], json!("colour? (3)"));
    assert_eq!(
        (&arguments["queries"][0]["max_tokens"], &arguments["queries"][0]["system"]),
        (&json!(50), &json!("short"))
    );
    assert_eq!(ran.arguments("+stats.record"), json!({ "key": "agreement", "value": 2.0 / 3.0 }));
    assert_eq!(ran.arguments("+state.set"), json!({ "ns": "default", "key": "runs", "value": 1 }));
    assert_eq!(ran.operations().iter().filter(|name| **name == "+progress").count(), 3);
}

#[test]
fn shape_violation_raises_at_the_call() {
    let ran = host([]).run("local r = require('panel').run({ n = 1 }) return r");
    assert_eq!(ran.returned, Err("script:1: panel input $.task: expected string, got nil".into()));
    let ran = host([]).run("local T = require('shapes').T local S = require('shapes')
        local schema = T.discriminated('kind', { a = T.shape({ kind = T.one_of({ 'a' }), n = T.number }, { open = false }), b = T.shape({}) })
        return { S.check({ kind = 'a', n = 1 }, schema), S.check({ kind = 'b', other = 1 }, schema), { S.check({ kind = 'a', n = 1, x = 1 }, schema) },
                 { S.check({ { 1 } }, T.array_of(T.array_of(T.string))) }, { S.check({ kind = 'c' }, schema) } }");
    let expected = json!([
        true,
        true,
        [false, "$: unexpected x"],
        [false, "$[1][1]: expected string, got number"],
        [false, "$: no variant"]
    ]);
    assert_eq!(ran.value(), expected);
}

#[test]
fn packages_can_be_piped_and_evaluated() {
    let ran = host(["blue", "Score: 4/10", "a clear blue", "9"]).run(
        "return alc.pipe({ 'panel', function(c) return { task = c.task, result = json.decode(c.task).answer } end, 'refine' }, { task = 'colour?', n = 1 })",
    );
    let out = ran.value();
    assert_eq!((&out["result"], &out["rounds_used"]), (&json!("a clear blue"), &json!(2)));
    assert_eq!(out["pipe_history"].as_array().unwrap().len(), 3);

    let evaluated = host(["blue", "blue", "red"]).run(
        "return alc.eval({ cases = { { input = 'sky?', expected = 'blue' } } }, 'panel', { n = 3, auto_card = true, card_pkg = 'panel' })",
    );
    let report = evaluated.value();
    assert_eq!((&report["aggregated"]["passed"], &report["card_id"]), (&json!(1), &json!("made_1")));
    assert_eq!(report["results"][0]["response"]["text"], json!("blue"));
}

#[test]
fn exhausted_budget_reaches_the_strategy() {
    let ran = host([])
        .with_response("budget", Ok(json!({ "llm_calls": 0 })))
        .run("return require('refine').run({ task = 'draft' }).result");
    assert_eq!((ran.value(), ran.operations().contains(&"llm")), (json!("draft"), false));
    let raised = host([]).with_response("llm", Err("budget_exceeded: max_llm_calls (0) reached (0 used)")).run(
        "local ok, e = pcall(require('refine').run, { task = 'draft' }) return { ok, e:find('budget_exceeded', 1, true) ~= nil }",
    );
    assert_eq!(raised.value(), json!([false, true]));
}

#[test]
fn package_can_call_llm_and_detect_features_at_load() {
    let host = TestHost::with_answers(["loaded"]).with_module(
        "asks",
        "local said = alc.llm('at load')
         local warn = type(alc.log) == 'table' and alc.log.warn or function(m) alc.log('warn', m) end
         local hash = type(alc.hash) == 'function' and alc.hash or alc.fingerprint
         return { run = function(ctx) warn(said) ctx.result = #hash(said) return ctx end }",
    );
    let ran = host.run("return require('asks').run({})");
    assert_eq!(ran.value(), json!({ "result": 64 }));
    assert_eq!(ran.arguments("+log")["message"], json!("loaded"));
}
