//! Folders of Jekyll, Hugo and Astro.

use serde_json::{Value, json};
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

/// Returns what `blog check` says of a site, line by line.
fn site_problems(blog: &TestBlog) -> String {
    let config = blog.dir.write_file("config.toml", "[blog]\nlayout = \"markdown\"\n");
    let output = blog.run(&["blog", "check", "--config", &config.display().to_string()]);
    format!("{}{}", output.stdout, output.stderr)
}

/// Returns the slugs of all posts, sorted.
#[track_caller]
fn all_slugs(client: &mut BlogClient) -> Vec<String> {
    let mut found = slugs(&client.read("bds://posts")["items"]);
    found.sort();
    found
}

/// Returns the tags and the categories of a post.
#[track_caller]
fn names(client: &mut BlogClient, slug: &str) -> (Value, Value) {
    let post = client.read(&format!("bds://posts/{slug}"));
    (post["tags"].clone(), post["categories"].clone())
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
    assert_eq!(all_slugs(&mut client), ["about", "intro-to-node.js", "very-old"]);
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
    assert_eq!(all_slugs(&mut client), ["astro", "bundle", "json", "toml"]);
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
fn names_of_files_become_slugs() {
    let blog = site();
    for name in ["My Post", "what's-new", "c++", "cafe\u{301}", "हिन्दी", "தமிழ்", "ภาษาไทยที่นี่"]
    {
        blog.write(&format!("content/posts/{name}.md"), "---\ntitle: T\n---\nText\n");
    }
    blog.write("_posts/2024-03-09-What's New.md", "Text\n");
    blog.write("src/content/blog/C++ News.md", "Text\n");
    blog.write("content/posts/link.md", "[a](/posts/caf%C3%A9/) [b](/posts/cafe%CC%81/) [c](/posts/my-post/)\n");
    let mut client = markdown_client(&blog);
    let mut expected =
        ["my-post", "whats-new", "c++", "café", "हिन्दी", "தமிழ்", "ภาษาไทยที่นี่", "What's-New", "c-news", "link"];
    expected.sort_unstable();
    assert_eq!(all_slugs(&mut client), expected);
    assert_eq!(site_problems(&blog).lines().next(), Some("files: 10, none left out"));
    // A name is the same in each Unicode form, and its id too.
    let composed = client.read("bds://posts/caf%C3%A9");
    assert_eq!(client.read("bds://posts/cafe%CC%81"), composed);
    assert_eq!(composed["backlinkCount"], 1);
    assert_eq!(client.read("bds://posts/link")["outlinkCount"], 2);
    assert_eq!(client.read("bds://posts/What%27s-New")["title"], "What's new");
    blog.remove("content/posts/cafe\u{301}.md");
    blog.write("content/posts/café.md", "---\ntitle: T\n---\nText\n");
    assert_eq!(client.read("bds://posts/caf%C3%A9")["id"], composed["id"]);
}

#[test]
fn name_without_letters_is_listed() {
    let blog = site();
    blog.write("content/posts/???.md", "Text\n");
    let problems = site_problems(&blog);
    assert!(problems.contains("content/posts/???.md:1: slug: expected letters"), "{problems}");
}

#[test]
fn jekyll_tags_categories_and_sections_follow_its_rules() {
    let blog = site();
    blog.write("_config.yml", "title: Site\n");
    blog.write("_posts/2024-01-01-one.md", "---\ncategory: Big Data\ntags: a b, c\n---\n");
    blog.write("_posts/2024-01-02-two.md", "---\ncategories: a b\ntag: c d\ntags: e\n---\n");
    blog.write("_posts/2024-01-03-three.md", "---\ncategories: [Big Data, x]\ncategory: y\nkeywords: [k]\n---\n");
    blog.write("news/local/_posts/deep/2024-01-04-four.md", "---\ncategories: [News, z]\n---\n");
    blog.write("news/_drafts/five.md", "---\n---\n");
    blog.write("_posts/2024-1-6-six.de.md", "---\npermalink: /a/b/Sixth/\nslug: other\n---\n");
    blog.write("_posts/undated.md", "---\n---\n");
    for other in ["_site/_posts", "vendor/x/_posts", "node_modules/x/_posts", ".git/_posts"] {
        blog.write(&format!("{other}/2024-01-05-other.md"), "---\n---\n");
    }
    let mut client = markdown_client(&blog);
    assert_eq!(all_slugs(&mut client), ["Sixth", "five", "four", "one", "three", "two"]);
    assert_eq!(names(&mut client, "one"), (json!(["a", "b", "c"]), json!(["Big Data"])));
    assert_eq!(names(&mut client, "two"), (json!(["c d"]), json!(["a", "b"])));
    assert_eq!(names(&mut client, "three"), (json!([]), json!(["Big Data", "x", "y"])));
    assert_eq!(names(&mut client, "four"), (json!([]), json!(["news", "local", "z"])));
    assert_eq!(client.read("bds://posts/five")["status"], "draft");
    let sixth = client.read("bds://posts/Sixth");
    assert_eq!((&sixth["created_at"], &sixth["title"]), (&json!("2024-01-06T00:00:00.000Z"), &json!("Six.de")));
    let problems = site_problems(&blog);
    assert!(problems.contains("_posts/undated.md:1: Jekyll's posts have a date in their names"), "{problems}");
    // A section that is gone takes its posts along.
    std::fs::rename(blog.path().join("news/local"), blog.path().join("news/_local")).unwrap();
    assert_eq!(all_slugs(&mut client), ["Sixth", "five", "one", "three", "two"]);
}

#[test]
fn hugo_sections_bundles_and_translations_follow_its_rules() {
    let blog = site();
    blog.write("content/_index.md", "---\ntitle: Home\n---\n");
    blog.write("content/posts/_index.de.md", "---\ntitle: Liste\n---\n");
    blog.write(
        "content/posts/2024-03-09-dated/index.md",
        "---\ntags: [a, B c]\ncategories: x, y\nkeywords: [k]\n---\n",
    );
    blog.write("content/posts/own.md", "---\nurl: /blog/Address/\nslug: other\ntag: t\n---\n");
    blog.write("content/posts/slug.md", "---\nslug: My Slug\ndraft: true\n---\n");
    blog.write("content/posts/slug.de.md", "---\ntitle: Fertig\n---\n");
    blog.write("content/posts/slug.fr.md", "---\ntitle: Pas encore\ndraft: true\n---\n");
    blog.write("content/posts/slug.it.md", "---\ntitle: Pronto\ndraft: false\n---\n");
    blog.write("content/en/about.md", "---\ntitle: About\n---\n");
    blog.write("content/de/about.md", "---\ntitle: Impressum\n---\n");
    blog.write("content/posts/socket.io.md", "---\ntitle: Socket\n---\n");
    let mut client = client_with_keys(&blog, "language = \"en\"\n");
    assert_eq!(all_slugs(&mut client), ["2024-03-09-dated", "Address", "about", "my-slug", "socket.io"]);
    assert_eq!(names(&mut client, "2024-03-09-dated"), (json!(["a", "B c"]), json!(["x, y"])));
    assert_eq!(names(&mut client, "Address"), (json!([]), json!([])));
    let dated = client.read("bds://posts/2024-03-09-dated");
    assert_eq!(dated["created_at"], "2024-03-09T00:00:00.000Z");
    let about = client.read("bds://posts/about");
    assert_eq!((&about["title"], &about["availableLanguages"]), (&json!("About"), &json!(["de", "en"])));
    let post = client.read("bds://posts/my-slug");
    assert_eq!(post["status"], "draft");
    let listed = client.call("get_post_translations", json!({"post_id": post["id"]}));
    let status =
        |n: usize| (listed["translations"][n]["language"].clone(), listed["translations"][n]["status"].clone());
    assert_eq!(
        [status(0), status(1), status(2)],
        [("de", "published"), ("fr", "draft"), ("it", "published")].map(|(l, s)| (json!(l), json!(s)))
    );
}

#[test]
fn astro_collections_follow_its_rules() {
    let blog = site();
    blog.write(
        "src/content/blog/First Post.mdx",
        "---\ntitle: First\npubDate: 2022-07-08\nupdatedDate: 2022-08-09\nheroImage: /a.jpg\ntags: [x]\n---\n",
    );
    blog.write("src/content/blog/second.md", "---\ntitle: Second\npubDate: Jul 10 2022\ndraft: true\n---\n");
    blog.write("src/content/blog/_hidden.md", "---\ntitle: Hidden\n---\n");
    blog.write("src/content/blog/de/second.md", "---\ntitle: Zweiter\npubDate: 2022-07-11\n---\n");
    let mut client = client_with_keys(&blog, "language = \"en\"\n");
    assert_eq!(all_slugs(&mut client), ["first-post", "second"]);
    let first = client.read("bds://posts/first-post");
    assert_eq!(
        (&first["created_at"], &first["updatedAt"], &first["tags"]),
        (&json!("2022-07-08T00:00:00.000Z"), &json!("2022-08-09T00:00:00.000Z"), &json!(["x"]))
    );
    blog.write("src/content/blog/2025/third.md", "---\ntitle: Third\n---\n[b](../second.md)\n");
    blog.write("src/content/blog/linking.md", "---\ntitle: L\n---\n[a](/blog/de/second/) [b](/blog/2025/third/)\n");
    let linking = client.read("bds://posts/linking");
    assert_eq!((&linking["outlinks"][0]["slug"], &linking["outlinks"][1]["slug"]), (&json!("second"), &json!("third")));
    let second = client.read("bds://posts/second");
    assert_eq!(second["backlinkCount"], 2);
    assert_eq!((&second["status"], &second["availableLanguages"]), (&json!("draft"), &json!(["de", "en"])));
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
