//! Tests of packages and projects.

use std::fs;
use std::os::unix::fs::symlink;

use rustix::fs::{CWD, Mode, mkfifoat};
use serde_json::{Value, json};

use super::ConfinedServer;

#[test]
fn forced_link_replaces_installed_package() {
    let mut server = ConfinedServer::new();
    server.package("granted/away/panel", "0.4.0");
    server.package("elsewhere/panel", "9");
    server.package("app/packages/panel", "0.1.0");
    let away = server.path_text("granted/away/panel");
    server.expect_refusal("alc_pkg_link", json!({"path": server.path_text("elsewhere/panel")}), "NOT_MOUNTED");
    server.expect_refusal("alc_pkg_link", json!({"path": away}), "EXISTS");
    assert_eq!(server.run_strategy("panel"), "0.1.0");
    let linked = server.call("alc_pkg_link", json!({"path": away, "force": true}));
    assert_eq!((&linked["linked"], &linked["restart_required"]), (&json!(["panel"]), &json!(true)));
    assert!(!server.exists("app/packages/panel") && server.exists("granted/away/panel/init.lua"));
    assert_eq!(server.call("alc_pkg_link", json!({"path": away}))["linked"], json!([]));
    for _ in 0..2 {
        assert_eq!(server.run_strategy("panel"), "0.4.0");
        let meta = server.client.0.read_resource("alc://packages/panel/meta").unwrap();
        assert!(meta["text"].as_str().unwrap().contains("0.4.0"), "{meta}");
        let listed = server.call("alc_pkg_list", json!({"filter": {"name": "panel"}, "verbose": "full"}));
        let row = &listed["packages"][0];
        assert_eq!((&row["active"], &row["linked"], &row["link_target"]), (&json!(true), &json!(true), &json!(away)));
        server.restart();
    }
    // A package is installed neither over a link nor through it.
    server.package("granted/new/panel", "0.5.0");
    server.expect_refusal("alc_pkg_install", json!({"url": server.path_text("granted/new/panel")}), "LINKED");
    assert_eq!(server.call("alc_pkg_unlink", json!({"name": "panel"}))["unlinked"], "panel");
    server.expect_refusal("alc_pkg_unlink", json!({"name": "panel"}), "NOT_FOUND");
    assert!(server.client.0.read_resource("alc://packages/panel/meta").is_err());
    assert!(server.exists("granted/away/panel/init.lua"));
}

/// A server may stop between the entry of a link and the removal of the installed package that the link replaces.
#[test]
fn link_shadows_installed_package_until_unlinked() {
    let mut server = ConfinedServer::new();
    server.package("granted/away/panel", "0.4.0");
    server.call("alc_pkg_link", json!({"path": server.path_text("granted/away/panel")}));
    server.package("app/packages/panel", "0.1.0");
    assert_eq!(server.run_strategy("panel"), "0.4.0");
    server.call("alc_pkg_unlink", json!({"name": "panel"}));
    assert_eq!(server.run_strategy("panel"), "0.1.0");
}

#[test]
fn handwritten_link_outside_grants_is_not_followed() {
    let mut server = ConfinedServer::with(&["--project", "project"], |dir| {
        let elsewhere = dir.root().join("elsewhere/out");
        dir.write_file("packages/.links.toml", format!("[packages]\nout = {{ path = \"{}\" }}\n", elsewhere.display()));
        fs::create_dir_all(&elsewhere).unwrap();
        fs::write(elsewhere.join("init.lua"), "return { run = function(ctx) return ctx end }").unwrap();
    });
    assert!(server.client.0.read_resource("alc://packages/out/init.lua").is_err());
    assert_eq!(server.call("alc_pkg_doctor", json!({}))["symlink_dangling"][0]["name"], "out");
    // A malformed file might name any package, so all reads of packages fail.
    server.package("app/packages/there", "1");
    server.file("app/packages/.links.toml", "[packages");
    let error = server.client.0.read_resource("alc://packages/there/init.lua").unwrap_err();
    assert!(error["message"].as_str().unwrap().contains("malformed packages/.links.toml"), "{error}");
}

