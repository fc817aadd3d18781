//! A process on two pipes, and a client that exchanges raw lines with it.

use std::io::{Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

pub(crate) struct Peer {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
    buffer: Vec<u8>,
    /// What is read at once.
    piece: Vec<u8>,
}

/// The protocol revision of a request.
#[derive(Clone, Copy)]
pub(crate) enum Revision {
    Legacy,
    Modern,
}

const PIECE_BYTES: usize = 256 * 1024;

impl Peer {
    pub(crate) fn spawn(command: &mut Command) -> Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let (input, output) = child.stdin.take().zip(child.stdout.take()).context("two pipes")?;
        Ok(Self { child, input, output, buffer: Vec::new(), piece: vec![0; PIECE_BYTES] })
    }

    /// Performs the handshake of the legacy revision.
    pub(crate) fn initialize(&mut self) -> Result<()> {
        self.request(INITIALIZE)?;
        self.input.write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")?;
        Ok(())
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends one line without waiting for an answer.
    pub(crate) fn send(&mut self, line: &[u8]) -> Result<()> {
        Ok(self.input.write_all(line)?)
    }

    /// Sends one line and returns the next line.
    pub(crate) fn request(&mut self, line: &[u8]) -> Result<Vec<u8>> {
        self.input.write_all(line)?;
        let mut looked_at = 0;
        loop {
            // An answer of megabytes comes in hundreds of pieces.
            if let Some(end) = memchr::memchr(b'\n', self.buffer.get(looked_at..).unwrap_or_default()) {
                return Ok(self.buffer.drain(..=looked_at + end).collect());
            }
            looked_at = self.buffer.len();
            self.fill()?;
        }
    }

    /// Returns the time of [`Self::request`] in microseconds. A JSON-RPC error is an error.
    pub(crate) fn timed(&mut self, line: &[u8]) -> Result<f64> {
        let start = Instant::now();
        let answer = self.request(line)?;
        let took = start.elapsed();
        if answer.windows(8).any(|window| window == b"\"error\":") {
            bail!("{}", String::from_utf8_lossy(&answer));
        }
        Ok(took.as_secs_f64() * 1e6)
    }

    /// Returns the requests per second with `window` open requests.
    pub(crate) fn pipelined(&mut self, requests: usize, window: usize, line: impl Fn(usize) -> Vec<u8>) -> Result<f64> {
        let start = Instant::now();
        let (mut sent, mut answered) = (0, 0);
        while answered < requests {
            let ready = requests.min(answered + window);
            let batch: Vec<u8> = (sent..ready).flat_map(&line).collect();
            sent = ready;
            self.input.write_all(&batch)?;
            self.buffer.clear();
            self.fill()?;
            answered += self.buffer.iter().filter(|byte| **byte == b'\n').count();
        }
        self.buffer.clear();
        Ok(requests as f64 / start.elapsed().as_secs_f64())
    }

    fn fill(&mut self) -> Result<()> {
        let read = self.output.read(&mut self.piece)?;
        if read == 0 {
            bail!("the server is gone");
        }
        self.buffer.extend_from_slice(self.piece.get(..read).unwrap_or_default());
        Ok(())
    }

    /// Returns the resident memory in MiB.
    pub(crate) fn resident(&self) -> Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("VmRSS")?;
        let kib: f64 = line.trim().trim_end_matches(" kB").parse()?;
        Ok(kib / 1024.0)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) const INITIALIZE: &[u8] =
    b"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\
    \"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}}\n";

/// Returns a read request as a line.
pub(crate) fn read(id: usize, uri: &str, revision: Revision) -> Vec<u8> {
    let meta = match revision {
        Revision::Legacy => "",
        Revision::Modern => {
            ",\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\
             \"io.modelcontextprotocol/clientCapabilities\":{}}"
        }
    };
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"resources/read\",\"params\":{{\"uri\":\"{uri}\"{meta}}}}}\n"
    )
    .into_bytes()
}

/// Returns the median of `times` calls of `once`, after a warm-up of a tenth as many.
pub(crate) fn median(times: usize, mut once: impl FnMut(usize) -> Result<f64>) -> Result<f64> {
    for at in 0..times / 10 {
        once(at)?;
    }
    middle((0..times).map(once).collect::<Result<_>>()?)
}

/// Returns the medians of `times` calls of each, by turns: each finds the caches of the processor as the other one left them.
pub(crate) fn medians_by_turns(
    times: usize,
    mut first: impl FnMut() -> Result<f64>,
    mut second: impl FnMut() -> Result<f64>,
) -> Result<(f64, f64)> {
    let mut all = (Vec::new(), Vec::new());
    for _ in 0..times {
        all.0.push(first()?);
        all.1.push(second()?);
    }
    Ok((middle(all.0)?, middle(all.1)?))
}

fn middle(mut all: Vec<f64>) -> Result<f64> {
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().context("at least one time")
}

pub(crate) fn elapsed(work: impl FnOnce() -> Result<()>) -> Result<Duration> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed())
}

/// Returns the memory of a process and its descendants in MiB, counting each shared page once.
pub(crate) fn memory_of_all(id: u32) -> Result<f64> {
    let rollup = std::fs::read_to_string(format!("/proc/{id}/smaps_rollup"))?;
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:")).context("Pss")?;
    let own: f64 = line.trim().trim_end_matches(" kB").parse()?;
    let children = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children"))?;
    let below = children.split_whitespace().map(|child| memory_of_all(child.parse()?)).sum::<Result<f64>>()?;
    Ok(own / 1024.0 + below)
}
