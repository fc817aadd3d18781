//! The budget of the playbook: which bullets give way, and which never come back by themselves.

use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use wardroom_test_support::RunClient;

use super::test_log::{TestLog, bullets};

/// Returns a log with this many insights, and a client with a budget of so many lines.
fn log_with(n_insights: usize, max_lines: usize) -> (TestLog, RunClient) {
    let log = TestLog::with_playbook("# Mine\n\n## Build & Test Patterns\n\nProse.\n");
    let lines: String = (0..n_insights).map(|n| format!("{}\n", insight(n))).collect();
    log.dir.write_file("ace/logs/insights.jsonl", lines);
    let client = client_with(&log, max_lines);
    (log, client)
}

fn client_with(log: &TestLog, max_lines: usize) -> RunClient {
    let config = log.dir.write_file("config.toml", format!("[ace]\nmax_bullet_lines = {max_lines}\n"));
    log.client_with(&["--config", &config.display().to_string()])
}

fn insight(n: usize) -> Value {
    let word = char::from(b'a' + u8::try_from(n).unwrap()).to_string();
    json!({"id": format!("{}-0", word.repeat(8)), "timestamp": "2026-01-01T00:00:00Z", "confidence": 0.9,
           "signal": {"pattern": format!("{word}{word} fails")}, "recommendation": "Mend it", "metaTags": ["cargo"]})
}

#[track_caller]
fn update(client: &mut RunClient, arguments: Value) -> Value {
    client.call_ok("ace_update_knowledge", arguments)
}

fn ids(items: &Value) -> Vec<&str> {
    items.as_array().into_iter().flatten().map(|item| item["bulletId"].as_str().unwrap()).collect()
}

fn reason(answer: &Value, id: &str) -> Value {
    let skipped = answer["skipped"].as_array().unwrap().iter();
    skipped
        .filter(|skipped| skipped["insightId"] == id)
        .map(|skipped| skipped["reason"].clone())
        .next()
        .unwrap_or_default()
}

/// Makes all bullets of the log of bullets a month older.
fn age(log: &TestLog) {
    let text = std::fs::read_to_string(log.path("logs/bullets.jsonl")).unwrap();
    let aged: String = text
        .lines()
        .map(|line| {
            let mut event: Value = serde_json::from_str(line).unwrap();
            event["timestamp"] = json!("2026-01-01T00:00:00.000Z");
            format!("{event}\n")
        })
        .collect();
    log.dir.write_file("ace/logs/bullets.jsonl", aged);
}

#[test]
fn least_helpful_bullet_is_archived_and_stays_away() {
    let (log, mut client) = log_with(3, 2);
    assert_eq!(ids(&update(&mut client, json!({"maxDeltas": 2}))["deltas"]), ["aaaaaaaa", "bbbbbbbb"]);
    let feedback = json!({"beadId": "b", "bulletId": "aaaaaaaa", "feedback": "helpful", "reason": "it was so"});
    client.call_ok("ace_feedback", feedback);
    // Both are new: the third one finds no room.
    let full = update(&mut client, json!({}));
    assert_eq!((&full["updated"], reason(&full, "cccccccc-0")), (&json!(false), json!("over_budget")));

    age(&log);
    let before = log.playbook();
    let preview = update(&mut client, json!({"dryRun": true}));
    assert_eq!((ids(&preview["archived"]), ids(&preview["deltas"])), (vec!["bbbbbbbb"], vec!["cccccccc"]));
    assert_eq!((log.playbook(), log.lines("logs/bullets.jsonl").len()), (before.clone(), 2));
    let done = update(&mut client, json!({}));
    assert_eq!((&done["archived"], &done["updated"]), (&preview["archived"], &json!(true)));
    assert_eq!(done["archived"][0]["reason"], "budget");
    let (old, new) = (done["archived"][0]["content"].as_str().unwrap(), done["deltas"][0]["content"].as_str().unwrap());
    assert_eq!(log.playbook(), before.replace(old, new));
    let events = log.lines("logs/bullets.jsonl");
    let kinds: Vec<&str> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["added", "added", "archived", "added"]);
    assert_eq!((&events[2]["text"], &events[2]["insightId"]), (&json!(old), &json!("bbbbbbbb-0")));

    // It comes back only where it is forced, and then it is new.
    age(&log);
    let again = update(&mut client, json!({}));
    assert_eq!((&again["updated"], reason(&again, "bbbbbbbb-0")), (&json!(false), json!("archived")));
    let forced = update(&mut client, json!({"forceInsightIds": ["bbbbbbbb-0"]}));
    assert_eq!((ids(&forced["deltas"]), ids(&forced["archived"])), (vec!["bbbbbbbb"], vec!["cccccccc"]));
    let stats = log.run(&["stats"]).expect_success();
    assert!(stats.contains("budget: 2 of 300 lines, "), "{stats}");
    assert!(stats.contains(" of 20000 tokens, archived 1\n"), "{stats}");
}

