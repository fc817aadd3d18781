//! Counters that move by use, and fixes that are learned.

use serde_json::json;
use wardroom_test_support::RunClient;

use super::test_log::{TestLog, analyze, capture, failure, pass};

#[test]
fn counters_move_by_feedback_alone() {
    let log = TestLog::new();
    let mut client = log.client();
    capture(&mut client, "b-1", "Cannot find module ./x.js");
    analyze(&mut client);
    let bullet = client.call_ok("ace_update_knowledge", json!({}))["deltas"][0]["bulletId"].clone();
    for (feedback, helpful, harmful) in [("helpful", 1, 0), ("harmful", 1, 1), ("harmful", 1, 2)] {
        let answer = client.call_ok(
            "ace_feedback",
            json!({"beadId": "b-2", "bulletId": bullet, "feedback": feedback, "reason": "because\nof it"}),
        );
        assert_eq!((&answer["helpful"], &answer["harmful"]), (&json!(helpful), &json!(harmful)));
    }
    // A recurrence moves none.
    capture(&mut client, "b-3", "Cannot find module ./y.js");
    analyze(&mut client);
    client.call_ok("ace_update_knowledge", json!({}));
    assert!(log.playbook().contains("helpful:1, harmful:2] Cannot find"), "{}", log.playbook());
    let reasons: Vec<_> = log.traces().iter().map(|trace| trace["bullets_consulted"][0]["reason"].clone()).collect();
    assert_eq!(reasons.iter().filter(|reason| **reason == json!("because\nof it")).count(), 3);
    // What harmed is brought before a person, and makes no bullet.
    let analysis = analyze(&mut client);
    let harmful =
        analysis["insights"].as_array().unwrap().iter().find(|i| i["metaTags"][0] == "bullet-feedback").unwrap();
    assert_eq!((&harmful["confidence"], &harmful["occurrences"]), (&json!(0.75), &json!(2)));
    let sorted = client.call_ok("ace_get_insights", json!({"source": "bullets", "sortBy": "helpful"}));
    assert_eq!(sorted["bullets"][0]["score"], -1);
    let before = (log.playbook(), log.traces().len());
    client.expect_refusal(
        "ace_feedback",
        json!({"beadId": "b", "bulletId": "none", "feedback": "helpful", "reason": "x"}),
        "BULLET_NOT_FOUND",
    );
    assert_eq!((log.playbook(), log.traces().len()), before);
}

#[test]
fn fix_of_a_failure_becomes_a_bullet_when_a_second_task_confirms_it() {
    let log = TestLog::new();
    let mut client = log.client();
    let report = |client: &mut RunClient, bead: &str, module: &str, fix: &str| {
        let message = format!("Cannot find module {module}");
        client.call_ok("ace_capture_trace", json!({"beadId": bead, "executions": [failure(&message), pass()]}));
        client.call_ok("ace_feedback", json!({"beadId": bead, "fix": fix}));
        analyze(client);
        client.call_ok("ace_update_knowledge", json!({}))["deltas"].as_array().unwrap().clone()
    };
    let first = report(&mut client, "b-1", "./gen/api.js", "run npm run generate before the build");
    assert!(first.iter().all(|delta| !delta["content"].as_str().unwrap().contains("Fixed by")), "{first:#?}");
    // One report may be a coincidence: a search finds it, and an agent that it helped may force it.
    let found = client.call_ok("ace_search", json!({"query": "Cannot find module"}));
    let found: Vec<&str> = found["results"].as_array().unwrap().iter().map(|r| r["text"].as_str().unwrap()).collect();
    assert!(found.iter().any(|text| text.ends_with("Fixed by: run npm run generate before the build")), "{found:?}");
    let second = report(&mut client, "b-2", "./gen/db.js", "generate it: npm run generate");
    let fix = second.iter().find(|delta| delta["content"].as_str().unwrap().contains("Fixed by")).unwrap();
    let content = fix["content"].as_str().unwrap();
    assert!(
        content.ends_with("Cannot find module PATH - Fixed by: run npm run generate before the build"),
        "{content}"
    );
    assert_eq!(fix["confidence"], 0.85);
}
