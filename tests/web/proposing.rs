//! An agent that proposes changes of the example blog, and what a person's forms on its proposals say.

use serde_json::{Value, json};

use super::blog_pages::example;
use super::review_server::{PageOf, ReviewServer, Visitor};
use wardroom_test_support::{ClientRevision, StdioClient, TestDir, eventually, wardroom_command};

/// The example blog, with a server that shows it and an agent.
pub(crate) struct Proposing {
    pub(crate) dir: TestDir,
    pub(crate) server: ReviewServer,
    pub(crate) visitor: Visitor,
    agent: StdioClient,
}

impl Proposing {
    pub(crate) fn start() -> Self {
        Self::of(example(), 3)
    }

    pub(crate) fn of(dir: TestDir, n_posts: usize) -> Self {
        let server = ReviewServer::start(&dir);
        let visitor = server.visitor_of(n_posts);
        eventually("the media are in the index", || visitor.get("/review/blog/media").text().contains("1 item<"));
        let mut agent = StdioClient::start_with(&dir, ClientRevision::Legacy, &["--service", "blog"]);
        agent.initialize();
        Self { dir, server, visitor, agent }
    }

    /// Starts the servers on a blog that is elsewhere, and has an index.
    pub(crate) fn of_folder(dir: TestDir, blog: &str) -> Self {
        let mut command = wardroom_command(dir.root());
        command.args(["review", "--no-open", "--blog", blog, "--appdir"]).arg(dir.app_path());
        let server = ReviewServer::spawn(command);
        let visitor = server.visitor();
        let mut agent = StdioClient::start_with(&dir, ClientRevision::Legacy, &["--service", "blog", "--blog", blog]);
        agent.initialize();
        Self { dir, server, visitor, agent }
    }

    /// Calls a tool, and returns the whole result.
    #[expect(clippy::needless_pass_by_value, reason = "calls read better")]
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments, "_meta": {"wardroom/fresh": true}});
        self.agent.call("tools/call", params)["result"].clone()
    }

    /// Proposes something, and returns the id of the proposal.
    #[track_caller]
    pub(crate) fn propose(&mut self, tool: &str, arguments: Value) -> String {
        let made = self.call(tool, arguments);
        let id = made["structuredContent"]["proposalId"].as_str();
        id.unwrap_or_else(|| panic!("{made:#}")).to_owned()
    }

    pub(crate) fn status(&mut self, id: &str) -> Value {
        self.call("get_proposal", json!({"proposalId": id}))["structuredContent"].clone()
    }

    /// Returns the page of a proposal.
    #[track_caller]
    pub(crate) fn page(&self, id: &str) -> PageOf {
        self.visitor.get(&address(id)).expect(200)
    }

    /// Sends the form that accepts, as the page has it.
    pub(crate) fn accept(&self, id: &str, page: &PageOf) -> PageOf {
        self.visitor.post(&format!("{}/accept", address(id)), &format!("digest={}", digest(page)))
    }

    /// Another person, with a session of their own.
    pub(crate) fn other_person(&self) -> Visitor {
        let app = self.dir.app_path();
        let mut command = wardroom_command(self.dir.root());
        command.arg("--appdir").arg(app).args(["review", "--no-open"]);
        // A cookie of any server on the AppDir is valid at the others.
        let other = ReviewServer::spawn(command).visitor();
        Visitor { cookie: other.cookie, ..self.visitor.clone() }
    }

    pub(crate) fn text(&self, path: &str) -> String {
        std::fs::read_to_string(self.dir.app_path().join("blog").join(path)).unwrap_or_default()
    }

    /// One proposal of each kind, by the name of the kind.
    pub(crate) fn propose_all(&mut self) -> Vec<(&'static str, String)> {
        let code = "local name = \"sea\" -- a word\nreturn name";
        [
            (
                "draft_post",
                json!({"title": "A new post", "content": "Many **new** words.", "tags": ["sea"], "excerpt": "New"}),
            ),
            (
                "propose_post_edit",
                json!({"postId": "harbour", "edits": [{"find": "Many **ships**", "replace": "Few **boats**"}]}),
            ),
            (
                "propose_post_translation",
                json!({"postId": "harbour", "language": "de", "title": "Der Hafen", "content": "Viele **Schiffe**."}),
            ),
            ("propose_post_metadata", json!({"postId": "tide", "title": "The high tide", "tags": ["sea", "moon"]})),
            ("propose_media_metadata", json!({"mediaId": "dot", "alt": "A very red dot"})),
            ("upsert_media_translation", json!({"mediaId": "dot", "language": "de", "alt": "Ein roter Punkt"})),
            ("propose_script", json!({"title": "A macro", "kind": "macro", "content": code})),
            ("propose_template", json!({"title": "A list", "kind": "list", "content": "<p>{{ title }}</p>"})),
        ]
        .into_iter()
        .map(|(tool, arguments)| (tool, self.propose(tool, arguments)))
        .collect()
    }
}

pub(crate) fn address(id: &str) -> String {
    format!("/review/blog/proposals/{id}")
}

/// Returns the digest that a form of a page repeats.
#[track_caller]
pub(crate) fn digest(page: &PageOf) -> String {
    page.between("name=\"digest\" value=\"", "\"").to_owned()
}

/// Encodes the value of a field of a form.
pub(crate) fn encode(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}
