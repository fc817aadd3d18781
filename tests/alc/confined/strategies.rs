//! Packages in the styles in which they are written, as files, by the tools that run them.

use serde_json::{Value, json};

use super::Ship;
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

fn ship() -> Ship {
    let ship = Ship::new();
    ship.file("app/packages/shapes/init.lua", SHAPES);
    ship.file("app/packages/shapes/t.lua", CHECKS);
    ship.file("granted/panel/init.lua", PANEL);
    ship.file("app/packages/echo/init.lua", ECHO);
    ship.file("project/own/upper/init.lua", UPPER);
    ship.file("project/alc.local.toml", "[packages]\nupper = { path = \"own/upper\" }\n");
    ship
}

/// Answers every query of a run, in whatever groups they come, with what `say` makes of the prompt.
#[track_caller]
fn carried_on(ship: &mut Ship, mut answer: Value, say: impl Fn(&str) -> String) -> Value {
    while answer["status"] == "needs_response" {
        let asked: Vec<(Value, String)> = match answer["queries"].as_array() {
            Some(queries) => {
                queries.iter().map(|q| (q["id"].clone(), q["prompt"].as_str().unwrap().to_owned())).collect()
            }
            None => vec![(answer["query_id"].clone(), answer["prompt"].as_str().unwrap().to_owned())],
        };
        let responses: Vec<Value> =
            asked.iter().map(|(id, prompt)| json!({"query_id": id, "response": say(prompt)})).collect();
        answer = ship.call("alc_continue", json!({"session_id": answer["session_id"], "responses": responses}));
    }
    answer
}

#[test]
fn a_package_that_checks_its_input_runs_and_says_what_is_wrong() {
    let mut ship = ship();
    let waits = ship.call("alc_advice", json!({"strategy": "panel", "task": "t"}));
    assert_eq!(waits["queries"].as_array().unwrap().len(), 2, "{waits:#}");
    let done = carried_on(&mut ship, waits, str::to_owned);
    assert_eq!(done["result"]["result"], "a t+b t");
    let (failed, is_failure) = ship.runner.call_tool("alc_advice", json!({"strategy": "panel"}));
    assert!(is_failure && failed["error"].as_str().unwrap().contains("$.task: expected string, got nil"), "{failed:#}");
}

#[test]
fn packages_of_every_place_are_piped_run_side_by_side_and_forked() {
    let mut ship = ship();
    let piped = ship.runner.run_code("return alc.pipe({'echo', 'upper'}, {task = 'quiet'}).result");
    assert_eq!(carried_on(&mut ship, piped, |_| "loud".into())["result"], "LOUD");
    let side = ship.runner.run_code("return alc.parallel({'x', 'y'}, function(item) return 'ask ' .. item end)");
    assert_eq!(carried_on(&mut ship, side, |prompt| format!("<{prompt}>"))["result"], json!(["<ask x>", "<ask y>"]));
    let forked = ship.runner.run_code("return alc.fork({'echo', 'panel'}, {task = 'f'})");
    let done = carried_on(&mut ship, forked, |prompt| format!("<{prompt}>"));
    let results: Vec<&Value> =
        done["result"].as_array().unwrap().iter().map(|child| &child["result"]["result"]).collect();
    assert_eq!(results, ["<f>", "<a f>+<b f>"], "{done:#}");
}

#[test]
fn an_eval_is_stored_with_a_card_of_its_own() {
    let mut ship = ship();
    ship.file("app/scenarios/sums.lua", "return {name = 'sums', cases = {{input = '1+1', expected = '2'}, {input = '2+2', expected = '4'}}, graders = {'exact_match'}}");
    let asked = json!({"strategy": "echo", "scenario_name": "sums", "auto_card": true, "strategy_opts": "{\"style\":\"terse\"}"});
    let waits = ship.call("alc_eval", asked);
    let done = carried_on(&mut ship, waits, |_| "2".into());
    assert_eq!(done["result"]["aggregated"]["passed"], 1, "{done:#}");
    let card = done["result"]["card_id"].as_str().unwrap().to_owned();
    assert_eq!(ship.call("alc_card_get", json!({"card_id": card}))["stats"]["pass_rate"], 0.5);
    let listed = ship.call("alc_eval_history", json!({"strategy": "echo"}));
    assert_eq!(listed["evals"][0]["eval_id"], done["eval_id"]);
    let detail = ship.call("alc_eval_detail", json!({"eval_id": done["eval_id"]}));
    assert_eq!(detail["status"], "completed");
}

