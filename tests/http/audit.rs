//! What the audit trail has of refused requests, and of the bearers of tokens.

use serde_json::{Value, json};

use super::owners::{call, config, request};
use wardroom_test_support::{HttpServer, TestDir, run_wardroom};

fn records(dir: &TestDir) -> Vec<Value> {
    let app = dir.app_path().display().to_string();
    let listed = run_wardroom(dir.root(), &["audit", "list", "--last", "100000", "--json", "--appdir", &app]);
    serde_json::from_str(&listed.expect_success()).unwrap()
}

#[test]
fn flood_of_refusals_is_counted() {
    let dir = TestDir::new();
    let mut server = HttpServer::start_with(&dir, &config(&[("alice", "alice-token")], ""), &[]);
    let mut refused = 0;
    for at in 0..300 {
        let wrong = [("authorization", format!("Bearer wrong-{at}"))];
        let reply = server.connect().call_at("/mcp", &wrong, "tools/list", json!({}));
        assert_eq!(reply.status, 401);
        refused += 1;
    }
    for _ in 0..200 {
        let origin = [("origin", "https://attacker.example".to_owned())];
        assert_eq!(server.connect().call_at("/mcp", &origin, "tools/list", json!({})).status, 403);
    }
    call(&server, "alice-token", "alc_run", &json!({"code": "return 1"}));
    server.signal(rustix::process::Signal::TERM);
    assert!(server.wait().success());
    let records = records(&dir);
    assert!(records.len() < 20, "{records:?}");
    let count = |outcome: &str| -> u64 {
        let of = records.iter().filter(|record| record["action"] == "refused" && record["outcome"] == outcome);
        of.map(|record| {
            assert_eq!((&record["who"], &record["through"]), (&json!("unauthenticated"), &json!("http")));
            record["count"].as_u64().unwrap()
        })
        .sum()
    };
    assert_eq!((count("no valid token"), count("host or origin")), (refused, 200));
    let begun: Vec<&Value> = records.iter().filter(|record| record["action"] == "run_begun").collect();
    let [begun] = begun[..] else { panic!("{records:?}") };
    assert_eq!((&begun["who"], &begun["through"]), (&json!("token alice"), &json!("http")));
    assert!(!json!(records).to_string().contains("wrong-"), "no token is recorded");
}

/// A person who removes files to make room loses none of the lines that come later.
#[test]
fn removed_file_of_a_running_server_is_begun_anew() {
    let dir = TestDir::new();
    let mut server = HttpServer::start_with(&dir, &config(&[("alice", "alice-token")], ""), &[]);
    call(&server, "alice-token", "alc_run", &json!({"code": "return 1"}));
    let folder = dir.app_path().join("server/audit");
    for file in std::fs::read_dir(&folder).unwrap() {
        let path = file.unwrap().path();
        if path.is_file() {
            std::fs::remove_file(path).unwrap();
        }
    }
    call(&server, "alice-token", "alc_run", &json!({"code": "return 2"}));
    // Moving takes the name away as well.
    for file in std::fs::read_dir(&folder).unwrap() {
        let path = file.unwrap().path();
        if path.is_file() {
            std::fs::rename(&path, dir.root().join(path.file_name().unwrap())).unwrap();
        }
    }
    call(&server, "alice-token", "alc_run", &json!({"code": "return 3"}));
    server.signal(rustix::process::Signal::TERM);
    assert!(server.wait().success());
    let begun = records(&dir).iter().filter(|record| record["action"] == "run_begun").count();
    assert_eq!(begun, 1);
}

/// Who looks for what others have is seen, however often.
#[test]
fn search_for_what_is_not_visible_is_counted() {
    let dir = TestDir::new();
    let tokens = [("alice", "alice-token"), ("bob", "bob-token")];
    let mut server = HttpServer::start_with(&dir, &config(&tokens, ""), &[]);
    let (waits, _) = call(&server, "alice-token", "alc_run", &json!({"code": "return alc.llm('p')"}));
    let session = waits["session_id"].as_str().unwrap();
    for _ in 0..30 {
        let read = request(&server, "bob-token", "resources/read", json!({"uri": format!("alc://logs/{session}")}));
        assert!(read["error"].is_object(), "{read}");
        let (_, failed) = call(&server, "bob-token", "alc_log_view", &json!({"session_id": session}));
        assert!(failed);
        request(&server, "bob-token", "tools/call", json!({"name": "no_such_tool", "arguments": {}}));
    }
    server.signal(rustix::process::Signal::TERM);
    assert!(server.wait().success());
    let refused: Vec<Value> = records(&dir).into_iter().filter(|record| record["action"] == "refused").collect();
    for subject in ["resources/read", "alc_log_view", "tools/call"] {
        let of = refused.iter().filter(|record| record["subject"] == subject && record["who"] == "token bob");
        assert_eq!(of.map(|record| record["count"].as_u64().unwrap()).sum::<u64>(), 30, "{subject}: {refused:?}");
    }
    assert!(refused.len() <= 8, "{refused:?}");
}

#[test]
fn refused_calls_are_recorded_with_their_caller() {
    let dir = TestDir::new();
    let mut server = HttpServer::start_with(&dir, &config(&[("alice", "alice-token")], ""), &[]);
    for _ in 0..50 {
        let (answer, failed) =
            call(&server, "alice-token", "alc_cancel", &json!({"session_id": "s-1700000000000-0000000000000000"}));
        assert!(failed, "{answer}");
    }
    server.signal(rustix::process::Signal::TERM);
    assert!(server.wait().success());
    let refused: Vec<Value> = records(&dir).into_iter().filter(|record| record["action"] == "refused").collect();
    assert_eq!(refused.len(), 2, "{refused:?}");
    assert!(refused.iter().all(|record| record["who"] == "token alice" && record["subject"] == "alc_cancel"));
    assert_eq!(refused.iter().map(|record| record["count"].as_u64().unwrap()).sum::<u64>(), 50);
}

#[test]
fn indirect_call_is_recorded_by_the_name_of_the_called_tool() {
    let dir = TestDir::new();
    let mut server = HttpServer::start_with(&dir, &config(&[("alice", "alice-token")], ""), &[]);
    let (waits, _) = call(&server, "alice-token", "alc_run", &json!({"code": "return alc.llm('p')"}));
    let session = &waits["session_id"];
    // A note is for a run that has ended.
    call(&server, "alice-token", "alc_continue", &json!({"session_id": session, "response": "x"}));
    let note = json!({"session_id": session, "content": "x"});
    let (noted, failed) = call(&server, "alice-token", "call_tool", &json!({"name": "alc_note", "arguments": note}));
    assert!(!failed, "{noted}");
    server.signal(rustix::process::Signal::TERM);
    assert!(server.wait().success());
    let records = records(&dir);
    let called: Vec<&Value> = records.iter().filter(|record| record["action"] == "tool_called").collect();
    let [called] = called[..] else { panic!("{records:?}") };
    assert_eq!((&called["subject"], &called["who"]), (&json!("alc_note"), &json!("token alice")));
    assert_eq!((&called["count"], &called["outcome"]), (&json!(1), &json!("ok")));
}
