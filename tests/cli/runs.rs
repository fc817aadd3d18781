//! `wardroom run`, `wardroom eval` and `wardroom sessions`: a run that is answered at a terminal, by a command and from a file.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use wardroom_test_support::{CommandOutput, TestDir, run_wardroom, write_script};

use crate::terminal::{run_at_terminal, start_at_terminal, type_at_prompts};

/// Asks once, or as often as `ctx.times` says at once.
const ASKER: &str = r#"
local M = {}
M.meta = { name = "asker", version = "0.1.0", description = "Asks." }
function M.run(ctx)
    alc.log("info", "begins with " .. ctx.task)
    alc.progress(1, 2, "asking")
    if ctx.times then
        local queries = {}
        for i = 1, ctx.times do queries[i] = { prompt = ctx.task .. " " .. i } end
        ctx.result = { answer = table.concat(alc.llm_batch(queries), ",") }
    else
        ctx.result = { answer = alc.llm(ctx.task, { system = "Be short." }) }
    end
    return ctx
end
return M
"#;

const TWO_CASES: &str = r#"return { name = "two", graders = { "exact_match" }, cases = {
    { name = "good", input = "a", expected = "yes" }, { name = "bad", input = "b", expected = "no" } } }"#;

/// Returns the command that an interrupted run shows for going on.
fn go_on(shown: &str) -> String {
    let (_, rest) = shown.split_once("run --continue ").unwrap_or_else(|| panic!("{shown}"));
    let session: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    format!("run --continue {session}")
}

fn with_asker() -> TestDir {
    let dir = TestDir::new();
    dir.write_package("asker", ASKER);
    dir
}

fn wardroom(dir: &TestDir, args: &[&str]) -> CommandOutput {
    run_wardroom(dir.root(), &[args, &["--appdir", &dir.app_path().display().to_string()]].concat())
}

