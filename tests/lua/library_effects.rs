//! Tests of functions that the server performs: state, cards, statistics, log, progress, time and budget.

use std::rc::Rc;

use serde_json::{Value as Json, json};

use super::library_host::{TestHost, error, value, vm};

#[test]
fn state_requests_carry_namespace_of_run() {
    let ran = TestHost::default().run(
        "local s = alc.state
         s.set('a', { list = {}, n = 1 }) s.set('b') s.set('', 'empty key')
         return { s.get('a').n, s.get('b') == nil, s.has('b'), s.get('c', 'default'), s.get('b', 'default') == nil, s.keys(),
                  s.set_nx('a', 2), s.set_nx('d', 2), s.delete('d'), s.delete('d'), s.get('') }",
    );
    let expected = json!([1, true, true, "default", true, ["", "a", "b"], false, true, true, false, "empty key"]);
    assert_eq!(ran.value(), expected);
    assert_eq!(
        ran.calls[0],
        ("+state.set".into(), json!({ "ns": "default", "key": "a", "value": { "list": {}, "n": 1 } }))
    );
    assert!(ran.calls.iter().all(|(_, arguments)| arguments["ns"] == json!("default")));
}

#[test]
fn namespace_comes_from_context() {
    for (context, expected) in
        [(json!({ "_ns": "fork-1" }), "fork-1"), (json!({ "_ns": 5 }), "default"), (json!(null), "default")]
    {
        let host = Rc::new(TestHost::default());
        vm(Rc::clone(&host) as _, &context).load("alc.state.has('k')").exec().unwrap();
        assert_eq!(host.calls.borrow()[0].1, json!({ "ns": expected, "key": "k" }));
    }
}

#[test]
fn incr_leaves_addition_to_server() {
    let ran = TestHost::default()
        .with_response("state.incr", Ok(json!(8)))
        .run("return { alc.state.incr('n'), alc.state.incr('n', 2.5, 10) }");
    assert_eq!(ran.value(), json!([8, 8]));
    assert_eq!(ran.calls[0].1, json!({ "ns": "default", "key": "n", "delta": 1, "default": 0 }));
    assert_eq!(ran.calls[1].1, json!({ "ns": "default", "key": "n", "delta": 2.5, "default": 10 }));
    let refused = TestHost::default()
        .with_response("state.incr", Err("incr: value at 'k' is not a number"))
        .run("return alc.state.incr('k'), 1");
    assert_eq!(refused.returned, Err("script:1: incr: value at 'k' is not a number".into()));
}

#[test]
fn update_reads_then_writes() {
    let ran = TestHost::default()
        .run("return { alc.state.update('n', function(n) return n + 1 end, 4), alc.state.get('n') }");
    assert_eq!(ran.value(), json!([5, 5]));
    assert_eq!(ran.operations(), ["state.get", "+state.set", "state.get"]);
}

#[test]
fn unstorable_value_error_names_its_path() {
    for (call, expected) in [
        (
            "state.set('k', { items = { 1, { f = print } } })",
            "alc.state.set: value.items[2].f: a function cannot be JSON",
        ),
        ("state.set('k', { ['a b'] = '\\xff' })", "alc.state.set: value[\"a b\"]: a string that is not UTF-8"),
        ("state.set('k', { [{}] = 1 })", "alc.state.set: value: a table cannot be a key of JSON"),
        ("state.set(nil, 1)", "bad argument #1 to 'state.set' (string expected, got nil)"),
        ("state.incr('k', 'x')", "bad argument #2 to 'state.incr' (number expected, got string)"),
        ("stats.record('k', coroutine.create(print))", "alc.stats.record: value: a thread cannot be JSON"),
        ("card.create({ pkg = print })", "alc.card.create: card.pkg: a function cannot be JSON"),
        ("card.create()", "bad argument #1 to 'card.create' (table expected, got no value)"),
        ("card.write_samples('c', { a = 1 })", "alc.card.write_samples: samples must be an array"),
    ] {
        assert_eq!(error(&format!("alc.{call}")), format!("script:1: {expected}"), "{call}");
    }
}

