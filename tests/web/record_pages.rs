//! The pages of evals, cards and packages: tables with filters, plots, two evals side by side, narratives.

use serde_json::{Value, json};

use super::browser::{axe_script, expect_no_violations};
use super::hostile_posts::ATTACK;
use super::review_server::{PageOf, ReviewServer, Visitor};
use super::web_driver::{Browser, BrowserSettings};
use wardroom_test_support::TestDir;

const BASE: &str = "/review/alc";

/// An AppDir with records, and the pages that show them.
struct Records {
    dir: TestDir,
    server: ReviewServer,
    visitor: Visitor,
}

/// Writes an eval of a strategy on ten cases, of which the first ones pass.
fn write_eval(dir: &TestDir, strategy: &str, scenario: &str, seconds: u64, n_passed: usize) {
    let case = |at: usize| {
        let score = if at < n_passed { 1.0 } else { 0.25 };
        json!({"case": {"name": format!("case {at}"), "input": "i"}, "response": {"text": format!("answer {at}")},
            "score": score, "passed": at < n_passed})
    };
    let cases: Vec<Value> = (0..10).map(case).collect();
    let rate = n_passed as f64 / 10.0;
    let mean = rate + 0.25 * (1.0 - rate);
    let report = json!({"status": "completed", "result": {"name": format!("{strategy}:{scenario}"),
        "aggregated": {"total": 10, "passed": n_passed, "pass_rate": rate, "scores": {"n": 10, "mean": mean, "std_dev": 0.3}},
        "results": cases, "summary": format!("Suite: {strategy}:{scenario}\nCases: 10")}});
    dir.write_file(&format!("evals/{strategy}_{seconds}.json"), report.to_string());
    let summary = json!({"eval_id": format!("{strategy}_{seconds}"), "strategy": strategy, "timestamp": seconds,
        "pass_rate": rate, "mean_score": mean, "total_cases": 10, "passed": n_passed, "llm_calls": 12, "elapsed_ms": 65_000,
        "summary": report["result"]["summary"]});
    dir.write_file(&format!("evals/{strategy}_{seconds}.meta.json"), summary.to_string());
}

fn card(id: &str, package: &str, created: &str, scenario: &str, model: &str, rate: f64) -> String {
    format!(
        "card_id = \"{id}\"\ncreated_at = \"{created}\"\n[pkg]\nname = \"{package}\"\n[scenario]\nname = \"{scenario}\"\n\
         [model]\nid = \"{model}\"\n[stats]\npass_rate = {rate}\n"
    )
}

impl Records {
    fn start() -> Self {
        let dir = TestDir::new();
        for (strategy, scenario, seconds, n_passed) in
            [("cot", "sums", 1_767_225_600, 9), ("cot", "words", 1_767_312_000, 5), ("vote", "sums", 1_767_398_400, 3)]
        {
            write_eval(&dir, strategy, scenario, seconds, n_passed);
        }
        for (id, package, created, scenario, model, rate) in [
            ("cot_1", "cot", "2026-01-01T00:00:00Z", "sums", "one", 0.9),
            ("cot_2", "cot", "2026-01-03T00:00:00Z", "words", "two", 0.5),
            ("vote_1", "vote", "2026-01-02T00:00:00Z", "sums", "one", 0.3),
        ] {
            dir.write_file(&format!("cards/{package}/{id}.toml"), card(id, package, created, scenario, model, rate));
        }
        let row =
            |score: f64| format!("{}\n", json!({"score": score, "passed": score >= 1.0, "case": {"name": "<c>"}}));
        dir.write_file("cards/cot/cot_1.samples.jsonl", row(1.0) + &row(0.2));
        let package = "--- Asks <once>.\n--- More.\nreturn { meta = { name = 'cot', version = '1.2.0', category = 'basic', \
                       description = 'Thinks <b>aloud</b>.' }, run = function(ctx) return ctx end }";
        dir.write_package("cot", package);
        dir.write_package("plain", "return { meta = { name = 'plain', description = 'No more.' } }");
        let narrative = format!("---\nname: \"cot\"\n---\n# When to use it\n\n- `cot` for sums\n\n{ATTACK}\n");
        dir.write_file("packages/cot/narrative.md", narrative);
        let index = json!({"schema_version": "hub_index/v0", "packages": [
            {"name": "far", "version": "3.0.0", "description": "Of the hub", "category": "debate"}]});
        dir.write_file("hub_cache/one.json", index.to_string());
        let server = ReviewServer::start(&dir);
        let visitor = server.visitor();
        Self { dir, server, visitor }
    }

