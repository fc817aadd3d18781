//! `wardroom ace hook`: what an agent's own hooks say of the commands that it ran.
//!
//! Owns: the snippets that connect an agent, and the forms of its events.
//! Never: fails or delays the agent: an event that is no build, test or lint, or that cannot be read, is left out.

use std::io::{self, Read as _};
use std::path::Path;

use clap::ValueEnum;
use serde_json::{Value, json};

use super::ace;
use super::ace_args::HookAgent;
use super::agents::own_command_line;
use crate::assemble::settings::{self, Settings};
use crate::limits::MAX_HOOK_EVENT_BYTES;
use crate::report::{self, CommandError};
use wardroom_ace::errors_in_output;

/// The programs whose results are recorded.
const RUNNERS: [&str; 32] = [
    "bun",
    "cargo",
    "cmake",
    "ctest",
    "deno",
    "dotnet",
    "eslint",
    "go",
    "gradle",
    "gradlew",
    "jest",
    "just",
    "make",
    "meson",
    "mvn",
    "mypy",
    "ninja",
    "nox",
    "npm",
    "phpunit",
    "pnpm",
    "pyright",
    "pytest",
    "rspec",
    "ruff",
    "rustc",
    "swift",
    "tox",
    "tsc",
    "vitest",
    "xcodebuild",
    "yarn",
];
/// Words of a command that come before its program.
const WRAPPERS: [&str; 9] = ["npx", "pnpx", "bunx", "uvx", "uv", "poetry", "run", "time", "env"];
/// What programs with many purposes must be asked for to count.
const PURPOSES: [&str; 12] =
    ["build", "check", "clippy", "ci", "compile", "lint", "nextest", "package", "run", "test", "typecheck", "vet"];
/// Programs that do nothing else.
const SINGLE_PURPOSE: [&str; 13] = [
    "ctest", "eslint", "jest", "mypy", "nox", "phpunit", "pyright", "pytest", "rspec", "rustc", "tox", "tsc", "vitest",
];

/// Prints what to add to an agent's settings.
pub(super) fn print_snippet(settings: &Settings, agent: HookAgent) -> Result<(), CommandError> {
    let name = agent.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
    let command = format!("{} ace hook capture {name}", own_command_line(settings)?);
    let run = json!([{"type": "command", "command": command}]);
    let (file, snippet) = match agent {
        HookAgent::ClaudeCode => {
            let of_shell = json!([{"matcher": "Bash", "hooks": run}]);
            let hooks = json!({"PostToolUse": of_shell, "PostToolUseFailure": of_shell});
            (".claude/settings.json of the project, or ~/.claude/settings.json", json!({"hooks": hooks}))
        }
        HookAgent::Cursor => {
            let hooks = json!({"afterShellExecution": [{"command": command}]});
            (".cursor/hooks.json of the project, or ~/.cursor/hooks.json", json!({"version": 1, "hooks": hooks}))
        }
        HookAgent::GeminiCli => {
            let hooks = json!({"AfterTool": [{"matcher": "run_shell_command", "hooks": run}]});
            (".gemini/settings.json of the project, or ~/.gemini/settings.json", json!({"hooks": hooks}))
        }
    };
    report::print_note(&format!("add this to {file}"));
    report::print_line(&serde_json::to_string_pretty(&snippet).unwrap_or_default())
}

/// Records the event on standard input.
pub(super) fn capture(settings: &Settings) -> Result<(), CommandError> {
    let mut bytes = Vec::new();
    let read = io::stdin().lock().take(MAX_HOOK_EVENT_BYTES + 1).read_to_end(&mut bytes);
    if bytes.is_empty() {
        return Ok(());
    }
    let Some(event) = read.ok().and_then(|_| parse_event(&bytes)) else {
        let what = if bytes.len() as u64 > MAX_HOOK_EVENT_BYTES { "is too large" } else { "is not JSON" };
        report::print_note(&format!("no trace was recorded: the event {what}"));
        return Ok(());
    };
    let Some(run) = ReportedRun::new(&event) else { return Ok(()) };
    let errors = errors_in_output(&run.output);
    let has_failed = run.has_failed.unwrap_or_else(|| errors.iter().any(is_severe));
    let execution = json!({
        "runner": run.runner,
        "command": run.command,
        "status": if has_failed { "fail" } else { "pass" },
        "errors": errors,
    });
    let task = settings::env_variable(super::ace_run::TASK_VARIABLE).and_then(|task| task.into_string().ok());
    let task = task.or(run.session).unwrap_or_else(|| super::ace_run::NO_TASK.to_owned());
    let arguments = json!({"beadId": task, "executions": [execution]});
    if let Err(error) = ace::call(settings, "ace_capture_trace", arguments) {
        print_failure(&error);
    }
    Ok(())
}

