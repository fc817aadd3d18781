//! The three examples of the founding document, with their results.

use serde_json::{Value, json};

use super::test_log::{TestLog, bullets, capture, failure};

/// The one of the first example.
fn first_execution() -> Value {
    failure("Cannot find module ./auth.js")
}

const ADVICE: &str = "Check that the imported module exists under exactly this name and that its package is installed; relative \
                      imports in ESM keep the file extension";

#[test]
fn first_example_learns_a_bullet_from_one_failure() {
    let log = TestLog::new();
    let mut client = log.client();
    let trace = client.call_ok(
        "ace_capture_trace",
        json!({"beadId": "ACE_Beads_Amp-42", "executions": [first_execution()], "outcome": "failure"}),
    );
    assert_eq!((&trace["written"], &trace["bulletsConsulted"]), (&json!(true), &json!(0)));
    let stored = &log.traces()[0];
    assert_eq!(stored["trace_id"], trace["traceId"]);
    assert_eq!(stored["execution_results"][0], first_execution());
    assert_eq!(
        (&stored["bead_id"], &stored["outcome"], &stored["completed"]),
        (&json!("ACE_Beads_Amp-42"), &json!("failure"), &json!(true))
    );

    let analysis = client.call_ok("ace_analyze_patterns", json!({"mode": "single", "traceId": trace["traceId"]}));
    assert_eq!((&analysis["tracesAnalyzed"], &analysis["written"]), (&json!(1), &json!(true)));
    let insight = analysis["insights"][0].clone();
    let expected = json!({
        "id": "5e634149-64f2-54e4-8089-d271151f2507",
        "timestamp": trace["timestamp"],
        "taskId": "ACE_Beads_Amp-42",
        "source": {"runner": "tsc", "beadIds": ["ACE_Beads_Amp-42"]},
        "signal": {"pattern": "Cannot find module PATH", "evidence": ["src/index.ts:5 - Cannot find module ./auth.js"]},
        "recommendation": ADVICE,
        "scope": {"files": ["src/index.ts"], "glob": "**/*.ts"},
        "confidence": 0.8,
        "onlineEligible": true,
        "metaTags": ["tsc", "import", "module", "error-pattern"],
        "occurrences": 1,
    });
    assert_eq!(insight, expected);
    assert_eq!(log.lines("logs/insights.jsonl"), [expected]);

    let update = client.call_ok("ace_update_knowledge", json!({"minConfidence": 0.8, "maxDeltas": 3}));
    let line = format!("[Bullet #5e634149, helpful:0, harmful:0] Cannot find module PATH - {ADVICE}");
    let expected = json!({
        "deltas": [{
            "bulletId": "5e634149",
            "section": "TypeScript Patterns",
            "content": line,
            "confidence": 0.8,
            "applied": true,
        }],
        "duplicatesSkipped": 0,
        "lowConfidenceSkipped": 0,
        "updated": true,
        "skipped": [],
    });
    assert_eq!(update, expected);
    assert!(log.playbook().contains(&format!("### TypeScript Patterns\n<!-- Types and modules -->\n{line}\n\n###")));

    let learned = client.call_ok(
        "ace_get_insights",
        json!({"source": "bullets", "filters": {"sections": ["TypeScript Patterns"]}, "limit": 10, "sortBy": "helpful"}),
    );
    let expected = json!({
        "bullets": [{
            "id": "5e634149",
            "content": format!("Cannot find module PATH - {ADVICE}"),
            "helpful": 0,
            "harmful": 0,
            "section": "TypeScript Patterns",
            "score": 0,
        }],
        "totalMatched": 1,
        "filtered": true,
    });
    assert_eq!(learned, expected);
    let next = capture(&mut client, "ACE_Beads_Amp-43", "x");
    assert_eq!(next["bulletsConsulted"], 1);
}

#[test]
fn second_example_finds_what_tasks_have_in_common() {
    let log = TestLog::new();
    let mut client = log.client();
    let before = log.playbook();
    let tasks = [("40", "./auth.js"), ("41", "./db.js"), ("42", "./log.js"), ("43", "./x.js")];
    let captured = tasks.map(|(bead, path)| {
        capture(&mut client, &format!("ACE_Beads_Amp-{bead}"), &format!("Cannot find module {path}"))
    });
    let third = &captured[2];
    capture(&mut client, "ACE_Beads_Amp-40", "it happened once");
    let patterns = client.call_ok(
        "ace_analyze_patterns",
        json!({
            "mode": "batch",
            "beadIds": ["ACE_Beads_Amp-40", "ACE_Beads_Amp-41", "ACE_Beads_Amp-42"],
            "minConfidence": 0.7,
            "minFrequency": 2,
        }),
    );
    let beads = ["ACE_Beads_Amp-40", "ACE_Beads_Amp-41", "ACE_Beads_Amp-42"];
    let evidence =
        ["./auth.js", "./db.js", "./log.js"].map(|path| format!("src/index.ts:5 - Cannot find module {path}"));
    let insight = json!({
        "id": "5e634149-64f2-54e4-8089-d271151f2507",
        "timestamp": third["timestamp"],
        "taskId": "ACE_Beads_Amp-40",
        "source": {"runner": "tsc", "beadIds": beads},
        "signal": {"pattern": "Cannot find module PATH", "evidence": evidence},
        "recommendation": ADVICE,
        "scope": {"files": ["src/index.ts"], "glob": "**/*.ts"},
        "confidence": 1.0,
        "onlineEligible": true,
        "metaTags": ["tsc", "import", "module", "recurring-error"],
        "occurrences": 3,
    });
    assert_eq!(patterns, json!({"insights": [insight], "tracesAnalyzed": 4, "written": true}));
    assert_eq!(log.lines("logs/insights.jsonl"), [insight]);
    let applied = client.call_ok("ace_update_knowledge", json!({"minConfidence": 0.85, "maxDeltas": 5}));
    let line = format!("[Bullet #5e634149, helpful:0, harmful:0] Cannot find module PATH - {ADVICE}");
    let expected = json!({
        "deltas": [{
            "bulletId": "5e634149",
            "section": "TypeScript Patterns",
            "content": line,
            "confidence": 1.0,
            "applied": true,
        }],
        "duplicatesSkipped": 0,
        "lowConfidenceSkipped": 0,
        "updated": true,
        "skipped": [],
    });
    assert_eq!(applied, expected);
    let heading = "### TypeScript Patterns\n<!-- Types and modules -->\n";
    assert_eq!(log.playbook(), before.replace(heading, &format!("{heading}{line}\n")));
    // The frequency counts occurrences, and not kinds.
    let rare = json!({"mode": "batch", "minFrequency": 4});
    assert_eq!(client.call_ok("ace_analyze_patterns", rare)["insights"].as_array().unwrap().len(), 1);
    let none = json!({"mode": "batch", "minFrequency": 5});
    assert_eq!(client.call_ok("ace_analyze_patterns", none)["insights"], json!([]));
}

