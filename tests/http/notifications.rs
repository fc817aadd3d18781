//! Notifications of changes: a client gets those of entries that its endpoint shows, and no others.

use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use wardroom_mcp::limits::MAX_WATCHED_RESOURCES_PER_CALLER;
use wardroom_test_support::{HttpConnection, HttpServer, TestDir, modern_request};

/// Two endpoints without tokens, one of which has a scope.
const ENDPOINTS: &str = "[http.endpoints.outer]\npath = \"/outer\"\nservices = [\"registry\"]\n\
    [http.endpoints.inner]\npath = \"/inner\"\nscope = \"inner\"\nservices = [\"registry\"]\n";

/// Declares a resource, a tool and a prompt of one scope, in a folder of their own.
fn declare(dir: &TestDir, name: &str, meta: &str, text: &str) {
    dir.write_file(&format!("registry/{name}/body.txt"), text);
    dir.write_file(&format!("registry/{name}/run.lua"), "return { call = function() return 1 end }\n");
    let entry = |kind: &str, more: &str| {
        format!("  - name: {kind}\n    kind: function.lua\n    meta: {{ mcp.description: {text}, {meta}{more} }}\n")
    };
    let entries = [
        entry("tool", &format!("mcp.tool: true, mcp.name: {name}"))
            .replace("    meta", "    source: file://run.lua\n    method: call\n    meta"),
        entry("prompt", &format!("mcp.prompt: true, mcp.prompt.name: {name}, mcp.prompt.messages: [{{ content: x }}]")),
        entry("file", &format!("mcp.resource: true, mcp.resource.uri: \"test://{name}\", mcp.resource.file: body.txt")),
    ];
    let index = format!("version: \"1.0\"\nnamespace: {name}\nentries:\n{}", entries.concat());
    dir.write_file(&format!("registry/{name}/_index.yaml"), index);
}

/// Starts a server after a pause, because listeners are also notified of changes just before their subscription.
fn serve(dir: &TestDir, config: &str) -> HttpServer {
    std::thread::sleep(Duration::from_millis(200));
    HttpServer::start_with(dir, config, &[])
}

fn listen(server: &HttpServer, path: &str, filter: &Value) -> HttpConnection<TcpStream> {
    let mut connection = server.connect();
    let (headers, message) = modern_request(1, "subscriptions/listen", json!({"notifications": filter}));
    connection.send_request("POST", path, &headers, Some(message.to_string().as_bytes()));
    assert_eq!(connection.read_head().status, 200);
    let acknowledged = connection.read_event().unwrap();
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged", "{acknowledged}");
    connection
}

/// Returns the next notifications, sorted.
fn next_notifications(connection: &mut HttpConnection<TcpStream>, count: usize) -> Vec<String> {
    let mut methods: Vec<_> = (0..count)
        .map(|_| {
            connection.read_event().unwrap()["method"].as_str().unwrap().trim_start_matches("notifications/").to_owned()
        })
        .collect();
    methods.sort();
    methods
}

const LISTS: [&str; 3] = ["prompts/list_changed", "resources/list_changed", "tools/list_changed"];

