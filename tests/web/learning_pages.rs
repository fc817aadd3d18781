//! The pages of the learning log: what they show, what a person decides on them, and that texts stay texts.

use std::time::SystemTime;

use serde_json::{Value, json};

use super::browser::{axe_script, expect_no_violations};
use super::hostile_posts::ATTACK;
use super::review_server::{PageOf, ReviewServer, Visitor};
use super::web_driver::{Browser, BrowserSettings};
use wardroom_test_support::{ClientRevision, StdioClient, TestDir, eventually, run_wardroom, wardroom_command};

const BASE: &str = "/review/ace";
const PLAYBOOK: &str = "# Mine\n\n## A\n[Bullet #aaaaaaaa, helpful:2, harmful:1] aa fails - Mend \\[it\\]\n[Bullet #mine, helpful:0, harmful:0] By \
                        hand\n\n## B\n[Bullet #bbbbbbbb, helpful:0, harmful:0] bb fails - Mend it\n";

/// A learning log, with a server that shows it and an agent.
struct Learning {
    dir: TestDir,
    server: ReviewServer,
    visitor: Visitor,
    agent: StdioClient,
}

impl Learning {
    fn start() -> Self {
        let dir = TestDir::new();
        dir.write_file("ace/AGENTS.md", PLAYBOOK);
        let insight = |word: &str, advice: &str| {
            format!(
                "{}\n",
                json!({"id": format!("{}-0", word.repeat(8)), "timestamp": now(), "confidence": 0.85, "recommendation": advice,
                       "signal": {"pattern": format!("{word}{word} fails")}, "source": {"beadIds": ["b-1", "b-2"]},
                       "metaTags": ["cargo"], "occurrences": 3})
            )
        };
        dir.write_file("ace/logs/insights.jsonl", insight("a", "Mend [it]") + &insight("b", "Mend it"));
        let trace = |status: &str| {
            format!("{}\n", json!({"trace_id": "t", "timestamp": now(), "execution_results": [{"status": status}]}))
        };
        dir.write_file("ace/logs/execution_traces.jsonl", trace("fail") + &trace("pass"));
        let archived = json!({"event": "archived", "timestamp": "2026-01-02T00:00:00Z", "bulletId": "cccccccc", "insightId": "c-1",
                              "section": "A", "text": "[Bullet #cccccccc, helpful:0, harmful:3] Gone", "reason": "harmful"});
        dir.write_file("ace/logs/bullets.jsonl", format!("{archived}\n"));
        let server = ReviewServer::start(&dir);
        let visitor = server.visitor();
        let mut agent = StdioClient::start_with(&dir, ClientRevision::Legacy, &["--service", "ace"]);
        agent.initialize();
        Self { dir, server, visitor, agent }
    }

    /// Proposes a change, and returns the id of the proposal.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "calls read better")]
    fn propose(&mut self, operation: Value) -> String {
        let params = json!({"name": "ace_propose_bullets", "arguments": {"operations": [operation]}});
        let result = self.agent.call("tools/call", params)["result"].clone();
        let id = result["structuredContent"]["results"][0]["proposalId"].as_str();
        id.unwrap_or_else(|| panic!("{result:#}")).to_owned()
    }

    fn propose_update(&mut self, content: &str) -> String {
        self.propose(
            json!({"op": "update", "bulletIds": ["aaaaaaaa"], "content": content, "reason": "clearer & shorter"}),
        )
    }

    fn propose_removal(&mut self) -> String {
        self.propose(json!({"op": "remove", "bulletIds": ["bbbbbbbb"], "reason": "wrong"}))
    }

    #[track_caller]
    fn page(&self, path: &str) -> PageOf {
        self.visitor.get(&format!("{BASE}{path}")).expect(200)
    }

    /// Sends the form that accepts, as the page has it.
    fn accept(&self, id: &str, page: &PageOf) -> PageOf {
        let digest = page.between("name=\"digest\" value=\"", "\"");
        self.visitor.post(&format!("{BASE}/proposals/{id}/accept"), &format!("digest={digest}"))
    }

    fn playbook(&self) -> String {
        std::fs::read_to_string(self.dir.app_path().join("ace/AGENTS.md")).unwrap()
    }

    fn at(&self, path: &str) -> String {
        format!("http://{}{path}", self.server.host)
    }

