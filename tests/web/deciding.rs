//! Decisions on the review page: what they write, and when nothing is written.

use serde_json::{Value, json};

use super::proposing::{Proposing, address, digest, encode};
use super::review_server::{PageOf, ReviewServer, Visitor, write_post};
use wardroom_test_support::{HttpServer, run_wardroom, serve_command, wardroom_command};

const TIDE: &str = "posts/2024/03/tide.md";

/// Returns the lines of the audit trail on decisions.
fn records(blog: &Proposing) -> Vec<Value> {
    let app = blog.dir.app_path().display().to_string();
    let listed = run_wardroom(blog.dir.root(), &["audit", "list", "--json", "--appdir", &app]).expect_success();
    let records: Vec<Value> = serde_json::from_str(&listed).unwrap();
    records.into_iter().filter(|record| record["action"].as_str().unwrap().starts_with("proposal_")).collect()
}

/// Returns what the audit trail says of decisions: who, through what, and the action.
fn decisions(blog: &Proposing) -> Vec<[String; 3]> {
    let fields = |record: &Value| ["who", "through", "action"].map(|field| record[field].as_str().unwrap().to_owned());
    records(blog).iter().map(fields).collect()
}

fn record(action: &str) -> [String; 3] {
    ["operator", "review", action].map(str::to_owned)
}

#[test]
fn person_accepts_every_kind() {
    let mut blog = Proposing::start();
    let all = blog.propose_all();
    let mut digests = Vec::new();
    for (kind, id) in &all {
        let page = blog.page(id);
        let seen = digest(&page);
        let reply = blog.accept(id, &page).expect(303);
        assert_eq!(reply.0.header("location"), Some(&*address(id)), "{kind}");
        let page = blog.page(id);
        assert!(page.text().contains("was accepted by operator (review)"), "{kind}: {}", page.text());
        // The digest of what the person saw is shown, and is in the audit trail.
        let shown = format!("Digest of what was decided on: <code>{seen}</code>");
        assert!(page.text().contains(&shown), "{kind}: {}", page.text());
        digests.push(Some(seen));
        assert!(!page.text().contains("/accept"), "{kind}");
        assert_eq!(blog.status(id)["decided_by"], "operator (review)", "{kind}");
    }
    assert!(blog.text("posts/2024/03/harbour.md").contains("Few **boats** are"));
    assert!(blog.text(TIDE).contains("title: The high tide\n"));
    assert!(blog.text("posts/2024/03/harbour.de.md").contains("Viele **Schiffe**."));
    assert!(blog.text("media/2024/03/dot.png.meta").contains("A very red dot"));
    assert!(blog.text("scripts/a-macro.lua").contains("return name"));
    assert!(blog.text("templates/a-list.liquid").contains("{{ title }}"));
    assert_eq!(decisions(&blog), vec![record("proposal_accepted"); all.len()]);
    let recorded = records(&blog).into_iter().map(|record| record["digest"].as_str().map(str::to_owned));
    assert_eq!(recorded.collect::<Vec<_>>(), digests);
    let posts = blog.visitor.get("/review/blog");
    assert!(posts.text().contains("A new post") && posts.text().contains("4 posts<"), "{}", posts.text());
}

#[test]
fn person_discards_with_a_reason() {
    let mut blog = Proposing::start();
    let id = blog.propose("draft_post", json!({"title": "Never", "content": "Text"}));
    let discard = format!("{}/discard", address(&id));
    blog.visitor.post(&discard, &format!("reason={}", "x".repeat(6_000))).expect(400);
    blog.visitor.post(&discard, "reason=not+now%2C+please").expect(303);
    let decided = blog.status(&id);
    assert_eq!((&decided["status"], &decided["reason"]), (&json!("discarded"), &json!("not now, please")));
    assert!(blog.page(&id).text().contains("Reason: not now, please"));
    assert!(blog.visitor.get("/review/blog/proposals").text().contains("Reason: not now, please"));
    assert_eq!(std::fs::read_dir(blog.dir.app_path().join("blog/.wardroom/drafts")).unwrap().count(), 0);
    assert_eq!(decisions(&blog), [record("proposal_discarded")]);
}

