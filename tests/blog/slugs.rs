//! Slugs that several posts claim.

use serde_json::json;

use super::layouts::markdown_client;
use super::test_blog::{TestBlog, TestPost, id};

#[test]
fn draft_with_the_slug_of_another_post_keeps_that_of_its_file() {
    let blog = TestBlog::new();
    blog.post(&TestPost { n: 1, title: "One", fields: "status: published\n", body: "" });
    blog.post(&TestPost { n: 2, title: "Two", fields: "status: published\n", body: "" });
    let draft = format!(".wardroom/drafts/{}.md", id(2));
    blog.write(&draft, format!("---\nid: {}\ntitle: Two again\nslug: post-1\n---\nFresh.\n", id(2)));
    let mut client = blog.client();
    assert_eq!(client.read("bds://posts/post-1")["title"], "One");
    let two = client.read("bds://posts/post-2");
    assert_eq!(
        (&two["title"], &two["status"], &two["content"]),
        (&json!("Two again"), &json!("draft"), &json!("Fresh.\n"))
    );
    let problem = format!("{draft}:4: the slug post-1 is that of posts/2024/03/post-1.md too: change one of them");
    assert_eq!(blog.problems(), [problem]);
    blog.remove("posts/2024/03/post-1.md");
    assert_eq!(client.read("bds://posts/post-1")["title"], "Two again");
    // Its published file is public, and so is that slug.
    blog.write("posts/2024/04/other.md", "---\nid: other\ntitle: Other\nslug: post-2\n---\n");
    client.read("bds://stats");
    assert_eq!(client.read_error("bds://posts/other").0, -32602);
}

#[test]
fn post_with_a_draft_keeps_its_slug_before_a_later_file() {
    let blog = TestBlog::new();
    blog.post(&TestPost { n: 1, title: "One", fields: "status: published\n", body: "" });
    blog.write("posts/2024/04/later.md", "---\nid: later\ntitle: Later\nslug: post-1\n---\n");
    let mut client = blog.client();
    assert_eq!(client.read("bds://posts/post-1")["title"], "One");
    let draft = TestPost { n: 1, title: "One again", fields: "", body: "" }.text();
    blog.write(&format!(".wardroom/drafts/{}.md", id(1)), draft);
    assert_eq!(client.read("bds://posts/post-1")["title"], "One again");
    assert_eq!(client.read("bds://posts")["total"], 1);
}

#[test]
fn posts_of_one_name_in_a_folder_of_markdown_are_all_there() {
    let blog = TestBlog::new();
    blog.write("_posts/2020-01-01-hello.md", "---\ntitle: First\n---\nSee [the other](/2021/01/01/hello.html).\n");
    blog.write("_posts/2021-01-01-hello.md", "---\ntitle: Second\n---\n");
    let mut client = markdown_client(&blog);
    assert_eq!(client.read("bds://posts/hello")["title"], "First");
    let posts = client.read("bds://posts");
    let second = posts["items"].as_array().unwrap().iter().find(|post| post["title"] == "Second").unwrap();
    let (slug, post_id) = (second["slug"].as_str().unwrap(), second["id"].as_str().unwrap());
    assert_eq!(slug, format!("hello-{}", &post_id[..8]));
    assert_eq!(client.read(&format!("bds://posts/{slug}"))["title"], "Second");
    blog.remove("_posts/2020-01-01-hello.md");
    assert_eq!(client.read("bds://posts/hello")["title"], "Second");
    assert_eq!(client.read("bds://posts")["total"], 1);
}
