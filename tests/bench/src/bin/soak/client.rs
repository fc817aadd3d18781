//! One client and its server: requests in a window, and every answer checked.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};

use super::questions::{Dice, Expect, Seen, check, question};
use super::world::server_command;

/// Requests under way.
const WINDOW: usize = 16;

pub(crate) struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    is_older: bool,
    dice: Dice,
    seen: Seen,
    next_id: u64,
    open: HashMap<u64, Expect>,
    listening: Option<u64>,
}

/// What a server takes of the machine.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Usage {
    /// In KiB.
    pub(crate) resident: u64,
    pub(crate) descriptors: u64,
    pub(crate) threads: u64,
}

impl Client {
    pub(crate) fn start(number: usize, server: &Path, app: &Path) -> Result<Self> {
        let mut command = server_command(server, app);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let (input, output) = child.stdin.take().zip(child.stdout.take()).context("two pipes")?;
        let mut client = Self {
            child,
            input,
            output: BufReader::new(output),
            is_older: number.is_multiple_of(2),
            dice: Dice::new(number as u64 + 1),
            seen: Seen::default(),
            next_id: 1,
            open: HashMap::new(),
            listening: None,
        };
        if client.is_older {
            client.send("initialize", initialize(), Expect::Nothing)?;
            client.settle()?;
            writeln!(client.input, "{}", json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        }
        Ok(client)
    }

    /// Asks `count` questions, and waits for the last answer.
    pub(crate) fn run(&mut self, count: usize) -> Result<()> {
        for _ in 0..count {
            let (method, params, expect) = question(&mut self.dice, self.is_older);
            let is_cancelled = matches!(expect, Expect::Cancelled);
            let id = self.send(method, params, expect)?;
            if method == "subscriptions/listen" {
                if let Some(before) = self.listening.replace(id) {
                    self.cancel(before)?;
                }
            } else if is_cancelled {
                self.cancel(id)?;
            }
            while self.open.len() >= WINDOW {
                self.receive()?;
            }
        }
        self.settle()
    }

    pub(crate) fn usage(&self) -> Result<Usage> {
        let process = format!("/proc/{}", self.child.id());
        let status = std::fs::read_to_string(format!("{process}/status"))?;
        let number = |field: &str| -> Result<u64> {
            let line = status.lines().find_map(|line| line.strip_prefix(field)).context("a field of status")?;
            Ok(line.trim().trim_end_matches(" kB").parse()?)
        };
        let descriptors = std::fs::read_dir(format!("{process}/fd"))?.count() as u64;
        Ok(Usage { resident: number("VmRSS:")?, descriptors, threads: number("Threads:")? })
    }

    fn send(&mut self, method: &str, mut params: Value, expect: Expect) -> Result<u64> {
        let id = self.next_id;
        self.next_id += 1;
        if !self.is_older {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.input.write_all(format!("{request}\n").as_bytes())?;
        self.open.insert(id, expect);
        Ok(id)
    }

    fn cancel(&mut self, id: u64) -> Result<()> {
        let notice = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
        self.input.write_all(format!("{notice}\n").as_bytes())?;
        self.open.remove(&id);
        Ok(())
    }

    /// Until nothing is owed any more, but for the subscription.
    fn settle(&mut self) -> Result<()> {
        while self.open.len() > usize::from(self.listening.is_some()) {
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
        match self.open.remove(&id) {
            Some(expect) => check(&message, &expect, &mut self.seen).with_context(|| shown(&line)),
            // It was cancelled after the answer had been sent.
            None if id < self.next_id => Ok(()),
            None => bail!("an answer that nobody asked for: {}", shown(&line)),
        }
    }
}

fn shown(line: &str) -> String {
    line.chars().take(500).collect()
}

fn initialize() -> Value {
    json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "soak", "version": "1"}})
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
