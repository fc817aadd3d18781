//! The pages of proposals in a real browser: with the keyboard alone, without scripts, on small screens, and with axe.

use serde_json::json;
use wardroom_test_support::eventually;

use super::browser::{axe_script, expect_no_violations, target};
use super::hostile_posts::ATTACK;
use super::proposing::{Proposing, address};
use super::review_server::write_post;
use super::web_driver::{Browser, BrowserSettings};

const LIST: &str = "/review/blog/proposals";

/// A browser that is signed in where proposals of all kinds are pending.
fn start(settings: BrowserSettings) -> Option<(Browser, Proposing)> {
    let browser = Browser::start(settings)?;
    let blog = Proposing::start();
    // The key of the first address was used by the visitor without a browser.
    let cookie = blog.visitor.cookie.clone();
    sign_in_with(&browser, &blog, &cookie);
    Some((browser, blog))
}

fn sign_in_with(browser: &Browser, blog: &Proposing, cookie: &str) {
    browser.open(&at(blog, "/review"));
    let (name, value) = cookie.split_once('=').unwrap();
    browser.set_cookie(name, value);
    browser.open(&at(blog, "/review"));
    assert_eq!(browser.text("h1"), "Review");
}

fn at(blog: &Proposing, path: &str) -> String {
    format!("http://{}{path}", blog.server.host)
}

/// The pages, by the name of their pictures, with proposals of all kinds, a conflict, a merge, and decided ones.
fn pages(blog: &mut Proposing) -> Vec<(String, String)> {
    let mut pages = vec![("proposals".to_owned(), LIST.to_owned())];
    for (kind, id) in blog.propose_all() {
        pages.push((format!("proposal-{kind}"), address(&id)));
        if kind == "draft_post" {
            pages.push(("proposal-edit".to_owned(), format!("{}/edit", address(&id))));
        }
    }
    let merge = blog.propose("propose_post_edit", json!({"postId": "winter", "content": "Snow falls.\n\nAnd ice.\n"}));
    let conflict = blog.propose("propose_post_metadata", json!({"postId": "winter", "title": "Frost"}));
    write_post(&blog.dir, "winter", "title: January\nstatus: archived\nlanguage: en\n", "Snow falls.");
    pages.push(("proposal-merge".to_owned(), address(&merge)));
    pages.push(("proposal-conflict".to_owned(), address(&conflict)));
    let discarded = blog.propose("draft_post", json!({"title": "Discarded", "content": "Text"}));
    blog.call("discard_proposal", json!({"proposalId": discarded, "reason": "a good reason"}));
    pages.push(("proposal-decided".to_owned(), address(&discarded)));
    pages.push(("proposals-decided".to_owned(), format!("{LIST}/decided")));
    pages
}

#[test]
fn keyboard_alone_decides() {
    let Some((browser, mut blog)) = start(BrowserSettings::default()) else { return };
    let first = blog.propose("draft_post", json!({"title": "First", "content": "Text"}));
    let second = blog.propose("draft_post", json!({"title": "Second", "content": "Text"}));
    browser.open(&at(&blog, LIST));
    let focused = || browser.run("return document.activeElement.textContent.trim()").as_str().unwrap().to_owned();
    browser.press("j");
    assert_eq!(focused(), "Second");
    browser.press("j");
    assert_eq!(focused(), "First");
    browser.press("k");
    assert_eq!(focused(), "Second");
    browser.press("\u{E007}");
    eventually("the proposal is shown", || browser.text("h1") == "Second");
    browser.press("a");
    assert_eq!(focused(), "Accept");
    browser.press("\u{E007}");
    eventually("it is accepted", || browser.text("main").contains("was accepted by operator (review)"));
    browser.open(&at(&blog, &address(&first)));
    browser.press("d");
    assert_eq!(focused(), "Discard");
    browser.press("\u{E007}");
    eventually("it is discarded", || browser.text("main").contains("was discarded by operator (review)"));
    assert_eq!(blog.status(&second)["status"], "accepted");
    assert_eq!(blog.status(&first)["status"], "discarded");
}

