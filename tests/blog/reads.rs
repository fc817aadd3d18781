//! One post, one media item, and what belongs to them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::test_blog::{BlogClient, TestBlog, TestPost, id};

fn example() -> TestBlog {
    let blog = TestBlog::new();
    blog.post(&TestPost {
        n: 1,
        title: "First",
        fields: "status: published\nlanguage: en\nexcerpt: In short\nauthor: Ada\ntags: [rust, Wasm]\ncategories: [article]\n",
        body: "See [the second](/2024/03/01/post-2/#top), [again](https://blog.example/de/post-2) and `[x](/post-3)`.",
    });
    blog.post(&TestPost {
        n: 2,
        title: "Second",
        fields: "status: published\n",
        body: "Back to <a href=\"/posts/post-1.html\">one</a>.",
    });
    blog.post(&TestPost { n: 3, title: "Third", fields: "status: draft\n", body: "Nothing. [gone](/post-99)" });
    blog.write(
        "posts/2024/03/post-1.de.md",
        format!("---\ntranslationFor: {}\nlanguage: de\ntitle: Erster\nexcerpt: Kurz\n---\nDer Text.\n", id(1)),
    );
    blog
}

#[test]
fn post_has_body_links_and_languages() {
    let blog = example();
    let mut client = blog.client();
    for uri in ["bds://posts/post-1".to_owned(), format!("bds://posts/{}", id(1))] {
        let post = client.read(&uri);
        assert_eq!(post["title"], "First");
        assert_eq!(post["id"], id(1));
        assert!(post["content"].as_str().unwrap().starts_with("See [the second]"), "{post:#}");
        assert_eq!(post["availableLanguages"], json!(["de", "en"]));
        assert_eq!(post["tags"], json!(["rust", "Wasm"]));
        assert_eq!(post["created_at"], "2024-03-01T00:01:00.000Z");
        assert_eq!(post["outlinks"], json!([{"id": id(2), "title": "Second", "slug": "post-2"}]));
        assert_eq!(post["linksTo"], post["outlinks"]);
        assert_eq!(post["backlinks"], post["outlinks"]);
        assert_eq!((&post["backlinkCount"], &post["outlinkCount"]), (&json!(1), &json!(1)));
    }
    assert_eq!(client.read("bds://posts/post-2/backlinks")["items"][0]["slug"], "post-1");
    assert_eq!(client.read("bds://posts/post-2/outlinks")["total"], 1);
    let third = client.read("bds://posts/post-3");
    assert_eq!((&third["outlinks"], &third["status"]), (&json!([]), &json!("draft")));
}

#[test]
fn post_says_when_it_was_changed() {
    let blog = TestBlog::new();
    let fields = "createdAt: '2024-03-04T05:06:07.000Z'\nupdatedAt: '2024-05-06T07:08:09.250+02:00'\n";
    blog.post(&TestPost { n: 1, title: "Dated", fields, body: "" });
    let path = blog.post(&TestPost { n: 2, title: "Undated", fields: "", body: "" });
    let file = std::fs::File::options().write(true).open(blog.path().join(path)).unwrap();
    let changed = std::time::UNIX_EPOCH + std::time::Duration::from_millis(1_720_000_000_000);
    file.set_modified(changed).unwrap();
    drop(file);
    let mut client = blog.client();
    let mut modified = |uri: &str| {
        let answer = client.0.0.call("resources/read", json!({"uri": uri, "_meta": {"wardroom/fresh": true}}));
        answer["result"]["contents"][0]["_meta"]["lastModified"].clone()
    };
    for name in ["post-1".to_owned(), id(1)] {
        assert_eq!(modified(&format!("bds://posts/{name}")), "2024-05-06T05:08:09Z");
    }
    assert_eq!(modified("bds://posts/post-2"), "2024-07-03T09:46:40Z");
}

#[test]
fn unknown_names_are_errors() {
    let blog = example();
    let mut client = blog.client();
    for uri in [
        "bds://posts/none",
        "bds://posts/none/backlinks",
        "bds://media/none",
        "bds://media/none/image",
        "bds://nothing",
    ] {
        let (code, message) = client.read_error(uri);
        assert_eq!(code, -32602, "{uri}: {message}");
        assert!(message.contains(uri), "{message}");
    }
    for uri in ["bds://posts/..", "bds://posts/a%2fb", "bds://tags?cursor=x"] {
        assert_eq!(client.read_error(uri).0, -32602, "{uri}");
    }
}