    #[track_caller]
    fn page(&self, path: &str) -> PageOf {
        self.visitor.get(&format!("{BASE}{path}")).expect(200)
    }

    /// Returns the rows of the table of a page.
    #[track_caller]
    fn n_rows(&self, path: &str) -> usize {
        let page = self.page(path);
        if page.text().contains("<tbody>") { page.between("<tbody>", "</tbody>").matches("<tr>").count() } else { 0 }
    }

    fn browser(&self, settings: BrowserSettings) -> Option<Browser> {
        let browser = Browser::start(settings)?;
        browser.open(&self.at("/review"));
        let (name, value) = self.visitor.cookie.split_once('=').unwrap();
        browser.set_cookie(name, value);
        Some(browser)
    }

    fn at(&self, path: &str) -> String {
        format!("http://{}{path}", self.server.host)
    }
}

#[test]
fn evals_are_filtered_and_plotted() {
    let records = Records::start();
    let page = records.page("/evals");
    for expected in
        ["2026-01-03 00:00 UTC", "90 %", "9 of 10", "65 s", "cot_1767225600: 90 % on 2026-01-01", "2026-01-03"]
    {
        assert!(page.text().contains(expected), "{expected}: {}", page.text());
    }
    // Three marks, and one for each of two series in the caption.
    assert_eq!(page.text().matches("<path class=\"mark\"").count(), 5, "{}", page.text());
    for (query, n_rows) in [
        ("", 3),
        ("?pkg=cot", 2),
        ("?scenario=sums", 2),
        ("?pkg=cot&scenario=sums", 1),
        ("?pkg=none", 0),
        ("?days=36500", 3),
        ("?days=1", 0),
    ] {
        assert_eq!(records.n_rows(&format!("/evals{query}")), n_rows, "{query}");
    }
    for wrong in ["?days=0", "?days=x", "?days=36501"] {
        records.visitor.get(&format!("{BASE}/evals{wrong}")).expect(400);
    }
    let eval = records.page("/evals/cot_1767225600");
    for expected in ["cot on sums", "9 of 10", "59.6 % to 98.2 %", "answer 9", "status failed"] {
        assert!(eval.text().contains(expected), "{expected}: {}", eval.text());
    }
    for path in ["/evals/none_1", "/evals/..", "/evals/compare_x"] {
        records.visitor.get(&format!("{BASE}{path}")).expect(404);
    }
}

#[test]
fn two_evals_have_the_interval_of_their_difference() {
    let records = Records::start();
    let page = records.page("/evals/compare?a=cot_1767225600&b=vote_1767398400");
    // Newcombe's published interval of 9 of 10 against 3 of 10: 0.1705 to 0.8090.
    for expected in [
        "+60.0 points, +17.1 points to +80.9 points",
        "More cases pass in a than chance explains",
        "case 3",
        "Only a passed",
    ] {
        assert!(page.text().contains(expected), "{expected}: {}", page.text());
    }
    assert_eq!(page.text().matches("class=\"reach\"").count(), 4, "{}", page.text());
    let same = records.page("/evals/compare?a=cot_1767225600&b=cot_1767225600");
    assert!(
        same.text().contains("the interval contains 0") && same.text().contains("None of the cases"),
        "{}",
        same.text()
    );
    records.visitor.get(&format!("{BASE}/evals/compare?a=cot_1767225600")).expect(400);
    records.visitor.get(&format!("{BASE}/evals/compare?a=cot_1767225600&b=none_1")).expect(404);
}