#[test]
fn harmful_bullet_is_archived_where_there_is_room() {
    let (log, mut client) = log_with(2, 300);
    update(&mut client, json!({}));
    for _ in 0..3 {
        assert_eq!(update(&mut client, json!({}))["archived"], Value::Null);
        let harm =
            json!({"beadId": "b", "bulletId": "aaaaaaaa", "feedback": "harmful", "reason": "it broke the build"});
        client.call_ok("ace_feedback", harm);
    }
    let done = log.run(&["update"]).expect_success();
    assert!(
        done.starts_with("archived (harmful): [Bullet #aaaaaaaa, helpful:0, harmful:3] aa fails - Mend it\n"),
        "{done}"
    );
    assert_eq!(bullets(&mut client).len(), 1);
    assert_eq!(reason(&update(&mut client, json!({})), "aaaaaaaa-0"), "archived");
}

#[test]
fn removed_bullet_does_not_come_back() {
    let (log, mut client) = log_with(2, 300);
    update(&mut client, json!({}));
    let text = log.playbook();
    let line = text.lines().find(|line| line.contains("#aaaaaaaa")).unwrap().to_owned();
    log.dir.write_file("ace/AGENTS.md", text.replace(&format!("{line}\n"), ""));
    // Another insight says the same.
    let same = json!({"id": "99999999-0", "confidence": 0.95, "signal": {"pattern": "AA fails"}, "recommendation": "Mend it",
                      "metaTags": ["cargo"]});
    let insights = std::fs::read_to_string(log.path("logs/insights.jsonl")).unwrap() + &format!("{same}\n");
    log.dir.write_file("ace/logs/insights.jsonl", insights);
    let answer = update(&mut client, json!({}));
    assert_eq!((&answer["updated"], reason(&answer, "aaaaaaaa-0")), (&json!(false), json!("removed_by_person")));
    assert_eq!(reason(&answer, "99999999-0"), "removed_by_person");
    assert_eq!(ids(&update(&mut client, json!({"forceInsightIds": ["aaaaaaaa-0"]}))["deltas"]), ["aaaaaaaa"]);
    assert_eq!(log.playbook().matches(&line).count(), 1);
    // A bullet from before the log of bullets is known from the next update on.
    std::fs::remove_file(log.path("logs/bullets.jsonl")).unwrap();
    update(&mut client, json!({}));
    assert_eq!(log.lines("logs/bullets.jsonl").iter().filter(|event| event["event"] == "found").count(), 2);
    log.dir.write_file("ace/AGENTS.md", log.playbook().replace(&format!("{line}\n"), ""));
    assert_eq!(reason(&update(&mut client, json!({})), "aaaaaaaa-0"), "removed_by_person");
    log.dir.write_file("ace/logs/bullets.jsonl", "no json\n");
    client.expect_refusal("ace_update_knowledge", json!({}), "PARSE_ERROR");
}

#[test]
fn bullets_of_a_person_stay() {
    let (log, _) = log_with(2, 1);
    let mine = "# Mine\r\n## Build & Test Patterns\r\n- [Bullet #one, helpful:0, harmful:9] Mine\r\n- [Bullet #two, helpful:0, harmful:0] \
                Mine too\r\n";
    log.dir.write_file("ace/AGENTS.md", mine);
    let mut client = client_with(&log, 1);
    let answer = update(&mut client, json!({}));
    assert_eq!((&answer["archived"], reason(&answer, "aaaaaaaa-0")), (&Value::Null, json!("over_budget")));
    assert_eq!(log.playbook(), mine);
}

#[test]
fn archived_bullet_that_a_crash_left_is_archived_without_another_line() {
    let (log, mut client) = log_with(2, 1);
    update(&mut client, json!({"maxDeltas": 1}));
    age(&log);
    let before = log.playbook();
    update(&mut client, json!({}));
    let events = log.lines("logs/bullets.jsonl");
    // The playbook of before the replacement: the log has the archived bullet, and no new one.
    let kept: String = events.iter().take(2).map(|event| format!("{event}\n")).collect();
    log.dir.write_file("ace/logs/bullets.jsonl", kept);
    log.dir.write_file("ace/AGENTS.md", &before);
    let again = update(&mut client, json!({}));
    assert_eq!((ids(&again["archived"]), ids(&again["deltas"])), (vec!["aaaaaaaa"], vec!["bbbbbbbb"]));
    let kinds: Vec<Value> = log.lines("logs/bullets.jsonl").iter().map(|event| event["event"].clone()).collect();
    assert_eq!(kinds, ["added", "archived", "added"]);
}

#[test]
fn killed_update_loses_no_bullet() {
    const N_KILLS: u64 = 40;
    let (log, mut client) = log_with(4, 2);
    update(&mut client, json!({"maxDeltas": 2}));
    age(&log);
    let (text, events) = (log.playbook(), std::fs::read_to_string(log.path("logs/bullets.jsonl")).unwrap());
    let config = log.dir.root().join("config.toml").display().to_string();
    for n in 0..N_KILLS {
        log.dir.write_file("ace/AGENTS.md", &text);
        log.dir.write_file("ace/logs/bullets.jsonl", &events);
        let mut command = log.command(&["update", "--config", &config]);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_micros(n * 700));
        child.kill().unwrap();
        child.wait().unwrap();
        // Each bullet is in the playbook or in the log, with its text.
        let everywhere = log.playbook() + &std::fs::read_to_string(log.path("logs/bullets.jsonl")).unwrap();
        for line in text.lines().filter(|line| line.starts_with("[Bullet")) {
            assert!(everywhere.contains(line), "{n}: {line}\n{everywhere}");
        }
    }
}
