//! Fetches from web servers and repositories of the tests, on this machine, by the real helpers.

#![expect(clippy::disallowed_methods, reason = "tests set up real folders and real processes")]
#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test may")
)]

mod addresses;
mod git;
mod handlers;
mod http;
mod hub;
mod processes;
mod web;

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use self::web::Web;
use wardroom_test_support::{ClientRevision, StdioClient, TEST_TIMEOUT, TestDir, eventually, wardroom_command};

fn program() -> &'static Path {
    wardroom_test_support::wardroom_binary()
}

/// Starts a server with `network` as its network configuration, which trusts the certificate of `web`.
fn serving(dir: &TestDir, web: &Web, network: &str) -> StdioClient {
    let mut client = StdioClient::spawn(command(dir, web, network), ClientRevision::Legacy);
    client.initialize();
    client
}

fn command(dir: &TestDir, web: &Web, network: &str) -> Command {
    let folder = dir.root().join(".config/wardroom");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), format!("[network]\n{network}\n")).unwrap();
    let mut command = wardroom_command(dir.root());
    command.env("SSL_CERT_FILE", web.certificate()).env("PATH", path());
    command.arg("--appdir").arg(dir.app_path());
    command
}

/// Returns `PATH`, which has git.
fn path() -> OsString {
    std::env::var_os("PATH").unwrap_or_default()
}

/// Calls a tool and returns its structured content.
fn call(client: &mut StdioClient, tool: &str, arguments: serde_json::Value) -> serde_json::Value {
    let mut params = serde_json::json!({"name": tool});
    params["arguments"] = arguments;
    let answer = client.call("tools/call", params);
    answer["result"]["structuredContent"].clone()
}

/// Returns the code and the message of a failed call.
#[track_caller]
fn refusal(client: &mut StdioClient, tool: &str, arguments: serde_json::Value) -> (String, String) {
    let answer = call(client, tool, arguments);
    let field = |name: &str| answer["error"][name].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned();
    (field("code"), field("message"))
}