#[test]
fn form_without_its_token_decides_nothing() {
    let mut blog = Proposing::start();
    let id = blog.propose("propose_post_metadata", json!({"postId": "tide", "title": "Other"}));
    let digest = digest(&blog.page(&id));
    let chosen = format!("decision=accept&chosen={id}%3A{digest}");
    for (path, body) in [
        (format!("{}/accept", address(&id)), format!("digest={digest}")),
        (format!("{}/discard", address(&id)), String::new()),
        (format!("{}/edit", address(&id)), "text=x".to_owned()),
        ("/review/blog/proposals".to_owned(), chosen),
    ] {
        blog.visitor.post_raw(&path, &body).expect(403);
        blog.visitor.post_raw(&path, &format!("form_token=0&{body}")).expect(403);
        let of_other = blog.other_person().form_token();
        blog.visitor.post_raw(&path, &format!("form_token={of_other}&{body}")).expect(403);
    }
    // A link decides nothing.
    blog.visitor.get(&format!("{}/accept?digest={digest}", address(&id))).expect(303);
    assert_eq!(blog.status(&id)["status"], "pending");
}

#[test]
fn edited_draft_is_accepted_as_it_was_edited() {
    let mut blog = Proposing::start();
    let id = blog.propose("draft_post", json!({"title": "Draft", "content": "First words.\n"}));
    let stale = blog.page(&id);
    let edit = format!("{}/edit", address(&id));
    let form = blog.visitor.get(&edit).expect(200);
    let draft = form.between("spellcheck=\"true\">\n", "</textarea>").to_owned();
    assert!(draft.contains("title: Draft\n") && draft.contains(&format!("proposal: {id}")), "{draft}");
    let old = digest(&form);
    // A browser sends lines that end with CR and LF. The line that names the proposal stays, whatever the person does.
    let edited = draft.replace("First", "Better").replace(&format!("proposal: {id}\n"), "").replace('\n', "\r\n");
    blog.visitor.post(&edit, &format!("digest={old}&text={}", encode(&edited))).expect(303);
    let page = blog.page(&id);
    assert!(page.text().contains("Better words."), "{}", page.text());
    // The frame of the page from before shows nothing.
    let frame = |page: &PageOf| blog.visitor.get(page.between("<iframe class=\"preview\" src=\"", "\""));
    assert!(frame(&page).expect(200).text().contains("Better words."));
    frame(&stale).expect(400);
    // The page from before is not what is there.
    blog.accept(&id, &stale).expect(409);
    // Another person's edit of what is gone keeps their text in the form.
    let second = blog.visitor.post(&edit, &format!("digest={old}&text=mine")).expect(409);
    assert!(second.text().contains("mine</textarea>") && second.text().contains("Better words."), "{}", second.text());
    // What cannot be read is not saved.
    let fresh = digest(&blog.visitor.get(&edit));
    for wrong in ["---\ntitle: [\n---\nx", "---\ntitle: Other\nid: other\n---\nx", " "] {
        let page = blog.visitor.post(&edit, &format!("digest={fresh}&text={}", encode(wrong))).expect(400);
        assert!(page.text().contains("not saved"), "{}", page.text());
    }
    blog.accept(&id, &page).expect(303);
    let post = blog.visitor.get("/review/blog/posts/draft").expect(200);
    assert!(post.text().contains("Better words."), "{}", post.text());
}

#[test]
fn edited_body_is_accepted_as_it_was_edited() {
    let mut blog = Proposing::start();
    let id = blog.propose("propose_post_edit", json!({"postId": "tide", "content": "Proposed words.\n"}));
    let edit = format!("{}/edit", address(&id));
    let form = blog.visitor.get(&edit).expect(200);
    assert!(form.text().contains("spellcheck=\"true\">\nProposed words.\n</textarea>"), "{}", form.text());
    let digest = digest(&form);
    // The same as the blog says.
    let same = encode("Water rises. [Harbour](/2024/03/09/harbour)");
    let refused = blog.visitor.post(&edit, &format!("digest={digest}&text={same}")).expect(400);
    // A page that follows changes would lose what was typed.
    assert!(form.text().contains("data-events=") && !refused.text().contains("data-events="), "{}", refused.text());
    blog.visitor.post(&edit, &format!("digest={digest}&text=Edited+words.")).expect(303);
    assert!(blog.text(TIDE).contains("Water rises."));
    let page = blog.page(&id);
    assert!(page.text().contains("Edited words.") && !page.text().contains("Proposed words."), "{}", page.text());
    blog.accept(&id, &page).expect(303);
    assert!(blog.text(TIDE).ends_with("Edited words.\n"));
    // What is decided is edited no more.
    assert_eq!(blog.visitor.get(&edit).expect(303).0.header("location"), Some(&*address(&id)));
    blog.visitor.post(&edit, &format!("digest={digest}&text=late")).expect(409);
    assert!(blog.text(TIDE).ends_with("Edited words.\n"));
}

