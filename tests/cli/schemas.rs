//! What editors find in an AppDir: the schema that a generated configuration names, and the settings of
//! lua-language-server.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use wardroom_base::json_schema::CompiledSchema;
use wardroom_test_support::{TestDir, run_wardroom};

/// Runs a command on an AppDir and a configuration.
fn run(dir: &TestDir, config: &Path, args: &[&str]) -> String {
    let (app, config) = (dir.app_path().display().to_string(), config.display().to_string());
    run_wardroom(dir.root(), &[&["--appdir", &app, "--config", &config], args].concat()).expect_success()
}

fn granted_folder(dir: &TestDir) -> String {
    let folder = dir.root().join("granted");
    fs::create_dir(&folder).unwrap();
    folder.display().to_string()
}

#[test]
fn new_config_names_the_schema_that_accepts_it() {
    let dir = TestDir::new_demo();
    let config = dir.root().join("of a person/config.toml");
    let folder = granted_folder(&dir);
    run(&dir, &config, &["mount", "add", "files", &folder, "--as", "files"]);
    run(&dir, &config, &["token", "new", "team", "--group", "finance"]);
    let text = fs::read_to_string(&config).unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    let path = first.strip_prefix("#:schema ").unwrap();
    assert_eq!(path, "../app/types/config.schema.json");
    let schema = fs::read_to_string(config.parent().unwrap().join(path)).unwrap();
    let mut schema: Value = serde_json::from_str(&schema).unwrap();
    // Its keywords mean the same in 2020-12.
    assert_eq!(schema.as_object_mut().unwrap().remove("$schema").unwrap(), "http://json-schema.org/draft-07/schema#");
    let schema = CompiledSchema::new(&schema).unwrap();
    let check = |text: &str| schema.check(&serde_json::to_value(toml::from_str::<toml::Table>(text).unwrap()).unwrap());
    check(&text).unwrap();
    assert!(text.contains("[mounts.files]") && text.contains("[http.tokens.team]"), "{text}");
    check("[services]\nenabled = ['alc', 'registry', 'tools']\n").unwrap();
    for wrong in ["[services]\nenabled = ['weblog']\n", "[server]\nnmae = 'x'\n"] {
        assert!(check(wrong).is_err(), "{wrong}");
        fs::write(&config, format!("{first}\n{rest}{wrong}")).unwrap();
        let refused = run_wardroom(dir.root(), &["--config", &config.display().to_string(), "mount", "list"]);
        // The names of services are checked when they are offered.
        assert_eq!(refused.status, i32::from(wrong.contains("nmae")), "{refused:?}");
    }
}

#[test]
fn config_names_no_schema_that_is_not_there_and_existing_one_stays() {
    let dir = TestDir::new();
    let config = dir.root().join("config.toml");
    let folder = granted_folder(&dir);
    run(&dir, &config, &["mount", "add", "files", &folder, "--as", "files"]);
    let text = fs::read_to_string(&config).unwrap();
    assert!(text.starts_with("[mounts.files]\n"), "{text}");
    run(&dir, &config, &["init"]);
    run(&dir, &config, &["mount", "add", "more", &folder, "--as", "files"]);
    assert!(fs::read_to_string(&config).unwrap().starts_with(&text));
}

/// A library that the editor hides is one that a script lacks, and the other way round.
#[test]
fn lua_settings_say_what_a_script_has() {
    let dir = TestDir::new_demo();
    let settings: Value =
        serde_json::from_str(&fs::read_to_string(dir.app_path().join(".luarc.json")).unwrap()).unwrap();
    let folder = settings["workspace.library"][0].as_str().unwrap();
    assert!(dir.app_path().join(folder).join("alc.d.lua").is_file());
    let libraries = ["coroutine", "debug", "io", "math", "os", "package", "string", "table", "utf8"];
    let names = libraries.map(|name| format!("{name} = type({name})")).join(", ");
    let global = settings["diagnostics.globals"][0].as_str().unwrap();
    let source = format!(
        "local M = {{ meta = {{ name = 'seen', version = '0.1.0' }} }}\nfunction M.run(ctx)\n    ctx.result = {{ {names}, \
         global = type({global}), version = _VERSION }}\n    return ctx\nend\nreturn M\n"
    );
    dir.write_package("seen", &source);
    let app = dir.app_path().display().to_string();
    let ran = run_wardroom(dir.root(), &["run", "seen", "task", "--json", "--appdir", &app]).expect_success();
    let ran: Value = serde_json::from_str(ran.lines().last().unwrap()).unwrap();
    let seen = &ran["result"];
    let seen = if seen["version"].is_null() { &seen["result"] } else { seen };
    assert_eq!(seen["version"], settings["runtime.version"], "{ran}");
    assert_eq!(seen["global"], "function", "{ran}");
    for name in libraries {
        let is_hidden = settings["runtime.builtin"][name] == json!("disable");
        assert_eq!(seen[name] == "nil", is_hidden, "{name}: {ran}");
    }
}
