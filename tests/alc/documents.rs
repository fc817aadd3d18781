//! Documents that are returned whole: type stubs, cards, scenarios and evals.

use std::sync::Arc;

use wardroom_alc::{Alc, AlcFolders};
use wardroom_appdir::LineIndexCache;
use wardroom_service::{Catalogue, Cost, RequestInfo};
use wardroom_test_support::{SANDBOX, TestAlcService, TestDir};

/// Checks the text and the type returned for a file with this content.
#[track_caller]
fn check(file: &str, content: impl AsRef<[u8]>, uri: &str, mime_type: &str, text: &str) {
    let dir = TestDir::new();
    dir.write_file(file, content);
    let read = TestAlcService::new(&dir).read(uri).unwrap_or_else(|error| panic!("{uri}: {error}"));
    assert_eq!((read.text.as_str(), &*read.mime_type), (text, mime_type));
    assert!(read.modified.is_some() && read.meta_fields.is_empty(), "{read:?}");
}

/// Checks the error for a file with this content; `{}` stands for the URI.
#[track_caller]
fn check_refused(file: &str, content: impl AsRef<[u8]>, uri: &str, sentence: &str) {
    let dir = TestDir::new();
    dir.write_file(file, content);
    assert_eq!(TestAlcService::new(&dir).read_refusal(uri), sentence.replace("{}", uri));
}

#[track_caller]
fn check_card(toml: &str, json: &str) {
    check("cards/cot/cot_1.toml", toml, "alc://cards/cot_1", "application/json", json);
}

#[test]
fn missing_document_is_not_found() {
    let empty = TestDir::new();
    let other = TestDir::new();
    other.write_package("x", "");
    other.write_card("x", "x", &[]);
    for file in ["types/x", "scenarios/x.lua", "evals/x_1.json", "logs/x.json"] {
        other.write_file(file, "");
    }
    for dir in [empty, other] {
        let service = TestAlcService::new(&dir);
        for uri in [
            "alc://packages/nope/init.lua",
            "alc://packages/nope/meta",
            "alc://cards/nope",
            "alc://cards/nope_1_2",
            "alc://cards/nope/samples?limit=1",
            "alc://scenarios/nope",
            "alc://scenarios/x.lua",
            "alc://eval/nope_1",
            "alc://logs/nope?limit=1&max_chars=1",
        ] {
            assert_eq!(service.read_refusal(uri), format!("-32602 resource not found: {uri}"));
        }
    }
}

#[test]
fn missing_document_is_answered_with_the_similar_one() {
    let dir = TestDir::new();
    dir.write_package("quick_vote", "return {}");
    dir.write_card("quick_vote", "quick_vote_1", &[]);
    dir.write_file("scenarios/math_basic.lua", "");
    let service = TestAlcService::new(&dir);
    for (missing, meant) in [
        ("alc://packages/quikvote/meta", "alc://packages/quick_vote/meta"),
        ("alc://packages/quick-vote/init.lua", "alc://packages/quick_vote/init.lua"),
        ("alc://cards/quick_vote_2", "alc://cards/quick_vote_1"),
        ("alc://cards/quick_vote_2/samples?limit=3", "alc://cards/quick_vote_1/samples?limit=3"),
        ("alc://scenarios/maths_basic", "alc://scenarios/math_basic"),
    ] {
        let expected = format!("-32602 resource not found: {missing}; did you mean {meant}?");
        assert_eq!(service.read_refusal(missing), expected);
    }
    for missing in ["alc://packages/panel/meta", "alc://packages/quick_vote/narrative", "alc://cards/packages"] {
        assert_eq!(service.read_refusal(missing), format!("-32602 resource not found: {missing}"));
    }
}

#[test]
fn types_and_scenarios_return_file_text() {
    for text in ["", "---@meta\n", "return {\r\n}", "\u{feff}-- é\n\n"] {
        check("types/alc.d.lua", text, "alc://types/alc.d.lua", "text/x-lua", text);
        check("types/alc_shapes.d.lua", text, "alc://types/alc_shapes.d.lua", "text/x-lua", text);
        check("scenarios/math_basic.lua", text, "alc://scenarios/math_basic", "text/x-lua", text);
        check("scenarios/x.lua.lua", text, "alc://scenarios/x.lua", "text/x-lua", text);
    }
}

