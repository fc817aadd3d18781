//! Files: what is wrong with them, drafts, and spellings of all programs.

use serde_json::json;

use super::test_blog::{TestBlog, TestPost, id, slugs};

#[test]
fn wrong_files_are_listed_and_hidden_alone() {
    let blog = TestBlog::new();
    blog.post(&TestPost { n: 1, title: "Good", fields: "status: published\n", body: "Fine." });
    blog.write("posts/2024/03/no-id.md", "---\ntitle: x\n---\n");
    blog.write("posts/2024/03/broken.md", "---\nid: a\ntitle: [\n---\n");
    blog.write("posts/2024/03/binary.md", b"---\nid: b\n---\n\xff\xfe".as_slice());
    blog.write("posts/2024/04/same-slug.md", format!("---\nid: {}\nslug: post-1\n---\n", id(7)));
    blog.write("posts/2024/04/same-id.md", format!("---\nid: {}\nslug: other\n---\n", id(1)));
    blog.write("posts/2024/03/lost.de.md", format!("---\ntranslationFor: {}\nlanguage: de\n---\n", id(99)));
    blog.write("posts/2024/03/date.md", format!("---\nid: {}\nslug: date\ncreatedAt: someday\n---\n", id(8)));
    blog.write("posts/2024/03/status.md", format!("---\nid: {}\nslug: status\nstatus: hidden\n---\n", id(11)));
    blog.write("posts/2024/03/slug.md", format!("---\nid: {}\nslug: a b?\n---\n", id(9)));
    blog.write("meta/tags.json", "[\n  {\n    \"name\"]");
    blog.write("meta/categories.json", "{\n  \"name\": 1\n}");
    blog.write(
        "posts/2024/03/updated.md",
        format!(
            "---\nid: {}\nslug: updated\ncreatedAt: 2024-03-09\nupdatedAt: someday\npublishedAt: soon\n---\n",
            id(10)
        ),
    );
    let translation = |language: &str| format!("---\ntranslationFor: {}\nlanguage: {language}\n---\n", id(1));
    blog.write("posts/2024/05/t.de.md", translation("de"));
    blog.write("posts/2024/05/u.de.md", translation("de"));
    blog.write("posts/2024/05/t.en.md", translation("en"));
    blog.write("media/2024/03/m.png.meta", "---\nid: m\ncreatedAt: someday\n---\n");
    blog.write("scripts/s.lua", "---\nslug: s\ncreatedAt: someday\n---\nreturn 1\n");
    let problems = blog.problems();
    let expected = [
        ("posts/2024/03/updated.md:5", "updatedAt: not a date"),
        ("posts/2024/03/updated.md:6", "publishedAt: not a date"),
        ("posts/2024/05/u.de.md:3", "posts/2024/05/t.de.md is a translation into de too"),
        ("posts/2024/05/t.en.md:3", "the translation has the language of the post"),
        ("media/2024/03/m.png.meta:3", "createdAt: not a date"),
        ("scripts/s.lua:3", "createdAt: not a date"),
        ("meta/categories.json:1", "write it as the blog's program does"),
        ("posts/2024/03/binary.md:4", "save the file as UTF-8"),
        ("posts/2024/03/broken.md:", "correct the front matter there"),
        ("posts/2024/03/date.md:4", "createdAt: not a date; write it as 2024-03-09T10:30:00.000Z"),
        ("posts/2024/03/status.md:4", "expected draft, published or archived"),
        ("posts/2024/03/lost.de.md:2", "there is no post with the id"),
        ("posts/2024/03/no-id.md:1", "add `id:`"),
        ("posts/2024/04/same-id.md:2", "is that of posts/2024/03/post-1.md too"),
        ("posts/2024/04/same-slug.md:3", "the slug post-1 is that of posts/2024/03/post-1.md too"),
        ("meta/tags.json:3", "write it as the blog's program does"),
    ];
    for (place, message) in expected {
        let found = problems.iter().any(|problem| problem.starts_with(place) && problem.contains(message));
        assert!(found, "{place} {message}\n{problems:#?}");
    }
    assert!(problems.iter().any(|problem| problem.starts_with("posts/2024/03/slug.md:3")), "{problems:#?}");
    let mut client = blog.client();
    let mut listed = slugs(&client.read("bds://posts")["items"]);
    listed.sort();
    assert_eq!(listed, ["post-1", "status", "updated"]);
}

