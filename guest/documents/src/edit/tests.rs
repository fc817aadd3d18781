//! Edits, each as the source before and after it.

use super::*;

fn change(name: &str, json: &str) -> Change {
    Change { name: name.into(), json: Some(json.into()) }
}

fn removal(name: &str) -> Change {
    Change { name: name.into(), json: None }
}

fn edited(source: &str, changes: &[Change]) -> String {
    match edit(source.as_bytes(), changes) {
        Ok(edited) => String::from_utf8(edited).unwrap(),
        Err(error) => panic!("{source}: {error:?}"),
    }
}

fn message(source: &str, changes: &[Change]) -> String {
    match edit(source.as_bytes(), changes) {
        Err(ReadError::Malformed { message, .. }) => message,
        other => panic!("{source}: {other:?}"),
    }
}

/// Edits `block` in YAML.
fn yaml(block: &str, changes: &[Change]) -> String {
    let edited = edited(&format!("---\n{block}---\nbody\n"), changes);
    edited.strip_prefix("---\n").unwrap().strip_suffix("---\nbody\n").unwrap().to_owned()
}

#[test]
fn yaml_values_are_replaced_in_their_place() {
    let block = "# first\ntitle: Old # why\n\n# about tags\ntags: # list\n  - a # one\n  - b\n# about slug\nslug:   'x'\nlast: |\n  t\n\n  # no comment\n\n# end\n";
    for (change, old, new) in [
        (change("title", "\"New title\""), "title: Old # why", "title: New title # why"),
        (change("title", "[\"x\", \"u\"]"), "title: Old # why", "title: # why\n  - x\n  - u"),
        (change("tags", "[\"c\"]"), "tags: # list\n  - a # one\n  - b\n", "tags: # list\n  - c\n"),
        (change("tags", "[]"), "tags: # list\n  - a # one\n  - b\n", "tags: [] # list\n"),
        (change("tags", "\"none\""), "tags: # list\n  - a # one\n  - b\n", "tags: none # list\n"),
        (change("slug", "\"it's\""), "slug:   'x'", "slug: 'it''s'"),
        (change("last", "1.50"), "last: |\n  t\n\n  # no comment\n", "last: 1.50\n"),
        (
            change("last", "{\"b\": [1, null], \"a\": true}"),
            "last: |\n  t\n\n  # no comment\n",
            "last: {b: [1, null], a: true}\n",
        ),
        (removal("title"), "title: Old # why\n", ""),
        (removal("tags"), "tags: # list\n  - a # one\n  - b\n", ""),
        (removal("last"), "last: |\n  t\n\n  # no comment\n", ""),
        (change("new", "\"a: b\""), "# end\n", "# end\nnew: 'a: b'\n"),
        (change("new", "[\"a\", 1]"), "# end\n", "# end\nnew:\n  - a\n  - 1\n"),
    ] {
        assert_eq!(yaml(block, &[change]), block.replace(old, new), "{new}");
    }
}

#[test]
fn yaml_in_other_spellings_is_edited() {
    for (block, change, result) in [
        ("tags: [a, b] # c\nx: 1\n", change("tags", "[\"c\"]"), "tags: # c\n  - c\nx: 1\n"),
        ("tags: [a,\n  b] # c\nx: 1\n", change("tags", "[\"c\"]"), "tags: # c\n  - c\nx: 1\n"),
        ("tags:\n- a\n-\nx: 1\n", change("tags", "[\"c\"]"), "tags:\n  - c\nx: 1\n"),
        ("tags:\n- a\n-\nx: 1\n", removal("tags"), "x: 1\n"),
        ("a:\nb: 1\n", change("a", "2"), "a: 2\nb: 1\n"),
        ("a: # c\nb: 1\n", change("a", "2"), "a: 2 # c\nb: 1\n"),
        ("a: &x 1\nb: 2\n", change("a", "2"), "a: 2\nb: 2\n"),
        ("a: !!str 1 # c\nb: 2\n", change("a", "2"), "a: 2 # c\nb: 2\n"),
        ("'a b' : \"x\"\n", change("a b", "\"u\""), "'a b' : u\n"),
        ("  a: 1\n  b:\n    - x\n", change("b", "[2]"), "  a: 1\n  b:\n    - 2\n"),
        ("  a: 1\n", change("c", "[2]"), "  a: 1\n  c:\n    - 2\n"),
        ("a: one\n  two\nb: 1\n", change("a", "\"x\""), "a: x\nb: 1\n"),
        ("a: 'one\n\n  two' # c\nb: 1\n", change("a", "\"x\""), "a: x # c\nb: 1\n"),
        ("a:\n  'one'\nb: 1\n", change("a", "\"x\""), "a: x\nb: 1\n"),
        ("a: >-\n  # x\n  y\n", change("a", "\"x\""), "a: x\n"),
        ("a: {b: 1}\n", change("a", "{}"), "a: {}\n"),
        ("a:\n  b: 1\n  # c\n  d: 2\n\n# e\nf: 3\n", removal("a"), "\n# e\nf: 3\n"),
        ("a: 1", change("b", "2"), "a: 1"),
    ] {
        if block.ends_with('\n') {
            assert_eq!(yaml(block, &[change]), result, "{block}");
        }
    }
}