    /// A browser that is signed in.
    fn browser(&self, settings: BrowserSettings) -> Option<Browser> {
        let browser = Browser::start(settings)?;
        browser.open(&self.at("/review"));
        let (name, value) = self.visitor.cookie.split_once('=').unwrap();
        browser.set_cookie(name, value);
        browser.open(&self.at("/review"));
        assert_eq!(browser.text("h1"), "Review");
        Some(browser)
    }
}

/// Returns the time in UTC, to the day.
fn now() -> String {
    let days = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs() / 86_400;
    let day = |format: &str| {
        let output =
            std::process::Command::new("date").args(["-u", "-d", &format!("@{}", days * 86_400), format]).output();
        String::from_utf8(output.unwrap().stdout).unwrap().trim().to_owned()
    };
    day("+%Y-%m-%dT00:00:00Z")
}

#[test]
fn pages_show_bullets_days_and_the_archive() {
    let log = Learning::start();
    assert!(log.visitor.get("/review").text().contains("Learning log"));
    let playbook = log.page("");
    for expected in [
        "3 bullets",
        "3 of 300 lines",
        "aa fails - Mend [it]",
        "helped 2",
        "harmed 1",
        "seen 3 times",
        "confidence 0.85",
        "<code>b-1</code>, <code>b-2</code>",
        "Written by a person",
    ] {
        assert!(playbook.text().contains(expected), "{expected}: {}", playbook.text());
    }
    let days = log.page("/timeline");
    assert!(days.text().contains("2 traces, of which 1 failed, and 2 insights"), "{}", days.text());
    assert_eq!(days.text().matches("<rect").count(), 3);
    let row = days.between("<tbody>", "</tbody>");
    assert_eq!((row.matches("<tr>").count(), row.matches("<td>2</td>").count()), (1, 2), "{row}");
    assert!(days.text().contains("role=\"img\" aria-labelledby=\"plot-title plot-description\""), "{}", days.text());
    // Of the learned bullets the one that helped least goes first; the person's stays.
    let archive = log.page("/archive");
    let next = archive.between("What would be archived next", "What was archived");
    let places = ["bb fails", "aa fails"].map(|text| next.find(text).unwrap_or_else(|| panic!("{text}: {next}")));
    assert!(places[0] < places[1] && !next.contains("By hand"), "{next}");
    let past = archive.between("What was archived", "</main>");
    assert!(past.contains("Gone") && past.contains("it harmed") && past.contains("--force-insight-ids c-1"), "{past}");
    for path in ["/none", "/proposals/none", "/proposals/0190d1a2-7c3b-7aaa-8bbb-0123456789ab"] {
        log.visitor.get(&format!("{BASE}{path}")).expect(404);
    }
}

#[test]
fn person_accepts_and_discards() {
    let mut log = Learning::start();
    let (update, removal) = (log.propose_update("New words"), log.propose_removal());
    let list = log.page("/proposals");
    assert!(
        list.text().contains("Other words for aaaaaaaa") && list.text().contains("Removal of bbbbbbbb"),
        "{}",
        list.text()
    );
    assert!(list.text().contains("2<span class=\"unseen\"> waiting"), "{}", list.text());
    let page = log.page(&format!("/proposals/{update}"));
    assert!(
        page.text().contains("clearer &amp; shorter") && page.text().contains("aa fails - Mend [it]"),
        "{}",
        page.text()
    );
    let reply = log.accept(&update, &page).expect(303);
    assert_eq!(reply.0.header("location"), Some(format!("{BASE}/proposals/{update}").as_str()));
    assert_eq!(log.playbook(), PLAYBOOK.replace("aa fails - Mend \\[it\\]", "New words"));
    let decided = log.page(&format!("/proposals/{update}"));
    assert!(
        decided.text().contains("decided by operator (review)") && !decided.text().contains("/accept"),
        "{}",
        decided.text()
    );
    // The form of before decides nothing twice.
    let again = log.accept(&update, &page).expect(409);
    assert!(again.text().contains("Nothing was decided: the proposal is accepted already."), "{}", again.text());
    let discard = format!("{BASE}/proposals/{removal}/discard");
    log.visitor.post(&discard, &format!("reason={}", "x".repeat(2_000))).expect(400);
    log.visitor.post(&discard, "reason=it+is+right").expect(303);
    assert!(log.page("/proposals").text().contains("Discarded because: it is right"));
    log.visitor.get(&discard).expect(303);
    let app = log.dir.app_path().display().to_string();
    let audited = run_wardroom(log.dir.root(), &["audit", "list", "--json", "--appdir", &app]).expect_success();
    for (action, outcomes) in [("proposal_accepted", &["begun", "ok"][..]), ("proposal_discarded", &["ok"])] {
        let records: Vec<Value> = serde_json::from_str(&audited).unwrap();
        let of = records.iter().filter(|record| record["action"] == action);
        assert_eq!(of.map(|record| record["outcome"].clone()).collect::<Vec<_>>(), outcomes, "{audited}");
    }
}

