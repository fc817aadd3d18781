//! Tests of declared handlers: globals, results, errors, modules and imports.

use std::collections::BTreeMap;

use wardroom_lua::{HandlerPool, HandlerRequest, MODULES, module_problem};

use super::*;

pub(super) fn handlers() -> HandlerPool {
    HandlerPool::new(&pool())
}

/// A call of the function `call` in this source, without modules.
pub(super) fn entry(source: &str) -> HandlerRequest {
    HandlerRequest {
        id: "app:test".to_owned(),
        source: source.to_owned(),
        method: "call".to_owned(),
        arguments: json!({}).into(),
        modules: Vec::new(),
        imports: BTreeMap::new(),
        seed: 1,
        is_check: false,
    }
}

/// A call of a handler with this function body.
pub(super) fn body(body: &str) -> HandlerRequest {
    entry(&format!("return {{ call = function(arguments)\n{body}\nend }}"))
}

pub(super) fn with(modules: &[&str], call: HandlerRequest) -> HandlerRequest {
    HandlerRequest { modules: modules.iter().map(|name| (*name).to_owned()).collect(), ..call }
}

/// Steps a call to its end with these answers. Returns the end and all notifications.
pub(super) fn serve(
    run: &mut ScriptRun,
    answer: &mut dyn FnMut(&str, &Value) -> Result<Value, String>,
) -> (Result<ScriptStep, ScriptStopError>, Vec<(String, Value)>) {
    let mut notifications = Vec::new();
    loop {
        match step(run) {
            Ok(ScriptStep::Notify { operation, arguments }) => notifications.push((operation, arguments.into_value())),
            Ok(ScriptStep::Request { operation, arguments }) => {
                run.answer(answer(&operation, &arguments.into_value()).map(Into::into)).unwrap();
            }
            end => return (end, notifications),
        }
    }
}

/// The end of a call whose requests all fail.
pub(super) fn end_of(handlers: &HandlerPool, call: &HandlerRequest) -> Result<ScriptStep, ScriptStopError> {
    serve(&mut handlers.start_call("app", call, &memory()).unwrap(), &mut |operation, _| {
        Err(format!("unknown operation {operation}"))
    })
    .0
}

pub(super) fn returned_by(handlers: &HandlerPool, call: &HandlerRequest) -> Value {
    match end_of(handlers, call) {
        Ok(ScriptStep::Returned(value)) => value.into_value(),
        other => panic!("{}: {other:?}", call.source),
    }
}

/// The error message of a call that fails.
pub(super) fn failure_of(handlers: &HandlerPool, call: &HandlerRequest) -> String {
    match end_of(handlers, call) {
        Ok(ScriptStep::Failed { message, .. }) => message,
        other => panic!("{}: {other:?}", call.source),
    }
}

#[test]
fn return_values_become_value_or_error() {
    let handlers = handlers();
    for (source, expected) in [
        ("return 'text'", json!({"value": "text"})),
        ("return 42", json!({"value": 42})),
        ("return 42.0", json!({"value": 42.0})),
        ("return 2^53 | 0", json!({"value": 9_007_199_254_740_992_i64})),
        ("return", json!({"value": null})),
        ("return nil", json!({"value": null})),
        ("return {}", json!({"value": {}})),
        ("return false", json!({"value": false})),
        (
            "return {content = {{type = 'text', text = 'a:[]'}}, isError = true, structuredContent = {n = 1}}",
            json!({"value": {"content": [{"type": "text", "text": "a:[]"}], "isError": true, "structuredContent": {"n": 1}}}),
        ),
        ("return arguments", json!({"value": {}})),
        ("return nil, 'no'", json!({"error": {"message": "no"}})),
        (
            "return nil, errors.new{message = 'no', kind = errors.NOT_FOUND, retryable = true, details = {id = 7}}",
            json!({"error": {"message": "no", "kind": "NOT_FOUND", "retryable": true, "details": {"id": 7}}}),
        ),
        ("return nil, errors.new('no')", json!({"error": {"message": "no", "kind": "UNKNOWN"}})),
        (
            "return nil, errors.wrap(errors.new{message = 'b', kind = errors.INVALID}, 'a')",
            json!({"error": {"message": "a: b", "kind": "INVALID"}}),
        ),
        ("error(errors.new('no'))", json!({"error": {"message": "no", "kind": "UNKNOWN"}})),
        ("return 1, errors.new('no')", json!({"error": {"message": "no", "kind": "UNKNOWN"}})),
        ("return errors.new('no')", json!({"error": {"message": "no", "kind": "UNKNOWN"}})),
        // A second value that is not an error is ignored.
        ("return 1, 'more'", json!({"value": 1})),
        ("return nil, 7", json!({"value": null})),
        ("return nil, {message = 'no'}", json!({"value": null})),
    ] {
        let returned = returned_by(&handlers, &body(source));
        let without_nulls = |value: &Value| {
            let mut value = value.clone();
            if let Some(error) = value.get_mut("error").and_then(Value::as_object_mut) {
                error.retain(|_, value| !value.is_null());
            }
            value
        };
        assert_eq!(without_nulls(&returned), expected, "{source}");
    }
    let several = HandlerRequest {
        arguments: json!([1, null, {"a": []}]).into(),
        ..entry("return {call = function(...) return {select('#', ...), (select(3, ...))} end}")
    };
    assert_eq!(returned_by(&handlers, &several), json!({"value": [3, {"a": []}]}));
    let named = HandlerRequest {
        arguments: json!({"text": "x"}).into(),
        ..entry("return {call = function(given) return given.text end}")
    };
    assert_eq!(returned_by(&handlers, &named), json!({"value": "x"}));
}

