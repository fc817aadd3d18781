//! Whole sites of Jekyll, Hugo and Astro, as these programs make them: without settings of a blog.

use insta::{Settings, assert_snapshot};
use serde_json::json;

use super::site::{copy_fixture, markdown_client, post_lines};
use super::test_blog::{BlogClient, TestBlog};

/// What does not depend on the time of a file.
const FIELDS: [&str; 7] = ["title", "status", "created_at", "tags", "categories", "excerpt", "author"];

/// Compares posts, lists and searches with a snapshot. `undated` has the date of its file.
fn check(name: &str, undated: Option<&str>, queries: &[&str]) -> (TestBlog, BlogClient) {
    let blog = copy_fixture(name);
    assert!(!blog.path().join("meta").exists());
    let mut client = markdown_client(&blog);
    let mut text = post_lines(&mut client, &FIELDS);
    if let Some(slug) = undated {
        let post = client.read(&format!("bds://posts/{slug}"));
        text = text.replace(post["created_at"].as_str().unwrap(), "<time of the file>");
    }
    for list in ["tags", "categories"] {
        text.push_str(&format!("{list} {}\n", client.read(&format!("bds://{list}"))));
    }
    for query in queries {
        let mut found = client.find(json!({"query": query}));
        found.sort();
        text.push_str(&format!("search {query}: {}\n", found.join(" ")));
    }
    let counts = client.call("count_posts", json!({"groupBy": ["status"]}));
    text.push_str(&format!("count {}\n", counts["groups"]));
    assert_eq!(client.read("bds://media")["total"], 0);
    let mut settings = Settings::clone_current();
    settings.set_omit_expression(true);
    settings.bind(|| assert_snapshot!(name, text));
    (blog, client)
}

#[test]
fn jekyll_site_is_read() {
    let (_blog, mut client) = check(
        "jekyll",
        Some("an-idea"),
        &["running", "\"a day more\"", "setup", "awesome", "theme", "idea", "welcome-to-jekyll"],
    );
    // The date of the front matter goes before that of the name, and is in UTC.
    assert_eq!(client.read("bds://posts/welcome-to-jekyll")["created_at"], "2023-11-05T09:20:30.000Z");
    assert_eq!(client.find(json!({"tags": ["static sites"]})), ["welcome-to-jekyll"]);
    assert_eq!(client.find(json!({"tags": ["setup"], "category": "howto"})), ["running-a-server"]);
}

#[test]
fn hugo_site_is_read() {
    let (_blog, mut client) =
        check("hugo", None, &["running", "bold", "\"only html\"", "beitrag", "bündel", "archetype", "unfinished"]);
    let german = client.call("read_post_by_slug", json!({"slug": "a-bundle", "language": "de"}));
    let post = &german["post"];
    assert_eq!((&post["title"], &post["content"]), (&json!("Ein Bündel"), &json!("Ein Bild zum ersten Beitrag.\n")));
    assert_eq!(client.find(json!({"language": "de"})), ["a-bundle"]);
    assert_eq!(client.find(json!({"status": "draft"})), ["still-unfinished"]);
    assert_eq!(client.find(json!({"tags": ["HUGO"], "year": 2024, "month": 2})), ["local-time"]);
}

#[test]
fn astro_site_is_read() {
    let (_blog, mut client) = check(
        "astro",
        None,
        &["running", "lorem", "\"embedded component\"", "secret", "three", "components", "markdown"],
    );
    assert_eq!(client.find(json!({"category": "news"})), ["third-year"]);
    assert_eq!(client.find(json!({"status": "draft"})), ["secret"]);
}
