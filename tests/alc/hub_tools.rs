//! Tests of the tools of the hub: indices and documentation from sources alone, and searches.

use std::fs;

use serde_json::{Value, json};
use wardroom_alc::limits::{MAX_HUB_QUERY_BYTES, MAX_PATH_BYTES};

use super::package_fixture::{PackageFixture, names};

fn findings(fixture: &PackageFixture, lint: &str) -> Vec<String> {
    let done =
        fixture.call("alc_hub_gendoc", json!({"source_dir": fixture.path_text("granted"), "projections": [lint]}));
    let found = done["stdout"].as_str().unwrap().lines().filter(|line| !line.starts_with("wrote"));
    found.map(|line| line.split(':').next().unwrap().to_owned()).collect()
}

#[test]
fn reindex_describes_packages_by_their_sources() {
    let fixture = PackageFixture::new();
    fixture.package("app/packages/b", "0.2.0");
    fixture.package("granted/a", "0.1.0");
    fixture.install("granted/a");
    fixture.file("app/packages/nameless/init.lua", "return {}");
    fixture.file("app/packages/broken/init.lua", "return { meta = {");
    for (id, rate) in [("a_m_20260101T000000_aaaaaa", "0.5"), ("a_m_20260101T000000_bbbbbb", "1")] {
        let card = format!("card_id = \"{id}\"\n[model]\nid = \"m\"\n[stats]\npass_rate = {rate}\n");
        fixture.file(&format!("app/cards/a/{id}.toml"), card);
    }
    let done = fixture.call("alc_hub_reindex", json!({}));
    assert_eq!(
        (&done["package_count"], &done["output_path"]),
        (&json!(2), &json!(fixture.path_text("app/packages/hub_index.json")))
    );
    assert_eq!(names(&done["warnings"]).len(), 2);
    let index: Value = serde_json::from_str(&fixture.read("app/packages/hub_index.json")).unwrap();
    assert_eq!((&index["schema_version"], &index["updated_at"]), (&json!("hub_index/v0"), &done["updated_at"]));
    let packages = index["packages"].as_array().unwrap();
    assert_eq!(packages.iter().map(|p| p["name"].as_str().unwrap()).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!((&packages[0]["card_count"], &packages[0]["best_card"]["pass_rate"]), (&json!(2), &json!(1.0)));
    assert_eq!(packages[0]["source"]["type"], "path");
    assert_eq!(packages[1]["source"], json!({"type": "unknown"}));
    assert_eq!(packages[1]["description"], "about b");
    assert!(packages[1]["docstring"].as_str().unwrap().starts_with("b — does something"));

    let other = json!({"source_dir": fixture.path_text("granted"), "output_path": "dist/deep/index.json"});
    assert_eq!(fixture.call("alc_hub_reindex", other)["package_count"], 1);
    assert!(fixture.has("project/dist/deep/index.json"));
    for (key, path, flags) in
        [("source_dir", "elsewhere", " --as files --read-only"), ("output_path", "elsewhere/x.json", " --as files")]
    {
        let path = fixture.path_text(path);
        let (code, message) = fixture.refused("alc_hub_reindex", json!({key: path}));
        assert_eq!(code, "NOT_MOUNTED");
        // A grant covers a folder.
        assert!(
            message.contains(&format!("mount add elsewhere '{}'{flags}`", fixture.path_text("elsewhere"))),
            "{message}"
        );
    }
    assert!(!fixture.has("elsewhere/x.json"));
}

#[test]
fn generated_files_come_into_no_protected_folder_by_default() {
    let fixture = PackageFixture::new();
    fixture.file("project/.git/hooks/post-commit", "");
    for folder in ["cards", "scenarios", "types"] {
        fixture.file(&format!("app/{folder}/kept"), "");
    }
    let folders = ["project/.git/hooks", "app/cards", "app/scenarios", "app/types"].map(|name| fixture.path_text(name));
    for folder in folders {
        for (tool, name) in
            [("alc_hub_reindex", "source_dir"), ("alc_hub_gendoc", "source_dir"), ("alc_init", "project_root")]
        {
            let (code, message) = fixture.refused(tool, json!({name: folder}));
            assert_eq!(code, "PROTECTED", "{tool} {folder}: {message}");
        }
    }
    assert_eq!(fs::read_dir(fixture.path("project/.git/hooks")).unwrap().count(), 1);
    assert_eq!(fs::read_dir(fixture.path("app/cards")).unwrap().count(), 1);
}

#[test]
fn reindex_lists_each_of_many_packages_once() {
    let fixture = PackageFixture::new();
    for n in 0..60 {
        fixture.package(&format!("granted/many/p{n:02}"), &format!("0.{n}.0"));
    }
    let path = fixture.path_text("granted/many");
    assert_eq!(fixture.call("alc_hub_reindex", json!({"source_dir": path}))["package_count"], 60);
    let index: Value = serde_json::from_str(&fixture.read("granted/many/hub_index.json")).unwrap();
    for (n, package) in index["packages"].as_array().unwrap().iter().enumerate() {
        assert_eq!((&package["name"], &package["version"]), (&json!(format!("p{n:02}")), &json!(format!("0.{n}.0"))));
    }
}

#[test]
fn search_finds_installed_and_cached_packages() {
    let fixture = PackageFixture::new();
    fixture.package("app/packages/local", "0.1.0");
    let cached = json!({"schema_version": "hub_index/v0", "packages": [
        {"name": "remote", "version": "9", "description": "far away", "category": "routing", "docstring": "Talks of Penguins"},
        {"name": "local", "version": "0.0.1", "description": "older", "category": "x"},
    ]});
    fixture.file("app/hub_cache/0123456789abcdef.json", cached.to_string());
    let found = fixture.call("alc_hub_search", json!({}));
    assert_eq!((&found["total"], names(&found["sources"])), (&json!(2), vec!["local", "cache"]));
    assert_eq!(
        found["results"][0],
        json!({"name": "local", "version": "0.1.0", "description": "about local", "category": "reasoning", "installed": true, "docstring_matched": false})
    );
    assert_eq!((&found["results"][1]["name"], &found["results"][1]["installed"]), (&json!("remote"), &json!(false)));
    assert!(names(&found["warnings"])[0].contains("[network] hub = false"));
    let found_by = |arguments: Value| -> Vec<String> {
        let found = fixture.call("alc_hub_search", arguments);
        found["results"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(found_by(json!({"query": "PENGUINS far"})), ["remote"]);
    assert_eq!(found_by(json!({"category": "reasoning"})), ["local"]);
    assert_eq!(found_by(json!({"installed_only": true})), ["local"]);
    assert_eq!(found_by(json!({"filter": "{\"installed\":false}"})), ["remote"]);
    assert_eq!(found_by(json!({"sort": "-name", "limit": 1})), ["remote"]);
    assert_eq!(found_by(json!({"query": "nothing of this"})), Vec::<String>::new());
    // A part of a word finds as well, after the words themselves.
    assert_eq!(found_by(json!({"query": "remo"})), ["remote"]);
    let matched = fixture.call("alc_hub_search", json!({"query": "penguins", "fields": ["docstring_matched"]}));
    assert_eq!(matched["results"], json!([{"docstring_matched": true}]));

    let info = fixture.call("alc_hub_info", json!({"pkg": "remote"}));
    assert_eq!((&info["pkg"]["installed"], &info["pkg"]["version"]), (&json!(false), &json!("9")));
    let (code, message) = fixture.refused("alc_hub_info", json!({"pkg": "unknown"}));
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("NOT_FOUND", "Package 'unknown' not found in remote indices or locally installed packages")
    );
    let (_, message) = fixture.refused("alc_hub_info", json!({"pkg": "remoet"}));
    assert!(message.ends_with("; did you mean 'remote'?"), "{message}");
}

#[test]
fn search_ranks_by_natural_language_and_tolerates_mistakes() {
    let fixture = PackageFixture::new();
    let packages = [
        ("quick_vote", "selection", "Samples several answers and takes the one with most votes", json!(["majority"])),
        ("panel", "debate", "Lets personas discuss a question, and a moderator summarizes", json!([])),
        ("cot", "reasoning", "Thinks step by step, then answers", json!(["chain of thought"])),
        ("compare", "selection", "Judges pairs of candidates, one comparison at a time", json!(["tournament"])),
        ("reflect", "refinement", "Criticizes its own draft and revises it", json!(null)),
    ];
    let packages = packages.map(|(name, category, description, tags)| {
        json!({"name": name, "version": "1", "category": category, "description": description, "tags": tags})
    });
    let cached = json!({"schema_version": "hub_index/v0", "packages": packages});
    fixture.file("app/hub_cache/0123456789abcdef.json", cached.to_string());
    let found_by = |arguments: Value| -> Vec<String> {
        let found = fixture.call("alc_hub_search", arguments);
        found["results"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
    };
    let best = |query: &str| found_by(json!({"query": query})).first().cloned().unwrap_or_default();
    assert_eq!(best("sample several answers and vote"), "quick_vote");
    assert_eq!(best("let several people discuss it"), "panel");
    assert_eq!(best("majority"), "quick_vote");
    assert_eq!(best("thinking in steps"), "cot");
    assert_eq!(best("revising and critcizing a draft"), "reflect");
    assert_eq!(best("quik vote"), "quick_vote");
    assert_eq!(best("tournaments of candidates"), "compare");
    // An order that is given is kept, and so are filters.
    let sorted = found_by(json!({"query": "answers and vote", "sort": "name"}));
    assert!(sorted.is_sorted() && sorted.contains(&"quick_vote".to_owned()), "{sorted:?}");
    assert_eq!(found_by(json!({"query": "vote", "category": "debate"})), Vec::<String>::new());
}

#[test]
fn hub_info_counts_cards_and_evals() {
    let fixture = PackageFixture::new();
    fixture.package("app/packages/a", "0.1.0");
    fixture.file(
        "app/cards/a/a_m_1.toml",
        "created_at = \"2026-01-01T00:00:00Z\"\n[scenario]\nname = \"s\"\n[stats]\npass_rate = 0.25\n",
    );
    fixture.file("app/cards/_aliases.toml", "[[alias]]\nname = \"best\"\ncard_id = \"a_m_1\"\nset_at = \"2026-01-01T00:00:00Z\"\n[[alias]]\nname = \"other\"\ncard_id = \"b\"\npkg = \"b\"\n");
    for name in ["a_1763715600.json", "a_1763715600.meta.json", "a_b_1763715600.json", "a_2.json"] {
        fixture.file(&format!("app/evals/{name}"), "{}");
    }
    let info = fixture.call("alc_hub_info", json!({"pkg": "a"}));
    assert_eq!(info["stats"], json!({"card_count": 1, "eval_count": 2, "best_pass_rate": 0.25}));
    assert_eq!(info["cards"][0]["scenario"], "s");
    assert_eq!(info["aliases"].as_array().unwrap().len(), 1);
}

#[test]
fn gendoc_renders_metadata_and_comments() {
    let fixture = PackageFixture::new();
    fixture.package("granted/a", "0.1.0");
    fixture.file("granted/evil/init.lua", "--- evil\nreturn { meta = { name = 'evil', version = '1', category = 'x\\n---\\ny: z', description = 'two\\nlines' } }");
    let done = fixture.call("alc_hub_gendoc", json!({"source_dir": fixture.path_text("granted"), "out_dir": "site"}));
    assert_eq!(done["out_dir"], fixture.path_text("project/site"));
    let page = "---\nname: \"a\"\nversion: \"0.1.0\"\ncategory: \"reasoning\"\ndescription: \"about a\"\n---\n\n# a — does something\n\n> about a\n\n## Contents\n\n- [Usage](#usage)\n\n## Usage\n\n  it\n";
    assert_eq!(fixture.read("project/site/narrative/a.md"), page);
    let evil = fixture.read("project/site/narrative/evil.md");
    assert_eq!(evil.lines().filter(|line| *line == "---").count(), 2);
    assert!(evil.contains("> two\n> lines\n"));
    let hub: Value = serde_json::from_str(&fixture.read("project/site/hub/a.json")).unwrap();
    assert_eq!(hub["version"], "0.1.0");

    for (name, code) in
        [("context7", "PROJECTION_UNAVAILABLE"), ("llms", "PROJECTION_UNAVAILABLE"), ("x", "UNKNOWN_PROJECTION")]
    {
        let arguments =
            json!({"source_dir": fixture.path_text("granted"), "projections": ["hub", name], "out_dir": "none"});
        let (found, message) = fixture.refused("alc_hub_gendoc", arguments);
        assert_eq!(found, code);
        assert!(message.starts_with("gendoc: "), "{message}");
    }
    assert!(!fixture.has("project/none"));
    for (key, path) in [("source_dir", "elsewhere"), ("out_dir", "elsewhere/out"), ("config_path", "elsewhere/c.toml")]
    {
        let mut arguments = json!({"source_dir": fixture.path_text("granted"), "projections": ["hub"]});
        arguments[key] = fixture.path_text(path).into();
        assert_eq!(fixture.refused("alc_hub_gendoc", arguments).0, "NOT_MOUNTED", "{key}");
    }
    fixture.file("project/options.json", "{}");
    let arguments = json!({"source_dir": fixture.path_text("granted"), "config_path": "options.json"});
    assert_eq!(fixture.refused("alc_hub_gendoc", arguments).0, "INVALID_CONFIG");
}

#[test]
fn lint_reports_findings_and_fails_when_strict() {
    let fixture = PackageFixture::new();
    fixture.package("granted/good", "0.1.0");
    assert_eq!(findings(&fixture, "lint"), ["W_SHAPES_UNDECLARED good"]);
    fixture.file(
        "granted/bad/init.lua",
        "--- bad\n---\n--- # Heading\nreturn { meta = { name = 'other', version = 1, description = 'a\\nb' } }",
    );
    let expected = [
        "E_META_MISSING_VERSION bad",
        "E_META_MISSING_CATEGORY bad",
        "E_NAME_MISMATCH bad",
        "E_H1_IN_DOCSTRING bad",
        "W_DESCRIPTION_MULTILINE bad",
        "W_SHAPES_UNDECLARED bad",
        "W_SHAPES_UNDECLARED good",
    ];
    assert_eq!(findings(&fixture, "lint_only"), expected);
    fixture.file("granted/empty/init.lua", "--- Only a title\nreturn { meta = { alc_shapes_compat = '1' } }");
    let found: Vec<String> =
        findings(&fixture, "lint").into_iter().filter(|finding| finding.ends_with(" empty")).collect();
    let expected = ["NAME", "VERSION", "DESCRIPTION", "CATEGORY"].map(|key| format!("E_META_MISSING_{key} empty"));
    assert_eq!(found, [&expected[..], &["W_EMPTY_NARRATIVE empty".to_owned()]].concat());
    let strict = json!({"source_dir": fixture.path_text("granted"), "projections": ["hub", "lint"], "lint_strict": true, "out_dir": "out"});
    assert_eq!(fixture.refused("alc_hub_gendoc", strict).0, "LINT_FAILED");
    assert!(!fixture.has("project/out"));
}

#[test]
fn dist_prefers_arguments_over_project_over_built_in_preset() {
    let fixture = PackageFixture::new();
    fixture.package("granted/p/a", "0.1.0");
    let source = fixture.path_text("granted/p");
    let dist = |more: Value| {
        let mut arguments = json!({"source_dir": source});
        for (key, value) in more.as_object().unwrap() {
            arguments[key] = value.clone();
        }
        let out = fixture.path("granted/p/docs");
        if out.exists() {
            fs::remove_dir_all(&out).unwrap();
        }
        arguments
    };
    let made = || (fixture.has("granted/p/docs/hub/a.json"), fixture.has("granted/p/docs/narrative/a.md"));
    let done = fixture.call("alc_hub_dist", dist(json!({"preset": "publish"})));
    assert_eq!(done["preset_catalog_version"], "preset-catalog@2026-04-23");
    assert_eq!((&done["reindex"]["package_count"], made()), (&json!(1), (true, false)));
    assert!(done["gendoc"]["stdout"].as_str().unwrap().contains("W_SHAPES_UNDECLARED"));
    fixture.file("project/alc.toml", "[hub.dist.presets.publish]\nprojections = [\"narrative\"]\n[hub.dist.presets.mine]\nlint_strict = true\nprojections = [\"lint\"]\n");
    fixture.call("alc_hub_dist", dist(json!({"preset": "publish"})));
    assert_eq!(made(), (false, true));
    fixture.call("alc_hub_dist", dist(json!({"preset": "publish", "projections": ["hub"]})));
    assert_eq!(made(), (true, false));
    fixture.call("alc_hub_dist", dist(json!({})));
    assert_eq!(made(), (true, true));
    assert_eq!(fixture.refused("alc_hub_dist", dist(json!({"preset": "x"}))).0, "UNKNOWN_PRESET");
    fixture.file("granted/p/b/init.lua", "return { meta = { name = 'other' } }");
    let (code, message) = fixture.refused("alc_hub_dist", dist(json!({"preset": "mine"})));
    assert_eq!(code, "LINT_FAILED");
    assert!(message.starts_with("dist: gendoc failed: "), "{message}");
    fixture.call("alc_hub_dist", dist(json!({"preset": "mine", "lint_strict": false})));
    let (_, message) = fixture.refused("alc_hub_dist", json!({"source_dir": fixture.path_text("elsewhere")}));
    assert!(message.starts_with("dist: reindex failed: "), "{message}");
}

#[test]
fn long_path_or_query_is_refused_at_once() {
    let fixture = PackageFixture::new();
    fixture.package("app/packages/p", "1");
    let path = fixture.path_text(&"x/".repeat(MAX_PATH_BYTES));
    for (tool, name) in
        [("alc_hub_reindex", "source_dir"), ("alc_pkg_list", "project_root"), ("alc_init", "project_root")]
    {
        let (code, message) = fixture.refused(tool, json!({name: path}));
        assert_eq!((code.as_str(), message.as_str()), ("INVALID_PATH", "the path is longer than 4096 bytes"), "{tool}");
    }
    let query = |bytes: usize| json!({"query": "x ".repeat(bytes / 2)});
    assert_eq!(fixture.call("alc_hub_search", query(MAX_HUB_QUERY_BYTES))["total"], 0);
    assert_eq!(fixture.refused("alc_hub_search", query(MAX_HUB_QUERY_BYTES + 2)).0, "invalid_arguments");
}
