//! `search_posts`: words, phrases, languages and filters.

use serde_json::{Value, json};

use super::test_blog::{BlogClient, TestBlog, TestPost, id};

fn library() -> TestBlog {
    let blog = TestBlog::new();
    let posts = [
        (
            "Running in the rain",
            "status: published\ntags: [sport]\n",
            "He runs every day. Multi-agent systems are not needed.",
        ),
        (
            "Häuser am Fluss",
            "status: published\nlanguage: de\ntags: [bau]\n",
            "Das Häuschen steht dort. Übermäßig schön.",
        ),
        ("新しい本", "status: published\nlanguage: ja\n", "了一本新书。それは面白い本です。"),
        (
            "C++ and why?",
            "status: draft\ntags: [code, sport]\ncategories: [sport]\n",
            "A quote: a\"b. Foo:bar, and c++ again.",
        ),
        (
            "Old news",
            "status: archived\ncreatedAt: '2021-05-06T00:00:00.000Z'\n",
            "Nothing of running, but the rain in Spain.",
        ),
    ];
    for (n, (title, fields, body)) in posts.into_iter().enumerate() {
        let title = format!("'{}'", title.replace('\'', "''"));
        blog.post(&TestPost { n: n.try_into().unwrap(), title: &title, fields, body });
    }
    blog.write(
        "posts/2024/03/post-0.fr.md",
        format!(
            "---\ntranslationFor: {}\nlanguage: fr\ntitle: Courir sous la pluie\n---\nIl court tous les jours.\n",
            id(0)
        ),
    );
    blog
}

#[test]
fn words_are_found_in_every_form_and_language() {
    let blog = library();
    let mut client = blog.client();
    for (query, expected) in [
        ("run", &["post-0", "post-4"][..]),
        ("RUNNING", &["post-0", "post-4"]),
        ("haus", &["post-1"]),
        ("hauschen", &["post-1"]),
        ("ubermassig", &["post-1"]),
        ("新书", &["post-2"]),
        ("面白い本", &["post-2"]),
        ("court", &["post-0"]),
        ("pluie", &["post-0"]),
        ("\"rain in spain\"", &["post-4"]),
        ("\"rain spain\"", &[]),
        ("agen*", &["post-0"]),
        ("multi-agent", &["post-0"]),
        ("rain sport", &["post-0"]),
        ("post-1", &["post-1"]),
    ] {
        let mut found = client.find(json!({"query": query}));
        if query != "RUNNING" {
            found.sort();
        }
        assert_eq!(found, expected, "{query}");
    }
}

#[test]
fn title_weighs_more_than_body_and_snippet_is_marked() {
    let blog = library();
    let mut client = blog.client();
    let found = client.call("search_posts", json!({"query": "running"}));
    let posts = found["posts"].as_array().unwrap();
    assert_eq!(posts[0]["slug"], "post-0");
    assert!(posts[0]["score"].as_f64() > posts[1]["score"].as_f64(), "{found:#}");
    assert!(posts[1]["snippet"].as_str().unwrap().contains("<<running>>"), "{found:#}");
    assert!(posts[0]["snippet"].as_str().unwrap().contains("<<runs>>"), "{found:#}");
}

#[test]
fn any_text_is_a_query() {
    let blog = library();
    let mut client = blog.client();
    for (query, expected) in
        [("c++", 1), ("why?", 1), ("a\"b", 1), ("foo:bar", 1), ("\"", 5), ("AND OR NOT", 0), ("(", 5), ("*", 5)]
    {
        let found = client.call("search_posts", json!({"query": query}));
        let total = if found["hints"] == json!(["The query has no words."]) { &json!(5) } else { &found["total"] };
        assert_eq!(total, expected, "{query}");
    }
    let right_to_left = "\u{202e}עברית\u{200f} \u{0}";
    let long = "\"".repeat(10_000);
    for query in [right_to_left, &long, &"word ".repeat(3_000), "\u{fffd}\u{fffe}", "ﷺ", &"ä".repeat(20_000)] {
        client.call("search_posts", json!({"query": query}));
    }
}

