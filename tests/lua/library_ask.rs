//! What waits for an answer: llm, batches, forks, the cache, repair, and everything built on them.

use serde_json::{Value as Json, json};

use super::library_world::{World, error, value};

fn query(prompt: &str) -> Json {
    json!({ "prompt": prompt, "system": null, "max_tokens": 1024, "grounded": false, "underspecified": false })
}

#[test]
fn llm_asks_one_question_with_its_options() {
    let ran = World::answering(["four"]).run(
        r#"return alc.llm("2+2?", { system = "short", max_tokens = 7, grounded = true, underspecified = false })"#,
    );
    assert_eq!(ran.value(), json!("four"));
    let query =
        json!({ "prompt": "2+2?", "system": "short", "max_tokens": 7, "grounded": true, "underspecified": false });
    assert_eq!(ran.asked, [("llm".to_owned(), json!({ "queries": [query], "batch": false }))]);
}

#[test]
fn an_option_of_another_type_is_ignored_as_in_the_original() {
    for opts in [
        "nil",
        "{}",
        "json.null",
        "{ system = {}, max_tokens = 'x', grounded = 1 }",
        "{ max_tokens = -1 }",
        "{ max_tokens = 1.5, system = json.null }",
    ] {
        let ran = World::default().run(&format!("return alc.llm('q', {opts})"));
        assert_eq!(ran.arguments("llm"), json!({ "queries": [query("q")], "batch": false }), "{opts}");
    }
    let float = World::default().run("return alc.llm('q', { max_tokens = 64.0 })");
    assert_eq!(float.arguments("llm")["queries"][0]["max_tokens"], json!(64));
}

#[test]
fn an_argument_of_a_wrong_type_is_blamed_as_by_lua_itself() {
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
        ("alc.llm_batch({ 'a' })", "alc.llm_batch: item 1 has no table"),
        ("alc.fork({})", "alc.fork: strategies must be a non-empty array"),
        ("alc.fork({ 'a', '../b' })", "alc.fork: invalid strategy name '../b'"),
        ("alc.fork({ 'a.b' })", "alc.fork: invalid strategy name 'a.b'"),
        ("alc.fork({ 1 })", "alc.fork: strategy 1 is no name"),
        ("alc.fork({ 'a' }, { 1 })", "alc.fork: ctx must be a table with named fields"),
        ("alc.fork({ 'a' }, { f = print })", "alc.fork: ctx.f: a function cannot be JSON"),
    ] {
        // The place is that of the call.
        assert_eq!(error(&format!("\nreturn {call}, 1")), format!("script:2: {expected}"), "{call}");
    }
}

#[test]
fn an_error_of_the_host_is_a_string_that_a_script_can_catch() {
    let world = || World::default().saying("llm", Err("budget_exceeded: max_llm_calls (1) reached (1 used)"));
    let caught = world().run("local ok, e = pcall(function() return alc.llm('q'), 1 end) return { ok, type(e), e }");
    let message = "script:1: budget_exceeded: max_llm_calls (1) reached (1 used)";
    assert_eq!(caught.value(), json!([false, "string", message]));
    assert_eq!(world().run("local a = alc.llm('q') return a").returned, Err(message.to_owned()));
    // Within the library the place would be ours, and says nothing.
    let within = world().run("local ok, e = pcall(alc.ground, 'q') return e");
    assert_eq!(within.value(), json!("budget_exceeded: max_llm_calls (1) reached (1 used)"));
}

#[test]
fn an_answer_that_does_not_fit_is_an_error() {
    for answer in [json!(null), json!([]), json!(["a", "b"]), json!([1]), json!("a")] {
        let ran = World::default().saying("llm", Ok(answer.clone())).run("return alc.llm('q'), 1");
        assert_eq!(ran.returned, Err("script:1: alc.llm: the answer does not fit the questions".into()), "{answer}");
    }
}