#[test]
fn cards_are_filtered_by_package_scenario_model_and_time() {
    let records = Records::start();
    for (query, n_rows) in [
        ("", 3),
        ("?pkg=cot", 2),
        ("?scenario=sums", 2),
        ("?model=one&scenario=sums", 2),
        ("?model=two", 1),
        ("?days=36500", 3),
        ("?days=1", 0),
    ] {
        assert_eq!(records.n_rows(&format!("/cards{query}")), n_rows, "{query}");
    }
    let page = records.page("/cards?model=two");
    assert!(page.text().contains("<option value=\"two\" selected>"), "{}", page.text());
    let card = records.page("/cards/cot_1");
    for expected in ["90 %", "rows of the card: 1 from 0.2 to 0.3", "&lt;c&gt;", "score 0.20"] {
        assert!(card.text().contains(expected), "{expected}: {}", card.text());
    }
    records.visitor.get(&format!("{BASE}/cards/none_1")).expect(404);
    records.visitor.get(&format!("{BASE}/cards?pkg=..")).expect(400);
}

#[test]
fn packages_have_their_narratives_and_those_of_the_hub_are_listed() {
    let records = Records::start();
    let list = records.page("/packages");
    for expected in [
        "3 packages",
        "version 1.2.0",
        "Thinks &lt;b&gt;aloud&lt;/b&gt;.",
        "in the hub",
        "Of the hub",
        "best pass rate 90 %",
    ] {
        assert!(list.text().contains(expected), "{expected}: {}", list.text());
    }
    assert!(records.page("/packages?q=hub+OF").text().contains("1 package<"));
    let package = records.page("/packages/cot");
    for expected in ["<h2>When to use it</h2>", "<li><code>cot</code> for sums</li>", "pkg=cot"] {
        assert!(package.text().contains(expected), "{expected}: {}", package.text());
    }
    assert!(!package.text().contains("<script>"), "{}", package.text());
    assert!(records.page("/packages/plain").text().contains("It has no documentation"));
    // Without a narrative the comment at the start of the source is shown.
    std::fs::remove_file(records.dir.app_path().join("packages/cot/narrative.md")).unwrap();
    assert!(records.page("/packages/cot").text().contains("Asks &lt;once&gt;."));
    for path in ["/packages/none", "/packages/..", "/packages/a%2Fb"] {
        records.visitor.get(&format!("{BASE}{path}")).expect(404);
    }
}

