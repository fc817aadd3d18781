//! A client with its own server on two pipes, which waits for each answer; and commands on the AppDir.
//!
//! Owns: what a request and an answer look like on the wire, in both revisions.
//! Never: takes an error for an answer, unless the exchange expects one.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};

use super::Soak;
use crate::app_dir::server_command;
use crate::growth::Usage;
use crate::requests::Rng;

/// The longest time before a server is killed, counted from a request.
const MAX_KILL_DELAY_MS: usize = 60;

pub(super) struct Caller<'s> {
    soak: &'s Soak<'s>,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// Those of the revision 2026-07-28; a legacy client has none.
    capabilities: Option<Value>,
    next_id: u64,
}

impl<'s> Caller<'s> {
    /// Starts a server, and opens a connection of the revision 2025-11-25.
    pub(super) fn legacy(soak: &'s Soak<'s>) -> Result<Self> {
        let mut caller = Self::spawn(soak, None)?;
        let client = json!({"name": "soak", "version": "1"});
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        caller.call("initialize", params)?;
        caller.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(caller)
    }

    /// Starts a server for requests of the revision 2026-07-28.
    pub(super) fn modern(soak: &'s Soak<'s>, capabilities: Value) -> Result<Self> {
        Self::spawn(soak, Some(capabilities))
    }

    fn spawn(soak: &'s Soak<'s>, capabilities: Option<Value>) -> Result<Self> {
        let mut command = server_command(soak.server, soak.app());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let (input, output) = child.stdin.take().zip(child.stdout.take()).context("two pipes")?;
        Ok(Self { soak, child, input, output: BufReader::new(output), capabilities, next_id: 1 })
    }

    fn write(&mut self, message: &Value) -> Result<()> {
        Ok(self.input.write_all(format!("{message}\n").as_bytes())?)
    }

    /// Sends a request without waiting for its answer.
    pub(super) fn send(&mut self, method: &str, mut params: Value) -> Result<()> {
        if let Some(capabilities) = &self.capabilities {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities.clone();
        }
        let id = self.next_id;
        self.next_id += 1;
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
    }

    /// Receives the answer to the last request.
    pub(super) fn receive(&mut self) -> Result<Value> {
        loop {
            let mut line = String::new();
            ensure!(self.output.read_line(&mut line)? > 0, "the server is gone");
            let message: Value = serde_json::from_str(&line)?;
            if message["method"].is_string() {
                ensure!(message["id"].is_null(), "a request: {line}");
                continue;
            }
            ensure!(message["id"] == self.next_id - 1, "an answer without a request: {line}");
            self.soak.count_answer();
            return Ok(message);
        }
    }

    /// Returns the result of a request.
    pub(super) fn call(&mut self, method: &str, params: Value) -> Result<Value> {
        self.send(method, params)?;
        let mut answer = self.receive()?;
        ensure!(answer["result"].is_object(), "{method}: {answer}");
        Ok(answer["result"].take())
    }

    /// Returns the structured content of a tool that must succeed, else its text.
    pub(super) fn call_tool(&mut self, name: &str, arguments: &Value) -> Result<Value> {
        let result = self.call("tools/call", tool_params(name, arguments))?;
        tool_content(&result).with_context(|| name.to_owned())
    }

    /// Calls a tool that must fail with this code.
    pub(super) fn expect_refusal(&mut self, name: &str, arguments: &Value, code: &str) -> Result<()> {
        let result = self.call("tools/call", tool_params(name, arguments))?;
        let is_refused = result["isError"] == true && result["structuredContent"]["error"]["code"] == code;
        ensure!(is_refused, "{name} is not refused with {code}: {result}");
        Ok(())
    }

    /// Returns the text of a resource.
    pub(super) fn read(&mut self, uri: &str) -> Result<String> {
        let result = self.call("resources/read", json!({"uri": uri}))?;
        Ok(result["contents"][0]["text"].as_str().with_context(|| result.to_string())?.to_owned())
    }

    pub(super) fn usage(&self) -> Result<Usage> {
        Usage::of(self.child.id())
    }

    /// Kills the server, as a crash would.
    pub(super) fn kill(mut self) -> Result<()> {
        self.kill_child()
    }

    fn kill_child(&mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        self.soak.count_kill();
        Ok(())
    }

    /// Kills the server some time after its last request; returns the answer that it had sent until then.
    pub(super) fn kill_soon(mut self, rng: &mut Rng) -> Result<Option<Value>> {
        sleep(Duration::from_millis(rng.below(MAX_KILL_DELAY_MS) as u64));
        self.kill_child()?;
        let mut rest = String::new();
        self.output.read_to_string(&mut rest)?;
        let Some((line, _)) = rest.trim_start().split_once('\n') else { return Ok(None) };
        let answer: Value = serde_json::from_str(line)?;
        ensure!(answer["id"] == self.next_id - 1, "an answer without a request: {line}");
        self.soak.count_answer();
        Ok(Some(answer))
    }
}

impl Drop for Caller<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the params of a call; the blog compares all files with its index before it answers.
pub(super) fn tool_params(name: &str, arguments: &Value) -> Value {
    json!({"name": name, "arguments": arguments, "_meta": {"wardroom/fresh": true}})
}

/// Returns the structured content of a result that is no error, else its text.
pub(super) fn tool_content(result: &Value) -> Result<Value> {
    ensure!(result["isError"] == false, "{result}");
    let structured = &result["structuredContent"];
    Ok(if structured.is_null() { result["content"][0]["text"].clone() } else { structured.clone() })
}

/// Returns a command of the binary on the AppDir.
pub(super) fn command(soak: &Soak<'_>, args: &[&str]) -> Command {
    let mut command = server_command(soak.server, soak.app());
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Returns the output of a command that must succeed.
pub(super) fn run_command(soak: &Soak<'_>, args: &[&str]) -> Result<String> {
    let output = command(soak, args).output()?;
    if !output.status.success() {
        bail!("{args:?}: {}", describe(&output));
    }
    soak.count_answer();
    Ok(String::from_utf8(output.stdout)?)
}

pub(super) fn describe(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
    format!("{}: {} {}", output.status, text(&output.stdout), text(&output.stderr))
}