#[test]
fn nearly_right_words_are_found_and_said_so() {
    let blog = library();
    let mut client = blog.client();
    let found = client.call("search_posts", json!({"query": "Spaim"}));
    assert_eq!((&found["approximate"], &found["posts"][0]["slug"]), (&json!(true), &json!("post-4")));
    assert!(found["hints"][0].as_str().unwrap().contains("one other letter"), "{found:#}");
    let found = client.call("search_posts", json!({"query": "zzzzzz"}));
    assert_eq!((&found["approximate"], &found["total"]), (&json!(false), &json!(0)));
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "calls read better")]
fn check(client: &mut BlogClient, arguments: Value, expected: &[&str]) {
    let mut found = client.find(arguments.clone());
    found.sort();
    assert_eq!(found, expected, "{arguments}");
}

#[test]
fn filters_combine() {
    let blog = library();
    let mut client = blog.client();
    check(&mut client, json!({"tags": ["SPORT"]}), &["post-0", "post-3"]);
    check(&mut client, json!({"tags": ["sport", "code"]}), &["post-3"]);
    check(&mut client, json!({"category": "Sport"}), &["post-3"]);
    check(&mut client, json!({"language": "fr"}), &["post-0"]);
    check(&mut client, json!({"language": "en"}), &["post-0", "post-3", "post-4"]);
    check(&mut client, json!({"missingTranslationLanguage": "fr"}), &["post-1", "post-2", "post-3", "post-4"]);
    check(&mut client, json!({"missing_translation_language": "de"}), &["post-0", "post-2", "post-3", "post-4"]);
    check(&mut client, json!({"year": 2021}), &["post-4"]);
    check(&mut client, json!({"year": 2024, "month": 3}), &["post-0", "post-1", "post-2", "post-3"]);
    check(&mut client, json!({"year": 2024, "month": 4}), &[]);
    check(&mut client, json!({"status": "archived"}), &["post-4"]);
    check(
        &mut client,
        json!({"query": "running", "status": "published", "tags": ["sport"], "year": 2024}),
        &["post-0"],
    );
    check(&mut client, json!({"query": "running", "status": "draft"}), &[]);
    let all = client.call("search_posts", json!({"limit": 2, "offset": 1}));
    assert_eq!((&all["total"], &all["hasMore"], all["posts"].as_array().unwrap().len()), (&json!(5), &json!(true), 2));
    assert_eq!(all["posts"][0]["slug"], "post-2");
}

#[test]
fn wrong_arguments_say_what_to_do() {
    let blog = library();
    let mut client = blog.client();
    let mut refused = |arguments| client.refusal("search_posts", arguments, "invalid_arguments");
    assert!(refused(json!({"month": 3})).contains("month requires year. Example: year: 2025, month: 3"));
    assert!(refused(json!({"year": 2024, "month": 13})).contains("month: expected 1 to 12"));
    assert!(refused(json!({"limit": 51})).contains("limit: expected 1 to 50"));
    assert!(refused(json!({"limit": 0})).contains("limit"));
    assert!(refused(json!({"offset": -1})).contains("offset"));
    assert!(refused(json!({"language": "deutsch!"})).contains("language: expected"));
    assert!(refused(json!({"tags": [""]})).contains("tags"));
    assert!(
        refused(json!({"status": "gone"}))
            .contains(r#"/status: the value is not one of "draft", "published", "archived""#)
    );
    assert!(refused(json!({"tag": "x"})).contains("tag"));
}

#[test]
fn hints_name_ambiguous_terms() {
    let blog = library();
    let mut client = blog.client();
    let found = client.call("search_posts", json!({"category": "sport"}));
    assert_eq!(found["hints"], json!(["\"sport\" is also a tag (2 posts): use the tags parameter to filter by it."]));
    let found = client.call("search_posts", json!({"tags": ["sport"]}));
    assert_eq!(
        found["hints"],
        json!(["\"sport\" is also a category (1 post): use the category parameter to filter by it."])
    );
    let found = client.call("search_posts", json!({"language": "pt-BR"}));
    assert_eq!(found["hints"], json!(["No post is in the language pt-br."]));
}
