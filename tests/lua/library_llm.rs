//! Tests of functions that wait for answers: `alc.llm`, batches, forks, the cache and JSON repair.

use serde_json::{Value as Json, json};

use super::library_host::{TestHost, error, value};

fn query(prompt: &str) -> Json {
    json!({ "prompt": prompt, "system": null, "max_tokens": 1024, "grounded": false, "underspecified": false })
}

#[test]
fn llm_sends_one_query_with_its_options() {
    let ran = TestHost::with_answers(["four"]).run(
        r#"return alc.llm("2+2?", { system = "short", max_tokens = 7, grounded = true, underspecified = false })"#,
    );
    assert_eq!(ran.value(), json!("four"));
    let query =
        json!({ "prompt": "2+2?", "system": "short", "max_tokens": 7, "grounded": true, "underspecified": false });
    assert_eq!(ran.calls, [("llm".to_owned(), json!({ "queries": [query], "batch": false }))]);
}

#[test]
fn llm_option_of_wrong_type_is_ignored() {
    for opts in [
        "nil",
        "{}",
        "json.null",
        "{ system = {}, max_tokens = 'x', grounded = 1 }",
        "{ max_tokens = -1 }",
        "{ max_tokens = 1.5, system = json.null }",
    ] {
        let ran = TestHost::default().run(&format!("return alc.llm('q', {opts})"));
        assert_eq!(ran.arguments("llm"), json!({ "queries": [query("q")], "batch": false }), "{opts}");
    }
    let float = TestHost::default().run("return alc.llm('q', { max_tokens = 64.0 })");
    assert_eq!(float.arguments("llm")["queries"][0]["max_tokens"], json!(64));
}

#[test]
fn argument_of_wrong_type_fails_with_lua_message() {
    for (call, expected) in [
        ("alc.llm()", "bad argument #1 to 'llm' (string expected, got no value)"),
        ("alc.llm(nil)", "bad argument #1 to 'llm' (string expected, got nil)"),
        ("alc.llm({})", "bad argument #1 to 'llm' (string expected, got table)"),
        ("alc.llm('q', 'x')", "bad argument #2 to 'llm' (table expected, got string)"),
        ("alc.llm('\\xff')", "bad argument #1 to 'llm' (not UTF-8)"),
        ("alc.ground(json.null)", "bad argument #1 to 'ground' (string expected, got null)"),
        ("alc.parallel({ 1 })", "bad argument #2 to 'parallel' (function expected, got no value)"),
        ("alc.llm_batch('x')", "bad argument #1 to 'llm_batch' (table expected, got string)"),
        ("alc.llm_batch({})", "alc.llm_batch: empty items array"),
        ("alc.llm_batch({ { prompt = 'a' }, { system = 'b' } })", "alc.llm_batch: item 2 has no text in `prompt`"),
        ("alc.llm_batch({ 'a' })", "alc.llm_batch: item 1 is not a table"),
        ("alc.fork({})", "alc.fork: strategies must be a non-empty array"),
        ("alc.fork({ 'a', '../b' })", "alc.fork: invalid strategy name '../b'"),
        ("alc.fork({ 'a.b' })", "alc.fork: invalid strategy name 'a.b'"),
        ("alc.fork({ 1 })", "alc.fork: strategy 1 is not a name"),
        ("alc.fork({ 'a' }, { 1 })", "alc.fork: ctx must be a table with named fields"),
        ("alc.fork({ 'a' }, { f = print })", "alc.fork: ctx.f: a function cannot be JSON"),
    ] {
        // The position is that of the script's call.
        assert_eq!(error(&format!("\nreturn {call}, 1")), format!("script:2: {expected}"), "{call}");
    }
}

#[test]
fn host_error_is_a_catchable_string() {
    let host = || TestHost::default().with_response("llm", Err("budget_exceeded: max_llm_calls (1) reached (1 used)"));
    let caught = host().run("local ok, e = pcall(function() return alc.llm('q'), 1 end) return { ok, type(e), e }");
    let message = "script:1: budget_exceeded: max_llm_calls (1) reached (1 used)";
    assert_eq!(caught.value(), json!([false, "string", message]));
    assert_eq!(host().run("local a = alc.llm('q') return a").returned, Err(message.to_owned()));
    // Inside the library, the message has no position.
    let within = host().run("local ok, e = pcall(alc.ground, 'q') return e");
    assert_eq!(within.value(), json!("budget_exceeded: max_llm_calls (1) reached (1 used)"));
}

#[test]
fn mismatched_answer_fails() {
    for answer in [json!(null), json!([]), json!(["a", "b"]), json!([1]), json!("a")] {
        let ran = TestHost::default().with_response("llm", Ok(answer.clone())).run("return alc.llm('q'), 1");
        assert_eq!(
            ran.returned,
            Err("script:1: alc.llm: the server's answers do not match the questions".into()),
            "{answer}"
        );
    }
}

