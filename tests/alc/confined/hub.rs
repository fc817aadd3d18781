//! Tests of indices and documentation: where they are written, and which files they never replace.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::ConfinedServer;

#[test]
fn index_and_pages_are_written_into_new_project_folders() {
    let mut server = ConfinedServer::new();
    server.package("granted/src/a", "0.1.0");
    let source = server.path_text("granted/src");
    for _ in 0..2 {
        let done = server.call("alc_hub_reindex", json!({"source_dir": source, "output_path": "dist/deep/index.json"}));
        assert_eq!(
            (&done["package_count"], &done["output_path"]),
            (&json!(1), &json!(server.path_text("project/dist/deep/index.json")))
        );
        let done =
            server.call("alc_hub_gendoc", json!({"source_dir": source, "out_dir": server.path_text("project/docs")}));
        assert_eq!(done["out_dir"], server.path_text("project/docs"));
        let done = server
            .call("alc_hub_dist", json!({"source_dir": source, "out_dir": "site", "output_path": "site/index.json"}));
        assert_eq!(done["reindex"]["package_count"], 1);
    }
    assert!(server.read("project/docs/narrative/a.md").contains("# a") && server.exists("project/site/hub/a.json"));
    server.file("project/alc.toml", "[hub.dist]\npreset_catalog_version = \"preset-catalog@2027-01-01\"\n");
    let message = server.expect_refusal("alc_hub_dist", json!({"source_dir": source}), "PRESET_CATALOG");
    assert!(message.contains("preset-catalog@2026-04-23"), "{message}");
}

#[test]
fn documentation_of_installed_packages_is_no_package() {
    let mut server = ConfinedServer::new();
    server.package("app/packages/a", "0.1.0");
    server.call("alc_hub_gendoc", json!({"source_dir": server.path_text("app/packages")}));
    assert!(server.exists("app/packages/_docs/hub/a.json"));
    let listed = server.call("alc_pkg_list", json!({"fields": ["name"]}));
    assert_eq!(listed["packages"], json!([{"name": "a"}]));
    let doctor = server.call("alc_pkg_doctor", json!({}));
    assert_eq!((&doctor["incomplete_pkg"], &doctor["healthy"]), (&json!([]), &json!(["a"])));
    let template = json!({"ref": {"type": "ref/resource", "uri": "alc://packages/{name}/meta"}, "argument": {"name": "name", "value": ""}});
    let completed = server.client.0.call("completion/complete", template);
    // Any folder of a mount may be a package.
    assert_eq!(completed["result"]["completion"]["values"], json!(["a", "mirror"]));
    assert_eq!(server.call("alc_hub_search", json!({"query": "d"}))["total"], 1);
    assert_eq!(server.call("alc_hub_info", json!({"pkg": "a"}))["stats"]["eval_count"], 0);
}

