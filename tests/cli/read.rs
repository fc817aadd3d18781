//! `wardroom ls` and `wardroom read`: the resources of a client, from a shell.

use insta::assert_snapshot;
use serde_json::{Value, json};
use wardroom_docs::PAGES;

use wardroom_test_support::{CommandOutput, TestDir, run_wardroom};

fn run(dir: &TestDir, args: &[&str]) -> CommandOutput {
    let app = dir.app_path().display().to_string();
    run_wardroom(dir.root(), &[&["--appdir", &app], args].concat())
}

#[test]
fn ls_lists_resources_and_templates() {
    let dir = TestDir::new_demo();
    assert_snapshot!("ls", run(&dir, &["ls"]).snapshot_text(dir.root()));
    let all = run(&dir, &["ls"]).expect_success();
    let of_both = run(&dir, &["ls", "alc"]).expect_success() + &run(&dir, &["ls", "bds"]).expect_success();
    let others: Vec<&str> = all.lines().filter(|row| !of_both.lines().any(|own| own == *row)).collect();
    let (declared, docs) = others.split_last().unwrap();
    assert!(declared.starts_with("demo://about "), "{others:?}");
    assert!(docs.len() == PAGES.len() && docs.iter().all(|row| row.starts_with("wardroom://docs/")), "{others:?}");
    assert_eq!(
        run(&dir, &["ls", "alc://types/alc.d.lua"]).expect_success(),
        run(&dir, &["ls"]).expect_success().lines().next().unwrap().to_owned() + "\n"
    );
    let posts = run(&dir, &["ls", "bds://posts"]).expect_success();
    assert!(posts.starts_with("bds://posts ") && posts.contains("bds://posts/rule-of-twelfths "), "{posts}");
    assert_snapshot!("ls_unknown_scheme", run(&dir, &["ls", "none"]).snapshot_text(dir.root()));
    let rows: Vec<Value> = serde_json::from_str(&run(&dir, &["ls", "--json"]).expect_success()).unwrap();
    assert_eq!(rows.len(), 32 + PAGES.len());
    let first = json!({
        "uri": "alc://types/alc.d.lua",
        "mimeType": "text/x-lua",
        "description": "Lua type stubs for `alc.*` StdLib",
    });
    assert_eq!(rows[0], first);
}

/// What would have resources of the scheme does not exist yet.
#[test]
fn missing_blog_and_learning_log_are_hints() {
    let dir = TestDir::new();
    for (what, missing) in [("ace", "there is no learning log: run "), ("bds", "there is no blog: run ")] {
        let uri = format!("{what}://none");
        for args in [["ls", what], ["ls", &uri], ["read", &uri]] {
            let refused = run(&dir, &args);
            assert!(refused.status == 1 && refused.stderr.contains(missing), "{args:?} {refused:?}");
            let other = run(&dir, &[&args[..], &["--service", "alc"]].concat());
            assert!(!other.stderr.contains(missing), "{args:?} {other:?}");
        }
    }
}

#[test]
fn ls_lists_names_by_template_or_uri_prefix() {
    let dir = TestDir::new_demo();
    dir.write_package("cot2", "return {}");
    let uris = |what: &str| -> Vec<String> {
        let rows = run(&dir, &["ls", what]).expect_success();
        rows.lines().map(|row| row.split(' ').next().unwrap().to_owned()).collect()
    };
    let meta = |name: &str| format!("alc://packages/{name}/meta");
    let source = |name: &str| format!("alc://packages/{name}/init.lua");
    let packages = ["cot", "cot2", "panel", "quick_vote"];
    let metas = packages.map(meta);
    assert_eq!(uris("alc://packages/{name}/meta"), metas);
    let all = [packages.map(source), metas].concat();
    for start in ["alc://packages", "alc://packages/", "alc://pack"] {
        assert_eq!(uris(start), all, "{start}");
    }
    assert_eq!(uris("alc://packages/cot"), [source("cot"), source("cot2"), meta("cot"), meta("cot2")]);
    assert_eq!(uris("alc://packages/cot/m"), [meta("cot")]);
    assert_eq!(uris("alc://types"), ["alc://types/alc.d.lua", "alc://types/alc_shapes.d.lua"]);
    // Every listed resource can be read.
    let everything = uris("alc://");
    assert_eq!(everything.len(), 2 + all.len() + 2 * 2 + 1 + 2 + 1, "{everything:?}");
    for uri in everything {
        run(&dir, &["read", &uri]).expect_success();
    }
    let rows: Vec<Value> =
        serde_json::from_str(&run(&dir, &["ls", "--json", "alc://scenarios"]).expect_success()).unwrap();
    let row = json!({"uri": "alc://scenarios/math_basic", "mimeType": "text/x-lua", "description": "Scenario source"});
    assert_eq!(rows, [row]);
    // A package without cards differs from an unknown prefix.
    assert_eq!(uris("alc://cards/none"), Vec::<String>::new());
    for what in ["alc://card/x", "alc://packages/{id}/meta", "alc://types/x", "http://x", "alc://packages/{name}"] {
        let refused = run(&dir, &["ls", what]);
        assert_eq!((refused.status, refused.stdout.as_str()), (1, ""), "{what}");
        assert!(refused.stderr.starts_with("error: ") && refused.stderr.contains("\nhint: "), "{}", refused.stderr);
    }
}