/// What is granted is a folder, whatever a file is called.
#[test]
fn the_advice_for_a_file_that_lies_nowhere_is_one_that_can_be_followed() {
    let mut ship = ship();
    ship.file("elsewhere/scenario", "return {}");
    let file = ship.text_of("elsewhere/scenario");
    for (tool, arguments) in
        [("alc_run", json!({"code_file": file})), ("alc_eval", json!({"strategy": "echo", "scenario_file": file}))]
    {
        let message = ship.refused(tool, arguments, "NOT_MOUNTED");
        let command = format!("mount add elsewhere '{}' --as files --read-only`", ship.text_of("elsewhere"));
        assert!(message.contains(&command), "{message}");
    }
    let elsewhere = ship.text_of("elsewhere");
    let mut grants = wardroom_command(ship.dir.root());
    run_command(grants.args(["mount", "add", "elsewhere", &elsewhere, "--as", "files", "--read-only"]))
        .expect_success();
    ship.file("elsewhere/scenario", "return {cases = {{input = 'i', expected = 'e'}}, graders = {'exact_match'}}");
    ship.file("elsewhere/code", "return 'from there'");
    ship.package("elsewhere/echo", "2");
    ship.package("elsewhere/new", "3");
    ship.again();
    let code = json!({"code_file": ship.text_of("elsewhere/code")});
    assert_eq!(ship.call("alc_run", code)["result"], "from there");
    // No package lies there, and none is hidden by what does: it is installed from there.
    assert_eq!(ship.call("alc_eval", json!({"strategy": "echo", "scenario_file": file}))["prompt"], "i");
    let unknown = ship.runner.call_tool("alc_advice", json!({"strategy": "new", "task": "t"})).0;
    assert!(unknown["error"].as_str().unwrap().contains("not found"), "{unknown:#}");
    let link = ship.refused("alc_pkg_link", json!({"path": ship.text_of("elsewhere/new")}), "NOT_MOUNTED");
    assert!(link.contains("new' --read-only`"), "{link}");
    ship.call("alc_pkg_install", json!({"url": ship.text_of("elsewhere/new")}));
    assert_eq!(ship.runs("new"), "3");
    // It may only be read.
    let out = json!({"output_path": ship.text_of("elsewhere/index.json")});
    ship.refused("alc_hub_reindex", out, "READ_ONLY");
}

#[test]
fn the_advice_for_a_folder_says_what_must_be_there_and_shows_no_command_that_says_something_else() {
    let mut ship = ship();
    let new = ship.text_of("not/yet");
    for (tool, arguments) in [
        ("alc_hub_gendoc", json!({"source_dir": ship.text_of("app/packages"), "out_dir": new})),
        ("alc_pkg_scaffold", json!({"name": "made", "target_dir": new})),
        ("alc_pkg_install", json!({"url": new})),
    ] {
        let message = ship.refused(tool, arguments, "NOT_MOUNTED");
        assert!(message.contains("a folder that is not there has to be made before"), "{message}");
    }
    let strange = ship.text_of("a\u{1b}[2Kb/c.lua");
    let message = ship.refused("alc_run", json!({"code_file": strange}), "NOT_MOUNTED");
    assert!(!message.contains("mount add") && !message.contains('\u{1b}'), "{message}");
}

#[test]
fn a_budget_ends_a_strategy_and_options_that_come_as_text_are_options() {
    let mut ship = ship();
    let budget =
        json!({"strategy": "echo", "task": "t", "opts": "{\"budget\":{\"max_llm_calls\":0},\"style\":\"terse\"}"});
    let (failed, is_failure) = ship.runner.call_tool("alc_advice", budget);
    assert!(is_failure && failed["error"].as_str().unwrap().contains("max_llm_calls (0) reached"), "{failed:#}");
    ship.file(
        "app/packages/opts/init.lua",
        "return { run = function(ctx) return { style = ctx.style, task = ctx.task } end }",
    );
    for opts in [json!({"style": "terse"}), json!("{\"style\":\"terse\"}")] {
        let done = ship.call("alc_advice", json!({"strategy": "opts", "task": "t", "opts": opts}));
        assert_eq!(done["result"], json!({"style": "terse", "task": "t"}));
    }
}
