//! The metadata extractor, built natively: no source makes it fail, and its answer is JSON within the bounds.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wardroom_guest::limits::MAX_OUTPUT_BYTES;
use wardroom_guest::package_meta::extract;

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
});
