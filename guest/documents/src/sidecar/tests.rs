//! Sidecars as programs wrote them, with and without escapes.

use super::*;

fn read_all(source: &str) -> Vec<(String, u32, String)> {
    read(source.as_bytes()).unwrap().into_iter().map(|field| (field.name, field.line, field.json)).collect()
}

fn json(source: &str, name: &str) -> String {
    let fields = read_all(source);
    fields.into_iter().find(|field| field.0 == name).unwrap().2
}

const SIDECAR: &str = "---\nid: 1f0c2b9e-8f0d-4f52-9d8e-3a1f6d1f2a10\noriginalName: \"IMG_1.jpg\"\nmimeType: image/jpeg\n\
size: 12345\nwidth: 800\ntitle: \"TITLE\"\ncaption: \"A: caption, with # signs\"\nlanguage: en\n\
createdAt: 2025-03-04T09:10:11.000Z\ntags: TAGS\n---";

fn sidecar(title: &str, tags: &str) -> String {
    SIDECAR.replace("TITLE", title).replace("TAGS", tags)
}

#[test]
fn sidecar_in_yaml_is_read_as_yaml() {
    let source = sidecar("A \\\"title\\\"", "[\"a\", \"b\"]");
    let fields = read_all(&source);
    assert_eq!(fields.len(), 10);
    assert_eq!(fields[3], ("size".into(), 5, "12345".into()));
    assert_eq!(fields[5], ("title".into(), 7, "\"A \\\"title\\\"\"".into()));
    assert_eq!(fields[8], ("createdAt".into(), 10, "\"2025-03-04T09:10:11.000Z\"".into()));
    assert_eq!(fields[9].2, "[\"a\", \"b\"]");
}

#[test]
fn text_without_escapes_is_read_to_its_last_quote() {
    for (title, json_title) in [
        ("He said \"hi\" to me", r#""He said \"hi\" to me""#),
        ("\"All\" quoted", r#""\"All\" quoted""#),
        ("ends \"here\"", r#""ends \"here\"""#),
        ("C:\\dir \"x\"", r#""C:\\dir \"x\"""#),
        ("first\nsecond \"line\"", r#""first\nsecond \"line\"""#),
    ] {
        let source = sidecar(title, "[\"a, b\", \"c: d\"]");
        assert_eq!(json(&source, "title"), json_title);
        assert_eq!(json(&source, "tags"), "[\"a, b\", \"c: d\"]");
        assert_eq!(json(&source, "size"), "12345");
        assert_eq!(json(&source, "caption"), "\"A: caption, with # signs\"");
        assert_eq!(json(&source, "mimeType"), "\"image/jpeg\"");
    }
}

#[test]
fn lists_without_escapes_are_split_where_the_program_joined_them() {
    let tags = |tags| json(&sidecar("x", tags), "tags");
    assert_eq!(tags("[\"a \"quoted\" one\", \"b, c\"]"), r#"["a \"quoted\" one", "b, c"]"#);
    assert_eq!(tags("[a: b: c, 'd' e]"), r#"["a: b: c", "'d' e"]"#);
    assert_eq!(tags("[\"x\"\", \"y\"]"), r#"["x\"", "y"]"#);
    assert_eq!(tags("[]"), "[]");
    assert_eq!(tags("\n  - a\n  - b: \"c\" d"), r#""- a\n  - b: \"c\" d""#);
}

#[test]
fn values_that_are_yaml_by_themselves_keep_their_escapes() {
    let source = "---\ntitle: 'it''s'\ntags:\n  - a\n  - \"b\\\"c\"\nalt: \"un\"escaped\"\nauthor:\n---\n";
    assert_eq!(json(source, "title"), "\"it's\"");
    assert_eq!(json(source, "tags"), r#"["a", "b\"c"]"#);
    assert_eq!(json(source, "alt"), r#""un\"escaped""#);
    assert_eq!(json(source, "author"), "null");
}

#[test]
fn delimiters_may_be_missing_and_the_last_field_of_a_name_counts() {
    for source in [
        "title: a\nid: \"b\"c\"\ntitle: x",
        "---\ntitle: a\nid: \"b\"c\"\ntitle: x\n",
        "\u{feff}---\r\ntitle: a\r\nid: \"b\"c\"\r\ntitle: x\r\n---\r\nrest: 1\r\n",
    ] {
        let fields = read_all(source);
        let names: Vec<&str> = fields.iter().map(|field| field.0.as_str()).collect();
        assert_eq!(names, ["id", "title"]);
        assert_eq!((fields[0].2.as_str(), fields[1].2.as_str()), ("\"b\\\"c\"", "\"x\""));
    }
}

#[test]
fn source_without_fields_is_refused_or_empty() {
    assert_eq!(read(b""), Ok(Vec::new()));
    assert_eq!(read(b"---\n---"), Ok(Vec::new()));
    assert!(matches!(read(b"---\n- a\n- b\n---\n"), Err(ReadError::Malformed { .. })));
    assert!(matches!(read(b"---\n\xff: a\n---\n"), Err(ReadError::NotUtf8(_))));
}

#[test]
fn limits_hold_in_the_lenient_reading_too() {
    let many: String = (0..=MAX_FIELDS).map(|number| format!("f{number}: \"a\"b\"\n")).collect();
    assert_eq!(read(many.as_bytes()), Err(ReadError::TooMuch("fields")));
    let long = format!("a: \"b\"c\"\n{}", "x\n".repeat(MAX_FRONT_MATTER_BYTES));
    assert_eq!(read(long.as_bytes()), Err(ReadError::TooMuch("front matter")));
    let deep = format!("---\na: {}\nb: 1\n---\n", "[".repeat(10_000));
    assert_eq!(json(&deep, "b"), "1");
}