/// What an index of the hub says of a package is text of a stranger.
#[test]
fn package_of_the_hub_has_a_page_on_which_its_texts_are_escaped() {
    let dir = TestDir::new();
    let documentation = format!(
        "# When to use it\n\n- `far` for sums\n\n[more](javascript:attack())\n\n{ATTACK}\n\n```\n{ATTACK}\n```\n"
    );
    let description = format!("Of the hub {ATTACK}");
    let index = json!({"schema_version": "hub_index/v0", "packages": [
        {"name": "far", "version": ATTACK, "description": description, "category": ATTACK, "tags": [ATTACK],
            "docstring": documentation},
        {"name": "bare"}, {"name": "numbers", "version": 1, "description": [2], "category": {}, "docstring": 3},
        {"name": ATTACK, "description": "It has no name."}]});
    dir.write_file("hub_cache/one.json", index.to_string());
    dir.write_package("near", "return { meta = { name = 'near', description = 'At hand' } }");
    let server = ReviewServer::start(&dir);
    let visitor = server.visitor();
    let page = |path: &str| {
        let page = visitor.get(&format!("{BASE}{path}")).expect(200);
        for written in ["<script>", "<img src=x", "\"javascript:"] {
            assert!(!page.text().contains(written), "{path}: {}", page.text());
        }
        page
    };
    let far = page("/packages/far");
    for expected in [
        "<h1>far</h1>",
        ">in the hub<",
        "<p>Of the hub &quot;",
        "<h2>When to use it</h2>",
        "<li><code>far</code> for sums</li>",
    ] {
        assert!(far.text().contains(expected), "{expected}: {}", far.text());
    }
    assert!(!far.text().contains(">installed<"), "{}", far.text());
    // The version, the category, the description, and the documentation twice.
    assert_eq!(far.text().matches("&lt;script&gt;attack()").count(), 5, "{}", far.text());
    for name in ["bare", "numbers"] {
        let bare = page(&format!("/packages/{name}"));
        let text = bare.between("<h1>", "</main>");
        assert!(text.contains(">in the hub<") && text.contains("It has no documentation"), "{text}");
    }
    let near = page("/packages/near");
    assert!(near.text().contains(">installed<") && !near.text().contains(">in the hub<"), "{}", near.text());
    // The entry with the name that is no name is left out.
    let list = page("/packages");
    assert!(list.text().contains("4 packages<") && !list.text().contains("It has no name."), "{}", list.text());
    assert_eq!(list.text().matches(">in the hub<").count(), 3, "{}", list.text());
    let encoded = ATTACK.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
    let missing = visitor.get(&format!("{BASE}/packages/{encoded}")).expect(404);
    assert!(!missing.text().contains("<script>"), "{}", missing.text());
}

#[test]
fn empty_app_dir_says_how_to_begin() {
    let dir = TestDir::new();
    let server = ReviewServer::start(&dir);
    let visitor = server.visitor();
    for (path, expected) in [
        ("", "wardroom run STRATEGY"),
        ("/evals", "wardroom eval STRATEGY --scenario NAME"),
        ("/cards", "There is no card yet"),
        ("/packages", "wardroom new strategy NAME"),
    ] {
        let page = visitor.get(&format!("{BASE}{path}")).expect(200);
        assert!(page.text().contains(expected) && !page.text().contains("<figure"), "{path}: {}", page.text());
    }
}

/// The pages of the records, by the names of their pictures.
const PAGES: [(&str, &str); 7] = [
    ("evals", "/evals"),
    ("eval", "/evals/cot_1767225600"),
    ("eval-pair", "/evals/compare?a=cot_1767225600&b=vote_1767398400"),
    ("cards", "/cards"),
    ("card", "/cards/cot_1"),
    ("packages", "/packages"),
    ("package", "/packages/cot"),
];

#[test]
fn records_fit_a_small_screen_and_axe_finds_nothing() {
    let records = Records::start();
    let Some(browser) = records.browser(BrowserSettings::default()) else { return };
    let script = axe_script();
    for (name, path) in PAGES {
        for (width, scheme) in [(1200, "light"), (400, "dark")] {
            browser.resize(width, 900);
            browser.emulate("screen", scheme);
            browser.open(&records.at(&format!("{BASE}{path}")));
            let overflow =
                browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth");
            assert_eq!(overflow, 0, "{name} at {width}");
            browser.screenshot(&super::browser::target(&format!("{name}-{width}-{scheme}.png")));
            if let Some(script) = &script {
                expect_no_violations(&format!("{name} in {scheme}"), &browser.run_async(script));
            }
        }
    }
}

#[test]
fn two_evals_are_chosen_without_scripts() {
    let records = Records::start();
    let settings = BrowserSettings { has_scripts: false, ..BrowserSettings::default() };
    let Some(browser) = records.browser(settings) else { return };
    browser.open(&records.at(&format!("{BASE}/evals")));
    browser.click("input[name=\"a\"][value=\"cot_1767225600\"]");
    browser.click("main form:not(.search) button");
    wardroom_test_support::eventually("both are shown", || browser.text("h1") == "Two evals");
    assert!(browser.text("main").contains("cot on sums"), "{}", browser.text("main"));
}
