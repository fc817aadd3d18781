//! Request ids: an answer belongs to the request that it answers, however often its id was used before.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use wardroom_test_support::{ClientRevision, StdioClient, TestDir};

/// A read that occupies a worker for some time, and one that is answered at once.
const SLOW: &str = "alc://packages/slow/meta";
const QUICK: &str = "alc://scenarios/none";

fn read(client: &StdioClient, id: &Value, uri: &str) -> String {
    let params = client.with_meta(json!({"uri": uri}));
    format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "method": "resources/read", "params": params}))
}

fn cancel(id: &Value) -> String {
    format!("{}\n", json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}))
}

#[test]
fn reused_id_is_answered_for_latest_request() {
    const ROUNDS: usize = 300;
    let dir = TestDir::new();
    dir.write_package("slow", &format!("local M = {{}} M.meta = {{{}}} return M", "{1},".repeat(5_000)));
    for revision in ClientRevision::ALL {
        let mut client = StdioClient::start(&dir, revision);
        for round in 0..ROUNDS {
            let id = json!(format!("again-{round}"));
            let lines = [read(&client, &id, SLOW), cancel(&id), read(&client, &id, QUICK)];
            client.send_raw(lines.concat());
        }
        let (status, messages, _) = client.finish();
        assert!(status.success());
        let mut last = BTreeMap::new();
        for message in messages {
            last.insert(message["id"].as_str().unwrap().to_owned(), message);
        }
        assert_eq!(last.len(), ROUNDS);
        for (id, message) in last {
            assert_eq!(message["error"]["message"], format!("resource not found: {QUICK}"), "{id}: {message}");
        }
    }
}

#[test]
fn subscription_keeps_id_of_client() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Modern);
    // The second id is the number that the server would give to the first request.
    for id in [json!("mine"), json!(1), json!(-7)] {
        let params = client.with_meta(json!({"notifications": {}}));
        client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "subscriptions/listen", "params": params}));
        let acknowledged = client.receive();
        assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
        assert_eq!(acknowledged["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], id);
    }
}

#[test]
fn every_kind_of_id_is_echoed() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    for id in [json!(0), json!(-1), json!(i64::MAX), json!(i64::MIN), json!(""), json!("\n\u{1b}[31m"), json!("1")] {
        let line = read(&client, &id, QUICK);
        client.send_raw(line);
        assert_eq!(client.receive()["id"], id);
    }
}
