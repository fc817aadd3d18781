//! The files that accepted proposals leave: new ones as a whole, and what of an existing one stays, is merged, or cannot be changed.

use insta::{Settings, assert_snapshot};
use serde_json::{Value, json};

use super::proposals::{accept, agent, text};
use super::test_blog::{BlogClient, TestBlog, TestPost, id};

/// Hides the ids and times that differ with each run.
fn without_times(text: &str, ids: &[&Value]) -> String {
    let mut shown = text.to_owned();
    for (number, id) in ids.iter().filter_map(|id| id.as_str()).enumerate() {
        shown = shown.replace(id, &format!("<id {number}>"));
    }
    let is_time =
        |line: &str| ["createdAt: ", "updatedAt: ", "publishedAt: "].iter().any(|name| line.starts_with(name));
    let hide = |line: &str| match line.split_once(": ") {
        // The id of a translation is no answer's.
        Some(("id", id)) if id.len() == 36 && !id.starts_with("00000000-") => "id: <id>\n".to_owned(),
        Some((name, time)) if is_time(line) => {
            assert!(time.trim_matches('\'').ends_with('Z') && time.contains('T'), "{line}");
            format!("{name}: <time>\n")
        }
        _ => format!("{line}\n"),
    };
    shown.lines().map(hide).collect()
}

/// Returns the files of a blog that are documents, each with its path, without what a test wrote itself.
fn documents(blog: &TestBlog, ids: &[&Value]) -> String {
    let mut all = Vec::new();
    for folder in ["posts", "media", "scripts", "templates"] {
        let files = super::proposals::files(blog, folder);
        all.extend(files.into_iter().map(|file| format!("{folder}/{file}")));
    }
    all.sort();
    let year = |path: &str| match path.split('/').collect::<Vec<_>>()[..] {
        ["posts", year, month, name] if year != "2024" => {
            assert!(year.len() == 4 && month.len() == 2, "{path}");
            format!("posts/<year>/<month>/{name}")
        }
        _ => path.to_owned(),
    };
    all.iter().map(|path| format!("== {}\n{}\n", year(path), without_times(&text(blog, path), ids))).collect()
}

#[test]
fn new_files_match_snapshot() {
    let blog = TestBlog::new();
    blog.post(&TestPost { n: 1, title: "One", fields: "status: published\n", body: "Hello" });
    blog.write("media/2024/03/a.jpg.meta", format!("---\nid: {}\noriginalName: \"a.jpg\"\n---\n", id(9)));
    let mut client = agent(&blog);
    let mut make = |tool: &str, arguments: Value| {
        let made = client.call(tool, arguments);
        accept(&mut client, &made);
        let proposal = json!({"proposalId": made["proposalId"]});
        client.call("get_proposal", proposal)["entity_id"].clone()
    };
    let post = json!({
        "title": "Knots: \"bowline\" & more", "content": "A *bowline*.\n\n---\n\nEnd", "tags": ["ropes", "yes"],
        "categories": ["Craft"], "excerpt": "# no comment", "author": "Ada", "language": "de",
    });
    let ids = [
        make("draft_post", post),
        make("draft_post", json!({"title": "1.10", "content": "Few fields."})),
        make(
            "propose_post_translation",
            json!({"postId": "post-1", "language": "de", "title": "Eins: der Anfang", "content": "Hallo", "excerpt": "Kurz"}),
        ),
        make(
            "upsert_media_translation",
            json!({"mediaId": id(9), "language": "de", "alt": "Ein \"Boot\"", "title": "Boot"}),
        ),
        make("propose_script", json!({"title": "Count", "kind": "utility", "content": "return 1\n"})),
        make("propose_template", json!({"title": "Card", "kind": "partial", "content": "{{ title | escape }}"})),
    ];
    let ids: Vec<&Value> =
        ids.iter().filter(|made| made.as_str() != Some(&id(1)) && made.as_str() != Some(&id(9))).collect();
    let mut settings = Settings::clone_current();
    settings.set_omit_expression(true);
    settings.bind(|| assert_snapshot!("new_files", documents(&blog, &ids)));
    assert_eq!(blog.problems(), [""; 0]);
}

/// Proposes a change that must be refused, and returns why.
#[track_caller]
fn refusal(client: &mut BlogClient, slug: &str, change: &Value) -> String {
    let mut arguments = change.clone();
    arguments["postId"] = slug.into();
    client.call_error("propose_post_metadata", arguments)
}

