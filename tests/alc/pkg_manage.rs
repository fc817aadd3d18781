//! The list, links, removal, repair and scaffold of packages, and the files of a project.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};
use wardroom_alc::limits::MAX_ORDER_KEYS;
use wardroom_service::ServiceError;

use super::package_fixture::{PackageFixture, names};

fn row<'v>(listed: &'v Value, name: &str, scope: &str) -> &'v Value {
    let rows = listed["packages"].as_array().unwrap();
    rows.iter().find(|row| row["name"] == name && row["scope"] == scope).unwrap_or_else(|| panic!("{name}: {listed}"))
}

#[test]
fn list_shows_every_scope_and_the_active_location() {
    let fixture = PackageFixture::new();
    fixture.package("app/packages/p", "0.1.0");
    fixture.package("granted/p", "0.2.0");
    fixture.package("project/own/p", "0.3.0");
    fixture.file("project/alc.local.toml", "[packages]\np = { path = \"own/p\" }\ngone = { path = \"own/gone\" }\n");
    fixture
        .file("app/packages/loops/init.lua", "while true do end\nreturn { meta = { name = 'loops', version = '9' } }");
    fixture.file(
        "app/packages/installed.json",
        r#"{"packages":{"p":{"source":{"type":"bundled"},"installed_at":"2026-01-01T00:00:00Z"}}}"#,
    );
    let listed = fixture.call("alc_pkg_list", json!({"verbose": "full"}));
    assert_eq!(listed["total"], 5);
    let (variant, global) = (row(&listed, "p", "variant"), row(&listed, "p", "global"));
    assert_eq!((&variant["active"], &variant["version"]), (&json!(true), &json!("0.3.0")));
    assert_eq!(variant["overrides"], 2);
    assert_eq!((&global["active"], &global["installed_at"]), (&json!(false), &json!("2026-01-01T00:00:00Z")));
    // A package that would loop forever is read, not run.
    assert_eq!(row(&listed, "loops", "global")["version"], "9");
    assert_eq!(row(&listed, "gone", "variant")["broken"], true);
    assert_eq!(listed["search_paths"].as_array().unwrap().len(), 2);

    let fields = json!({"fields": ["name", "description"], "filter": {"version": "0.2.0"}, "sort": "name"});
    let listed = fixture.call("alc_pkg_list", fields);
    assert_eq!(listed["packages"], json!([{"name": "p", "description": "about p"}]));
    // A filter may be JSON text, and a limit of 0 means no limit.
    let listed = fixture.call("alc_pkg_list", json!({"filter": "{\"scope\":\"global\"}", "limit": 0}));
    assert_eq!(listed["total"], 3);
    let listed = fixture.call("alc_pkg_list", json!({"limit": 1}));
    assert_eq!((listed["packages"].as_array().unwrap().len(), &listed["total"]), (1, &json!(5)));
    let (code, message) = fixture.refused("alc_pkg_list", json!({"verbose": "x"}));
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("INVALID_VERBOSE", "invalid verbose value \"x\" (expected \"summary\" or \"full\")")
    );
}

#[test]
fn package_metadata_cannot_override_known_fields() {
    let fixture = PackageFixture::new();
    fixture.file(
        "app/packages/liar/init.lua",
        "return { meta = { name = 'cot', active = false, error = 'x', scope = 'y', version = '1' } }",
    );
    let listed = fixture.call("alc_pkg_list", json!({"verbose": "full"}));
    let liar = row(&listed, "liar", "global");
    assert_eq!((&liar["active"], &liar["version"], liar.get("error")), (&json!(true), &json!("1"), None));
}

