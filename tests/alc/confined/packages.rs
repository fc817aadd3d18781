//! Packages and projects.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::Ship;

#[test]
fn a_package_is_linked_for_every_project_and_by_force_in_place_of_another() {
    let mut ship = Ship::new();
    ship.package("granted/away/panel", "0.4.0");
    ship.package("elsewhere/panel", "9");
    ship.package("app/packages/panel", "0.1.0");
    let away = ship.text_of("granted/away/panel");
    ship.refused("alc_pkg_link", json!({"path": ship.text_of("elsewhere/panel")}), "NOT_MOUNTED");
    ship.refused("alc_pkg_link", json!({"path": away}), "EXISTS");
    assert_eq!(ship.runs("panel"), "0.1.0");
    let linked = ship.call("alc_pkg_link", json!({"path": away, "force": true}));
    assert_eq!((&linked["linked"], &linked["restart_required"]), (&json!(["panel"]), &json!(true)));
    assert!(!ship.has("app/packages/panel") && ship.has("granted/away/panel/init.lua"));
    assert_eq!(ship.call("alc_pkg_link", json!({"path": away}))["linked"], json!([]));
    for _ in 0..2 {
        assert_eq!(ship.runs("panel"), "0.4.0");
        let meta = ship.runner.0.read_resource("alc://packages/panel/meta").unwrap();
        assert!(meta["text"].as_str().unwrap().contains("0.4.0"), "{meta}");
        let listed = ship.call("alc_pkg_list", json!({"filter": {"name": "panel"}, "verbose": "full"}));
        let row = &listed["packages"][0];
        assert_eq!((&row["active"], &row["linked"], &row["link_target"]), (&json!(true), &json!(true), &json!(away)));
        ship.again();
    }
    // Nothing is installed over a link, nor through it.
    ship.package("granted/new/panel", "0.5.0");
    ship.refused("alc_pkg_install", json!({"url": ship.text_of("granted/new/panel")}), "LINKED");
    assert_eq!(ship.call("alc_pkg_unlink", json!({"name": "panel"}))["unlinked"], "panel");
    ship.refused("alc_pkg_unlink", json!({"name": "panel"}), "NOT_FOUND");
    assert!(ship.runner.0.read_resource("alc://packages/panel/meta").is_err());
    assert!(ship.has("granted/away/panel/init.lua"));
}

/// Between the note of a link and the removal of what it stands before there may be any time, or none of it may happen.
#[test]
fn a_link_stands_before_a_package_that_was_not_removed_and_gives_it_back() {
    let mut ship = Ship::new();
    ship.package("granted/away/panel", "0.4.0");
    ship.call("alc_pkg_link", json!({"path": ship.text_of("granted/away/panel")}));
    ship.package("app/packages/panel", "0.1.0");
    assert_eq!(ship.runs("panel"), "0.4.0");
    ship.call("alc_pkg_unlink", json!({"name": "panel"}));
    assert_eq!(ship.runs("panel"), "0.1.0");
}

#[test]
fn a_link_that_somebody_wrote_leads_only_into_what_was_granted() {
    let mut ship = Ship::with(&["--project", "project"], |dir| {
        let elsewhere = dir.root().join("elsewhere/out");
        dir.write_file("packages/links.toml", format!("[packages]\nout = {{ path = \"{}\" }}\n", elsewhere.display()));
        fs::create_dir_all(&elsewhere).unwrap();
        fs::write(elsewhere.join("init.lua"), "return { run = function(ctx) return ctx end }").unwrap();
    });
    assert!(ship.runner.0.read_resource("alc://packages/out/init.lua").is_err());
    assert_eq!(ship.call("alc_pkg_doctor", json!({}))["symlink_dangling"][0]["name"], "out");
    // What is not understood could say anything.
    ship.package("app/packages/there", "1");
    ship.file("app/packages/links.toml", "[packages");
    let error = ship.runner.0.read_resource("alc://packages/there/init.lua").unwrap_err();
    assert!(error["message"].as_str().unwrap().contains("malformed packages/links.toml"), "{error}");
}

