//! Tests of `alc.eval`: forms of scenarios, graders, the report and its card.

use serde_json::{Value as Json, json};

use super::library_host::{TestHost, error};

/// A strategy with some fixed answers.
const KNOWS: &str = "
local M = { meta = { name = 'knows' } }
local answers = { ['2+2'] = '4', capital = 'It is Paris.', json = '{\"a\":1}', table = { answer = 'from a table' } }
function M.run(ctx)
  if ctx.task == 'broken' then error('it broke', 0) end
  ctx.result = answers[ctx.task] or ctx.fallback or ''
  return ctx
end
return M";

fn host() -> TestHost {
    TestHost::default().with_module("knows", KNOWS)
}

fn is_near(found: &Json, expected: f64) -> bool {
    (found.as_f64().unwrap() - expected).abs() < 1e-9
}

#[test]
fn simple_scenario_yields_full_report() {
    let ran = host().run(
        "return alc.eval({ name = 'basics', graders = { 'contains' }, cases = {
           { input = '2+2', expected = '4', tags = { 'math' } },
           { input = 'capital', expected = { 'Rome', 'Paris' }, name = 'paris', tags = { 'geo', 'easy' } },
           { input = 'unknown', expected = 'x', tags = { 'math' } },
           { input = 'broken', expected = 'x' } } }, 'knows')",
    );
    let report = ran.value();
    assert_eq!(report["name"], json!("knows:basics"));
    let figures = &report["aggregated"];
    assert_eq!(
        (&figures["total"], &figures["passed"], &figures["pass_rate"], &figures["pass_at_1"]),
        (&json!(4), &json!(2), &json!(0.5), &json!(0.5))
    );
    let scores =
        json!({ "n": 4, "mean": 0.5, "std_dev": (1.0_f64 / 3.0).sqrt(), "min": 0.0, "max": 1.0, "median": 0.5 });
    for (key, expected) in scores.as_object().unwrap() {
        assert!(is_near(&figures["scores"][key], expected.as_f64().unwrap()), "{key}: {figures}");
    }
    // The interval of four values is clamped to the scale.
    assert_eq!(figures["ci_95"], json!({ "lower": 0.0, "upper": 1.0 }));
    assert_eq!((&figures["pass_at_5"], &figures["pass_at_10"]), (&Json::Null, &Json::Null));
    let math = &figures["by_tag"]["math"];
    assert_eq!(
        (&math["pass"], &math["fail"], &math["rate"], &math["stats"]["n"]),
        (&json!(1), &json!(1), &json!(0.5), &json!(2))
    );
    assert_eq!(figures["by_tag"].as_object().unwrap().len(), 3);

    let results = report["results"].as_array().unwrap();
    let case = json!({ "name": "paris", "input": "capital", "expected": ["Rome", "Paris"], "tags": ["geo", "easy"], "context": {} });
    assert_eq!(results[1]["case"], case);
    assert_eq!(results[1]["response"], json!({ "text": "It is Paris.", "latency_ms": 1000.0 }));
    assert_eq!(results[1]["grades"], json!([{ "grader": "contains", "weight": 1.0, "score": 1.0, "grade": true }]));
    assert_eq!((&results[1]["score"], &results[1]["passed"]), (&json!(1.0), &json!(true)));
    assert_eq!(results[3]["response"]["error"], json!("it broke"));
    assert_eq!(report["failures"], json!([results[2], results[3]]));
    let summary = report["summary"].as_str().unwrap();
    assert!(
        summary.starts_with("Suite: knows:basics\nCases: 4  Pass: 2  Fail: 2\npass@1: 0.50\nMean: 0.500"),
        "{summary}"
    );
    assert!(summary.contains("easy") && report.get("card_id").is_none());
}

#[test]
fn empty_report_lists_stay_lists() {
    let report = host().run("return alc.eval({ cases = { { input = '2+2', expected = '4' } } }, 'knows')").value();
    assert_eq!((&report["name"], &report["failures"]), (&json!("knows:inline"), &json!([])));
    assert_eq!(report["results"][0]["case"]["tags"], json!([]));
    // The interval of one value is the value.
    assert_eq!(report["aggregated"]["ci_95"], json!({ "lower": 1.0, "upper": 1.0 }));
}

