//! Decisions at the command line, by a person behind a client, and by many processes at once, some of which are killed.

use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use wardroom_test_support::{ClientRevision, CommandOutput, StdioClient, TestDir, eventually, wardroom_command};

use super::random::Random;
use super::test_blog::{BlogClient, TestBlog, TestPost, id, run_on};

const POST: &str = "posts/2024/03/post-1.md";

/// A blog with one post, and a client that proposes another title for it.
fn blog_with_proposal() -> (TestBlog, BlogClient, String) {
    let blog = TestBlog::new();
    blog.post(&TestPost { n: 1, title: "Old", fields: "status: published\n", body: "Text" });
    let mut client = blog.client();
    let proposal = propose(&mut client, "New");
    (blog, client, proposal)
}

pub(crate) fn propose(client: &mut BlogClient, title: &str) -> String {
    let made = client.call("propose_post_metadata", json!({"postId": id(1), "title": title}));
    made["proposalId"].as_str().unwrap().to_owned()
}

pub(crate) fn post(blog: &TestBlog) -> String {
    std::fs::read_to_string(blog.path().join(POST)).unwrap()
}

pub(crate) fn run(blog: &TestBlog, args: &[&str]) -> CommandOutput {
    blog.run(&[&["proposals"], args].concat())
}

pub(crate) fn shown(blog: &TestBlog, proposal: &str) -> Value {
    serde_json::from_str(&run(blog, &["show", proposal, "--json"]).expect_success()).unwrap()
}

pub(crate) fn digest(blog: &TestBlog, proposal: &str) -> String {
    shown(blog, proposal)["digest"].as_str().unwrap().to_owned()
}

/// Returns the lines of decisions in the audit trail.
fn decision_lines(blog: &TestBlog) -> Vec<Value> {
    let records: Value =
        serde_json::from_str(&blog.run(&["audit", "list", "--json", "--last", "10000"]).expect_success()).unwrap();
    let all = records.as_array().unwrap().iter().cloned();
    all.filter(|record| record["action"].as_str().unwrap().starts_with("proposal_")).collect()
}

/// Returns what the audit trail says of decisions: who, through what, the action, and the proposal.
pub(crate) fn decisions(blog: &TestBlog) -> Vec<[String; 4]> {
    let fields = |record: &Value| {
        ["who", "through", "action", "subject"].map(|field| record[field].as_str().unwrap().to_owned())
    };
    decision_lines(blog).iter().map(fields).collect()
}

/// The line of a decision of a person at the command line.
pub(crate) fn record(action: &str, proposal: &str) -> [String; 4] {
    ["operator", "command", action, proposal].map(str::to_owned)
}

#[test]
fn person_lists_shows_and_decides_at_the_command_line() {
    let (blog, mut client, proposal) = blog_with_proposal();
    let listed = run(&blog, &["list"]).expect_success();
    assert!(
        listed.starts_with(&proposal) && listed.contains("propose_post_metadata") && listed.contains("Old"),
        "{listed}"
    );
    let text = run(&blog, &["show", &proposal]).expect_success();
    assert!(text.contains("\n-title: Old\n+title: New\n") && !text.contains('\u{1b}'), "{text}");
    // There is no terminal.
    let refused = run(&blog, &["accept", &proposal]);
    assert!(refused.status == 1 && refused.stderr.contains("a person has to look at it"), "{refused:?}");
    let old = digest(&blog, &proposal);
    // What was shown is not what is there.
    blog.post(&TestPost { n: 1, title: "Old", fields: "status: published\n", body: "Other text" });
    let refused = run(&blog, &["accept", &proposal, "--digest", &old]);
    assert!(refused.status == 1 && refused.stderr.contains("not what was shown"), "{refused:?}");
    assert_eq!(shown(&blog, &proposal)["can_merge"], true);
    let accepted = run(&blog, &["accept", &proposal, "--digest", &digest(&blog, &proposal)]).expect_success();
    assert_eq!(accepted, format!("accepted {proposal}\n"));
    assert!(post(&blog).contains("title: New\n") && post(&blog).ends_with("Other text\n"));
    assert_eq!(client.call("get_proposal", json!({"proposalId": proposal}))["decided_by"], "operator (command)");
    let again = run(&blog, &["accept", &proposal, "--digest", &old]);
    assert!(again.status == 1 && again.stderr.contains("accepted"), "{again:?}");

    let other = propose(&mut client, "Another");
    let discarded = run(&blog, &["discard", &other, "--reason", "the old one is better", "--json"]).expect_success();
    let discarded: Value = serde_json::from_str(&discarded).unwrap();
    assert_eq!((&discarded["status"], &discarded["already"]), (&json!("discarded"), &json!(false)));
    assert_eq!(client.call("get_proposal", json!({"proposalId": other}))["reason"], "the old one is better");
    assert_eq!(decisions(&blog), [record("proposal_accepted", &proposal), record("proposal_discarded", &other)]);
    blog.run(&["audit", "verify"]).expect_success();
    let listed: Value =
        serde_json::from_str(&run(&blog, &["list", "--status", "accepted", "--json"]).expect_success()).unwrap();
    assert_eq!(listed[0]["id"], proposal.as_str());
    for (args, message) in [
        (&["show", "none"][..], "not found"),
        (&["discard", &proposal], "was accepted before"),
        (&["list", "--status", "lost"], "pending, accepted, discarded or expired"),
        (&["discard", &proposal, "--read-only"], "--read-only forbids"),
    ] {
        let refused = run(&blog, args);
        assert!(refused.status == 1 && refused.stderr.contains(message), "{args:?}: {refused:?}");
    }
}