/// Parses an event. What an agent cut in the middle of a character has U+FFFD there.
fn parse_event(bytes: &[u8]) -> Option<Value> {
    let text = String::from_utf8_lossy(bytes);
    serde_json::from_str(&text).or_else(|_| serde_json::from_str(&replace_lone_surrogates(&text))).ok()
}

/// Replaces the escapes of UTF-16 that stand for half a character.
fn replace_lone_surrogates(text: &str) -> String {
    let unit = |at: usize| {
        let digits = text.get(at..)?.strip_prefix("\\u")?.get(..4)?;
        u16::from_str_radix(digits, 16).ok()
    };
    let (mut replaced, mut at) = (String::with_capacity(text.len()), 0);
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('\\')) {
        let escape = at + found;
        replaced.push_str(text.get(at..escape).unwrap_or_default());
        let (len, is_lone) = match (unit(escape), unit(escape + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => (12, false),
            (Some(0xD800..=0xDFFF), _) => (6, true),
            // The escaped character may be a backslash.
            _ => (1 + text.get(escape + 1..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8), false),
        };
        let kept = text.get(escape..escape + len).unwrap_or_default();
        replaced.push_str(if is_lone { "\\ufffd" } else { kept });
        at = escape + len;
    }
    replaced.push_str(text.get(at..).unwrap_or_default());
    replaced
}

/// Says why an event was not recorded. That is no failure: exit codes and output of hooks steer some agents.
pub(super) fn print_failure(error: &CommandError) {
    report::print_note(&format!("no trace was recorded: {error}"));
}

fn is_severe(error: &Value) -> bool {
    error.get("severity").is_some_and(|severity| severity == "error")
}

/// A command that an agent ran.
#[derive(Debug, PartialEq, Eq)]
struct ReportedRun {
    runner: String,
    command: String,
    output: String,
    /// `None` where the event does not say.
    has_failed: Option<bool>,
    session: Option<String>,
}

impl ReportedRun {
    /// Reads an event of any of the agents; `None` if it is no build, test or lint.
    fn new(event: &Value) -> Option<Self> {
        let text = |pointer: &str| event.pointer(pointer)?.as_str().map(str::to_owned);
        let command = text("/tool_input/command").or_else(|| text("/command"))?;
        let runner = runner_of(&command)?;
        if event.pointer("/tool_response/interrupted").and_then(Value::as_bool) == Some(true) {
            return None;
        }
        let mut output = String::new();
        for name in ["tool_response", "tool_output", "output", "error"] {
            event.get(name).into_iter().for_each(|part| append_text(&mut output, part));
        }
        let is_failure_event = text("/hook_event_name").is_some_and(|name| name.ends_with("Failure"));
        let exit_code = ["/exit_code", "/exitCode", "/tool_response/exit_code", "/tool_response/exitCode"]
            .iter()
            .find_map(|pointer| event.pointer(pointer)?.as_i64());
        // Other agents show what the command printed, which may be the same words.
        let is_said = text("/hook_event_name").as_deref() == Some("AfterTool");
        let said = if is_said { said_exit_code(&output) } else { None };
        let said = exit_code.or(said).map(|exit_code| exit_code != 0);
        let session = text("/session_id").or_else(|| text("/conversation_id"));
        Some(Self {
            runner,
            command,
            output,
            has_failed: if is_failure_event { Some(true) } else { said },
            session: session.map(|id| format!("session-{id}")),
        })
    }
}

