//! Properties of edits, on random front matter.

use proptest::prelude::*;

use super::*;
use crate::front_matter::{Field, read};
use crate::value::write_quoted;

/// Texts that look like something else, or need quotes or escapes.
fn text() -> impl Strategy<Value = String> {
    let awkward = [
        "yes",
        "1.10",
        "0x1F",
        "2024-03-01",
        "- a",
        "a: b",
        "a #b",
        "it's",
        "\"",
        "\\",
        "[x",
        "}",
        "*a",
        "&a",
        "!t",
        "a\nb",
        "\r\n",
        "\t",
        "",
        " ",
        "~",
        "null",
        ".inf",
        "---",
        "+++",
        "...",
        "Grüße",
        "日本語",
        "😀",
        "\u{feff}",
        "\u{85}",
        "\u{2028}",
        "<<",
        "%",
        "\u{7f}",
        "\u{1fffe}",
        "a\u{301}",
        "\u{a0}",
        "'''",
        "\"\"\"x",
        "{{ x }}",
        "key: |",
        "\u{e000}",
    ];
    prop_oneof![
        proptest::sample::select(awkward.to_vec()).prop_map(str::to_owned),
        "[ -~]{0,12}",
        "\\PC{0,8}",
        any::<String>().prop_map(|text| text.chars().take(8).filter(|char| *char != '\0').collect()),
    ]
}

fn number() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i64>().prop_map(|number| Value::Number(number.to_string())),
        (-1.0e9..1.0e9_f64).prop_map(|number| Value::number(&format!("{number:.3}"))),
    ]
}

/// A value that all three syntaxes have.
fn value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![text().prop_map(Value::Text), any::<bool>().prop_map(Value::Bool), number()];
    scalar.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::List),
            proptest::collection::btree_map(text(), inner, 0..3)
                .prop_map(|map| Value::Table(map.into_iter().collect())),
        ]
    })
}

fn fields() -> impl Strategy<Value = Vec<(String, Value)>> {
    let name = prop_oneof!["[a-z]{1,6}", text()].prop_filter("a name", |name| !name.is_empty());
    proptest::collection::btree_map(name, value(), 0..8).prop_map(|map| map.into_iter().collect())
}

/// A source in which programs and people wrote, for a syntax, with comments where it has them.
fn source(syntax: Syntax, fields: &[(String, Value)], eol: &str, spelling: u8) -> String {
    let (before, after) = match syntax {
        Syntax::Yaml => ("---", "---"),
        Syntax::Toml => ("+++", "+++"),
        Syntax::Json => ("{", "}"),
    };
    let mut out = vec![before.to_owned()];
    for (index, (name, value)) in fields.iter().enumerate() {
        out.extend(lines_of(syntax, (index, index + 1 == fields.len()), (name, value), spelling));
        if syntax != Syntax::Json && index % 2 == 1 {
            out.extend([String::new(), format!("# comment {index}")]);
        }
    }
    out.extend([after.to_owned(), "# Body".to_owned(), String::new(), "---".to_owned(), "text: 1".to_owned()]);
    out.join(eol)
}

/// The lines of one field.
fn lines_of(
    syntax: Syntax,
    (index, is_last): (usize, bool),
    (name, value): (&str, &Value),
    spelling: u8,
) -> Vec<String> {
    let (mut key, json) = (String::new(), value.to_json());
    write_quoted(name, &mut key);
    match (syntax, value, spelling % 4) {
        (Syntax::Json, ..) => vec![format!("  {key}:{json}{}", if is_last { "" } else { "," })],
        (Syntax::Toml, ..) if has_table(value) => vec![format!("{key} = \"\" # no table")],
        (Syntax::Toml, ..) => vec![format!("{key}   = {json} # c{index}")],
        (Syntax::Yaml, Value::List(items), 1) if !items.is_empty() => {
            let items = items.iter().map(|item| format!("    - {} # item", item.to_json()));
            std::iter::once(format!("{key}: # list")).chain(items).collect()
        }
        (Syntax::Yaml, Value::Text(text), 2) if text.chars().all(char::is_alphanumeric) && !text.is_empty() => {
            vec![format!("{key}: |- # block"), format!("   {text}"), String::new()]
        }
        (Syntax::Yaml, _, 3) => vec![format!("{key}:   {json}   # c{index}")],
        (Syntax::Yaml, ..) => vec![format!("{key}: {json}")],
    }
}

