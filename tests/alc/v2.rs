//! `[alc] v2`: the additions after the specification's entries, and their absence without the switch.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};
use wardroom_alc::limits::{
    MAX_HUB_PACKAGES, MAX_HUB_RESPONSE_BYTES, MAX_HUB_SOURCE_BYTES, MAX_HUB_SOURCES, MAX_NARRATIVE_BYTES,
};
use wardroom_base::byte_size::ByteSize;
use wardroom_base::limits::MAX_JSON_DEPTH;
use wardroom_config::AlcConfig;
use wardroom_rules::alc::{ALC_SCHEME, ALC_SCHEME_V2};

use wardroom_test_support::{RunClient, TestAlcService, TestDir};

const HUB: &str = "alc://hub/index";

fn v2(dir: &TestDir) -> TestAlcService {
    TestAlcService::with_config(dir, AlcConfig { v2: true, ..AlcConfig::default() })
}

/// Returns an index of the packages `names`, each described by the index it is from.
fn index(from: &str, names: &[&str]) -> String {
    let packages: Vec<Value> = names.iter().map(|name| json!({"name": name, "description": from})).collect();
    json!({"schema_version": "hub_index/v0", "updated_at": "2026-01-01T00:00:00Z", "packages": packages}).to_string()
}

/// Checks the packages of the index, their sources and the warnings.
#[track_caller]
fn check_hub(dir: &TestDir, packages: &[(&str, &str)], warnings: &[&str]) {
    let text = v2(dir).read_text(HUB);
    let mut hub: Value = serde_json::from_str(&text).unwrap();
    let of =
        |package: &Value| [&package["name"], &package["description"]].map(|field| field.as_str().unwrap().to_owned());
    let found: Vec<[String; 2]> = hub["packages"].as_array().unwrap().iter().map(of).collect();
    let expected: Vec<[String; 2]> = packages.iter().map(|(name, from)| [*name, *from].map(String::from)).collect();
    assert_eq!(found, expected);
    assert_eq!(hub["schema_version"], "hub_index/v0");
    let found_warnings = hub.as_object_mut().unwrap().remove("warnings");
    assert_eq!(found_warnings, (!warnings.is_empty()).then(|| json!(warnings)));
    assert!(!text.contains(dir.root().to_str().unwrap()), "{text}");
}

#[test]
fn extended_scheme_begins_with_the_specification() {
    assert_eq!(
        ALC_SCHEME.fixed.iter().map(|fixed| fixed.path).collect::<Vec<_>>(),
        ["types/alc.d.lua", "types/alc_shapes.d.lua"]
    );
    assert_eq!(ALC_SCHEME.services, ["types", "packages", "cards", "scenarios", "eval", "logs"]);
    assert_eq!(ALC_SCHEME.templates.len(), 7);
    assert_eq!(ALC_SCHEME_V2.fixed.strip_prefix(ALC_SCHEME.fixed).unwrap()[0].path, "hub/index");
    let more = ALC_SCHEME_V2.templates.strip_prefix(ALC_SCHEME.templates).unwrap();
    assert_eq!(more.iter().map(|t| t.pattern(&ALC_SCHEME_V2)).collect::<Vec<_>>(), ["alc://packages/{name}/narrative"]);
}

#[test]
fn additions_are_listed_last() {
    let dir = TestDir::new();
    let (plain, more) = (TestAlcService::new(&dir), v2(&dir));
    let page = more.list_page_inline(None).unwrap();
    assert_eq!(page.next_cursor, None);
    let added = page.items.strip_prefix(plain.list_page(None).unwrap().items.as_slice()).unwrap();
    assert_eq!(added.len(), 1);
    assert_eq!((added[0].uri.as_str(), &*added[0].name, &*added[0].mime_type), (HUB, "hub-index", "application/json"));
    let (listed, all) = (plain.templates(), more.templates());
    let added = all.strip_prefix(listed.as_slice()).unwrap();
    assert_eq!(added.len(), 1);
    assert_eq!((added[0].pattern.as_str(), &*added[0].name), ("alc://packages/{name}/narrative", "package-narrative"));
    assert_eq!(added[0].mime_type, "text/markdown");
}

