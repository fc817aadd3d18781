//! The pages of proposals in a real browser: with the keyboard alone, without scripts, on small screens, and with axe.

use serde_json::{Value, json};
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
    // Every kind, with the attack in each of its fields.
    let post = json!({"title": ATTACK, "content": ATTACK, "excerpt": ATTACK, "author": ATTACK, "tags": [ATTACK], "categories": [ATTACK]});
    let ids = [
        ("draft_post", post),
        ("propose_post_edit", json!({"postId": "harbour", "content": ATTACK})),
        (
            "propose_post_translation",
            json!({"postId": "harbour", "language": "de", "title": ATTACK, "excerpt": ATTACK, "content": ATTACK}),
        ),
        (
            "propose_post_metadata",
            json!({"postId": "tide", "title": ATTACK, "excerpt": ATTACK, "tags": [ATTACK], "categories": [ATTACK]}),
        ),
        (
            "propose_media_metadata",
            json!({"mediaId": "dot", "alt": ATTACK, "title": ATTACK, "caption": ATTACK, "tags": [ATTACK]}),
        ),
        (
            "upsert_media_translation",
            json!({"mediaId": "dot", "language": "de", "alt": ATTACK, "title": ATTACK, "caption": ATTACK}),
        ),
        (
            "propose_script",
            json!({"title": ATTACK, "kind": "macro", "entrypoint": ATTACK, "content": format!("-- {ATTACK}\nreturn 1")}),
        ),
        ("propose_template", json!({"title": ATTACK, "kind": "list", "content": ATTACK})),
    ]
    .map(|(tool, arguments)| blog.propose(tool, arguments));
    let expect_nothing = |blog: &Proposing, path: &str, shows: bool| {
        browser.open(&at(blog, path));
        assert_eq!(browser.run("return document.querySelectorAll('script').length"), 1, "{path}");
        assert_eq!(browser.run("return document.querySelectorAll('[onerror], img[src=x]').length"), 0, "{path}");
        let text = browser.run("return document.documentElement.textContent");
        assert!(!shows || text.as_str().unwrap().contains("<script>attack()</script>"), "{path}: {text}");
    };
    for id in &ids {
        expect_nothing(&blog, &address(id), true);
    }
    // The texts that can be edited, and what a preview shows as a page of its own.
    for id in [&ids[0], &ids[1], &ids[2]] {
        expect_nothing(&blog, &format!("{}/edit", address(id)), true);
        browser.open(&at(&blog, &address(id)));
        let frame = browser.run("return document.querySelector('iframe.preview').getAttribute('src')");
        browser.open(&at(&blog, frame.as_str().unwrap()));
        let active = "return document.querySelectorAll('script, [onerror], img[src=x], a[href^=javascript]').length";
        assert_eq!(browser.run(active), 0, "{frame}");
    }
    expect_nothing(&blog, LIST, true);
    // A conflict, and the reason of a person.
    write_post(&blog.dir, "tide", &format!("title: '{}'\n", ATTACK.replace('\'', "''")), ATTACK);
    expect_nothing(&blog, &address(&ids[3]), true);
    for id in &ids {
        blog.call("discard_proposal", json!({"proposalId": id, "reason": ATTACK}));
        expect_nothing(&blog, &address(id), true);
    }
    expect_nothing(&blog, LIST, true);
    expect_nothing(&blog, &format!("{LIST}/decided"), true);
}

#[test]
fn proposal_that_expires_before_the_eyes_is_not_accepted() {
    // A page that follows would show it before the person decides.
    let settings = BrowserSettings { has_scripts: false, ..BrowserSettings::default() };
    let Some((browser, mut blog)) = start(settings) else { return };
    let id = blog.propose("propose_post_metadata", json!({"postId": "tide", "title": "Late"}));
    browser.open(&at(&blog, &address(&id)));
    assert!(browser.text("main").contains(", in 8 hours") || browser.text("main").contains(", in 7 hours"));
    let file = format!("blog/.wardroom/proposals/{id}.json");
    let mut stored: Value = serde_json::from_slice(&std::fs::read(blog.dir.app_path().join(&file)).unwrap()).unwrap();
    stored["expires_at"] = json!(1);
    blog.dir.write_file(&file, stored.to_string());
    browser.click("[data-key=\"a\"]");
    eventually("the refusal is shown", || browser.text("main").contains("expired while you looked at it"));
    assert!(browser.text("main").contains("It can be proposed again") && !browser.has("[data-key=\"a\"]"));
    assert!(blog.text("posts/2024/03/tide.md").contains("title: The tide\n"));
}

#[test]
fn conflict_is_shown_and_its_merge_accepted() {
    // A page that follows would show it before the person decides.
    let settings = BrowserSettings { has_scripts: false, ..BrowserSettings::default() };
    let Some((browser, mut blog)) = start(settings) else { return };
    let id = blog.propose("propose_post_metadata", json!({"postId": "tide", "title": "Mine"}));
    browser.open(&at(&blog, &address(&id)));
    write_post(&blog.dir, "tide", "title: The tide\nstatus: draft\ntags: [sea]\n", "Others wrote this.");
    browser.click("[data-key=\"a\"]");
    eventually("the conflict is shown", || browser.has("section[aria-label=Conflict]"));
    assert!(browser.text("main").contains("changed while you looked at it"), "{}", browser.text("main"));
    assert!(blog.text("posts/2024/03/tide.md").contains("title: The tide\n"));
    assert_eq!(browser.text("[data-key=\"a\"]"), "Accept the merge");
    // What was, what is, and what was proposed are there to be compared.
    for title in ["When it was proposed", "As it is now", "As it was proposed"] {
        assert!(browser.text("section[aria-label=Conflict]").contains(title), "{title}");
    }
    browser.click("[data-key=\"a\"]");
    eventually("it is accepted", || browser.text("main").contains("was accepted by operator (review)"));
    let text = blog.text("posts/2024/03/tide.md");
    assert!(text.contains("title: Mine\n") && text.ends_with("Others wrote this.\n"), "{text}");
}

