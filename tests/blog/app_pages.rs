//! Proposals in the window of an agent (MCP Apps): the page, what it is sent, and the token with which it decides.

use serde_json::{Value, json};
use wardroom_test_support::{ClientRevision, StdioClient, wardroom_command};

use super::decisions::decisions;
use super::test_blog::{TestBlog, TestPost, id};

const POST: &str = "posts/2024/03/post-1.md";

fn blog_with_post() -> TestBlog {
    let blog = TestBlog::new();
    blog.post(&TestPost { n: 1, title: "Old", fields: "status: published\n", body: "Text" });
    blog
}

/// A client with the pages of MCP Apps, and without questions to its user.
struct AppClient(StdioClient);

impl AppClient {
    fn start(blog: &TestBlog, revision: ClientRevision) -> Self {
        Self::start_with(blog, revision, &json!(["text/html;profile=mcp-app"]), &[])
    }

    fn start_with(blog: &TestBlog, revision: ClientRevision, types: &Value, args: &[&str]) -> Self {
        let mut command = wardroom_command(blog.dir.root());
        command.args(["--service", "blog"]).args(args).arg("--appdir").arg(blog.dir.app_path());
        let capabilities = json!({"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": types}}});
        let mut client = StdioClient::spawn(command, revision).declaring(capabilities);
        if revision == ClientRevision::Legacy {
            client.initialize();
        }
        Self(client)
    }

    #[expect(clippy::needless_pass_by_value, reason = "calls read better")]
    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments, "_meta": {"wardroom/fresh": true}});
        self.0.call("tools/call", params)["result"].clone()
    }

    /// Proposes a title, and returns the whole answer.
    fn propose(&mut self, title: &str) -> Value {
        self.call("propose_post_metadata", json!({"postId": id(1), "title": title}))
    }

    fn accept(&mut self, proposal: &Value, token: &Value) -> Value {
        self.call("accept_proposal", json!({"proposalId": proposal, "reviewToken": token}))
    }
}

fn review(answer: &Value) -> &Value {
    &answer["_meta"]["wardroom/review"]
}

fn message(answer: &Value) -> &str {
    answer["structuredContent"]["error"]["message"].as_str().unwrap_or_else(|| panic!("{answer:#}"))
}

fn text(blog: &TestBlog) -> String {
    std::fs::read_to_string(blog.path().join(POST)).unwrap()
}

#[test]
fn page_accepts_what_it_showed() {
    let blog = blog_with_post();
    for revision in ClientRevision::ALL {
        let mut client = AppClient::start(&blog, revision);
        let title = format!("New {revision:?}");
        let made = client.propose(&title);
        let (shown, proposal) = (review(&made), &made["structuredContent"]["proposalId"]);
        assert_eq!((&shown["id"], &shown["status"]), (proposal, &json!("pending")), "{made:#}");
        assert_eq!(shown["fields"][0]["proposed"], title.as_str());
        let lines: Vec<&Value> = shown["hunks"][0].as_array().unwrap().iter().collect();
        assert!(lines.iter().any(|line| line["kind"] == "added"), "{shown:#}");
        // What the model reads has no token.
        let token = shown["token"].as_str().unwrap();
        for read in ["content", "structuredContent"] {
            assert!(!made[read].to_string().contains(token), "{made:#}");
        }
        let accepted = client.accept(proposal, &shown["token"]);
        assert_eq!(accepted["structuredContent"]["status"], "accepted", "{accepted:#}");
        assert!(text(&blog).contains(&format!("title: {title}\n")));
        let decided = client.call("get_proposal", json!({"proposalId": proposal}));
        assert_eq!(decided["structuredContent"]["decided_by"], "operator (app)");
        assert_eq!((&review(&decided)["status"], &review(&decided)["token"]), (&json!("accepted"), &Value::Null));
        // The same token again decides nothing.
        assert_eq!(client.accept(proposal, &json!(token))["structuredContent"]["alreadyAccepted"], true);
        let line = ["operator", "app", "proposal_accepted", proposal.as_str().unwrap()].map(str::to_owned);
        assert_eq!(decisions(&blog).last(), Some(&line));
    }
    assert_eq!(decisions(&blog).len(), ClientRevision::ALL.len());
}

