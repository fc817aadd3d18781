//! `wardroom top`.

use serde_json::{Value, json};

use super::terminal::{Screen, Terminal, run_at_sized_terminal, start_at_sized_terminal};
use wardroom_test_support::{RunClient, TestDir, eventually, run_wardroom};

fn top(dir: &TestDir, args: &[&str]) -> String {
    let app = dir.app_path().display().to_string();
    run_wardroom(dir.root(), &[&["top", "--appdir", &app], args].concat()).expect_success()
}

fn snapshot(dir: &TestDir) -> Value {
    serde_json::from_str(&top(dir, &["--json"])).unwrap()
}

/// The names of what servers wrote of themselves.
fn server_files(dir: &TestDir) -> Vec<String> {
    // There is no folder before the first server is listed.
    let entries = std::fs::read_dir(dir.app_path().join("server/running"));
    entries.into_iter().flatten().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn call_at_work_is_shown_while_somebody_watches() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let waits = runner.run_code("return alc.llm('what now?')");
    let stuck = runner.run_code("alc.llm('p') while true do end");
    let answer = json!({"session_id": stuck["session_id"], "response": "x"});
    runner.0.send_request("tools/call", json!({"name": "alc_continue", "arguments": answer}));
    let shown = snapshot(&dir);
    let server = &shown["servers"][0];
    assert_eq!(shown["servers"].as_array().unwrap().len(), 1, "{shown:#}");
    assert_eq!((&server["address"], &server["call_count"]), (&json!("stdio"), &json!(1)), "{shown:#}");
    let call = &server["calls"][0];
    assert_eq!(
        [&call["method"], &call["name"], &call["caller"]],
        ["tools/call", "alc_continue", "operator"],
        "{shown:#}"
    );
    assert!(call["elapsed_ms"].as_u64().unwrap() > 0 && server["requests"].as_u64().unwrap() >= 3, "{shown:#}");
    assert!(server["workers"].as_u64().unwrap() >= 1 && server["memory"]["workers"]["used"].as_u64() > Some(0));
    let runs = shown["runs"].as_array().unwrap();
    let run = |session: &Value| runs.iter().find(|run| run["session_id"] == *session).unwrap();
    assert_eq!(run(&stuck["session_id"])["state"], "runs", "{shown:#}");
    let waiting = run(&waits["session_id"]);
    assert!(waiting["state"] == "waits" && waiting["about"].as_str().unwrap().contains("what now?"), "{shown:#}");

    let text = top(&dir, &[]);
    let found = |parts: &[&str]| text.lines().any(|line| parts.iter().all(|part| line.contains(part)));
    assert!(found(&["stdio"]) && found(&["operator", "tools/call", "alc_continue"]), "{text}");
    assert!(found(&[waits["session_id"].as_str().unwrap(), "waits", "what now?"]), "{text}");

    // The server is still at work, and nobody watches any more.
    let writes = |names: &[String]| names.iter().any(|name| name.ends_with(".activity"));
    eventually("the server stops writing what it does", || !writes(&server_files(&dir)));
    assert!(!server_files(&dir).iter().any(|name| name == "watched"));
}

#[test]
fn server_without_requests_is_not_woken() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    runner.run_code("return 1");
    let listed = || server_files(&dir).iter().any(|name| name.ends_with(".memory"));
    eventually("the server is listed", listed);
    std::thread::sleep(std::time::Duration::from_secs(1));
    let server = &snapshot(&dir)["servers"][0];
    assert_eq!((&server["requests"], &server["call_count"]), (&Value::Null, &json!(0)), "{server:#}");
    assert!(server["memory"]["limit"].as_u64().unwrap() > 0, "{server:#}");
}

#[test]
fn without_servers_and_in_a_pipe_it_says_so() {
    let dir = TestDir::new();
    run_wardroom(dir.root(), &["init", "--appdir", &dir.app_path().display().to_string()]).expect_success();
    assert_eq!(snapshot(&dir), json!({"servers": [], "runs": [], "run_count": 0}));
    let app = dir.app_path().display().to_string();
    let shown = run_wardroom(dir.root(), &["top", "--appdir", &app]);
    assert!(shown.status == 0 && shown.stdout.is_empty() && shown.stderr.contains("no server runs"), "{shown:?}");
}

