//! What an update leaves as it is: every byte that is no bullet, the time of a file in a dry run, links, and
//! permissions.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

use serde_json::json;

use super::test_log::{TestLog, analyze, capture};

const DOCUMENT: &str = "\u{feff}---\r\ntitle: x\r\n---\r\n# Rules\r\n\r\nProse with [Bullet #no, helpful:1, harmful:1] within.\r\n\r\n\
                        ```md\r\n### TypeScript Patterns\r\n[Bullet #code, helpful:1, harmful:1] code\r\n```\r\n\
                        <!--\r\n[Bullet #hidden, helpful:1, harmful:1] comment\r\n-->\r\n\
                        ## TypeScript Patterns\r\n- [Bullet #old-1, helpful:2, harmful:0] old\r\n  goes on\r\n\r\n\
                        Tail without an end";

#[test]
fn everything_but_bullets_stays_byte_for_byte() {
    let log = TestLog::with_playbook(DOCUMENT);
    let mut client = log.client();
    capture(&mut client, "b", "Cannot find module ./x.js");
    analyze(&mut client);
    let update = client.call_ok("ace_update_knowledge", json!({}));
    let line = update["deltas"][0]["content"].as_str().unwrap();
    let expected = DOCUMENT.replace("  goes on\r\n", &format!("  goes on\r\n- {line}\r\n"));
    assert_eq!(log.playbook(), expected);
    client.call_ok(
        "ace_feedback",
        json!({"beadId": "b", "bulletId": "old-1", "feedback": "harmful", "reason": "it is wrong"}),
    );
    assert_eq!(log.playbook(), expected.replace("#old-1, helpful:2, harmful:0", "#old-1, helpful:2, harmful:1"));
    let listed = client.call_ok("ace_get_insights", json!({"source": "bullets"}));
    let ids: Vec<&str> = listed["bullets"].as_array().unwrap().iter().map(|b| b["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["old-1", update["deltas"][0]["bulletId"].as_str().unwrap()]);
}

#[test]
fn dry_run_leaves_bytes_and_time_alone() {
    let log = TestLog::new();
    let mut client = log.client();
    capture(&mut client, "b", "Cannot find module ./x.js");
    analyze(&mut client);
    let state = || {
        let metadata = std::fs::metadata(log.path("AGENTS.md")).unwrap();
        (log.playbook(), metadata.ino(), metadata.mtime_nsec(), metadata.ctime_nsec())
    };
    let before = state();
    let preview = client.call_ok("ace_update_knowledge", json!({"dryRun": true}));
    assert_eq!((&preview["updated"], &preview["deltas"][0]["applied"]), (&json!(false), &json!(false)));
    assert_eq!(state(), before);
    let update = client.call_ok("ace_update_knowledge", json!({}));
    assert_eq!(update["deltas"][0]["content"], preview["deltas"][0]["content"]);
    let after = state();
    assert_ne!(after, before);
    // Nothing new is written again.
    client.call_ok("ace_update_knowledge", json!({}));
    assert_eq!(state(), after);
}

#[test]
fn forced_insight_is_written_whatever_its_confidence() {
    let log = TestLog::new();
    let mut client = log.client();
    capture(&mut client, "b", "an odd failure");
    let insight = analyze(&mut client)["insights"][0].clone();
    assert_eq!((&insight["confidence"], &insight["onlineEligible"]), (&json!(0.6), &json!(false)));
    let update = client.call_ok("ace_update_knowledge", json!({}));
    assert_eq!((&update["lowConfidenceSkipped"], &update["updated"]), (&json!(1), &json!(false)));
    assert_eq!(update["skipped"], json!([{"insightId": insight["id"], "reason": "low_confidence"}]));
    let update = client.call_ok("ace_update_knowledge", json!({"forceInsightIds": [insight["id"], "none"]}));
    assert_eq!((&update["lowConfidenceSkipped"], &update["updated"]), (&json!(0), &json!(true)));
    assert_eq!(update["skipped"], json!([{"insightId": "none", "reason": "not_found"}]));
}

#[test]
fn links_to_the_playbook_stay_links() {
    let log = TestLog::new();
    std::fs::create_dir(log.path("docs")).unwrap();
    std::fs::rename(log.path("AGENTS.md"), log.path("docs/RULES.md")).unwrap();
    symlink("docs/RULES.md", log.path("AGENTS.md")).unwrap();
    symlink("AGENTS.md", log.path("CLAUDE.md")).unwrap();
    let mut client = log.client();
    capture(&mut client, "b", "Cannot find module ./x.js");
    analyze(&mut client);
    assert_eq!(client.call_ok("ace_update_knowledge", json!({}))["updated"], true);
    for name in ["AGENTS.md", "CLAUDE.md"] {
        assert!(std::fs::symlink_metadata(log.path(name)).unwrap().is_symlink(), "{name}");
        assert!(std::fs::read_to_string(log.path(name)).unwrap().contains("[Bullet #"), "{name}");
    }
    let logs = std::fs::metadata(log.path("logs/execution_traces.jsonl")).unwrap();
    assert_eq!(logs.mode() & 0o777, 0o600);
    // A link out of the folder is neither followed nor replaced.
    std::fs::write(log.dir.root().join("outside.md"), "### TypeScript Patterns\n").unwrap();
    std::fs::remove_file(log.path("AGENTS.md")).unwrap();
    symlink("../../outside.md", log.path("AGENTS.md")).unwrap();
    let (answer, failed) = client.call_tool("ace_update_knowledge", json!({}));
    assert!(failed, "{answer:#}");
    assert_eq!(std::fs::read_to_string(log.dir.root().join("outside.md")).unwrap(), "### TypeScript Patterns\n");
}

#[test]
fn configured_folder_takes_the_place_of_the_one_in_the_app_dir() {
    let log = TestLog::empty();
    let project = log.dir.root().join("project");
    std::fs::create_dir_all(project.join(".beads")).unwrap();
    std::fs::write(project.join("AGENTS.md"), "# Mine\n\n### TypeScript Patterns\n").unwrap();
    std::fs::write(project.join(".beads/issues.jsonl"), "{\"id\":\"b-1\",\"title\":\"The title\"}\nbad\n").unwrap();
    std::fs::set_permissions(project.join("AGENTS.md"), std::fs::Permissions::from_mode(0o640)).unwrap();
    let config = log.dir.root().join("config.toml");
    std::fs::write(&config, format!("[ace]\nroot = \"{}\"\n", project.display())).unwrap();
    let config = config.display().to_string();
    let mut client = log.client_with(&["--config", &config]);
    capture(&mut client, "b-1", "Cannot find module ./x.js");
    analyze(&mut client);
    assert_eq!(client.call_ok("ace_update_knowledge", json!({}))["updated"], true);
    assert!(std::fs::read_to_string(project.join("AGENTS.md")).unwrap().contains("[Bullet #"));
    assert_eq!(std::fs::metadata(project.join("AGENTS.md")).unwrap().mode() & 0o777, 0o640);
    let traces = std::fs::read_to_string(project.join("logs/execution_traces.jsonl")).unwrap();
    assert!(traces.contains("\"task_description\":\"The title\""), "{traces}");
    assert!(!log.path("").exists());
}

#[test]
fn without_a_folder_nothing_is_offered_unless_the_service_is_named() {
    let log = TestLog::empty();
    let tools = |args: &[&str]| {
        let mut client = wardroom_test_support::RunClient::start_with(&log.dir, args);
        let answer = client.0.call("tools/list", json!({}));
        let tools = answer["result"]["tools"].as_array().unwrap().clone();
        tools.iter().filter(|tool| tool["name"].as_str().unwrap().starts_with("ace_")).count()
    };
    assert_eq!(tools(&[]), 0);
    assert!(!log.path("").exists());
    assert_eq!(tools(&["--service", "ace", "--read-only"]), 0);
    assert_eq!(tools(&["--service", "ace"]), 7);
    assert!(log.path("").exists());
    assert_eq!(tools(&[]), 7);
    assert_eq!(tools(&["--read-only"]), 2);
}
