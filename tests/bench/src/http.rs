//! Figures of HTTP: reads of the modern revision, sequential and on many connections, beside a handler of a few lines;
//! and the memory of waiting clients.
//!
//! Unlike the other figures, these are not pinned to one processor: the server has a processor of its own.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::peer::median;
use crate::table::{Table, micros};

const URI: &str = "alc://types/alc.d.lua";
const CONNECTIONS: usize = 32;

/// A server that prints its address.
struct HttpServer {
    child: Child,
    address: String,
}

impl HttpServer {
    fn start(command: &mut Command) -> Result<Self> {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let mut line = String::new();
        BufReader::new(child.stderr.take().context("a pipe")?).read_line(&mut line)?;
        let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next());
        let address = address.with_context(|| format!("no address: {line}"))?.to_owned();
        Ok(Self { child, address })
    }

    fn connect(&self) -> Result<Connection> {
        let stream = TcpStream::connect(&self.address)?;
        stream.set_nodelay(true)?;
        Ok(Connection { stream, buffer: vec![0; 64 * 1024] })
    }

    /// Returns the resident memory in MiB.
    fn resident(&self) -> Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("VmRSS")?;
        let kib: f64 = line.trim().trim_end_matches(" kB").parse()?;
        Ok(kib / 1024.0)
    }

    /// Returns the requests per second, with one open request on each connection.
    fn rate(&self, requests: usize, request: &[u8]) -> Result<f64> {
        let mut connections = (0..CONNECTIONS).map(|_| self.connect()).collect::<Result<Vec<_>>>()?;
        let start = Instant::now();
        for _ in 0..requests / CONNECTIONS {
            for connection in &mut connections {
                connection.stream.write_all(request)?;
            }
            for connection in &mut connections {
                connection.receive()?;
            }
        }
        Ok((requests / CONNECTIONS * CONNECTIONS) as f64 / start.elapsed().as_secs_f64())
    }

    fn sequential(&self, request: &[u8]) -> Result<f64> {
        let mut connection = self.connect()?;
        median(20_000, |_| {
            let start = Instant::now();
            connection.stream.write_all(request)?;
            connection.receive()?;
            Ok(start.elapsed().as_secs_f64() * 1e6)
        })
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    /// Receives a reply to the end of its content length; returns its head.
    fn receive(&mut self) -> Result<String> {
        let mut read = 0;
        loop {
            let more = self.stream.read(self.buffer.get_mut(read..).context("a short reply")?)?;
            if more == 0 {
                bail!("the server is gone");
            }
            read += more;
            let have = self.buffer.get(..read).unwrap_or_default();
            let Some(end) = have.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
            let head = std::str::from_utf8(have.get(..end).unwrap_or_default())?;
            if !head.starts_with("HTTP/1.1 2") {
                bail!("{}", String::from_utf8_lossy(have));
            }
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            // A reply without a length is a stream; its head is enough.
            let length: usize = length.map_or(Ok(0), str::parse)?;
            if read >= end + 4 + length {
                return Ok(head.to_owned());
            }
        }
    }
}

fn post(headers: &str, body: &str) -> Vec<u8> {
    format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\n{headers}content-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

const META: &str = "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\
                    \"io.modelcontextprotocol/clientCapabilities\":{}}";

fn modern_request(method: &str, name: &str, params: &str) -> Vec<u8> {
    let body = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\",\"params\":{{{params},{META}}}}}");
    let name = if name.is_empty() { String::new() } else { format!("mcp-name: {name}\r\n") };
    post(&format!("mcp-protocol-version: 2026-07-28\r\nmcp-method: {method}\r\n{name}"), &body)
}

/// Measures the server and the floor in the same run.
pub(crate) fn http(table: &mut Table, wardroom: &Path, floor: &Path, app_dir: &Path) -> Result<()> {
    let serve = || {
        let mut command = Command::new(wardroom);
        command.arg("--appdir").arg(app_dir).args(["serve", "--http", "127.0.0.1:0"]).env_remove("RUST_LOG");
        command
    };
    let (bare, ours) = (HttpServer::start(&mut Command::new(floor))?, HttpServer::start(&mut serve())?);
    let read = modern_request("resources/read", URI, &format!("\"uri\":\"{URI}\""));
    let (floor, time) = (bare.sequential(&read)?, ours.sequential(&read)?);
    let beside = format!("{} (bare axum handler)", micros(floor));
    table.row("HTTP, 2026-07-28: sequential read of a 1 KiB fixed resource", micros(time), beside, Some(time / floor));
    let (most, rate) = (bare.rate(100_000, &read)?, ours.rate(100_000, &read)?);
    let what = format!("HTTP, 2026-07-28: reads of it on {CONNECTIONS} connections");
    table.row(&what, format!("{rate:.0}/s"), format!("{most:.0}/s (bare axum handler)"), Some(rate / most));

    let waiting = HttpServer::start(&mut serve())?;
    let initialize = post(
        "",
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\",\
         \"capabilities\":{},\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}}",
    );
    let mut connection = waiting.connect()?;
    connection.stream.write_all(&modern_request("server/discover", "", "\"x\":1"))?;
    connection.receive()?;
    let before = waiting.resident()?;
    for _ in 0..500 {
        connection.stream.write_all(&initialize)?;
        let head = connection.receive()?;
        let session = head.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).context("a session")?;
        let initialized = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";
        connection.stream.write_all(&post(&format!("mcp-session-id: {session}\r\n"), initialized))?;
        connection.receive()?;
    }
    let filter =
        "\"notifications\":{\"resourcesListChanged\":true,\"resourceSubscriptions\":[\"alc://types/alc.d.lua\"]}";
    let listen = modern_request("subscriptions/listen", "", filter);
    let mut listening = Vec::new();
    for _ in 0..50 {
        let mut connection = waiting.connect()?;
        connection.stream.write_all(&listen)?;
        connection.receive()?;
        listening.push(connection);
    }
    let figure = format!("{:.1} MB", waiting.resident()?);
    table.row("resident, 500 idle sessions and 50 open listens", figure, format!("{before:.1} MB (before)"), None);
    Ok(())
}
