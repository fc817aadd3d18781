//! The pages of proposals: the list, one of each kind, what was decided, and proposals that try to run something.

use serde_json::json;

use super::hostile_posts::ATTACK;
use super::proposing::{Proposing, address, encode};
use super::review_server::ReviewServer;
use wardroom_test_support::wardroom_command;

#[test]
fn pending_proposals_are_listed_with_how_long_they_last() {
    let mut blog = Proposing::start();
    let page = blog.visitor.get("/review/blog/proposals").expect(200);
    assert!(page.text().contains("Nothing waits for a decision."), "{}", page.text());
    let first = blog.propose("draft_post", json!({"title": "First", "content": "Text"}));
    blog.propose("propose_post_metadata", json!({"postId": "tide", "title": "Second"}));
    let page = blog.visitor.get("/review/blog/proposals").expect(200);
    for text in ["New post", "Fields of a post", "by operator (stdio)", ", in 7 hours", &address(&first), "UTC"] {
        assert!(page.text().contains(text), "{text}: {}", page.text());
    }
    // The newest is first, in the first section of the navigation, which counts them.
    let at = |text: &str| page.text().find(text).unwrap();
    assert!(at("data-item>The tide<") < at("data-item>First<"), "{}", page.text());
    assert!(at(">Proposals <span class=\"count\">2<span class=\"unseen\"> waiting") < at(">Posts</a>"));
    assert!(blog.visitor.get("/review").text().contains("<span class=\"count\">2 waiting</span>"));
    // A change of fields is shown in the list.
    assert!(page.text().contains("<td data-label=\"Proposed\">Second</td>"), "{}", page.text());
}

#[test]
fn every_kind_is_shown_with_what_it_changes() {
    let mut blog = Proposing::start();
    for (kind, id) in blog.propose_all() {
        let page = blog.page(&id);
        let expected: &[&str] = match kind {
            "draft_post" => {
                &["<h1>A new post</h1>", "As it will look", "data-label=\"Proposed\">sea<", "Edit, then accept"]
            }
            "propose_post_edit" => &["<mark>Many</mark>", "<mark>Few</mark>", "<del>", "<ins>", "As it will look"],
            "propose_post_translation" => &["Translation of a post", "Viele **Schiffe**.", "As it will look"],
            "propose_post_metadata" => {
                &["data-label=\"Before\">The tide<", "data-label=\"Proposed\">The high tide<", "Proposed\">sea, moon<"]
            }
            "propose_media_metadata" => {
                &["/review/blog/media/dot/thumbnail", "Before\">A red dot<", "Proposed\">A very red dot<"]
            }
            "upsert_media_translation" => &["/review/blog/media/dot/thumbnail", "Ein roter Punkt"],
            "propose_script" => &[
                "no mistakes",
                "<span class=\"keyword\">local</span> name = <span class=\"string\">&quot;sea&quot;</span> ",
                "<span class=\"comment\">-- a word</span>",
            ],
            _ => &["no mistakes", "&lt;p&gt;<span class=\"string\">{{ title }}</span>&lt;/p&gt;"],
        };
        for text in expected.iter().chain(&["by operator (stdio)", "data-key=\"a\"", "data-key=\"d\""]) {
            assert!(page.text().contains(text), "{kind}: {text}: {}", page.text());
        }
        assert_eq!(page.text().contains("/edit\""), !kind.contains("meta") && !kind.contains("media"), "{kind}");
        if page.text().contains("<iframe") {
            let preview = blog.visitor.get(page.between("<iframe class=\"preview\" src=\"", "\"")).expect(200);
            assert!(preview.text().contains("<strong>"), "{kind}: {}", preview.text());
            assert!(preview.0.header("content-security-policy").unwrap().starts_with("sandbox; default-src 'none'"));
        } else {
            blog.visitor.get(&format!("{}/preview", address(&id))).expect(404);
        }
    }
    blog.visitor.get(&address("none")).expect(404);
    blog.visitor.get(&address("0190d1a2-7c3b-7aaa-8bbb-0123456789ab")).expect(404);
}

#[test]
fn decided_proposals_have_pages() {
    let mut blog = Proposing::start();
    for number in 0..53 {
        let id = blog.propose("propose_post_metadata", json!({"postId": "tide", "title": format!("Number {number}")}));
        blog.call("discard_proposal", json!({"proposalId": id, "reason": format!("reason {number}.")}));
    }
    let page = blog.visitor.get("/review/blog/proposals").expect(200);
    assert!(
        page.text().contains("Reason: reason 52.") && !page.text().contains("Reason: reason 2."),
        "{}",
        page.text()
    );
    let more = page.between("rel=\"next\" href=\"", "\"").to_owned();
    let page = blog.visitor.get(&more).expect(200);
    for number in 0..3 {
        assert!(page.text().contains(&format!("Reason: reason {number}.")), "{}", page.text());
    }
    assert!(!page.text().contains("rel=\"next\""));
    blog.visitor.get("/review/blog/proposals?before=x").expect(400);
}

