//! Edits of front matter, natively: an edit without a change keeps every byte; after another one, a reader finds the
//! new value, all other fields as they were, and the same body.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wardroom_documents_guest::edit::{Change, edit};
use wardroom_documents_guest::front_matter::{self, Field, FrontMatter};
use wardroom_documents_guest::limits::MAX_CHANGES;

const ADDED: &str = "added by an edit";

fuzz_target!(|source: &[u8]| {
    let Ok(before) = front_matter::read(source) else {
        assert!(edit(source, &[set(ADDED, "1")]).is_err(), "an edit reads no more than a reader");
        return;
    };
    let same: Vec<Change> = before.fields.iter().take(MAX_CHANGES).map(|field| set(&field.name, &field.json)).collect();
    // A name in a document may be empty, the name of a change may not.
    if same.iter().all(|change| !change.name.is_empty()) {
        assert_eq!(edit(source, &same).as_deref(), Ok(source), "an edit without a change keeps every byte");
    }
    assert_eq!(edit(source, &[remove(ADDED)]).as_deref(), Ok(source), "a field that is not there is removed already");

    // Each field gets the value of the next one, which is of another kind as often as not.
    let values = before.fields.iter().cycle().skip(1).map(|field| field.json.as_str());
    for (field, json) in before.fields.iter().zip(values).take(4) {
        check(source, &before, &set(&field.name, json));
        check(source, &before, &set(&field.name, r#""text: \"of\" the\nfuzz target # é""#));
        check(source, &before, &remove(&field.name));
        check(source, &before, &set(ADDED, json));
    }
    check(source, &before, &set(ADDED, r#"[{"a": [1.50, null, true]}, ""]"#));
});

fn set(name: &str, json: &str) -> Change {
    Change { name: name.to_owned(), json: Some(json.to_owned()) }
}

fn remove(name: &str) -> Change {
    Change { name: name.to_owned(), json: None }
}

/// Makes a change; it may be refused.
fn check(source: &[u8], before: &FrontMatter, change: &Change) {
    let Ok(edited) = edit(source, std::slice::from_ref(change)) else { return };
    let after = front_matter::read(&edited).expect("an edited source is readable");
    assert_eq!(body(&edited, &after), body(source, before), "the body keeps its bytes");
    assert_eq!(others(&after, change), others(before, change), "other fields keep their values");
    let found = after.fields.iter().find(|field| field.name == change.name);
    match (&change.json, found) {
        (None, found) => assert_eq!(found, None),
        (Some(json), Some(found)) => assert_eq!(value(&found.json), value(json)),
        (Some(_), None) => panic!("{change:?} is not there"),
    }
    let again = edit(&edited, std::slice::from_ref(change));
    assert_eq!(again.as_deref(), Ok(edited.as_slice()), "an edit that was made is none");
}

fn body<'s>(source: &'s [u8], front_matter: &FrontMatter) -> &'s [u8] {
    &source[front_matter.body_start as usize..]
}

fn others(front_matter: &FrontMatter, change: &Change) -> Vec<(String, String, Option<String>)> {
    let is_other = |field: &&Field| field.name != change.name;
    let fields = front_matter.fields.iter().filter(is_other).cloned();
    let mut fields: Vec<_> = fields.map(|Field { name, json, text, .. }| (name, json, text)).collect();
    fields.sort();
    fields
}

/// A value by its meaning: numbers are what a double holds.
fn value(json: &str) -> serde_json::Value {
    fn as_doubles(value: serde_json::Value) -> serde_json::Value {
        match value {
            serde_json::Value::Number(number) => number.as_f64().into(),
            serde_json::Value::Array(items) => items.into_iter().map(as_doubles).collect(),
            serde_json::Value::Object(fields) => {
                fields.into_iter().map(|(name, value)| (name, as_doubles(value))).collect()
            }
            value => value,
        }
    }
    as_doubles(serde_json::from_str(json).expect("JSON"))
}
