//! The syntax of `alc://` URIs, the error of each violation, and the order of the checks.

use wardroom_alc::alc_uri::{AlcUri, TypesFile};
use wardroom_base::uri::{CardId, EvalId, PackageName, ScenarioName, SessionId};
use wardroom_rules::alc::ALC_SCHEME;
use wardroom_rules::id;

use wardroom_test_support::protocol_error_text;

/// Checks the code and the message of a refusal; `{}` in the message stands for the URI.
#[track_caller]
fn check_refused(uri: &str, sentence: &str) {
    match AlcUri::parse(&ALC_SCHEME, uri) {
        Ok(parsed) => panic!("{uri:.300} is accepted: {parsed:?}"),
        Err(error) => {
            assert_eq!(protocol_error_text(&error), format!("-32602 {}", sentence.replace("{}", uri)), "{uri:.300}");
        }
    }
}

#[track_caller]
fn check(uri: &str, expected: AlcUri) {
    assert_eq!(AlcUri::parse(&ALC_SCHEME, uri).map_err(|error| protocol_error_text(&error)), Ok(expected), "{uri}");
}

fn package(name: &str) -> PackageName {
    PackageName::parse(name).unwrap()
}

fn card(id: &str) -> CardId {
    CardId::parse(id).unwrap()
}

fn samples(offset: usize, limit: usize) -> AlcUri {
    AlcUri::Samples { card: card("c"), offset, limit }
}

fn log(limit: usize, max_chars: usize) -> AlcUri {
    AlcUri::Log { session: SessionId::parse("s").unwrap(), limit, max_chars }
}

#[test]
fn every_fixed_resource_and_template_is_parsed() {
    check("alc://types/alc.d.lua", AlcUri::Types(TypesFile::Alc));
    check("alc://types/alc_shapes.d.lua", AlcUri::Types(TypesFile::Shapes));
    check("alc://packages/cot/init.lua", AlcUri::PackageSource(package("cot")));
    check("alc://packages/cot/meta", AlcUri::PackageMeta(package("cot")));
    check("alc://packages/meta/meta", AlcUri::PackageMeta(package("meta")));
    let uuid = "3f4b1a2c-0001-0000-0000-000000000000";
    check(&format!("alc://cards/{uuid}"), AlcUri::Card(card(uuid)));
    check("alc://cards/samples", AlcUri::Card(card("samples")));
    check("alc://cards/c/samples", samples(0, 100));
    check("alc://scenarios/x.lua", AlcUri::Scenario(ScenarioName::parse("x.lua").unwrap()));
    check("alc://eval/cot_17", AlcUri::Eval(EvalId::parse("cot_17").unwrap()));
    check("alc://logs/s", log(50, 20_000));
    let session = SessionId::parse("s-1.meta").unwrap();
    check("alc://logs/s-1.meta", AlcUri::Log { session, limit: 50, max_chars: 20_000 });
}

#[test]
fn empty_path_segments_are_dropped() {
    for uri in
        ["alc://types//alc.d.lua", "alc:///types/alc.d.lua", "alc://types/alc.d.lua/", "alc:////types///alc.d.lua//"]
    {
        check(uri, AlcUri::Types(TypesFile::Alc));
    }
    check("alc://cards/c//samples/", samples(0, 100));
}

#[test]
fn empty_query_equals_no_query() {
    for query in ["?", "?&", "?&&&"] {
        check(&format!("alc://types/alc.d.lua{query}"), AlcUri::Types(TypesFile::Alc));
        check(&format!("alc://packages/cot/meta{query}"), AlcUri::PackageMeta(package("cot")));
        check(&format!("alc://cards/c/samples{query}"), samples(0, 100));
    }
}

#[test]
fn other_scheme_is_refused_with_the_whole_uri() {
    for uri in [
        "",
        "alc",
        "alc:",
        "alc:/",
        "alc:types/alc.d.lua",
        "ALC://types/alc.d.lua",
        "Alc://types/x",
        " alc://types/x",
        "file:///etc/passwd",
        "http://x/../y",
        "alcx://types/alc.d.lua",
        "alc//types/alc.d.lua",
        "\u{feff}alc://types/x",
    ] {
        check_refused(uri, "invalid scheme: expected alc://, got {}");
    }
}