#[test]
fn hidden_characters_are_named_at_the_command_line() {
    let (blog, mut client, _) = blog_with_proposal();
    let made = client.call("propose_post_edit", json!({"postId": id(1), "content": "Te\u{200b}xt \u{1bca0}\u{e0069}"}));
    let text = run(&blog, &["show", made["proposalId"].as_str().unwrap()]).expect_success();
    assert!(text.contains("+Te⟨U+200B⟩xt ⟨U+1BCA0⟩⟨U+E0069⟩\n"), "{text}");
}

/// A client that can ask its user.
struct AskingClient {
    client: StdioClient,
    revision: ClientRevision,
}

impl AskingClient {
    fn start(blog: &TestBlog, revision: ClientRevision, args: &[&str]) -> Self {
        let mut command = wardroom_command(blog.dir.root());
        command.args(["--service", "blog"]).args(args).arg("--appdir").arg(blog.dir.app_path());
        let mut client = StdioClient::spawn(command, revision);
        if revision == ClientRevision::Legacy {
            let params = json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {"elicitation": {}},
                "clientInfo": {"name": "test", "version": "1"},
            });
            client.call("initialize", params);
            client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        }
        Self { client, revision }
    }

    /// Calls a tool. `answer` gets the message that the user sees, and gives the user's answer.
    fn call(&mut self, tool: &str, arguments: &Value, answer: impl Fn(&str) -> Value) -> Value {
        let mut params = json!({"name": tool, "arguments": arguments, "_meta": {"wardroom/fresh": true}});
        if self.revision == ClientRevision::Modern {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({"elicitation": {}});
        }
        let mut id = 100;
        let mut send = |client: &mut StdioClient, params: &Value| {
            id += 1;
            client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}));
        };
        send(&mut self.client, &params);
        loop {
            let reply = self.client.receive();
            if reply["method"] == "elicitation/create" {
                let answer = answer(reply["params"]["message"].as_str().unwrap());
                self.client.send(&json!({"jsonrpc": "2.0", "id": reply["id"], "result": answer}));
                continue;
            }
            let result = &reply["result"];
            let Some(requests) = result["inputRequests"].as_object() else { return result.clone() };
            let answers = requests
                .iter()
                .map(|(key, request)| (key.clone(), answer(request["params"]["message"].as_str().unwrap())));
            params["inputResponses"] = Value::Object(answers.collect());
            params["requestState"] = result["requestState"].clone();
            send(&mut self.client, &params);
        }
    }
}

