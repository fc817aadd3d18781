//! What commands write for people: tables, colours, indented JSON, a pager and progress at a terminal; plain in a pipe.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use wardroom_test_support::{CommandOutput, TestDir, run_command, run_wardroom, wardroom_command, write_script};

use crate::terminal::run_at_sized_terminal;

/// The commands that list something, of a demo.
const LISTS: [&str; 12] = [
    "ls",
    "ls alc",
    "pkg list",
    "registry list",
    "audit list",
    "sessions list",
    "call",
    "prompt",
    "mount list",
    "agents list",
    "help",
    "doctor",
];

fn in_pipe(dir: &TestDir, args: &str) -> CommandOutput {
    let app = dir.app_path().display().to_string();
    let words: Vec<&str> = args.split(' ').collect();
    run_command(
        wardroom_command(dir.root()).env("TERM", "xterm").env_remove("NO_COLOR").args(["--appdir", &app]).args(words),
    )
}

/// A text as a terminal shows it, without colours.
fn uncoloured(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap().to_owned();
    first + &parts.map(|part| part.split_once('m').unwrap().1).collect::<String>()
}

#[test]
fn lists_have_escape_sequences_at_a_terminal_that_obeys_them_only() {
    let dir = TestDir::new_demo();
    dir.write_package("broken", "x = '");
    for list in LISTS {
        let piped = in_pipe(&dir, list);
        assert!(!piped.stdout.contains('\u{1b}') && !piped.stderr.contains('\u{1b}'), "{list}: {piped:?}");
        for plain in [("NO_COLOR", "1"), ("TERM", "dumb")] {
            let Some((_, shown)) = run_at_sized_terminal(&dir, (80, 500), &[plain], &format!("{list} 2>/dev/null"))
            else {
                return;
            };
            assert!(!shown.contains('\u{1b}'), "{list} {plain:?}: {shown:?}");
        }
    }
    let (_, shown) = run_at_sized_terminal(&dir, (80, 500), &[], "pkg list 2>/dev/null").unwrap();
    assert!(shown.contains("\u{1b}[36mcot\u{1b}[0m") && shown.contains("\u{1b}[1mNAME\u{1b}[0m"), "{shown:?}");
}

#[test]
fn table_fits_the_terminal_and_a_program_reads_fixed_columns() {
    let dir = TestDir::new_demo();
    let piped = in_pipe(&dir, "ls alc").expect_success();
    let line = piped.lines().find(|line| line.starts_with("alc://packages/{name}/meta")).unwrap();
    assert_eq!(&line[..57], format!("{:<38} {:<17} ", "alc://packages/{name}/meta", "application/json"), "{piped}");
    assert!(piped.lines().any(|line| line.chars().count() > 60), "{piped}");
    for columns in [100, 60] {
        let Some((status, shown)) = run_at_sized_terminal(&dir, (columns, 500), &[], "ls alc") else { return };
        assert_eq!(status, 0, "{shown}");
        let shown = uncoloured(&shown);
        assert!(shown.lines().all(|line| line.chars().count() <= columns), "{columns}: {shown}");
        // Nothing is cut off.
        let words: Vec<&str> = shown.split_whitespace().collect();
        assert!(piped.split_whitespace().all(|word| words.contains(&word)), "{columns}: {shown}");
    }
}

#[test]
fn json_is_indented_at_a_terminal_and_one_line_in_a_pipe() {
    let dir = TestDir::new_demo();
    for command in ["ls alc --json", "registry list --json", "agents list --json", "call --json"] {
        let piped = in_pipe(&dir, command).expect_success();
        assert_eq!(piped.lines().count(), 1, "{piped}");
        let Some((_, shown)) = run_at_sized_terminal(&dir, (80, 9999), &[], command) else { return };
        assert!(shown.contains("\u{1b}["), "{shown:?}");
        let shown = uncoloured(&shown);
        assert!(shown.lines().count() > 5, "{shown}");
        assert_eq!(serde_json::from_str::<Value>(&shown).unwrap(), serde_json::from_str::<Value>(&piped).unwrap());
    }
    // A document too, which a program gets byte by byte.
    let piped = in_pipe(&dir, "read alc://packages/cot/meta").expect_success();
    let (_, shown) = run_at_sized_terminal(&dir, (80, 500), &[], "read alc://packages/cot/meta").unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(&uncoloured(&shown)).unwrap(),
        serde_json::from_str::<Value>(&piped).unwrap()
    );
}

