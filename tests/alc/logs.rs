//! Transcripts, truncated to `limit` rounds and `max_chars` Unicode characters of the whole text.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use wardroom_alc::AlcFolders;
use wardroom_alc::limits::MAX_LOG_FIELDS;
use wardroom_appdir::{Access, ambient};

use wardroom_test_support::{TestAlcService, TestDir};

/// A log of `rounds` short rounds.
fn log_of(rounds: usize) -> Value {
    let round = |n: usize| json!({"query_id": format!("q-{n}"), "prompt": "p", "response": "r", "system": null});
    json!({"session_id": "s", "strategy": "cot", "transcript": (0..rounds).map(round).collect::<Vec<_>>()})
}

fn service_with(stored: &str) -> (TestDir, TestAlcService) {
    let dir = TestDir::new();
    dir.write_file("logs/s.json", stored);
    let service = TestAlcService::new(&dir);
    (dir, service)
}

/// Returns the text that a query on a stored log yields.
fn read(stored: &str, query: &str) -> String {
    service_with(stored).1.read_text(&format!("alc://logs/s{query}"))
}

#[track_caller]
fn check_refused(stored: &str, query: &str, sentence: &str) {
    let uri = format!("alc://logs/s{query}");
    assert_eq!(service_with(stored).1.read_refusal(&uri), sentence.replace("{}", &uri));
}

/// Returns the query ids of the rounds in a text.
#[track_caller]
fn rounds_of(answer: &str) -> Vec<String> {
    let answer: Value = serde_json::from_str(answer).unwrap();
    answer["transcript"].as_array().unwrap().iter().map(|r| r["query_id"].as_str().unwrap().to_owned()).collect()
}

/// Returns the fields that describe the truncation.
#[track_caller]
fn truncation_of(answer: &str) -> [Value; 3] {
    let answer: Value = serde_json::from_str(answer).unwrap();
    ["truncated", "original_rounds", "returned_rounds"].map(|key| answer[key].clone())
}

#[test]
fn fitting_log_keeps_its_stored_text() {
    for stored in
        [serde_json::to_string_pretty(&log_of(50)).unwrap(), log_of(3).to_string() + "\n", "{}".into(), "[1]".into()]
    {
        assert_eq!(read(&stored, ""), stored);
    }
}

#[test]
fn log_fitting_when_compact_loses_only_white_space() {
    let log = log_of(3);
    let (pretty, compact) = (serde_json::to_string_pretty(&log).unwrap(), log.to_string());
    assert_eq!(read(&pretty, &format!("?max_chars={}", pretty.len())), pretty);
    assert_eq!(read(&pretty, &format!("?max_chars={}", pretty.len() - 1)), compact);
    assert_eq!(read(&pretty, &format!("?max_chars={}", compact.len())), compact);
    assert_eq!(truncation_of(&compact), [Value::Null, Value::Null, Value::Null]);
}

#[test]
fn limit_keeps_the_newest_rounds_in_their_order() {
    let stored = log_of(60).to_string();
    for (query, limit) in [("", 50), ("?limit=2", 2), ("?limit=59", 59)] {
        let answer = read(&stored, query);
        let newest: Vec<String> = (60 - limit..60).map(|n| format!("q-{n}")).collect();
        assert_eq!(rounds_of(&answer), newest);
        assert_eq!(truncation_of(&answer), [json!(true), json!(60), json!(limit)]);
    }
    for limit in [60, 61, 10_000] {
        assert_eq!(read(&stored, &format!("?limit={limit}")), stored);
    }
}

#[test]
fn limit_zero_returns_fields_without_rounds() {
    let stored = log_of(2).to_string();
    let answer = r#"{"session_id":"s","strategy":"cot","truncated":true,"original_rounds":2,"returned_rounds":0,"transcript":[]}"#;
    assert_eq!(read(&stored, "?limit=0"), answer);
    assert_eq!(read(&stored, &format!("?limit=0&max_chars={}", answer.len())), answer);
    check_refused(
        &stored,
        &format!("?limit=0&max_chars={}", answer.len() - 1),
        &format!("-32602 max_chars={} is too small for {{}}: use at least {}", answer.len() - 1, answer.len()),
    );
    assert_eq!(read(&log_of(0).to_string(), "?limit=0"), log_of(0).to_string());
}

