//! `wardroom registry`, `call` and `prompt`.

use wardroom_test_support::{CommandOutput, TestDir, run_wardroom};

/// Runs a command whose last arguments could be mistaken for flags.
fn run_on(dir: &TestDir, args: &[&str]) -> CommandOutput {
    let app = dir.app_path().display().to_string();
    run_wardroom(dir.root(), &[&["--appdir", &app], args].concat())
}

fn run(dir: &TestDir, args: &[&str]) -> CommandOutput {
    let app = dir.app_path().display().to_string();
    run_wardroom(dir.root(), &[args, &["--appdir", &app]].concat())
}

#[test]
fn demo_works_from_shell() {
    let dir = TestDir::new_demo();
    assert_eq!(run(&dir, &["call", "add", "{\"a\": 17, \"b\": 25}"]).expect_success(), "42\n");
    assert_eq!(
        run(&dir, &["call", "echo", "{\"text\": \"x\"}", "--json"]).expect_success(),
        "{\"content\":[\"Echo: x\"],\"isError\":false,\"structuredContent\":null}\n"
    );
    assert_eq!(
        run(&dir, &["prompt", "greeting", "name=Ada", "style=formal"]).expect_success(),
        "user: Please greet Ada in a formal style.\n"
    );
    let listed = run(&dir, &["prompt"]).expect_success();
    assert_eq!(listed.lines().count(), 6, "{listed}");
    assert!(listed.contains("greeting") && listed.contains("name style"), "{listed}");
    assert!(run(&dir, &["read", "demo://about"]).expect_success().starts_with("# The demo"));
    for (args, expected) in [
        (&["call", "nobody"][..], "error: Unknown tool: nobody"),
        (&["call", "add", "{"], "error: cannot read the arguments: not JSON"),
        (&["call", "add", "[]"], "error: the arguments must be a JSON object"),
        (&["call", "add", "{}"], "error: add failed"),
        (&["prompt", "greeting"], "error: Missing arguments of the prompt greeting: name, style"),
        (&["prompt", "greeting", "name=Ada"], "error: Missing argument of the prompt greeting: style"),
        (&["prompt", "greeting", "name"], "error: the argument name has no value"),
        (&["prompt", "nobody"], "error: Unknown prompt: nobody"),
    ] {
        let finished = run(&dir, args);
        assert_eq!(finished.status, 1, "{args:?}");
        assert!(finished.stderr.contains(expected), "{args:?}: {finished:?}");
    }
}

#[test]
fn list_shows_offers_and_locations() {
    let dir = TestDir::new_demo();
    let listed = run(&dir, &["registry"]).expect_success();
    assert_eq!(listed, run(&dir, &["registry", "list"]).expect_success());
    let row = listed.lines().find(|line| line.starts_with("demo:echo ")).unwrap();
    assert!(row.contains("tool echo") && row.contains("registry/demo/_index.yaml:"), "{row}");
    assert!(listed.contains("template base_instruction"), "{listed}");
    assert_eq!(run(&dir, &["registry", "check"]).expect_success(), "10 entries, no errors\n");
    let rows: serde_json::Value =
        serde_json::from_str(&run(&dir, &["registry", "list", "--json"]).expect_success()).unwrap();
    assert_eq!(rows.as_array().unwrap().len(), 10);
}

#[test]
fn list_says_who_sees_an_entry() {
    let dir = TestDir::new();
    let entry = |name: &str, meta: &str| {
        format!(
            "  - name: {name}\n    kind: function.lua\n    source: file://ok.lua\n    method: call\n    meta:\n      \
                 mcp.tool: true\n      mcp.description: d\n{meta}"
        )
    };
    let entries = [
        entry("open", ""),
        entry("scoped", "      mcp.scope: ops\n"),
        entry("grouped", "      mcp.groups: [a, b]\n"),
        entry("hidden", "      mcp.groups: []\n"),
    ];
    dir.write_file(
        "registry/app/_index.yaml",
        format!("version: \"1.0\"\nnamespace: app\nentries:\n{}", entries.concat()),
    );
    dir.write_file("registry/app/ok.lua", "return { call = function() return 'called' end }");
    let listed = run(&dir, &["registry", "list"]).expect_success();
    let ends = |name: &str| {
        let line = listed.lines().find(|line| line.starts_with(&format!("app:{name} "))).unwrap().to_owned();
        line.split_once("_index.yaml:").unwrap().1.trim_start_matches(|c: char| c.is_ascii_digit()).trim().to_owned()
    };
    assert_eq!(["open", "scoped", "grouped", "hidden"].map(ends), ["", "scope ops", "groups a/b", "no caller"]);
    assert!(run(&dir, &["call", "app:grouped"]).stderr.contains("Unknown tool: app:grouped"));
    assert_eq!(run(&dir, &["call", "app:grouped", "--group", "b"]).expect_success().trim(), "called");
    let rows: serde_json::Value =
        serde_json::from_str(&run(&dir, &["registry", "list", "--json"]).expect_success()).unwrap();
    let grouped = rows.as_array().unwrap().iter().find(|row| row["id"] == "app:grouped").unwrap();
    assert_eq!((&grouped["scope"], &grouped["groups"]), (&serde_json::Value::Null, &serde_json::json!(["a", "b"])));
}

