//! Whose proposal it is, and for how long: users of the system over stdio, bearers of tokens over HTTP.

use serde_json::{Value, json};
use wardroom_test_support::{HttpServer, serve_command};

use super::decisions::{decisions, propose, run};
use super::test_blog::{TestBlog, TestPost, id};

fn blog() -> TestBlog {
    let blog = TestBlog::new();
    blog.post(&TestPost { n: 1, title: "Old", fields: "status: published\n", body: "Text" });
    blog
}

/// Reads the file of a pending proposal, and writes it as `change` leaves it.
fn edit_file(blog: &TestBlog, proposal: &str, change: impl FnOnce(&mut Value)) {
    let name = format!(".wardroom/proposals/{proposal}.json");
    let mut stored: Value = serde_json::from_slice(&std::fs::read(blog.path().join(&name)).unwrap()).unwrap();
    change(&mut stored);
    blog.write(&name, stored.to_string());
}

#[test]
fn user_of_the_system_takes_back_what_is_theirs() {
    let blog = blog();
    let mut client = blog.client();
    let proposal = propose(&mut client, "New");
    let discard = json!({"proposalId": proposal});
    let me = rustix::process::getuid().as_raw();
    edit_file(&blog, &proposal, |stored| {
        assert_eq!(stored["proposer"]["user"], me);
        stored["proposer"]["user"] = json!(me + 1);
    });
    // Another user of the machine shares the folder, and every server over stdio has an operator.
    let refused = client.refusal("discard_proposal", discard.clone(), "HUMAN_DECIDES");
    assert!(refused.contains("is another caller's"), "{refused}");
    assert_eq!(client.call("get_proposal", discard.clone())["status"], "pending");
    edit_file(&blog, &proposal, |stored| stored["proposer"]["user"] = json!(me));
    assert_eq!(client.call("discard_proposal", discard)["status"], "discarded");
    // The command line is another way of the same user.
    let proposal = propose(&mut client, "Other");
    blog.run(&["call", "discard_proposal", &json!({"proposalId": proposal}).to_string()]).expect_success();
    assert_eq!(decisions(&blog).len(), 2);
}

/// A server over HTTP with a token for each name, which are returned.
fn server_with_tokens(blog: &TestBlog, settings: &str, names: &[&str]) -> (HttpServer, Vec<String>) {
    let config = blog.dir.write_file("config.toml", settings).display().to_string();
    let token = |name: &&str| {
        let made = blog.run(&["token", "new", name, "--config", &config]).expect_success();
        made.trim_end().to_owned()
    };
    let tokens = names.iter().map(token).collect();
    let settings = std::fs::read_to_string(&config).unwrap();
    (HttpServer::spawn(serve_command(&blog.dir, &settings, &["--http", "127.0.0.1:0", "--service", "blog"])), tokens)
}

/// Calls a tool as the bearer of a token, and returns its result.
fn call(server: &HttpServer, token: &str, tool: &str, arguments: &Value) -> Value {
    let params = json!({"name": tool, "arguments": arguments, "_meta": {"wardroom/fresh": true}});
    let reply = server.connect().with_token(token).call("tools/call", params);
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.json()["result"]["structuredContent"].clone()
}

#[test]
fn bearer_takes_back_what_is_theirs_alone() {
    let blog = blog();
    let (server, tokens) = server_with_tokens(&blog, "", &["alice", "bob"]);
    let made = call(&server, &tokens[0], "propose_post_metadata", &json!({"postId": id(1), "title": "New"}));
    let discard = json!({"proposalId": made["proposalId"]});
    let refused = call(&server, &tokens[1], "discard_proposal", &discard);
    assert_eq!(refused["error"]["code"], "HUMAN_DECIDES", "{refused:#}");
    assert!(refused["error"]["message"].as_str().unwrap().contains("is another caller's"), "{refused:#}");
    // The operator is a third principal.
    let refused = blog.client().refusal("discard_proposal", discard.clone(), "HUMAN_DECIDES");
    assert!(refused.contains("is another caller's"), "{refused}");
    assert_eq!(call(&server, &tokens[1], "get_proposal", &discard)["status"], "pending");
    assert_eq!(call(&server, &tokens[0], "discard_proposal", &discard)["status"], "discarded");
    assert_eq!(decisions(&blog)[0][..3], ["token alice", "http", "proposal_discarded"].map(str::to_owned));
}