#[test]
fn slug_reads_post_or_translation() {
    let blog = example();
    let mut client = blog.client();
    let read = client.call("read_post_by_slug", json!({"slug": "post-1"}));
    let post = &read["post"];
    assert_eq!(
        (&post["language"], &post["canonicalLanguage"], &post["author"]),
        (&json!("en"), &json!("en"), &json!("Ada"))
    );
    let read = client.call("read_post_by_slug", json!({"slug": "post-1", "language": "DE"}));
    let post = &read["post"];
    assert_eq!(
        (&post["title"], &post["content"], &post["excerpt"]),
        (&json!("Erster"), &json!("Der Text.\n"), &json!("Kurz"))
    );
    assert_eq!((&post["language"], &post["canonicalLanguage"]), (&json!("de"), &json!("en")));
    // The language of a post that does not say one is the blog's.
    let read = client.call("read_post_by_slug", json!({"slug": "post-2", "language": "en"}));
    assert_eq!(read["post"]["title"], "Second");
    assert_eq!(
        client.refusal("read_post_by_slug", json!({"slug": "x"}), "NOT_FOUND"),
        "Post with slug \"x\" not found"
    );
    let message = client.refusal("read_post_by_slug", json!({"slug": "post-1", "language": "fr"}), "NO_TRANSLATION");
    assert_eq!(message, "No fr translation found for \"post-1\"; it can be read in: de, en");
    client.refusal("read_post_by_slug", json!({"slug": "post-1", "language": "../x"}), "invalid_arguments");
}

#[test]
fn translations_are_listed() {
    let blog = example();
    let mut client = blog.client();
    for arguments in [json!({"postId": id(1)}), json!({"post_id": "post-1"}), json!({"slug": "post-1"})] {
        let listed = client.call("get_post_translations", arguments);
        let [translation] = listed["translations"].as_array().unwrap().as_slice() else { panic!("{listed:#}") };
        assert_eq!((&translation["language"], &translation["content"]), (&json!("de"), &json!("Der Text.\n")));
    }
    client.refusal("get_post_translations", json!({"postId": "none"}), "NOT_FOUND");
}

#[test]
fn media_item_has_texts_posts_and_picture() {
    let blog = example();
    let picture = STANDARD.decode(PNG).unwrap();
    blog.write("media/2024/03/m1.png", &picture);
    blog.write(
        "media/2024/03/m1.png.meta",
        format!(
            "---\nid: m1\noriginalName: \"IMG \"1\".png\"\nmimeType: image/png\nsize: 70\ntitle: \"A \"red\" dot, small\"\n\
             createdAt: 2024-03-04T09:10:11.000Z\ntags: [\"dot\", \"red\"]\nlinkedPostIds: [\"{}\"]\n---",
            id(1)
        ),
    );
    blog.write("media/2024/03/m1.png.de.meta", "---\ntranslationFor: m1\nlanguage: de\nalt: \"Ein Punkt\"\n---\n");
    blog.write("media/2024/03/m2.txt.meta", "---\nid: m2\ncaption: \"A text\"\nalt: \"x\"\ntitle: \"y\"\n---\n");
    blog.write("media/2024/03/m2.txt", "no picture");
    let mut client = blog.client();
    let media = client.read("bds://media/m1");
    assert_eq!((&media["filename"], &media["title"]), (&json!("m1.png"), &json!("A \"red\" dot, small")));
    assert_eq!((&media["tags"], &media["alt"]), (&json!(["dot", "red"]), &json!(null)));
    assert_eq!(client.read("bds://media/m1/posts")["items"][0]["slug"], "post-1");
    assert_eq!(client.read("bds://posts/post-1/media")["items"][0]["id"], "m1");
    let listed = client.call("get_media_translations", json!({"mediaId": "m1"}));
    assert_eq!(listed["translations"][0]["alt"], "Ein Punkt");
    let page = client.read("bds://media");
    assert_eq!(page["total"], 2);
    let lacking = client.call("search_media", json!({"missing": "alt"}));
    assert_eq!((&lacking["total"], &lacking["media"][0]["id"]), (&json!(1), &json!("m1")));
    assert_eq!(client.call("search_media", json!({"query": "punkt"}))["media"][0]["id"], "m1");
    assert_eq!(client.call("search_media", json!({"tags": ["RED"]}))["total"], 1);
    for (uri, mime_type) in [("bds://media/m1/image", "image/png"), ("bds://media/m1/image?size=original", "image/png")]
    {
        let answer = client.0.0.call("resources/read", json!({"uri": uri}));
        let content = &answer["result"]["contents"][0];
        assert_eq!(content["mimeType"], mime_type, "{answer:#}");
        let bytes = STANDARD.decode(content["blob"].as_str().unwrap()).unwrap();
        assert!(bytes.starts_with(b"\x89PNG") || bytes.starts_with(&[0xff, 0xd8]), "{uri}");
    }
    let (_, message) = client.read_error("bds://media/m2/image");
    assert!(message.contains("it is no PNG, JPEG, GIF or WebP"), "{message}");
}