#[test]
fn only_index_and_generated_pages_are_replaced() {
    let mut server = ConfinedServer::new();
    server.package("granted/src/a", "0.1.0");
    let (source, card) = (server.path_text("granted/src"), "schema_version = \"card/v0\"\n");
    for file in [
        "project/src/main.rs",
        "project/package.json",
        "project/.git/hooks/pre-commit",
        "project/.vscode/settings.json",
        "granted/src/a/data.json",
        "app/packages/installed.json",
        "app/packages/a/data.json",
        "app/state/s.json",
        "app/evals/a_1.json",
        "app/logs/l.json",
        "app/cache/lines/x.json",
        "app/cards/a/a_1.toml",
        "app/hub_cache/other.json",
    ] {
        server.file(file, if file.ends_with("json") { "{}" } else { card });
        let before = server.read(file);
        for tool in ["alc_hub_reindex", "alc_hub_dist"] {
            let arguments = json!({"source_dir": source, "output_path": server.path_text(file)});
            let (answer, failed) = server.client.call_tool(tool, arguments);
            let code = answer["error"]["code"].as_str().unwrap_or_default().to_owned();
            assert!(
                failed && ["INVALID_PATH", "PROTECTED", "NOT_REPLACED"].contains(&code.as_str()),
                "{file}: {answer}"
            );
        }
        assert_eq!(server.read(file), before, "{file}");
    }
    for file in ["app/state/new.json", "app/packages/links.json", "project/.hidden/index.json"] {
        server.expect_refusal(
            "alc_hub_reindex",
            json!({"source_dir": source, "output_path": server.path_text(file)}),
            "PROTECTED",
        );
        assert!(!server.exists(file));
    }
    // A symlink to a protected file is refused too.
    symlink("main.rs", server.path("project/src/index.json")).unwrap();
    server.expect_refusal(
        "alc_hub_reindex",
        json!({"source_dir": source, "output_path": "src/index.json"}),
        "NOT_REPLACED",
    );
    server.call(
        "alc_hub_reindex",
        json!({"source_dir": source, "output_path": server.path_text("app/hub_cache/mine.json")}),
    );

    server.file("project/docs/hub/a.json", "{\"mine\":1}");
    server.expect_refusal("alc_hub_gendoc", json!({"source_dir": source, "out_dir": "docs"}), "NOT_REPLACED");
    server.file("project/docs/hub/a.json", "{\"name\":\"a\",\"docstring\":null,\"card_count\":1,\"best_card\":null}");
    server.file("project/docs/narrative/a.md", "# Mine\n");
    server.expect_refusal("alc_hub_gendoc", json!({"source_dir": source, "out_dir": "docs"}), "NOT_REPLACED");
    assert_eq!(server.read("project/docs/narrative/a.md"), "# Mine\n");
    assert!(
        server.read("project/docs/hub/a.json").contains("\"card_count\":1"),
        "nothing is written before all files are checked"
    );
    for out in ["app/cards", "app/packages/a", "project/.git"] {
        server.expect_refusal(
            "alc_hub_gendoc",
            json!({"source_dir": source, "out_dir": server.path_text(out)}),
            "PROTECTED",
        );
    }
}

#[test]
fn hub_info_counts_evals_with_any_form_of_file_name() {
    let mut server = ConfinedServer::new();
    server.package("app/packages/my_strat", "0.1.0");
    for name in
        ["my-strat_1763715600", "my_strat_1763715601", "my-strat-two_1763715600", "compare_my-strat_1_vs_my-strat_2"]
    {
        server.file(&format!("app/evals/{name}.json"), "{}");
    }
    let cards: Vec<String> = (0..600).map(|n| format!("my_strat_{n:03}")).collect();
    for (n, id) in cards.iter().enumerate() {
        let rate = if n == 555 { "0.9" } else { "0.1" };
        server.file(
            &format!("app/cards/my_strat/{id}.toml"),
            format!("created_at = \"{id}\"\n[stats]\npass_rate = {rate}\n"),
        );
    }
    let aliases = "[[alias]]\nname = \"best\"\ncard_id = \"my_strat_000\"\nset_at = \"x\"\n[[alias]]\nname = \"other\"\ncard_id = \"x\"\npkg = \"b\"\n";
    server.file("app/cards/_aliases.toml", format!("{aliases}# {}\n", "-".repeat(2 << 20)));
    let info = server.call("alc_hub_info", json!({"pkg": "my_strat"}));
    assert_eq!(info["stats"], json!({"card_count": 600, "eval_count": 2, "best_pass_rate": 0.9}));
    assert_eq!(
        (info["cards"].as_array().map(Vec::len), &info["cards"][0]["card_id"]),
        (Some(500), &json!("my_strat_599"))
    );
    let names: Vec<&Value> = info["aliases"].as_array().unwrap().iter().map(|alias| &alias["name"]).collect();
    assert_eq!(names, ["best"]);
    let found = server.call("alc_hub_search", json!({"query": "my_strat", "verbose": "full"}));
    assert_eq!(found["results"][0]["best_card"]["card_id"], "my_strat_555");
}
