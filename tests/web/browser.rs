//! The pages in a real browser: what a person sees, with and without scripts, with the keyboard alone, on small
//! screens.
//!
//! `make web` runs these with a browser that must be there, and with axe-core from the list beside this file.

use std::path::PathBuf;

use serde_json::Value;
use wardroom_test_support::{eventually, workspace_root};

use super::blog_pages::example;
use super::hostile_posts::{hostile_blog, hostile_pages};
use super::review_server::{ReviewServer, write_post};
use super::web_driver::{Browser, BrowserSettings, skip_browser};

/// The pages of the example, by the name of their pictures.
const PAGES: [(&str, &str); 9] = [
    ("review", "/review"),
    ("posts", "/review/blog"),
    ("search", "/review/blog?q=ships&status=published"),
    ("wrong-filter", "/review/blog?month=3"),
    ("post", "/review/blog/posts/harbour"),
    ("names", "/review/blog/tags"),
    ("media", "/review/blog/media"),
    ("media-item", "/review/blog/media/dot"),
    ("calendar", "/review/blog/calendar"),
];

pub(crate) fn target(path: &str) -> PathBuf {
    workspace_root().join("target/web").join(path)
}

/// Signs in with the browser, as a person does.
fn sign_in(browser: &Browser, server: &ReviewServer) {
    browser.open(&server.sign_in_address);
    let first = format!("http://{}/review", server.host);
    eventually("the browser is signed in", || browser.address() == first);
    assert_eq!(browser.text("h1"), "Review");
}

/// A browser that is signed in on the example.
fn example_in_browser(settings: BrowserSettings) -> Option<(Browser, ReviewServer, wardroom_test_support::TestDir)> {
    let browser = Browser::start(settings)?;
    let dir = example();
    let server = ReviewServer::start(&dir);
    // The first request starts the index, and the key is for the browser.
    sign_in(&browser, &server);
    eventually("the posts are in the index", || {
        browser.open(&format!("http://{}/review/blog", server.host));
        browser.text("main").contains("3 posts")
    });
    eventually("the media are in the index", || {
        browser.open(&format!("http://{}/review/blog/media", server.host));
        browser.text("main").contains("1 item")
    });
    Some((browser, server, dir))
}

#[test]
fn person_reads_and_searches() {
    let Some((browser, server, _dir)) = example_in_browser(BrowserSettings::default()) else { return };
    browser.open(&format!("http://{}/review/blog", server.host));
    browser.fill("#q", "ships\u{E007}");
    eventually("the search is shown", || browser.has("mark"));
    assert_eq!(browser.text("mark"), "Ships");
    browser.click("[data-item]");
    eventually("the post is shown", || browser.has("iframe.preview"));
    assert_eq!(browser.text("h1"), "The harbour");
    // The frame shows the text, and is apart from the page.
    let is_apart = "const frame = document.querySelector('iframe'); try { return frame.contentDocument === null } catch { return true }";
    assert_eq!(browser.run(is_apart), true);
    browser.open(&format!("http://{}/review/blog/posts/harbour/preview", server.host));
    assert!(browser.text("body").contains("Many ships are in the harbour"));
    assert_eq!(browser.run("return getComputedStyle(document.querySelector('main')).maxWidth !== 'none'"), true);
    // Signed out, the browser has no cookie.
    browser.open(&format!("http://{}/review", server.host));
    browser.click(".sign-out button");
    eventually("the browser is signed out", || browser.text("h1") == "Sign in");
    browser.open(&format!("http://{}/review/blog", server.host));
    assert_eq!(browser.text("h1"), "Sign in");
}

#[test]
fn everything_works_without_scripts() {
    let settings = BrowserSettings { has_scripts: false, ..BrowserSettings::default() };
    let Some((browser, server, _dir)) = example_in_browser(settings) else { return };
    browser.open(&format!("http://{}/review/blog", server.host));
    browser.click("summary");
    browser.fill("#tag", "sea");
    browser.click("form.search button");
    eventually("the search is shown", || browser.text("main").contains("2 posts"));
    browser.click("[data-item]");
    eventually("a post is shown", || browser.has("iframe.preview"));
    browser.click("#source summary");
    assert!(browser.text("#source pre").contains("](/2024/03/09/"), "{}", browser.text("#source pre"));
}

#[test]
fn keyboard_alone_reaches_everything() {
    let Some((browser, server, _dir)) = example_in_browser(BrowserSettings::default()) else { return };
    browser.open(&format!("http://{}/review/blog", server.host));
    let focused = || browser.run("return document.activeElement.textContent.trim()").as_str().unwrap().to_owned();
    // Tab reaches the skip link first.
    browser.press("\u{E004}");
    assert_eq!(focused(), "Skip to the content");
    browser.press("j");
    let first = focused();
    browser.press("j");
    assert_ne!(focused(), first);
    browser.press("k");
    assert_eq!(focused(), first);
    browser.press("?");
    assert_eq!(browser.run("return document.getElementById('keys').open"), true);
    browser.press("/");
    assert_eq!(browser.run("return document.activeElement.id"), "q");
    // In a field, letters are text.
    browser.press("jk");
    assert_eq!(browser.run("return document.activeElement.value"), "jk");
    browser.open(&format!("http://{}/review/blog", server.host));
    browser.press("j\u{E007}");
    eventually("the post is shown", || browser.has("iframe.preview"));
    assert_eq!(browser.text("h1"), first);
    // What has the focus shows it.
    browser.press("\u{E004}");
    assert_ne!(browser.run("return getComputedStyle(document.activeElement).outlineStyle"), "none");
}

