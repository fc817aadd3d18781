//! The URI parser: no text makes it fail, and what it accepts names nothing but an identifier.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wardroom_rules::alc::ALC_SCHEME_V2 as SCHEME;
use wardroom_rules::id;
use wardroom_rules::uri::MatchedUri;

fuzz_target!(|text: &str| {
    let uri = if text.starts_with("alc://") { text.to_owned() } else { format!("alc://{text}") };
    match SCHEME.parse(&uri) {
        Ok(MatchedUri::Fixed(at)) => assert!(at < SCHEME.fixed.len()),
        Ok(MatchedUri::Template { template, id, params }) => {
            let template = &SCHEME.templates[template];
            id::check(template.kind, id).expect("an identifier that follows its rules");
            assert!(!id.contains('/') && id != "." && id != "..");
            assert_eq!(params.len(), template.params.len());
            for (param, value) in template.params.iter().zip(&params) {
                assert!(*value <= param.cap);
            }
            // Printed and parsed again, it names the same thing.
            let again = template.uri(&SCHEME, id);
            assert!(matches!(SCHEME.parse(&again), Ok(MatchedUri::Template { id: same, .. }) if same == id));
        }
        Err(refusal) => assert!(!refusal.to_string().is_empty()),
    }
});