#[test]
fn third_example_finds_bullets_by_the_tags_of_their_insights() {
    let log = TestLog::with_playbook(
        "### TypeScript Patterns\n[Bullet #hand-1, helpful:9, harmful:0] by hand\n\n### Build & Test Patterns\n",
    );
    let mut client = log.client();
    capture(&mut client, "b-1", "Cannot find module ./auth.js");
    capture(&mut client, "b-2", "error TS2322: Type 'string' is not assignable to type 'number'.");
    capture(&mut client, "b-3", "error TS6133: 'x' is declared but its value is never read.");
    analyze_and_update(&mut client);
    let query = |tags: Value| {
        json!({"source": "bullets", "filters": {"sections": ["TypeScript Patterns"], "tags": tags},
               "sortBy": "helpful", "limit": 5})
    };
    let found = client.call_ok("ace_get_insights", query(json!(["type-error", "import"])));
    let bullet = |id: &str, content: &str| json!({"id": id, "content": content, "helpful": 0, "harmful": 0, "section": "TypeScript Patterns", "score": 0});
    let expected = json!({
        "bullets": [
            bullet("5e634149", &format!("Cannot find module PATH - {ADVICE}")),
            bullet(
                "3f2691c4",
                "TS2322: Type 'string' is not assignable to type 'number'. - Make the two types agree where the value is made, \
                 not by a cast; run the type checker before the tests",
            ),
        ],
        "totalMatched": 2,
        "filtered": true,
    });
    assert_eq!(found, expected);
    assert_eq!(client.call_ok("ace_get_insights", query(json!(["unused"])))["totalMatched"], 1);
    assert_eq!(client.call_ok("ace_get_insights", query(json!(["none"])))["totalMatched"], 0);
    // The `not` of a message is still there.
    assert!(log.playbook().contains("'string' is not assignable"), "{}", log.playbook());
    // The most helpful one comes first.
    let all = client.call_ok("ace_get_insights", json!({"source": "bullets", "sortBy": "helpful", "limit": 1}));
    assert_eq!((&all["bullets"][0]["id"], &all["totalMatched"]), (&json!("hand-1"), &json!(4)));
}

#[track_caller]
fn analyze_and_update(client: &mut wardroom_test_support::RunClient) {
    super::test_log::analyze(client);
    let update = client.call_ok("ace_update_knowledge", json!({}));
    assert_eq!(update["updated"], true, "{update:#}");
}

#[test]
fn repeated_calls_add_nothing() {
    let log = TestLog::new();
    let mut client = log.client();
    for n in 0..5 {
        capture(
            &mut client,
            &format!("b-{n}"),
            &format!("error TS230{n}: message number {}", "abcde".get(n..=n).unwrap()),
        );
    }
    let first = super::test_log::analyze(&mut client);
    assert_eq!((first["insights"].as_array().unwrap().len(), &first["written"]), (5, &json!(true)));
    let again = super::test_log::analyze(&mut client);
    assert_eq!((&again["insights"], &again["written"]), (&first["insights"], &json!(false)));
    assert_eq!(log.lines("logs/insights.jsonl").len(), 5);
    // The fourth and the fifth have their turn in the second call, and the third one finds nothing new.
    for (n_added, n_duplicates, n_left) in [(3, 0, 2), (2, 3, 0), (0, 5, 0)] {
        let before = log.playbook();
        let update = client.call_ok("ace_update_knowledge", json!({}));
        assert_eq!(update["deltas"].as_array().unwrap().len(), n_added, "{update:#}");
        assert_eq!(update["duplicatesSkipped"], n_duplicates, "{update:#}");
        let left =
            update["skipped"].as_array().unwrap().iter().filter(|skip| skip["reason"] == "over_max_deltas").count();
        assert_eq!(left, n_left, "{update:#}");
        assert_eq!(update["updated"], json!(n_added > 0));
        assert_eq!(before == log.playbook(), n_added == 0);
    }
    assert_eq!(bullets(&mut client).len(), 5);
}
