//! The commands of daily work, each at a terminal and in a pipe: both show what a person needs, and only the terminal gets
//! escape sequences.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use wardroom_test_support::{
    CommandOutput, RunClient, TestDir, run_command, run_wardroom, wardroom_command, write_script,
};

use super::terminal::{Terminal, command_line, run_at_sized_terminal, start_at_sized_terminal};

/// Wide enough that no table is wrapped, and high enough that no pager starts.
const SIZE: (usize, usize) = (200, 500);

/// Logs, asks once, and fails.
const CHATTY: &str = r#"
return {
    meta = { name = "chatty" },
    run = function(ctx)
        print("begins with " .. ctx.task)
        alc.log("warn", "first line\nsecond line")
        alc.llm(ctx.task)
        print("was answered")
        error("given up")
    end,
}
"#;

/// Prints, and fails.
const BREAKS: &str = "local M = {}\nfunction M.call(arguments)\n    print(\"about to break\")\n    error(\"broken on purpose\")\n\
                      end\nreturn M\n";

/// How the text at a terminal, without colours, relates to the text in a pipe.
enum Comparison {
    /// Both have the same words.
    Same,
    /// The terminal has all words of the pipe, and headings or progress besides.
    MoreAtTerminal,
    /// The terminal has a drawing, so that each has words of its own.
    Drawing { terminal: &'static [&'static str], pipe: &'static [&'static str] },
}

use Comparison::{Drawing, MoreAtTerminal, Same};

/// A command line, and what it must do.
struct Case {
    /// `{NAME}` stands for a value of `Fixture`.
    command: &'static str,
    status: i32,
    /// Words that both the terminal and the pipe must show. Several spaces count as one.
    words: &'static [&'static str],
    has_colors: bool,
    comparison: Comparison,
}

