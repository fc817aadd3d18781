//! Two servers, two command lines, an agent that may decide, one that goes on proposing, a person with the page and one with
//! a browser, all on one blog at once: each proposal is decided once, and no accepted change is lost.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Instant;

use serde_json::{Value, json};
use wardroom_test_support::{ClientRevision, CommandOutput, StdioClient, TEST_TIMEOUT, TestDir, run_wardroom};

use super::blog_pages::example;
use super::proposing::address;
use super::review_server::{ReviewServer, Visitor, write_post};
use super::web_driver::{Browser, BrowserSettings};

const POSTS: usize = 4;
/// Sections of a post, each of which a proposal changes.
const SECTIONS: usize = 8;

/// The line that a proposal adds to a section.
fn line(post: usize, section: usize) -> String {
    format!("Added to {post} in {section}.")
}

fn body() -> String {
    let mut body = String::new();
    for section in 0..SECTIONS {
        // Far enough from each other that changes of two sections do not touch.
        write!(body, "## Section {section}\n\nFirst.\n\nSecond.\n\nThird.\n\nEnd {section}.\n\n").unwrap();
    }
    body
}

fn run(dir: &TestDir, args: &[&str]) -> CommandOutput {
    let app = dir.app_path().display().to_string();
    run_wardroom(dir.root(), &[args, &["--appdir", &app]].concat())
}

/// A decision is made, or refused with the reason: someone was faster.
fn expect_answer(output: &CommandOutput) {
    let is_refusal = ["accepted", "discarded", "not what was shown", "changed since"]
        .iter()
        .any(|reason| output.stderr.contains(reason));
    assert!(output.status == 0 || output.status == 1 && is_refusal, "{output:?}");
}

/// An agent that proposes a change of every section of its posts, and looks at what becomes of them.
fn propose_all(dir: &TestDir, posts: impl Iterator<Item = usize>) -> Vec<(String, usize, usize)> {
    let mut agent = StdioClient::start_with(dir, ClientRevision::Legacy, &["--service", "blog"]);
    let mut made = Vec::new();
    for post in posts {
        for section in 0..SECTIONS {
            let end = format!("End {section}.");
            let edit = json!({"find": end, "replace": format!("{}\n\n{end}", line(post, section))});
            let arguments = json!({"postId": format!("shared-{post}"), "edits": [edit]});
            let params =
                json!({"name": "propose_post_edit", "arguments": arguments, "_meta": {"wardroom/fresh": true}});
            let answer = agent.call("tools/call", params);
            let id = answer["result"]["structuredContent"]["proposalId"].as_str();
            made.push((id.unwrap_or_else(|| panic!("{answer:#}")).to_owned(), post, section));
        }
    }
    made
}

/// Returns the ids of the pending proposals, beginning at another place for everyone.
fn pending(dir: &TestDir, start: usize) -> Vec<String> {
    let listed = run(dir, &["proposals", "list", "--json"]);
    let listed: Value = serde_json::from_str(&listed.stdout).unwrap_or_default();
    let mut ids: Vec<String> =
        listed.as_array().into_iter().flatten().filter_map(|item| Some(item["id"].as_str()?.to_owned())).collect();
    let middle = if ids.is_empty() { 0 } else { start % ids.len() };
    ids.rotate_left(middle);
    ids
}

/// A person at a terminal, who accepts, and discards each third.
fn decide_at_command_line(dir: &TestDir, start: usize) {
    for round in 0.. {
        let ids = pending(dir, start + round);
        let Some(id) = ids.first() else { return };
        if round % 3 == 2 {
            expect_answer(&run(dir, &["proposals", "discard", id, "--reason", "one of three"]));
            continue;
        }
        let shown: Value = serde_json::from_str(&run(dir, &["proposals", "show", id, "--json"]).stdout).unwrap();
        if let Some(digest) = shown["digest"].as_str() {
            expect_answer(&run(dir, &["proposals", "accept", id, "--digest", digest]));
        }
    }
}

/// A person with the page, who accepts.
fn decide_on_page(dir: &TestDir, visitor: &Visitor, start: usize) {
    for round in 0.. {
        let ids = pending(dir, start + round);
        let Some(id) = ids.first() else { return };
        let page = visitor.get(&address(id));
        let digest = page.text().split_once("name=\"digest\" value=\"").and_then(|(_, rest)| rest.split('"').next());
        if let Some(digest) = digest {
            visitor.post(&format!("{}/accept", address(id)), &format!("digest={digest}"));
        }
    }
}

/// A person with a browser, who accepts.
fn decide_in_browser(dir: &TestDir, browser: &Browser, host: &str, start: usize) {
    for round in 0.. {
        let ids = pending(dir, start + round);
        let Some(id) = ids.first() else { return };
        browser.open(&format!("http://{host}{}", address(id)));
        // The page may be one of a decided proposal.
        browser.run("document.querySelector('[data-key=\"a\"]')?.click()");
        let deadline = Instant::now() + TEST_TIMEOUT;
        loop {
            let text = browser.run("return document.querySelector('main')?.textContent ?? ''");
            let text = text.as_str().unwrap();
            if ["was accepted", "was discarded", "changed"].iter().any(|word| text.contains(word)) {
                break;
            }
            assert!(Instant::now() < deadline, "no decision is shown for {id}: {text}");
        }
    }
}

