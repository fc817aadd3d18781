//! The learning log of wardroom, over MCP as an agent uses it, with its defaults.
//!
//! Owns: the calls: traces, fixes and feedback go in, and look-ups are those of the server.
//! Never: reads or writes the files of the log.

use serde_json::{Value, json};
use wardroom_test_support::{RunClient, TestDir, run_wardroom};

use super::{Lesson, N_LESSONS, Player, ranked};
use crate::parsed_runs::RunError;
use crate::scenario::Task;

pub(crate) struct LearningServer {
    client: RunClient,
    has_search: bool,
    // Removed after the server has ended.
    _dir: TestDir,
}

impl LearningServer {
    pub(crate) fn start() -> Self {
        let dir = TestDir::new();
        let app = dir.app_path().display().to_string();
        run_wardroom(dir.root(), &["ace", "init", "--appdir", &app]).expect_success();
        let mut client = RunClient::start_with(&dir, &["--service", "ace"]);
        let tools = client.0.call("tools/list", json!({}));
        let has_search = tools["result"]["tools"].as_array().unwrap().iter().any(|tool| tool["name"] == "ace_search");
        Self { client, has_search, _dir: dir }
    }

    fn bullets(&mut self) -> Vec<Lesson> {
        let arguments = json!({"source": "bullets", "sortBy": "helpful", "limit": 1000});
        let answer = self.client.call_ok("ace_get_insights", arguments);
        answer["bullets"].as_array().unwrap().iter().map(lesson_of_bullet).collect()
    }
}

impl Player for LearningServer {
    fn look_up(&mut self, query: &str) -> Vec<Lesson> {
        if self.has_search {
            return self.search(query);
        }
        let bullets = self.bullets();
        let texts: Vec<String> = bullets.iter().map(|lesson| lesson.text.clone()).collect();
        let places = ranked(&texts, query);
        places.into_iter().map(|place| bullets[place.id.parse::<usize>().unwrap()].clone()).collect()
    }

    fn record_run(&mut self, task: &Task<'_>, errors: &[RunError], has_passed: bool) {
        let errors: Vec<Value> = errors.iter().filter(|_| !has_passed).map(RunError::argument).collect();
        let runner = task.fault.command.split(' ').find(|word| *word != "npx").unwrap_or_default();
        let execution = json!({
            "runner": runner, "command": task.fault.command, "errors": errors,
            "status": if has_passed { "pass" } else { "fail" },
        });
        let arguments = json!({"beadId": task.id, "taskDescription": task.description, "executions": [execution]});
        self.client.call_ok("ace_capture_trace", arguments);
    }

    fn report_fix(&mut self, task: &Task<'_>, fix: &str) {
        self.client.call_ok("ace_feedback", json!({"beadId": task.id, "fix": fix}));
    }

    fn rate(&mut self, task: &Task<'_>, lesson: &Lesson, is_helpful: bool) {
        // An insight that is no bullet yet has no counter.
        if lesson.id.is_empty() {
            return;
        }
        let (feedback, reason) = match is_helpful {
            true => ("helpful", "it named what fixed the task"),
            false => ("harmful", "the failure stayed after it was followed"),
        };
        let arguments = json!({"beadId": task.id, "bulletId": lesson.id, "feedback": feedback, "reason": reason});
        self.client.call_ok("ace_feedback", arguments);
    }

    fn learn(&mut self) {
        self.client.call_ok("ace_analyze_patterns", json!({"mode": "batch"}));
        self.client.call_ok("ace_update_knowledge", json!({}));
    }

    fn playbook(&mut self) -> Vec<String> {
        self.bullets().into_iter().map(|lesson| lesson.text).collect()
    }
}

impl LearningServer {
    fn search(&mut self, query: &str) -> Vec<Lesson> {
        let answer = self.client.call_ok("ace_search", json!({"query": query, "limit": N_LESSONS}));
        answer["results"].as_array().unwrap().iter().map(lesson_of_bullet).collect()
    }
}

fn lesson_of_bullet(bullet: &Value) -> Lesson {
    let text = |name: &str| bullet[name].as_str().unwrap_or_default().to_owned();
    Lesson { id: text("id"), text: text("content") }
}
