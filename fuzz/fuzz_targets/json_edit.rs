//! Our entry in JSON files of other programs, with and without comments: it is added and removed again, and every other
//! byte stays.
#![no_main]

mod agents;

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use libfuzzer_sys::fuzz_target;
use wardroom_agents::ConfigFormat;

use agents::{Editor, targets};

fuzz_target!(|input: &[u8]| {
    let Some((choice, text)) = input.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let targets = targets(&[ConfigFormat::Json, ConfigFormat::Jsonc]);
    let target = targets[usize::from(*choice) % targets.len()];
    Editor::new(target).check(text, is_restorable);
});

/// Whether no object is empty that may get something: an empty list of servers goes with its last server.
fn is_restorable(text: &str) -> bool {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
    let Some(Value::Object(root)) = parsed.ok().and_then(|parsed| parsed.value) else { return false };
    has_content(&root, 2)
}

fn has_content(object: &Object, depth: usize) -> bool {
    let inner = object.properties.iter().filter_map(|property| property.value.as_object());
    !object.properties.is_empty() && (depth == 0 || inner.into_iter().all(|inner| has_content(inner, depth - 1)))
}
