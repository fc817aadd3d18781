//! Sources and their parts.

use wardroom_lua_syntax::position::Position;

use super::*;

fn parts(text: &str, contents: Contents) -> (Option<(Syntax, &str)>, &str) {
    let source = split(text, contents).unwrap();
    (source.front_matter.as_ref().map(|block| (block.syntax, source.block(block))), source.body())
}

fn post(text: &str) -> (Option<(Syntax, &str)>, &str) {
    parts(text, Contents::Post)
}

#[test]
fn yaml_is_closed_by_dashes_or_dots() {
    assert_eq!(post("---\na: 1\n---\nbody\n"), (Some((Syntax::Yaml, "a: 1\n")), "body\n"));
    assert_eq!(post("---\na: 1\n...\nbody"), (Some((Syntax::Yaml, "a: 1\n")), "body"));
    assert_eq!(post("--- \t\r\na: 1\r\n---  \r\nbody"), (Some((Syntax::Yaml, "a: 1\r\n")), "body"));
    assert_eq!(post("---\ra: 1\r---\rbody"), (Some((Syntax::Yaml, "a: 1\r")), "body"));
    assert_eq!(post("---\n---"), (Some((Syntax::Yaml, "")), ""));
    assert_eq!(post("---\na: '---'\n ---\n---\n"), (Some((Syntax::Yaml, "a: '---'\n ---\n")), ""));
}

#[test]
fn byte_order_mark_is_skipped() {
    assert_eq!(post("\u{feff}---\na: 1\n---\nbody"), (Some((Syntax::Yaml, "a: 1\n")), "body"));
    assert_eq!(post("\u{feff}body"), (None, "body"));
}

#[test]
fn toml_and_json_of_hugo_are_split() {
    assert_eq!(post("+++\na = 1\n+++\nbody"), (Some((Syntax::Toml, "a = 1\n")), "body"));
    assert_eq!(post("{\"a\": \"}\\\"{\"}\nbody"), (Some((Syntax::Json, "{\"a\": \"}\\\"{\"}")), "body"));
    assert_eq!(post("{ }  \r\n\r\nbody"), (Some((Syntax::Json, "{ }")), "\r\nbody"));
    assert_eq!(post("{} body"), (Some((Syntax::Json, "{}")), " body"));
}

#[test]
fn source_without_front_matter_is_all_body() {
    for text in [
        "",
        "body\n---\n",
        "\n---\na: 1\n---\n",
        "----\na: 1\n----\n",
        "--- # a\na: 1\n---\n",
        "++++\n",
        "{{< figure >}}\n",
        "{% include x %}",
        "{: .class}\ntext",
        "{a}",
        "{",
        " {\"a\": 1}",
    ] {
        assert_eq!(post(text), (None, text));
    }
}

#[test]
fn horizontal_rule_is_body_but_forgotten_closing_line_is_an_error() {
    for text in
        ["---", "---\n", "---\n\ntitle: a\n", "---\nSome text\nand more: it\n", "---\n# Heading\n", "---\n- a: b\n"]
    {
        assert_eq!(post(text), (None, text));
    }
    for text in ["---\ntitle: a\n\nbody\n", "---\ntags:\n- a\n", "+++\ntitle = 'a'\n", "{\"a\": 1\n\nbody"] {
        let Err(ParseError::Malformed { at, message }) = split(text, Contents::Post) else { panic!("{text}") };
        assert_eq!(at, 0);
        assert!(message.contains("never closed: add a"), "{message}");
    }
}

#[test]
fn comments_of_lua_are_no_delimiters() {
    let text = "---\n-- Renders a gallery.\n-- @module gallery\n---\nreturn {}\n";
    assert_eq!(parts(text, Contents::Code), (None, text));
    let text = "---\ntitle: Gallery\n---\nfunction render() end\n";
    assert_eq!(parts(text, Contents::Code), (Some((Syntax::Yaml, "title: Gallery\n")), "function render() end\n"));
}

#[test]
fn docstring_holds_front_matter_of_code_alone() {
    for (text, body) in [
        ("\"\"\"\n---\na: 1\n---\n\"\"\"\ndef render(): pass\n", "def render(): pass\n"),
        ("\"\"\"---\na: 1\n---\n\"\"\"\nx", "x"),
        ("'''\nA macro.\n\n---\na: 1\n---\nMore.\n'''\r\nx", "x"),
        ("#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n\nr\"\"\"\n---\na: 1\n...\n\"\"\"; x", "; x"),
    ] {
        assert_eq!(parts(text, Contents::Code), (Some((Syntax::Yaml, "a: 1\n")), body), "{text}");
        assert_eq!(post(text), (None, text));
    }
    for text in [
        "\"\"\"\nJust words.\n\"\"\"\n---\na: 1\n---\n",
        "\"\"\"\n---\na: 1\n---\n",
        "import x\n\"\"\"\n---\na: 1\n---\n\"\"\"\n",
        "\"\"\"\n---\n\n\"\"\"\n---\n",
        "é\"",
        "rr",
        "",
    ] {
        assert_eq!(parts(text, Contents::Code), (None, text));
    }
    assert!(split("\"\"\"\n---\na: 1\n\"\"\"\n---\n", Contents::Code).is_err());
}

#[test]
fn limits_hold_for_each_syntax() {
    let long = "a".repeat(MAX_FRONT_MATTER_BYTES);
    for text in [
        format!("---\na: {long}\n---\n"),
        format!("+++\na = '{long}'\n+++\n"),
        format!("{{\"a\": \"{long}\"}}"),
        format!("{{\"a\": \"{long}"),
        format!("\"\"\"\n---\na: {long}\n---\n\"\"\""),
    ] {
        assert_eq!(split(&text, Contents::Code), Err(ParseError::TooMuch("front matter")));
    }
    let deep = format!("{{\"a\": {}", "[".repeat(50_000));
    assert_eq!(split(&deep, Contents::Post), Err(ParseError::TooDeep { at: 6 + MAX_DEPTH - 1 }));
    let large = vec![b'a'; MAX_SOURCE_BYTES + 1];
    assert_eq!(decode(&large), Err(ReadError::TooLarge(1_048_576)));
    assert!(decode(&large[1..]).is_ok());
}

#[test]
fn undecodable_byte_has_its_place() {
    assert_eq!(decode(b"---\na: \xff\n---\n"), Err(ReadError::NotUtf8(Position { line: 2, column: 4 })));
    assert_eq!(decode(b"ab\xe2\x82"), Err(ReadError::NotUtf8(Position { line: 1, column: 3 })));
}
