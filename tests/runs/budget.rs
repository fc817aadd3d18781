//! `ctx.budget`: enforced before a query is sent.

use serde_json::{Value, json};

use wardroom_test_support::{RunClient, TestDir};

fn with_budget(runner: &mut RunClient, code: &str, budget: Value) -> Value {
    let mut arguments = json!({"code": code, "ctx": {}});
    arguments["ctx"]["budget"] = budget;
    runner.call_ok("alc_run", arguments)
}

#[test]
fn llm_call_above_budget_fails() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let code = "local a = alc.llm('one') local ok, why = pcall(alc.llm, 'two') return {a, ok, why}";
    let waits = with_budget(&mut runner, code, json!({"max_llm_calls": 1}));
    let done = runner.answer_query(&waits, "A");
    let why = done["result"][2].as_str().unwrap();
    assert!(why.contains("budget_exceeded: max_llm_calls (1) reached (1 used)"), "{why}");
    assert_eq!(done["stats"]["auto"]["budget"], json!({"max_llm_calls": 1}));
}

#[test]
fn batch_above_call_budget_fails() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let code = "return {pcall(alc.llm_batch, {{prompt = 'a'}, {prompt = 'b'}})}";
    let done = with_budget(&mut runner, code, json!({"max_llm_calls": 1}));
    assert_eq!(done["result"][0], false);
    assert_eq!(done["stats"]["auto"]["llm_calls"], 0);
}

#[test]
fn batch_above_token_budget_fails() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let code = "local t = {} for i = 1, 50 do t[i] = {prompt = ('x'):rep(1000)} end \
                local ok, why = pcall(alc.llm_batch, t) return {ok, why, (pcall(alc.llm, ('x'):rep(40)))}";
    let waits = with_budget(&mut runner, code, json!({"max_tokens": 10}));
    // A query within the budget is sent.
    assert_eq!(waits["prompt"], "x".repeat(40), "{waits:#}");
    let done = runner.answer_query(&waits, "");
    let why = done["result"][1].as_str().unwrap();
    assert!(why.contains("budget_exceeded: max_tokens (10) does not suffice (0 used, 12500 more"), "{why}");
    assert_eq!((&done["result"][2], &done["stats"]["auto"]["llm_calls"]), (&json!(true), &json!(1)));
}

#[test]
fn token_and_time_budgets_are_enforced() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let code = "local a = alc.llm('12345678') return {select(2, pcall(alc.llm, 'x'))}";
    let waits = with_budget(&mut runner, code, json!({"max_tokens": 2}));
    let done = runner.answer_query(&waits, "1234");
    let why = done["result"][0].as_str().unwrap();
    assert!(why.contains("max_tokens (2) reached (3 used)"), "{why}");
    let done = with_budget(&mut runner, "return {select(2, pcall(alc.llm, 'x'))}", json!({"max_elapsed_ms": 0}));
    assert!(done["result"][0].as_str().unwrap().contains("max_elapsed_ms (0ms) reached"), "{done:#}");
}

#[test]
fn budget_remaining_returns_rest() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let done = with_budget(&mut runner, "return alc.budget_remaining()", json!({"max_llm_calls": 3, "max_tokens": 50}));
    assert_eq!(done["result"], json!({"llm_calls": 3, "tokens": 50}));
    assert_eq!(
        runner.run_result("return {none = alc.budget_remaining() == nil, check = alc.budget_check()}"),
        json!({"none": true, "check": true})
    );
}
