//! The files of the index below `cache/`, when someone else removes them, or another version made them.

use std::fs;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use wardroom_test_support::{eventually, remove_folder_in_use};

use super::test_blog::{TestBlog, TestPost};

#[test]
fn removed_index_is_made_again() {
    let blog = TestBlog::new();
    blog.post(&TestPost { n: 1, title: "One", fields: "", body: "alpha" });
    let mut client = blog.client();
    assert_eq!(client.read("bds://posts")["total"], 1);
    remove_folder_in_use(&blog.dir.app_path().join("cache/blog"));
    let answer = client.0.0.read_resource("bds://posts").unwrap();
    assert!(answer["text"].as_str().unwrap().contains("\"total\":1"), "{answer}");
}

/// A server that has not compared the files yet answers from the index as it is, and says so.
#[test]
fn answers_from_before_the_first_comparison_say_so() {
    let blog = TestBlog::new();
    blog.post(&TestPost { n: 1, title: "One", fields: "", body: "alpha" });
    blog.run(&["blog", "index"]).expect_success();
    blog.post(&TestPost { n: 2, title: "Two", fields: "", body: "alpha" });
    let indexes = blog.dir.app_path().join("cache/blog");
    let own = fs::read_dir(&indexes).unwrap().next().unwrap().unwrap().path();
    // As another process does that compares them.
    let lock = fs::File::open(own.join("update.lock")).unwrap();
    lock.lock().unwrap();
    let mut client = blog.client();
    let mut read = || {
        let content = client.0.0.read_resource("bds://posts").unwrap();
        let page: Value = serde_json::from_str(content["text"].as_str().unwrap()).unwrap();
        let hints = client.0.call_ok("search_posts", json!({"query": "alpha"}))["hints"].take();
        (page["total"].as_u64().unwrap(), content["_meta"]["wardroom/notes"].clone(), hints)
    };
    let before = json!(["this is from before the server started: the files are being compared"]);
    assert_eq!(read(), (1, before.clone(), before));
    drop(lock);
    eventually("the files are compared", || {
        let (total, notes, _) = read();
        total == 2 && notes.is_null()
    });
}

/// A server that was started before still has the folder from before, whatever has its name now.
#[test]
fn folder_in_the_place_of_another_one_has_an_index_of_its_own() {
    let blog = TestBlog::new();
    blog.post(&TestPost { n: 1, title: "One", fields: "", body: "alpha" });
    let mut before = blog.client();
    assert_eq!(before.read("bds://posts")["total"], 1);
    let path = blog.dir.app_path().join("blog");
    fs::rename(&path, blog.dir.app_path().join("old")).unwrap();
    blog.post(&TestPost { n: 2, title: "Two", fields: "", body: "alpha" });
    blog.post(&TestPost { n: 3, title: "Three", fields: "", body: "alpha" });
    let mut after = blog.client();
    assert_eq!(after.read("bds://posts")["total"], 2);
    fs::remove_dir_all(blog.dir.app_path().join("old")).unwrap();
    before.0.0.read_resource("bds://posts").unwrap_err();
    assert_eq!(after.read("bds://posts")["total"], 2);
}

/// Each has other documents, and none makes the other's anew.
#[test]
fn servers_of_several_languages_have_indexes_of_their_own() {
    let blog = TestBlog::new();
    let post = blog.post(&TestPost { n: 1, title: "One", fields: "", body: "running" });
    blog.dir.wait_until_settled(&format!("blog/{post}"));
    for language in ["en", "de"] {
        let text = format!("[blog]\nlanguage = \"{language}\"\n");
        let config = blog.dir.write_file(&format!("{language}.toml"), text).display().to_string();
        let index = || blog.run(&["blog", "index", "--config", &config]).expect_success();
        assert_eq!([index(), index()], ["files: 1, read: 1\n", "files: 1, read: 0\n"], "{language}");
    }
    assert_eq!(fs::read_dir(blog.dir.app_path().join("cache/blog")).unwrap().count(), 2);
}

#[test]
fn indexes_of_old_versions_go_when_no_one_uses_them() {
    let blog = TestBlog::new();
    blog.post(&TestPost { n: 1, title: "One", fields: "", body: "alpha" });
    assert_eq!(blog.run(&["blog", "index"]).status, 0);
    let indexes = blog.dir.app_path().join("cache/blog");
    let own = fs::read_dir(&indexes).unwrap().next().unwrap().unwrap().file_name().into_string().unwrap();
    let (name, _) = own.split_once('-').unwrap();
    let make = |folder: &str, age: Duration| {
        fs::create_dir(indexes.join(folder)).unwrap();
        let meta = fs::File::create(indexes.join(folder).join("meta.json")).unwrap();
        meta.set_modified(SystemTime::now() - age).unwrap();
    };
    const DAY: Duration = Duration::from_hours(24);
    make(&format!("{name}-v0-old"), 8 * DAY);
    make(&format!("{name}-v0-used"), DAY);
    make("0123456789abcdef-v0-other", 8 * DAY);
    // Of other settings a server may use one, however long its blog has been the same.
    let (maker, _) = own.rsplit_once('-').unwrap();
    for (settings, age) in [("a", 9), ("b", 10), ("c", 11), ("d", 12)] {
        make(&format!("{maker}-{settings}"), age * DAY);
    }
    assert_eq!(blog.run(&["blog", "index", "--rebuild"]).status, 0);
    let mut left: Vec<String> =
        fs::read_dir(&indexes).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    left.sort();
    let mut expected = vec!["0123456789abcdef-v0-other".to_owned(), own.clone(), format!("{name}-v0-used")];
    expected.extend(["a", "b", "c"].map(|settings| format!("{maker}-{settings}")));
    expected.sort();
    assert_eq!(left, expected);
}
