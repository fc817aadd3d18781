//! Tests of lists, votes, tuning and pipes.

use serde_json::json;

use super::library_host::{TestHost, error, value};

#[test]
fn map_filter_and_reduce_process_lists() {
    for (call, expected) in [
        ("map({ 1, 2 }, function(item, i) return item * 10 + i end)", json!([11, 22])),
        ("map({}, print)", json!({})),
        ("map({ 1, nil, 3 }, function(item) return item end)", json!([1])),
        ("map({ 1, 2 }, setmetatable({}, { __call = function(_, item) return item + 1 end }))", json!([2, 3])),
        ("filter({ 1, 2, 3, 4 }, function(item, i) return item % 2 == 0 and i > 2 end)", json!([4])),
        ("reduce({ 1, 2, 3 }, function(acc, item, i) return acc + item * i end)", json!(14)),
        ("reduce({ 1, 2, 3 }, function(acc, item) return acc + item end, 10)", json!(16)),
        ("reduce({}, print)", json!(null)),
        ("reduce({}, print, 'init')", json!("init")),
    ] {
        assert_eq!(value(&format!("return alc.{call}")), expected, "{call}");
    }
    assert_eq!(error("alc.map(1, print)"), "script:1: bad argument #1 to 'map' (table expected, got number)");
    assert_eq!(error("alc.reduce({}, {})"), "script:1: bad argument #2 to 'reduce' (function expected, got table)");
    let raised = value("local ok, e = pcall(alc.map, { 1 }, function() error({ code = 7 }) end) return { ok, e.code }");
    assert_eq!(raised, json!([false, 7]));
}

#[test]
fn vote_tie_goes_to_first_answer_at_the_count() {
    for (answers, winner, count, total) in [
        ("{ 'a', ' b\\n', 'b', 'a' }", json!("b"), 2, 4),
        ("{ 'A', 'a' }", json!("A"), 1, 2),
        ("{ 1, '1', true }", json!("1"), 2, 3),
        ("{}", json!(null), 0, 0),
    ] {
        let found = value(&format!("return alc.vote({answers})"));
        assert_eq!(
            (&found["winner"], &found["count"], &found["total"]),
            (&winner, &json!(count), &json!(total)),
            "{answers}"
        );
    }
}

#[test]
fn tuning_overrides_defaults() {
    let found = value(
        "local defaults = { n = 1, deep = { a = 1, b = { c = 2 } }, list = { 1, 2 }, open = {}, flag = true, _schema = { x = 1 } }
         local tuned = alc.tuning(defaults, { n = 5, deep = { b = { c = 3, z = 9 } }, list = { 7 }, open = { k = 1 }, flag = false, other = 1,
                                              _schema = 2 })
         tuned.deep.a = 100
         return { tuned, defaults.deep.a }",
    );
    let tuned =
        json!({ "n": 5, "deep": { "a": 100, "b": { "c": 3 } }, "list": [7], "open": { "k": 1 }, "flag": false });
    assert_eq!(found, json!([tuned, 1]));
    assert_eq!(value("return alc.tuning({ n = 1, l = { 1 } }, { n = json.null })"), json!({ "n": 1, "l": [1] }));
    assert_eq!(value("return alc.tuning({ n = 1 }, { p = { n = 2 }, n = 3 }, { prefix = 'p' })"), json!({ "n": 2 }));
    assert_eq!(value("return alc.tuning({ n = 1 }, { n = 3 }, { prefix = 'p' })"), json!({ "n": 1 }));
    let ignored = TestHost::default().run("return alc.tuning({ n = 1 }, { p = 5 }, { prefix = 'p' })");
    assert_eq!(ignored.value(), json!({ "n": 1 }));
    assert_eq!(
        ignored.arguments("+log")["message"],
        json!("alc.tuning: ctx.p is ignored: it is a number, not a table")
    );
}

#[test]
fn pipe_passes_results_as_tasks() {
    let host = TestHost::default()
        .with_module("shout", "return { run = function(ctx) ctx.result = ctx.task:upper() .. '!' return ctx end }");
    let ran = host.run(
        "local seen = {}
         local ctx = { task = 'hi', keep = 1 }
         local out = alc.pipe({ 'shout', function(c) return { result = { said = c.task, n = c.keep } } end, function(c) c.result = c.task return c end },
                              ctx, { on_stage = function(i, name, c) seen[#seen + 1] = i .. name .. c.task end })
         return { out, seen, ctx }",
    );
    let said = "{\"n\":1,\"said\":\"HI!\"}";
    let history = json!([
        { "strategy": "shout", "result": "HI!" },
        { "strategy": "stage_2", "result": { "said": "HI!", "n": 1 } },
        { "strategy": "stage_3", "result": said },
    ]);
    let out = json!({ "task": said, "result": said, "pipe_history": history });
    let seen = ["1shouthi".to_owned(), "2stage_2HI!".to_owned(), format!("3stage_3{said}")];
    assert_eq!(ran.value(), json!([out, seen, { "task": "hi", "keep": 1 }]));
}

#[test]
fn failed_stage_ends_pipe_or_is_recorded() {
    for (stage, reason) in [
        ("function() error('broke', 0) end", "broke"),
        ("function() return 1 end", "it must return a table, got number"),
        ("'missing'", "module 'missing' not found"),
        ("5", "stage 1 must be a package name or a function, got number"),
    ] {
        let name = if stage == "'missing'" { "missing" } else { "stage_1" };
        let failed = error(&format!("return alc.pipe({{ {stage} }}, {{}}), 1"));
        assert!(failed.starts_with(&format!("script:1: alc.pipe: stage 1 ('{name}') failed: ")), "{failed}");
        assert!(failed.contains(reason), "{failed}");
        for on_error in ["skip", "continue"] {
            let out = value(&format!(
                "return alc.pipe({{ {stage}, function(c) return {{ result = c.task }} end }}, {{ task = 't' }}, {{ on_error = '{on_error}' }})"
            ));
            assert_eq!(out["result"], json!("t"));
            assert!(out["pipe_history"][0]["error"].as_str().unwrap().contains(reason), "{out}");
            assert_eq!(out["pipe_history"][1], json!({ "strategy": "stage_2", "result": "t" }));
        }
    }
    assert_eq!(error("alc.pipe({}, {})"), "script:1: alc.pipe: stages must be a non-empty array");
    assert_eq!(
        error("alc.pipe({ 'a' }, {}, { on_error = 'x' })"),
        "script:1: alc.pipe: on_error must be \"abort\", \"skip\" or \"continue\", got \"x\""
    );
}