#[test]
fn max_chars_keeps_as_many_of_the_newest_rounds_as_fit() {
    let stored = log_of(12).to_string();
    for (max_chars, rounds) in [(170, 1), (231, 1), (232, 2), (600, 8), (720, 9), (721, 10)] {
        let answer = read(&stored, &format!("?max_chars={max_chars}"));
        assert!(answer.len() <= max_chars, "{answer}");
        let newest: Vec<String> = (12 - rounds..12).map(|n| format!("q-{n}")).collect();
        assert_eq!(rounds_of(&answer), newest, "{max_chars}");
        assert_eq!(truncation_of(&answer), [json!(true), json!(12), json!(rounds)]);
    }
}

#[test]
fn max_chars_is_used_to_the_last_character() {
    // The count of rounds grows by a digit between nine and ten of them.
    let stored = log_of(12).to_string();
    let answers: Vec<String> = (1..12).map(|limit| read(&stored, &format!("?limit={limit}"))).collect();
    for (at, answer) in answers.iter().enumerate() {
        assert_eq!(read(&stored, &format!("?max_chars={}", answer.len())), *answer);
        if at > 0 {
            assert_eq!(read(&stored, &format!("?max_chars={}", answer.len() - 1)), answers[at - 1]);
        }
    }
}

#[test]
fn max_chars_counts_characters_not_bytes() {
    let round = json!({"query_id": "q-0", "prompt": "é漢😀".repeat(100), "response": "ß"});
    let stored = json!({"transcript": [round]}).to_string();
    let chars = stored.chars().count();
    assert!(stored.len() > 2 * chars);
    assert_eq!(read(&stored, &format!("?max_chars={chars}")), stored);
    let answer = read(&stored, &format!("?max_chars={}", chars - 1));
    assert!(answer.chars().count() < chars && answer.contains("characters cut]"), "{answer}");
}

#[test]
fn limit_and_max_chars_apply_together() {
    let stored = log_of(20).to_string();
    assert_eq!(rounds_of(&read(&stored, "?limit=2&max_chars=600")), ["q-18", "q-19"]);
    assert_eq!(rounds_of(&read(&stored, "?limit=15&max_chars=232")), ["q-18", "q-19"]);
}

#[test]
fn strings_of_oversized_newest_round_are_truncated_with_marker() {
    let round = |n: usize, len: usize| json!({"query_id": format!("q-{n}"), "prompt": "ab".repeat(len), "response": "short", "usage": [1, {"x": "y".repeat(len)}]});
    let stored = json!({"session_id": "s", "transcript": [round(0, 1), round(1, 100)]}).to_string();
    let cut = r#"{"session_id":"s","truncated":true,"original_rounds":2,"returned_rounds":1,"transcript":[{"prompt":"abababababababababababababababababababababababab… [152 characters cut]","query_id":"q-1","response":"short","usage":[1,{"x":"yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy… [52 characters cut]"}]}]}"#;
    assert_eq!(read(&stored, "?max_chars=300"), cut);
    // The strings are truncated as little as possible.
    for max_chars in 250..480 {
        let answer = read(&stored, &format!("?max_chars={max_chars}"));
        let used = answer.chars().count();
        assert!(used <= max_chars && used + 3 >= max_chars.min(460), "{max_chars}: {used}");
        assert_eq!(rounds_of(&answer).last().unwrap(), "q-1");
    }
}

#[test]
fn truncated_string_ends_between_characters_and_is_valid_json() {
    let stored = json!({"transcript": [{"prompt": "\"\\\n\u{1}é😀".repeat(50)}]}).to_string();
    for max_chars in 120..200 {
        let answer = read(&stored, &format!("?max_chars={max_chars}"));
        let prompt = serde_json::from_str::<Value>(&answer).unwrap()["transcript"][0]["prompt"].take();
        let (kept, mark) = prompt.as_str().unwrap().split_once("… [").unwrap();
        assert!("\"\\\n\u{1}é😀".repeat(50).starts_with(kept));
        assert_eq!(mark, format!("{} characters cut]", 300 - kept.chars().count()));
    }
}