#[test]
fn open_page_shows_a_change() {
    let Some((browser, server, dir)) = example_in_browser(BrowserSettings::default()) else { return };
    browser.open(&format!("http://{}/review/blog", server.host));
    write_post(&dir, "new", "title: A new post\n", "Text");
    eventually("the new post is shown", || browser.text("main").contains("A new post"));
    // A person who is writing is asked first.
    browser.fill("#q", "unfinished");
    write_post(&dir, "newer", "title: A newer post\n", "Text");
    eventually("the change is offered", || browser.text("body").contains("Something changed."));
    assert_eq!(browser.run("return document.getElementById('q').value"), "unfinished");
    assert!(!browser.text("main").contains("A newer post"));
}

#[test]
fn hostile_posts_run_nothing() {
    let Some(browser) = Browser::start(BrowserSettings::default()) else { return };
    let dir = hostile_blog();
    let server = ReviewServer::start(&dir);
    sign_in(&browser, &server);
    eventually("the posts are in the index", || {
        browser.open(&format!("http://{}/review/blog", server.host));
        browser.text("main").contains("2 posts")
    });
    for path in hostile_pages() {
        browser.open(&format!("http://{}{path}", server.host));
        // Of the attack no element is left, whatever ran.
        assert_eq!(browser.run("return document.querySelectorAll('script').length"), 1, "{path}");
        assert_eq!(browser.run("return document.querySelectorAll('[onerror], img[src=x]').length"), 0, "{path}");
    }
    // The frame of a preview runs nothing even where a script is in it.
    browser.open(&format!("http://{}/review/blog/posts/hostile/preview", server.host));
    assert_eq!(browser.run("return document.scripts.length"), 0);
    let ran = "const script = document.createElement('script'); script.textContent = 'window.ran = 1'; \
               document.body.append(script); return window.ran === undefined";
    assert_eq!(browser.run(ran), true);
}

#[test]
fn pages_fit_on_every_screen_in_both_schemes() {
    let Some((browser, server, _dir)) = example_in_browser(BrowserSettings::default()) else { return };
    for (width, height) in [(400, 800), (1280, 900), (3840, 2160)] {
        browser.resize(width, height);
        for (name, path) in PAGES {
            browser.open(&format!("http://{}{path}", server.host));
            let excess =
                browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth");
            assert_eq!(excess, 0, "{path} at {width} pixels");
            for scheme in ["light", "dark"] {
                browser.emulate("screen", scheme);
                browser.screenshot(&target(&format!("{name}-{width}-{scheme}.png")));
            }
        }
    }
    browser.open(&format!("http://{}/review/blog/posts/harbour", server.host));
    browser.emulate("screen", "dark");
    let dark = browser.run("return getComputedStyle(document.body).backgroundColor");
    browser.emulate("screen", "light");
    assert_ne!(browser.run("return getComputedStyle(document.body).backgroundColor"), dark);
    browser.emulate("print", "light");
    assert_eq!(browser.run("return getComputedStyle(document.querySelector('.site')).display"), "none");
}

/// Returns the script that checks a page; `None` without axe-core, which is said aloud.
pub(crate) fn axe_script() -> Option<String> {
    let Ok(axe) = std::fs::read_to_string(target("tools/node_modules/axe-core/axe.min.js")) else {
        skip_browser("there is no axe-core (`make web` fetches it)");
        return None;
    };
    // The driver's scripts are not those of the page: its policy holds for neither them nor axe.
    Some(format!(
        "{axe};\nconst done = arguments[arguments.length - 1]; \
         axe.run(document, {{iframes: false}}).then(done, error => done(String(error)));"
    ))
}

#[track_caller]
pub(crate) fn expect_no_violations(name: &str, found: &Value) {
    assert!(found["passes"].as_array().is_some_and(|rules| rules.len() > 8), "{name}: {found}");
    let violations = found["violations"].as_array().unwrap_or_else(|| panic!("{name}: {found}"));
    let told: Vec<&Value> = violations.iter().map(|violation| &violation["help"]).collect();
    assert!(violations.is_empty(), "{name}: {told:?}\n{:#}", found["violations"]);
}

#[test]
fn axe_finds_nothing() {
    let Some(script) = axe_script() else { return };
    let Some((browser, server, _dir)) = example_in_browser(BrowserSettings::default()) else { return };
    let check = |name: &str, path: &str| {
        browser.open(&format!("http://{}{path}", server.host));
        expect_no_violations(name, &browser.run_async(&script));
    };
    for scheme in ["light", "dark"] {
        browser.emulate("screen", scheme);
        PAGES.iter().for_each(|(name, path)| check(name, path));
        check("a page that is not there", "/review/blog/none");
    }
    browser.open(&format!("http://{}/review", server.host));
    browser.click(".sign-out button");
    eventually("the browser is signed out", || browser.text("h1") == "Sign in");
    check("sign in", "/review/blog");
}