#[test]
fn check_compiles_sources_and_looks_for_their_functions() {
    let dir = TestDir::new();
    let sources = [
        ("fine", "local util = require('util')\nreturn { call = function() error(util.text) end }"),
        ("util", "return { text = 'was called' }"),
        ("broken", "local x = \nreturn {}"),
        ("other", "return { cal = function() end }"),
        ("library", "return return"),
        ("raises", "error(errors.new('it is no use'))"),
        ("failing", "local x = 1\nerror('it always fails')"),
        ("reads", "local fs = require('fs')\nlocal files = fs.get('registry')\nfiles:readfile('x')\nreturn {}"),
    ];
    for (name, source) in sources {
        dir.write_file(&format!("registry/app/{name}.lua"), source);
    }
    let function = |name: &str, more: &str| {
        format!("  - name: {name}\n    kind: function.lua\n    source: file://{name}.lua\n    method: call\n{more}")
    };
    let library = |name: &str| format!("  - name: {name}\n    kind: library.lua\n    source: file://{name}.lua\n");
    let entries = [
        function("fine", "    imports: { util: app:util }\n"),
        library("util"),
        function("broken", ""),
        function("other", ""),
        library("library"),
        function("reads", "    modules: [fs]\n"),
        function("raises", ""),
        library("failing"),
    ];
    let index = format!("version: \"1.0\"\nnamespace: app\nentries:\n{}", entries.concat());
    dir.write_file("registry/app/_index.yaml", index);
    let checked = run(&dir, &["registry", "check"]);
    assert_eq!(checked.status, 1, "{checked:?}");
    for expected in [
        "registry/app/broken.lua:2: error: broken: unexpected symbol",
        "registry/app/_index.yaml:16: error: other: app:other has no function 'call'",
        "registry/app/library.lua:1: error: library: ",
        "registry/app/_index.yaml:23: warning: reads: its source does fs.",
        "registry/app/_index.yaml:28: error: raises: it is no use",
        "registry/app/failing.lua:2: error: failing: it always fails",
    ] {
        assert!(checked.stdout.contains(expected), "{expected}: {checked:?}");
    }
    assert_eq!(checked.stdout.lines().count(), 6, "{checked:?}");
    assert!(checked.stderr.contains("5 errors: "), "{checked:?}");
}

#[test]
fn new_entry_works_at_once() {
    let dir = TestDir::new();
    let made = run(&dir, &["registry", "new", "tool", "hello"]).expect_success();
    assert!(made.contains("/registry/app/_index.yaml") && made.contains("/registry/app/hello.lua"), "{made}");
    run(&dir, &["registry", "new", "prompt", "summary"]).expect_success();
    run(&dir, &["registry", "new", "resource", "notes"]).expect_success();
    assert_eq!(run(&dir, &["registry", "check"]).expect_success(), "3 entries, no errors\n");
    assert_eq!(run(&dir, &["call", "hello", "{\"name\": \"Ada\"}"]).expect_success(), "Hello, Ada!\n");
    assert_eq!(run(&dir, &["prompt", "summary", "text=T"]).expect_success(), "user: Summarise this:\n\nT\n");
    assert_eq!(run(&dir, &["registry", "new", "tool", "hello"]).status, 1);
    let before = std::fs::read_to_string(dir.app_path().join("registry/app/_index.yaml")).unwrap();
    let again = run(&dir, &["registry", "new", "tool", "hello"]);
    assert!(again.stderr.contains("the tool hello is already declared at registry/app/_index.yaml:5"), "{again:?}");
    assert_eq!(std::fs::read_to_string(dir.app_path().join("registry/app/_index.yaml")).unwrap(), before);
    assert_eq!(run(&dir, &["registry", "new", "tool", "../x"]).status, 1);
}