#[test]
fn read_without_resource_services_fails() {
    let dir = TestDir::new_demo();
    let finished = run(&dir, &["--service", "resources", "read", "alc://packages/cot/meta"]);
    assert_snapshot!("read_without_service", finished.snapshot_text(dir.root()));
}

#[test]
fn read_prints_every_kind_of_resource() {
    let dir = TestDir::new_demo();
    let file = |name: &str| std::fs::read_to_string(dir.app_path().join(name)).unwrap();
    assert_eq!(run(&dir, &["read", "alc://types/alc.d.lua"]).expect_success(), file("types/alc.d.lua"));
    assert_eq!(run(&dir, &["read", "alc://packages/cot/init.lua"]).expect_success(), file("packages/cot/init.lua"));
    assert_eq!(run(&dir, &["read", "alc://scenarios/math_basic"]).expect_success(), file("scenarios/math_basic.lua"));
    let card = "cot_opus46_20261121T090000_1a2b3c";
    let samples = file(&format!("cards/cot/{card}.samples.jsonl"));
    let rows: Vec<Value> = samples.lines().take(2).map(|row| serde_json::from_str(row).unwrap()).collect();
    let json = |uri: &str| -> Value { serde_json::from_str(&run(&dir, &["read", uri]).expect_success()).unwrap() };
    assert_eq!(json(&format!("alc://cards/{card}/samples?limit=2")), Value::from(rows));
    assert_eq!(json(&format!("alc://cards/{card}"))["card_id"], card);
    assert_eq!(json("alc://packages/cot/meta")["name"], "cot");
    assert_eq!(
        json("alc://eval/cot_1763715600"),
        serde_json::from_str::<Value>(&file("evals/cot_1763715600.json")).unwrap()
    );
    assert_eq!(json("alc://logs/s-18a1b2c3d4e5f-0123456789abcdef")["session_id"], "s-18a1b2c3d4e5f-0123456789abcdef");
}

#[test]
fn read_json_prints_complete_result() {
    let dir = TestDir::new();
    dir.write_package("x", "--- Doc.\nlocal M = {}\nM.meta = { name = 'x', version = f() }\nreturn M\n");
    assert_snapshot!("read_json", run(&dir, &["read", "--json", "alc://packages/x/meta"]).snapshot_text(dir.root()));
    assert_snapshot!("read_plain", run(&dir, &["read", "alc://packages/x/meta"]).snapshot_text(dir.root()));
}

#[test]
fn read_errors_have_reasons() {
    let dir = TestDir::new();
    dir.write_package("broken", "x = '");
    std::fs::create_dir_all(dir.app_path().join("scenarios/folder.lua")).unwrap();
    let rows = [
        ("not_found", "alc://packages/nobody/meta"),
        ("bad_uri", "alc://packages/../x/meta"),
        ("other_scheme", "https://example.org/"),
        ("broken", "alc://packages/broken/meta"),
        ("folder", "alc://scenarios/folder"),
    ];
    for (name, uri) in rows {
        assert_snapshot!(format!("read_{name}"), run(&dir, &["read", uri]).snapshot_text(dir.root()));
    }
}

#[test]
fn missing_explicit_app_dir_is_not_created() {
    let dir = TestDir::new();
    let slip = dir.root().join("slip").display().to_string();
    assert_snapshot!("no_app_dir", run_wardroom(dir.root(), &["ls", "--appdir", &slip]).snapshot_text(dir.root()));
    assert!(!std::path::Path::new(&slip).exists());
}
