//! Refused arguments, missing files and unreadable ones: each error code where the founding document has it.

use serde_json::{Value, json};

use super::test_log::{TestLog, analyze, capture, failure};

#[test]
fn wrong_arguments_are_refused() {
    let log = TestLog::new();
    let mut client = log.client();
    let run = |fields: Value| {
        let mut run = failure("x");
        fields.as_object().unwrap().iter().for_each(|(name, value)| run[name] = value.clone());
        json!({"beadId": "b", "executions": [run]})
    };
    for (tool, arguments, message) in [
        ("ace_capture_trace", json!({"executions": [failure("x")]}), "beadId"),
        ("ace_capture_trace", json!({"beadId": " ", "executions": [failure("x")]}), "beadId is required"),
        ("ace_capture_trace", json!({"beadId": "b\n", "executions": [failure("x")]}), "one line"),
        ("ace_capture_trace", json!({"beadId": "b", "executions": []}), "must not be empty"),
        ("ace_capture_trace", json!({"beadId": "b", "executions": vec![failure("x"); 201]}), "at most 200"),
        (
            "ace_capture_trace",
            run(json!({"status": "maybe"})),
            "/executions/0/status: the value is not one of \"pass\", \"fail\"",
        ),
        ("ace_capture_trace", run(json!({"errors": [{"tool": "x"}]})), "severity"),
        ("ace_capture_trace", run(json!({"extra": 1})), "extra"),
        ("ace_analyze_patterns", json!({}), "mode"),
        ("ace_analyze_patterns", json!({"mode": "all"}), "/mode"),
        ("ace_analyze_patterns", json!({"mode": "single"}), "traceId is required"),
        ("ace_analyze_patterns", json!({"mode": "batch", "beadIds": []}), "must not be empty"),
        ("ace_analyze_patterns", json!({"mode": "batch", "minFrequency": 0}), "at least 1"),
        ("ace_analyze_patterns", json!({"mode": "batch", "minConfidence": 1.01}), "between 0.0 and 1.0"),
        ("ace_update_knowledge", json!({"minConfidence": -0.1}), "between 0.0 and 1.0"),
        ("ace_update_knowledge", json!({"maxDeltas": 0}), "maxDeltas must be at least 1"),
        ("ace_update_knowledge", json!({"maxDeltas": 101}), "at most 100"),
        ("ace_get_insights", json!({}), "source"),
        ("ace_get_insights", json!({"source": "all"}), "/source"),
        ("ace_get_insights", json!({"source": "both", "limit": -1}), "limit"),
        ("ace_get_insights", json!({"source": "both", "filters": {"after": "yesterday"}}), "yesterday"),
        ("ace_get_insights", json!({"source": "both", "sortBy": "name"}), "/sortBy"),
        ("ace_feedback", json!({"beadId": "b"}), "together"),
        ("ace_feedback", json!({"beadId": "b", "bulletId": "x", "feedback": "helpful"}), "together"),
    ] {
        let refusal = client.expect_refusal(tool, arguments.clone(), "INVALID_PARAMS");
        assert!(refusal.contains(message), "{tool} {arguments}: {refusal}");
    }
    let (answer, _) = client.call_tool("ace_update_knowledge", json!({"maxDeltas": 0}));
    assert_eq!(answer["error"]["details"], json!({"maxDeltas": 0}));
    assert_eq!(log.traces(), [] as [Value; 0]);
}

