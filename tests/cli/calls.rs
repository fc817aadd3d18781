//! `wardroom call` and `wardroom read`: how arguments are written, and as whom they ask.

use std::fs;
use std::process::Stdio;

use serde_json::Value;
use wardroom_test_support::{CommandOutput, TestDir, run_wardroom, wardroom_command};

fn wardroom(dir: &TestDir, args: &[&str]) -> CommandOutput {
    run_wardroom(dir.root(), &[args, &["--appdir", &dir.app_path().display().to_string()]].concat())
}

#[test]
fn arguments_are_fields_json_a_file_or_standard_input() {
    let dir = TestDir::new_demo();
    let sum = |args: &[&str]| {
        let done = wardroom(&dir, &[&["call", "add"], args, &["--json"]].concat()).expect_success();
        serde_json::from_str::<Value>(&done).unwrap()["content"].to_string()
    };
    let expected = sum(&["{\"a\": 40, \"b\": 2}"]);
    assert!(expected.contains("42"), "{expected}");
    assert_eq!(sum(&["a=40", "b=2"]), expected);
    fs::write(dir.root().join("arguments.json"), "{\"a\": 40, \"b\": 2}").unwrap();
    assert_eq!(sum(&[&format!("@{}", dir.root().join("arguments.json").display())]), expected);
    let mut piped = wardroom_command(dir.root());
    piped.args(["call", "add", "-", "--json", "--appdir", &dir.app_path().display().to_string()]);
    piped.stdin(Stdio::from(fs::File::open(dir.root().join("arguments.json")).unwrap()));
    let piped: Value = serde_json::from_slice(&piped.output().unwrap().stdout).unwrap();
    assert_eq!(piped["content"].to_string(), expected);
    let refused = wardroom(&dir, &["call", "add", "40"]);
    assert!(refused.status == 1 && refused.stderr.contains("'40' is no field"), "{refused:?}");
}

/// What a handler answers makes no command that a person would paste.
#[test]
fn only_a_run_that_waits_says_how_to_answer() {
    let dir = TestDir::new();
    let index = "version: \"1.0\"\nnamespace: app\nentries:\n  - name: t\n    kind: function.lua\n    source: file://t.lua\n    \
                 method: call\n    meta:\n      mcp.tool: true\n      mcp.name: t\n      mcp.description: d\n";
    dir.write_file("registry/app/_index.yaml", index);
    let answer =
        "return { structuredContent = { status = 'needs_response', session_id = 's1; touch PWN #', query_id = 'q' } }";
    dir.write_file("registry/app/t.lua", format!("return {{ call = function() {answer} end }}"));
    let called = wardroom(&dir, &["call", "t"]);
    assert!(called.status == 0 && !called.stderr.contains("alc_continue"), "{called:?}");
    let waits = wardroom(&dir, &["call", "alc_run", "code=return alc.llm('p')"]);
    assert!(waits.stderr.contains("the run waits: ") && waits.stderr.contains(" query_id=q-0 "), "{waits:?}");
}

#[test]
fn command_calls_and_reads_as_others_do() {
    let dir = TestDir::new_demo();
    let hidden = wardroom(&dir, &["call", "server_info"]);
    assert!(hidden.status == 1 && hidden.stderr.contains("server_info"), "{hidden:?}");
    wardroom(&dir, &["call", "server_info", "--scope", "admin"]).expect_success();
    let config = dir.root().join("config.toml");
    fs::write(&config, "[http.endpoints.ops]\npath = \"/mcp/ops\"\nscope = \"admin\"\nservices = [\"registry\"]\n")
        .unwrap();
    let config = config.display().to_string();
    let as_ops = |args: &[&str]| wardroom(&dir, &[args, &["--config", &config]].concat());
    as_ops(&["call", "server_info", "--as", "ops"]).expect_success();
    let listed = as_ops(&["call", "--as", "/mcp/ops"]).expect_success();
    assert!(listed.contains("server_info") && !listed.contains("alc_run"), "{listed}");
    let by_default = as_ops(&["call", "--as", "/mcp"]).expect_success();
    assert!(by_default.contains("alc_run") && !by_default.contains("server_info"), "{by_default}");
    let unknown = as_ops(&["call", "--as", "opps"]);
    assert!(
        unknown.stderr.contains("no endpoint is called opps")
            && unknown.stderr.contains("hint: the endpoints are /mcp, ops: run "),
        "{unknown:?}"
    );
    // What a handler makes is read as a client reads it.
    let about = wardroom(&dir, &["read", "demo://about"]).expect_success();
    assert!(about.contains("# The demo"), "{about}");
    let meta = wardroom(&dir, &["read", "alc://packages/cot/meta", "--scope", "admin"]).expect_success();
    assert!(meta.contains("Chain of thought"), "{meta}");
}