#[test]
fn form_without_its_token_or_from_elsewhere_decides_nothing() {
    let mut log = Learning::start();
    let id = log.propose_update("New words");
    let page = log.page(&format!("/proposals/{id}"));
    let digest = page.between("name=\"digest\" value=\"", "\"").to_owned();
    let token = log.visitor.form_token();
    for action in ["accept", "discard"] {
        let path = format!("{BASE}/proposals/{id}/{action}");
        log.visitor.post_raw(&path, &format!("digest={digest}")).expect(403);
        log.visitor.post_raw(&path, &format!("form_token=0&digest={digest}")).expect(403);
        let headers = [("content-type", "application/x-www-form-urlencoded"), ("origin", "https://evil.example")];
        let body = format!("form_token={token}&digest={digest}");
        assert_eq!(log.visitor.request("POST", &path, &headers, Some(&body)).0.status, 403);
        let stranger = Visitor { cookie: "x=y".to_owned(), ..log.visitor.clone() };
        assert_ne!(stranger.post_raw(&path, &body).0.status, 303);
    }
    // A link decides nothing.
    log.visitor.get(&format!("{BASE}/proposals/{id}/accept?digest={digest}")).expect(303);
    assert_eq!(log.playbook(), PLAYBOOK);
    assert!(log.page(&format!("/proposals/{id}")).text().contains("status pending"));
}

#[test]
fn changed_bullet_is_shown_before_it_is_accepted() {
    let mut log = Learning::start();
    let id = log.propose_update("New words");
    let stale = log.page(&format!("/proposals/{id}"));
    log.dir.write_file("ace/AGENTS.md", PLAYBOOK.replace("aa fails", "By hand: aa fails"));
    let reply = log.accept(&id, &stale).expect(409);
    assert!(reply.text().contains("Nothing was decided: a bullet is not what was shown"), "{}", reply.text());
    assert!(
        reply.text().contains("As it was proposed") && reply.text().contains("By hand: aa fails"),
        "{}",
        reply.text()
    );
    log.accept(&id, &reply).expect(303);
    assert!(log.playbook().contains("harmful:1] New words\n"), "{}", log.playbook());
    let removal = log.propose_removal();
    let before = log.page(&format!("/proposals/{removal}"));
    log.dir.write_file("ace/AGENTS.md", "## A\n");
    let gone = log.accept(&removal, &before).expect(409);
    assert!(
        gone.text().contains("no bullet bbbbbbbb any more") && !gone.text().contains("/accept\""),
        "{}",
        gone.text()
    );
}

#[test]
fn decision_reaches_the_playbook_of_a_project() {
    let dir = TestDir::new();
    let project = dir.root().join("project");
    std::fs::create_dir_all(project.join("logs")).unwrap();
    std::fs::write(project.join("AGENTS.md"), PLAYBOOK).unwrap();
    for name in ["execution_traces.jsonl", "insights.jsonl"] {
        std::fs::write(project.join("logs").join(name), "").unwrap();
    }
    let command = |args: &[&str]| {
        let mut command = wardroom_command(dir.root());
        command.current_dir(&project).arg("--appdir").arg(dir.app_path()).args(args);
        command
    };
    let mut agent = StdioClient::spawn(command(&["--service", "ace"]), ClientRevision::Legacy);
    agent.initialize();
    let operations = json!([{"op": "update", "bulletIds": ["mine"], "content": "By both", "reason": "r"}]);
    let params = json!({"name": "ace_propose_bullets", "arguments": {"operations": operations}});
    let made = agent.call("tools/call", params)["result"]["structuredContent"].clone();
    let id = made["results"][0]["proposalId"].as_str().unwrap_or_else(|| panic!("{made}"));
    // The confined server has no rights in the project, and a helper replaces the file.
    let server = ReviewServer::spawn(command(&["review", "--no-open"]));
    let visitor = server.visitor();
    let page = visitor.get(&format!("{BASE}/proposals/{id}")).expect(200);
    let digest = page.between("name=\"digest\" value=\"", "\"");
    visitor.post(&format!("{BASE}/proposals/{id}/accept"), &format!("digest={digest}")).expect(303);
    let playbook = std::fs::read_to_string(project.join("AGENTS.md")).unwrap();
    assert_eq!(playbook, PLAYBOOK.replace("By hand", "By both"));
}