#[test]
fn every_grader_grades() {
    for (grader, input, expected, passed) in [
        ("'exact_match'", "2+2", "expected = '4'", true),
        ("'exact_match'", "capital", "expected = 'Paris'", false),
        ("'exact_match'", "2+2", "name = 'no expectation'", false),
        ("'contains'", "capital", "expected = 'Paris'", true),
        ("'contains'", "capital", "expected = 'P.ris'", false),
        ("'starts_with'", "capital", "expected = 'It is'", true),
        ("'starts_with'", "capital", "expected = 'Paris'", false),
        ("'regex'", "capital", "expected = 'P%a+s'", true),
        ("'regex'", "capital", "context = { pattern = '^Paris' }, expected = 'is'", false),
        ("'regex'", "capital", "context = { pattern = '[' }", false),
        ("'json_valid'", "json", "", true),
        ("'json_valid'", "capital", "", false),
        ("'not_empty'", "capital", "", true),
        ("'not_empty'", "unknown", "", false),
        (
            "function(response, case) return response.text == case.expected[1] end",
            "table",
            "expected = 'from a table'",
            true,
        ),
        ("function() return 0.5 end", "2+2", "", false),
        ("function() return 7 end", "2+2", "", true),
        ("function() return print end", "2+2", "", false),
        ("function() error('no grade') end", "2+2", "", false),
    ] {
        let comma = if expected.is_empty() { "" } else { ", " };
        let ran = host().run(&format!(
            "return alc.eval({{ graders = {{ {grader} }}, cases = {{ {{ input = '{input}'{comma}{expected} }} }} }}, 'knows')"
        ));
        assert_eq!(ran.value()["results"][0]["passed"], json!(passed), "{grader} {input} {expected}");
    }
    let failed = host().run("return alc.eval({ graders = { function() error('no grade', 0) end }, cases = { { input = 'x' } } }, 'knows')").value();
    assert_eq!(
        failed["results"][0]["grades"],
        json!([{ "grader": "grader_1", "weight": 1.0, "score": 0.0, "error": "no grade" }])
    );
}

