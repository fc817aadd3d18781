//! The search for lessons, and the log that is followed while it changes.

use std::fs;
use std::io::Write as _;

use serde_json::{Value, json};
use wardroom_test_support::RunClient;

use super::test_log::{TestLog, analyze, capture};

#[track_caller]
fn search(client: &mut RunClient, query: &str) -> Vec<Value> {
    client.call_ok("ace_search", json!({ "query": query }))["results"].as_array().unwrap().clone()
}

fn insight(id: &str, pattern: &str, advice: &str) -> String {
    let insight = json!({"id": id, "timestamp": "2026-01-01T00:00:00Z", "signal": {"pattern": pattern}, "confidence": 0.9,
                         "recommendation": advice, "metaTags": ["tsc"]});
    format!("{insight}\n")
}

/// Adds a line as another program does.
#[track_caller]
fn append(log: &TestLog, text: &str) {
    let mut file = fs::OpenOptions::new().append(true).open(log.path("logs/insights.jsonl")).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

#[test]
fn raw_message_finds_its_lesson_once() {
    let log = TestLog::new();
    let mut client = log.client();
    capture(&mut client, "b-1", "TS2307: Cannot find module './auth.js' in /home/a/x.ts:5:3");
    capture(&mut client, "b-1", "TS2304: Cannot find name 'jest'");
    capture(&mut client, "b-1", "connect ECONNREFUSED 10.0.0.7:5432");
    analyze(&mut client);
    let message = "error TS2307: Cannot find module '../lib/other.js' in /srv/build/42/y.ts:77:1";
    let before = search(&mut client, message);
    assert_eq!((&before[0]["kind"], &before[0]["confidence"]), (&json!("insight"), &json!(0.8)));
    assert_eq!(before[0]["text"].as_str().unwrap().split(" in PATH").next(), Some("TS2307: Cannot find module 'PATH'"));
    assert_eq!(before[0]["section"], "TypeScript Patterns");
    client.call_ok("ace_update_knowledge", json!({"maxDeltas": 1, "forceInsightIds": [before[0]["id"]]}));
    let after = search(&mut client, message);
    assert_eq!(
        (&after[0]["kind"], &after[0]["helpful"], &after[0]["harmful"]),
        (&json!("bullet"), &json!(0), &json!(0))
    );
    assert_eq!((&after[0]["confidence"], &after[0]["tags"]), (&before[0]["confidence"], &before[0]["tags"]));
    assert!(after.iter().all(|lesson| lesson["id"] != before[0]["id"]), "{after:?}");
    assert!(after[0]["score"].as_f64() > after[1]["score"].as_f64(), "{after:?}");
    // A code is one word.
    let codes = search(&mut client, "TS2304");
    assert_eq!(codes.len(), 1);
    assert!(codes[0]["text"].as_str().unwrap().starts_with("TS2304: "), "{codes:?}");
    assert_eq!(search(&mut client, "zebra"), [] as [Value; 0]);
    let found = client.call_ok("ace_search", json!({"query": "cannot find", "limit": 1}));
    assert_eq!((found["results"].as_array().unwrap().len(), &found["totalMatched"]), (1, &json!(3)));
}

#[test]
fn harmful_bullets_are_last_and_fixes_come_before_advice() {
    let log = TestLog::with_playbook(
        "## A\n[Bullet #bad, helpful:1, harmful:2] alpha beta gamma\n[Bullet #good, helpful:0, harmful:0] alpha other words\n",
    );
    log.dir.write_file(
        "ace/logs/insights.jsonl",
        insight("11111111-0", "alpha delta", "Look it up")
            + &insight("22222222-0", "alpha delta", "Fixed by: the thing").replace("[\"tsc\"]", "[\"resolved\"]")
            + &insight("33333333-0", "alpha delta, said at length", "Fixed by: it")
                .replace("[\"tsc\"]", "[\"resolved\"]"),
    );
    let found = search(&mut log.client(), "alpha beta gamma delta");
    let ids: Vec<&str> = found.iter().map(|lesson| lesson["id"].as_str().unwrap()).collect();
    // A fix that fits a little less comes before an advice too.
    assert_eq!(ids, ["22222222-0", "33333333-0", "11111111-0", "good", "bad"]);
}

#[test]
fn one_of_both_files_is_enough() {
    let log = TestLog::with_playbook("## A\n- [Bullet #mine, helpful:2, harmful:0] Run src/gen.sh before a build\n");
    fs::remove_file(log.path("logs/insights.jsonl")).unwrap();
    let mut client = log.client();
    assert_eq!(search(&mut client, "src/gen.sh")[0]["id"], "mine");
    fs::remove_file(log.path("AGENTS.md")).unwrap();
    client.expect_refusal("ace_search", json!({"query": "build"}), "FILE_NOT_FOUND");
    log.dir.write_file("ace/logs/insights.jsonl", insight("i-1", "build failed", "Read it"));
    assert_eq!(search(&mut client, "build")[0]["id"], "i-1");
    log.dir.write_file("ace/logs/insights.jsonl", "no json\n");
    client.expect_refusal("ace_search", json!({"query": "build"}), "PARSE_ERROR");
}

#[test]
fn hostile_queries_are_words() {
    let log = TestLog::new();
    log.dir.write_file("ace/logs/insights.jsonl", insight("i-1", "build failed", "Read it"));
    let mut client = log.client_with(&["--read-only"]);
    let long = format!("{} failed", "x".repeat(4_000));
    for query in ["failed\n## [Bullet #x, helpful:9, harmful:0] \u{202e}\u{0}", "(failed OR *:*)~^\"\\", "FAILED\u{7}"]
    {
        assert_eq!(search(&mut client, query)[0]["id"], "i-1", "{query:?}");
    }
    // What is beyond the limit is cut.
    assert_eq!(search(&mut client, &long), [] as [Value; 0]);
    assert_eq!(search(&mut client, &"failed ".repeat(100_000)).len(), 1);
    for (arguments, message) in [
        (json!({}), "query"),
        (json!({"query": " \n"}), "query is required"),
        (json!({"query": "x", "limit": 0}), "limit must be between 1 and 50"),
        (json!({"query": "x", "limit": 51}), "limit must be between 1 and 50"),
        (json!({"query": "x", "kind": "bullet"}), "kind"),
    ] {
        let refusal = client.expect_refusal("ace_search", arguments.clone(), "INVALID_PARAMS");
        assert!(refusal.contains(message), "{arguments}: {refusal}");
    }
}

#[test]
fn server_follows_a_log_that_grows_and_rereads_one_that_was_edited() {
    let log = TestLog::new();
    let mut client = log.client();
    let first = insight("11111111-0", "alpha", "One") + &insight("22222222-0", "beta", "Two");
    log.dir.write_file("ace/logs/insights.jsonl", &first);
    let total = |client: &mut RunClient| {
        client.call_ok("ace_get_insights", json!({"source": "insights"}))["totalMatched"].as_u64().unwrap()
    };
    assert_eq!(total(&mut client), 2);
    assert_eq!(search(&mut client, "alpha")[0]["text"], "alpha - One");
    // Appended, and one id anew: the last line counts.
    append(&log, &(insight("33333333-0", "gamma", "Three") + &insight("11111111-0", "alpha", "Uno")));
    assert_eq!((total(&mut client), search(&mut client, "gamma").len()), (3, 1));
    let alpha = search(&mut client, "alpha");
    assert_eq!((alpha.len(), &alpha[0]["text"]), (1, &json!("alpha - Uno")));
    // A line without its end, which comes later.
    let line = insight("44444444-0", "delta", "Four");
    append(&log, &line[..line.len() / 2]);
    assert_eq!(total(&mut client), 3);
    append(&log, &line[line.len() / 2..]);
    assert_eq!((total(&mut client), search(&mut client, "delta").len()), (4, 1));
    // Edited in place with the same length, cut, and replaced.
    let text = fs::read_to_string(log.path("logs/insights.jsonl")).unwrap();
    log.dir.write_file("ace/logs/insights.jsonl", text.replace("beta", "zeta"));
    assert_eq!((search(&mut client, "beta").len(), search(&mut client, "zeta").len()), (0, 1));
    log.dir.write_file("ace/logs/insights.jsonl", &first);
    assert_eq!((total(&mut client), search(&mut client, "alpha")[0]["text"].as_str()), (2, Some("alpha - One")));
    let other = log.dir.write_file("ace/logs/other", insight("55555555-0", "epsilon", "Five"));
    fs::rename(other, log.path("logs/insights.jsonl")).unwrap();
    assert_eq!((total(&mut client), search(&mut client, "epsilon").len()), (1, 1));
    fs::remove_file(log.path("logs/insights.jsonl")).unwrap();
    client.expect_refusal("ace_get_insights", json!({"source": "insights"}), "FILE_NOT_FOUND");
}

#[test]
fn search_from_a_shell() {
    let log = TestLog::with_playbook("## A\n[Bullet #mine, helpful:2, harmful:1] alpha beta\n");
    log.dir.write_file("ace/logs/insights.jsonl", insight("i-1", "alpha", "Do it"));
    let shown = log.run(&["search", "alpha", "beta"]);
    let lines: Vec<&str> = shown.stdout.lines().collect();
    assert!(lines[0].contains("bullet   mine      +2 -1     alpha beta"), "{shown:?}");
    assert!(lines[1].contains("insight  i-1       0.90      alpha - Do it"), "{shown:?}");
    assert_eq!(shown.stderr, "lessons with a word of the query: 2\n");
    let answer: Value =
        serde_json::from_str(&log.run(&["search", "alpha", "--limit", "1", "--json"]).expect_success()).unwrap();
    assert_eq!(answer["results"].as_array().unwrap().len(), 1);
    let refused = log.run(&["search", "x", "--limit", "51"]);
    assert!(refused.status == 1 && refused.stderr.contains("limit must be between 1 and 50"), "{refused:?}");
}
