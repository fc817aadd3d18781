//! Handlers that try to affect the next call, hang or exhaust memory. After each, the next call works.

use super::handlers::{body, end_of, entry, failure_of, handlers, returned_by, serve, with};
use super::*;

#[test]
fn state_does_not_leak_between_calls() {
    let handlers = handlers();
    let clean = with(
        &["json"],
        body(
            "return {left == nil, _G.left == nil, getmetatable(_G) == nil, type(print), pcall == rawget(_G, 'pcall'), ('x'):rep(2),
            ('x').mine == nil, errors.mine == nil, json.mine == nil, json.encode({1}), errors.new('m'):message(), math.random(1000000)}",
        ),
    );
    let before = returned_by(&handlers, &clean);
    for source in [
        "left = 1 rawset(_G, 'left', 1) _G._G.left = 1",
        "for name in pairs(_G) do _G[name] = nil end",
        "setmetatable(_G, {__index = function() return 'poison' end, __newindex = function() end, __metatable = 'no'})",
        "pcall(function() getmetatable('').__index = function() return 'poison' end end)",
        "pcall(function() string.rep = nil string.mine = 1 end) pcall(rawset, string, 'mine', 1)",
        "errors.mine = 1 errors.new = nil getmetatable(errors.new and errors or {}).x = 1",
        "json.mine = 1 json.encode = nil",
        "require = nil pcall = nil print = error error = print",
        "math.randomseed(7) for i = 1, 100 do math.random() end",
        "getmetatable(require('json') and errors.wrap('x')).__index.message = function() return 'poison' end",
        "setmetatable({}, {__close = function() left = 1 end}) local c = coroutine.wrap(function() local x <close> = setmetatable({}, {__close = function() while true do end end}) coroutine.yield() end) c()",
    ] {
        let end = end_of(&handlers, &with(&["json"], body(source)));
        assert!(matches!(end, Ok(ScriptStep::Returned(_) | ScriptStep::Failed { .. })), "{source}: {end:?}");
        assert_eq!(returned_by(&handlers, &clean), before, "{source}");
    }
}

#[test]
fn endless_call_stops_and_next_call_works() {
    let handlers = handlers();
    for source in [
        "while true do end",
        "while true do pcall(function() while true do end end) end",
        "return ('a'):rep(30000):find(('.-'):rep(30) .. 'b$')",
        "while true do print('x') end",
        "error(setmetatable({}, {__tostring = function() while true do end end}))",
        "return nil, errors.wrap(setmetatable({}, {__tostring = function() while true do end end}))",
        "local t <close> = setmetatable({}, {__close = function() while true do end end})",
    ] {
        let mut run = handlers.start_call("app", &body(source), &memory()).unwrap();
        let deadline = Instant::now() + Duration::from_millis(300);
        let stopped = loop {
            match run.step(deadline, &|| false) {
                Ok(ScriptStep::Notify { .. }) => {}
                end => break end,
            }
        };
        assert!(matches!(stopped, Err(ScriptStopError::DeadlineExceeded)), "{source}: {stopped:?}");
        assert_eq!(returned_by(&handlers, &body("return 'well'"))["value"], json!("well"));
    }
    // A loop at the top level of the file is stopped too.
    let mut run = handlers.start_call("app", &entry("while true do end"), &memory()).unwrap();
    assert!(matches!(run.step(Instant::now() + TEST_TIMEOUT, &|| true), Err(ScriptStopError::Cancelled)));
    drop(run);
    assert_eq!(returned_by(&handlers, &body("return 'well'"))["value"], json!("well"));
}