#[test]
fn a_tree_with_links_inside_is_installed_with_what_they_lead_to() {
    let mut ship = Ship::new();
    ship.package("granted/p", "0.1.0");
    ship.file("granted/p/real/m.lua", "return 7");
    symlink("real", ship.path("granted/p/alias")).unwrap();
    symlink("real/m.lua", ship.path("granted/p/ln")).unwrap();
    let done = ship.call("alc_pkg_install", json!({"url": ship.text_of("granted/p")}));
    assert_eq!(done["installed"], json!(["p"]));
    assert_eq!(
        (ship.read("app/packages/p/alias/m.lua"), ship.read("app/packages/p/ln")),
        ("return 7".into(), "return 7".into())
    );
    ship.file("project/alc.toml", "[packages]\np = \"0.1.0\"\n");
    let resolved = ship.call("alc_update", json!({}));
    assert_eq!(resolved["resolved"][0]["source"], "pinned", "{resolved:#}");
    assert_eq!(ship.read("app/packages/p@0.1.0/alias/m.lua"), "return 7");
}

#[test]
fn a_project_is_begun_filled_and_cleared() {
    let mut ship = Ship::new();
    assert_eq!(ship.call("alc_init", json!({}))["gitignore_updated"], true);
    ship.refused("alc_init", json!({}), "EXISTS");
    let made = ship.call("alc_pkg_scaffold", json!({"name": "mine", "target_dir": ship.text_of("project/lua/pkgs")}));
    assert_eq!(made["path"], ship.text_of("project/lua/pkgs/mine/init.lua"));
    assert_eq!(ship.call("alc_pkg_scaffold", json!({"name": "own"}))["status"], "ok");
    let linked = ship.call("alc_pkg_link", json!({"path": "lua/pkgs/mine", "scope": "variant"}));
    assert_eq!(linked["linked"], json!(["mine"]));
    ship.refused("alc_pkg_link", json!({"path": "lua/pkgs/mine", "scope": "variant", "force": true}), "INVALID_SCOPE");
    ship.refused("alc_pkg_link", json!({"path": "lua", "name": "x", "scope": "variant"}), "NOT_A_PACKAGE");
    ship.package("granted/src/p", "0.1.0");
    ship.call("alc_pkg_install", json!({"url": ship.text_of("granted/src/p")}));
    assert!(ship.read("project/alc.toml").contains("p = \"*\""));
    assert_eq!(ship.call("alc_update", json!({}))["errors"], json!([]));
    assert!(ship.read("project/alc.lock").contains("name = \"p\""));
    let healthy = ship.call("alc_pkg_doctor", json!({}))["healthy"].clone();
    assert_eq!(healthy, json!(["mine", "own", "p"]));
    fs::remove_dir_all(ship.path("app/packages/p")).unwrap();
    assert_eq!(ship.call("alc_pkg_repair", json!({"name": "p"}))["repaired"], json!(["p"]));
    assert_eq!(ship.call("alc_pkg_remove", json!({"name": "p", "scope": "all"}))["files_kept"], true);
    assert!(ship.has("app/packages/p/init.lua") && !ship.read("project/alc.lock").contains("name = \"p\""));
    ship.refused("alc_pkg_list", json!({"sort": "name,,version"}), "INVALID_SORT");
    let listed = ship.call(
        "alc_pkg_list",
        json!({"filter": "{\"category\":\"c\"}", "sort": "-version", "fields": ["name", "version"]}),
    );
    assert_eq!(listed["packages"], json!([{"name": "p", "version": "0.1.0"}]));
}