fn has_table(value: &Value) -> bool {
    match value {
        Value::Table(_) => true,
        Value::List(items) => items.iter().any(has_table),
        _ => false,
    }
}

fn syntax() -> impl Strategy<Value = Syntax> {
    proptest::sample::select(vec![Syntax::Yaml, Syntax::Toml, Syntax::Json])
}

/// Returns the lines that two texts do not have in common at their starts and ends.
fn changed_lines<'t>(before: &'t str, after: &'t str) -> (Vec<&'t str>, Vec<&'t str>) {
    let (mut old, mut new): (Vec<&str>, Vec<&str>) = (before.split('\n').collect(), after.split('\n').collect());
    while !old.is_empty() && old.first() == new.first() {
        old.remove(0);
        new.remove(0);
    }
    while !old.is_empty() && old.last() == new.last() {
        old.pop();
        new.pop();
    }
    (old, new)
}

fn other_fields<'f>(fields: &'f [Field], name: &str) -> Vec<(&'f str, &'f str, Option<&'f str>)> {
    let others = fields.iter().filter(|field| field.name != name);
    others.map(|field| (&*field.name, &*field.json, field.text.as_deref())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    /// A changed field has its new value, and the lines of all others keep their bytes.
    #[test]
    fn edit_changes_one_field_alone(
        syntax in syntax(), fields in fields(), new in value(), index in any::<prop::sample::Index>(),
        eol in proptest::sample::select(vec!["\n", "\r\n"]), spelling in any::<u8>(), kind in 0..3_u8,
    ) {
        let source = source(syntax, &fields, eol, spelling);
        let before = read(source.as_bytes()).unwrap();
        prop_assert_eq!(before.fields.len(), fields.len());
        let existing = (!fields.is_empty()).then(|| fields[index.index(fields.len())].0.clone());
        let name = existing.filter(|_| kind > 0).unwrap_or_else(|| "added field".to_owned());
        let json = (kind < 2).then(|| new.to_json());
        let change = Change { name: name.clone(), json: json.clone() };
        let edited = edit(source.as_bytes(), &[change]).map_err(|error| TestCaseError::fail(format!("{error:?}\n{source}")))?;
        let after = read(&edited).unwrap();
        let edited = std::str::from_utf8(&edited).unwrap();
        prop_assert_eq!(other_fields(&before.fields, &name), other_fields(&after.fields, &name));
        prop_assert_eq!(&source[before.body_start as usize..], &edited[after.body_start as usize..]);
        let found = after.fields.iter().find(|field| field.name == name);
        prop_assert_eq!(found.is_some(), json.is_some(), "{}", edited);
        if let (Some(found), Some(json)) = (found, json) {
            prop_assert!(parse_value(&found.json).unwrap().is_equivalent(&parse_value(&json).unwrap()), "{}", edited);
        }
        // Of the old lines only those of the field are gone; a JSON field that loses its place loses a comma elsewhere.
        let (old, _) = changed_lines(&source, edited);
        let mut key = String::new();
        write_quoted(&name, &mut key);
        let foreign = old.iter().filter(|line| line.trim_start().starts_with('"') && !line.trim_start().starts_with(&key));
        prop_assert!(foreign.count() <= usize::from(syntax == Syntax::Json), "{:?}\n{}\n{}", old, source, edited);
        prop_assert!(!old.iter().any(|line| line.starts_with("# comment")), "{}\n{}", source, edited);
        prop_assert_eq!(edited.contains("\r\n"), eol == "\r\n");
        prop_assert!(eol == "\n" || edited.split("\r\n").all(|line| !line.contains('\n')), "{:?}", edited);
    }

    /// Several changes at once: each field has its new value, and every line of every other field keeps its bytes and its order.
    #[test]
    fn several_edits_leave_the_lines_of_all_other_fields(
        syntax in syntax(), fields in fields(), eol in proptest::sample::select(vec!["\n", "\r\n"]), spelling in any::<u8>(),
        picked in any::<u8>(), removed in any::<u8>(), new in proptest::collection::vec(value(), 8), adds in any::<bool>(),
    ) {
        let source = source(syntax, &fields, eol, spelling);
        let is_in = |set: u8, index: usize| set >> index & 1 == 1;
        let changed = fields.iter().zip(&new).enumerate().filter(|(index, _)| is_in(picked, *index));
        let mut changes: Vec<Change> = changed
            .map(|(index, ((name, _), value))| {
                Change { name: name.clone(), json: (!is_in(removed, index)).then(|| value.to_json()) }
            })
            .collect();
        changes.extend(adds.then(|| Change { name: "added field".to_owned(), json: Some("[1, \"x\"]".to_owned()) }));
        let edited = edit(source.as_bytes(), &changes).map_err(|error| TestCaseError::fail(format!("{error:?}\n{source}")))?;
        let after = read(&edited).unwrap();
        let edited = std::str::from_utf8(&edited).unwrap();
        for change in &changes {
            let found = after.fields.iter().find(|field| field.name == change.name);
            prop_assert_eq!(found.is_some(), change.json.is_some(), "{}", edited);
            if let (Some(found), Some(json)) = (found, &change.json) {
                prop_assert!(parse_value(&found.json).unwrap().is_equivalent(&parse_value(json).unwrap()), "{}", edited);
            }
        }
        let mut rest = &edited[..after.body_start as usize];
        for (index, (name, value)) in fields.iter().enumerate().filter(|(index, _)| !is_in(picked, *index)) {
            let mut lines = lines_of(syntax, (index, true), (name, value), spelling);
            // What follows a block is the field's, and may stand before the next one's comments.
            lines.retain(|line| !line.is_empty());
            // Where the next field goes, or another one comes, the comma of JSON does, too.
            let block = lines.join(eol);
            let at = rest.find(&block);
            prop_assert!(at.is_some(), "{:?} is gone\n{}\n{}", block, source, edited);
            rest = &rest[at.unwrap() + block.len()..];
        }
        prop_assert!(edited.ends_with(&source[read(source.as_bytes()).unwrap().body_start as usize..]));
    }

    /// A source that is written from nothing has exactly the fields that were meant.
    #[test]
    fn edit_writes_all_fields(syntax in syntax(), fields in fields()) {
        let source = match syntax {
            Syntax::Yaml => "body",
            Syntax::Toml => "+++\n+++\nbody",
            Syntax::Json => "{}\nbody",
        };
        let changes: Vec<Change> =
            fields.iter().map(|(name, value)| Change { name: name.clone(), json: Some(value.to_json()) }).collect();
        let edited = edit(source.as_bytes(), &changes).map_err(|error| TestCaseError::fail(format!("{error:?}")))?;
        let after = read(&edited).unwrap();
        prop_assert!(edited.ends_with(b"body"));
        prop_assert_eq!(after.fields.len(), fields.len());
        for (name, value) in &fields {
            let found = after.fields.iter().find(|field| field.name == *name).unwrap();
            prop_assert!(parse_value(&found.json).unwrap().is_equivalent(value));
        }
        let again = edit(&edited, &changes).unwrap();
        prop_assert_eq!(again, edited);
    }

    /// Any bytes are read, refused, edited and rendered without a panic, and an edit that succeeds does what it says.
    #[test]
    fn mutated_documents_are_handled(
        base in proptest::sample::select(BASES.to_vec()), cuts in proptest::collection::vec((any::<prop::sample::Index>(), piece()), 1..6),
        new in value(),
    ) {
        let mut bytes = base.as_bytes().to_vec();
        for (index, piece) in cuts {
            let at = index.index(bytes.len() + 1);
            match piece {
                Some(piece) => { bytes.splice(at..at, piece.bytes()); }
                None => { bytes.drain(at..bytes.len().min(at + 7)); }
            }
        }
        let _front_matter = read(&bytes);
        let _sidecar = crate::sidecar::read(&bytes);
        let _preview = crate::preview::render(&bytes);
        if let Ok(post) = crate::post::read(&bytes, Some("https://example.com")) {
            prop_assert!(post.body_start as usize <= bytes.len());
            prop_assert!(post.links.is_sorted_by_key(|link| link.line) && post.headings.is_sorted_by_key(|heading| heading.line));
            let lines = bytes.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count() + 1;
            prop_assert!(post.fields.iter().all(|field| (1..=lines).contains(&(field.line as usize))));
            prop_assert!(post.fields.iter().all(|field| parse_value(&field.json).is_ok()));
        }
        let before = read(&bytes);
        for json in [Some(new.to_json()), None] {
            let change = Change { name: "title".into(), json: json.clone() };
            if let (Ok(edited), Ok(before)) = (edit(&bytes, &[change]), &before) {
                let after = read(&edited).unwrap();
                prop_assert_eq!(after.fields.iter().any(|field| field.name == "title"), json.is_some());
                let mut expected = other_fields(&before.fields, "title");
                let mut found = other_fields(&after.fields, "title");
                expected.sort();
                found.sort();
                prop_assert_eq!(expected, found);
                prop_assert_eq!(&bytes[before.body_start as usize..], &edited[after.body_start as usize..]);
            }
        }
    }
}

const BASES: &[&str] = &[
    "---\nid: 0b0d-1\ntitle: 'A: b'\ntags:\n  - x # c\n  - \"y\"\nlist: [a, {b: 1}]\ntext: |\n  block\n  # text\n\n# c\nend: &a 1\nref: *a\n---\n# Body [a](/a)\n\n<p>x</p>\n",
    "---\r\ntitle: a\r\ndate: 2024-03-01\r\nempty:\r\n...\r\nbody `code`\r\n",
    "+++\ntitle = \"a\"\ndate = 2024-03-01T10:00:00Z\ntags = [\n \"x\", # c\n]\nm = '''\nx'''\n[params]\na.b = 1\n[[r]]\nx = {y = 1}\n+++\nbody {{< x >}}\n",
    "{\n  \"title\": \"a\\n\",\n  \"tags\": [\"x\", 1.5e3],\n  \"o\": {\"a\": null}\n}\n\nbody\n",
    "\"\"\"\n---\ntitle: a\nenabled: true\n---\n\"\"\"\ndef render(): pass\n",
    "---\noriginalName: \"a \"b\".jpg\"\ntitle: \"x, y: z\"\ntags: [\"a\", \"b, c\"]\n---",
];

/// Something to insert, or nothing to delete instead.
fn piece() -> impl Strategy<Value = Option<&'static str>> {
    let pieces = [
        "---\n",
        "\n---\n",
        "+++\n",
        "\n",
        "\r",
        "\"",
        "'",
        "#",
        " # ",
        ": ",
        "- ",
        "[",
        "]",
        "{",
        "}",
        "&a ",
        "*a",
        "|",
        ">\n",
        "\t",
        "  ",
        "\0",
        "é",
        "\u{feff}",
        "title: 1\n",
        "? ",
        "!!x ",
        "%",
        "\\",
        "<a href=\"/x\">",
        "](",
        "`",
        "<!--",
        "...\n",
        ",",
        "=",
        "\"\"\"",
    ];
    prop_oneof![Just(None), proptest::sample::select(pieces.to_vec()).prop_map(Some)]
}