fn file(dir: &TestDir, name: &str, text: &str) -> String {
    let path = dir.root().join(name);
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// A command that answers each question with its prompt in capitals, and keeps what it read.
fn model(dir: &TestDir) -> String {
    let path: PathBuf = dir.root().join("model.sh");
    write_script(
        &path,
        "#!/bin/sh\ncat > \"$1.$$\"\nsed 's/.*\"prompt\":\"\\([^\"]*\\)\".*/\\1/' \"$1.$$\" | tr a-z A-Z\n",
    );
    format!("'{}' {}", path.display(), dir.root().join("asked").display())
}

#[test]
fn person_answers_at_a_terminal_and_sees_the_run() {
    let dir = with_asker();
    let Some((status, shown)) =
        run_at_terminal(&dir, &[("TERM", "xterm"), ("NO_COLOR", "1")], "run asker 'What is six times seven?'", "42\r")
    else {
        return;
    };
    assert_eq!(status, 0, "{shown}");
    let seen =
        ["begins with What is six", "step 1 of 2: asking", "[system] Be short.", "What is six times seven?", "q-0>"];
    for part in seen {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(shown.contains("└ done after") && shown.contains("\"answer\": \"42\""), "{shown}");
}

#[test]
fn traceback_of_a_failure_is_shown_line_by_line() {
    let dir = TestDir::new();
    dir.write_package(
        "breaks",
        "local function deep(t) return t.a.b end\nreturn {run = function() local r = deep({}) return r end}",
    );
    let failed = wardroom(&dir, &["run", "breaks", "--answers", &file(&dir, "answers.jsonl", "")]);
    assert_eq!(failed.status, 1, "{failed:?}");
    let lines: Vec<&str> = failed.stderr.lines().map(str::trim_end).collect();
    let first = lines.iter().position(|line| line.contains("  error: breaks/init.lua:1: attempt to index")).unwrap();
    assert_eq!(lines[first + 1], "│          stack traceback:");
    assert!(
        lines[first + 2].starts_with("│            breaks/init.lua:1: in ") && lines[first + 2].ends_with("'deep'"),
        "{lines:#?}"
    );
}

/// None of its places would be one in a script.
#[test]
fn missing_strategy_has_no_traceback() {
    let failed = wardroom(&with_asker(), &["run", "askers"]);
    assert!(failed.status == 1 && failed.stderr.contains("did you mean 'asker'?"), "{failed:?}");
    assert!(!failed.stderr.contains("traceback"), "{failed:?}");
}

/// A fork reports a failure to its strategy, which may go on. The tree names the failed child, and the last line mentions the error.
#[test]
fn failure_of_a_fork_is_shown_with_its_number_and_at_the_end() {
    let dir = with_asker();
    dir.write_package("breaks", "return {run = function() print('a\\tb') error('broken') end}");
    dir.write_package(
        "both",
        "return {run = function(ctx) return #alc.fork({'asker', 'breaks'}, {task = ctx.task}) end}",
    );
    let done = wardroom(&dir, &["run", "both", "n", "--answers", &file(&dir, "answers.jsonl", "\"x\"\n")]);
    assert!(done.status == 0 && done.stdout.trim() == "2", "{done:?}");
    for part in
        ["  print: [fork 1-1] a  b\n", "  error: [fork 1-1] breaks/init.lua:1: broken\n", ", with an error (above)\n"]
    {
        assert!(done.stderr.contains(part), "{part}: {}", done.stderr);
    }
}

#[test]
fn misspelt_input_is_reported_and_the_run_goes_on() {
    let dir = with_asker();
    let answers = file(&dir, "answers.jsonl", "\"x\"\n");
    let done = wardroom(&dir, &["run", "asker", "n", "time=3", "style=short", "--answers", &answers]);
    let warning = "warning: 'time' is no input of 'asker'; did you mean 'times'?";
    assert!(done.status == 0 && done.stderr.contains(warning) && !done.stderr.contains("style"), "{done:?}");
}

#[test]
fn answers_of_a_file_are_taken_in_order_or_where_they_fit() {
    let dir = with_asker();
    let answers = file(&dir, "answers.jsonl", "\"first\"\n{\"when\": \" 3\", \"answer\": \"third\"}\n\"second\"\n");
    let done = wardroom(&dir, &["run", "asker", "n", "times=3", "--answers", &answers, "--json"]);
    let answer: Value = serde_json::from_str(&done.expect_success()).unwrap();
    assert_eq!(answer["result"]["result"]["answer"], "first,second,third", "{answer:#}");
    let bad = file(&dir, "bad.jsonl", "\"a\"\nnot json\n");
    let refused = wardroom(&dir, &["run", "asker", "n", "--answers", &bad]);
    assert!(refused.status == 1 && refused.stderr.contains("bad.jsonl:2: not an answer"), "{refused:?}");
}

#[test]
fn command_answers_each_question_with_a_process_of_its_own() {
    let dir = with_asker();
    let done = wardroom(&dir, &["run", "asker", "say it", "times=5", "--model", &model(&dir)]);
    assert!(done.clone().expect_success().contains("SAY IT 1,SAY IT 2,SAY IT 3,SAY IT 4,SAY IT 5"), "{done:?}");
    let asked: Vec<Value> = fs::read_dir(dir.root())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("asked."))
        .map(|path| serde_json::from_slice(&fs::read(path).unwrap()).unwrap())
        .collect();
    assert_eq!(asked.len(), 5);
    for question in asked {
        assert!(question["session"].as_str().unwrap().starts_with("s-"), "{question}");
        assert!(question["id"].as_str().unwrap().starts_with("q-"), "{question}");
        assert_eq!((&question["system"], &question["max_tokens"]), (&Value::Null, &json!(1024)));
    }
}

#[test]
fn inputs_that_a_strategy_lacks_are_named_before_it_runs() {
    let dir = TestDir::new();
    let inputs = "inputs = { task = \"what to do\", tone = \"which tone\" }";
    dir.write_package("polite", &format!("return {{ meta = {{ {inputs} }}, run = function(ctx) error('ran') end }}"));
    let refused = wardroom(&dir, &["run", "polite", "--model", "false"]);
    let expected = "strategy 'polite' lacks inputs: pass task (what to do), tone (which tone)";
    assert!(refused.status == 1 && refused.stderr.contains(expected), "{refused:?}");
    assert!(refused.stderr.contains("each other input as NAME=VALUE"), "{refused:?}");
    assert!(!refused.stderr.contains("ran"), "{refused:?}");
}

/// A question without an answer waits for whoever goes on.
#[test]
fn question_that_is_not_answered_waits_and_can_be_answered_later() {
    let dir = with_asker();
    let failed = wardroom(&dir, &["run", "asker", "later", "--model", "false"]);
    assert_eq!(failed.status, 1, "{failed:?}");
    assert!(failed.stderr.contains("q-0 has no answer: false failed"), "{failed:?}");
    assert!(failed.stderr.contains("error: the run s-") && failed.stderr.contains(" waits for answers"), "{failed:?}");
    let go_on = failed.stderr.lines().find_map(|line| line.split_once("run --continue ")).unwrap().1.to_owned();
    let listed = wardroom(&dir, &["sessions", "list"]).expect_success();
    assert!(listed.contains("waits") && listed.contains("asker") && listed.contains("asks: later"), "{listed}");
    let rows: Value = serde_json::from_str(&wardroom(&dir, &["sessions", "list", "--json"]).expect_success()).unwrap();
    assert_eq!((&rows[0]["strategy"], &rows[0]["task"]), (&json!("asker"), &json!("later")));
    assert_eq!(rows[0]["questions"][0]["prompt"], "later");
    // The same by a tool that is typed.
    let asked = wardroom(&dir, &["call", "alc_advice", "strategy=asker", "task=other"]);
    assert!(
        asked.stderr.contains("call alc_continue session_id=s-") && asked.stderr.contains("query_id=q-0"),
        "{asked:?}"
    );
    let answers = file(&dir, "answers", "\"at last\"\n");
    let done = wardroom(&dir, &["run", "--continue", &go_on, "--answers", &answers]).expect_success();
    // Whoever lost that gets it again.
    assert_eq!(wardroom(&dir, &["run", "--continue", &go_on]).expect_success(), done);
    assert!(done.contains("at last"), "{done}");
    let listed = wardroom(&dir, &["sessions", "list"]).expect_success();
    assert!(listed.contains(&format!("{go_on}  done")), "{listed}");
    assert_eq!(wardroom(&dir, &["sessions", "drop", "--done"]).expect_success().trim(), "dropped one run");
    let rest = wardroom(&dir, &["sessions", "list", "--json"]).expect_success();
    let rest: Value = serde_json::from_str(&rest).unwrap();
    let waiting = rest[0]["session_id"].as_str().unwrap().to_owned();
    let answers = file(&dir, "answers", "\"yes\"\n");
    let done = wardroom(&dir, &["sessions", "answer", &waiting, "--answers", &answers]).expect_success();
    assert!(rest.as_array().unwrap().len() == 1 && done.contains("yes"), "{done}");
}

/// The model's command is ended with the run, however long it would take.
#[test]
fn interrupted_run_ends_its_model_and_says_how_to_go_on() {
    let dir = with_asker();
    let path = dir.root().join("slow.sh");
    write_script(&path, "#!/bin/sh\ncat >/dev/null\ntouch \"$0.begun\"\nexec sleep 600\n");
    let mut command = wardroom_test_support::wardroom_command(dir.root());
    command.args(["--appdir", &dir.app_path().display().to_string(), "run", "asker", "x", "--model"]);
    command.arg(path.display().to_string()).stderr(std::process::Stdio::piped());
    let child = command.spawn().unwrap();
    let begun = Instant::now();
    while !dir.root().join("slow.sh.begun").exists() {
        assert!(begun.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(10));
    }
    let pid = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    // The standard error of the command is that of its model, which would hold it open.
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert!(ended.status.code() == Some(1) && said.contains("run --continue s-"), "{said}");
}

#[test]
fn person_interrupts_at_the_prompt_and_goes_on_later() {
    let dir = with_asker();
    let Some(mut terminal) = start_at_terminal(&dir, "run asker later") else { return };
    let shown = type_at_prompts(&mut terminal, &[("q-0> ", "\u{3}")]);
    let Some(mut terminal) = start_at_terminal(&dir, &go_on(&shown)) else { return };
    let shown = type_at_prompts(&mut terminal, &[("q-0> ", "at last\r")]);
    assert!(shown.contains("\"answer\": \"at last\""), "{shown}");
}

#[test]
fn person_answers_an_eval_interrupts_it_and_ends_it_later() {
    let dir = with_asker();
    dir.write_file("scenarios/two.lua", TWO_CASES);
    let Some(mut terminal) = start_at_terminal(&dir, "eval asker --scenario two") else { return };
    let shown = type_at_prompts(&mut terminal, &[("q-0> ", "yes\r"), ("q-1> ", "\u{3}")]);
    let Some(mut terminal) = start_at_terminal(&dir, &go_on(&shown)) else { return };
    let shown = type_at_prompts(&mut terminal, &[("q-1> ", "perhaps\r")]);
    let row = |words: [&str; 4]| shown.lines().any(|line| line.split_whitespace().eq(words));
    assert!(row(["good", "passed", "1.00", "yes"]) && row(["bad", "failed", "0.00", "perhaps"]), "{shown}");
    assert!(shown.contains("pass@1: 0.50") && shown.contains("card  asker_"), "{shown}");
}

#[test]
fn answer_may_have_lines_and_come_from_the_history() {
    let dir = TestDir::new();
    let code = file(&dir, "twice.lua", "local a = alc.llm('1') return { a, alc.llm('2') }");
    let Some(mut terminal) = start_at_terminal(&dir, &format!("run '{code}'")) else { return };
    // Alt+Enter begins a line, and the arrow up brings the answer back.
    let shown = type_at_prompts(&mut terminal, &[("q-0> ", "one\u{1b}\rtwo\r"), ("q-1> ", "\u{1b}[A\r")]);
    assert_eq!(shown.matches("\"one\\ntwo\"").count(), 2, "{shown}");
}

/// What a model's command started may hold its output open for good.
#[test]
fn answer_counts_when_the_command_has_ended() {
    let dir = with_asker();
    let path = dir.root().join("model.sh");
    write_script(&path, "#!/bin/sh\ncat >/dev/null\nsleep 600 2>/dev/null &\necho $! >\"$0.left\"\necho done\n");
    let done = wardroom(&dir, &["run", "asker", "n", "--model", &path.display().to_string()]);
    let left: i32 = fs::read_to_string(dir.root().join("model.sh.left")).unwrap().trim().parse().unwrap();
    rustix::process::kill_process(rustix::process::Pid::from_raw(left).unwrap(), rustix::process::Signal::KILL)
        .unwrap();
    assert!(done.clone().expect_success().contains("\"answer\": \"done\""), "{done:?}");
}

/// Each process waits until four are there: with fewer at once none would answer.
#[test]
fn model_answers_four_questions_at_once() {
    let dir = with_asker();
    let path = dir.root().join("model.sh");
    let script = "#!/bin/sh\ncat >/dev/null\ntouch \"$0.here.$$\"\nn=0\n\
        while [ $(ls \"$0\".here.* | wc -l) -lt 4 ] && [ $n -lt 600 ]; do sleep 0.1; n=$((n+1)); done\n\
        ls \"$0\".live.* 2>/dev/null | wc -l\n";
    write_script(&path, script);
    let done = wardroom(&dir, &["run", "asker", "n", "times=4", "--model", &path.display().to_string()]);
    assert!(done.clone().expect_success().contains("0,0,0,0"), "{done:?}");
    let begun = fs::read_dir(dir.root())
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with("model.sh.here."));
    assert_eq!(begun.count(), 4);
}