#[test]
fn metadata_of_any_size_takes_memory_only_where_it_is_shown() {
    const BUDGET: usize = 2 * 1024 * 1024;
    let fixture = PackageFixture::new();
    // 48 KB of text, and some 5 MB as a value.
    let tables = "{a=1},".repeat(8_000);
    fixture.file(
        "app/packages/p/init.lua",
        format!("return {{ meta = {{ name = 'p', version = '1', x = {{{tables}}} }} }}"),
    );
    let list = |fields: Value| fixture.call_within(BUDGET, "alc_pkg_list", json!({"fields": fields}));
    assert_eq!(list(json!(["name", "version"])).unwrap()["packages"], json!([{"name": "p", "version": "1"}]));
    for fields in [json!(["x"]), json!(["meta"])] {
        match list(fields) {
            Err(ServiceError::Tool { code, .. }) => assert_eq!(code.as_str(), "OUT_OF_MEMORY"),
            other => panic!("{other:?}"),
        }
    }
    for tool in ["alc_pkg_doctor", "alc_hub_reindex"] {
        fixture.call_within(BUDGET, tool, json!({})).unwrap();
    }
    assert_eq!(fixture.call_within(BUDGET, "alc_hub_search", json!({"query": "p"})).unwrap()["total"], 1);
    fixture.file(
        "app/hub_cache/hub.json",
        format!(
            r#"{{"schema_version": "hub_index/v0", "packages": [{{"name": "q", "x": [{}1]}}]}}"#,
            r#"{"a":0},"#.repeat(30_000)
        ),
    );
    let search = |fields: Value| fixture.call_within(BUDGET, "alc_hub_search", json!({"query": "q", "fields": fields}));
    assert_eq!(search(json!(["name"])).unwrap()["results"], json!([{"name": "q"}]));
    assert!(matches!(search(json!(["x"])), Err(ServiceError::Tool { code, .. }) if code.as_str() == "OUT_OF_MEMORY"));
}

#[test]
fn sort_has_few_keys() {
    let fixture = PackageFixture::new();
    fixture.package("app/packages/p", "1");
    for tool in ["alc_pkg_list", "alc_hub_search"] {
        let sorted = |n: usize| json!({"sort": vec!["name"; n].join(",")});
        assert_eq!(fixture.call(tool, sorted(MAX_ORDER_KEYS))["total"], 1);
        let refused = fixture.refused(tool, sorted(MAX_ORDER_KEYS + 1));
        assert_eq!(refused, ("INVALID_SORT".to_owned(), "sort: there are more than 16 keys".to_owned()));
    }
}

#[test]
fn links_are_followed_only_into_granted_folders() {
    let fixture = PackageFixture::new();
    fixture.package("granted/src/panel", "0.4.0");
    fixture.package("project/own", "0.1.0");
    fixture.package("elsewhere/out", "0.1.0");
    fixture.package("app/drafts/draft", "0.5.0");
    let linked = fixture.call("alc_pkg_link", json!({"path": fixture.path_text("granted/src")}));
    assert_eq!((names(&linked["linked"]), &linked["mode"]), (vec!["panel"], &json!("collection")));
    assert_eq!(linked["restart_required"], true);
    fixture.call("alc_pkg_link", json!({"path": fixture.path_text("app/drafts/draft"), "name": "d"}));
    let listed = fixture.call("alc_pkg_list", json!({"verbose": "full"}));
    assert_eq!(row(&listed, "panel", "global")["version"], "0.4.0");
    assert_eq!(row(&listed, "d", "global")["version"], "0.5.0");
    let catalogue = fixture.catalogue();
    let context = wardroom_service::RequestInfo::new(&catalogue);
    let read = |uri: &str| catalogue.read_blocking(uri, &context).map(|content| content.text);
    assert!(read("alc://packages/panel/meta").unwrap().contains("0.4.0"));
    assert!(read("alc://packages/d/meta").unwrap().contains("0.5.0"));
    // A link that another program made to an ungranted folder is not followed.
    symlink(fixture.path("elsewhere/out"), fixture.path("app/packages/out")).unwrap();
    assert!(read("alc://packages/out/meta").unwrap_err().to_string().contains("leads outside"));
    let doctor = fixture.call("alc_pkg_doctor", json!({}));
    assert_eq!(doctor["symlink_dangling"][0]["name"], "out");

    for path in ["elsewhere/out", "project/own"] {
        let (code, message) = fixture.refused("alc_pkg_link", json!({"path": fixture.path_text(path)}));
        assert_eq!(code, "NOT_MOUNTED", "{path}");
        assert!(message.contains("wardroom mount add "), "{message}");
    }
    fixture.package("granted/odd/1bad", "1");
    let (code, message) = fixture.refused("alc_pkg_link", json!({"path": fixture.path_text("granted/odd/1bad")}));
    assert!(code == "INVALID_NAME" && message.contains("a letter first"), "{code} {message}");
    assert_eq!(fixture.refused("alc_pkg_link", json!({"path": fixture.path_text("granted/odd")})).0, "NOT_A_PACKAGE");
    // An installed package is replaced only with `force`.
    fixture.package("app/packages/panel2", "1");
    let args = |force: bool| json!({"path": fixture.path_text("granted/src/panel"), "name": "panel2", "force": force});
    assert_eq!(fixture.refused("alc_pkg_link", args(false)).0, "EXISTS");
    fixture.call("alc_pkg_link", args(true));
    assert!(!fixture.has("app/packages/panel2"));
    assert!(fixture.read("app/packages/.links.toml").contains("panel2 = { path = "));

    // What is in the package that a link replaces would be removed with it.
    fixture.package("app/packages/nest/nest", "1");
    symlink("nest", fixture.path("app/packages/alias")).unwrap();
    for path in ["app/packages/nest/nest", "app/packages/alias/nest"] {
        let nested = json!({"path": fixture.path_text(path), "force": true});
        assert_eq!(fixture.refused("alc_pkg_link", nested).0, "EXISTS", "{path}");
        assert!(fixture.has("app/packages/nest/nest/init.lua"), "{path}");
    }
    fs::remove_dir_all(fixture.path("app/packages/nest")).unwrap();
    fs::remove_file(fixture.path("app/packages/alias")).unwrap();

    assert_eq!(fixture.call("alc_pkg_unlink", json!({"name": "panel"}))["unlinked"], "panel");
    assert!(fixture.has("granted/src/panel/init.lua") && read("alc://packages/panel/meta").is_err());
    assert_eq!(fixture.refused("alc_pkg_unlink", json!({"name": "panel"})).0, "NOT_FOUND");
    fixture.package("app/packages/real", "1");
    assert_eq!(fixture.refused("alc_pkg_unlink", json!({"name": "real"})).0, "NOT_LINKED");
    fixture.assert_no_leftovers();
}

