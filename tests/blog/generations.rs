//! One blog as each of the three generations of the original writes it.

use insta::{Settings, assert_snapshot};
use serde_json::json;

use super::site::{copy_fixture, media_lines, post_lines, script_lines};
use super::test_blog::{BlogClient, slugs};

const POST_FIELDS: [&str; 17] = [
    "id",
    "title",
    "excerpt",
    "status",
    "author",
    "language",
    "availableLanguages",
    "doNotTranslate",
    "templateSlug",
    "tags",
    "categories",
    "created_at",
    "updatedAt",
    "publishedAt",
    "content",
    "backlinkCount",
    "outlinkCount",
];

/// Returns what is the same in all generations.
fn content(client: &mut BlogClient) -> String {
    let mut text = post_lines(client, &POST_FIELDS) + &media_lines(client) + &script_lines(client, "templates");
    for list in ["tags", "categories", "project"] {
        text.push_str(&format!("{list} {}\n", client.read(&format!("bds://{list}"))));
    }
    for slug in ["rust-mcp-a-start", "ri-ben-yu-no-ti"] {
        let listed = client.call("get_post_translations", json!({"slug": slug}));
        for translation in listed["translations"].as_array().unwrap() {
            let mut translation = translation.clone();
            // The first generation gives translations no id.
            translation.as_object_mut().unwrap().remove("id");
            text.push_str(&format!("{slug} {translation}\n"));
        }
    }
    for query in
        ["running", "run", "absatz", "\"three hyphens\"", "c++", "面白い本", "premier", "boats", "nothing-has-it"]
    {
        text.push_str(&format!("search {query}: {}\n", client.find(json!({"query": query})).join(" ")));
    }
    text
}

fn snapshot(name: &str, text: &str) {
    let mut settings = Settings::clone_current();
    settings.set_omit_expression(true);
    settings.bind(|| assert_snapshot!(name, text));
}

#[test]
fn all_generations_say_the_same() {
    let [first, second, third] = ["bds1", "bds2", "bds3"].map(|name| {
        let blog = copy_fixture(name);
        assert_eq!(blog.problems(), Vec::<String>::new(), "{name}");
        content(&mut blog.client())
    });
    snapshot("generations", &first);
    assert_eq!(first, second);
    assert_eq!(first, third);
}

#[test]
fn scripts_of_each_generation_are_read() {
    let text: Vec<String> = ["bds1", "bds2", "bds3"]
        .iter()
        .map(|name| format!("{name}\n{}", script_lines(&mut copy_fixture(name).client(), "scripts")))
        .collect();
    snapshot("generation_scripts", &text.join("\n"));
}

#[test]
fn translations_of_later_generations_have_ids() {
    for (name, expected) in [("bds1", json!([null, null])), ("bds2", json!(["1", "2"])), ("bds3", json!(["1", "2"]))] {
        let listed = copy_fixture(name).client().call("get_post_translations", json!({"slug": "rust-mcp-a-start"}));
        let ids = listed["translations"].as_array().unwrap().iter();
        let ends: Vec<_> = ids.map(|one| one["id"].as_str().map(|id| id[id.len() - 1..].to_owned())).collect();
        assert_eq!(json!(ends), expected, "{name}");
    }
}

/// The folder of a post is of the local time of its author, its date is of UTC.
#[test]
fn folder_of_a_post_is_not_its_date() {
    let blog = copy_fixture("bds1");
    assert!(blog.path().join("posts/2025/01/the-year-2024.md").exists());
    let mut client = blog.client();
    assert_eq!(client.find(json!({"year": 2024, "month": 12})), ["the-year-2024"]);
    assert_eq!(client.find(json!({"year": 2025, "month": 1})), Vec::<String>::new());
}

/// The blog is opened as it is: nothing in it changes, and nothing comes to it.
#[test]
fn reads_change_nothing_in_the_folder() {
    let blog = copy_fixture("bds2");
    let state = || {
        let mut files = Vec::new();
        let mut folders = vec![blog.path()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let entry = entry.unwrap();
                let metadata = entry.metadata().unwrap();
                let content = if metadata.is_dir() { Vec::new() } else { std::fs::read(entry.path()).unwrap() };
                files.push((entry.path(), metadata.modified().unwrap(), content));
                if metadata.is_dir() {
                    folders.push(entry.path());
                }
            }
        }
        files.sort();
        files
    };
    let before = state();
    let mut client = blog.client();
    content(&mut client);
    assert_eq!(slugs(&client.read("bds://posts")["items"]).len(), 5);
    blog.run(&["blog", "check"]).expect_success();
    blog.run(&["blog", "index", "--rebuild"]).expect_success();
    assert_eq!(state(), before);
}

/// The third generation writes a text of digits and letters without quotes.
#[test]
fn unquoted_numbers_keep_their_characters() {
    let blog = copy_fixture("bds3");
    let tags = "  - 1.10\n  - 007\n  - 1e3\n  - 0x1F\n  - 2024-03\n  - 1_000\n";
    let post = format!(
        "---\nid: 5577449f-4fd7-446d-8715-3266fd0af187\ntitle: 1.20\nslug: numbers\nstatus: published\n\
         createdAt: '2025-07-08T09:10:11.000Z'\ntags:\n{tags}categories:\n  - 010\n---\nNumbers.\n"
    );
    blog.write("posts/2025/07/numbers.md", post);
    let mut client = blog.client();
    let post = client.read("bds://posts/numbers");
    assert_eq!(post["title"], "1.20");
    assert_eq!(post["tags"], json!(["1.10", "007", "1e3", "0x1F", "2024-03", "1_000"]));
    assert_eq!(post["categories"], json!(["010"]));
    assert_eq!(client.find(json!({"tags": ["1.10"], "category": "010"})), ["numbers"]);
    assert_eq!(client.find(json!({"tags": ["1.1"]})), Vec::<String>::new());
}
