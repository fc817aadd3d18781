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
    Editor::new(target).check(text, |text| is_restorable(text, target.servers_path));
});

/// Whether the object that gets something has something already: an empty list of servers goes with its last server.
fn is_restorable(text: &str, path: &[&str]) -> bool {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
    let Some(Value::Object(root)) = parsed.ok().and_then(|parsed| parsed.value) else { return false };
    let mut object: &Object = &root;
    for key in path {
        match object.properties.iter().find(|property| property.name.as_str() == *key).map(|found| &found.value) {
            Some(Value::Object(inner)) => object = inner,
            _ => break,
        }
    }
    !object.properties.is_empty()
}
