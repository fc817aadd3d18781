//! Tests of packages in the usual styles of source, installed as files and run by the tools.

use serde_json::{Value, json};

use super::ConfinedServer;
use wardroom_test_support::{run_command, wardroom_command};

const CHECKS: &str = "local T = {}\nfunction T.string(value, at) if type(value) ~= 'string' then error(at .. ': expected string, got ' .. type(value), 0) end end\nreturn T\n";
const SHAPES: &str = "--- shapes — checks\nlocal T = require('shapes.t')\nlocal S = { T = T }\n\
    function S.instrument(mod, entry) local run = mod[entry] return function(ctx) \
    for name, check in pairs(mod.spec.entries[entry].input) do check(ctx[name], '$.' .. name) end return run(ctx) end end\nreturn S\n";
const PANEL: &str = "--- panel — asks several\nlocal S = require('shapes')\nlocal M = { meta = { name = 'panel', version = '1' }, \
    spec = { entries = { run = { input = { task = S.T.string } } } } }\n\
    function M.run(ctx) local said = alc.llm_batch({ { prompt = 'a ' .. ctx.task }, { prompt = 'b ' .. ctx.task } }) \
    ctx.result = table.concat(said, '+') return ctx end\nM.run = S.instrument(M, 'run')\nreturn M\n";
const ECHO: &str = "return { run = function(ctx) ctx.result = alc.llm(ctx.task) return ctx end }\n";
const UPPER: &str = "return { run = function(ctx) ctx.result = tostring(ctx.result):upper() return ctx end }\n";

fn server() -> ConfinedServer {
    let server = ConfinedServer::new();
    server.file("app/packages/shapes/init.lua", SHAPES);
    server.file("app/packages/shapes/t.lua", CHECKS);
    server.file("granted/panel/init.lua", PANEL);
    server.file("app/packages/echo/init.lua", ECHO);
    server.file("project/own/upper/init.lua", UPPER);
    server.file("project/alc.local.toml", "[packages]\nupper = { path = \"own/upper\" }\n");
    server
}

/// Answers every query of a run with `say` of its prompt, however the queries are grouped; returns the last answer.
#[track_caller]
fn answer_queries(server: &mut ConfinedServer, mut answer: Value, say: impl Fn(&str) -> String) -> Value {
    while answer["status"] == "needs_response" {
        let asked: Vec<(Value, String)> = match answer["queries"].as_array() {
            Some(queries) => {
                queries.iter().map(|q| (q["id"].clone(), q["prompt"].as_str().unwrap().to_owned())).collect()
            }
            None => vec![(answer["query_id"].clone(), answer["prompt"].as_str().unwrap().to_owned())],
        };
        let responses: Vec<Value> =
            asked.iter().map(|(id, prompt)| json!({"query_id": id, "response": say(prompt)})).collect();
        answer = server.call("alc_continue", json!({"session_id": answer["session_id"], "responses": responses}));
    }
    answer
}

#[test]
fn package_with_input_checks_runs_and_reports_bad_input() {
    let mut server = server();
    let waits = server.call("alc_advice", json!({"strategy": "panel", "task": "t"}));
    assert_eq!(waits["queries"].as_array().unwrap().len(), 2, "{waits:#}");
    let done = answer_queries(&mut server, waits, str::to_owned);
    assert_eq!(done["result"]["result"], "a t+b t");
    let (failed, is_failure) = server.client.call_tool("alc_advice", json!({"strategy": "panel"}));
    assert!(is_failure && failed["error"].as_str().unwrap().contains("$.task: expected string, got nil"), "{failed:#}");
}

#[test]
fn packages_of_all_folders_run_piped_parallel_and_forked() {
    let mut server = server();
    let piped = server.client.run_code("return alc.pipe({'echo', 'upper'}, {task = 'quiet'}).result");
    assert_eq!(answer_queries(&mut server, piped, |_| "loud".into())["result"], "LOUD");
    let side = server.client.run_code("return alc.parallel({'x', 'y'}, function(item) return 'ask ' .. item end)");
    assert_eq!(
        answer_queries(&mut server, side, |prompt| format!("<{prompt}>"))["result"],
        json!(["<ask x>", "<ask y>"])
    );
    let forked = server.client.run_code("return alc.fork({'echo', 'panel'}, {task = 'f'})");
    let done = answer_queries(&mut server, forked, |prompt| format!("<{prompt}>"));
    let results: Vec<&Value> =
        done["result"].as_array().unwrap().iter().map(|child| &child["result"]["result"]).collect();
    assert_eq!(results, ["<f>", "<a f>+<b f>"], "{done:#}");
}