#[test]
fn variant_link_edits_one_entry_and_keeps_the_rest() {
    let fixture = PackageFixture::new();
    fixture.package("project/own/v", "0.1.0");
    fixture.package("granted/g", "0.2.0");
    fixture.file("project/alc.local.toml", "# here only\n[packages]\nold = { path = \"x\" } # kept\n");
    let linked = fixture.call("alc_pkg_link", json!({"path": "own/v", "scope": "variant"}));
    assert_eq!((names(&linked["linked"]), &linked["scope"]), (vec!["v"], &json!("variant")));
    fixture.call("alc_pkg_link", json!({"path": fixture.path_text("granted/g"), "scope": "variant"}));
    let again = fixture.call("alc_pkg_link", json!({"path": "own/v", "scope": "variant"}));
    assert_eq!(names(&again["linked"]), Vec::<&str>::new());
    let expected = format!(
        "# here only\n[packages]\nold = {{ path = \"x\" }} # kept\nv = {{ path = \"own/v\" }}\ng = {{ path = \"{}\" }}\n",
        fixture.path_text("granted/g")
    );
    assert_eq!(fixture.read("project/alc.local.toml"), expected);
    assert_eq!(fixture.call("alc_pkg_unlink", json!({"name": "v"}))["scope"], "variant");
    assert!(!fixture.read("project/alc.local.toml").contains("own/v"));
    let (code, _) =
        fixture.refused("alc_pkg_link", json!({"path": fixture.path_text("elsewhere"), "scope": "variant"}));
    assert_eq!(code, "NOT_MOUNTED");
}

#[test]
fn update_resolves_pinned_versions_and_paths() {
    let fixture = PackageFixture::new();
    fixture.package("app/packages/p", "0.1.0");
    fixture.package("project/lib/q", "0.7.0");
    fixture.file("project/alc.toml", "[packages]\np = \"0.1.0\"\nq = { path = \"lib/q\" }\nany = \"*\"\nr = { git = \"https://example.org/r\" }\ns = \"3\"\n");
    let updated = fixture.call("alc_update", json!({}));
    let resolved: Vec<&str> =
        updated["resolved"].as_array().unwrap().iter().map(|r| r["name"].as_str().unwrap()).collect();
    assert_eq!(resolved, ["p", "q"]);
    let errors = updated["errors"].as_array().unwrap();
    assert_eq!(
        errors.iter().map(|e| e["error"].as_str().unwrap()).collect::<Vec<_>>(),
        ["Package 'any' is not installed", "Git source not supported in Phase 1", "Package 's' is not installed",]
    );
    assert!(fixture.has("app/packages/p@0.1.0/init.lua"));
    let lock = fixture.read("project/alc.lock");
    assert!(
        lock.contains("version = 1\n") && lock.contains("name = \"p\"") && lock.contains("path = \"lib/q\""),
        "{lock}"
    );
    // A newer version is installed, and the project still uses its pinned copy.
    fixture.package("granted/new/p", "0.2.0");
    fixture.install("granted/new/p");
    let catalogue = fixture.catalogue();
    let context = wardroom_service::RequestInfo::new(&catalogue);
    let meta = |name: &str| catalogue.read_blocking(&format!("alc://packages/{name}/meta"), &context).unwrap().text;
    assert!(meta("p").contains("\"0.1.0\""));
    assert!(meta("q").contains("\"0.7.0\""));
    let listed = fixture.call("alc_pkg_list", json!({"filter": {"active": true}, "sort": "name"}));
    assert_eq!(row(&listed, "p", "project")["version"], "0.1.0");
    // Without a copy, the installed version does not satisfy the pin.
    fixture.file("project/alc.toml", "[packages]\np = \"0.9.0\"\n");
    let updated = fixture.call("alc_update", json!({}));
    assert_eq!(updated["errors"][0]["error"], "the project requires p 0.9.0, but 0.2.0 is installed");
}

