//! The binary as a server over HTTP, and a client that sends raw bytes to it.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::command::wardroom_command;
use super::{TEST_TIMEOUT, TestDir};

pub struct HttpServer {
    child: Child,
    pub address: SocketAddr,
    /// The lines of standard error.
    log: Receiver<String>,
}

impl HttpServer {
    pub fn start(dir: &TestDir) -> Self {
        Self::start_with(dir, "", &[])
    }

    /// Starts a server with a configuration, and with arguments in addition to `serve --http 127.0.0.1:0`.
    pub fn start_with(dir: &TestDir, config: &str, args: &[&str]) -> Self {
        Self::spawn(serve_command(dir, config, &[&["--http", "127.0.0.1:0"], args].concat()))
    }

    /// Starts any command that logs its address.
    pub fn spawn(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let errors = BufReader::new(child.stderr.take().unwrap());
        let (sender, log) = channel();
        thread::spawn(move || {
            // A test may end before its server.
            errors.lines().map_while(Result::ok).for_each(|line| drop(sender.send(line)));
        });
        let mut server = Self { child, address: ([127, 0, 0, 1], 0).into(), log };
        let said = server.wait_for_log_line("serving MCP at ");
        if let Some(rest) = said.strip_prefix("serving MCP at http://") {
            server.address = rest.split('/').next().unwrap().parse().unwrap();
        }
        server
    }

    /// Waits for the next line on standard error with this prefix.
    #[track_caller]
    pub fn wait_for_log_line(&self, start: &str) -> String {
        let deadline = Instant::now() + TEST_TIMEOUT;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = self.log.recv_timeout(left).unwrap_or_else(|_| panic!("nothing begins with {start:?}"));
            if line.starts_with(start) {
                return line;
            }
        }
    }

    pub fn process_id(&self) -> i32 {
        self.child.id().try_into().unwrap()
    }

    pub fn connect(&self) -> HttpConnection<TcpStream> {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(TEST_TIMEOUT)).unwrap();
        stream.set_write_timeout(Some(TEST_TIMEOUT)).unwrap();
        HttpConnection::new(stream, self.address.to_string())
    }

    /// Sends a request of the modern revision on a connection of its own.
    pub fn call(&self, method: &str, params: Value) -> HttpReply {
        self.connect().call(method, params)
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        let id = rustix::process::Pid::from_raw(self.process_id()).unwrap();
        rustix::process::kill_process(id, signal).unwrap();
    }

    pub fn wait(&mut self) -> ExitStatus {
        let deadline = Instant::now() + TEST_TIMEOUT;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < deadline, "the server does not end");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Kills the server, as a crash would.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Returns the resident memory, in bytes.
    pub fn resident_bytes(&self) -> usize {
        self.memory_bytes("VmRSS:")
    }

    /// Returns the peak of the resident memory so far, in bytes.
    pub fn peak_resident_bytes(&self) -> usize {
        self.memory_bytes("VmHWM:")
    }

    fn memory_bytes(&self, name: &str) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() * 1024
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Builds `wardroom serve` with a configuration.
pub fn serve_command(dir: &TestDir, config: &str, args: &[&str]) -> Command {
    let file = dir.root().join("http.toml");
    std::fs::write(&file, config).unwrap();
    let mut command = wardroom_command(dir.root());
    command.arg("--appdir").arg(dir.app_path()).arg("--config").arg(file).arg("serve").args(args);
    command
}

/// A client connection.
pub struct HttpConnection<S> {
    reader: BufReader<S>,
    host: String,
    /// The token of every request.
    token: Option<String>,
    next_id: u64,
}

