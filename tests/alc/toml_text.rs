//! Untrusted TOML: its maximum depth, and the acceptance of typical documents.

use std::fs;

use proptest::prelude::*;
use serde_json::json;
use toml::Value;
use wardroom_alc::{AlcFolders, Project};
use wardroom_appdir::{Access, ambient};
use wardroom_base::limits::MAX_JSON_DEPTH;
use wardroom_base::toml_text;

use wardroom_test_support::{TestAlcService, TestDir};

/// Returns `a.a.a` with this many segments.
fn dotted(segments: usize) -> String {
    vec!["a"; segments].join(".")
}

/// Returns nested inline tables, each behind a key of this many segments.
fn tables(levels: usize, segments: usize) -> String {
    let key = dotted(segments);
    format!("{}1{}", format!("{{{key}=").repeat(levels), "}".repeat(levels))
}

/// Returns the number of tables and arrays around the innermost value.
fn depth(value: &Value) -> usize {
    match value {
        Value::Table(table) => 1 + table.values().map(depth).max().unwrap_or(0),
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

fn accepts(text: &str) -> bool {
    toml_text::parse(text).is_ok()
}

/// Documents that multiply dotted keys by brackets.
fn attacks() -> Vec<(usize, String)> {
    let mut attacks = Vec::new();
    for levels in [1, 2, 3, 10, 23, 24, 25, 50, 79, 80, 81, 500, 2000] {
        attacks.push((1, format!("[{}]\nx={}", dotted(79), tables(levels, 79))));
        attacks.push((1, format!("[[{}]]\nx={}", dotted(79), tables(levels, 79))));
        attacks.push((3, format!("[a]\n\nx={}", tables(levels.max(2), 79))));
        attacks.push((1, format!("x=[{}]", vec![tables(levels.max(2), 79); 3].join(","))));
        attacks.push((1, format!("x={}", "[".repeat(levels + 100))));
        // Malformed TOML is parsed up to its first error.
        attacks.push((1, format!("x={}", tables(levels.max(2), 79).replace('}', "]"))));
    }
    attacks
}

#[test]
fn card_multiplying_keys_by_brackets_is_refused() {
    for (line, text) in attacks() {
        let dir = TestDir::new();
        dir.write_file("cards/cot/cot_1.toml", &text);
        let refusal = format!("-32603 Failed to parse card 'cot_1': line {line}: nested deeper than 100 levels");
        assert_eq!(TestAlcService::new(&dir).read_refusal("alc://cards/cot_1"), refusal);
    }
}

#[test]
fn variants_that_multiply_keys_by_brackets_are_refused() {
    let dir = TestDir::new();
    dir.write_package("v", "");
    let project = dir.root().join("project");
    fs::create_dir(&project).unwrap();
    for (line, text) in attacks() {
        fs::write(project.join("alc.local.toml"), &text).unwrap();
        let folder = ambient::open_folder(&project, Access::ReadOnly).unwrap();
        let project = Some(Project { folder, path: project.clone() });
        let service = TestAlcService::with_folders(AlcFolders {
            app: dir.open_app(),
            logs: None,
            project,
            package_mounts: Vec::new(),
        });
        let refusal = format!("-32603 malformed alc.local.toml: line {line}: nested deeper than 100 levels");
        assert_eq!(service.read_refusal("alc://packages/v/init.lua"), refusal);
    }
}

#[test]
fn nesting_at_the_limit_is_accepted_and_beyond_is_refused() {
    let at = MAX_JSON_DEPTH;
    for (fits, too_deep) in [
        (format!("{} = {}", dotted(50), tables(1, 50)), format!("{} = {}", dotted(51), tables(1, 50))),
        (format!("a = {}", tables(33, 3)), format!("a = {}", tables(34, 3))),
        (format!("{} = {}1{}", dotted(60), "[".repeat(40), "]".repeat(40)), format!("{} = 1", dotted(at + 1))),
    ] {
        let table = toml_text::parse(&fits).unwrap();
        assert_eq!(depth(&Value::Table(table)), at);
        assert_eq!(toml_text::parse(&too_deep).unwrap_err().public_message(), "line 1: nested deeper than 100 levels");
    }
}

#[test]
fn nested_table_headers_count_towards_depth() {
    let chain = |levels: usize| (1..=levels).map(|n| format!("[[{}]]\n", dotted(n))).collect::<String>();
    let deepest = toml_text::parse(&chain(49)).unwrap();
    assert_eq!(depth(&Value::Table(deepest)), 99);
    assert_eq!(toml_text::parse(&chain(50)).unwrap_err().public_message(), "line 50: nested deeper than 100 levels");
    // The next header starts at depth 0 again.
    assert!(accepts(&(chain(49) + "[b]\nc = { d = [1, { e.f = 2 }] }\n")));
}

#[test]
fn typical_documents_are_accepted() {
    let demo = TestDir::new_demo();
    for package in
        fs::read_dir(demo.app_path().join("cards")).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_dir())
    {
        for card in fs::read_dir(package.unwrap().path()).unwrap().map(|entry| entry.unwrap().path()) {
            if card.extension().is_some_and(|extension| extension == "toml") {
                assert!(accepts(&fs::read_to_string(&card).unwrap()), "{}", card.display());
            }
        }
    }
    let brackets = "[{\"'".repeat(500);
    let documents = [
        String::new(),
        format!("a = [{}]", vec!["1.5"; 1000].join(", ")),
        format!("a = [{}]", vec!["[-1.0e-3, inf, 2.5]"; 300].join(",\n")),
        "a = 2026-04-26T01:02:03.5+09:00\nb = 01:02:03.25\nc = 2026-04-26".to_owned(),
        format!("\"{}\" = 1\n'{}' = 2", "a.".repeat(500), "b.[".repeat(500)),
        format!("a = \"\"\"\n{}\n\"\"\"\nb = '''\n{}\n'''", "[{.\n".repeat(500), "[[a.b]]\n{'\"".repeat(500)),
        format!("# {brackets}\na = 1 # {brackets}\n"),
        format!("a = \"{}\"\nb = '{}'", "[{.\\\"".repeat(500), "[{.\\".repeat(500)),
        (0..500).map(|n| format!("[[rows.of.samples]]\nn.o = {{ a.b = {n}.5, c = [[{n}]] }}\n")).collect(),
        (0..500).map(|n| format!("[p{n}.stats]\nmean.of.all = 0.5\n")).collect(),
        "a = [\n  1, # one\n  { b = 2.0 },\n]\r\nc = true\r\n".to_owned(),
        format!("a = [{}]", vec!["{ x.y.z = 1.0 }"; 1000].join(",")),
    ];
    for text in documents {
        assert!(
            accepts(&text),
            "{:?}",
            toml_text::parse(&text).map_err(|error| (error.public_message(), error.to_string()))
        );
    }
}

#[test]
fn documents_as_json_have_the_same_fields_and_the_same_faults() {
    let text = "b = 1\na = 'x'\nhex = 0xff\noctal = 0o17\nsigned = +1_000\nleast = -9223372036854775808\nfloat = -1.5e3\n\
                inf = -inf\nnan = nan\ndate = 1979-05-27T07:32:00.5Z\ntime = 07:32:00\nempty = []\n\"q.\\u00e9\" = \"\"\"\nq\\t\"\"\"\n\
                mixed = [1, 'two', [3.0, { four.five = true }]]\n[t.u]\nv = false\n[[rows]]\nn = 1\n[[rows]]\n[rows.m]\nk = {}\n";
    let json = json!({
        "b": 1, "a": "x", "hex": 255, "octal": 15, "signed": 1000, "least": i64::MIN, "float": -1500.0, "inf": null, "nan": null,
        "date": "1979-05-27T07:32:00.5Z", "time": "07:32:00", "empty": [], "q.é": "q\t",
        "mixed": [1, "two", [3.0, {"four": {"five": true}}]],
        "t": {"u": {"v": false}}, "rows": [{"n": 1}, {"m": {"k": {}}}],
    });
    assert_eq!(serde_json::Value::Object(toml_text::parse_json(text).unwrap()), json);
    let faults = [
        "a = 9223372036854775808",
        "a = 0xffffffffffffffff",
        "a = 1e999",
        "a = -1.0e+400",
        "a = 1\na = 2",
        "a.b = 1\na = 2",
        "[a]\n[a]",
        "a = 1 2",
        "a = [1",
        "\n\na = 'x",
    ];
    for text in faults.map(str::to_owned).into_iter().chain(attacks().into_iter().map(|(_, text)| text)) {
        let (table, json) = (toml_text::parse(&text).unwrap_err(), toml_text::parse_json(&text).unwrap_err());
        assert_eq!(json.public_message(), table.public_message(), "{text:.100}");
    }
}

#[test]
fn public_message_omits_the_parsers_text() {
    let error = toml_text::parse("\na = '/home/somebody'\n'/home/somebody' = 1\n'/home/somebody' = 2").unwrap_err();
    assert_eq!((error.line, error.public_message()), (4, "line 4: not TOML".to_owned()));
    assert!(error.to_string().starts_with("line 4: ") && !error.to_string().contains("not TOML"));
}

#[test]
fn parser_depth_limit_is_not_reported_as_malformed_toml() {
    let refusal = |text: &str| toml_text::parse(text).map(drop).map_err(|error| error.public_message());
    let refused = Err("line 2: more than 80 nested brackets, or parts of one key".to_owned());
    let brackets = |count| format!("\na = {}1{}", "[".repeat(count), "]".repeat(count));
    assert_eq!((refusal(&brackets(80)), refusal(&brackets(81))), (Ok(()), refused.clone()));
    let inline = |count| format!("\na = {}", tables(count, 1));
    assert_eq!(
        (refusal(&inline(49)), refusal(&format!("\nb = {}{}{}", "[".repeat(81), "1", "]".repeat(81)))),
        (Ok(()), refused.clone())
    );
    let key = |parts| format!("\n{} = 1", dotted(parts));
    assert_eq!((refusal(&key(80)), refusal(&key(81))), (Ok(()), refused));
}

/// A value of any depth.
fn any_value() -> impl Strategy<Value = String> {
    let scalar = prop::sample::select(vec!["1", "1.5", "'[{a.b'", "\"}\\\"]\"", "true", "2026-04-26", "[]", "{}"]);
    scalar.prop_map(str::to_owned).prop_recursive(8, 64, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(|items| format!("[{}]", items.join(", "))),
            prop::collection::vec((1..30usize, inner), 1..4).prop_map(|fields| {
                let field = |(at, (segments, value)): (usize, &(usize, String))| {
                    format!("k{at}.{} = {value}", dotted(*segments))
                };
                format!("{{ {} }}", fields.iter().enumerate().map(field).collect::<Vec<_>>().join(", "))
            }),
        ]
    })
}

