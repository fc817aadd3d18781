//! Front matter in each syntax: values, lines, errors and limits.

use wardroom_lua_syntax::position::Position;

use super::*;
use crate::limits::{MAX_ALIASED_BYTES, MAX_DEPTH};

fn fields_of(source: &str) -> Vec<Field> {
    read(source.as_bytes()).unwrap().fields
}

fn shown(source: &str) -> Vec<(String, String, Option<String>)> {
    fields_of(source).into_iter().map(|field| (field.name, field.json, field.text)).collect()
}

fn yaml(value: &str) -> (String, Option<String>) {
    let mut fields = shown(&format!("---\nx: {value}\n---\n"));
    assert_eq!(fields.len(), 1, "{value}");
    let (_, json, text) = fields.remove(0);
    (json, text)
}

fn error(source: &str) -> (u32, u32, String) {
    match read(source.as_bytes()) {
        Err(ReadError::Malformed { position: Position { line, column }, message }) => (line, column, message),
        other => panic!("{source}: {other:?}"),
    }
}

#[test]
fn yaml_lists_keep_the_characters_of_their_items() {
    for (written, json) in [
        ("[1.10, 007, 1e3, 2024-03-01, yes]", "[1.10, \"007\", 1e3, \"2024-03-01\", \"yes\"]"),
        (
            "[True, true, +1, .5, 0x1F, -0, ~, [False]]",
            "[\"True\", true, \"+1\", \".5\", \"0x1F\", -0, null, [\"False\"]]",
        ),
        ("[&a 007, *a]", "[\"007\", \"007\"]"),
        ("{a: 007}", "{\"a\": 7}"),
    ] {
        assert_eq!(yaml(written), (json.to_owned(), None), "{written}");
    }
}

#[test]
fn yaml_scalars_follow_the_core_schema_and_keep_their_characters() {
    for (written, json) in [
        ("12", "12"),
        ("1.10", "1.10"),
        ("0x1F", "31"),
        ("0o17", "15"),
        ("017", "17"),
        ("1e3", "1e3"),
        ("+7", "7"),
        ("true", "true"),
        ("False", "false"),
        ("yes", "\"yes\""),
        ("2024-03-01", "\"2024-03-01\""),
        ("2024-03-01 10:00:00 +0100", "\"2024-03-01 10:00:00 +0100\""),
        ("1_000", "\"1_000\""),
        ("12:30", "\"12:30\""),
        (".inf", "\".inf\""),
        (".nan", "\".nan\""),
        ("0x1G", "\"0x1G\""),
        ("1e999", "\"1e999\""),
        ("99999999999999999999", "99999999999999999999"),
        ("-", "\"-\""),
        (".", "\".\""),
        ("Grüße, Welt", "\"Grüße, Welt\""),
    ] {
        if written == "-" {
            continue;
        }
        assert_eq!(yaml(written), (json.to_owned(), Some(written.to_owned())));
    }
    for (written, json, text) in [
        ("\"a\\n\\u00e9\"", "\"a\\né\"", "a\né"),
        ("'it''s'", "\"it's\"", "it's"),
        ("\"12\"", "\"12\"", "12"),
        ("!!str 12", "12", "12"),
        ("!custom a", "\"a\"", "a"),
        ("\"\"", "\"\"", ""),
        ("''", "\"\"", ""),
        ("\"~\"", "\"~\"", "~"),
        ("|\n  a\n   b\n", "\"a\\n b\\n\"", "a\n b\n"),
        (">-\n  a\n  b\n", "\"a b\"", "a b"),
        ("|", "\"\"", ""),
    ] {
        assert_eq!(yaml(written), (json.to_owned(), Some(text.to_owned())), "{written}");
    }
    for (written, json) in [
        ("", "null"),
        ("~", "null"),
        ("null # comment", "null"),
        ("[a, 1, [b]]", "[\"a\", 1, [\"b\"]]"),
        ("{z: 1, a: {y: ~}}", "{\"z\": 1, \"a\": {\"y\": null}}"),
        ("\n  - a\n  -\n  - b: 1\n    a: 2", "[\"a\", null, {\"b\": 1, \"a\": 2}]"),
        ("\n- a\n- b", "[\"a\", \"b\"]"),
    ] {
        assert_eq!(yaml(written), (json.to_owned(), None), "{written}");
    }
}