#[test]
fn token_is_for_one_proposal_as_it_was_shown() {
    let blog = blog_with_post();
    let mut client = AppClient::start(&blog, ClientRevision::Legacy);
    let (one, other) = (client.propose("One"), client.propose("Other"));
    let proposal = &one["structuredContent"]["proposalId"];
    for token in [json!(""), json!("00"), json!("é".repeat(32)), review(&other)["token"].clone()] {
        let refused = client.accept(proposal, &token);
        assert!(message(&refused).contains("show it again"), "{token}: {refused:#}");
        let refused = client.call("discard_proposal", json!({"proposalId": proposal, "reviewToken": token}));
        assert!(message(&refused).contains("show it again"), "{token}: {refused:#}");
    }
    // One that discards accepts nothing, and the other way round.
    let (accepts, discards) = (&review(&one)["token"], &review(&one)["discardToken"]);
    assert!(message(&client.accept(proposal, discards)).contains("show it again"));
    let refused = client.call("discard_proposal", json!({"proposalId": proposal, "reviewToken": accepts}));
    assert!(message(&refused).contains("show it again"), "{refused:#}");
    // The file is another one than the page showed.
    blog.post(&TestPost { n: 1, title: "Old", fields: "status: published\n", body: "Another text" });
    let refused = client.accept(proposal, &review(&one)["token"]);
    assert!(message(&refused).contains("changed since"), "{refused:#}");
    assert!(text(&blog).contains("title: Old\n"));
    let merged = client.call("get_proposal", json!({"proposalId": proposal}));
    assert_eq!(review(&merged)["canMerge"], true, "{merged:#}");
    let stale = json!({"proposalId": proposal, "merge": true, "reviewToken": review(&one)["token"]});
    assert!(message(&client.call("accept_proposal", stale)).contains("show it again"));
    let accept = json!({"proposalId": proposal, "merge": true, "reviewToken": review(&merged)["token"]});
    assert_eq!(client.call("accept_proposal", accept)["isError"], false);
    assert!(text(&blog).contains("title: One\n") && text(&blog).ends_with("Another text\n"));
}

#[test]
fn other_clients_get_no_token() {
    let blog = blog_with_post();
    let mut plain = StdioClient::start_with(&blog.dir, ClientRevision::Legacy, &["--service", "blog"]);
    let propose = json!({"name": "propose_post_metadata", "arguments": {"postId": id(1), "title": "Plain"}});
    let answer = plain.call("tools/call", propose);
    assert_eq!(answer["result"]["isError"], false, "{answer:#}");
    assert!(review(&answer["result"]).is_null(), "{answer:#}");
    for types in [json!(["text/html"]), json!([]), json!("text/html;profile=mcp-app")] {
        let mut client = AppClient::start_with(&blog, ClientRevision::Modern, &types, &[]);
        assert!(review(&client.propose(&format!("Types {types}"))).is_null());
    }
    // In strict mode the page shows what is proposed, and where a person decides.
    let strict = blog.dir.write_file("config.toml", "[blog]\naccept = \"human-strict\"\n").display().to_string();
    let types = json!(["text/html;profile=mcp-app"]);
    let mut client = AppClient::start_with(&blog, ClientRevision::Legacy, &types, &["--config", &strict]);
    let made = client.propose("Strict");
    let shown = review(&made);
    assert!(shown["token"].is_null() && shown["note"].as_str().unwrap().contains("wardroom review"), "{made:#}");
    let mut human = AppClient::start(&blog, ClientRevision::Legacy);
    let proposal = &made["structuredContent"]["proposalId"];
    let token = review(&human.call("get_proposal", json!({"proposalId": proposal})))["token"].clone();
    assert!(token.is_string());
    // A token of another server with the same key counts for nothing there.
    assert!(message(&client.accept(proposal, &token)).contains("a person decides on this"));
    assert!(text(&blog).contains("title: Old\n"));
}