#[test]
fn mistakes_in_scripts_and_templates_are_listed_and_hide_nothing() {
    let blog = TestBlog::new();
    let front_matter = |slug: &str| format!("---\ntitle: A title\nslug: {slug}\n---\n");
    blog.write("scripts/good.lua", front_matter("good") + "local a <const> = 1\nreturn a // 2\n");
    blog.write("scripts/wrong.lua", front_matter("wrong") + "local a = 1\nlocal b =\n  = 2\n");
    blog.write("scripts/bare.lua", "return (\n");
    // Python is listed, and not checked.
    blog.write("scripts/other.py", "\"\"\"\n---\nslug: other\n---\n\"\"\"\ndef f(:\n");
    blog.write("templates/good.liquid", front_matter("good") + "{% if a == 1 %}{{ a | escape }}{% endif %}\n");
    blog.write("templates/wrong.liquid", front_matter("wrong") + "<p>\n  {{ a | upcase }}\n{% for b in c %}\n");
    let problems = blog.problems();
    let expected = [
        ("scripts/bare.lua:2: column 1: ", ": correct the script there"),
        ("scripts/wrong.lua:7: column 3: ", ": correct the script there"),
        ("templates/wrong.liquid:6: column 10: unsupported filter: upcase", ": correct the template there"),
        ("templates/wrong.liquid:7: column 1: for is not closed: endfor is missing", ": correct the template there"),
    ];
    assert_eq!(problems.len(), expected.len(), "{problems:#?}");
    for (problem, (start, end)) in problems.iter().zip(expected) {
        assert!(problem.starts_with(start) && problem.ends_with(end), "{problems:#?}");
    }
    // No file is left out.
    let checked = blog.run(&["blog", "check"]).expect_success();
    assert!(checked.contains(&problems[0]) && checked.ends_with("files: 6, none left out\n"), "{checked}");
    let mut client = blog.client();
    assert_eq!(client.read("bds://scripts")["total"], 4);
    assert_eq!(client.read("bds://scripts/wrong")["content"], "local a = 1\nlocal b =\n  = 2\n");
    assert_eq!(client.read("bds://templates/wrong")["content"], "<p>\n  {{ a | upcase }}\n{% for b in c %}\n");
}

#[test]
fn slug_goes_to_the_next_post_when_its_owner_is_gone() {
    let blog = TestBlog::new();
    let first = blog.post(&TestPost { n: 1, title: "First", fields: "", body: "" });
    blog.write("posts/2024/04/second.md", format!("---\nid: {}\ntitle: Second\nslug: post-1\n---\n", id(2)));
    let mut client = blog.client();
    assert_eq!(client.read("bds://posts/post-1")["title"], "First");
    assert_eq!(client.read("bds://posts")["total"], 1);
    blog.remove(&first);
    assert_eq!(client.read("bds://posts/post-1")["title"], "Second");
    blog.post(&TestPost { n: 1, title: "First again", fields: "", body: "" });
    assert_eq!(client.read("bds://posts/post-1")["title"], "First again");
    assert_eq!(client.read("bds://posts")["total"], 1);
}

#[test]
fn draft_takes_the_place_of_the_published_file() {
    let blog = TestBlog::new();
    let published = blog.post(&TestPost { n: 1, title: "Public", fields: "status: published\n", body: "Old words." });
    let draft = TestPost { n: 1, title: "Draft", fields: "status: published\n", body: "Fresh words." }.text();
    blog.write(&format!(".wardroom/drafts/{}.md", id(1)), &draft);
    blog.write(&format!(".wardroom/drafts/{}.md", id(2)), TestPost { n: 2, title: "New", fields: "", body: "" }.text());
    let mut client = blog.client();
    let post = client.read("bds://posts/post-1");
    assert_eq!(
        (&post["status"], &post["title"], &post["content"]),
        (&json!("draft"), &json!("Draft"), &json!("Fresh words.\n"))
    );
    assert_eq!(post["created_at"], "2024-03-01T00:01:00.000Z");
    assert_eq!(client.find(json!({"query": "fresh"})), ["post-1"]);
    assert_eq!(client.find(json!({"query": "old"})), Vec::<String>::new());
    assert_eq!(client.read("bds://posts")["total"], 2);
    blog.remove(&format!(".wardroom/drafts/{}.md", id(1)));
    let post = client.read("bds://posts/post-1");
    assert_eq!((&post["status"], &post["content"]), (&json!("published"), &json!("Old words.\n")));
    assert!(blog.path().join(published).exists());
}