#[test]
fn yaml_texts_are_quoted_where_a_reader_would_take_them_for_something_else() {
    for (text, written) in [
        ("Hello World", "Hello World"),
        ("Grüße aus Köln", "Grüße aus Köln"),
        ("posts/2024/a_b.md", "posts/2024/a_b.md"),
        ("0b0d2c5e-8f0d-4f52-9d8e-3a1f6d1f2a10", "0b0d2c5e-8f0d-4f52-9d8e-3a1f6d1f2a10"),
        ("12345678-0000-4000-8000-000000000000", "12345678-0000-4000-8000-000000000000"),
        ("", "''"),
        ("yes", "'yes'"),
        ("Off", "'Off'"),
        ("null", "'null'"),
        ("TRUE", "'TRUE'"),
        ("1.10", "'1.10'"),
        ("1e-5", "'1e-5'"),
        ("0x1F", "'0x1F'"),
        ("1_000", "'1_000'"),
        ("2024-03-01", "'2024-03-01'"),
        ("2024-review", "'2024-review'"),
        ("2025-03-04T09:10:11.000Z", "'2025-03-04T09:10:11.000Z'"),
        ("12:30", "'12:30'"),
        ("- a", "'- a'"),
        ("a: b", "'a: b'"),
        ("a #b", "'a #b'"),
        ("#b", "'#b'"),
        ("it's \"x\"", "'it''s \"x\"'"),
        ("[a]", "'[a]'"),
        ("{a}", "'{a}'"),
        ("*a", "'*a'"),
        ("&a", "'&a'"),
        ("!a", "'!a'"),
        ("@a", "'@a'"),
        ("%a", "'%a'"),
        ("`a`", "'`a`'"),
        ("a ", "'a '"),
        (" a", "' a'"),
        (".inf", "'.inf'"),
        ("~", "'~'"),
        ("---", "'---'"),
        ("=", "'='"),
        ("<<", "'<<'"),
        ("a\nb", "\"a\\nb\""),
        ("\u{feff}a\u{85}", "\"\\ufeffa\\u0085\""),
    ] {
        let json = Value::Text(text.to_owned()).to_json();
        assert_eq!(yaml("x: 0\n", &[change("x", &json)]), format!("x: {written}\n"));
        assert_eq!(yaml("x: 0\n", &[change("x", &format!("[{json}]"))]), format!("x:\n  - {written}\n"));
    }
}

#[test]
fn dates_stay_dates_where_they_were() {
    let date = change("date", "\"2024-05-06T07:08:09Z\"");
    for (source, result) in [
        ("---\ndate: 2024-03-01\n---\n", "---\ndate: 2024-05-06T07:08:09Z\n---\n"),
        ("---\ndate: '2024-03-01'\n---\n", "---\ndate: '2024-05-06T07:08:09Z'\n---\n"),
        ("---\ndate: 2024-03-01 10:00:00 +0100 # c\n---\n", "---\ndate: 2024-05-06T07:08:09Z # c\n---\n"),
        ("+++\ndate = 2024-03-01\n+++\n", "+++\ndate = 2024-05-06T07:08:09Z\n+++\n"),
        ("+++\ndate = \"2024-03-01\"\n+++\n", "+++\ndate = \"2024-05-06T07:08:09Z\"\n+++\n"),
    ] {
        assert_eq!(edited(source, std::slice::from_ref(&date)), result);
    }
    let other = change("date", "\"soon: maybe\"");
    assert_eq!(edited("---\ndate: 2024-03-01\n---\n", std::slice::from_ref(&other)), "---\ndate: 'soon: maybe'\n---\n");
    assert_eq!(edited("+++\ndate = 2024-03-01\n+++\n", &[other]), "+++\ndate = \"soon: maybe\"\n+++\n");
}

#[test]
fn unchanged_values_keep_their_bytes() {
    for source in [
        "---\ntitle:   \"a\"   # c\ntags: [ a,b ]\nn: 0x10\ndate: 2024-03-01\n---\nx",
        "+++\ntitle   = 'a'\ntags = [ \"a\",\"b\", ]\nn = 1_6\ndate = 2024-03-01\n+++\nx",
        "{\"title\" :\"a\",\"tags\":[ \"a\" , \"b\" ],\"n\":16.0,\"date\":\"2024-03-01\"}\nx",
    ] {
        let changes = [
            change("title", "\"a\""),
            change("tags", "[\"a\", \"b\"]"),
            change("n", "16"),
            change("date", "\"2024-03-01\""),
            removal("missing"),
        ];
        assert_eq!(edited(source, &changes), source);
    }
    assert_eq!(edited("no front matter", &[removal("a")]), "no front matter");
}

