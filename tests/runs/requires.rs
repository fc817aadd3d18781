//! The sources of modules, and what else a script sees of its environment.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use wardroom_test_support::{ClientRevision, RunClient, StdioClient, TestDir, wardroom_command};

/// Starts a server with a project, a linked folder of packages, and environment variables.
fn server(dir: &TestDir, variables: &[(&str, &str)]) -> RunClient {
    fs::create_dir_all(dir.root().join("project")).unwrap();
    let mut command = wardroom_command(dir.root());
    command.arg("--appdir").arg(dir.app_path()).arg("--project").arg(dir.root().join("project"));
    command.env("ALC_PACKAGES_PATH", dir.root().join("more")).envs(variables.iter().copied());
    let mut client = StdioClient::spawn(command, ClientRevision::Legacy);
    client.initialize();
    RunClient(client)
}

fn write(dir: &TestDir, name: &str, content: &str) {
    let path = dir.root().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

#[test]
fn module_search_prefers_project_then_extra_roots_then_app_dir() {
    let dir = TestDir::new();
    let places = ["project/variants/mine", "more/thing", "app/packages/thing"];
    for place in places {
        write(&dir, &format!("{place}/init.lua"), &format!("return {{place = '{place}', sub = require('thing.sub')}}"));
        write(&dir, &format!("{place}/sub.lua"), &format!("return '{place}'"));
    }
    write(&dir, "project/alc.toml", "");
    write(&dir, "project/alc.local.toml", "[packages]\nthing = { path = \"variants/mine\" }\n");
    let mut runner = server(&dir, &[]);
    for place in places {
        let found = runner.run_result("return require('thing')");
        assert_eq!(found, json!({"place": place, "sub": place}));
        // A file that the first folder lacks is read from the next.
        fs::remove_file(dir.root().join(place).join("sub.lua")).unwrap();
        let found = runner.run_code("return {pcall(require, 'thing.sub')}")["result"][1].clone();
        let next = places.iter().skip_while(|other| **other != place).nth(1);
        assert!(next.map_or_else(|| found.as_str().unwrap().contains("not found"), |next| found == *next), "{found}");
        fs::remove_file(dir.root().join(place).join("init.lua")).unwrap();
        fs::remove_dir(dir.root().join(place)).unwrap();
    }
    assert!(runner.run_error("return require('thing')").contains("module 'thing' not found"));
}

#[test]
fn symlink_out_of_package_is_refused() {
    let dir = TestDir::new();
    dir.write_package("thing", "return 1");
    dir.write_file("secret.lua", "return 'secret'");
    write(&dir, "beside/x/init.lua", "return 'beside'");
    let package = dir.app_path().join("packages/thing");
    for (name, target) in [
        ("up.lua", "../../secret.lua".to_owned()),
        ("far.lua", dir.root().join("beside/x/init.lua").display().to_string()),
        ("folder", "../../../beside/x".to_owned()),
    ] {
        symlink(target, package.join(name)).unwrap();
    }
    symlink("../../beside/x", dir.app_path().join("packages/linked")).unwrap();
    let mut runner = RunClient::start(&dir);
    for module in ["thing.up", "thing.far", "thing.folder", "linked", "linked.init"] {
        let why = runner.run_error(&format!("return require('{module}')"));
        assert!(why.contains("leads outside") || why.contains("not found"), "{module}: {why}");
        assert!(!why.contains(dir.root().to_str().unwrap()), "{why}");
    }
    // A link that stays inside is followed like a file.
    symlink("init.lua", package.join("same.lua")).unwrap();
    assert_eq!(runner.run_result("return require('thing.same')"), 1);
}

#[test]
fn module_is_read_once_per_run() {
    let dir = TestDir::new();
    dir.write_package("counts", "loads = (loads or 0) + 1 return {loads = loads, text = 'old'}");
    let mut runner = RunClient::start(&dir);
    let waits =
        runner.run_code("local a = require('counts') alc.llm('p') return {a == require('counts'), loads, a.text}");
    dir.write_package("counts", "return {text = 'new'}");
    assert_eq!(runner.answer_query(&waits, "x")["result"], json!([true, 1, "old"]));
    assert_eq!(runner.run_result("return require('counts').text"), "new");
}

#[test]
fn name_of_a_package_may_have_dots() {
    let dir = TestDir::new();
    dir.write_package(
        "my.cot",
        "return {run = function(ctx) ctx.result = require('my.cot.part') .. ctx.task return ctx end}",
    );
    dir.write_file("packages/my.cot/part.lua", "return 'dotted '");
    dir.write_package("my", "return {}");
    let mut runner = RunClient::start(&dir);
    assert_eq!(
        runner.call_ok("alc_advice", json!({"strategy": "my.cot", "task": "t"}))["result"]["result"],
        "dotted t"
    );
    // A file of another package comes first.
    dir.write_file("packages/my/cot.lua", "return 'of my'");
    assert_eq!(runner.run_result("return require('my.cot')"), "of my");
    // One that cannot be read hides none whose name begins with its name.
    fs::remove_dir_all(dir.app_path().join("packages/my")).unwrap();
    symlink("/etc", dir.app_path().join("packages/my")).unwrap();
    assert_eq!(runner.run_result("return require('my.cot.part')"), "dotted ");
    let broken = runner.run_error("return require('my')");
    assert!(broken.contains("package my leads outside its folder"), "{broken}");
    let meant = runner.run_error("return require('my.cto')");
    assert!(meant.contains("leads outside") || meant.contains("did you mean 'my.cot'?"), "{meant}");
}

#[test]
fn package_environment_variable_is_visible() {
    let dir = TestDir::new();
    let mut runner = server(&dir, &[("ALC_SHAPE_CHECK", "1"), ("SECRET", "x")]);
    let code = "return {os.getenv('ALC_SHAPE_CHECK'), os.getenv('SECRET') or 'none'}";
    assert_eq!(runner.run_result(code), json!(["1", "none"]));
}

#[test]
fn loaded_code_uses_given_environment() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let code = "shared = 'global' local env = {shared = 'own'} \
                local given = load('made = 1 return shared', 'c', 't', env)() \
                local _ENV = {load = load, shared = 'local'} \
                return {given, env.made, load('return shared')(), load('return x', 'c', 't', {x = 2})()}";
    assert_eq!(runner.run_result(code), json!(["own", 1, "global", 2]));
    let why = runner.run_result("return {load('\\27Lua', 'c', 'b')}");
    assert!(why[1].as_str().is_some_and(|why| why.contains("text chunk")), "{why}");
}

