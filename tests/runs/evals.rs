//! `alc_eval`: scenarios from all sources, graded and stored.

use serde_json::{Value, json};

use wardroom_test_support::{RunClient, TestDir};

const SCENARIO: &str = "return {name = 'sums', cases = {{input = '1+1', expected = '2'}, {input = '2+2', expected = '4'}}, \
                        graders = {'exact_match'}}";

fn dir() -> TestDir {
    let dir = TestDir::new();
    dir.write_package("asks_it", "return {run = function(ctx) ctx.result = alc.llm(ctx.task) return ctx end}");
    dir.write_file("scenarios/sums.lua", SCENARIO);
    dir.write_file("elsewhere.lua", SCENARIO);
    dir
}

#[test]
fn scenario_is_loaded_from_code_file_or_name() {
    let dir = dir();
    let mut runner = RunClient::start(&dir);
    for (key, value) in [("scenario", SCENARIO), ("scenario_name", "sums"), ("scenario_file", "elsewhere.lua")] {
        let mut arguments = json!({"strategy": "asks_it", "strategy_opts": {"quote": "it's"}});
        arguments[key] = value.into();
        let mut answer = runner.call_ok("alc_eval", arguments);
        while answer["status"] == "needs_response" {
            answer = runner.answer_query(&answer, "2");
        }
        let aggregated = &answer["result"]["aggregated"];
        assert_eq!((&aggregated["total"], &aggregated["passed"]), (&json!(2), &json!(1)), "{key}: {answer:#}");
        let id = answer["eval_id"].as_str().unwrap();
        assert!(id.starts_with("asks-it_"), "{id}");
        let stored: Value = serde_json::from_str(
            runner.0.read_resource(&format!("alc://eval/{id}")).unwrap()["text"].as_str().unwrap(),
        )
        .unwrap();
        assert_eq!(stored["result"]["aggregated"], *aggregated);
    }
    let listed = runner.call_ok("alc_eval_history", json!({"strategy": "asks_it"}));
    assert_eq!(listed["evals"].as_array().unwrap().len(), 3, "{listed:#}");
}

/// Returns the result of an eval without the values that differ between runs.
fn stable_result(answer: &Value) -> Value {
    let mut result = answer["result"].clone();
    let fields = result.as_object_mut().unwrap();
    assert!(fields.remove("card_id").unwrap().is_string(), "{answer:#}");
    for list in ["results", "failures"] {
        for case in fields[list].as_array_mut().unwrap() {
            assert!(case["response"].as_object_mut().unwrap().remove("latency_ms").unwrap().is_number());
        }
    }
    result
}

/// Answers the query of an eval: the second case gets a wrong answer.
fn answer_case(runner: &mut RunClient, waits: &Value) -> Value {
    let response = match waits["prompt"].as_str().unwrap() {
        "1+1" => "2",
        "2+2" => "5",
        "3+3" => "6",
        prompt => panic!("{prompt}"),
    };
    runner.answer_query(waits, response)
}

/// The server is killed between each two answers. The next server goes on with the eval: every case is asked once, and
/// there is one card.
#[test]
fn eval_goes_on_after_its_server_was_killed() {
    let new_dir = || {
        let dir = TestDir::new();
        let run = "alc.state.incr('n_cases') ctx.result = alc.llm(ctx.task) return ctx";
        dir.write_package("asks_it", &format!("return {{run = function(ctx) {run} end}}"));
        dir
    };
    let scenario = "return {name = 'sums', graders = {'exact_match'}, cases = {{input = '1+1', expected = '2'}, \
                    {input = '2+2', expected = '4'}, {input = '3+3', expected = '6'}}}";
    let arguments = json!({"strategy": "asks_it", "scenario": scenario, "auto_card": true});
    let (undisturbed, killed) = (new_dir(), new_dir());
    let mut runner = RunClient::start(&undisturbed);
    let mut expected = runner.call_ok("alc_eval", arguments.clone());
    while expected["status"] == "needs_response" {
        expected = answer_case(&mut runner, &expected);
    }
    let mut runner = RunClient::start(&killed);
    let (mut last, mut answer, mut n_answers) = (Value::Null, runner.call_ok("alc_eval", arguments), 0);
    while answer["status"] == "needs_response" {
        // Dropping a client sends SIGKILL to its server.
        drop(runner);
        runner = RunClient::start(&killed);
        last = answer;
        answer = answer_case(&mut runner, &last);
        n_answers += 1;
    }
    assert_eq!(n_answers, 3);
    assert_eq!(answer["result"]["aggregated"]["passed"], 2, "{answer:#}");
    assert_eq!(stable_result(&answer), stable_result(&expected));
    // An answer that is sent again is the same, and stores nothing.
    drop(runner);
    let mut runner = RunClient::start(&killed);
    assert_eq!(answer_case(&mut runner, &last), answer);
    let cards = runner.call_ok("alc_card_list", json!({}));
    assert_eq!((&cards["total"], &cards["cards"][0]["card_id"]), (&json!(1), &answer["result"]["card_id"]));
    let evals = runner.call_ok("alc_eval_history", json!({}))["evals"].take();
    assert_eq!((evals.as_array().unwrap().len(), &evals[0]["eval_id"]), (1, &answer["eval_id"]));
    assert_eq!(runner.run_result("return alc.state.get('n_cases')"), 3);
    assert_eq!(runner.call_ok("alc_status", json!({}))["active_sessions"], 0);
}

