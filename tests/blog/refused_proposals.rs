//! What is not proposed, and what is not accepted any more.

use serde_json::{Value, json};
use wardroom_test_support::eventually;

use super::decisions::{run, shown};
use super::proposals::{accept, agent, files, pending_files, text};
use super::test_blog::{BlogClient, TestBlog, TestPost, id};

fn blog() -> TestBlog {
    let blog = TestBlog::new();
    blog.post(&TestPost { n: 1, title: "One", fields: "status: published\n", body: "Hello" });
    blog.write("media/2024/03/a.jpg", "no picture");
    let sidecar = format!("---\nid: {}\noriginalName: \"a.jpg\"\nalt: \"old\"\ntags: [x]\n---\n", id(9));
    blog.write("media/2024/03/a.jpg.meta", sidecar);
    blog
}

fn draft_of(made: &Value, blog: &TestBlog) -> String {
    let stored = text(blog, &format!(".wardroom/proposals/{}.json", made["proposalId"].as_str().unwrap()));
    let stored: Value = serde_json::from_str(&stored).unwrap();
    stored["change"]["draft"]["path"].as_str().unwrap().to_owned()
}

#[test]
fn script_that_was_edited_into_a_mistake_is_not_accepted() {
    let blog = blog();
    let mut client = agent(&blog);
    for (tool, kind, right, wrong, place, published) in [
        ("propose_script", "macro", "return 1", "local x =\nreturn = 1", "line 2, column ", "scripts/code.lua"),
        (
            "propose_template",
            "post",
            "{{ a }}",
            "{% if a %}\n{{ b | upcase }}",
            "line 2, column ",
            "templates/code.liquid",
        ),
    ] {
        let made = client.call(tool, json!({"title": "Code", "kind": kind, "content": right}));
        let proposal = json!({"proposalId": made["proposalId"]});
        let draft = draft_of(&made, &blog);
        blog.write(&draft, text(&blog, &draft).replace(right, wrong));
        let refused = client.refusal("accept_proposal", proposal.clone(), "INVALID_SOURCE");
        assert!(refused.contains(place), "{refused}");
        let found = client.call("get_proposal", proposal.clone());
        assert!(found["conflict"].as_str().unwrap().contains(place) && found["diff"].is_string(), "{found:#}");
        // There is nothing that a person could accept either.
        let id = made["proposalId"].as_str().unwrap();
        let shown = shown(&blog, id);
        assert!(shown["digest"].is_null() && shown["after"].as_str().unwrap().contains(wrong), "{shown:#}");
        let refused = run(&blog, &["accept", id, "--digest", "00"]);
        assert!(refused.status == 1 && refused.stderr.contains(place), "{refused:?}");
        assert!(!blog.path().join(published).exists());
        blog.write(&draft, text(&blog, &draft).replace(wrong, right));
        accept(&mut client, &made);
        assert!(text(&blog, published).ends_with(&format!("{right}\n")));
    }
}

/// Calls a tool that must refuse, and checks that there is no proposal.
#[track_caller]
fn assert_refused(client: &mut BlogClient, tool: &str, arguments: Value, expected: &str) {
    let refused = client.call_error(tool, arguments);
    assert!(refused.contains(expected), "{tool}: {refused}");
    assert_eq!(client.call("list_proposals", json!({}))["proposals"], json!([]), "{tool}");
}