/// Appends all texts of a part of an event.
fn append_text(output: &mut String, part: &Value) {
    match part {
        Value::String(text) => {
            output.push_str(text);
            output.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| append_text(output, item)),
        Value::Object(fields) => fields.values().for_each(|field| append_text(output, field)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns the exit code that the text of a shell tool names: `Exit Code: 1`.
fn said_exit_code(output: &str) -> Option<i64> {
    let said = output.lines().rev().find_map(|line| line.trim().strip_prefix("Exit Code:"))?;
    said.trim().parse().ok()
}

/// Returns the program of a build, test or lint in a command line; `None` if there is none.
fn runner_of(command: &str) -> Option<String> {
    command.split(['&', ';', '|', '\n', '(', ')']).find_map(|part| {
        let is_assignment = |word: &&str| word.contains('=') && !word.starts_with('-');
        let mut words = part.split_whitespace().skip_while(is_assignment).skip_while(|word| WRAPPERS.contains(word));
        let program = words.next()?;
        let name = Path::new(program).file_name()?.to_str()?;
        let is_module = name.starts_with("python") && words.clone().next() == Some("-m");
        let name = if is_module { words.nth(1)? } else { name };
        if !RUNNERS.contains(&name) {
            return None;
        }
        let is_wanted = SINGLE_PURPOSE.contains(&name)
            || matches!(
                name,
                "make" | "just" | "ninja" | "ruff" | "gradle" | "gradlew" | "mvn" | "xcodebuild" | "meson"
            )
            || words.any(|word| PURPOSES.contains(&word.split(':').next().unwrap_or(word)));
        is_wanted.then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_with_half_a_character_is_read() {
        let event = |output: &[u8]| [b"{\"output\": \"", output, b"\"}"].concat();
        for (output, expected) in [
            (&b"cut \\ud83d"[..], "cut \u{fffd}"),
            (b"\\udc00 and \\ud83d\\ude00", "\u{fffd} and \u{1f600}"),
            (b"\\\\ud83d \\ud83d\\n\xff", "\\ud83d \u{fffd}\n\u{fffd}"),
            (b"a\xff", "a\u{fffd}"),
        ] {
            assert_eq!(parse_event(&event(output)), Some(json!({"output": expected})));
        }
        assert_eq!(parse_event(b"{\"output\": "), None);
        assert_eq!(parse_event(b"\\"), None);
    }

    #[test]
    fn builds_tests_and_lints_are_told_from_other_commands() {
        for (command, runner) in [
            ("cargo test --workspace", Some("cargo")),
            ("cd web && npx tsc --noEmit", Some("tsc")),
            ("CI=1 npm run lint:fix", Some("npm")),
            ("python3 -m pytest -q", Some("pytest")),
            ("./gradlew assemble 2>&1 | tail", Some("gradlew")),
            ("uv run pytest", Some("pytest")),
            ("npm install", None),
            ("cargo add serde", None),
            ("git commit -m 'cargo test'", None),
            ("echo make", None),
            ("", None),
        ] {
            assert_eq!(runner_of(command).as_deref(), runner, "{command}");
        }
    }

    #[test]
    fn events_of_each_agent_are_read() {
        let claude = json!({"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Bash",
            "tool_input": {"command": "cargo test"}, "tool_response": {"stdout": "ok", "stderr": "", "interrupted": false}});
        let run = ReportedRun::new(&claude).unwrap();
        assert_eq!((run.runner.as_str(), run.has_failed, run.session.as_deref()), ("cargo", None, Some("session-s")));
        let failed = json!({"hook_event_name": "PostToolUseFailure", "tool_input": {"command": "tsc"}, "error": "Exit code 2\nboom"});
        let run = ReportedRun::new(&failed).unwrap();
        assert!(run.has_failed == Some(true) && run.output.contains("boom"));
        let gemini = json!({"hook_event_name": "AfterTool", "tool_input": {"command": "make"},
            "tool_response": {"llmContent": [{"text": "Output: x\nExit Code: 2\n"}]}});
        assert_eq!(ReportedRun::new(&gemini).unwrap().has_failed, Some(true));
        let cursor = json!({"conversation_id": "c", "command": "pytest", "output": "1 passed", "duration": 3});
        assert_eq!(ReportedRun::new(&cursor).unwrap().session.as_deref(), Some("session-c"));
        let told = json!({"hook_event_name": "PostToolUse", "tool_input": {"command": "tsc"}, "tool_response": {"stdout": "Exit Code: 1"}});
        assert_eq!(ReportedRun::new(&told).unwrap().has_failed, None);
        let stopped = json!({"tool_input": {"command": "tsc"}, "tool_response": {"interrupted": true}});
        for other in [stopped, json!(null), json!([1]), json!({"tool_input": {"command": 3}}), json!({"command": "ls"})]
        {
            assert_eq!(ReportedRun::new(&other), None);
        }
    }
}