#[test]
fn install_copies_targets_of_symlinks_inside_package() {
    let mut server = ConfinedServer::new();
    server.package("granted/p", "0.1.0");
    server.file("granted/p/real/m.lua", "return 7");
    symlink("real", server.path("granted/p/alias")).unwrap();
    symlink("real/m.lua", server.path("granted/p/ln")).unwrap();
    let done = server.call("alc_pkg_install", json!({"url": server.path_text("granted/p")}));
    assert_eq!(done["installed"], json!(["p"]));
    assert_eq!(
        (server.read("app/packages/p/alias/m.lua"), server.read("app/packages/p/ln")),
        ("return 7".into(), "return 7".into())
    );
    server.file("project/alc.toml", "[packages]\np = \"0.1.0\"\n");
    let resolved = server.call("alc_update", json!({}));
    assert_eq!(resolved["resolved"][0]["source"], "pinned", "{resolved:#}");
    assert_eq!(server.read("app/packages/p@0.1.0/alias/m.lua"), "return 7");
}

#[test]
fn project_is_initialized_filled_and_cleared() {
    let mut server = ConfinedServer::new();
    assert_eq!(server.call("alc_init", json!({}))["gitignore_updated"], true);
    server.expect_refusal("alc_init", json!({}), "EXISTS");
    let made =
        server.call("alc_pkg_scaffold", json!({"name": "mine", "target_dir": server.path_text("project/lua/pkgs")}));
    assert_eq!(made["path"], server.path_text("project/lua/pkgs/mine/init.lua"));
    assert_eq!(server.call("alc_pkg_scaffold", json!({"name": "own"}))["status"], "ok");
    let linked = server.call("alc_pkg_link", json!({"path": "lua/pkgs/mine", "scope": "variant"}));
    assert_eq!(linked["linked"], json!(["mine"]));
    server.expect_refusal(
        "alc_pkg_link",
        json!({"path": "lua/pkgs/mine", "scope": "variant", "force": true}),
        "INVALID_SCOPE",
    );
    server.expect_refusal("alc_pkg_link", json!({"path": "lua", "name": "x", "scope": "variant"}), "NOT_A_PACKAGE");
    server.package("granted/src/p", "0.1.0");
    server.call("alc_pkg_install", json!({"url": server.path_text("granted/src/p")}));
    assert!(server.read("project/alc.toml").contains("p = \"*\""));
    assert_eq!(server.call("alc_update", json!({}))["errors"], json!([]));
    assert!(server.read("project/alc.lock").contains("name = \"p\""));
    let healthy = server.call("alc_pkg_doctor", json!({}))["healthy"].clone();
    assert_eq!(healthy, json!(["mine", "own", "p"]));
    fs::remove_dir_all(server.path("app/packages/p")).unwrap();
    assert_eq!(server.call("alc_pkg_repair", json!({"name": "p"}))["repaired"], json!(["p"]));
    assert_eq!(server.call("alc_pkg_remove", json!({"name": "p", "scope": "all"}))["files_kept"], true);
    assert!(server.exists("app/packages/p/init.lua") && !server.read("project/alc.lock").contains("name = \"p\""));
    server.expect_refusal("alc_pkg_list", json!({"sort": "name,,version"}), "INVALID_SORT");
    let listed = server.call(
        "alc_pkg_list",
        json!({"filter": "{\"category\":\"c\"}", "sort": "-version", "fields": ["name", "version"]}),
    );
    assert_eq!(listed["packages"], json!([{"name": "p", "version": "0.1.0"}]));
}

#[test]
fn migrate_keeps_every_old_lock_file() {
    let mut server = ConfinedServer::new();
    let old = |path: &str| {
        format!(
            "[[package]]\nname = \"a\"\nlinked_at = \"x\"\n[package.source]\ntype = \"local_dir\"\npath = \"{path}\"\n"
        )
    };
    for (path, backup) in
        [("one", "alc.lock.bak"), ("two", "alc.lock.bak.1"), ("one", "alc.lock.bak"), ("three", "alc.lock.bak.2")]
    {
        server.file("project/alc.lock", old(path));
        assert_eq!(server.call("alc_migrate", json!({}))["backup"], server.path_text(&format!("project/{backup}")));
        assert_eq!(server.read(&format!("project/{backup}")), old(path));
    }
}

#[test]
fn write_refused_by_kernel_is_reported() {
    if !wardroom_process::confine::probe().is_fully_enforced() {
        return;
    }
    let mut server = ConfinedServer::new();
    // The kernel knows the folder that was there at the start: it refuses to write in another one.
    fs::rename(server.path("app/packages"), server.path("app/old")).unwrap();
    fs::create_dir(server.path("app/packages")).unwrap();
    let message = server.expect_refusal("alc_pkg_scaffold", json!({"name": "x"}), "NOT_PERMITTED");
    assert!(message.contains("the system does not let this server write"), "{message}");
}

