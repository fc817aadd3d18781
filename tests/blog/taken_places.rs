//! Proposals whose place another file took meanwhile, and drafts that a person broke.

use std::fs;

use serde_json::json;

use super::decisions::{digest, run, shown};
use super::proposals::{accept, agent, client_with, exists, files, pending_files, text};
use super::test_blog::{BlogClient, TestBlog, TestPost, id};

fn propose(client: &mut BlogClient, title: &str) -> String {
    let made = client.call("draft_post", json!({"title": title, "content": "Proposed"}));
    made["proposalId"].as_str().unwrap().to_owned()
}

/// Returns the path of the only draft.
fn draft(blog: &TestBlog) -> String {
    let drafts = files(blog, ".wardroom/drafts");
    assert_eq!(drafts.len(), 1, "{drafts:?}");
    format!(".wardroom/drafts/{}", drafts[0])
}

fn change_slug(blog: &TestBlog, path: &str, from: &str, to: &str) {
    let changed = text(blog, path).replace(&format!("slug: {from}\n"), &format!("slug: {to}\n"));
    assert!(changed.contains(to), "{changed}");
    blog.write(path, changed);
}

#[test]
fn new_post_goes_where_the_slug_of_its_draft_says() {
    let blog = TestBlog::new();
    let mut client = agent(&blog);
    let made = client.call("draft_post", json!({"title": "Third", "content": "Proposed"}));
    let proposed = shown(&blog, made["proposalId"].as_str().unwrap())["path"].as_str().unwrap().to_owned();
    let by_hand = TestPost { n: 3, title: "Other", fields: "status: published\n", body: "By hand" };
    blog.write(&proposed, by_hand.text().replace("slug: post-3\n", "slug: third\n"));
    let refused = client.call_error("accept_proposal", json!({"proposalId": made["proposalId"]}));
    let expected = format!("{proposed} is there by now: change the slug of the draft");
    assert!(refused.starts_with(&expected), "{refused}");
    change_slug(&blog, &draft(&blog), "third", "third-b");
    let found = shown(&blog, made["proposalId"].as_str().unwrap());
    assert_eq!(found["path"], proposed.replace("third.md", "third-b.md"), "{found}");
    accept(&mut client, &made);
    assert!(text(&blog, &proposed).ends_with("By hand\n"));
    assert!(text(&blog, &proposed.replace("third.md", "third-b.md")).ends_with("Proposed\n"));
    assert_eq!(files(&blog, ".wardroom/drafts"), [""; 0]);
    assert_eq!(client.read("bds://posts/third-b")["status"], "published");
    assert_eq!(blog.problems(), [""; 0]);
}

#[test]
fn draft_that_a_person_broke_keeps_no_proposal_pending() {
    let large = "x".repeat(1 << 20);
    let broken = [&b"---\ntitle: \"Broken\n---\nText\n"[..], b"---\ntitle: \xff\n---\nText\n", large.as_bytes()];
    for broken in broken {
        let blog = TestBlog::new();
        let mut client = client_with(&blog, "accept = \"agent\"\n");
        let kept = propose(&mut client, "Kept");
        let path = draft(&blog);
        blog.write(&path, broken);
        let discarded = client.call("discard_proposal", json!({"proposalId": kept}));
        assert_eq!(discarded["status"], "discarded", "{discarded}");
        assert_eq!(pending_files(&blog), [""; 0]);
        // Then it is that person's draft.
        assert_eq!(fs::read(blog.path().join(&path)).unwrap(), broken);
    }
}

#[test]
fn new_posts_with_one_slug_are_not_accepted_together() {
    let blog = TestBlog::new();
    let mut client = agent(&blog);
    let first = propose(&mut client, "First");
    let drafts = files(&blog, ".wardroom/drafts");
    let second = propose(&mut client, "Second");
    let other = files(&blog, ".wardroom/drafts").into_iter().find(|file| !drafts.contains(file)).unwrap();
    change_slug(&blog, &format!(".wardroom/drafts/{other}"), "second", "first");
    let (one, two) = (digest(&blog, &first), digest(&blog, &second));
    let refused = run(&blog, &["accept", &first, &second, "--digest", &one, "--digest", &two]);
    assert!(refused.status == 1 && refused.stderr.contains(&first), "{refused:?}");
    assert_eq!(files(&blog, "posts"), [""; 0]);
    assert_eq!(files(&blog, ".wardroom/drafts").len(), 2);
}

/// No server may have looked at the files since.
#[test]
fn command_line_knows_the_slugs_of_the_files_as_they_are() {
    let blog = TestBlog::new();
    let proposal = propose(&mut agent(&blog), "Fourth");
    let by_hand = TestPost { n: 4, title: "Other", fields: "status: published\n", body: "By hand" };
    blog.write("posts/2024/01/fourth.md", by_hand.text().replace("slug: post-4\n", "slug: fourth\n"));
    let found = shown(&blog, &proposal);
    assert!(
        found["conflict"].as_str().is_some_and(|conflict| conflict.contains("has the slug fourth by now")),
        "{found}"
    );
    assert!(found["digest"].is_null(), "{found}");
}

