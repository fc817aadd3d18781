//! `count_posts`.

use serde_json::{Value, json};

use super::test_blog::{TestBlog, TestPost};

fn counted() -> TestBlog {
    let blog = TestBlog::new();
    for (n, fields) in [
        "status: published\ntags: [Rust, wasm]\ncategories: [a]\ncreatedAt: '2024-01-31T23:59:59.999Z'\n",
        "status: published\ntags: [rust]\ncreatedAt: '2024-02-01T00:00:00.000Z'\n",
        "status: draft\nlanguage: de\ncreatedAt: '2025-02-01T00:00:00.000+02:00'\n",
    ]
    .into_iter()
    .enumerate()
    {
        blog.post(&TestPost { n: n.try_into().unwrap(), title: "P", fields, body: "" });
    }
    blog
}

fn groups(counts: &Value) -> Vec<Value> {
    counts["groups"].as_array().unwrap().clone()
}

#[test]
fn posts_are_counted_by_each_dimension() {
    let blog = counted();
    let mut client = blog.client();
    let mut count = |by: Value| client.call("count_posts", json!({"groupBy": by}));
    assert_eq!(groups(&count(json!(["year"]))), [json!({"year": 2024, "count": 2}), json!({"year": 2025, "count": 1})]);
    // The time is that of UTC: an hour before February there.
    let by_month = [json!({"month": 1, "count": 2}), json!({"month": 2, "count": 1})];
    assert_eq!(groups(&count(json!(["month"]))), by_month);
    let by_tag =
        [json!({"tag": "rust", "count": 2}), json!({"tag": null, "count": 1}), json!({"tag": "wasm", "count": 1})];
    let tags = count(json!(["tag"]));
    let names: Vec<Value> = groups(&tags)
        .into_iter()
        .map(|mut group| {
            if group["tag"] == "Rust" {
                group["tag"] = json!("rust");
            }
            group
        })
        .collect();
    assert!(by_tag.iter().all(|group| names.contains(group)) && names.len() == 3, "{tags:#}");
    assert_eq!(tags["totalPosts"], 3);
    assert_eq!(
        groups(&count(json!(["category"]))),
        [json!({"category": null, "count": 2}), json!({"category": "a", "count": 1})]
    );
    assert_eq!(
        groups(&count(json!(["status"]))),
        [json!({"status": "published", "count": 2}), json!({"status": "draft", "count": 1})]
    );
    assert_eq!(
        groups(&count(json!(["language"]))),
        [json!({"language": "en", "count": 2}), json!({"language": "de", "count": 1})]
    );
    let combined = count(json!(["year", "status", "year"]));
    assert_eq!(groups(&combined)[0], json!({"year": 2024, "status": "published", "count": 2}));
}

#[test]
fn spelling_of_one_column_is_not_that_of_another() {
    let blog = TestBlog::new();
    for n in 0..3 {
        blog.post(&TestPost { n, title: "P", fields: "status: draft\ntags: [DRAFT]\ncategories: [Draft]\n", body: "" });
    }
    let counts = blog.client().call("count_posts", json!({"groupBy": ["tag", "category", "status"]}));
    assert_eq!(groups(&counts), [json!({"tag": "DRAFT", "category": "Draft", "status": "draft", "count": 3})]);
}

#[test]
fn filters_narrow_the_count() {
    let blog = counted();
    let mut client = blog.client();
    let counts = client.call("count_posts", json!({"group_by": ["year"], "tags": ["RUST"], "year": 2024, "month": 2}));
    assert_eq!((groups(&counts), &counts["totalPosts"]), (vec![json!({"year": 2024, "count": 1})], &json!(1)));
    for arguments in
        [json!({"groupBy": []}), json!({}), json!({"groupBy": ["day"]}), json!({"groupBy": ["year"], "month": 1})]
    {
        client.refusal("count_posts", arguments, "invalid_arguments");
    }
}
