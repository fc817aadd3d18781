//! `ctx.budget`: enforced before a query is sent.

use serde_json::{Value, json};

use wardroom_test_support::{RunClient, TestDir, eventually};

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
    let why = done["result"][1].as_str().unwrap();
    assert!(why.contains("max_llm_calls (1) does not suffice (0 used, 2 more needed)"), "{why}");
    assert_eq!(done["stats"]["auto"]["llm_calls"], 0);
}

/// A limit that is misspelt, or no number, would limit nothing.
#[test]
fn budget_that_limits_nothing_is_refused() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    for (budget, message) in [
        (json!({"max_llm_cals": 5}), "did you mean max_llm_calls?"),
        (json!({"max_llm_calls": "3"}), "must be a whole number"),
        (json!({"max_llm_calls": -1}), "must be a whole number"),
        (json!({"max_tokens": 1.5}), "must be a whole number"),
    ] {
        let arguments = json!({"code": "return alc.llm('x')", "ctx": {"budget": budget}});
        let (refused, failed) = runner.call_tool("alc_run", arguments);
        let found = refused["error"]["message"].as_str().unwrap_or_default();
        assert!(failed && refused["error"]["code"] == "INVALID" && found.contains(message), "{refused:#}");
    }
    let code = "return {alc.budget_remaining() and alc.budget_remaining().llm_calls, ctx.budget}";
    let whole = with_budget(&mut runner, code, json!({"max_llm_calls": 2.0}));
    assert_eq!(whole["result"][0], 2, "{whole:#}");
    // What is no table of limits is the strategy's own.
    for own in [json!(12), json!({"expansions": 3, "max_tries": 2, "min_tokens": 1})] {
        let done = with_budget(&mut runner, "return {ctx.budget}", own.clone());
        assert_eq!(done["result"][0], own);
    }
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

/// A server whose runs have two seconds of processor time.
fn start_with_two_seconds(dir: &TestDir) -> RunClient {
    let config = dir.root().join("config.toml");
    std::fs::write(&config, "[alc]\nrun_cpu_s = 2\n").unwrap();
    RunClient::start_with(dir, &["--config", config.to_str().unwrap()])
}

/// Some work of the processor that no clock ends.
const WORK: &str = "local function work(rounds) local n = 0 for i = 1, rounds do n = n + i % 7 end return n end ";

#[test]
fn processor_time_is_limited_whatever_the_run_asks_in_between() {
    let dir = TestDir::new();
    let mut runner = start_with_two_seconds(&dir);
    // Each call ends the step, so that no step reaches its own limit.
    let error = runner.run_error(&format!("{WORK} while true do work(1000000) os.time() end"));
    assert!(error.contains("more than 2 s of processor time"), "{error}");
    // Those of a fork count together.
    dir.write_package(
        "works",
        &format!("return {{run = function() {WORK} while true do work(1000000) os.time() end end}}"),
    );
    let error = runner.run_error("return alc.fork({'works', 'works'})");
    assert!(error.contains("more than 2 s of processor time"), "{error}");
    assert_eq!(runner.run_result("return 1"), 1);
}

/// A branch that computes while the run waits for its client spends the run's time, too.
#[test]
fn processor_time_is_limited_while_run_is_paused() {
    let dir = TestDir::new();
    dir.write_package("asks", "return {run = function() return alc.llm('p') end}");
    dir.write_package("works", &format!("return {{run = function() {WORK} while true do work(1000000) end end}}"));
    let config = dir.root().join("config.toml");
    // More than the time that a query waits for the other branches.
    std::fs::write(&config, "[alc]\nrun_cpu_s = 4\n").unwrap();
    let mut runner = RunClient::start_with(&dir, &["--config", config.to_str().unwrap()]);
    let waits = runner.run_code("return alc.fork({'asks', 'works'})");
    let session = waits["session_id"].as_str().unwrap();
    let journal = dir.app_path().join(format!("runs/{session}.jsonl"));
    // Its workers end without a call, and the journal has what they spent.
    let has_spent = || std::fs::read_to_string(&journal).unwrap().contains("\"t\":\"spent\"");
    eventually("the time is journaled", has_spent);
    let (error, _) = runner.call_tool("alc_continue", json!({"session_id": session, "response": "x"}));
    assert!(error["error"].as_str().unwrap().contains("more than 4 s of processor time"), "{error}");
}

/// What a person takes to answer counts for nothing, and nor do the workers that wait meanwhile.
#[test]
fn waiting_takes_no_processor_time() {
    let dir = TestDir::new();
    let config = dir.root().join("config.toml");
    std::fs::write(&config, "[alc]\nrun_cpu_s = 1\n").unwrap();
    let mut runner = RunClient::start_with(&dir, &["--config", config.to_str().unwrap()]);
    let waits =
        runner.run_code("local answer = alc.llm('a') local n = 0 for i = 1, 100000 do n = n + i end return answer");
    // Longer than the time that the run has.
    std::thread::sleep(std::time::Duration::from_millis(1500));
    assert_eq!(runner.answer_query(&waits, "late")["result"], "late");
}

#[test]
fn replay_has_a_limit_of_its_own_and_may_be_tried_again() {
    let dir = TestDir::new();
    let start = |seconds: u32| {
        let config = dir.root().join("config.toml");
        std::fs::write(&config, format!("[alc]\nrun_cpu_s = {seconds}\n")).unwrap();
        RunClient::start_with(&dir, &["--config", config.to_str().unwrap()])
    };
    let code = format!("{WORK} work(250000000) alc.llm('a') return 'done'");
    let mut generous = start(600);
    let waits = generous.run_code(&code);
    drop(generous);
    let reply = json!({"session_id": waits["session_id"], "response": "x"});
    let mut strict = start(1);
    let (refused, failed) = strict.call_tool("alc_continue", reply.clone());
    let message = refused["error"]["message"].as_str().unwrap_or_default();
    assert!(failed && message.contains("the replay of the run took more than 1 s of processor time"), "{refused:#}");
    drop(strict);
    // The run still waits, and a server that gives it more time goes on with it.
    assert_eq!(start(600).call_ok("alc_continue", reply)["result"], "done");
}

#[test]
fn processor_time_adds_up_over_pauses_and_servers() {
    let dir = TestDir::new();
    let code = format!("{WORK} for i = 1, 1000 do work(30000000) alc.llm('next') end return 'done'");
    let mut runner = start_with_two_seconds(&dir);
    let mut waits = runner.run_code(&code);
    let mut pauses = 1;
    let error = loop {
        // Another server replays the run, which does not count.
        if pauses == 2 {
            drop(runner);
            runner = start_with_two_seconds(&dir);
        }
        let reply = json!({"session_id": waits["session_id"], "response": "go on"});
        let (answer, failed) = runner.call_tool("alc_continue", reply);
        if failed {
            break answer;
        }
        waits = answer;
        pauses += 1;
        assert!(pauses < 1000);
    };
    assert!(error["error"].as_str().unwrap().contains("more than 2 s of processor time"), "{error}");
    assert!(pauses > 2, "{pauses}");
}