#[test]
fn script_with_a_mistake_cannot_be_accepted() {
    let mut blog = Proposing::start();
    let id = blog.propose("propose_script", json!({"title": "Code", "kind": "macro", "content": "return 1"}));
    let edit = format!("{}/edit", address(&id));
    let change = |from: &str, to: &str| {
        let form = blog.visitor.get(&edit).expect(200);
        let draft = form.between("spellcheck=\"true\">\n", "</textarea>").replace(from, to);
        blog.visitor.post(&edit, &format!("digest={}&text={}", digest(&form), encode(&draft))).expect(303);
    };
    let seen = blog.page(&id);
    change("return 1", "return return");
    let page = blog.page(&id);
    assert!(page.text().contains("line 1, column 8") && !page.text().contains("/accept\""), "{}", page.text());
    // A form from before does not get around that.
    let refused = blog.accept(&id, &seen).expect(409);
    assert!(refused.text().contains("Nothing was decided") && refused.text().contains("line 1, column 8"));
    assert_eq!(blog.text("scripts/code.lua"), "");
    change("return return", "return 2");
    blog.accept(&id, &blog.page(&id)).expect(303);
    assert!(blog.text("scripts/code.lua").ends_with("---\nreturn 2\n"));
}

#[test]
fn change_meanwhile_refuses_and_shows_what_is_there() {
    let mut blog = Proposing::start();
    let id = blog.propose("propose_post_metadata", json!({"postId": "tide", "title": "Mine"}));
    let seen = blog.page(&id);
    write_post(&blog.dir, "tide", "title: The tide\nstatus: draft\ntags: [sea]\n", "Others wrote this.");
    let before = blog.text(TIDE);
    let refused = blog.accept(&id, &seen).expect(409);
    for text in
        ["changed while you looked at it", "The file changed meanwhile", "Accept the merge", "Others wrote this."]
    {
        assert!(refused.text().contains(text), "{text}: {}", refused.text());
    }
    assert_eq!(blog.text(TIDE), before);
    assert_eq!(blog.status(&id)["status"], "pending");
    for wrong in ["", "digest=", "digest=00"] {
        blog.visitor.post(&format!("{}/accept", address(&id)), wrong).expect(409);
    }
    // The merge is accepted from the page that shows it.
    blog.accept(&id, &refused).expect(303);
    let after = blog.text(TIDE);
    assert!(after.contains("title: Mine\n") && after.contains("Others wrote this."), "{after}");
}

#[test]
fn conflict_without_a_merge_cannot_be_accepted() {
    let mut blog = Proposing::start();
    let id = blog.propose("propose_post_metadata", json!({"postId": "tide", "title": "Mine"}));
    write_post(&blog.dir, "tide", "title: Theirs\nstatus: draft\ntags: [sea]\n", "Water rises.");
    let page = blog.page(&id);
    for text in ["What others changed since", "What is proposed", "<mark>Theirs</mark>", "<mark>Mine</mark>", "title"] {
        assert!(page.text().contains(text), "{text}: {}", page.text());
    }
    assert!(!page.text().contains("/accept\""), "{}", page.text());
    blog.visitor.post(&format!("{}/accept", address(&id)), "digest=").expect(409);
    assert!(blog.text(TIDE).contains("title: Theirs\n"));
    std::fs::remove_file(blog.dir.app_path().join("blog").join(TIDE)).unwrap();
    assert!(blog.page(&id).text().contains("does not exist any more"));
    blog.visitor.post(&format!("{}/discard", address(&id)), "").expect(303);
}

