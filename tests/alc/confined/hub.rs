//! Indices and documentation: where they are written, and what they never take the place of.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::Ship;

#[test]
fn an_index_and_pages_are_written_into_new_folders_of_the_project() {
    let mut ship = Ship::new();
    ship.package("granted/src/a", "0.1.0");
    let source = ship.text_of("granted/src");
    for _ in 0..2 {
        let done = ship.call("alc_hub_reindex", json!({"source_dir": source, "output_path": "dist/deep/index.json"}));
        assert_eq!(
            (&done["package_count"], &done["output_path"]),
            (&json!(1), &json!(ship.text_of("project/dist/deep/index.json")))
        );
        let done = ship.call("alc_hub_gendoc", json!({"source_dir": source, "out_dir": ship.text_of("project/docs")}));
        assert_eq!(done["out_dir"], ship.text_of("project/docs"));
        let done = ship
            .call("alc_hub_dist", json!({"source_dir": source, "out_dir": "site", "output_path": "site/index.json"}));
        assert_eq!(done["reindex"]["package_count"], 1);
    }
    assert!(ship.read("project/docs/narrative/a.md").contains("# a") && ship.has("project/site/hub/a.json"));
    ship.file("project/alc.toml", "[hub.dist]\npreset_catalog_version = \"preset-catalog@2027-01-01\"\n");
    let message = ship.refused("alc_hub_dist", json!({"source_dir": source}), "PRESET_CATALOG");
    assert!(message.contains("preset-catalog@2026-04-23"), "{message}");
}

#[test]
fn documentation_of_the_installed_is_no_package() {
    let mut ship = Ship::new();
    ship.package("app/packages/a", "0.1.0");
    ship.call("alc_hub_gendoc", json!({"source_dir": ship.text_of("app/packages")}));
    assert!(ship.has("app/packages/_docs/hub/a.json"));
    let listed = ship.call("alc_pkg_list", json!({"fields": ["name"]}));
    assert_eq!(listed["packages"], json!([{"name": "a"}]));
    let doctor = ship.call("alc_pkg_doctor", json!({}));
    assert_eq!((&doctor["incomplete_pkg"], &doctor["healthy"]), (&json!([]), &json!(["a"])));
    let template = json!({"ref": {"type": "ref/resource", "uri": "alc://packages/{name}/meta"}, "argument": {"name": "name", "value": ""}});
    let completed = ship.runner.0.call("completion/complete", template);
    // Any folder of a mount may be one.
    assert_eq!(completed["result"]["completion"]["values"], json!(["a", "mirror"]));
    assert_eq!(ship.call("alc_hub_search", json!({"query": "d"}))["total"], 1);
    assert_eq!(ship.call("alc_hub_info", json!({"pkg": "a"}))["stats"]["eval_count"], 0);
}

#[test]
fn nothing_but_an_index_and_pages_is_replaced() {
    let mut ship = Ship::new();
    ship.package("granted/src/a", "0.1.0");
    let (source, card) = (ship.text_of("granted/src"), "schema_version = \"card/v0\"\n");
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
        ship.file(file, if file.ends_with("json") { "{}" } else { card });
        let before = ship.read(file);
        for tool in ["alc_hub_reindex", "alc_hub_dist"] {
            let arguments = json!({"source_dir": source, "output_path": ship.text_of(file)});
            let (answer, failed) = ship.runner.call_tool(tool, arguments);
            let code = answer["error"]["code"].as_str().unwrap_or_default().to_owned();
            assert!(
                failed && ["INVALID_PATH", "PROTECTED", "NOT_REPLACED"].contains(&code.as_str()),
                "{file}: {answer}"
            );
        }
        assert_eq!(ship.read(file), before, "{file}");
    }
    for file in ["app/state/new.json", "app/packages/links.json", "project/.hidden/index.json"] {
        ship.refused("alc_hub_reindex", json!({"source_dir": source, "output_path": ship.text_of(file)}), "PROTECTED");
        assert!(!ship.has(file));
    }
    // A link leads to what it leads to.
    symlink("main.rs", ship.path("project/src/index.json")).unwrap();
    ship.refused("alc_hub_reindex", json!({"source_dir": source, "output_path": "src/index.json"}), "NOT_REPLACED");
    ship.call("alc_hub_reindex", json!({"source_dir": source, "output_path": ship.text_of("app/hub_cache/mine.json")}));

    ship.file("project/docs/hub/a.json", "{\"mine\":1}");
    ship.refused("alc_hub_gendoc", json!({"source_dir": source, "out_dir": "docs"}), "NOT_REPLACED");
    ship.file("project/docs/hub/a.json", "{\"name\":\"a\",\"docstring\":null,\"card_count\":1,\"best_card\":null}");
    ship.file("project/docs/narrative/a.md", "# Mine\n");
    ship.refused("alc_hub_gendoc", json!({"source_dir": source, "out_dir": "docs"}), "NOT_REPLACED");
    assert_eq!(ship.read("project/docs/narrative/a.md"), "# Mine\n");
    assert!(
        ship.read("project/docs/hub/a.json").contains("\"card_count\":1"),
        "nothing is written before all is looked at"
    );
    for out in ["app/cards", "app/packages/a", "project/.git"] {
        ship.refused("alc_hub_gendoc", json!({"source_dir": source, "out_dir": ship.text_of(out)}), "PROTECTED");
    }
}

#[test]
fn a_packages_runs_are_counted_by_whatever_name_their_files_have() {
    let mut ship = Ship::new();
    ship.package("app/packages/my_strat", "0.1.0");
    for name in
        ["my-strat_1763715600", "my_strat_1763715601", "my-strat-two_1763715600", "compare_my-strat_1_vs_my-strat_2"]
    {
        ship.file(&format!("app/evals/{name}.json"), "{}");
    }
    let cards: Vec<String> = (0..600).map(|n| format!("my_strat_{n:03}")).collect();
    for (n, id) in cards.iter().enumerate() {
        let rate = if n == 555 { "0.9" } else { "0.1" };
        ship.file(
            &format!("app/cards/my_strat/{id}.toml"),
            format!("created_at = \"{id}\"\n[stats]\npass_rate = {rate}\n"),
        );
    }
    let aliases = "[[alias]]\nname = \"best\"\ncard_id = \"my_strat_000\"\nset_at = \"x\"\n[[alias]]\nname = \"other\"\ncard_id = \"x\"\npkg = \"b\"\n";
    ship.file("app/cards/_aliases.toml", format!("{aliases}# {}\n", "-".repeat(2 << 20)));
    let info = ship.call("alc_hub_info", json!({"pkg": "my_strat"}));
    assert_eq!(info["stats"], json!({"card_count": 600, "eval_count": 2, "best_pass_rate": 0.9}));
    assert_eq!(
        (info["cards"].as_array().map(Vec::len), &info["cards"][0]["card_id"]),
        (Some(500), &json!("my_strat_599"))
    );
    let names: Vec<&Value> = info["aliases"].as_array().unwrap().iter().map(|alias| &alias["name"]).collect();
    assert_eq!(names, ["best"]);
    let found = ship.call("alc_hub_search", json!({"query": "my_strat", "verbose": "full"}));
    assert_eq!(found["results"][0]["best_card"]["card_id"], "my_strat_555");
}