#[test]
fn person_behind_a_client_is_asked() {
    let blog = TestBlog::new();
    blog.post(&TestPost { n: 1, title: "Old", fields: "status: published\n", body: "Text" });
    let no_one = |_: &str| -> Value { panic!("nobody is asked") };
    for revision in [ClientRevision::Modern, ClientRevision::Legacy] {
        let mut client = AskingClient::start(&blog, revision, &[]);
        for (agrees, title) in [(false, "Never"), (true, "Agreed")] {
            let title = format!("{title} {revision:?}");
            let made = client.call("propose_post_metadata", &json!({"postId": id(1), "title": title}), no_one);
            let proposal = made["structuredContent"]["proposalId"].clone();
            let decided = client.call("accept_proposal", &json!({"proposalId": proposal}), |message| {
                assert!(message.contains(&format!("+title: {title}")), "{message}");
                json!({"action": "accept", "content": {"publish": agrees}})
            });
            assert_eq!(decided["isError"], !agrees, "{decided:#}");
            assert_eq!(post(&blog).contains(&format!("title: {title}\n")), agrees);
            if agrees {
                // Who decided, through what, when, and what was shown.
                let found = client.call("get_proposal", &json!({"proposalId": proposal}), no_one);
                let line = decision_lines(&blog).pop().unwrap();
                let expected = json!(["operator", "elicitation", "proposal_accepted", proposal, "ok"]);
                let fields = ["who", "through", "action", "subject", "outcome"].map(|field| line[field].clone());
                assert_eq!(json!(fields), expected);
                let (at, decided_at) = (&line["at"], &found["structuredContent"]["decided_at"]);
                assert!(at.is_string() && at.as_str() >= decided_at.as_str(), "{line:#}, {found:#}");
                assert_eq!(line["digest"].as_str().map(str::len), Some(64), "{line:#}");
            }
        }
    }
    // What was declined is not decided.
    assert_eq!(decisions(&blog).len(), 2);
    let strict = blog.dir.write_file("config.toml", "[blog]\naccept = \"human-strict\"\n").display().to_string();
    let mut client = AskingClient::start(&blog, ClientRevision::Modern, &["--config", &strict]);
    let made = client.call("propose_post_metadata", &json!({"postId": id(1), "title": "Strict"}), no_one);
    let proposal = &made["structuredContent"]["proposalId"];
    let refused = client.call("accept_proposal", &json!({"proposalId": proposal}), no_one);
    assert_eq!(refused["structuredContent"]["error"]["code"], "HUMAN_DECIDES", "{refused:#}");
}

/// Copies the files below a folder.
fn copy_files(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let (from, to) = (entry.as_ref().unwrap().path(), to.join(entry.unwrap().file_name()));
        if from.is_dir() {
            copy_files(&from, &to);
        } else {
            std::fs::copy(from, to).unwrap();
        }
    }
}

/// Copies the decisions of one blog to another as they were before a process carried one of them out.
fn copy_unfinished(from: &std::path::Path, to: &TestBlog, proposal: &str) {
    let name = format!(".wardroom/decided/{}/{proposal}.json", &proposal[..6]);
    let mut decided: Value = serde_json::from_slice(&std::fs::read(from.join(&name)).unwrap()).unwrap();
    assert_eq!(decided["is_carried_out"], true);
    decided["is_carried_out"] = false.into();
    to.write(&name, decided.to_string());
}

#[test]
fn accepting_again_carries_out_what_a_killed_process_decided() {
    let (blog, client, proposal) = blog_with_proposal();
    drop(client);
    let copy = blog.dir.root().join("copy");
    copy_files(&blog.path(), &copy);
    let seen = digest(&blog, &proposal);
    let accept = ["proposals", "accept", &proposal, "--digest", &seen];
    blog.run(&[&["--blog", &copy.display().to_string()], &accept[..]].concat()).expect_success();
    copy_unfinished(&copy, &blog, &proposal);
    let refused = blog.run(&accept);
    assert!(refused.status == 1 && refused.stderr.contains("it is accepted"), "{refused:?}");
    assert!(post(&blog).contains("title: New\n"));
}