/// A scenario in the full form.
const SCENARIO: &str = r#"
local ef = require("evalframe")
local grader = require("evalframe.model.grader")
return {
  ef.bind { ef.graders.contains, weight = 3 },
  ef.bind "rated" { grader "length" { check = function(response) return #response.text end }, ef.scorer "short" { min = 20, max = 0 }, weight = 1.0 },
  cases = {
    ef.case "addition" { input = "2+2", expected = "4" },
    { input = "capital", expected = "Rome" },
  },
}"#;

#[test]
fn full_scenario_binds_graders_scorers_and_weights() {
    let mut host = host();
    host.scenarios.insert("math_basic", SCENARIO);
    let ran = host.run("return alc.eval('math_basic', 'knows')");
    let report = ran.value();
    assert_eq!(report["name"], json!("knows:math_basic"));
    assert_eq!(report["results"][0]["case"]["name"], json!("addition"));
    // Weight 3 of 4 for the match, and weight 1 of 4 for a length of 1 of 20 characters.
    assert!(is_near(&report["results"][0]["score"], 0.75 + 0.25 * 0.95), "{report}");
    assert!(is_near(&report["results"][1]["score"], 0.25 * 0.4), "{report}");
    assert_eq!(ran.operations()[..2], ["require", "scenario"]);
}

#[test]
fn scenario_module_precedes_installed_scenario() {
    let mut with_both = host().with_module("mine", "return { cases = { { input = '2+2', expected = '4' } } }");
    with_both.scenarios.insert("mine", "error('not this one')");
    assert_eq!(with_both.run("return alc.eval('mine', 'knows').aggregated.passed").value(), json!(1));
    // A package of that name is not taken for a scenario.
    let mut named_alike = host();
    named_alike.scenarios.insert("knows", "return { cases = { { input = '2+2', expected = '4' } } }");
    assert_eq!(named_alike.run("return alc.eval('knows', 'knows').name").value(), json!("knows:knows"));
}

#[test]
fn options_reach_the_strategy() {
    let ran = host().run(
        "local spec = { cases = { { input = 'u', expected = { 'a', 'b' } } } }
         return { alc.eval(spec, 'knows', { fallback = 'a' }).aggregated.passed,
                  alc.eval(spec, 'knows', { strategy_opts = { fallback = 'b' } }).aggregated.passed,
                  alc.eval(spec, 'knows').aggregated.passed }",
    );
    assert_eq!(ran.value(), json!([1, 1, 0]));
}

#[test]
fn auto_card_creates_card() {
    for (opts, pkg) in [("auto_card = true", "knows"), ("auto_card = true, card_pkg = 'mine'", "mine")] {
        let ran = host().run(&format!("return alc.eval({{ name = 's', cases = {{ {{ input = '2+2', expected = '4' }} }} }}, 'knows', {{ {opts} }})"));
        let report = ran.value();
        assert_eq!(report["card_id"], json!("made_1"));
        let card = json!({ "card": {
            "pkg": { "name": pkg },
            "scenario": { "name": "s", "case_count": 1 },
            "stats": { "pass_rate": 1.0, "mean_score": 1.0, "n": 1, "passed": 1 },
        } });
        assert_eq!(ran.arguments("card.create"), card);
        assert_eq!(ran.arguments("card.write_samples"), json!({ "card_id": "made_1", "rows": report["results"] }));
    }
}

#[test]
fn pass_at_k_and_interval_match_their_formulas() {
    let report = host()
        .run(
            "local cases = {}
             for i = 1, 12 do cases[i] = { input = '2+2', expected = i <= 9 and '4' or 'x' } end
             return alc.eval({ cases = cases }, 'knows').aggregated",
        )
        .value();
    assert!(
        is_near(&report["pass_at_1"], 0.75)
            && is_near(&report["pass_at_5"], 1.0)
            && is_near(&report["pass_at_10"], 1.0),
        "{report}"
    );
    // mean ± t(0.975, 11) · s / √12, with s² = 12/11 · 0.75 · 0.25
    let margin = 2.201 * (0.75 * 0.25 / 11.0_f64).sqrt();
    assert!(is_near(&report["ci_95"]["lower"], 0.75 - margin) && is_near(&report["ci_95"]["upper"], 1.0), "{report}");
    let ran = host().run("local stats = require('evalframe').stats return { stats.pass_at_k(10, 3, 5), stats.pass_at_k(5, 0, 5), stats.pass_at_k(6, 1, 2) }");
    // 1 - C(7,5)/C(10,5), 0, 1 - C(5,2)/C(6,2)
    let found = ran.value();
    assert!(
        is_near(&found[0], 1.0 - 21.0 / 252.0) && is_near(&found[1], 0.0) && is_near(&found[2], 1.0 - 10.0 / 15.0),
        "{found}"
    );
}

#[test]
fn invalid_scenario_error_names_the_problem() {
    for (arguments, expected) in [
        ("'none', 'knows'", "alc.eval: no scenario 'none': "),
        ("{}, 'knows'", "alc.eval: a scenario is a table with `cases`, got a table without `cases`"),
        ("5, 'knows'", "alc.eval: a scenario is a table with `cases`, got number"),
        ("{ cases = {} }, 'knows'", "suite 'knows:inline': needs at least one case"),
        ("{ cases = { { expected = 'x' } } }, 'knows'", "case 1: `input` must be a string, got nil"),
        (
            "{ cases = { { input = 'x', expected = { 1 } } } }, 'knows'",
            "case 1: expected[1] must be a string, got number",
        ),
        ("{ graders = { 'fuzzy' }, cases = {} }, 'knows'", "alc.eval: unknown grader 'fuzzy': there are contains, "),
        ("{ graders = {}, cases = {} }, 'knows'", "alc.eval: the scenario has no grader"),
        ("{ { }, cases = {} }, 'knows'", "alc.eval: entry 1 of the scenario must be made by `evalframe.bind`"),
        ("{ cases = {} }", "bad argument #2 to 'eval' (string expected, got no value)"),
    ] {
        let found = error(&format!("return alc.eval({arguments}), 1"));
        assert!(found.contains(expected), "{arguments}: {found}");
    }
}