#[test]
fn eval_is_answered_by_a_command_and_printed_as_json() {
    let dir = with_asker();
    let scenario = r#"return { name = "two", graders = { "exact_match" }, cases = {
        { name = "good", input = "a", expected = "A" }, { name = "bad", input = "b", expected = "no" } } }"#;
    dir.write_file("scenarios/two.lua", scenario);
    let args = ["eval", "asker", "--scenario", "two", "--json", "--model", &model(&dir)];
    let answer: Value = serde_json::from_str(&wardroom(&dir, &args).expect_success()).unwrap();
    assert_eq!(answer["result"]["aggregated"]["pass_rate"], 0.5, "{answer:#}");
}

#[test]
fn strategy_of_a_file_runs_without_a_package() {
    let dir = TestDir::new();
    let code = file(&dir, "draft.lua", "return { said = alc.llm('Say ' .. ctx.word), n = ctx.n + 1 }");
    let answers = file(&dir, "answers", "\"hello\"\n");
    let done = wardroom(&dir, &["run", &code, "word=hi", "n=41", "--answers", &answers]).expect_success();
    assert_eq!(serde_json::from_str::<Value>(&done).unwrap(), json!({"n": 42, "said": "hello"}));
    let broken = file(&dir, "broken.lua", "local x = nil\nreturn x.y");
    let failed = wardroom(&dir, &["run", &broken]);
    assert!(failed.status == 1 && failed.stderr.contains(":2:"), "{failed:?}");
}

