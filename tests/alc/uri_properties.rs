//! Properties of every `alc://` URI, and of every text that is not one.

use proptest::prelude::*;
use wardroom_alc::alc_uri::AlcUri;
use wardroom_rules::alc::{ALC_SCHEME, ALC_SCHEME_V2};
use wardroom_rules::id;
use wardroom_rules::uri::MatchedUri;

/// Any id of a template's kind.
fn any_id(kind: id::IdKind) -> impl Strategy<Value = String> {
    let pattern = match kind {
        id::IdKind::EvalResult => "[A-Za-z0-9-]{1,60}_[0-9]{1,30}|[0-9a-fA-F]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
        id::IdKind::PackageName | id::IdKind::CardId | id::IdKind::ScenarioName | id::IdKind::SessionId => {
            "[A-Za-z0-9_.-]{1,200}"
        }
    };
    pattern.prop_filter("a dot segment", |id| id != "." && id != "..")
}

fn any_uri() -> impl Strategy<Value = (usize, String, Vec<usize>)> {
    (0..ALC_SCHEME_V2.templates.len()).prop_flat_map(|at| {
        let template = &ALC_SCHEME_V2.templates[at];
        let params: Vec<_> = template.params.iter().map(|param| 0..=param.cap).collect();
        (Just(at), any_id(template.kind), params)
    })
}

/// Text that is likely to get past the first checks.
fn almost_a_uri() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "alc://",
        "types",
        "packages",
        "cards",
        "scenarios",
        "eval",
        "logs",
        "hub",
        "index",
        "narrative",
        "init.lua",
        "meta",
        "samples",
        "/",
        "/",
        "/",
        "?",
        "&",
        "=",
        "limit",
        "offset",
        "max_chars",
        "..",
        "a_1",
        "%2e",
        "\0",
        "é",
        "9",
        "99999999999999999999",
    ]);
    prop::collection::vec(piece, 0..12).prop_map(|pieces| format!("alc://{}", pieces.concat()))
}

proptest! {
    #[test]
    fn printed_uri_parses_to_the_same_value((at, id, values) in any_uri()) {
        let template = &ALC_SCHEME_V2.templates[at];
        let pairs: Vec<String> = template.params.iter().zip(&values).map(|(p, v)| format!("{}={v}", p.name)).collect();
        let uri = format!("{}?{}", template.uri(&ALC_SCHEME_V2, &id), pairs.join("&"));
        prop_assert_eq!(ALC_SCHEME_V2.parse(&uri), Ok(MatchedUri::Template { template: at, id: &id, params: values }));
        prop_assert!(AlcUri::parse(&ALC_SCHEME_V2, &uri).is_ok());
    }

    #[test]
    fn parser_never_panics(text in "\\PC*|.*", almost in almost_a_uri()) {
        for uri in [text.as_str(), &almost, &format!("alc://{text}"), &format!("alc://cards/{text}")] {
            let (v1, v2) = (ALC_SCHEME.parse(uri), ALC_SCHEME_V2.parse(uri));
            prop_assert!(v1.is_err() || v1 == v2, "{}", uri);
            if let Ok(MatchedUri::Template { id, .. }) = v2 {
                prop_assert!(id.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b)), "{}", id);
                prop_assert!(id != "." && id != ".." && id.len() <= id::MAX_ID_BYTES);
            }
            for scheme in [&ALC_SCHEME, &ALC_SCHEME_V2] {
                prop_assert_eq!(scheme.parse(uri).is_ok(), AlcUri::parse(scheme, uri).is_ok());
            }
        }
    }
}
