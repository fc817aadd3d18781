//! The inputs of a run, and runs that end without a pause.

use serde_json::json;

use wardroom_test_support::{RunClient, TestDir};

#[test]
fn code_returns_its_result() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let answer = runner.run_code("return {answer = 6 * 7, list = {1, 2}, none = {}}");
    assert_eq!(answer["status"], "completed");
    assert_eq!(answer["result"], json!({"answer": 42, "list": [1, 2], "none": {}}));
    assert_eq!(answer["stats"]["auto"]["llm_calls"], 0);
    assert_eq!(answer["stats"]["custom"], json!({}));
    assert_eq!(runner.run_result("return"), json!(null));
}

#[test]
fn run_without_pause_leaves_no_files() {
    let dir = TestDir::new();
    RunClient::start(&dir).run_code("return 1");
    for folder in ["runs", "logs"] {
        let left = std::fs::read_dir(dir.app_path().join(folder)).map_or(0, Iterator::count);
        assert_eq!(left, 0, "{folder}");
    }
}

#[test]
fn ctx_accepts_object_json_text_and_plain_text() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let mut ctx = |ctx| {
        runner.call_ok(
            "alc_run",
            json!({"code": "return type(ctx) == 'table' and (ctx.a or 'empty') or ctx", "ctx": ctx}),
        )["result"]
            .clone()
    };
    assert_eq!(ctx(json!({"a": 1})), 1);
    assert_eq!(ctx(json!("{\"a\": 2}")), 2);
    assert_eq!(ctx(json!("plain")), "plain");
    assert_eq!(ctx(json!(null)), "empty");
    assert_eq!(ctx(json!(5)), 5);
}

#[test]
fn failing_script_returns_error_answer() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    assert!(runner.run_error("error('no')").contains("no"));
    assert!(runner.run_error("return 1 +").contains("unexpected"));
    assert!(runner.run_error("return function() end").contains("function"));
    let shown = runner.run_error("local t = nil; return t.x");
    assert!(!shown.contains(dir.root().to_str().unwrap()), "{shown}");
}

#[test]
fn run_without_exactly_one_code_source_is_refused() {
    let dir = TestDir::new();
    dir.write_file("tool.lua", "return 'from a file'");
    let mut runner = RunClient::start(&dir);
    assert_eq!(runner.call_ok("alc_run", json!({"code_file": "tool.lua"}))["result"], "from a file");
    let both = runner.expect_refusal("alc_run", json!({"code": "return 1", "code_file": "tool.lua"}), "INVALID");
    assert_eq!(both, "Provide either `code` or `code_file`, not both.");
    let none = runner.expect_refusal("alc_run", json!({}), "INVALID");
    assert_eq!(none, "Either `code` or `code_file` must be provided.");
    let outside = runner.expect_refusal("alc_run", json!({"code_file": "/etc/hostname"}), "NOT_MOUNTED");
    assert!(outside.contains("mount add"), "{outside}");
    runner.expect_refusal("alc_run", json!({"code_file": "../outside.lua"}), "NOT_MOUNTED");
    runner.expect_refusal("alc_run", json!({"code_file": "missing.lua"}), "NOT_READ");
}

#[test]
fn strategy_receives_task_and_options() {
    let dir = TestDir::new();
    dir.write_package(
        "greet-it",
        "local M = {} function M.run(ctx) ctx.result = ctx.greeting .. ', ' .. ctx.task return ctx end return M",
    );
    let mut runner = RunClient::start(&dir);
    let arguments = json!({"strategy": "greet-it", "task": "world", "opts": {"greeting": "hello", "task": "loses"}});
    let answer = runner.call_ok("alc_advice", arguments);
    assert_eq!(answer["result"]["result"], "hello, world");
    let (missing, failed) = runner.call_tool("alc_advice", json!({"strategy": "none"}));
    assert!(failed && missing["error"].as_str().unwrap().contains("module 'none' not found"), "{missing:#}");
    let (mistyped, failed) = runner.call_tool("alc_advice", json!({"strategy": "great-it"}));
    let why = mistyped["error"].as_str().unwrap();
    assert!(failed && why.contains("module 'great-it' not found: ") && why.contains("; did you mean 'greet-it'?"));
    // A package that is there and cannot be loaded is not mistaken.
    dir.write_file("packages/greet-its/other.lua", "return {}");
    let (broken, failed) = runner.call_tool("alc_advice", json!({"strategy": "greet-its"}));
    assert!(failed && !broken["error"].as_str().unwrap().contains("did you mean"), "{broken:#}");
    runner.expect_refusal("alc_advice", json!({"strategy": "../x"}), "INVALID");
    runner.expect_refusal("alc_advice", json!({"strategy": "x\"); os.exit() --"}), "INVALID");
}