#[test]
fn mistyped_strategy_is_suggested() {
    let dir = with_asker();
    let refused = wardroom(&dir, &["run", "askre", "x"]);
    assert!(refused.status == 1 && refused.stderr.contains("module 'askre' not found"), "{refused:?}");
    assert!(refused.stderr.contains("; did you mean 'asker'?"), "{refused:?}");
}

#[test]
fn eval_shows_its_cases_and_stores_a_card() {
    let dir = with_asker();
    dir.write_file("scenarios/two.lua", TWO_CASES);
    let answers =
        file(&dir, "answers", "{\"when\": \"a\", \"answer\": \"yes\"}\n{\"when\": \"b\", \"answer\": \"perhaps\"}\n");
    let done = wardroom(&dir, &["eval", "asker", "--scenario", "two", "--answers", &answers]);
    let shown = done.clone().expect_success();
    let table: Vec<Vec<&str>> = shown.lines().take(2).map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(table, [["good", "passed", "1.00", "yes"], ["bad", "failed", "0.00", "perhaps"]], "{done:?}");
    assert!(shown.contains("answered  perhaps\n") && shown.contains("\npass@1: 0.50\n"), "{done:?}");
    let card = shown.lines().find_map(|line| line.strip_prefix("card  ")).unwrap_or_else(|| panic!("{done:?}"));
    let read = wardroom(&dir, &["read", &format!("alc://cards/{}", card.trim())]).expect_success();
    assert!(read.contains("asker"), "{read}");
}