#[test]
fn dot_segments_are_refused_before_the_service_is_checked() {
    for (uri, segment) in [
        ("alc://types/../x", ".."),
        ("alc://../types/alc.d.lua", ".."),
        ("alc://foo/..", ".."),
        ("alc://./types/alc.d.lua", "."),
        ("alc://types/./alc.d.lua", "."),
        ("alc://packages/../init.lua", ".."),
        ("alc://cards/c/samples/..?limit=x", ".."),
        ("alc://./..", "."),
        ("alc://types/..?=x", ".."),
    ] {
        check_refused(uri, &format!("path traversal segment rejected: {segment}"));
    }
}

#[test]
fn lookalikes_of_dot_segments_are_ordinary_names() {
    check_refused("alc://packages/%2e%2e/meta", "package name '%2e%2e' on {} contains reserved character '%'");
    check_refused("alc://cards/..%2f", "card_id '..%2f' on {} contains reserved character '%'");
    check_refused("alc://cards/..%2f..%2fetc", "card_id '..%2f..%2fetc' on {} contains reserved character '%'");
    check_refused("alc://%2e%2e/types", "unknown service: %2e%2e");
    check_refused("alc://types/%2e%2e", "resource not found: {}");
    check_refused(
        "alc://cards/\u{2024}\u{2024}",
        "card_id '\u{2024}\u{2024}' on {} contains forbidden character '\\u{2024}' (allowed: A-Z a-z 0-9 _ . -)",
    );
    check("alc://cards/....//", AlcUri::Card(card("....")));
    check("alc://cards/...", AlcUri::Card(card("...")));
    check("alc://cards/.hidden", AlcUri::Card(card(".hidden")));
}

#[test]
fn missing_segment_and_unknown_service_have_distinct_errors() {
    for uri in
        ["alc://", "alc:///", "alc://?limit=1", "alc://types", "alc://types/", "alc://logs?=", "alc://packages?x"]
    {
        check_refused(uri, "missing path segment in {}");
    }
    for (uri, service) in [
        ("alc://foo/x", "foo"),
        ("alc://foo", "foo"),
        ("alc://foo/x?=", "foo"),
        ("alc://evals/a_1", "evals"),
        ("alc://Types/alc.d.lua", "Types"),
        ("alc://hub/index", "hub"),
        ("alc://type s/x", "type s"),
    ] {
        check_refused(uri, &format!("unknown service: {service}"));
    }
}

#[test]
fn path_matching_no_template_is_not_found() {
    for uri in [
        "alc://types/x",
        "alc://types/ALC.D.LUA",
        "alc://types/alc.d.lua/x",
        "alc://types/a b",
        "alc://packages/cot",
        "alc://packages/cot/narrative",
        "alc://packages/cot/init.lua/x",
        "alc://packages/c t/x",
        "alc://cards/c/Samples",
        "alc://cards/c/samples/1",
        "alc://cards/c/meta?nonsense=1",
        "alc://scenarios/x/y",
        "alc://eval/a_1/x",
        "alc://logs/s/x?limit=x",
    ] {
        check_refused(uri, "resource not found: {}");
    }
}

#[test]
fn id_allows_only_documented_characters() {
    for (uri, kind, id) in [
        ("alc://packages/{id}/init.lua", "package name", "a&b"),
        ("alc://packages/{id}/meta", "package name", "a=b"),
        ("alc://cards/{id}", "card_id", "a%62"),
        ("alc://cards/{id}/samples?limit=x", "card_id", "a b"),
        ("alc://scenarios/{id}", "scenario name", "a%"),
        ("alc://eval/{id}", "eval result_id", "no pattern"),
        ("alc://logs/{id}?nonsense=1", "session_id", "é b"),
    ] {
        let reserved = id.chars().find(|c| "&=%? ".contains(*c)).unwrap();
        let uri = uri.replace("{id}", id);
        check_refused(&uri, &format!("{kind} '{id}' on {{}} contains reserved character '{reserved}'"));
    }
    for (id, shown) in [
        ("a\0", "\\u{0}"),
        ("a\\b", "\\\\"),
        ("..\\..\\etc", "\\\\"),
        ("a\nb", "\\n"),
        ("é", "\\u{e9}"),
        ("a#b", "#"),
        ("a:b", ":"),
        ("a~", "~"),
        ("a\u{202e}b", "\\u{202e}"),
        ("\u{ff0e}\u{ff0e}", "\\u{ff0e}"),
        ("a'", "\\'"),
    ] {
        let sentence =
            format!("card_id '{id}' on {{}} contains forbidden character '{shown}' (allowed: A-Z a-z 0-9 _ . -)");
        check_refused(&format!("alc://cards/{id}"), &sentence);
    }
    let all = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
    check(&format!("alc://cards/{all}"), AlcUri::Card(card(all)));
}

