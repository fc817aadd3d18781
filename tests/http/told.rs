//! What listeners are told: of what their endpoint shows them, and of nothing else.

use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use wardroom_test_support::{HttpConnection, HttpServer, TestDir, modern_request};

/// Two endpoints without tokens, one of which has a scope.
const ENDPOINTS: &str = "[http.endpoints.outer]\npath = \"/outer\"\nservices = [\"registry\"]\n\
    [http.endpoints.inner]\npath = \"/inner\"\nscope = \"inner\"\nservices = [\"registry\"]\n";

/// A resource, a tool and a prompt of one scope, in a folder of their own.
fn declare(dir: &TestDir, name: &str, meta: &str, said: &str) {
    dir.write_file(&format!("registry/{name}/body.txt"), said);
    dir.write_file(&format!("registry/{name}/run.lua"), "return { call = function() return 1 end }\n");
    let entry = |kind: &str, more: &str| {
        format!("  - name: {kind}\n    kind: function.lua\n    meta: {{ mcp.description: {said}, {meta}{more} }}\n")
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

/// A server that starts when nothing has changed for a while: whoever listens is told of what changed just before.
fn serve(dir: &TestDir, config: &str) -> HttpServer {
    std::thread::sleep(Duration::from_millis(200));
    HttpServer::start_with(dir, config, &[])
}

fn listen(server: &HttpServer, path: &str, wanted: &Value) -> HttpConnection<TcpStream> {
    let mut connection = server.connect();
    let (headers, message) = modern_request(1, "subscriptions/listen", json!({"notifications": wanted}));
    connection.send_request("POST", path, &headers, Some(message.to_string().as_bytes()));
    assert_eq!(connection.read_head().status, 200);
    let acknowledged = connection.read_event().unwrap();
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged", "{acknowledged}");
    connection
}

/// The next ones that are told, in whatever order they come.
fn told(connection: &mut HttpConnection<TcpStream>, count: usize) -> Vec<String> {
    let mut told: Vec<_> = (0..count)
        .map(|_| {
            connection.read_event().unwrap()["method"].as_str().unwrap().trim_start_matches("notifications/").to_owned()
        })
        .collect();
    told.sort();
    told
}

const LISTS: [&str; 3] = ["prompts/list_changed", "resources/list_changed", "tools/list_changed"];

#[test]
fn lists_change_for_those_only_who_see_what_did() {
    let dir = TestDir::new();
    declare(&dir, "secret", "mcp.scope: inner, ", "one");
    declare(&dir, "public", "", "one");
    let server = serve(&dir, ENDPOINTS);
    let wanted = json!({"toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true});
    let (mut inner, mut outer) = (listen(&server, "/inner", &wanted), listen(&server, "/outer", &wanted));
    declare(&dir, "secret", "mcp.scope: inner, ", "two");
    assert_eq!(told(&mut inner, 3), LISTS);
    // Had it been told of that, it would hear of a list twice.
    dir.write_file(
        "registry/more/_index.yaml",
        "version: \"1.0\"\nnamespace: more\nentries:\n  - name: p\n    kind: function.lua\n    \
        meta: { mcp.prompt: true, mcp.prompt.name: p, mcp.prompt.messages: [{ content: x }] }\n",
    );
    assert_eq!(told(&mut inner, 1), ["prompts/list_changed"]);
    assert_eq!(told(&mut outer, 1), ["prompts/list_changed"]);
    // What comes into view, or leaves it, changes a list.
    declare(&dir, "secret", "", "two");
    assert_eq!(told(&mut outer, 3), LISTS);
}

/// Of a resource that another endpoint does not have.
#[test]
fn a_resource_is_told_of_where_it_can_be_seen() {
    let dir = TestDir::new();
    declare(&dir, "secret", "mcp.scope: inner, ", "one");
    declare(&dir, "public", "", "one");
    let server = serve(&dir, ENDPOINTS);
    let wanted = json!({"resourceSubscriptions": ["test://secret", "test://public"]});
    let (mut inner, mut outer) = (listen(&server, "/inner", &wanted), listen(&server, "/outer", &wanted));
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

#[test]
fn the_switch_that_hides_what_has_groups_changes_the_lists_of_who_saw_it() {
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
    let wanted = json!({"toolsListChanged": true});
    let mut outer = listen(&server, "/outer", &wanted);
    let mut staff = server.connect();
    let (mut headers, message) = modern_request(1, "subscriptions/listen", json!({"notifications": wanted}));
    headers.push(("authorization", format!("Bearer {token}")));
    staff.send_request("POST", "/staff", &headers, Some(message.to_string().as_bytes()));
    assert_eq!(staff.read_head().status, 200);
    assert_eq!(told(&mut staff, 1), ["subscriptions/acknowledged"]);
    for closed in [true, false] {
        gate(closed);
        assert_eq!(told(&mut staff, 1), ["tools/list_changed"], "{closed}");
    }
    // To the other one nothing has happened yet.
    declare(&dir, "public", "", "one");
    assert_eq!(told(&mut outer, 1), ["tools/list_changed"]);
    assert_eq!(told(&mut staff, 1), ["tools/list_changed"]);
    declare(&dir, "gated", "mcp.groups: [staff], ", "two");
    assert_eq!(told(&mut staff, 1), ["tools/list_changed"]);
    declare(&dir, "public", "", "two");
    assert_eq!(told(&mut outer, 1), ["tools/list_changed"]);
}
