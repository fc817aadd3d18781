//! Tests of user-defined tools, prompts and resources: parsing, visibility, and what clients get.

#![expect(clippy::disallowed_methods, reason = "tests set up real folders and real processes")]
#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test may")
)]

mod bounds;
mod calls;
mod changes;
mod client;
mod command;
mod effects;
mod failures;
mod files;
mod fresh;
mod handler_bounds;
mod index_schema;
mod original;
mod pages;
mod prompts;
mod rescan;
mod resources;
mod task_store;
mod tasks;
mod totals;
mod visibility;

use serde_json::{Value, json};

use wardroom_test_support::{ClientRevision, StdioClient, TestDir};

/// The head of every index here.
pub(crate) const HEAD: &str = "version: \"1.0\"\nnamespace: app\nentries:\n";

/// Writes an index with these entries.
pub(crate) fn declare(dir: &TestDir, entries: &str) {
    dir.write_file("registry/app/_index.yaml", format!("{HEAD}{entries}"));
}

/// Returns a tool whose handler is this body of a function of `arguments`.
pub(crate) fn tool(dir: &TestDir, name: &str, meta: &str, body: &str) -> String {
    dir.write_file(&format!("registry/app/{name}.lua"), handler("call", body));
    format!(
        "  - name: {name}\n    kind: function.lua\n    source: file://{name}.lua\n    method: call\n    meta:\n      \
         mcp.tool: true\n      mcp.name: {name}\n      mcp.description: A tool\n{meta}"
    )
}

pub(crate) fn handler(method: &str, body: &str) -> String {
    format!("local M = {{}}\nfunction M.{method}(arguments)\n{body}\nend\nreturn M\n")
}

/// Returns the answer of a tool, or the error of the protocol.
#[expect(clippy::needless_pass_by_value, reason = "what `json!` makes is passed as it is")]
pub(crate) fn call(client: &mut StdioClient, name: &str, arguments: Value) -> Result<Value, Value> {
    let mut answer = client.call("tools/call", json!({"name": name, "arguments": arguments}));
    match answer.get_mut("error") {
        Some(error) => Err(error.take()),
        None => Ok(answer["result"].take()),
    }
}

/// Returns the text of a tool's answer, which must not be a failure.
#[track_caller]
pub(crate) fn call_text(client: &mut StdioClient, name: &str, arguments: Value) -> String {
    let answer = call(client, name, arguments).unwrap();
    assert_eq!(answer["isError"], false, "{answer}");
    answer["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

/// Returns the text of a tool's failure.
#[track_caller]
pub(crate) fn call_failure(client: &mut StdioClient, name: &str, arguments: Value) -> String {
    let answer = call(client, name, arguments).unwrap();
    assert_eq!(answer["isError"], true, "{answer}");
    answer["content"][0]["text"].as_str().unwrap().to_owned()
}

/// Starts a server with the registry alone.
pub(crate) fn serve(dir: &TestDir, revision: ClientRevision) -> StdioClient {
    StdioClient::start_with(dir, revision, &["--service", "registry"])
}

/// Returns the names in a list.
pub(crate) fn names(client: &mut StdioClient, method: &str, list: &str) -> Vec<String> {
    let answer = client.call(method, json!({}));
    let rows = answer["result"][list].as_array().unwrap_or_else(|| panic!("{answer}"));
    rows.iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
}