#[test]
fn llm_works_in_callbacks_coroutines_and_metamethods() {
    let ran = TestHost::default().run(
        "local sorted = { 2, 1 }
         table.sort(sorted, function(l, r) return l < r and alc.llm('less') == 'less' end)
         local replaced = ('..'):gsub('%.', function() return alc.llm('dot') end)
         local thread = coroutine.wrap(function() coroutine.yield(alc.llm('thread')) end)
         local shown = tostring(setmetatable({}, { __tostring = function() return alc.llm('name') end }))
         return { sorted, replaced, thread(), shown }",
    );
    assert_eq!(ran.value(), json!([[1, 2], "dotdot", "thread", "name"]));
}

#[test]
fn callback_can_yield_through_library_function() {
    let found = value(
        "local thread = coroutine.wrap(function()
           return alc.map({ 1, 2 }, function(item) return coroutine.yield(item) end)
         end)
         return { thread(), thread('a'), thread('b') }",
    );
    assert_eq!(found, json!([1, 2, ["a", "b"]]));
}

#[test]
fn batch_keeps_the_order() {
    let ran = TestHost::with_answers(["one", "two"])
        .run("return alc.llm_batch({ { prompt = 'a', max_tokens = 5 }, { prompt = 2, system = 's' } })");
    assert_eq!(ran.value(), json!(["one", "two"]));
    let arguments = ran.arguments("llm");
    assert_eq!(arguments["batch"], json!(true));
    assert_eq!((&arguments["queries"][0]["max_tokens"], &arguments["queries"][1]["prompt"]), (&json!(5), &json!("2")));
}

#[test]
fn ground_and_specify_set_their_flag_and_keep_options() {
    let ran = TestHost::default().run("local o = { system = 's' } alc.ground('a', o) alc.specify('b') return o");
    assert_eq!(ran.value(), json!({ "system": "s" }));
    let flags = |at: usize| {
        let query = &ran.calls[at].1["queries"][0];
        (query["grounded"].clone(), query["underspecified"].clone(), query["system"].clone())
    };
    assert_eq!(flags(0), (json!(true), json!(false), json!("s")));
    assert_eq!(flags(1), (json!(false), json!(true), json!(null)));
}

#[test]
fn llm_safe_failure_returns_default_and_logs() {
    let ran =
        TestHost::default().with_response("llm", Err("no answer")).run("return alc.llm_safe('q', nil, 'default')");
    assert_eq!(ran.value(), json!("default"));
    let log = json!({ "level": "warn", "message": "alc.llm_safe: no answer", "source": "alc.log" });
    assert_eq!(ran.arguments("+log"), log);
    assert_eq!(TestHost::with_answers(["fine"]).run("return alc.llm_safe('q', nil, 'default')").value(), json!("fine"));
}

#[test]
fn llm_json_repairs_once() {
    let first = TestHost::with_answers([r#"Sure: {"a": 1}"#]).run("return { alc.llm_json('q') }");
    assert_eq!(first.value(), json!([{ "a": 1 }, "Sure: {\"a\": 1}"]));
    let ran = TestHost::with_answers(["no json", "```json\n[1, 2]\n```"])
        .run("return { alc.llm_json('the question', { system = 'mine', max_tokens = 9 }) }");
    assert_eq!(ran.value(), json!([[1, 2], "```json\n[1, 2]\n```"]));
    let again = &ran.calls[1].1["queries"][0];
    let (prompt, system) = (again["prompt"].as_str().unwrap(), again["system"].as_str().unwrap());
    assert!(prompt.contains("no json") && prompt.contains("the question"), "{prompt}");
    assert!(system.contains("JSON") && !system.contains("mine"), "{system}");
    assert_eq!(again["max_tokens"], json!(9));
    let failed =
        TestHost::with_answers(["no", "never"]).run("local v, raw = alc.llm_json('q') return { v == nil, raw }");
    assert_eq!((failed.value(), failed.calls.len()), (json!([true, "never"]), 2));
}

#[test]
fn parallel_sends_all_queries_at_once() {
    let ran = TestHost::with_answers(["A", "B"]).run(
        "return alc.parallel({ 'a', 'b' }, function(item, i)
           if i == 1 then return 'ask ' .. item end
           return { prompt = 'tell ' .. item, system = 'own', grounded = true }
         end, { system = 'shared', max_tokens = 3, post_fn = function(answer, item, i) return { answer, item, i } end })",
    );
    assert_eq!(ran.value(), json!([["A", "a", 1], ["B", "b", 2]]));
    let queries = &ran.arguments("llm")["queries"];
    assert_eq!((&queries[0]["prompt"], &queries[0]["system"]), (&json!("ask a"), &json!("shared")));
    assert_eq!((&queries[1]["prompt"], &queries[1]["system"]), (&json!("tell b"), &json!("own")));
    assert_eq!((&queries[1]["max_tokens"], &queries[1]["grounded"]), (&json!(3), &json!(true)));
    let dropped = TestHost::with_answers(["A", "B"]).run(
        "return alc.parallel({ 1, 2 }, tostring, { post_fn = function(answer) if answer == 'B' then return answer end end })",
    );
    assert_eq!(dropped.value(), json!([null, "B"]));
}

#[test]
fn parallel_error_names_the_item() {
    for (arguments, expected) in [
        ("{}, tostring", "alc.parallel: items must be a non-empty array"),
        ("{ 1 }, function() end", "alc.parallel: prompt_fn must return a string or a table, got nil at index 1"),
        ("{ 1 }, function() return {} end", "alc.parallel: prompt_fn returned a table without .prompt at index 1"),
        ("{ 1 }, tostring, { post_fn = 1 }", "alc.parallel: post_fn must be a function, got number"),
    ] {
        assert_eq!(error(&format!("return alc.parallel({arguments}), 1")), format!("script:1: {expected}"));
    }
}

#[test]
fn cached_answer_is_requested_once() {
    let ran = TestHost::with_answers(["one", "two", "three", "four"]).run(
        "local a = { alc.cache('q'), alc.cache('q'), alc.cache('q', { system = 's' }), alc.cache('q', { cache_skip = true }),
                     alc.cache('other', { cache_key = 'k' }), alc.cache('another', { cache_key = 'k' }) }
         return { a, alc.cache_info() }",
    );
    let info = json!({ "entries": 3, "hits": 2, "misses": 3, "max_entries": 256 });
    assert_eq!(ran.value(), json!([["one", "one", "two", "three", "four", "four"], info]));
}