#[test]
fn proposal_that_expires_while_it_is_shown_is_not_accepted() {
    let mut blog = Proposing::start();
    let id = blog.propose("propose_post_metadata", json!({"postId": "tide", "title": "Late"}));
    let seen = blog.page(&id);
    let file = format!("blog/.wardroom/proposals/{id}.json");
    let mut stored: Value = serde_json::from_slice(&std::fs::read(blog.dir.app_path().join(&file)).unwrap()).unwrap();
    stored["expires_at"] = json!(1);
    blog.dir.write_file(&file, stored.to_string());
    let refused = blog.accept(&id, &seen).expect(409);
    assert!(refused.text().contains("expired while you looked at it"), "{}", refused.text());
    assert!(refused.text().contains("It can be proposed again") && !refused.text().contains("/accept\""));
    blog.visitor.post(&format!("{}/discard", address(&id)), "").expect(409);
    assert!(blog.text(TIDE).contains("title: The tide\n"));
    assert!(blog.visitor.get("/review/blog/proposals").text().contains(">expired<"));
}

#[test]
fn one_of_two_people_decides() {
    let mut blog = Proposing::start();
    for round in 0..4 {
        let id = blog.propose("propose_post_metadata", json!({"postId": "tide", "title": format!("Round {round}")}));
        let page = blog.page(&id);
        let before = decisions(&blog).len();
        let (accept, discard) = (format!("{}/accept", address(&id)), format!("{}/discard", address(&id)));
        let fields = format!("digest={}", digest(&page));
        let people = [blog.visitor.clone(), blog.other_person(), blog.visitor.clone(), blog.other_person()];
        let statuses: Vec<u16> = std::thread::scope(|scope| {
            let forms = [(&accept, &fields), (&discard, &fields), (&accept, &fields), (&discard, &fields)];
            let sent: Vec<_> = people
                .iter()
                .zip(forms)
                .map(|(person, (path, fields))| scope.spawn(move || person.post(path, fields).0.status))
                .collect();
            sent.into_iter().map(|sent| sent.join().unwrap()).collect()
        });
        assert_eq!(statuses.iter().filter(|status| **status == 303).count(), 1, "{statuses:?}");
        assert_eq!(statuses.iter().filter(|status| **status == 409).count(), 3, "{statuses:?}");
        let made = decisions(&blog).split_off(before);
        assert_eq!(made.len(), 1, "{made:?}");
        let is_accepted = made[0][2] == "proposal_accepted";
        assert_eq!(blog.text(TIDE).contains(&format!("title: Round {round}\n")), is_accepted, "{made:?}");
    }
}

#[test]
fn several_changes_of_fields_are_decided_at_once() {
    let mut blog = Proposing::start();
    let harbour = blog.propose("propose_post_metadata", json!({"postId": "harbour", "excerpt": "Calm"}));
    let tide = blog.propose("propose_post_metadata", json!({"postId": "tide", "excerpt": "Wet"}));
    let media = blog.propose("propose_media_metadata", json!({"mediaId": "dot", "alt": "Red"}));
    let post = blog.propose("draft_post", json!({"title": "Alone", "content": "Text"}));
    let page = blog.visitor.get("/review/blog/proposals?select=all").expect(200);
    let chosen: Vec<&str> = page.text().split("name=\"chosen\" value=\"").skip(1).collect();
    assert_eq!(chosen.len(), 3, "{}", page.text());
    assert!(!chosen.iter().any(|value| value.starts_with(&post)), "a post is looked at alone");
    assert!(page.text().contains("src=\"/review/blog/media/dot/thumbnail\""), "{}", page.text());
    assert_eq!(page.text().matches(" checked").count(), 3, "{}", page.text());
    let fields: String =
        chosen.iter().map(|rest| format!("chosen={}&", encode(rest.split('"').next().unwrap()))).collect();
    write_post(&blog.dir, "tide", "title: The tide\nstatus: draft\ntags: [sea]\n", "Others wrote this.");
    let results = blog.visitor.post("/review/blog/proposals", &format!("{fields}decision=accept")).expect(409);
    // It is one decision over what was shown: one that is something else by now refuses all.
    assert!(results.text().contains("<h1>0 of 3 accepted</h1>"), "{}", results.text());
    assert!(results.text().contains("Nothing was decided") && results.text().contains("tide.md"), "{}", results.text());
    for id in [&harbour, &media, &tide] {
        assert_eq!(blog.status(id)["status"], "pending");
    }
    assert!(decisions(&blog).is_empty() && !blog.text("posts/2024/03/harbour.md").contains("Calm"));
    // The others are accepted from the list as it is then.
    let page = blog.visitor.get("/review/blog/proposals?select=all").expect(200);
    let chosen: Vec<&str> = page.text().split("name=\"chosen\" value=\"").skip(1).collect();
    assert_eq!(chosen.len(), 2, "{}", page.text());
    let fields: String =
        chosen.iter().map(|rest| format!("chosen={}&", encode(rest.split('"').next().unwrap()))).collect();
    let results = blog.visitor.post("/review/blog/proposals", &format!("{fields}decision=accept")).expect(200);
    assert!(results.text().contains("<h1>2 of 2 accepted</h1>"), "{}", results.text());
    assert!(!results.text().contains("data-events="), "the reply stays as it is");
    assert_eq!(blog.status(&harbour)["status"], "accepted");
    assert_eq!(blog.status(&media)["status"], "accepted");
    assert_eq!(blog.status(&tide)["status"], "pending");
    assert_eq!(decisions(&blog).len(), 2);
    // The same form once more decides nothing.
    let again = blog.visitor.post("/review/blog/proposals", &format!("{fields}decision=discard")).expect(409);
    assert!(again.text().contains("was accepted before"), "{}", again.text());
    assert_eq!(decisions(&blog).len(), 2);
    // What is in conflict is looked at alone; the rest is discarded with one reason.
    let other = blog.propose("propose_media_metadata", json!({"mediaId": "dot", "alt": "Blue"}));
    let page = blog.visitor.get("/review/blog/proposals").expect(200);
    assert_eq!(page.text().matches("name=\"chosen\"").count(), 1, "{}", page.text());
    let value = encode(page.between("name=\"chosen\" value=\"", "\""));
    let results =
        blog.visitor.post("/review/blog/proposals", &format!("chosen={value}&decision=discard&reason=no")).expect(200);
    assert!(results.text().contains("<h1>1 of 1 discarded</h1>"), "{}", results.text());
    assert_eq!(blog.status(&other)["reason"], "no");
    for wrong in ["decision=accept", "chosen=x%3Ay&decision=accept"] {
        blog.visitor.post("/review/blog/proposals", wrong).expect(400);
    }
    blog.visitor.post("/review/blog/proposals", &format!("chosen={value}")).expect(404);
}