/// A strategy or a grader that fails is not a wrong answer.
#[test]
fn eval_says_what_failed_in_a_case() {
    let dir = with_asker();
    let source = "return { run = function(ctx) if ctx.task == 'a' then error('boom') end ctx.result = { answer = 'yes' } return ctx end }";
    dir.write_package("fragile", source);
    let scenario = "return { name = 'two', graders = { 'exact_match', function() error('no grade') end }, cases = {\n\
                    { input = 'a', expected = 'yes' }, { input = 'b', expected = 'yes' } } }";
    dir.write_file("scenarios/two.lua", scenario);
    let shown = wardroom(&dir, &["eval", "fragile", "--scenario", "two", "--no-card"]).expect_success();
    let rows: Vec<&str> = shown.lines().take(2).collect();
    assert!(rows[0].starts_with("case 1 ") && rows[0].contains("error: ") && rows[0].contains("boom"), "{shown}");
    assert!(rows[1].starts_with("case 2 ") && rows[1].ends_with("yes"), "{shown}");
    assert!(
        shown.contains("failed  a\n") && shown.contains("        error     ") && shown.contains("no grade"),
        "{shown}"
    );
}

/// The traceback of each place is logged once, and no pass rate is a success where nothing was answered.
#[test]
fn eval_without_an_answer_fails_and_says_where() {
    let dir = TestDir::new();
    let source =
        "local function deep(task)\nerror('boom on ' .. task)\nend\nreturn { run = function(ctx) deep(ctx.task) end }";
    dir.write_package("crashes", source);
    let scenario = "return { name = 'three', cases = { { input = 'a', expected = 'yes' }, { input = 'a', expected = 'no' },\n\
                    { input = 'b', expected = 'yes' } } }";
    dir.write_file("scenarios/three.lua", scenario);
    for args in [&["--no-card"][..], &["--no-card", "--json"]] {
        let failed = wardroom(&dir, &[&["eval", "crashes", "--scenario", "three"], args].concat());
        assert!(failed.status == 1 && failed.stderr.contains("error: the strategy answered no case\n"), "{failed:?}");
    }
    let failed = wardroom(&dir, &["eval", "crashes", "--scenario", "three", "--no-card"]);
    let place = "crashes/init.lua:2: in upvalue 'deep'";
    assert_eq!(failed.stderr.matches(place).count(), 1, "{failed:?}");
    assert!(failed.stderr.contains("boom on a") && !failed.stderr.contains("evalframe:"), "{failed:?}");
    let failed = wardroom(&dir, &["eval", "crashes", "--scenario", "three"]);
    assert!(failed.stderr.contains("the strategy answered no case: no card is kept"), "{failed:?}");
}

