//! Tests of `require`, whose modules come from the server.

use super::*;

/// Runs a strategy with these modules, and returns its result or its error message.
fn with_modules(pool: &WorkerPool, start: &StrategyRequest, modules: &[(&str, &str)]) -> Value {
    let mut run = pool.start_run(start, &memory()).unwrap();
    loop {
        match step(&mut run).unwrap() {
            ScriptStep::Request { operation, arguments } => {
                assert_eq!(operation, "require");
                let arguments = arguments.into_value();
                let name = arguments["module"].as_str().unwrap();
                let source = modules.iter().find(|(module, _)| *module == name).map(|(_, source)| *source);
                let found = source.map(|source| json!({"name": format!("packages/{name}.lua"), "source": source}));
                let found = found.map(Into::into).ok_or_else(|| "there is no such package".to_owned());
                run.answer(found).unwrap();
            }
            ScriptStep::Notify { .. } => {}
            ScriptStep::Returned(value) => return value.into_value(),
            ScriptStep::Failed { message, .. } => return json!(message),
        }
    }
}

#[test]
fn module_is_loaded_once() {
    let pool = pool();
    let modules = [
        ("a", "local b = require('b') b.count = b.count + 1 return {b = b, name = ...}"),
        ("b", "return {count = 0}"),
        ("nothing", "loads = (loads or 0) + 1"),
        ("no", "return false"),
    ];
    let source = "local a, b = require('a'), require('b')
        require('a') require('nothing') require('no')
        return {b.count, a.b == b, a.name, require('nothing'), loads, require('no'), require('string') == string}";
    let returned = with_modules(&pool, &code(source), &modules);
    assert_eq!(returned, json!([1, true, "a", true, 1, false, true]));
}

#[test]
fn package_runs_with_its_context() {
    let pool = pool();
    let start = |name: &str| StrategyRequest {
        entry: EntryPoint::Package { name: name.to_owned() },
        context: json!({"task": "t"}).into(),
        seed: 1,
    };
    let modules = [
        ("good", "return {run = function(ctx) return {result = ctx.task} end}"),
        ("bad", "return 1"),
        ("marked", "\u{feff}#!/usr/bin/lua\nreturn {run = function() error('no') end}"),
    ];
    assert_eq!(with_modules(&pool, &start("good"), &modules), json!({"result": "t"}));
    assert_eq!(with_modules(&pool, &start("bad"), &modules), json!("package 'bad' has no function 'run'"));
    assert_eq!(with_modules(&pool, &start("marked"), &modules), json!("packages/marked.lua:2: no"));
    let missing = with_modules(&pool, &start("missing"), &modules);
    assert!(missing.as_str().unwrap().contains("module 'missing' not found: there is no such package"), "{missing}");
}

#[test]
fn module_errors_name_file_and_line() {
    let pool = pool();
    let modules = [
        ("a", "require('b')"),
        ("b", "require('a')"),
        ("syntax", "return return"),
        ("fails", "\nerror('no')"),
        ("large", &" ".repeat(1024 * 1024 + 1)),
    ];
    for (source, expected) in [
        ("require('a')", "packages/b.lua:1: circular require: a -> b -> a"),
        ("require('syntax')", "test:1: error loading module 'syntax': packages/syntax.lua:1: "),
        ("require('fails')", "packages/fails.lua:2: no"),
        ("require('large')", "test:1: error loading module 'large': the source is larger than 1 MiB"),
        ("require(7)", "test:1: bad argument #1 to 'require' (string expected, got number)"),
    ] {
        let message = with_modules(&pool, &code(source), &modules);
        assert!(message.as_str().unwrap().starts_with(expected), "{source}: {message}");
    }
    // A failed module can be required again, and so can one of a circle.
    let again = "pcall(require, 'fails') return {select(2, pcall(require, 'fails')), select(2, pcall(require, 'b'))}";
    let messages = with_modules(&pool, &code(again), &modules);
    assert_eq!(messages, json!(["packages/fails.lua:2: no", "packages/a.lua:1: circular require: b -> a -> b"]));
}
