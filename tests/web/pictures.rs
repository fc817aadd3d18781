//! The pictures of the README: the demo blog with some proposals, in a real browser.
//!
//! `make pictures` copies them from `target/web` into `docs/pictures`.

use base64::Engine as _;
use serde_json::json;
use wardroom_test_support::{TestDir, eventually, run_wardroom};

use super::app_pages::AppHost;
use super::browser::target;
use super::proposing::address;
use super::review_server::ReviewServer;
use super::web_driver::{Browser, BrowserSettings};

/// A terminal with what was typed and printed.
const TERMINAL_PAGE: &str = "<!doctype html><meta charset=utf-8><style>body { margin: 0; background: #16181d; color: #d7dae0; } \
     pre { margin: 0; padding: 20px 24px; font: 15px/1.45 monospace; white-space: pre-wrap; }</style><pre>";

/// Runs a command of a shell on a pseudo-terminal, and returns what stands there then, without colours.
fn at_terminal(dir: &TestDir, command: &str) -> String {
    let binary = wardroom_test_support::wardroom_binary();
    let path = format!("{}:/usr/bin:/bin", binary.parent().unwrap().display());
    let mut script = std::process::Command::new("script");
    script.args(["-qec", command, "/dev/null"]).env_clear().env("HOME", dir.root()).env("PATH", path);
    script.env("TERM", "xterm").env("NO_COLOR", "1").env("ALC_HOME", dir.app_path()).current_dir(dir.root());
    let output = script.stdin(std::process::Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().replace('\r', "")
}

#[test]
fn picture_of_a_run() {
    let Some(browser) = Browser::start(BrowserSettings { width: 1200, height: 800, ..BrowserSettings::default() })
    else {
        return;
    };
    let dir = TestDir::new();
    run_wardroom(dir.root(), &["init", "--demo", "--appdir", &dir.app_path().display().to_string()]).expect_success();
    let answers = dir.root().join("answers");
    std::fs::write(&answers, ANSWERS).unwrap();
    let mut text = String::new();
    for command in ["wardroom run cot 'Is 97 a prime?' --answers answers", "wardroom logs"] {
        text += &format!("$ {command}\n{}\n", at_terminal(&dir, command));
    }
    assert!(text.contains("q-0 asks: ") && text.contains("└ done after ") && !text.contains('\u{1b}'), "{text}");
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;");
    let page = base64::engine::general_purpose::STANDARD.encode(format!("{TERMINAL_PAGE}{escaped}</pre>"));
    browser.open(&format!("data:text/html;base64,{page}"));
    let height = browser.run("return document.querySelector('pre').offsetHeight").as_u64().unwrap();
    browser.resize(1200, u32::try_from(height).unwrap());
    browser.screenshot(&target("run.png"));
}

/// Answers for the steps of the demo's chain of thought, in any order that it asks in.
const ANSWERS: &str = concat!(
    r#"{"when": "step 1", "answer": "97 is odd, and its digits add up to 16, so 2 and 3 do not divide it."}"#,
    "\n",
    r#"{"when": "step 2", "answer": "5 and 7 do not either: 97 = 7 * 13 + 6. The next prime is 11, and 11 * 11 > 97."}"#,
    "\n",
    "\"Yes, 97 is a prime.\"\n",
);

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
