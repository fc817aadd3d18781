//! The metadata extractor and the search for inputs, built natively: no source makes them fail, and their answers are within
//! the bounds.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wardroom_guest::limits::{MAX_INPUT_NAME_BYTES, MAX_INPUTS, MAX_OUTPUT_BYTES};
use wardroom_guest::package_meta::{extract, inputs};

fuzz_target!(|source: &[u8]| {
    match extract("fuzz", source) {
        Ok(metadata) => {
            let json: serde_json::Value = serde_json::from_str(&metadata.json).expect("JSON");
            assert!(json.is_object());
            assert!(metadata.json.len() <= MAX_OUTPUT_BYTES);
            assert_eq!(extract("fuzz", source), Ok(metadata), "the same source gives the same answer");
        }
        Err(refusal) => assert!(!refusal.to_string().is_empty()),
    }
    if let Ok(found) = inputs("fuzz", source) {
        assert!(found.inputs.len() <= MAX_INPUTS);
        assert!(found.inputs.iter().all(|input| input.name.len() <= MAX_INPUT_NAME_BYTES));
        assert_eq!(inputs("fuzz", source), Ok(found), "the same source gives the same answer");
    }
});
