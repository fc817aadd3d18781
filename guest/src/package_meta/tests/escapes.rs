//! Ways to change metadata where the top level's statements do not show it: each is unresolved, with its reason, and
//! what only looks like one is not.

use super::check;

const FULL: &str = r#"{"name":"a"}"#;
const GIVEN: &str = ": gives code that is not followed a table to change";

fn module(body: &str) -> String {
    format!("local M = {{}} M.meta = {{ name = 'a' }}\n{body}\nreturn M")
}

#[test]
fn table_that_is_given_away_is_in_doubt() {
    for body in [
        "f(M)",
        "M:f()",
        "(M):f()",
        "f(M.meta)",
        "f(M['meta'])",
        "f(M[('meta')])",
        "f { M }",
        "rawset(M, 'meta', {})",
        "rawset(M.meta, 'name', 'b')",
        "for k, v in pairs(M) do v.name = 'b' end",
        "local function g() return M end g().meta.name = 'b'",
        "local function g() local A = M A.meta.name = 'b' end g()",
        "do local A = M.meta A.name = 'b' end",
        "local A A = M.meta A.name = 'b'",
        "local A = { M } f(A)",
        "local A = f(function() return M end)",
        "local x = #M.meta",
        "M:g().x = 1",
        "alc.map(M, function(m) m.meta = nil end)",
        "S.instrument(M, 'run')",
        "require('other').instrument(M, 'run')",
    ] {
        check(&module(body), FULL, &[GIVEN]);
    }
}

#[test]
fn table_that_an_operator_gets_is_in_doubt() {
    let operator = ": uses an operator that is not computed";
    for body in
        ["local A = M or x A.meta.name = 'b'", "local A = x and M A.meta.name = 'b'", "local A = -M", "local A = #M"]
    {
        let reason =
            if body.contains("x and") { ": gives code that is not followed a table to change" } else { operator };
        check(&module(body), FULL, &[reason]);
    }
    check(&module("local x = M .. ''"), FULL, &[": concatenates something that is neither a string nor a number"]);
    check(&module("local x = M + 1"), FULL, &[": calculates with something that is not a number"]);
    check(&module("local x = not M"), FULL, &[]);
}

#[test]
fn path_behind_an_unknown_key_leads_anywhere() {
    let key = ": has a key that is not a constant";
    let shared = "local T = { name = 'a' } M.meta = T local A = { sub = T }";
    for body in
        ["A[k].name = 'b'", "do A[k].name = 'b' end", "do A['s' .. 'ub'].name = 'b' end", "A.sub, A[k].name = T, 'b'"]
    {
        check(&module(&format!("{shared} {body}")), FULL, &[key]);
    }
    check(&module(&format!("{shared} A[k] = 'b'")), FULL, &[key]);
    check(&module("local A = { sub = {} } A[k].name = 'b'"), FULL, &[]);
}