#[test]
fn strict_server_decides_nothing_and_ends_no_decision() {
    let blog = TestBlog::new();
    blog.post(&TestPost { n: 1, title: "Old", fields: "status: published\n", body: "Text" });
    let strict = blog.dir.write_file("config.toml", "[blog]\naccept = \"human-strict\"\n").display().to_string();
    let mut client = blog.client_with(&["--config", &strict]);
    let (taken_back, accepted) = (propose(&mut client, "Taken back"), propose(&mut client, "Accepted"));
    let draft = client.call("draft_post", json!({"title": "Draft", "content": "Text"}));
    let discard = |id: &Value| json!({"proposalId": id, "reason": "a better one"});
    for id in [&json!(taken_back), &draft["proposalId"]] {
        assert_eq!(client.call("discard_proposal", discard(id))["status"], "discarded");
        assert_eq!(client.call("discard_proposal", discard(id))["status"], "discarded");
        let found = client.call("get_proposal", json!({"proposalId": id}));
        assert_eq!((&found["status"], &found["reason"]), (&json!("discarded"), &json!("a better one")));
        let refused = run(&blog, &["accept", id.as_str().unwrap(), "--digest", "00"]);
        assert!(refused.status == 1 && refused.stderr.contains("discarded"), "{refused:?}");
    }
    let ids = |client: &mut BlogClient, status: &str| -> Vec<String> {
        let listed = client.call("list_proposals", json!({"status": status}));
        listed["proposals"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&mut client, "pending"), [accepted.as_str()]);
    assert_eq!(std::fs::read_dir(blog.path().join(".wardroom/drafts")).unwrap().count(), 0);
    // A decision whose process was killed before it wrote the post: this server could write neither of both.
    let copy = blog.dir.root().join("copy");
    copy_files(&blog.path(), &copy);
    let at_copy = |args: &[&str]| blog.run(&[&["--blog", &copy.display().to_string(), "proposals"], args].concat());
    let shown: Value = serde_json::from_str(&at_copy(&["show", &accepted, "--json"]).expect_success()).unwrap();
    at_copy(&["accept", &accepted, "--digest", shown["digest"].as_str().unwrap()]).expect_success();
    copy_unfinished(&copy, &blog, &accepted);
    propose(&mut client, "Another one");
    assert!(post(&blog).contains("title: Old\n"));
    // A server that may decide ends it, and what was taken back.
    let mut human = blog.client();
    propose(&mut human, "One more");
    assert!(post(&blog).contains("title: Accepted\n"));
    eventually("what was taken back is decided", || ids(&mut human, "discarded").len() == 2);
}

