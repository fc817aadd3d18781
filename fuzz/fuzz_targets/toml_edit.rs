//! Our entry in TOML files of other programs: it is added and removed again, and every other byte stays.
#![no_main]

mod agents;

use libfuzzer_sys::fuzz_target;
use wardroom_agents::ConfigFormat;

use agents::{Editor, targets};

fuzz_target!(|input: &[u8]| {
    let Some((choice, text)) = input.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let targets = targets(&[ConfigFormat::Toml]);
    let target = targets[usize::from(*choice) % targets.len()];
    // Of blanks alone nothing is kept.
    Editor::new(target).check(text, |text| !text.trim_start_matches('\u{feff}').trim().is_empty());
});