#[test]
fn card_requests_name_their_arguments() {
    let cases: &[(&str, &str, Json)] = &[
        ("create({ pkg = { name = 'p' } })", "card.create", json!({ "card": { "pkg": { "name": "p" } } })),
        ("create({})", "card.create", json!({ "card": {} })),
        ("get('c')", "card.get", json!({ "card_id": "c" })),
        ("list()", "card.list", json!({ "pkg": null })),
        ("list({ pkg = 'p' })", "card.list", json!({ "pkg": "p" })),
        ("append('c', { a = 1 })", "card.append", json!({ "card_id": "c", "fields": { "a": 1 } })),
        ("get_by_alias('n')", "card.get_by_alias", json!({ "name": "n" })),
        ("alias_set('n', 'c')", "card.alias_set", json!({ "name": "n", "card_id": "c", "pkg": null, "note": null })),
        (
            "alias_set('n', 'c', { note = 'x' })",
            "card.alias_set",
            json!({ "name": "n", "card_id": "c", "pkg": null, "note": "x" }),
        ),
        ("alias_list({ pkg = 'p' })", "card.alias_list", json!({ "pkg": "p" })),
        (
            "find({ where = { stats = { pass_rate = { gte = 0.5 } } }, order_by = { '-created_at' }, limit = 2 })",
            "card.find",
            json!({ "pkg": null, "where": { "stats": { "pass_rate": { "gte": 0.5 } } }, "order_by": ["-created_at"], "limit": 2, "offset": null }),
        ),
        ("write_samples('c', { { a = 1 } })", "card.write_samples", json!({ "card_id": "c", "rows": [{ "a": 1 }] })),
        ("write_samples('c', {})", "card.write_samples", json!({ "card_id": "c", "rows": [] })),
        (
            "read_samples('c', { limit = 3 })",
            "card.read_samples",
            json!({ "card_id": "c", "offset": null, "limit": 3, "where": null }),
        ),
        (
            "lineage({ card_id = 'c', direction = 'both', relation_filter = { 'tuned' } })",
            "card.lineage",
            json!({ "card_id": "c", "direction": "both", "depth": null, "include_stats": null, "relation_filter": ["tuned"] }),
        ),
        (
            "sink_backfill({ sink = 's', dry_run = true })",
            "card.sink_backfill",
            json!({ "sink": "s", "dry_run": true }),
        ),
    ];
    for (call, operation, arguments) in cases {
        let ran = TestHost::default()
            .with_response(operation, Ok(json!(null)))
            .run(&format!("return alc.card.{call} == nil"));
        assert_eq!((ran.value(), ran.arguments(operation)), (json!(true), arguments.clone()), "{call}");
    }
    let found = TestHost::default()
        .with_response("card.get", Ok(json!({ "a": null, "list": [] })))
        .run("local c = alc.card.get('c') return { c, c.a == json.null }");
    assert_eq!(found.value(), json!([{ "a": null, "list": [] }, true]));
}

#[test]
fn recorded_stats_are_sent_and_readable() {
    let ran = TestHost::default().run(
        "local t = { 1 } alc.stats.record('k', t) t[1] = 2
         return { alc.stats.get('k'), alc.stats.get('other') == nil }",
    );
    assert_eq!(ran.value(), json!([[1], true]));
    assert_eq!(ran.calls, [("+stats.record".to_owned(), json!({ "key": "k", "value": [1] }))]);
}

#[test]
fn log_accepts_every_text_and_level() {
    let ran = TestHost::default().run(
        "alc.log('WARN', 'a') alc.log('loud', 'b') alc.log('debug', 5) alc.log('error', '\\xff') return type(alc.log)",
    );
    // Packages use `alc.log.warn` only if `alc.log` is a table.
    assert_eq!(ran.value(), json!("function"));
    let logged: Vec<_> = ran.calls.iter().map(|(_, log)| (log["level"].clone(), log["message"].clone())).collect();
    assert_eq!(
        logged,
        [("warn", "a"), ("info", "b"), ("debug", "5"), ("error", "\u{fffd}")].map(|(l, m)| (json!(l), json!(m)))
    );
    assert_eq!(error("alc.log('just a text')"), "script:1: bad argument #2 to 'log' (string expected, got no value)");
}

#[test]
fn progress_is_sent_and_time_is_requested() {
    let ran =
        TestHost::default().run("alc.progress(1, 4) alc.progress(2.5, 4, 'half') return { alc.time(), alc.time() }");
    assert_eq!(ran.value(), json!([1001.5, 1002.5]));
    assert_eq!(ran.calls[0], ("+progress".into(), json!({ "step": 1, "total": 4, "message": null })));
    assert_eq!(ran.calls[1], ("+progress".into(), json!({ "step": 2.5, "total": 4, "message": "half" })));
}

#[test]
fn budget_check_follows_remaining_budget() {
    assert_eq!(value("return { alc.budget_remaining() == nil, alc.budget_check() }"), json!([true, true]));
    for (left, is_left) in [
        (json!({}), true),
        (json!({ "llm_calls": 1 }), true),
        (json!({ "llm_calls": 0 }), false),
        (json!({ "llm_calls": 3, "elapsed_ms": -5 }), false),
        (json!({ "llm_calls": 3, "tokens": 0 }), false),
        (json!({ "llm_calls": null, "elapsed_ms": 10, "tokens": 1 }), true),
    ] {
        let ran = TestHost::default()
            .with_response("budget", Ok(left.clone()))
            .run("return { alc.budget_remaining(), alc.budget_check() }");
        assert_eq!(ran.value(), json!([left, is_left]));
    }
}

#[test]
fn dirs_are_names_and_null_is_a_value() {
    assert_eq!(value("return alc._dirs"), json!({ "state": "state", "cards": "cards", "scenarios": "scenarios" }));
    assert_eq!(
        value("return { alc.null == json.null, type(alc.null), alc.null == nil }"),
        json!([true, "userdata", false])
    );
}