#[test]
fn yaml_fields_have_their_lines_whatever_ends_the_lines() {
    for eol in ["\n", "\r\n", "\r"] {
        let source =
            "\u{feff}---\n# comment\ntitle: a\ntags:\n- x\n\n- y\n'date' : 2024-01-01\nlast: |\n  t\n---\nbody";
        let source = source.replace('\n', eol);
        let front_matter = read(source.as_bytes()).unwrap();
        let lines: Vec<(&str, u32)> = front_matter.fields.iter().map(|field| (&*field.name, field.line)).collect();
        assert_eq!(lines, [("title", 3), ("tags", 4), ("date", 8), ("last", 9)]);
        assert_eq!(&source[front_matter.body_start as usize..], "body");
        assert_eq!(front_matter.fields[3].text.as_deref(), Some("t\n"));
    }
}

#[test]
fn yaml_aliases_stand_for_their_values() {
    let fields = shown("---\na: &x [1, 2]\nb: *x\nc: &y text\nd: [*y, *y]\n---\n");
    assert_eq!(fields[1].1, "[1, 2]");
    assert_eq!(fields[3].1, "[\"text\", \"text\"]");
    assert_eq!(shown("---\na: &x {b: 1}\n<<: *x\n---\n")[1], ("<<".into(), "{\"b\": 1}".into(), None));
}

#[test]
fn yaml_alias_bombs_are_refused() {
    let mut source = String::from("---\na0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..9 {
        let aliases = vec![format!("*a{}", level - 1); 9].join(", ");
        source.push_str(&format!("a{level}: &a{level} [{aliases}]\n"));
    }
    source.push_str("---\n");
    assert_eq!(read(source.as_bytes()), Err(ReadError::TooMuch("aliases")));
    let text = "x".repeat(MAX_ALIASED_BYTES / 4);
    let source = format!("---\na: &a {text}\nb: [{}]\n---\n", ["*a"; 5].join(", "));
    assert_eq!(read(source.as_bytes()), Err(ReadError::TooMuch("aliases")));
    assert!(error("---\na: &a [*a]\n---\n").2.contains("alias"));
    assert!(error("---\na: *b\n---\n").2.contains("anchor"));
}

#[test]
fn yaml_errors_have_a_place_in_the_source() {
    assert_eq!(
        error("---\ntitle: Foo: Bar\n---\n"),
        (
            2,
            11,
            "not YAML: mapping values are not allowed in this context: put a value that contains `: ` between quotes"
                .into()
        )
    );
    let (line, _, message) = error("\u{feff}---\r\na: 1\r\ntags:\r\n\t- b\r\n---\r\n");
    assert_eq!(line, 4);
    assert!(message.contains("tabs"), "{message}");
    for (source, line) in [
        ("---\na: \"x\" y\n---\n", 2),
        ("---\na: 1\n  b: 2\n---\n", 3),
        ("---\na: [1, 2\n---\n", 2),
        ("---\na: 'x\n---\n", 3),
        ("---\n\n- a\n---\n", 3),
        ("---\njust words\n---\n", 2),
        ("---\na: 1\na: 2\n---\n", 3),
        ("---\na: {b: 1, b: 2}\n---\n", 2),
        ("---\n? [a]\n: b\n---\n", 2),
        ("---\na: 1\n--- b\nc: d\n---\n", 3),
        ("---\n%YAML 1.2\na: 1\n---\n", 2),
        ("---\na: 1\0b: 2\nc: 3\n---\n", 2),
        ("---\na: \u{7}\n---\n", 2),
        ("---\na: @x\n---\n", 2),
        ("---\na: %x\n---\n", 2),
    ] {
        assert_eq!(error(source).0, line, "{source:?} {:?}", error(source));
    }
}

