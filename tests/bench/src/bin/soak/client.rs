//! A client with its own server: keeps a window of requests open and checks every answer.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};

use super::app_dir::server_command;
use super::growth::Usage;
use super::requests::{Expect, GrowthCheck, Rng, check, random_request};

/// Requests that are open at the same time.
const WINDOW: usize = 16;

pub(crate) struct SoakClient {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    is_legacy: bool,
    rng: Rng,
    growth: GrowthCheck,
    next_id: u64,
    pending: HashMap<u64, Expect>,
    listening: Option<u64>,
}

impl SoakClient {
    pub(crate) fn start(number: usize, server: &Path, app: &Path) -> Result<Self> {
        let mut command = server_command(server, app);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let (input, output) = child.stdin.take().zip(child.stdout.take()).context("two pipes")?;
        let mut client = Self {
            child,
            input,
            output: BufReader::new(output),
            is_legacy: number.is_multiple_of(2),
            rng: Rng::new(number as u64 + 1),
            growth: GrowthCheck::default(),
            next_id: 1,
            pending: HashMap::new(),
            listening: None,
        };
        if client.is_legacy {
            client.send("initialize", initialize(), Expect::Nothing)?;
            client.settle()?;
            writeln!(client.input, "{}", json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        }
        Ok(client)
    }

    /// Sends `count` requests and waits for the last answer.
    pub(crate) fn run(&mut self, count: usize) -> Result<()> {
        for _ in 0..count {
            let (method, params, expect) = random_request(&mut self.rng, self.is_legacy);
            let is_cancelled = matches!(expect, Expect::Cancelled);
            let id = self.send(method, params, expect)?;
            if method == "subscriptions/listen" {
                if let Some(before) = self.listening.replace(id) {
                    self.cancel(before)?;
                }
            } else if is_cancelled {
                self.cancel(id)?;
            }
            while self.pending.len() >= WINDOW {
                self.receive()?;
            }
        }
        self.settle()
    }

    pub(crate) fn usage(&self) -> Result<Usage> {
        Usage::of(self.child.id())
    }

    fn send(&mut self, method: &str, mut params: Value, expect: Expect) -> Result<u64> {
        let id = self.next_id;
        self.next_id += 1;
        if !self.is_legacy {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.input.write_all(format!("{request}\n").as_bytes())?;
        self.pending.insert(id, expect);
        Ok(id)
    }

    fn cancel(&mut self, id: u64) -> Result<()> {
        let notice = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
        self.input.write_all(format!("{notice}\n").as_bytes())?;
        self.pending.remove(&id);
        Ok(())
    }

    /// Receives until only the subscription is still open.
    fn settle(&mut self) -> Result<()> {
        while self.pending.len() > usize::from(self.listening.is_some()) {
            self.receive()?;
        }
        Ok(())
    }

    fn receive(&mut self) -> Result<()> {
        let mut line = String::new();
        ensure!(self.output.read_line(&mut line)? > 0, "the server is gone");
        let message: Value = serde_json::from_str(&line)?;
        if let Some(method) = message["method"].as_str() {
            ensure!(message["id"].is_null(), "a request: {line}");
            ensure!(method.starts_with("notifications/"), "{line}");
            return Ok(());
        }
        let id = message["id"].as_u64().context("an answer without an id")?;
        match self.pending.remove(&id) {
            Some(expect) => check(&message, &expect, &mut self.growth).with_context(|| truncated(&line)),
            // The request was cancelled after its answer had been sent.
            None if id < self.next_id => Ok(()),
            None => bail!("an answer without a request: {}", truncated(&line)),
        }
    }
}

fn truncated(line: &str) -> String {
    line.chars().take(500).collect()
}

fn initialize() -> Value {
    json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "soak", "version": "1"}})
}

impl Drop for SoakClient {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
