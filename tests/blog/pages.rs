//! Lists: pages, cursors, tags, categories and statistics.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::test_blog::{TestBlog, TestPost, slug, slugs};

fn many(count: u32) -> TestBlog {
    let blog = TestBlog::new();
    for n in 0..count {
        blog.post(&TestPost { n, title: "A post", fields: "status: published\n", body: "Text." });
    }
    blog
}

#[test]
fn pages_follow_each_other() {
    let blog = many(121);
    let mut client = blog.client();
    let first = client.read("bds://posts");
    assert_eq!((&first["total"], &first["hasMore"], &first["limit"]), (&json!(121), &json!(true), &json!(50)));
    let mut seen = slugs(&first["items"]);
    let mut page = first;
    while let Some(cursor) = page["nextCursor"].as_str() {
        page = client.read(&format!("bds://posts?cursor={cursor}"));
        assert_eq!(page["offset"], seen.len());
        seen.extend(slugs(&page["items"]));
    }
    let expected: Vec<String> = (0..121).rev().map(slug).collect();
    assert_eq!(seen, expected);
}

#[test]
fn pages_of_media_follow_each_other() {
    let blog = TestBlog::new();
    for n in 0..103 {
        let text = format!("---\nid: m{n:03}\ncreatedAt: 2024-03-04T09:{:02}:{:02}.000Z\n---", n / 60, n % 60);
        blog.write(&format!("media/2024/03/m{n:03}.txt.meta"), text);
    }
    let mut client = blog.client();
    let (mut seen, mut lengths, mut uri) = (Vec::new(), Vec::new(), "bds://media".to_owned());
    loop {
        let page = client.read(&uri);
        assert_eq!((&page["total"], &page["limit"], &page["offset"]), (&json!(103), &json!(50), &json!(seen.len())));
        let ids: Vec<String> =
            page["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect();
        lengths.push(ids.len());
        seen.extend(ids);
        assert_eq!(page["hasMore"], page["nextCursor"].is_string());
        let Some(cursor) = page["nextCursor"].as_str() else { break };
        uri = format!("bds://media?cursor={cursor}");
    }
    assert_eq!(lengths, [50, 50, 3]);
    let expected: Vec<String> = (0..103).rev().map(|n| format!("m{n:03}")).collect();
    assert_eq!(seen, expected);
    let found = client.call("search_media", json!({}));
    assert_eq!((&found["limit"], found["media"].as_array().unwrap().len()), (&json!(50), 50));
}

#[test]
fn cursor_neither_skips_nor_repeats_while_posts_arrive() {
    let blog = many(60);
    let mut client = blog.client();
    let first = client.read("bds://posts");
    let cursor = first["nextCursor"].as_str().unwrap();
    // Newer and older ones, and one that is gone.
    blog.post(&TestPost { n: 100, title: "New", fields: "", body: "" });
    blog.post(&TestPost { n: 101, title: "New", fields: "", body: "" });
    blog.remove("posts/2024/03/post-30.md");
    let second = client.read(&format!("bds://posts?cursor={cursor}"));
    let expected: Vec<String> = (0..10).rev().map(slug).collect();
    assert_eq!(slugs(&second["items"]), expected);
    assert_eq!((&second["total"], &second["offset"]), (&json!(61), &json!(51)));
}

#[test]
fn older_cursors_are_accepted_and_garbage_is_refused() {
    let blog = many(60);
    let mut client = blog.client();
    for cursor in [URL_SAFE_NO_PAD.encode("50"), URL_SAFE_NO_PAD.encode("{\"offset\":50}")] {
        let page = client.read(&format!("bds://posts?cursor={cursor}"));
        assert_eq!(slugs(&page["items"]).len(), 10, "{cursor}");
        assert_eq!((&page["offset"], page.get("nextCursor")), (&json!(50), None));
    }
    let beyond = client.read(&format!("bds://posts?cursor={}", URL_SAFE_NO_PAD.encode("5000")));
    assert_eq!((&beyond["items"], &beyond["hasMore"]), (&json!([]), &json!(false)));
    for cursor in ["x", "LTU", "%20", "!!!!"] {
        assert_eq!(client.read_error(&format!("bds://posts?cursor={cursor}")).0, -32602, "{cursor}");
    }
}

#[test]
fn tags_and_categories_count_all_spellings() {
    let blog = TestBlog::new();
    blog.write("meta/tags.json", r##"[{"name": "rust", "color": "#f00"}, {"name": "unused"}]"##);
    blog.write("meta/categories.json", r#"["article", "page"]"#);
    for (n, tags) in ["[Rust, wasm]", "[rust]", "[RUST, Go]", "[Go]"].into_iter().enumerate() {
        let fields = format!("tags: {tags}\ncategories: [Article]\n");
        blog.post(&TestPost { n: n.try_into().unwrap(), title: "P", fields: &fields, body: "" });
    }
    let mut client = blog.client();
    let item = |name: &str, color: Value, count: u32| json!({"name": name, "color": color, "post_count": count});
    let expected = json!([
        item("rust", json!("#f00"), 3),
        item("Go", json!(null), 2),
        item("wasm", json!(null), 1),
        item("unused", json!(null), 0)
    ]);
    assert_eq!(client.read("bds://tags")["items"], expected);
    let expected = json!([{"name": "article", "post_count": 4}, {"name": "page", "post_count": 0}]);
    assert_eq!(client.read("bds://categories")["items"], expected);
    let term = |client: &mut super::test_blog::BlogClient, term: &str| client.call("check_term", json!({"term": term}));
    let expected =
        json!({"term": "PAGE", "is_category": true, "category_post_count": 0, "is_tag": false, "tag_post_count": 0});
    assert_eq!(term(&mut client, "PAGE"), expected);
    let expected =
        json!({"term": "rust", "is_category": false, "category_post_count": 0, "is_tag": true, "tag_post_count": 3});
    assert_eq!(term(&mut client, " rust "), expected);
    assert_eq!(term(&mut client, "none")["is_tag"], false);
    blog.post(&TestPost { n: 9, title: "P", fields: "tags: [ARTICLE]\ncategories: [Rust]\n", body: "" });
    let expected = json!({
        "term": "Article", "is_category": true, "category_post_count": 4, "is_tag": true, "tag_post_count": 1
    });
    assert_eq!(term(&mut client, "Article"), expected);
    let expected =
        json!({"term": "rust", "is_category": true, "category_post_count": 1, "is_tag": true, "tag_post_count": 3});
    assert_eq!(term(&mut client, "rust"), expected);
    client.refusal("check_term", json!({"term": " "}), "invalid_arguments");
}

#[test]
fn statistics_count_everything() {
    let blog = TestBlog::new();
    for (n, status, year) in [(1, "published", 2023), (2, "draft", 2024), (3, "archived", 2024)] {
        let fields = format!("status: {status}\ncreatedAt: '{year}-01-02T03:04:05.000Z'\ntags: [a]\n");
        blog.post(&TestPost { n, title: "P", fields: &fields, body: "" });
    }
    blog.write("scripts/hello.lua", "---\nslug: hello\ntitle: Hello\nkind: macro\n---\nreturn 1\n");
    blog.write("templates/post.liquid", "---\nslug: post\ntitle: Post\nkind: not_found\n---\n{{ title }}\n");
    let mut client = blog.client();
    let stats = client.read("bds://stats");
    assert_eq!(stats["postsPerYear"], json!({"2023": 1, "2024": 2}));
    for (name, count) in [
        ("post_count", 3),
        ("totalPosts", 3),
        ("draftCount", 1),
        ("publishedCount", 1),
        ("archivedCount", 1),
        ("tagCount", 1),
        ("media_count", 0),
        ("script_count", 1),
        ("template_count", 1),
    ] {
        assert_eq!(stats[name], count, "{name}");
    }
    assert_eq!(stats["oldestPostDate"], "2023-01-02T03:04:05.000Z");
    let scripts = client.read("bds://scripts");
    assert_eq!((&scripts["items"][0]["slug"], &scripts["items"][0]["entrypoint"]), (&json!("hello"), &json!("render")));
    assert_eq!(client.read("bds://scripts/hello")["content"], "return 1\n");
    let template = client.read("bds://templates/post");
    assert_eq!((&template["kind"], &template["content"]), (&json!("not-found"), &json!("{{ title }}\n")));
    let project = client.read("bds://project");
    assert_eq!(
        (&project["name"], &project["main_language"], &project["public_url"]),
        (&json!("Test"), &json!("en"), &json!("https://blog.example"))
    );
}

#[test]
fn lists_name_resources_and_templates() {
    let blog = TestBlog::new();
    let mut client = blog.client();
    let listed = client.0.0.call("resources/list", json!({}));
    let uris: Vec<&str> =
        listed["result"]["resources"].as_array().unwrap().iter().map(|entry| entry["uri"].as_str().unwrap()).collect();
    assert_eq!(
        uris,
        [
            "bds://posts",
            "bds://media",
            "bds://tags",
            "bds://categories",
            "bds://stats",
            "bds://project",
            "bds://scripts",
            "bds://templates",
            "bds://proposals",
            "ui://bds/review-post",
            "ui://bds/review-script",
            "ui://bds/review-template",
            "ui://bds/review-metadata"
        ]
    );
    let listed = client.0.0.call("resources/templates/list", json!({}));
    assert_eq!(listed["result"]["resourceTemplates"].as_array().unwrap().len(), 13);
    let tools = client.0.0.call("tools/list", json!({}));
    let tools = tools["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "check_term",
            "search_posts",
            "count_posts",
            "read_post_by_slug",
            "get_post_translations",
            "get_media_translations",
            "search_media",
            "list_proposals",
            "get_proposal",
            "draft_post",
            "propose_post_edit",
            "propose_post_translation",
            "propose_post_metadata",
            "propose_media_metadata",
            "upsert_media_translation",
            "propose_script",
            "propose_template",
            "accept_proposal",
            "discard_proposal"
        ]
    );
    // What all tools together cost a model, a token being four characters.
    let cost: usize = tools
        .iter()
        .map(|tool| {
            let text = format!("{}{}{}", tool["name"], tool["description"], tool["inputSchema"]);
            let (name, hints) = (tool["name"].as_str().unwrap(), &tool["annotations"]);
            let changes = ["draft_", "propose_", "upsert_", "accept_", "discard_"];
            let changes = changes.iter().any(|start| name.starts_with(start));
            assert!(hints["readOnlyHint"] != changes && hints["openWorldHint"] == false, "{tool:#}");
            assert_eq!(hints["destructiveHint"] == true, name == "discard_proposal", "{tool:#}");
            text.chars().count()
        })
        .sum();
    assert!(cost / 4 <= 3_500, "{} tokens", cost / 4);
}

#[test]
fn without_a_folder_nothing_is_listed() {
    let dir = wardroom_test_support::TestDir::new();
    let mut client = wardroom_test_support::RunClient::start_with(&dir, &["--service", "blog"]);
    for (method, list) in [("resources/list", "resources"), ("tools/list", "tools"), ("prompts/list", "prompts")] {
        let answer = client.0.call(method, json!({}));
        let is_empty = answer["result"][list].as_array().is_none_or(Vec::is_empty);
        assert!(is_empty, "{answer:#}");
    }
    assert!(!dir.app_path().join("cache/blog").exists());
}
