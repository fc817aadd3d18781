//! The page in an agent's window (MCP Apps), in a real browser and a host by the specification.
//!
//! The browser shows the host; this test carries the calls of tools between the host and a server.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use wardroom_test_support::{ClientRevision, StdioClient, TestDir, eventually, wardroom_command};

use super::blog_pages::example;
use super::browser::{axe_script, expect_no_violations, target};
use super::hostile_posts::ATTACK;
use super::web_driver::{Browser, BrowserSettings};

/// A client with MCP Apps: a browser, and a server on the example blog.
pub(crate) struct AppHost {
    pub(crate) browser: Browser,
    client: StdioClient,
    dir: TestDir,
}

impl AppHost {
    /// Starts both on the example; `None` on a machine without a browser.
    fn start() -> Option<Self> {
        Some(Self::of(Browser::start(BrowserSettings::default())?, example()))
    }

    pub(crate) fn of(browser: Browser, dir: TestDir) -> Self {
        let mut command = wardroom_command(dir.root());
        command.args(["--service", "blog", "--appdir"]).arg(dir.app_path());
        let apps = json!({"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}});
        let mut client = StdioClient::spawn(command, ClientRevision::Legacy).declaring(apps);
        client.initialize();
        Self { browser, client, dir }
    }

    #[expect(clippy::needless_pass_by_value, reason = "calls read better")]
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments, "_meta": {"wardroom/fresh": true}});
        self.client.call("tools/call", params)["result"].clone()
    }

    fn state(&self) -> Value {
        self.browser.run("return state")
    }

    /// Opens the page that a tool names, with the result of a call of it.
    pub(crate) fn show(&mut self, tool: &str, result: &Value, theme: &str) {
        let tools = self.client.call("tools/list", json!({}));
        let entry = tools["result"]["tools"].as_array().unwrap().iter().find(|entry| entry["name"] == tool).unwrap();
        let uri = entry["_meta"]["ui"]["resourceUri"].as_str().unwrap().to_owned();
        let page = self.client.read_resource(&uri).unwrap();
        let host = STANDARD.encode(include_str!("app_host.html"));
        self.browser.leave_frame();
        self.browser.open(&format!("data:text/html;base64,{host}"));
        self.browser.run(&format!("open({}, {result}, {})", page["text"], json!(theme)));
        eventually("the page is ready", || self.state()["isReady"] == true);
        assert!(self.state()["error"].is_null(), "{:#}", self.state());
    }

    /// Carries the calls that the page made to the server, and the results back.
    fn carry(&mut self) {
        self.browser.leave_frame();
        eventually("the page calls a tool", || self.state()["calls"][0].is_object());
        for call in self.state()["calls"].as_array().unwrap() {
            let result = self.client.call("tools/call", call["params"].clone())["result"].clone();
            self.browser.run(&format!("answer({}, {result})", call["id"]));
        }
        self.browser.enter_frame("iframe");
    }

    fn text(&self) -> String {
        self.browser.text("main")
    }
}

#[test]
fn person_accepts_in_the_window_of_an_agent() {
    let Some(mut host) = AppHost::start() else { return };
    let made = host.call("propose_post_metadata", json!({"postId": "tide", "title": "The high tide"}));
    host.show("propose_post_metadata", &made, "light");
    host.browser.enter_frame("iframe");
    eventually("the proposal is shown", || host.browser.has("#accept"));
    let shown = host.text();
    assert!(shown.contains("The tide") && shown.contains("The high tide") && shown.contains("operator"), "{shown}");
    // A script is no person.
    host.browser.run("document.querySelector('#accept').click()");
    host.browser.leave_frame();
    assert_eq!(host.state()["calls"], json!([]));
    host.browser.enter_frame("iframe");
    host.browser.click("#accept");
    host.carry();
    eventually("it is accepted", || host.text().contains("accepted."));
    assert!(!host.browser.has("button"));
    host.browser.leave_frame();
    assert!(host.state()["told"].as_str().unwrap().contains("accepted"), "{:#}", host.state());
    let file = std::fs::read_to_string(host.dir.app_path().join("blog/posts/2024/03/tide.md")).unwrap();
    assert!(file.contains("title: The high tide\n"), "{file}");
    host.browser.run("tearDown()");
    eventually("the page ends", || host.state()["isTornDown"] == true);
}

#[test]
fn code_is_shown_and_accepted_in_the_window_of_an_agent() {
    let Some(mut host) = AppHost::start() else { return };
    for (tool, kind, code, path) in [
        ("propose_script", "macro", "return 'harbour'", "scripts/a-new-one.lua"),
        ("propose_template", "list", "<p>{{ title | escape }}</p>", "templates/a-new-one.liquid"),
    ] {
        let made = host.call(tool, json!({"title": "A new one", "kind": kind, "content": code}));
        host.show(tool, &made, "light");
        host.browser.enter_frame("iframe");
        eventually("the proposal is shown", || host.browser.has("#accept"));
        assert!(host.text().contains(code) && host.text().contains("A new one"), "{}", host.text());
        host.browser.click("#accept");
        host.carry();
        eventually("it is accepted", || host.text().contains("accepted."));
        let file = std::fs::read_to_string(host.dir.app_path().join("blog").join(path)).unwrap();
        assert!(file.ends_with(&format!("---\n{code}\n")), "{file}");
    }
}