#[test]
fn missing_files_are_named() {
    let log = TestLog::empty();
    // The service was asked for by name, and makes its folder.
    let mut client = log.client();
    let reading = [
        ("ace_analyze_patterns", json!({"mode": "batch"}), "execution_traces.jsonl"),
        ("ace_analyze_patterns", json!({"mode": "single", "traceId": "x"}), "execution_traces.jsonl"),
        ("ace_update_knowledge", json!({}), "AGENTS.md"),
        ("ace_update_knowledge", json!({"dryRun": true}), "AGENTS.md"),
        ("ace_get_insights", json!({"source": "insights"}), "insights.jsonl"),
        ("ace_get_insights", json!({"source": "bullets"}), "AGENTS.md"),
        ("ace_get_insights", json!({"source": "both"}), "insights.jsonl"),
    ];
    for (tool, arguments, name) in reading {
        let refusal = client.expect_refusal(tool, arguments, "FILE_NOT_FOUND");
        assert!(refusal.contains(name) && !refusal.contains(&*log.dir.root().to_string_lossy()), "{tool}: {refusal}");
    }
    // A capture needs no file, and makes the log.
    assert_eq!(capture(&mut client, "b", "Cannot find module ./x.js")["bulletsConsulted"], 0);
    assert_eq!(analyze(&mut client)["written"], true);
    assert_eq!(client.call_ok("ace_get_insights", json!({"source": "insights"}))["totalMatched"], 1);
    client.expect_refusal("ace_update_knowledge", json!({}), "FILE_NOT_FOUND");
    client.expect_refusal("ace_analyze_patterns", json!({"mode": "single", "traceId": "none"}), "TRACE_NOT_FOUND");
    // With a playbook and without insights, the log of insights is what is missing.
    log.run(&["init"]).expect_success();
    std::fs::remove_file(log.path("logs/insights.jsonl")).unwrap();
    for arguments in [json!({}), json!({"dryRun": true}), json!({"forceInsightIds": ["x"]})] {
        let refusal = client.expect_refusal("ace_update_knowledge", arguments, "FILE_NOT_FOUND");
        assert!(refusal.contains("insights.jsonl is missing: analyze traces first"), "{refusal}");
    }
}

#[test]
fn unreadable_files_are_an_error_and_unreadable_lines_are_counted() {
    let log = TestLog::new();
    let mut client = log.client();
    log.dir.write_file("ace/logs/insights.jsonl", "no json\n{\"id\":\n");
    log.dir.write_file("ace/logs/execution_traces.jsonl", "[1]\n");
    client.expect_refusal("ace_update_knowledge", json!({}), "PARSE_ERROR");
    client.expect_refusal("ace_get_insights", json!({"source": "both"}), "PARSE_ERROR");
    client.expect_refusal("ace_analyze_patterns", json!({"mode": "batch"}), "PARSE_ERROR");
    capture(&mut client, "b", "Cannot find module ./x.js");
    let analysis = client.call_ok("ace_analyze_patterns", json!({"mode": "batch", "minConfidence": 1}));
    assert_eq!((&analysis["tracesAnalyzed"], &analysis["linesSkipped"]), (&json!(1), &json!(1)));
    log.dir.write_file("ace/AGENTS.md", b"\xff\xfe");
    client.expect_refusal("ace_get_insights", json!({"source": "bullets"}), "PARSE_ERROR");
}

#[test]
fn missing_section_is_an_error_unless_it_may_be_made() {
    let text = "# Mine\n\n### Build & Test Patterns\n";
    let log = TestLog::with_playbook(text);
    let mut client = log.client();
    capture(&mut client, "b", "Cannot find module ./x.js");
    analyze(&mut client);
    for arguments in [json!({}), json!({"dryRun": true})] {
        let refusal = client.expect_refusal("ace_update_knowledge", arguments, "SECTION_NOT_FOUND");
        assert!(refusal.contains("TypeScript Patterns"), "{refusal}");
    }
    assert_eq!(log.playbook(), text);
    let config = log.dir.write_file("config.toml", "[ace]\ncreate_sections = true\n").display().to_string();
    let mut client = log.client_with(&["--config", &config]);
    assert_eq!(client.call_ok("ace_update_knowledge", json!({}))["updated"], true);
    let new = log.playbook();
    assert!(new.starts_with(&format!("{text}\n### TypeScript Patterns\n[Bullet #")), "{new}");
}

