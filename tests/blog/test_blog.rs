//! A blog in an AppDir, and a client on it.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use wardroom_test_support::{ClientRevision, CommandOutput, RunClient, StdioClient, TestDir, run_wardroom};

/// A blog in the folder `blog` of an AppDir.
pub(crate) struct TestBlog {
    pub(crate) dir: TestDir,
}

/// A post to write.
pub(crate) struct TestPost<'p> {
    pub(crate) n: u32,
    pub(crate) title: &'p str,
    /// Further lines of the front matter.
    pub(crate) fields: &'p str,
    pub(crate) body: &'p str,
}

/// Returns the id of the post with a number.
pub(crate) fn id(n: u32) -> String {
    format!("00000000-0000-4000-8000-{n:012}")
}

/// Returns the slug of the post with a number.
pub(crate) fn slug(n: u32) -> String {
    format!("post-{n}")
}

impl TestPost<'_> {
    pub(crate) fn text(&self) -> String {
        let Self { n, title, fields, body } = self;
        let (id, slug) = (id(*n), slug(*n));
        format!("---\nid: {id}\ntitle: {title}\nslug: {slug}\n{fields}---\n{body}\n")
    }
}

impl TestBlog {
    /// An empty blog, whose main language is English.
    pub(crate) fn new() -> Self {
        let blog = Self { dir: TestDir::new() };
        blog.write(
            "meta/project.json",
            r#"{"name": "Test", "mainLanguage": "en", "publicUrl": "https://blog.example"}"#,
        );
        blog
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.dir.app_path().join("blog")
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        self.dir.write_file(&format!("blog/{name}"), content);
    }

    pub(crate) fn remove(&self, name: &str) {
        std::fs::remove_file(self.path().join(name)).unwrap();
    }

    /// Writes a post of March 2024, `n` minutes after midnight.
    pub(crate) fn post(&self, post: &TestPost) -> String {
        let at =
            format!("createdAt: '2024-03-0{}T{:02}:{:02}:00.000Z'\n", 1 + post.n / 1440, post.n / 60 % 24, post.n % 60);
        let fields =
            if post.fields.contains("createdAt") { post.fields.to_owned() } else { format!("{at}{}", post.fields) };
        let name = format!("posts/2024/03/{}.md", slug(post.n));
        self.write(&name, TestPost { fields: &fields, ..*post }.text());
        name
    }

    pub(crate) fn client(&self) -> BlogClient {
        self.client_with(&[])
    }

    pub(crate) fn client_with(&self, args: &[&str]) -> BlogClient {
        BlogClient(RunClient::start_with(&self.dir, &[&["--service", "blog"], args].concat()))
    }

    /// Runs a command on the AppDir.
    pub(crate) fn run(&self, args: &[&str]) -> CommandOutput {
        run_on(&self.dir.app_path(), self.dir.root(), args)
    }

    /// Returns what `blog check` prints, line by line.
    pub(crate) fn problems(&self) -> Vec<String> {
        let output = self.run(&["blog", "check", "--json"]);
        let rows: Value = serde_json::from_str(output.stdout.lines().next().unwrap()).unwrap();
        let row = |row: &Value| {
            format!("{}:{}: {}", row["file"].as_str().unwrap(), row["line"], row["message"].as_str().unwrap())
        };
        rows.as_array().unwrap().iter().map(row).collect()
    }
}

pub(crate) fn run_on(app: &Path, home: &Path, args: &[&str]) -> CommandOutput {
    let app = app.display().to_string();
    run_wardroom(home, &[args, &["--appdir", &app]].concat())
}

/// A client of a server with a blog. Each request asks for what the files say now.
pub(crate) struct BlogClient(pub(crate) RunClient);

impl BlogClient {
    pub(crate) fn start_modern(blog: &TestBlog) -> StdioClient {
        StdioClient::start_with(&blog.dir, ClientRevision::Modern, &["--service", "blog"])
    }

    #[track_caller]
    pub(crate) fn read(&mut self, uri: &str) -> Value {
        let answer = self.0.0.call("resources/read", json!({"uri": uri, "_meta": {"wardroom/fresh": true}}));
        let content = &answer["result"]["contents"][0];
        assert_eq!(content["mimeType"], "application/json", "{answer:#}");
        assert_eq!(content["_meta"]["wardroom/untrusted"], true, "{answer:#}");
        serde_json::from_str(content["text"].as_str().unwrap()).unwrap()
    }

    /// Returns the code of the error of a read.
    #[track_caller]
    pub(crate) fn read_error(&mut self, uri: &str) -> (i64, String) {
        let answer = self.0.0.call("resources/read", json!({"uri": uri}));
        let error = &answer["error"];
        (error["code"].as_i64().unwrap_or_else(|| panic!("{answer:#}")), error["message"].as_str().unwrap().to_owned())
    }

    /// Calls a tool that must succeed.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "calls read better")]
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments, "_meta": {"wardroom/fresh": true}});
        let answer = self.0.0.call("tools/call", params);
        assert_eq!(answer["result"]["isError"], false, "{answer:#}");
        assert_eq!(answer["result"]["_meta"]["wardroom/untrusted"], true, "{answer:#}");
        answer["result"]["structuredContent"].clone()
    }

    /// Calls a tool that must fail; returns its message.
    #[track_caller]
    pub(crate) fn refusal(&mut self, tool: &str, arguments: Value, code: &str) -> String {
        self.0.expect_refusal(tool, arguments, code)
    }

    /// Returns the slugs that a search finds, in its order.
    #[track_caller]
    pub(crate) fn find(&mut self, arguments: Value) -> Vec<String> {
        let found = self.call("search_posts", arguments);
        slugs(&found["posts"])
    }
}

/// Returns the slugs of posts.
pub(crate) fn slugs(posts: &Value) -> Vec<String> {
    posts.as_array().unwrap().iter().map(|post| post["slug"].as_str().unwrap().to_owned()).collect()
}