#[test]
fn differing_queries_do_not_share_cached_answer() {
    // The original ignores case, white space and flags, and compares 32-bit hashes.
    for (a, b) in [
        ("'Fix  IT'", "'fix it'"),
        ("'q', { grounded = true }", "'q'"),
        ("'q', { underspecified = true }", "'q', { grounded = true }"),
        ("'q', { max_tokens = 5 }", "'q', { max_tokens = 6 }"),
        ("'q', { system = '' }", "'q'"),
        ("'q1:', { system = 'x' }", "'q', { system = '1:x' }"),
        ("'q', { cache_key = 'question' }", "'question'"),
    ] {
        let ran = TestHost::default().run(&format!("alc.cache({a}) alc.cache({b}) return alc.cache_info().misses"));
        assert_eq!(ran.value(), json!(2), "{a} and {b}");
    }
}

#[test]
fn cache_evicts_oldest_and_clear_resets() {
    let found = value(
        "local function ask(i) alc.cache('q' .. i) end
         for i = 1, 257 do ask(i) end
         local full = alc.cache_info()
         ask(2) ask(257)
         local kept = alc.cache_info().hits
         ask(1)
         local dropped = alc.cache_info().misses
         alc.cache_clear()
         local cleared = alc.cache_info()
         for i = 1, 300 do ask(i) end
         for i = 45, 300 do ask(i) end
         return { full, kept, dropped, cleared, alc.cache_info() }",
    );
    let info =
        |entries, hits, misses| json!({ "entries": entries, "hits": hits, "misses": misses, "max_entries": 256 });
    assert_eq!(found, json!([info(256, 0, 257), 2, 258, info(0, 0, 0), info(256, 256, 300)]));
}

#[test]
fn fork_sends_strategies_and_context() {
    let answer = json!([{ "strategy": "cot", "ok": true, "result": { "result": 1 } }, { "strategy": "my-own", "ok": false, "error": "no" }]);
    for (opts, on_error) in [("nil", json!(null)), ("{ on_error = 'skip' }", json!("skip"))] {
        let ran = TestHost::default()
            .with_response("fork", Ok(answer.clone()))
            .run(&format!("return alc.fork({{ 'cot', 'my-own' }}, {{ task = 't', list = {{}} }}, {opts})"));
        assert_eq!(ran.value(), answer);
        let arguments =
            json!({ "strategies": ["cot", "my-own"], "ctx": { "task": "t", "list": {} }, "on_error": on_error });
        assert_eq!(ran.arguments("fork"), arguments);
    }
    for ctx in ["nil", "{}", "json.array()", "json.null"] {
        let ran =
            TestHost::default().with_response("fork", Ok(json!([]))).run(&format!("return alc.fork({{ 'a' }}, {ctx})"));
        assert_eq!(ran.arguments("fork")["ctx"], json!({}), "{ctx}");
    }
}

#[test]
fn failed_strategy_raises_with_on_error_abort() {
    for on_error in ["abort", "fail"] {
        let answer = json!([{ "strategy": "a", "ok": true, "result": null }, { "strategy": "b", "ok": false, "error": "it broke" }]);
        let ran = TestHost::default()
            .with_response("fork", Ok(answer))
            .run(&format!("return alc.fork({{ 'a', 'b' }}, {{}}, {{ on_error = '{on_error}' }}), 1"));
        assert_eq!(ran.returned, Err("script:1: alc.fork: strategy 'b' failed: it broke".into()));
    }
}
