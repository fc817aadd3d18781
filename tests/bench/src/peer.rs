//! A process on two pipes, and a client that speaks raw lines to it.

use std::io::{Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

pub(crate) struct Peer {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
    buffer: Vec<u8>,
}

/// Which era's requests to send.
#[derive(Clone, Copy)]
pub(crate) enum Era {
    Older,
    Newer,
}

impl Peer {
    pub(crate) fn spawn(command: &mut Command) -> Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let (input, output) = child.stdin.take().zip(child.stdout.take()).context("two pipes")?;
        Ok(Self { child, input, output, buffer: Vec::new() })
    }

    /// The handshake of the older era.
    pub(crate) fn initialize(&mut self) -> Result<()> {
        self.ask(INITIALIZE)?;
        self.input.write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")?;
        Ok(())
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// One line there, and nothing waited for.
    pub(crate) fn tell(&mut self, line: &[u8]) -> Result<()> {
        Ok(self.input.write_all(line)?)
    }

    /// One line there, one line back.
    pub(crate) fn ask(&mut self, line: &[u8]) -> Result<Vec<u8>> {
        self.input.write_all(line)?;
        loop {
            if let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
                return Ok(self.buffer.drain(..=end).collect());
            }
            self.fill()?;
        }
    }

    /// As [`Self::ask`], and how long it took. An error is no answer.
    pub(crate) fn timed(&mut self, line: &[u8]) -> Result<f64> {
        let start = Instant::now();
        let answer = self.ask(line)?;
        let took = start.elapsed();
        if answer.windows(8).any(|window| window == b"\"error\":") {
            bail!("{}", String::from_utf8_lossy(&answer));
        }
        Ok(took.as_secs_f64() * 1e6)
    }

    /// Requests a second with `window` of them under way.
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
        let start = self.buffer.len();
        self.buffer.resize(start + 256 * 1024, 0);
        let read = self.output.read(self.buffer.get_mut(start..).unwrap_or_default())?;
        self.buffer.truncate(start + read);
        if read == 0 {
            bail!("the server is gone");
        }
        Ok(())
    }

    /// Resident memory, in megabytes.
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

/// A read request, as a line.
pub(crate) fn read(id: usize, uri: &str, era: Era) -> Vec<u8> {
    let meta = match era {
        Era::Older => "",
        Era::Newer => {
            ",\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\
             \"io.modelcontextprotocol/clientCapabilities\":{}}"
        }
    };
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"resources/read\",\"params\":{{\"uri\":\"{uri}\"{meta}}}}}\n"
    )
    .into_bytes()
}

/// The middle of the times that `once` takes, after a few that do not count.
pub(crate) fn median(times: usize, mut once: impl FnMut(usize) -> Result<f64>) -> Result<f64> {
    for at in 0..times / 10 {
        once(at)?;
    }
    let mut all = (0..times).map(once).collect::<Result<Vec<_>>>()?;
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().context("at least one time")
}

pub(crate) fn elapsed(work: impl FnOnce() -> Result<()>) -> Result<Duration> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed())
}