const fn plain(command: &'static str, words: &'static [&'static str]) -> Case {
    Case { command, status: 0, words, has_colors: false, comparison: Same }
}

const fn colored(command: &'static str, words: &'static [&'static str]) -> Case {
    Case { command, status: 0, words, has_colors: true, comparison: Same }
}

/// Errors and hints have colours.
const fn failing(command: &'static str, words: &'static [&'static str]) -> Case {
    Case { command, status: 1, words, has_colors: true, comparison: Same }
}

/// Each case finds what the ones before it made.
const CASES: [Case; 26] = [
    plain(
        "new strategy second --description 'Answers too.'",
        &[
            "wrote {app}/packages/second/init.lua",
            "wrote {app}/packages/second/second.test.toml",
            "next: wardroom --appdir '{app}' test second, then",
            "run second 'What is six times seven?'",
        ],
    ),
    plain(
        "new scenario sums --strategy first",
        &["wrote {app}/scenarios/sums.lua", "wrote {app}/scenarios/sums.test.toml", "eval first --scenario sums"],
    ),
    plain(
        "new tool hello",
        &[
            "/registry/app/_index.yaml",
            "/registry/app/hello.lua",
            "/registry/app/hello.test.toml",
            "call hello name=Ada",
        ],
    ),
    failing("new strategy second", &["error: ", "already exists", "hint: "]),
    colored(
        "test",
        &[
            "ok packages/first/first.test.toml: answers with what the model says",
            "ok packages/second/second.test.toml: answers with what the model says",
            "ok registry/app/hello.test.toml: greets",
            "ok scenarios/sums.test.toml: one of two is right",
            "4 tests passed",
        ],
    ),
    colored("test second", &["ok packages/second/second.test.toml: ", "1 test passed"]),
    colored(
        "run first 'What is six times seven?' --model '{model}'",
        &[
            "q-0 asks: What is six times seven?",
            "q-0 was answered in ",
            "s: 42",
            "└ done after ",
            "one answer in ",
            "\"answer\": \"42\"",
        ],
    ),
    failing(
        "run first later --model false",
        &[
            "q-0 asks: later",
            "q-0 has no answer: false failed (exit status: 1)",
            "└ waits after ",
            "error: the run s-",
            "waits for answers",
            "hint: go on: wardroom --appdir '{app}' run --continue s-",
        ],
    ),
    failing(
        "run chatty newest --model '{model}'",
        &[
            "print: begins with newest",
            "alc.log: warning: first line",
            "second line",
            "print: was answered",
            "given up",
            "stack traceback:",
            "└ failed after ",
            "error: chatty/init.lua:",
        ],
    ),
    plain(
        "logs",
        &[
            "Z info begins with newest",
            "Z warn first line second line",
            "Z info was answered",
            "Z error chatty/init.lua:",
            "stack traceback:",
            "failed: chatty/init.lua:",
            "given up",
        ],
    ),
    plain("logs {waiting}", &["Z info begins with the older task", "Z warn first line second line"]),
    plain("call hello name=World", &["Hello, World!"]),
    plain("call hello '{\"name\": \"Moon\"}'", &["Hello, Moon!"]),
    colored("call alc_pkg_list", &["\"name\": \"chatty\"", "\"name\": \"first\"", "\"total\": 3"]),
    plain("registry check", &["1 entry, no errors"]),
    plain("registry failures", &["no call of a handler has failed"]),
    plain("new tool breaks", &["/registry/app/breaks.lua", "call breaks "]),
    failing("call breaks name=x", &["app:breaks:", "broken on purpose", "error: breaks failed", "hint: "]),
    plain(
        "registry failures",
        &["Z app:breaks INTERNAL", "info about to break", "app:breaks:4: broken on purpose", "stack traceback:"],
    ),
    failing(
        "test breaks",
        &["failed registry/app/breaks.test.toml: greets", "broken on purpose", "error: 1 of 1 tests failed"],
    ),
    Case {
        command: "eval first --scenario sums --model '{model}'",
        status: 0,
        words: &[
            "step 0 of 2: case product",
            "q-1 asks: Add 20 and 3.",
            "└ done after ",
            "product passed 1.00 42",
            "sum failed 0.00 42",
            "expected 23 answered 42",
            "Cases: 2 Pass: 1 Fail: 1",
            "pass@1: 0.50",
            "eval first_",
            "card first_model_",
        ],
        has_colors: true,
        comparison: MoreAtTerminal,
    },
    Case {
        command: "cards plot",
        status: 0,
        words: &["first"],
        has_colors: false,
        comparison: Drawing {
            terminal: &["pass rates from ", "a full bar is 100 %", "▅", "newest 50 %, mean 50 %"],
            pipe: &[" first sums - 0.500 first_model_"],
        },
    },
    Case {
        command: "evals compare nine three",
        status: 0,
        words: &[
            "a: cot on sums (nine)",
            "b: cot on sums (three)",
            "90.0 %, 59.6 % to 98.2 %",
            "only a passed: case 3",
        ],
        has_colors: false,
        comparison: Drawing {
            terminal: &["a: 9 of 10 passed ", "├", "●", "┤", "█"],
            pipe: &["a: 9 of 10 passed: 90.0 %", "b: scores by tenths: 7 0 0 0 0 0 0 0 0 3, mean 0.300"],
        },
    },
    colored(
        "sessions answer {answered} --answers '{answers}'",
        &["q-0 asks: to be answered", "s: from the file", "└ done after ", "\"answer\": \"from the file\""],
    ),
    plain("sessions drop {dropped}", &["dropped {dropped}"]),
    failing("sessions drop {dropped}", &["error: there is no run {dropped}", "hint: "]),
];

/// An AppDir with a strategy, runs that wait, and evals.
struct Fixture {
    dir: TestDir,
    /// What `{NAME}` stands for.
    values: BTreeMap<&'static str, String>,
}

impl Fixture {
    fn new() -> Self {
        let dir = TestDir::new();
        wardroom(&dir, &["init"]).expect_success();
        wardroom(&dir, &["new", "strategy", "first"]).expect_success();
        dir.write_package("chatty", CHATTY);
        write_eval(&dir, "nine", 9);
        write_eval(&dir, "three", 3);
        let model = dir.root().join("model.sh");
        write_script(&model, "#!/bin/sh\ncat >/dev/null\necho 42\n");
        let answers = dir.root().join("answers.jsonl");
        std::fs::write(&answers, "\"from the file\"\n").unwrap();
        let values = BTreeMap::from([
            ("{app}", dir.app_path().display().to_string()),
            ("{model}", model.display().to_string()),
            ("{answers}", answers.display().to_string()),
            ("{answered}", waiting_run(&dir, "first", "to be answered")),
            ("{dropped}", waiting_run(&dir, "first", "to be dropped")),
            ("{waiting}", waiting_run(&dir, "chatty", "the older task")),
        ]);
        Self { dir, values }
    }

    fn filled_in(&self, text: &str) -> String {
        self.values.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value))
    }

    /// Runs a command line of a shell, whose output are two pipes.
    fn run_in_pipe(&self, args: &str) -> CommandOutput {
        let mut shell = Command::new("sh");
        shell.args(["-c", &command_line(&self.dir, &self.filled_in(args))]).current_dir(self.dir.root());
        shell.env_clear().env("HOME", self.dir.root()).env("PATH", "/usr/bin:/bin").env("TERM", "xterm");
        run_command(&mut shell)
    }

    /// `None` where there is no terminal.
    fn run_at_terminal(&self, args: &str) -> Option<(i32, String)> {
        run_at_sized_terminal(&self.dir, SIZE, &[], &self.filled_in(args))
    }

    #[track_caller]
    fn assert_shows(&self, shown: &str, words: &[&str]) {
        let spaced = single_spaced(shown);
        for word in words {
            let word = single_spaced(&self.filled_in(word));
            assert!(spaced.contains(&word), "{word:?} is missing: {shown}");
        }
    }

    /// The words of a text. Those that differ from one time to the next have a digit, and become `#`.
    fn words(&self, shown: &str) -> Vec<String> {
        let root = self.dir.root().display().to_string();
        let text = shown.replace(&root, "ROOT");
        let word =
            |word: &str| if word.contains(|c: char| c.is_ascii_digit()) { "#".to_owned() } else { word.to_owned() };
        let mut words: Vec<String> = text.split_whitespace().map(word).collect();
        // Of standard output and standard error, a pipe does not show which one came first.
        words.sort();
        words
    }
}

fn wardroom(dir: &TestDir, args: &[&str]) -> CommandOutput {
    run_wardroom(dir.root(), &[args, &["--appdir", &dir.app_path().display().to_string()]].concat())
}

/// Starts a run that waits for an answer; returns its name.
fn waiting_run(dir: &TestDir, strategy: &str, task: &str) -> String {
    let asked = wardroom(dir, &["run", strategy, task, "--model", "false"]);
    assert!(asked.status == 1 && asked.stderr.contains("waits for answers"), "{asked:?}");
    let rows = wardroom(dir, &["sessions", "list", "--json"]).expect_success();
    let rows: Value = serde_json::from_str(&rows).unwrap();
    let row = rows.as_array().unwrap().iter().find(|row| row["task"] == task).unwrap();
    row["session_id"].as_str().unwrap().to_owned()
}

/// Writes an eval of ten cases, of which the first ones pass.
fn write_eval(dir: &TestDir, name: &str, n_passed: usize) {
    let case = |at: usize| {
        let (passed, score) = (at < n_passed, if at < n_passed { 1.0 } else { 0.0 });
        json!({"case": {"name": format!("case {at}")}, "response": {"text": "x"}, "passed": passed, "score": score})
    };
    let scores = json!({"n": 10, "mean": n_passed as f64 / 10.0, "std_dev": 0.5});
    let report = json!({"status": "completed", "result": {"name": "cot:sums",
        "results": (0..10).map(case).collect::<Vec<Value>>(),
        "aggregated": {"total": 10, "passed": n_passed, "scores": scores}}});
    dir.write_file(&format!("evals/{name}.json"), report.to_string());
}

fn single_spaced(text: &str) -> String {
    let [begin, end] = [text.starts_with(' '), text.ends_with(' ')].map(|is_space| if is_space { " " } else { "" });
    format!("{begin}{}{end}", text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// A text as a terminal shows it, without colours and other sequences (CSI).
fn without_sequences(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap().to_owned();
    first + &parts.map(|part| part.split_once(|c: char| ('@'..='~').contains(&c)).unwrap().1).collect::<String>()
}

/// The words that the terminal lacks.
fn missing_words(pipe: &[String], terminal: &[String]) -> Vec<String> {
    let mut rest = terminal.to_vec();
    let is_missing = |word: &&String| match rest.iter().position(|other| other == *word) {
        Some(at) => {
            rest.swap_remove(at);
            false
        }
        None => true,
    };
    pipe.iter().filter(is_missing).cloned().collect()
}

/// Runs a case at the terminal of one AppDir and in the pipe of another one. `None` where there is no terminal.
#[track_caller]
fn check(case: &Case, terminal: &Fixture, pipe: &Fixture) -> Option<()> {
    let piped = pipe.run_in_pipe(case.command);
    let (status, colored) = terminal.run_at_terminal(case.command)?;
    let (command, shown) = (case.command, without_sequences(&colored));
    assert_eq!([piped.status, status], [case.status; 2], "{command}: {piped:?} {shown}");
    assert!(!piped.stdout.contains('\u{1b}') && !piped.stderr.contains('\u{1b}'), "{command}: {piped:?}");
    assert_eq!(colored.contains('\u{1b}'), case.has_colors, "{command}: {colored:?}");
    let read = format!("{}{}", piped.stdout, piped.stderr);
    pipe.assert_shows(&read, case.words);
    terminal.assert_shows(&shown, case.words);
    let [read_words, shown_words] = [pipe.words(&read), terminal.words(&shown)];
    match case.comparison {
        Same => assert_eq!(read_words, shown_words, "{command}: {piped:?} {shown}"),
        MoreAtTerminal => {
            assert_eq!(missing_words(&read_words, &shown_words), [""; 0], "{command}: {piped:?} {shown}");
        }
        Drawing { terminal: at_terminal, pipe: in_pipe } => {
            terminal.assert_shows(&shown, at_terminal);
            pipe.assert_shows(&read, in_pipe);
            assert!(read.is_ascii(), "{command}: {piped:?}");
        }
    }
    Some(())
}

#[test]
fn commands_say_the_same_at_a_terminal_and_in_a_pipe() {
    let (terminal, pipe) = (Fixture::new(), Fixture::new());
    for case in &CASES {
        if check(case, &terminal, &pipe).is_none() {
            return;
        }
        if case.command == "new tool breaks" {
            for fixture in [&terminal, &pipe] {
                fixture.dir.write_file("registry/app/breaks.lua", BREAKS);
            }
        }
    }
    // The run that was dropped is no longer listed, and the one that was answered is done.
    for fixture in [&terminal, &pipe] {
        let listed = fixture.run_in_pipe("sessions list").expect_success();
        assert!(!listed.contains(&fixture.values["{dropped}"]), "{listed}");
        fixture.assert_shows(&listed, &["{answered} done ", "{waiting} waits "]);
    }
    // Of the four runs three are done: two of `first`, and that of the eval. The fourth one, of `chatty`, has failed.
    let drop_done = plain("sessions drop --done", &["dropped 4 runs"]);
    check(&drop_done, &terminal, &pipe).unwrap();
}

#[test]
fn registry_check_names_the_line_of_an_error_at_a_terminal_and_in_a_pipe() {
    let [terminal, pipe] = [(); 2].map(|()| {
        let fixture = Fixture::new();
        wardroom(&fixture.dir, &["new", "tool", "hello"]).expect_success();
        fixture.dir.write_file("registry/app/hello.lua", "local x =");
        fixture
    });
    let words = &["registry/app/hello.lua:1: error: hello: ", "error: 1 error: ", "hint: fix the lines"];
    let _ = check(&failing("registry check", words), &terminal, &pipe);
}

#[test]
fn person_answers_a_waiting_run_and_a_pipe_says_that_there_is_no_terminal() {
    let fixture = Fixture::new();
    let command = fixture.filled_in("sessions answer {answered}");
    let piped = fixture.run_in_pipe(&command);
    assert!(piped.status == 1 && piped.stdout.is_empty() && !piped.stderr.contains('\u{1b}'), "{piped:?}");
    let words =
        ["q-0 asks: to be answered", "q-0 has no answer: there is no terminal to ask at", "run --continue {answered}"];
    fixture.assert_shows(&piped.stderr, &words);
    let Some(mut child) = start_at_sized_terminal(&fixture.dir, SIZE, &command) else { return };
    let mut terminal = Terminal::new(&mut child);
    terminal.expect("Enter ends the answer");
    terminal.expect("q-0> ");
    terminal.send("typed by hand\r");
    let (status, shown) = terminal.finish();
    assert_eq!(status, 0, "{shown:?}");
    assert!(shown.contains("\u{1b}[36m\"answer\"\u{1b}[0m"), "{shown:?}");
    fixture.assert_shows(
        &without_sequences(&shown),
        &["s: typed by hand", "└ done after ", "\"answer\": \"typed by hand\""],
    );
}

/// A run that prints, asks, prints again, and asks again: it does not end while it is followed.
const PRINTS_BETWEEN_QUESTIONS: &str = "print('before') alc.llm('p') print('after') return alc.llm('q')";

#[test]
fn ctrl_c_ends_logs_that_follow_a_run_at_a_terminal() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let waits = runner.run_code(PRINTS_BETWEEN_QUESTIONS);
    let Some(mut child) = start_at_sized_terminal(&dir, SIZE, "logs -f") else { return };
    let mut terminal = Terminal::new(&mut child);
    terminal.expect("Z  info   before");
    runner.answer_query(&waits, "x");
    terminal.expect("Z  info   after");
    terminal.send("\u{3}");
    let (status, shown) = terminal.finish();
    // The command does not catch the signal of Ctrl+C, SIGINT, which is 2.
    assert_eq!(status, 128 + 2, "{shown:?}");
    assert!(!shown.contains('\u{1b}') && !shown.contains("error"), "{shown:?}");
}

#[test]
fn sigterm_ends_logs_that_follow_a_run_in_a_pipe() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let waits = runner.run_code(PRINTS_BETWEEN_QUESTIONS);
    let mut command = wardroom_command(dir.root());
    command.env("TERM", "xterm").env_remove("NO_COLOR").args(["logs", "-f", "--appdir"]).arg(dir.app_path());
    let mut following = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(following.stdout.take().unwrap()).lines().map(Result::unwrap);
    let before = lines.next().unwrap();
    runner.answer_query(&waits, "x");
    let after = lines.next().unwrap();
    for (line, end) in [(&before, "Z  info   before"), (&after, "Z  info   after")] {
        assert!(line.ends_with(end) && !line.contains('\u{1b}'), "{line:?}");
    }
    kill_process(Pid::from_child(&following), Signal::TERM).unwrap();
    assert_eq!(lines.next(), None);
    let ended = following.wait_with_output().unwrap();
    assert!(ended.status.signal() == Some(Signal::TERM.as_raw()) && ended.stderr.is_empty(), "{ended:?}");
}