/// The slug is the one that the index reads, however the draft says it.
#[test]
fn draft_that_the_index_would_leave_out_waits() {
    for (change, expected) in [
        ("slug: 777\n", "has the slug 777 by now"),
        ("permalink: /old/777.html\n", "has the slug 777 by now"),
        ("slug: a b\n", "line 4: slug: expected letters, digits and hyphens"),
        ("slug: other\nid: x\n", "the id is not that of the proposed post"),
    ] {
        let blog = TestBlog::new();
        let by_hand = TestPost { n: 7, title: "Old", fields: "status: published\n", body: "By hand" };
        blog.write("posts/2024/01/777.md", by_hand.text().replace("slug: post-7\n", "slug: '777'\n"));
        let proposal = propose(&mut agent(&blog), "Seventh");
        let path = draft(&blog);
        let before = text(&blog, &path);
        let id = before.lines().find(|line| line.starts_with("id: ")).unwrap().to_owned() + "\n";
        let without_id = if change.contains("id: x") { before.replace(&id, "") } else { before.clone() };
        blog.write(&path, without_id.replace("slug: seventh\n", change));
        let found = shown(&blog, &proposal);
        let conflict = found["conflict"].as_str().unwrap_or_default();
        assert!(conflict.contains(expected) && found["digest"].is_null(), "{change}: {found}");
        blog.write(&path, before);
        assert!(shown(&blog, &proposal)["conflict"].is_null(), "{change}");
    }
}

#[test]
fn published_post_is_not_hidden_by_a_proposal_of_its_path() {
    let blog = TestBlog::new();
    blog.write("content/posts/old.md", "---\ntitle: Old\ndate: 2024-03-01\n---\nOld\n");
    let mut client = client_with(&blog, "accept = \"agent\"\nlayout = \"markdown\"\n");
    let made = client.call("draft_post", json!({"title": "Same", "content": "Proposed"}));
    blog.write("content/posts/same.md", "---\ntitle: Same\ndate: 2024-03-02\n---\nBy hand\n");
    assert_eq!(client.read("bds://posts/same")["content"], "By hand\n");
    assert_eq!(client.find(json!({"query": "hand", "status": "published"})), ["same"]);
    let refused = client.call_error("accept_proposal", json!({"proposalId": made["proposalId"]}));
    assert!(refused.starts_with("content/posts/same.md is there by now: discard the proposal"), "{refused}");
    client.call("discard_proposal", json!({"proposalId": made["proposalId"]}));
    assert_eq!(client.read("bds://posts/same")["content"], "By hand\n");
}

#[test]
fn draft_over_a_published_post_keeps_its_first_publication() {
    let blog = TestBlog::new();
    let fields = "status: published\npublishedAt: '2024-01-03T00:00:00.000Z'\n";
    blog.post(&TestPost { n: 1, title: "One", fields, body: "Published." });
    let draft = format!("---\nid: {}\ntitle: One\nslug: post-1\n---\nDraft.\n", id(1));
    blog.write(&format!(".wardroom/drafts/{}.md", id(1)), draft);
    let mut client = agent(&blog);
    let made = client.call("propose_post_metadata", json!({"postId": id(1), "status": "publish"}));
    accept(&mut client, &made);
    let published = text(&blog, "posts/2024/03/post-1.md");
    assert!(published.contains("2024-01-03") && published.ends_with("Draft.\n"), "{published}");
    assert!(!exists(&blog, &format!(".wardroom/drafts/{}.md", id(1))));
}

/// The index need not know one draft when the next one is made.
#[test]
fn drafts_and_scripts_that_are_proposed_at_once_have_places_of_their_own() {
    const N: usize = 8;
    let blog = TestBlog::new();
    let mut clients = [agent(&blog), agent(&blog)];
    let cases = [
        ("draft_post", json!({"title": "Same", "content": "A body"}), "post"),
        ("propose_script", json!({"title": "Same", "kind": "macro", "content": "return 'x'"}), "preview"),
    ];
    for (tool, arguments, part) in cases {
        for client in &mut clients {
            for _ in 0..N {
                client.0.0.send_request("tools/call", json!({"name": tool, "arguments": arguments}));
            }
        }
        let mut slugs = std::collections::BTreeSet::new();
        for client in &mut clients {
            for _ in 0..N {
                let answer = client.0.0.receive();
                let slug = &answer["result"]["structuredContent"][part]["slug"];
                assert!(
                    slugs.insert(slug.as_str().unwrap_or_else(|| panic!("{answer:#}")).to_owned()),
                    "{tool}: {slug}"
                );
            }
        }
    }
    let mut client = agent(&blog);
    for name in pending_files(&blog) {
        accept(&mut client, &json!({"proposalId": name.trim_end_matches(".json")}));
    }
    assert_eq!(files(&blog, "posts").iter().filter(|path| path.contains("/same")).count(), 2 * N);
    assert_eq!(files(&blog, "scripts").iter().filter(|path| path.starts_with("same")).count(), 2 * N);
}