#[test]
fn refusal_names_the_smallest_max_chars_that_fits() {
    let stored = log_of(3).to_string();
    for query in ["?max_chars=0", "?max_chars=1", "?limit=1&max_chars=10"] {
        let max_chars = query.rsplit_once('=').unwrap().1;
        let sentence = format!("-32602 max_chars={max_chars} is too small for {{}}: use at least 168");
        check_refused(&stored, query, &sentence);
    }
    // A log without rounds, or one that is no object, cannot be truncated.
    for (stored, takes) in [("{\"a\":\"0123456789\"}", 18), ("[\"0123456789\"]", 14), ("{ \"transcript\": [] }", 17)] {
        let sentence = format!("-32602 max_chars=10 is too small for {{}}: use at least {takes}");
        check_refused(stored, "?max_chars=10", &sentence);
        check_refused(stored, "?limit=0&max_chars=10", &sentence);
        assert!(read(stored, &format!("?max_chars={takes}")).len() <= takes);
    }
}

#[test]
fn rounds_of_any_shape_are_counted() {
    for round in [json!("text"), json!(1), json!([1]), json!({}), Value::Null] {
        let stored = json!({"transcript": [round, round, round]}).to_string();
        let answer: Value = serde_json::from_str(&read(&stored, "?limit=2")).unwrap();
        let expected =
            json!({"original_rounds": 3, "returned_rounds": 2, "transcript": [round, round], "truncated": true});
        assert_eq!(answer, expected);
    }
    for stored in ["{\"transcript\":{\"a\":1}}", "{\"transcript\":\"x\"}", "{\"transcript\":null}"] {
        assert_eq!(read(stored, "?limit=0"), stored);
    }
}

#[test]
fn stored_truncation_fields_are_replaced() {
    let stored = r#"{"truncated":false,"original_rounds":99,"returned_rounds":"x","transcript":[1,2]}"#;
    assert_eq!(read(stored, ""), stored);
    let cut = r#"{"truncated":true,"original_rounds":2,"returned_rounds":1,"transcript":[2]}"#;
    assert_eq!(read(stored, "?limit=1"), cut);
}