/// The operator names the folders of the server by paths with symlinks.
#[test]
fn paths_through_symlinks_of_operator_are_accepted() {
    let server = ConfinedServer::new();
    for name in ["app", "project", "granted"] {
        symlink(server.path(name), server.path(&format!("to-{name}"))).unwrap();
    }
    let config = server.read(".config/wardroom/config.toml").replace("/granted\"", "/to-granted\"");
    server.file(".config/wardroom/config.toml", config);
    let mut command = wardroom_test_support::wardroom_command(server.dir.root());
    command.arg("--appdir").arg(server.path("to-app")).arg("--project").arg(server.path("to-project"));
    let mut client = wardroom_test_support::StdioClient::spawn(command, wardroom_test_support::ClientRevision::Legacy);
    client.initialize();
    let mut server = ConfinedServer { dir: server.dir, client: wardroom_test_support::RunClient(client) };
    server.package("granted/p", "0.1.0");
    server.package("app/drafts/d", "0.1.0");
    for name in ["to-granted/p", "granted/p", "to-app/drafts/d", "app/drafts/d"] {
        server.call("alc_pkg_install", json!({"url": server.path_text(name)}));
    }
    let made = server.call("alc_pkg_scaffold", json!({"name": "x", "target_dir": server.path_text("to-project/lua")}));
    assert_eq!(made["path"], server.path_text("project/lua/x/init.lua"));
    server.expect_refusal("alc_pkg_install", json!({"url": server.path_text("elsewhere")}), "NOT_MOUNTED");
}

#[test]
fn failed_collection_install_records_installed_packages() {
    if !wardroom_process::confine::probe().is_fully_enforced() {
        return;
    }
    let mut server = ConfinedServer::new();
    for name in ["a", "b", "c"] {
        server.package(&format!("granted/many/{name}"), "0.1.0");
    }
    server.file("granted/many/b/cards/b_1.toml", "schema_version = \"card/v0\"\n");
    // A confined server cannot create this folder again.
    fs::remove_dir_all(server.path("app/cards")).unwrap();
    let (answer, failed) = server.client.call_tool("alc_pkg_install", json!({"url": server.path_text("granted/many")}));
    assert!(failed && answer["error"]["code"] == "NOT_PERMITTED", "{answer:#}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("1 package was installed before"), "{answer:#}");
    assert_eq!(answer["error"]["details"]["installed"], json!(["a"]), "{answer:#}");
    let manifest: Value = serde_json::from_str(&server.read("app/packages/installed.json")).unwrap();
    // The next installation completes the one whose cards are missing.
    assert_eq!(manifest["packages"].as_object().unwrap().keys().collect::<Vec<_>>(), ["a"]);
    assert!(server.exists("app/packages/b") && !server.exists("app/packages/c"));
}

/// Behind the walls, paths are resolved in another way, in which a pipe could be opened.
#[test]
fn pipes_block_no_call() {
    let mut server = ConfinedServer::with(&["--project", "project"], |dir| {
        dir.write_package("cot", "return { meta = { name = 'cot' } }");
        // With declared entries, each name of a list is resolved.
        fs::create_dir_all(dir.app_path().join("registry")).unwrap();
        for pipe in ["app/packages/pipe", "project/code.lua", "granted/pipe", "granted/mirror/pipe"] {
            mkfifoat(CWD, dir.root().join(pipe), Mode::RWXU).unwrap();
        }
    });
    let listed = server.client.call_ok("alc_pkg_list", json!({}));
    let names: Vec<&str> =
        listed["packages"].as_array().unwrap().iter().filter_map(|row| row["name"].as_str()).collect();
    assert_eq!(names, ["cot"], "{listed}");
    server.client.call_ok("alc_pkg_doctor", json!({}));
    server.client.call_ok("alc_hub_search", json!({"query": "cot"}));
    for (tool, argument, pipe) in [
        ("alc_run", "code_file", "project/code.lua"),
        ("alc_pkg_install", "url", "granted/pipe"),
        ("alc_pkg_link", "path", "granted/pipe"),
        ("alc_scenario_install", "url", "granted/mirror/pipe"),
    ] {
        let path = server.path(pipe);
        let (answer, failed) = server.client.call_tool(tool, json!({argument: path}));
        assert!(failed, "{tool}: {answer}");
    }
}
