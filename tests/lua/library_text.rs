//! Tests of text functions: choices, scores, chunks, hashes and JSON in prose.

use serde_json::{Value as Json, json};

use super::library_host::{error, value};

#[track_caller]
fn check(call: &str, expected: impl Into<Option<Json>>) {
    assert_eq!(Some(value(&format!("return alc.{call}"))), expected.into(), "{call}");
}

#[test]
fn match_enum_takes_last_mentioned_candidate() {
    check("match_enum('First SQL, then graph', { 'sql', 'Graph' })", json!("Graph"));
    check("match_enum('graph it is, not sql, but graph', { 'sql', 'graph' })", json!("graph"));
    // At the same position, the first candidate in the list wins.
    check("match_enum('approved', { 'approve', 'approved' })", json!("approve"));
    check("match_enum('approved', { 'approved', 'approve' })", json!("approved"));
    check("match_enum('ÄRGER', { 'ärger' })", json!("ärger"));
    check("match_enum('1 or 2', { 1, 2 })", json!("2"));
}

#[test]
fn match_enum_falls_back_to_most_similar_word() {
    check("match_enum('it is \"critcal\".', { 'minor', 'critical' })", json!("critical"));
    check("match_enum('xyz', { 'minor', 'critical' })", json!(null));
    check("match_enum('critcal', { 'critical' }, { threshold = 0.999 })", json!(null));
    check("match_enum('', { 'a' })", json!(null));
    check("match_enum('a', {})", json!(null));
    check("match_enum('anything', { '' })", json!(null));
    assert_eq!(error("return alc.match_enum('a', { {} }), 1"), "script:1: alc.match_enum: candidate 1 is not a string");
    assert_eq!(
        error("return alc.match_enum('a'), 1"),
        "script:1: bad argument #2 to 'match_enum' (table expected, got no value)"
    );
}

#[test]
fn match_bool_takes_last_decisive_word() {
    for yes in
        ["approved", "yes", "ok", "accept", "pass", "confirm", "agree", "true", "lgtm", "No… but then: OK!", "no_yes"]
    {
        check(&format!("match_bool('{yes}')"), json!(true));
    }
    for no in ["rejected", "no", "deny", "block", "fail", "refuse", "disagree", "false", "YES, then no"] {
        check(&format!("match_bool('{no}')"), json!(false));
    }
    for none in ["", "maybe", "passing", "notok", "know"] {
        check(&format!("match_bool('{none}')"), json!(null));
    }
}

#[test]
fn chunk_splits_by_lines() {
    check("chunk('a\\nb\\nc\\nd\\n', { size = 2 })", json!(["a\nb", "c\nd"]));
    check("chunk('a\\nb\\nc', { size = 2, overlap = 1 })", json!(["a\nb", "b\nc"]));
    check("chunk('a\\nb\\nc', { size = 2, overlap = 5 })", json!(["a\nb", "b\nc"]));
    check("chunk('a\\nb\\nc')", json!(["a\nb\nc"]));
    check("chunk('', { size = 2 })", json!({}));
    check("chunk('a', { size = 0 })", json!({}));
}

#[test]
fn chunk_splits_by_chars() {
    check("chunk('äöüß€', { mode = 'chars', size = 2 })", json!(["äö", "üß", "€"]));
    check("chunk('abcde', { mode = 'chars', size = 3, overlap = 1 })", json!(["abc", "cde"]));
    check("chunk('abc', { mode = 'chars', size = 3, overlap = 1 })", json!(["abc"]));
    for (opts, expected) in [
        ("{ mode = 'words' }", "alc.chunk: `mode` must be \"lines\" or \"chars\", got \"words\""),
        ("{ size = -1 }", "alc.chunk: `size` must be a whole number of 0 or more"),
        ("{ overlap = 'x' }", "alc.chunk: `overlap` must be a whole number of 0 or more"),
    ] {
        assert_eq!(error(&format!("return alc.chunk('a', {opts}), 1")), format!("script:1: {expected}"));
    }
    let bomb =
        "local text = ('x'):rep(100000) return alc.chunk(text, { mode = 'chars', size = 50000, overlap = 49999 }), 1";
    assert!(error(bomb).contains("the pieces repeat too much"), "{}", error(bomb));
}

