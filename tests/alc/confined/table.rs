//! What holds for every tool that there is.

use std::fs::{self, File};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use super::Ship;

fn tools(ship: &mut Ship) -> Vec<Value> {
    ship.runner.0.call("tools/list", json!({}))["result"]["tools"].as_array().unwrap().clone()
}

fn name(tool: &Value) -> &str {
    tool["name"].as_str().unwrap()
}

#[test]
fn what_a_server_that_writes_nothing_hides_it_refuses_too() {
    let mut ship = Ship::new();
    let all = tools(&mut ship);
    let mut reader = Ship::with(&["--project", "project", "--read-only"], |_| ());
    let listed = tools(&mut reader);
    let reads = |tool: &&Value| tool["annotations"]["readOnlyHint"] == json!(true);
    let expected: Vec<&str> = all.iter().filter(reads).map(name).collect();
    assert_eq!(listed.iter().map(name).collect::<Vec<_>>(), expected);
    let writers: Vec<&Value> = all.iter().filter(|tool| !reads(tool)).collect();
    assert!(writers.len() > 20, "{}", writers.len());
    for tool in writers {
        reader.refused(name(tool), json!({}), "READ_ONLY");
    }
}

#[test]
fn no_tool_takes_an_argument_that_it_does_not_know() {
    let mut ship = Ship::new();
    for tool in tools(&mut ship) {
        assert_eq!(tool["inputSchema"]["additionalProperties"], json!(false), "{}", name(&tool));
        let mut arguments = json!({"no_such_argument": 1});
        for required in tool["inputSchema"]["required"].as_array().into_iter().flatten() {
            arguments[required.as_str().unwrap()] = "x".into();
        }
        ship.refused(name(&tool), arguments, "invalid_arguments");
    }
}

/// Whoever asks before it destroys asks about these.
#[test]
fn what_may_replace_or_remove_says_so() {
    let mut ship = Ship::new();
    for tool in tools(&mut ship) {
        let is_destructive = tool["annotations"]["destructiveHint"] == json!(true);
        let destroys = [
            "alc_cancel",
            "alc_hub_dist",
            "alc_hub_gendoc",
            "alc_hub_reindex",
            "alc_migrate",
            "alc_pkg_install",
            "alc_pkg_link",
            "alc_pkg_remove",
            "alc_pkg_repair",
            "alc_pkg_unlink",
            "alc_update",
        ];
        assert_eq!(is_destructive, destroys.contains(&name(&tool)), "{tool:#}");
    }
}

#[test]
fn what_is_shown_of_waiting_queries_is_typed() {
    let mut ship = Ship::new();
    let all = tools(&mut ship);
    let status = all.iter().find(|tool| name(tool) == "alc_status").unwrap();
    let filter = &status["inputSchema"]["properties"]["pending_filter"];
    assert!(filter.to_string().contains("\"preview\"") && filter.to_string().contains("\"query_id\""), "{filter:#}");
    let waits = ship.runner.run_code("return alc.llm('what?')");
    for filter in [json!("full"), json!({"query_id": true, "prompt": {"mode": "preview", "chars": 2}})] {
        let shown = ship.call("alc_status", json!({"pending_filter": filter, "include_history": true}));
        assert_eq!(shown["sessions"][0]["pending"][0]["query_id"], waits["query_id"], "{shown:#}");
    }
    ship.refused("alc_status", json!({"pending_filter": "none"}), "INVALID");
    assert_eq!(ship.call("alc_cancel", json!({"session_id": waits["session_id"]}))["status"], "cancelled");
}

#[test]
fn what_killed_writers_left_goes_when_a_server_starts_and_what_is_written_now_stays() {
    let old = SystemTime::now() - Duration::from_secs(2 * 60 * 60);
    let names = |unique: &str| {
        ["state", "cards", "cards/p", "logs", "evals", "packages", "cache/lines"]
            .map(|folder| format!("{folder}/.x.{unique}.tmp"))
    };
    let (left, written) = (names("0123456789abcdef"), names("fedcba9876543210"));
    let mut ship = Ship::with(&["--project", "project"], |dir| {
        for name in &left {
            File::open(dir.write_file(name, "half")).unwrap().set_modified(old).unwrap();
        }
        for name in &written {
            dir.write_file(name, "half");
        }
        dir.write_file("cards/p/mine.tmp", "mine");
        File::open(dir.app_path().join("cards/p/mine.tmp")).unwrap().set_modified(old).unwrap();
    });
    ship.call("alc_info", json!({}));
    let deadline = Instant::now() + Duration::from_secs(30);
    while left.iter().any(|name| ship.has(&format!("app/{name}"))) {
        assert!(
            Instant::now() < deadline,
            "{:?}",
            left.iter().filter(|name| ship.has(&format!("app/{name}"))).collect::<Vec<_>>()
        );
        thread::sleep(Duration::from_millis(20));
    }
    assert!(written.iter().all(|name| ship.has(&format!("app/{name}"))) && ship.has("app/cards/p/mine.tmp"));
    assert!(fs::read_dir(ship.path("app/state")).unwrap().count() >= 1);
}