/// A document with nested headers, and with keys of their own below.
fn any_document() -> impl Strategy<Value = String> {
    let header = (1..40usize, prop::sample::select(vec![("[", "]"), ("[[", "]]")]), any::<bool>());
    let entry = (1..40usize, any_value());
    let section = (header, prop::collection::vec(entry, 0..3));
    let nested = any::<bool>();
    (nested, prop::collection::vec(section, 0..8)).prop_map(|(nested, sections)| {
        let mut text = String::new();
        for (at, ((segments, (open, close), own), entries)) in sections.into_iter().enumerate() {
            let below = if own { format!("{}.own{at}", dotted(segments)) } else { dotted(segments) };
            let name = if nested { dotted(at + 1) } else { below };
            text.push_str(&format!("{open}{name}{close}\n"));
            for (at, (segments, value)) in entries.into_iter().enumerate() {
                text.push_str(&format!("f{at}.{} = {value}\n", dotted(segments)));
            }
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn parser_accepts_shallow_documents_and_none_over_the_depth_limit(text in any_document()) {
        let accepted = toml_text::parse(&text);
        if let Ok(table) = &accepted {
            prop_assert!(depth(&Value::Table(table.clone())) <= MAX_JSON_DEPTH);
        }
        // The parser itself shows the depth of a document that fits its stack.
        if let Ok(table) = toml::from_str::<toml::Table>(&text) {
            prop_assert!(accepted.is_ok() || 2 * depth(&Value::Table(table)) > MAX_JSON_DEPTH);
        }
    }
}
