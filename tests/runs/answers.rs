//! Pauses, and the replies that end them.

use serde_json::{Value, json};

use wardroom_test_support::{RunClient, TestDir};

#[test]
fn single_query_is_answered() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let code = "return alc.llm('how?', {system = 'be brief', max_tokens = 7, grounded = true})";
    let waits = runner.run_code(code);
    assert_eq!(waits["status"], "needs_response");
    assert_eq!(
        (&waits["prompt"], &waits["system"], &waits["max_tokens"], &waits["grounded"], &waits["underspecified"]),
        (&json!("how?"), &json!("be brief"), &json!(7), &json!(true), &Value::Null)
    );
    let arguments = json!({"session_id": waits["session_id"], "response": "so",
                           "usage": {"prompt_tokens": 11, "completion_tokens": 3}});
    let done = runner.call_ok("alc_continue", arguments);
    assert_eq!((&done["status"], &done["result"]), (&json!("completed"), &json!("so")));
    let auto = &done["stats"]["auto"];
    assert_eq!(auto["prompt_tokens"], json!({"tokens": 11, "source": "provided"}));
    assert_eq!(auto["response_tokens"], json!({"tokens": 3, "source": "provided"}));
    assert_eq!((&auto["llm_calls"], &auto["pauses"]), (&json!(1), &json!(1)));
    assert_eq!((&auto["total_prompt_chars"], &auto["total_response_chars"]), (&json!(12), &json!(2)));
}

#[test]
fn llm_is_callable_from_any_lua_context() {
    let dir = TestDir::new();
    dir.write_package("asks", "local first = alc.llm('in a module') return {first = first}");
    let mut runner = RunClient::start(&dir);
    for (code, wanted) in [
        ("return select(2, pcall(alc.llm, 'p'))", "a"),
        ("local t = {2, 1} table.sort(t, function(a, b) alc.llm('p') return a < b end) return 'a'", "a"),
        ("return (('x'):gsub('x', function() return alc.llm('p') end))", "a"),
        ("return tostring(setmetatable({}, {__tostring = function() return alc.llm('p') end}))", "a"),
        ("return coroutine.wrap(function() return alc.llm('p') end)()", "a"),
        ("return require('asks').first", "a"),
    ] {
        let mut answer = runner.run_code(code);
        while answer["status"] == "needs_response" {
            answer = runner.answer_query(&answer, "a");
        }
        assert_eq!(answer["result"], wanted, "{code}: {answer:#}");
    }
}

#[test]
fn batch_accepts_replies_in_any_order() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let waits = runner.run_code("return alc.llm_batch({{prompt = 'a'}, {prompt = 'b'}, {prompt = 'c'}})");
    let ids: Vec<&str> =
        waits["queries"].as_array().unwrap().iter().map(|query| query["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 3);
    let session = &waits["session_id"];
    let one = json!({"session_id": session, "query_id": ids[2], "response": "C"});
    assert_eq!(runner.call_ok("alc_continue", one), json!({"status": "accepted", "remaining": 2}));
    let which = runner.expect_refusal("alc_continue", json!({"session_id": session, "response": "?"}), "WHICH_QUERY");
    assert_eq!(which, "Continue failed: invalid transition: 2 queries pending; specify query_id explicitly");
    let rest = json!({"session_id": session, "responses": [
        {"query_id": ids[1], "response": "B"}, {"query_id": ids[0], "response": "A"}]});
    assert_eq!(runner.call_ok("alc_continue", rest)["result"], json!(["A", "B", "C"]));
}

#[test]
fn unexpected_reply_is_refused_without_effect() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let waits = runner.run_code("return alc.llm_batch({{prompt = 'a'}, {prompt = 'b'}})");
    let session = &waits["session_id"];
    let say = |query: &str, text: &str| json!({"session_id": session, "query_id": query, "response": text});
    let unknown = runner.expect_refusal("alc_continue", say("q-9", "x"), "UNKNOWN_QUERY");
    assert_eq!(unknown, "Continue failed: unknown query_id: q-9");
    runner.call_ok("alc_continue", say("q-0", "A"));
    let twice = runner.expect_refusal("alc_continue", say("q-0", "other"), "ALREADY_ANSWERED");
    assert_eq!(twice, "Continue failed: already responded to query_id: q-0");
    // Replies are applied all or none.
    let mixed = json!({"session_id": session, "responses": [
        {"query_id": "q-1", "response": "lost"}, {"query_id": "q-7", "response": "x"}]});
    runner.expect_refusal("alc_continue", mixed, "UNKNOWN_QUERY");
    assert_eq!(runner.call_ok("alc_continue", say("q-1", "B"))["result"], json!(["A", "B"]));
    let gone =
        runner.expect_refusal("alc_continue", json!({"session_id": "s-1", "response": "x"}), "SESSION_NOT_FOUND");
    assert_eq!(gone, "Continue failed: session 's-1' not found");
    runner.expect_refusal("alc_continue", json!({"session_id": "../x", "response": "x"}), "SESSION_NOT_FOUND");
    runner.expect_refusal("alc_continue", json!({"session_id": session}), "INVALID");
    runner.expect_refusal("alc_continue", json!({"session_id": session, "responses": []}), "INVALID");
}

#[test]
fn repeated_reply_is_applied_once() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let first = runner.run_code("local a = alc.llm('one') local b = alc.llm('two') return a .. b");
    let second = runner.answer_query(&first, "A");
    assert_eq!(runner.answer_query(&first, "A"), second);
    let done = runner.answer_query(&second, "B");
    assert_eq!(done["result"], "AB");
    // The run has finished, and its final answer is kept.
    assert_eq!(runner.answer_query(&second, "B"), done);
}

#[test]
fn finished_run_with_queries_leaves_transcript() {
    let dir = TestDir::new();
    dir.write_package("asker", "return {run = function(ctx) return {text = alc.llm(ctx.task)} end}");
    let mut runner = RunClient::start(&dir);
    let waits = runner.call_ok("alc_advice", json!({"strategy": "asker", "task": "what"}));
    runner.answer_query(&waits, "that");
    let uri = format!("alc://logs/{}", waits["session_id"].as_str().unwrap());
    let log = runner.0.read_resource(&uri).unwrap();
    let log: Value = serde_json::from_str(log["text"].as_str().unwrap()).unwrap();
    assert_eq!((&log["strategy"], &log["task_hint"]), (&json!("asker"), &json!("what")));
    let round = json!({"query_id": "q-0", "prompt": "what", "system": null, "response": "that"});
    assert_eq!(log["transcript"], json!([round]));
}
