//! A client that starts runs and answers their queries.

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

    /// Calls a tool; returns its structured content and whether it is an error.
    #[track_caller]
    pub fn call_tool(&mut self, tool: &str, arguments: Value) -> (Value, bool) {
        let mut params = json!({"name": tool});
        params["arguments"] = arguments;
        let answer = self.0.call("tools/call", params);
        tool_result(&answer)
    }

    /// Makes a call that must succeed.
    #[track_caller]
    pub fn call_ok(&mut self, tool: &str, arguments: Value) -> Value {
        let (answer, failed) = self.call_tool(tool, arguments);
        assert!(!failed, "{answer:#}");
        answer
    }

    /// Makes a call that must fail with this code; returns the message.
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

    /// Returns the result of code that must complete at once.
    #[track_caller]
    pub fn run_result(&mut self, code: &str) -> Value {
        let answer = self.run_code(code);
        assert_eq!(answer["status"], "completed", "{answer:#}");
        answer["result"].clone()
    }

    /// Returns the error of code that must fail.
    #[track_caller]
    pub fn run_error(&mut self, code: &str) -> String {
        let (answer, failed) = self.call_tool("alc_run", json!({"code": code}));
        assert!(failed, "{answer:#}");
        assert_eq!(answer["status"], "error", "{answer:#}");
        answer["error"].as_str().unwrap().to_owned()
    }

    /// Answers the only query that a run waits for.
    #[track_caller]
    pub fn answer_query(&mut self, waits: &Value, text: &str) -> Value {
        let (session, query) = (&waits["session_id"], &waits["query_id"]);
        assert!(query.is_string(), "{waits:#}");
        self.call_ok("alc_continue", json!({"session_id": session, "query_id": query, "response": text}))
    }
}

/// Returns the structured content of a result, which its text must mirror.
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
