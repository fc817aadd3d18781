//! Files that a server with `accept = "human-strict"` may write, as one that was taken over would write them.

use serde_json::{Value, json};
use wardroom_test_support::eventually;

use super::decisions::{decisions, propose, run, shown};
use super::test_blog::{TestBlog, TestPost, id};

const POST: &str = "posts/2024/03/post-1.md";
const VICTIM: &str = "posts/2024/03/post-2.md";

fn blog() -> TestBlog {
    let blog = TestBlog::new();
    for n in [1, 2] {
        blog.post(&TestPost { n, title: "Old", fields: "status: published\n", body: "Text" });
    }
    blog
}

fn text(blog: &TestBlog, path: &str) -> String {
    std::fs::read_to_string(blog.path().join(path)).unwrap()
}

fn pending(id: &str) -> String {
    format!(".wardroom/proposals/{id}.json")
}

/// Writes the file of a proposal once more under another id, changed.
fn forge(blog: &TestBlog, stored: &str, from: &str, number: u32, change: impl FnOnce(&mut Value)) -> String {
    let id = format!("{}{number:012x}", &from[..24]);
    let mut forged: Value = serde_json::from_str(&stored.replace(from, &id)).unwrap();
    change(&mut forged);
    blog.write(&pending(&id), forged.to_string());
    id
}

#[test]
fn forged_proposals_change_nothing() {
    let blog = blog();
    blog.write("package.json", "{}");
    let strict = blog.dir.write_file("config.toml", "[blog]\naccept = \"human-strict\"\n").display().to_string();
    let mut client = blog.client_with(&["--config", &strict]);
    let honest = propose(&mut client, "Honest");
    let stored = text(&blog, &pending(&honest));
    // A published post with the bytes of a draft, whose digest is known.
    let drafted = client.call("draft_post", json!({"title": "Draft", "content": "Text"}));
    let drafted: Value = serde_json::from_str(&text(&blog, &pending(drafted["proposalId"].as_str().unwrap()))).unwrap();
    let draft = json!({"path": VICTIM, "digest": drafted["change"]["draft"]["digest"]});
    blog.write(VICTIM, text(&blog, drafted["change"]["draft"]["path"].as_str().unwrap()));
    let forged = [
        forge(&blog, &stored, &honest, 1, |proposal| {
            proposal["expires_at"] = 1.into();
            proposal["change"]["draft"] = draft.clone();
        }),
        forge(&blog, &stored, &honest, 2, |proposal| {
            proposal["change"]["draft"] = draft.clone();
            proposal["withdrawn"] =
                json!({"status": "accepted", "at": 1, "who": "operator", "through": "review", "digest": "00"});
        }),
        forge(&blog, &stored, &honest, 3, |proposal| {
            proposal["id"] = "a/b/../../../../package".into();
            proposal["expires_at"] = 1.into();
        }),
        forge(&blog, &stored, &honest, 4, |proposal| proposal["change"]["body"] = "Not shown\n".into()),
        forge(&blog, &stored, &honest, 5, |proposal| proposal["change"]["path"] = ".wardroom/decided/a.md".into()),
    ];
    blog.write(".wardroom/proposals/a/b/x", "");
    // What is expired, so that the sweep of a process that decides can be waited for.
    let over = forge(&blog, &stored, &honest, 6, |proposal| proposal["expires_at"] = 1.into());
    let before = [POST, VICTIM, "package.json"].map(|path| text(&blog, path));
    let _deciding = blog.client();
    eventually("the sweep is done", || !blog.path().join(pending(&over)).exists());
    for id in &forged {
        for args in [&["show", id][..], &["discard", id], &["accept", id, "--digest", "00"]] {
            let refused = run(&blog, args);
            assert!(refused.status == 1 && refused.stderr.contains("cannot be used"), "{args:?}: {refused:?}");
        }
        assert!(blog.path().join(pending(id)).exists());
    }
    let listed = run(&blog, &["list"]).expect_success();
    assert!(listed.contains(&honest) && listed.lines().count() == 2, "{listed}");
    assert_eq!([POST, VICTIM, "package.json"].map(|path| text(&blog, path)), before);
    assert!(!blog.path().join(".wardroom/package.json").exists());
    assert!(decisions(&blog).is_empty());
}

#[test]
fn proposal_that_changed_after_it_was_shown_is_not_accepted() {
    let blog = blog();
    let mut client = blog.client();
    let made = client.call("propose_post_edit", json!({"postId": id(1), "content": "New text"}));
    let proposal = made["proposalId"].as_str().unwrap();
    let digest = shown(&blog, proposal)["digest"].as_str().unwrap().to_owned();
    let stored: Value = serde_json::from_str(&text(&blog, &pending(proposal))).unwrap();
    for (field, value) in [("kind", "propose_post_translation"), ("entity_id", "another"), ("title", "Another")] {
        let mut forged = stored.clone();
        forged[field] = value.into();
        blog.write(&pending(proposal), forged.to_string());
        let refused = run(&blog, &["accept", proposal, "--digest", &digest]);
        assert!(refused.status == 1 && refused.stderr.contains("not what was shown"), "{field}: {refused:?}");
    }
    blog.write(&pending(proposal), stored.to_string());
    run(&blog, &["accept", proposal, "--digest", &digest]).expect_success();
}

#[test]
fn withdrawal_by_a_strict_server_names_no_other_principal() {
    let blog = blog();
    let mut client = blog.client();
    let proposal = propose(&mut client, "New");
    drop(client);
    let mut stored: Value = serde_json::from_str(&text(&blog, &pending(&proposal))).unwrap();
    stored["proposer"] = json!({"who": "token a", "through": "http"});
    stored["withdrawn"] =
        json!({"status": "accepted", "at": 1, "who": "operator", "through": "review", "digest": "00"});
    blog.write(&pending(&proposal), stored.to_string());
    let _deciding = blog.client();
    eventually("the withdrawal is decided", || !blog.path().join(pending(&proposal)).exists());
    let record = ["token a", "http", "proposal_discarded", &*proposal].map(str::to_owned);
    assert_eq!(decisions(&blog), [record]);
}

#[test]
fn decision_is_not_repeated_for_one_who_puts_its_proposal_back() {
    let blog = blog();
    let mut client = blog.client();
    let proposal = propose(&mut client, "New");
    drop(client);
    let (stored, before) = (text(&blog, &pending(&proposal)), text(&blog, POST));
    let digest = shown(&blog, &proposal)["digest"].as_str().unwrap().to_owned();
    run(&blog, &["accept", &proposal, "--digest", &digest]).expect_success();
    assert!(text(&blog, POST).contains("title: New\n"));
    // A person takes the change back by hand.
    blog.write(POST, &before);
    blog.write(&pending(&proposal), &stored);
    let mut deciding = blog.client();
    eventually("the file is gone again", || !blog.path().join(pending(&proposal)).exists());
    propose(&mut deciding, "Another");
    assert_eq!(text(&blog, POST), before);
    assert_eq!(decisions(&blog).len(), 1);
}