#[test]
fn page_shows_all_that_it_accepts() {
    let blog = blog_with_post();
    let mut client = AppClient::start(&blog, ClientRevision::Legacy);
    let hidden = client.call("draft_post", json!({"title": "Marks", "content": "if admin\u{202e} -- }\u{200b}"}));
    let shown = review(&hidden).to_string();
    assert!(shown.contains("⟨U+202E⟩") && shown.contains("⟨U+200B⟩") && !shown.contains('\u{202e}'), "{shown}");
    // Too long to be shown: nothing is sent that accepts it.
    for content in ["word ".repeat(60_000), "\n".repeat(6_000) + "end"] {
        let long = client.call("draft_post", json!({"title": "Long", "content": content}));
        let shown = review(&long);
        assert!(shown["token"].is_null() && shown["hunks"] == json!([]), "{shown}");
        assert!(shown["note"].as_str().unwrap().contains("too long"), "{shown}");
        let discard = json!({"proposalId": shown["id"], "reviewToken": shown["discardToken"]});
        assert_eq!(client.call("discard_proposal", discard)["structuredContent"]["status"], "discarded");
    }
    let script = json!({"title": "Macro", "kind": "macro", "content": "return 1"});
    let shown = client.call("propose_script", script);
    let lines = review(&shown)["hunks"].to_string();
    assert!(lines.contains("return 1") && review(&shown)["token"].is_string(), "{shown:#}");
}

#[test]
fn pages_are_resources_that_their_tools_name() {
    let blog = blog_with_post();
    let mut client = AppClient::start(&blog, ClientRevision::Legacy);
    let listed = client.0.call("resources/list", json!({}))["result"]["resources"].clone();
    let listed: Vec<&Value> = listed.as_array().unwrap().iter().collect();
    let tools = client.0.call("tools/list", json!({}))["result"]["tools"].clone();
    for (tool, page) in [
        ("draft_post", "post"),
        ("propose_post_edit", "post"),
        ("propose_post_translation", "post"),
        ("get_proposal", "post"),
        ("propose_script", "script"),
        ("propose_template", "template"),
        ("propose_post_metadata", "metadata"),
        ("propose_media_metadata", "metadata"),
        ("upsert_media_translation", "metadata"),
    ] {
        let uri = format!("ui://bds/review-{page}");
        let entry = tools.as_array().unwrap().iter().find(|entry| entry["name"] == tool).unwrap();
        assert_eq!(entry["_meta"], json!({"ui": {"resourceUri": uri}, "ui/resourceUri": uri}));
        assert!(listed.iter().any(|entry| entry["uri"] == uri.as_str()), "{listed:#?}");
        let content = client.0.read_resource(&uri).unwrap();
        assert_eq!(content["mimeType"], "text/html;profile=mcp-app");
        assert_eq!(content["_meta"]["ui"]["csp"], json!({"connectDomains": [], "resourceDomains": []}), "{content:#}");
        let html = content["text"].as_str().unwrap();
        assert!(html.contains("default-src 'none'; script-src 'sha256-") && !html.contains("https://"), "{html}");
    }
    assert!(client.0.read_resource("ui://bds/review-none").is_err());
}

/// Writes a person's draft of the post.
fn write_draft(blog: &TestBlog, title: &str, body: &str) {
    let text = format!("---\nid: {}\nslug: post-1\ntitle: {title}\nstatus: draft\n---\n{body}\n", id(1));
    blog.write(&format!(".wardroom/drafts/{}.md", id(1)), text);
}