/// Calls a tool as a client with the pages of MCP Apps, and returns the whole result.
fn call_with_pages(server: &HttpServer, token: &str, tool: &str, arguments: &Value) -> Value {
    let capabilities =
        json!({"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}});
    let meta = json!({"wardroom/fresh": true, "io.modelcontextprotocol/clientCapabilities": capabilities});
    let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
    server.connect().with_token(token).call("tools/call", params).json()["result"].clone()
}

#[test]
fn review_token_is_for_the_bearer_to_whom_it_was_sent() {
    let blog = blog();
    let (server, tokens) = server_with_tokens(&blog, "", &["alice", "bob"]);
    let change = json!({"postId": id(1), "title": "New"});
    let made = call_with_pages(&server, &tokens[0], "propose_post_metadata", &change);
    let proposal = &made["structuredContent"]["proposalId"];
    let review_token = |result: &Value| result["_meta"]["wardroom/review"]["token"].clone();
    let of_alice = review_token(&made);
    assert!(of_alice.is_string(), "{made:#}");
    let accept = |token: &Value| json!({"proposalId": proposal, "reviewToken": token});
    // Bob saw it, too, with a token of his own.
    let of_bob = review_token(&call_with_pages(&server, &tokens[1], "get_proposal", &json!({"proposalId": proposal})));
    assert_ne!(of_alice, of_bob);
    for (bearer, token) in [(&tokens[1], &of_alice), (&tokens[0], &of_bob)] {
        let refused = call_with_pages(&server, bearer, "accept_proposal", &accept(token));
        let message = refused["structuredContent"]["error"]["message"].as_str().unwrap();
        assert!(message.contains("show it again"), "{refused:#}");
    }
    let mut stdio = blog.client();
    let refused = stdio.call_error("accept_proposal", accept(&of_alice));
    assert!(refused.contains("show it again") || refused.contains("a person decides"), "{refused}");
    assert_eq!(stdio.call("get_proposal", json!({"proposalId": proposal}))["status"], "pending");
    let accepted = call_with_pages(&server, &tokens[1], "accept_proposal", &accept(&of_bob));
    assert_eq!(accepted["structuredContent"]["status"], "accepted", "{accepted:#}");
    assert_eq!(decisions(&blog)[0][..3], ["token bob", "app", "proposal_accepted"].map(str::to_owned));
}

/// Returns how long a proposal is pending, in seconds.
fn lifetime(blog: &TestBlog, proposal: &Value) -> i64 {
    let name = format!(".wardroom/proposals/{}.json", proposal.as_str().unwrap());
    let stored: Value = serde_json::from_slice(&std::fs::read(blog.path().join(name)).unwrap()).unwrap();
    (stored["expires_at"].as_i64().unwrap() - stored["created_at"].as_i64().unwrap()) / 1_000
}

#[test]
fn proposal_over_http_lasts_as_long_as_the_configuration_says() {
    let blog = blog();
    let change = json!({"postId": id(1), "title": "New"});
    let mut client = blog.client();
    let over_stdio = client.call("propose_post_metadata", change.clone());
    assert_eq!(lifetime(&blog, &over_stdio["proposalId"]), 8 * 60 * 60);
    for (settings, seconds) in [("", 30 * 60), ("[blog]\nproposal_ttl_app = 2\nproposal_ttl_cli = 7\n", 2 * 60)] {
        let (server, tokens) = server_with_tokens(&blog, settings, &["agent"]);
        let made = call(&server, &tokens[0], "propose_post_metadata", &change);
        assert_eq!(lifetime(&blog, &made["proposalId"]), seconds, "{settings}");
    }
    let (server, tokens) = server_with_tokens(&blog, "[blog]\nproposal_ttl_app = 0\naccept = \"agent\"\n", &["agent"]);
    let made = call(&server, &tokens[0], "propose_post_metadata", &change);
    let proposal = json!({"proposalId": made["proposalId"]});
    assert_eq!(call(&server, &tokens[0], "get_proposal", &proposal)["is_expired"], true);
    assert_eq!(call(&server, &tokens[0], "accept_proposal", &proposal)["error"]["code"], "EXPIRED");
    let refused = run(&blog, &["accept", made["proposalId"].as_str().unwrap(), "--digest", "00"]);
    assert!(refused.status == 1 && refused.stderr.contains("expired"), "{refused:?}");
}