#[test]
fn person_discards_with_a_reason() {
    let Some(mut host) = AppHost::start() else { return };
    let made = host.call("draft_post", json!({"title": "A new post", "content": "Some words."}));
    host.show("draft_post", &made, "dark");
    host.browser.enter_frame("iframe");
    eventually("the proposal is shown", || host.browser.has("#discard"));
    host.browser.fill("#reason", "not yet");
    host.browser.click("#discard");
    host.carry();
    eventually("it is discarded", || host.text().contains("discarded."));
    let id = made["structuredContent"]["proposalId"].clone();
    assert_eq!(host.call("get_proposal", json!({"proposalId": id}))["structuredContent"]["reason"], "not yet");
}

#[test]
fn stale_page_decides_nothing_and_shows_what_is_there() {
    let Some(mut host) = AppHost::start() else { return };
    let made = host.call("propose_post_metadata", json!({"postId": "winter", "title": "Frost"}));
    host.show("propose_post_metadata", &made, "light");
    host.browser.enter_frame("iframe");
    eventually("the proposal is shown", || host.browser.has("#accept"));
    let path = host.dir.app_path().join("blog/posts/2024/03/winter.md");
    let before = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, before.replace("Snow falls.", "Ice is here.")).unwrap();
    host.browser.click("#accept");
    host.carry();
    eventually("it is refused", || host.browser.has("#again"));
    assert!(host.text().contains("changed since"), "{}", host.text());
    assert!(std::fs::read_to_string(&path).unwrap().contains("title: Winter"));
    host.browser.click("#again");
    host.carry();
    eventually("the merge is shown", || host.text().contains("Accept the merge"));
    host.browser.click("#accept");
    host.carry();
    eventually("it is accepted", || host.text().contains("accepted."));
    let after = std::fs::read_to_string(&path).unwrap();
    assert!(after.contains("title: Frost\n") && after.contains("Ice is here."), "{after}");
}

#[test]
fn host_without_metadata_is_asked_once() {
    let Some(mut host) = AppHost::start() else { return };
    let mut made = host.call("draft_post", json!({"title": "A new post", "content": "Some words."}));
    made.as_object_mut().unwrap().remove("_meta");
    host.show("draft_post", &made, "light");
    host.carry();
    eventually("the proposal is shown", || host.browser.has("#accept"));
    // A refused call has nothing to decide on.
    let refused = host.call("draft_post", json!({"title": " ", "content": "Some words."}));
    host.show("draft_post", &refused, "light");
    host.browser.enter_frame("iframe");
    eventually("the refusal is shown", || host.text().contains("title: expected one line"));
    assert!(!host.browser.has("button"));
}

#[test]
fn hostile_proposals_run_nothing_in_the_window() {
    let Some(mut host) = AppHost::start() else { return };
    let post = json!({"title": ATTACK, "content": ATTACK, "tags": [ATTACK], "excerpt": ATTACK});
    let media = json!({"mediaId": "dot", "alt": ATTACK, "title": ATTACK});
    for (tool, arguments) in [("draft_post", post), ("propose_media_metadata", media)] {
        let made = host.call(tool, arguments);
        host.show(tool, &made, "light");
        host.browser.enter_frame("iframe");
        eventually("the proposal is shown", || host.browser.has("#accept"));
        assert!(host.text().contains("<script>"), "{}", host.text());
        assert_eq!(host.browser.run("return document.scripts.length"), 1);
        assert_eq!(
            host.browser.run("return document.querySelectorAll('[onerror], img:not([src^=\"data:\"])').length"),
            0
        );
        // Its own policy forbids what the host's would allow.
        let added = "const made = document.createElement('script'); made.textContent = 'window.ran = true'; \
                     document.body.append(made); return window.ran === true";
        assert_eq!(host.browser.run(added), false);
    }
}

#[test]
fn page_in_a_window_is_accessible_and_fits() {
    let Some(script) = axe_script() else { return };
    let Some(mut host) = AppHost::start() else { return };
    let calls = [
        ("draft_post", json!({"title": "A new post", "content": "Many **new** words.", "tags": ["sea"]})),
        ("propose_media_metadata", json!({"mediaId": "dot", "alt": "A very red dot"})),
        (
            "propose_script",
            json!({"title": "A macro", "kind": "macro", "content": "local name = \"sea\"\nreturn name"}),
        ),
        (
            "propose_post_edit",
            json!({"postId": "harbour", "edits": [{"find": "Many **ships**", "replace": "Few **boats**"}]}),
        ),
    ];
    for (tool, arguments) in calls {
        let made = host.call(tool, arguments);
        for (theme, width) in [("light", 400), ("dark", 1280)] {
            host.browser.resize(width, 900);
            host.show(tool, &made, theme);
            host.browser.enter_frame("iframe");
            eventually("the proposal is shown", || host.browser.has("#accept"));
            expect_no_violations(&format!("{tool} in a window"), &host.browser.run_async(&script));
            let excess =
                host.browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth");
            assert_eq!(excess, 0, "{tool} at {width} pixels");
            host.browser.leave_frame();
            host.browser.screenshot(&target(&format!("app-{tool}-{width}-{theme}.png")));
        }
    }
}
