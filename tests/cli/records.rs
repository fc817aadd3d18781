//! `wardroom cards plot` and `wardroom evals compare`: at a terminal, in a pipe, and as JSON.

use serde_json::{Value, json};
use wardroom_test_support::{CommandOutput, TestDir, run_wardroom};

use super::terminal::run_at_terminal;

fn wardroom(dir: &TestDir, args: &[&str]) -> CommandOutput {
    let app = dir.app_path().display().to_string();
    run_wardroom(dir.root(), &[args, &["--appdir", &app]].concat())
}

fn dir_with_cards() -> TestDir {
    let dir = TestDir::new();
    for (id, package, day, model, rate) in
        [("cot_1", "cot", 1, "one", "0.25"), ("cot_2", "cot", 3, "two", "1.0"), ("vote_1", "vote", 2, "one", "0.5")]
    {
        let card = format!(
            "card_id = \"{id}\"\ncreated_at = \"2026-01-0{day}T00:00:00Z\"\n[pkg]\nname = \"{package}\"\n[scenario]\n\
             name = \"sums\"\n[model]\nid = \"{model}\"\n[stats]\npass_rate = {rate}\n"
        );
        dir.write_file(&format!("cards/{package}/{id}.toml"), card);
    }
    dir
}

/// Writes an eval of ten cases, of which the first ones pass.
fn write_eval(dir: &TestDir, name: &str, n_passed: usize) {
    let case = |at: usize| {
        json!({"case": {"name": format!("case {at}")}, "response": {"text": "x"}, "passed": at < n_passed,
            "score": if at < n_passed { 1.0 } else { 0.0 }})
    };
    let cases: Vec<Value> = (0..10).map(case).collect();
    let scores = json!({"n": 10, "mean": n_passed as f64 / 10.0, "std_dev": 0.5});
    let report = json!({"status": "completed", "result": {"name": "cot:sums", "results": cases,
        "aggregated": {"total": 10, "passed": n_passed, "scores": scores}}});
    dir.write_file(&format!("evals/{name}.json"), report.to_string());
}

#[test]
fn cards_are_lines_in_a_pipe_and_bars_at_a_terminal() {
    let dir = dir_with_cards();
    let piped = wardroom(&dir, &["cards", "plot"]).expect_success();
    let expected = "2026-01-03T00:00:00Z  cot  sums  two  1.000  cot_2\n2026-01-02T00:00:00Z  vote  sums  one  0.500  vote_1\n\
                    2026-01-01T00:00:00Z  cot  sums  one  0.250  cot_1\n";
    assert_eq!(piped, expected);
    let one = wardroom(&dir, &["cards", "plot", "--model", "one", "--pkg", "cot"]).expect_success();
    assert!(one.contains("cot_1") && one.lines().count() == 1, "{one}");
    assert_eq!(wardroom(&dir, &["cards", "plot", "--days", "1"]).expect_success(), "");
    assert_eq!(wardroom(&dir, &["cards", "plot", "--days", "0"]).status, 2);
    let listed: Value = serde_json::from_str(&wardroom(&dir, &["cards", "plot", "--json"]).expect_success()).unwrap();
    assert_eq!((&listed["total"], &listed["cards"][0]["pass_rate"]), (&json!(3), &json!(1.0)));
    let Some((status, shown)) = run_at_terminal(&dir, &[], "cards plot", "") else { return };
    assert_eq!(status, 0, "{shown}");
    assert!(shown.contains("from 2026-01-01 to 2026-01-03"), "{shown}");
    let row = shown.lines().find(|line| line.starts_with("cot ")).unwrap_or_else(|| panic!("{shown}"));
    assert!(row.contains('▃') && row.contains('█') && row.contains("newest 100 %, mean 62 %, 2 cards"), "{row}");
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
}

#[test]
fn evals_are_lines_in_a_pipe_and_intervals_at_a_terminal() {
    let dir = TestDir::new();
    write_eval(&dir, "cot_1", 9);
    write_eval(&dir, "cot_2", 3);
    let piped = wardroom(&dir, &["evals", "compare", "cot_1", "cot_2"]).expect_success();
    // Newcombe's published interval of 9 of 10 against 3 of 10: 0.1705 to 0.8090.
    for expected in [
        "a: cot on sums (cot_1)\n",
        "a: 9 of 10 passed: 90.0 %, 59.6 % to 98.2 %\n",
        "pass rate, a - b: +60.0 %, +17.1 % to +80.9 %\n",
        "b: scores by tenths: 7 0 0 0 0 0 0 0 0 3, mean 0.300\n",
        "only a passed: case 3\n",
    ] {
        assert!(piped.contains(expected), "{expected}: {piped}");
    }
    assert!(piped.is_ascii(), "{piped}");
    let compared = wardroom(&dir, &["evals", "compare", "cot_1", "cot_2", "--json"]).expect_success();
    let compared: Value = serde_json::from_str(&compared).unwrap();
    assert_eq!((&compared["a"]["passed"], &compared["only_a_passed"][0]), (&json!(9), &json!("case 3")));
    assert!((compared["rate_difference"]["low"].as_f64().unwrap() - 0.1705).abs() < 1e-4, "{compared:#}");
    let missing = wardroom(&dir, &["evals", "compare", "cot_1", "none_1"]);
    assert!(missing.status == 1 && missing.stderr.contains("alc_eval_history"), "{missing:?}");
    let Some((status, shown)) = run_at_terminal(&dir, &[], "evals compare cot_1 cot_2", "") else { return };
    assert_eq!(status, 0, "{shown}");
    for mark in ["├", "●", "┤", "│", "█"] {
        assert!(shown.contains(mark), "{mark}: {shown}");
    }
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
}
