//! Proposals for sites of Markdown files: what the program of the site reads is what gets written.

use serde_json::json;

use super::proposals::{accept, client_with, files, text};
use super::test_blog::{BlogClient, TestBlog};

fn agent_of_site(blog: &TestBlog) -> BlogClient {
    client_with(blog, "accept = \"agent\"\nlayout = \"markdown\"\n")
}

#[test]
fn markdown_sites_get_posts_where_their_program_looks() {
    for (folder, path, own) in [
        ("content/posts", "content/posts/new-post.md", "title: New post"),
        ("src/content/blog", "src/content/blog/new-post.md", "title: New post"),
    ] {
        let blog = TestBlog::new();
        blog.write(&format!("{folder}/old.md"), "---\ntitle: Old\ndate: 2024-03-01\n---\nOld\n");
        let mut client = agent_of_site(&blog);
        let made = client.call("draft_post", json!({"title": "New post", "content": "Text", "tags": ["a"]}));
        assert_eq!(client.read("bds://posts/new-post")["status"], "draft");
        accept(&mut client, &made);
        let text = text(&blog, path);
        assert!(
            text.contains(own) && !text.contains("slug:") && text.contains("date: ") && !text.contains("\nid:"),
            "{text}"
        );
        assert_eq!(client.read("bds://posts/new-post")["id"], made["post"]["id"], "the same id before and after");
        let made = client.call("propose_post_metadata", json!({"postId": "old", "status": "unpublish"}));
        accept(&mut client, &made);
        assert_eq!(client.read("bds://posts/old")["status"], "draft");
    }
}

#[test]
fn status_of_a_page_is_written_where_its_program_and_the_index_read_it() {
    const HUGO: &str = "content/posts/one.md";
    const ASTRO: &str = "src/content/blog/one.md";
    const JEKYLL: &str = "_posts/2024-03-01-one.md";
    for (path, before, unpublished, published) in [
        (HUGO, "draft: false\n", "draft: true\n", ""),
        (HUGO, "status: published\n", "status: draft\ndraft: true\n", "status: published\n"),
        (HUGO, "status: published\ndraft: false\n", "status: draft\ndraft: true\n", "status: published\n"),
        (HUGO, "published: 2024-03-02\n", "published: 2024-03-02\ndraft: true\n", "published: 2024-03-02\n"),
        (
            HUGO,
            "status: published\npublished: 2024-03-02\n",
            "status: draft\npublished: 2024-03-02\ndraft: true\n",
            "status: published\npublished: 2024-03-02\n",
        ),
        (ASTRO, "status: published\n", "status: draft\n", "status: published\n"),
        (ASTRO, "", "draft: true\n", ""),
        (JEKYLL, "", "published: false\n", ""),
        (JEKYLL, "draft: false\n", "draft: false\npublished: false\n", "draft: false\n"),
        (JEKYLL, "draft: true\n", "draft: true\npublished: false\n", ""),
        (JEKYLL, "status: published\n", "status: draft\npublished: false\n", "status: published\n"),
    ] {
        let blog = TestBlog::new();
        let page = |fields: &str| format!("---\ntitle: One\ndate: 2024-03-01\n{fields}---\nText\n");
        blog.write(path, page(before));
        let mut client = agent_of_site(&blog);
        for (status, read, fields) in [("unpublish", "draft", unpublished), ("publish", "published", published)] {
            let made = client.call("propose_post_metadata", json!({"postId": "one", "status": status}));
            accept(&mut client, &made);
            assert_eq!(text(&blog, path), page(fields), "{path}: {status} of {before}");
            assert_eq!(client.read("bds://posts/one")["status"], read, "{path}: {status} of {before}");
        }
    }
}

