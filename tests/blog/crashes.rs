//! Two servers and commands on one blog while its files change. Each of them is killed at random moments, and started
//! again; at the end every answer of all of them is that of the files.

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use wardroom_test_support::{eventually, wardroom_command};

use super::random::Random;
use super::test_blog::{BlogClient, TestBlog, TestPost, id, slug};

const N_POSTS: u32 = 30;
const N_ROUNDS: u32 = 60;

/// The word and the tag of each post that has a file.
type Posts = BTreeMap<u32, (String, u32)>;

fn path(n: u32) -> String {
    format!("posts/2024/03/{}.md", slug(n))
}

/// Writes or removes a post, as an editor or as a tool that replaces the file.
fn change(random: &mut Random, blog: &TestBlog, posts: &mut Posts) {
    let n = random.below(N_POSTS);
    if random.below(4) == 0 {
        if posts.remove(&n).is_some() {
            blog.remove(&path(n));
        }
        return;
    }
    let (word, tag) = (random.value(&"[a-z]{12}"), random.below(3));
    let body = format!("It is {word}. {}", "Some words to read. ".repeat(random.below(500) as usize));
    let fields = format!("tags: [t{tag}]\n");
    if random.below(2) == 0 || !posts.contains_key(&n) {
        blog.post(&TestPost { n, title: "Post", fields: &fields, body: &body });
    } else {
        let text = TestPost { n, title: "Post", fields: &fields, body: &body }.text();
        let new = blog.path().join("posts/2024/03/new");
        std::fs::write(&new, text).unwrap();
        std::fs::rename(&new, blog.path().join(path(n))).unwrap();
    }
    posts.insert(n, (word, tag));
}

/// Starts a command that changes the index.
fn start_command(random: &mut Random, blog: &TestBlog) -> Child {
    let mut command = wardroom_command(blog.dir.root());
    let args: &[&str] =
        [&["blog", "index"][..], &["blog", "index", "--rebuild"], &["blog", "check"]][random.below(3) as usize];
    command.args(args).arg("--appdir").arg(blog.dir.app_path());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Compares the list, the counts, a search for each post and each body with the files.
#[track_caller]
fn compare(posts: &Posts, mut read: impl FnMut(&str) -> Value, mut call: impl FnMut(&str, Value) -> Value) {
    let listed = read("bds://posts");
    let found: BTreeSet<String> = super::test_blog::slugs(&listed["items"]).into_iter().collect();
    assert_eq!(found, posts.keys().copied().map(slug).collect());
    assert_eq!(listed["total"], posts.len());
    let counts = call("count_posts", json!({"groupBy": ["tag"]}));
    assert_eq!(counts["totalPosts"], posts.len());
    for group in counts["groups"].as_array().unwrap() {
        let expected = posts.values().filter(|(_, tag)| group["tag"] == format!("t{tag}")).count();
        assert_eq!(group["count"], expected, "{counts:#}");
    }
    for (n, (word, _)) in posts {
        let found = call("search_posts", json!({"query": word}));
        assert_eq!((&found["total"], &found["posts"][0]["slug"]), (&json!(1), &json!(slug(*n))), "{found:#}");
        let post = read(&format!("bds://posts/{}", id(*n)));
        assert!(post["content"].as_str().unwrap().starts_with(&format!("It is {word}.")), "{post:#}");
    }
}

#[test]
fn answers_are_right_after_kills_at_random_moments() {
    let mut random = Random::new();
    let blog = TestBlog::new();
    let mut posts = Posts::new();
    for _ in 0..N_POSTS {
        change(&mut random, &blog, &mut posts);
    }
    let mut servers = [blog.client(), blog.client()];
    let mut commands: Vec<Child> = Vec::new();
    for _ in 0..N_ROUNDS {
        for _ in 0..random.below(4) {
            change(&mut random, &blog, &mut posts);
        }
        let which = random.below(2) as usize;
        match random.below(6) {
            0 => {
                let mut killed =
                    commands.len().checked_sub(1).map(|last| commands.remove(random.below(4) as usize % (last + 1)));
                killed.iter_mut().for_each(end);
            }
            // The client kills its server (SIGKILL) when it is dropped.
            1 | 2 => servers[which] = blog.client(),
            // A request that does not wait: the server is busy with the index when it is killed.
            3 => {
                let params = json!({"uri": "bds://posts", "_meta": {"wardroom/fresh": true}});
                servers[which].0.0.send_request("resources/read", params);
                std::thread::sleep(Duration::from_millis(random.below(60).into()));
                servers[which] = blog.client();
            }
            _ if commands.len() < 3 => commands.push(start_command(&mut random, &blog)),
            _ => {}
        }
        std::thread::sleep(Duration::from_millis(random.below(40).into()));
    }
    commands.iter_mut().for_each(end);
    // The two servers that are left know nothing of the test: they follow the files by themselves.
    for server in &mut servers {
        eventually("the files", || {
            let found = server.0.0.read_resource("bds://posts");
            let listed: Option<Value> = found.ok().and_then(|read| serde_json::from_str(read["text"].as_str()?).ok());
            listed.is_some_and(|listed| listed["total"] == posts.len())
        });
    }
    for server in &mut servers {
        let cell = std::cell::RefCell::new(server);
        compare(
            &posts,
            |uri| cell.borrow_mut().read(uri),
            |tool, arguments| BlogClient::call(&mut cell.borrow_mut(), tool, arguments),
        );
    }
    let run = |args: &[&str]| serde_json::from_str::<Value>(&blog.run(args).expect_success()).unwrap();
    compare(&posts, |uri| run(&["read", uri]), |tool, arguments| run(&["call", tool, &arguments.to_string()]));
    assert_eq!(blog.problems(), Vec::<String>::new());
}

/// Ends a process as a crash does.
fn end(process: &mut Child) {
    process.kill().unwrap();
    process.wait().unwrap();
}