/// The server is killed while it handles an answer, and the client sends the answer again.
#[test]
fn answer_of_an_eval_can_be_sent_again_after_a_crash() {
    let dir = dir();
    let mut runner = RunClient::start(&dir);
    let arguments = json!({"strategy": "asks_it", "scenario_name": "sums", "auto_card": true});
    let mut answer = runner.call_ok("alc_eval", arguments);
    while answer["status"] == "needs_response" {
        let reply = json!({"session_id": answer["session_id"], "query_id": answer["query_id"], "response": "2"});
        runner.0.send_request("tools/call", json!({"name": "alc_continue", "arguments": reply}));
        drop(runner);
        runner = RunClient::start(&dir);
        answer = runner.call_ok("alc_continue", reply);
    }
    assert_eq!(answer["result"]["aggregated"]["passed"], 1, "{answer:#}");
    assert_eq!(runner.call_ok("alc_card_list", json!({}))["total"], 1);
    assert_eq!(runner.call_ok("alc_eval_history", json!({}))["evals"].as_array().unwrap().len(), 1);
}

#[test]
fn eval_without_exactly_one_scenario_is_refused() {
    let dir = dir();
    let mut runner = RunClient::start(&dir);
    let none = runner.expect_refusal("alc_eval", json!({"strategy": "asks_it"}), "INVALID");
    assert_eq!(none, "Provide one of: scenario, scenario_file, or scenario_name.");
    let both = json!({"strategy": "asks_it", "scenario": SCENARIO, "scenario_name": "sums"});
    let both = runner.expect_refusal("alc_eval", both, "INVALID");
    assert_eq!(both, "Provide only one of: scenario, scenario_file, or scenario_name.");
    runner.expect_refusal("alc_eval", json!({"strategy": "asks_it", "scenario_file": "/etc/hostname"}), "NOT_MOUNTED");
    let (missing, failed) = runner.call_tool("alc_eval", json!({"strategy": "asks_it", "scenario_name": "none"}));
    assert!(failed && missing["error"].as_str().unwrap().contains("none"), "{missing:#}");
    // A missing strategy is not evaluated either.
    let (missing, failed) = runner.call_tool("alc_eval", json!({"strategy": "nope", "scenario": SCENARIO}));
    let why = missing["error"].as_str().unwrap();
    assert!(failed && why.starts_with("package 'nope' cannot be evaluated: neither the AppDir"), "{missing:#}");
    assert!(!dir.app_path().join("evals").read_dir().is_ok_and(|mut evals| evals.next().is_some()));
}

#[test]
fn concurrent_replies_are_serialized() {
    let dir = dir();
    let mut runner = RunClient::start(&dir);
    let waits = runner.run_code("local t = {} for i = 1, 8 do t[i] = {prompt = 'p' .. i} end return alc.llm_batch(t)");
    for query in waits["queries"].as_array().unwrap() {
        let answer = json!({"session_id": waits["session_id"], "query_id": query["id"], "response": query["prompt"]});
        runner.0.send_request("tools/call", json!({"name": "alc_continue", "arguments": answer}));
    }
    let answers: Vec<Value> = (0..8).map(|_| runner.0.receive()["result"]["structuredContent"].clone()).collect();
    let done: Vec<&Value> = answers.iter().filter(|answer| answer["status"] == "completed").collect();
    assert_eq!(done.len(), 1, "{answers:#?}");
    assert_eq!(done[0]["result"], json!(["p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8"]));
}