#[test]
fn numbers_keep_their_digits_and_keys_their_order() {
    let round = r#"{"z": 12345678901234567890123, "a": 1.50, "e": 1E400, "a": "\u0041\ud83d\ude00 b"}"#;
    let compact = r#"{"z":12345678901234567890123,"a":1.50,"e":1E400,"a":"\u0041\ud83d\ude00 b"}"#;
    let stored = format!("{{\n  \"z\": 1.0,\n  \"transcript\": [0, {round}],\n  \"a\" : [ \"x  y\" ]\n}}");
    let cut = format!(
        r#"{{"z":1.0,"a":["x  y"],"truncated":true,"original_rounds":2,"returned_rounds":1,"transcript":[{compact}]}}"#
    );
    assert_eq!(read(&stored, "?limit=1"), cut);
    let whole = format!(r#"{{"z":1.0,"transcript":[0,{compact}],"a":["x  y"]}}"#);
    assert_eq!(read(&stored, &format!("?max_chars={}", whole.len())), whole);
    // The last of two fields with the same name counts.
    let twice = r#"{"a":1,"b":2,"transcript":[1],"a":3,"transcript":[4,5]}"#;
    let answer = r#"{"b":2,"a":3,"truncated":true,"original_rounds":2,"returned_rounds":1,"transcript":[5]}"#;
    assert_eq!(read(twice, "?limit=1"), answer);
}

#[test]
fn escape_counts_as_one_character_in_truncation() {
    for (written, units) in [("\\ud83d\\ude00", 1), ("\\u00e9", 1), ("\\\\", 1), ("\\ud83d", 1), ("\\\"]", 2)] {
        let stored =
            format!(r#"{{"transcript":[{{"id":12345678901234567890,"prompt \": [":"{}"}}]}}"#, written.repeat(100));
        for max_chars in 180..240 {
            let answer = read(&stored, &format!("?max_chars={max_chars}"));
            assert!(answer.contains(r#"{"id":12345678901234567890,"prompt \": [":""#), "{answer}");
            let (kept, mark) = answer.rsplit_once("… [").unwrap();
            let kept = kept.rsplit_once(r#"[":""#).unwrap().1;
            let gone: usize = mark.split_once(' ').unwrap().0.parse().unwrap();
            let whole = written.repeat(100);
            assert!(whole.starts_with(kept));
            let left = (100 * units - gone) * written.len();
            assert!(
                kept.len() * units >= left - written.len() && kept.len() * units <= left + written.len(),
                "{answer}"
            );
        }
    }
}

#[test]
fn log_of_many_small_values_uses_bounded_memory() {
    // As values they would take a hundred times the memory: 3 GB for the largest of these.
    let many = |one: &str| vec![one; 16 * 1024 * 1024 / (one.len() + 1)].join(",");
    for one in ["0", r#"{"":0}"#] {
        let rounds = many(one).split(',').count();
        let stored = format!("{{\"transcript\":[{}]}}", many(one));
        let before = peak_memory();
        let answer: Value = serde_json::from_str(&read(&stored, "?limit=2")).unwrap();
        assert_eq!(answer["original_rounds"], json!(rounds));
        // One round with all values.
        let stored = format!("{{\"transcript\":[[{}]]}}", many(one));
        let refusal = service_with(&stored).1.read_refusal("alc://logs/s");
        assert!(refusal.ends_with(&format!("use at least {}", stored.len())), "{refusal}");
        let grown = peak_memory() - before;
        assert!(grown < 500 * 1024 * 1024, "{one}: {grown} bytes");
    }
}

/// Returns the peak memory of this process in bytes. Other tests add to it, within reason.
fn peak_memory() -> u64 {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return 0 };
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

#[test]
fn log_with_too_many_fields_is_refused() {
    let with = |fields: usize| {
        format!("{{{}\"transcript\":[]}}", (0..fields).map(|n| format!("\"{n}\":0,")).collect::<String>())
    };
    assert!(service_with(&with(MAX_LOG_FIELDS - 1)).1.read_refusal("alc://logs/s").starts_with("-32602 max_chars="));
    check_refused(&with(MAX_LOG_FIELDS), "", "-32603 Failed to parse log 's': too many fields");
}

#[test]
fn corrupt_log_error_shows_no_path() {
    for (stored, reason) in [
        ("", "not JSON at line 1 column 0"),
        ("{\"transcript\": [", "not JSON at line 1 column 16"),
        ("{\"\\ud800\":1}", "not JSON at line 1 column 9"),
        ("{} {}", "not JSON at line 1 column 4"),
        (&"[".repeat(1000), "JSON is nested deeper than 100 levels"),
    ] {
        check_refused(stored, "?max_chars=1000000", &format!("-32603 Failed to parse log 's': {reason}"));
    }
    let deep = format!("{}{}", "[".repeat(101), "]".repeat(101));
    check_refused(&deep, "", "-32603 Failed to parse log 's': JSON is nested deeper than 100 levels");
}

#[test]
fn log_summary_can_be_read_as_a_log() {
    let dir = TestDir::new();
    dir.write_file("logs/s.meta.json", "{\"rounds\":3}");
    assert_eq!(TestAlcService::new(&dir).read_text("alc://logs/s.meta"), "{\"rounds\":3}");
}

#[test]
fn separate_log_folder_replaces_the_app_dirs() {
    let dir = TestDir::new();
    dir.write_file("logs/a.json", "{}");
    let elsewhere = dir.root().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    std::fs::write(elsewhere.join("b.json"), "{}").unwrap();
    let logs = Some(ambient::open_folder(&elsewhere, Access::ReadOnly).unwrap());
    let service = TestAlcService::with_folders(AlcFolders {
        app: dir.open_app(),
        logs,
        project: None,
        package_mounts: Vec::new(),
    });
    assert_eq!(service.read_text("alc://logs/b"), "{}");
    assert_eq!(service.read_refusal("alc://logs/a"), "-32602 resource not found: alc://logs/a");
}

fn any_round() -> impl Strategy<Value = Value> {
    let text = prop_oneof!["[a-z\"\\\\\né😀\u{1}]{0,12}", "[a-zé]{30,60}"];
    let fields = prop::collection::vec((prop::sample::select(vec!["prompt", "response", "query_id"]), text), 0..3);
    fields.prop_map(|fields| fields.into_iter().map(|(key, text)| (key.to_owned(), Value::String(text))).collect())
}

/// A log with its rounds, whether it is stored pretty, `limit` and `max_chars`.
fn any_request() -> impl Strategy<Value = (Map<String, Value>, Vec<Value>, bool, usize, usize)> {
    let rounds = prop::collection::vec(any_round(), 0..14);
    let frame = prop::option::of("[a-zé]{0,20}");
    (frame, rounds, any::<bool>(), 0..16usize, 0..900usize).prop_map(|(frame, rounds, pretty, limit, max_chars)| {
        let frame = frame.map(|text| ("strategy".to_owned(), Value::String(text)));
        (frame.into_iter().collect(), rounds, pretty, limit, max_chars)
    })
}

/// Returns the truncated log with just these rounds.
fn cut_to(log: &Map<String, Value>, rounds: &[Value], original: usize) -> String {
    let fields: String = log.iter().map(|(key, value)| format!("{}:{value},", json!(key))).collect();
    let (returned, rounds) = (rounds.len(), json!(rounds));
    format!(
        r#"{{{fields}"truncated":true,"original_rounds":{original},"returned_rounds":{returned},"transcript":{rounds}}}"#
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn truncated_log_is_the_largest_that_fits((log, rounds, pretty, limit, max_chars) in any_request()) {
        let chars = |text: &str| text.chars().count();
        let mut whole = log.clone();
        whole.insert("transcript".into(), json!(rounds));
        let whole = Value::Object(whole);
        let compact = whole.to_string();
        let stored = if pretty { serde_json::to_string_pretty(&whole).unwrap() } else { compact.clone() };
        let (_dir, service) = service_with(&stored);
        let request = |max_chars: usize| service.read(&format!("alc://logs/s?limit={limit}&max_chars={max_chars}"));

        let suffixes: Vec<&[Value]> = (0..=rounds.len().min(limit)).map(|n| &rounds[rounds.len() - n..]).collect();
        let best = suffixes.iter().rev().map(|kept| (kept, cut_to(&log, kept, rounds.len())));
        let best = best.into_iter().find(|(_, text)| chars(text) <= max_chars);
        match request(max_chars) {
            Ok(answer) => {
                let answer = answer.text;
                prop_assert!(chars(&answer) <= max_chars, "{} characters", chars(&answer));
                let value: Value = serde_json::from_str(&answer).unwrap();
                if rounds.len() <= limit && chars(&compact) <= max_chars {
                    prop_assert_eq!(&answer, if chars(&stored) <= max_chars { &stored } else { &compact });
                } else if let Some((kept, text)) = best.filter(|(kept, _)| !kept.is_empty() || limit == 0 || rounds.is_empty()) {
                    prop_assert_eq!(&answer, &text, "{} rounds", kept.len());
                } else {
                    prop_assert_eq!(&value["returned_rounds"], &json!(1));
                    prop_assert_eq!(&value["original_rounds"], &json!(rounds.len()));
                    prop_assert!(answer.contains(" characters cut]"));
                }
            }
            Err(error) => {
                prop_assert!(best.is_none_or(|(kept, _)| kept.is_empty() && limit > 0));
                // The number in the refusal is the smallest sufficient `max_chars`.
                let sentence = error.to_string();
                let takes: usize = sentence.rsplit_once(' ').unwrap().1.parse().unwrap();
                prop_assert!(takes > max_chars && request(takes).is_ok(), "{}", sentence);
                prop_assert!(request(takes - 1).is_err(), "{}", sentence);
            }
        }
    }
}