#[test]
fn additions_are_absent_without_the_switch() {
    let dir = TestDir::new();
    dir.write_file("hub_cache/0123456789abcdef.json", index("a", &["cot"]));
    dir.write_package("cot", "return {}");
    dir.write_file("packages/cot/narrative.md", "# cot\n");
    for additions in [AlcConfig::default(), AlcConfig { enumerate: true, ..AlcConfig::default() }] {
        let service = TestAlcService::with_config(&dir, additions);
        // Like any other name that is not in the specification.
        assert_eq!(service.read_refusal(HUB), "-32602 unknown service: hub");
        let narrative = "alc://packages/cot/narrative";
        assert_eq!(service.read_refusal(narrative), format!("-32602 resource not found: {narrative}"));
        assert!(service.list_all().iter().all(|entry| entry.uri != HUB));
        let error = service.complete("alc://packages/{name}/narrative", "name", "").unwrap_err();
        assert_eq!(error.to_string(), "unknown resource template: alc://packages/{name}/narrative");
    }
    assert_eq!(v2(&dir).read_refusal("alc://hub/other"), "-32602 resource not found: alc://hub/other");
    assert_eq!(
        v2(&dir).read_refusal("alc://hub/index?x=1"),
        "-32602 query params not supported on alc://hub/index?x=1"
    );
}

#[test]
fn empty_hub_cache_yields_an_empty_index() {
    let dir = TestDir::new();
    let empty = r#"{"schema_version":"hub_index/v0","packages":[]}"#;
    assert_eq!(v2(&dir).read_text(HUB), empty);
    std::fs::create_dir(dir.app_path().join("hub_cache")).unwrap();
    assert_eq!(v2(&dir).read_text(HUB), empty);
    dir.write_file("hub_cache/a.json", index("a", &[]));
    assert_eq!(v2(&dir).read_text(HUB), empty);
}

#[test]
fn packages_are_sorted_and_taken_from_the_first_index() {
    let dir = TestDir::new();
    dir.write_file("hub_cache/b.json", index("b", &["panel", "cot"]));
    dir.write_file("hub_cache/a.json", index("a", &["vote", "cot", "vote"]));
    dir.write_file("hub_cache/c.json.tmp", index("c", &["other"]));
    dir.write_file("hub_cache/not a name.json", index("d", &["other"]));
    dir.write_file("hub_cache/sub/e.json", index("e", &["other"]));
    symlink("b.json", dir.app_path().join("hub_cache/z.json")).unwrap();
    check_hub(&dir, &[("cot", "a"), ("panel", "b"), ("vote", "a")], &[]);
}