#[test]
fn review_command_decides_where_other_servers_do_not() {
    let mut blog = Proposing::start();
    let id = blog.propose("propose_post_metadata", json!({"postId": "tide", "title": "Strict"}));
    let strict = blog.dir.write_file("config.toml", "[blog]\naccept = \"human-strict\"\n").display().to_string();
    let mut command = wardroom_command(blog.dir.root());
    command.arg("--appdir").arg(blog.dir.app_path()).args(["--config", &strict, "review", "--no-open"]);
    let server = ReviewServer::spawn(command);
    let page = blog.page(&id);
    server.visitor().post(&format!("{}/accept", address(&id)), &format!("digest={}", digest(&page))).expect(303);
    assert!(blog.text(TIDE).contains("title: Strict\n"));
    // A server with endpoints may not write to posts, and says where a person decides.
    let strict = HttpServer::spawn(serve_command(
        &blog.dir,
        "[blog]\naccept = \"human-strict\"\n",
        &["--http", "127.0.0.1:0", "--service", "blog"],
    ));
    let host = format!("{}:{}", blog.visitor.host.split_once(':').unwrap().0, strict.address.port());
    let visitor = Visitor { port: strict.address.port(), host, cookie: blog.visitor.cookie.clone() };
    let id = blog.propose("propose_post_metadata", json!({"postId": "tide", "title": "Never"}));
    let page = visitor.get(&address(&id)).expect(200);
    assert!(page.text().contains("Run wardroom review in a terminal") && !page.text().contains("/accept\""));
    visitor.post(&format!("{}/accept", address(&id)), &format!("digest={}", digest(&blog.page(&id)))).expect(409);
    assert!(blog.text(TIDE).contains("title: Strict\n"));
    // The tool names the page, and no key.
    let id = blog.propose("propose_post_metadata", json!({"postId": "tide", "title": "Other"}));
    let refused = blog.call("accept_proposal", json!({"proposalId": id})).to_string();
    assert!(refused.contains("`wardroom review`") && !refused.contains("key="), "{refused}");
}

