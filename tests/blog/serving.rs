//! The blog over HTTP, beside other services, and read-only.

use serde_json::{Value, json};
use wardroom_test_support::{HttpServer, run_command, run_wardroom, serve_command};

use super::test_blog::{TestBlog, TestPost};

#[test]
fn blog_alone_is_stateless_over_http() {
    let blog = TestBlog::new();
    blog.post(&TestPost { n: 1, title: "One", fields: "", body: "" });
    let server = HttpServer::start_with(&blog.dir, "", &["--service", "blog"]);
    let mut connection = server.connect();
    let params =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let mut ask = |method: &str, params: Value| {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let reply = connection.post("/mcp", &[("mcp-protocol-version", "2025-11-25".to_owned())], &message);
        assert_eq!((reply.status, reply.header("mcp-session-id")), (200, None), "{reply:?}");
        reply.json()["result"].clone()
    };
    assert_eq!(ask("initialize", params)["protocolVersion"], "2025-11-25");
    let read = ask("resources/read", json!({"uri": "bds://posts/post-1"}));
    assert!(read["contents"][0]["text"].as_str().unwrap().contains("One"), "{read:#}");
}

#[test]
fn blog_is_not_offered_to_other_machines() {
    let blog = TestBlog::new();
    let app = blog.dir.app_path().display().to_string();
    let config = blog.dir.write_file("config.toml", "[http.tokens]\n");
    let config = config.display().to_string();
    run_wardroom(blog.dir.root(), &["token", "new", "team", "--config", &config, "--appdir", &app]).expect_success();
    let refused =
        run_wardroom(blog.dir.root(), &["serve", "--http", "0.0.0.0:0", "--config", &config, "--appdir", &app]);
    assert_eq!(refused.status, 1);
    assert!(
        refused.stderr.contains("other machines can reach that address, and this server offers the blog"),
        "{refused:?}"
    );
}

#[test]
fn blog_is_offered_to_other_machines_with_a_token_alone() {
    let blog = TestBlog::new();
    blog.post(&TestPost { n: 1, title: "One", fields: "", body: "" });
    let remote = "[blog]\nremote = true\n";
    let args = ["--service", "blog", "--http", "0.0.0.0:0"];
    let refused = run_command(&mut serve_command(&blog.dir, remote, &args));
    assert_eq!(refused.status, 1, "{refused:?}");
    assert!(refused.stderr.contains("the endpoint /mcp requires no token"), "{refused:?}");
    // With a token, and without the grant.
    let config = blog.dir.write_file("config.toml", remote).display().to_string();
    let app = blog.dir.app_path().display().to_string();
    let token = run_wardroom(blog.dir.root(), &["token", "new", "team", "--config", &config, "--appdir", &app]);
    let token = token.expect_success().trim_end().to_owned();
    let granted = std::fs::read_to_string(&config).unwrap();
    let refused = run_command(&mut serve_command(&blog.dir, &granted.replace("remote = true", ""), &args));
    assert_eq!(refused.status, 1, "{refused:?}");
    assert!(refused.stderr.contains("set `[blog] remote = true`"), "{refused:?}");
    let mut server = HttpServer::spawn(serve_command(&blog.dir, &granted, &args));
    server.address.set_ip([127, 0, 0, 1].into());
    let uri = json!({"uri": "bds://posts/post-1", "_meta": {"wardroom/fresh": true}});
    assert_eq!(server.call("resources/read", uri.clone()).status, 401);
    let reply = server.connect().with_token(&token).call("resources/read", uri);
    assert_eq!(reply.status, 200, "{reply:?}");
    let read = reply.json();
    assert!(read["result"]["contents"][0]["text"].as_str().unwrap().contains("\"title\":\"One\""), "{read:#}");
}

#[test]
fn read_only_server_uses_the_index_that_exists() {
    let blog = TestBlog::new();
    blog.post(&TestPost { n: 1, title: "One", fields: "", body: "" });
    let mut client = blog.client_with(&["--read-only"]);
    let answer = client.0.0.call("resources/read", json!({"uri": "bds://posts"}));
    assert!(answer["error"]["message"].as_str().unwrap().contains("run `wardroom blog index` once"), "{answer:#}");
    drop(client);
    blog.run(&["blog", "index"]).expect_success();
    let mut client = blog.client_with(&["--read-only"]);
    assert_eq!(client.read("bds://posts")["total"], 1);
}

#[test]
fn blog_elsewhere_is_granted_and_left_alone() {
    let blog = TestBlog::new();
    let elsewhere = blog.dir.root().join("site");
    std::fs::create_dir_all(elsewhere.join("posts/2024/03")).unwrap();
    let text = TestPost { n: 5, title: "There", fields: "", body: "Far away." }.text();
    std::fs::write(elsewhere.join("posts/2024/03/post-5.md"), text).unwrap();
    let mut client = blog.client_with(&["--blog", &elsewhere.display().to_string()]);
    assert_eq!(client.find(json!({"query": "far"})), ["post-5"]);
    let left: Vec<_> = std::fs::read_dir(&elsewhere).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["posts"]);
}

#[test]
fn blog_beside_other_services_has_its_tools() {
    let blog = TestBlog::new();
    blog.post(&TestPost { n: 1, title: "One", fields: "", body: "" });
    let answer = blog.run(&["call", "read_post_by_slug", "{\"slug\": \"post-1\"}"]).expect_success();
    assert!(answer.contains("\"title\": \"One\""), "{answer}");
    assert!(blog.run(&["ls", "bds"]).expect_success().contains("bds://posts"));
}