#[test]
fn fingerprint_matches_the_original() {
    check("fingerprint('fix the login bug')", json!("70af5a24"));
    check("fingerprint('  Fix\\tthe \\n LOGIN bug ')", json!("70af5a24"));
    check("fingerprint('fix the login bugs') == '70af5a24'", json!(false));
    check("fingerprint('')", json!("00001505"));
    // ASCII only: other letters keep their case.
    check("fingerprint('Ä') == alc.fingerprint('ä')", json!(false));
}

#[test]
fn hash_is_sha_256() {
    check("hash('')", json!("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
    check("hash('abc')", json!("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    check("hash('\\xff') == alc.hash('\\xfe')", json!(false));
}

#[test]
fn parse_score_takes_first_whole_number() {
    for (text, score) in
        [("8/10", 8), ("Score: -3", 3), ("7.5", 7), ("0", 1), ("1000", 10), ("none", 5), ("99999999999999999999", 10)]
    {
        check(&format!("parse_score('{text}')"), json!(score));
    }
    check("parse_score('none', 42)", json!(42));
    check("parse_score('none', 0.5)", json!(0.5));
    check("parse_score(6)", json!(6));
}

#[test]
fn parse_number_takes_first_number_or_capture() {
    check("parse_number('about -3.25 degrees')", json!(-3.25));
    check("parse_number('7.')", json!(7.0));
    check("parse_number('none')", json!(null));
    check("parse_number('p = 0.4, q = 2', 'q = (%d+)')", json!(2));
    check("parse_number('p = x', 'p = (%a)')", json!(null));
    check("parse_number('p', '()p')", json!(null));
    for nothing in ["", "nil", "{}", "12", "json.null"] {
        check(&format!("parse_number({nothing})"), json!(null));
    }
}

#[test]
fn json_extract_finds_json_in_prose() {
    let found = |raw: &str| value(&format!("return alc.json_extract([==[{raw}]==])"));
    for (raw, expected) in [
        (r#"{"a":1}"#, json!({ "a": 1 })),
        ("[1,2]", json!([1, 2])),
        ("[]", json!([])),
        ("Here:\n```json\n{\"a\": [1]}\n```\nand ```\n{\"b\":2}\n```", json!({ "a": [1] })),
        ("```\n{\"b\":2}\n``` then ```json\n{\"a\":1}\n```", json!({ "a": 1 })),
        ("```lua\nreturn 1\n```\nso {\"c\": 3}.", json!({ "c": 3 })),
        (r#"As [1] says, {"a": "} not the end", "b": [1]} holds"#, json!({ "a": "} not the end", "b": [1] })),
        (r#"List: [{"a":1},{"b":2}] done"#, json!([{ "a": 1 }, { "b": 2 }])),
        ("Only [1, 2] and [3]", json!([1, 2])),
        (r#"{broken} {"ok": true}"#, json!({ "ok": true })),
        (r#"{"cut": [{"x": 1}, {"y"#, json!({ "x": 1 })),
        ("42", json!(null)),
        ("\"text\"", json!(null)),
        ("null", json!(null)),
        ("nothing here", json!(null)),
        ("", json!(null)),
    ] {
        assert_eq!(found(raw), expected, "{raw}");
    }
    check("json_extract(nil)", json!(null));
    // What a model writes without end takes linear time.
    for begun in ["[", "[0,", "{\"a\":", "[\"a\",{\"b\":[", "[1e5,", "[ \\n"] {
        check(&format!("json_extract(('{begun}'):rep({}))", 1_000_000 / begun.len()), json!(null));
    }
}
