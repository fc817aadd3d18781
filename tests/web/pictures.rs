//! The pictures of the README: the demo blog with some proposals, in a real browser.
//!
//! `make pictures` copies them from `target/web` into `docs/pictures`.

use serde_json::json;
use wardroom_test_support::{TestDir, eventually, run_wardroom};

use super::app_pages::AppHost;
use super::browser::target;
use super::proposing::address;
use super::review_server::ReviewServer;
use super::web_driver::{Browser, BrowserSettings};

const NAVIGATOR: &str = "Tides are examples: do not navigate by them.";

#[test]
fn pictures_of_the_demo_blog() {
    let Some(browser) = Browser::start(BrowserSettings { width: 1200, height: 800, ..BrowserSettings::default() })
    else {
        return;
    };
    let dir = TestDir::new();
    run_wardroom(dir.root(), &["init", "--demo", "--appdir", &dir.app_path().display().to_string()]).expect_success();
    let server = ReviewServer::start(&dir);
    let visitor = server.visitor_of(12);
    let mut host = AppHost::of(browser, dir);
    let mut made = Vec::new();
    for (tool, arguments) in [
        (
            "propose_post_edit",
            json!({"postId": "rule-of-twelfths", "edits": [
                {"find": "The rule stands in for a cosine.", "replace": format!("The rule stands in for a cosine curve. {NAVIGATOR}")},
            ]}),
        ),
        (
            "draft_post",
            json!({"title": "A lee shore at night", "content": "Two lights in line are a line of position that needs no compass.",
                "tags": ["navigation"]}),
        ),
        (
            "propose_post_metadata",
            json!({"postId": "dog-watches", "excerpt": "Two short watches, so that no one has the same hours twice."}),
        ),
        (
            "propose_media_metadata",
            json!({"mediaId": "577da86b-26f8-4d74-982e-3ef329b72a2b",
            "alt": "The signal flag Kilo: a yellow half at the mast and a blue half at the fly."}),
        ),
    ] {
        let answer = host.call(tool, arguments);
        let id = answer["structuredContent"]["proposalId"].as_str().unwrap_or_else(|| panic!("{answer:#}")).to_owned();
        made.push((tool, id, answer));
    }
    let at = |path: &str| format!("http://{}{path}", server.host);
    host.browser.open(&at("/review"));
    let (name, value) = visitor.cookie.split_once('=').unwrap();
    host.browser.set_cookie(name, value);
    host.browser.resize(1200, 900);
    for (picture, scheme, path) in
        [("review-post", "light", address(&made[0].1)), ("review-list", "dark", "/review/blog/proposals".to_owned())]
    {
        host.browser.emulate("screen", scheme);
        host.browser.open(&at(&path));
        assert!(host.browser.has("[data-key=\"a\"], [data-item]"), "{}", host.browser.text("main"));
        host.browser.screenshot(&target(&format!("{picture}.png")));
    }
    let (tool, _, answer) = &made[3];
    host.browser.resize(800, 560);
    host.show(tool, answer, "light");
    host.browser.enter_frame("iframe");
    eventually("the proposal is shown", || host.browser.has("#accept"));
    host.browser.leave_frame();
    host.browser.screenshot(&target("review-window.png"));
}