/// Needs `task` and `style`; it fails without them by itself, too.
const PAINTER: &str = r#"
local M = { meta = { name = "painter", inputs = {
    task = "what to paint", style = { description = "which style" }, size = { optional = true },
} } }
function M.run(ctx)
    ctx.result = alc.llm(ctx.task .. " in the style " .. ctx.style)
    return ctx
end
return M
"#;

#[test]
fn missing_inputs_are_all_refused_before_the_run() {
    let dir = TestDir::new();
    dir.write_package("painter", PAINTER);
    let mut runner = RunClient::start(&dir);
    let none = runner.expect_refusal("alc_advice", json!({"strategy": "painter"}), "MISSING_INPUTS");
    assert_eq!(none, "strategy 'painter' lacks inputs: pass opts.style (which style), task (what to paint)");
    for opts in [json!({"size": 1}), json!({"style": null}), json!("{\"size\": 1}")] {
        let arguments = json!({"strategy": "painter", "task": "a cat", "opts": opts});
        let one = runner.expect_refusal("alc_advice", arguments, "MISSING_INPUTS");
        assert_eq!(one, "strategy 'painter' lacks inputs: pass opts.style (which style)");
    }
    let arguments = json!({"strategy": "painter", "opts": "{\"task\": \"a cat\", \"style\": \"old\"}"});
    let asked = runner.call_ok("alc_advice", arguments);
    assert_eq!(asked["prompt"], "a cat in the style old");
    let listed = runner.call_ok("alc_pkg_list", json!({"fields": ["name", "inputs"]}));
    assert_eq!(listed["packages"][0]["inputs"]["task"], "what to paint");
}

/// Mentions one input in its metadata, and has the others in its code.
const READER: &str = r#"
local M = { meta = { name = "reader", inputs = { tone = "which tone", style = { optional = true } } } }
function M.run(ctx)
    local task = ctx.task
    if type(task) ~= "string" or task == "" then
        error("reader: ctx.task has to be a text")
    end
    local sources = ctx.sources or error("ctx.sources is required")
    local style = ctx.style or error("ctx.style is required")
    ctx.result = alc.llm(task .. (ctx.depth or 1) .. ctx.tone .. tostring(sources) .. (ctx.note and "n" or ""))
    return ctx
end
return M
"#;

