//! Files of earlier programs: both shapes of traces, insights with fresh ids, all spellings of bullets, and torn lines.

use serde_json::json;

use super::test_log::{TestLog, analyze, bullets};

const TRACES: &str = concat!(
    // The first shape, with what the program wrote.
    r#"{"trace_id":"t-1","timestamp":"2025-10-31T12:00:00.000Z","bead_id":"b-1","task_description":"d","bullets_consulted":[],"execution_results":[{"status":"fail","errors":[{"tool":"tsc","file":"a.ts","line":5,"column":3,"code":"TS2307","message":"Cannot find module './x.js'","severity":"error"}],"stdout":"","stderr":"","exitCode":1,"duration":0,"timestamp":"n"}],"discovered_issues":[],"completed":true,"outcome":"failure"}"#,
    "\r\n\n",
    // The later one.
    r#"{"trace_id":"t-2","bead_id":"b-2","execution_results":[{"runner":"tsc","command":"npm run build","status":"error","errors":[{"tool":"tsc","code":"TS2307","message":"Cannot find module './y.js'"}],"metrics":{"tests_failed":1}}],"thread_refs":["T-1"],"outcome":"failure"}"#,
    "\n{\"trace_id\":\"torn",
);

#[test]
fn both_shapes_of_traces_are_one_pattern_and_torn_lines_are_counted() {
    let log = TestLog::new();
    log.dir.write_file("ace/logs/execution_traces.jsonl", TRACES);
    let mut client = log.client();
    let found = client.call_ok("ace_analyze_patterns", json!({"mode": "batch"}));
    assert_eq!((&found["tracesAnalyzed"], &found["linesSkipped"]), (&json!(2), &json!(1)));
    assert_eq!(found["insights"].as_array().unwrap().len(), 1, "{found:#}");
    assert_eq!(found["insights"][0]["source"]["beadIds"], json!(["b-1", "b-2"]));
    // The torn line gets its end, and what follows is whole.
    super::test_log::capture(&mut client, "b-3", "error TS2307: Cannot find module './z.js'");
    let text = std::fs::read_to_string(log.path("logs/execution_traces.jsonl")).unwrap();
    assert!(text.starts_with(&format!("{TRACES}\n{{\"trace_id\"")) && text.ends_with("}\n"), "{text}");
    let single = client.call_ok("ace_analyze_patterns", json!({"mode": "single", "traceId": "t-1"}));
    assert_eq!((&single["tracesAnalyzed"], &single["written"]), (&json!(1), &json!(false)));
    assert_eq!(analyze(&mut client)["insights"][0]["occurrences"], 3);
}

#[test]
fn whole_line_without_its_end_stays_a_line() {
    let log = TestLog::new();
    log.dir.write_file("ace/logs/execution_traces.jsonl", r#"{"trace_id":"t-1","bead_id":"b"}"#);
    let mut client = log.client();
    super::test_log::capture(&mut client, "b-3", "x");
    assert_eq!(log.traces().len(), 2);
    assert_eq!(client.0.read_resource("ace://traces/t-1").unwrap()["mimeType"], "application/json");
}

#[test]
fn historical_insights_and_bullets_are_read() {
    let insight = |id: &str, confidence: f64, eligible: bool| {
        json!({"id": id, "timestamp": "2025-10-31T12:00:00.000Z", "taskId": "b-1", "source": {"runner": "tsc"},
            "signal": {"pattern": "type mismatch", "evidence": []}, "recommendation": "Run npm run build", "scope": {},
            "confidence": confidence, "onlineEligible": eligible, "metaTags": ["tsc", "error-pattern"],
            "delta": "[Bullet #0a0b0c0d] x"})
        .to_string()
    };
    let log = TestLog::with_playbook(
        "### Build & Test Patterns\n[Bullet #test-001, helpful:3, harmful:1] one\n- [Bullet \
         #0f6c5d5e-1111-4222-8333-444455556666, helpful:0, harmful:0, Aggregated from 12 instances] two\n\n### TypeScript \
         Patterns\n[Bullet #deadbeef, helpful:0, harmful:0] Type mismatch - Run npm run build\n",
    );
    // Each analysis of the first program wrote the same insight again; the sum of its confidence was not exact.
    let lines = [insight("i-1", 0.7999999999999999, false), insight("i-2", 0.9, true), insight("i-3", 0.5, false)];
    log.dir.write_file("ace/logs/insights.jsonl", lines.join("\n") + "\n");
    let mut client = log.client();
    let all = bullets(&mut client);
    assert_eq!(all.len(), 3);
    assert_eq!((&all[0]["score"], &all[1]["section"]), (&json!(2), &json!("Build & Test Patterns")));
    // The bullet has an id of its own, and came from the insight with its text.
    let by_task = client.call_ok("ace_get_insights", json!({"source": "bullets", "filters": {"beadIds": ["b-1"]}}));
    assert_eq!((&by_task["totalMatched"], &by_task["bullets"][0]["id"]), (&json!(1), &json!("deadbeef")));
    let before = log.playbook();
    let update = client.call_ok("ace_update_knowledge", json!({}));
    assert_eq!((&update["duplicatesSkipped"], &update["lowConfidenceSkipped"]), (&json!(2), &json!(1)), "{update:#}");
    assert_eq!(log.playbook(), before);
}

#[test]
fn filters_apply_in_order_and_before_the_limit() {
    let log = TestLog::new();
    let line = |n: u32| {
        json!({"id": format!("i-{n}"), "timestamp": format!("2026-01-0{}T00:00:00Z", n + 1), "taskId": format!("b-{}", n % 2),
            "recommendation": format!("r-{n}"), "confidence": f64::from(n) / 10.0, "metaTags": [format!("t{}", n % 3)]})
        .to_string()
    };
    let lines: Vec<String> = (0..9).map(line).collect();
    log.dir.write_file("ace/logs/insights.jsonl", lines.join("\n"));
    let mut client = log.client();
    let mut ids = |filters: serde_json::Value, sort: &str, limit: usize| {
        let arguments = json!({"source": "insights", "filters": filters, "sortBy": sort, "limit": limit});
        let found = client.call_ok("ace_get_insights", arguments);
        let ids: Vec<String> =
            found["insights"].as_array().unwrap().iter().map(|i| i["id"].as_str().unwrap().to_owned()).collect();
        (ids.join(" "), found["totalMatched"].as_u64().unwrap())
    };
    // Strictly after and before, at least as sure, any of the tags, any of the tasks.
    assert_eq!(
        ids(json!({"after": "2026-01-03T00:00:00Z", "before": "2026-01-06"}), "timestamp", 50),
        ("i-4 i-3".to_owned(), 2)
    );
    assert_eq!(ids(json!({"minConfidence": 0.7}), "confidence", 1), ("i-8".to_owned(), 2));
    assert_eq!(ids(json!({"tags": ["t0", "t1"], "beadIds": ["b-1"]}), "helpful", 50), ("i-1 i-3 i-7".to_owned(), 3));
    assert_eq!(ids(json!({"tags": []}), "confidence", 50), (String::new(), 0));
    assert_eq!(ids(json!({}), "confidence", 0), (String::new(), 9));
}