#[test]
fn hostile_texts_stay_texts() {
    let mut log = Learning::start();
    let id = log.propose(json!({"op": "update", "bulletIds": ["aaaaaaaa"], "content": ATTACK, "reason": ATTACK}));
    let text = format!("## {ATTACK}\n[Bullet #aaaaaaaa, helpful:0, harmful:0] a\u{202e}b {ATTACK}\n");
    log.dir.write_file("ace/AGENTS.md", text);
    let paths = [String::new(), "/archive".to_owned(), "/proposals".to_owned(), format!("/proposals/{id}")];
    for path in &paths {
        let page = log.page(path);
        assert!(!page.text().contains("<script>") && !page.text().contains('\u{202e}'), "{path}: {}", page.text());
    }
    assert!(log.page("").text().contains("a⟨U+202E⟩b"));
    let Some(browser) = log.browser(BrowserSettings::default()) else { return };
    for path in &paths {
        browser.open(&log.at(&format!("{BASE}{path}")));
        let n_made = "return document.querySelectorAll('main script, main img').length";
        assert_eq!(browser.run(n_made), 0, "{path}");
        assert!(browser.text("main").contains("attack()"), "{path}");
    }
}

#[test]
fn keyboard_alone_decides_and_pages_work_without_scripts() {
    let mut log = Learning::start();
    let (update, removal) = (log.propose_update("New words"), log.propose_removal());
    let Some(browser) = log.browser(BrowserSettings::default()) else { return };
    browser.open(&log.at(&format!("{BASE}/proposals")));
    let focused = || browser.run("return document.activeElement.textContent.trim()").as_str().unwrap().to_owned();
    browser.press("j");
    assert_eq!(focused(), "Removal of bbbbbbbb");
    browser.press("\u{E007}");
    eventually("the proposal is shown", || browser.text("h1") == "Removal of bbbbbbbb");
    browser.press("a");
    assert_eq!(focused(), "Accept");
    browser.press("\u{E007}");
    eventually("it is accepted", || browser.text("main").contains("decided by operator (review)"));
    assert!(!log.playbook().contains("#bbbbbbbb"), "{removal}: {}", log.playbook());
    let settings = BrowserSettings { has_scripts: false, ..BrowserSettings::default() };
    let Some(browser) = log.browser(settings) else { return };
    browser.open(&log.at(&format!("{BASE}/proposals/{update}")));
    browser.fill("#reason", "not now");
    browser.click("[data-key=\"d\"]");
    eventually("it is discarded", || browser.text("main").contains("Discarded because: not now"));
}

#[test]
fn axe_finds_nothing_on_the_learning_log() {
    let Some(script) = axe_script() else { return };
    let mut log = Learning::start();
    let id = log.propose_update("New words");
    let merge =
        log.propose(json!({"op": "merge", "bulletIds": ["mine", "bbbbbbbb"], "content": "Both", "reason": "the same"}));
    log.dir.write_file("ace/AGENTS.md", PLAYBOOK.replace("By hand", "By another hand"));
    let Some(browser) = log.browser(BrowserSettings::default()) else { return };
    for scheme in ["light", "dark"] {
        browser.emulate("screen", scheme);
        for path in
            ["", "/timeline", "/archive", "/proposals", &format!("/proposals/{id}"), &format!("/proposals/{merge}")]
        {
            browser.open(&log.at(&format!("{BASE}{path}")));
            expect_no_violations(&format!("learning{path}"), &browser.run_async(&script));
        }
    }
}
