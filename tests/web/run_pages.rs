//! The pages of runs: what they show, the answer of a person, and that texts stay texts.

use serde_json::{Value, json};

use super::browser::{axe_script, expect_no_violations};
use super::hostile_posts::ATTACK;
use super::review_server::{PageOf, ReviewServer, Visitor};
use super::web_driver::{Browser, BrowserSettings};
use wardroom_test_support::{RunClient, TestDir, eventually, run_wardroom, wardroom_command};

const BASE: &str = "/review/alc";
/// Asks two questions, one after the other.
const TWO_QUESTIONS: &str = "local first = alc.llm('What is <b>six</b> times seven?', {system = 'Be short.'})\n\
                             alc.state.set('x', first)\n\
                             return {answer = alc.llm('Is ' .. first .. ' right?'), first = first}";

/// An agent that starts runs, and the pages that show them.
struct Strategies {
    dir: TestDir,
    agent: RunClient,
    server: ReviewServer,
    visitor: Visitor,
}

impl Strategies {
    fn start() -> Self {
        let dir = TestDir::new();
        dir.write_package(
            "ask",
            "return { meta = { name = 'ask', version = '1.0.0' }, run = function(ctx)\n\
            return { result = alc.llm(ctx.task) } end }",
        );
        let server = ReviewServer::start(&dir);
        let visitor = server.visitor();
        // Started last: what another server writes as it starts would be a notification between two answers.
        let agent = RunClient::start_with(&dir, &["--service", "alc"]);
        Self { dir, agent, server, visitor }
    }

    /// Starts a run that waits, and returns its id.
    fn waiting(&mut self, code: &str) -> String {
        let waits = self.agent.run_code(code);
        waits["session_id"].as_str().unwrap_or_else(|| panic!("{waits:#}")).to_owned()
    }

    #[track_caller]
    fn page(&self, path: &str) -> PageOf {
        self.visitor.get(&format!("{BASE}{path}")).expect(200)
    }

    fn answer(&self, run: &str, question: &str, text: &str) -> PageOf {
        self.visitor.post(&format!("{BASE}/runs/{run}/answer"), &format!("question={question}&answer={text}"))
    }

    fn status(&mut self, run: &str) -> Value {
        self.agent.call_ok("alc_status", json!({"session_id": run, "pending_filter": "full"}))["sessions"][0].clone()
    }