#[test]
fn check_and_doctor_report_broken_entry() {
    let dir = TestDir::new();
    dir.write_file(
        "registry/app/_index.yaml",
        "version: \"1.0\"\nnamespace: app\nentries:\n  - name: t\n    kind: function.lua\n",
    );
    let checked = run(&dir, &["registry", "check"]);
    assert_eq!(checked.status, 1);
    assert!(checked.stdout.contains("registry/app/_index.yaml:4: error: t needs a source"), "{checked:?}");
    let rows = run(&dir, &["registry", "check", "--json"]).stdout;
    let rows: serde_json::Value = serde_json::from_str(rows.trim()).unwrap();
    assert_eq!(rows[0]["line"], 4);
    let doctor = run(&dir, &["doctor"]);
    assert!(doctor.stdout.contains("registry       0 entries, 1 error, 0 warnings\n"), "{doctor:?}");
}

#[test]
fn registry_flag_replaces_default_folder() {
    let dir = TestDir::new_demo();
    let other = dir.root().join("project");
    std::fs::create_dir(&other).unwrap();
    let other = other.display().to_string();
    run(&dir, &["registry", "new", "tool", "mine", "--registry", &other]).expect_success();
    assert_eq!(run(&dir, &["call", "mine", "{\"name\": \"x\"}", "--registry", &other]).expect_success(), "Hello, x!\n");
    assert_eq!(run(&dir, &["call", "echo", "{\"text\": \"x\"}", "--registry", &other]).status, 1);
    assert_eq!(run(&dir, &["registry", "--registry", "/no/such/folder"]).status, 1);
}

#[test]
fn new_entry_works_under_any_name() {
    for name in ["123", "true", "null", "1.5", "1e5", "0x1F", ".inf", "-", "no", "2024-01-01", "...", "---", "0o17"] {
        let dir = TestDir::new();
        for kind in ["tool", "prompt", "resource"] {
            let made = run_on(&dir, &["registry", "new", kind, "--namespace", kind, "--", name]);
            assert_eq!(made.status, 0, "{kind} {name}: {made:?}");
        }
        let checked = run(&dir, &["registry", "check"]);
        assert_eq!(checked.stdout, "3 entries, no errors\n", "{name}: {checked:?}");
        assert_eq!(
            run_on(&dir, &["call", "--", name, "{\"name\": \"Ada\"}"]).expect_success(),
            "Hello, Ada!\n",
            "{name}"
        );
    }
    for namespace in ["123", "true", "1.0", "null"] {
        let dir = TestDir::new();
        run(&dir, &["registry", "new", "tool", "hello", "--namespace", namespace]).expect_success();
        assert_eq!(run(&dir, &["registry", "check"]).expect_success(), "1 entry, no errors\n", "{namespace}");
    }
    let dir = TestDir::new();
    let hidden = run(&dir, &["registry", "new", "tool", "hello", "--namespace", ".hidden"]);
    assert!(hidden.status == 1 && hidden.stderr.contains("begins with a dot"), "{hidden:?}");
}

#[test]
fn new_entry_leaves_others_unchanged() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = TestDir::new();
    run(&dir, &["registry", "new", "tool", "hello"]).expect_success();
    let index = dir.app_path().join("registry/app/_index.yaml");
    std::fs::set_permissions(&index, std::fs::Permissions::from_mode(0o600)).unwrap();
    run(&dir, &["registry", "new", "prompt", "ask"]).expect_success();
    assert_eq!(std::fs::metadata(&index).unwrap().permissions().mode() & 0o777, 0o600);
    // A broken entry has its name as well.
    let text = std::fs::read_to_string(&index).unwrap().replace("kind: function.lua", "kind: 7");
    std::fs::write(&index, &text).unwrap();
    std::fs::remove_file(dir.app_path().join("registry/app/hello.lua")).unwrap();
    let refused = run(&dir, &["registry", "new", "tool", "hello"]);
    let expected = "the entry hello at app/_index.yaml:5 already exists and is broken";
    assert!(refused.status == 1 && refused.stderr.contains(expected), "{refused:?}");
    assert_eq!(std::fs::read_to_string(&index).unwrap(), text);
}

