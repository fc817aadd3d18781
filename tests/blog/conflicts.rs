//! A file that changed since a change of it was proposed: what agents and programs get of it.

use serde_json::{Value, json};

use super::decisions::{propose, shown};
use super::proposals::agent;
use super::test_blog::{TestBlog, TestPost};

fn write(blog: &TestBlog, title: &str, body: &str) {
    blog.post(&TestPost { n: 1, title, fields: "status: published\n", body });
}

#[test]
fn conflict_has_three_texts_and_the_merge() {
    let blog = TestBlog::new();
    write(&blog, "One", "a\nb\nc\nd\ne");
    let mut client = agent(&blog);
    let edit = json!({"postId": "post-1", "edits": [{"find": "a\n", "replace": "A\n"}]});
    let body = client.call("propose_post_edit", edit)["proposalId"].as_str().unwrap().to_owned();
    let title = propose(&mut client, "Mine");
    write(&blog, "Theirs", "a\nb\nc\nd\nE");

    // The bodies go together.
    let found = client.call("get_proposal", json!({"proposalId": body}));
    let texts = &found["conflict_texts"];
    let text = |texts: &Value, name: &str| texts[name].as_str().unwrap().to_owned();
    assert!(text(texts, "base").contains("title: One\n") && text(texts, "base").ends_with("a\nb\nc\nd\ne\n"));
    assert!(text(texts, "theirs").contains("title: Theirs\n") && text(texts, "theirs").ends_with("a\nb\nc\nd\nE\n"));
    assert!(text(texts, "ours").contains("title: One\n") && text(texts, "ours").ends_with("A\nb\nc\nd\ne\n"));
    assert!(text(texts, "merged").contains("title: Theirs\n") && text(texts, "merged").ends_with("A\nb\nc\nd\nE\n"));
    // What accepting the merge changes of the file as it is.
    let diff = found["diff"].as_str().unwrap();
    assert!(diff.contains("\n-a\n+A\n") && !diff.contains("+E") && !diff.contains("title: One"), "{diff}");
    assert!(found["conflict"].as_str().unwrap().contains("accept the merge"), "{found:#}");

    // The titles do not.
    let found = client.call("get_proposal", json!({"proposalId": title}));
    assert_eq!(found["conflict_texts"]["fields"], json!(["title"]));
    assert_eq!((&found["diff"], &found["conflict_texts"]["merged"]), (&Value::Null, &Value::Null));
    assert!(text(&found["conflict_texts"], "ours").contains("title: Mine\n"));

    // The refusal has the same, and so has the command for programs.
    for (proposal, is_merged) in [(&body, true), (&title, false)] {
        let params = json!({"name": "accept_proposal", "arguments": {"proposalId": proposal}});
        let answer = client.0.0.call("tools/call", params);
        let error = &answer["result"]["structuredContent"]["error"];
        assert_eq!(error["code"], "CONFLICT", "{answer:#}");
        let found = client.call("get_proposal", json!({"proposalId": proposal}));
        assert_eq!(error["details"], found["conflict_texts"], "{answer:#}");
        let shown = shown(&blog, proposal);
        for name in ["base", "theirs", "ours", "merged"] {
            assert_eq!(shown["texts"][name], found["conflict_texts"][name], "{name}: {shown:#}");
        }
        assert_eq!(shown["can_merge"], is_merged);
    }
    // Without a conflict there are none.
    let other = client.call("propose_post_metadata", json!({"postId": "post-1", "excerpt": "New"}));
    let found = client.call("get_proposal", json!({"proposalId": other["proposalId"]}));
    assert!(found["diff"].is_string() && found["conflict_texts"].is_null(), "{found:#}");
    assert!(shown(&blog, other["proposalId"].as_str().unwrap())["texts"].is_null());
}

#[test]
fn long_texts_of_a_conflict_are_cut() {
    let blog = TestBlog::new();
    let body = "A line of words.\n".repeat(10_000);
    write(&blog, "One", &body);
    let mut client = agent(&blog);
    let proposal = propose(&mut client, "Mine");
    write(&blog, "Theirs", &body);
    let found = client.call("get_proposal", json!({"proposalId": proposal}));
    for name in ["base", "theirs", "ours"] {
        let text = found["conflict_texts"][name].as_str().unwrap();
        assert!(
            text.len() < 17_000 && text.ends_with("words.\n… (the rest is in the review)\n"),
            "{name}: {}",
            text.len()
        );
    }
    assert!(shown(&blog, &proposal)["texts"]["ours"].as_str().unwrap().len() > 100_000);
}
