//! `search_posts`: scripts without spaces, phrases over lines, and long queries.

use serde_json::json;

use super::test_blog::{TestBlog, TestPost};

fn blog_of(posts: &[(&str, &str)]) -> TestBlog {
    let blog = TestBlog::new();
    for (n, (fields, body)) in posts.iter().enumerate() {
        blog.post(&TestPost { n: n.try_into().unwrap(), title: "Untitled", fields, body });
    }
    blog
}

#[track_caller]
fn check(blog: &TestBlog, cases: &[(&str, &[&str])]) {
    let mut client = blog.client();
    for (query, expected) in cases {
        let found = client.call("search_posts", json!({"query": query}));
        // Nearly right words are no words of the query.
        let exact = if found["approximate"] == true { Vec::new() } else { super::test_blog::slugs(&found["posts"]) };
        assert_eq!(exact, *expected, "{query}");
    }
}

#[test]
fn thai_and_korean_are_found_without_a_dictionary() {
    let blog = blog_of(&[
        ("language: th\n", "ฉันอ่านหนังสือเล่มใหม่ที่ห้องสมุด"),
        ("language: ko\n", "나는 도서관에서 새로운 책을 읽었습니다. 한국어 검색은 재미있다."),
        ("language: ja\n", "図書館で新しい本を読みました。プログラミング言語です。"),
    ]);
    check(
        &blog,
        &[
            ("หนังสือ", &["post-0"]),
            ("ห้องสมุด", &["post-0"]),
            ("หนังสือเล่มใหม่", &["post-0"]),
            ("อาหารเย็น", &[]),
            ("도서관", &["post-1"]),
            ("도서관에서", &["post-1"]),
            ("검색", &["post-1"]),
            ("한국어 책을", &["post-1"]),
            ("학교", &[]),
            ("図書館", &["post-2"]),
            ("プログラ", &["post-2"]),
        ],
    );
}

#[test]
fn snippets_mark_words_without_spaces() {
    let blog = blog_of(&[("language: th\n", "ฉันอ่านหนังสือเล่มใหม่"), ("language: ko\n", "나는 도서관에서 읽었습니다.")]);
    let mut client = blog.client();
    for (query, expected) in [("หนังสือ", "ฉันอ่าน<<หนังสือ>>เล่มใหม่"), ("도서관", "나는 <<도서관>>에서 읽었습니다.")]
    {
        let found = client.call("search_posts", json!({"query": query}));
        assert_eq!(found["posts"][0]["snippet"], expected, "{found:#}");
    }
}

#[test]
fn phrase_goes_over_lines_of_a_paragraph() {
    let blog = blog_of(&[
        ("", "The quick\nbrown fox\njumps."),
        ("", "The lazy\n\nbrown dog sleeps."),
        ("", "# Red heading\nGreen text.\n\n- first item\n- second item\n\n> a quoted\n> sentence"),
    ]);
    check(
        &blog,
        &[
            ("\"quick brown\"", &["post-0"]),
            ("\"quick brown fox jumps\"", &["post-0"]),
            ("\"brown dog\"", &["post-1"]),
            ("\"red heading\"", &["post-2"]),
            ("\"quoted sentence\"", &["post-2"]),
            // All words are there, in any order and place.
            ("lazy brown", &["post-1"]),
        ],
    );
}

#[test]
fn more_words_than_are_searched_are_no_error() {
    let words: Vec<String> = (0..60).map(|n| format!("word{n}x")).collect();
    let blog = blog_of(&[("", &words.join(" ")), ("", "word0x alone")]);
    let mut client = blog.client();
    for n in [31, 32, 33, 40, 60] {
        let query = words[..n].join(" ");
        assert_eq!(client.find(json!({"query": query})), ["post-0"], "{n}");
        assert_eq!(client.find(json!({"query": format!("\"{query}\"")})), ["post-0"], "{n} in a phrase");
        let prefixes: String = words[..n].iter().map(|word| format!("{}* ", &word[..5])).collect();
        assert_eq!(client.find(json!({"query": prefixes})).first().unwrap(), "post-0", "{n} prefixes");
    }
}