pub(crate) fn start(blog: &TestBlog, args: &[&str]) -> Child {
    let mut command = wardroom_command(blog.dir.root());
    command.arg("proposals").args(args).arg("--appdir").arg(blog.dir.app_path());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Lets the time of a proposal be over after some milliseconds.
fn expire_in(blog: &TestBlog, proposal: &str, ms: u32) {
    let name = format!(".wardroom/proposals/{proposal}.json");
    let mut stored: Value = serde_json::from_slice(&std::fs::read(blog.path().join(&name)).unwrap()).unwrap();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
    stored["expires_at"] = (u64::try_from(now).unwrap() + u64::from(ms)).into();
    blog.write(&name, stored.to_string());
}

#[test]
fn one_of_many_processes_decides() {
    let (blog, mut client, _) = blog_with_proposal();
    let mut random = Random::new();
    for round in 0..8 {
        let proposal = propose(&mut client, &format!("Round {round}"));
        let digest = digest(&blog, &proposal);
        let before = decisions(&blog).len();
        let accept = ["accept", &proposal, "--digest", &digest];
        let discard = ["discard", &proposal];
        // In every second round its time is over while they try, and servers sweep what has expired.
        if round % 2 == 1 {
            expire_in(&blog, &proposal, random.below(400));
        }
        let running: Vec<Child> = (0..8).map(|at| start(&blog, if at % 2 == 0 { &accept } else { &discard })).collect();
        let servers: Vec<_> = std::thread::scope(|threads| {
            let starting: Vec<_> = (0..round % 2 * 3).map(|_| threads.spawn(|| blog.client())).collect();
            starting.into_iter().map(|server| server.join().unwrap()).collect()
        });
        for mut child in running {
            child.wait().unwrap();
        }
        let status = client.call("get_proposal", json!({"proposalId": proposal}))["status"].clone();
        drop(servers);
        let made: Vec<_> = decisions(&blog).split_off(before);
        let is_accepted = status == "accepted";
        let action = format!("proposal_{}", status.as_str().unwrap());
        let expected = if status == "expired" { vec![] } else { vec![record(&action, &proposal)] };
        assert_eq!(made, expected, "round {round}");
        assert!(round % 2 == 1 || status != "expired");
        assert_eq!(post(&blog).contains(&format!("title: Round {round}\n")), is_accepted, "{made:?}");
    }
    blog.run(&["audit", "verify"]).expect_success();
}

#[test]
fn server_records_a_decision_whose_process_was_killed_before_it_did() {
    let (blog, client, proposal) = blog_with_proposal();
    drop(client);
    // The decision of a process that died at once: nothing but its file is there.
    let (other, copy) = (TestDir::new(), blog.dir.root().join("copy"));
    copy_files(&blog.path(), &copy);
    std::fs::create_dir_all(other.app_path()).unwrap();
    let at_copy = |args: &[&str]| {
        let folder = copy.display().to_string();
        let args = [&["--blog", &folder, "proposals"], args].concat();
        run_on(&other.app_path(), other.root(), &args).expect_success()
    };
    let shown: Value = serde_json::from_str(&at_copy(&["show", &proposal, "--json"])).unwrap();
    at_copy(&["accept", &proposal, "--digest", shown["digest"].as_str().unwrap()]);
    copy_unfinished(&copy, &blog, &proposal);
    assert!(decisions(&blog).is_empty() && post(&blog).contains("title: Old\n"));
    // Servers end it in the background: no request comes.
    for _ in 0..2 {
        let _server = blog.client();
        eventually("the post is written", || post(&blog).contains("title: New\n"));
        eventually("the decision is ended", || {
            !blog.path().join(format!(".wardroom/proposals/{proposal}.json")).exists()
        });
        assert_eq!(decisions(&blog), [record("proposal_accepted", &proposal)]);
    }
    blog.run(&["audit", "verify"]).expect_success();
}

/// Subscribes to a proposal and to their list, lets something happen, and waits until both are said to have changed.
#[track_caller]
fn expect_both_change(client: &mut BlogClient, proposal: &str, happens: impl FnOnce()) {
    let uris = [format!("bds://proposals/{proposal}"), "bds://proposals".to_owned()];
    for uri in &uris {
        let id = client.0.0.send_request("resources/subscribe", json!({"uri": uri}));
        // That it was made may be noticed only now.
        while client.0.0.receive()["id"] != json!(id) {}
    }
    happens();
    let mut missing: Vec<&String> = uris.iter().collect();
    while !missing.is_empty() {
        let message = client.0.0.receive_within(Duration::from_secs(20)).expect("a notification");
        assert_eq!(message["method"], "notifications/resources/updated", "{message}");
        missing.retain(|uri| message["params"]["uri"] != json!(uri));
    }
    for uri in &uris {
        client.0.0.send_request("resources/unsubscribe", json!({"uri": uri}));
    }
    while client.0.0.receive_within(Duration::from_millis(500)).is_some() {}
}

#[test]
fn subscribers_learn_of_acceptance_and_of_the_end_of_time() {
    let (blog, mut client, proposal) = blog_with_proposal();
    let shown = digest(&blog, &proposal);
    expect_both_change(&mut client, &proposal, || {
        drop(run(&blog, &["accept", &proposal, "--digest", &shown]).expect_success());
    });
    let read = |client: &mut BlogClient, id: &str| client.read(&format!("bds://proposals/{id}"))["status"].clone();
    assert_eq!(read(&mut client, &proposal), "accepted");
    assert_eq!(client.read("bds://proposals")["items"], json!([]));
    // Its time is over while a server looks after the blog.
    let other = propose(&mut client, "Other");
    expect_both_change(&mut client, &other, || expire_in(&blog, &other, 1));
    assert_eq!(read(&mut client, &other), "expired");
    assert_eq!(client.read("bds://proposals")["items"], json!([]));
}

#[test]
fn subscribers_learn_of_decisions() {
    let (blog, mut client, proposal) = blog_with_proposal();
    let uri = format!("bds://proposals/{proposal}");
    client.0.0.call("resources/subscribe", json!({"uri": uri}));
    run(&blog, &["discard", &proposal, "--reason", "no"]).expect_success();
    let message = client.0.0.receive_within(Duration::from_secs(20)).expect("a notification");
    assert_eq!(
        (&message["method"], &message["params"]["uri"]),
        (&json!("notifications/resources/updated"), &json!(uri))
    );
    // The decision, and the end of the pending file, may be noticed one after the other.
    let id = client.0.0.send_request("resources/read", json!({"uri": uri}));
    let answer = loop {
        let message = client.0.0.receive();
        if message["id"] == json!(id) {
            break message;
        }
        assert_eq!(message["params"]["uri"], json!(uri), "{message}");
    };
    let text = answer["result"]["contents"][0]["text"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(text).unwrap()["reason"], "no");
}