#[test]
fn line_breaks_and_byte_order_mark_are_kept() {
    for eol in ["\n", "\r\n", "\r"] {
        let source = "\u{feff}---\ntitle: a # c\ntags:\n- x\n---\nbody\n".replace('\n', eol);
        let result = "\u{feff}---\ntitle: b # c\ntags:\n  - u\n  - z\nnew: 1\n---\nbody\n".replace('\n', eol);
        let changes = [change("title", "\"b\""), change("tags", "[\"u\", \"z\"]"), change("new", "1")];
        assert_eq!(edited(&source, &changes), result);
        let toml = "+++\na = 1\n\n# c\n[t]\nx = 1\n+++\nbody".replace('\n', if eol == "\r" { "\n" } else { eol });
        let result = toml.replace("a = 1", "a = 2").replacen("2\n", "2\nb = [\"c\"]\n", 1).replacen(
            "2\r\n",
            "2\r\nb = [\"c\"]\r\n",
            1,
        );
        assert_eq!(edited(&toml, &[change("a", "2"), change("b", "[\"c\"]")]), result);
        let json = "{\n  \"a\": 1\n}\nbody".replace('\n', eol);
        let result = "{\n  \"a\": 1,\n  \"b\": 2\n}\nbody".replace('\n', eol);
        assert_eq!(edited(&json, &[change("b", "2")]), result);
        let none = format!("\u{feff}body{eol}");
        let result = format!("\u{feff}---{eol}a: 1{eol}---{eol}body{eol}");
        assert_eq!(edited(&none, &[change("a", "1")]), result);
    }
}

#[test]
fn source_without_front_matter_gets_one() {
    let changes = [change("title", "\"A\""), change("tags", "[]")];
    for body in ["", "body\n", "---\n\nafter a rule\n", "{{< shortcode >}}\n", "\n\n---\na: 1\n---\n"] {
        assert_eq!(edited(body, &changes), format!("---\ntitle: A\ntags: []\n---\n{body}"));
    }
    assert_eq!(edited("---\n---\nbody", &changes), "---\ntitle: A\ntags: []\n---\nbody");
    assert_eq!(edited("+++\n+++\nbody", &changes), "+++\ntitle = \"A\"\ntags = []\n+++\nbody");
    assert_eq!(edited("{}\nbody", &changes), "{\n  \"title\": \"A\",\n  \"tags\": []\n}\nbody");
}

#[test]
fn toml_fields_are_edited_in_their_place() {
    let source = "+++\n# c\ntitle = 'a' # why\ntags = [\n  \"x\", # one\n  \"y\",\n]\nm = \"\"\"\n# in\n[text]\"\"\"\nd.e = 1\n\n# about t\n[t]\nx = 1\n+++\nbody";
    for (change, old, new) in [
        (change("title", "\"it's\\n\""), "'a' # why", "\"it's\\n\" # why"),
        (change("tags", "[\"z\"]"), "[\n  \"x\", # one\n  \"y\",\n]", "[\"z\"]"),
        (change("m", "{\"a b\": 1.5, \"c\": []}"), "\"\"\"\n# in\n[text]\"\"\"", "{ \"a b\" = 1.5, c = [] }"),
        (removal("title"), "title = 'a' # why\n", ""),
        (removal("m"), "m = \"\"\"\n# in\n[text]\"\"\"\n", ""),
        (change("new key", "false"), "d.e = 1\n", "d.e = 1\n\"new key\" = false\n"),
        (change("n", "{}"), "d.e = 1\n", "d.e = 1\nn = {}\n"),
    ] {
        assert_eq!(edited(source, &[change]), source.replace(old, new), "{new}");
    }
    for change in
        [change("t", "1"), removal("t"), change("d", "1"), change("n", "null"), change("n", "[{\"a\": null}]")]
    {
        assert!(message(source, &[change]).contains("is not changed"));
    }
    assert_eq!(edited("+++\n# c\n[t]\n+++\n", &[change("a", "1")]), "+++\na = 1\n# c\n[t]\n+++\n");
}