#[test]
fn new_entry_with_taken_name_is_refused() {
    let dir = TestDir::new();
    run(&dir, &["registry", "new", "tool", "hello"]).expect_success();
    run(&dir, &["registry", "new", "prompt", "ask"]).expect_success();
    run(&dir, &["registry", "new", "resource", "notes"]).expect_success();
    for (kind, name, expected) in [
        ("tool", "hello", "the tool hello is already declared at registry/app/_index.yaml:"),
        ("prompt", "ask", "the prompt ask is already declared at"),
        ("resource", "notes", "the resource things://notes/{id} is already declared at"),
        ("tool", "alc_run", "this server has a built-in tool alc_run"),
    ] {
        let refused = run(&dir, &["registry", "new", kind, name, "--namespace", "other"]);
        assert!(refused.status == 1 && refused.stderr.contains(expected), "{kind} {name}: {refused:?}");
    }
    let refused = run(&dir, &["registry", "new", "prompt", "hello"]);
    assert!(refused.stderr.contains("the entry app:hello already exists at"), "{refused:?}");
    dir.write_file("registry/folder/_index.yaml", "version: \"1.0\"\nnamespace: else\nentries:\n");
    let refused = run(&dir, &["registry", "new", "tool", "x", "--namespace", "folder"]);
    assert!(refused.stderr.contains("folder/_index.yaml has the namespace else"), "{refused:?}");
    assert_eq!(run(&dir, &["registry", "check"]).stdout.lines().last(), Some("3 entries, no errors"));
    assert_eq!(run(&dir, &["call", "hello", "{\"name\": \"Ada\"}"]).expect_success(), "Hello, Ada!\n");
}

#[test]
fn index_whose_entries_are_no_list_is_an_error() {
    let dir = TestDir::new();
    dir.write_file(
        "registry/m/_index.yaml",
        "version: \"1.0\"\nnamespace: m\nentries:\n  hello: {kind: function.lua}\n",
    );
    let checked = run(&dir, &["registry", "check"]);
    assert!(checked.status == 1 && checked.stdout.contains("entries must be a list"), "{checked:?}");
    let examined = run(&dir, &["doctor"]);
    assert!(examined.stdout.contains("0 entries, 1 error, 0 warnings\n"), "{examined:?}");
}

#[test]
fn doctor_counts_a_source_that_does_not_load() {
    let dir = TestDir::new();
    run(&dir, &["registry", "new", "tool", "hello"]).expect_success();
    assert!(run(&dir, &["doctor"]).stdout.contains("registry       1 entry\n"));
    dir.write_file("registry/app/hello.lua", "local M = {\n");
    let examined = run(&dir, &["doctor"]);
    assert!(examined.stdout.contains("1 entry, 1 error, 0 warnings\n"), "{examined:?}");
}

#[test]
fn failures_of_no_entry_are_refused() {
    let dir = TestDir::new();
    run(&dir, &["registry", "new", "tool", "hello"]).expect_success();
    assert!(run(&dir, &["registry", "failures", "app:hello"]).stderr.contains("no call of app:hello has failed"));
    let refused = run(&dir, &["registry", "failures", "app:helo"]);
    assert!(refused.status == 1 && refused.stderr.contains("app:helo; did you mean app:hello?"), "{refused:?}");
}

#[test]
fn uri_without_slashes_is_listed_by_its_scheme() {
    let dir = TestDir::new();
    dir.write_file("registry/app/_index.yaml", file_resource_index("'b5:r'"));
    dir.write_file("registry/app/r.txt", "hello");
    assert_eq!(run(&dir, &["read", "b5:r"]).expect_success(), "hello\n");
    for what in ["b5", "b5:", "b5:r"] {
        assert!(run(&dir, &["ls", what]).expect_success().starts_with("b5:r "), "{what}");
    }
    let missing = run(&dir, &["read", "b5:x"]);
    assert!(missing.stderr.contains(" ls b5: to list its resources"), "{missing:?}");
}

/// Returns the index of a resource whose text is in a file beside the index.
fn file_resource_index(uri: &str) -> String {
    format!(
        "version: \"1.0\"\nnamespace: app\nentries:\n  - name: r\n    kind: registry.entry\n    meta:\n      mcp.resource.uri: \
         {uri}\n      mcp.resource.file: r.txt\n"
    )
}