#[test]
fn check_loads_a_source_and_calls_nothing() {
    let handlers = handlers();
    let check =
        |method: &str, source: &str| HandlerRequest { method: method.to_owned(), is_check: true, ..entry(source) };
    let fine = check("call", "return {call = function() error('was called') end}");
    assert_eq!(returned_by(&handlers, &fine), json!({"value": true}));
    // A library has no function.
    assert_eq!(returned_by(&handlers, &check("", "return {}")), json!({"value": true}));
    assert_eq!(failure_of(&handlers, &check("", "error('was loaded')")), "app:test:1: was loaded");
    let missing = failure_of(&handlers, &check("cal", "return {call = function() end}"));
    assert!(missing.starts_with("app:test has no function 'cal'"), "{missing}");
    let broken = failure_of(&handlers, &check("", "return return"));
    assert!(broken.contains("app:test:1: "), "{broken}");
}

#[test]
fn method_is_found_in_every_file_style() {
    let handlers = handlers();
    for source in [
        "local function call() return 1 end return { call = call }",
        "return function() return 1 end",
        "function call() return 1 end",
        "local M = {} function M.call() return 1 end return M",
    ] {
        assert_eq!(returned_by(&handlers, &entry(source)), json!({"value": 1}), "{source}");
    }
    let other =
        HandlerRequest { method: "get".to_owned(), ..entry("return { call = 1, get = function() return 2 end }") };
    assert_eq!(returned_by(&handlers, &other), json!({"value": 2}));
    for source in ["return 1", "", "return {}", "return { call = 1 }", "return { other = print }"] {
        let message = failure_of(&handlers, &entry(source));
        assert_eq!(message, "app:test has no function 'call': end its file with `return { call = call }`", "{source}");
    }
}

#[test]
fn errors_name_entry_and_line() {
    let handlers = handlers();
    for (source, expected) in [
        ("error('no')", "app:test:2: no"),
        ("error({1})", "an error that is not a text: [1]"),
        ("return print", "the result: a function cannot be JSON"),
        ("return {a = {print}}", "the result.a[1]: a function cannot be JSON"),
        ("return coroutine.create(print)", "the result: a thread cannot be JSON"),
        ("return '\\255'", "the result: a string that is not UTF-8"),
        ("local t = {} t.t = t return t", "the result.t.t"),
        ("return ('x'):rep(17 * 1024 * 1024)", "the result is larger than 16 MiB"),
        ("local t = {} for i = 1, 600000 do t[i] = 1 end return t", "the result: more than 500000 values"),
        ("return return", "app:test:2: "),
        ("errors.new()", "app:test:2: bad argument #1 to 'errors.new'"),
        ("errors.new{message = 'x', kind = 'ODD'}", "app:test:2: bad argument #1 to 'errors.new' (`kind` must be"),
        ("return nothing.at_all", "app:test:2: attempt to index a nil value (global 'nothing')"),
    ] {
        let message = failure_of(&handlers, &body(source));
        assert!(message.starts_with(expected), "{source}: {message}");
        assert!(
            !message.contains("0x") && !message.contains(wardroom_test_support::workspace_root().to_str().unwrap()),
            "{source}: {message}"
        );
    }
    let Ok(ScriptStep::Failed { traceback: Some(traceback), .. }) =
        end_of(&handlers, &body("local function inner() error('x') end\ninner()"))
    else {
        panic!("no traceback");
    };
    assert!(traceback.contains("app:test:2: in") && traceback.contains("app:test:3: in"), "{traceback}");
    assert!(!traceback.contains("wardroom"), "{traceback}");
    let deep =
        HandlerRequest { arguments: (0..200).fold(json!(1), |inner, _| json!([inner])).into(), ..body("return 1") };
    assert!(handlers.start_call("app", &deep, &memory()).is_err());
}

