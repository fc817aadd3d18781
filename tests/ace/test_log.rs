//! A learning log in an AppDir, and a client on it.

use std::path::PathBuf;

use serde_json::{Value, json};
use wardroom_test_support::{CommandOutput, RunClient, TestDir, run_wardroom, wardroom_command};

/// A learning log in the folder `ace` of an AppDir.
pub(crate) struct TestLog {
    pub(crate) dir: TestDir,
}

impl TestLog {
    /// A new log with the files of `wardroom ace init`.
    pub(crate) fn new() -> Self {
        let log = Self::empty();
        log.run(&["init"]).expect_success();
        log
    }

    /// An AppDir without a log.
    pub(crate) fn empty() -> Self {
        Self { dir: TestDir::new() }
    }

    /// A log with this playbook.
    pub(crate) fn with_playbook(text: impl AsRef<[u8]>) -> Self {
        let log = Self::new();
        log.dir.write_file("ace/AGENTS.md", text);
        log
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.app_path().join("ace").join(name)
    }

    pub(crate) fn playbook(&self) -> String {
        std::fs::read_to_string(self.path("AGENTS.md")).unwrap()
    }

    /// Returns the lines of a log as JSON. Each must be whole.
    #[track_caller]
    pub(crate) fn lines(&self, name: &str) -> Vec<Value> {
        let text = std::fs::read_to_string(self.path(name)).unwrap();
        assert!(text.is_empty() || text.ends_with('\n'), "{text}");
        text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
    }

    pub(crate) fn traces(&self) -> Vec<Value> {
        self.lines("logs/execution_traces.jsonl")
    }

    /// Returns how many lines of the log of traces are whole, and how many are torn.
    pub(crate) fn count_traces(&self) -> (usize, usize) {
        let bytes = std::fs::read(self.path("logs/execution_traces.jsonl")).unwrap();
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let (whole, torn): (Vec<&[u8]>, Vec<&[u8]>) =
            lines.partition(|line| serde_json::from_slice::<Value>(line).is_ok());
        (whole.len(), torn.len())
    }

    pub(crate) fn client(&self) -> RunClient {
        self.client_with(&[])
    }

    pub(crate) fn client_with(&self, args: &[&str]) -> RunClient {
        RunClient::start_with(&self.dir, &[&["--service", "ace"], args].concat())
    }

    /// Runs `wardroom ace` with these arguments.
    pub(crate) fn run(&self, args: &[&str]) -> CommandOutput {
        let app = self.dir.app_path().display().to_string();
        run_wardroom(self.dir.root(), &[&["ace"], args, &["--appdir", &app]].concat())
    }

    /// The command `wardroom ace` with these arguments.
    pub(crate) fn command(&self, args: &[&str]) -> std::process::Command {
        let mut command = wardroom_command(self.dir.root());
        command.arg("ace").args(args).arg("--appdir").arg(self.dir.app_path());
        command
    }
}

/// A failed execution of `npm run build` with one error.
pub(crate) fn failure(message: &str) -> Value {
    json!({"runner": "tsc", "command": "npm run build", "status": "fail", "errors": [
        {"tool": "tsc", "severity": "error", "message": message, "file": "src/index.ts", "line": 5}]})
}

/// The same, passed.
pub(crate) fn pass() -> Value {
    json!({"runner": "tsc", "command": "npm run build", "status": "pass", "errors": []})
}

/// Captures a failure of a task.
#[track_caller]
pub(crate) fn capture(client: &mut RunClient, bead: &str, message: &str) -> Value {
    client.call_ok("ace_capture_trace", json!({"beadId": bead, "executions": [failure(message)]}))
}

/// Analyzes all traces, also what occurred once.
#[track_caller]
pub(crate) fn analyze(client: &mut RunClient) -> Value {
    client.call_ok("ace_analyze_patterns", json!({"mode": "batch", "minFrequency": 1}))
}

/// Returns the bullets of the playbook.
#[track_caller]
pub(crate) fn bullets(client: &mut RunClient) -> Vec<Value> {
    client.call_ok("ace_get_insights", json!({"source": "bullets"}))["bullets"].as_array().unwrap().clone()
}