#[test]
fn remove_deletes_references_and_keeps_files() {
    let fixture = PackageFixture::new();
    fixture.file("project/alc.toml", "[packages]\n");
    fixture.package("granted/p", "0.1.0");
    fixture.install("granted/p");
    fixture.call("alc_update", json!({}));
    let removed = fixture.call("alc_pkg_remove", json!({"name": "p"}));
    assert_eq!(
        (&removed["scope"], &removed["alc_toml"], &removed["alc_lock"]),
        (&json!("project"), &json!(true), &json!(true))
    );
    assert!(!fixture.read("project/alc.toml").contains("p ="));
    assert_eq!(
        fixture.refused("alc_pkg_remove", json!({"name": "p", "scope": "global", "version": "7"})).0,
        "NOT_FOUND"
    );
    let removed = fixture.call("alc_pkg_remove", json!({"name": "p", "scope": "all"}));
    assert_eq!(removed["installed_json"], true);
    assert!(fixture.has("app/packages/p/init.lua"));
}

#[test]
fn doctor_finds_what_repair_fixes() {
    let fixture = PackageFixture::new();
    for name in ["fine", "lost", "half"] {
        fixture.package(&format!("granted/src/{name}"), "0.1.0");
    }
    fixture.file("granted/src/half/m.lua", "return 1");
    fixture.install("granted/src");
    fs::remove_dir_all(fixture.path("app/packages/lost")).unwrap();
    fs::remove_file(fixture.path("app/packages/half/init.lua")).unwrap();
    fixture.package("app/packages/stray", "1");
    fixture.file("app/packages/broken/init.lua", "return { meta = {");
    fixture.file("project/alc.local.toml", "[packages]\nv = { path = \"nowhere\" }\n");
    let names_of = |value: &Value| -> Vec<String> {
        value.as_array().unwrap().iter().map(|f| f["name"].as_str().unwrap().to_owned()).collect()
    };
    let found = fixture.call("alc_pkg_doctor", json!({}));
    assert_eq!(names(&found["healthy"]), ["fine", "stray"]);
    assert_eq!(names_of(&found["installed_missing"]), ["lost"]);
    assert_eq!(names_of(&found["incomplete_pkg"]), ["half"]);
    assert_eq!(names_of(&found["path_missing"]), ["v"]);
    assert_eq!(names_of(&found["unreadable"]), ["broken"]);
    assert_eq!(names(&found["unrecorded"]), ["broken", "stray"]);
    let repaired = fixture.call("alc_pkg_repair", json!({}));
    assert_eq!(names(&repaired["repaired"]), ["half", "lost"]);
    assert_eq!(names(&repaired["skipped"]), ["fine"]);
    assert_eq!(fixture.read("app/packages/half/m.lua"), "return 1");
    assert_eq!(fixture.refused("alc_pkg_doctor", json!({"name": "unknown"})).0, "NOT_FOUND");
}