/// A field that is misspelt is one that is missing.
#[test]
fn misspelt_fields_of_a_scenario_are_named() {
    let dir = with_asker();
    let scenario = "return { grader = { 'contains' }, cases = { { input = 'a', expcted = 'x' }, { input = 'b', expected = 'y', note = 1 } } }";
    dir.write_file("scenarios/slips.lua", scenario);
    let answers = file(&dir, "answers", "\"x\"\n\"y\"\n");
    let done = wardroom(&dir, &["eval", "asker", "--scenario", "slips", "--no-card", "--answers", &answers]);
    for warning in [
        "warning: scenario 'slips': 'grader' is no field: did you mean 'graders'?",
        "warning: scenario 'slips', case 1: 'expcted' is no field: did you mean 'expected'?",
        "warning: scenario 'slips', case 1 has no `expected`, with which its answer is compared",
    ] {
        assert_eq!(done.stderr.matches(warning).count(), 1, "{warning}: {done:?}");
    }
    assert_eq!(done.stderr.matches("warning: scenario").count(), 3, "{done:?}");
}

#[test]
fn grader_that_always_fails_is_no_result_of_the_strategy() {
    let dir = with_asker();
    let scenario =
        "return { graders = { function() error('no grade') end }, cases = { { input = 'a' }, { input = 'b' } } }";
    dir.write_file("scenarios/broken.lua", scenario);
    let answers = file(&dir, "answers", "\"x\"\n\"y\"\n");
    let failed = wardroom(&dir, &["eval", "asker", "--scenario", "broken", "--answers", &answers]);
    assert!(failed.status == 1 && failed.stderr.contains("error: the graders graded no case\n"), "{failed:?}");
    assert!(failed.stderr.contains("no card is kept") && !failed.stdout.contains("card "), "{failed:?}");
    assert_eq!(wardroom(&dir, &["call", "alc_card_list"]).expect_success(), "{\n  \"cards\": [],\n  \"total\": 0\n}\n");
}

