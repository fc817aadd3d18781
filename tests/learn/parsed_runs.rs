//! The errors in the recorded outputs, as `wardroom ace run` reads them.
//!
//! Owns: the errors by the name of an output. Every player gets the same ones, also those whose own program read less.
//! Never: reads an output itself.

use std::collections::HashMap;
use std::fs;
use std::sync::Mutex;
use std::thread;

use serde_json::{Value, json};
use wardroom_test_support::{TestDir, run_command, run_wardroom, wardroom_command};

use super::material::Material;

/// Programs that run at once.
const N_THREADS: usize = 4;

/// An error of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RunError {
    pub(crate) tool: String,
    pub(crate) severity: String,
    pub(crate) message: String,
    pub(crate) file: String,
    pub(crate) line: u64,
}

impl RunError {
    /// Returns the error as an argument of `ace_capture_trace`.
    pub(crate) fn argument(&self) -> Value {
        json!({
            "tool": self.tool, "severity": self.severity, "message": self.message, "file": self.file, "line": self.line,
        })
    }
}

pub(crate) struct ParsedRuns(HashMap<String, Vec<RunError>>);

impl ParsedRuns {
    /// Shows each output to `wardroom ace run`, and reads the trace that it wrote.
    pub(crate) fn of(material: &Material) -> Self {
        let outputs = Mutex::new(material.outputs());
        let dirs = thread::scope(|scope| {
            let worker = || {
                let dir = TestDir::new();
                let app = dir.app_path().display().to_string();
                run_wardroom(dir.root(), &["ace", "init", "--appdir", &app]).expect_success();
                while let Some((name, file)) = next(&outputs) {
                    let mut command = wardroom_command(dir.root());
                    command.args(["--appdir", &app, "ace", "run", "--bead", &name, "--"]);
                    let output = run_command(command.args(["sh", "-c", "cat \"$0\"; exit 1"]).arg(file));
                    assert_eq!((output.status, output.stderr.as_str()), (1, ""), "{name}");
                }
                dir
            };
            let workers: Vec<_> = (0..N_THREADS).map(|_| scope.spawn(worker)).collect();
            workers.into_iter().map(|worker| worker.join().unwrap()).collect::<Vec<_>>()
        });
        let logs =
            dirs.iter().map(|dir| fs::read_to_string(dir.app_path().join("ace/logs/execution_traces.jsonl")).unwrap());
        let logs: Vec<String> = logs.collect();
        Self(logs.iter().flat_map(|log| log.lines()).map(errors_of_trace).collect())
    }

    pub(crate) fn errors(&self, output: &str) -> &[RunError] {
        &self.0[output]
    }
}

fn next<T>(list: &Mutex<Vec<T>>) -> Option<T> {
    list.lock().unwrap().pop()
}

fn errors_of_trace(line: &str) -> (String, Vec<RunError>) {
    let trace: Value = serde_json::from_str(line).unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let errors = trace["execution_results"][0]["errors"].as_array().unwrap().iter().map(|error| RunError {
        tool: text(&error["tool"]),
        severity: text(&error["severity"]),
        message: text(&error["message"]),
        file: text(&error["file"]),
        line: error["line"].as_u64().unwrap_or_default(),
    });
    (text(&trace["bead_id"]), errors.collect())
}