#[test]
fn field_that_others_refer_to_and_a_root_in_braces_are_refused() {
    let blog = TestBlog::new();
    let anchored = "---\nid: a1\ntitle: &t One\nslug: post-1\nexcerpt: *t\ntags: &tags\n  - a\ncategories: *tags\nx: kept # why\n---\nBody\n";
    let braces = "---\n{id: a2, title: One, slug: post-2, status: published}\n---\nBody\n";
    blog.write("posts/2024/03/post-1.md", anchored);
    blog.write("posts/2024/03/post-2.md", braces);
    let mut client = agent(&blog);
    for (slug, change) in [
        ("post-1", json!({"title": "New"})),
        ("post-1", json!({"tags": ["b"]})),
        ("post-2", json!({"title": "New"})),
        ("post-2", json!({"tags": ["b"]})),
        ("post-2", json!({"excerpt": "New"})),
    ] {
        let refused = refusal(&mut client, slug, &change);
        let path = format!("posts/2024/03/{slug}.md, line ");
        assert!(refused.starts_with(&path) && refused.contains("then propose the change again"), "{change}: {refused}");
        let name = change.as_object().unwrap().keys().next().unwrap();
        assert!(refused.contains(&format!("`{name}`")), "{change}: {refused}");
    }
    assert_eq!(client.call("list_proposals", json!({}))["proposals"], json!([]));
    assert_eq!(
        (text(&blog, "posts/2024/03/post-1.md"), text(&blog, "posts/2024/03/post-2.md")),
        (anchored.into(), braces.into())
    );
    // A field that only refers to another one is a line of its own.
    let made = client.call("propose_post_metadata", json!({"postId": "post-1", "excerpt": "New", "categories": ["b"]}));
    accept(&mut client, &made);
    let expected =
        anchored.replace("excerpt: *t\n", "excerpt: New\n").replace("categories: *tags\n", "categories:\n  - b\n");
    assert_eq!(text(&blog, "posts/2024/03/post-1.md"), expected);
}

#[test]
fn changes_of_different_fields_and_lines_merge() {
    let blog = TestBlog::new();
    let post = |title: &str, tags: &str, body: &str| {
        let fields = format!("status: published\ntags: [{tags}]\nx-own: 1\n");
        blog.post(&TestPost { n: 1, title, fields: &fields, body });
    };
    post("One", "a", "first\nsecond\nthird");
    let mut client = agent(&blog);
    let tags = client.call("propose_post_metadata", json!({"postId": "post-1", "tags": ["a", "b"]}));
    let body = json!({"postId": "post-1", "edits": [{"find": "third", "replace": "THIRD"}]});
    let body = client.call("propose_post_edit", body);
    // A person changes another field, another line, and adds one.
    post("Theirs", "a", "FIRST\nsecond\nthird");
    for made in [&tags, &body] {
        let found = client.call("get_proposal", json!({"proposalId": made["proposalId"]}));
        assert!(found["conflict_texts"]["merged"].is_string(), "{found:#}");
        let refused = client.call_error("accept_proposal", json!({"proposalId": made["proposalId"]}));
        assert!(refused.contains("accept the merge"), "{refused}");
        client.call("accept_proposal", json!({"proposalId": made["proposalId"], "merge": true}));
    }
    let merged = text(&blog, "posts/2024/03/post-1.md");
    assert!(merged.contains("title: Theirs\n") && merged.contains("x-own: 1\n"), "{merged}");
    assert!(merged.contains("tags:\n  - a\n  - b\n") && merged.ends_with("---\nFIRST\nsecond\nTHIRD\n"), "{merged}");
    // The same value from both sides is no dispute.
    let same = client.call("propose_post_metadata", json!({"postId": "post-1", "title": "Agreed", "excerpt": "New"}));
    let agreed = merged.replace("title: Theirs\n", "title: Agreed\n");
    blog.write("posts/2024/03/post-1.md", &agreed);
    client.call("accept_proposal", json!({"proposalId": same["proposalId"], "merge": true}));
    let merged = text(&blog, "posts/2024/03/post-1.md");
    assert!(merged.contains("title: Agreed\n") && merged.contains("excerpt: New\n"), "{merged}");
}