#[test]
fn error_objects_expose_their_fields() {
    let handlers = handlers();
    let source = "local err = errors.new{message = 'm', kind = errors.TIMEOUT, retryable = false, details = {a = 1}}
        local stack = errors.call_stack(err)
        return {err:message(), err:kind(), err:retryable(), err:details().a, tostring(err), 'x: ' .. err, errors.is(err, errors.TIMEOUT),
            errors.is('m', errors.TIMEOUT), errors.is(err, errors.INVALID), errors.wrap('plain', 'c'):message(),
            stack.frames[1].source, stack.frames[1].line, errors.call_stack('m') == nil, err:stack():find('app:test:2') ~= nil}";
    let expected =
        json!(["m", "TIMEOUT", false, 1, "m", "x: m", true, false, false, "c: plain", "app:test", 2, true, true]);
    assert_eq!(returned_by(&handlers, &body(source))["value"], expected);
}

#[test]
fn handler_globals_match_snapshot() {
    let handlers = handlers();
    let listing = "local names = {}
        for name, value in pairs(_G) do
            if type(value) == 'table' and value ~= _G then
                for inner, item in pairs(value) do names[#names + 1] = name .. '.' .. inner .. ': ' .. type(item) end
            end
            names[#names + 1] = name .. ': ' .. type(value)
        end
        table.sort(names)
        return table.concat(names, '\\n')";
    insta::assert_snapshot!("handler_globals", returned_by(&handlers, &body(listing))["value"].as_str().unwrap());
    let tried = "local found = {}
        for _, name in ipairs{'io', 'debug', 'package', 'load', 'loadstring', 'dofile', 'loadfile', 'collectgarbage', 'alc', 'json', 'process', 'channel'} do
            if _G[name] ~= nil then found[#found + 1] = name end
        end
        return {#found, os.getenv == nil, os.execute == nil, os.exit == nil, string.dump == nil, unpack({7}), getmetatable('')}";
    assert_eq!(returned_by(&handlers, &body(tried))["value"], json!([0, true, true, true, true, 7, "string"]));
}

#[test]
fn print_is_logged_and_time_is_requested() {
    let handlers = handlers();
    let call = body("print('a', 1) return {os.time(), os.date('!%Y', 0), os.clock(), math.random(1000)}");
    let mut requests = Vec::new();
    let (end, notifications) =
        serve(&mut handlers.start_call("app", &call, &memory()).unwrap(), &mut |operation, _| {
            requests.push(operation.to_owned());
            Ok(json!(1000.5))
        });
    let Ok(ScriptStep::Returned(value)) = end else { panic!("{end:?}") };
    let value = value.into_value();
    assert_eq!(value["value"].as_array().unwrap()[..3], [json!(1000), json!("1970"), json!(0.0)]);
    assert_eq!(requests, ["time", "time"]);
    assert_eq!(notifications.len(), 1);
    assert_eq!(
        (notifications[0].0.as_str(), &notifications[0].1["level"], &notifications[0].1["message"]),
        ("log", &json!("info"), &json!("a\t1"))
    );
}

#[test]
fn seed_determines_handler_random_numbers() {
    let handlers = handlers();
    let random =
        |seed| returned_by(&handlers, &HandlerRequest { seed, ..body("return {math.random(0), math.random(0)}") });
    assert_eq!(random(7), random(7));
    assert_ne!(random(7), random(8));
}

#[test]
fn module_exists_only_when_listed() {
    let handlers = handlers();
    for name in MODULES {
        let source = format!("return type({name}) == 'table' and require('{name}') == {name} and _G.{name} == {name}");
        assert_eq!(returned_by(&handlers, &with(&[name], body(&source)))["value"], json!(true), "{name}");
        // The previous call in the same worker had the module.
        let others: Vec<&str> = MODULES.iter().copied().filter(|other| other != name).collect();
        for modules in [&[][..], &others] {
            let message = failure_of(&handlers, &with(modules, body(&format!("return require('{name}')"))));
            // With `alc`, unlisted names are requested as packages.
            let expected = if modules.contains(&"alc") {
                "unknown operation require"
            } else {
                "is not listed: add it to `modules` of app:test"
            };
            assert!(message.contains(expected), "{name}: {message}");
            let source = format!("return {{{name} == nil, rawget(_G, '{name}') == nil}}");
            assert_eq!(returned_by(&handlers, &with(modules, body(&source)))["value"], json!([true, true]), "{name}");
            let message = failure_of(&handlers, &with(modules, body(&format!("return {name}.get('x')"))));
            let expected = format!("(global '{name}'): module '{name}' is not listed: add it to `modules` of app:test");
            assert!(message.ends_with(&expected), "{message}");
        }
    }
    for (name, words) in [("http", "`http_client`"), ("sql", "`store`"), ("nonsense", "there are alc, ask, base64")] {
        let message = failure_of(&handlers, &with(&[name], body("return 1")));
        assert!(message.contains(words) && message.contains(name), "{message}");
        assert_eq!(module_problem(name).unwrap(), message);
        let message = failure_of(&handlers, &body(&format!("return require('{name}')")));
        assert!(message.contains(if name == "nonsense" { "in `imports` of app:test" } else { words }), "{message}");
    }
}

/// Answers imports from these library entries.
fn libraries<'a>(known: &'a [(&str, Value)]) -> impl FnMut(&str, &Value) -> Result<Value, String> + 'a {
    |operation, arguments| {
        assert_eq!(operation, "import");
        let found = known.iter().find(|(id, _)| arguments["id"] == *id);
        found
            .map(|(_, entry)| entry.clone())
            .ok_or_else(|| format!("there is no entry '{}'", arguments["id"].as_str().unwrap()))
    }
}

fn importing(call: HandlerRequest, imports: &[(&str, &str)]) -> HandlerRequest {
    HandlerRequest {
        imports: imports.iter().map(|(name, id)| ((*name).to_owned(), (*id).to_owned())).collect(),
        ..call
    }
}

#[test]
fn imports_load_other_entries() {
    let handlers = handlers();
    let known = [
        (
            "app.lib:util",
            json!({"id": "app.lib:util", "source": "count = (count or 0) + 1 return {twice = function(x) return x .. x end, name = ..., json = json, other = require('more')}", "modules": ["json"], "imports": {"more": "app.lib:more"}}),
        ),
        (
            "app.lib:more",
            json!({"id": "app.lib:more", "source": "return {deep = deeper == nil, own = pcall(require, 'json')}", "modules": [], "imports": {}}),
        ),
        ("app.lib:a", json!({"source": "return require('b')", "imports": {"b": "app.lib:b"}})),
        ("app.lib:b", json!({"source": "return require('a')", "imports": {"a": "app.lib:a"}})),
        ("app.lib:syntax", json!({"source": "return return"})),
        ("app.lib:nothing", json!({"source": "called = true"})),
        ("app.lib:http", json!({"source": "return 1", "modules": ["http"]})),
    ];
    let end = |call: &HandlerRequest| {
        serve(&mut handlers.start_call("app", call, &memory()).unwrap(), &mut libraries(&known)).0.unwrap()
    };
    let value = |call: &HandlerRequest| match end(call) {
        ScriptStep::Returned(value) => value.into_value()["value"].clone(),
        other => panic!("{other:?}"),
    };
    let failure = |call: &HandlerRequest| match end(call) {
        ScriptStep::Failed { message, .. } => message,
        other => panic!("{other:?}"),
    };
    let util = [("util", "app.lib:util")];
    let call = importing(
        body(
            "local u = require('util') require('util') return {u.twice('x'), u == util, count, u.name, json == nil, type(u.json), u.other}",
        ),
        &util,
    );
    let expected = json!(["xx", true, 1, "app.lib:util", true, "table", {"deep": true, "own": false}]);
    assert_eq!(value(&call), expected);
    // An import is also a global, without `require`.
    assert_eq!(value(&importing(body("return util.twice('y')"), &util)), json!("yy"));
    assert_eq!(
        value(&importing(body("return {require('n'), called}"), &[("n", "app.lib:nothing")])),
        json!([true, true])
    );
    // Unused imports are not requested.
    assert_eq!(value(&importing(body("return 1"), &[("gone", "app.lib:gone")])), json!(1));
    for (alias, id, expected) in [
        ("x", "app.lib:gone", "app:test: there is no entry 'app.lib:gone'"),
        ("x", "app.lib:a", "app.lib:b: circular import: app.lib:a -> app.lib:b -> app.lib:a"),
        ("x", "app.lib:syntax", "app:test: error loading 'app.lib:syntax': app.lib:syntax:1: "),
        ("x", "app.lib:http", "there is no module 'http' here"),
    ] {
        let message = failure(&importing(body("return require('x')"), &[(alias, id)]));
        assert!(message.starts_with(expected), "{id}: {message}");
    }
    assert!(failure(&body("return require('app.lib:util')")).contains("'app.lib:util' is not listed: name the entry"));
}
