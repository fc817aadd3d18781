//! Links between posts: how many an answer names, and how many there are.

use serde_json::{Value, json};

use super::test_blog::{TestBlog, TestPost, id, slug, slugs};

/// Posts 1 to 25 link to post 100 and to post 101, and post 100 links to all of them.
fn linked() -> TestBlog {
    let blog = TestBlog::new();
    for n in 1..=25 {
        blog.post(&TestPost {
            n,
            title: "One of many",
            fields: "",
            body: "[a](/post-100) [b](/post-101) [gone](/post-77)",
        });
    }
    let body: String = (1..=25).rev().map(|n| format!("[{n}](/posts/post-{n}) [again](/post-{n}) ")).collect();
    blog.post(&TestPost { n: 100, title: "Hub", fields: "", body: &body });
    blog.post(&TestPost { n: 101, title: "Sink", fields: "", body: "[itself](/post-101)" });
    blog
}

#[track_caller]
fn check(answer: &Value, links: &str, count: &str, expected: &[String], total: usize) {
    assert_eq!((slugs(&answer[links]).as_slice(), &answer[count]), (expected, &json!(total)), "{links} {answer:#}");
}

#[test]
fn twenty_links_are_named_and_all_are_counted() {
    let blog = linked();
    let mut client = blog.client();
    // Backlinks are the newest first, links are in the order of the text.
    let newest: Vec<String> = (6..=25).rev().map(slug).collect();
    let of_text = newest.clone();
    let hub = client.read("bds://posts/post-100");
    check(&hub, "backlinks", "backlinkCount", &newest, 25);
    check(&hub, "outlinks", "outlinkCount", &of_text, 25);
    check(&hub, "linksTo", "outlinkCount", &of_text, 25);
    let sink = client.read("bds://posts/post-101");
    check(&sink, "backlinks", "backlinkCount", &newest, 25);
    check(&sink, "outlinks", "outlinkCount", &[], 0);
    let listed = client.read("bds://posts");
    let in_list = listed["items"].as_array().unwrap().iter().find(|post| post["slug"] == "post-100").unwrap();
    check(in_list, "backlinks", "backlinkCount", &newest, 25);
    check(in_list, "outlinks", "outlinkCount", &of_text, 25);
    for direction in ["backlinks", "outlinks"] {
        let links = client.read(&format!("bds://posts/post-100/{direction}"));
        check(&links, "items", "total", &newest, 25);
    }
    let read = client.call("read_post_by_slug", json!({"slug": "post-100"}));
    check(&read["post"], "backlinks", "backlinkCount", &newest, 25);
    check(&read["post"], "linksTo", "linksToCount", &of_text, 25);
}

#[test]
fn results_of_a_search_have_links() {
    let blog = linked();
    let mut client = blog.client();
    for arguments in [json!({"query": "hub"}), json!({"year": 2024, "offset": 1, "limit": 1})] {
        let found = client.call("search_posts", arguments);
        let [hub] = found["posts"].as_array().unwrap().as_slice() else { panic!("{found:#}") };
        assert_eq!(hub["slug"], "post-100");
        let expected: Vec<String> = (6..=25).rev().map(slug).collect();
        check(hub, "backlinks", "backlinkCount", &expected, 25);
        check(hub, "linksTo", "linksToCount", &expected, 25);
    }
    let found = client.call("search_posts", json!({"query": "many", "limit": 3}));
    for post in found["posts"].as_array().unwrap() {
        check(post, "backlinks", "backlinkCount", &[slug(100)], 1);
        check(post, "linksTo", "linksToCount", &[slug(100), slug(101)], 2);
    }
}

#[test]
fn links_of_translations_count_once() {
    let blog = TestBlog::new();
    blog.post(&TestPost { n: 1, title: "Linking", fields: "language: en\n", body: "[a](/post-2) [self](/post-1)" });
    for n in 2..=4 {
        blog.post(&TestPost { n, title: "Linked", fields: "language: en\n", body: "Words." });
    }
    let translation = |language: &str, links: &str| {
        let head = format!("---\ntranslationFor: {}\nlanguage: {language}\ntitle: T\n---\n", id(1));
        blog.write(&format!("posts/2024/03/post-1.{language}.md"), format!("{head}{links}\n"));
    };
    translation("de", "[a](/post-3) [b](/de/posts/post-2) [self](/post-1)");
    translation("fr", "[a](/post-4) [b](/post-3)");
    // In the language of the post: it is left out, and so are its links.
    translation("en", "[a](/post-99)");
    let mut client = blog.client();
    let post = client.read("bds://posts/post-1");
    check(&post, "outlinks", "outlinkCount", &[slug(2), slug(3), slug(4)], 3);
    check(&post, "backlinks", "backlinkCount", &[], 0);
    for n in 2..=4 {
        let linked = client.read(&format!("bds://posts/{}", slug(n)));
        check(&linked, "backlinks", "backlinkCount", &[slug(1)], 1);
    }
    // Without the translation its links are gone.
    blog.remove("posts/2024/03/post-1.fr.md");
    check(&client.read("bds://posts/post-1"), "outlinks", "outlinkCount", &[slug(2), slug(3)], 2);
    check(&client.read("bds://posts/post-4"), "backlinks", "backlinkCount", &[], 0);
}

#[test]
fn search_gives_fifty_unless_told() {
    let blog = TestBlog::new();
    for n in 0..53 {
        blog.post(&TestPost { n, title: "Same", fields: "", body: "Same words." });
    }
    let mut client = blog.client();
    for arguments in [json!({}), json!({"query": "words"}), json!({"year": 2024})] {
        let found = client.call("search_posts", arguments.clone());
        let envelope = (&found["total"], &found["offset"], &found["limit"], &found["hasMore"]);
        assert_eq!(envelope, (&json!(53), &json!(0), &json!(50), &json!(true)), "{arguments}");
        assert_eq!(found["posts"].as_array().unwrap().len(), 50, "{arguments}");
        let mut rest = arguments.clone();
        rest["offset"] = 50.into();
        let rest = client.call("search_posts", rest);
        assert_eq!((slugs(&rest["posts"]).len(), &rest["hasMore"]), (3, &json!(false)), "{arguments}");
    }
}
