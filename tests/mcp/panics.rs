//! A service that panics: every request still gets an answer.

use std::sync::Arc;

use rmcp::service::serve_directly;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use wardroom_base::payload::Payload;
use wardroom_config::WatchMode;
use wardroom_mcp::{CatchPanic, McpServer, ServerIdentity};
use wardroom_service::{
    Caller, Catalogue, Cost, ListPage, RequestInfo, ResolvedTool, ResourceContent, ResourceEntry, ResourceProvider,
    Service, ServiceError, TemplateEntry, ToolEntry, ToolOutput, ToolProvider, VariableCompletion, Work,
};

/// Longer than anything here takes.
const TIMEOUT: std::time::Duration = std::time::Duration::from_secs(30);

struct Panics;

impl Service for Panics {
    fn name(&self) -> &'static str {
        "panics"
    }

    fn instructions(&self) -> &'static str {
        "Panics."
    }

    fn resources(self: Arc<Self>) -> Option<Arc<dyn ResourceProvider>> {
        Some(self)
    }

    fn tools(self: Arc<Self>) -> Option<Arc<dyn ToolProvider>> {
        Some(self)
    }
}

impl ResourceProvider for Panics {
    fn scheme(&self) -> Option<&'static wardroom_base::uri::Scheme> {
        Some(&wardroom_rules::alc::ALC_SCHEME)
    }

    fn list(&self, _: Option<&str>, _: usize, _: &RequestInfo) -> Result<ListPage<ResourceEntry>, ServiceError> {
        panic!("list")
    }

    fn templates(&self, _: &Caller) -> Vec<Arc<TemplateEntry>> {
        panic!("templates")
    }

    fn resolve(self: Arc<Self>, _: &str, _: &Arc<Caller>) -> Option<Result<Work<ResourceContent>, ServiceError>> {
        panic!("resolve")
    }

    fn validate(&self, _: &str, _: &Caller) -> Option<Result<(), ServiceError>> {
        panic!("validate")
    }

    fn complete(
        self: Arc<Self>,
        _: &VariableCompletion,
        _: &Arc<Caller>,
    ) -> Option<Result<Work<Vec<String>>, ServiceError>> {
        panic!("complete")
    }
}

impl ToolProvider for Panics {
    fn list(&self, _: Option<&str>, _: usize, _: &Caller) -> Vec<Arc<ToolEntry>> {
        panic!("list")
    }

    fn resolve(self: Arc<Self>, name: &str, _: &Arc<Caller>) -> Option<Arc<dyn ResolvedTool>> {
        (name == "panics").then_some(self)
    }
}

impl ResolvedTool for Panics {
    fn name(&self) -> &'static str {
        "panics"
    }

    fn may_change(&self) -> bool {
        false
    }

    fn call(self: Arc<Self>, _: Payload) -> Work<ToolOutput> {
        Work::new(Cost::Worker, |_| panic!("call"))
    }
}

#[test]
fn panicking_handler_still_answers() {
    let rows = [
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({"uri": "alc://types/alc.d.lua"})),
        ("tools/list", json!({})),
        ("tools/call", json!({"name": "panics"})),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/resource", "uri": "alc://x/{y}"}, "argument": {"name": "y", "value": ""}}),
        ),
    ];
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let identity = ServerIdentity { name: "test".into(), version: "1".into(), instructions: String::new() };
        let server = McpServer::new(
            Arc::new(Catalogue::new(vec![Arc::new(Panics)])),
            identity,
            WatchMode::Off,
            Box::new(|| None),
        );
        let (here, there) = tokio::io::duplex(64 * 1024);
        let running = serve_directly(CatchPanic(server), there, None);
        let (output, mut input) = tokio::io::split(here);
        let mut lines = BufReader::new(output).lines();
        for (id, (method, mut params)) in rows.into_iter().enumerate() {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            });
            let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
            input.write_all(format!("{request}\n").as_bytes()).await.unwrap();
            let line = tokio::time::timeout(TIMEOUT, lines.next_line()).await.unwrap_or_else(|_| panic!("{method}"));
            let answer: Value = serde_json::from_str(&line.unwrap().unwrap()).unwrap();
            let error = json!({"code": -32603, "message": "internal error"});
            assert_eq!(answer, json!({"jsonrpc": "2.0", "id": id, "error": error}), "{method}");
        }
        drop(running);
    });
}