/// The error occurs once, and names no position outside of the script.
#[test]
fn missing_module_error_is_plain() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let (failed, _) = runner.call_tool("alc_advice", json!({"strategy": "nope", "task": "t"}));
    let why = "module 'nope' not found: neither the AppDir, nor the project, nor a mount has such a package or file \
               (alc_pkg_list lists the packages)";
    assert_eq!(failed["error"], why);
    assert_eq!(runner.run_error("local m = require('nope') return m"), format!("code:1: {why}"));
    assert_eq!(runner.run_result("return alc.fork({'nope'}, {})")[0]["error"], why);
    let no_scenario = "alc.eval: no scenario 'nope': neither scenarios/nope.lua nor a package of that name is there";
    for (code, why) in [("return alc.pipe({'nope'}, {})", why), ("return alc.eval('nope', 'x')", no_scenario)] {
        let told = runner.run_error(code);
        assert!(told.matches(why).count() == 1, "{told}");
        assert!(!told.contains("wardroom:") && !told.contains(".lua:") && !told.contains("evalframe:"), "{told}");
    }
    let cancelled = runner.expect_refusal("alc_cancel", json!({"session_id": "s-1"}), "SESSION_NOT_FOUND");
    assert_eq!(cancelled, "Cancel failed: session 's-1' not found");
}
