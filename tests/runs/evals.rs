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