#[test]
fn card_toml_becomes_json_with_sorted_keys() {
    check_card("", "{}");
    check_card(
        "z = 'last'\na = \"first\"\n\n[pkg]\nname = 'cot'\ncategory = 'x'\n\n[[rows]]\nn = 1\n\n[[rows]]\nn = 2\n",
        r#"{"a":"first","pkg":{"category":"x","name":"cot"},"rows":[{"n":1},{"n":2}],"z":"last"}"#,
    );
    check_card("a = '\"\\ é'\nb = \"\\u0001\\n\"", r#"{"a":"\"\\ é","b":"\u0001\n"}"#);
    check_card("a = []\nb = {}\nc = [[], [1, 'x', true]]", r#"{"a":[],"b":{},"c":[[],[1,"x",true]]}"#);
    check_card("\"a b\" = 1\n\"\" = 2\n\"é\" = 3", r#"{"":2,"a b":1,"é":3}"#);
}

#[test]
fn card_values_keep_their_toml_types() {
    check_card("a = 1\nb = 1.0\nc = -0.0\nd = 1e3\ne = 0x1f", r#"{"a":1,"b":1.0,"c":-0.0,"d":1000.0,"e":31}"#);
    check_card(
        "a = 9223372036854775807\nb = -9223372036854775808\nc = 0.1",
        r#"{"a":9223372036854775807,"b":-9223372036854775808,"c":0.1}"#,
    );
    check_card("a = inf\nb = nan\nc = -inf", r#"{"a":null,"b":null,"c":null}"#);
    check_card("a = true\nb = false", r#"{"a":true,"b":false}"#);
    check_card(
        "a = 2026-04-26T01:02:03Z\nb = 2026-04-26T01:02:03.5+09:00\nc = 2026-04-26T01:02:03\nd = 2026-04-26\ne = 01:02:03",
        r#"{"a":"2026-04-26T01:02:03Z","b":"2026-04-26T01:02:03.5+09:00","c":"2026-04-26T01:02:03","d":"2026-04-26","e":"01:02:03"}"#,
    );
}

#[test]
fn card_is_found_in_any_package_folder() {
    for package in ["cot", "cot_1", "z", "a_b", "unrelated"] {
        let file = format!("cards/{package}/cot_1_x.toml");
        check(&file, "a = 1", "alc://cards/cot_1_x", "application/json", r#"{"a":1}"#);
    }
}

#[test]
fn duplicate_card_id_resolves_to_longest_matching_package() {
    let dir = TestDir::new();
    let packages = ["a", "quick", "quick_vote", "z"];
    for package in packages {
        dir.write_file(&format!("cards/{package}/quick_vote_1.toml"), format!("at = '{package}'"));
    }
    let service = TestAlcService::new(&dir);
    for package in ["quick_vote", "quick", "a", "z"] {
        assert_eq!(service.read_text("alc://cards/quick_vote_1"), format!("{{\"at\":\"{package}\"}}"));
        std::fs::remove_file(dir.app_path().join(format!("cards/{package}/quick_vote_1.toml"))).unwrap();
    }
    assert_eq!(service.read_refusal("alc://cards/quick_vote_1"), "-32602 resource not found: alc://cards/quick_vote_1");
}

#[test]
fn corrupt_card_error_shows_no_path() {
    for (toml, line) in [
        ("a = ", 1),
        ("a = 1\na = 2", 2),
        ("<html>", 1),
        ("\n\npassword = /etc/shadow", 3),
        ("a = 'x'\n'/home/x' = 1\n'/home/x' = 2", 3),
    ] {
        check_refused(
            "cards/cot/cot_1.toml",
            toml,
            "alc://cards/cot_1",
            &format!("-32603 Failed to parse card 'cot_1': line {line}: not TOML"),
        );
    }
}

#[test]
fn card_over_size_limit_is_refused() {
    let fitting = format!("a = 1{}", " ".repeat(1024 * 1024 - 5));
    check_card(&fitting, r#"{"a":1}"#);
    let refusal = "-32603 {} has 1.1 MiB, the limit is 1 MiB";
    check_refused("cards/cot/cot_1.toml", fitting + " ", "alc://cards/cot_1", refusal);
}

#[test]
fn card_id_prefix_with_invalid_name_is_not_a_folder() {
    let dir = TestDir::new();
    dir.write_file("cards/cot/x.toml", "");
    let service = TestAlcService::new(&dir);
    for id in [".._x", "._x", ".._.._x", "cot_.._x", "_x", "__x"] {
        let uri = format!("alc://cards/{id}");
        assert_eq!(service.read_refusal(&uri), format!("-32602 resource not found: {uri}"));
    }
    dir.write_file("cards/cot/.._x.toml", "a = 1");
    assert_eq!(service.read_text("alc://cards/.._x"), r#"{"a":1}"#);
}

#[test]
fn eval_returns_file_text() {
    for text in ["{}", "{ \"b\" : 1 , \"a\" : 1.50 }\n", "[1]", "{\"a\":1,\"a\":2}"] {
        check("evals/cot_17.json", text, "alc://eval/cot_17", "application/json", text);
    }
    let uuid = "9e8d7c6b-0001-0000-0000-000000000000";
    check(&format!("evals/{uuid}.json"), "{}", &format!("alc://eval/{uuid}"), "application/json", "{}");
}

#[test]
fn eval_with_underscores_is_found_by_dashed_id() {
    for stored in ["quick_vote_17", "quick-vote_17"] {
        check(&format!("evals/{stored}.json"), "{}", "alc://eval/quick-vote_17", "application/json", "{}");
    }
    check("evals/my-quick_vote_17.json", "{}", "alc://eval/my-quick-vote_17", "application/json", "{}");
    let dir = TestDir::new();
    for name in ["a-b-c_1", "a_b_c_1", "a-b_c_1"] {
        dir.write_file(&format!("evals/{name}.json"), format!("\"{name}\""));
    }
    let service = TestAlcService::new(&dir);
    for name in ["a-b-c_1", "a_b_c_1", "a-b_c_1"] {
        assert_eq!(service.read_text("alc://eval/a-b-c_1"), format!("\"{name}\""));
        std::fs::remove_file(dir.app_path().join(format!("evals/{name}.json"))).unwrap();
    }
}

#[test]
fn eval_with_malformed_or_too_deep_json_is_an_error() {
    let sentence = "-32603 {} is not valid JSON";
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    for text in ["", "{", "{} {}", "\u{feff}{}", "{'a':1}", "NaN", &nested(101)] {
        check_refused("evals/cot_1.json", text, "alc://eval/cot_1", sentence);
    }
    check("evals/cot_1.json", nested(100), "alc://eval/cot_1", "application/json", &nested(100));
}

#[test]
fn non_utf8_documents_are_refused() {
    for (file, uri) in [
        ("types/alc.d.lua", "alc://types/alc.d.lua"),
        ("scenarios/x.lua", "alc://scenarios/x"),
        ("cards/cot/cot_1.toml", "alc://cards/cot_1"),
        ("evals/cot_1.json", "alc://eval/cot_1"),
        ("logs/s.json", "alc://logs/s"),
    ] {
        check_refused(file, b"\"a\xc3\x28\"", uri, "-32603 {} is not UTF-8 text");
    }
}

#[test]
fn document_over_size_limit_is_refused() {
    const LIMIT: usize = 8 * 1024 * 1024;
    for (file, uri) in [
        ("types/alc.d.lua", "alc://types/alc.d.lua"),
        ("scenarios/x.lua", "alc://scenarios/x"),
        ("evals/cot_1.json", "alc://eval/cot_1"),
    ] {
        check_refused(file, vec![b' '; LIMIT + 1], uri, "-32603 {} has 8.1 MiB, the limit is 8 MiB");
    }
    let largest = " ".repeat(LIMIT);
    check("scenarios/x.lua", &largest, "alc://scenarios/x", "text/x-lua", &largest);
}

#[test]
fn missing_type_stub_is_listed_and_not_found() {
    let dir = TestDir::new();
    let service = TestAlcService::new(&dir);
    let listed: Vec<String> = service.list_all().into_iter().map(|entry| entry.uri).collect();
    for (name, _) in wardroom_lua::type_stubs() {
        let uri = format!("alc://types/{name}");
        assert!(listed.contains(&uri), "{listed:?}");
        let missing = service.read(&uri).unwrap_err();
        assert_eq!(missing.to_string(), format!("resource not found: {uri}"));
    }
    dir.write_file("types/alc.d.lua", "---@meta mine\n");
    assert_eq!(service.read_text("alc://types/alc.d.lua"), "---@meta mine\n");
}

#[test]
fn document_that_grows_after_it_was_resolved_is_read_at_a_higher_cost() {
    use std::io::Write as _;
    let dir = TestDir::new();
    let path = dir.write_file("evals/cot_1763715700.json", "{\"result\": 1}");
    let folders = AlcFolders { app: dir.open_app(), logs: None, project: None, package_mounts: Vec::new() };
    let alc = Alc::new(folders, Arc::clone(&SANDBOX), LineIndexCache::new(None));
    let catalogue = Arc::new(Catalogue::new(vec![Arc::new(alc)]));
    let info = RequestInfo::new(&catalogue);
    let resolve = || catalogue.resource("alc://eval/cot_1763715700", &info.caller).unwrap();
    assert_eq!(resolve().cost(), Cost::Inline);
    let text = format!("{{\"result\": \"{}\"}}", "x".repeat(2 * 1024 * 1024));
    for limit in [Cost::Inline, Cost::Worker, Cost::Large] {
        std::fs::write(&path, "{\"result\": 1}").unwrap();
        let work = resolve();
        // In place, so that the open file grows.
        let mut file = std::fs::File::options().write(true).truncate(true).open(&path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let read = work.finish_within(limit, &info).unwrap();
        assert_eq!(read.map(|content| content.text.len()), (limit == Cost::Large).then_some(text.len()), "{limit:?}");
    }
}
