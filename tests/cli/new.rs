//! `wardroom new` and `wardroom test`: what is made runs at once, and its test tells right from wrong.

use std::fs;

use serde_json::Value;
use wardroom_test_support::{CommandOutput, TestDir, run_wardroom};

fn wardroom(dir: &TestDir, args: &[&str]) -> CommandOutput {
    run_wardroom(dir.root(), &[args, &["--appdir", &dir.app_path().display().to_string()]].concat())
}

/// Without any collection of packages.
#[test]
fn strategy_scenario_and_tool_run_at_once_and_pass_their_tests() {
    let dir = TestDir::new();
    wardroom(&dir, &["init"]).expect_success();
    let app = dir.app_path().display().to_string();
    let made = wardroom(&dir, &["new", "strategy", "first", "--description", "Says \"hi\"."]).expect_success();
    assert!(made.contains(&format!("wrote {app}/packages/first/first.test.toml\n")), "{made}");
    let made = wardroom(&dir, &["new", "scenario", "sums", "--strategy", "first"]).expect_success();
    assert!(made.contains(&format!("wrote {app}/scenarios/sums.lua\n")), "{made}");
    let early = wardroom(&dir, &["new", "scenario", "later", "--strategy", "second"]);
    assert!(early.status == 0 && early.stderr.contains("no strategy is called second yet: "), "{early:?}");
    for file in ["later.lua", "later.test.toml"] {
        fs::remove_file(dir.app_path().join("scenarios").join(file)).unwrap();
    }
    let made = wardroom(&dir, &["new", "tool", "hello"]).expect_success();
    let lines: Vec<&str> = made.lines().collect();
    assert!(lines[lines.len() - 2].ends_with("/registry/app/hello.test.toml"), "{made}");
    assert!(lines[lines.len() - 1].contains(" test hello, then "), "{made}");
    let tested = wardroom(&dir, &["test"]).expect_success();
    for file in ["packages/first/first.test.toml", "scenarios/sums.test.toml", "registry/app/hello.test.toml"] {
        assert!(tested.contains(&format!("ok      {file}: ")), "{file}: {tested}");
    }
    assert!(tested.ends_with("3 tests passed\n"), "{tested}");
    assert!(wardroom(&dir, &["test", "first"]).expect_success().ends_with("1 test passed\n"));
    dir.write_file("packages/first/empty.test.toml", "");
    let empty = wardroom(&dir, &["test", "empty"]);
    assert!(empty.status == 1 && empty.stdout.contains("empty.test.toml\n        it has no [[test]]"), "{empty:?}");
    fs::remove_file(dir.app_path().join("packages/first/empty.test.toml")).unwrap();
    let answers = dir.root().join("answers");
    fs::write(&answers, "\"42\"\n").unwrap();
    let done = wardroom(&dir, &["run", "first", "six times seven", "--answers", &answers.display().to_string()]);
    assert!(done.clone().expect_success().contains("\"answer\": \"42\""), "{done:?}");
    let meta = wardroom(&dir, &["read", "alc://packages/first/meta"]).expect_success();
    assert!(meta.contains(r#"Says \"hi\"."#), "{meta}");
    // What is there stays.
    let again = wardroom(&dir, &["new", "scenario", "sums", "--strategy", "first"]);
    assert!(again.status == 1 && again.stderr.contains("scenarios/sums.lua already exists"), "{again:?}");
    let again = wardroom(&dir, &["new", "strategy", "first"]);
    assert!(again.status == 1 && again.stderr.contains("already exists"), "{again:?}");
}

#[test]
fn no_test_finds_what_another_one_left() {
    let dir = TestDir::new();
    let source = "local M = {}\nfunction M.run(ctx)\n    local id = alc.card.create({ pkg = { name = \"counter\" } }).card_id\n\
                  \x20   ctx.result = { n = alc.state.incr(\"n\"), cards = #alc.card.list(), id = id }\n    return ctx\nend\nreturn M\n";
    dir.write_package("counter", source);
    let test = |name: &str| {
        format!("[[test]]\nname = \"{name}\"\nstrategy = \"counter\"\ntask = \"t\"\nexpect = {{ n = 1, cards = 1 }}\n")
    };
    dir.write_file("packages/counter/counter.test.toml", test("one") + &test("two") + &test("three"));
    assert!(wardroom(&dir, &["test"]).expect_success().ends_with("3 tests passed\n"));
}

#[test]
fn failed_test_says_what_came_and_changes_nothing() {
    let dir = TestDir::new();
    let source = "local M = {}\nM.meta = { name = \"keeper\", version = \"0.1.0\" }\nfunction M.run(ctx)\n\
                  \x20   alc.state.set(\"runs\", (alc.state.get(\"runs\") or 0) + 1)\n\
                  \x20   ctx.result = { runs = alc.state.get(\"runs\"), said = alc.llm(ctx.task) }\n    return ctx\nend\nreturn M\n";
    dir.write_package("keeper", source);
    let test = "[[test]]\nname = \"good\"\nstrategy = \"keeper\"\ntask = \"t\"\nanswers = [\"a\"]\nexpect = { said = \"a\", runs = 1 }\n\
                [[test]]\nname = \"bad\"\nstrategy = \"keeper\"\ntask = \"t\"\nanswers = [\"a\"]\nexpect = { said = { contains = \"b\" } }\n\
                [[test]]\nname = \"unanswered\"\nstrategy = \"keeper\"\ntask = \"t\"\nexpect = { said = \"a\" }\n\
                [[test]]\nname = \"fails\"\nstrategy = \"nowhere\"\nerror = \"nowhere\"\n";
    dir.write_file("packages/keeper/keeper.test.toml", test);
    for _ in 0..2 {
        let tested = wardroom(&dir, &["test", "keeper"]);
        assert_eq!(tested.status, 1, "{tested:?}");
        let outcomes: Vec<&str> = tested.stdout.lines().filter(|line| !line.starts_with(' ')).collect();
        let expected = ["ok      ", "failed  ", "failed  ", "ok      "];
        assert!(outcomes.iter().zip(expected).all(|(line, start)| line.starts_with(start)), "{tested:?}");
        assert!(tested.stdout.contains("said is \"a\", expected a text with \"b\""), "{tested:?}");
        let unanswered = "none of the test's answers is left for this: q-0 asks: t\n";
        assert!(tested.stdout.contains(unanswered), "{tested:?}");
        assert!(tested.stderr.contains("2 of 4 tests failed"), "{tested:?}");
    }
    // Neither a state nor a waiting run is left in the AppDir.
    assert_eq!(wardroom(&dir, &["sessions", "list", "--json"]).expect_success().trim(), "[]");
    assert!(!dir.app_path().join("state").exists());
    let rows: Value = serde_json::from_str(&wardroom(&dir, &["test", "keeper", "--json"]).stdout).unwrap();
    assert_eq!((rows.as_array().unwrap().len(), &rows[0]["error"]), (4, &Value::Null));
}

const WRITES_A_FILE: &str = "version: \"1.0\"\nnamespace: app\nentries:\n  - name: writes\n    kind: function.lua\n    source: file://writes.lua\n    method: handle\n    modules: [fs]\n    meta:\n      mcp:\n        tool: true\n        name: writes\n        description: d\n";

/// What is not copied for the tests stays as it is.
#[test]
fn tests_write_to_no_mount() {
    let dir = TestDir::new();
    let files = dir.root().join("files");
    fs::create_dir(&files).unwrap();
    wardroom(&dir, &["mount", "add", "files", &files.display().to_string(), "--as", "files"]).expect_success();
    dir.write_file("registry/app/_index.yaml", WRITES_A_FILE);
    let source = "local function handle()\n    local done, why = fs.get('files'):writefile('made.txt', 'x')\n\
                  \x20   return { text = why and tostring(why) or 'written' }\nend\nreturn { handle = handle }\n";
    dir.write_file("registry/app/writes.lua", source);
    let test = "[[test]]\nname = \"writes\"\ntool = \"writes\"\nexpect = { text = { contains = \"read-only\" } }\n";
    dir.write_file("registry/app/writes.test.toml", test);
    for options in [&["test", "writes"][..], &["--read-only", "test", "writes"]] {
        let tested = wardroom(&dir, options).expect_success();
        assert!(tested.contains("1 test passed") && !files.join("made.txt").exists(), "{tested}");
    }
    // Nor to the project.
    dir.write_file("registry/app/begins.test.toml", "[[test]]\nname = \"begins\"\ntool = \"alc_init\"\n");
    let project = dir.root().join("project");
    fs::create_dir(&project).unwrap();
    let tested = wardroom(&dir, &["--project", &project.display().to_string(), "test", "begins"]);
    assert!(tested.status == 1 && tested.stdout.contains("read-only"), "{tested:?}");
    assert!(!project.join("alc.toml").exists());
    let called = wardroom(&dir, &["call", "writes"]).expect_success();
    assert!(called.contains("written") && files.join("made.txt").exists(), "{called}");
}

#[test]
fn tests_beside_what_is_mounted_run() {
    let dir = TestDir::new();
    wardroom(&dir, &["new", "strategy", "one"]).expect_success();
    wardroom(&dir, &["new", "strategy", "two"]).expect_success();
    wardroom(&dir, &["new", "tool", "greets"]).expect_success();
    let elsewhere = dir.root().join("elsewhere");
    fs::create_dir_all(elsewhere.join("many")).unwrap();
    fs::rename(dir.app_path().join("packages/one"), elsewhere.join("one")).unwrap();
    fs::rename(dir.app_path().join("packages/two"), elsewhere.join("many/two")).unwrap();
    fs::rename(dir.app_path().join("registry"), elsewhere.join("declared")).unwrap();
    for (name, kind) in [("one", "package"), ("many", "packages"), ("declared", "registry")] {
        let folder = elsewhere.join(name).display().to_string();
        wardroom(&dir, &["mount", "add", name, &folder, "--as", kind]).expect_success();
    }
    let tested = wardroom(&dir, &["test"]).expect_success();
    assert!(tested.ends_with("3 tests passed\n"), "{tested}");
    for name in ["one", "two", "greets"] {
        assert!(wardroom(&dir, &["test", name]).expect_success().ends_with("1 test passed\n"));
    }
}

#[test]
fn invalid_name_of_a_strategy_is_refused_with_an_example() {
    let refused = wardroom(&TestDir::new(), &["new", "strategy", "my-strat"]);
    assert!(
        refused.stderr.contains("only a-z, 0-9 and _ are allowed\nhint: choose another name, such as"),
        "{refused:?}"
    );
}

/// The original installs a linked package as a link; here it is a mount.
#[test]
fn link_that_leads_outside_stops_no_test_of_others() {
    let dir = TestDir::new();
    wardroom(&dir, &["new", "strategy", "asks"]).expect_success();
    std::os::unix::fs::symlink("/etc", dir.app_path().join("packages/linked")).unwrap();
    let tested = wardroom(&dir, &["test", "asks"]).expect_success();
    assert!(tested.contains("ok      packages/asks/"), "{tested}");
}

#[test]
fn broken_file_of_tests_is_named_with_its_line() {
    let dir = TestDir::new();
    dir.write_package("p", "return { meta = { name = \"p\" } }");
    dir.write_file("packages/p/p.test.toml", "[[test]]\nname = \"x\"\nanswer = \"y\"\n");
    dir.write_package("q", "return { meta = { name = \"q\" }, run = function() return \"a text\" end }");
    let good = "[[test]]\nname = \"says\"\nstrategy = \"q\"\nexpect = { value = { contains = \"text\" } }\n";
    dir.write_file("packages/q/q.test.toml", good);
    // The tests of other files run.
    let refused = wardroom(&dir, &["test"]);
    let expected = "failed  packages/p/p.test.toml:3\n        unknown field `answer`";
    assert!(refused.status == 1 && refused.stdout.contains(expected), "{refused:?}");
    assert!(refused.stdout.contains("ok      packages/q/q.test.toml: says\n"), "{refused:?}");
    assert!(refused.stderr.contains("1 of 2 tests failed"), "{refused:?}");
    // One that is no text stops none either.
    dir.write_file("packages/q/r.test.toml", b"name = \"\xff\"");
    let refused = wardroom(&dir, &["test"]);
    assert!(refused.stdout.contains("failed  packages/q/r.test.toml\n        the file "), "{refused:?}");
    assert!(refused.stderr.contains("2 of 3 tests failed"), "{refused:?}");
    fs::remove_dir_all(dir.app_path().join("packages/q")).unwrap();
    let unknown = wardroom(&dir, &["test", "q"]);
    assert!(unknown.stderr.contains("there is no test of q\n"), "{unknown:?}");
    dir.write_file("packages/voter/voter.test.toml", "");
    let misspelt = wardroom(&dir, &["test", "voters"]);
    assert!(misspelt.stderr.contains("there is no test of voters; did you mean voter?"), "{misspelt:?}");
}