#[test]
fn list_change_is_reported_only_where_entry_is_visible() {
    let dir = TestDir::new();
    declare(&dir, "secret", "mcp.scope: inner, ", "one");
    declare(&dir, "public", "", "one");
    let server = serve(&dir, ENDPOINTS);
    let filter = json!({"toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true});
    let (mut inner, mut outer) = (listen(&server, "/inner", &filter), listen(&server, "/outer", &filter));
    declare(&dir, "secret", "mcp.scope: inner, ", "two");
    assert_eq!(next_notifications(&mut inner, 3), LISTS);
    // If that change had been reported to the outer client, it would now get two notifications.
    dir.write_file(
        "registry/more/_index.yaml",
        "version: \"1.0\"\nnamespace: more\nentries:\n  - name: p\n    kind: function.lua\n    \
        meta: { mcp.prompt: true, mcp.prompt.name: p, mcp.prompt.messages: [{ content: x }] }\n",
    );
    assert_eq!(next_notifications(&mut inner, 1), ["prompts/list_changed"]);
    assert_eq!(next_notifications(&mut outer, 1), ["prompts/list_changed"]);
    // An entry that becomes visible or invisible changes a list.
    declare(&dir, "secret", "", "two");
    assert_eq!(next_notifications(&mut outer, 3), LISTS);
}

/// The resource is not visible at the other endpoint.
#[test]
fn resource_update_is_reported_only_where_resource_is_visible() {
    let dir = TestDir::new();
    declare(&dir, "secret", "mcp.scope: inner, ", "one");
    declare(&dir, "public", "", "one");
    let server = serve(&dir, ENDPOINTS);
    let filter = json!({"resourceSubscriptions": ["test://secret", "test://public"]});
    let (mut inner, mut outer) = (listen(&server, "/inner", &filter), listen(&server, "/outer", &filter));
    let updated = |connection: &mut HttpConnection<TcpStream>| {
        let event = connection.read_event().unwrap();
        assert_eq!(event["method"], "notifications/resources/updated", "{event}");
        event["params"]["uri"].as_str().unwrap().to_owned()
    };
    dir.write_file("registry/secret/body.txt", "two");
    assert_eq!(updated(&mut inner), "test://secret");
    dir.write_file("registry/public/body.txt", "two");
    assert_eq!(updated(&mut inner), "test://public");
    assert_eq!(updated(&mut outer), "test://public");
}

/// All sessions without a token are those of one caller, and each is notified of three lists.
#[test]
fn lists_count_as_no_subscription_of_a_caller() {
    let dir = TestDir::new();
    declare(&dir, "public", "", "one");
    let server = serve(&dir, "[http]\nmax_sessions = 400\n");
    let mut connection = server.connect();
    let mut last = String::new();
    for _ in 0..=MAX_WATCHED_RESOURCES_PER_CALLER / LISTS.len() {
        last = connection.initialize("/mcp", json!({}));
        assert_eq!(connection.call_in_session(&last, 1, "tools/list", json!({})).status, 200);
    }
    let subscribed = connection.call_in_session(&last, 2, "resources/subscribe", json!({"uri": "test://public"}));
    assert_eq!(subscribed.json()["result"], json!({}));
    let mut listening = server.connect();
    let stream = [("mcp-session-id", last), ("accept", "text/event-stream".to_owned())];
    listening.send_request("GET", "/mcp", &stream, None);
    assert_eq!(listening.read_head().status, 200);
    declare(&dir, "added", "", "one");
    assert_eq!(next_notifications(&mut listening, 3), LISTS);
}

#[test]
fn only_resources_that_are_watched_are_acknowledged() {
    let dir = TestDir::new();
    declare(&dir, "public", "", "one");
    let server = serve(&dir, "");
    let mut uris: Vec<String> =
        (0..MAX_WATCHED_RESOURCES_PER_CALLER).map(|n| format!("alc://packages/p{n}/meta")).collect();
    uris.insert(0, "test://public".to_owned());
    let mut connection = server.connect();
    let filter = json!({"notifications": {"resourceSubscriptions": uris}});
    let (headers, message) = modern_request(1, "subscriptions/listen", filter);
    connection.send_request("POST", "/mcp", &headers, Some(message.to_string().as_bytes()));
    assert_eq!(connection.read_head().status, 200);
    let acknowledged = connection.read_event().unwrap();
    let accepted = acknowledged["params"]["notifications"]["resourceSubscriptions"].as_array().unwrap();
    assert_eq!(accepted.len(), MAX_WATCHED_RESOURCES_PER_CALLER);
    dir.write_file("registry/public/body.txt", "two");
    assert_eq!(next_notifications(&mut connection, 1), ["resources/updated"]);
}

#[test]
fn gating_switch_changes_lists_of_group_members_only() {
    let dir = TestDir::new();
    declare(&dir, "gated", "mcp.groups: [staff], ", "one");
    let gate = |closed: bool| {
        let entry = format!(
            "version: \"1.0\"\nnamespace: gate\nentries:\n  - name: gate\n    kind: registry.entry\n    \
             meta: {{ type: mcp.gating }}\n    data: {{ emergency_hide_gated: {closed} }}\n"
        );
        dir.write_file("registry/gate/_index.yaml", entry);
    };
    gate(false);
    let token = "staff-token";
    let digest = <sha2::Sha256 as sha2::Digest>::digest(token)
        .iter()
        .fold(String::new(), |all, byte| format!("{all}{byte:02x}"));
    let config = format!(
        "[http.tokens.staff]\nsha256 = \"{digest}\"\ngroups = [\"staff\"]\n[http.endpoints.staff]\npath = \"/staff\"\n\
         tokens = [\"staff\"]\n[http.endpoints.outer]\npath = \"/outer\"\ntokens = []\n\
         [http.endpoints.open]\npath = \"/mcp\"\ntokens = []\n"
    );
    let server = serve(&dir, &config);
    let filter = json!({"toolsListChanged": true});
    let mut outer = listen(&server, "/outer", &filter);
    let mut staff = server.connect();
    let (mut headers, message) = modern_request(1, "subscriptions/listen", json!({"notifications": filter}));
    headers.push(("authorization", format!("Bearer {token}")));
    staff.send_request("POST", "/staff", &headers, Some(message.to_string().as_bytes()));
    assert_eq!(staff.read_head().status, 200);
    assert_eq!(next_notifications(&mut staff, 1), ["subscriptions/acknowledged"]);
    for closed in [true, false] {
        gate(closed);
        assert_eq!(next_notifications(&mut staff, 1), ["tools/list_changed"], "{closed}");
    }
    // The other client has not been notified yet.
    declare(&dir, "public", "", "one");
    assert_eq!(next_notifications(&mut outer, 1), ["tools/list_changed"]);
    assert_eq!(next_notifications(&mut staff, 1), ["tools/list_changed"]);
    declare(&dir, "gated", "mcp.groups: [staff], ", "two");
    assert_eq!(next_notifications(&mut staff, 1), ["tools/list_changed"]);
    declare(&dir, "public", "", "two");
    assert_eq!(next_notifications(&mut outer, 1), ["tools/list_changed"]);
}