/// All of them, whatever the field that the file has for one.
#[test]
fn tags_and_categories_are_written_where_they_are_read() {
    for (path, before, after) in [
        ("_posts/2024-03-01-one.md", "tag: old\ncategory: cat\n", "tags:\n  - a\n  - b\ncategories:\n  - k\n"),
        ("src/content/blog/one.md", "tag: old\ncategory: cat\n", "tag:\n  - a\n  - b\ncategory:\n  - k\n"),
        ("content/posts/one.md", "tags: [old]\ncategory: own\n", "category: own\n"),
    ] {
        let blog = TestBlog::new();
        blog.write(path, format!("---\ntitle: One\ndate: 2024-03-01\n{before}---\nText\n"));
        let mut client = agent_of_site(&blog);
        let arguments = json!({"postId": "one", "tags": ["a", "b"], "categories": ["k"]});
        let made = client.call("propose_post_metadata", arguments);
        accept(&mut client, &made);
        let post = client.read("bds://posts/one");
        assert_eq!((&post["tags"], &post["categories"]), (&json!(["a", "b"]), &json!(["k"])), "{path}");
        let text = text(&blog, path);
        assert!(text.contains(after) && !text.contains("old") && !text.contains("cat\n"), "{path}: {text}");
    }
}

#[test]
fn translation_has_the_date_field_of_its_post() {
    let blog = TestBlog::new();
    blog.write("src/content/blog/one.md", "---\ntitle: One\npubDate: 2024-03-01\n---\nText\n");
    let mut client = agent_of_site(&blog);
    let arguments = json!({"postId": "one", "language": "de", "title": "Eins", "content": "Text"});
    let made = client.call("propose_post_translation", arguments);
    accept(&mut client, &made);
    let text = text(&blog, "src/content/blog/one.de.md");
    assert!(text.contains("\npubDate: ") && !text.contains("\ndate: "), "{text}");
}

#[test]
fn draft_by_its_folder_is_published_by_moving_it() {
    let blog = TestBlog::new();
    blog.write("_posts/2024-03-01-old.md", "---\ntitle: Old\n---\nText\n");
    blog.write("_drafts/one.md", "---\ntitle: One\n---\nText\n");
    let mut client = agent_of_site(&blog);
    for (status, expected) in [("publish", "move it to _posts"), ("unpublish", "a draft already")] {
        let refused = client.call_error("propose_post_metadata", json!({"postId": "one", "status": status}));
        assert!(refused.contains(expected), "{refused}");
    }
}

#[test]
fn translation_of_a_draft_is_a_draft() {
    let blog = TestBlog::new();
    blog.write("content/posts/one.md", "---\ntitle: One\ndate: 2024-03-01\ndraft: true\n---\nText\n");
    let mut client = agent_of_site(&blog);
    let arguments = json!({"postId": "one", "language": "de", "title": "Eins", "content": "Text"});
    let made = client.call("propose_post_translation", arguments);
    accept(&mut client, &made);
    assert!(text(&blog, "content/posts/one.de.md").contains("\ndraft: true\n"));
}

#[test]
fn translation_that_would_be_a_post_of_its_own_is_refused() {
    for (path, language) in
        [("_posts/2024-03-01-one.md", "de"), ("content/posts/one.md", "io"), ("src/content/blog/one.md", "fil")]
    {
        let blog = TestBlog::new();
        blog.write(path, "---\ntitle: One\ndate: 2024-03-01\n---\nText\n");
        let mut client = agent_of_site(&blog);
        let arguments = json!({"postId": "one", "language": language, "title": "Eins", "content": "Text"});
        let refused = client.call_error("propose_post_translation", arguments);
        assert!(refused.contains("would be a post of its own"), "{path}: {refused}");
    }
}

#[test]
fn excerpt_of_a_translation_has_the_name_that_its_file_or_its_post_has() {
    let blog = TestBlog::new();
    blog.write("content/posts/one.md", "---\ntitle: One\ndate: 2024-03-01\nsummary: Short\n---\nText\n");
    blog.write("content/posts/one.fr.md", "---\ntitle: Un\ndate: 2024-03-01\ndescription: Court\n---\nTexte\n");
    let mut client = agent_of_site(&blog);
    for (language, field, other) in [("de", "summary: Anders", "description"), ("fr", "description: Anders", "summary")]
    {
        let arguments =
            json!({"postId": "one", "language": language, "title": "Eins", "content": "Text", "excerpt": "Anders"});
        let made = client.call("propose_post_translation", arguments);
        accept(&mut client, &made);
        let written = text(&blog, &format!("content/posts/one.{language}.md"));
        assert!(written.contains(field) && !written.contains(other), "{written}");
    }
    assert_eq!(files(&blog, "content/posts").len(), 3);
}