#[test]
fn server_with_endpoints_decides_on_its_page() {
    let mut blog = Proposing::start();
    let args = ["--http", "127.0.0.1:0", "--service", "blog"];
    let server = HttpServer::spawn(serve_command(&blog.dir, "[blog]\naccept = \"human\"\n", &args));
    let host = format!("{}:{}", blog.visitor.host.split_once(':').unwrap().0, server.address.port());
    let visitor = Visitor { port: server.address.port(), host, cookie: blog.visitor.cookie.clone() };
    let id = blog.propose("propose_post_metadata", json!({"postId": "tide", "title": "By its page"}));
    let page = visitor.get(&address(&id)).expect(200);
    visitor.post(&format!("{}/accept", address(&id)), &format!("digest={}", digest(&page))).expect(303);
    assert!(blog.text(TIDE).contains("title: By its page\n"));
    assert_eq!(decisions(&blog), [record("proposal_accepted")]);
    // The endpoint of the same server cannot.
    let id = blog.propose("propose_post_metadata", json!({"postId": "tide", "title": "By its endpoint"}));
    let params = json!({"name": "accept_proposal", "arguments": {"proposalId": id}});
    let refused = server.call("tools/call", params).json()["result"]["structuredContent"].clone();
    assert_eq!(refused["error"]["code"], "HUMAN_DECIDES", "{refused:#}");
    assert!(!blog.text(TIDE).contains("endpoint"));
}

#[test]
fn tool_names_the_page_of_its_server() {
    let mut blog = Proposing::start();
    let id = blog.propose("propose_post_metadata", json!({"postId": "tide", "title": "Other"}));
    for (accept, names_page) in [("human", true), ("human-strict", false)] {
        let config = format!("[blog]\naccept = \"{accept}\"\n");
        let args = ["--http", "127.0.0.1:0", "--service", "blog"];
        let server = HttpServer::spawn(serve_command(&blog.dir, &config, &args));
        // The address does not have the name of the pages' host: a program that knows the name can offer a page of its own at
        // another port of it, to which a browser sends the cookie.
        let page = format!("http://127.0.0.1:{}/review", server.address.port());
        let params = json!({"name": "accept_proposal", "arguments": {"proposalId": id}});
        let mut reply = Value::Null;
        wardroom_test_support::eventually("the index is there", || {
            reply = server.call("tools/call", params.clone()).json()["result"].clone();
            reply["structuredContent"]["error"]["code"] == "HUMAN_DECIDES"
        });
        let message = reply["structuredContent"]["error"]["message"].as_str().unwrap();
        assert_eq!(message.contains(&page), names_page, "{message}");
        assert!(!reply.to_string().contains(".localhost"), "{reply}");
        assert!(message.contains("`wardroom review`") && !message.contains("key="), "{message}");
        // So does the answer to a proposal.
        let params = json!({"name": "propose_post_metadata", "arguments": {"postId": "tide", "excerpt": accept}});
        let made = server.call("tools/call", params).json()["result"]["structuredContent"].clone();
        let own_page = format!("{page}/blog/proposals/{}", made["proposalId"].as_str().unwrap());
        assert_eq!(made["reviewUri"], if names_page { json!(own_page) } else { Value::Null }, "{made:#}");
        assert!(!made.to_string().contains(".localhost"), "{made}");
    }
}

#[test]
fn slug_that_another_post_got_is_no_longer_free() {
    let mut blog = Proposing::start();
    let id = blog.propose("draft_post", json!({"title": "A new post", "content": "Text"}));
    let before = blog.page(&id);
    write_post(&blog.dir, "a-new-post", "title: Someone else's\nstatus: published\n", "Theirs.");
    wardroom_test_support::eventually("the other post is in the index", || {
        blog.page(&id).text().contains("has the slug a-new-post by now")
    });
    assert!(!blog.page(&id).text().contains("/accept"));
    let digest = format!("digest={}", digest(&before));
    blog.visitor.post(&format!("{}/accept", address(&id)), &digest).expect(409);
    assert_eq!(blog.status(&id)["status"], "pending");
    let text = blog.visitor.get(&format!("{}/edit", address(&id))).expect(200);
    let draft = text.between("<textarea", "</textarea>").split_once('>').unwrap().1.trim_start_matches('\n').to_owned();
    let draft = draft.replace("&#39;", "'").replace("&quot;", "\"").replace("slug: a-new-post", "slug: my-own-slug");
    let form = format!("digest={}&text={}", self::digest(&text), encode(&draft));
    blog.visitor.post(&format!("{}/edit", address(&id)), &form).expect(303);
    blog.accept(&id, &blog.page(&id)).expect(303);
    assert_eq!(blog.status(&id)["status"], "accepted");
}