/// A response, whose body may be a stream.
#[derive(Debug)]
pub struct HttpReply {
    pub status: u16,
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl HttpReply {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns the response's messages: one, or those of a stream.
    #[track_caller]
    pub fn messages(&self) -> Vec<Value> {
        let text = std::str::from_utf8(&self.body).unwrap();
        if self.header("content-type") == Some("text/event-stream") {
            let lines = text.lines().filter_map(|line| line.strip_prefix("data: "));
            return lines.map(|line| serde_json::from_str(line).unwrap()).collect();
        }
        vec![serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {self:?}"))]
    }

    /// Returns the response's only message.
    #[track_caller]
    pub fn json(&self) -> Value {
        let mut messages = self.messages();
        assert_eq!(messages.len(), 1, "{self:?}");
        messages.remove(0)
    }

    /// Returns the code of an error response.
    #[track_caller]
    pub fn error_code(&self) -> i64 {
        self.json()["error"]["code"].as_i64().unwrap_or_else(|| panic!("{self:?}"))
    }
}

/// Returns the headers and the body of a request of the modern revision.
pub fn modern_request(id: u64, method: &str, mut params: Value) -> (Vec<(&'static str, String)>, Value) {
    let named = match method {
        "resources/read" => "uri",
        "tasks/get" | "tasks/update" | "tasks/cancel" => "taskId",
        _ => "name",
    };
    let name = params.get(named).and_then(Value::as_str);
    let mut headers = vec![("mcp-protocol-version", "2026-07-28".to_owned()), ("mcp-method", method.to_owned())];
    headers.extend(name.map(|name| ("mcp-name", name.to_owned())));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let own = params["_meta"].take();
    params["_meta"] = meta;
    if let Value::Object(own) = own {
        params["_meta"].as_object_mut().unwrap().extend(own);
    }
    (headers, json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
}

impl HttpConnection<UnixStream> {
    pub fn connect_unix(path: &std::path::Path) -> Self {
        let stream = UnixStream::connect(path).unwrap();
        stream.set_read_timeout(Some(TEST_TIMEOUT)).unwrap();
        Self::new(stream, "localhost".to_owned())
    }
}

impl HttpConnection<TcpStream> {
    /// Shuts down both directions of the connection.
    pub fn close(self) {
        self.reader.get_ref().shutdown(std::net::Shutdown::Both).unwrap();
    }
}

impl<S: std::io::Read + std::io::Write> HttpConnection<S> {
    pub fn new(stream: S, host: String) -> Self {
        Self { reader: BufReader::new(stream), host, token: None, next_id: 1 }
    }

    /// Sends a token with every request.
    #[must_use]
    pub fn with_token(self, token: &str) -> Self {
        Self { token: Some(token.to_owned()), ..self }
    }

    /// Sends raw bytes.
    pub fn send_raw(&mut self, bytes: impl AsRef<[u8]>) {
        self.reader.get_mut().write_all(bytes.as_ref()).unwrap();
    }

    /// Sends raw bytes to a server that may not accept them.
    pub fn try_send_raw(&mut self, bytes: impl AsRef<[u8]>) -> std::io::Result<()> {
        self.reader.get_mut().write_all(bytes.as_ref())
    }

    /// Sends a request with these headers in addition to the usual ones.
    pub fn send_request(&mut self, method: &str, path: &str, headers: &[(&str, String)], body: Option<&[u8]>) {
        let request = self.request_bytes(method, path, headers, body);
        self.send_raw(request);
    }

    /// Returns the bytes of a request with these headers in addition to the usual ones.
    #[must_use]
    pub fn request_bytes(&self, method: &str, path: &str, headers: &[(&str, String)], body: Option<&[u8]>) -> Vec<u8> {
        let mut head = format!("{method} {path} HTTP/1.1\r\n");
        if headers.iter().all(|(name, _)| *name != "host") {
            head += &format!("host: {}\r\n", self.host);
        }
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        if let Some(token) = &self.token {
            head += &format!("authorization: Bearer {token}\r\n");
        }
        if let Some(body) = body {
            head += &format!("content-length: {}\r\n", body.len());
            if headers.iter().all(|(name, _)| *name != "content-type") {
                head += "content-type: application/json\r\n";
            }
            if headers.iter().all(|(name, _)| *name != "accept") {
                head += "accept: application/json, text/event-stream\r\n";
            }
        }
        [head.as_bytes(), b"\r\n", body.unwrap_or_default()].concat()
    }

    pub fn exchange(&mut self, method: &str, path: &str, headers: &[(&str, String)], body: Option<&[u8]>) -> HttpReply {
        self.send_request(method, path, headers, body);
        self.read_reply()
    }

    /// Posts a message.
    pub fn post(&mut self, path: &str, headers: &[(&str, String)], message: &Value) -> HttpReply {
        self.exchange("POST", path, headers, Some(message.to_string().as_bytes()))
    }

    /// Sends a request of the modern revision.
    pub fn call(&mut self, method: &str, params: Value) -> HttpReply {
        self.call_at("/mcp", &[], method, params)
    }

    pub fn call_at(&mut self, path: &str, more: &[(&'static str, String)], method: &str, params: Value) -> HttpReply {
        let (mut headers, message) = modern_request(self.next_id, method, params);
        self.next_id += 1;
        headers.extend(more.iter().cloned());
        self.post(path, &headers, &message)
    }

    /// Reads the head of a response.
    pub fn read_head(&mut self) -> HttpReply {
        let mut line = String::new();
        self.reader.read_line(&mut line).unwrap();
        let status = line.split(' ').nth(1).unwrap_or_else(|| panic!("no reply: {line:?}")).parse().unwrap();
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            self.reader.read_line(&mut line).unwrap();
            let Some((name, value)) = line.trim_end().split_once(": ") else { break };
            headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
        HttpReply { status, headers, body: Vec::new() }
    }

    /// Reads a whole response.
    pub fn read_reply(&mut self) -> HttpReply {
        let mut reply = self.read_head();
        if let Some(length) = reply.header("content-length") {
            reply.body = vec![0; length.parse().unwrap()];
            self.reader.read_exact(&mut reply.body).unwrap();
        } else if reply.header("transfer-encoding").is_some() {
            let deadline = Instant::now() + TEST_TIMEOUT;
            while let Some(chunk) = self.read_chunk() {
                reply.body.extend(chunk);
                assert!(Instant::now() < deadline, "it does not end: {reply:?}");
            }
        }
        reply
    }

    /// Reads a chunk of a chunked body; `None` at its end.
    pub fn read_chunk(&mut self) -> Option<Vec<u8>> {
        let mut line = String::new();
        self.reader.read_line(&mut line).unwrap();
        let length = usize::from_str_radix(line.trim_end(), 16).unwrap_or_else(|_| panic!("no chunk: {line:?}"));
        let mut chunk = vec![0; length + 2];
        self.reader.read_exact(&mut chunk).unwrap();
        chunk.truncate(length);
        (length > 0).then_some(chunk)
    }

    /// Reads the next message of a stream; `None` at its end.
    #[track_caller]
    pub fn read_event(&mut self) -> Option<Value> {
        let deadline = Instant::now() + TEST_TIMEOUT;
        loop {
            // Keep-alive comments may arrive in between.
            assert!(Instant::now() < deadline, "no message comes");
            let chunk = String::from_utf8(self.read_chunk()?).unwrap();
            if let Some(data) = chunk.lines().find_map(|line| line.strip_prefix("data: ")) {
                return Some(serde_json::from_str(data).unwrap());
            }
        }
    }

    /// Reads until the server closes the connection.
    pub fn read_to_end(&mut self) -> std::io::Result<Vec<u8>> {
        let mut rest = Vec::new();
        self.reader.read_to_end(&mut rest)?;
        Ok(rest)
    }

    /// Starts a session and returns its id.
    #[expect(clippy::needless_pass_by_value, reason = "what `json!` makes is passed as it is")]
    pub fn initialize(&mut self, path: &str, capabilities: Value) -> String {
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": capabilities,
            "clientInfo": {"name": "test", "version": "1"},
        });
        let message = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        let reply = self.post(path, &[], &message);
        assert_eq!(reply.status, 200, "{reply:?}");
        let session = reply.header("mcp-session-id").expect("a session").to_owned();
        let notification = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(self.post(path, &[("mcp-session-id", session.clone())], &notification).status, 202);
        session
    }

    /// Sends a request in a session.
    #[expect(clippy::needless_pass_by_value, reason = "what `json!` makes is passed as it is")]
    pub fn call_in_session(&mut self, session: &str, id: u64, method: &str, params: Value) -> HttpReply {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.post("/mcp", &[("mcp-session-id", session.to_owned())], &message)
    }
}