#[test]
fn project_folder_is_served_under_any_form_of_its_path() {
    let dir = TestDir::new();
    let project = dir.root().join("project");
    std::fs::create_dir(&project).unwrap();
    std::fs::write(project.join("_index.yaml"), file_resource_index("notes://r")).unwrap();
    std::fs::write(project.join("r.txt"), "hello").unwrap();
    let app = dir.app_path().display().to_string();
    let absolute = project.display().to_string();
    for name in [".", "./", "../project", "../project/", &absolute, &format!("{absolute}/")] {
        let mut command = wardroom_test_support::wardroom_command(dir.root());
        command.current_dir(&project).args(["--appdir", &app, "--registry", name, "read", "notes://r"]);
        let read = wardroom_test_support::run_command(&mut command);
        assert_eq!(read.stdout.trim_end(), "hello", "{name}: {read:?}");
    }
    let mut command = wardroom_test_support::wardroom_command(dir.root());
    command.current_dir(&project).args(["--appdir", &app, "--registry", "./", "serve"]);
    let mut client = wardroom_test_support::StdioClient::spawn(command, wardroom_test_support::ClientRevision::Modern);
    assert_eq!(client.read_resource("notes://r").unwrap()["text"], "hello");
}

/// A namespace has one store and its own processes, and a name one entry: who declares in a mount gets neither of another's.
#[test]
fn mount_takes_no_namespace_and_no_name_of_the_app_dir() {
    let dir = TestDir::new();
    let granted = dir.root().join("granted");
    std::fs::create_dir_all(granted.join("one")).unwrap();
    std::fs::create_dir_all(granted.join("two")).unwrap();
    std::fs::write(granted.join("one/_index.yaml"), file_resource_index("notes://stolen")).unwrap();
    std::fs::write(granted.join("one/r.txt"), "from the mount").unwrap();
    let same_name = file_resource_index("notes://own").replace("namespace: app", "namespace: granted");
    std::fs::write(granted.join("two/_index.yaml"), same_name).unwrap();
    std::fs::write(granted.join("two/r.txt"), "from the mount").unwrap();
    dir.write_file("registry/app/_index.yaml", file_resource_index("notes://own"));
    dir.write_file("registry/app/r.txt", "from the AppDir");
    let config = dir.root().join("config.toml");
    let mount = format!("[mounts.a]\npath = {:?}\nas = \"registry\"\n", granted.display().to_string());
    std::fs::write(&config, mount).unwrap();
    let config = config.display().to_string();
    let checked = run(&dir, &["--config", &config, "registry", "check"]);
    assert!(
        checked.stdout.contains("the namespace app belongs to registry/app/_index.yaml: choose another one"),
        "{checked:?}"
    );
    assert!(checked.stdout.contains("notes://own is also declared at registry/app/_index.yaml:"), "{checked:?}");
    assert!(checked.stdout.contains("that one is offered"), "{checked:?}");
    let read = run(&dir, &["--config", &config, "read", "notes://own"]).expect_success();
    assert_eq!(read.trim_end(), "from the AppDir");
    assert_eq!(run(&dir, &["--config", &config, "read", "notes://stolen"]).status, 1);
    // Nor does a mount take a prompt out, or an address of a template.
    let other = "version: \"1.0\"\nnamespace: granted\nentries:\n  - name: p\n    kind: registry.entry\n    meta:\n      mcp.prompt: true\n      \
                 mcp.prompt.name: hello\n      mcp.prompt.messages: [{ content: theirs }]\n      mcp.prompt.extend: [{ id: hello }]\n  \
                 - name: r\n    kind: registry.entry\n    meta:\n      mcp.resource.uri: docs://one\n      mcp.resource.text: theirs\n";
    std::fs::write(granted.join("two/_index.yaml"), other).unwrap();
    let own = "version: \"1.0\"\nnamespace: app\nentries:\n  - name: p\n    kind: registry.entry\n    meta:\n      mcp.prompt: true\n      \
               mcp.prompt.name: hello\n      mcp.prompt.messages: [{ content: ours }]\n  - name: r\n    kind: registry.entry\n    meta:\n      \
               mcp.resource.template: docs://{name}\n      mcp.resource.text: ours\n";
    dir.write_file("registry/app/_index.yaml", own);
    assert_eq!(run(&dir, &["--config", &config, "read", "docs://one"]).expect_success().trim_end(), "ours");
    assert!(run(&dir, &["--config", &config, "prompt", "hello"]).expect_success().contains("ours"));
    // While the namespace of the AppDir's index is not known, it may be any.
    dir.write_file("registry/app/_index.yaml", "namespace : app\nentries: [\n");
    let checked = run(&dir, &["--config", &config, "registry", "check"]);
    assert!(checked.stdout.contains("may be that of registry/app/_index.yaml, which cannot be read"), "{checked:?}");
    // Errors of the owner give its namespace to nobody.
    let whole = file_resource_index("notes://own");
    for broken in [format!("{whole}  - name: [\n"), whole.replace("notes://own", "no address")] {
        dir.write_file("registry/app/_index.yaml", broken);
        let checked = run(&dir, &["--config", &config, "registry", "check"]);
        assert!(checked.stdout.contains("the namespace app belongs to registry/app/_index.yaml"), "{checked:?}");
        assert_eq!(run(&dir, &["--config", &config, "read", "notes://stolen"]).status, 1);
    }
}