/// An agent that may decide, through a server of its own over stdio: it accepts, and discards each fourth, until nothing
/// more is proposed.
fn decide_by_tools(dir: &TestDir, is_proposed: &AtomicBool) {
    let config = dir.write_file("agent.toml", "[blog]\naccept = \"agent\"\n").display().to_string();
    let args = ["--service", "blog", "--config", &config];
    let mut agent = StdioClient::start_with(dir, ClientRevision::Legacy, &args);
    let mut call = |tool: &str, arguments: Value| {
        let params = json!({"name": tool, "arguments": arguments});
        agent.call("tools/call", params)["result"]["structuredContent"].clone()
    };
    let deadline = Instant::now() + TEST_TIMEOUT;
    for round in 0.. {
        assert!(Instant::now() < deadline, "something stays pending");
        let was_proposed = is_proposed.load(Ordering::Acquire);
        let listed = call("list_proposals", json!({}));
        let pending = listed["proposals"].as_array().map(Vec::as_slice).unwrap_or_default();
        let Some(item) = pending.get(pending.len() / 2) else {
            if was_proposed {
                return;
            }
            continue;
        };
        let id = &item["id"];
        let decided = if round % 4 == 3 {
            call("discard_proposal", json!({"proposalId": id}))
        } else {
            call("accept_proposal", json!({"proposalId": id, "merge": true}))
        };
        // Someone was faster, or changed the file since this server looked at it.
        let code = &decided["error"]["code"];
        assert!(decided["success"] == true || code == "CONFLICT", "{decided:#}");
    }
}

/// Returns what decisions came through.
fn decision_ways(dir: &TestDir) -> BTreeSet<String> {
    let records: Value = serde_json::from_str(&run(dir, &["audit", "list", "--json"]).expect_success()).unwrap();
    let decisions = records.as_array().unwrap().iter();
    let decisions = decisions.filter(|record| record["action"].as_str().unwrap().starts_with("proposal_"));
    decisions.map(|record| record["through"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn everyone_at_once_decides_each_proposal_once() {
    let dir = example();
    for post in 0..POSTS {
        write_post(&dir, &format!("shared-{post}"), "title: Shared\nstatus: published\n", &body());
    }
    let server = ReviewServer::start(&dir);
    let visitor = server.visitor_of(3 + POSTS);
    let (dir, visitor) = (&dir, &visitor);
    // The last post is changed while people decide.
    let mut made: Vec<(String, usize, usize)> = thread::scope(|scope| {
        let agents =
            [0, 1].map(|n| scope.spawn(move || propose_all(dir, (0..POSTS - 1).filter(move |post| post % 2 == n))));
        agents.into_iter().flat_map(|agent| agent.join().unwrap()).collect()
    });
    let browser = Browser::start(BrowserSettings::default());
    if let Some(browser) = &browser {
        browser.open(&format!("http://{}/review", server.host));
        let (name, value) = visitor.cookie.split_once('=').unwrap();
        browser.set_cookie(name, value);
    }
    let mut agents = [0, 1].map(|_| StdioClient::start_with(dir, ClientRevision::Legacy, &["--service", "blog"]));
    let is_proposed = AtomicBool::new(false);
    made.extend(thread::scope(|scope| {
        let is_proposed = &is_proposed;
        let proposing = scope.spawn(move || {
            let made = propose_all(dir, POSTS - 1..POSTS);
            is_proposed.store(true, Ordering::Release);
            made
        });
        scope.spawn(move || decide_by_tools(dir, is_proposed));
        scope.spawn(move || decide_at_command_line(dir, 0));
        scope.spawn(move || decide_at_command_line(dir, 11));
        scope.spawn(move || decide_on_page(dir, visitor, 5));
        let (browser, host) = (&browser, &server.host);
        scope.spawn(move || browser.iter().for_each(|browser| decide_in_browser(dir, browser, host, 17)));
        proposing.join().unwrap()
    }));
    // Each way decided something.
    let ways = decision_ways(dir);
    assert!(["command", "review", "stdio"].iter().all(|way| ways.contains(*way)), "{ways:?}");
    let records: Value = serde_json::from_str(&run(dir, &["audit", "list", "--json"]).expect_success()).unwrap();
    let mut decided: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for record in records.as_array().unwrap() {
        let action = record["action"].as_str().unwrap();
        if action.starts_with("proposal_") {
            decided.entry(record["subject"].as_str().unwrap()).or_default().push(action);
        }
    }
    assert_eq!(decided.len(), made.len());
    for (id, post, section) in &made {
        let actions = &decided[&**id];
        assert_eq!(actions.len(), 1, "{id}: {actions:?}");
        let is_accepted = actions == &["proposal_accepted"];
        let file =
            std::fs::read_to_string(dir.app_path().join(format!("blog/posts/2024/03/shared-{post}.md"))).unwrap();
        assert_eq!(file.matches(&line(*post, *section)).count(), usize::from(is_accepted), "{id}: {actions:?}\n{file}");
        for agent in &mut agents {
            let params = json!({"name": "get_proposal", "arguments": {"proposalId": id}});
            let status = agent.call("tools/call", params)["result"]["structuredContent"]["status"].clone();
            assert_eq!(status, if is_accepted { "accepted" } else { "discarded" });
        }
    }
    let outcomes: BTreeSet<&str> = decided.values().flatten().copied().collect();
    assert_eq!(outcomes.len(), 2, "{outcomes:?}");
    run(dir, &["audit", "verify"]).expect_success();
    // Nothing of the originals was lost beside it.
    for post in 0..POSTS {
        let file =
            std::fs::read_to_string(dir.app_path().join(format!("blog/posts/2024/03/shared-{post}.md"))).unwrap();
        assert_eq!(file.matches("\nEnd ").count(), SECTIONS);
    }
}
