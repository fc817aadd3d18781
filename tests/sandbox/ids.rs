//! The guest's rules for identifiers and URIs, without the host's: both give the same results in the same words.

use wardroom_base::uri::IdKind;
use wardroom_rules::alc::ALC_SCHEME_V2 as SCHEME;
use wardroom_rules::id::{self, MAX_ID_BYTES};
use wardroom_rules::uri::{MAX_URI_BYTES, MatchedUri};
use wardroom_sandbox::{ExtractRefusal, GuestImage, Sandbox};

const KINDS: [IdKind; 5] =
    [IdKind::PackageName, IdKind::CardId, IdKind::ScenarioName, IdKind::EvalResult, IdKind::SessionId];

fn bad_ids() -> Vec<String> {
    let mut ids: Vec<String> = [
        "",
        ".",
        "..",
        "../x",
        "a/b",
        "/",
        "\\",
        "a\\b",
        "a b",
        "%2e%2e",
        "a%00",
        "a\0b",
        "\n",
        "a\tb",
        "a?b",
        "a=b",
        "a&b",
        "a#b",
        "a:b",
        "a~b",
        "a+b",
        "a@b",
        "a,b",
        "(a)",
        "caf\u{e9}",
        "\u{2024}\u{2024}",
        "\u{ff0e}\u{ff0e}",
        "\u{202e}a",
        "\u{1f980}",
        "\u{7f}",
        "\u{feff}a",
        "..\u{0}",
    ]
    .map(String::from)
    .into();
    ids.push("a".repeat(MAX_ID_BYTES + 1));
    ids.push("a".repeat(100_000));
    ids
}

#[test]
fn invalid_ids_are_refused_with_same_message_by_guest_and_host() {
    let sandbox = Sandbox::new(GuestImage::embedded());
    for kind in KINDS {
        for bad in bad_ids() {
            let of_host = id::check(kind, &bad).unwrap_err().to_string();
            assert_eq!(sandbox.check_id(kind, &bad).unwrap(), Err(of_host), "{kind:?} {bad:?}");
        }
    }
}

#[test]
fn valid_ids_are_accepted_by_guest_and_host() {
    let sandbox = Sandbox::new(GuestImage::embedded());
    let longest = "a".repeat(MAX_ID_BYTES);
    let uuid = "3f4b1a2c-0001-0000-0000-000000000000";
    for kind in KINDS {
        let ids: &[&str] = match kind {
            IdKind::EvalResult => &["cot_1", "a-b_123", uuid],
            _ => &["a", "A.b-c_9", "...", ".hidden", "-", uuid, &longest],
        };
        for good in ids {
            assert_eq!(id::check(kind, good), Ok(()));
            assert_eq!(sandbox.check_id(kind, good).unwrap(), Ok(()), "{kind:?} {good}");
        }
    }
    for bad in ["cot", "_1", "cot_", "cot_x", "a.b_1", "a_b_1"] {
        let words = "must be {strategy}_{timestamp} or a UUID";
        assert_eq!(sandbox.check_id(IdKind::EvalResult, bad).unwrap(), Err(words.into()), "{bad}");
    }
}

#[test]
fn extract_refuses_invalid_package_name() {
    let sandbox = Sandbox::new(GuestImage::embedded());
    for bad in bad_ids() {
        let of_host = id::check(IdKind::PackageName, &bad).unwrap_err().to_string();
        assert_eq!(sandbox.extract(&bad, b"return {}").unwrap(), Err(ExtractRefusal::InvalidId(of_host)), "{bad:?}");
    }
}

#[test]
fn uris_parse_equally_in_guest_and_host() {
    let mut uris: Vec<String> = [
        "alc://types/alc.d.lua",
        "alc://types/alc_shapes.d.lua",
        "alc://types/alc.d.lua?x=1",
        "alc://types/other.lua",
        "alc://packages/cot/init.lua",
        "alc://packages/cot/meta",
        "alc://packages//cot///meta/",
        "alc://packages/cot/meta?x=1",
        "alc://packages/cot",
        "alc://packages/../meta",
        "alc://packages/./meta",
        "alc://packages/%2e%2e/meta",
        "alc://cards/x",
        "alc://cards/x/samples",
        "alc://cards/x/samples?offset=0&limit=10000",
        "alc://cards/x/samples?limit=10001",
        "alc://cards/x/samples?limit=",
        "alc://cards/x/samples?limit=1e3",
        "alc://cards/x/samples?limit=99999999999999999999",
        "alc://cards/x/samples?page=1",
        "alc://cards/x/samples?=1",
        "alc://scenarios/x",
        "alc://eval/cot_1",
        "alc://eval/cot",
        "alc://logs/x?limit=1&max_chars=1000000",
        "alc://hub/index",
        "alc://hub/index?x=1",
        "alc://hub/other",
        "alc://hub",
        "alc://packages/cot/narrative",
        "alc://packages/../narrative",
        "alc://packages/%2e%2e/narrative",
        "alc://packages/cot/narrative?x=1",
        "alc://logs/x?max_chars=1000001",
        "alc://nothing/x",
        "alc://",
        "alc:///",
        "alc:x",
        "ALC://types/alc.d.lua",
        "file:///etc/passwd",
        "",
        "\0",
        "alc://packages/a\0b/meta",
    ]
    .map(String::from)
    .into();
    uris.push(format!("alc://scenarios/{}", "a".repeat(MAX_URI_BYTES)));
    let sandbox = Sandbox::new(GuestImage::embedded());
    for uri in uris {
        let of_host = match SCHEME.parse(&uri) {
            Ok(MatchedUri::Fixed(_)) => Ok(uri.clone()),
            Ok(MatchedUri::Template { template, .. }) => Ok(SCHEME.templates[template].pattern(&SCHEME)),
            Err(error) => Err(error.to_string()),
        };
        assert_eq!(sandbox.parse_uri(&uri).unwrap().map(|parsed| parsed.template), of_host, "{uri:?}");
    }
}