#[test]
fn an_old_lock_is_never_lost() {
    let mut ship = Ship::new();
    let old = |path: &str| {
        format!(
            "[[package]]\nname = \"a\"\nlinked_at = \"x\"\n[package.source]\ntype = \"local_dir\"\npath = \"{path}\"\n"
        )
    };
    for (path, backup) in
        [("one", "alc.lock.bak"), ("two", "alc.lock.bak.1"), ("one", "alc.lock.bak"), ("three", "alc.lock.bak.2")]
    {
        ship.file("project/alc.lock", old(path));
        assert_eq!(ship.call("alc_migrate", json!({}))["backup"], ship.text_of(&format!("project/{backup}")));
        assert_eq!(ship.read(&format!("project/{backup}")), old(path));
    }
}

#[test]
fn what_the_system_does_not_permit_is_said() {
    if !wardroom_process::confine::probe().is_fully_enforced() {
        return;
    }
    let mut ship = Ship::new();
    // Nothing of a server's own lies there, and the kernel lets it make nothing.
    let message = ship.refused(
        "alc_pkg_scaffold",
        json!({"name": "x", "target_dir": ship.text_of("app/registry")}),
        "NOT_PERMITTED",
    );
    assert!(message.contains("the system does not let this server write"), "{message}");
}

/// The server is told of its folders by other names than the system's.
#[test]
fn paths_through_the_links_that_the_operator_wrote_are_understood() {
    let ship = Ship::new();
    for name in ["app", "project", "granted"] {
        symlink(ship.path(name), ship.path(&format!("to-{name}"))).unwrap();
    }
    let config = ship.read(".config/wardroom/config.toml").replace("/granted\"", "/to-granted\"");
    ship.file(".config/wardroom/config.toml", config);
    let mut command = wardroom_test_support::wardroom_command(ship.dir.root());
    command.arg("--appdir").arg(ship.path("to-app")).arg("--project").arg(ship.path("to-project"));
    let mut client = wardroom_test_support::StdioClient::spawn(command, wardroom_test_support::ClientRevision::Legacy);
    client.initialize();
    let mut ship = Ship { dir: ship.dir, runner: wardroom_test_support::RunClient(client) };
    ship.package("granted/p", "0.1.0");
    ship.package("app/drafts/d", "0.1.0");
    for name in ["to-granted/p", "granted/p", "to-app/drafts/d", "app/drafts/d"] {
        ship.call("alc_pkg_install", json!({"url": ship.text_of(name)}));
    }
    let made = ship.call("alc_pkg_scaffold", json!({"name": "x", "target_dir": ship.text_of("to-project/lua")}));
    assert_eq!(made["path"], ship.text_of("project/lua/x/init.lua"));
    ship.refused("alc_pkg_install", json!({"url": ship.text_of("elsewhere")}), "NOT_MOUNTED");
}

#[test]
fn of_a_collection_that_stops_half_way_all_that_is_there_is_recorded() {
    if !wardroom_process::confine::probe().is_fully_enforced() {
        return;
    }
    let mut ship = Ship::new();
    for name in ["a", "b", "c"] {
        ship.package(&format!("granted/many/{name}"), "0.1.0");
    }
    ship.file("granted/many/b/cards/b_1.toml", "schema_version = \"card/v0\"\n");
    // A confined server cannot make it anew.
    fs::remove_dir_all(ship.path("app/cards")).unwrap();
    let (answer, failed) = ship.runner.call_tool("alc_pkg_install", json!({"url": ship.text_of("granted/many")}));
    assert!(failed && answer["error"]["code"] == "NOT_PERMITTED", "{answer:#}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("2 packages were installed before"), "{answer:#}");
    assert_eq!(answer["error"]["details"]["installed"], json!(["a", "b"]), "{answer:#}");
    let manifest: Value = serde_json::from_str(&ship.read("app/packages/installed.json")).unwrap();
    assert_eq!(manifest["packages"].as_object().unwrap().keys().collect::<Vec<_>>(), ["a", "b"]);
    assert!(!ship.has("app/packages/c"));
}