#[test]
fn error_has_colours_at_a_terminal_only() {
    let dir = TestDir::new_demo();
    let piped = in_pipe(&dir, "sessions show s-none");
    assert!(piped.stderr.starts_with("error: ") && piped.stderr.contains("\nhint: "), "{piped:?}");
    let Some((status, shown)) = run_at_sized_terminal(&dir, (80, 24), &[], "sessions show s-none") else { return };
    assert_eq!(status, 1);
    assert_eq!(uncoloured(&shown), piped.stderr);
    assert!(shown.starts_with("\u{1b}[31merror:\u{1b}[0m "), "{shown:?}");
}

/// A pager that keeps its arguments, its environment and its input.
fn pager(dir: &TestDir) -> (PathBuf, String) {
    let path = dir.root().join("pager.sh");
    write_script(&path, "#!/bin/sh\nprintf '%s\\n' \"$@\" >args\nenv >environment\ncat >paged\n");
    let command = format!("'{}' 'two words' -x", path.display());
    (path, command)
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

#[test]
fn long_output_goes_through_the_pager_without_secrets() {
    let dir = TestDir::new_demo();
    let (_, pager) = pager(&dir);
    let variables = [("PAGER", pager.as_str()), ("API_KEY", "secret-value"), ("LANG", "C.UTF-8")];
    let Some((status, shown)) = run_at_sized_terminal(&dir, (80, 24), &variables, "help security") else { return };
    assert_eq!((status, shown.as_str()), (0, ""));
    let read = |name: &str| fs::read_to_string(dir.root().join(name)).unwrap();
    assert_eq!(read("args"), "two words\n-x\n");
    let (paged, whole) = (read("paged"), run_wardroom(dir.root(), &["help", "security"]).expect_success());
    assert_eq!(words(&paged), words(&whole));
    let is_fixed = |line: &str| line.starts_with(['|', '#']) || !line.trim().contains(' ');
    let too_long = paged.lines().find(|line| line.chars().count() > 80 && !is_fixed(line));
    assert_eq!(too_long, None, "text fits the terminal");
    let environment = read("environment");
    assert!(environment.contains("LANG=C.UTF-8") && environment.contains("TERM=xterm"), "{environment}");
    assert!(!environment.contains("secret-value") && !environment.contains("API_KEY"), "{environment}");
}

#[test]
fn pager_is_not_started_for_short_output_without_consent_or_in_a_pipe() {
    let dir = TestDir::new_demo();
    let (_, pager) = pager(&dir);
    let whole = run_wardroom(dir.root(), &["help", "security"]).expect_success();
    type Variables<'a> = &'a [(&'a str, &'a str)];
    let cases: [(Variables<'_>, &str, bool); 6] = [
        (&[], "help", false),
        (&[], "--no-pager help security", true),
        (&[("WARDROOM_NO_PAGER", "1")], "help security", true),
        (&[("TERM", "dumb")], "help security", true),
        (&[("PAGER", "cat")], "help security", true),
        // There is none of that name.
        (&[("PAGER", "no-such-pager")], "help security", true),
    ];
    for (variables, args, is_whole) in cases {
        let variables = [&[("PAGER", pager.as_str())], variables].concat();
        let Some((status, shown)) = run_at_sized_terminal(&dir, (80, 50), &variables, args) else { return };
        assert_eq!(status, 0, "{args}: {shown}");
        assert!(!dir.root().join("paged").exists(), "{args} {variables:?}");
        assert!(!is_whole || words(&shown) == words(&whole), "{args} {variables:?}");
    }
    let app = dir.app_path().display().to_string();
    let mut piped = wardroom_command(dir.root());
    piped.env("PAGER", &pager).env("TERM", "xterm").args(["--appdir", &app, "help", "security"]);
    assert_eq!(run_command(&mut piped).expect_success(), whole);
    assert!(!dir.root().join("paged").exists());
}

#[test]
fn pager_that_ends_early_is_no_failure_and_notes_follow_it() {
    let dir = TestDir::new_demo();
    let early = dir.root().join("early.sh");
    write_script(&early, "#!/bin/sh\nhead -n 1\necho 'the pager ends'\n");
    let path = early.display().to_string();
    let Some((status, shown)) = run_at_sized_terminal(&dir, (80, 5), &[("PAGER", &path), ("NO_COLOR", "1")], "help")
    else {
        return;
    };
    assert_eq!(status, 0, "{shown}");
    let at = |text: &str| shown.find(text).unwrap_or_else(|| panic!("{text}: {shown}"));
    assert!(at("PAGE ") < at("the pager ends") && at("the pager ends") < at("Run wardroom help PAGE"), "{shown}");
}

#[test]
fn work_in_progress_is_named_at_a_terminal_only() {
    let dir = TestDir::new_demo();
    let piped = in_pipe(&dir, "doctor");
    assert!(!piped.stderr.contains("checking"), "{piped:?}");
    let Some((_, shown)) = run_at_sized_terminal(&dir, (100, 500), &[], "doctor >out") else { return };
    assert!(shown.contains("checking the "), "{shown:?}");
    let plain = fs::read_to_string(dir.root().join("out")).unwrap();
    assert_eq!(plain, piped.stdout);
    let package = dir.root().join("mine");
    fs::create_dir_all(&package).unwrap();
    fs::write(package.join("init.lua"), "local M = {}\nM.meta = { name = \"mine\" }\nreturn M\n").unwrap();
    let (status, shown) = run_at_sized_terminal(&dir, (100, 24), &[], "pkg install ./mine >out").unwrap();
    assert!(status == 0 && shown.contains("installing ./mine"), "{shown:?}");
}

#[test]
fn work_of_more_than_a_second_is_named_at_a_terminal_only() {
    let dir = TestDir::new_demo();
    let entry = |name: &str, meta: &str| {
        let source = "kind: function.lua, source: 'file://wait.lua', method: call, modules: [time]";
        format!("- {{name: {name}, {source}, meta: {{{meta}}}}}\n")
    };
    let tool = entry("tool", "mcp.tool: true, mcp.name: wait, mcp.description: Waits");
    let page = entry("page", "mcp.resource: true, mcp.resource.uri: 'slow://page', mcp.resource.name: page");
    let index = format!("version: \"1.0\"\nnamespace: slow\nentries:\n{tool}{page}");
    let handler =
        "local time = require(\"time\")\nreturn { call = function() time.sleep(\"2s\") return \"done\" end }\n";
    dir.write_file("registry/slow/_index.yaml", index);
    dir.write_file("registry/slow/wait.lua", handler);
    for (command, work) in [("call wait", "calling wait"), ("read slow://page", "reading slow://page")] {
        let piped = in_pipe(&dir, command);
        assert!(piped.status == 0 && piped.stdout.contains("done") && piped.stderr.is_empty(), "{command}: {piped:?}");
        let Some((status, shown)) = run_at_sized_terminal(&dir, (100, 24), &[], &format!("{command} >out")) else {
            return;
        };
        assert!(status == 0 && shown.contains(work), "{command}: {shown:?}");
        // The line is removed.
        assert!(
            shown.ends_with("\u{1b}[2K") || shown.ends_with('\r') || shown.trim_end().is_empty(),
            "{command}: {shown:?}"
        );
    }
    // What is done at once is not named.
    let (status, shown) = run_at_sized_terminal(&dir, (100, 24), &[], "call echo text=Ada >out").unwrap();
    assert_eq!((status, shown.as_str()), (0, ""));
}