#[test]
fn scaffolded_package_is_readable_by_the_extractor() {
    let fixture = PackageFixture::new();
    let nasty = "a \"quoted\" one\\ with ]] and -- and\nlines, é→\u{7}";
    let made = fixture.call("alc_pkg_scaffold", json!({"name": "my_pkg", "category": "x\"y", "description": nasty}));
    assert_eq!(made["path"], fixture.path_text("app/packages/my_pkg/init.lua"));
    assert_eq!(
        made["bytes_written"].as_u64().unwrap(),
        fs::metadata(fixture.path("app/packages/my_pkg/init.lua")).unwrap().len()
    );
    let listed = fixture
        .call("alc_pkg_list", json!({"fields": ["name", "version", "description", "category", "alc_shapes_compat"]}));
    assert_eq!(
        listed["packages"],
        json!([{"name": "my_pkg", "version": "0.1.0", "description": nasty, "category": "x\"y"}])
    );
    // With the package that the original's skeleton needs, it is used.
    fixture.file("app/packages/alc_shapes/init.lua", "return {}");
    fixture.call("alc_pkg_scaffold", json!({"name": "shaped", "category": "x\"y", "description": nasty}));
    let listed =
        fixture.call("alc_pkg_list", json!({"fields": ["name", "alc_shapes_compat"], "filter": {"name": "shaped"}}));
    assert_eq!(listed["packages"], json!([{"name": "shaped", "alc_shapes_compat": ">=0.25.0, <0.26"}]));
    fs::remove_dir_all(fixture.path("app/packages/shaped")).unwrap();
    fs::remove_dir_all(fixture.path("app/packages/alc_shapes")).unwrap();
    let (code, message) = fixture.refused("alc_pkg_scaffold", json!({"name": "my_pkg"}));
    assert_eq!(code, "EXISTS");
    assert!(message.starts_with("package skeleton already exists at "), "{message}");
    for name in ["", "A", "1a", "a-b", "../x", &"a".repeat(65)] {
        let (code, message) = fixture.refused("alc_pkg_scaffold", json!({"name": name}));
        assert_eq!(code, "INVALID_NAME");
        assert!(message.starts_with("invalid package name \""), "{message}");
    }
    fixture.call("alc_pkg_scaffold", json!({"name": "there", "target_dir": "src/packages"}));
    assert!(fixture.has("project/src/packages/there/init.lua"));
    let outside = json!({"name": "x", "target_dir": fixture.path_text("elsewhere")});
    assert_eq!(fixture.refused("alc_pkg_scaffold", outside).0, "NOT_MOUNTED");
    let index = fixture.call("alc_hub_reindex", json!({}));
    assert_eq!(index["package_count"], 1);
}

#[test]
fn init_creates_a_project_once() {
    let mut fixture = PackageFixture::new();
    fixture.file("project/.gitignore", "target");
    let begun = fixture.call("alc_init", json!({}));
    assert_eq!(begun["gitignore_updated"], true);
    assert_eq!(fixture.read("project/.gitignore"), "target\nalc.local.toml\n.alc-install.lock\n");
    assert!(fixture.read("project/alc.toml").contains("[packages]"));
    assert_eq!(fixture.refused("alc_init", json!({})).0, "EXISTS");
    fs::create_dir(fixture.path("granted/other")).unwrap();
    fixture.call("alc_init", json!({"project_root": fixture.path_text("granted/other")}));
    assert!(fixture.has("granted/other/alc.toml"));
    let outside = json!({"project_root": fixture.path_text("elsewhere")});
    assert_eq!(fixture.refused("alc_init", outside).0, "NOT_MOUNTED");
    fixture.with_project = false;
    assert_eq!(fixture.refused("alc_init", json!({})).0, "NO_PROJECT");
}

#[test]
fn legacy_lock_is_migrated_and_backed_up() {
    let fixture = PackageFixture::new();
    assert_eq!(
        fixture.call("alc_migrate", json!({})),
        json!({"status": "nothing to migrate", "migrated": [], "reason": "alc.lock not found"})
    );
    let old = "[[package]]\nname = \"a\"\nlinked_at = \"2026-01-01\"\n[package.source]\ntype = \"local_dir\"\npath = \"../granted/a\"\n\n[[package]]\nname = \"b\"\nversion = \"0.2.0\"\n[package.source]\ntype = \"installed\"\n";
    fixture.file("project/alc.lock", old);
    let done = fixture.call("alc_migrate", json!({}));
    assert_eq!(names(&done["migrated"]), ["a", "b"]);
    assert_eq!(fixture.read("project/alc.lock.bak"), old);
    assert_eq!(fixture.read("project/alc.toml"), "[packages]\na = { path = \"../granted/a\" }\nb = \"0.2.0\"\n");
    assert!(fixture.read("project/alc.lock").starts_with("version = 1\n"));
    assert_eq!(fixture.call("alc_migrate", json!({}))["status"], "nothing to migrate");
    fixture.file("project/alc.lock", "version = 3\n");
    let (code, message) = fixture.refused("alc_pkg_remove", json!({"name": "a", "version": "1"}));
    assert_eq!((code.as_str(), message.as_str()), ("UNSUPPORTED_LOCK", "unsupported alc.lock version 3: expected 1"));
}