    /// A browser that is signed in.
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
fn run_that_waits_is_answered_on_its_page_until_it_is_done() {
    let mut strategies = Strategies::start();
    assert!(strategies.page("").text().contains("There is no run yet"));
    let run = strategies.waiting(TWO_QUESTIONS);
    let list = strategies.page("");
    let entry = list.between("<ol class=\"items\">", "</ol>");
    for expected in ["status waiting", "asks: ", "What is &lt;b&gt;six&lt;/b&gt; times seven?"] {
        assert!(entry.contains(expected), "{expected}: {entry}");
    }
    assert!(strategies.visitor.get("/review").text().contains("1 waiting"));
    let page = strategies.page(&format!("/runs/{run}"));
    for expected in ["The run asks", "Be short.", "name=\"question\" value=\"q-0\"", "What it did"] {
        assert!(page.text().contains(expected), "{expected}: {}", page.text());
    }
    // The time of the model, of scripts and of the rest.
    for part in ["Until answers came", "Scripts", "Server and disk"] {
        let label = format!("<dt>{part}</dt><dd>");
        let shown = page.text().split_once(&label).unwrap_or_else(|| panic!("{part}: {}", page.text())).1;
        assert!(shown.starts_with(|first: char| first.is_ascii_digit()), "{part}: {shown}");
    }
    let reply = strategies.answer(&run, "q-0", "4%0D%0A2").expect(303);
    assert_eq!(reply.0.header("location"), Some(format!("{BASE}/runs/{run}").as_str()));
    // The agent sees the answer: the run went on in the process of the pages.
    let answer = json!({"session_id": run, "query_id": "q-1", "response": "yes"});
    assert_eq!(strategies.agent.call_ok("alc_continue", answer)["result"], json!({"answer": "yes", "first": "4\n2"}));
    let done = strategies.page(&format!("/runs/{run}"));
    for expected in ["status done", "Result", "&quot;answer&quot;: &quot;yes&quot;", "Is 4\n2 right?"] {
        assert!(done.text().contains(expected), "{expected}: {}", done.text());
    }
    assert!(!done.text().contains("name=\"question\""), "{}", done.text());
}

#[test]
fn states_and_strategies_are_filters() {
    let mut strategies = Strategies::start();
    let failing = strategies.waiting("alc.llm('a') error('went wrong', 0)");
    let waits = strategies.agent.call_ok("alc_advice", json!({"strategy": "ask", "task": "which <task>?"}));
    strategies.answer(&failing, "q-0", "b").expect(303);
    let page = strategies.page(&format!("/runs/{failing}"));
    assert!(page.text().contains("Why it failed") && page.text().contains("went wrong"), "{}", page.text());
    let shown = |query: &str| {
        let page = strategies.page(query);
        [&failing, waits["session_id"].as_str().unwrap()].map(|run| page.text().contains(run))
    };
    assert_eq!(shown(""), [true, true]);
    assert_eq!(shown("?state=failed"), [true, false]);
    assert_eq!(shown("?state=waiting"), [false, true]);
    assert_eq!(shown("?state=done"), [false, false]);
    assert_eq!(shown("?strategy=ask"), [false, true]);
    assert!(strategies.page("").text().contains("which &lt;task&gt;?"));
    strategies.visitor.get(&format!("{BASE}?state=lost")).expect(400);
    for path in ["/none", "/runs/none", "/runs/..", &format!("/runs/{failing}.over")] {
        strategies.visitor.get(&format!("{BASE}{path}")).expect(404);
    }
}

#[test]
fn answer_is_taken_once_and_with_the_token_of_its_session() {
    let mut strategies = Strategies::start();
    let run = strategies.waiting(TWO_QUESTIONS);
    let path = format!("{BASE}/runs/{run}/answer");
    strategies.visitor.post_raw(&path, "question=q-0&answer=42").expect(403);
    strategies.visitor.post_raw(&path, "form_token=0&question=q-0&answer=42").expect(403);
    let empty = strategies.answer(&run, "q-0", "+%0A").expect(409);
    assert!(empty.text().contains("it is empty"), "{}", empty.text());
    strategies.answer(&run, "q-9", "42").expect(409);
    assert_eq!(strategies.status(&run)["pending"][0]["query_id"], "q-0");
    strategies.answer(&run, "q-0", "42").expect(303);
    // The same answer again changes nothing, and another one is refused.
    strategies.answer(&run, "q-0", "42").expect(303);
    let late = strategies.answer(&run, "q-0", "43").expect(409);
    assert!(late.text().contains("Your answer was not taken: "), "{}", late.text());
    assert!(late.text().contains("already responded") && late.text().contains("Is 42 right?"), "{}", late.text());
    // Each answer is in the audit trail, whatever became of it.
    let app = strategies.dir.app_path().display().to_string();
    let listed = run_wardroom(strategies.dir.root(), &["audit", "list", "--json", "--appdir", &app]).expect_success();
    let records: Vec<Value> = serde_json::from_str(&listed).unwrap();
    let of_page = records.iter().filter(|record| record["through"] == "review" && record["action"] == "tool_called");
    let outcomes: Vec<&str> = of_page.map(|record| record["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["refused", "ok", "ok", "refused"]);
    // The reply to a form that was refused may be loaded again.
    strategies.visitor.get(&path).expect(303);
    strategies.agent.call_ok("alc_cancel", json!({"session_id": run}));
    strategies.answer(&run, "q-1", "yes").expect(404);
}

#[test]
fn branches_stand_below_the_call_that_forked_them() {
    let mut strategies = Strategies::start();
    let run = strategies.waiting("return alc.fork({'ask', 'ask'}, {task = 'one of two'})");
    let page = strategies.page(&format!("/runs/{run}"));
    assert!(page.text().contains("2 branches") && page.text().contains("The run asks 2 questions"), "{}", page.text());
    assert_eq!(page.text().matches("name=\"answer\"").count(), 2, "{}", page.text());
    strategies.answer(&run, "q-1", "b").expect(303);
    let page = strategies.page(&format!("/runs/{run}"));
    assert!(page.text().contains("value=\"q-0\"") && !page.text().contains("value=\"q-1\""), "{}", page.text());
    strategies.answer(&run, "q-0", "a").expect(303);
    let done = strategies.page(&format!("/runs/{run}"));
    assert!(done.text().contains("<summary>ask</summary>"), "{}", done.text());
}

#[test]
fn read_only_server_says_how_to_answer() {
    let mut strategies = Strategies::start();
    let run = strategies.waiting(TWO_QUESTIONS);
    let mut command = wardroom_command(strategies.dir.root());
    command.arg("--appdir").arg(strategies.dir.app_path()).args(["--read-only", "review", "--no-open"]);
    let server = ReviewServer::spawn(command);
    let visitor = server.visitor();
    let page = visitor.get(&format!("{BASE}/runs/{run}")).expect(200);
    assert!(page.text().contains(&format!("wardroom sessions answer {run}")), "{}", page.text());
    visitor.post(&format!("{BASE}/runs/{run}/answer"), "question=q-0&answer=x").expect(409);
    assert_eq!(strategies.status(&run)["pending"][0]["query_id"], "q-0");
}

/// A person who answers sees what the model or the package hid.
#[test]
fn hidden_characters_of_runs_are_shown() {
    let mut strategies = Strategies::start();
    let run = strategies.waiting(r"return alc.llm('delete \u{202E}lla\u{200B}')");
    for path in [String::new(), format!("/runs/{run}")] {
        let page = strategies.page(&path);
        let shown = page.text();
        assert!(shown.contains("⟨U+202E⟩lla⟨U+200B⟩") && !shown.contains('\u{202E}'), "{path}: {shown}");
    }
}

/// What a person typed comes back as it was typed.
#[test]
fn refused_answer_keeps_its_characters() {
    let mut strategies = Strategies::start();
    let run = strategies.waiting("return alc.llm('what?\\r\\nsay')");
    let page = strategies.page(&format!("/runs/{run}"));
    assert!(page.text().contains("what?\nsay") && !page.text().contains("⟨U+000D⟩"), "{}", page.text());
    let refused = strategies.answer(&run, "q-0", "%20%0D%0A%20");
    assert!(!refused.text().contains("⟨U+"), "{}", refused.text());
}

#[test]
fn hostile_texts_of_runs_stay_texts() {
    let mut strategies = Strategies::start();
    let code = format!("local text = {}\nprint(text)\nreturn alc.llm(text, {{system = text}})", json!(ATTACK));
    let run = strategies.waiting(&code);
    for path in [String::new(), format!("/runs/{run}")] {
        assert!(!strategies.page(&path).text().contains("<script>"), "{path}");
    }
    let Some(browser) = strategies.browser(BrowserSettings::default()) else { return };
    browser.open(&strategies.at(&format!("{BASE}/runs/{run}")));
    assert_eq!(browser.run("return document.querySelectorAll('main script, main img').length"), 0);
    assert!(browser.text("main").contains("attack()"));
}

#[test]
fn person_answers_with_and_without_scripts() {
    for has_scripts in [true, false] {
        let mut strategies = Strategies::start();
        let run = strategies.waiting(TWO_QUESTIONS);
        let Some(browser) = strategies.browser(BrowserSettings { has_scripts, ..BrowserSettings::default() }) else {
            return;
        };
        browser.open(&strategies.at(BASE));
        browser.click("[data-item]");
        eventually("the run is shown", || browser.has("textarea"));
        browser.fill("textarea", "42");
        browser.click("[data-key=\"a\"]");
        eventually("the next question is shown", || browser.text("main").contains("Is 42 right?"));
        if has_scripts {
            // A page that is open follows what others answer.
            let next = json!({"session_id": run, "query_id": "q-1", "response": "yes"});
            strategies.agent.call_ok("alc_continue", next);
            eventually("the result is shown", || browser.text("main").contains("Result"));
        }
    }
}

#[test]
fn axe_finds_nothing_on_runs() {
    let Some(script) = axe_script() else { return };
    let mut strategies = Strategies::start();
    let run = strategies.waiting("return alc.fork({'ask', 'ask'}, {task = 'one of two'})");
    let failed = strategies.waiting("alc.llm('a') error('went wrong', 0)");
    strategies.answer(&failed, "q-0", "b").expect(303);
    let Some(browser) = strategies.browser(BrowserSettings::default()) else { return };
    for scheme in ["light", "dark"] {
        browser.emulate("screen", scheme);
        for path in [String::new(), format!("/runs/{run}"), format!("/runs/{failed}")] {
            browser.open(&strategies.at(&format!("{BASE}{path}")));
            expect_no_violations(&format!("runs{path}"), &browser.run_async(&script));
        }
    }
}