#[test]
fn id_and_uri_length_are_limited() {
    let longest = "a".repeat(id::MAX_ID_BYTES);
    check(&format!("alc://cards/{longest}"), AlcUri::Card(card(&longest)));
    let long = "a".repeat(300);
    check_refused(
        &format!("alc://cards/{long}"),
        &format!("card_id '{long}' on {{}} is 300 bytes long, the limit is 200"),
    );
    let uri = |len: usize| format!("alc://cards/c{}", "/".repeat(len - "alc://cards/c".len()));
    check(&uri(4096), AlcUri::Card(card("c")));
    check_refused(&uri(4097), "uri is 4097 bytes long, the limit is 4096");
    check_refused(&"x".repeat(5000), "uri is 5000 bytes long, the limit is 4096");
}

#[test]
fn eval_id_is_strategy_and_timestamp_or_uuid() {
    for id in [
        "mystrategy_1234567890",
        "my-strategy_1",
        "-_0",
        "A9_99999999999999999999999999",
        "9e8d7c6b-0001-0000-0000-000000000000",
        "9E8D7C6B-0001-0000-0000-00000000000F",
    ] {
        check(&format!("alc://eval/{id}"), AlcUri::Eval(EvalId::parse(id).unwrap()));
    }
    for id in [
        "_",
        "a_",
        "_1",
        "a_b",
        "a__1",
        "nounderscore",
        "a_1_",
        "orch_fixpipe_123",
        "a.b_1",
        "a_1.0",
        "a_-1",
        "9e8d7c6b-0001-0000-0000-00000000000",
        "9e8d7c6b-0001-0000-0000-0000000000000",
        "9e8d7c6b00010000000000000000000000000",
        "9e8d7c6b-0001-0000-0000-00000000000g",
        "9e8d7c6b_0001-0000-0000-000000000000",
    ] {
        check_refused(
            &format!("alc://eval/{id}"),
            &format!("invalid eval_id: must be {{strategy}}_{{timestamp}}, got '{id}'"),
        );
        assert!(EvalId::parse(id).is_err(), "{id}");
    }
    check_refused("alc://eval/nounderscore?x=1", "query params not supported on {}");
}

#[test]
fn only_samples_and_logs_accept_query_parameters() {
    for uri in [
        "alc://types/alc.d.lua?x=1",
        "alc://types/unknown?x=1",
        "alc://types/a/b/c?x=1",
        "alc://packages/cot/init.lua?limit=1",
        "alc://packages/cot/meta?x",
        "alc://cards/c?offset=0",
        "alc://scenarios/x?limit=1",
        "alc://eval/a_1?limit=1",
    ] {
        check_refused(uri, "query params not supported on {}");
    }
    for uri in ["alc://types/alc.d.lua?=1", "alc://cards/c/samples?limit=1&=", "alc://cards/c d?=v"].iter().take(3) {
        check_refused(uri, "invalid query: empty key in query of {}");
    }
}