#[test]
fn package_fields_keep_their_text() {
    let dir = TestDir::new();
    let package = r#"{"z":1,"name":"c\u006ft","version":null,"big":1.00,"text":"a  b","a":[1,2]}"#;
    let spaced = package.replace(",\"", " ,\n \"").replace(':', " : ");
    dir.write_file(
        "hub_cache/a.json",
        format!("{{\"packages\":[{spaced}],\"schema_version\":\"hub_index\\/v0\",\"x\":[]}}"),
    );
    assert_eq!(v2(&dir).read_text(HUB), format!(r#"{{"schema_version":"hub_index/v0","packages":[{package}]}}"#));
}

#[test]
fn malformed_cached_index_is_warned_of_and_skipped() {
    let dir = TestDir::new();
    let deep = format!("{}{}", "[".repeat(MAX_JSON_DEPTH + 1), "]".repeat(MAX_JSON_DEPTH + 1));
    let rows: [(&str, &[u8]); 9] = [
        ("1.json", b"not secret JSON"),
        ("2.json", b"\xff"),
        ("3.json", deep.as_bytes()),
        ("4.json", br#"{"schema_version":"hub_index/v1","packages":[]}"#),
        ("5.json", br#"["hub_index/v0",[{"name":"array"}]]"#),
        ("6.json", br#"{"schema_version":"hub_index/v0","packages":"secret"}"#),
        ("7.json", br#"{"schema_version":"hub_index/v0"}"#),
        ("8.json", b""),
        ("9.json", br#"{"schema_version":"hub_index/v0","packages":[],"packages":[{"name":"twice"}]}"#),
    ];
    for (name, content) in rows {
        dir.write_file(&format!("hub_cache/{name}"), content);
    }
    std::fs::write(dir.root().join("secret.json"), index("outside", &["stolen"])).unwrap();
    symlink(dir.root().join("secret.json"), dir.app_path().join("hub_cache/link.json")).unwrap();
    let nameless = r#"[{"name":"kept","description":"m"},{"name":"../x"},{"name":1},{},["array"],null]"#;
    dir.write_file("hub_cache/mixed.json", format!(r#"{{"schema_version":"hub_index/v0","packages":{nameless}}}"#));
    let no_index = |at: u8| format!("hub_cache/{at}.json is not an index of the form hub_index/v0");
    check_hub(
        &dir,
        &[("kept", "m")],
        &[
            "Failed to parse hub_cache/1.json: not JSON at line 1 column 2",
            "hub_cache/2.json is not UTF-8 text",
            "Failed to parse hub_cache/3.json: JSON is nested deeper than 100 levels",
            &no_index(4),
            &no_index(5),
            &no_index(6),
            &no_index(7),
            "Failed to parse hub_cache/8.json: not JSON at line 1 column 0",
            &no_index(9),
            "hub_cache/link.json leads outside its folder",
            "hub_cache/mixed.json: 5 entries without the name of a package are left out",
        ],
    );
}

#[test]
fn number_and_size_of_cached_indices_are_limited() {
    let dir = TestDir::new();
    for at in 0..=MAX_HUB_SOURCES {
        dir.write_file(&format!("hub_cache/{at:03}.json"), index("", &[&format!("p{at:03}")]));
    }
    let names: Vec<String> = (0..MAX_HUB_SOURCES).map(|at| format!("p{at:03}")).collect();
    let packages: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
    check_hub(&dir, &packages, &[&format!("only the first {MAX_HUB_SOURCES} files of hub_cache are used")]);

    let dir = TestDir::new();
    let longest = usize::try_from(MAX_HUB_SOURCE_BYTES).unwrap();
    dir.write_file("hub_cache/a.json", index("a", &["cot"]) + &" ".repeat(longest));
    let fits = index("b", &["cot"]);
    dir.write_file("hub_cache/b.json", fits.clone() + &" ".repeat(longest - fits.len()));
    let many = vec![r#"{"name":"x"}"#; MAX_HUB_PACKAGES + 1].join(",");
    dir.write_file("hub_cache/c.json", format!(r#"{{"schema_version":"hub_index/v0","packages":[{many}]}}"#));
    let long = longest + index("a", &["cot"]).len();
    check_hub(
        &dir,
        &[("cot", "b")],
        &[
            &format!("hub_cache/a.json has {}, the limit is {}", ByteSize(long as u64), ByteSize(MAX_HUB_SOURCE_BYTES)),
            "hub_cache/c.json is not an index of the form hub_index/v0",
        ],
    );
}

#[test]
fn index_over_the_size_limit_omits_whole_sources() {
    let dir = TestDir::new();
    let text = "x".repeat(MAX_HUB_RESPONSE_BYTES * 2 / 5);
    for name in ["a", "b", "c"] {
        dir.write_file(&format!("hub_cache/{name}.json"), index(&text, &[name]));
    }
    dir.write_file("hub_cache/d.json", index("d", &["d"]));
    let left_out = format!(
        "hub_cache/c.json is left out: the index would be larger than {}",
        ByteSize(MAX_HUB_RESPONSE_BYTES as u64)
    );
    check_hub(&dir, &[("a", &text), ("b", &text), ("d", "d")], &[&left_out]);
}

#[test]
fn light_tier_refuses_the_hub_index() {
    let dir = TestDir::new();
    assert!(v2(&dir).read_inline(HUB).is_none());
}

#[test]
fn narrative_returns_the_packages_file() {
    let dir = TestDir::new();
    dir.write_package("cot", "return {}");
    dir.write_package("silent", "return {}");
    dir.write_file("packages/cot/narrative.md", "# cot\n\nWhy *so*.\n");
    let uri = "alc://packages/cot/narrative";
    let service = v2(&dir);
    assert_eq!(service.read_text(uri), "# cot\n\nWhy *so*.\n");
    assert_eq!(service.read_inline(uri).unwrap().mime_type, "text/markdown");
    for missing in ["silent", "nobody"] {
        let uri = format!("alc://packages/{missing}/narrative");
        assert_eq!(service.read_refusal(&uri), format!("-32602 resource not found: {uri}"));
    }
    assert_eq!(service.read_refusal("alc://packages/../narrative"), "-32602 path traversal segment rejected: ..");
    let names = service.complete("alc://packages/{name}/narrative", "name", "c").unwrap();
    assert_eq!(names, ["cot"]);

    let longest = usize::try_from(MAX_NARRATIVE_BYTES).unwrap();
    dir.write_file("packages/cot/narrative.md", "x".repeat(longest));
    assert_eq!(service.read_text(uri).len(), longest);
    dir.write_file("packages/cot/narrative.md", "x".repeat(longest + 1));
    assert_eq!(
        service.read_refusal(uri),
        format!("-32603 {uri} has {}, the limit is {}", ByteSize(longest as u64 + 1), ByteSize(MAX_NARRATIVE_BYTES))
    );
    std::fs::remove_file(dir.app_path().join("packages/cot/narrative.md")).unwrap();
    std::fs::write(dir.root().join("secret.md"), "secret").unwrap();
    symlink("../../../secret.md", dir.app_path().join("packages/cot/narrative.md")).unwrap();
    assert_eq!(service.read_refusal(uri), format!("-32603 {uri} leads outside its folder"));
}

/// A tool of the hub writes where the resources read.
#[test]
fn reindex_and_gendoc_feed_the_index_and_the_narratives() {
    let dir = TestDir::new();
    let source = |name: &str| {
        format!("--- Thinks in steps.\nlocal M = {{}}\nM.meta = {{ name = \"{name}\", version = \"1.0.0\" }}\nreturn M")
    };
    for name in ["cot", "told"] {
        dir.write_package(name, &source(name));
    }
    dir.write_file("packages/told/narrative.md", "# Told by hand\n");
    dir.write_file("hub_cache/a.json", index("far", &["cot", "far"]));
    let config = dir.write_file("config.toml", "[alc]\nv2 = true\ntools = \"all\"\n").display().to_string();
    let mut client = RunClient::start_with(&dir, &["--config", &config]);
    let packages = dir.app_path().join("packages").display().to_string();
    client.call_ok("alc_hub_reindex", json!({}));
    client.call_ok("alc_hub_gendoc", json!({"source_dir": packages}));
    let mut read = |uri: &str| client.0.read_resource(uri).map(|content| content["text"].as_str().unwrap().to_owned());
    let hub: Value = serde_json::from_str(&read(HUB).unwrap()).unwrap();
    let found: Vec<_> = hub["packages"].as_array().unwrap().iter().map(|package| &package["name"]).collect();
    assert_eq!(found, ["cot", "far", "told"]);
    // The AppDir's own index precedes.
    assert_eq!((&hub["packages"][0]["version"], &hub["packages"][1]["description"]), (&json!("1.0.0"), &json!("far")));
    assert!(read("alc://packages/cot/narrative").unwrap().contains("Thinks in steps."));
    assert_eq!(read("alc://packages/told/narrative").unwrap(), "# Told by hand\n");
    std::fs::remove_dir_all(dir.app_path().join("packages/cot")).unwrap();
    assert!(read("alc://packages/cot/narrative").is_err());
}
