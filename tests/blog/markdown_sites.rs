//! Whole sites of Jekyll, Hugo and Astro, as these programs make them: without settings of a blog.

use insta::{Settings, assert_snapshot};
use serde_json::json;

use super::site::{copy_fixture, markdown_client, markdown_client_with, post_lines};
use super::test_blog::{BlogClient, TestBlog, slugs};

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

/// A site that does not say its language is searched as an English one.
#[test]
fn words_are_stemmed_without_a_language() {
    for (name, expected) in [("jekyll", "running-a-server"), ("hugo", "local-time"), ("astro", "markdown-style-guide")]
    {
        let blog = copy_fixture(name);
        let mut client = markdown_client(&blog);
        for query in ["runs", "run", "RUNNING"] {
            let found = client.call("search_posts", json!({"query": query}));
            assert_eq!(
                (slugs(&found["posts"]), &found["approximate"]),
                (vec![expected.to_owned()], &json!(false)),
                "{query}"
            );
        }
    }
}

/// Returns the titles of all posts.
fn titles(client: &mut BlogClient) -> Vec<String> {
    let listed = client.read("bds://posts");
    let items = listed["items"].as_array().unwrap().iter();
    let mut titles: Vec<String> = items.map(|post| post["title"].as_str().unwrap().to_owned()).collect();
    titles.sort();
    titles
}

#[test]
fn equal_names_in_two_places_are_two_posts() {
    for (site, first, second) in [
        ("jekyll", "_posts/2020-01-02-hello.md", "_posts/2021-03-04-hello.md"),
        ("hugo", "content/posts/hello.md", "content/notes/hello.md"),
        ("astro", "src/content/blog/hello.md", "src/content/blog/2025/hello.md"),
    ] {
        let blog = copy_fixture(site);
        blog.write(first, "---\ntitle: First hello\n---\nFirst words.\n");
        blog.write(second, "---\ntitle: Second hello\n---\nSecond words.\n");
        let mut client = markdown_client(&blog);
        let titles = titles(&mut client);
        let hellos: Vec<&String> = titles.iter().filter(|title| title.ends_with("hello")).collect();
        assert_eq!(hellos, ["First hello", "Second hello"], "{site}");
        for (query, title) in [("\"first words\"", "First hello"), ("\"second words\"", "Second hello")] {
            let found = client.call("search_posts", json!({"query": query}));
            let [post] = found["posts"].as_array().unwrap().as_slice() else { panic!("{site} {found:#}") };
            let read = client.read(&format!("bds://posts/{}", post["id"].as_str().unwrap()));
            assert_eq!(read["title"], title, "{site}");
        }
    }
}

#[test]
fn list_pages_of_hugo_are_no_posts() {
    let blog = copy_fixture("hugo");
    let before = titles(&mut markdown_client(&blog));
    blog.write("content/_index.md", "---\ntitle: Home\n---\nWelcome.\n");
    blog.write("content/posts/_index.md", "+++\ntitle = 'All posts'\n+++\n");
    blog.write("content/posts/_index.de.md", "+++\ntitle = 'Alle Beiträge'\n+++\n");
    assert_eq!(titles(&mut markdown_client(&blog)), before);
}

/// A singular field has one name; a text of the plural one has names between spaces; folders above `_posts` are categories.
#[test]
fn tags_and_categories_follow_the_rules_of_jekyll() {
    let blog = copy_fixture("jekyll");
    blog.write("_posts/2024-04-05-one.md", "---\ntitle: One\ncategory: Big Data\ntag: Static Sites\n---\nText\n");
    blog.write("_posts/2024-04-06-two.md", "---\ntitle: Two\ncategories: big data\nkeywords: seo, meta\n---\nText\n");
    blog.write("news/_posts/2024-04-07-three.md", "---\ntitle: Three\n---\nText\n");
    let mut client = markdown_client(&blog);
    let mut names = |slug: &str| {
        let post = client.read(&format!("bds://posts/{slug}"));
        (post["categories"].clone(), post["tags"].clone())
    };
    assert_eq!(names("one"), (json!(["Big Data"]), json!(["Static Sites"])));
    assert_eq!(names("two"), (json!(["big", "data"]), json!([])));
    assert_eq!(names("three"), (json!(["news"]), json!([])));
}

#[test]
fn language_and_address_are_settings() {
    let blog = copy_fixture("hugo");
    blog.write("content/posts/linked.md", "---\ntitle: Linked\n---\n[a](https://hugo.example/posts/local-time/)\n");
    let lines = "language = \"en\"\npublic_url = \"https://hugo.example/\"\n";
    let mut client = markdown_client_with(&blog, lines);
    assert_eq!(slugs(&client.read("bds://posts/linked/outlinks")["items"]), ["local-time"]);
    assert_eq!(client.find(json!({"language": "en"})).len(), 7);
    let missing = client.find(json!({"missingTranslationLanguage": "de"}));
    assert!(missing.len() == 6 && !missing.contains(&"a-bundle".to_owned()), "{missing:?}");
    let read = client.call("read_post_by_slug", json!({"slug": "a-bundle", "language": "en"}));
    assert_eq!(read["post"]["title"], "A bundle");
    assert_eq!(client.read("bds://posts/a-bundle")["availableLanguages"], json!(["de", "en"]));
}
