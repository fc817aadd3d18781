//! The metadata extractor beside a real Lua: of no program it says other metadata than running the program makes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wardroom_test_extract::choices::Choices;
use wardroom_test_extract::generate;
use wardroom_test_extract::oracle::{Outcome, compare};

fuzz_target!(|input: &[u8]| {
    let Some((kind, rest)) = input.split_first() else { return };
    // A source as it is, or the decisions of a generator.
    let source = match kind % 4 {
        0 => std::str::from_utf8(rest).unwrap_or_default().to_owned(),
        _ => generate::program(&mut Choices::Bytes(rest)),
    };
    if let Outcome::Differs { extracted, made } = compare(&source) {
        panic!("{source}\nextracted {extracted}\nmade {made}");
    }
});