#[test]
fn query_parameter_is_a_whole_number_up_to_its_cap() {
    check("alc://cards/c/samples?offset=10&limit=50", samples(10, 50));
    check("alc://cards/c/samples?limit=50&offset=10", samples(10, 50));
    check("alc://cards/c/samples?limit=0", samples(0, 0));
    check("alc://cards/c/samples?limit=+5", samples(0, 5));
    check("alc://cards/c/samples?limit=00005", samples(0, 5));
    check("alc://cards/c/samples?limit=10000&offset=10000000", samples(10_000_000, 10_000));
    check("alc://logs/s?limit=10000&max_chars=1000000", log(10_000, 1_000_000));
    check("alc://logs/s?max_chars=0", log(50, 0));
    check("alc://logs/s?&limit=7&", log(7, 20_000));

    let invalid = "invalid digit found in string";
    let empty = "cannot parse integer from empty string";
    let large = "number too large to fit in target type";
    for (pair, reason) in [
        ("limit=abc", invalid),
        ("limit=-1", invalid),
        ("limit=1.5", invalid),
        ("limit=0x10", invalid),
        ("limit=%35", invalid),
        ("limit= 5", invalid),
        ("limit=+", invalid),
        ("limit=1=2", invalid),
        ("limit=\u{0665}", invalid),
        ("limit=", empty),
        ("offset=", empty),
        ("offset=18446744073709551616", large),
        ("limit=99999999999999999999999999999999", large),
    ] {
        check_refused(
            &format!("alc://cards/c/samples?{pair}"),
            &format!("invalid query param '{pair}' on {{}}: {reason}"),
        );
    }
    check_refused("alc://logs/s?max_chars", &format!("invalid query param 'max_chars=' on {{}}: {empty}"));
}

#[test]
fn cap_error_has_the_documented_text() {
    for (uri, pair, cap) in [
        ("alc://cards/c/samples", "limit=10001", 10_000),
        ("alc://cards/c/samples", "offset=10000001", 10_000_000),
        ("alc://cards/c/samples", "offset=18446744073709551615", 10_000_000),
        ("alc://cards/c/samples", "limit=+20000", 10_000),
        ("alc://logs/s", "limit=0010001", 10_000),
        ("alc://logs/s", "max_chars=1000001", 1_000_000),
    ] {
        check_refused(&format!("{uri}?{pair}"), &format!("query param '{pair}' on {{}} exceeds cap of {cap}"));
    }
}

#[test]
fn last_value_of_a_repeated_key_wins() {
    check("alc://cards/c/samples?limit=1&limit=2", samples(0, 2));
    check("alc://cards/c/samples?limit=x&limit=2", samples(0, 2));
    check("alc://logs/s?limit=20000&max_chars=5&limit=3", log(3, 5));
    check_refused("alc://logs/s?limit=3&limit=x", "invalid query param 'limit=x' on {}: invalid digit found in string");
}

#[test]
fn known_parameters_are_checked_in_table_order_and_unknown_ones_last() {
    let invalid = "invalid digit found in string";
    for (query, sentence) in [
        ("foo=1", "unsupported query param 'foo' on {}".to_owned()),
        ("Limit=1", "unsupported query param 'Limit' on {}".to_owned()),
        ("b=1&a=1", "unsupported query param 'b' on {}".to_owned()),
        ("limit=1&foo", "unsupported query param 'foo' on {}".to_owned()),
        ("foo=1&limit=x", format!("invalid query param 'limit=x' on {{}}: {invalid}")),
        ("limit=x&offset=y", format!("invalid query param 'offset=y' on {{}}: {invalid}")),
        ("limit=x&offset=99999999", "query param 'offset=99999999' on {} exceeds cap of 10000000".to_owned()),
        ("max_chars=1", "unsupported query param 'max_chars' on {}".to_owned()),
    ] {
        check_refused(&format!("alc://cards/c/samples?{query}"), &sentence);
    }
    check_refused("alc://logs/s?offset=1", "unsupported query param 'offset' on {}");
    check_refused("alc://logs/s?max_chars=y&limit=x", &format!("invalid query param 'limit=x' on {{}}: {invalid}"));
}

#[test]
fn uri_is_not_decoded_and_fragment_is_not_special() {
    check_refused("alc://types/alc%2Ed.lua", "resource not found: {}");
    check_refused("alc://types/alc.d.lua#x", "resource not found: {}");
    check_refused("alc://cards/c/samples?%6cimit=1", "unsupported query param '%6cimit' on {}");
    check_refused("alc://logs/s?limit=1#x", "invalid query param 'limit=1#x' on {}: invalid digit found in string");
    check_refused("alc://logs/s?limit=1?x", "invalid query param 'limit=1?x' on {}: invalid digit found in string");
}
