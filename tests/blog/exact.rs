//! Lists, counts and facets are those of the files, after any changes by two processes.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use super::test_blog::{BlogClient, TestBlog, TestPost, slug};

/// A change of one file.
#[derive(Debug, Clone)]
enum Change {
    Write { n: u32, month: u32, tags: BTreeSet<u8>, is_draft: bool, link: u32 },
    Remove { n: u32 },
}

fn change() -> impl Strategy<Value = Change> {
    let tags = proptest::collection::btree_set(0..4_u8, 0..3);
    let write = (0..12_u32, 1..4_u32, tags, any::<bool>(), 0..12_u32)
        .prop_map(|(n, month, tags, is_draft, link)| Change::Write { n, month, tags, is_draft, link });
    prop_oneof![4 => write, 1 => (0..12_u32).prop_map(|n| Change::Remove { n })]
}

struct Known {
    month: u32,
    tags: BTreeSet<u8>,
    is_draft: bool,
    link: u32,
}

#[track_caller]
fn compare(client: &mut BlogClient, known: &BTreeMap<u32, Known>) {
    let listed = client.read("bds://posts");
    let mut found: Vec<&str> =
        listed["items"].as_array().unwrap().iter().map(|post| post["slug"].as_str().unwrap()).collect();
    found.sort_unstable();
    let mut expected: Vec<String> = known.keys().copied().map(slug).collect();
    expected.sort();
    assert_eq!(found, expected);
    assert_eq!(listed["total"], known.len());
    for post in listed["items"].as_array().unwrap() {
        let own = known.iter().find(|(n, _)| slug(**n) == post["slug"].as_str().unwrap()).unwrap();
        let n_links = usize::from(known.contains_key(&own.1.link) && own.1.link != *own.0);
        assert_eq!(post["outlinkCount"], n_links, "{post:#}");
        let n_back = known.iter().filter(|(n, other)| other.link == *own.0 && *n != own.0).count();
        assert_eq!(post["backlinkCount"], n_back, "{post:#}");
    }
    let counts = client.call("count_posts", json!({"groupBy": ["month", "tag", "status"]}));
    let mut by: BTreeMap<(u32, Option<u8>, bool), usize> = BTreeMap::new();
    for post in known.values() {
        let tags: Vec<Option<u8>> =
            if post.tags.is_empty() { vec![None] } else { post.tags.iter().copied().map(Some).collect() };
        for tag in tags {
            *by.entry((post.month, tag, post.is_draft)).or_default() += 1;
        }
    }
    let counted: BTreeMap<(u32, Option<u8>, bool), usize> = counts["groups"]
        .as_array()
        .unwrap()
        .iter()
        .map(|group| {
            let tag = group["tag"].as_str().map(|tag| tag.strip_prefix('t').unwrap().parse().unwrap());
            let month = u32::try_from(group["month"].as_u64().unwrap()).unwrap();
            ((month, tag, group["status"] == "draft"), usize::try_from(group["count"].as_u64().unwrap()).unwrap())
        })
        .collect();
    assert_eq!(counted, by);
    assert_eq!(counts["totalPosts"], known.len());
    let drafts = client.call("search_posts", json!({"status": "draft", "query": "words"}));
    assert_eq!(drafts["total"], known.values().filter(|post| post.is_draft).count());
}

#[test]
fn answers_are_exact_after_any_changes() {
    let blog = TestBlog::new();
    let mut clients = [blog.client(), blog.client()];
    let mut known: BTreeMap<u32, Known> = BTreeMap::new();
    let mut turn = 0;
    let mut runner =
        TestRunner::new(Config { cases: 40, failure_persistence: None, max_shrink_iters: 0, ..Config::default() });
    let known_cell = std::cell::RefCell::new((&mut known, &mut clients, &mut turn));
    let steps = proptest::collection::vec(change(), 1..6);
    let run = runner.run(&steps, |changes| {
        let mut state = known_cell.borrow_mut();
        let (known, clients, turn) = &mut *state;
        for change in changes {
            match change {
                Change::Write { n, month, tags, is_draft, link } => {
                    let names: Vec<String> = tags.iter().map(|tag| format!("t{tag}")).collect();
                    let fields = format!(
                        "createdAt: '2024-{month:02}-01T00:00:00.000Z'\nstatus: {}\ntags: [{}]\n",
                        if is_draft { "draft" } else { "published" },
                        names.join(", ")
                    );
                    let body = format!("Words. [link](/posts/{})", slug(link));
                    blog.post(&TestPost { n, title: "Title", fields: &fields, body: &body });
                    known.insert(n, Known { month, tags, is_draft, link });
                }
                Change::Remove { n } => {
                    if known.remove(&n).is_some() {
                        blog.remove(&format!("posts/2024/03/{}.md", slug(n)));
                    }
                }
            }
        }
        **turn += 1;
        let which = **turn % 2;
        compare(&mut clients[which], known);
        Ok(())
    });
    run.unwrap();
    let other: Value = clients[0].read("bds://posts");
    assert_eq!(other["total"], clients[1].read("bds://posts")["total"]);
}
