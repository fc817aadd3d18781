//! A blog, the command that shows it, and a person who reads its pages without a browser.

use std::io::{BufRead as _, BufReader};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};

use wardroom_test_support::{HttpConnection, HttpReply, TEST_TIMEOUT, TestDir, eventually, wardroom_command};

/// The headers of every reply, with their only values.
pub(crate) const SECURITY_HEADERS: [(&str, &str); 5] = [
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cache-control", "no-store"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
];

/// A blog in the folder `blog` of an AppDir.
pub(crate) fn blog_dir() -> TestDir {
    let dir = TestDir::new();
    dir.write_file("blog/meta/project.json", r#"{"name": "Harbour notes", "mainLanguage": "en"}"#);
    dir
}

/// Writes a post of March 2024.
pub(crate) fn write_post(dir: &TestDir, slug: &str, fields: &str, body: &str) {
    dir.write_file(&format!("blog/posts/2024/03/{slug}.md"), post_text(slug, fields, body));
}

/// Returns the text of a post.
pub(crate) fn post_text(slug: &str, fields: &str, body: &str) -> String {
    let number =
        slug.bytes().fold(7_u64, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into())) % 1_000_000_000_000;
    format!(
        "---\nid: 00000000-0000-4000-8000-{number:012}\nslug: {slug}\ncreatedAt: '2024-03-09T10:30:00.000Z'\n{fields}---\n{body}\n"
    )
}

/// `wardroom review`, which is ended with this value.
pub(crate) struct ReviewServer {
    child: Child,
    /// The address that signs in.
    pub(crate) sign_in_address: String,
    pub(crate) port: u16,
    /// The name of the pages, with the port.
    pub(crate) host: String,
}

impl ReviewServer {
    pub(crate) fn start(dir: &TestDir) -> Self {
        let mut command = wardroom_command(dir.root());
        command.arg("--appdir").arg(dir.app_path()).args(["review", "--no-open"]);
        Self::spawn(command)
    }

    pub(crate) fn spawn(command: Command) -> Self {
        Self::spawn_with_log(command, Stdio::null())
    }

    /// Starts a server whose standard error goes elsewhere.
    pub(crate) fn spawn_with_log(mut command: Command, log: Stdio) -> Self {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim_end().strip_prefix("review page: ").unwrap_or_else(|| panic!("{line:?}")).to_owned();
        let host = address.strip_prefix("http://").and_then(|rest| rest.split('/').next()).unwrap().to_owned();
        let port = host.split_once(':').unwrap().1.parse().unwrap();
        Self { child, sign_in_address: address, port, host }
    }

    /// Ends the server as Ctrl-C does, and returns whether it reported success.
    pub(crate) fn interrupt(&mut self) -> bool {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        let mut ended = None;
        eventually("the server ends", || {
            ended = self.child.try_wait().unwrap();
            ended.is_some()
        });
        ended.unwrap().success()
    }

    /// Returns what the system says of the process.
    pub(crate) fn process_status(&self) -> String {
        std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap()
    }

    pub(crate) fn connect(&self) -> HttpConnection<TcpStream> {
        connect(self.port, &self.host)
    }

    /// Returns the path and query of the address that signs in.
    pub(crate) fn sign_in_path(&self) -> &str {
        self.sign_in_address.split_once(&self.host).unwrap().1
    }

    /// Signs in.
    pub(crate) fn visitor(&self) -> Visitor {
        let reply = self.connect().exchange("GET", self.sign_in_path(), &[], None);
        assert_eq!(reply.status, 200, "{reply:?}");
        let cookie = reply.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        Visitor { port: self.port, host: self.host.clone(), cookie }
    }

    /// Signs in once the blog has all posts in its index.
    pub(crate) fn visitor_of(&self, n_posts: usize) -> Visitor {
        let visitor = self.visitor();
        let counted = if n_posts == 1 { "1 post<".to_owned() } else { format!("{n_posts} posts<") };
        eventually("the posts are in the index", || visitor.get("/review/blog").text().contains(&counted));
        visitor
    }
}

impl Drop for ReviewServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn connect(port: u16, host: &str) -> HttpConnection<TcpStream> {
    let stream = TcpStream::connect(SocketAddr::from(([127, 0, 0, 1], port))).unwrap();
    stream.set_read_timeout(Some(TEST_TIMEOUT)).unwrap();
    HttpConnection::new(stream, host.to_owned())
}

/// A person who is signed in, without a browser.
#[derive(Clone)]
pub(crate) struct Visitor {
    pub(crate) port: u16,
    pub(crate) host: String,
    pub(crate) cookie: String,
}

/// A reply, as a person sees it.
pub(crate) struct PageOf(pub(crate) HttpReply);

impl PageOf {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.0.body).unwrap()
    }

    #[track_caller]
    pub(crate) fn expect(self, status: u16) -> Self {
        assert_eq!(self.0.status, status, "{}", self.text());
        self
    }

    /// Returns the first text between two others.
    #[track_caller]
    pub(crate) fn between(&self, before: &str, after: &str) -> &str {
        let text = self.text();
        let rest = text.split_once(before).unwrap_or_else(|| panic!("no {before:?} in {text}")).1;
        rest.split_once(after).unwrap_or_else(|| panic!("no {after:?} in {rest}")).0
    }
}

impl Visitor {
    pub(crate) fn get(&self, path: &str) -> PageOf {
        self.request("GET", path, &[], None)
    }

    pub(crate) fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: Option<&str>) -> PageOf {
        let mut all = vec![("cookie", self.cookie.clone())];
        all.extend(headers.iter().map(|(name, value)| (*name, (*value).to_owned())));
        PageOf(connect(self.port, &self.host).exchange(method, path, &all, body.map(str::as_bytes)))
    }

    /// Sends a form with the token of this session and with more fields.
    pub(crate) fn post(&self, path: &str, fields: &str) -> PageOf {
        let token = self.form_token();
        self.post_raw(path, &format!("form_token={token}&{fields}"))
    }

    pub(crate) fn post_raw(&self, path: &str, body: &str) -> PageOf {
        self.request("POST", path, &[("content-type", "application/x-www-form-urlencoded")], Some(body))
    }

    pub(crate) fn form_token(&self) -> String {
        self.get("/review").between("name=\"form_token\" value=\"", "\"").to_owned()
    }
}