#[test]
fn draft_takes_no_slug_from_a_published_post() {
    let blog = TestBlog::new();
    blog.post(&TestPost { n: 1, title: "Public", fields: "status: published\n", body: "" });
    blog.write(".wardroom/drafts/x.md", format!("---\nid: {}\ntitle: Thief\nslug: post-1\n---\n", id(2)));
    let mut client = blog.client();
    assert_eq!(client.read("bds://posts/post-1")["title"], "Public");
    assert!(blog.problems().iter().any(|problem| problem.starts_with(".wardroom/drafts/x.md:4: the slug post-1")));
}

#[test]
fn translation_has_status_and_dates_of_its_post() {
    let blog = TestBlog::new();
    blog.write("meta/project.json", r#"{"mainLanguage": "EN", "blogLanguages": null}"#);
    blog.post(&TestPost { n: 1, title: "Post", fields: "status: archived\n", body: "" });
    let translation =
        |language: &str| format!("---\ntranslationFor: {}\nlanguage: {language}\ntitle: T\n---\nText\n", id(1));
    blog.write("posts/2024/03/post-1.de.md", translation("DE"));
    blog.write("posts/2024/03/post-1.en.md", translation("en"));
    let mut client = blog.client();
    let listed = client.call("get_post_translations", json!({"postId": id(1)}));
    let [german] = listed["translations"].as_array().unwrap().as_slice() else { panic!("{listed:#}") };
    assert_eq!((&german["status"], &german["created_at"]), (&json!("archived"), &json!(null)));
    assert_eq!(german["createdAt"], "2024-03-01T00:01:00.000Z");
    assert!(blog.problems().iter().any(|problem| problem.contains("the translation has the language of the post, en")));
}

#[test]
fn thousands_of_names_and_files_with_one_id_are_bounded() {
    let blog = TestBlog::new();
    let names: Vec<String> = (0..2_000).map(|n| format!("n{n}")).collect();
    let fields = format!("tags: [{0}]\ncategories: [{0}]\n", names.join(", "));
    blog.post(&TestPost { n: 1, title: "Many", fields: &fields, body: "" });
    for n in 0..150 {
        blog.write(&format!("posts/2024/05/same-{n:03}.md"), format!("---\nid: same\nslug: same-{n}\n---\nText\n"));
    }
    let mut client = blog.client();
    let counts = client.call("count_posts", json!({"groupBy": ["tag", "category"]}));
    assert_eq!((counts["groups"].as_array().unwrap().len(), &counts["truncated"]), (200, &json!(true)));
    assert_eq!(client.read("bds://posts")["total"], 2);
    let problems = blog.problems();
    assert!(
        problems.iter().any(|problem| problem.contains("more than 100 files or 16 MiB have this id")),
        "{problems:#?}"
    );
    assert!(problems.iter().any(|problem| problem.contains("more than 50 names")), "{problems:#?}");
}

#[test]
fn file_from_the_future_is_read_once() {
    let blog = TestBlog::new();
    let path = blog.post(&TestPost { n: 1, title: "Future", fields: "", body: "" });
    let file = std::fs::File::options().write(true).open(blog.path().join(path)).unwrap();
    file.set_modified(std::time::SystemTime::now() + std::time::Duration::from_secs(100_000)).unwrap();
    drop(file);
    std::thread::sleep(std::time::Duration::from_secs(3));
    blog.run(&["blog", "index"]).expect_success();
    assert_eq!(blog.run(&["blog", "index"]).expect_success(), "files: 1, read: 0\n");
}

#[test]
fn every_spelling_of_the_original_is_read() {
    let blog = TestBlog::new();
    let body = "\u{feff}---\r\nid: a1\r\ntitle: 'It''s: fine'\r\nslug: one\r\nstatus: published\r\ncreated_at: 1709980200000\r\n\
                updatedAt: 2024-03-10\r\ntags: one, Two\r\ncategories: []\r\ndoNotTranslate: true\r\n---\r\nText\r\n";
    blog.write("posts/2024/03/one.md", body);
    blog.write("posts/2024/03/two.mdx", "---\nid: 12345\nslug: two\nstatus: archived\nlanguage: DE\n---\n");
    blog.write("posts/2024/03/three.markdown", "---\nid: a3\ntitle: Über die Straße\ntags:\n  - 2024\n  - yes\n---\n");
    let mut client = blog.client();
    let one = client.read("bds://posts/one");
    assert_eq!((&one["title"], &one["created_at"]), (&json!("It's: fine"), &json!("2024-03-09T10:30:00.000Z")));
    assert_eq!(
        (&one["tags"], &one["doNotTranslate"], &one["content"]),
        (&json!(["one", "Two"]), &json!(true), &json!("Text\r\n"))
    );
    let two = client.read("bds://posts/12345");
    assert_eq!((&two["slug"], &two["title"], &two["language"]), (&json!("two"), &json!("two"), &json!("de")));
    let three = client.read("bds://posts/uber-die-strasse");
    assert_eq!((&three["tags"], &three["status"]), (&json!(["2024", "yes"]), &json!("draft")));
    assert_eq!(client.find(json!({"missingTranslationLanguage": "fr"})).len(), 2);
}

#[test]
fn names_in_lists_keep_their_characters() {
    let blog = TestBlog::new();
    let tags = ["1.10", "007", "1e3", "2024-03-01", "yes", "True", "+1", "0x1F", "cafe\u{301}"];
    let fields = format!("tags:\n  - {}\ncategories: [2.0, .5]\n", tags.join("\n  - "));
    blog.post(&TestPost { n: 1, title: "Names", fields: &fields, body: "" });
    let mut client = blog.client();
    let post = client.read("bds://posts/post-1");
    let expected = ["1.10", "007", "1e3", "2024-03-01", "yes", "True", "+1", "0x1F", "café"];
    assert_eq!((&post["tags"], &post["categories"]), (&json!(expected), &json!(["2.0", ".5"])));
    assert_eq!(client.find(json!({"tags": ["007", "café"]})), ["post-1"]);
}

#[test]
fn post_with_an_id_is_no_translation_whatever_its_name_ends_with() {
    let blog = TestBlog::new();
    blog.write("posts/2024/03/learn.io.md", format!("---\nid: {}\ntitle: Learn.io\nslug: learn-io\n---\n", id(1)));
    blog.write("posts/2024/03/other.de.md", "---\ntitle: Anderes\n---\n");
    blog.write(".wardroom/drafts/sub/x.md", format!("---\nid: {}\nslug: below\n---\n", id(2)));
    let mut client = blog.client();
    assert_eq!(slugs(&client.read("bds://posts")["items"]), ["learn-io"]);
    assert_eq!(client.read("bds://posts/learn-io")["language"], "en");
    let problems = blog.problems();
    assert_eq!(problems.len(), 1, "{problems:#?}");
    assert!(problems[0].starts_with("posts/2024/03/other.de.md:1: the name is that of a translation"), "{problems:#?}");
}

#[test]
fn what_is_no_name_in_a_list_is_reported() {
    let blog = TestBlog::new();
    for (n, tags) in (0..).zip(["[a, 1, null, {x: y}, [b]]", "{a: 1}", "[a, null]"]) {
        let id = id(n);
        blog.write(
            &format!("posts/2024/03/p{n}.md"),
            format!("---\nid: {id}\ntitle: P\nslug: p{n}\ntags: {tags}\n---\nText\n"),
        );
    }
    let mut client = blog.client();
    assert_eq!(client.read("bds://posts/p0")["tags"], json!(["a", "1"]));
    assert_eq!(
        blog.problems(),
        [
            "posts/2024/03/p0.md:5: tags: an item is a list or a table; it is passed over",
            "posts/2024/03/p1.md:5: tags: expected a list, and found a table; it is passed over",
        ]
    );
}

#[test]
fn media_item_keeps_the_ids_of_many_posts() {
    let blog = TestBlog::new();
    let ids: Vec<String> = (0..200).map(id).collect();
    blog.write("media/2024/03/m.png.meta", format!("---\nid: m\nlinkedPostIds: [\"{}\"]\n---\n", ids.join("\", \"")));
    let ids: Vec<String> = (0..10_001).map(|n| format!("{n:x}")).collect();
    blog.write("media/2024/03/n.png.meta", format!("---\nid: n\nlinkedPostIds: [{}]\n---\n", ids.join(",")));
    let mut client = blog.client();
    assert_eq!(client.read("bds://media/m")["linkedPostIds"].as_array().unwrap().len(), 200);
    assert_eq!(client.read("bds://media/n")["linkedPostIds"].as_array().unwrap().len(), 10_000);
    let problems = blog.problems();
    assert_eq!(problems, ["media/2024/03/n.png.meta:3: linkedPostIds: more than 10000 ids; the rest is passed over"]);
}

#[test]
fn links_of_a_post_are_counted_beyond_those_that_are_listed() {
    let blog = TestBlog::new();
    for n in 1..=300 {
        blog.post(&TestPost { n, title: "Target", fields: "", body: "" });
    }
    let links: String = (1..=300).map(|n| format!("[t](/post-{n}) [again](/post-{n})\n")).collect();
    blog.post(&TestPost { n: 301, title: "Source", fields: "", body: &links });
    let mut client = blog.client();
    let post = client.read("bds://posts/post-301");
    assert_eq!((post["outlinks"].as_array().unwrap().len(), &post["outlinkCount"]), (20, &json!(300)));
    assert_eq!(client.read("bds://posts/post-300")["backlinkCount"], 1);
}

#[test]
fn links_out_of_the_blog_lead_nowhere() {
    let blog = TestBlog::new();
    blog.dir.write_file("secret.md", "---\nid: s\nslug: secret\n---\nsecret");
    blog.post(&TestPost { n: 1, title: "In", fields: "", body: "" });
    std::os::unix::fs::symlink("../../../../secret.md", blog.path().join("posts/2024/03/out.md")).unwrap();
    std::os::unix::fs::symlink("/etc", blog.path().join("posts/2024/etc")).unwrap();
    std::os::unix::fs::symlink("post-1.md", blog.path().join("posts/2024/03/in.md")).unwrap();
    blog.write("media/2024/03/m.png.meta", "---\nid: m\n---\n");
    std::os::unix::fs::symlink("/etc/passwd", blog.path().join("media/2024/03/m.png")).unwrap();
    let mut client = blog.client();
    assert_eq!(client.read("bds://posts")["total"], 1);
    assert_eq!(client.read_error("bds://posts/secret").0, -32602);
    let (_, message) = client.read_error("bds://media/m/image?size=original");
    assert!(!message.contains("root:"), "{message}");
}

/// Nor does such a link make the index wait for a file that cannot be read now.
#[test]
fn settings_that_lead_to_themselves_hide_no_post() {
    let blog = TestBlog::new();
    blog.post(&TestPost { n: 1, title: "One", fields: "status: published\n", body: "Words." });
    let link = blog.path().join("meta/tags.json");
    std::fs::create_dir_all(link.parent().unwrap()).unwrap();
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink("tags.json", &link).unwrap();
    let mut client = blog.client();
    assert_eq!(client.read("bds://posts")["items"].as_array().unwrap().len(), 1);
    assert!(blog.run(&["blog", "check"]).stdout.contains("meta/tags.json:1"));
}

/// A call says why there is no index, instead of asking for patience.
#[test]
fn index_that_cannot_be_made_is_an_error() {
    let blog = TestBlog::new();
    blog.post(&TestPost { n: 1, title: "One", fields: "status: published\n", body: "Words." });
    blog.dir.write_file("cache/blog", "in the way");
    let mut client = blog.client();
    let (answer, failed) = client.0.call_tool("count_posts", json!({}));
    let said = answer.to_string();
    assert!(failed && !said.contains("try again in a moment"), "{said}");
}

#[test]
fn new_blog_is_valid_and_keeps_what_exists() {
    let dir = wardroom_test_support::TestDir::new();
    let run = |args: &[&str]| super::test_blog::run_on(&dir.app_path(), dir.root(), args);
    run(&["init"]).expect_success();
    assert!(run(&["blog", "check"]).stderr.contains("there is no blog"));
    run(&["blog", "init", "--name", "Ada's"]).expect_success();
    let project = std::fs::read_to_string(dir.app_path().join("blog/meta/project.json")).unwrap();
    assert!(project.contains("Ada's"), "{project}");
    dir.write_file("blog/meta/tags.json", "[{\"name\": \"x\"}]");
    run(&["blog", "init"]).expect_success();
    assert_eq!(std::fs::read_to_string(dir.app_path().join("blog/meta/project.json")).unwrap(), project);
    assert!(run(&["blog", "check"]).expect_success().starts_with("files: 0. Put posts into posts/YYYY/MM; "));
    assert_eq!(run(&["blog", "index", "--rebuild"]).expect_success(), "files: 0, read: 0\n");
    assert!(run(&["read", "bds://tags"]).expect_success().contains("\"x\""));
    let other = dir.root().join("elsewhere").display().to_string();
    run(&["blog", "init", "--blog", &other]).expect_success();
    assert!(dir.root().join("elsewhere/meta/project.json").exists());
    // The folder of a site gets none of it.
    let site = dir.root().join("site");
    std::fs::create_dir_all(site.join("content/posts")).unwrap();
    let refused = run(&["blog", "init", "--blog", &site.display().to_string()]);
    assert!(refused.status == 1 && refused.stderr.contains("set layout = \"markdown\""), "{refused:?}");
    assert_eq!(std::fs::read_dir(&site).unwrap().count(), 1);
}
