//! What was decided: its lists, page by page, and that it answers for 30 days.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use wardroom_test_support::eventually;

use super::decisions::{propose, run};
use super::proposals::{accept, agent};
use super::test_blog::{BlogClient, TestBlog, TestPost};

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis().try_into().unwrap()
}

fn blog() -> TestBlog {
    let blog = TestBlog::new();
    blog.post(&TestPost { n: 1, title: "Old", fields: "status: published\n", body: "Text" });
    blog
}

fn decided_name(id: &str) -> String {
    format!(".wardroom/decided/{}/{id}.json", &id[..6])
}

fn decided_file(blog: &TestBlog, id: &str) -> PathBuf {
    blog.path().join(decided_name(id))
}

fn read(blog: &TestBlog, id: &str) -> Value {
    serde_json::from_slice(&std::fs::read(decided_file(blog, id)).unwrap()).unwrap()
}

/// Writes a decision once more, under another id.
fn copy(blog: &TestBlog, decided: &Value, id: &str, status: &str, at: i64) {
    let mut decided = decided.clone();
    decided["proposal"]["id"] = id.into();
    decided["decision"]["status"] = status.into();
    decided["decision"]["at"] = at.into();
    blog.write(&decided_name(id), decided.to_string());
}

/// Returns the ids of all pages of a list, in their order.
fn all_pages(client: &mut BlogClient, status: &str) -> Vec<String> {
    let (mut ids, mut arguments) = (Vec::new(), json!({"status": status}));
    loop {
        let page = client.call("list_proposals", arguments.clone());
        let items = page["proposals"].as_array().unwrap();
        assert!(items.len() <= 50 && items.iter().all(|item| item["status"] == status), "{page:#}");
        ids.extend(items.iter().map(|item| item["id"].as_str().unwrap().to_owned()));
        let Some(next) = page["nextCursor"].as_str() else { return ids };
        arguments["cursor"] = next.into();
    }
}

#[test]
fn pages_of_decisions_neither_skip_nor_repeat() {
    let blog = blog();
    let mut client = agent(&blog);
    let first = propose(&mut client, "New");
    accept(&mut client, &json!({"proposalId": first}));
    let decided = read(&blog, &first);
    let id = |number: usize| format!("{}{number:012x}", &first[..24]);
    // A few discarded ones among many accepted ones, in several folders.
    let mut expected: Vec<(String, bool)> = vec![(first.clone(), true)];
    for number in 0..700 {
        let is_accepted = number % 70 != 0;
        let name = if number % 2 == 0 { id(number) } else { format!("0180{:02x}{}", number % 5, &id(number)[6..]) };
        copy(&blog, &decided, &name, if is_accepted { "accepted" } else { "discarded" }, now_ms());
        expected.push((name, is_accepted));
    }
    let sorted = |is_accepted: bool| {
        let ids: BTreeSet<&String> = expected.iter().filter(|(_, is)| *is == is_accepted).map(|(id, _)| id).collect();
        ids.into_iter().rev().cloned().collect::<Vec<_>>()
    };
    // The first time each file is read, and later those of a page.
    for _ in 0..2 {
        assert_eq!(all_pages(&mut client, "discarded"), sorted(false));
        assert_eq!(all_pages(&mut client, "accepted"), sorted(true));
        assert!(all_pages(&mut client, "expired").is_empty());
    }
    // What is known is not all that there is: a new decision is listed at once, and one that is gone is not.
    let late = propose(&mut client, "Newer");
    run(&blog, &["discard", &late]).expect_success();
    std::fs::remove_file(decided_file(&blog, &sorted(false)[0])).unwrap();
    let mut discarded = vec![late];
    discarded.extend(sorted(false).into_iter().skip(1));
    assert_eq!(all_pages(&mut client, "discarded"), discarded);
}

#[test]
fn pages_of_pending_proposals_neither_skip_nor_repeat() {
    let blog = blog();
    let mut client = agent(&blog);
    let first = propose(&mut client, "New");
    let stored = std::fs::read_to_string(blog.path().join(format!(".wardroom/proposals/{first}.json"))).unwrap();
    let mut expected: Vec<String> = (0..120).map(|number| format!("{}{number:012x}", &first[..24])).collect();
    for id in &expected {
        blog.write(&format!(".wardroom/proposals/{id}.json"), stored.replace(&first, id));
    }
    expected.push(first);
    expected.sort_by(|a, b| b.cmp(a));
    assert_eq!(all_pages(&mut client, "pending"), expected);
    assert_eq!(client.read("bds://proposals")["hasMore"], true);
}

#[test]
fn decision_answers_for_thirty_days() {
    let blog = blog();
    let mut client = agent(&blog);
    let first = propose(&mut client, "New");
    accept(&mut client, &json!({"proposalId": first}));
    let decided = read(&blog, &first);
    let now = now_ms();
    // Its age is that of the decision, and not of a file that was copied today.
    let (recent, old) = (format!("{}{:012x}", &first[..24], 1), format!("{}{:012x}", &first[..24], 2));
    copy(&blog, &decided, &recent, "accepted", now - 30 * DAY_MS + 10 * 60 * 1_000);
    copy(&blog, &decided, &old, "accepted", now - 30 * DAY_MS - 1);
    assert_eq!(client.call("get_proposal", json!({"proposalId": recent}))["status"], "accepted");
    assert_eq!(client.call("accept_proposal", json!({"proposalId": recent}))["alreadyAccepted"], true);
    for tool in ["get_proposal", "accept_proposal", "discard_proposal"] {
        let gone = client.call_error(tool, json!({"proposalId": old}));
        assert_eq!(gone, format!("Proposal {old} not found."), "{tool}");
    }
    assert_eq!(client.read_error(&format!("bds://proposals/{old}")).0, -32602);
    let gone = run(&blog, &["show", &old]);
    assert!(gone.status == 1 && gone.stderr.contains("not found"), "{gone:?}");
    for _ in 0..2 {
        assert_eq!(all_pages(&mut client, "accepted"), [&*first, &*recent]);
    }
}

#[test]
fn server_removes_what_answers_no_more() {
    let blog = blog();
    let mut client = agent(&blog);
    let first = propose(&mut client, "New");
    accept(&mut client, &json!({"proposalId": first}));
    drop(client);
    let (decided, now) = (read(&blog, &first), now_ms());
    // Proposed long ago, and decided then, or a short while ago.
    let (old, late) = (format!("018000{}", &first[6..]), format!("018001{}", &first[6..]));
    copy(&blog, &decided, &old, "accepted", now - 31 * DAY_MS);
    copy(&blog, &decided, &late, "discarded", now - 29 * DAY_MS);
    let _server = blog.client();
    eventually("the old decision is removed, and its folder", || {
        !blog.path().join(".wardroom/decided/018000").exists()
    });
    assert!(decided_file(&blog, &late).exists() && decided_file(&blog, &first).exists());
}
