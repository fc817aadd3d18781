//! The tools for scenarios, and which folders a client may name.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use wardroom_alc::{Alc, AlcFolders, AlcOptions, OperatorSettings, PackageMount, Project};
use wardroom_appdir::{Access, Folder, LineIndexCache, ambient};

use wardroom_test_support::{ClientRevision, SANDBOX, StdioClient, TestAlcService, TestDir, wardroom_command};

fn open(path: &Path) -> Folder {
    fs::create_dir_all(path).unwrap();
    ambient::open_folder(path, Access::ReadOnly).unwrap()
}

/// A service with a project and a mount beside its AppDir.
fn service(dir: &TestDir) -> TestAlcService {
    let at = |name: &str| dir.root().canonicalize().unwrap().join(name);
    let project = Some(Project { folder: open(&at("project")), path: at("project") });
    let linked = vec![PackageMount::Collection { folder: open(&at("mount")), path: at("mount") }];
    let folders = AlcFolders { app: dir.open_app(), logs: None, project, package_mounts: linked };
    let operator = OperatorSettings { app_path: Some(at("app")), ..OperatorSettings::default() };
    let options = AlcOptions { operator, ..AlcOptions::default() };
    TestAlcService::from_alc(Alc::with_options(folders, Arc::clone(&SANDBOX), LineIndexCache::new(None), options))
}