#[test]
fn open_page_learns_of_a_proposal_and_its_decision() {
    let mut blog = Proposing::start();
    let version = |blog: &Proposing| blog.visitor.get("/review/blog").between("data-version=\"", "\"").to_owned();
    let before = version(&blog);
    let id = blog.propose("propose_post_metadata", json!({"postId": "tide", "title": "Other"}));
    let pending = version(&blog);
    assert_ne!(pending, before);
    blog.call("discard_proposal", json!({"proposalId": id}));
    assert_ne!(version(&blog), pending);
}

#[test]
fn read_only_server_shows_and_decides_nothing() {
    let mut blog = Proposing::start();
    let id = blog.propose("propose_post_edit", json!({"postId": "tide", "content": "Other"}));
    let mut command = wardroom_command(blog.dir.root());
    command.arg("--appdir").arg(blog.dir.app_path()).args(["--read-only", "review", "--no-open"]);
    let server = ReviewServer::spawn(command);
    let visitor = server.visitor();
    let page = visitor.get(&address(&id)).expect(200);
    assert!(page.text().contains("may not write to the blog") && !page.text().contains("/accept"), "{}", page.text());
    for action in ["accept", "discard", "edit"] {
        visitor.post(&format!("{}/{action}", address(&id)), "digest=&text=x").expect(409);
    }
    assert_eq!(blog.status(&id)["status"], "pending");
}

#[test]
fn every_field_of_a_proposal_is_escaped() {
    let mut blog = Proposing::start();
    let attack = json!(ATTACK);
    let calls = [
        (
            "draft_post",
            json!({"title": attack, "content": ATTACK, "tags": [attack], "categories": [attack], "excerpt": attack}),
        ),
        ("propose_post_edit", json!({"postId": "harbour", "content": format!("Many {ATTACK} are")})),
        (
            "propose_post_translation",
            json!({"postId": "harbour", "language": "de", "title": attack, "content": ATTACK}),
        ),
        ("propose_post_metadata", json!({"postId": "tide", "title": attack, "tags": [attack], "excerpt": attack})),
        ("propose_media_metadata", json!({"mediaId": "dot", "alt": attack, "caption": attack, "title": attack})),
        ("upsert_media_translation", json!({"mediaId": "dot", "language": "de", "alt": attack, "title": attack})),
        (
            "propose_script",
            json!({"title": attack, "kind": "macro", "content": format!("return [==[{ATTACK}]==] -- {ATTACK}")}),
        ),
        ("propose_template", json!({"title": attack, "kind": "list", "content": format!("{ATTACK}{{{{ title }}}}")})),
    ];
    let mut pages = vec!["/review/blog/proposals".to_owned(), "/review/blog/proposals/decided".to_owned()];
    let mut ids = Vec::new();
    for (tool, arguments) in calls {
        let id = blog.propose(tool, arguments);
        pages.extend([address(&id), format!("{}/edit", address(&id)), format!("{}/preview", address(&id))]);
        ids.push(id);
    }
    let mut n_shown = 0;
    let mut check = |blog: &Proposing| {
        for path in &pages {
            let page = blog.visitor.get(path);
            assert!(matches!(page.0.status, 200 | 303 | 404), "{path}: {}", page.0.status);
            assert!(
                !page.text().contains("<script>") && !page.text().contains("<img src=x"),
                "{path}: {}",
                page.text()
            );
            assert!(!page.text().contains("\"\"'>"), "{path}: {}", page.text());
            n_shown += page.text().matches("&lt;script&gt;attack()").count();
        }
    };
    check(&blog);
    for id in &ids {
        blog.visitor.post(&format!("{}/discard", address(id)), &format!("reason={}", encode(ATTACK))).expect(303);
    }
    check(&blog);
    assert!(n_shown > 60, "{n_shown}");
    // What a form sends comes back escaped, too.
    let draft = blog.propose("draft_post", json!({"title": "x", "content": "x"}));
    let edited = format!("digest=x&text={}", encode(&format!("</textarea>{ATTACK}")));
    let page = blog.visitor.post(&format!("{}/edit", address(&draft)), &edited).expect(409);
    assert!(!page.text().contains("<script>") && page.text().contains("&lt;/textarea&gt;"), "{}", page.text());
}

#[test]
fn draft_of_a_person_is_published_from_its_own_page() {
    let mut blog = Proposing::start();
    let tide = blog.text("posts/2024/03/tide.md");
    let id = tide.lines().find_map(|line| line.strip_prefix("id: ")).unwrap();
    blog.dir.write_file(&format!("blog/.wardroom/drafts/{id}.md"), tide.replace("Water rises.", "Unfinished words."));
    let proposal = blog.propose("propose_post_metadata", json!({"postId": "tide", "status": "publish"}));
    let list = blog.visitor.get("/review/blog/proposals").expect(200);
    assert!(list.text().contains(&address(&proposal)) && !list.text().contains("name=\"chosen\""), "{}", list.text());
    let page = blog.page(&proposal);
    assert!(page.text().contains("As it will look") && page.text().contains("Unfinished"), "{}", page.text());
    let preview = page.between("<iframe class=\"preview\" src=\"", "\"").replace("&amp;", "&");
    assert!(blog.visitor.get(&preview).expect(200).text().contains("Unfinished words."));
}