#[test]
fn inputs_in_code_are_listed_and_refused_with_those_of_the_metadata() {
    let dir = TestDir::new();
    dir.write_package("reader", READER);
    let mut runner = RunClient::start(&dir);
    let none = runner.expect_refusal("alc_advice", json!({"strategy": "reader"}), "MISSING_INPUTS");
    assert_eq!(none, "strategy 'reader' lacks inputs: pass opts.tone (which tone), task, opts.sources");
    let arguments = json!({"strategy": "reader", "task": "a", "opts": {"tone": "b"}});
    let one = runner.expect_refusal("alc_advice", arguments, "MISSING_INPUTS");
    assert_eq!(one, "strategy 'reader' lacks inputs: pass opts.sources");
    let scenario = "return {cases = {{input = 'a', expected = 'x'}}, graders = {'contains'}}";
    let arguments = json!({"strategy": "reader", "scenario": scenario, "strategy_opts": {"tone": "b"}});
    let refused = runner.expect_refusal("alc_eval", arguments, "MISSING_INPUTS");
    assert_eq!(refused, "strategy 'reader' lacks inputs: pass strategy_opts.sources");
    // The metadata call it optional, and win. Lua takes a null for a value.
    let arguments = json!({"strategy": "reader", "task": "a", "opts": {"tone": "b", "sources": null}});
    let failed = runner.call_tool("alc_advice", arguments).0;
    assert!(failed["error"].as_str().unwrap().contains("ctx.style is required"), "{failed:#}");
    let opts = json!({"tone": "b", "sources": 1, "style": "c"});
    let asked = runner.call_ok("alc_advice", json!({"strategy": "reader", "task": "a", "opts": opts}));
    assert_eq!(asked["prompt"], "a1b1");
    let code = |need: &str| json!({"from": "code", "need": need});
    let inputs = json!({
        "tone": "which tone", "style": {"optional": true},
        "task": code("required"), "sources": code("required"), "depth": code("optional"), "note": code("read"),
    });
    for arguments in [json!({"fields": ["inputs"]}), json!({"verbose": "full"})] {
        for _ in 0..2 {
            let listed = runner.call_ok("alc_pkg_list", arguments.clone());
            assert_eq!(listed["packages"][0]["inputs"], inputs, "{listed:#}");
        }
    }
    let filter = json!({"fields": ["name"], "filter": {"inputs": inputs}});
    assert_eq!(runner.call_ok("alc_pkg_list", filter)["total"], 1);
}

#[test]
fn missing_inputs_of_an_eval_are_refused_and_its_task_is_that_of_the_case() {
    let dir = TestDir::new();
    dir.write_package("painter", PAINTER);
    let mut runner = RunClient::start(&dir);
    let scenario = "return {cases = {{input = 'a cat', expected = 'x'}}, graders = {'contains'}}";
    let arguments = json!({"strategy": "painter", "scenario": scenario});
    let refused = runner.expect_refusal("alc_eval", arguments, "MISSING_INPUTS");
    assert_eq!(refused, "strategy 'painter' lacks inputs: pass strategy_opts.style (which style)");
    let arguments = json!({"strategy": "painter", "scenario": scenario, "strategy_opts": {"style": "old"}});
    assert_eq!(runner.call_ok("alc_eval", arguments)["prompt"], "a cat in the style old");
}

#[test]
fn require_finds_only_package_files() {
    let dir = TestDir::new();
    dir.write_package("shapes", "return {t = require('shapes.t'), deep = require('shapes.a.b')}");
    dir.write_file("packages/shapes/t.lua", "return 't'");
    dir.write_file("packages/shapes/a/b/init.lua", "return 'b'");
    dir.write_file("secret.lua", "return 'secret'");
    std::os::unix::fs::symlink("../../secret.lua", dir.app_path().join("packages/shapes/out.lua")).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", dir.app_path().join("packages/shapes/far.lua")).unwrap();
    let mut runner = RunClient::start(&dir);
    assert_eq!(runner.run_result("return require('shapes')"), json!({"t": "t", "deep": "b"}));
    for name in ["none", "shapes.none", "..secret", "shapes/t", "shapes.far", "", "shapes..t", "a.b.c.d.e.f.g.h.i"] {
        let code = format!("return require({name:?})");
        runner.run_error(&code);
    }
}

#[test]
fn other_project_root_is_refused() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    runner.expect_refusal("alc_run", json!({"code": "return 1", "project_root": "/etc"}), "NOT_MOUNTED");
}

#[test]
fn read_only_server_refuses_runs() {
    let dir = TestDir::new();
    let mut runner = RunClient::start_with(&dir, &["--read-only"]);
    runner.expect_refusal("alc_run", json!({"code": "return 1"}), "READ_ONLY");
    let tools = runner.0.call("tools/list", json!({}));
    let names: Vec<&str> =
        tools["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"alc_status") && !names.contains(&"alc_run"), "{names:?}");
}
