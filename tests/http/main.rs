//! The protocol over HTTP, as a client with a socket of its own sees it.

#![expect(clippy::disallowed_methods, reason = "tests set up real folders and real processes")]
#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test may")
)]

mod audit;
mod bounds;
mod endpoints;
mod indirect_calls;
mod lifecycle;
mod live_tokens;
mod memory;
mod modern;
mod notifications;
mod origin_policy;
mod owners;
mod replicas;
mod sessions;
mod shares;
mod stalled_clients;
mod streams;

use wardroom_test_support::TestDir;

/// Declares a tool: its name, the modules of its handler, further fields of its entry, and the body of the handler.
fn declare(dir: &TestDir, name: &str, modules: &str, more: &str, body: &str) {
    dir.write_file(
        &format!("registry/{name}/run.lua"),
        format!("return {{ call = function(arguments) {body} end }}\n"),
    );
    let index = format!(
        "version: \"1.0\"\nnamespace: {name}\nentries:\n  - name: {name}\n    kind: function.lua\n    source: file://run.lua\n    \
         method: call\n    modules: [{modules}]\n    meta: {{ mcp.tool: true, mcp.name: {name}, mcp.description: A tool{more} }}\n"
    );
    dir.write_file(&format!("registry/{name}/_index.yaml"), index);
}