#[test]
fn last_value_of_a_constructor_stands_for_any_number() {
    let json = r#"{"1":"x"}"#;
    for (value, reason) in [("f()", "calls a function"), ("...", "uses the chunk's arguments")] {
        check(&format!("local t = {{ {value} }} t[1] = 'x' return {{ meta = t }}"), json, &[&format!(": {reason}")]);
        let inner = format!("local t = {{ 'a', {value} }} t[2] = nil return {{ meta = {{ t = t }} }}");
        check(&inner, r#"{"t":null}"#, &[&format!("t: {reason}")]);
    }
    check("local t = { x } t[1] = 'b' return { meta = { t = t } }", r#"{"t":["b"]}"#, &[]);
    check("local t = { f(), 'a' } t[2] = 'b' return { meta = t }", r#"{"1":null,"2":"b"}"#, &["[1]: calls a function"]);
}

#[test]
fn order_of_statements_that_is_uncertain_is_in_doubt() {
    let label = ": is a label, from which statements may be repeated or left out";
    check(&module("goto done M.meta.name = 'b' ::done::"), r#"{"name":"b"}"#, &[label]);
    let early = ": may return earlier, inside a block";
    for body in ["if x then return {} end", "do return end", "for _ = 1, 2 do return M end", "while x do return end"] {
        check(&module(body), FULL, &[early]);
    }
    check(&module("function M.f() for _ = 1, 2 do return M.meta.name end end"), FULL, &[]);
    check(&module("for _ = 1, 2 do goto next ::next:: end"), FULL, &[]);
}

#[test]
fn global_is_in_doubt_where_anything_is_called() {
    let module = |body| format!("M = {{}} M.meta = {{ name = 'a' }} {body} return M");
    check(&module(""), FULL, &[]);
    check(&module("function M.f() f() end"), FULL, &[]);
    for body in
        ["f()", "f''", "f{}", "(f)()", "local x = f()", "for _ in f do end", "_G.M.meta.name = 'b'", "_ENV.M = x"]
    {
        check(&module(body), FULL, &[": is in a global variable, which any function can change"]);
    }
}

#[test]
fn local_environment_puts_everything_in_doubt() {
    for body in [
        "local _ENV = M meta = { name = 'b' }",
        "local _ENV <const> = M meta = { name = 'b' }",
        "local _, _ENV = 1, M meta.name = 'b'",
        "local N = M local _ENV = N function meta() end",
        "do local _ENV = { q = M } q.meta = nil end",
    ] {
        check(&module(body), FULL, &[": gives code that is not followed a table to change"]);
    }
}

#[test]
fn metatable_is_in_doubt_unless_it_is_harmless() {
    let module = |table: &str| format!("local M = setmetatable({{}}, {table}) M.meta = {{ name = 'a' }} return M");
    for table in ["{}", "{ __call = f }", "{ __index = {} }", "{ __name = 'x', __tostring = function() end; }"] {
        check(&module(table), FULL, &[]);
    }
    for table in [
        "f",
        "{} and f",
        "{ __index = {} and f }",
        "{ __index = {} .. f }",
        "{ __index = {} (f) }",
        "nil",
        "{ __newindex = f }",
        "{ __index = f }",
        "{ __mode = 'v' }",
        "{ ['__index'] = {} }",
        "{ f }",
    ] {
        check(&module(table), FULL, &[": has a metatable that may change it"]);
    }
    for head in
        ["require('_G').setmetatable = f", "f(require)", "f(package.loaded)", "package.loaded._G.setmetatable = f"]
    {
        let source = format!("{head} local M = setmetatable({{}}, {{}}) M.meta = {{ name = 'a' }} return M");
        check(&source, FULL, &[": calls a function"]);
    }
    let shadowed = "local setmetatable = f local M = setmetatable({}, {}) M.meta = { name = 'a' } return M";
    check(shadowed, FULL, &[": calls a function"]);
    let replaced = "local M = setmetatable({}, {}) M.meta = { name = 'a' } function f() setmetatable = g end return M";
    check(replaced, FULL, &[": calls a function"]);
    let inherited = ": has a metatable that may change it";
    check("return setmetatable({}, { __index = function() return {} end })", "{}", &[inherited]);
    let last = |table: &str| format!("local M = {{}} M.meta = {{ name = 'a' }} return setmetatable(M, {table})");
    for table in ["{ __index = function() end }", "{ __newindex = f }", "{}"] {
        check(&last(table), FULL, &[]);
    }
    check(&last("{ __mode = 'v' }"), FULL, &[inherited]);
}

#[test]
fn name_means_what_it_means_at_its_place() {
    let inside = ": assigned inside a block";
    for body in [
        "do local M = (function() M.meta = nil end)() end",
        "for M in (function() M.meta = nil end) do end",
        "do function M.meta() end end",
        "f(function() function M.meta(x) end end)",
        "M.x[(function() local y = 1 end)()], M.meta = 1, f()",
    ] {
        let source = module(body);
        let reason = if body.starts_with("M.x") { ": calls a function" } else { inside };
        check(&source, "{}", &[reason]);
    }
    for body in [
        "local function f(M) M.meta = nil end",
        "do local M = {} M.meta = nil end",
        "for M = 1, 2 do M.meta = nil end",
        "local function f() local M M.meta = nil end",
    ] {
        check(&module(body), FULL, &[]);
    }
}

#[test]
fn assignment_of_several_has_the_order_of_lua() {
    check("local M = {} M.meta, M.meta = { name = 'a' }, { name = 'b' } return M", FULL, &[]);
    check("local M = {} local A = M M.meta, A.meta = { name = 'a' }, { name = 'b' } return M", FULL, &[]);
    check("local M = {} M.meta, M = { name = 'a' }, {} return M", "{}", &[]);
    check(
        "local M, N = { meta = { name = 'a' } } M, M = M, { meta = {} } return M",
        "{}",
        &[": names a variable that is assigned more than once"],
    );
}

#[test]
fn field_that_is_given_twice_is_unresolved() {
    let twice = &["[1]: is given twice, by position and by its key"];
    check("return { meta = { 'a', [1] = 'c' } }", r#"{"1":null}"#, twice);
    check("return { meta = { [1] = 'c', 'a' } }", r#"{"1":"a"}"#, &[]);
}

#[test]
fn library_of_shapes_changes_nothing() {
    let both =
        |head: &str, call: &str| format!("{head} local M = {{}} M.meta = {{ name = 'a' }} M.run = {call} return M");
    let head = "local S = require(\"alc_shapes\")\n";
    for source in [
        both(head, "S.instrument(M, \"run\")"),
        both("local S = require 'alc_shapes'\n", "S.instrument(M, \"run\")"),
        both(
            "local R = require(\"alc_shapes\").spec_resolver R.f(1)\n",
            "require(\"alc_shapes\").instrument(M, \"run\")",
        ),
        both("local T = require(\"alc_shapes.t\") f(T.string)\n", "require(\"alc_shapes\").instrument(M, \"run\")"),
        both("local T = require(\"alc_shapes\").T f(T)\n", "require(\"alc_shapes\").instrument(M, \"run\")"),
        both("local other = require(\"other\")\n", "require(\"alc_shapes\").instrument(M, \"run\")"),
        module("local S = require(\"alc_shapes\") if S and S.instrument then M.run = S.instrument(M, 'run') end"),
        module(
            "local S = require(\"alc_shapes\") local T = S.T if _G.alc then f(T) end M.run = S.instrument(M, 'run')",
        ),
    ] {
        check(&source, FULL, &[]);
    }
    // The library asks for the length of what it finds.
    let source = "local S = require(\"alc_shapes\") local M = {} M.meta = { name = 'a' } \
                  M.spec = { args = setmetatable({ m = M }, { __len = function(t) t.m.meta.name = 'b' return 0 end }) } \
                  M.run = S.instrument(M, \"run\") return M";
    check(source, FULL, &[": gives code that is not followed a table to change"]);
    for (head, call) in [
        (head, "S.instrument(M, run)"),
        (head, "S.instrument(M, \"run\", f)"),
        (head, "S.x.instrument(M, \"run\")"),
        (head, "x.S.instrument(M, \"run\")"),
        (head, "S.instrument --[[ ]] (M, \"run\")"),
        (head, "f( -- S.instrument(\nM, \"run\")"),
        ("local S = require(\"alc_shapes\") S.instrument = f\n", "S.instrument(M, \"run\")"),
        ("local S = require(\"alc_shapes\") f(S)\n", "S.instrument(M, \"run\")"),
        ("local S = require(\"alc_shapes\") or f\n", "S.instrument(M, \"run\")"),
        ("local S = require(\"alc_shapes\").x\n", "S.instrument(M, \"run\")"),
        ("local S = require(\"alc_shapes\") S = f\n", "S.instrument(M, \"run\")"),
        ("local S = require(\"alc_shapes\") function g() S = f end\n", "S.instrument(M, \"run\")"),
        (head, "(f(require(\"alc_shapes\")) or S).instrument(M, \"run\")"),
        ("local S = require(\"alc_shapes\") f(require(\"alc_shapes\"))\n", "S.instrument(M, \"run\")"),
        ("local S = require(\"alc_shapes\") S.instrument = f\n", "require(\"alc_shapes\").instrument(M, \"run\")"),
        ("local function require() end local S = require(\"alc_shapes\")\n", "S.instrument(M, \"run\")"),
        ("type = f local S = require(\"alc_shapes\")\n", "S.instrument(M, \"run\")"),
        ("function rawget() end local S = require(\"alc_shapes\")\n", "S.instrument(M, \"run\")"),
        ("function string.format() end local S = require(\"alc_shapes\")\n", "S.instrument(M, \"run\")"),
        ("local S = require(\"alc_shapes\") local function g() type = f end\n", "S.instrument(M, \"run\")"),
        ("require = f local S = require(\"alc_shapes\")\n", "S.instrument(M, \"run\")"),
        ("_G.require = f local S = require(\"alc_shapes\")\n", "S.instrument(M, \"run\")"),
        (
            "local r = require r(\"alc_shapes\").instrument = f local S = require(\"alc_shapes\")\n",
            "S.instrument(M, \"run\")",
        ),
        (
            "require(\"alc_\" .. \"shapes\").instrument = f local S = require(\"alc_shapes\")\n",
            "S.instrument(M, \"run\")",
        ),
        (
            "local ok, X = pcall(require, \"alc_shapes\") X.instrument = f local S = require(\"alc_shapes\")\n",
            "S.instrument(M, \"run\")",
        ),
        ("local G = require(\"_G\") G.require = f local S = require(\"alc_shapes\")\n", "S.instrument(M, \"run\")"),
        ("require(\"_G\").require = f local S = require(\"alc_shapes\")\n", "S.instrument(M, \"run\")"),
        ("package.preload[\"alc_shapes\"] = f local S = require(\"alc_shapes\")\n", "S.instrument(M, \"run\")"),
        ("f(package.loaded) local S = require(\"alc_shapes\")\n", "S.instrument(M, \"run\")"),
        ("local S = require(\"'alc_shapes'\")\n", "S.instrument(M, \"run\")"),
        ("local S, X = require(\"alc_shapes\")\n", "X.instrument(M, \"run\")"),
        ("local S = require(\"alc_shapes\") local R = S.spec_resolver\n", "S.instrument(M, \"run\")"),
        (
            "local R = require(\"alc_shapes\").spec_resolver R.resolve = f\n",
            "require(\"alc_shapes\").instrument(M, \"run\")",
        ),
        (
            "local R = require(\"alc_shapes/init\").spec_resolver f(R)\n",
            "require(\"alc_shapes\").instrument(M, \"run\")",
        ),
        ("local R = require(\"alc_shapes\").spec_resolver f(R)\n", "require(\"alc_shapes\").instrument(M, \"run\")"),
        ("local S = require(\"alc_shapes\") S:f().x = 1\n", "S.instrument(M, \"run\")"),
        ("local S = require(\"alc_shapes\") if x < S then end\n", "S.instrument(M, \"run\")"),
        ("local S = require(\"alc_shapes\") local y = x == S and 1\n", "S.instrument(M, \"run\")"),
    ] {
        check(&both(head, call), FULL, &[GIVEN]);
    }
}

#[test]
fn library_that_reaches_locals_may_change_everything() {
    for body in [
        "debug.setlocal(1, 1, {})",
        "local d = debug",
        "function M.f() debug.sethook(f) end",
        "require('debug').setlocal(1, 1, {})",
        "debug.getregistry().x = 1",
    ] {
        check(&module(body), FULL, &[GIVEN]);
    }
    for body in ["xpcall(f, debug.traceback)", "local debug = f debug(1)", "function M.f(debug) debug.x() end"] {
        check(&module(body), FULL, &[]);
    }
}

#[test]
fn only_the_part_that_is_given_away_is_unresolved() {
    let body = "local tags = { 'x' } M.meta = { name = 'a', tags = tags } table.insert(tags, 'y')";
    check(&module(body), r#"{"name":"a","tags":null}"#, &["tags: gives code that is not followed a table to change"]);
    let body = "M.meta = { name = 'a', tags = { 'x' } } table.sort(M.meta.tags)";
    check(&module(body), r#"{"name":"a","tags":null}"#, &["tags: gives code that is not followed a table to change"]);
    for body in ["print(M.meta.name)", "M.f(M.meta.name)", "local x = M.meta.name .. M.x", "M.g = M.f", "M.f()"] {
        check(&module(body), FULL, &[]);
    }
}