/// What clients know by a name does not become something else once there is an error in its declaration.
#[test]
fn mount_takes_no_name_of_an_entry_with_an_error() {
    let dir = TestDir::new();
    let granted = dir.root().join("granted");
    std::fs::create_dir_all(granted.join("one")).unwrap();
    let index = |namespace: &str| {
        format!(
            "version: \"1.0\"\nnamespace: {namespace}\nentries:\n  - name: d\n    kind: function.lua\n    source: file://d.lua\n    \
             method: call\n    meta:\n      mcp.tool: true\n      mcp.name: deploy\n      mcp.description: Deploys\n"
        )
    };
    let handler = |who: &str| format!("return {{ call = function() return '{who}' end }}");
    std::fs::write(granted.join("one/_index.yaml"), index("granted")).unwrap();
    std::fs::write(granted.join("one/d.lua"), handler("the mount")).unwrap();
    let config = dir.root().join("config.toml");
    let mount = format!("[mounts.a]\npath = {:?}\nas = \"registry\"\n", granted.display().to_string());
    std::fs::write(&config, mount).unwrap();
    let config = config.display().to_string();
    let call = || run(&dir, &["--config", &config, "call", "deploy"]);
    let checked = || run(&dir, &["--config", &config, "registry", "check"]).stdout;
    assert!(call().expect_success().contains("the mount"));
    let whole = index("app");
    let flow = "version: \"1.0\"\nnamespace: app\nentries: [{name: d, meta: {\"mcp.name\": deploy, mcp.tool: true}}\n";
    for (index, has_source, message) in [
        (whole.clone(), false, "the tool deploy is that of registry/app/_index.yaml, which has an error: correct that"),
        (format!("{whole}      oops: [\n"), true, "the tool deploy is that of registry/app/_index.yaml"),
        (flow.to_owned(), true, "the tool deploy is that of registry/app/_index.yaml"),
        (
            whole.replace("    method: call\n", "    method: call\n    imports: { x: \"app:none\" }\n"),
            true,
            "the tool deploy is that of",
        ),
    ] {
        dir.write_file("registry/app/_index.yaml", &index);
        dir.write_file("registry/app/d.lua", handler("the AppDir"));
        if !has_source {
            std::fs::remove_file(dir.app_path().join("registry/app/d.lua")).unwrap();
        }
        let found = checked();
        assert!(found.contains(message), "{index}: {found}");
        let refused = call();
        assert!(refused.status == 1 && !refused.stdout.contains("the mount"), "{index}: {refused:?}");
    }
    dir.write_file("registry/app/_index.yaml", whole);
    assert!(call().expect_success().contains("the AppDir"));
}

#[test]
fn mounted_folder_declares_beside_appdir() {
    let dir = TestDir::new();
    let granted = dir.root().join("granted");
    std::fs::create_dir_all(granted.join("app")).unwrap();
    std::fs::write(
        granted.join("app/_index.yaml"),
        file_resource_index("notes://granted").replace("namespace: app", "namespace: granted"),
    )
    .unwrap();
    std::fs::write(granted.join("app/r.txt"), "from the mount").unwrap();
    dir.write_file("registry/app/_index.yaml", file_resource_index("notes://own"));
    dir.write_file("registry/app/r.txt", "from the AppDir");
    let config = dir.root().join("config.toml");
    // The mount may have the name of the AppDir's own registry.
    for name in ["registry", "more"] {
        std::fs::write(
            &config,
            format!("[mounts.{name}]\npath = {:?}\nas = \"registry\"\n", granted.display().to_string()),
        )
        .unwrap();
        let config = config.display().to_string();
        let read = |uri: &str| run(&dir, &["--config", &config, "read", uri]).expect_success();
        assert_eq!(read("notes://own").trim_end(), "from the AppDir", "{name}");
        assert_eq!(read("notes://granted").trim_end(), "from the mount", "{name}");
    }
}