#[test]
fn yaml_without_fields_is_empty() {
    for source in ["---\n---\n", "---\n# only a comment\n\n---\n", "---\n{}\n---\n"] {
        assert_eq!(fields_of(source), [], "{source}");
    }
}

#[test]
fn toml_values_keep_their_characters() {
    let source = "+++\ntitle = \"a\\tb\"\ndate = 2024-03-01T10:00:00+01:00\nday = 2024-03-01\nn = 1_000\nh = 0xff\n\
                  f = 1_0.50\ni = inf\nb = true\nlit = 'C:\\x'\nmulti = \"\"\"\na\nb\"\"\"\ntags = [\"x\", 'y',\n]\n\
                  menu = { z = 1, a = 2 }\na.b = 1\n\n[params]\nx = [1.0]\n[params.sub]\ny = 2\n[[resources]]\nsrc = \"s\"\n+++\nbody";
    let fields = fields_of(source);
    let shown: Vec<(&str, u32, &str, Option<&str>)> =
        fields.iter().map(|field| (&*field.name, field.line, &*field.json, field.text.as_deref())).collect();
    assert_eq!(
        shown,
        [
            ("title", 2, "\"a\\tb\"", Some("a\tb")),
            ("date", 3, "\"2024-03-01T10:00:00+01:00\"", Some("2024-03-01T10:00:00+01:00")),
            ("day", 4, "\"2024-03-01\"", Some("2024-03-01")),
            ("n", 5, "1000", Some("1_000")),
            ("h", 6, "255", Some("0xff")),
            ("f", 7, "10.50", Some("1_0.50")),
            ("i", 8, "\"inf\"", Some("inf")),
            ("b", 9, "true", Some("true")),
            ("lit", 10, "\"C:\\\\x\"", Some("C:\\x")),
            ("multi", 11, "\"a\\nb\"", Some("a\nb")),
            ("tags", 14, "[\"x\", \"y\"]", None),
            ("menu", 16, "{\"z\": 1, \"a\": 2}", None),
            ("a", 17, "{\"b\": 1}", None),
            ("params", 19, "{\"x\": [1.0], \"sub\": {\"y\": 2}}", None),
            ("resources", 23, "[{\"src\": \"s\"}]", None),
        ]
    );
}

#[test]
fn toml_errors_have_a_place_in_the_source() {
    for (source, line) in [
        ("+++\ntitle = a\n+++\n", 2),
        ("+++\ntitle = \"a\"\ntitle = \"b\"\n+++\n", 3),
        ("+++\r\nok = 1\r\ntitle: a\r\n+++\r\n", 3),
        ("+++\n[a\n+++\n", 2),
        ("+++\nn = 99999999999999999999\n+++\n", 2),
        ("+++\na.b = 1\n[a]\nb = 2\n+++\n", 3),
    ] {
        let (found, _, message) = error(source);
        assert_eq!(found, line, "{source:?} {message}");
        assert!(message.starts_with("not TOML: "), "{message}");
    }
}

#[test]
fn json_values_keep_their_characters() {
    let source = "{\n  \"title\": \"a\\u00e9\\\"\",\n  \"n\": 1.10,\n  \"tags\": [\"x\", null],\n  \"o\": {\"z\": 1, \"a\": true},\n\
                  \"nothing\": null\n}\n\nbody";
    let fields = fields_of(source);
    let shown: Vec<(&str, u32, &str, Option<&str>)> =
        fields.iter().map(|field| (&*field.name, field.line, &*field.json, field.text.as_deref())).collect();
    assert_eq!(
        shown,
        [
            ("title", 2, "\"aé\\\"\"", Some("aé\"")),
            ("n", 3, "1.10", Some("1.10")),
            ("tags", 4, "[\"x\", null]", None),
            ("o", 5, "{\"z\": 1, \"a\": true}", None),
            ("nothing", 6, "null", None),
        ]
    );
}

