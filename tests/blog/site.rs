//! A folder of `fixtures/`, copied into an AppDir, and what a server says of all of it.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use wardroom_test_support::{TestDir, workspace_root};

use super::test_blog::{BlogClient, TestBlog};

/// Copies a folder of `fixtures/` as the blog of an AppDir.
pub(crate) fn copy_fixture(name: &str) -> TestBlog {
    let blog = TestBlog { dir: TestDir::new() };
    let root = workspace_root().join("tests/blog/fixtures").join(name);
    let files = files_below(&root);
    assert!(files.len() > 5, "{name}: {files:?}");
    for file in files {
        blog.write(file.strip_prefix(&root).unwrap().to_str().unwrap(), fs::read(&file).unwrap());
    }
    blog
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let nested = entries.map(|entry| match entry.file_type().unwrap().is_dir() {
        true => files_below(&entry.path()),
        false => vec![entry.path()],
    });
    nested.flatten().collect()
}

/// Starts a server with the layout `markdown`.
pub(crate) fn markdown_client(blog: &TestBlog) -> BlogClient {
    markdown_client_with(blog, "")
}

/// As `markdown_client`, with further lines in `[blog]`.
pub(crate) fn markdown_client_with(blog: &TestBlog, lines: &str) -> BlogClient {
    let config = blog.dir.write_file("config.toml", format!("[blog]\nlayout = \"markdown\"\n{lines}"));
    blog.client_with(&["--config", &config.display().to_string()])
}

/// Returns these fields of an object; one that is missing is `null`.
fn pick(value: &Value, names: &[&str]) -> Value {
    names.iter().map(|name| ((*name).to_owned(), value[*name].clone())).collect::<serde_json::Map<_, _>>().into()
}

/// Returns a line for each post, in the order of their slugs, with these fields. Links are the slugs of the posts.
pub(crate) fn post_lines(client: &mut BlogClient, names: &[&str]) -> String {
    let mut slugs = super::test_blog::slugs(&client.read("bds://posts")["items"]);
    slugs.sort();
    let mut lines = String::new();
    for slug in slugs {
        let post = client.read(&format!("bds://posts/{slug}"));
        let mut line = pick(&post, names);
        for direction in ["outlinks", "backlinks"] {
            let mut linked = super::test_blog::slugs(&post[direction]);
            linked.sort();
            line[direction] = linked.into();
        }
        lines.push_str(&format!("{slug} {line}\n"));
        assert_body_is_that_of_a_file(&post);
    }
    lines
}

/// The front matter is no part of a body, and three hyphens within the body are.
#[track_caller]
fn assert_body_is_that_of_a_file(post: &Value) {
    let content = post["content"].as_str().unwrap();
    assert!(content.len() > 3 && !content.starts_with(['-', '+', '{']) | content.starts_with("{{"), "{post:#}");
}

/// Returns a line for each media item, with its translations and the posts that it belongs to.
pub(crate) fn media_lines(client: &mut BlogClient) -> String {
    const FIELDS: [&str; 16] = [
        "id",
        "filename",
        "originalName",
        "mimeType",
        "size",
        "width",
        "height",
        "title",
        "alt",
        "caption",
        "author",
        "language",
        "availableLanguages",
        "tags",
        "createdAt",
        "updatedAt",
    ];
    let mut lines = String::new();
    for item in client.read("bds://media")["items"].as_array().unwrap() {
        let id = item["id"].as_str().unwrap();
        let mut line = pick(&client.read(&format!("bds://media/{id}")), &FIELDS);
        line["posts"] = super::test_blog::slugs(&client.read(&format!("bds://media/{id}/posts"))["items"]).into();
        line["translations"] = client.call("get_media_translations", json!({"mediaId": id}))["translations"].clone();
        let image = client.0.0.call("resources/read", json!({"uri": format!("bds://media/{id}/image?size=original")}));
        line["image"] = image["result"]["contents"][0]["mimeType"].clone();
        lines.push_str(&format!("{line}\n"));
    }
    lines
}

/// Returns a line for each script or template, with its source.
pub(crate) fn script_lines(client: &mut BlogClient, list: &str) -> String {
    let mut lines = String::new();
    for item in client.read(&format!("bds://{list}"))["items"].as_array().unwrap() {
        let slug = item["slug"].as_str().unwrap();
        let script = client.read(&format!("bds://{list}/{slug}"));
        // An id is a name too.
        assert_eq!(client.read(&format!("bds://{list}/{}", item["id"].as_str().unwrap())), script);
        lines.push_str(&format!("{script}\n"));
    }
    lines
}