#[test]
fn whole_draft_of_a_person_is_shown_before_it_is_published() {
    let blog = blog_with_post();
    write_draft(&blog, "Draft", "The first words.");
    let mut client = AppClient::start(&blog, ClientRevision::Legacy);
    let made = client.call("propose_post_metadata", json!({"postId": id(1), "status": "publish"}));
    let proposal = &made["structuredContent"]["proposalId"];
    let shown = review(&made)["hunks"].to_string();
    assert!(shown.contains("The first words.") && shown.contains("Text"), "{shown}");
    // The person goes on writing: both go together, and all of it is shown.
    write_draft(&blog, "Draft", "The first words.\n\nA private note.");
    let merge = client.call("get_proposal", json!({"proposalId": proposal}));
    let shown = review(&merge);
    assert_eq!(shown["canMerge"], true, "{merge:#}");
    assert!(shown["hunks"].to_string().contains("A private note."), "{shown:#}");
    assert!(shown["hunks"].to_string().contains("publishedAt"), "{shown:#}");
    let listed = blog.run(&["proposals", "show", proposal.as_str().unwrap()]).expect_success();
    assert!(listed.contains("+A private note."), "{listed}");
}

#[test]
fn conflict_can_be_discarded_and_a_decision_shows_what_was_written() {
    let blog = blog_with_post();
    let mut client = AppClient::start(&blog, ClientRevision::Legacy);
    let made = client.propose("New");
    let proposal = &made["structuredContent"]["proposalId"];
    blog.post(&TestPost { n: 1, title: "Another", fields: "status: published\n", body: "Text" });
    let conflict = client.call("get_proposal", json!({"proposalId": proposal}));
    let shown = review(&conflict);
    assert!(shown["token"].is_null() && shown["conflict"].as_str().unwrap().contains("title"), "{shown:#}");
    let discard = json!({"proposalId": proposal, "reviewToken": shown["discardToken"]});
    assert_eq!(client.call("discard_proposal", discard)["structuredContent"]["status"], "discarded");
    let gone = client.propose("Gone");
    blog.remove(POST);
    let gone = client.call("get_proposal", json!({"proposalId": gone["structuredContent"]["proposalId"]}));
    assert_eq!((&review(&gone)["hunks"], &review(&gone)["fields"]), (&json!([]), &json!([])), "{gone:#}");
    assert!(review(&gone)["conflict"].as_str().unwrap().contains("does not exist any more"), "{gone:#}");
    // A person edits the draft before accepting it.
    let draft = client.call("draft_post", json!({"title": "Draft", "content": "Words of an agent."}));
    let id = draft["structuredContent"]["post"]["id"].as_str().unwrap().to_owned();
    let path = blog.path().join(format!(".wardroom/drafts/{id}.md"));
    let edited = std::fs::read_to_string(&path).unwrap().replace("an agent", "a person");
    std::fs::write(&path, edited).unwrap();
    let proposal = &draft["structuredContent"]["proposalId"];
    let shown = client.call("get_proposal", json!({"proposalId": proposal}));
    client.accept(proposal, &review(&shown)["token"]);
    let decided = client.call("get_proposal", json!({"proposalId": proposal}));
    assert!(review(&decided)["hunks"].to_string().contains("Words of a person."), "{decided:#}");
}

#[test]
fn edits_bring_no_control_characters() {
    let blog = blog_with_post();
    let mut client = AppClient::start(&blog, ClientRevision::Legacy);
    let edit = json!({"postId": id(1), "edits": [{"find": "Text", "replace": "Te\u{1b}[2Jxt"}]});
    let diff = json!({"postId": id(1), "diff": "--- a\n+++ b\n@@ -1 +1 @@\n-Text\n+Te\u{0}xt\n"});
    for arguments in [edit, diff] {
        let refused = client.call("propose_post_edit", arguments);
        assert!(message(&refused).contains("expected no control characters"), "{refused:#}");
    }
}