#[test]
fn json_is_read_as_the_standard_has_it() {
    for (source, line) in [
        ("{\"a\": 1,\n}", 1),
        ("{\"a\": 1, // c\n\"b\": 2}", 1),
        ("{\"a\": 'x'}", 1),
        ("{\"a\": 1\n\"b\": 2}", 1),
        ("{\"a\": 0x1}", 1),
        ("{\"a\": +1}", 1),
        ("{\"a\": NaN}", 1),
        ("{\"a\": 01}", 1),
        ("{\"a\": 1.}", 1),
        ("{\"a\": -}", 1),
        ("{\"a\": 1e}", 1),
        ("{\"a\": .5}", 1),
        ("{\"a\": \"\\ud800\"}", 1),
        ("{\"a\": \"\\x41\"}", 1),
        ("{\"a\": \"\n\"}", 1),
        ("{\"a\": 1, \"a\": 2}", 1),
        ("{\"a\": {\"b\": 1,\n \"b\": 2}}", 2),
        ("{\"a\"}", 1),
        ("{\"a\": ]}", 1),
    ] {
        assert_eq!(error(source).0, line, "{source:?} {:?}", error(source));
    }
}

#[test]
fn depth_is_limited_in_each_syntax() {
    let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    // The table of all fields is the first level.
    let within = MAX_DEPTH - 1;
    for (before, after) in [("---\na: ", "\n---\n"), ("+++\na = ", "\n+++\n"), ("{\"a\": ", "}")] {
        let source = format!("{before}{}{after}", nested(within));
        assert_eq!(shown(&source)[0].1, nested(within), "{source}");
        for levels in [within + 1, 100, 20_000] {
            let source = format!("{before}{}{after}", nested(levels));
            assert!(matches!(read(source.as_bytes()), Err(ReadError::TooDeep(_))), "{levels} {before}");
        }
    }
    let block: String = (0..150).map(|level| format!("{}a:\n", " ".repeat(level))).collect();
    assert!(matches!(read(format!("---\n{block}---\n").as_bytes()), Err(ReadError::TooDeep(_))));
    for toml in [
        format!("{} = 1", vec!["a"; 20_000].join(".")),
        format!("[{}]", vec!["a"; 20_000].join(".")),
        format!(
            "{}\nx = 1",
            (0..40).map(|level| format!("[[{}]]", vec!["a"; level + 1].join("."))).collect::<Vec<_>>().join("\n")
        ),
        format!("a = {}", "{a.a.a.a = ".repeat(5_000)),
        format!("[a.a.a.a.a.a]\n{}.a = {{{}.b = 1}}", vec!["a"; 20].join("."), vec!["a"; 20].join(".")),
    ] {
        let result = read(format!("+++\n{toml}\n+++\n").as_bytes());
        assert!(matches!(result, Err(ReadError::TooDeep(_))), "{result:?}");
    }
}

#[test]
fn number_of_fields_is_limited_in_each_syntax() {
    let lines = |count: usize, line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<String>();
    for (count, is_read) in [(MAX_FIELDS, true), (MAX_FIELDS + 1, false)] {
        let sources = [
            format!("---\n{}---\n", lines(count, &|index| format!("f{index}: 1\n"))),
            format!("+++\n{}+++\n", lines(count, &|index| format!("f{index} = 1\n"))),
            format!("{{{}}}", lines(count, &|index| format!("{}\"f{index}\": 1", if index > 0 { "," } else { "" }))),
        ];
        for source in sources {
            let result = read(source.as_bytes());
            assert_eq!(result.is_ok(), is_read);
            assert!(is_read || result == Err(ReadError::TooMuch("fields")));
        }
    }
}

#[test]
fn docstring_is_read_with_its_own_lines() {
    let source = "#!/usr/bin/env python3\n\"\"\"\n---\nid: 1\ntitle: \"Gallery\"\nenabled: true\n---\n\"\"\"\ndef render(): pass\n";
    let front_matter = read(source.as_bytes()).unwrap();
    assert_eq!(
        front_matter.fields[1],
        Field { name: "title".into(), line: 5, json: "\"Gallery\"".into(), text: Some("Gallery".into()) }
    );
    assert_eq!(&source[front_matter.body_start as usize..], "def render(): pass\n");
}