/// In Unicode's decomposed form a voiced kana, and a syllable of Hangul, are several characters.
#[test]
fn decomposed_letters_are_those_of_the_composed_form() {
    let blog = blog_of(&[
        ("language: ja\n", "\u{30cf}\u{309a}\u{30bd}\u{30b3}\u{30f3}と、いちと\u{3099}の手か\u{3099}み。"),
        ("language: ja\n", "パソコンと、いちどの手がみ。"),
        ("language: ko\n", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}\u{110b}\u{1165} 책"),
        ("language: ko\n", "한국어 책"),
    ]);
    let japanese: &[&str] = &["post-0", "post-1"];
    let korean: &[&str] = &["post-2", "post-3"];
    let mut client = blog.client();
    for (query, expected) in [
        ("手がみ", japanese),
        ("手か\u{3099}み", japanese),
        ("いちど", japanese),
        ("いちと\u{3099}", japanese),
        ("パソコン", japanese),
        ("\u{30cf}\u{309a}\u{30bd}\u{30b3}\u{30f3}", japanese),
        ("한국어", korean),
        ("\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}\u{110b}\u{1165}", korean),
        // Without the mark it is another letter.
        ("手かみ", &[]),
    ] {
        let found = client.call("search_posts", json!({"query": query}));
        let mut exact =
            if found["approximate"] == true { Vec::new() } else { super::test_blog::slugs(&found["posts"]) };
        exact.sort();
        assert_eq!(exact, expected, "{query}");
    }
}

/// The text of a post has a line for each paragraph, heading and item of a list.
#[test]
fn phrase_does_not_reach_into_the_next_paragraph() {
    let blog = blog_of(&[
        ("", "The lazy\n\nbrown dog sleeps."),
        ("", "# Red heading\nGreen text.\n\n- first item\n- second item"),
        ("language: ja\n", "新しい\n\n本です。"),
    ]);
    check(
        &blog,
        &[
            ("\"lazy brown\"", &[]),
            ("\"heading green\"", &[]),
            ("\"item second\"", &[]),
            ("\"い本\"", &[]),
            // All words are there, in any order and place.
            ("lazy brown", &["post-0"]),
            ("\"brown dog\"", &["post-0"]),
        ],
    );
}

#[test]
fn half_width_kana_are_those_of_full_width() {
    let blog = blog_of(&[("language: ja\n", "ﾊﾟｿｺﾝで読む。"), ("language: ja\n", "パソコンで読む。")]);
    let mut client = blog.client();
    for query in ["パソコン", "ﾊﾟｿｺﾝ", "\u{30cf}\u{309a}\u{30bd}\u{30b3}\u{30f3}"] {
        let mut found = client.find(json!({"query": query}));
        found.sort();
        assert_eq!(found, ["post-0", "post-1"], "{query}");
    }
}

/// A file of macOS has its names in the decomposed form.
#[test]
fn decomposed_names_are_those_of_the_composed_form() {
    let blog = blog_of(&[
        ("tags: [cafe\u{301}]\ncategories: [\u{1112}\u{1161}\u{11ab}]\n", "Composed elsewhere."),
        ("tags: [Café]\ncategories: [한]\n", "Composed."),
    ]);
    let text = format!("---\nid: {}\ntitle: Slug\nslug: \u{304b}\u{3099}mi\n---\nText\n", super::test_blog::id(7));
    blog.write("posts/2024/03/slug.md", text);
    let mut client = blog.client();
    for tag in ["café", "CAFE\u{301}"] {
        let found = client.call("search_posts", json!({"tags": [tag]}));
        assert_eq!(found["total"], 2, "{tag} {found:#}");
        let term = client.call("check_term", json!({"term": tag}));
        assert_eq!((&term["is_tag"], &term["tag_post_count"]), (&json!(true), &json!(2)), "{tag}");
    }
    assert_eq!(client.read("bds://tags")["total"], 1);
    for category in ["한", "\u{1112}\u{1161}\u{11ab}"] {
        assert_eq!(client.call("search_posts", json!({"category": category}))["total"], 2, "{category}");
    }
    for slug in ["がmi", "\u{304b}\u{3099}mi"] {
        assert_eq!(client.call("read_post_by_slug", json!({"slug": slug}))["post"]["title"], "Slug");
    }
}
