//! Tasks: calls that outlive their requests, and those that wait for their client outlive their server too.

use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};

use super::caller::{Caller, tool_params};
use super::{Exchange, Soak, loses_server};
use crate::growth::Usage;

/// An AppDir keeps at most 2,000 tasks, each for an hour. A round makes at most two.
const MAX_ROUNDS: usize = 900;
const MAX_TASK_TIME: Duration = Duration::from_secs(60);

pub(super) struct Tasks<'s> {
    soak: &'s Soak<'s>,
    lasting: Caller<'s>,
}

impl<'s> Tasks<'s> {
    pub(super) fn start(soak: &'s Soak<'s>) -> Result<Self> {
        Ok(Self { soak, lasting: caller(soak)? })
    }

    /// Polls a task until it has another status than `working`.
    fn wait(&mut self, task: &Value) -> Result<Value> {
        let deadline = Instant::now() + MAX_TASK_TIME;
        loop {
            let now = self.lasting.call("tasks/get", json!({"taskId": task["taskId"]}))?;
            if now["status"] != "working" {
                return Ok(now);
            }
            ensure!(Instant::now() < deadline, "the task does not end: {now}");
            sleep(Duration::from_millis(20));
        }
    }

    /// Answers the question of a task, and checks its greeting.
    fn answer(&mut self, task: &Value, round: usize) -> Result<()> {
        let waits = self.wait(task)?;
        let asked = waits["inputRequests"].as_object().and_then(|requests| requests.keys().next());
        let key = asked.with_context(|| format!("no question: {waits}"))?;
        let response = json!({key: {"action": "accept", "content": {"name": format!("client {round}")}}});
        self.lasting.call("tasks/update", json!({"taskId": task["taskId"], "inputResponses": response}))?;
        let ended = self.wait(task)?;
        let greeting = &ended["result"]["content"][0]["text"];
        ensure!(ended["status"] == "completed" && *greeting == format!("hello client {round}"), "{ended}");
        Ok(())
    }

    fn lose_server(&mut self, round: usize) -> Result<()> {
        let mut lost = caller(self.soak)?;
        let waits = begin(&mut lost, "soak_greet", &json!({"greeting": "hello"}))?;
        self.wait(&waits)?;
        let works = begin(&mut lost, "soak_square", &json!({"n": round}))?;
        lost.kill()?;
        let ended = self.wait(&works)?;
        match ended["status"].as_str() {
            Some("completed") => check_square(&ended, round)?,
            Some("failed") => ensure!(ended["error"]["code"] == -32603, "{ended}"),
            _ => bail!("{ended}"),
        }
        self.answer(&waits, round)
    }
}

impl Exchange for Tasks<'_> {
    fn hold(&mut self, round: usize) -> Result<()> {
        if loses_server(round) {
            return self.lose_server(round);
        }
        if round.is_multiple_of(2) {
            let task = begin(&mut self.lasting, "soak_square", &json!({"n": round}))?;
            check_square(&self.wait(&task)?, round)
        } else {
            let task = begin(&mut self.lasting, "soak_greet", &json!({"greeting": "hello"}))?;
            self.answer(&task, round)
        }
    }

    fn usage(&self) -> Result<Usage> {
        self.lasting.usage()
    }

    fn max_rounds(&self) -> usize {
        MAX_ROUNDS
    }
}

fn caller<'s>(soak: &'s Soak<'s>) -> Result<Caller<'s>> {
    Caller::modern(soak, json!({"extensions": {"io.modelcontextprotocol/tasks": {}}, "elicitation": {}}))
}

fn begin(caller: &mut Caller<'_>, tool: &str, arguments: &Value) -> Result<Value> {
    let task = caller.call("tools/call", tool_params(tool, arguments))?;
    ensure!(task["resultType"] == "task" && task["taskId"].is_string(), "no task: {task}");
    Ok(task)
}

fn check_square(ended: &Value, round: usize) -> Result<()> {
    let square = &ended["result"]["structuredContent"]["square"];
    ensure!(ended["status"] == "completed" && *square == round * round, "{ended}");
    Ok(())
}