#[test]
fn original_picture_has_a_limit_and_its_thumbnail_remains() {
    const LIMIT: usize = 4 * 1024 * 1024;
    let blog = example();
    let mut picture = STANDARD.decode(PNG).unwrap();
    blog.write("media/2024/03/m1.png.meta", "---\nid: m1\nmimeType: image/png\n---\n");
    let mut client = blog.client();
    let mut read =
        |uri: &str| client.0.0.call("resources/read", json!({"uri": uri, "_meta": {"wardroom/fresh": true}}));
    // A reader of pictures passes over what follows the last chunk.
    picture.resize(LIMIT, 0);
    blog.write("media/2024/03/m1.png", &picture);
    let original = read("bds://media/m1/image?size=original");
    let blob = original["result"]["contents"][0]["blob"].as_str().unwrap_or_else(|| panic!("{original:.300}"));
    assert_eq!(blob.len(), LIMIT.div_ceil(3) * 4);
    picture.push(0);
    blog.write("media/2024/03/m1.png", &picture);
    let refused = read("bds://media/m1/image?size=original");
    let message = refused["error"]["message"].as_str().unwrap_or_else(|| panic!("{refused:.300}"));
    assert!(message.contains("the limit is 4 MiB"), "{message}");
    let thumbnail = read("bds://media/m1/image");
    assert!(
        thumbnail["result"]["contents"][0]["blob"].as_str().is_some_and(|blob| blob.len() < 1000),
        "{thumbnail:.300}"
    );
}

#[test]
fn names_are_completed() {
    let blog = example();
    let mut client = blog.client();
    let mut complete = |uri: &str, name: &str, value: &str| {
        let params = json!({"ref": {"type": "ref/resource", "uri": uri}, "argument": {"name": name, "value": value}});
        client.0.0.call("completion/complete", params)["result"]["completion"]["values"].clone()
    };
    assert_eq!(complete("bds://posts/{post}", "post", "post-"), json!(["post-1", "post-2", "post-3"]));
    assert_eq!(complete("bds://posts/{post}/backlinks", "post", "post-2"), json!(["post-2"]));
    assert_eq!(complete("bds://media/{media}/image{?size}", "size", "o"), json!(["original"]));
    let mut complete_prompt = |prompt: &str, name: &str, value: &str| {
        let params = json!({"ref": {"type": "ref/prompt", "name": prompt}, "argument": {"name": name, "value": value}});
        client.0.0.call("completion/complete", params)["result"]["completion"]["values"].clone()
    };
    assert_eq!(complete_prompt("content-audit", "category", "AR"), json!(["article"]));
    assert_eq!(complete_prompt("content-audit", "tag", ""), json!(["rust", "wasm"]));
    // Whatever the case.
    assert_eq!(complete_prompt("content-audit", "tag", "WA"), json!(["wasm"]));
    assert_eq!(complete_prompt("content-audit", "tag", "article"), json!([]));
    assert_eq!(complete_prompt("improve-media-metadata", "scope", "missing-c"), json!(["missing-caption"]));
}

#[test]
fn prompts_quote_their_arguments() {
    let blog = example();
    let mut client = blog.client();
    let listed = client.0.0.call("prompts/list", json!({}));
    let names: Vec<_> =
        listed["result"]["prompts"].as_array().unwrap().iter().map(|prompt| prompt["name"].clone()).collect();
    assert_eq!(names, ["content-audit", "draft-blog-post", "improve-media-metadata"]);
    let params = json!({"name": "draft-blog-post", "arguments": {"topic": "Rust", "category": "article"}});
    let text = client.0.0.call("prompts/get", params)["result"]["messages"][0]["content"]["text"].clone();
    assert!(text.as_str().unwrap().contains("The topic: \"Rust\"\nThe category: \"article\"\n"), "{text}");
    let params = json!({"name": "improve-media-metadata", "arguments": {"scope": "some"}});
    assert_eq!(client.0.0.call("prompts/get", params)["error"]["code"], -32602);
}

#[test]
fn modern_clients_read_the_same() {
    let blog = example();
    let mut client = BlogClient::start_modern(&blog);
    let content = client.read_resource("bds://posts/post-2").unwrap();
    assert!(content["text"].as_str().unwrap().contains("\"title\":\"Second\""), "{content:#}");
}

/// A picture of one red dot.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
