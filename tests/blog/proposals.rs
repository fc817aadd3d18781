//! Proposals: what each tool makes, and what accepting that writes.

use std::path::Path;

use serde_json::{Value, json};

use super::test_blog::{BlogClient, TestBlog, TestPost, id};

/// A client of a server with settings of the blog.
pub(crate) fn client_with(blog: &TestBlog, settings: &str) -> BlogClient {
    let config = blog.dir.write_file("config.toml", format!("[blog]\n{settings}"));
    blog.client_with(&["--config", &config.display().to_string()])
}

/// A client that may accept.
pub(crate) fn agent(blog: &TestBlog) -> BlogClient {
    client_with(blog, "accept = \"agent\"\n")
}

impl BlogClient {
    /// Calls a tool that must fail; returns its message.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "calls read better")]
    pub(crate) fn call_error(&mut self, tool: &str, arguments: Value) -> String {
        let answer = self.0.0.call("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_eq!(answer["result"]["isError"], true, "{answer:#}");
        answer["result"]["structuredContent"]["error"]["message"].as_str().unwrap().to_owned()
    }
}

#[track_caller]
pub(crate) fn text(blog: &TestBlog, name: &str) -> String {
    std::fs::read_to_string(blog.path().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

pub(crate) fn exists(blog: &TestBlog, name: &str) -> bool {
    blog.path().join(name).exists()
}

/// The files of a folder of the blog, by name.
pub(crate) fn files(blog: &TestBlog, folder: &str) -> Vec<String> {
    fn visit(folder: &Path, found: &mut Vec<String>) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() { visit(&path, found) } else { found.push(path.display().to_string()) }
        }
    }
    let (root, mut found) = (blog.path().join(folder), Vec::new());
    visit(&root, &mut found);
    found
        .iter()
        .map(|file| file.trim_start_matches(&*root.display().to_string()).trim_start_matches('/').to_owned())
        .collect()
}

/// The files of proposals that wait, without the locks beside them.
pub(crate) fn pending_files(blog: &TestBlog) -> Vec<String> {
    let mut pending = files(blog, ".wardroom/proposals");
    pending.retain(|name| name.ends_with(".json"));
    pending
}

pub(crate) fn accept(client: &mut BlogClient, proposal: &Value) -> Value {
    client.call("accept_proposal", json!({"proposalId": proposal["proposalId"]}))
}

#[test]
fn draft_is_seen_by_those_who_ask_and_public_when_accepted() {
    let blog = TestBlog::new();
    blog.post(&TestPost { n: 1, title: "First", fields: "status: published\n", body: "One." });
    let mut client = agent(&blog);
    let made = client.call(
        "draft_post",
        json!({"title": "Über Häfen", "content": "See [first](/post-1).\n", "tags": ["harbour"], "excerpt": "Short: yes"}),
    );
    let post = made["post"]["id"].as_str().unwrap().to_owned();
    let given = &made["post"];
    assert_eq!((&given["tags"], &given["categories"]), (&json!(["harbour"]), &json!([])), "{made:#}");
    assert_eq!((&given["excerpt"], &given["author"]), (&json!("Short: yes"), &Value::Null), "{made:#}");
    assert_eq!((&given["language"], &given["availableLanguages"]), (&json!("en"), &json!(["en"])), "{made:#}");
    assert_eq!((&given["contentLength"], &given["publishedAt"]), (&json!(22), &Value::Null), "{made:#}");
    assert_eq!(made["status"], "pending", "{made:#}");
    assert!(exists(&blog, &format!(".wardroom/drafts/{post}.md")));
    // Lists and counts do not have it, and drafts do.
    assert_eq!(client.read("bds://posts")["total"], 1);
    assert_eq!(client.call("search_posts", json!({"query": "see"}))["total"], 0);
    assert_eq!(client.call("search_posts", json!({"query": "see", "status": "draft"}))["total"], 1);
    assert_eq!(client.read("bds://posts/uber-hafen")["status"], "draft");
    assert_eq!(client.read("bds://posts/post-1")["backlinkCount"], 0);
    let listed = client.call("list_proposals", json!({}));
    let item = &listed["proposals"][0];
    assert_eq!((&item["kind"], &item["status"], &item["data"]), (&json!("draft_post"), &json!("pending"), &json!("")));
    assert_eq!(item["entity_id"], post.as_str());
    assert_eq!(item["draft_post"]["id"], post.as_str());
    assert_eq!(item["is_expired"], false);

    let accepted = accept(&mut client, &made);
    assert_eq!((&accepted["success"], &accepted["status"]), (&json!(true), &json!("accepted")));
    let year = client.call("count_posts", json!({"groupBy": ["year", "month"]}))["groups"].clone();
    let (year, month) = (&year[1]["year"], year[1]["month"].as_i64().unwrap());
    let path = format!("posts/{year}/{month:02}/uber-hafen.md");
    let published = text(&blog, &path);
    for line in [&*format!("id: {post}"), "title: Über Häfen", "slug: uber-hafen", "status: published", "  - harbour"]
    {
        assert!(published.lines().any(|found| found == line), "{line}: {published}");
    }
    assert!(published.ends_with("---\nSee [first](/post-1).\n"), "{published}");
    assert!(!published.contains("proposal"), "{published}");
    assert!(!exists(&blog, &format!(".wardroom/drafts/{post}.md")));
    assert_eq!(client.read("bds://posts")["total"], 2);
    // Its links count from then on.
    let linked = client.read("bds://posts/post-1");
    assert_eq!((&linked["backlinkCount"], &linked["backlinks"][0]["slug"]), (&json!(1), &json!("uber-hafen")));
    assert_eq!(client.call("list_proposals", json!({}))["proposals"], json!([]));
    // Again, it is the same decision.
    assert_eq!(accept(&mut client, &made)["alreadyAccepted"], true);
    let decided = client.call("get_proposal", json!({"proposalId": made["proposalId"]}));
    assert_eq!((&decided["status"], &decided["decided_by"]), (&json!("accepted"), &json!("operator (stdio)")));
    assert_eq!(client.read(&format!("bds://proposals/{}", made["proposalId"].as_str().unwrap()))["status"], "accepted");
    assert_eq!(blog.problems(), [""; 0]);
}

#[test]
fn metadata_changes_the_named_lines_alone() {
    let blog = TestBlog::new();
    let source = format!(
        "---\r\n# kept\r\nid: {}\r\ntitle: \"One\" # why\r\nslug: post-1\r\nstatus: published\r\nx-own: [1, 2]\r\ntags:\r\n  - a\r\n\
         created_at: '2024-03-01T00:00:00.000Z'\r\nupdated_at: '2024-03-01T00:00:00.000Z'\r\n---\r\nBody\r\n",
        id(1)
    );
    blog.write("posts/2024/03/post-1.md", &source);
    let mut client = agent(&blog);
    let made = client.call(
        "propose_post_metadata",
        json!({"postId": "post-1", "title": "Another: title", "tags": ["a", "b"], "excerpt": "New"}),
    );
    assert_eq!(made["current"]["title"], "One");
    assert_eq!(made["proposed"], json!({"title": "Another: title", "tags": ["a", "b"], "excerpt": "New"}));
    assert!(made["diff"].as_str().unwrap().contains("+title: "), "{made:#}");
    assert_eq!(text(&blog, "posts/2024/03/post-1.md"), source);
    let found = client.call("get_proposal", json!({"proposalId": made["proposalId"]}));
    assert_eq!(
        serde_json::from_str::<Value>(found["data"].as_str().unwrap()).unwrap(),
        json!({"title": "Another: title", "tags": ["a", "b"], "excerpt": "New"})
    );
    accept(&mut client, &made);
    let changed = text(&blog, "posts/2024/03/post-1.md");
    for line in ["# kept\r\n", "x-own: [1, 2]\r\n", "slug: post-1\r\n", "created_at: '2024-03-01T00:00:00.000Z'\r\n"] {
        assert!(changed.contains(line), "{line:?}: {changed}");
    }
    assert!(changed.ends_with("---\r\nBody\r\n") && !changed.contains("updatedAt"), "{changed}");
    let post = client.read("bds://posts/post-1");
    assert_eq!((&post["title"], &post["status"]), (&json!("Another: title"), &json!("published")));
    assert_eq!(post["tags"], json!(["a", "b"]));
    // The same again changes nothing.
    let nothing = client.call_error("propose_post_metadata", json!({"postId": "post-1", "title": "Another: title"}));
    assert!(nothing.contains("changes nothing"), "{nothing}");
    assert!(client.call_error("propose_post_metadata", json!({"postId": "post-1"})).contains("at least one"));
}

#[test]
fn status_of_a_post_is_proposed() {
    let blog = TestBlog::new();
    blog.post(&TestPost { n: 1, title: "One", fields: "status: published\n", body: "Published." });
    let mut client = agent(&blog);
    let change = |client: &mut BlogClient, status: &str| {
        let made = client.call("propose_post_metadata", json!({"post_id": id(1), "status": status}));
        accept(client, &made);
        client.read("bds://posts/post-1")["status"].clone()
    };
    assert_eq!(change(&mut client, "archive"), "archived");
    assert_eq!(change(&mut client, "unpublish"), "draft");
    assert_eq!(change(&mut client, "publish"), "published");
    assert!(text(&blog, "posts/2024/03/post-1.md").contains("publishedAt: "));
    // A person's draft takes the place of the published file when it is published.
    let draft = format!("---\nid: {}\ntitle: One\nslug: post-1\n---\nDraft.\n", id(1));
    blog.write(&format!(".wardroom/drafts/{}.md", id(1)), draft);
    assert_eq!(client.read("bds://posts/post-1")["content"], "Draft.\n");
    assert_eq!(change(&mut client, "publish"), "published");
    assert_eq!(files(&blog, ".wardroom/drafts"), [""; 0]);
    assert!(text(&blog, "posts/2024/03/post-1.md").ends_with("---\nDraft.\n"));
}

#[test]
fn status_of_a_translation_is_its_own() {
    let blog = TestBlog::new();
    blog.post(&TestPost { n: 1, title: "One", fields: "status: published\nlanguage: en\n", body: "Published." });
    let translation = |language: &str, fields: &str| {
        let front = format!("---\ntranslationFor: {}\nlanguage: {language}\ntitle: Eins\n{fields}---\nText\n", id(1));
        blog.write(&format!("posts/2024/03/post-1.{language}.md"), front);
    };
    translation("de", "status: published\n");
    // This one has the status of its post.
    translation("fr", "");
    let mut client = agent(&blog);
    let statuses = |client: &mut BlogClient| {
        let all = client.call("get_post_translations", json!({"postId": id(1)}));
        all["translations"].as_array().unwrap().iter().map(|one| one["status"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(statuses(&mut client), ["published", "published"]);
    let made = client.call("propose_post_metadata", json!({"postId": id(1), "status": "unpublish"}));
    let summary = made["summary"].as_str().unwrap();
    assert!(summary.ends_with("Translations have a status of their own; still public: de."), "{summary}");
    accept(&mut client, &made);
    assert_eq!(statuses(&mut client), ["published", "draft"]);
    let made = client.call("propose_post_metadata", json!({"postId": id(1), "language": "de", "status": "unpublish"}));
    assert_eq!(
        (&made["current"]["language"], &made["current"]["status"]),
        (&json!("de"), &json!("published")),
        "{made}"
    );
    accept(&mut client, &made);
    assert_eq!(statuses(&mut client), ["draft", "draft"]);
    let changed = text(&blog, "posts/2024/03/post-1.de.md");
    assert!(changed.contains("\nstatus: draft\n") && changed.ends_with("---\nText\n"), "{changed}");
    let refused = client.call_error("propose_post_metadata", json!({"postId": id(1), "language": "de", "tags": ["a"]}));
    assert!(refused.contains("tags and categories are the post's"), "{refused}");
    let missing = client.call_error("propose_post_metadata", json!({"postId": id(1), "language": "ja", "title": "x"}));
    assert!(missing.contains("propose_post_translation makes one"), "{missing}");
}

#[test]
fn linked_post_is_changed_where_it_is() {
    let blog = TestBlog::new();
    let post = format!("---\nid: {}\ntitle: One\nslug: post-1\nstatus: published\n---\nText\n", id(1));
    blog.write("kept/one.md", post);
    let link = blog.path().join("posts/2024/03/post-1.md");
    std::fs::create_dir_all(link.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink("../../../kept/one.md", &link).unwrap();
    let mut client = agent(&blog);
    let made = client.call("propose_post_metadata", json!({"postId": "post-1", "title": "Another"}));
    accept(&mut client, &made);
    assert!(text(&blog, "kept/one.md").contains("title: Another\n"));
    assert!(link.symlink_metadata().unwrap().is_symlink());
}

#[test]
fn edited_body_keeps_the_line_end_of_each_line() {
    for (before, edit, after) in [
        ("one\r\ntwo\r\n", ("one\r\ntwo", "1\r\n2\r\n3"), "1\r\n2\r\n3\r\n"),
        ("one\r\ntwo\nthree\n", ("two", "2"), "one\r\n2\nthree\n"),
        ("one\r\ntwo\nthree\r\nfour\n", ("two\n", "2\n2b\n"), "one\r\n2\n2b\nthree\r\nfour\n"),
        ("a\r\nb\nc\r\n", ("a\r\nb\r\nc", "z\ny\nx"), "z\r\ny\nx\r\n"),
        ("one\ntwo\r\n", ("one\n", "1\n1b\n"), "1\n1b\ntwo\r\n"),
    ] {
        let blog = TestBlog::new();
        let front = format!("---\nid: {}\ntitle: One\nslug: post-1\nstatus: published\n---\n", id(1));
        blog.write("posts/2024/03/post-1.md", format!("{front}{before}"));
        let mut client = agent(&blog);
        let edits = json!({"postId": "post-1", "edits": [{"find": edit.0, "replace": edit.1}]});
        let made = client.call("propose_post_edit", edits);
        accept(&mut client, &made);
        assert_eq!(text(&blog, "posts/2024/03/post-1.md"), format!("{front}{after}"), "{before:?}");
    }
}

#[test]
fn bodies_are_edited_in_three_ways() {
    let blog = TestBlog::new();
    blog.post(&TestPost { n: 1, title: "One", fields: "status: published\n", body: "alpha\nbeta\ngamma" });
    let mut client = agent(&blog);
    let body = |client: &mut BlogClient| client.read("bds://posts/post-1")["content"].clone();
    let edit = |client: &mut BlogClient, arguments: Value| {
        let made = client.call("propose_post_edit", arguments);
        accept(client, &made);
        body(client)
    };
    let edits =
        json!({"postId": "post-1", "edits": [{"find": "beta", "replace": "BETA"}, {"find": "alpha\n", "replace": ""}]});
    assert_eq!(edit(&mut client, edits), "BETA\ngamma\n");
    let diff = "--- a\n+++ b\n@@ -1,2 +1,3 @@\n BETA\n+new\n gamma\n";
    assert_eq!(edit(&mut client, json!({"postId": "post-1", "diff": diff})), "BETA\nnew\ngamma\n");
    // What looks like front matter is text.
    let content = "---\nstatus: draft\n---\nWhole";
    assert_eq!(edit(&mut client, json!({"postId": "post-1", "content": content})), format!("{content}\n"));
    assert_eq!(client.read("bds://posts/post-1")["status"], "published");
    for (arguments, expected) in [
        (json!({"postId": "post-1", "edits": [{"find": "none", "replace": ""}]}), "is not in the body"),
        (json!({"postId": "post-1", "edits": [{"find": "---", "replace": ""}]}), "more than once"),
        (json!({"postId": "post-1", "edits": [{"find": "--", "replace": ""}]}), "more than once"),
        (json!({"postId": "post-1", "edits": [{"find": "", "replace": "x"}]}), "is empty"),
        (json!({"postId": "post-1", "diff": diff}), "does not fit"),
        (json!({"postId": "post-1"}), "one of content, edits, diff"),
        (json!({"postId": "post-1", "content": "a", "diff": "b"}), "one of content, edits, diff"),
        (json!({"postId": "nobody", "content": "a"}), "not found"),
        (json!({"postId": "post-1", "language": "de", "content": "a"}), "No de translation"),
    ] {
        let refused = client.call_error("propose_post_edit", arguments);
        assert!(refused.contains(expected), "{refused}");
    }
}

#[test]
fn translations_and_media_texts_are_proposed() {
    let blog = TestBlog::new();
    blog.post(&TestPost { n: 1, title: "One", fields: "status: published\n", body: "Hello" });
    blog.write("media/2024/03/a.jpg", "no picture");
    blog.write("media/2024/03/a.jpg.meta", format!("---\nid: {}\noriginalName: \"a.jpg\"\nalt: \"old\"\n---", id(9)));
    let mut client = agent(&blog);
    let translation = json!({"postId": "post-1", "language": "de", "title": "Eins", "content": "Hallo"});
    let made = client.call("propose_post_translation", translation);
    assert_eq!(client.call("get_post_translations", json!({"postId": "post-1"}))["translations"], json!([]));
    accept(&mut client, &made);
    let read = client.call("read_post_by_slug", json!({"slug": "post-1", "language": "de"}));
    assert_eq!((&read["post"]["title"], &read["post"]["content"]), (&json!("Eins"), &json!("Hallo\n")));
    // Another text for it.
    let again = json!({"postId": "post-1", "language": "de", "title": "Eins", "content": "Moin"});
    let made = client.call("propose_post_translation", again);
    accept(&mut client, &made);
    assert!(text(&blog, "posts/2024/03/post-1.de.md").ends_with("---\nMoin\n"));
    let own = client.call_error(
        "propose_post_translation",
        json!({"postId": "post-1", "language": "en", "title": "One", "content": "x"}),
    );
    assert!(own.contains("itself is in en"), "{own}");

    let made =
        client.call("propose_media_metadata", json!({"mediaId": id(9), "alt": "A \"boat\", at sea", "tags": ["x"]}));
    accept(&mut client, &made);
    let item = client.read(&format!("bds://media/{}", id(9)));
    assert_eq!((&item["alt"], &item["tags"]), (&json!("A \"boat\", at sea"), &json!(["x"])));
    let made = client.call("propose_media_metadata", json!({"media_id": id(9), "alt": null}));
    accept(&mut client, &made);
    assert_eq!(client.read(&format!("bds://media/{}", id(9)))["alt"], Value::Null);
    let made = client.call("upsert_media_translation", json!({"mediaId": id(9), "language": "de", "alt": "Ein Boot"}));
    accept(&mut client, &made);
    let translations = client.call("get_media_translations", json!({"mediaId": id(9)}));
    assert_eq!(translations["translations"][0]["alt"], "Ein Boot");
    assert_eq!(blog.problems(), [""; 0]);
}

#[test]
fn scripts_and_templates_are_checked_before() {
    let blog = TestBlog::new();
    let mut client = agent(&blog);
    let refused = client.call_error(
        "propose_script",
        json!({"title": "Broken", "kind": "macro", "content": "local x =\nreturn = 1\n"}),
    );
    assert!(refused.contains("line 2, column "), "{refused}");
    let refused = client.call_error(
        "propose_template",
        json!({"title": "Broken", "kind": "post", "content": "{% if a %}\n{{ b | upcase }}"}),
    );
    assert!(refused.contains("line 2") && refused.contains("upcase"), "{refused}");
    assert_eq!(client.call("list_proposals", json!({}))["proposals"], json!([]));

    let script = client.call("propose_script", json!({"title": "My macro", "kind": "macro", "content": "return 1"}));
    assert_eq!((&script["preview"]["entrypoint"], &script["preview"]["syntaxValid"]), (&json!("render"), &json!(true)));
    let template = json!({"title": "Not found", "kind": "not_found", "content": "{{ title | escape }}"});
    let template = client.call("propose_template", template);
    assert_eq!(template["preview"]["kind"], "not-found");
    // Lists have them where drafts are asked for, and each by its slug.
    assert_eq!(client.read("bds://scripts")["total"], 0);
    assert_eq!(client.read("bds://scripts?status=draft")["total"], 1);
    assert_eq!(client.read("bds://templates?status=draft")["items"][0]["slug"], "not-found");
    assert_eq!(client.read("bds://scripts/my-macro")["content"], "return 1\n");
    accept(&mut client, &script);
    client.call("discard_proposal", json!({"proposalId": template["proposalId"]}));
    assert_eq!(files(&blog, "scripts"), ["my-macro.lua"]);
    assert_eq!(files(&blog, "templates"), [""; 0]);
    assert_eq!(files(&blog, ".wardroom/drafts"), [""; 0]);
    assert_eq!(client.read("bds://scripts")["total"], 1);
    let source = text(&blog, "scripts/my-macro.lua");
    assert!(source.contains("kind: macro\n") && source.ends_with("---\nreturn 1\n"), "{source}");
    assert!(!source.contains("proposal") && !source.contains("status"), "{source}");
}

#[test]
fn read_only_blog_has_no_tools_that_propose() {
    let blog = TestBlog::new();
    let mut client = client_with(&blog, "proposals = false\n");
    let names = |client: &mut BlogClient| -> Vec<String> {
        let listed = client.0.0.call("tools/list", json!({}));
        let tools = listed["result"]["tools"].as_array().unwrap().clone();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    let listed = names(&mut client);
    assert!(listed.contains(&"list_proposals".to_owned()) && !listed.contains(&"draft_post".to_owned()), "{listed:?}");
    let answer =
        client.0.0.call("tools/call", json!({"name": "draft_post", "arguments": {"title": "a", "content": "b"}}));
    assert_eq!(answer["error"]["code"], -32602, "{answer:#}");
    let mut writer = blog.client();
    assert!(names(&mut writer).contains(&"draft_post".to_owned()));
}

/// Neither drafts nor proposals get into the history of the blog, whether `blog init` made it or not.
#[test]
fn git_ignores_drafts_and_proposals() {
    for is_made in [true, false] {
        let blog = TestBlog::new();
        if is_made {
            blog.run(&["blog", "init"]).expect_success();
        }
        blog.post(&TestPost { n: 1, title: "First", fields: "status: published\n", body: "One." });
        let mut client = agent(&blog);
        client.call("draft_post", json!({"title": "Second", "content": "Two."}));
        let proposal = client_proposal(&mut client);
        accept(&mut client, &proposal);
        assert!(files(&blog, ".wardroom").len() >= 4, "{:?}", files(&blog, ".wardroom"));
        let git = |args: &[&str]| {
            let mut command = std::process::Command::new("git");
            command.args(args).current_dir(blog.path()).env("HOME", blog.dir.root()).env("GIT_CONFIG_NOSYSTEM", "1");
            let output = command.output().unwrap();
            assert!(output.status.success(), "{output:?}");
            String::from_utf8(output.stdout).unwrap()
        };
        git(&["init", "--quiet"]);
        git(&["add", "--all"]);
        let tracked = git(&["ls-files"]);
        assert!(tracked.contains("posts/2024/03/post-1.md") && !tracked.contains(".wardroom"), "{tracked}");
        assert!(git(&["status", "--porcelain", "--untracked-files=all"]).lines().all(|line| line.starts_with("A ")));
    }
}

/// Proposes another title of the first post.
fn client_proposal(client: &mut BlogClient) -> Value {
    client.call("propose_post_metadata", json!({"postId": id(1), "title": "Other"}))
}

#[test]
fn arguments_that_could_do_harm_are_refused() {
    let blog = TestBlog::new();
    blog.post(&TestPost { n: 1, title: "One", fields: "status: published\n", body: "alpha" });
    let mut client = agent(&blog);
    // A long title has a short name.
    let made = client.call("draft_post", json!({"title": "word ".repeat(60).trim(), "content": "Text"}));
    assert!(made["post"]["slug"].as_str().unwrap().len() <= 100, "{made:#}");
    accept(&mut client, &made);
    for (tool, arguments, expected) in [
        ("draft_post", json!({"title": "a\nb", "content": "x"}), "one line"),
        ("draft_post", json!({"title": "a", "content": "x\u{1b}[31m"}), "control characters"),
        ("draft_post", json!({"title": "a", "content": " "}), "some text"),
        ("draft_post", json!({"title": "a", "content": "x", "language": "../x"}), "a language"),
        (
            "propose_post_edit",
            json!({"postId": "post-1", "edits": vec![json!({"find": "a", "replace": "b"}); 101]}),
            "at most 100",
        ),
        (
            "propose_post_edit",
            json!({"postId": "post-1", "content": "x".repeat((1 << 20) + 1)}),
            "not larger than 1 MiB",
        ),
        (
            "propose_post_translation",
            json!({"postId": "post-1", "language": "x/y", "title": "a", "content": "b"}),
            "a language",
        ),
        ("upsert_media_translation", json!({"mediaId": "../../etc", "language": "de", "alt": "x"}), "not found"),
    ] {
        let refused = client.call_error(tool, arguments);
        assert!(refused.contains(expected), "{tool}: {refused}");
    }
    // A file without front matter gets none through its body.
    let blog = TestBlog::new();
    blog.write("content/posts/plain.md", "Plain\n");
    let mut client = client_with(&blog, "accept = \"agent\"\nlayout = \"markdown\"\n");
    let content = "---\ndraft: true\nurl: /x\n---\nText";
    let refused = client.call_error("propose_post_edit", json!({"postId": "plain", "content": content}));
    assert!(refused.contains("read as front matter"), "{refused}");
}