fn write(dir: &TestDir, name: &str, content: impl AsRef<[u8]>) {
    let path = dir.root().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

fn from(dir: &TestDir, below: &str) -> Value {
    json!({"url": dir.root().canonicalize().unwrap().join(below)})
}

#[test]
fn scenarios_are_listed_by_name_with_relative_paths() {
    let dir = TestDir::new();
    let service = TestAlcService::new(&dir);
    let list = || service.call("alc_scenario_list", json!({})).unwrap();
    assert_eq!(list(), json!({"scenarios": [], "failures": []}));
    dir.write_file("scenarios/b.lua", "return 2");
    dir.write_file("scenarios/a.b.lua", "");
    dir.write_file("scenarios/readme.md", "");
    dir.write_file("scenarios/sub.lua/x.lua", "");
    dir.write_file("scenarios/a b.lua", "");
    fs::write(dir.root().join("out.lua"), "secret").unwrap();
    symlink("b.lua", dir.app_path().join("scenarios/link.lua")).unwrap();
    symlink("../../out.lua", dir.app_path().join("scenarios/out.lua")).unwrap();
    symlink("nowhere", dir.app_path().join("scenarios/gone.lua")).unwrap();
    let entry =
        |name: &str, size: u64| json!({"name": name, "path": format!("scenarios/{name}.lua"), "size_bytes": size});
    let failures = ["a b.lua: the name contains reserved character ' '", "out.lua leads outside its folder"];
    assert_eq!(list(), json!({"scenarios": [entry("a.b", 0), entry("b", 8), entry("link", 8)], "failures": failures}));
}

#[test]
fn scenario_is_shown_with_its_source() {
    let dir = TestDir::new();
    dir.write_file("scenarios/math.lua", "return {} -- é\n");
    dir.write_file("scenarios/latin.lua", b"-- \xe9");
    dir.write_file("scenarios/large.lua", "x".repeat((4 << 20) + 1));
    let service = TestAlcService::new(&dir);
    let shown = service.call("alc_scenario_show", json!({"name": "math"})).unwrap();
    assert_eq!(shown, json!({"name": "math", "path": "scenarios/math.lua", "content": "return {} -- é\n"}));
    for (name, expected) in [
        ("none", "NOT_FOUND Scenario 'none' not found"),
        ("math.lua", "NOT_FOUND Scenario 'math.lua' not found"),
        ("../math", "INVALID_NAME Invalid scenario name: '../math' contains reserved character '/'"),
        ("large", "TOO_LARGE scenario 'large' has 4.1 MiB, the limit is 4 MiB: read alc://scenarios/large"),
    ] {
        assert_eq!(service.tool_refusal("alc_scenario_show", json!({"name": name})), expected);
    }
    let latin = service.call("alc_scenario_show", json!({"name": "latin"})).unwrap_err();
    assert_eq!(latin.to_string(), "scenario 'latin' is not UTF-8 text");
}

#[test]
fn install_copies_from_any_granted_folder_and_replaces_none() {
    for (below, prefix) in
        [("app/packages/x/scenarios", ""), ("project/s", "file://"), ("mount", ""), ("mount/a/b", "")]
    {
        let dir = TestDir::new();
        let service = service(&dir);
        write(&dir, &format!("{below}/new.lua"), "return 'new'");
        write(&dir, &format!("{below}/taken.lua"), "return 'other'");
        write(&dir, &format!("{below}/sub/deeper.lua"), "");
        write(&dir, &format!("{below}/notes.txt"), "");
        write(&dir, &format!("{below}/latin.lua"), b"\xe9");
        write(&dir, &format!("{below}/a b.lua"), "");
        write(&dir, "secret.lua", "secret");
        symlink(dir.root().join("secret.lua"), dir.root().join(below).join("secret.lua")).unwrap();
        dir.write_file("scenarios/taken.lua", "return 'mine'");
        let mut arguments = from(&dir, below);
        arguments["url"] = format!("{prefix}{}", arguments["url"].as_str().unwrap()).into();
        let failures = [
            "a b.lua: the name contains reserved character ' '",
            "latin.lua is not UTF-8 text",
            "secret.lua leads outside its folder",
        ];
        let expected = json!({"installed": ["new"], "skipped": ["taken"], "failures": failures});
        assert_eq!(service.call("alc_scenario_install", arguments.clone()).unwrap(), expected, "{below}");
        assert_eq!(service.read_text("alc://scenarios/new"), "return 'new'");
        assert_eq!(service.read_text("alc://scenarios/taken"), "return 'mine'");
        let again = service.call("alc_scenario_install", arguments).unwrap();
        assert_eq!((&again["installed"], &again["skipped"]), (&json!([]), &json!(["new", "taken"])));
    }
}

#[test]
fn relative_path_starts_at_the_project_or_the_app_dir() {
    let dir = TestDir::new();
    write(&dir, "project/s/of_project.lua", "");
    write(&dir, "app/s/of_app.lua", "");
    let install =
        |service: &TestAlcService, url: &str| service.call("alc_scenario_install", json!({"url": url})).unwrap();
    for url in ["./s", "./x/../s/", "././s"] {
        assert_eq!(install(&TestAlcService::new(&dir), url)["failures"], json!([]), "{url}");
    }
    assert_eq!(install(&TestAlcService::new(&dir), "./s")["skipped"], json!(["of_app"]));
    assert_eq!(install(&service(&dir), "./s")["installed"], json!(["of_project"]));
    write(&dir, "project/root.lua", "");
    for url in [".", "./", "./s/.."] {
        let found = install(&service(&dir), url);
        assert!(found["installed"] == json!(["root"]) || found["skipped"] == json!(["root"]), "{url}: {found}");
    }
    for url in ["..", "../other/s", "./s/../../other/s"] {
        let refused = service(&dir).tool_refusal("alc_scenario_install", json!({"url": url}));
        assert!(refused.starts_with(&format!("NOT_MOUNTED {url} is in no folder")), "{refused}");
    }
    // The target of the path counts.
    for url in ["../app/s", "./s/../../app/s"] {
        assert_eq!(install(&service(&dir), url)["skipped"], json!(["of_app"]), "{url}");
    }
}

#[test]
fn ungranted_folder_is_refused_with_the_command_to_grant_it() {
    let dir = TestDir::new();
    let service = service(&dir);
    write(&dir, "other/x.lua", "");
    write(&dir, "app-evil/x.lua", "");
    write(&dir, "it's/x.lua", "");
    let root = dir.root().canonicalize().unwrap().display().to_string();
    for below in ["other", "app-evil", "app/../other", "mount/../../x", "", "it's"] {
        let path = format!("{root}/{below}");
        let refused = service.tool_refusal("alc_scenario_install", json!({"url": path}));
        assert!(refused.starts_with(&format!("NOT_MOUNTED {path} is in no folder")), "{refused}");
        assert!(refused.contains("`wardroom mount add "), "{refused}");
    }
    let quoted = service.tool_refusal("alc_scenario_install", json!({"url": format!("{root}/it's")}));
    assert!(
        quoted.contains(&format!(r"mount add it-s '{root}/it'\''s' --as files --read-only` and a restart")),
        "{quoted}"
    );
    let top = service.tool_refusal("alc_scenario_install", json!({"url": "/"}));
    assert!(top.starts_with("NOT_MOUNTED / is in no folder"), "{top}");
    // The folder handle follows a link, but not out of the folder.
    fs::create_dir_all(dir.root().join("mount")).unwrap();
    symlink("../other", dir.root().join("mount/link")).unwrap();
    let linked = service.tool_refusal("alc_scenario_install", from(&dir, "mount/link"));
    assert!(linked.starts_with(&format!("NOT_MOUNTED {root}/mount/link is in no folder")), "{linked}");
    assert!(!dir.app_path().join("scenarios").exists());
}

#[test]
fn empty_or_remote_source_is_refused_with_a_reason() {
    let dir = TestDir::new();
    let service = service(&dir);
    write(&dir, "mount/empty/x.txt", "");
    let refused = service.tool_refusal("alc_scenario_install", from(&dir, "mount/empty"));
    assert_eq!(refused, "NOT_FOUND No .lua scenario files found in source.");
    let root = dir.root().canonicalize().unwrap();
    let refused = service.tool_refusal("alc_scenario_install", from(&dir, "mount/none"));
    assert_eq!(refused, format!("NOT_FOUND the folder {}/mount/none does not exist", root.display()));
    for url in ["https://example.com/x", "github.com/x/y", "git@example.com:x/y", "scenarios", "", "file://host/x"] {
        let refused = service.tool_refusal("alc_scenario_install", json!({"url": url}));
        assert!(
            refused.starts_with("NETWORK_OFF fetching from a repository is off ([network] git = false)"),
            "{refused}"
        );
    }
    for n in 0..1001 {
        write(&dir, &format!("mount/many/s{n}.lua"), "");
    }
    let refused = service.tool_refusal("alc_scenario_install", from(&dir, "mount/many"));
    assert_eq!(refused, "TOO_LARGE the folder has 1001 .lua files, the limit is 1000: nothing was installed");
    assert!(!dir.app_path().join("scenarios").exists());
}

#[test]
fn binary_resolves_paths_below_its_app_dir() {
    let dir = TestDir::new();
    dir.write_file("packages/x/scenarios/s.lua", "return 1");
    let called = |args: &[&str], name: &str, arguments: Value| {
        let mut client = StdioClient::start_with(&dir, ClientRevision::Modern, args);
        client.call("tools/call", json!({"name": name, "arguments": arguments}))["result"].take()
    };
    let arguments = from(&dir, "app/packages/x/scenarios");
    let refused = called(&["--read-only"], "alc_scenario_install", arguments.clone());
    assert_eq!(refused["structuredContent"]["error"]["code"], "READ_ONLY", "{refused}");
    let installed = called(&[], "alc_scenario_install", arguments);
    assert_eq!(installed["structuredContent"]["installed"], json!(["s"]), "{installed}");
    let outside = called(&[], "alc_scenario_install", from(&dir, "elsewhere"));
    assert_eq!(outside["isError"], true);
    assert_eq!(outside["structuredContent"]["error"]["code"], "NOT_MOUNTED");
    for (level, enabled) in [("off", false), ("OFF", false), ("info", true), ("", true)] {
        let mut command = wardroom_command(dir.root());
        command.arg("--appdir").arg(dir.app_path()).env("ALC_LOG_LEVEL", level);
        let mut client = StdioClient::spawn(command, ClientRevision::Modern);
        let info = client.call("tools/call", json!({"name": "alc_info"}));
        assert_eq!(info["result"]["structuredContent"]["log_enabled"], enabled, "{level}");
    }
}
