//! The inputs of `run`. Each case is a body or a source, and the inputs as `name`, `name?` (optional) and `name*` (required).

use wardroom_lua_syntax::lexer::READ;

use super::*;

/// The most times that a part of a source is read: what extraction reads, the names of guards, the body, and what guards
/// read ahead.
const READS: usize = 8;

/// Returns the inputs of a source, and `…` if there may be others.
fn inputs_of(source: &str) -> String {
    let found = inputs("demo", source.as_bytes()).unwrap_or_else(|error| panic!("{error}: {source:.200}"));
    let mark = |need| match need {
        InputNeed::Required => "*",
        InputNeed::Optional => "?",
        InputNeed::Read => "",
    };
    let names = found.inputs.iter().map(|input| format!("{}{}", input.name, mark(input.need)));
    names.chain((!found.is_complete).then(|| "…".to_owned())).collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn check_source(source: &str, expected: &str) {
    assert_eq!(inputs_of(source), expected, "{source}");
}

/// Checks the body of a function `run(ctx)`.
#[track_caller]
fn check_body(body: &str, expected: &str) {
    check_source(&format!("local M = {{}}\nfunction M.run(ctx)\n{body}\nend\nreturn M\n"), expected);
}

#[test]
fn guards_make_a_field_required() {
    for body in [
        "local task = ctx.task or error('ctx.task is required')",
        "local task <const> = ctx.task\n    or error 'x'",
        "task = ctx.task or error('x')",
        "local task = ctx['task'] or error('x')",
        "assert(ctx.task, 'x')",
        "assert(ctx.task)",
        "assert(ctx.task ~= nil and #ctx.task > 0, 'x')",
        "assert(nil ~= ctx.task, 'x')",
        "assert(type(ctx.task) == 'string', 'x')",
        "assert(type(ctx.task) ~= 'nil')",
        "local task = assert(ctx.task, 'x')",
        "if not ctx.task then error('x') end",
        "if ctx.task == nil then error('x') end",
        "if nil == ctx.task then error('x') end",
        "if type(ctx.task) ~= 'string' then error('x', 2) end",
        "if type(ctx.task) == \"nil\" then error('x') end",
        "if type(ctx.task) ~= 'string' or ctx.task == '' then error('x') end",
        "if f() and g() or not ctx.task or h then error(('x'):rep(2)); end",
        "if not ctx.task then error('x') else go() end",
        "local task = ctx.task\nif not task then error('x') end",
        "local task = ctx.task\nif type(task) ~= 'string' or task == '' then error('x') end",
        "local a = 1\nlocal task, b = ctx.task, 2\nif a > b then error('y') end\nassert(task, 'x')",
        "if type(ctx) ~= 'table' then error('x') end\nif alc == nil then error('y') end\nassert(ctx.task)",
        "if ctx == nil or not ctx.task then error('x') end",
        "ctx = ctx or {}\nassert(ctx.task)",
        "for i = 1, 3 do f(i) end\nlocal f = function() return 1 end\nassert(ctx.task)\nreturn ctx",
    ] {
        check_body(body, "task*");
    }
    check_body(
        "local task = ctx.task or error('a')\nlocal sources = ctx.sources\n  or error('b')\nlocal n = ctx.n or 5",
        "task* sources* n?",
    );
    check_body(
        "local t = ctx.task\nif type(t) ~= 'string' then error('x') end\nlocal f = ctx.fn\n\
                if type(f) ~= 'function' then error('y') end",
        "task* fn*",
    );
}

#[test]
fn field_is_not_required_where_a_call_without_it_may_succeed() {
    for (body, expected) in [
        ("local task = ctx.task", "task"),
        ("local function get() return ctx end\nlocal c = get()\nc.x = c.x or 1\nassert(ctx.x)", "x …"),
        ("return ctx.task .. ''", "task"),
        ("local task = ctx.task or 'x'", "task?"),
        ("local task = ctx.task or ctx.question or error('x')", "task? question"),
        ("local task = x and ctx.task or error('x')", "task"),
        ("if ctx.task then error('x') end", "task"),
        ("if ctx.task ~= nil then error('x') end", "task"),
        ("if not ctx.task and f() then error('x') end", "task"),
        ("if not (ctx.task or f) then error('x') end", "task?"),
        ("if not ctx.task.x then error('x') end", "task"),
        ("if not ctx.task == x then error('x') end", "task"),
        ("if type(ctx.task) ~= 'nil' then error('x') end", "task"),
        ("if type(ctx.task) == 'string' then error('x') end", "task"),
        ("if not ctx.task then print('x') error('y') end", "task"),
        ("if not ctx.task then return nil end", "task"),
        ("if f then go() elseif not ctx.task then error('x') end", "task"),
        ("if f then assert(ctx.task) end", "task"),
        ("while f() do assert(ctx.task) end", "task"),
        ("local function check() assert(ctx.task) end", "task"),
        ("assert(ctx.task or f, 'x')", "task?"),
        ("assert(f or ctx.task, 'x')", "task"),
        ("assert(ctx.task == nil, 'x')", "task"),
        ("assert(not ctx.task)", "task"),
        ("x.assert(ctx.task)", "task"),
        ("local task = ctx.task or x.error('x')", "task?"),
        ("local task = ctx.task or error", "task?"),
        // Something before the guard may end the function, or give the field a value.
        ("if ctx.mode then return 1 end\nassert(ctx.task)", "mode task"),
        ("if f() then goto done end\nassert(ctx.task)\n::done::", "task"),
        ("ctx.task = ctx.task or 'x'\nassert(ctx.task)", "task?"),
        ("if f then ctx.task = 'x' end\nassert(ctx.task)", ""),
        ("ctx.task, ctx.n = f()\nassert(ctx.task)", "task"),
        ("x, ctx.task, y = f()\nassert(ctx.task)", "task"),
        ("local function fill() ctx.task = 'x' end\nfill()\nassert(ctx.task)", ""),
        ("fill(ctx)\nassert(ctx.task)", "task …"),
        ("ctx:fill()\nassert(ctx.task)", "task …"),
        ("local c = ctx\nassert(ctx.task)", "task …"),
        ("ctx[k] = v\nassert(ctx.task)", "task …"),
        ("local t = { ctx }\nassert(ctx.task)", "task …"),
        ("ctx = ctx.inner\nassert(ctx.task)", "…"),
        ("local ctx = {}\nassert(ctx.task)", "…"),
        ("for ctx in f() do assert(ctx.task) end", "…"),
        // The local is another one by then.
        ("local task = ctx.task\ntask = task or 'x'\nif not task then error('x') end", "task"),
        ("local task = ctx.task\nlocal f = function() task = 'x' end\nf()\nif not task then error('x') end", "task"),
        ("local task = ctx.task\nif f then task = 1 end\nif not task then error('x') end", "task"),
        ("local task = ctx.task\nlocal task = 'x'\nif not task then error('x') end", "task"),
        ("local task = ctx.task\nlocal task\ntask = 1 if not task then error('x') end", "task"),
        ("local task = ctx.task\nlocal function task() end\nif not task then error('x') end", "task"),
        ("local task = ctx.task\n(f or g)()\nif not task then error('x') end", "task"),
    ] {
        check_body(body, expected);
    }
}

#[test]
fn reads_are_those_of_the_parameter_itself() {
    for (body, expected) in [
        ("local x = other.ctx.a, { ctx = 1 }, ctx.b", "b"),
        ("return alc.map(xs, function(ctx) return ctx.a end), ctx.b", "b"),
        ("return alc.map(xs, function(x) return x .. ctx.a end)", "a"),
        ("ctx.result = { answer = ctx.a }\nreturn ctx.result", "a"),
        ("goto ctx\n::ctx::", ""),
        ("if type(ctx) == 'table' and ctx ~= nil and not ctx then f() end\nreturn ctx", ""),
        ("local opts = alc.tuning(DEFAULTS, ctx)\nreturn ctx", "…"),
        ("return M.type(ctx)", "…"),
        ("return ctx.a, ctx.b.c, ctx.d(1), ctx[1]", "a b d …"),
    ] {
        check_body(body, expected);
    }
    let defaults = "local M, DEFAULTS = {}, {depth = 2, [1] = 3, task = 'x'}\nfunction M.run(ctx)\n\
                    assert(ctx.task) local opts = alc.tuning(DEFAULTS, ctx) assert(ctx.late) end return M";
    check_source(defaults, "task* late depth?");
}

#[test]
fn every_form_of_run_is_found() {
    let body = "(c) assert(c.a) end";
    for source in [
        format!("local M = {{}} M.run = function{body} return M"),
        format!("local M = {{ run = function{body} }} return M"),
        format!("return {{ run = function{body}, meta = {{}} }}"),
        format!("local M = {{}} local function run{body} M.run = run return M"),
        format!("local M = {{}} local run = function{body} M.run = run return M"),
        format!("local function run{body} return {{ run = run }}"),
        format!(
            "local S = require('alc_shapes') local M = {{}} function M.run{body} M.run = S.instrument(M, 'run') return M"
        ),
        format!(
            "local M = {{}} function M.run{body}\nM.run = require(\"alc_shapes\").instrument(M, \"run\")\nreturn M"
        ),
    ] {
        check_source(&source, "a*");
    }
    for (source, expected) in [
        (format!("local M = {{}} function M:run{body} return M"), "…"),
        (format!("local M = {{}} function M.go{body} return M"), "…"),
        ("return 1".to_owned(), "…"),
        ("local M = {} function M.run() return 1 end return M".to_owned(), ""),
        ("local M = {} function M.run(...) return 1 end return M".to_owned(), "…"),
        ("local M = {} function M.run(a, a) assert(a.b) end return M".to_owned(), "…"),
        // Another function may be run, or with other arguments.
        (format!("local M = {{}} function M.run{body} M.run = wrap(M.run) return M"), "a"),
        (format!("local M = {{}} function M.run{body} M.run = S.instrument(M, 'run') return M"), "a"),
        (
            format!(
                "local S = require('alc_shapes') local M = {{}} function M.run{body} M.run = S.instrument(M, 'go') return M"
            ),
            "a",
        ),
        (
            format!(
                "local S = require('alc_shapes') local M = {{}} function M.run{body} M.run = S.instrument(M, 'run').x return M"
            ),
            "a",
        ),
        (format!("local M = {{}} function M.run{body} fill(M) return M"), "a"),
        (format!("local M = {{}} function M.run{body} if f then M.run = g end return M"), "…"),
        (format!("local M = {{}} function M.run{body} M.run = nil return M"), "…"),
        (format!("local M = {{}} local function run{body} run = f M.run = run return M"), "…"),
        (format!("local M = {{}} local function run{body} M.run = run or f return M"), "…"),
        (format!("local M = {{}} local function run{body} M.run = run local run = 1 return M"), "…"),
        (format!("local M = {{}} function M.run{body} return setmetatable(M, {{}})"), "a"),
        (format!("if f then return g end local M = {{}} function M.run{body} return M"), "a"),
        // The language is not as it was.
        (format!("local assert = print local M = {{}} function M.run{body} return M"), "a"),
        (format!("function error() end local M = {{}} function M.run{body} return M"), "a"),
        (format!("local M = {{}} function M.run{body} local function f(assert) end return M"), "a"),
        (format!("x, type = 1 local M = {{}} function M.run{body} return M"), "a"),
        (format!("_G.assert = print local M = {{}} function M.run{body} return M"), "a"),
        (format!("local _ENV = {{}} local M = {{}} function M.run{body} return M"), "a"),
    ] {
        check_source(&source, expected);
    }
    check_source(&format!("local M = {{ error = 1, type = 2 }} function M.run{body} return M"), "a*");
}

#[test]
fn inputs_are_bounded_and_refuse_what_extraction_refuses() {
    let many: String = (0..limits::MAX_INPUTS + 1).map(|n| format!("x = ctx.f{n}\n")).collect();
    let source = format!("local M = {{}} function M.run(ctx) {many} end return M");
    let found = inputs("demo", source.as_bytes()).unwrap();
    assert!(found.inputs.len() == limits::MAX_INPUTS && !found.is_complete);
    check_body(&format!("x = ctx.{}, ctx.b", "a".repeat(limits::MAX_INPUT_NAME_BYTES + 1)), "b …");
    for (name, source) in [("..", "return {}"), ("x", "return {"), ("x", "\"")] {
        assert_eq!(inputs(name, source.as_bytes()).unwrap_err(), extract(name, source.as_bytes()).unwrap_err());
    }
}

#[test]
fn work_is_linear_in_source_size() {
    for unit in [
        "if not ctx.a or ctx.b == nil or f(function() if x then y() end end) then error('x') end\n",
        "local a, b, c = ctx.a, ctx.b, ctx.c or error('x')\n",
        "assert(ctx.a and ctx.b and (f or g), 'x')\n",
        "x = alc.tuning(D, ctx)\n",
        "local function f(ctx) return ctx.a end\n",
        "if a or ",
        "if not ",
        "assert(a and ",
        "assert(",
        "local a = ctx.a or ",
        "function(",
        "local ctx, ",
        "M.run = S.instrument(M, 'run')\n",
        "M.run = M.run(1)\n",
    ] {
        for (head, tail) in [("function M.run(ctx)\n", "\nend"), ("", "")] {
            let many = unit.repeat((limits::MAX_SOURCE_BYTES - 200) / unit.len());
            let source =
                format!("local M, D = {{}}, {{}} local S = require('alc_shapes')\n{head}{many}{tail}\nreturn M\n");
            let before = READ.get();
            let _found = inputs("demo", source.as_bytes());
            let read = READ.get() - before;
            assert!(read <= READS * source.len(), "{unit}: {read} bytes of {}", source.len());
        }
    }
}