#[test]
fn strategy_that_returns_nothing_says_so() {
    let dir = TestDir::new();
    dir.write_package("forgets", "return { run = function(ctx) ctx.result = { answer = 'x' } end }");
    let done = wardroom(&dir, &["run", "forgets", "t"]);
    let told = "`run` of package 'forgets' returned nothing: end it with `return ctx`";
    assert!(done.status == 0 && done.stderr.contains(&format!("warning: {told}")), "{done:?}");
    dir.write_file("scenarios/two.lua", TWO_CASES);
    let failed = wardroom(&dir, &["eval", "forgets", "--scenario", "two", "--no-card"]);
    assert!(failed.status == 1 && failed.stdout.contains(told), "{failed:?}");
}

#[test]
fn value_that_is_given_twice_is_refused() {
    let dir = with_asker();
    for given in [["t", "task=u"], ["n=1", "n=2"]] {
        let refused = wardroom(&dir, &[&["run", "asker"], &given[..]].concat());
        assert!(refused.status == 1 && refused.stderr.contains(" is given twice\n"), "{refused:?}");
    }
}

#[test]
fn mistyped_scenario_is_suggested() {
    let dir = with_asker();
    dir.write_file("scenarios/two.lua", TWO_CASES);
    let refused = wardroom(&dir, &["eval", "asker", "--scenario", "twoo", "--no-card"]);
    assert!(refused.status == 1 && refused.stderr.contains("; did you mean 'two'?"), "{refused:?}");
    assert!(!refused.stderr.contains("traceback"), "no line of it would be the person's own: {refused:?}");
}

/// The other way to write a text that begins so is JSON.
#[test]
fn task_may_be_the_text_of_a_file() {
    let dir = with_asker();
    let (task, answers) = (file(&dir, "task.md", "What is a tide?"), file(&dir, "answers", "\"water\"\n"));
    let done = wardroom(&dir, &["run", "asker", &format!("@{task}"), "--answers", &answers]);
    assert!(done.stderr.contains("begins with What is a tide?"), "{done:?}");
    let done = wardroom(&dir, &["run", "asker", "task=\"@ada: hello\"", "--answers", &answers]);
    assert!(done.stderr.contains("begins with @ada: hello"), "{done:?}");
    let missing = wardroom(&dir, &["run", "asker", "@none.md", "--answers", &answers]);
    assert!(missing.status == 1 && missing.stderr.contains("cannot read none.md"), "{missing:?}");
}

#[test]
fn eval_has_a_bar_of_its_cases_at_a_terminal_only() {
    let dir = with_asker();
    let scenario = r#"return { name = "two", graders = { "exact_match" }, cases = {
        { name = "good", input = "a", expected = "yes" }, { input = "b", expected = "yes" } } }"#;
    dir.write_file("scenarios/two.lua", scenario);
    let answers = file(&dir, "answers", "\"yes\"\n\"yes\"\n");
    let piped = wardroom(&dir, &["eval", "asker", "--scenario", "two", "--no-card", "--answers", &answers]);
    assert!(
        piped.stderr.contains("step 0 of 2: case good\n") && piped.stderr.contains("step 1 of 2: case 2\n"),
        "{piped:?}"
    );
    assert!(!piped.stderr.contains('\u{1b}') && !piped.stderr.contains("2 cases"), "{piped:?}");
    let args = format!("eval asker --scenario two --no-card --answers '{answers}'");
    let Some((status, shown)) = run_at_terminal(&dir, &[("TERM", "xterm")], &args, "") else { return };
    assert_eq!(status, 0, "{shown}");
    assert!(shown.contains("1 of 2 cases") && shown.contains("case good"), "{shown:?}");
}