#[test]
fn memory_exhaustion_affects_only_its_call() {
    let handlers = handlers();
    for source in [
        "return ('x'):rep(2e8)",
        "local t = {} while true do t[#t + 1] = {} end",
        "local s = 'x' while true do s = s .. s end",
        "local t = {} while true do t[#t + 1] = ('x'):rep(1000) .. #t end",
    ] {
        let stopped = end_of(&handlers, &body(source));
        assert!(matches!(stopped, Err(ScriptStopError::OutOfMemory)), "{source}: {stopped:?}");
        // The next call has the full memory limit.
        assert_eq!(returned_by(&handlers, &body("return #('x'):rep(5e7)"))["value"], json!(50_000_000));
    }
    // The memory of a call is freed before the next call.
    for _ in 0..20 {
        assert_eq!(returned_by(&handlers, &body("held = ('x'):rep(6e7) return #held"))["value"], json!(60_000_000));
    }
}

#[test]
fn module_results_are_bounded() {
    let handlers = handlers();
    for (source, expected) in [
        ("return text.regexp.compile('((((a{100}){100}){100}){100})')", "larger than 4 MiB"),
        ("return text.regexp.compile('a{1000}{1000}{1000}')", "larger than 4 MiB"),
        ("return text.regexp.compile('.'):find_all_string(('x'):rep(200000))", "more than 100000 parts"),
        (
            "return text.regexp.compile('.'):replace_all_string(('x'):rep(100000), ('y'):rep(100000))",
            "larger than 16 MiB",
        ),
        (
            "return text.splitter.recursive{chunk_size = 1, chunk_overlap = 0}:split_text(('x '):rep(200000))",
            "too many pieces",
        ),
        ("return hash.pbkdf2('p', 's', 20000000, 32)", "expected 0 to 10000000"),
        ("return hash.pbkdf2('p', 's', 1, 1e9)", "expected 0 to 1024"),
        (
            "return yaml.decode('a: &a [x, x]\\nb: &b [*a, *a, *a, *a]\\nc: &c [*b, *b, *b, *b]\\n' .. ('[1, '):rep(500))",
            "",
        ),
        ("return yaml.decode(('['):rep(100000))", ""),
        ("return json.decode(('['):rep(100000))", "json.decode"),
        ("return time.unix(1e300)", "out of range"),
        ("return time.date(math.maxinteger, math.mininteger, math.maxinteger)", "out of range"),
        ("return time.unix(0):add_date(math.maxinteger, 0, 0)", "out of range"),
        ("return store.get('a/b')", "without '/'"),
        ("return store.get('a').get({}, 'x')", "call it as a method"),
        ("local r = text.regexp.compile('x') r._compiled = nil return r:match_string('x')", ""),
    ] {
        let call = with(&["text", "hash", "yaml", "json", "time", "store"], body(source));
        let mut run = handlers.start_call("app", &call, &memory()).unwrap();
        let end = serve(&mut run, &mut |_, _| Err("not now".to_owned())).0;
        let Ok(ScriptStep::Returned(value)) = end else { panic!("{source}: {end:?}") };
        let value = value.into_value();
        let message = value["error"]["message"].as_str().unwrap_or_else(|| panic!("{source}: {value}"));
        assert!(message.contains(expected) && message.len() < 1000, "{source}: {message}");
    }
}

#[test]
fn oversized_requests_and_answers_fail() {
    let handlers = handlers();
    let call = with(&["log"], body("local ok, err = log.info(('x'):rep(17 * 1024 * 1024)) return err:message()"));
    assert!(returned_by(&handlers, &call)["value"].as_str().unwrap().contains("larger than 16 MiB"));
    let message = failure_of(&handlers, &body("print(('x'):rep(17 * 1024 * 1024))"));
    assert!(message.contains("larger than 16 MiB"), "{message}");
    let call = with(&["env"], body("local value, err = env.get('A') return {value == nil, err:message(), err:kind()}"));
    let end = serve(&mut handlers.start_call("app", &call, &memory()).unwrap(), &mut |_, _| {
        Ok(json!("x".repeat(17 * 1024 * 1024)))
    })
    .0;
    assert_eq!(
        end.unwrap(),
        ScriptStep::Returned(json!({"value": [true, "the answer is larger than 16 MiB", "INTERNAL"]}).into())
    );
    let large = entry(&" ".repeat(1024 * 1024 + 1));
    assert_eq!(failure_of(&handlers, &large), "the source is larger than 1 MiB");
}
