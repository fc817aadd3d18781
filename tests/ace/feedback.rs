//! Counters that move by use, and fixes that are learned.

use serde_json::json;

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
fn fix_of_a_failure_becomes_a_bullet() {
    let log = TestLog::new();
    let mut client = log.client();
    let executions = json!([failure("Cannot find module ./gen/api.js"), pass()]);
    client.call_ok("ace_capture_trace", json!({"beadId": "b-1", "executions": executions}));
    client.call_ok("ace_feedback", json!({"beadId": "b-1", "fix": "run npm run generate before the build"}));
    analyze(&mut client);
    let update = client.call_ok("ace_update_knowledge", json!({}));
    let contents: Vec<&str> =
        update["deltas"].as_array().unwrap().iter().map(|delta| delta["content"].as_str().unwrap()).collect();
    assert_eq!(contents.len(), 2, "{update:#}");
    assert!(
        contents[0].ends_with("Cannot find module PATH - Fixed by: run npm run generate before the build"),
        "{contents:?}"
    );
    assert_eq!(update["deltas"][0]["confidence"], 0.85);
}
