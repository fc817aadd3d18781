//! Decisions on proposals: who may make them, what they write, and what ends a proposal without one.

use serde_json::{Value, json};

use super::proposals::{accept, agent, client_with, exists, files, text};
use super::test_blog::{TestBlog, TestPost, id};

#[test]
fn discarded_draft_goes_and_an_edited_one_stays() {
    let blog = TestBlog::new();
    let mut client = agent(&blog);
    let mut made = Vec::new();
    for title in ["One", "Two"] {
        made.push(client.call("draft_post", json!({"title": title, "content": "Text"})));
    }
    let draft = |made: &Value| format!(".wardroom/drafts/{}.md", made["post"]["id"].as_str().unwrap());
    // A person goes on with the second.
    let edited = text(&blog, &draft(&made[1])).replace("Text", "Better text");
    blog.write(&draft(&made[1]), &edited);
    for made in &made {
        let discarded = client.call("discard_proposal", json!({"proposalId": made["proposalId"], "reason": "not now"}));
        assert_eq!(discarded["status"], "discarded");
    }
    assert!(!exists(&blog, &draft(&made[0])));
    let kept = text(&blog, &draft(&made[1]));
    assert!(kept.contains("Better text") && !kept.contains("proposal:"), "{kept}");
    assert_eq!(client.call("search_posts", json!({"query": "better"}))["total"], 1);
    let decided = client.call("get_proposal", json!({"proposalId": made[0]["proposalId"]}));
    assert_eq!((&decided["status"], &decided["reason"]), (&json!("discarded"), &json!("not now")));
    let refused = client.call_error("accept_proposal", json!({"proposalId": made[0]["proposalId"]}));
    assert!(refused.contains("was discarded before"), "{refused}");
    // The same slug is free again for the first one.
    assert_eq!(files(&blog, "posts"), [""; 0]);
}

#[test]
fn changed_target_is_a_conflict_with_a_merge_where_it_is_clean() {
    let blog = TestBlog::new();
    let write = |title: &str, body: &str| {
        blog.post(&TestPost { n: 1, title, fields: "status: published\n", body });
    };
    write("One", "a\nb\nc\nd\ne");
    let mut client = agent(&blog);
    let edit = json!({"postId": "post-1", "edits": [{"find": "a\n", "replace": "A\n"}]});
    let body = client.call("propose_post_edit", edit);
    let title = client.call("propose_post_metadata", json!({"postId": "post-1", "title": "Mine"}));
    write("Theirs", "a\nb\nc\nd\nE");
    // Both changed the title, and neither change is lost.
    let refused = client.call_error("accept_proposal", json!({"proposalId": title["proposalId"], "merge": true}));
    assert!(refused.contains("title"), "{refused}");
    let shown = client.call("get_proposal", json!({"proposalId": title["proposalId"]}));
    assert!(shown["conflict"].as_str().unwrap().contains("changed since"), "{shown:#}");
    // The bodies changed in different lines.
    let refused = client.call_error("accept_proposal", json!({"proposalId": body["proposalId"]}));
    assert!(refused.contains("accept the merge"), "{refused}");
    client.call("accept_proposal", json!({"proposalId": body["proposalId"], "merge": true}));
    let post = client.read("bds://posts/post-1");
    assert_eq!((&post["title"], &post["content"]), (&json!("Theirs"), &json!("A\nb\nc\nd\nE\n")));
    // A target that is gone.
    let gone = client.call("propose_post_metadata", json!({"postId": "post-1", "title": "Late"}));
    blog.remove("posts/2024/03/post-1.md");
    let refused = client.call_error("accept_proposal", json!({"proposalId": gone["proposalId"]}));
    assert!(refused.contains("does not exist any more"), "{refused}");
}

#[test]
fn a_person_decides_unless_the_operator_lets_agents() {
    let blog = TestBlog::new();
    let mut client = blog.client();
    let made = client.call("draft_post", json!({"title": "One", "content": "Text"}));
    let proposal = json!({"proposalId": made["proposalId"]});
    let refused = client.call_error("accept_proposal", proposal.clone());
    assert!(refused.contains("wardroom proposals accept"), "{refused}");
    assert_eq!(client.call("get_proposal", proposal.clone())["status"], "pending");
    assert_eq!(files(&blog, "posts"), [""; 0]);
    // One's own may be taken back.
    assert_eq!(client.call("discard_proposal", proposal)["status"], "discarded");
    assert_eq!(client.call_error("get_proposal", json!({"proposalId": "x"})), "Proposal x not found.");
}

#[test]
fn time_ends_a_proposal() {
    let blog = TestBlog::new();
    let mut client = client_with(&blog, "accept = \"agent\"\nproposal_ttl_cli = 0\n");
    let made = client.call("draft_post", json!({"title": "One", "content": "Text"}));
    let proposal = json!({"proposalId": made["proposalId"]});
    let found = client.call("get_proposal", proposal.clone());
    assert_eq!((&found["status"], &found["is_expired"]), (&json!("expired"), &json!(true)));
    assert_eq!(client.call("list_proposals", json!({}))["proposals"], json!([]));
    assert_eq!(client.call("list_proposals", json!({"status": "expired"}))["proposals"][0]["id"], made["proposalId"]);
    let refused = client.call_error("accept_proposal", proposal);
    assert!(refused.contains("has expired"), "{refused}");
    assert_eq!(files(&blog, "posts"), [""; 0]);
}

#[test]
fn long_difference_is_not_asked_about() {
    let blog = TestBlog::new();
    let mut client = blog.client();
    let made = client.call("draft_post", json!({"title": "Long", "content": "word ".repeat(10_000)}));
    let refused = client.call_error("accept_proposal", json!({"proposalId": made["proposalId"]}));
    assert!(refused.contains("a person decides"), "{refused}");
}

#[test]
fn unpublished_draft_of_a_person_is_published_under_its_own_name() {
    let blog = TestBlog::new();
    let draft =
        format!("---\nid: {}\ntitle: Mine\nslug: mine\nstatus: draft\ncreatedAt: 2024-03-05\n---\nText\n", id(7));
    blog.write(&format!(".wardroom/drafts/{}.md", id(7)), draft);
    let mut client = agent(&blog);
    let made = client.call("propose_post_metadata", json!({"postId": "mine", "status": "publish"}));
    accept(&mut client, &made);
    assert_eq!(files(&blog, "posts"), ["2024/03/mine.md"]);
    assert_eq!(client.read("bds://posts/mine")["status"], "published");
}