/// A text from outside moves no cursor and sets no colour, and the screen is restored at the end.
#[test]
fn person_sees_runs_and_gets_the_screen_back() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let first = runner.run_code("return alc.llm('what\\27[31m now?')");
    let second = runner.run_code("return alc.llm('and then?')");
    let Some((status, shown)) =
        run_at_sized_terminal(&dir, (110, 40), &[("NO_COLOR", "1")], "top --no-pager </dev/null")
    else {
        return;
    };
    // Its input is no terminal: it prints what a program reads.
    assert!(status == 0 && shown.contains("and then?"), "{shown:?}");
    let Some(mut child) = start_at_sized_terminal(&dir, (110, 40), "top") else { return };
    drop((first, second, runner));
    let mut terminal = Terminal::new(&mut child);
    terminal.expect("and then?");
    terminal.expect("now?");
    terminal.send("q");
    let (status, shown) = terminal.finish();
    assert_eq!(status, 0, "{shown:?}");
    assert!(shown.contains("\u{1b}[?1049h") && shown.contains("\u{1b}[?1049l"), "the screen comes back: {shown:?}");
    assert!(shown.contains("and then?") && !shown.contains("what\u{1b}[31m"), "{shown:?}");
}

/// The picture follows the runs, and the selection follows the run that was selected, not its place in the list.
#[test]
fn run_that_starts_later_appears_and_arrow_keys_select_it() {
    const SIZE: (usize, usize) = (120, 40);
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let session = |run: Value| run["session_id"].as_str().unwrap().to_owned();
    let older = session(runner.run_code("return alc.llm('what now?')"));
    let Some(mut child) = start_at_sized_terminal(&dir, SIZE, "top") else { return };
    let mut terminal = Terminal::new(&mut child);
    // The row of a run has the beginning of its name. The line below the rows has the whole name of the selected run.
    let is_selected = |screen: &Screen, session: &str| {
        let rows = screen.reversed_lines();
        let detail = format!("wardroom --appdir '{}' sessions answer {session}", dir.app_path().display());
        rows.len() == 1 && rows[0].starts_with(&session[..40]) && screen.lines().contains(&detail)
    };
    let wait_until = |terminal: &mut Terminal<'_>, what: &str, holds: &dyn Fn(&Screen) -> bool| {
        terminal.wait_until(what, |written| holds(&Screen::draw(written, SIZE)));
    };
    wait_until(&mut terminal, "the older run is selected", &|screen| {
        is_selected(screen, &older) && screen.lines().iter().any(|line| line.contains(" runs: 1 "))
    });
    let newer = session(runner.run_code("return alc.llm('and then?')"));
    wait_until(&mut terminal, "the newer run is above the older one, which stays selected", &|screen| {
        let lines = screen.lines();
        let row = |parts: [&str; 3]| lines.iter().position(|line| parts.iter().all(|part| line.contains(part)));
        let newer_row = row([&newer[..40], "waits", "and then?"]);
        let older_row = row([&older[..40], "waits", "what now?"]);
        newer_row.is_some() && newer_row < older_row && is_selected(screen, &older)
    });
    terminal.send("\u{1b}[A");
    wait_until(&mut terminal, "the arrow up selects the newer run", &|screen| is_selected(screen, &newer));
    terminal.send("\u{1b}[B");
    wait_until(&mut terminal, "the arrow down selects the older run", &|screen| is_selected(screen, &older));
    // A run that is answered waits no more.
    runner.call_ok("alc_continue", json!({"session_id": older, "query_id": "q-0", "response": "x"}));
    wait_until(&mut terminal, "the answered run is done", &|screen| {
        let rows = screen.reversed_lines();
        rows.len() == 1 && rows[0].starts_with(&older[..40]) && rows[0].contains(" done ")
    });
    terminal.send("q");
    let (status, shown) = terminal.finish();
    assert_eq!(status, 0, "{shown:?}");
}
