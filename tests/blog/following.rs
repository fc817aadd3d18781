//! Several processes on one blog, whose files change, and whose index is damaged and interrupted.

use std::fs;
use std::time::Duration;

use serde_json::{Value, json};
use wardroom_test_support::{ClientRevision, StdioClient, eventually, wardroom_command};

use super::test_blog::{TestBlog, TestPost, slug, slugs};

fn posts(client: &mut StdioClient) -> Vec<String> {
    let answer = client.read_resource("bds://posts").unwrap();
    slugs(&serde_json::from_str::<Value>(answer["text"].as_str().unwrap()).unwrap()["items"])
}

fn start(blog: &TestBlog) -> StdioClient {
    StdioClient::start_with(&blog.dir, ClientRevision::Legacy, &["--service", "blog"])
}

#[test]
fn servers_follow_the_files() {
    let blog = TestBlog::new();
    let mut clients = [start(&blog), start(&blog)];
    for client in &mut clients {
        assert_eq!(posts(client), Vec::<String>::new());
    }
    let path = blog.post(&TestPost { n: 1, title: "One", fields: "", body: "alpha" });
    for client in &mut clients {
        eventually("the new post", || posts(client) == ["post-1"]);
    }
    // In place, without a change of the folder.
    fs::write(blog.path().join(&path), TestPost { n: 1, title: "Changed", fields: "", body: "beta" }.text()).unwrap();
    for client in &mut clients {
        eventually("the changed post", || {
            client.read_resource("bds://posts/post-1").unwrap()["text"].as_str().unwrap().contains("Changed")
        });
    }
    blog.remove(&path);
    for client in &mut clients {
        eventually("no post", || posts(client).is_empty());
    }
}

#[test]
fn subscribers_learn_of_changes_in_their_post() {
    let blog = TestBlog::new();
    let path = blog.post(&TestPost { n: 1, title: "One", fields: "", body: "alpha" });
    let mut client = start(&blog);
    // On a busy machine the first answer may come before the first look at the files.
    eventually("the post", || posts(&mut client) == ["post-1"]);
    let uri = format!("bds://posts/{}", super::test_blog::id(1));
    client.call("resources/subscribe", json!({"uri": uri}));
    fs::write(blog.path().join(&path), TestPost { n: 1, title: "Changed", fields: "", body: "beta" }.text()).unwrap();
    let message = client.receive_within(Duration::from_secs(20)).expect("a notification");
    assert_eq!(
        (&message["method"], &message["params"]["uri"]),
        (&json!("notifications/resources/updated"), &json!(uri))
    );
}

#[test]
fn damaged_index_is_made_again() {
    let blog = TestBlog::new();
    for n in 0..20 {
        blog.post(&TestPost { n, title: "Post", fields: "", body: "Some words." });
    }
    let expected: Vec<String> = (0..20).rev().map(slug).collect();
    let index = || {
        let folders = fs::read_dir(blog.dir.app_path().join("cache/blog")).unwrap();
        folders.map(|folder| folder.unwrap().path()).next().unwrap()
    };
    let files = || -> Vec<_> {
        let mut files: Vec<_> = fs::read_dir(index()).unwrap().map(|file| file.unwrap().path()).collect();
        files.retain(|file| !file.ends_with("update.lock"));
        files.sort();
        files
    };
    assert_eq!(posts(&mut start(&blog)), expected);
    let n_files = files().len();
    assert!(n_files > 5, "{n_files}");
    for at in 0..n_files {
        for damage in 0..3 {
            let all = files();
            let Some(file) = all.get(at.min(all.len() - 1)) else { continue };
            let mut bytes = fs::read(file).unwrap();
            match damage {
                0 => bytes.truncate(bytes.len() / 2),
                1 => bytes.iter_mut().for_each(|byte| *byte ^= 0x5a),
                _ => bytes.clear(),
            }
            fs::remove_file(file).unwrap();
            fs::write(file, bytes).unwrap();
            let mut client = start(&blog);
            eventually("all posts, after damage", || {
                let answer = client.read_resource("bds://posts");
                answer.is_ok_and(|answer| {
                    slugs(&serde_json::from_str::<Value>(answer["text"].as_str().unwrap()).unwrap()["items"])
                        == expected
                })
            });
        }
    }
}

#[test]
fn killed_writer_leaves_a_whole_index() {
    let blog = TestBlog::new();
    for n in 0..300 {
        blog.post(&TestPost { n, title: "Post", fields: "", body: &"Some words to count. ".repeat(50) });
    }
    for ms in [0, 20, 40, 60, 80, 100, 150, 200, 300] {
        fs::remove_dir_all(blog.dir.app_path().join("cache")).ok();
        let mut command = wardroom_command(blog.dir.root());
        command.args(["blog", "index", "--appdir"]).arg(blog.dir.app_path());
        let mut child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(ms));
        child.kill().unwrap();
        child.wait().unwrap();
        let counted = blog.run(&["call", "count_posts", "{\"groupBy\": [\"year\"]}"]).expect_success();
        let counted: Value = serde_json::from_str(&counted).unwrap();
        assert_eq!(counted["totalPosts"], 300, "{ms} ms: {counted:#}");
    }
}

#[test]
fn processes_share_the_index_while_files_change_and_some_are_killed() {
    let blog = TestBlog::new();
    for n in 0..40 {
        blog.post(&TestPost { n, title: "Post", fields: "", body: "Words." });
    }
    let mut lasting = start(&blog);
    for round in 0..8_u32 {
        let mut command = wardroom_command(blog.dir.root());
        command.arg("--appdir").arg(blog.dir.app_path()).args(["--service", "blog"]);
        command
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null());
        let mut other = command.spawn().unwrap();
        let mut index = wardroom_command(blog.dir.root());
        index.args(["blog", "index", "--appdir"]).arg(blog.dir.app_path());
        let mut index = index.stdout(std::process::Stdio::null()).spawn().unwrap();
        for n in 0..5 {
            blog.post(&TestPost { n: 100 + round * 10 + n, title: "New", fields: "", body: "More words." });
            blog.remove(&format!("posts/2024/03/{}.md", slug(round * 5 + n)));
        }
        std::thread::sleep(Duration::from_millis(u64::from(round) * 15));
        index.kill().unwrap();
        other.kill().unwrap();
        index.wait().unwrap();
        other.wait().unwrap();
        let mut expected: Vec<String> = (round * 5 + 5..40).map(slug).collect();
        expected.extend((0..=round).flat_map(|round| (0..5).map(move |n| slug(100 + round * 10 + n))));
        expected.sort();
        eventually("the posts of the files", || {
            let mut found = posts(&mut lasting);
            found.sort();
            found == expected
        });
    }
}