#[test]
fn severity_of_a_capture_is_kept() {
    let log = TestLog::new();
    let mut client = log.client();
    let severities = ["error", "warning", "info"];
    let errors = severities.map(
        |severity| json!({"tool": "eslint", "severity": severity, "message": severity, "file": "src/a.ts", "line": 1}),
    );
    let run = json!({"runner": "eslint", "command": "npx eslint .", "status": "fail", "errors": errors});
    client.call_ok("ace_capture_trace", json!({"beadId": "b", "executions": [run]}));
    let stored = &log.traces()[0]["execution_results"][0];
    assert_eq!((&stored["runner"], &stored["command"]), (&json!("eslint"), &json!("npx eslint .")));
    let kept: Vec<&Value> = stored["errors"].as_array().unwrap().iter().map(|error| &error["severity"]).collect();
    assert_eq!(kept, severities);
    // What is no error is less sure.
    let found = analyze(&mut client)["insights"].clone();
    let confidence = |pattern: &str| {
        let insight = found.as_array().unwrap().iter().find(|insight| insight["signal"]["pattern"] == pattern);
        insight.unwrap()["confidence"].as_f64().unwrap()
    };
    assert_eq!(severities.map(confidence), [0.6, 0.5, 0.5]);
}

#[test]
fn bullets_pass_the_filters_of_their_insights_and_are_sorted_by_them() {
    let ids = ["aaaaaaaa", "bbbbbbbb", "cccccccc"];
    let bullet = |id: &str| format!("[Bullet #{id}, helpful:0, harmful:0] lesson {id}\n");
    let text: String = ids.iter().map(|id| bullet(id)).collect();
    let log = TestLog::with_playbook(format!("## A\n{text}[Bullet #hand, helpful:5, harmful:0] by hand\n"));
    let insights = [("aaaaaaaa", 0.8, 5), ("bbbbbbbb", 0.95, 1), ("cccccccc", 0.9, 9)].map(|(id, confidence, day)| {
        let insight = json!({"id": format!("{id}-0000-5000-8000-000000000000"), "confidence": confidence,
            "timestamp": format!("2026-01-0{day}T12:00:00.000Z"), "signal": {"pattern": format!("lesson {id}")}});
        format!("{insight}\n")
    });
    log.dir.write_file("ace/logs/insights.jsonl", insights.concat());
    let mut client = log.client();
    let mut found = |filters: Value, sort_by: &str| -> Vec<String> {
        let arguments = json!({"source": "bullets", "filters": filters, "sortBy": sort_by});
        let answer = client.call_ok("ace_get_insights", arguments);
        let bullets = answer["bullets"].as_array().unwrap();
        assert_eq!(answer["totalMatched"], bullets.len());
        bullets.iter().map(|bullet| bullet["id"].as_str().unwrap().to_owned()).collect()
    };
    let [a, b, c] = ids;
    assert_eq!(found(json!({}), "confidence"), [b, c, a, "hand"]);
    assert_eq!(found(json!({}), "timestamp"), [c, a, b, "hand"]);
    assert_eq!(found(json!({}), "helpful"), ["hand", a, b, c]);
    assert_eq!(found(json!({"minConfidence": 0.9}), "confidence"), [b, c]);
    assert_eq!(found(json!({"after": "2026-01-01T12:00:00Z"}), "timestamp"), [c, a]);
    assert_eq!(found(json!({"before": "2026-01-09T12:00:00Z"}), "timestamp"), [a, b]);
    assert_eq!(found(json!({"after": "2026-01-02", "before": "2026-01-08", "minConfidence": 0.8}), "helpful"), [a]);
    assert_eq!(found(json!({"after": "2026-01-02", "minConfidence": 0.95}), "helpful"), [""; 0]);
}

#[test]
fn routes_and_bounds_come_from_the_configuration() {
    let log = TestLog::with_playbook("## Imports\n");
    let config = "[ace]\nmax_deltas = 1\nmin_confidence = 0.9\nroutes = [{ tags = ['import'], section = 'imports' }]\n";
    let config = log.dir.write_file("config.toml", config).display().to_string();
    let mut client = log.client_with(&["--config", &config]);
    for n in 0..5 {
        capture(&mut client, &format!("b-{n}"), "Cannot find module ./x.js");
        capture(&mut client, &format!("c-{n}"), "Cannot find module ./x.js in the other way");
    }
    capture(&mut client, "d", "no such file or directory");
    analyze(&mut client);
    let update = client.call_ok("ace_update_knowledge", json!({}));
    assert_eq!((update["deltas"].as_array().unwrap().len(), &update["lowConfidenceSkipped"]), (1, &json!(1)));
    // The section has the name that it has in the file.
    assert_eq!(update["deltas"][0]["section"], "Imports");
}