#[test]
fn eval_is_stored_with_its_own_card() {
    let mut server = server();
    server.file("app/scenarios/sums.lua", "return {name = 'sums', cases = {{input = '1+1', expected = '2'}, {input = '2+2', expected = '4'}}, graders = {'exact_match'}}");
    let asked = json!({"strategy": "echo", "scenario_name": "sums", "auto_card": true, "strategy_opts": "{\"style\":\"terse\"}"});
    let waits = server.call("alc_eval", asked);
    let done = answer_queries(&mut server, waits, |_| "2".into());
    assert_eq!(done["result"]["aggregated"]["passed"], 1, "{done:#}");
    let card = done["result"]["card_id"].as_str().unwrap().to_owned();
    assert_eq!(server.call("alc_card_get", json!({"card_id": card}))["stats"]["pass_rate"], 0.5);
    let listed = server.call("alc_eval_history", json!({"strategy": "echo"}));
    assert_eq!(listed["evals"][0]["eval_id"], done["eval_id"]);
    let detail = server.call("alc_eval_detail", json!({"eval_id": done["eval_id"]}));
    assert_eq!(detail["status"], "completed");
}

/// A grant covers a folder, so the advice names the folder of the file.
#[test]
fn advice_for_ungranted_file_works_when_followed() {
    let mut server = server();
    server.file("elsewhere/scenario", "return {}");
    let file = server.path_text("elsewhere/scenario");
    for (tool, arguments) in
        [("alc_run", json!({"code_file": file})), ("alc_eval", json!({"strategy": "echo", "scenario_file": file}))]
    {
        let message = server.expect_refusal(tool, arguments, "NOT_MOUNTED");
        let command = format!("mount add elsewhere '{}' --as files --read-only`", server.path_text("elsewhere"));
        assert!(message.contains(&command), "{message}");
    }
    let elsewhere = server.path_text("elsewhere");
    let mut grants = wardroom_command(server.dir.root());
    run_command(grants.args(["mount", "add", "elsewhere", &elsewhere, "--as", "files", "--read-only"]))
        .expect_success();
    server.file("elsewhere/scenario", "return {cases = {{input = 'i', expected = 'e'}}, graders = {'exact_match'}}");
    server.file("elsewhere/code", "return 'from there'");
    server.package("elsewhere/echo", "2");
    server.package("elsewhere/new", "3");
    server.restart();
    let code = json!({"code_file": server.path_text("elsewhere/code")});
    assert_eq!(server.call("alc_run", code)["result"], "from there");
    // A mount `--as files` adds no package and hides none; a package has to be installed from it.
    assert_eq!(server.call("alc_eval", json!({"strategy": "echo", "scenario_file": file}))["prompt"], "i");
    let unknown = server.client.call_tool("alc_advice", json!({"strategy": "new", "task": "t"})).0;
    assert!(unknown["error"].as_str().unwrap().contains("not found"), "{unknown:#}");
    let link = server.expect_refusal("alc_pkg_link", json!({"path": server.path_text("elsewhere/new")}), "NOT_MOUNTED");
    assert!(link.contains("new' --read-only`"), "{link}");
    server.call("alc_pkg_install", json!({"url": server.path_text("elsewhere/new")}));
    assert_eq!(server.run_strategy("new"), "3");
    // The mount is read-only.
    let out = json!({"output_path": server.path_text("elsewhere/index.json")});
    server.expect_refusal("alc_hub_reindex", out, "READ_ONLY");
}

#[test]
fn advice_for_folder_says_to_create_it_and_omits_unsafe_command() {
    let mut server = server();
    let new = server.path_text("not/yet");
    for (tool, arguments) in [
        ("alc_hub_gendoc", json!({"source_dir": server.path_text("app/packages"), "out_dir": new})),
        ("alc_pkg_scaffold", json!({"name": "made", "target_dir": new})),
        ("alc_pkg_install", json!({"url": new})),
    ] {
        let message = server.expect_refusal(tool, arguments, "NOT_MOUNTED");
        assert!(message.contains("create a missing folder first"), "{message}");
    }
    let strange = server.path_text("a\u{1b}[2Kb/c.lua");
    let message = server.expect_refusal("alc_run", json!({"code_file": strange}), "NOT_MOUNTED");
    assert!(!message.contains("mount add") && !message.contains('\u{1b}'), "{message}");
}

#[test]
fn budget_ends_strategy_and_options_may_be_json_text() {
    let mut server = server();
    let budget =
        json!({"strategy": "echo", "task": "t", "opts": "{\"budget\":{\"max_llm_calls\":0},\"style\":\"terse\"}"});
    let (failed, is_failure) = server.client.call_tool("alc_advice", budget);
    assert!(is_failure && failed["error"].as_str().unwrap().contains("max_llm_calls (0) reached"), "{failed:#}");
    server.file(
        "app/packages/opts/init.lua",
        "return { run = function(ctx) return { style = ctx.style, task = ctx.task } end }",
    );
    for opts in [json!({"style": "terse"}), json!("{\"style\":\"terse\"}")] {
        let done = server.call("alc_advice", json!({"strategy": "opts", "task": "t", "opts": opts}));
        assert_eq!(done["result"], json!({"style": "terse", "task": "t"}));
    }
}