#[test]
fn change_that_changes_nothing_is_no_proposal() {
    let blog = blog();
    let mut client = agent(&blog);
    let german = json!({"postId": "post-1", "language": "de", "title": "Eins", "content": "Hallo"});
    let made = client.call("propose_post_translation", german.clone());
    accept(&mut client, &made);
    let boat = json!({"mediaId": id(9), "language": "de", "alt": "Ein Boot"});
    let made = client.call("upsert_media_translation", boat.clone());
    accept(&mut client, &made);
    let nothing = "changes nothing";
    for (tool, arguments) in [
        ("propose_post_metadata", json!({"postId": "post-1", "title": "One", "status": "publish"})),
        ("propose_post_edit", json!({"postId": "post-1", "content": "Hello"})),
        ("propose_post_edit", json!({"postId": "post-1", "edits": [{"find": "Hello", "replace": "Hello"}]})),
        ("propose_post_edit", json!({"postId": "post-1", "diff": "--- a\n+++ b\n@@ -1 +1 @@\n Hello\n"})),
        ("propose_post_edit", json!({"postId": "post-1", "language": "de", "content": "Hallo"})),
        ("propose_post_translation", german),
        ("propose_media_metadata", json!({"mediaId": id(9), "alt": "old", "tags": ["x"]})),
        ("upsert_media_translation", boat),
    ] {
        assert_refused(&mut client, tool, arguments, nothing);
    }
    for (tool, arguments) in [
        ("propose_media_metadata", json!({"mediaId": id(9)})),
        ("upsert_media_translation", json!({"mediaId": id(9), "language": "de"})),
    ] {
        assert_refused(&mut client, tool, arguments, "name at least one");
    }
}

#[test]
fn unknown_targets_are_no_proposals() {
    let blog = blog();
    let mut client = agent(&blog);
    for (tool, arguments, expected) in [
        ("propose_media_metadata", json!({"mediaId": "none", "alt": "x"}), "Media item none not found."),
        (
            "upsert_media_translation",
            json!({"mediaId": "none", "language": "de", "alt": "x"}),
            "Media item none not found.",
        ),
        ("propose_post_metadata", json!({"postId": "none", "title": "x"}), "not found"),
        (
            "propose_post_translation",
            json!({"postId": "none", "language": "de", "title": "x", "content": "y"}),
            "not found",
        ),
    ] {
        assert_refused(&mut client, tool, arguments, expected);
    }
}

#[test]
fn draft_without_tags_has_empty_lists() {
    let blog = blog();
    let mut client = agent(&blog);
    let made = client.call("draft_post", json!({"title": "Bare", "content": "Text"}));
    let draft = text(&blog, &draft_of(&made, &blog));
    assert!(draft.contains("\ntags: []\n") && draft.contains("\ncategories: []\n"), "{draft}");
    accept(&mut client, &made);
    let post = client.read("bds://posts/bare");
    assert_eq!((&post["tags"], &post["categories"]), (&json!([]), &json!([])));
}

#[test]
fn draft_that_cannot_be_made_leaves_no_proposal() {
    let blog = TestBlog::new();
    blog.write("content/posts/old.md", "---\ntitle: Old\ndate: 2024-03-01\n---\nOld\n");
    let config = blog.dir.write_file("config.toml", "[blog]\naccept = \"agent\"\nlayout = \"markdown\"\n");
    let mut client = blog.client_with(&["--config", &config.display().to_string()]);
    // In this layout the id of a post is that of its path, and so is the name of its draft.
    let made = client.call("draft_post", json!({"title": "Twice", "content": "Text"}));
    let draft = draft_of(&made, &blog);
    client.call("discard_proposal", json!({"proposalId": made["proposalId"]}));
    // A folder has the name of the draft: it is no post, so that the slug is free.
    std::fs::create_dir_all(blog.path().join(&draft)).unwrap();
    let refused = client.refusal("draft_post", json!({"title": "Twice", "content": "Text"}), "CONFLICT");
    assert!(refused.contains("a draft of this post is there already"), "{refused}");
    assert_eq!(client.call("list_proposals", json!({}))["proposals"], json!([]));
    assert_eq!(pending_files(&blog), [""; 0]);
}

