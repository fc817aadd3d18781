//! Folders of Jekyll, Hugo and Astro.

use serde_json::json;
use wardroom_test_support::TestDir;

use super::test_blog::{BlogClient, TestBlog, slugs};

/// A client of a blog in the layout of site generators.
pub(crate) fn markdown_client(blog: &TestBlog) -> BlogClient {
    client_with_keys(blog, "")
}

fn client_with_keys(blog: &TestBlog, keys: &str) -> BlogClient {
    let config = blog.dir.write_file("config.toml", format!("[blog]\nlayout = \"markdown\"\n{keys}"));
    blog.client_with(&["--config", &config.display().to_string()])
}

/// A folder as such programs have it, without `meta/`.
fn site() -> TestBlog {
    TestBlog { dir: TestDir::new() }
}

#[test]
fn jekyll_dates_are_in_file_names() {
    let blog = TestBlog::new();
    blog.write(
        "_posts/2023-11-05-hello-world.md",
        "---\ntitle: Hello\ntags: a b\ncategories: [news]\npermalink: pretty\n---\nText\n",
    );
    blog.write("_posts/2023-12-24-hidden.md", "---\npublished: false\n---\nSoon\n");
    blog.write("_drafts/idea.md", "An idea.\n");
    let mut client = markdown_client(&blog);
    let post = client.read("bds://posts/hello-world");
    assert_eq!((&post["created_at"], &post["status"]), (&json!("2023-11-05T00:00:00.000Z"), &json!("published")));
    assert_eq!((&post["categories"], &post["tags"]), (&json!(["news"]), &json!(["a", "b"])));
    assert_eq!(client.read("bds://posts/hidden")["status"], "draft");
    assert_eq!(client.read("bds://posts/idea")["status"], "draft");
    // The id is of the path, and so the same everywhere.
    let post_id = post["id"].as_str().unwrap();
    assert_eq!(client.read(&format!("bds://posts/{post_id}"))["slug"], "hello-world");
    assert_eq!(post_id.as_bytes()[14], b'5', "{post_id}");
}

#[test]
fn names_with_dots_and_posts_in_languages_alone_are_read() {
    let blog = TestBlog::new();
    blog.write("content/posts/intro-to-node.js.md", "---\ntitle: Node\n---\nText\n");
    blog.write("content/about.en.md", "---\ntitle: About\n---\nText\n");
    blog.write("content/about.fr.md", "---\ntitle: A propos\n---\nTexte\n");
    blog.write("content/old.md", "---\npermalink: /2019/very-old.html\ndescription: Short\nexcerpt:\n---\nText\n");
    let mut client = markdown_client(&blog);
    let mut found = slugs(&client.read("bds://posts")["items"]);
    found.sort();
    assert_eq!(found, ["about", "intro-to-node.js", "very-old"]);
    let about = client.read("bds://posts/about");
    assert_eq!((&about["title"], &about["availableLanguages"]), (&json!("About"), &json!(["en", "fr"])));
    assert_eq!(client.read("bds://posts/very-old")["excerpt"], "Short");
}

#[test]
fn hugo_and_astro_are_read() {
    let blog = TestBlog::new();
    blog.write(
        "content/posts/toml.md",
        "+++\ntitle = \"Toml\"\ndate = 2024-01-02T03:04:05Z\ntags = [\"x\"]\ndraft = true\n+++\nBody\n",
    );
    blog.write(
        "content/posts/bundle/index.md",
        "---\ntitle: Bundle\ndate: 2024-05-06\n---\nSee [toml](/posts/toml/).\n",
    );
    blog.write("content/posts/bundle/index.de.md", "---\ntitle: Bündel\n---\nHallo\n");
    blog.write("content/posts/json.md", "{\"title\": \"Json\", \"date\": \"2024-02-03\"}\n\nBody\n");
    blog.write(
        "src/content/blog/astro.mdx",
        "---\ntitle: Astro\npubDate: 'Jul 08 2022'\ndescription: Short\n---\n# Hi\n",
    );
    let mut client = markdown_client(&blog);
    let mut found = slugs(&client.read("bds://posts")["items"]);
    found.sort();
    assert_eq!(found, ["astro", "bundle", "json", "toml"]);
    let toml = client.read("bds://posts/toml");
    assert_eq!(
        (&toml["status"], &toml["created_at"], &toml["content"]),
        (&json!("draft"), &json!("2024-01-02T03:04:05.000Z"), &json!("Body\n"))
    );
    assert_eq!(toml["backlinks"][0]["slug"], "bundle");
    let bundle = client.read("bds://posts/bundle");
    assert_eq!(bundle["availableLanguages"], json!(["de", "en"]));
    let german = client.call("read_post_by_slug", json!({"slug": "bundle", "language": "de"}));
    assert_eq!((&german["post"]["title"], &german["post"]["content"]), (&json!("Bündel"), &json!("Hallo\n")));
    let astro = client.read("bds://posts/astro");
    assert_eq!((&astro["created_at"], &astro["excerpt"]), (&json!("2022-07-08T00:00:00.000Z"), &json!("Short")));
}

#[test]
fn language_and_address_come_from_the_configuration() {
    let blog = site();
    blog.write("content/a.md", "---\ntitle: A\n---\nSee [b](https://site.example/blog/b/).\n");
    blog.write("content/b.md", "---\ntitle: B\n---\nText\n");
    let without = markdown_client(&blog).read("bds://posts/a");
    assert_eq!((&without["language"], &without["outlinkCount"]), (&json!(null), &json!(0)));
    let keys = "language = \"de\"\npublic_url = \"https://site.example/blog/\"\n";
    let mut client = client_with_keys(&blog, keys);
    let with = client.read("bds://posts/a");
    assert_eq!((&with["language"], &with["outlinks"][0]["slug"]), (&json!("de"), &json!("b")));
    assert_eq!(client.find(json!({"language": "de"})).len(), 2);
    let project = client.read("bds://project");
    assert_eq!(
        (&project["main_language"], &project["public_url"]),
        (&json!("de"), &json!("https://site.example/blog/"))
    );
    // The blog's own settings come first.
    blog.write("meta/project.json", r#"{"mainLanguage": "fr"}"#);
    let own = client.read("bds://posts/a");
    assert_eq!((&own["language"], &own["outlinkCount"]), (&json!("fr"), &json!(1)));
}