#[test]
fn json_fields_are_edited_in_their_place() {
    for (source, change, result) in [
        ("{\n \"a\": 1,\n \"b\": [1]\n}", change("b", "{\"x\": 1}"), "{\n \"a\": 1,\n \"b\": {\"x\": 1}\n}"),
        ("{\n \"a\": 1,\n \"b\": 2\n}", removal("a"), "{\n \"b\": 2\n}"),
        ("{\n \"a\": 1,\n \"b\": 2\n}", removal("b"), "{\n \"a\": 1\n}"),
        ("{\n \"a\": 1\n}", removal("a"), "{\n}"),
        ("{\"a\":1,\"b\":2}", change("c", "3"), "{\"a\":1,\"b\":2,\"c\": 3}"),
        ("{\"a\": 1}", change("c", "3"), "{\"a\": 1, \"c\": 3}"),
        ("{ \"a\": 1 }", change("c", "3"), "{ \"a\": 1, \"c\": 3 }"),
    ] {
        assert_eq!(edited(&format!("{source}\nbody"), &[change]), format!("{result}\nbody"));
    }
}

#[test]
fn several_changes_are_made_and_the_last_of_a_name_counts() {
    let changes = [change("a", "1"), removal("b"), change("c", "[1]"), change("a", "2"), change("d", "4")];
    assert_eq!(yaml("b: 1\n# x\nc: 2\na: 0\n", &changes), "# x\nc:\n  - 1\na: 2\nd: 4\n");
}

#[test]
fn docstring_keeps_its_script() {
    let source = "\"\"\"\n---\ntitle: a\n---\n\"\"\"\ndef render(): pass\n";
    assert_eq!(edited(source, &[change("title", "\"b c\"")]), source.replace("title: a", "title: b c"));
    let message = message(source, &[change("title", "\"b \\\"\\\"\\\" c\"")]);
    assert!(message.contains("edit the file itself"), "{message}");
}

#[test]
fn what_cannot_be_written_is_refused() {
    for (source, changes, reason) in [
        ("---\n{a: 1, b: 2}\n---\n", vec![change("a", "3")], "line of its own"),
        ("---\n{a: 1, b: 2}\n---\n", vec![change("c", "3")], "edit the file itself"),
        ("---\n? a\n: 1\n---\n", vec![change("a", "3")], "line of its own"),
        ("---\na: &x 1\nb: *x\n---\n", vec![change("a", "3")], "edit the file itself"),
        ("---\na: &x [1]\nb: *x\n---\n", vec![removal("a")], "edit the file itself"),
        ("---\na: b: c\n---\n", vec![change("a", "3")], "not YAML"),
        ("---\na: 1\n---\n", vec![change("a", "[1")], "the new value of `a` is not JSON"),
        ("---\na: 1\n---\n", vec![change("a", "")], "the new value of `a` is not JSON"),
        ("---\na: 1\n---\n", vec![change("", "1")], "needs a name"),
        ("+++\na = 1\n+++\n", vec![change("a", "99999999999999999999")], "edit the file itself"),
    ] {
        let message = message(source, &changes);
        assert!(message.contains(reason), "{source}: {message}");
    }
}

#[test]
fn limits_hold() {
    let edit = |source: &str, changes: &[Change]| edit(source.as_bytes(), changes);
    let long = format!("\"{}\"", "a".repeat(MAX_FRONT_MATTER_BYTES));
    assert_eq!(edit("---\na: 1\n---\n", &[change("a", &long)]), Err(ReadError::TooMuch("front matter")));
    let many = vec![removal("a"); MAX_CHANGES + 1];
    assert_eq!(edit("", &many), Err(ReadError::TooMuch("changes")));
    let comments = format!("---\n#{}\na: 1\n---\n", "x".repeat(60_000));
    let changes: Vec<Change> = (0..9).map(|index| change(&format!("f{index}"), "1")).collect();
    assert_eq!(edit(&comments, &changes), Err(ReadError::TooMuch("changes")));
    assert!(edit(&comments, &changes[..8]).is_ok());
    let spaced = |spaces: usize| format!("{}1", " ".repeat(spaces));
    assert_eq!(edit("", &[change("a", &spaced(MAX_CHANGE_BYTES - 2))]), Ok(b"---\na: 1\n---\n".to_vec()));
    assert_eq!(edit("", &[change("a", &spaced(MAX_CHANGE_BYTES - 1))]), Err(ReadError::TooMuch("changes")));
    let deep = "[".repeat(40) + &"]".repeat(40);
    assert!(matches!(edit("", &[change("a", &deep)]), Err(ReadError::TooDeep(_))));
    let deep = "[".repeat(100_000);
    assert!(matches!(edit("", &[change("a", &deep)]), Err(ReadError::TooDeep(_))));
    let full = "a".repeat(crate::limits::MAX_SOURCE_BYTES);
    assert_eq!(edit(&full, &[change("a", "1")]), Err(ReadError::TooLarge(1_048_576)));
    let fields: String = (0..crate::limits::MAX_FIELDS).map(|index| format!("f{index}: 1\n")).collect();
    assert_eq!(edit(&format!("---\n{fields}---\n"), &[change("a", "1")]), Err(ReadError::TooMuch("fields")));
}