/// A blog with a pending proposal, and as many copies of it, which are of another caller if `who` says so.
fn blog_with_copies(number: usize, who: &str) -> (TestBlog, BlogClient, String) {
    let blog = blog();
    let mut client = agent(&blog);
    let made = client.call("propose_post_metadata", json!({"postId": "post-1", "title": "First"}));
    let name = |id: &str| format!(".wardroom/proposals/{id}.json");
    let first = made["proposalId"].as_str().unwrap().to_owned();
    let stored = text(&blog, &name(&first));
    for number in 1..=number {
        let id = format!("{}{number:012x}", &first[..24]);
        let copy = stored.replace(&first, &id).replace("\"who\":\"operator\"", &format!("\"who\":\"{who}\""));
        blog.write(&name(&id), copy);
    }
    (blog, client, first)
}

#[test]
fn more_proposals_than_a_person_can_look_at_are_refused() {
    let title = |title: &str| json!({"postId": "post-1", "title": title});
    // One caller has half of them.
    let (_blog, mut client, first) = blog_with_copies(499, "operator");
    let refused = client.refusal("propose_post_metadata", title("Next"), "TOO_MANY_PROPOSALS");
    assert!(refused.contains("500 proposals of this caller are pending"), "{refused}");
    client.call("discard_proposal", json!({"proposalId": first}));
    client.call("propose_post_metadata", title("Next"));
    // All callers together have twice as many.
    let (_blog, mut client, first) = blog_with_copies(998, "token other");
    client.call("propose_post_metadata", title("Last"));
    let refused = client.refusal("propose_post_metadata", title("Next"), "TOO_MANY_PROPOSALS");
    assert!(refused.contains("1000 pending proposals"), "{refused}");
    client.call("discard_proposal", json!({"proposalId": first}));
    client.call("propose_post_metadata", title("Next"));
}

#[test]
fn post_that_a_person_published_outlives_its_proposal() {
    for expires in [false, true] {
        let blog = blog();
        let mut client = agent(&blog);
        let mut publish = |title: &str, keeps_draft: bool| {
            let made = client.call("draft_post", json!({"title": title, "content": "Text"}));
            let (id, draft) = (made["proposalId"].as_str().unwrap().to_owned(), draft_of(&made, &blog));
            let stored = text(&blog, &format!(".wardroom/proposals/{id}.json"));
            let stored: Value = serde_json::from_str(&stored).unwrap();
            let path = stored["change"]["path"].as_str().unwrap().to_owned();
            // In an editor, without this program.
            let lines = text(&blog, &draft).replace("status: draft", "status: published");
            let published = lines.replace(&format!("proposal: {id}\n"), "").replace("Text", "Text of a person");
            blog.write(&path, &published);
            if !keeps_draft {
                blog.remove(&draft);
            }
            (id, path, published)
        };
        let published = [publish("Moved", false), publish("Copied", true)];
        for (id, ..) in &published {
            // It cannot take the place of what is there.
            let refused = client.refusal("accept_proposal", json!({"proposalId": id}), "CONFLICT");
            assert!(refused.contains("is there by now"), "{refused}");
            if expires {
                let name = format!(".wardroom/proposals/{id}.json");
                let mut stored: Value = serde_json::from_str(&text(&blog, &name)).unwrap();
                stored["expires_at"] = json!(1);
                blog.write(&name, stored.to_string());
            } else {
                assert_eq!(client.call("discard_proposal", json!({"proposalId": id}))["status"], "discarded");
            }
        }
        // A server sweeps what has expired when it starts.
        let _server = blog.client();
        eventually("the proposals are ended", || pending_files(&blog).is_empty());
        for (id, path, published) in &published {
            assert_eq!(text(&blog, path), *published, "{path}");
            let status = client.call("get_proposal", json!({"proposalId": id}))["status"].clone();
            assert_eq!(status, if expires { "expired" } else { "discarded" });
        }
        assert_eq!(files(&blog, ".wardroom/drafts"), [""; 0]);
        assert_eq!(client.call("search_posts", json!({"query": "person", "status": "published"}))["total"], 2);
    }
}
