//! A client that starts runs and answers them.

use serde_json::{Value, json};

use super::TestDir;
use super::client::{ClientRevision, StdioClient};

pub struct RunClient(pub StdioClient);

impl RunClient {
    pub fn start(dir: &TestDir) -> Self {
        Self(StdioClient::start(dir, ClientRevision::Legacy))
    }

    pub fn start_with(dir: &TestDir, args: &[&str]) -> Self {
        Self(StdioClient::start_with(dir, ClientRevision::Legacy, args))
    }

    /// Calls a tool: what it answered, and whether the model should take it for a failure.
    #[track_caller]
    pub fn call_tool(&mut self, tool: &str, arguments: Value) -> (Value, bool) {
        let mut params = json!({"name": tool});
        params["arguments"] = arguments;
        let answer = self.0.call("tools/call", params);
        tool_result(&answer)
    }

    /// A call that must succeed.
    #[track_caller]
    pub fn call_ok(&mut self, tool: &str, arguments: Value) -> Value {
        let (answer, failed) = self.call_tool(tool, arguments);
        assert!(!failed, "{answer:#}");
        answer
    }

    /// A call that must fail with this code: the message.
    #[track_caller]
    pub fn expect_refusal(&mut self, tool: &str, arguments: Value, code: &str) -> String {
        let (answer, failed) = self.call_tool(tool, arguments);
        assert!(failed, "{answer:#}");
        assert_eq!(answer["error"]["code"], code, "{answer:#}");
        answer["error"]["message"].as_str().unwrap().to_owned()
    }

    #[track_caller]
    pub fn run_code(&mut self, code: &str) -> Value {
        self.call_ok("alc_run", json!({"code": code}))
    }

    /// The result of code that must come to its end at once.
    #[track_caller]
    pub fn run_result(&mut self, code: &str) -> Value {
        let answer = self.run_code(code);
        assert_eq!(answer["status"], "completed", "{answer:#}");
        answer["result"].clone()
    }

    /// What code that must fail says.
    #[track_caller]
    pub fn run_error(&mut self, code: &str) -> String {
        let (answer, failed) = self.call_tool("alc_run", json!({"code": code}));
        assert!(failed, "{answer:#}");
        assert_eq!(answer["status"], "error", "{answer:#}");
        answer["error"].as_str().unwrap().to_owned()
    }

    /// Answers the only query that a run waits for.
    #[track_caller]
    pub fn reply(&mut self, waits: &Value, text: &str) -> Value {
        let (session, query) = (&waits["session_id"], &waits["query_id"]);
        assert!(query.is_string(), "{waits:#}");
        self.call_ok("alc_continue", json!({"session_id": session, "query_id": query, "response": text}))
    }
}

/// The structured content of an answered call, which its text mirrors.
#[track_caller]
pub fn tool_result(answer: &Value) -> (Value, bool) {
    let result = &answer["result"];
    assert!(result.is_object(), "{answer:#}");
    let failed = result["isError"].as_bool().unwrap_or(false);
    let content = result["structuredContent"].clone();
    if content["error"]["code"].is_null() {
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text, content);
    }
    (content, failed)
}