#[test]
fn two_people_with_browsers_decide_once() {
    let Some((first, mut blog)) = start(BrowserSettings::default()) else { return };
    // The second person's page does not follow by itself, so that the first one's decision comes while they look.
    let settings = BrowserSettings { has_scripts: false, ..BrowserSettings::default() };
    let (Some(second), Some(third)) = (Browser::start(settings), Browser::start(BrowserSettings::default())) else {
        return;
    };
    sign_in_with(&second, &blog, &blog.other_person().cookie);
    sign_in_with(&third, &blog, &blog.other_person().cookie);
    let id = blog.propose("propose_post_metadata", json!({"postId": "tide", "title": "Once"}));
    let people = [&first, &second, &third];
    people.iter().for_each(|browser| browser.open(&at(&blog, &address(&id))));
    first.click("[data-key=\"a\"]");
    eventually("it is accepted", || first.text("main").contains("was accepted by operator (review)"));
    second.click("[data-key=\"d\"]");
    eventually("the refusal is shown", || second.text("main").contains("Someone else decided first"));
    assert!(second.text("main").contains("was accepted by operator (review)"), "{}", second.text("main"));
    // A page that follows shows the decision, or offers it.
    eventually("the decision is told", || {
        let text = third.text("body");
        text.contains("was accepted by operator (review)") || text.contains("Something changed.")
    });
    assert_eq!(blog.status(&id)["status"], "accepted");
    assert!(blog.text("posts/2024/03/tide.md").contains("title: Once\n"));
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
fn printed_proposal_is_what_it_changes_and_fits_the_paper() {
    let Some((browser, mut blog)) = start(BrowserSettings::default()) else { return };
    // The width of A4 at 96 dots per inch.
    browser.resize(794, 1123);
    for (name, path) in pages(&mut blog) {
        browser.open(&at(&blog, &path));
        let has_actions = browser.has(".actions");
        browser.emulate("print", "light");
        let hidden = "return [...document.querySelectorAll('.site, footer, .actions')].every(it => getComputedStyle(it).display === 'none')";
        assert_eq!(browser.run(hidden), true, "{name}");
        assert!(has_actions || !name.starts_with("proposal-propose"), "{name}: a page with buttons to hide");
        let colors = "const of = getComputedStyle(document.body); return [of.backgroundColor, of.color]";
        assert_eq!(browser.run(colors), json!(["rgb(255, 255, 255)", "rgb(0, 0, 0)"]), "{name}");
        let excess = browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth");
        assert_eq!(excess, 0, "{name}");
        browser.emulate("screen", "light");
    }
}

/// Returns the texts of a page whose contrast is below what WCAG AA asks for. In the sandbox of a preview axe-core cannot run, since no
/// timer does.
const LOW_CONTRAST: &str = r"
    const parts = color => color.match(/[\d.]+/g).map(Number);
    const luminance = color => {
        const [r, g, b] = parts(color).map(part => part / 255).map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const background = element => {
        for (let at = element; at; at = at.parentElement) {
            const color = getComputedStyle(at).backgroundColor;
            if ((parts(color)[3] ?? 1) === 1) return color;
        }
        return getComputedStyle(document.documentElement).colorScheme.includes('dark') && matchMedia('(prefers-color-scheme: dark)').matches
            ? 'rgb(18, 18, 18)' : 'rgb(255, 255, 255)';
    };
    const low = [];
    for (const element of document.body.querySelectorAll('*')) {
        const own = [...element.childNodes].filter(node => node.nodeType === 3 && node.textContent.trim());
        if (own.length === 0) continue;
        const [one, other] = [luminance(getComputedStyle(element).color), luminance(background(element))];
        const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
        if (ratio < 4.5) low.push([element.tagName, ratio, getComputedStyle(element).color, background(element)]);
    }
    return [document.body.innerText.length, low];
";

#[test]
fn previews_have_the_contrast_that_people_need() {
    let Some((browser, mut blog)) = start(BrowserSettings::default()) else { return };
    let content = "# Title\n\nText with a [link](/2024/03/09/tide), `code` and\n\n> a quote.\n\n```lua\nreturn 1 -- one\n```\n\n| a | b |\n| - | - |\n| 1 | 2 |\n";
    let id = blog.propose("draft_post", json!({"title": "New", "content": content}));
    let frame = blog.page(&id).between("<iframe class=\"preview\" src=\"", "\"").to_owned();
    for scheme in ["light", "dark"] {
        browser.emulate("screen", scheme);
        for path in [frame.as_str(), "/review/blog/posts/harbour/preview"] {
            browser.open(&at(&blog, path));
            let found = browser.run(LOW_CONTRAST);
            assert!(found[0].as_u64().is_some_and(|length| length > 20), "{path}: {found}");
            assert_eq!(found[1], json!([]), "{path}, {scheme}");
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
