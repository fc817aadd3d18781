//! The learning log of wardroom, over MCP as an agent uses it, with its defaults.
//!
//! Owns: the calls: traces, fixes and feedback go in, and look-ups are those of the server.
//! Never: reads or writes the files of the log.

use serde_json::{Value, json};
use wardroom_test_support::{RunClient, TestDir, run_wardroom};

use super::{Lesson, LessonId, N_LESSONS, Player, RunEnd};
use crate::parsed_runs::RunError;
use crate::scenario::Task;

pub(crate) struct LearningServer {
    client: RunClient,
    // Removed after the server has ended.
    _dir: TestDir,
}

impl LearningServer {
    pub(crate) fn start() -> Self {
        let dir = TestDir::new();
        let app = dir.app_path().display().to_string();
        run_wardroom(dir.root(), &["ace", "init", "--appdir", &app]).expect_success();
        let client = RunClient::start_with(&dir, &["--service", "ace"]);
        Self { client, _dir: dir }
    }
}

impl Player for LearningServer {
    fn look_up(&mut self, query: &str) -> Vec<Lesson> {
        let answer = self.client.call_ok("ace_search", json!({"query": query, "limit": N_LESSONS}));
        let lesson = |found: &Value| {
            let text = |name: &str| found[name].as_str().unwrap().to_owned();
            let id =
                if found["kind"] == "bullet" { LessonId::Bullet(text("id")) } else { LessonId::Insight(text("id")) };
            Lesson { id, text: text("text") }
        };
        answer["results"].as_array().unwrap().iter().map(lesson).collect()
    }

    fn record_run(&mut self, task: &Task<'_>, errors: &[RunError], end: RunEnd) {
        let errors: Vec<Value> = errors.iter().filter(|_| end == RunEnd::Failed).map(RunError::argument).collect();
        let runner = task.recording.command.split(' ').find(|word| *word != "npx").unwrap_or_default();
        let mut execution = json!({
            "runner": runner, "command": task.recording.command, "errors": errors,
            "status": if end == RunEnd::Failed { "fail" } else { "pass" },
        });
        // As `wardroom ace run` finds it: it looks which files changed since the failure.
        if end == RunEnd::PassedUnchanged {
            execution["changedFiles"] = json!([]);
        }
        let arguments = json!({"beadId": task.id, "taskDescription": task.description, "executions": [execution]});
        self.client.call_ok("ace_capture_trace", arguments);
    }

    fn report_fix(&mut self, task: &Task<'_>, fix: &str) {
        self.client.call_ok("ace_feedback", json!({"beadId": task.id, "fix": fix}));
    }

    fn rate(&mut self, task: &Task<'_>, lesson: &Lesson, is_helpful: bool) {
        let bullet = match &lesson.id {
            LessonId::Bullet(id) => Some(id.clone()),
            // What helped becomes a bullet, however often it was reported.
            LessonId::Insight(id) if is_helpful => self.promote(id),
            LessonId::Insight(_) | LessonId::None => None,
        };
        let Some(bullet) = bullet else { return };
        let (feedback, reason) = if is_helpful {
            ("helpful", "it named what fixed the task")
        } else {
            ("harmful", "the failure stayed after it was followed")
        };
        let arguments = json!({"beadId": task.id, "bulletId": bullet, "feedback": feedback, "reason": reason});
        self.client.call_ok("ace_feedback", arguments);
    }

    fn learn(&mut self) {
        self.client.call_ok("ace_analyze_patterns", json!({"mode": "batch"}));
        self.client.call_ok("ace_update_knowledge", json!({}));
    }

    fn playbook(&mut self) -> Vec<String> {
        let answer = self.client.call_ok("ace_get_insights", json!({"source": "bullets", "limit": 1000}));
        let contents = answer["bullets"].as_array().unwrap().iter();
        contents.map(|bullet| bullet["content"].as_str().unwrap().to_owned()).collect()
    }
}

impl LearningServer {
    /// Makes a bullet of an insight; returns its id, unless the playbook says the same already.
    fn promote(&mut self, insight: &str) -> Option<String> {
        let arguments = json!({"forceInsightIds": [insight], "maxDeltas": 1});
        let answer = self.client.call_ok("ace_update_knowledge", arguments);
        // Where the playbook says it already, the update may add another insight.
        let is_skipped = answer["skipped"].as_array().unwrap().iter().any(|skip| skip["insightId"] == insight);
        let added = answer["deltas"].as_array().unwrap().first().filter(|_| !is_skipped)?;
        Some(added["bulletId"].as_str().unwrap().to_owned())
    }
}