#[test]
fn person_edits_and_accepts_without_scripts() {
    let settings = BrowserSettings { has_scripts: false, ..BrowserSettings::default() };
    let Some((browser, mut blog)) = start(settings) else { return };
    let id = blog.propose("propose_post_edit", json!({"postId": "tide", "content": "Proposed.\n"}));
    browser.open(&at(&blog, LIST));
    browser.click("[data-item]");
    eventually("the proposal is shown", || browser.has("iframe.preview"));
    browser.click("a.button");
    eventually("the form is shown", || browser.has("#text"));
    browser.fill("#text", "And mine.");
    browser.click("#content form button");
    eventually("the edit is shown", || browser.text("main").contains("And mine."));
    browser.click("[data-key=\"a\"]");
    eventually("it is accepted", || browser.text("main").contains("was accepted"));
    assert!(blog.text("posts/2024/03/tide.md").ends_with("Proposed.\nAnd mine.\n"));
    let several = ["tide", "harbour"]
        .map(|post| blog.propose("propose_post_metadata", json!({"postId": post, "excerpt": "Both"})));
    browser.open(&at(&blog, LIST));
    browser.click("fieldset a");
    eventually("both are chosen", || browser.has("input:checked"));
    // Enter in the reason is neither of the two decisions.
    browser.fill("#reason", "neither\u{E007}");
    assert_eq!(browser.text("h1"), "Proposals");
    assert_eq!(blog.status(&several[0])["status"], "pending");
    browser.click("[data-key=\"a\"]");
    eventually("both are accepted", || browser.text("h1") == "2 of 2 accepted");
    for id in several.iter().chain([&id]) {
        assert_eq!(blog.status(id)["status"], "accepted");
    }
}

#[test]
fn open_list_follows_and_keeps_what_was_chosen() {
    let Some((browser, mut blog)) = start(BrowserSettings::default()) else { return };
    browser.open(&at(&blog, LIST));
    blog.propose("propose_post_metadata", json!({"postId": "tide", "excerpt": "Wet"}));
    eventually("the proposal is shown", || browser.has("[name=chosen]"));
    assert!(browser.text(".sections").contains("Proposals 1"), "{}", browser.text(".sections"));
    browser.click("[name=chosen]");
    browser.run("document.activeElement.blur()");
    blog.propose("draft_post", json!({"title": "Another one", "content": "Text"}));
    eventually("the change is offered", || browser.text("body").contains("Something changed."));
    assert!(browser.has("input:checked") && !browser.text("main").contains("Another one"));
}

#[test]
fn hostile_proposals_run_nothing() {
    let Some((browser, mut blog)) = start(BrowserSettings::default()) else { return };
    let ids = [
        ("draft_post", json!({"title": ATTACK, "content": ATTACK, "tags": [ATTACK]})),
        ("propose_media_metadata", json!({"mediaId": "dot", "alt": ATTACK, "title": ATTACK})),
        ("propose_script", json!({"title": ATTACK, "kind": "macro", "content": format!("-- {ATTACK}\nreturn 1")})),
    ]
    .map(|(tool, arguments)| blog.propose(tool, arguments));
    let paths = ids.iter().map(|id| address(id)).chain([LIST.to_owned(), format!("{}/edit", address(&ids[0]))]);
    for path in paths {
        browser.open(&at(&blog, &path));
        assert_eq!(browser.run("return document.querySelectorAll('script').length"), 1, "{path}");
        assert_eq!(browser.run("return document.querySelectorAll('[onerror], img[src=x]').length"), 0, "{path}");
    }
}

#[test]
fn pages_of_proposals_fit_on_every_screen() {
    let Some((browser, mut blog)) = start(BrowserSettings::default()) else { return };
    let pages = pages(&mut blog);
    for (width, height) in [(400, 800), (1280, 900), (3840, 2160)] {
        browser.resize(width, height);
        for (name, path) in &pages {
            browser.open(&at(&blog, path));
            let excess =
                browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth");
            assert_eq!(excess, 0, "{path} at {width} pixels");
            for scheme in ["light", "dark"] {
                browser.emulate("screen", scheme);
                browser.screenshot(&target(&format!("{name}-{width}-{scheme}.png")));
            }
        }
    }
}

#[test]
fn axe_finds_nothing_on_proposals() {
    let Some(script) = axe_script() else { return };
    let Some((browser, mut blog)) = start(BrowserSettings::default()) else { return };
    let pages = pages(&mut blog);
    for scheme in ["light", "dark"] {
        browser.emulate("screen", scheme);
        for (name, path) in &pages {
            browser.open(&at(&blog, path));
            // What is folded is checked as well.
            browser.run("document.querySelectorAll('details').forEach(details => { details.open = true; })");
            expect_no_violations(name, &browser.run_async(&script));
        }
    }
}