#[test]
fn a_question_can_be_asked_anywhere_a_function_is_called() {
    let ran = World::default().run(
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
fn a_callback_may_yield_through_a_function_of_the_library() {
    let found = value(
        "local thread = coroutine.wrap(function()
           return alc.map({ 1, 2 }, function(item) return coroutine.yield(item) end)
         end)
         return { thread(), thread('a'), thread('b') }",
    );
    assert_eq!(found, json!([1, 2, ["a", "b"]]));
}

#[test]
fn a_batch_keeps_the_order() {
    let ran = World::answering(["one", "two"])
        .run("return alc.llm_batch({ { prompt = 'a', max_tokens = 5 }, { prompt = 2, system = 's' } })");
    assert_eq!(ran.value(), json!(["one", "two"]));
    let asked = ran.arguments("llm");
    assert_eq!(asked["batch"], json!(true));
    assert_eq!((&asked["queries"][0]["max_tokens"], &asked["queries"][1]["prompt"]), (&json!(5), &json!("2")));
}

#[test]
fn ground_and_specify_set_their_flag_and_leave_the_options_alone() {
    let ran = World::default().run("local o = { system = 's' } alc.ground('a', o) alc.specify('b') return o");
    assert_eq!(ran.value(), json!({ "system": "s" }));
    let flags = |at: usize| {
        let query = &ran.asked[at].1["queries"][0];
        (query["grounded"].clone(), query["underspecified"].clone(), query["system"].clone())
    };
    assert_eq!(flags(0), (json!(true), json!(false), json!("s")));
    assert_eq!(flags(1), (json!(false), json!(true), json!(null)));
}

#[test]
fn llm_safe_gives_the_default_and_says_so_in_the_log() {
    let ran = World::default().saying("llm", Err("no answer")).run("return alc.llm_safe('q', nil, 'default')");
    assert_eq!(ran.value(), json!("default"));
    let log = json!({ "level": "warn", "message": "alc.llm_safe: no answer", "source": "alc.log" });
    assert_eq!(ran.arguments("+log"), log);
    assert_eq!(World::answering(["fine"]).run("return alc.llm_safe('q', nil, 'default')").value(), json!("fine"));
}

#[test]
fn llm_json_repairs_once() {
    let first = World::answering([r#"Sure: {"a": 1}"#]).run("return { alc.llm_json('q') }");
    assert_eq!(first.value(), json!([{ "a": 1 }, "Sure: {\"a\": 1}"]));
    let ran = World::answering(["no json", "```json\n[1, 2]\n```"])
        .run("return { alc.llm_json('the question', { system = 'mine', max_tokens = 9 }) }");
    assert_eq!(ran.value(), json!([[1, 2], "```json\n[1, 2]\n```"]));
    let again = &ran.asked[1].1["queries"][0];
    let (prompt, system) = (again["prompt"].as_str().unwrap(), again["system"].as_str().unwrap());
    assert!(prompt.contains("no json") && prompt.contains("the question"), "{prompt}");
    assert!(system.contains("JSON") && !system.contains("mine"), "{system}");
    assert_eq!(again["max_tokens"], json!(9));
    let failed = World::answering(["no", "never"]).run("local v, raw = alc.llm_json('q') return { v == nil, raw }");
    assert_eq!((failed.value(), failed.asked.len()), (json!([true, "never"]), 2));
}

#[test]
fn parallel_asks_all_at_once() {
    let ran = World::answering(["A", "B"]).run(
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
    let dropped = World::answering(["A", "B"]).run(
        "return alc.parallel({ 1, 2 }, tostring, { post_fn = function(answer) if answer == 'B' then return answer end end })",
    );
    assert_eq!(dropped.value(), json!([null, "B"]));
}

#[test]
fn parallel_says_at_which_item_it_failed() {
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
fn a_cached_answer_is_asked_for_once() {
    let ran = World::answering(["one", "two", "three", "four"]).run(
        "local a = { alc.cache('q'), alc.cache('q'), alc.cache('q', { system = 's' }), alc.cache('q', { cache_skip = true }),
                     alc.cache('other', { cache_key = 'k' }), alc.cache('another', { cache_key = 'k' }) }
         return { a, alc.cache_info() }",
    );
    let info = json!({ "entries": 3, "hits": 2, "misses": 3, "max_entries": 256 });
    assert_eq!(ran.value(), json!([["one", "one", "two", "three", "four", "four"], info]));
}

#[test]
fn questions_that_differ_in_anything_do_not_share_an_answer() {
    // In the original, case, white space and the flags make no difference, and a hash of 32 bits decides.
    for (a, b) in [
        ("'Fix  IT'", "'fix it'"),
        ("'q', { grounded = true }", "'q'"),
        ("'q', { underspecified = true }", "'q', { grounded = true }"),
        ("'q', { max_tokens = 5 }", "'q', { max_tokens = 6 }"),
        ("'q', { system = '' }", "'q'"),
        ("'q1:', { system = 'x' }", "'q', { system = '1:x' }"),
        ("'q', { cache_key = 'question' }", "'question'"),
    ] {
        let ran = World::default().run(&format!("alc.cache({a}) alc.cache({b}) return alc.cache_info().misses"));
        assert_eq!(ran.value(), json!(2), "{a} and {b}");
    }
}

#[test]
fn the_oldest_answer_is_dropped_first_and_a_cleared_cache_begins_anew() {
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
fn a_fork_hands_its_strategies_on() {
    let answer = json!([{ "strategy": "cot", "ok": true, "result": { "result": 1 } }, { "strategy": "my-own", "ok": false, "error": "no" }]);
    for (opts, on_error) in [("nil", json!(null)), ("{ on_error = 'skip' }", json!("skip"))] {
        let ran = World::default()
            .saying("fork", Ok(answer.clone()))
            .run(&format!("return alc.fork({{ 'cot', 'my-own' }}, {{ task = 't', list = {{}} }}, {opts})"));
        assert_eq!(ran.value(), answer);
        let asked =
            json!({ "strategies": ["cot", "my-own"], "ctx": { "task": "t", "list": {} }, "on_error": on_error });
        assert_eq!(ran.arguments("fork"), asked);
    }
    for ctx in ["nil", "{}", "json.array()", "json.null"] {
        let ran = World::default().saying("fork", Ok(json!([]))).run(&format!("return alc.fork({{ 'a' }}, {ctx})"));
        assert_eq!(ran.arguments("fork")["ctx"], json!({}), "{ctx}");
    }
}

#[test]
fn a_failed_strategy_raises_when_it_is_asked_for() {
    for on_error in ["abort", "fail"] {
        let answer = json!([{ "strategy": "a", "ok": true, "result": null }, { "strategy": "b", "ok": false, "error": "it broke" }]);
        let ran = World::default()
            .saying("fork", Ok(answer))
            .run(&format!("return alc.fork({{ 'a', 'b' }}, {{}}, {{ on_error = '{on_error}' }}), 1"));
        assert_eq!(ran.returned, Err("script:1: alc.fork: strategy 'b' failed: it broke".into()));
    }
}
